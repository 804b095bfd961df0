/** Arithmetic and bit operators: what they take and which kernel they get. */
#include "expr/arith.h"
#include "expr/families.h"
#include "expr/strings.h"
#include "expr/time_arith.h"

/* What the rows say about each operator. */
struct op_facts {
    enum arus_arith_op op;
    const char *zero;
    const char *instead;
};

static const struct op_facts FACTS[] = {
    {ARUS_ARITH_ADD, NULL, "try_add"},
    {ARUS_ARITH_SUBTRACT, NULL, "try_subtract"},
    {ARUS_ARITH_MULTIPLY, NULL, "try_multiply"},
    {ARUS_ARITH_DIVIDE, "DIVIDE_BY_ZERO", "try_divide"},
    {ARUS_ARITH_REMAINDER, "REMAINDER_BY_ZERO", "try_mod"},
    {ARUS_ARITH_PMOD, "REMAINDER_BY_ZERO", NULL},
    {ARUS_ARITH_DIV, "DIVIDE_BY_ZERO", NULL},
    {ARUS_ARITH_AND, NULL, NULL},
    {ARUS_ARITH_OR, NULL, NULL},
    {ARUS_ARITH_XOR, NULL, NULL},
};

static bool is_bits(enum arus_arith_op op)
{
    return op == ARUS_ARITH_AND || op == ARUS_ARITH_OR || op == ARUS_ARITH_XOR;
}

static enum arus_status fail_diff(const struct arus_bind *bind, struct arus_error *err)
{
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
                        "cannot compute %s %.*s %s", arus_type_name(bind->args[0]->type).text,
                        ARUS_TEXT_ARGS(bind->name), arus_type_name(bind->args[1]->type).text);
}

static enum arus_status fail_wrong(const struct arus_bind *bind, struct arus_error *err)
{
    return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE",
                        "`%.*s` does not take %s", ARUS_TEXT_ARGS(bind->name),
                        arus_type_name(bind->args[0]->type).text);
}

/* ---- coercion ---- */

/* STRING with something else becomes what the other side asks for. */
static enum arus_status promote_texts(struct arus_bind *bind, enum arus_arith_op op,
                                      struct arus_error *err)
{
    const struct arus_type *a = bind->args[0]->type;
    const struct arus_type *b = bind->args[1]->type;
    const struct arus_type *wider;

    if (a->id != ARUS_TYPE_STRING && b->id != ARUS_TYPE_STRING) {
        return ARUS_OK;
    }
    if (!bind->is_ansi && !is_bits(op)) { /* any text is a DOUBLE */
        for (uint32_t i = 0; i < 2; i++) {
            if (bind->args[i]->type->id == ARUS_TYPE_STRING) {
                ARUS_TRY(arus_arg_cast(bind, i, &ARUS_DOUBLE, err));
            }
        }
        return ARUS_OK;
    }
    if (a->id == b->id) {
        return ARUS_OK;
    }
    wider = arus_type_common(a, b, true, bind->arena);
    if (wider == NULL) {
        return fail_diff(bind, err);
    }
    if (op == ARUS_ARITH_DIVIDE && arus_type_is_numeric(wider)) {
        wider = &ARUS_DOUBLE;
    }
    ARUS_TRY(arus_arg_cast(bind, 0, wider, err));
    return arus_arg_cast(bind, 1, wider, err);
}

static enum arus_status fill_nulls(struct arus_bind *bind, enum arus_arith_op op,
                                   struct arus_error *err)
{
    for (uint32_t i = 0; i < 2; i++) {
        const struct arus_type *other = bind->args[1 - i]->type;

        if (bind->args[i]->type->id == ARUS_TYPE_VOID) {
            if (other->id == ARUS_TYPE_VOID) {
                other = is_bits(op)            ? &ARUS_INT
                        : op == ARUS_ARITH_DIV ? &ARUS_BIGINT
                                               : &ARUS_DOUBLE;
            }
            ARUS_TRY(arus_arg_cast(bind, i, other, err));
        }
    }
    return ARUS_OK;
}

/* Both sides to one type; decimals keep their own. */
static enum arus_status common_sides(struct arus_bind *bind, enum arus_arith_op op, bool *is_mixed,
                                     struct arus_error *err)
{
    const struct arus_type *a;
    const struct arus_type *b;
    const struct arus_type *common;

