/** =, <=>, <, IN, BETWEEN, IS NULL and their kin. */
#include "expr/compare.h"
#include "expr/families.h"
#include "expr/in_set.h"
#include "expr/strings.h"

/* ---- rewrites ---- */

static enum arus_status negated(struct arus_bind *bind, const char *name, struct arus_error *err)
{
    const struct arus_expr *inner;

    ARUS_TRY(arus_call_of(bind, name, bind->args, bind->arg_count, &inner, err));
    return arus_call_of(bind, "not", &inner, 1, &bind->replacement, err);
}

static enum arus_status bind_not_equal(struct arus_bind *bind, struct arus_error *err)
{
    return negated(bind, "=", err);
}

static enum arus_status bind_distinct(struct arus_bind *bind, struct arus_error *err)
{
    return negated(bind, "<=>", err);
}

/* low <= x AND x <= high, with its own text */
static enum arus_status bind_between(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *low[2] = {bind->args[0], bind->args[1]};
    const struct arus_expr *high[2] = {bind->args[0], bind->args[2]};
    const struct arus_expr *both[2];

    ARUS_TRY(arus_call_of(bind, ">=", low, 2, &both[0], err));
    ARUS_TRY(arus_call_of(bind, "<=", high, 2, &both[1], err));
    return arus_call_of(bind, "and", both, 2, &bind->replacement, err);
}

static enum arus_status truth_test(struct arus_bind *bind, uint8_t wanted, struct arus_error *err)
{
    const struct arus_expr *sides[2] = {bind->args[0]};

    ARUS_TRY(arus_literal_of(&ARUS_BOOLEAN, &wanted, bind->arena, &sides[1], err));
    return arus_call_of(bind, "<=>", sides, 2, &bind->replacement, err);
}

static enum arus_status bind_is_true(struct arus_bind *bind, struct arus_error *err)
{
    return truth_test(bind, 1, err);
}

static enum arus_status bind_is_false(struct arus_bind *bind, struct arus_error *err)
{
    return truth_test(bind, 0, err);
}

/* ---- IS NULL ---- */

static enum arus_status kernel_is_null(const struct arus_kernel_call *call, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    const uint8_t when_null = strcmp(call->expr->function->name, "is null") == 0;
    const struct arus_vector *arg = &call->args[0];
    uint8_t *r;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, &ARUS_BOOLEAN, call->row_count, call->step, err));
    r = out->values;
    if (arg->type->id == ARUS_TYPE_VOID || arg->validity == NULL) {
        memset(r, arg->type->id == ARUS_TYPE_VOID ? when_null : !when_null, call->row_count);
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        const uint8_t is_valid = (arg->validity[i / 64] >> (i % 64)) & 1;

        r[i] = is_valid ^ when_null;
    }
    return ARUS_OK;
}

static enum arus_status bind_is_null(struct arus_bind *bind, struct arus_error *err)
{
    (void)err;
    bind->type = &ARUS_BOOLEAN;
    bind->is_nullable = false;
    return ARUS_OK;
}

static enum arus_status bind_equal_null(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_bind_compare(bind, err));
    bind->is_nullable = false;
    return ARUS_OK;
}

/* ---- IN ---- */

/* All list values constant: collected into one vector of values and a flag for NULL. */
static enum arus_status collect_constants(struct arus_bind *bind, const struct arus_type *type,
                                          const struct arus_in_set **out, struct arus_error *err)
{
    const uint32_t size = arus_type_value_size(type);
    struct arus_vector *values;
    bool has_null = false;

    *out = NULL;
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_vector, 1, &values, err));
    ARUS_TRY(arus_vector_init(values, type, bind->arg_count, bind->arena, err));
    values->row_count = 0;
    for (uint32_t i = 1; i < bind->arg_count; i++) {
        struct arus_vector value;
        bool is_found;

        ARUS_TRY(arus_arg_constant(bind, i, &value, &is_found, err));
        if (!is_found) {
            return ARUS_OK;
        }
        if (!arus_vector_is_valid(&value, 0)) {
            has_null = true;
            continue;
        }
        memcpy((char *)values->values + (size_t)values->row_count * size, value.values, size);
        values->row_count++;
    }
    return arus_in_set_make(values, has_null, bind->arena, out, err);
}

