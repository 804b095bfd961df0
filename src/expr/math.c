/** Functions of DOUBLE, sign, absolute value, extremes of arguments, bits. */
#include "expr/compare.h"
#include "expr/extreme.h"
#include "expr/families.h"
#include "expr/gather.h"
#include "expr/rowwise.h"

#include <math.h>

/* ---- DOUBLE -> DOUBLE; some have no value for some arguments ---- */

enum domain { ANY_NUMBER, ABOVE_ZERO, ABOVE_MINUS_ONE };

struct unary {
    const char *name;
    double (*fn)(double x);
    enum domain domain;
};

static double cot(double x)
{
    return 1.0 / tan(x);
}
static double sec(double x)
{
    return 1.0 / cos(x);
}
static double csc(double x)
{
    return 1.0 / sin(x);
}
static double degrees(double x)
{
    return x * 57.29577951308232;
}
static double radians(double x)
{
    return x * 0.017453292519943295;
}
static double sign(double x)
{
    return x > 0 ? 1.0 : x < 0 ? -1.0 : x;
}
/* one step of Newton on the library's root: whole roots come out whole */
static double cube_root(double x)
{
    const double root = cbrt(x);

    return root == 0 || !isfinite(root) ? root
                                        : root - (root * root * root - x) / (3 * root * root);
}
/* Spark's own formulas */
static double acosh_spark(double x)
{
    return log(x + sqrt(x * x - 1.0));
}
static double atanh_spark(double x)
{
    return 0.5 * (log1p(x) - log1p(-x));
}

static const struct unary UNARIES[] = {
    {"sqrt", sqrt, ANY_NUMBER},
    {"cbrt", cube_root, ANY_NUMBER},
    {"exp", exp, ANY_NUMBER},
    {"expm1", expm1, ANY_NUMBER},
    {"ln", log, ABOVE_ZERO},
    {"log10", log10, ABOVE_ZERO},
    {"log2", log2, ABOVE_ZERO},
    {"log1p", log1p, ABOVE_MINUS_ONE},
    {"sin", sin, ANY_NUMBER},
    {"cos", cos, ANY_NUMBER},
    {"tan", tan, ANY_NUMBER},
    {"asin", asin, ANY_NUMBER},
    {"acos", acos, ANY_NUMBER},
    {"atan", atan, ANY_NUMBER},
    {"sinh", sinh, ANY_NUMBER},
    {"cosh", cosh, ANY_NUMBER},
    {"tanh", tanh, ANY_NUMBER},
    {"asinh", asinh, ANY_NUMBER},
    {"acosh", acosh_spark, ANY_NUMBER},
    {"atanh", atanh_spark, ANY_NUMBER},
    {"cot", cot, ANY_NUMBER},
    {"sec", sec, ANY_NUMBER},
    {"csc", csc, ANY_NUMBER},
    {"degrees", degrees, ANY_NUMBER},
    {"radians", radians, ANY_NUMBER},
    {"rint", rint, ANY_NUMBER},
    {"sign", sign, ANY_NUMBER},
};

static enum arus_status bind_unary(struct arus_bind *bind, struct arus_error *err)
{
    size_t i = 0;

    while (strcmp(UNARIES[i].name, bind->function->name) != 0) {
        i++;
    }
    bind->bound = &UNARIES[i];
    bind->type = &ARUS_DOUBLE;
    bind->is_nullable |= UNARIES[i].domain != ANY_NUMBER;
    return arus_arg_take(bind, 0, "d", err);
}

