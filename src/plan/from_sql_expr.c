/* Expressions of the syntax tree become unresolved ones: operators turn into calls. */
#include "column/value.h"
#include "plan/from_sql.h"
#include "plan/say.h"

#include <string.h>

/* Arguments while a call is made. */
struct call_parts {
    struct arus_arena *arena;
    const struct arus_ast_expr *expr; /* gives places */
};

enum arus_status arus_refuse(struct arus_error *err, struct arus_place place, const char *noun)
{
    arus_say(err, place, "ARUS_NOT_SUPPORTED", "%s not in arus", noun);
    return ARUS_BAD_CONFIG;
}

static enum arus_status new_expr(const struct arus_ast_expr *expr, enum arus_uexpr_kind kind,
                                 struct arus_arena *arena, struct arus_uexpr **out,
                                 struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, struct arus_uexpr, 1, out, err));
    (*out)->kind = kind;
    (*out)->place = expr->place;
    (*out)->name_place = expr->place;
    return ARUS_OK;
}

static enum arus_status new_call(const struct call_parts *parts, const char *name,
                                 const struct arus_uexpr *const *args, uint32_t count,
                                 const struct arus_uexpr **out, struct arus_error *err)
{
    struct arus_uexpr *made = NULL;

    ARUS_TRY(new_expr(parts->expr, ARUS_UEXPR_CALL, parts->arena, &made, err));
    made->text = arus_text_of(name);
    made->args.count = count;
    ARUS_TRY(ARUS_NEW(parts->arena, const struct arus_uexpr *, count, &made->args.items, err));
    if (count > 0) {
        memcpy((void *)made->args.items, (const void *)args, count * sizeof(*args));
    }
    *out = made;
    return ARUS_OK;
}

static enum arus_status new_not(const struct call_parts *parts, bool is_not,
                                const struct arus_uexpr **inout, struct arus_error *err)
{
    return is_not ? new_call(parts, "not", inout, 1, inout, err) : ARUS_OK;
}

/* ---- literals ---- */

static arus_int128 decimal_digits(struct arus_text text, int32_t scale)
{
    arus_int128 value = 0;
    int32_t shift = scale;
    bool is_negative = false;
    bool is_fraction = false;
    size_t i = 0;

    for (; i < text.size && text.data[i] != 'e' && text.data[i] != 'E'; i++) {
        if (text.data[i] == '-') {
            is_negative = true;
        } else if (text.data[i] == '.') {
            is_fraction = true;
        } else {
            value = value * 10 + (text.data[i] - '0');
            shift -= is_fraction ? 1 : 0;
        }
    }
    if (i < text.size) {
        int32_t exponent = 0;
        bool is_down = false;

        for (i++; i < text.size; i++) {
            is_down |= text.data[i] == '-';
            if (text.data[i] >= '0' && text.data[i] <= '9' && exponent < 1000) {
                exponent = exponent * 10 + (text.data[i] - '0');
            }
        }
        shift += is_down ? -exponent : exponent;
    }
    for (; shift > 0 && value != 0; shift--) {
        value *= 10;
    }
    for (; shift < 0 && value != 0; shift++) {
        value /= 10;
    }
    return is_negative ? -value : value;
}

static enum arus_status literal_decimal(const struct arus_ast_literal *literal,
                                        struct arus_arena *arena, struct arus_vector *out,
                                        struct arus_error *err)
{
    const arus_int128 wide = decimal_digits(literal->text, literal->scale);
    const int64_t narrow = (int64_t)wide;
    const struct arus_type *type = NULL;

    ARUS_TRY(arus_type_decimal(literal->precision, literal->scale, arena, &type, err));
    return arus_value_make(type, arus_type_is_wide(type) ? (const void *)&wide : &narrow, 1, arena,
                           out, err);
}

static enum arus_status literal_integer(const struct arus_ast_literal *literal,
                                        struct arus_arena *arena, struct arus_vector *out,
                                        struct arus_error *err)
{
    const int8_t tiny = (int8_t)literal->integer;
    const int16_t small = (int16_t)literal->integer;
    const int32_t medium = (int32_t)literal->integer;