    ARUS_TRY(promote_texts(bind, op, err));
    a = bind->args[0]->type;
    b = bind->args[1]->type;
    *is_mixed = !arus_type_equal(a, b) &&
                !(a->id == ARUS_TYPE_DECIMAL && b->id == ARUS_TYPE_DOUBLE) &&
                !(b->id == ARUS_TYPE_DECIMAL && a->id == ARUS_TYPE_DOUBLE);
    ARUS_TRY(fill_nulls(bind, op, err));
    a = bind->args[0]->type;
    b = bind->args[1]->type;
    if (!is_bits(op) && arus_type_is_numeric(a) && arus_type_is_numeric(b) &&
        !arus_type_is_fractional(a) && !arus_type_is_fractional(b) &&
        (a->id == ARUS_TYPE_DECIMAL || b->id == ARUS_TYPE_DECIMAL)) {
        ARUS_TRY(arus_arg_to_decimal(bind, 0, err));
        return arus_arg_to_decimal(bind, 1, err);
    }
    if (arus_type_equal(a, b)) {
        return ARUS_OK;
    }
    common = arus_type_common(a, b, bind->is_ansi, bind->arena);
    if (common == NULL || (*is_mixed && is_bits(op) && !arus_type_is_integer(common))) {
        return fail_diff(bind, err);
    }
    ARUS_TRY(arus_arg_cast(bind, 0, common, err));
    return arus_arg_cast(bind, 1, common, err);
}

/* `/` computes in DOUBLE, DIV in BIGINT; both also in decimals. */
static enum arus_status division_sides(struct arus_bind *bind, enum arus_arith_op op,
                                       struct arus_error *err)
{
    const struct arus_type *target = op == ARUS_ARITH_DIVIDE ? &ARUS_DOUBLE : &ARUS_BIGINT;

    for (uint32_t i = 0; i < 2; i++) {
        const struct arus_type *type = bind->args[i]->type;

        if (arus_type_is_integer(type) ||
            (op == ARUS_ARITH_DIVIDE && type->id == ARUS_TYPE_FLOAT)) {
            ARUS_TRY(arus_arg_cast(bind, i, target, err));
        }
    }
    return ARUS_OK;
}

/* ---- choosing the kernel ---- */

static struct arus_decimal_type result_of(enum arus_arith_op op, struct arus_decimal_type a,
                                          struct arus_decimal_type b)
{
    switch (op) {
    case ARUS_ARITH_MULTIPLY:
        return arus_decimal_multiply_type(a, b);
    case ARUS_ARITH_DIVIDE:
        return arus_decimal_divide_type(a, b);
    case ARUS_ARITH_REMAINDER:
    case ARUS_ARITH_PMOD:
        return arus_decimal_remainder_type(a, b);
    case ARUS_ARITH_ADD:
    case ARUS_ARITH_SUBTRACT:
    case ARUS_ARITH_DIV:
    case ARUS_ARITH_AND:
    case ARUS_ARITH_OR:
    case ARUS_ARITH_XOR:
    case ARUS_ARITH_COUNT:
        break;
    }
    return arus_decimal_add_type(a, b);
}

static enum arus_status choose_decimal(struct arus_bind *bind, enum arus_arith_op op,
                                       struct arus_arith *arith, struct arus_error *err)
{
    const struct arus_type *a = bind->args[0]->type;
    const struct arus_type *b = bind->args[1]->type;

    arith->a = (struct arus_decimal_type){a->precision, a->scale};
    arith->b = (struct arus_decimal_type){b->precision, b->scale};
    if (op == ARUS_ARITH_DIV) {
        bind->type = &ARUS_BIGINT;
    } else {
        arith->r = result_of(op, arith->a, arith->b);
        ARUS_TRY(
            arus_type_decimal(arith->r.precision, arith->r.scale, bind->arena, &bind->type, err));
        arith->overflow = "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION";
        if (arith->on_bad == ARUS_BAD_WRAPS) {
            arith->on_bad = ARUS_BAD_IS_NULL;
        }
    }
    arith->is_wide_a = arus_type_is_wide(a);
    arith->is_wide_b = arus_type_is_wide(b);
    arith->is_wide_r = arus_type_is_wide(bind->type);
    if (op == ARUS_ARITH_ADD || op == ARUS_ARITH_SUBTRACT) {
        arith->scale_a = ARUS_DECIMAL_POWERS[b->scale > a->scale ? b->scale - a->scale : 0];
        arith->scale_b = ARUS_DECIMAL_POWERS[a->scale > b->scale ? a->scale - b->scale : 0];
    }
    arith->fn = arus_arith_decimal(op, arith);
    return ARUS_OK;
}

