/* The network over encoded graphs: the native engine, called by native_engine.py through ctypes.

   Graphs are evaluated one at a time, so that all that a layer reads and writes stays in a core's own cache; threads
   take graphs in turn. Nothing is kept between calls. Every size and index that comes from outside is checked here, so
   that whatever arrays are given, a call ends with a result or with one of the codes below.

   Widths are rounded up to multiples of PACK, with zeros as weights; the arguments of an atom are rounded up one by
   one. Hidden values come multiplied by log2(e) and messages by that and by the smoothness of the maximum, because
   powers of two are the cheapest ones; the weights that are handed over are scaled accordingly. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32)
#include <pthread.h>
#define THREADS 1
#endif

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define INTERFACE 2
#define PACK 16
#define MOST_ROWS 12
#define MOST_THREADS 256
#define MOST_WIDTH 65536
#define MOST_ARITY 1024
#define PARTS 7 /* of a thread's space */
#define TOGETHER 96 /* rows whose products are added to the gradient of a weight at a time */

enum { DONE, BAD_NETWORK, BAD_GRAPHS, BAD_ARGUMENT, BAD_NODE, BAD_PAIRS, NO_MEMORY };
enum { PLAIN, AVX2, AVX512 };

/* What native_engine.py fills in; its Structure classes have the same fields in the same order. */

typedef struct {
    int32_t width, layers, relations, residual, goal_readout, head;
    const int32_t *arities; /* of every relation */
    const float *weights;   /* all networks, one after the other */
    int64_t length;         /* of weights */
} Shape;

typedef struct {
    int64_t count;
    const int32_t *nodes;  /* of every graph */
    const int32_t *counts; /* of every graph and relation: atoms */
    const int32_t *args;   /* the arguments in the order graph, relation, atom, argument */
    int64_t args_length;
    const uint8_t *goal; /* for every node: is it a variable, or named in the goal */
    int64_t goal_length;
} Graphs;

typedef struct {
    int64_t count;
    const int32_t *graphs; /* in ascending order */
    const int32_t *variables, *objects; /* nodes of that graph */
} Pairs;

/* The networks. */

typedef struct {
    int32_t depth, columns;
    const float *weight, *bias; /* weight: depth x columns */
} Layer;

typedef struct {
    Layer inner, outer;
} Perceptron;

typedef struct {
    const Shape *shape;
    int32_t width;   /* rounded up */
    int32_t largest; /* number of inputs or outputs of a layer */
    int32_t places;  /* arguments of all relations */
    Perceptron *relations;
    Perceptron update, readout, head;
} Network;

/* One graph, made ready for its layers. */

typedef struct {
    int32_t nodes;
    const int32_t *counts; /* atoms of every relation */
    const int32_t *args;
    const uint8_t *goal;
    int32_t slots;
    int32_t *start;    /* (nodes + 1) where the messages to a node begin */
    int32_t *place;    /* (slots) the row of a slot's message */
    int32_t *row;      /* (slots) where a slot's node stands among the distinct nodes of its place in the relation */
    int32_t *distinct; /* (slots) the distinct nodes of every place of every relation, one list after the other */
    int32_t *lengths;  /* (places) of those lists */
    int64_t projected; /* floats that the projections of a relation take at most */
} Graph;

/* The space of one thread; it grows with the graphs. */

typedef struct {
    int32_t *numbers;
    size_t numbers_size;
    float *floats; /* as allocated */
    size_t floats_size;
    float *embeddings, *messages, *projections, *panel, *hidden, *rows, *sum; /* in floats, aligned */
    float *gradients; /* as allocated, in training */
    size_t gradients_size;
} Space;

/* What the derivative of a graph's embeddings is computed with. */

typedef struct {
    const float *turned; /* all weights, each matrix with its rows as columns */
    float *sums;         /* the gradients of all weights, to be added to */
    float *embeddings, *maxima, *projections; /* the gradients of those of one layer */
    float *hidden, *slopes, *outputs;         /* TOGETHER rows each: hidden values, how they grow, and what is sent */
} Gradients;

static int32_t round_up(int32_t number) { return (number + PACK - 1) / PACK * PACK; }

