/** rand, randn, uniform, randstr, uuid, shuffle: with a seed, Spark's numbers of its first
 * partition. Each thread that computes a call draws from a stream of its own, as a partition
 * does in Spark. */
#include "base/alloc.h"
#include "expr/collection.h"
#include "expr/families.h"
#include "expr/random_generator.h"
#include "expr/rowwise.h"

#include <stdio.h>
#include <sys/random.h>

struct seed {
    int64_t value;
    uint32_t *streams; /* how many threads draw by now */
};

/* ---- seeds ---- */

static enum arus_status fresh_seed(int64_t *out, struct arus_error *err)
{
    if (getrandom(out, sizeof *out, 0) != (ssize_t)sizeof *out) {
        return arus_fail(err, ARUS_FATAL, NULL, "the system gives no random bytes");
    }
    return ARUS_OK;
}

static enum arus_status fail_not_constant(const struct arus_bind *bind, uint32_t i,
                                          struct arus_error *err)
{
    return arus_fail_at(err, bind->args[i]->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                        "`%.*s` takes a constant as argument %u", ARUS_TEXT_ARGS(bind->name),
                        i + 1);
}

/* Argument i is the seed, or there is none: then one is drawn. */
static enum arus_status bind_seed(struct arus_bind *bind, uint32_t i, struct arus_error *err)
{
    struct seed *seed;
    struct arus_vector value;
    bool is_found;

    ARUS_TRY(ARUS_NEW(bind->arena, struct seed, 1, &seed, err));
    ARUS_TRY(ARUS_NEW(bind->arena, uint32_t, 1, &seed->streams, err));
    bind->bound = seed;
    if (bind->arg_count <= i) {
        return fresh_seed(&seed->value, err);
    }
    if (bind->args[i]->type->id != ARUS_TYPE_VOID && !arus_type_is_integer(bind->args[i]->type)) {
        return arus_fail_input(bind, i, "INT or BIGINT", err);
    }
    if (!arus_expr_is_constant(bind->args[i])) {
        return arus_fail_at(err, bind->args[i]->place, "SEED_EXPRESSION_IS_UNFOLDABLE",
                            "the seed of `%.*s` must be a constant", ARUS_TEXT_ARGS(bind->name));
    }
    ARUS_TRY(arus_arg_cast(bind, i, &ARUS_BIGINT, err));
    ARUS_TRY(arus_arg_constant(bind, i, &value, &is_found, err));
    if (is_found && arus_vector_is_valid(&value, 0)) { /* NULL counts as 0 */
        seed->value = *(const int64_t *)value.values;
    }
    return ARUS_OK;
}

/* The generator of the thread that runs this call. */
struct stream {
    struct arus_xorshift xorshift;
    struct arus_twister twister;
};

static enum arus_status stream_of(const struct arus_kernel_call *call, struct stream **out,
                                  struct arus_error *err)
{
    const struct seed *seed = call->expr->bound;

    if (call->memo->data == NULL) {
        struct stream *made = arus_alloc(1, sizeof *made);
        int64_t value;

        if (made == NULL) {
            return arus_fail_memory(err);
        }
        value = (int64_t)((uint64_t)seed->value +
                          __atomic_fetch_add(seed->streams, 1, __ATOMIC_RELAXED));
        arus_xorshift_init(&made->xorshift, value);
        arus_twister_init(&made->twister, value);
        call->memo->data = made;
        call->memo->close = arus_free;
    }
    *out = call->memo->data;
    return ARUS_OK;
}

/* ---- rand, randn ---- */

static enum arus_status kernel_rand(const struct arus_kernel_call *call, struct arus_vector *out,
                                    uint32_t *bad_row, struct arus_error *err)
{
    const bool is_normal = strcmp(call->expr->function->name, "randn") == 0;
    struct stream *stream;
    double *r;

    (void)bad_row;
    ARUS_TRY(stream_of(call, &stream, err));
    ARUS_TRY(arus_vector_init(out, &ARUS_DOUBLE, call->row_count, call->step, err));
    r = out->values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        r[i] = is_normal ? arus_xorshift_gaussian(&stream->xorshift)
                         : arus_xorshift_double(&stream->xorshift);
    }
    return ARUS_OK;
}

static enum arus_status bind_rand(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(bind_seed(bind, 0, err));
    bind->type = &ARUS_DOUBLE;
    bind->is_nullable = false;
    return ARUS_OK;
}

/* ---- uniform: low + (high - low) * rand(), in the type of the bounds ---- */

