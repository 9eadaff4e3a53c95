/* The derivative of the layers for one instruction set; native_layers.h includes this at its end.

   Of the embeddings' computation each layer's embeddings and maxima are kept. What else the derivative needs is computed
   again, for some rows at a time, so that it never leaves the cache. */

#if LANES == 16
#define DEEP 8 /* rows of a block of sums that fits into the registers, VECTORS wide */
#else
#define DEEP 4
#endif

/* What `activate` gives for x, and how much that grows with x: t + x (1 - t^2) / (1 + 2^-x) for natural x, where
   t = w / (w + 2) and 1 - t^2 = 4 (1 + 2^x)^2 / (w + 2)^2. */
TARGET INLINE Vector NAME(activate_with_slope)(Vector x, Vector *slope) {
    Vector bounded = MINIMUM(MAXIMUM(x, NAME(fill)(-80.0f)), NAME(fill)(60.0f));
    Vector power = NAME(power)(bounded);
    Vector w = power * (power + 2.0f);
    Vector inverse = 1.0f / (w + 2.0f);
    Vector factor = w * inverse;
    /* 4 ln(2): x comes multiplied by log2(e). */
    *slope = factor + 2.77258872f * x * (power * (power + 1.0f) * inverse) * inverse;
    return x * factor;
}

/* Some rows and columns of the sums in `add_products`: `vectors` is a constant wherever it is called. */
TARGET INLINE void NAME(add_products_block)(const int vectors, int32_t count, const float *left, const int32_t *rows,
                                            size_t left_stride, const float *right, size_t right_stride, float *sums,
                                            size_t stride) {
    Vector totals[DEEP][VECTORS];
    UNROLL for (int d = 0; d < DEEP; d++) {
        UNROLL for (int v = 0; v < vectors; v++) totals[d][v] = NAME(load)(sums + d * stride + v * LANES);
    }
    for (int32_t i = 0; i < count; i++) {
        const float *values = left + (rows ? rows[i] : i) * left_stride;
        Vector factors[VECTORS];
        UNROLL for (int v = 0; v < vectors; v++) factors[v] = NAME(load)(right + i * right_stride + v * LANES);
        UNROLL for (int d = 0; d < DEEP; d++) {
            UNROLL for (int v = 0; v < vectors; v++) totals[d][v] += values[d] * factors[v];
        }
    }
    UNROLL for (int d = 0; d < DEEP; d++) {
        UNROLL for (int v = 0; v < vectors; v++) NAME(store)(sums + d * stride + v * LANES, totals[d][v]);
    }
}

/* Adds the products of every value in a row on the left, those numbered `rows` or all, with the row on the right. */
TARGET static void NAME(add_products)(int32_t count, const float *left, const int32_t *rows, int32_t depth,
                                      size_t left_stride, const float *right, int32_t columns, float *sums) {
    const size_t stride = (size_t)columns;
    for (int32_t c = 0; c < columns;) {
        const int vectors = columns - c >= VECTORS * LANES ? VECTORS : 1;
        for (int32_t d = 0; d < depth; d += DEEP) {
            float *block = sums + d * stride + c;
            if (vectors == VECTORS)
                NAME(add_products_block)(VECTORS, count, left + d, rows, left_stride, right + c, stride, block, stride);
            else
                NAME(add_products_block)(1, count, left + d, rows, left_stride, right + c, stride, block, stride);
        }
        c += vectors * LANES;
    }
}

/* Adds some rows to another one. */
TARGET static void NAME(add_rows)(int32_t count, const float *rows, int32_t columns, float *sum) {
    for (int32_t c = 0; c < columns; c += LANES) {
        Vector total = NAME(load)(sum + c);
        for (int32_t i = 0; i < count; i++) total += NAME(load)(rows + (size_t)i * columns + c);
        NAME(store)(sum + c, total);
    }
}

/* Where the gradient of a weight stands. */
INLINE float *NAME(find_sum)(const Network *network, const Gradients *gradients, const float *weight) {
    return gradients->sums + (weight - network->shape->weights);
}

