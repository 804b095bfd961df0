/** AND, OR, NOT, CASE, IF, COALESCE and what is made of them. */
#include "expr/coerce.h"
#include "expr/families.h"

static enum arus_status take_booleans(struct arus_bind *bind, const char *condition,
                                      struct arus_error *err)
{
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        const struct arus_type *type = bind->args[i]->type;

        if (type->id != ARUS_TYPE_BOOLEAN && type->id != ARUS_TYPE_VOID) {
            const struct arus_type *other =
                bind->arg_count == 2 ? bind->args[1 - i]->type : &ARUS_VOID;

            if (type->id == ARUS_TYPE_STRING && bind->is_ansi && other->id == ARUS_TYPE_BOOLEAN) {
                ARUS_TRY(arus_arg_cast(bind, i, &ARUS_BOOLEAN, err));
                continue;
            }
            return arus_fail_at(
                err, bind->place,
                arus_type_equal(other, type) ? "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE" : condition,
                "`%.*s` takes BOOLEAN, not %s", ARUS_TEXT_ARGS(bind->name),
                arus_type_name(type).text);
        }
        ARUS_TRY(arus_arg_cast(bind, i, &ARUS_BOOLEAN, err));
    }
    bind->type = &ARUS_BOOLEAN;
    return ARUS_OK;
}

static enum arus_status bind_logic(struct arus_bind *bind, struct arus_error *err)
{
    bool is_nullable = false;

    for (uint32_t i = 0; i < bind->arg_count; i++) {
        is_nullable |= bind->args[i]->is_nullable;
    }
    bind->is_nullable = is_nullable;
    return take_booleans(bind, "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", err);
}

static enum arus_status bind_not(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 0, "o", err));
    bind->type = &ARUS_BOOLEAN;
    return ARUS_OK;
}

static enum arus_status kernel_not(const struct arus_kernel_call *call, struct arus_vector *out,
                                   uint32_t *bad_row, struct arus_error *err)
{
    const uint8_t *a = call->args[0].values;
    uint8_t *r;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, &ARUS_BOOLEAN, call->row_count, call->step, err));
    r = out->values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        r[i] = a[i] ^ 1;
    }
    return ARUS_OK;
}

/* ---- CASE ---- */

static enum arus_status take_condition(struct arus_bind *bind, uint32_t i, struct arus_error *err)
{
    const struct arus_expr *arg = bind->args[i];

    if (arg->type->id != ARUS_TYPE_BOOLEAN &&
        (arg->type->id != ARUS_TYPE_VOID || bind->function->name[0] == 'c')) {
        return arus_fail_at(err, arg->place.size > 0 ? arg->place : bind->place,
                            "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                            "a condition must be BOOLEAN, not %s", arus_type_name(arg->type).text);
    }
    return arus_arg_cast(bind, i, &ARUS_BOOLEAN, err);
}

/* The values are args 1, 3, 5, ... and the last one if the count is odd: brought to one type. */
static enum arus_status common_values(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_bind values = *bind;
    uint32_t count = 0;

    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, bind->arg_count, &values.args, err));
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        if (i % 2 == 1 || i == bind->arg_count - 1) {
            values.args[count++] = bind->args[i];
        }
    }
    values.arg_count = count;
    ARUS_TRY(arus_args_common(&values, 0, 1, &bind->type, err));
    count = 0;
    bind->is_nullable = bind->arg_count % 2 == 0;
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        if (i % 2 == 1 || i == bind->arg_count - 1) {
            bind->is_nullable |= values.args[count]->is_nullable;
            bind->args[i] = values.args[count++];
        }
    }
    return ARUS_OK;
}

static enum arus_status bind_case(struct arus_bind *bind, struct arus_error *err)
{
    for (uint32_t i = 0; i + 1 < bind->arg_count; i += 2) {
        ARUS_TRY(take_condition(bind, i, err));
    }
    return common_values(bind, err);
}

/* CASE x WHEN a THEN b ..: CASE WHEN x = a THEN b .. */
static enum arus_status bind_case_operand(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr **args;
    const uint32_t count = bind->arg_count - 1;

    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, count, &args, err));
    for (uint32_t i = 0; i < count; i++) {
        args[i] = bind->args[i + 1];
        if (i % 2 == 0 && i + 1 < count) {
            const struct arus_expr *sides[2] = {bind->args[0], bind->args[i + 1]};

            ARUS_TRY(arus_call_of(bind, "=", sides, 2, &args[i], err));
        }
    }
    return arus_call_of(bind, "case", args, count, &bind->replacement, err);
}