    switch (literal->kind) {
    case ARUS_AST_TINYINT:
        return arus_value_make(&ARUS_TINYINT, &tiny, 1, arena, out, err);
    case ARUS_AST_SMALLINT:
        return arus_value_make(&ARUS_SMALLINT, &small, 1, arena, out, err);
    case ARUS_AST_INT:
        return arus_value_make(&ARUS_INT, &medium, 1, arena, out, err);
    case ARUS_AST_BIGINT:
    case ARUS_AST_NULL:
    case ARUS_AST_BOOLEAN:
    case ARUS_AST_DECIMAL:
    case ARUS_AST_FLOAT:
    case ARUS_AST_DOUBLE:
    case ARUS_AST_STRING:
    case ARUS_AST_BINARY_VALUE:
    case ARUS_AST_DATE:
    case ARUS_AST_TIMESTAMP:
    case ARUS_AST_TIMESTAMP_NTZ:
    case ARUS_AST_TIMESTAMP_LTZ:
    case ARUS_AST_TIME:
        break;
    }
    return arus_value_make(&ARUS_BIGINT, &literal->integer, 1, arena, out, err);
}

static enum arus_status literal_bytes(struct arus_text text, const struct arus_type *type,
                                      struct arus_arena *arena, struct arus_vector *out,
                                      struct arus_error *err)
{
    const struct arus_view view = arus_view_of(text.data == NULL ? "" : text.data, text.size);

    return arus_value_make(type, &view, 1, arena, out, err);
}

static enum arus_status typed_literal(struct arus_uexpr *made, const struct arus_ast_literal *from,
                                      const struct arus_type *type)
{
    made->kind = ARUS_UEXPR_TYPED;
    made->text = from->text;
    made->type = type;
    return ARUS_OK;
}

static enum arus_status from_literal(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                     const struct arus_uexpr **out, struct arus_error *err)
{
    const struct arus_ast_literal *literal = &expr->literal;
    const uint8_t boolean = literal->integer != 0;
    const float single = (float)literal->number;
    struct arus_uexpr *made = NULL;

    ARUS_TRY(new_expr(expr, ARUS_UEXPR_LITERAL, arena, &made, err));
    *out = made;
    switch (literal->kind) {
    case ARUS_AST_NULL:
        return arus_vector_init_null(&made->value, &ARUS_VOID, 1, arena, err);
    case ARUS_AST_BOOLEAN:
        return arus_value_make(&ARUS_BOOLEAN, &boolean, 1, arena, &made->value, err);
    case ARUS_AST_TINYINT:
    case ARUS_AST_SMALLINT:
    case ARUS_AST_INT:
    case ARUS_AST_BIGINT:
        return literal_integer(literal, arena, &made->value, err);
    case ARUS_AST_DECIMAL:
        return literal_decimal(literal, arena, &made->value, err);
    case ARUS_AST_FLOAT:
        return arus_value_make(&ARUS_FLOAT, &single, 1, arena, &made->value, err);
    case ARUS_AST_DOUBLE:
        return arus_value_make(&ARUS_DOUBLE, &literal->number, 1, arena, &made->value, err);
    case ARUS_AST_STRING:
        return literal_bytes(literal->text, &ARUS_STRING, arena, &made->value, err);
    case ARUS_AST_BINARY_VALUE:
        return literal_bytes(literal->text, &ARUS_BINARY, arena, &made->value, err);
    case ARUS_AST_DATE:
        return typed_literal(made, literal, &ARUS_DATE);
    case ARUS_AST_TIMESTAMP:
    case ARUS_AST_TIMESTAMP_LTZ:
        return typed_literal(made, literal, &ARUS_TIMESTAMP);
    case ARUS_AST_TIMESTAMP_NTZ:
        return typed_literal(made, literal, &ARUS_TIMESTAMP_NTZ);
    case ARUS_AST_TIME:
        return arus_refuse(err, expr->place, "the type TIME is");
    }
    return ARUS_OK;
}