/* Some rows times the weights of a layer turned around, as rows of `columns` floats in the space. */
TARGET static void NAME(multiply_back)(const Network *network, const Gradients *gradients, const Layer *layer,
                                       int32_t first, int32_t columns, int rows, const float *values, Space *space) {
    const float *turned = gradients->turned + (layer->weight - network->shape->weights);
    float *to[ROWS] = {0};
    for (int r = 0; r < rows; r++) {
        NAME(fill_row)(space->panel, r, values + (size_t)r * layer->columns, layer->columns);
        to[r] = space->rows + (size_t)r * columns;
    }
    NAME(multiply)(rows, space->panel, layer->columns, turned + first, layer->depth, NULL, columns, to);
}

/* From messages of some atoms in `gradients->outputs` to the gradients of these messages. */
TARGET static void NAME(share_out)(int32_t arity, int32_t width, int rows, const int32_t *args, const float *maxima,
                                   const Gradients *gradients, float *outputs) {
    for (int64_t i = 0; i < (int64_t)rows * arity; i++) {
        const size_t node = (size_t)args[i] * width;
        for (int32_t c = 0; c < width; c += LANES) {
            float *output = outputs + i * width + c;
            Vector below = NAME(load)(output) - NAME(load)(maxima + node + c);
            Vector share = NAME(power)(MAXIMUM(below, NAME(fill)(-80.0f)));
            NAME(store)(output, share * NAME(load)(gradients->maxima + node + c));
        }
    }
}

/* The derivative of a relation's messages in the first layer, where they are the same for all atoms. */
TARGET static void NAME(send_back_first)(const Network *network, const Perceptron *relation, int32_t arity,
                                         int32_t count, const int32_t *args, const float *maxima, Space *space,
                                         Gradients *gradients) {
    const Layer *inner = &relation->inner, *outer = &relation->outer;
    const int32_t width = network->width;
    float *message = gradients->outputs, *gradient = message + outer->columns, *total = gradient + outer->columns;
    for (int32_t c = 0; c < inner->columns; c += LANES) {
        Vector slope, value = NAME(activate_with_slope)(NAME(load)(inner->bias + c), &slope);
        NAME(store)(gradients->hidden + c, value);
        NAME(store)(gradients->slopes + c, slope);
    }
    NAME(fill_row)(space->hidden, 0, gradients->hidden, inner->columns);
    NAME(multiply)(1, space->hidden, outer->depth, outer->weight, outer->columns, outer->bias, outer->columns, &message);
    memset(total, 0, (size_t)outer->columns * sizeof(float));
    for (int32_t i = 0; i < count; i++) {
        memcpy(gradient, message, (size_t)outer->columns * sizeof(float));
        NAME(share_out)(arity, width, 1, args + (int64_t)i * arity, maxima, gradients, gradient);
        NAME(add_rows)(1, gradient, outer->columns, total);
    }
    NAME(multiply_back)(network, gradients, outer, 0, outer->depth, 1, total, space);
    for (int32_t c = 0; c < inner->columns; c += LANES)
        NAME(store)(space->rows + c, NAME(load)(space->rows + c) * NAME(load)(gradients->slopes + c));
    NAME(add_rows)(1, space->rows, inner->columns, NAME(find_sum)(network, gradients, inner->bias));
    NAME(add_products)(1, gradients->hidden, NULL, outer->depth, 0, total, outer->columns,
                       NAME(find_sum)(network, gradients, outer->weight));
    NAME(add_rows)(1, total, outer->columns, NAME(find_sum)(network, gradients, outer->bias));
}

