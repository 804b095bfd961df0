/**
 * array_sort(array, (a, b) -> order): a merge sort whose comparisons wait for each other, so that a
 * lambda answers those of all rows and runs at once. Up to 31 elements are sorted as Java does it
 * (a run, then binary insertion): that decides what comes out of an order that contradicts itself.
 */
#include "expr/lambda_sort.h"

#include "expr/lambda.h"

enum { RUN = 31 };

enum run_state { RUN_FIRST, RUN_UP, RUN_DOWN, RUN_INSERT };

/* A piece of a row that asks for one comparison at a time. */
struct piece {
    uint32_t row;
    uint32_t *items; /* [count] rows of the elements */
    uint32_t count;
    /* a run */
    enum run_state state;
    uint32_t sorted; /* items [0, sorted) are in order */
    uint32_t low;    /* where items[sorted] belongs: in [low, high] */
    uint32_t high;
    /* a merge of items [0, middle) and [middle, count) */
    uint32_t middle;
    uint32_t left;
    uint32_t right;
    uint32_t *out; /* [count] */
};

struct sorter {
    const struct arus_kernel_call *call;
    struct arus_kernel_call inner; /* with scratch memory */
    struct piece *pieces;
    uint32_t piece_count;
    uint32_t *asking; /* [asking_count] pieces that wait for an answer */
    uint32_t asking_count;
    uint32_t *left; /* [asking_count] elements to compare */
    uint32_t *right;
    uint32_t *rows;
};

/* ---- runs ---- */

static void reverse(uint32_t *items, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t item = items[i];

        items[i] = items[count - 1 - i];
        items[count - 1 - i] = item;
    }
}

static void start_insert(struct piece *piece)
{
    piece->state = RUN_INSERT;
    piece->low = 0;
    piece->high = piece->sorted;
}

/* What to compare next; false: the run is sorted. */
static bool run_ask(const struct piece *piece, uint32_t *a, uint32_t *b)
{
    if (piece->sorted >= piece->count) {
        return false;
    }
    *a = piece->items[piece->sorted];
    *b = piece->state == RUN_INSERT ? piece->items[(piece->low + piece->high) / 2]
                                    : piece->items[piece->sorted - 1];
    return true;
}

static void insert(struct piece *piece, int32_t order)
{
    const uint32_t middle = (piece->low + piece->high) / 2;
    const uint32_t item = piece->items[piece->sorted];

    if (order < 0) {
        piece->high = middle;
    } else {
        piece->low = middle + 1;
    }
    if (piece->low == piece->high) {
        memmove(piece->items + piece->low + 1, piece->items + piece->low,
                (piece->sorted - piece->low) * sizeof item);
        piece->items[piece->low] = item;
        piece->sorted++;
        start_insert(piece);
    }
}

static void run_answer(struct piece *piece, int32_t order)
{
    if (piece->state == RUN_FIRST) {
        piece->state = order < 0 ? RUN_DOWN : RUN_UP;
    }
    if (piece->state == RUN_INSERT) {
        insert(piece, order);
        return;
    }
    if ((order < 0) == (piece->state == RUN_DOWN)) {
        piece->sorted++;
        if (piece->sorted < piece->count) {
            return;
        }
    }
    if (piece->state == RUN_DOWN) {
        reverse(piece->items, piece->sorted);
    }
    start_insert(piece);
}

/* ---- merges ---- */

static bool merge_ask(struct piece *piece, uint32_t *a, uint32_t *b)
{
    const uint32_t done = piece->left + piece->right - piece->middle;

    if (piece->left < piece->middle && piece->right < piece->count) {
        *a = piece->items[piece->right];
        *b = piece->items[piece->left];
        return true;
    }
    if (piece->out != NULL) { /* the rest of the side that is left over */
        const bool is_left = piece->left < piece->middle;

        memcpy(piece->out + done, piece->items + (is_left ? piece->left : piece->right),
               (piece->count - done) * sizeof *piece->out);
        memcpy(piece->items, piece->out, piece->count * sizeof *piece->out);
        piece->out = NULL;
    }
    return false;
}

static void merge_answer(struct piece *piece, int32_t order)
{
    const uint32_t done = piece->left + piece->right - piece->middle;

    piece->out[done] = order < 0 ? piece->items[piece->right++] : piece->items[piece->left++];
}

/* ---- all pieces ---- */

/* One comparison for each piece that asks. */
static enum arus_status compare(struct sorter *sorter, uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_vector *elements = &sorter->call->args[0].children[0];
    const uint32_t count = sorter->asking_count;
    struct arus_vector variables[2];
    struct arus_vector orders;
    const struct arus_vector *data = &orders;

    arus_arena_reset(sorter->inner.step);
    ARUS_TRY(
        arus_vector_slice(elements, sorter->left, count, sorter->inner.step, &variables[0], err));
    ARUS_TRY(
        arus_vector_slice(elements, sorter->right, count, sorter->inner.step, &variables[1], err));
    ARUS_TRY(
        arus_lambda_run(&sorter->inner, 1, variables, sorter->rows, count, &orders, bad_row, err));
    data = arus_vector_data(&orders);
    for (uint32_t k = 0; k < count; k++) {
        struct piece *piece = &sorter->pieces[sorter->asking[k]];
        const int32_t order = ((const int32_t *)data->values)[arus_vector_at(&orders, k)];

        if (!arus_vector_is_valid(&orders, k)) {
            *bad_row = piece->row;
            return arus_fail(err, ARUS_BAD_DATA, "COMPARATOR_RETURNS_NULL",
                             "the lambda of array_sort gives NULL for two elements; it must give a "
                             "number below, equal to or above 0");
        }
        if (piece->out == NULL) {
            run_answer(piece, order);
        } else {
            merge_answer(piece, order);
        }
    }
    return ARUS_OK;
}