/* decode(x, match, value, .., [default]): NULL matches NULL. Two arguments: a character set. */
static enum arus_status bind_decode(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr **args;
    const uint32_t count = bind->arg_count - 1;

    if (bind->arg_count == 2) {
        return arus_bind_as(bind, "decode_charset", err);
    }
    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, count, &args, err));
    for (uint32_t i = 0; i < count; i++) {
        args[i] = bind->args[i + 1];
        if (i % 2 == 0 && i + 1 < count) {
            const struct arus_expr *sides[2] = {bind->args[0], bind->args[i + 1]};

            ARUS_TRY(arus_call_of(bind, "<=>", sides, 2, &args[i], err));
        }
    }
    return arus_call_of(bind, "case", args, count, &bind->replacement, err);
}

/* ---- made of others ---- */

static enum arus_status bind_coalesce(struct arus_bind *bind, struct arus_error *err)
{
    bind->is_nullable = true;
    ARUS_TRY(arus_args_common(bind, 0, 1, &bind->type, err));
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        bind->is_nullable &= bind->args[i]->is_nullable;
    }
    return ARUS_OK;
}

static enum arus_status bind_nvl(struct arus_bind *bind, struct arus_error *err)
{
    return arus_bind_as(bind, "coalesce", err);
}

static enum arus_status bind_nvl2(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *args[3] = {NULL, bind->args[1], bind->args[2]};

    ARUS_TRY(arus_call_of(bind, "is not null", bind->args, 1, &args[0], err));
    return arus_call_of(bind, "if", args, 3, &bind->replacement, err);
}

/* if(a = b, NULL, a) */
static enum arus_status bind_nullif(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *args[3];

    ARUS_TRY(arus_call_of(bind, "=", bind->args, 2, &args[0], err));
    ARUS_TRY(arus_literal_null(bind->args[0]->type, bind->arena, &args[1], err));
    args[2] = bind->args[0];
    return arus_call_of(bind, "if", args, 3, &bind->replacement, err);
}

static enum arus_status bind_nullifzero(struct arus_bind *bind, struct arus_error *err)
{
    const int32_t zero = 0;
    const struct arus_expr *args[2] = {bind->args[0]};

    ARUS_TRY(arus_literal_of(&ARUS_INT, &zero, bind->arena, &args[1], err));
    return arus_call_of(bind, "nullif", args, 2, &bind->replacement, err);
}

static enum arus_status bind_zeroifnull(struct arus_bind *bind, struct arus_error *err)
{
    const int32_t zero = 0;
    const struct arus_expr *args[2] = {bind->args[0]};

    ARUS_TRY(arus_literal_of(&ARUS_INT, &zero, bind->arena, &args[1], err));
    return arus_call_of(bind, "coalesce", args, 2, &bind->replacement, err);
}

static enum arus_status bind_isnull(struct arus_bind *bind, struct arus_error *err)
{
    return arus_bind_as(bind, "is null", err);
}

static enum arus_status bind_isnotnull(struct arus_bind *bind, struct arus_error *err)
{
    return arus_bind_as(bind, "is not null", err);
}

static enum arus_status bind_nanvl(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *args[3];
    const struct arus_type *type;

    for (uint32_t i = 0; i < 2; i++) {
        if (!arus_type_is_fractional(bind->args[i]->type)) {
            ARUS_TRY(arus_arg_take(bind, i, "d", err));
        }
    }
    ARUS_TRY(arus_args_common(bind, 0, 1, &type, err));
    ARUS_TRY(arus_call_of(bind, "isnan", bind->args, 1, &args[0], err));
    args[1] = bind->args[1];
    args[2] = bind->args[0];
    return arus_call_of(bind, "if", args, 3, &bind->replacement, err);
}

static enum arus_status bind_try(struct arus_bind *bind, struct arus_error *err)
{
    (void)err;
    bind->type = bind->args[0]->type;
    bind->is_nullable = true;
    bind->can_fail = false;
    return ARUS_OK;
}

#define MADE(name_, aliases_, min_, max_, bind_, signature_, help_, example_, result_)             \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = ARUS_CHEAP, .arg_min = min_, .arg_max = max_, \
        .bind = bind_, .signature = signature_, .help = help_, .example = example_,                \
        .result = result_                                                                          \
    }