/* ---- operators ---- */

static const char *const TESTS[] = {
    [ARUS_AST_IS_NULL] = "is null",
    [ARUS_AST_IS_TRUE] = "is true",
    [ARUS_AST_IS_FALSE] = "is false",
    [ARUS_AST_IS_UNKNOWN] = "is null",
};

static const char *const LIKES[] = {
    [ARUS_AST_LIKE_OP] = "like",
    [ARUS_AST_ILIKE_OP] = "ilike",
    [ARUS_AST_RLIKE_OP] = "rlike",
};

/* (a, b) IN ((1, 2)): rows compare by position, so all get the same names. */
static enum arus_status name_row(struct arus_arena *arena, const struct arus_uexpr **inout,
                                 struct arus_error *err)
{
    struct arus_uexpr *copy = NULL;
    struct arus_text *names = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_uexpr, 1, &copy, err));
    *copy = **inout;
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, copy->args.count, &names, err));
    for (uint32_t i = 0; i < copy->args.count; i++) {
        ARUS_TRY(arus_text_format(arena, &names[i], err, "col%u", i + 1));
    }
    copy->names = names;
    copy->name_count = copy->args.count;
    *inout = copy;
    return ARUS_OK;
}

static enum arus_status from_args(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                  const struct arus_uexpr ***out, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, const struct arus_uexpr *, expr->arg_count, out, err));
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ARUS_TRY(arus_from_sql_expr(expr->args[i], arena, &(*out)[i], err));
        if (expr->kind == ARUS_AST_IN && expr->args[i]->kind == ARUS_AST_ROW) {
            ARUS_TRY(name_row(arena, &(*out)[i], err));
        }
    }
    return ARUS_OK;
}

enum { CHAIN_MAX = 64 }; /* a longer chain is halved, so that no tree gets deep */

static enum arus_status join_pair(const struct call_parts *parts, const char *name,
                                  const struct arus_uexpr *left, const struct arus_uexpr *right,
                                  const struct arus_uexpr **out, struct arus_error *err)
{
    const struct arus_uexpr *pair[2] = {left, right};
    struct arus_uexpr *placed = NULL;
    const struct arus_uexpr *made = NULL;

    ARUS_TRY(new_call(parts, name, pair, 2, &made, err));
    ARUS_TRY(ARUS_NEW(parts->arena, struct arus_uexpr, 1, &placed, err));
    *placed = *made;
    placed->place = arus_place_join(left->place, right->place);
    *out = placed;
    return ARUS_OK;
}

/* a AND b AND c -> ((a AND b) AND c), places growing with it */
static enum arus_status from_chain(const struct call_parts *parts, const char *name,
                                   const struct arus_uexpr *const *args, uint32_t count,
                                   const struct arus_uexpr **out, struct arus_error *err)
{
    if (count > CHAIN_MAX) {
        const struct arus_uexpr *halves[2];

        ARUS_TRY(from_chain(parts, name, args, count / 2, &halves[0], err));
        ARUS_TRY(from_chain(parts, name, args + count / 2, count - count / 2, &halves[1], err));
        return join_pair(parts, name, halves[0], halves[1], out, err);
    }
    *out = args[0];
    for (uint32_t i = 1; i < count; i++) {
        ARUS_TRY(join_pair(parts, name, *out, args[i], out, err));
    }
    return ARUS_OK;
}

static enum arus_status from_is(const struct call_parts *parts,
                                const struct arus_uexpr *const *args, const struct arus_uexpr **out,
                                struct arus_error *err)
{
    const struct arus_ast_expr *expr = parts->expr;

    if (expr->is_not && (expr->test == ARUS_AST_IS_NULL || expr->test == ARUS_AST_IS_UNKNOWN)) {
        return new_call(parts, "is not null", args, 1, out, err);
    }
    ARUS_TRY(new_call(parts, TESTS[expr->test], args, 1, out, err));
    return new_not(parts, expr->is_not, out, err);
}

