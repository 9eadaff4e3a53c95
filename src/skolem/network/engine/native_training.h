/* The embeddings of a batch and their derivative, for training; called by native_training.py through ctypes.

   Graphs that follow each other are joined to pieces that are large enough to fill the registers and small enough for a
   core's own cache. Shares of the pieces have sums of the gradients of their own, which are added up in order: neither
   pieces nor shares depend on the threads, and so no result does. */

#define PIECE 500 /* arguments of atoms from which a piece has enough graphs */
#define SHARES 32
#define TENSORS 4 /* of a network: inner weight and bias, outer weight and bias */

/* What native_training.py fills in. */

typedef struct {
    int64_t nodes, args_length;
    const int64_t *graph; /* of every node, in ascending order */
    const int64_t *atoms; /* of every relation */
    const int64_t *args;  /* the arguments in the order relation, graph, atom, argument */
} Batch;

typedef struct {
    float smoothness;
    const float *const *weights; /* the tensors of every relation's network, then of the update */
} Parameters;

typedef struct {
    Shape shape;
    Network network;
    float *packed; /* as allocated: all weights as the layers read them, then turned around */
    float *weights, *turned;
} Packed;

typedef struct {
    Graphs pieces;
    void *memory;
    int64_t *arg_start, *node_start;
} Pieces;

typedef struct {
    const Packed *packed;
    int64_t shares;
    float *kept;
    float *embeddings;     /* results of the forward pass, width floats each */
    const float *gradient; /* of these */
    float *sums;           /* of every share */
} Training;

/* The numbers that go into a layer, or come out of it: blocks that are rounded up one by one. */
typedef struct {
    int32_t blocks, size, padded;
} Side;

/* How a layer's weights are handed over: row by row without padding, to be multiplied by these factors. */
typedef struct {
    const Layer *layer;
    Side inputs, outputs;
    float first, others, bias; /* factors of the first block of inputs, of the others, and of the bias */
} Form;

static Form describe_layer(const Network *network, int32_t perceptron, int outer, float smoothness) {
    const float log_e = 1.44269504f;
    const int update = perceptron == network->shape->relations, given = network->shape->width;
    const Perceptron *owner = update ? &network->update : &network->relations[perceptron];
    const int32_t arity = update ? 2 : network->shape->arities[perceptron];
    const Side hidden = {1, arity * given, owner->inner.columns}, nodes = {arity, given, network->width};
    const Side results = {update ? 1 : arity, given, network->width};
    if (outer && update) return (Form){&owner->outer, hidden, results, 1 / log_e, 1 / log_e, 1.0f};
    if (outer) return (Form){&owner->outer, hidden, results, smoothness, smoothness, smoothness * log_e};
    return (Form){&owner->inner, nodes, hidden, log_e, update ? 1 / smoothness : log_e, log_e};
}

static void pack_layer(const Packed *packed, const Form *form, const float *weight, const float *bias) {
    const Layer *layer = form->layer;
    const int64_t start = layer->weight - packed->weights;
    float *to = packed->weights + start, *turned = packed->turned + start;
    for (int32_t a = 0; a < form->inputs.blocks; a++) {
        const float factor = a ? form->others : form->first;
        for (int32_t i = 0; i < form->inputs.size; i++) {
            const size_t row = (size_t)a * form->inputs.padded + i;
            for (int32_t b = 0; b < form->outputs.blocks; b++)
                for (int32_t j = 0; j < form->outputs.size; j++) {
                    const size_t column = (size_t)b * form->outputs.padded + j;
                    to[row * layer->columns + column] = turned[column * layer->depth + row] = factor * *weight++;
                }
        }
    }
    for (int32_t b = 0; b < form->outputs.blocks; b++)
        for (int32_t j = 0; j < form->outputs.size; j++)
            to[(size_t)layer->depth * layer->columns + (size_t)b * form->outputs.padded + j] = form->bias * *bias++;
}

