/** Bitmaps of 32,768 bits: counting distinct numbers bucket by bucket. */
#include "expr/aggregate_bytes.h"
#include "expr/families.h"
#include "expr/rowwise.h"

enum { BITMAP_SIZE = 4096, BITMAP_BITS = 8 * BITMAP_SIZE };

/* ---- numbers ---- */

/* Bucket 1 holds 1 to 32,768; 0 and below count from the other side. */
static enum arus_status bucket_number(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int64_t value = arus_row_arg_bigint(row, 0, i);

    (void)err;
    arus_row_bigint(row, i, value > 0 ? 1 + (value - 1) / BITMAP_BITS : value / BITMAP_BITS);
    return ARUS_OK;
}
ARUS_ROWWISE(bucket_number)

static enum arus_status bit_position(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int64_t value = arus_row_arg_bigint(row, 0, i);

    (void)err;
    arus_row_bigint(row, i, value > 0 ? (value - 1) % BITMAP_BITS : -(value % BITMAP_BITS));
    return ARUS_OK;
}
ARUS_ROWWISE(bit_position)

static enum arus_status count(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_view bits = arus_row_arg_view(row, 0, i);
    int64_t sum = 0;

    (void)err;
    for (uint32_t b = 0; b < bits.size; b++) {
        sum += __builtin_popcount((unsigned char)bits.data[b]);
    }
    arus_row_bigint(row, i, sum);
    return ARUS_OK;
}
ARUS_ROWWISE(count)

static enum arus_status bind_count(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_BIGINT;
    return bind->args[0]->type->id == ARUS_TYPE_BINARY ? ARUS_OK
                                                       : arus_fail_input(bind, 0, "BINARY", err);
}

/* ---- aggregates: a state has no bytes before its first value ---- */

static bool is_and(const struct arus_expr *expr)
{
    return strcmp(expr->function->name, "bitmap_and_agg") == 0;
}

/* The bits of a state, all set for AND, none else. */
static enum arus_status bits_of(struct arus_bytes_state *state, const struct arus_agg_call *call,
                                unsigned char **out, struct arus_error *err)
{
    if (state->bytes.size == 0) {
        unsigned char fresh[BITMAP_SIZE];

        memset(fresh, is_and(call->expr) ? 0xFF : 0, sizeof fresh);
        ARUS_TRY(arus_bytes_append(state, fresh, sizeof fresh, call->heap, err));
    }
    memcpy(out, &state->bytes.data, sizeof *out);
    return ARUS_OK;
}

/* A shorter bitmap has no bits behind its end. */
static enum arus_status add_bitmap(struct arus_bytes_state *state, struct arus_view more,
                                   const struct arus_agg_call *call, struct arus_error *err)
{
    const uint32_t size = more.size < BITMAP_SIZE ? more.size : BITMAP_SIZE;
    unsigned char *bits;

    ARUS_TRY(bits_of(state, call, &bits, err));
    if (is_and(call->expr)) {
        for (uint32_t b = 0; b < size; b++) {
            bits[b] &= (unsigned char)more.data[b];
        }
        memset(bits + size, 0, BITMAP_SIZE - size);
        return ARUS_OK;
    }
    for (uint32_t b = 0; b < size; b++) {
        bits[b] |= (unsigned char)more.data[b];
    }
    return ARUS_OK;
}

static enum arus_status construct_update(const struct arus_agg_call *call, struct arus_error *err)
{
    for (uint32_t i = 0; i < call->row_count; i++) {
        int64_t position;
        unsigned char *bits;

        if (!arus_agg_has(&call->args[0], i)) {
            continue;
        }
        position = arus_bigint_at(&call->args[0], i);
        if (position < 0 || position >= BITMAP_BITS) {
            return arus_fail(err, ARUS_BAD_DATA, "INVALID_BITMAP_POSITION",
                             "the position %lld is outside of a bitmap of %d bits",
                             (long long)position, BITMAP_BITS);
        }
        ARUS_TRY(bits_of((void *)arus_agg_state(call, i), call, &bits, err));
        bits[position / 8] |= (unsigned char)(1 << position % 8);
    }
    return ARUS_OK;
}