/* The derivative of a relation's messages with respect to its weights and the embeddings. */
TARGET static void NAME(send_back)(const Network *network, const Perceptron *relation, int32_t arity, int32_t count,
                                   const int32_t *args, const int32_t *row, const int32_t *distinct,
                                   const int32_t *lengths, const float *maxima, Space *space, Gradients *gradients) {
    const Layer *inner = &relation->inner, *outer = &relation->outer;
    const int32_t width = network->width;
    const size_t columns = (size_t)inner->columns;
    size_t projected = 0;
    for (int32_t a = 0; a < arity; a++) projected += (size_t)lengths[a];
    NAME(project)(network, inner, arity, count, lengths, distinct, space);
    memset(gradients->projections, 0, projected * columns * sizeof(float));
    for (int32_t first = 0; first < count; first += TOGETHER) {
        const int32_t some = count - first < TOGETHER ? count - first : TOGETHER;
        for (int32_t i = 0; i < some; i += ROWS) {
            const int rows = some - i < ROWS ? some - i : ROWS;
            const int64_t start = (int64_t)(first + i) * arity;
            float *to[ROWS] = {0};
            for (int r = 0; r < rows; r++) {
                const int32_t *own = row + start + r * arity;
                const size_t number = (size_t)(i + r) * columns;
                for (size_t c = 0; c < columns; c += LANES) {
                    const float *values = space->projections + c;
                    Vector slope, sum = NAME(load)(values + own[0] * columns);
                    for (int32_t a = 1; a < arity; a++) {
                        values += lengths[a - 1] * columns;
                        sum += NAME(load)(values + own[a] * columns);
                    }
                    Vector value = NAME(activate_with_slope)(sum, &slope);
                    NAME(store)(space->hidden + c / PACK * PACK * ROWS + r * PACK + c % PACK, value);
                    NAME(store)(gradients->hidden + number + c, value);
                    NAME(store)(gradients->slopes + number + c, slope);
                }
                to[r] = gradients->outputs + (size_t)(i + r) * outer->columns;
            }
            NAME(multiply)(rows, space->hidden, outer->depth, outer->weight, outer->columns, outer->bias,
                           outer->columns, to);
            NAME(share_out)(arity, width, rows, args + start, maxima, gradients, to[0]);
            NAME(multiply_back)(network, gradients, outer, 0, outer->depth, rows, to[0], space);
            for (int r = 0; r < rows; r++) {
                const int32_t *own = row + start + r * arity;
                for (size_t c = 0; c < columns; c += LANES) {
                    float *sums = gradients->projections + c;
                    Vector change = NAME(load)(space->rows + r * columns + c) *
                                    NAME(load)(gradients->slopes + (i + r) * columns + c);
                    for (int32_t a = 0; a < arity; a++) {
                        float *sum = sums + own[a] * columns;
                        NAME(store)(sum, NAME(load)(sum) + change);
                        sums += lengths[a] * columns;
                    }
                }
            }
        }
        NAME(add_products)(some, gradients->hidden, NULL, outer->depth, columns, gradients->outputs, outer->columns,
                           NAME(find_sum)(network, gradients, outer->weight));
        NAME(add_rows)(some, gradients->outputs, outer->columns, NAME(find_sum)(network, gradients, outer->bias));
    }
    const float *changes = gradients->projections;
    NAME(add_rows)(lengths[0], changes, inner->columns, NAME(find_sum)(network, gradients, inner->bias));
    for (int32_t a = 0; a < arity; a++) {
        NAME(add_products)(lengths[a], space->embeddings, distinct, width, (size_t)width, changes, inner->columns,
                           NAME(find_sum)(network, gradients, inner->weight) + a * width * columns);
        for (int32_t i = 0; i < lengths[a]; i += ROWS) {
            const int rows = lengths[a] - i < ROWS ? lengths[a] - i : ROWS;
            NAME(multiply_back)(network, gradients, inner, a * width, width, rows, changes + i * columns, space);
            for (int r = 0; r < rows; r++)
                NAME(add_rows)(1, space->rows + (size_t)r * width, width,
                               gradients->embeddings + (size_t)distinct[i + r] * width);
        }
        changes += lengths[a] * columns;
        distinct += lengths[a];
    }
}

/* From the gradients of the next embeddings to those of these embeddings, as far as the update reads them, and of the
   maxima. */