static void unpack_gradients(const Packed *packed, const Form *form, const float *sums, float *weight, float *bias) {
    const Layer *layer = form->layer;
    const float *from = sums + (layer->weight - packed->weights);
    for (int32_t a = 0; a < form->inputs.blocks; a++) {
        const float factor = a ? form->others : form->first;
        for (int32_t i = 0; i < form->inputs.size; i++) {
            const float *row = from + ((size_t)a * form->inputs.padded + i) * layer->columns;
            for (int32_t b = 0; b < form->outputs.blocks; b++)
                for (int32_t j = 0; j < form->outputs.size; j++)
                    *weight++ = factor * row[(size_t)b * form->outputs.padded + j];
        }
    }
    from += (size_t)layer->depth * layer->columns;
    for (int32_t b = 0; b < form->outputs.blocks; b++)
        for (int32_t j = 0; j < form->outputs.size; j++)
            *bias++ = form->bias * from[(size_t)b * form->outputs.padded + j];
}

static int pack_network(const Shape *shape, const Parameters *parameters, Packed *packed) {
    size_t size = 0, count;
    int64_t used = 0;
    packed->shape = *shape;
    if (shape->length < 1 || !(parameters->smoothness > 0)) return BAD_NETWORK;
    if ((uint64_t)shape->length > SIZE_MAX || !multiply_sizes((size_t)shape->length, 2, &count)) return NO_MEMORY;
    packed->weights = reserve_aligned(&packed->packed, &size, count);
    if (!packed->weights) return NO_MEMORY;
    packed->turned = packed->weights + shape->length;
    packed->shape.weights = packed->weights;
    int code = open_embedding(&packed->shape, &packed->network, &used);
    if (code == DONE && used != shape->length) code = BAD_NETWORK;
    if (code != DONE) return code;
    memset(packed->weights, 0, count * sizeof(float));
    for (int32_t p = 0; p <= shape->relations; p++)
        for (int outer = 0; outer < 2; outer++) {
            const Form form = describe_layer(&packed->network, p, outer, parameters->smoothness);
            const float *const *tensors = parameters->weights + (size_t)p * TENSORS + 2 * outer;
            pack_layer(packed, &form, tensors[0], tensors[1]);
        }
    return DONE;
}

/* Reading a batch. */

static int check_batch(const Shape *shape, const Batch *batch) {
    int64_t slots = 0;
    /* Nodes and arguments are numbered by 32 bits. */
    if (batch->nodes < 0 || batch->nodes > INT32_MAX || batch->args_length < 0 || batch->args_length > INT32_MAX)
        return BAD_GRAPHS;
    for (int32_t r = 0; r < shape->relations; r++) {
        if (batch->atoms[r] < 0 || batch->atoms[r] > batch->args_length) return BAD_GRAPHS;
        slots += batch->atoms[r] * shape->arities[r];
        if (slots > batch->args_length) return BAD_GRAPHS;
    }
    if (slots != batch->args_length) return BAD_GRAPHS;
    for (int64_t i = 1; i < batch->nodes; i++)
        if (batch->graph[i] < batch->graph[i - 1]) return BAD_GRAPHS;
    for (int64_t i = 0; i < slots; i++)
        if (batch->args[i] < 0 || batch->args[i] >= batch->nodes) return BAD_ARGUMENT;
    return DONE;
}

/* The piece of every node; returns how many pieces there are. `degree` is the number of arguments that a node is. */
static int64_t share_out_nodes(const Batch *batch, const int32_t *degree, int32_t *piece) {
    int64_t count = 0, used = PIECE;
    for (int64_t i = 0; i < batch->nodes; i++) {
        if (used >= PIECE && (!i || batch->graph[i] != batch->graph[i - 1])) {
            count++;
            used = 0;
        }
        piece[i] = (int32_t)(count - 1);
        used += degree[i];
    }
    return count;
}