/* Whether a * b still fits into size_t; *result is their product then. */
static int multiply_sizes(size_t a, size_t b, size_t *result) {
    if (b && a > SIZE_MAX / b) return 0;
    *result = a * b;
    return 1;
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")
#else
#define INLINE static inline
#define UNROLL
#endif

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>
#define HAS_VARIANTS 1
#endif

/* The computation itself, once for every instruction set. */

#define TAG plain
#define TARGET
#if defined(__GNUC__)
#define LANES 4
#else
#define LANES 1
#endif
#define ROWS 6
#define VECTORS 2
#if defined(__SSE2__)
#define MAXIMUM(a, b) _mm_max_ps(a, b)
#define MINIMUM(a, b) _mm_min_ps(a, b)
#endif
#include "native_layers.h"

#if defined(HAS_VARIANTS)
#define TAG avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LANES 8
#define ROWS 6
#define VECTORS 2
#define MAXIMUM(a, b) _mm256_max_ps(a, b)
#define MINIMUM(a, b) _mm256_min_ps(a, b)
#include "native_layers.h"

#define TAG avx512
#define TARGET __attribute__((target("avx512f,avx2,fma")))
#define LANES 16
#define ROWS 12
#define VECTORS 2
#define MAXIMUM(a, b) _mm512_max_ps(a, b)
#define MINIMUM(a, b) _mm512_min_ps(a, b)
#include "native_layers.h"
#endif

typedef void (*Evaluate)(const Network *, const Graph *, Space *, float *cost);
typedef void (*Rate)(const Network *, Space *, int64_t count, const int32_t *variables, const int32_t *objects,
                     float *ratings);

typedef void (*Embed)(const Network *, const Graph *, Space *, float *kept);
typedef void (*EmbedBack)(const Network *, const Graph *, Space *, float *kept, Gradients *);

typedef struct {
    Evaluate evaluate;
    Rate rate;
    Embed embed;
    EmbedBack embed_back;
} Variant;

static const Variant VARIANTS[] = {
    {evaluate_plain, rate_plain, embed_plain, embed_back_plain},
#if defined(HAS_VARIANTS)
    {evaluate_avx2, rate_avx2, embed_avx2, embed_back_avx2},
    {evaluate_avx512, rate_avx512, embed_avx512, embed_back_avx512},
#endif
};

/* Reading the networks. */

static int take_layer(const Shape *shape, int64_t *used, int32_t depth, int32_t columns, Layer *layer) {
    /* At most 2^26 each, so that the product cannot overflow. */
    int64_t size = (int64_t)depth * columns;
    if (size > shape->length - *used || columns > shape->length - *used - size) return 0;
    layer->depth = depth;
    layer->columns = columns;
    layer->weight = shape->weights + *used;
    layer->bias = layer->weight + size;
    *used += size + columns;
    return 1;
}

static int take_perceptron(Network *network, int64_t *used, int32_t inputs, int32_t hidden, int32_t outputs,
                           Perceptron *perceptron) {
    int32_t sizes[] = {inputs, hidden, outputs};
    for (int i = 0; i < 3; i++)
        if (sizes[i] > network->largest) network->largest = sizes[i];
    return take_layer(network->shape, used, inputs, hidden, &perceptron->inner) &&
           take_layer(network->shape, used, hidden, outputs, &perceptron->outer);
}

/* The networks that embeddings are made with; *used says how many of the weights are theirs. */
static int open_embedding(const Shape *shape, Network *network, int64_t *used) {
    memset(network, 0, sizeof *network);
    if (shape->width < 1 || shape->width > MOST_WIDTH || shape->layers < 1 || shape->relations < 1 ||
        shape->length < 0)
        return BAD_NETWORK;
    int32_t given = shape->width, width = round_up(given);
    network->shape = shape;
    network->width = width;
    network->relations = calloc((size_t)shape->relations, sizeof *network->relations);
    if (!network->relations) return NO_MEMORY;
    for (int32_t r = 0; r < shape->relations; r++) {
        int32_t arity = shape->arities[r];
        if (arity < 1 || arity > MOST_ARITY || arity > INT32_MAX - network->places) return BAD_NETWORK;
        network->places += arity;
        if (!take_perceptron(network, used, arity * width, round_up(arity * given), arity * width,
                             &network->relations[r]))
            return BAD_NETWORK;
    }
    if (!take_perceptron(network, used, 2 * width, round_up(2 * given), width, &network->update)) return BAD_NETWORK;
    return DONE;
}

static int open_network(const Shape *shape, Network *network) {
    int64_t used = 0;
    int code = open_embedding(shape, network, &used);
    if (code != DONE) return code;
    int32_t given = shape->width, width = network->width;
    if (!take_perceptron(network, &used, width, width, PACK, &network->readout)) return BAD_NETWORK;
    if (shape->head && !take_perceptron(network, &used, 3 * width, round_up(3 * given), PACK, &network->head))
        return BAD_NETWORK;
    return used == shape->length ? DONE : BAD_NETWORK;
}

/* Reading a graph. */

static int reserve_numbers(Space *space, size_t count) {
    size_t bytes;
    if (count <= space->numbers_size) return 1;
    if (!multiply_sizes(count, sizeof(int32_t), &bytes)) return 0;
    free(space->numbers);
    space->numbers = malloc(bytes);
    space->numbers_size = space->numbers ? count : 0;
    return space->numbers != NULL;
}

/* So many floats of which *floats, with room for *size, is made large enough; an aligned address, or NULL. */
static float *reserve_aligned(float **floats, size_t *size, size_t count) {
    size_t bytes;
    if (count > SIZE_MAX - PACK) return NULL;
    if (count + PACK > *size) {
        if (!multiply_sizes(count + PACK, sizeof(float), &bytes)) return NULL;
        free(*floats);
        *floats = malloc(bytes);
        *size = *floats ? count + PACK : 0;
        if (!*floats) return NULL;
    }
    return *floats + (64 - (uintptr_t)*floats % 64) % 64 / sizeof(float);
}

/* Shares out the floats; every part is a multiple of PACK of them, so that all are aligned. */
static int reserve_parts(float **floats, size_t *size, int count, const size_t *parts, float **const *places) {
    size_t total = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i] > SIZE_MAX - total) return 0;
        total += parts[i];
    }
    float *next = reserve_aligned(floats, size, total);
    if (!next) return 0;
    for (int i = 0; i < count; i++) {
        *places[i] = next;
        next += parts[i];
    }
    return 1;
}