static enum arus_status kernel_unary(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    const struct unary *unary = call->expr->bound;
    const double *x = call->args[0].values;
    const double bound = unary->domain == ABOVE_ZERO ? 0.0 : -1.0;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, &ARUS_DOUBLE, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        ((double *)out->values)[i] = unary->fn(x[i]);
    }
    for (uint32_t i = 0; unary->domain != ANY_NUMBER && i < call->row_count; i++) {
        if (x[i] <= bound) {
            ARUS_TRY(arus_vector_need_validity(out, call->step, err));
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

/* ---- two DOUBLEs ---- */

/* As Java: NaN wins over 1, and |1| to an infinite power is NaN. */
static double power(double x, double y)
{
    if (isnan(y) || (fabs(x) == 1.0 && isinf(y))) {
        return (double)NAN;
    }
    return pow(x, y);
}

static enum arus_status binary(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const char *name = row->call->expr->function->name;
    const double x = arus_double_at(&row->call->args[0], i);
    const double y = arus_double_at(&row->call->args[1], i);
    double *r = (double *)row->out->values + i;

    if (name[0] == 'p') {
        *r = power(x, y);
    } else if (name[0] == 'a') {
        *r = atan2(x + 0.0, y + 0.0); /* Spark: -0.0 counts as 0.0 */
    } else if (name[0] == 'h') {
        *r = hypot(x, y);
    } else {
        *r = log(y) / log(x);
        return x <= 0 || y <= 0 ? arus_row_null(row, i, err) : ARUS_OK;
    }
    return ARUS_OK;
}
ARUS_ROWWISE(binary)

static enum arus_status bind_log(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->arg_count == 1) {
        return arus_bind_as(bind, "ln", err);
    }
    bind->type = &ARUS_DOUBLE;
    bind->is_nullable = true;
    return arus_args_take(bind, "d", err);
}

static enum arus_status bind_constant(struct arus_bind *bind, struct arus_error *err)
{
    const double value = bind->function->name[0] == 'e' ? 2.718281828459045 : 3.141592653589793;

    return arus_literal_of(&ARUS_DOUBLE, &value, bind->arena, &bind->replacement, err);
}

/* ---- abs ---- */

static enum arus_status absolute(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_vector *arg = &row->call->args[0];
    struct arus_vector *out = row->out;
    int64_t value;

    if (arg->type->id == ARUS_TYPE_DOUBLE) {
        ((double *)out->values)[i] = fabs(((const double *)arg->values)[i]);
        return ARUS_OK;
    }
    if (arg->type->id == ARUS_TYPE_FLOAT) {
        ((float *)out->values)[i] = fabsf(((const float *)arg->values)[i]);
        return ARUS_OK;
    }
    if (arus_type_is_wide(arg->type)) {
        const arus_int128 wide = ((const arus_int128 *)arg->values)[i];

        ((arus_int128 *)out->values)[i] = wide < 0 ? -wide : wide;
        return ARUS_OK;
    }
    switch (arus_type_value_size(arg->type)) {
    case 1:
        value = ((const int8_t *)arg->values)[i];
        ((int8_t *)out->values)[i] = (int8_t)(value < 0 ? -value : value);
        value = value == INT8_MIN ? INT64_MIN : value;
        break;
    case 2:
        value = ((const int16_t *)arg->values)[i];
        ((int16_t *)out->values)[i] = (int16_t)(value < 0 ? -value : value);
        value = value == INT16_MIN ? INT64_MIN : value;
        break;
    case 4:
        value = ((const int32_t *)arg->values)[i];
        ((int32_t *)out->values)[i] = (int32_t)(value < 0 ? -value : value);
        value = value == INT32_MIN ? INT64_MIN : value;
        break;
    default:
        value = ((const int64_t *)arg->values)[i];
        ((int64_t *)out->values)[i] = (int64_t)(value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
        break;
    }
    if (value == INT64_MIN && row->call->expr->can_fail) {
        return arus_fail(err, ARUS_BAD_DATA, "ARITHMETIC_OVERFLOW",
                         "%s overflow: the smallest number has no opposite",
                         arus_type_name(arg->type).text);
    }
    return ARUS_OK;
}

ARUS_KERNEL static void absolute_doubles(const double *x, uint32_t count, double *r)
{
    for (uint32_t i = 0; i < count; i++) {
        r[i] = fabs(x[i]);
    }
}

static enum arus_status kernel_absolute(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];

    if (arg->type->id != ARUS_TYPE_DOUBLE || arg->form != ARUS_VECTOR_FLAT) {
        return arus_rowwise_run(call, absolute, out, bad_row, err);
    }
    ARUS_TRY(arus_vector_init(out, &ARUS_DOUBLE, call->row_count, call->step, err));
    absolute_doubles(arg->values, call->row_count, out->values);
    return ARUS_OK;
}

static enum arus_status bind_abs(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;

    if (id != ARUS_TYPE_INTERVAL_YM && id != ARUS_TYPE_INTERVAL_DT) {
        ARUS_TRY(arus_arg_take(bind, 0, "N", err));
    }
    bind->type = bind->args[0]->type;
    bind->can_fail = bind->is_ansi && !arus_type_is_fractional(bind->type) &&
                     bind->type->id != ARUS_TYPE_DECIMAL;
    return ARUS_OK;
}

/* ---- sign of intervals ---- */

static enum arus_status bind_sign(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;

    if (id == ARUS_TYPE_INTERVAL_YM || id == ARUS_TYPE_INTERVAL_DT) {
        ARUS_TRY(arus_call_of(bind, "interval_number", bind->args, 1, &bind->args[0], err));
    }
    return bind_unary(bind, err);
}

/* The months or microseconds of an interval. */
static enum arus_status interval_number(struct arus_rowwise *row, uint32_t i,
                                        struct arus_error *err)
{
    (void)err;
    arus_row_bigint(row, i,
                    row->call->args[0].type->id == ARUS_TYPE_INTERVAL_YM
                        ? arus_row_arg_int(row, 0, i)
                        : arus_row_arg_bigint(row, 0, i));
    return ARUS_OK;
}
ARUS_ROWWISE(interval_number)

/* ---- greatest, least: skip NULLs ---- */

static bool all_have_values(const struct arus_kernel_call *call)
{
    for (uint32_t a = 0; a < call->expr->arg_count; a++) {
        if (call->args[a].validity != NULL || call->args[a].type->id == ARUS_TYPE_VOID) {
            return false;
        }
    }
    return true;
}

/* Numbers without nulls: column by column. */
static enum arus_status merge_columns(const struct arus_kernel_call *call, bool wants_greatest,
                                      struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector *first = &call->args[0];
    const size_t size = arus_type_value_size(first->type);

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    if (first->form == ARUS_VECTOR_FLAT) {
        memcpy(out->values, first->values, call->row_count * size);
    }
    for (uint32_t i = 0; first->form == ARUS_VECTOR_CONSTANT && i < call->row_count; i++) {
        memcpy((char *)out->values + i * size, first->values, size);
    }
    for (uint32_t a = 1; a < call->expr->arg_count; a++) {
        arus_extreme_merge(&call->args[a], wants_greatest, call->row_count, out->values);
    }
    return ARUS_OK;
}

static enum arus_status kernel_extreme(const struct arus_kernel_call *call, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    const int wanted = call->expr->function->name[0] == 'g' ? 1 : -1;
    const struct arus_vector **sources;
    struct arus_picks picks = {.source_count = call->expr->arg_count, .row_count = call->row_count};
    uint32_t *which;
    uint32_t *at;

    (void)bad_row;
    if (arus_extreme_knows(call->expr->type) && all_have_values(call)) {
        return merge_columns(call, wanted > 0, out, err);
    }
    ARUS_TRY(ARUS_NEW(call->step, const struct arus_vector *, picks.source_count, &sources, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &which, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &at, err));
    for (uint32_t a = 0; a < picks.source_count; a++) {
        sources[a] = &call->args[a];
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        which[i] = ARUS_NULL_ROW;
        at[i] = i;
        for (uint32_t a = 0; a < picks.source_count; a++) {
            if (arus_vector_is_valid(sources[a], i) &&
                (which[i] == ARUS_NULL_ROW ||
                 arus_vector_compare(sources[a], i, sources[which[i]], i) * wanted > 0)) {
                which[i] = a;
            }
        }
    }
    picks.sources = sources;
    picks.which = which;
    picks.at = at;
    return arus_vector_pick(&picks, call->expr->type, call->step, out, err);
}

static enum arus_status bind_extreme(struct arus_bind *bind, struct arus_error *err)
{
    bool has_text = false;
    bool has_other = false;

    bind->is_nullable = true;
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        const enum arus_type_id id = bind->args[i]->type->id;

        has_text |= id == ARUS_TYPE_STRING;
        has_other |= id != ARUS_TYPE_STRING && id != ARUS_TYPE_VOID;
        bind->is_nullable &= bind->args[i]->is_nullable;
    }
    if (has_text && has_other) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                            "`%.*s` needs values of one type", ARUS_TEXT_ARGS(bind->name));
    }
    ARUS_TRY(arus_args_common(bind, 0, 1, &bind->type, err));
    if (!arus_type_is_orderable(bind->type)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                            "`%.*s` cannot order %s", ARUS_TEXT_ARGS(bind->name),
                            arus_type_name(bind->type).text);
    }
    return ARUS_OK;
}