/* Groups the atoms by pieces. */
static int cut_batch(const Shape *shape, const Batch *batch, Pieces *pieces) {
    const size_t nodes = (size_t)batch->nodes, slots = (size_t)batch->args_length, relations = (size_t)shape->relations;
    int code = check_batch(shape, batch);
    if (code != DONE) return code;
    int32_t *piece = calloc(2 * nodes + 1, sizeof *piece), *degree = piece ? piece + nodes : NULL;
    if (!piece) return NO_MEMORY;
    for (size_t i = 0; i < slots; i++) degree[batch->args[i]]++;
    const size_t count = (size_t)share_out_nodes(batch, degree, piece);
    size_t cells, starts, bytes;
    /* Where each piece's arguments of each relation are to be written, then the two lists of starts; 32 bits for the
       nodes, the atoms of each relation and the arguments. */
    if (!multiply_sizes(count, relations, &cells) || !multiply_sizes(cells + 2 * (count + 1), sizeof(int64_t), &starts) ||
        !multiply_sizes(cells + count + slots, sizeof(int32_t), &bytes) || bytes > SIZE_MAX - starts ||
        !(pieces->memory = calloc(1, starts + bytes))) {
        free(piece);
        return NO_MEMORY;
    }
    int64_t *next = pieces->memory;
    pieces->arg_start = next + cells;
    pieces->node_start = pieces->arg_start + count + 1;
    int32_t *numbers = (int32_t *)(pieces->node_start + count + 1), *counts = numbers + count, *args = counts + cells;
    for (size_t i = 0; i < nodes; i++) numbers[piece[i]]++;
    const int64_t *arg = batch->args;
    for (size_t r = 0; r < relations && code == DONE; r++) {
        int32_t last = 0;
        for (int64_t i = 0; i < batch->atoms[r]; i++, arg += shape->arities[r]) {
            for (int32_t a = 1; a < shape->arities[r]; a++)
                if (piece[arg[a]] != piece[arg[0]]) code = BAD_ARGUMENT;
            if (piece[arg[0]] < last) code = BAD_GRAPHS;
            last = piece[arg[0]];
            counts[last * relations + r]++;
        }
    }
    for (size_t p = 0; p < count && code == DONE; p++) {
        pieces->node_start[p + 1] = pieces->node_start[p] + numbers[p];
        pieces->arg_start[p + 1] = pieces->arg_start[p];
        for (size_t r = 0; r < relations; r++) {
            next[p * relations + r] = pieces->arg_start[p + 1];
            pieces->arg_start[p + 1] += (int64_t)counts[p * relations + r] * shape->arities[r];
        }
    }
    arg = batch->args;
    for (size_t r = 0; r < relations && code == DONE; r++)
        for (int64_t i = 0; i < batch->atoms[r] * shape->arities[r]; i++, arg++) {
            const size_t own = (size_t)piece[*arg];
            args[next[own * relations + r]++] = (int32_t)(*arg - pieces->node_start[own]);
        }
    pieces->pieces = (Graphs){(int64_t)count, numbers, counts, args, batch->args_length, NULL, 0};
    free(piece);
    return code;
}

/* The passes. */

static float *find_kept(const Work *work, int64_t number) {
    const Training *training = work->training;
    return training->kept + work->node_start[number] * 2 * work->network->width * work->network->shape->layers;
}

static int embed_piece(const Work *work, int64_t number, Space *space) {
    const Training *training = work->training;
    const size_t given = (size_t)work->network->shape->width;
    Graph graph;
    int code = prepare_graph(work, number, space, &graph);
    if (code != DONE) return code;
    work->variant.embed(work->network, &graph, space, find_kept(work, number));
    for (int32_t i = 0; i < graph.nodes; i++)
        memcpy(training->embeddings + (work->node_start[number] + i) * given,
               space->embeddings + (size_t)i * work->network->width, given * sizeof(float));
    return DONE;
}

static int reserve_gradients(const Network *network, const Graph *graph, Space *space, Gradients *gradients) {
    const size_t nodes = (size_t)graph->nodes * network->width, block = (size_t)network->largest * TOGETHER;
    const size_t parts[] = {nodes, nodes, (size_t)graph->projected, block, block, block};
    float **const places[] = {&gradients->embeddings, &gradients->maxima, &gradients->projections,
                              &gradients->hidden,     &gradients->slopes, &gradients->outputs};
    return reserve_parts(&space->gradients, &space->gradients_size, 6, parts, places);
}