/* A decimal wins over integers, whatever they hold. */
static const struct arus_type *bound_type(const struct arus_bind *bind)
{
    const struct arus_type *a = bind->args[0]->type;
    const struct arus_type *b = bind->args[1]->type;

    if (a->id == ARUS_TYPE_VOID || b->id == ARUS_TYPE_VOID) {
        return &ARUS_DOUBLE;
    }
    if (a->id == ARUS_TYPE_DECIMAL && (arus_type_is_integer(b) || b->id == ARUS_TYPE_DECIMAL)) {
        return b->id == ARUS_TYPE_DECIMAL && b->precision > a->precision ? b : a;
    }
    if (b->id == ARUS_TYPE_DECIMAL && arus_type_is_integer(a)) {
        return b;
    }
    return arus_type_common(a, b, bind->is_ansi, bind->arena);
}

static enum arus_status uniform_type(struct arus_bind *bind, struct arus_error *err)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct arus_type *type = bind->args[i]->type;

        if (type->id != ARUS_TYPE_VOID && !arus_type_is_numeric(type)) {
            return arus_fail_input(bind, i, "a number", err);
        }
        if (!arus_expr_is_constant(bind->args[i])) {
            return fail_not_constant(bind, i, err);
        }
    }
    bind->type = bound_type(bind);
    return ARUS_OK;
}

static enum arus_status bind_uniform(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *low;
    const struct arus_expr *high;
    const struct arus_expr *pair[2];

    ARUS_TRY(uniform_type(bind, err));
    if (bind->args[0]->type->id == ARUS_TYPE_VOID || bind->args[1]->type->id == ARUS_TYPE_VOID) {
        return arus_literal_null(bind->type, bind->arena, &bind->replacement, err);
    }
    ARUS_TRY(arus_args_text(bind, err));
    ARUS_TRY(arus_cast_implicit(bind->args[0], &ARUS_DOUBLE, true, bind->arena, &low, err));
    ARUS_TRY(arus_cast_implicit(bind->args[1], &ARUS_DOUBLE, true, bind->arena, &high, err));
    pair[0] = high;
    pair[1] = low;
    ARUS_TRY(arus_call_of(bind, "-", pair, 2, &pair[0], err));
    ARUS_TRY(arus_call_of(bind, "rand", bind->args + 2, bind->arg_count - 2, &pair[1], err));
    ARUS_TRY(arus_call_of(bind, "*", pair, 2, &pair[1], err));
    pair[0] = low;
    ARUS_TRY(arus_call_of(bind, "+", pair, 2, &pair[0], err));
    return arus_cast_implicit(pair[0], bind->type, true, bind->arena, &bind->replacement, err);
}

/* ---- randstr(length[, seed]) ---- */

static enum arus_status randstr(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    static const char SIGNS[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const int32_t size = arus_row_arg_int(row, 0, i);
    struct stream *stream;

    ARUS_TRY(stream_of(row->call, &stream, err));
    ARUS_TRY(arus_strings_need(&row->strings, (size_t)size, err));
    for (int32_t k = 0; k < size; k++) {
        const int32_t sign = arus_xorshift_int(&stream->xorshift) % (int32_t)(sizeof SIGNS - 1);

        row->strings.at[k] = SIGNS[sign < 0 ? -sign : sign];
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, (size_t)size));
    return ARUS_OK;
}
ARUS_ROWWISE(randstr)

static enum arus_status bind_randstr(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_vector value;
    bool is_found;

    if (!arus_type_is_integer(bind->args[0]->type) && bind->args[0]->type->id != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "INT", err);
    }
    if (!arus_expr_is_constant(bind->args[0])) {
        return fail_not_constant(bind, 0, err);
    }
    ARUS_TRY(arus_arg_cast(bind, 0, &ARUS_INT, err));
    ARUS_TRY(arus_arg_constant(bind, 0, &value, &is_found, err));
    if (is_found && arus_vector_is_valid(&value, 0) && *(const int32_t *)value.values < 0) {
        return arus_fail_at(err, bind->args[0]->place, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                            "the length must be 0 or more, not %d", *(const int32_t *)value.values);
    }
    ARUS_TRY(arus_args_text(bind, err));
    ARUS_TRY(bind_seed(bind, 1, err));
    bind->arg_count = 1;
    bind->type = &ARUS_STRING;
    return ARUS_OK;
}

/* ---- uuid([seed]) ---- */

static uint64_t twister_long(struct arus_twister *random)
{
    const uint64_t high = arus_twister_bits(random);

    return high << 32 | arus_twister_bits(random);
}