/* x = a OR x = b OR ...: true wins over null, null over false. */
static enum arus_status kernel_in_list(const struct arus_kernel_call *call, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, &ARUS_BOOLEAN, call->row_count, call->step, err));
    ARUS_TRY(arus_vector_need_validity(out, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        bool is_found = false;
        bool has_null = !arus_vector_is_valid(arg, i);

        for (uint32_t j = 1; !has_null && !is_found && j < call->expr->arg_count; j++) {
            is_found = arus_vector_is_valid(&call->args[j], i) &&
                       arus_vector_compare(arg, i, &call->args[j], i) == 0;
        }
        for (uint32_t j = 1; !has_null && !is_found && j < call->expr->arg_count; j++) {
            has_null = !arus_vector_is_valid(&call->args[j], i);
        }
        ((uint8_t *)out->values)[i] = is_found;
        if (has_null && !is_found) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

/* Constants that might fail become literals, with their text, once they are known not to. */
static enum arus_status settle_constants(struct arus_bind *bind, bool *can_fail,
                                         struct arus_error *err)
{
    *can_fail = false;
    for (uint32_t i = 1; i < bind->arg_count; i++) {
        const struct arus_expr *arg = bind->args[i];
        struct arus_buffer text = {0};
        struct arus_vector value;
        struct arus_expr *copy;
        enum arus_status status;
        bool is_found;

        if (!arus_expr_can_fail(arg)) {
            continue;
        }
        ARUS_TRY(arus_arg_constant(bind, i, &value, &is_found, err));
        *can_fail |= !is_found;
        if (!is_found) {
            continue;
        }
        ARUS_TRY(arus_literal_make(&value, arg->place, bind->arena, &bind->args[i], err));
        ARUS_TRY(ARUS_NEW(bind->arena, struct arus_expr, 1, &copy, err));
        *copy = *bind->args[i];
        bind->args[i] = copy;
        status = arus_expr_text(arg, &text, err);
        if (status == ARUS_OK) {
            status = arus_text_copy(arus_buffer_text(&text), bind->arena, &copy->text, err);
        }
        arus_buffer_release(&text);
        ARUS_TRY(status);
    }
    return ARUS_OK;
}

/* Values that may fail are looked at one by one: IF(x IS NULL, NULL, x = a OR x = b OR ..) */
static enum arus_status bind_lazy_in(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *args[3];
    const struct arus_expr **equals;

    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, bind->arg_count, &equals, err));
    for (uint32_t i = 1; i < bind->arg_count; i++) {
        const struct arus_expr *sides[2] = {bind->args[0], bind->args[i]};

        ARUS_TRY(arus_call_of(bind, "=", sides, 2, &equals[i - 1], err));
    }
    args[2] = equals[0];
    if (bind->arg_count > 2) {
        ARUS_TRY(arus_call_of(bind, "or", equals, bind->arg_count - 1, &args[2], err));
    }
    ARUS_TRY(arus_call_of(bind, "is null", bind->args, 1, &args[0], err));
    ARUS_TRY(arus_literal_null(&ARUS_BOOLEAN, bind->arena, &args[1], err));
    return arus_call_of(bind, "if", args, 3, &bind->replacement, err);
}

static enum arus_status bind_in(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type;
    const struct arus_in_set *set = NULL;
    bool can_fail;

    ARUS_TRY(arus_args_common(bind, 0, 1, &type, err));
    if (!arus_type_is_orderable(type)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                            "IN cannot compare %s", arus_type_name(type).text);
    }
    ARUS_TRY(settle_constants(bind, &can_fail, err));
    bind->type = &ARUS_BOOLEAN;
    bind->kernel = kernel_in_list;
    if (can_fail) {
        return bind_lazy_in(bind, err);
    }
    if (arus_in_set_fits(type, bind->arg_count - 1)) {
        ARUS_TRY(collect_constants(bind, type, &set, err));
    }
    if (set != NULL) {
        bind->bound = set;
        bind->kernel = arus_kernel_in_set;
    }
    return ARUS_OK;
}