static int embed_share_back(const Work *work, int64_t share, Space *space) {
    const Training *training = work->training;
    const Network *network = work->network;
    const size_t given = (size_t)network->shape->width, width = (size_t)network->width;
    const int64_t length = network->shape->length, count = work->graphs->count;
    Gradients gradients = {0};
    gradients.turned = training->packed->turned;
    gradients.sums = training->sums + share * length;
    for (int64_t p = share * count / training->shares; p < (share + 1) * count / training->shares; p++) {
        Graph graph;
        int code = prepare_graph(work, p, space, &graph);
        if (code == DONE && !reserve_gradients(network, &graph, space, &gradients)) code = NO_MEMORY;
        if (code != DONE) return code;
        memset(gradients.embeddings, 0, (size_t)graph.nodes * width * sizeof(float));
        for (int32_t i = 0; i < graph.nodes; i++)
            memcpy(gradients.embeddings + i * width, training->gradient + (work->node_start[p] + i) * given,
                   given * sizeof(float));
        work->variant.embed_back(network, &graph, space, find_kept(work, p), &gradients);
    }
    return DONE;
}

/* Both passes begin and end alike; with gradients it is the backward one. */
static int32_t train(const Shape *shape, const Parameters *parameters, const Batch *batch, int64_t kept_length,
                     Training *training, float *const *gradients, int32_t threads, int32_t variant) {
    Packed packed = {0};
    Pieces pieces = {0};
    float *sums = NULL;
    size_t size = 0, count = 0;
    int code = pack_network(shape, parameters, &packed);
    if (code == DONE) code = cut_batch(&packed.shape, batch, &pieces);
    if (code == DONE && kept_length / 2 / packed.network.width / shape->layers < batch->nodes) code = BAD_GRAPHS;
    training->packed = &packed;
    training->shares = pieces.pieces.count < SHARES ? pieces.pieces.count : SHARES;
    if (code == DONE && gradients) {
        /* One at least, so that no graphs have no gradients. */
        const size_t length = (size_t)shape->length, shares = (size_t)(training->shares ? training->shares : 1);
        if (multiply_sizes(length, shares, &count)) training->sums = reserve_aligned(&sums, &size, count);
        if (!training->sums) code = NO_MEMORY;
        else memset(training->sums, 0, count * sizeof(float));
    }
    if (code == DONE) {
        Work work = {0};
        work.network = &packed.network;
        work.graphs = &pieces.pieces;
        work.arg_start = pieces.arg_start;
        work.node_start = pieces.node_start;
        work.variant = VARIANTS[variant < PLAIN || variant > skolem_best_variant() ? PLAIN : variant];
        work.training = training;
        work.handle = gradients ? embed_share_back : embed_piece;
        work.count = gradients ? training->shares : pieces.pieces.count;
        code = run_threads(&work, threads);
    }
    if (code == DONE && gradients) {
        for (int64_t s = 1; s < training->shares; s++)
            for (int64_t i = 0; i < shape->length; i++) training->sums[i] += training->sums[s * shape->length + i];
        for (int32_t p = 0; p <= shape->relations; p++)
            for (int outer = 0; outer < 2; outer++) {
                const Form form = describe_layer(&packed.network, p, outer, parameters->smoothness);
                float *const *tensors = gradients + (size_t)p * TENSORS + 2 * outer;
                unpack_gradients(&packed, &form, training->sums, tensors[0], tensors[1]);
            }
    }
    free(sums);
    free(pieces.memory);
    free(packed.network.relations);
    free(packed.packed);
    return code;
}

/* The final embeddings of a batch; `kept` takes 2 * layers * nodes rows for the backward pass. */
EXPORT int32_t skolem_embed(const Shape *shape, const Parameters *parameters, const Batch *batch, float *kept,
                            int64_t kept_length, float *embeddings, int32_t threads, int32_t variant) {
    Training training = {0};
    training.kept = kept;
    training.embeddings = embeddings;
    return train(shape, parameters, batch, kept_length, &training, NULL, threads, variant);
}

/* The gradients of all weights, given those of the embeddings and what the forward pass kept. */
EXPORT int32_t skolem_embed_back(const Shape *shape, const Parameters *parameters, const Batch *batch, float *kept,
                                 int64_t kept_length, const float *gradient, float *const *gradients, int32_t threads,
                                 int32_t variant) {
    Training training = {0};
    training.kept = kept;
    training.gradient = gradient;
    return train(shape, parameters, batch, kept_length, &training, gradients, threads, variant);
}
