/* The layers of the network for one instruction set; native.c includes this once for each.

   It sets TAG (the name's ending), TARGET (the functions' attribute), LANES (floats in a vector), ROWS and VECTORS (the
   block of results that fits into the registers), and MAXIMUM and MINIMUM where there are instructions for them.

   What a row's result is does not depend on the rows beside it, nor the sum over a node's messages on their order: nodes
   that are symmetric have equal embeddings to the last bit. Some networks blow up the smallest difference between them.

   Rows that are multiplied by weights stand in a panel: PACK values of the first row, PACK of the second, and so on for
   ROWS rows, then the next PACK values of each. All its addresses are one register apart from constants. */

#define NAME(name) JOIN(name, TAG)
#define Vector NAME(Vector)
#define Loose NAME(Loose)
#define Bits NAME(Bits)

#if LANES > 1
typedef float Vector __attribute__((vector_size(4 * LANES)));
typedef float Loose __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef uint32_t Bits __attribute__((vector_size(4 * LANES)));
#else
typedef float Vector;
typedef float Loose;
typedef uint32_t Bits;
#endif

TARGET INLINE Vector NAME(load)(const float *from) { return *(const Loose *)from; }

TARGET INLINE void NAME(store)(float *to, Vector value) { *(Loose *)to = value; }