static const char *overflow_condition(const struct arus_type *type)
{
    if (type->id == ARUS_TYPE_TINYINT || type->id == ARUS_TYPE_SMALLINT) {
        return "BINARY_ARITHMETIC_OVERFLOW";
    }
    if (type->id == ARUS_TYPE_INTERVAL_YM || type->id == ARUS_TYPE_INTERVAL_DT) {
        return "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION";
    }
    return "ARITHMETIC_OVERFLOW";
}

static enum arus_status choose(struct arus_bind *bind, const struct op_facts *facts, bool is_mixed,
                               struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;
    const bool is_try = bind->function->name[0] == 't';
    struct arus_arith *arith;

    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_arith, 1, &arith, err));
    arith->symbol = bind->function->name;
    arith->zero = facts->zero;
    arith->instead = facts->instead;
    arith->overflow = overflow_condition(type);
    arith->on_bad = is_try          ? ARUS_BAD_IS_NULL
                    : bind->is_ansi ? ARUS_BAD_FAILS
                    : facts->zero   ? ARUS_BAD_IS_NULL
                                    : ARUS_BAD_WRAPS;
    if (type->id == ARUS_TYPE_DECIMAL) {
        ARUS_TRY(choose_decimal(bind, facts->op, arith, err));
    } else {
        arith->fn = arus_arith_find(facts->op, type->id);
        bind->type = type;
    }
    if (arith->fn == NULL) {
        return is_mixed ? fail_diff(bind, err) : fail_wrong(bind, err);
    }
    bind->bound = arith;
    bind->kernel = arus_kernel_arith;
    bind->can_fail = arith->on_bad == ARUS_BAD_FAILS && !is_bits(facts->op) &&
                     (facts->zero != NULL || !arus_type_is_fractional(bind->type));
    bind->is_nullable |= arith->on_bad == ARUS_BAD_IS_NULL;
    return ARUS_OK;
}

static enum arus_status bind_op(struct arus_bind *bind, enum arus_arith_op op,
                                struct arus_error *err)
{
    bool is_mixed;

    ARUS_TRY(common_sides(bind, op, &is_mixed, err));
    if (op == ARUS_ARITH_DIVIDE || op == ARUS_ARITH_DIV) {
        ARUS_TRY(division_sides(bind, op, err));
    }
    return choose(bind, &FACTS[op], is_mixed, err);
}

static bool is_time(const struct arus_type *type)
{
    return type->id >= ARUS_TYPE_DATE && type->id <= ARUS_TYPE_INTERVAL_DT;
}

static bool has_time(const struct arus_bind *bind)
{
    return is_time(bind->args[0]->type) || is_time(bind->args[1]->type);
}

/* Spark computes these as the operator does, and catches what it raises. */
static bool is_try_of_time(const struct arus_bind *bind)
{
    return bind->function->name[0] == 't' && has_time(bind);
}

static enum arus_status bind_positive(struct arus_bind *bind, struct arus_error *err);
static enum arus_status bind_negative(struct arus_bind *bind, struct arus_error *err);

static enum arus_status bind_add(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->arg_count == 1) {
        return bind_positive(bind, err);
    }
    if (is_try_of_time(bind)) {
        return arus_try_call_of(bind, "+", bind->args, 2, &bind->replacement, err);
    }
    if (has_time(bind)) {
        ARUS_TRY(arus_bind_time_add(bind, ARUS_PLUS, err));
        if (bind->type != NULL || bind->replacement != NULL) {
            return ARUS_OK;
        }
    }
    return bind_op(bind, ARUS_ARITH_ADD, err);
}

static enum arus_status bind_subtract(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->arg_count == 1) {
        return bind_negative(bind, err);
    }
    if (is_try_of_time(bind)) {
        return arus_try_call_of(bind, "-", bind->args, 2, &bind->replacement, err);
    }
    if (has_time(bind)) {
        ARUS_TRY(arus_bind_time_add(bind, ARUS_MINUS, err));
        if (bind->type != NULL || bind->replacement != NULL) {
            return ARUS_OK;
        }
    }
    return bind_op(bind, ARUS_ARITH_SUBTRACT, err);
}