static int reserve_floats(Space *space, const Network *network, const Graph *graph) {
    size_t width = (size_t)network->width, block = (size_t)network->largest * MOST_ROWS;
    size_t embeddings, messages, projections = (size_t)graph->projected;
    if (!multiply_sizes((size_t)graph->nodes, width, &embeddings)) return 0;
    if (!multiply_sizes((size_t)graph->slots, width, &messages)) return 0;
    const size_t parts[] = {embeddings, messages, projections, block, block, block, width};
    float **const places[] = {&space->embeddings, &space->messages, &space->projections,
                              &space->panel,      &space->hidden,   &space->rows,
                              &space->sum};
    return reserve_parts(&space->floats, &space->floats_size, PARTS, parts, places);
}

/* Lays out the messages of a graph by node, and lists the distinct nodes that each argument needs projected. */
static int open_graph(const Network *network, Graph *graph, Space *space) {
    const Shape *shape = network->shape;
    size_t nodes = (size_t)graph->nodes, slots = (size_t)graph->slots, places = (size_t)network->places;
    const uint64_t needed = 3 * (uint64_t)slots + 2 * (uint64_t)nodes + 1 + (uint64_t)places;
    if (needed > SIZE_MAX || !reserve_numbers(space, (size_t)needed)) return NO_MEMORY;
    graph->place = space->numbers;
    graph->row = graph->place + slots;
    graph->distinct = graph->row + slots;
    graph->start = graph->distinct + slots;
    graph->lengths = graph->start + nodes + 1;
    int32_t *seen = graph->lengths + places;

    memset(graph->start, 0, (nodes + 1) * sizeof *graph->start);
    for (size_t slot = 0; slot < slots; slot++) {
        int32_t node = graph->args[slot];
        if (node < 0 || node >= graph->nodes) return BAD_ARGUMENT;
        graph->start[node + 1]++;
    }
    for (size_t node = 0; node < nodes; node++) {
        if (!graph->start[node + 1]) return BAD_NODE;
        graph->start[node + 1] += graph->start[node];
        seen[node] = graph->start[node];
    }
    for (size_t slot = 0; slot < slots; slot++) graph->place[slot] = seen[graph->args[slot]]++;

    graph->projected = 0;
    const int32_t *args = graph->args;
    int32_t *row = graph->row, *distinct = graph->distinct, *length = graph->lengths;
    for (int32_t r = 0; r < shape->relations; r++) {
        int32_t arity = shape->arities[r], count = graph->counts[r];
        int64_t total = 0;
        for (int32_t a = 0; a < arity; a++) {
            int32_t found = 0;
            if (count) {
                memset(seen, 0xff, nodes * sizeof *seen);
                for (int32_t i = 0; i < count; i++) {
                    int64_t slot = (int64_t)i * arity + a;
                    int32_t node = args[slot];
                    if (seen[node] < 0) {
                        seen[node] = found;
                        distinct[found++] = node;
                    }
                    row[slot] = seen[node];
                }
                distinct += found;
            }
            *length++ = found;
            total += found;
        }
        total *= network->relations[r].inner.columns;
        if (total > graph->projected) graph->projected = total;
        args += (int64_t)count * arity;
        row += (int64_t)count * arity;
    }
    if ((uint64_t)graph->projected > SIZE_MAX / sizeof(float)) return NO_MEMORY;
    return reserve_floats(space, network, graph) ? DONE : NO_MEMORY;
}

