/** Comparisons. NaN equals itself and is greatest, -0.0 equals 0.0, texts compare by unsigned
 * bytes. */
#include "expr/compare.h"

static inline uint32_t prefix_number(const struct arus_view *view)
{
    uint32_t value;

    memcpy(&value, view->prefix, sizeof value);
    return __builtin_bswap32(value);
}

static inline bool view_equal(struct arus_view a, struct arus_view b)
{
    if (a.size != b.size || memcmp(a.prefix, b.prefix, sizeof a.prefix) != 0) {
        return false;
    }
    return a.size <= 4 || memcmp(a.data, b.data, a.size) == 0;
}

static inline int view_compare(struct arus_view a, struct arus_view b)
{
    const uint32_t x = prefix_number(&a);
    const uint32_t y = prefix_number(&b);
    const uint32_t size = a.size < b.size ? a.size : b.size;

    if (x != y) {
        return x < y ? -1 : 1;
    }
    if (size > 4) {
        const int order = memcmp(a.data + 4, b.data + 4, size - 4);

        if (order != 0) {
            return order;
        }
    }
    return a.size < b.size ? -1 : a.size > b.size;
}

#define NAME          equal_u8
#define TYPE          uint8_t
#define COMPUTE(x, y) ((x) == (y))
#include "expr/compare.inc.h"

#define NAME          less_u8
#define TYPE          uint8_t
#define COMPUTE(x, y) ((x) < (y))
#include "expr/compare.inc.h"

#define NAME          less_equal_u8
#define TYPE          uint8_t
#define COMPUTE(x, y) ((x) <= (y))
#include "expr/compare.inc.h"

#define NAME          equal_8
#define TYPE          int8_t
#define COMPUTE(x, y) ((x) == (y))
#include "expr/compare.inc.h"

#define NAME          less_8
#define TYPE          int8_t
#define COMPUTE(x, y) ((x) < (y))
#include "expr/compare.inc.h"

#define NAME          less_equal_8
#define TYPE          int8_t
#define COMPUTE(x, y) ((x) <= (y))
#include "expr/compare.inc.h"

#define NAME          equal_16
#define TYPE          int16_t
#define COMPUTE(x, y) ((x) == (y))
#include "expr/compare.inc.h"

#define NAME          less_16
#define TYPE          int16_t
#define COMPUTE(x, y) ((x) < (y))
#include "expr/compare.inc.h"

#define NAME          less_equal_16
#define TYPE          int16_t
#define COMPUTE(x, y) ((x) <= (y))
#include "expr/compare.inc.h"

#define NAME          equal_32
#define TYPE          int32_t
#define COMPUTE(x, y) ((x) == (y))
#include "expr/compare.inc.h"

#define NAME          less_32
#define TYPE          int32_t
#define COMPUTE(x, y) ((x) < (y))
#include "expr/compare.inc.h"

#define NAME          less_equal_32
#define TYPE          int32_t
#define COMPUTE(x, y) ((x) <= (y))
#include "expr/compare.inc.h"

#define NAME          equal_64
#define TYPE          int64_t
#define COMPUTE(x, y) ((x) == (y))
#include "expr/compare.inc.h"

#define NAME          less_64
#define TYPE          int64_t
#define COMPUTE(x, y) ((x) < (y))
#include "expr/compare.inc.h"

#define NAME          less_equal_64
#define TYPE          int64_t
#define COMPUTE(x, y) ((x) <= (y))
#include "expr/compare.inc.h"

#define NAME          equal_128
#define TYPE          arus_int128
#define COMPUTE(x, y) ((x) == (y))
#include "expr/compare.inc.h"

#define NAME          less_128
#define TYPE          arus_int128
#define COMPUTE(x, y) ((x) < (y))
#include "expr/compare.inc.h"

#define NAME          less_equal_128
#define TYPE          arus_int128
#define COMPUTE(x, y) ((x) <= (y))
#include "expr/compare.inc.h"

#define NAME          equal_float
#define TYPE          float
#define COMPUTE(x, y) (((x) == (y)) | (((x) != (x)) & ((y) != (y))))
#include "expr/compare.inc.h"