static enum arus_status from_like(const struct call_parts *parts,
                                  const struct arus_uexpr *const *args,
                                  const struct arus_uexpr **out, struct arus_error *err)
{
    const struct arus_ast_expr *expr = parts->expr;
    const struct arus_uexpr *triple[3] = {args[0], NULL, NULL};
    const struct arus_uexpr **made = NULL;
    const uint32_t count = expr->arg_count - 1;
    uint32_t width = 2;

    if (expr->like.escape.data != NULL) {
        struct arus_uexpr *escape = NULL;

        ARUS_TRY(new_expr(expr, ARUS_UEXPR_LITERAL, parts->arena, &escape, err));
        ARUS_TRY(literal_bytes(expr->like.escape, &ARUS_STRING, parts->arena, &escape->value, err));
        triple[2] = escape;
        width = 3;
    }
    ARUS_TRY(ARUS_NEW(parts->arena, const struct arus_uexpr *, count, &made, err));
    for (uint32_t i = 0; i < count; i++) {
        triple[1] = args[i + 1];
        ARUS_TRY(new_call(parts, LIKES[expr->like.op], triple, width, &made[i], err));
        ARUS_TRY(new_not(parts, expr->is_not, &made[i], err));
    }
    return from_chain(parts, expr->like.quantifier == ARUS_AST_ANY ? "or" : "and", made, count, out,
                      err);
}

static enum arus_status from_case(const struct call_parts *parts, const struct arus_uexpr **out,
                                  struct arus_error *err)
{
    const struct arus_ast_case *from = &parts->expr->case_;
    const uint32_t lead = from->operand != NULL;
    const uint32_t count = lead + 2 * from->branch_count + (from->otherwise != NULL);
    const struct arus_uexpr **args = NULL;

    ARUS_TRY(ARUS_NEW(parts->arena, const struct arus_uexpr *, count, &args, err));
    if (from->operand != NULL) {
        ARUS_TRY(arus_from_sql_expr(from->operand, parts->arena, &args[0], err));
    }
    for (uint32_t i = 0; i < from->branch_count; i++) {
        ARUS_TRY(arus_from_sql_expr(from->whens[i], parts->arena, &args[lead + 2 * i], err));
        ARUS_TRY(arus_from_sql_expr(from->thens[i], parts->arena, &args[lead + 2 * i + 1], err));
    }
    if (from->otherwise != NULL) {
        ARUS_TRY(arus_from_sql_expr(from->otherwise, parts->arena, &args[count - 1], err));
    }
    return new_call(parts, lead ? "case_operand" : "case", args, count, out, err);
}

/* ---- calls ---- */

static enum arus_status call_args(const struct arus_ast_call *call, struct arus_uexpr *made,
                                  struct arus_arena *arena, struct arus_error *err)
{
    const bool adds_flag = call->nulls == ARUS_AST_IGNORE_NULLS;
    const uint32_t count = call->arg_count + adds_flag;
    struct arus_text *names = NULL;
    const struct arus_uexpr **args = NULL;

    ARUS_TRY(ARUS_NEW(arena, const struct arus_uexpr *, count, &args, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, count, &names, err));
    for (uint32_t i = 0; i < call->arg_count; i++) {
        ARUS_TRY(arus_from_sql_expr(call->args[i].expr, arena, &args[i], err));
        if (call->args[i].form == ARUS_AST_ARG_NAMED) {
            return arus_refuse(err, call->args[i].name.place, "arguments by name (`=>`) are");
        }
        if (call->args[i].form == ARUS_AST_ARG_ALIAS) {
            names[i] = call->args[i].name.text;
            made->names = names;
            made->name_count = count;
        }
    }
    if (adds_flag) {
        const uint8_t yes = 1;
        struct arus_uexpr *flag = NULL;

        ARUS_TRY(ARUS_NEW(arena, struct arus_uexpr, 1, &flag, err));
        flag->place = made->place;
        ARUS_TRY(arus_value_make(&ARUS_BOOLEAN, &yes, 1, arena, &flag->value, err));
        args[count - 1] = flag;
    }
    made->args = (struct arus_uexprs){args, count};
    return ARUS_OK;
}