TARGET INLINE Bits NAME(to_bits)(Vector value) {
    Bits bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

TARGET INLINE Vector NAME(from_bits)(Bits bits) {
    Vector value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TARGET INLINE Vector NAME(fill)(float value) { return (Vector){0} + value; }

#if !defined(MAXIMUM) && LANES > 1
INLINE Vector NAME(choose)(Bits where, Vector a, Vector b) {
    return NAME(from_bits)((where & NAME(to_bits)(a)) | (~where & NAME(to_bits)(b)));
}
#define MAXIMUM(a, b) NAME(choose)((Bits)((a) > (b)), a, b)
#define MINIMUM(a, b) NAME(choose)((Bits)((a) < (b)), a, b)
#elif !defined(MAXIMUM)
#define MAXIMUM(a, b) ((a) > (b) ? (a) : (b))
#define MINIMUM(a, b) ((a) < (b) ? (a) : (b))
#endif

/* 2^x for x between -126 and 126, to about 1e-7. */
TARGET INLINE Vector NAME(power)(Vector x) {
    const float shift = 12582912.0f; /* adding it leaves the nearest whole number in the lowest bits */
    Vector shifted = x + shift;
    Vector rest = x - (shifted - shift);
    Vector result = 0.001326697039f * rest + 0.009675459746f;
    result = result * rest + 0.05550742616f;
    result = result * rest + 0.2402212175f;
    result = result * rest + 0.6931469492f;
    result = result * rest + 1.0f;
    return NAME(from_bits)(NAME(to_bits)(result) + (NAME(to_bits)(shifted) << 23));
}

/* log2(x) for normal x of at least 1. */
TARGET INLINE Vector NAME(logarithm)(Vector x) {
    const uint32_t root = 0x3f3504f3; /* the bits of sqrt(1/2): the mantissa is taken between it and sqrt(2) */
    Bits exponent = (NAME(to_bits)(x) - root) >> 23;
    Vector mantissa = NAME(from_bits)(NAME(to_bits)(x) - (exponent << 23));
    /* The exponent as a float: below 2^23, so that it can be written into the mantissa of 2^23. */
    Vector whole = NAME(from_bits)(exponent | 0x4b000000u) - 8388608.0f;
    Vector t = (mantissa - 1.0f) / (mantissa + 1.0f);
    Vector square = t * t;
    Vector series = 0.32059889f * square + 0.41219858f;
    series = series * square + 0.57707802f;
    series = series * square + 0.96179669f;
    series = series * square + 2.88539008f;
    return series * t + whole;
}

/* log2(e) mish(x / log2(e)): x w / (w + 2) with w = 2^x (2^x + 2). */
TARGET INLINE Vector NAME(activate)(Vector x) {
    /* Beyond these bounds it is x or as good as 0. */
    Vector bounded = MINIMUM(MAXIMUM(x, NAME(fill)(-80.0f)), NAME(fill)(60.0f));
    Vector power = NAME(power)(bounded);
    Vector w = power * (power + 2.0f);
    return x * (w / (w + 2.0f));
}

/* Row number `row` of a panel from `width` floats. */
TARGET INLINE void NAME(fill_row)(float *panel, int row, const float *values, int32_t width) {
    for (int32_t c = 0; c < width; c += LANES)
        NAME(store)(panel + c / PACK * PACK * ROWS + row * PACK + c % PACK, NAME(load)(values + c));
}

/* Some rows of a panel times some columns of the weights: `rows` and `vectors` are constants wherever it is called. */
TARGET INLINE void NAME(multiply_block)(const int rows, const int vectors, const float *panel, int32_t depth,
                                        const float *weight, int32_t stride, const float *bias, float *const *to,
                                        int32_t column) {
    Vector sums[ROWS][VECTORS];
    UNROLL for (int r = 0; r < rows; r++) {
        UNROLL for (int v = 0; v < vectors; v++) sums[r][v] = bias ? NAME(load)(bias + v * LANES) : NAME(fill)(0.0f);
    }
    for (int32_t d = 0; d < depth; d += PACK) {
        for (int i = 0; i < PACK; i++) {
            Vector factors[VECTORS];
            UNROLL for (int v = 0; v < vectors; v++) factors[v] = NAME(load)(weight + v * LANES);
            UNROLL for (int r = 0; r < rows; r++) {
                const float value = panel[r * PACK + i];
                UNROLL for (int v = 0; v < vectors; v++) sums[r][v] += value * factors[v];
            }
            weight += stride;
        }
        panel += ROWS * PACK;
    }
    UNROLL for (int r = 0; r < rows; r++) {
        UNROLL for (int v = 0; v < vectors; v++) NAME(store)(to[r] + column + v * LANES, sums[r][v]);
    }
}

/* The first `rows` rows of a panel times `width` columns of the weights, plus the bias if there is one. */
TARGET static void NAME(multiply)(int rows, const float *panel, int32_t depth, const float *weight, int32_t stride,
                                  const float *bias, int32_t width, float *const *to) {
    for (int32_t c = 0; c < width;) {
        /* Only with vectors of PACK floats may a single one be left. */
        const int vectors = width - c >= VECTORS * LANES ? VECTORS : 1;
        const float *below = bias ? bias + c : NULL;
        int r = 0;
#define BLOCK(count, vectors) \
    NAME(multiply_block)(count, vectors, panel + r * PACK, depth, weight + c, stride, below, to + r, c)
        while (r < rows) {
            const int left = rows - r;
            const int count = left >= ROWS ? ROWS : left >= 4 ? 4 : left >= 2 ? 2 : 1;
            if (vectors == VECTORS) {
                if (count == ROWS) BLOCK(ROWS, VECTORS);
                else if (count == 4) BLOCK(4, VECTORS);
                else if (count == 2) BLOCK(2, VECTORS);
                else BLOCK(1, VECTORS);
            } else {
                if (count == ROWS) BLOCK(ROWS, 1);
                else if (count == 4) BLOCK(4, 1);
                else if (count == 2) BLOCK(2, 1);
                else BLOCK(1, 1);
            }
            r += count;
        }
#undef BLOCK
        c += vectors * LANES;
    }
}

/* The hidden layer of a panel of inputs, activated, as another panel. */
TARGET static void NAME(fill_hidden)(const Layer *inner, int rows, Space *space) {
    float *to[ROWS] = {0};
    for (int r = 0; r < rows; r++) to[r] = space->rows + (size_t)r * inner->columns;
    NAME(multiply)(rows, space->panel, inner->depth, inner->weight, inner->columns, inner->bias, inner->columns, to);
    for (int r = 0; r < rows; r++)
        for (int32_t c = 0; c < inner->columns; c += LANES)
            NAME(store)(space->hidden + c / PACK * PACK * ROWS + r * PACK + c % PACK,
                        NAME(activate)(NAME(load)(to[r] + c)));
}

/* The messages of atoms with one argument. */
TARGET static void NAME(send_to_one)(const Network *network, const Perceptron *relation, int32_t count,
                                     const int32_t *args, const int32_t *place, Space *space) {
    const size_t width = (size_t)network->width;
    const Layer *outer = &relation->outer;
    for (int32_t i = 0; i < count; i += ROWS) {
        const int rows = count - i < ROWS ? count - i : ROWS;
        float *to[ROWS] = {0};
        for (int r = 0; r < rows; r++) {
            NAME(fill_row)(space->panel, r, space->embeddings + args[i + r] * width, network->width);
            to[r] = space->messages + place[i + r] * width;
        }
        NAME(fill_hidden)(&relation->inner, rows, space);
        NAME(multiply)(rows, space->hidden, outer->depth, outer->weight, outer->columns, outer->bias, network->width,
                       to);
    }
}

/* The distinct nodes of every argument, at most so many, times the weights of that argument. */
TARGET static void NAME(project)(const Network *network, const Layer *inner, int32_t arity, int32_t most,
                                 const int32_t *lengths, const int32_t *distinct, Space *space) {
    const size_t width = (size_t)network->width, columns = (size_t)inner->columns;
    float *result = space->projections;
    for (int32_t a = 0; a < arity; a++) {
        const int32_t count = lengths[a] < most ? lengths[a] : most;
        for (int32_t i = 0; i < count; i += ROWS) {
            const int rows = count - i < ROWS ? count - i : ROWS;
            float *to[ROWS] = {0};
            for (int r = 0; r < rows; r++) {
                NAME(fill_row)(space->panel, r, space->embeddings + distinct[i + r] * width, network->width);
                to[r] = result + (i + r) * columns;
            }
            NAME(multiply)(rows, space->panel, network->width, inner->weight + a * width * columns, inner->columns,
                           a ? NULL : inner->bias, inner->columns, to);
        }
        result += lengths[a] * columns;
        distinct += lengths[a];
    }
}

/* The messages of atoms with several arguments. */
TARGET static void NAME(send_to_several)(const Network *network, const Perceptron *relation, int32_t arity,
                                         int32_t count, const int32_t *row, const int32_t *place,
                                         const int32_t *lengths, Space *space) {
    const size_t width = (size_t)network->width, columns = (size_t)relation->inner.columns;
    const Layer *outer = &relation->outer;
    for (int32_t i = 0; i < count; i += ROWS) {
        const int rows = count - i < ROWS ? count - i : ROWS;
        const int32_t *rows_of = row + (int64_t)i * arity, *places = place + (int64_t)i * arity;
        for (int r = 0; r < rows; r++) {
            const int32_t *own = rows_of + r * arity;
            for (size_t c = 0; c < columns; c += LANES) {
                const float *projected = space->projections + c;
                Vector sum = NAME(load)(projected + own[0] * columns);
                for (int32_t a = 1; a < arity; a++) {
                    projected += lengths[a - 1] * columns;
                    sum += NAME(load)(projected + own[a] * columns);
                }
                NAME(store)(space->hidden + c / PACK * PACK * ROWS + r * PACK + c % PACK, NAME(activate)(sum));
            }
        }
        for (int32_t a = 0; a < arity; a++) {
            float *to[ROWS] = {0};
            for (int r = 0; r < rows; r++) to[r] = space->messages + places[r * arity + a] * width;
            NAME(multiply)(rows, space->hidden, outer->depth, outer->weight + a * width, outer->columns,
                           outer->bias + a * width, network->width, to);
        }
    }
}

/* log2 of the sum of 2^m over `count` rows m, per column. */
TARGET static void NAME(maximise)(const float *messages, int32_t count, int32_t width, float *result) {
    /* Adding and subtracting it rounds numbers up to 1 so far that `count` of them add up without any error. */
    float grid = 96.0f;
    while (grid <= 0.75f * (float)count) grid *= 2.0f;
    for (int32_t c = 0; c < width; c += LANES) {
        Vector largest = NAME(load)(messages + c);
        for (int32_t i = 1; i < count; i++)
            largest = MAXIMUM(NAME(load)(messages + (size_t)i * width + c), largest);
        Vector sum = NAME(fill)(0.0f);
        for (int32_t i = 0; i < count; i++) {
            Vector below = NAME(load)(messages + (size_t)i * width + c) - largest;
            sum += NAME(power)(MAXIMUM(below, NAME(fill)(-80.0f))) + grid - grid;
        }
        NAME(store)(result + c, largest + NAME(logarithm)(sum));
    }
}

/* The embeddings after one layer, as `next`; the maxima are left where `maxima` is, if anywhere. */
TARGET static void NAME(update)(const Network *network, const Graph *graph, Space *space, float *maxima, float *next) {
    const int32_t width = network->width;
    const Layer *outer = &network->update.outer;
    for (int32_t i = 0; i < graph->nodes; i += ROWS) {
        const int rows = graph->nodes - i < ROWS ? graph->nodes - i : ROWS;
        float *to[ROWS] = {0};
        for (int r = 0; r < rows; r++) {
            const int32_t first = graph->start[i + r];
            float *aggregated = maxima ? maxima + (size_t)(i + r) * width : space->rows;
            NAME(maximise)(space->messages + (size_t)first * width, graph->start[i + r + 1] - first, width, aggregated);
            NAME(fill_row)(space->panel, r, space->embeddings + (size_t)(i + r) * width, width);
            NAME(fill_row)(space->panel + (size_t)width * ROWS, r, aggregated, width);
            to[r] = space->rows + (size_t)r * width;
        }
        NAME(fill_hidden)(&network->update.inner, rows, space);
        NAME(multiply)(rows, space->hidden, outer->depth, outer->weight, width, outer->bias, width, to);
        const size_t first = (size_t)i * width;
        const float *own = space->embeddings + first;
        for (int32_t c = 0; c < rows * width; c += LANES) {
            Vector change = NAME(load)(space->rows + c);
            NAME(store)(next + first + c, network->shape->residual ? NAME(load)(own + c) + change : change);
        }
    }
}

/* The sum of the embeddings that the readout takes. */
TARGET static void NAME(summarise)(const Network *network, const Graph *graph, Space *space) {
    for (int32_t c = 0; c < network->width; c++) {
        double total = 0;
        for (int32_t i = 0; i < graph->nodes; i++)
            if (!network->shape->goal_readout || graph->goal[i])
                total += (double)space->embeddings[(size_t)i * network->width + c];
        space->sum[c] = (float)total;
    }
}

/* The messages of all atoms in one of the layers. */
TARGET static void NAME(send)(const Network *network, const Graph *graph, int32_t layer, Space *space) {
    const Shape *shape = network->shape;
    const size_t width = (size_t)network->width;
    const int32_t *args = graph->args, *place = graph->place, *row = graph->row;
    const int32_t *distinct = graph->distinct, *lengths = graph->lengths;
    for (int32_t r = 0; r < shape->relations; r++) {
        const Perceptron *relation = &network->relations[r];
        const int32_t arity = shape->arities[r], count = graph->counts[r];
        /* At first all embeddings are equal, and so are the messages of all atoms of a relation. */
        const int32_t differing = layer ? count : count > 0;
        if (arity == 1) {
            NAME(send_to_one)(network, relation, differing, args, place, space);
        } else if (count) {
            NAME(project)(network, &relation->inner, arity, differing, lengths, distinct, space);
            NAME(send_to_several)(network, relation, arity, differing, row, place, lengths, space);
        }
        for (int64_t i = (int64_t)differing * arity; i < (int64_t)count * arity; i++)
            memcpy(space->messages + place[i] * width, space->messages + place[i % arity] * width,
                   width * sizeof(float));
        for (int32_t a = 0; a < arity; a++) distinct += lengths[a];
        args += (int64_t)count * arity;
        place += (int64_t)count * arity;
        row += (int64_t)count * arity;
        lengths += arity;
    }
}

/* The cost of a graph; its embeddings and their sum are left in the space. */
TARGET static void NAME(evaluate)(const Network *network, const Graph *graph, Space *space, float *cost) {
    memset(space->embeddings, 0, (size_t)graph->nodes * network->width * sizeof(float));
    for (int32_t layer = 0; layer < network->shape->layers; layer++) {
        NAME(send)(network, graph, layer, space);
        NAME(update)(network, graph, space, NULL, space->embeddings);
    }
    float result[PACK], *to[1] = {result};
    const Layer *outer = &network->readout.outer;
    NAME(summarise)(network, graph, space);
    NAME(fill_row)(space->panel, 0, space->sum, network->width);
    NAME(fill_hidden)(&network->readout.inner, 1, space);
    NAME(multiply)(1, space->hidden, outer->depth, outer->weight, PACK, outer->bias, PACK, to);
    *cost = result[0];
}

/* The head's ratings of some bindings, right after the evaluation of their graph. */
TARGET static void NAME(rate)(const Network *network, Space *space, int64_t count, const int32_t *variables,
                              const int32_t *objects, float *ratings) {
    const size_t width = (size_t)network->width;
    const Layer *outer = &network->head.outer;
    float results[ROWS][PACK], *to[ROWS];
    for (int r = 0; r < ROWS; r++) to[r] = results[r];
    for (int64_t i = 0; i < count; i += ROWS) {
        const int rows = count - i < ROWS ? (int)(count - i) : ROWS;
        for (int r = 0; r < rows; r++) {
            NAME(fill_row)(space->panel, r, space->embeddings + variables[i + r] * width, network->width);
            NAME(fill_row)(space->panel + width * ROWS, r, space->embeddings + objects[i + r] * width, network->width);
            NAME(fill_row)(space->panel + 2 * width * ROWS, r, space->sum, network->width);
        }
        NAME(fill_hidden)(&network->head.inner, rows, space);
        NAME(multiply)(rows, space->hidden, outer->depth, outer->weight, PACK, outer->bias, PACK, to);
        for (int r = 0; r < rows; r++) ratings[i + r] = results[r][0];
    }
}

#include "native_derivatives.h"

#undef NAME
#undef Vector
#undef Loose
#undef Bits
#undef TAG
#undef TARGET
#undef LANES
#undef ROWS
#undef VECTORS
#undef MAXIMUM
#undef MINIMUM