/* ---- NaN ---- */

static enum arus_status isnan_row(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_vector *arg = &row->call->args[0];

    (void)err;
    if (arus_vector_is_valid(arg, i)) {
        arus_row_boolean(row, i,
                         arg->type->id == ARUS_TYPE_FLOAT
                             ? isnan(((const float *)arg->values)[i * ARUS_STEP(arg)])
                             : isnan(arus_double_at(arg, i)));
    }
    return ARUS_OK;
}
ARUS_ROWWISE(isnan_row)

static enum arus_status bind_isnan(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_BOOLEAN;
    bind->is_nullable = false;
    if (bind->args[0]->type->id == ARUS_TYPE_FLOAT) {
        return ARUS_OK;
    }
    return arus_arg_take(bind, 0, "d", err);
}

#define UNARY(name_, text_, help_, example_, result_)                                              \
    {                                                                                              \
        .name = name_, .text = text_, .flags = ARUS_STRICT, .arg_min = 1, .arg_max = 1,            \
        .bind = bind_unary, .kernel = kernel_unary, .signature = name_ "(x) -> DOUBLE",            \
        .help = help_, .example = example_, .result = result_                                      \
    }

const struct arus_function ARUS_MATHS[] = {
    UNARY("sqrt", "SQRT($1)", "square root; NaN for negative x", "sqrt(4)", "2.0"),
    UNARY("cbrt", "CBRT($1)", "cube root", "cbrt(27)", "3.0"),
    UNARY("exp", "EXP($1)", "e to the power x", "exp(0)", "1.0"),
    UNARY("expm1", "EXPM1($1)", "exp(x) - 1", "expm1(0)", "0.0"),
    UNARY("ln", NULL, "natural logarithm; NULL for x <= 0", "ln(1)", "0.0"),
    UNARY("log10", "LOG10($1)", "logarithm to base 10; NULL for x <= 0", "log10(1000)", "3.0"),
    UNARY("log2", "LOG2($1)", "logarithm to base 2; NULL for x <= 0", "log2(8)", "3.0"),
    UNARY("log1p", "LOG1P($1)", "ln(1 + x); NULL for x <= -1", "log1p(0)", "0.0"),
    UNARY("sin", "SIN($1)", "sine", "sin(0)", "0.0"),
    UNARY("cos", "COS($1)", "cosine", "cos(0)", "1.0"),
    UNARY("tan", "TAN($1)", "tangent", "tan(0)", "0.0"),
    UNARY("asin", "ASIN($1)", "inverse sine", "asin(0)", "0.0"),
    UNARY("acos", "ACOS($1)", "inverse cosine", "acos(1)", "0.0"),
    UNARY("atan", "ATAN($1)", "inverse tangent", "atan(0)", "0.0"),
    UNARY("sinh", "SINH($1)", "hyperbolic sine", "sinh(0)", "0.0"),
    UNARY("cosh", "COSH($1)", "hyperbolic cosine", "cosh(0)", "1.0"),
    UNARY("tanh", "TANH($1)", "hyperbolic tangent", "tanh(0)", "0.0"),
    UNARY("asinh", "ASINH($1)", "inverse hyperbolic sine", "asinh(0)", "0.0"),
    UNARY("acosh", "ACOSH($1)", "inverse hyperbolic cosine", "acosh(1)", "0.0"),
    UNARY("atanh", "ATANH($1)", "inverse hyperbolic tangent", "atanh(0)", "0.0"),
    UNARY("cot", "COT($1)", "cotangent", "cot(0)", "Infinity"),
    UNARY("sec", "SEC($1)", "secant", "sec(0)", "1.0"),
    UNARY("csc", "CSC($1)", "cosecant", "csc(0)", "Infinity"),
    UNARY("degrees", "DEGREES($1)", "radians to degrees", "degrees(3.141592653589793D)", "180.0"),
    UNARY("radians", "RADIANS($1)", "degrees to radians", "radians(180)", "3.141592653589793"),
    UNARY("rint", NULL, "nearest whole number, ties to even", "rint(2.5D)", "2.0"),
    {.name = "sign",
     .aliases = "signum",
     .alias_text = "SIGNUM($1)",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_sign,
     .kernel = kernel_unary,
     .signature = "sign(x) -> DOUBLE",
     .help = "-1.0, 0.0 or 1.0",
     .example = "sign(-5)",
     .result = "-1.0"},
    {.name = "pow",
     .aliases = "power",
     .alias_text = "POWER($*)",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .takes = "d",
     .gives = "d",
     .kernel = kernel_binary,
     .signature = "pow(x, y) -> DOUBLE",
     .help = "x to the power y",
     .example = "pow(2, 10)",
     .result = "1024.0"},
    {.name = "atan2",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .takes = "d",
     .gives = "d",
     .kernel = kernel_binary,
     .text = "ATAN2($*)",
     .signature = "atan2(y, x) -> DOUBLE",
     .help = "angle of a point",
     .example = "atan2(0, 1)",
     .result = "0.0"},
    {.name = "hypot",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .takes = "d",
     .gives = "d",
     .kernel = kernel_binary,
     .text = "HYPOT($*)",
     .signature = "hypot(x, y) -> DOUBLE",
     .help = "sqrt(x*x + y*y)",
     .example = "hypot(3, 4)",
     .result = "5.0"},
    {.name = "log",
     .text = "LOG($*)",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_log,
     .kernel = kernel_binary,
     .signature = "log([base, ]x) -> DOUBLE",
     .help = "logarithm; NULL for x <= 0",
     .example = "log(10, 100)",
     .result = "2.0"},
    {.name = "e",
     .text = "E()",
     .arg_min = 0,
     .arg_max = 0,
     .bind = bind_constant,
     .signature = "e() -> DOUBLE",
     .help = "Euler's number",
     .example = "e()",
     .result = "2.718281828459045"},
    {.name = "pi",
     .text = "PI()",
     .arg_min = 0,
     .arg_max = 0,
     .bind = bind_constant,
     .signature = "pi() -> DOUBLE",
     .help = "pi",
     .example = "pi()",
     .result = "3.141592653589793"},
    {.name = "abs",
     .flags = ARUS_STRICT | ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_abs,
     .kernel = kernel_absolute,
     .signature = "abs(x)",
     .help = "without its sign",
     .example = "abs(-3)",
     .result = "3"},
    {.name = "interval_number",
     .text = "$1",
     .flags = ARUS_STRICT | ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 1,
     .kernel = kernel_interval_number,
     .takes = ".",
     .gives = "l"},
    {.name = "greatest",
     .arg_min = 2,
     .arg_max = 255,
     .bind = bind_extreme,
     .kernel = kernel_extreme,
     .signature = "greatest(a, b, ..)",
     .help = "the largest; skips NULL",
     .example = "greatest(1, NULL, 3)",
     .result = "3"},
    {.name = "least",
     .arg_min = 2,
     .arg_max = 255,
     .bind = bind_extreme,
     .kernel = kernel_extreme,
     .signature = "least(a, b, ..)",
     .help = "the smallest; skips NULL",
     .example = "least(1, NULL, 3)",
     .result = "1"},
    {.name = "isnan",
     .flags = ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_isnan,
     .kernel = kernel_isnan_row,
     .signature = "isnan(x) -> BOOLEAN",
     .help = "is it NaN? false for NULL",
     .example = "isnan(double('NaN'))",
     .result = "true"},
    {0},
};