static enum arus_status from_call(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                  const struct arus_uexpr **out, struct arus_error *err)
{
    const struct arus_ast_call *call = &expr->call;
    const struct arus_ast_name *last = &call->name.items[call->name.count - 1];
    struct arus_uexpr *made = NULL;

    if (call->name.count > 1) {
        return arus_fail_at(err, expr->place, "UNRESOLVED_ROUTINE",
                            "functions have no dot in their name here");
    }
    ARUS_TRY(new_expr(expr, ARUS_UEXPR_CALL, arena, &made, err));
    made->text = last->text;
    made->name_place = last->place;
    made->is_distinct = call->is_distinct;
    made->ignores_nulls = call->nulls == ARUS_AST_IGNORE_NULLS;
    ARUS_TRY(call_args(call, made, arena, err));
    made->order_count = call->within_group.count;
    ARUS_TRY(arus_from_sql_order(&call->within_group, arena, &made->orders, err));
    if (call->filter != NULL) {
        ARUS_TRY(arus_from_sql_expr(call->filter, arena, &made->filter, err));
    }
    if (call->over != NULL) {
        made->kind = ARUS_UEXPR_WINDOW;
        made->name_place = call->over->place;
    }
    *out = made;
    return ARUS_OK;
}

/* ---- names, stars, casts, subqueries ---- */

static enum arus_status from_name(const struct arus_ast_names *names, struct arus_arena *arena,
                                  struct arus_uname *out, struct arus_error *err)
{
    out->part_count = names->count;
    for (uint32_t i = 0; i < names->count; i++) {
        out->place = arus_place_join(out->place, names->items[i].place);
    }
    return arus_from_sql_names(names, arena, &out->parts, err);
}

static enum arus_status from_star(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                  const struct arus_uexpr **out, struct arus_error *err)
{
    const struct arus_ast_star *star = &expr->star;
    struct arus_uname *excepts = NULL;
    struct arus_uexpr *made = NULL;

    ARUS_TRY(new_expr(expr, ARUS_UEXPR_STAR, arena, &made, err));
    ARUS_TRY(from_name(&star->qualifier, arena, &made->name, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_uname, star->except_count, &excepts, err));
    for (uint32_t i = 0; i < star->except_count; i++) {
        ARUS_TRY(from_name(&star->excepts[i], arena, &excepts[i], err));
    }
    made->except = excepts;
    made->except_count = star->except_count;
    *out = made;
    return ARUS_OK;
}

static enum arus_status from_cast(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                  const struct arus_uexpr **out, struct arus_error *err)
{
    struct arus_uexpr *made = NULL;
    const struct arus_uexpr **args = NULL;

    ARUS_TRY(new_expr(expr, ARUS_UEXPR_CAST, arena, &made, err));
    ARUS_TRY(from_args(expr, arena, &args, err));
    made->args = (struct arus_uexprs){args, 1};
    made->is_try = expr->cast.form == ARUS_AST_TRY_CAST;
    ARUS_TRY(arus_from_sql_type(&expr->cast.type, arena, &made->type, err));
    *out = made;
    return ARUS_OK;
}

static enum arus_status from_query(const struct call_parts *parts, enum arus_uexpr_kind kind,
                                   const struct arus_uexpr **args, const struct arus_uexpr **out,
                                   struct arus_error *err)
{
    struct arus_uexpr *made = NULL;

    ARUS_TRY(new_expr(parts->expr, kind, parts->arena, &made, err));
    ARUS_TRY(arus_from_sql_query(parts->expr->query, parts->arena, &made->query, err));
    made->args = (struct arus_uexprs){args, parts->expr->arg_count};
    if (args != NULL && made->args.count == 1 && parts->expr->args[0]->kind == ARUS_AST_ROW) {
        made->args = args[0]->args; /* (a, b) IN (query) */
    }
    *out = made;
    return new_not(parts, parts->expr->is_not, out, err);
}

static enum arus_status from_column(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                    const struct arus_uexpr **out, struct arus_error *err)
{
    struct arus_uexpr *made = NULL;