/* All graphs. */

typedef struct Work Work;
typedef int (*Handle)(const Work *, int64_t number, Space *);

struct Work {
    const Network *network;
    const Graphs *graphs;
    const Pairs *pairs;
    const int64_t *arg_start, *node_start, *pair_start; /* of every graph, and where the last one ends */
    Variant variant;
    float *costs, *ratings;
    const void *training; /* what only training needs */
    Handle handle;        /* does the piece of work with a number */
    int64_t count, next;  /* pieces, and the first that nobody has taken */
    int code;
#if defined(THREADS)
    pthread_mutex_t lock;
#endif
};

static int prepare_graph(const Work *work, int64_t number, Space *space, Graph *graph) {
    memset(graph, 0, sizeof *graph);
    graph->nodes = work->graphs->nodes[number];
    graph->counts = work->graphs->counts + number * work->network->shape->relations;
    graph->args = work->graphs->args + work->arg_start[number];
    graph->slots = (int32_t)(work->arg_start[number + 1] - work->arg_start[number]);
    return open_graph(work->network, graph, space);
}

static int evaluate_one(const Work *work, int64_t number, Space *space) {
    Graph graph;
    int code = prepare_graph(work, number, space, &graph);
    if (code != DONE) return code;
    graph.goal = work->graphs->goal + work->node_start[number];
    work->variant.evaluate(work->network, &graph, space, work->costs + number);
    if (!work->pairs) return DONE;
    int64_t first = work->pair_start[number], count = work->pair_start[number + 1] - first;
    const int32_t *variables = work->pairs->variables + first, *objects = work->pairs->objects + first;
    for (int64_t i = 0; i < count; i++)
        if (variables[i] < 0 || variables[i] >= graph.nodes || objects[i] < 0 || objects[i] >= graph.nodes)
            return BAD_PAIRS;
    work->variant.rate(work->network, space, count, variables, objects, work->ratings + first);
    return DONE;
}

/* The number of a piece that nobody has taken yet, or -1; `code` is that of the one taken before. */
static int64_t take_piece(Work *work, int code) {
#if defined(THREADS)
    pthread_mutex_lock(&work->lock);
#endif
    if (code != DONE && work->code == DONE) work->code = code;
    int64_t number = work->code == DONE && work->next < work->count ? work->next++ : -1;
#if defined(THREADS)
    pthread_mutex_unlock(&work->lock);
#endif
    return number;
}

static void *take_part(void *given) {
    Work *work = given;
    Space space = {0};
    int code = DONE;
    for (int64_t number; (number = take_piece(work, code)) >= 0;) code = work->handle(work, number, &space);
    free(space.numbers);
    free(space.floats);
    free(space.gradients);
    return NULL;
}