const struct arus_function ARUS_CONDITIONALS[] = {
    {.name = "and",
     .flags = ARUS_LAZY | ARUS_CHEAP,
     .arg_min = 2,
     .arg_max = 255,
     .bind = bind_logic,
     .text = "($1 AND $2)",
     .signature = "a AND b -> BOOLEAN",
     .help = "false wins over NULL",
     .example = "false AND NULL",
     .result = "false"},
    {.name = "or",
     .flags = ARUS_LAZY | ARUS_CHEAP,
     .arg_min = 2,
     .arg_max = 255,
     .bind = bind_logic,
     .text = "($1 OR $2)",
     .signature = "a OR b -> BOOLEAN",
     .help = "true wins over NULL",
     .example = "true OR NULL",
     .result = "true"},
    {.name = "not",
     .aliases = "!",
     .flags = ARUS_STRICT | ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_not,
     .kernel = kernel_not,
     .text = "(NOT $1)",
     .signature = "NOT a -> BOOLEAN",
     .help = "NULL stays NULL",
     .example = "NOT true",
     .result = "false"},
    {.name = "case",
     .flags = ARUS_LAZY | ARUS_CHEAP,
     .arg_min = 2,
     .arg_max = 255,
     .bind = bind_case,
     .text = "$C",
     .signature = "CASE WHEN c THEN v .. [ELSE v] END",
     .help = "value of the first condition that is true",
     .example = "CASE WHEN 1 > 2 THEN 'a' ELSE 'b' END",
     .result = "b"},
    {.name = "case_operand",
     .flags = ARUS_CHEAP,
     .arg_min = 3,
     .arg_max = 255,
     .bind = bind_case_operand,
     .text = ""},
    {.name = "if",
     .flags = ARUS_LAZY | ARUS_CHEAP,
     .arg_min = 3,
     .arg_max = 3,
     .bind = bind_case,
     .text = "(IF($1, $2, $3))",
     .signature = "if(condition, a, b)",
     .help = "a where the condition is true, else b",
     .example = "if(1 < 2, 'a', 'b')",
     .result = "a"},
    {.name = "coalesce",
     .flags = ARUS_LAZY | ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 255,
     .bind = bind_coalesce,
     .signature = "coalesce(a, b, ..)",
     .help = "the first argument that is not NULL",
     .example = "coalesce(NULL, 1)",
     .result = "1"},
    {.name = "try_eval", /* inside of the try_ functions */
     .flags = ARUS_LAZY,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_try,
     .text = "$1"},
    MADE("nvl", "ifnull", 2, 2, bind_nvl, "nvl(a, b)", "a, or b where a is NULL", "nvl(NULL, 1)",
         "1"),
    MADE("nvl2", NULL, 3, 3, bind_nvl2, "nvl2(x, a, b)", "a where x is not NULL, else b",
         "nvl2(NULL, 1, 2)", "2"),
    MADE("nullif", NULL, 2, 2, bind_nullif, "nullif(a, b)", "NULL where a = b, else a",
         "nullif(1, 1)", "NULL"),
    MADE("nullifzero", NULL, 1, 1, bind_nullifzero, "nullifzero(x)", "NULL for 0", "nullifzero(0)",
         "NULL"),
    MADE("zeroifnull", NULL, 1, 1, bind_zeroifnull, "zeroifnull(x)", "0 for NULL",
         "zeroifnull(NULL)", "0"),
    {.name = "isnull",
     .flags = ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_isnull,
     .text = "", /* that of x IS NULL */
     .signature = "isnull(x) -> BOOLEAN",
     .help = "x IS NULL",
     .example = "isnull(NULL)",
     .result = "true"},
    {.name = "isnotnull",
     .flags = ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_isnotnull,
     .text = "", /* that of x IS NOT NULL */
     .signature = "isnotnull(x) -> BOOLEAN",
     .help = "x IS NOT NULL",
     .example = "isnotnull(1)",
     .result = "true"},
    MADE("nanvl", NULL, 2, 2, bind_nanvl, "nanvl(a, b)", "b where a is NaN, else a",
         "nanvl(double('NaN'), 1)", "1.0"),
    MADE("decode", NULL, 2, 255, bind_decode, "decode(x, match, value, .., [default])",
         "value of the first match; decode(bytes, charset): text", "decode(2, 1, 'a', 2, 'b')",
         "b"),
    {0},
};