static enum arus_status merge_update(const struct arus_agg_call *call, struct arus_error *err)
{
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_agg_has(&call->args[0], i)) {
            ARUS_TRY(add_bitmap((void *)arus_agg_state(call, i), arus_view_at(&call->args[0], i),
                                call, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status bitmap_merge(const struct arus_agg_call *call, const unsigned char *from,
                                     size_t from_stride, uint32_t state_count,
                                     struct arus_error *err)
{
    for (uint32_t i = 0; i < state_count; i++) {
        const struct arus_bytes_state *more = (const void *)(from + i * from_stride);

        if (more->bytes.size > 0) {
            ARUS_TRY(add_bitmap((void *)arus_agg_state(call, i), more->bytes, call, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status bitmap_finish(const struct arus_expr *expr, const unsigned char *states,
                                      size_t stride, uint32_t state_count, struct arus_arena *step,
                                      struct arus_vector *out, struct arus_error *err)
{
    struct arus_strings strings = {.arena = step};
    unsigned char none[BITMAP_SIZE];

    memset(none, is_and(expr) ? 0xFF : 0, sizeof none);
    ARUS_TRY(arus_vector_init(out, expr->type, state_count, step, err));
    for (uint32_t i = 0; i < state_count; i++) {
        const struct arus_bytes_state *state = (const void *)(states + i * stride);
        const void *bits = state->bytes.size > 0 ? (const void *)state->bytes.data : none;

        ARUS_TRY(arus_strings_add(&strings, bits, BITMAP_SIZE, (struct arus_view *)out->values + i,
                                  err));
    }
    return ARUS_OK;
}

static const struct arus_aggregate CONSTRUCT = {.state_size = arus_bytes_size,
                                                .update = construct_update,
                                                .merge = bitmap_merge,
                                                .finish = bitmap_finish,
                                                .views = arus_bytes_views};
static const struct arus_aggregate MERGE = {.state_size = arus_bytes_size,
                                            .update = merge_update,
                                            .merge = bitmap_merge,
                                            .finish = bitmap_finish,
                                            .views = arus_bytes_views};

static enum arus_status bind_construct(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_BINARY;
    bind->is_nullable = false;
    return arus_arg_take(bind, 0, "l", err);
}

static enum arus_status bind_merge(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_BINARY;
    bind->is_nullable = false;
    return bind->args[0]->type->id == ARUS_TYPE_BINARY ? ARUS_OK
                                                       : arus_fail_input(bind, 0, "BINARY", err);
}

#define AGGREGATE(name_, bind_, aggregate_, signature_, help_, example_, result_)                  \
    {                                                                                              \
        .name = name_, .kind = ARUS_AGGREGATE, .arg_min = 1, .arg_max = 1, .bind = bind_,          \
        .aggregate = aggregate_, .signature = signature_, .help = help_, .example = example_,      \
        .result = result_                                                                          \
    }

const struct arus_function ARUS_BITMAPS[] = {
    ARUS_FUNCTION("bitmap_bucket_number", NULL, 0, 1, 1, "l", "l", kernel_bucket_number,
                  "bitmap_bucket_number(n) -> BIGINT", "the bucket of 32,768 numbers that n is in",
                  "bitmap_bucket_number(32769)", "2"),
    ARUS_FUNCTION("bitmap_bit_position", NULL, 0, 1, 1, "l", "l", kernel_bit_position,
                  "bitmap_bit_position(n) -> BIGINT", "the bit of n in its bucket",
                  "bitmap_bit_position(32769)", "0"),
    {.name = "bitmap_count",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_count,
     .kernel = kernel_count,
     .signature = "bitmap_count(b) -> BIGINT",
     .help = "how many bits are set",
     .example = "bitmap_count(X'FF01')",
     .result = "9"},
    AGGREGATE("bitmap_construct_agg", bind_construct, &CONSTRUCT,
              "bitmap_construct_agg(position) -> BINARY", "a bitmap with these bits set",
              "bitmap_count(bitmap_construct_agg(bitmap_bit_position(x))) FROM VALUES (1), (2), "
              "(1) AS t(x)",
              "2"),
    AGGREGATE("bitmap_or_agg", bind_merge, &MERGE, "bitmap_or_agg(bitmap) -> BINARY",
              "all bits that are set in one of them",
              "bitmap_count(bitmap_or_agg(x)) FROM VALUES (X'10'), (X'30') AS t(x)", "2"),
    AGGREGATE("bitmap_and_agg", bind_merge, &MERGE, "bitmap_and_agg(bitmap) -> BINARY",
              "the bits that are set in all of them",
              "bitmap_count(bitmap_and_agg(x)) FROM VALUES (X'10'), (X'30') AS t(x)", "1"),
    {0},
};