    ARUS_TRY(new_expr(expr, ARUS_UEXPR_NAME, arena, &made, err));
    *out = made;
    return from_name(&expr->names, arena, &made->name, err);
}

static enum arus_status from_field(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                   const struct arus_uexpr **args, const struct arus_uexpr **out,
                                   struct arus_error *err)
{
    *out = args[0];
    for (uint32_t i = 0; i < expr->names.count; i++) {
        struct arus_uexpr *made = NULL;
        const struct arus_uexpr **inner = NULL;

        ARUS_TRY(new_expr(expr, ARUS_UEXPR_FIELD, arena, &made, err));
        ARUS_TRY(ARUS_NEW(arena, const struct arus_uexpr *, 1, &inner, err));
        inner[0] = *out;
        made->args = (struct arus_uexprs){inner, 1};
        made->text = expr->names.items[i].text;
        *out = made;
    }
    return ARUS_OK;
}

static enum arus_status from_lambda(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                    const struct arus_uexpr **args, const struct arus_uexpr **out,
                                    struct arus_error *err)
{
    struct arus_uexpr *made = NULL;

    ARUS_TRY(new_expr(expr, ARUS_UEXPR_LAMBDA, arena, &made, err));
    made->args = (struct arus_uexprs){args, 1};
    made->name_count = expr->names.count;
    *out = made;
    return arus_from_sql_names(&expr->names, arena, &made->names, err);
}

static enum arus_status from_interval(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                      const struct arus_uexpr **out, struct arus_error *err)
{
    struct arus_uexpr *made = NULL;

    ARUS_TRY(new_expr(expr, ARUS_UEXPR_LITERAL, arena, &made, err));
    *out = made;
    return arus_from_sql_interval(&expr->interval, expr->place, arena, &made->value, err);
}

/* What is left: operators over converted arguments. */
static enum arus_status from_operator(const struct call_parts *parts,
                                      const struct arus_uexpr **args, const struct arus_uexpr **out,
                                      struct arus_error *err)
{
    const struct arus_ast_expr *expr = parts->expr;

    switch (expr->kind) {
    case ARUS_AST_UNARY:
    case ARUS_AST_BINARY:
        return new_call(parts, arus_ast_op_name(expr->op), args, expr->arg_count, out, err);
    case ARUS_AST_AND:
        return from_chain(parts, "and", args, expr->arg_count, out, err);
    case ARUS_AST_OR:
        return from_chain(parts, "or", args, expr->arg_count, out, err);
    case ARUS_AST_IS:
        return from_is(parts, args, out, err);
    case ARUS_AST_BETWEEN:
        ARUS_TRY(new_call(parts, "between", args, 3, out, err));
        return new_not(parts, expr->is_not, out, err);
    case ARUS_AST_IN:
        ARUS_TRY(new_call(parts, "in", args, expr->arg_count, out, err));
        return new_not(parts, expr->is_not, out, err);
    case ARUS_AST_IN_QUERY:
        return from_query(parts, ARUS_UEXPR_IN_QUERY, args, out, err);
    case ARUS_AST_LIKE:
        return from_like(parts, args, out, err);
    case ARUS_AST_INDEX:
        return new_call(parts, "[]", args, 2, out, err);
    case ARUS_AST_FIELD:
        return from_field(expr, parts->arena, args, out, err);
    case ARUS_AST_LAMBDA:
        return from_lambda(expr, parts->arena, args, out, err);
    case ARUS_AST_ROW:
        return new_call(parts, "struct", args, expr->arg_count, out, err);
    case ARUS_AST_TABLE_ARG:
        return arus_fail_at(err, expr->place, "PARSE_SYNTAX_ERROR",
                            "TABLE(..) is an argument of table functions only");
    case ARUS_AST_LITERAL:
    case ARUS_AST_INTERVAL:
    case ARUS_AST_COLUMN:
    case ARUS_AST_STAR:
    case ARUS_AST_EXISTS:
    case ARUS_AST_SCALAR_QUERY:
    case ARUS_AST_CASE:
    case ARUS_AST_CAST:
    case ARUS_AST_CALL:
        break;
    }
    return arus_fail_at(err, expr->place, "PARSE_SYNTAX_ERROR", "unexpected expression");
}