#define COMPARISON(name_, aliases_, text_, help_, example_, result_)                               \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = ARUS_STRICT | ARUS_CHEAP, .arg_min = 2,       \
        .arg_max = 2, .bind = arus_bind_compare, .kernel = arus_kernel_compare, .text = text_,     \
        .signature = "a " name_ " b -> BOOLEAN", .help = help_, .example = example_,               \
        .result = result_                                                                          \
    }
#define REWRITE(name_, aliases_, count_, bind_, text_, signature_, help_, example_, result_)       \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = ARUS_CHEAP, .arg_min = count_,                \
        .arg_max = count_, .bind = bind_, .text = text_, .signature = signature_, .help = help_,   \
        .example = example_, .result = result_                                                     \
    }

const struct arus_function ARUS_COMPARISONS[] = {
    COMPARISON("=", "==", "($1 = $2)", "equal; NULL if a side is NULL", "1 = NULL", "NULL"),
    COMPARISON("<", NULL, "($1 < $2)", "less", "1 < 2", "true"),
    COMPARISON("<=", "!>", "($1 <= $2)", "less or equal", "1 <= 1", "true"),
    COMPARISON(">", NULL, "($1 > $2)", "greater", "1 > 2", "false"),
    COMPARISON(">=", "!<", "($1 >= $2)", "greater or equal", "'b' >= 'a'", "true"),
    {.name = "<=>",
     .flags = ARUS_CHEAP,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_equal_null,
     .kernel = arus_kernel_equal_null,
     .text = "($1 <=> $2)",
     .signature = "a <=> b -> BOOLEAN",
     .help = "equal, NULL counts as a value",
     .example = "NULL <=> NULL",
     .result = "true"},
    {.name = "equal_null",
     .flags = ARUS_CHEAP,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_equal_null,
     .kernel = arus_kernel_equal_null,
     .signature = "equal_null(a, b) -> BOOLEAN",
     .help = "a <=> b",
     .example = "equal_null(NULL, NULL)",
     .result = "true"},
    REWRITE("!=", "<>", 2, bind_not_equal, "", "a != b", "not equal; NULL if a side is NULL",
            "1 <> 2", "true"),
    REWRITE("is distinct from", NULL, 2, bind_distinct, "", "a IS DISTINCT FROM b",
            "not equal; NULL is a value", "NULL IS DISTINCT FROM 1", "true"),
    REWRITE("between", NULL, 3, bind_between, NULL, "x BETWEEN low AND high",
            "low <= x and x <= high", "2 BETWEEN 1 AND 3", "true"),
    REWRITE("is true", NULL, 1, bind_is_true, "", "x IS TRUE", "true and not NULL", "NULL IS TRUE",
            "false"),
    REWRITE("is false", NULL, 1, bind_is_false, "", "x IS FALSE", "false and not NULL",
            "NULL IS FALSE", "false"),
    {.name = "is null",
     .aliases = "is unknown",
     .flags = ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_is_null,
     .kernel = kernel_is_null,
     .text = "($1 IS NULL)",
     .signature = "x IS NULL",
     .help = "has it no value?",
     .example = "NULL IS NULL",
     .result = "true"},
    {.name = "is not null",
     .flags = ARUS_CHEAP,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_is_null,
     .kernel = kernel_is_null,
     .text = "($1 IS NOT NULL)",
     .signature = "x IS NOT NULL",
     .help = "has it a value?",
     .example = "NULL IS NOT NULL",
     .result = "false"},
    {.name = "in",
     .flags = 0,
     .arg_min = 2,
     .arg_max = 255,
     .bind = bind_in,
     .text = "($1 IN ($+))",
     .signature = "x IN (a, b, ..) -> BOOLEAN",
     .help = "NULL if no match and a NULL is among them",
     .example = "2 IN (1, 2)",
     .result = "true"},
    {0},
};