static enum arus_status bind_multiply(struct arus_bind *bind, struct arus_error *err)
{
    if (is_try_of_time(bind)) {
        return arus_try_call_of(bind, "*", bind->args, 2, &bind->replacement, err);
    }
    if (has_time(bind)) {
        ARUS_TRY(arus_bind_interval_scale(bind, false, err));
        if (bind->type != NULL) {
            return ARUS_OK;
        }
    }
    return bind_op(bind, ARUS_ARITH_MULTIPLY, err);
}

static enum arus_status bind_divide(struct arus_bind *bind, struct arus_error *err)
{
    if (is_try_of_time(bind)) {
        return arus_try_call_of(bind, "/", bind->args, 2, &bind->replacement, err);
    }
    if (has_time(bind)) {
        ARUS_TRY(arus_bind_interval_scale(bind, true, err));
        if (bind->type != NULL) {
            return ARUS_OK;
        }
    }
    return bind_op(bind, ARUS_ARITH_DIVIDE, err);
}

static enum arus_status bind_remainder(struct arus_bind *bind, struct arus_error *err)
{
    return bind_op(bind, ARUS_ARITH_REMAINDER, err);
}

static enum arus_status bind_pmod(struct arus_bind *bind, struct arus_error *err)
{
    return bind_op(bind, ARUS_ARITH_PMOD, err);
}

/* Intervals of one family divide as numbers of their unit. */
static enum arus_status bind_div(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *a = bind->args[0]->type;

    if ((a->id == ARUS_TYPE_INTERVAL_YM || a->id == ARUS_TYPE_INTERVAL_DT) &&
        a->id == bind->args[1]->type->id) {
        const struct arus_expr *sides[2];

        for (uint32_t i = 0; i < 2; i++) {
            ARUS_TRY(arus_call_of(bind, "interval_number", &bind->args[i], 1, &sides[i], err));
        }
        bind->args[0] = sides[0];
        bind->args[1] = sides[1];
    }
    ARUS_TRY(bind_op(bind, ARUS_ARITH_DIV, err));
    bind->type = &ARUS_BIGINT;
    return ARUS_OK;
}

static enum arus_status bind_bits(struct arus_bind *bind, struct arus_error *err)
{
    return bind_op(bind,
                   bind->function->name[0] == '&'   ? ARUS_ARITH_AND
                   : bind->function->name[0] == '|' ? ARUS_ARITH_OR
                                                    : ARUS_ARITH_XOR,
                   err);
}

/* ---- one side ---- */

static enum arus_status take_number_or_interval(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    if (type->id != ARUS_TYPE_INTERVAL_YM && type->id != ARUS_TYPE_INTERVAL_DT) {
        ARUS_TRY(arus_arg_take(bind, 0, "N", err));
    }
    bind->type = bind->args[0]->type;
    return ARUS_OK;
}

static enum arus_status kernel_same(const struct arus_kernel_call *call, struct arus_vector *out,
                                    uint32_t *bad_row, struct arus_error *err)
{
    (void)bad_row;
    (void)err;
    *out = call->args[0];
    out->type = call->expr->type;
    return ARUS_OK;
}

static enum arus_status bind_positive(struct arus_bind *bind, struct arus_error *err)
{
    bind->kernel = kernel_same;
    bind->can_fail = false;
    return take_number_or_interval(bind, err);
}

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define NAME        8
#define TYPE        int8_t
#define BITS        uint8_t
#include "expr/unary.inc.h"
#define NAME 16
#define TYPE int16_t
#define BITS uint16_t
#include "expr/unary.inc.h"
#define NAME 32
#define TYPE int32_t
#define BITS uint32_t
#include "expr/unary.inc.h"
#define NAME 64
#define TYPE int64_t
#define BITS uint64_t
#include "expr/unary.inc.h"

static void negate_float(const float *a, float *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        r[i] = -a[i];
    }
}

static void negate_double(const double *a, double *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        r[i] = -a[i];
    }
}

static void negate_wide(const arus_int128 *a, arus_int128 *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        r[i] = -a[i];
    }
}