TARGET static void NAME(update_back)(const Network *network, int32_t nodes, const float *maxima, Space *space,
                                     Gradients *gradients) {
    const Layer *inner = &network->update.inner, *outer = &network->update.outer;
    const int32_t width = network->width;
    const size_t columns = (size_t)inner->columns;
    float *inner_sums = NAME(find_sum)(network, gradients, inner->weight);
    for (int32_t first = 0; first < nodes; first += TOGETHER) {
        const int32_t some = nodes - first < TOGETHER ? nodes - first : TOGETHER;
        const size_t start = (size_t)first * width;
        for (int32_t i = 0; i < some; i += ROWS) {
            const int rows = some - i < ROWS ? some - i : ROWS;
            float *to[ROWS] = {0};
            for (int r = 0; r < rows; r++) {
                const size_t node = start + (size_t)(i + r) * width;
                NAME(fill_row)(space->panel, r, space->embeddings + node, width);
                NAME(fill_row)(space->panel + (size_t)width * ROWS, r, maxima + node, width);
                to[r] = gradients->hidden + (size_t)(i + r) * columns;
            }
            NAME(multiply)(rows, space->panel, inner->depth, inner->weight, inner->columns, inner->bias,
                           inner->columns, to);
            NAME(multiply_back)(network, gradients, outer, 0, outer->depth, rows,
                                gradients->embeddings + start + (size_t)i * width, space);
            for (size_t c = 0; c < rows * columns; c += LANES) {
                Vector slope, value = NAME(activate_with_slope)(NAME(load)(to[0] + c), &slope);
                NAME(store)(to[0] + c, value);
                NAME(store)(gradients->slopes + i * columns + c, slope * NAME(load)(space->rows + c));
            }
        }
        NAME(add_products)(some, gradients->hidden, NULL, outer->depth, columns, gradients->embeddings + start,
                           outer->columns, NAME(find_sum)(network, gradients, outer->weight));
        NAME(add_rows)(some, gradients->embeddings + start, width, NAME(find_sum)(network, gradients, outer->bias));
        NAME(add_products)(some, space->embeddings + start, NULL, width, (size_t)width, gradients->slopes,
                           inner->columns, inner_sums);
        NAME(add_products)(some, maxima + start, NULL, width, (size_t)width, gradients->slopes, inner->columns,
                           inner_sums + width * columns);
        NAME(add_rows)(some, gradients->slopes, inner->columns, NAME(find_sum)(network, gradients, inner->bias));
        for (int32_t i = 0; i < some; i += ROWS) {
            const int rows = some - i < ROWS ? some - i : ROWS;
            NAME(multiply_back)(network, gradients, inner, 0, inner->depth, rows, gradients->slopes + i * columns,
                                space);
            for (int r = 0; r < rows; r++) {
                const size_t node = start + (size_t)(i + r) * width;
                const float *change = space->rows + (size_t)r * inner->depth;
                if (!network->shape->residual) memset(gradients->embeddings + node, 0, (size_t)width * sizeof(float));
                NAME(add_rows)(1, change, width, gradients->embeddings + node);
                memcpy(gradients->maxima + node, change + width, (size_t)width * sizeof(float));
            }
        }
    }
}

/* The embeddings of a graph, left in the space; `kept` takes those of every layer, each followed by its maxima. */
TARGET static void NAME(embed)(const Network *network, const Graph *graph, Space *space, float *kept) {
    const size_t size = (size_t)graph->nodes * network->width;
    float *result = space->embeddings;
    memset(kept, 0, size * sizeof(float));
    for (int32_t layer = 0; layer < network->shape->layers; layer++, kept += 2 * size) {
        space->embeddings = kept;
        NAME(send)(network, graph, layer, space);
        NAME(update)(network, graph, space, kept + size, layer + 1 < network->shape->layers ? kept + 2 * size : result);
    }
    space->embeddings = result;
}

/* Adds the gradients of all weights, given those of the graph's embeddings. */
TARGET static void NAME(embed_back)(const Network *network, const Graph *graph, Space *space, float *kept,
                                    Gradients *gradients) {
    const Shape *shape = network->shape;
    const size_t size = (size_t)graph->nodes * network->width;
    for (int32_t layer = shape->layers - 1; layer >= 0; layer--) {
        float *maxima = kept + (2 * (size_t)layer + 1) * size;
        const int32_t *args = graph->args, *row = graph->row, *distinct = graph->distinct, *lengths = graph->lengths;
        space->embeddings = kept + 2 * (size_t)layer * size;
        NAME(update_back)(network, graph->nodes, maxima, space, gradients);
        for (int32_t r = 0; r < shape->relations; r++) {
            const Perceptron *relation = &network->relations[r];
            const int32_t arity = shape->arities[r], count = graph->counts[r];
            if (count && layer)
                NAME(send_back)(network, relation, arity, count, args, row, distinct, lengths, maxima, space, gradients);
            else if (count)
                NAME(send_back_first)(network, relation, arity, count, args, maxima, space, gradients);
            for (int32_t a = 0; a < arity; a++) distinct += lengths[a];
            args += (int64_t)count * arity;
            row += (int64_t)count * arity;
            lengths += arity;
        }
    }
}

#undef DEEP