static enum arus_status uuid(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    struct stream *stream;
    uint64_t most;
    uint64_t least;
    char text[40];

    ARUS_TRY(stream_of(row->call, &stream, err));
    most = (twister_long(&stream->twister) & 0xffffffffffff0fffu) | 0x4000;
    least = (twister_long(&stream->twister) | 0x8000000000000000u) & 0xbfffffffffffffffu;
    snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx", (uint32_t)(most >> 32),
             (uint32_t)(most >> 16 & 0xffff), (uint32_t)(most & 0xffff), (uint32_t)(least >> 48),
             (unsigned long long)(least & 0xffffffffffffu));
    return arus_row_bytes(row, i, text, 36, err);
}
ARUS_ROWWISE(uuid)

static enum arus_status bind_uuid(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(bind_seed(bind, 0, err));
    bind->arg_count = 0;
    bind->type = &ARUS_STRING;
    bind->is_nullable = false;
    return ARUS_OK;
}

/* ---- shuffle(array[, seed]) ---- */

static enum arus_status shuffle_row(struct arus_list_picker *picker, struct arus_span span,
                                    struct arus_twister *random, struct arus_error *err)
{
    uint32_t *order;

    ARUS_TRY(ARUS_NEW(picker->call->step, uint32_t, span.count, &order, err));
    for (uint32_t k = 0; k < span.count; k++) { /* inside out, as Spark draws it */
        const uint32_t j = (uint32_t)arus_twister_below(random, (int32_t)k + 1);

        order[k] = order[j];
        order[j] = span.begin + k;
    }
    for (uint32_t k = 0; k < span.count; k++) {
        ARUS_TRY(arus_picker_add(picker, 0, order[k], err));
    }
    return ARUS_OK;
}

static enum arus_status kernel_shuffle(const struct arus_kernel_call *call, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_vector *source = &call->args[0].children[0];
    struct arus_list_picker picker;
    struct stream *stream;

    (void)bad_row;
    ARUS_TRY(stream_of(call, &stream, err));
    ARUS_TRY(arus_picker_init(&picker, call, call->expr->type, out, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i)) {
            ARUS_TRY(shuffle_row(&picker, arus_span_at(&call->args[0], i), &stream->twister, err));
        }
        arus_picker_row(&picker, i);
    }
    return arus_picker_finish(&picker, &source, 1, 0, out, err);
}

static enum arus_status bind_shuffle(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->args[0]->type->id != ARUS_TYPE_ARRAY && bind->args[0]->type->id != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "ARRAY", err);
    }
    ARUS_TRY(bind_seed(bind, 1, err));
    bind->arg_count = 1;
    bind->type = bind->args[0]->type;
    return ARUS_OK;
}

#define RANDOM(name_, aliases_, alias_text_, flags_, min_, max_, bind_, kernel_, signature_,       \
               help_, example_, result_)                                                           \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = ARUS_NOT_CONSTANT | ARUS_VOLATILE | (flags_), \
        .alias_text = alias_text_, .arg_min = min_, .arg_max = max_, .bind = bind_,                \
        .kernel = kernel_, .signature = signature_, .help = help_, .example = example_,            \
        .result = result_                                                                          \
    }

const struct arus_function ARUS_RANDOMS[] = {
    RANDOM("rand", "random", "rand($*)", 0, 0, 1, bind_rand, kernel_rand, "rand([seed]) -> DOUBLE",
           "0 <= x < 1, uniform", "rand(0)", "0.7604953758285915"),
    RANDOM("randn", NULL, NULL, 0, 0, 1, bind_rand, kernel_rand, "randn([seed]) -> DOUBLE",
           "of the standard normal distribution", "randn(0)", "1.6034991609278433"),
    {.name = "uniform",
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_uniform,
     .signature = "uniform(low, high[, seed])",
     .help = "between two numbers",
     .example = "uniform(10, 20, 0)",
     .result = "17"},
    RANDOM("randstr", NULL, NULL, ARUS_STRICT, 1, 2, bind_randstr, kernel_randstr,
           "randstr(n[, seed]) -> STRING", "n letters and digits", "length(randstr(5))", "5"),
    RANDOM("uuid", NULL, NULL, ARUS_STRICT, 0, 1, bind_uuid, kernel_uuid, "uuid([seed]) -> STRING",
           "a random UUID", "length(uuid())", "36"),
    RANDOM("shuffle", NULL, NULL, ARUS_STRICT, 1, 2, bind_shuffle, kernel_shuffle,
           "shuffle(array[, seed]) -> ARRAY", "its elements in random order",
           "array_sort(shuffle(array(3, 1, 2)))", "[1, 2, 3]"),
    {0},
};