/* True: some row is the smallest integer, which has no opposite. */
static bool negate(const struct arus_vector *in, void *out, uint32_t count)
{
    if (in->type->id == ARUS_TYPE_DOUBLE) {
        negate_double(in->values, out, count);
        return false;
    }
    if (in->type->id == ARUS_TYPE_FLOAT) {
        negate_float(in->values, out, count);
        return false;
    }
    switch (arus_type_value_size(in->type)) {
    case 1:
        return negate_8(in->values, out, count);
    case 2:
        return negate_16(in->values, out, count);
    case 4:
        return negate_32(in->values, out, count);
    case 8:
        return negate_64(in->values, out, count);
    default:
        negate_wide(in->values, out, count);
        return false;
    }
}

static enum arus_status kernel_negative(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(call->expr->type);

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    if (!negate(&call->args[0], out->values, call->row_count) || !call->expr->can_fail) {
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        struct arus_vector one = call->args[0];

        one.values = (char *)one.values + (size_t)i * size;
        if (arus_bit_get(call->valid, i) &&
            negate(&one, (char *)out->values + (size_t)i * size, 1)) {
            *bad_row = i;
            return arus_fail(err, ARUS_BAD_DATA, "ARITHMETIC_OVERFLOW",
                             "%s overflow: the smallest number has no opposite",
                             arus_type_name(call->expr->type).text);
        }
    }
    return ARUS_OK;
}

static enum arus_status bind_negative(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(take_number_or_interval(bind, err));
    bind->kernel = kernel_negative;
    bind->can_fail = bind->is_ansi && !arus_type_is_fractional(bind->type) &&
                     bind->type->id != ARUS_TYPE_DECIMAL;
    return ARUS_OK;
}

static enum arus_status kernel_bit_not(const struct arus_kernel_call *call, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    const uint8_t *a = call->args[0].values;
    uint8_t *r;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    r = out->values;
    for (size_t i = 0; i < (size_t)call->row_count * arus_type_value_size(out->type); i++) {
        r[i] = (uint8_t)~a[i];
    }
    return ARUS_OK;
}

/* ---- shifts: the count is taken modulo 32 or 64 ---- */

static enum arus_status bind_shift(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    if (type->id != ARUS_TYPE_BIGINT) {
        if (type->id != ARUS_TYPE_VOID && !arus_type_converts(type, &ARUS_INT)) {
            return arus_fail_input(bind, 0, "INT or BIGINT", err);
        }
        ARUS_TRY(arus_arg_cast(bind, 0, &ARUS_INT, err));
    }
    ARUS_TRY(arus_arg_take(bind, 1, "i", err));
    bind->type = bind->args[0]->type;
    return ARUS_OK;
}

static int64_t shift_one(char direction, int64_t value, int32_t by, bool is_long)
{
    const uint32_t bits = (uint32_t)by & (is_long ? 63 : 31);

    if (direction == '<') {
        return (int64_t)((uint64_t)value << bits);
    }
    if (direction == '>') {
        return value >> bits;
    }
    return is_long ? (int64_t)((uint64_t)value >> bits) : (int64_t)((uint32_t)value >> bits);
}

static enum arus_status kernel_shift(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    const char *name = call->expr->function->name;
    const char direction = name[0] == '<' ? '<' : name[2] == '>' ? 'u' : '>';
    const bool is_long = call->expr->type->id == ARUS_TYPE_BIGINT;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const int32_t by = arus_int_at(&call->args[1], i);

        if (is_long) {
            ((int64_t *)out->values)[i] =
                shift_one(direction, arus_bigint_at(&call->args[0], i), by, true);
        } else {
            ((int32_t *)out->values)[i] =
                (int32_t)shift_one(direction, arus_int_at(&call->args[0], i), by, false);
        }
    }
    return ARUS_OK;
}

#define OPERATOR_WITH(flags_, name_, aliases_, min_, max_, bind_, text_, signature_, help_,        \
                      example_, result_)                                                           \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = ARUS_STRICT | ARUS_CHEAP | (flags_),          \
        .arg_min = min_, .arg_max = max_, .bind = bind_, .text = text_, .signature = signature_,   \
        .help = help_, .example = example_, .result = result_                                      \
    }
#define OPERATOR(...) OPERATOR_WITH(0, __VA_ARGS__)
#define DIVISION(...) OPERATOR_WITH(ARUS_LAST_FIRST, __VA_ARGS__)