enum arus_status arus_from_sql_expr(const struct arus_ast_expr *expr, struct arus_arena *arena,
                                    const struct arus_uexpr **out, struct arus_error *err)
{
    const struct call_parts parts = {arena, expr};
    const struct arus_uexpr **args = NULL;

    if (expr->kind == ARUS_AST_LITERAL) {
        return from_literal(expr, arena, out, err);
    }
    if (expr->kind == ARUS_AST_INTERVAL) {
        return from_interval(expr, arena, out, err);
    }
    if (expr->kind == ARUS_AST_COLUMN) {
        return from_column(expr, arena, out, err);
    }
    if (expr->kind == ARUS_AST_STAR) {
        return from_star(expr, arena, out, err);
    }
    if (expr->kind == ARUS_AST_CALL) {
        return from_call(expr, arena, out, err);
    }
    if (expr->kind == ARUS_AST_CASE) {
        return from_case(&parts, out, err);
    }
    if (expr->kind == ARUS_AST_CAST) {
        return from_cast(expr, arena, out, err);
    }
    if (expr->kind == ARUS_AST_EXISTS) {
        return from_query(&parts, ARUS_UEXPR_EXISTS, NULL, out, err);
    }
    if (expr->kind == ARUS_AST_SCALAR_QUERY) {
        return from_query(&parts, ARUS_UEXPR_SUBQUERY, NULL, out, err);
    }
    ARUS_TRY(from_args(expr, arena, &args, err));
    return from_operator(&parts, args, out, err);
}

enum arus_status arus_from_sql_item(const struct arus_ast_item *item, struct arus_arena *arena,
                                    const struct arus_uexpr **out, struct arus_error *err)
{
    const struct arus_ast_names one = {&item->alias, 1};
    const struct arus_ast_names *names = item->aliases.count > 0 ? &item->aliases : &one;
    struct arus_uexpr *made = NULL;
    const struct arus_uexpr **args = NULL;

    ARUS_TRY(arus_from_sql_expr(item->expr, arena, out, err));
    if (item->aliases.count == 0 && item->alias.text.data == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(new_expr(item->expr, ARUS_UEXPR_ALIAS, arena, &made, err));
    ARUS_TRY(ARUS_NEW(arena, const struct arus_uexpr *, 1, &args, err));
    args[0] = *out;
    made->args = (struct arus_uexprs){args, 1};
    made->name_count = names->count;
    made->is_list = item->aliases.count > 0;
    made->name_place = names->items[0].place;
    *out = made;
    return arus_from_sql_names(names, arena, &made->names, err);
}

enum arus_status arus_from_sql_names(const struct arus_ast_names *names, struct arus_arena *arena,
                                     const struct arus_text **out, struct arus_error *err)
{
    struct arus_text *texts = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_text, names->count, &texts, err));
    for (uint32_t i = 0; i < names->count; i++) {
        texts[i] = names->items[i].text;
    }
    *out = texts;
    return ARUS_OK;
}

/* Places in the type's text become places in the script. */
static enum arus_status place_type(enum arus_status status, const struct arus_ast_type *type,
                                   struct arus_error *err)
{
    if (status == ARUS_BAD_CONFIG || status == ARUS_BAD_DATA) {
        err->place.begin += type->place.begin;
        if (err->place.size == 0) {
            err->place = type->place;
        }
    }
    return status;
}

enum arus_status arus_from_sql_type(const struct arus_ast_type *type, struct arus_arena *arena,
                                    const struct arus_type **out, struct arus_error *err)
{
    return place_type(arus_type_parse_cast(type->text, arena, out, err), type, err);
}

enum arus_status arus_from_sql_column(const struct arus_ast_type *type, struct arus_arena *arena,
                                      const struct arus_type **out, struct arus_error *err)
{
    return place_type(arus_type_parse_ddl(type->text, arena, out, err), type, err);
}