#define NAME          less_float
#define TYPE          float
#define COMPUTE(x, y) (((x) < (y)) | (((x) == (x)) & ((y) != (y))))
#include "expr/compare.inc.h"

#define NAME          less_equal_float
#define TYPE          float
#define COMPUTE(x, y) (((x) <= (y)) | ((y) != (y)))
#include "expr/compare.inc.h"

#define NAME          equal_double
#define TYPE          double
#define COMPUTE(x, y) (((x) == (y)) | (((x) != (x)) & ((y) != (y))))
#include "expr/compare.inc.h"

#define NAME          less_double
#define TYPE          double
#define COMPUTE(x, y) (((x) < (y)) | (((x) == (x)) & ((y) != (y))))
#include "expr/compare.inc.h"

#define NAME          less_equal_double
#define TYPE          double
#define COMPUTE(x, y) (((x) <= (y)) | ((y) != (y)))
#include "expr/compare.inc.h"

#define NAME          equal_view
#define TYPE          struct arus_view
#define COMPUTE(x, y) view_equal((x), (y))
#include "expr/compare.inc.h"

#define NAME          less_view
#define TYPE          struct arus_view
#define COMPUTE(x, y) (view_compare((x), (y)) < 0)
#include "expr/compare.inc.h"

#define NAME          less_equal_view
#define TYPE          struct arus_view
#define COMPUTE(x, y) (view_compare((x), (y)) <= 0)
#include "expr/compare.inc.h"

typedef void (*compare_fn)(const void *left, const void *right, uint8_t *r, uint32_t count,
                           enum arus_shape shape);

static const compare_fn KERNELS[ARUS_TYPE_COUNT][ARUS_COMPARE_COUNT] = {
    [ARUS_TYPE_BOOLEAN] = {equal_u8, less_u8, less_equal_u8},
    [ARUS_TYPE_TINYINT] = {equal_8, less_8, less_equal_8},
    [ARUS_TYPE_SMALLINT] = {equal_16, less_16, less_equal_16},
    [ARUS_TYPE_INT] = {equal_32, less_32, less_equal_32},
    [ARUS_TYPE_BIGINT] = {equal_64, less_64, less_equal_64},
    [ARUS_TYPE_FLOAT] = {equal_float, less_float, less_equal_float},
    [ARUS_TYPE_DOUBLE] = {equal_double, less_double, less_equal_double},
    [ARUS_TYPE_DECIMAL] = {equal_64, less_64, less_equal_64},
    [ARUS_TYPE_STRING] = {equal_view, less_view, less_equal_view},
    [ARUS_TYPE_BINARY] = {equal_view, less_view, less_equal_view},
    [ARUS_TYPE_DATE] = {equal_32, less_32, less_equal_32},
    [ARUS_TYPE_TIMESTAMP] = {equal_64, less_64, less_equal_64},
    [ARUS_TYPE_TIMESTAMP_NTZ] = {equal_64, less_64, less_equal_64},
    [ARUS_TYPE_INTERVAL_YM] = {equal_32, less_32, less_equal_32},
    [ARUS_TYPE_INTERVAL_DT] = {equal_64, less_64, less_equal_64},
};
static const compare_fn WIDE[ARUS_COMPARE_COUNT] = {equal_128, less_128, less_equal_128};

static void compare_nested(enum arus_comparison op, const struct arus_vector *a,
                           const struct arus_vector *b, uint32_t row_count, uint8_t *r)
{
    for (uint32_t i = 0; i < row_count; i++) {
        const int order = arus_vector_compare(a, i, b, i);

        r[i] = op == ARUS_COMPARE_EQUAL  ? order == 0
               : op == ARUS_COMPARE_LESS ? order < 0
                                         : order <= 0;
    }
}

void arus_compare(enum arus_comparison op, const struct arus_vector *a, const struct arus_vector *b,
                  uint32_t row_count, uint8_t *r)
{
    const compare_fn fn = arus_type_is_wide(a->type) ? WIDE[op] : KERNELS[a->type->id][op];

    if (fn == NULL) {
        compare_nested(op, a, b, row_count, r);
        return;
    }
    fn(a->values, b->values, r, row_count,
       a->form == ARUS_VECTOR_CONSTANT   ? ARUS_CONSTANT_FLAT
       : b->form == ARUS_VECTOR_CONSTANT ? ARUS_FLAT_CONSTANT
                                         : ARUS_FLAT_FLAT);
}