const struct arus_function ARUS_OPERATORS[] = {
    OPERATOR("+", NULL, 1, 2, bind_add, "@($1 + $2)", "a + b", "sum; DATE + days; time + interval",
             "1 + 2", "3"),
    OPERATOR("-", NULL, 1, 2, bind_subtract, "@($1 - $2)", "a - b", "difference", "1 - 2", "-1"),
    OPERATOR("*", NULL, 2, 2, bind_multiply, "($1 * $2)", "a * b", "product", "2 * 3", "6"),
    DIVISION("/", NULL, 2, 2, bind_divide, "($1 / $2)", "a / b -> DOUBLE or DECIMAL", "quotient",
             "1 / 2", "0.5"),
    DIVISION("%", "mod", 2, 2, bind_remainder, "@($1 % $2)", "a % b", "rest, with the sign of a",
             "-7 % 3", "-1"),
    DIVISION("div", NULL, 2, 2, bind_div, "($1 div $2)", "a DIV b -> BIGINT", "integral quotient",
             "7 div 2", "3"),
    DIVISION("pmod", NULL, 2, 2, bind_pmod, NULL, "pmod(a, b)",
             "rest that is not negative for b > 0", "pmod(-7, 3)", "2"),
    OPERATOR("try_add", NULL, 2, 2, bind_add, NULL, "try_add(a, b)", "a + b; NULL on overflow",
             "try_add(2147483647, 1)", "NULL"),
    OPERATOR("try_subtract", NULL, 2, 2, bind_subtract, NULL, "try_subtract(a, b)",
             "a - b; NULL on overflow", "try_subtract(1, 2)", "-1"),
    OPERATOR("try_multiply", NULL, 2, 2, bind_multiply, NULL, "try_multiply(a, b)",
             "a * b; NULL on overflow", "try_multiply(2, 3)", "6"),
    DIVISION("try_divide", NULL, 2, 2, bind_divide, NULL, "try_divide(a, b)",
             "a / b; NULL for b = 0", "try_divide(1, 0)", "NULL"),
    DIVISION("try_mod", NULL, 2, 2, bind_remainder, NULL, "try_mod(a, b)", "a % b; NULL for b = 0",
             "try_mod(7, 0)", "NULL"),
    OPERATOR("&", NULL, 2, 2, bind_bits, "($1 & $2)", "a & b", "bitwise and", "6 & 3", "2"),
    OPERATOR("|", NULL, 2, 2, bind_bits, "($1 | $2)", "a | b", "bitwise or", "6 | 3", "7"),
    OPERATOR("^", NULL, 2, 2, bind_bits, "($1 ^ $2)", "a ^ b", "bitwise exclusive or", "6 ^ 3",
             "5"),
    {.name = "~",
     .flags = ARUS_STRICT | ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 1,
     .kernel = kernel_bit_not,
     .takes = "=I",
     .gives = "1",
     .text = "~$1",
     .signature = "~a",
     .help = "bitwise not",
     .example = "~5",
     .result = "-6"},
    OPERATOR("negative", NULL, 1, 1, bind_negative, NULL, "negative(x)", "-x", "negative(1)", "-1"),
    OPERATOR("positive", NULL, 1, 1, bind_positive, "(+ $1)", "positive(x)", "x", "positive(1)",
             "1"),
    {.name = "<<",
     .aliases = "shiftleft",
     .flags = ARUS_STRICT | ARUS_CHEAP,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_shift,
     .kernel = kernel_shift,
     .text = "@($1 << $2)",
     .signature = "shiftleft(x, n)",
     .help = "x << n; n modulo 32 or 64",
     .example = "shiftleft(1L, 40)",
     .result = "1099511627776"},
    {.name = ">>",
     .aliases = "shiftright",
     .flags = ARUS_STRICT | ARUS_CHEAP,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_shift,
     .kernel = kernel_shift,
     .text = "@($1 >> $2)",
     .signature = "shiftright(x, n)",
     .help = "x >> n, keeping the sign",
     .example = "shiftright(-8, 1)",
     .result = "-4"},
    {.name = ">>>",
     .aliases = "shiftrightunsigned",
     .flags = ARUS_STRICT | ARUS_CHEAP,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_shift,
     .kernel = kernel_shift,
     .text = "@($1 >>> $2)",
     .signature = "shiftrightunsigned(x, n)",
     .help = "x >>> n, filling with zeros",
     .example = "shiftrightunsigned(-1, 28)",
     .result = "15"},
    {0},
};