static enum arus_status sort_pieces(struct sorter *sorter, uint32_t *bad_row,
                                    struct arus_error *err)
{
    sorter->asking_count = sorter->piece_count;
    for (uint32_t k = 0; k < sorter->piece_count; k++) {
        sorter->asking[k] = k;
    }
    while (sorter->asking_count > 0) {
        uint32_t kept = 0;

        for (uint32_t k = 0; k < sorter->asking_count; k++) {
            struct piece *piece = &sorter->pieces[sorter->asking[k]];

            if (piece->out == NULL ? run_ask(piece, &sorter->left[kept], &sorter->right[kept])
                                   : merge_ask(piece, &sorter->left[kept], &sorter->right[kept])) {
                sorter->asking[kept] = sorter->asking[k];
                sorter->rows[kept++] = piece->row;
            }
        }
        sorter->asking_count = kept;
        if (kept > 0) {
            ARUS_TRY(compare(sorter, bad_row, err));
        }
    }
    return ARUS_OK;
}

static void cut_runs(struct sorter *sorter, const struct arus_elements *elements)
{
    sorter->piece_count = 0;
    for (uint32_t i = 0; i < sorter->call->row_count; i++) {
        const struct arus_span span = elements->spans[i];

        for (uint32_t begin = 0; begin < span.count; begin += RUN) {
            const uint32_t left = span.count - begin;

            sorter->pieces[sorter->piece_count++] =
                (struct piece){.row = i,
                               .items = elements->at + span.begin + begin,
                               .count = left < RUN ? left : RUN,
                               .sorted = 1};
        }
    }
}

/* Pairs of sorted parts of `width` elements; false: all rows are sorted. */
static bool cut_merges(struct sorter *sorter, const struct arus_elements *elements, uint32_t width,
                       uint32_t *scratch)
{
    sorter->piece_count = 0;
    for (uint32_t i = 0; i < sorter->call->row_count; i++) {
        const struct arus_span span = elements->spans[i];

        for (uint32_t begin = 0; begin + width < span.count; begin += 2 * width) {
            const uint32_t left = span.count - begin;

            sorter->pieces[sorter->piece_count++] =
                (struct piece){.row = i,
                               .items = elements->at + span.begin + begin,
                               .count = left < 2 * width ? left : 2 * width,
                               .middle = width,
                               .right = width,
                               .out = scratch + span.begin + begin};
        }
    }
    return sorter->piece_count > 0;
}

static enum arus_status sort_elements(struct sorter *sorter, const struct arus_elements *elements,
                                      uint32_t *bad_row, struct arus_error *err)
{
    struct arus_arena *step = sorter->call->step;
    const uint32_t piece_max = elements->count / RUN + sorter->call->row_count;
    uint32_t *scratch;

    ARUS_TRY(ARUS_NEW(step, uint32_t, elements->count, &scratch, err));
    ARUS_TRY(ARUS_NEW(step, struct piece, piece_max, &sorter->pieces, err));
    ARUS_TRY(ARUS_NEW(step, uint32_t, piece_max, &sorter->asking, err));
    ARUS_TRY(ARUS_NEW(step, uint32_t, piece_max, &sorter->left, err));
    ARUS_TRY(ARUS_NEW(step, uint32_t, piece_max, &sorter->right, err));
    ARUS_TRY(ARUS_NEW(step, uint32_t, piece_max, &sorter->rows, err));
    cut_runs(sorter, elements);
    ARUS_TRY(sort_pieces(sorter, bad_row, err));
    for (uint32_t width = RUN; cut_merges(sorter, elements, width, scratch); width *= 2) {
        ARUS_TRY(sort_pieces(sorter, bad_row, err));
    }
    return ARUS_OK;
}

enum arus_status arus_kernel_sort_by(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    struct arus_arena scratch = {0};
    struct sorter sorter = {.call = call, .inner = *call};
    struct arus_elements elements;
    struct arus_vector sorted;
    enum arus_status status;

    sorter.inner.step = &scratch;
    ARUS_TRY(arus_elements_init(&elements, call, &call->args[0], err));
    status = sort_elements(&sorter, &elements, bad_row, err);
    arus_arena_release(&scratch);
    ARUS_TRY(status);
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    out->values = elements.spans;
    ARUS_TRY(arus_elements_take(&elements, call, &call->args[0].children[0], &sorted, err));
    return arus_vector_flatten(&sorted, call->step, &out->children[0], err);
}

enum arus_status arus_lambda_of_order(struct arus_bind *bind, uint32_t i,
                                      struct arus_lambda_shape *out, struct arus_error *err)
{
    (void)i;
    ARUS_TRY(arus_lambda_takes(bind, 0, ARUS_TYPE_ARRAY, err));
    out->count_min = 2;
    out->count_max = 2;
    for (uint32_t v = 0; v < 2; v++) {
        out->variables[v].type = bind->args[0]->type->fields[0].type;
        out->variables[v].is_nullable = bind->args[0]->type->fields[0].is_nullable;
    }
    return ARUS_OK;
}

enum arus_status arus_bind_sort_by(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->args[1]->type->id != ARUS_TYPE_INT) {
        return arus_fail_at(err, bind->args[1]->place, "DATATYPE_MISMATCH.UNEXPECTED_RETURN_TYPE",
                            "the lambda of array_sort must give INT, not %s",
                            arus_type_name(bind->args[1]->type).text);
    }
    bind->type = bind->args[0]->type;
    bind->kernel = arus_kernel_sort_by;
    bind->can_fail = true;
    return ARUS_OK;
}