/* All pieces of some work by at most so many threads; the code that it ends with. */
static int run_threads(Work *work, int32_t threads) {
#if defined(THREADS)
    pthread_t others[MOST_THREADS];
    int32_t started = 0;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (threads > work->count) threads = (int32_t)work->count;
    pthread_mutex_init(&work->lock, NULL);
    /* A thread that cannot be started is done without. */
    while (started < threads - 1 && !pthread_create(&others[started], NULL, take_part, work)) started++;
    take_part(work);
    for (int32_t i = 0; i < started; i++) pthread_join(others[i], NULL);
    pthread_mutex_destroy(&work->lock);
#else
    (void)threads;
    take_part(work);
#endif
    return work->code;
}

/* Where the arguments, nodes and pairs of every graph begin. */
static int find_starts(const Shape *shape, const Graphs *graphs, const Pairs *pairs, int64_t *args, int64_t *nodes,
                       int64_t *first) {
    int64_t pair = 0;
    args[0] = nodes[0] = first[0] = 0;
    for (int64_t g = 0; g < graphs->count; g++) {
        const int32_t *counts = graphs->counts + g * shape->relations;
        int64_t slots = 0;
        for (int32_t r = 0; r < shape->relations; r++) {
            if (counts[r] < 0) return BAD_GRAPHS;
            slots += (int64_t)counts[r] * shape->arities[r];
            if (slots > INT32_MAX) return BAD_GRAPHS;
        }
        if (graphs->nodes[g] < 0) return BAD_GRAPHS;
        args[g + 1] = args[g] + slots;
        nodes[g + 1] = nodes[g] + graphs->nodes[g];
        if (args[g + 1] > graphs->args_length || nodes[g + 1] > graphs->goal_length) return BAD_GRAPHS;
        while (pairs && pair < pairs->count && pairs->graphs[pair] == g) pair++;
        first[g + 1] = pair;
    }
    if (args[graphs->count] != graphs->args_length || nodes[graphs->count] != graphs->goal_length) return BAD_GRAPHS;
    return pairs && pair != pairs->count ? BAD_PAIRS : DONE;
}

/* Where every extension has to export it; this one is no module. */
EXPORT void *PyInit__native(void) { return NULL; }

EXPORT int32_t skolem_interface(void) { return INTERFACE; }

/* The best instruction set of this processor that the engine knows. */
EXPORT int32_t skolem_best_variant(void) {
#if defined(HAS_VARIANTS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return AVX2;
#endif
    return PLAIN;
}

/* The cost of every graph, and with pairs the head's rating of every pair; a code other than DONE if that fails. */
EXPORT int32_t skolem_evaluate(const Shape *shape, const Graphs *graphs, const Pairs *pairs, float *costs,
                               float *ratings, int32_t threads, int32_t variant) {
    Network network;
    Work work = {0};
    int64_t *starts = NULL;
    size_t count;
    int code = open_network(shape, &network);
    if (code == DONE && pairs && (!shape->head || pairs->count < 0)) code = BAD_PAIRS;
    if (code == DONE && graphs->count < 0) code = BAD_GRAPHS;
    if (code == DONE) {
        if (multiply_sizes((size_t)graphs->count + 1, 3 * sizeof *starts, &count)) starts = malloc(count);
        if (!starts) code = NO_MEMORY;
    }
    if (code == DONE) {
        int64_t *args = starts, *nodes = args + graphs->count + 1, *first = nodes + graphs->count + 1;
        code = find_starts(shape, graphs, pairs, args, nodes, first);
        work.arg_start = args;
        work.node_start = nodes;
        work.pair_start = first;
    }
    if (code == DONE) {
        if (variant < PLAIN || variant > skolem_best_variant()) variant = PLAIN;
        work.network = &network;
        work.graphs = graphs;
        work.pairs = pairs;
        work.variant = VARIANTS[variant];
        work.costs = costs;
        work.ratings = ratings;
        work.handle = evaluate_one;
        work.count = graphs->count;
        code = run_threads(&work, threads);
    }
    free(starts);
    free(network.relations);
    return code;
}

#include "native_training.h"