enum arus_status arus_kernel_compare(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    const char *name = call->expr->function->name;
    const bool is_swapped = name[0] == '>';
    const enum arus_comparison op = name[0] == '='   ? ARUS_COMPARE_EQUAL
                                    : name[1] == '=' ? ARUS_COMPARE_LESS_EQUAL
                                                     : ARUS_COMPARE_LESS;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, &ARUS_BOOLEAN, call->row_count, call->step, err));
    arus_compare(op, &call->args[is_swapped], &call->args[!is_swapped], call->row_count,
                 out->values);
    return ARUS_OK;
}

enum arus_status arus_kernel_equal_null(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    const struct arus_vector *a = &call->args[0];
    const struct arus_vector *b = &call->args[1];
    uint8_t *r;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, &ARUS_BOOLEAN, call->row_count, call->step, err));
    r = out->values;
    if (a->type->id != ARUS_TYPE_VOID && b->type->id != ARUS_TYPE_VOID) {
        arus_compare(ARUS_COMPARE_EQUAL, a, b, call->row_count, r);
        if (a->validity == NULL && b->validity == NULL) {
            return ARUS_OK;
        }
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        const bool has_a = arus_vector_is_valid(a, i);
        const bool has_b = arus_vector_is_valid(b, i);

        r[i] = has_a && has_b ? r[i] : has_a == has_b;
    }
    return ARUS_OK;
}

/* ---- binding ---- */

static enum arus_status fail_order(const struct arus_bind *bind, struct arus_error *err)
{
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                        "`%.*s` cannot compare %s", ARUS_TEXT_ARGS(bind->name),
                        arus_type_name(bind->args[0]->type).text);
}

/* A number or text against a decimal: integer literals count with their own digits. */
static enum arus_status decimal_sides(struct arus_bind *bind, struct arus_error *err)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct arus_type *other = bind->args[1 - i]->type;

        if (other->id == ARUS_TYPE_DECIMAL) {
            ARUS_TRY(arus_arg_to_decimal(bind, i, err));
        }
    }
    return ARUS_OK;
}

/* ANSI off: a text meets a number as a number, a date as a date. */
static const struct arus_type *legacy_common(const struct arus_type *a, const struct arus_type *b)
{
    const struct arus_type *other = a->id == ARUS_TYPE_STRING ? b : a;

    if (a->id == ARUS_TYPE_BOOLEAN && arus_type_is_numeric(b)) {
        return b;
    }
    if (b->id == ARUS_TYPE_BOOLEAN && arus_type_is_numeric(a)) {
        return a;
    }
    if (a->id != ARUS_TYPE_STRING && b->id != ARUS_TYPE_STRING) {
        return NULL;
    }
    if (other->id == ARUS_TYPE_DECIMAL) {
        return &ARUS_DOUBLE;
    }
    return arus_type_is_nested(other) || other->id == ARUS_TYPE_VOID ? NULL : other;
}

enum arus_status arus_bind_compare(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *common = NULL;

    ARUS_TRY(decimal_sides(bind, err));
    if (!bind->is_ansi) {
        common = legacy_common(bind->args[0]->type, bind->args[1]->type);
    }
    if (common == NULL) {
        common =
            arus_type_common(bind->args[0]->type, bind->args[1]->type, bind->is_ansi, bind->arena);
    }
    if (common == NULL) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
                            "cannot compare %s with %s", arus_type_name(bind->args[0]->type).text,
                            arus_type_name(bind->args[1]->type).text);
    }
    for (uint32_t i = 0; i < 2; i++) {
        ARUS_TRY(arus_arg_cast(bind, i, common, err));
    }
    if (!arus_type_is_orderable(common)) {
        return fail_order(bind, err);
    }
    bind->type = &ARUS_BOOLEAN;
    return ARUS_OK;
}
