/* Expressions: names, stars, calls, casts. */
#include "column/value.h"
#include "plan/resolve_internal.h"
#include "plan/say.h"

#include <string.h>

#define MICROS_PER_DAY ((int64_t)86400 * 1000000)

struct arus_maker arus_resolver_maker(const struct arus_resolver *resolver, struct arus_place place)
{
    return (struct arus_maker){.arena = resolver->arena,
                               .zone = resolver->catalog->zone,
                               .is_ansi = resolver->catalog->settings.is_ansi,
                               .place = place};
}

struct arus_eval_env arus_catalog_env(const struct arus_catalog *catalog)
{
    return (struct arus_eval_env){.zone = catalog->zone,
                                  .now_micros = catalog->now_micros,
                                  .is_ansi = catalog->settings.is_ansi,
                                  .sql = catalog->sql};
}

enum arus_status arus_resolve_constant(struct arus_resolver *resolver, const struct arus_expr *expr,
                                       struct arus_vector *out, struct arus_error *err)
{
    const struct arus_eval_env env = arus_catalog_env(resolver->catalog);

    return arus_expr_eval_constant(expr, &env, resolver->arena, out, err);
}

/* ---- questions about unresolved expressions ---- */

bool arus_uexpr_has_aggregate(const struct arus_uexpr *expr)
{
    if (expr->kind == ARUS_UEXPR_CALL) {
        const struct arus_function *function = arus_function_find(expr->text);

        if (function != NULL && function->kind == ARUS_AGGREGATE) {
            return true;
        }
    }
    for (uint32_t i = 0; i < expr->args.count; i++) {
        if (arus_uexpr_has_aggregate(expr->args.items[i])) {
            return true;
        }
    }
    return false;
}

/* ---- names ---- */

static enum arus_status take_fields(struct arus_expr_context *context,
                                    const struct arus_uname *name, uint32_t done,
                                    const struct arus_expr **inout, struct arus_error *err)
{
    for (uint32_t i = done; i < name->part_count; i++) {
        ARUS_TRY(arus_field_make(*inout, name->parts[i], name->place, context->resolver->arena,
                                 inout, err));
    }
    return ARUS_OK;
}

static enum arus_status use_column(struct arus_expr_context *context,
                                   const struct arus_scope_match *match,
                                   const struct arus_uname *name, const struct arus_expr **out,
                                   struct arus_error *err)
{
    if (match->is_ambiguous) {
        arus_say(err, name->place, "AMBIGUOUS_REFERENCE", "`%.*s` may be one of several columns",
                 ARUS_TEXT_ARGS(name->parts[match->part_count - 1]));
        return arus_error_help(err, "put the table in front: t.%.*s",
                               ARUS_TEXT_ARGS(name->parts[match->part_count - 1]));
    }
    ARUS_TRY(arus_column_named(context->input->plan->schema, match->column->index,
                               name->parts[match->part_count - 1], name->place,
                               context->resolver->arena, out, err));
    return take_fields(context, name, match->part_count, out, err);
}

/* Spark shows the alias where another item is named after it. */
static enum arus_status name_lateral(struct arus_expr_context *context, struct arus_text name,
                                     const struct arus_expr **inout, struct arus_error *err)
{
    struct arus_arena *arena = context->resolver->arena;
    struct arus_buffer buffer = {0};
    struct arus_expr *copy;
    enum arus_status status =
        arus_buffer_printf(&buffer, err, "lateralAliasReference(%.*s)", ARUS_TEXT_ARGS(name));

    if (status == ARUS_OK) {
        status = ARUS_NEW(arena, struct arus_expr, 1, &copy, err);
    }
    if (status == ARUS_OK) {
        *copy = **inout;
        *inout = copy;
        status = arus_text_copy(arus_buffer_text(&buffer), arena, &copy->text, err);
    }
    arus_buffer_release(&buffer);
    return status;
}

/* Items with this name; the expr of the only one. */
static enum arus_status use_item(struct arus_expr_context *context, const struct arus_uname *name,
                                 const struct arus_expr **out, struct arus_error *err)
{
    const bool takes_all = context->alias_rule == ARUS_ALIAS_BEFORE;
    const struct arus_expr *found = NULL;

    *out = NULL;
    for (size_t i = 0; i < context->item_count; i++) {
        struct arus_item *item = &context->items[i];

        if (item->state == ARUS_ITEM_BUSY || item->name.data == NULL ||
            !(item->has_alias || (takes_all && name->part_count == 1)) ||
            !arus_resolver_same(context->resolver, item->name, name->parts[0])) {
            continue;
        }
        ARUS_TRY(arus_resolve_item(context, item, err));
        if (item->expr == NULL) {
            continue;
        }
        if (found != NULL && !arus_expr_equal(found, item->expr)) {
            return arus_fail_at(
                err, name->place,
                takes_all ? "AMBIGUOUS_REFERENCE" : "AMBIGUOUS_LATERAL_COLUMN_ALIAS",
                "`%.*s` names several columns of this SELECT", ARUS_TEXT_ARGS(name->parts[0]));
        }
        found = item->expr;
    }
    if (found == NULL) {
        return ARUS_OK;
    }
    *out = found;
    if (context->alias_rule == ARUS_ALIAS_AFTER && found->kind != ARUS_EXPR_LAMBDA) {
        ARUS_TRY(name_lateral(context, name->parts[0], out, err));
    }
    return take_fields(context, name, 1, out, err);
}

/* A column of the query around: marked until the subquery is joined. */
static enum arus_status use_outer(struct arus_expr_context *context, const struct arus_uname *name,
                                  const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_expr_context *outer = context->outer;
    struct arus_scope_match match;
    const struct arus_expr *column = NULL;
    struct arus_expr *made = NULL;

    *out = NULL;
    if (outer == NULL) {
        return ARUS_OK;
    }
    arus_scope_find(context->resolver, &outer->input->scope, name, &match);
    if (match.column == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_column_make(outer->input->plan->schema, match.column->index, name->place,
                              context->resolver->arena, &column, err));
    ARUS_TRY(ARUS_NEW(context->resolver->arena, struct arus_expr, 1, &made, err));
    *made = *column;
    made->index |= ARUS_OUTER_COLUMN;
    *out = made;
    return take_fields(context, name, match.part_count, out, err);
}

static enum arus_status resolve_name(struct arus_expr_context *context,
                                     const struct arus_uname *name, const struct arus_expr **out,
                                     struct arus_error *err)
{
    struct arus_scope_match match;

    ARUS_TRY(arus_lambda_find(context, name, out, err));
    if (*out != NULL) {
        return take_fields(context, name, 1, out, err);
    }
    if (context->alias_rule == ARUS_ALIAS_BEFORE && !context->in_aggregate) {
        ARUS_TRY(use_item(context, name, out, err));
        if (*out != NULL) {
            return ARUS_OK;
        }
    }
    arus_scope_find(context->resolver, &context->input->scope, name, &match);
    if (match.column != NULL) {
        return use_column(context, &match, name, out, err);
    }
    if (context->alias_rule != ARUS_ALIAS_NONE) {
        ARUS_TRY(use_item(context, name, out, err));
    }
    if (*out == NULL) {
        ARUS_TRY(use_outer(context, name, out, err));
    }
    return *out != NULL ? ARUS_OK : arus_scope_unknown(&context->input->scope, name, err);
}

/* ---- stars ---- */

static bool is_excepted(const struct arus_expr_context *context, const struct arus_uexpr *star,
                        const struct arus_scope_column *column, bool *seen)
{
    for (uint32_t i = 0; i < star->except_count; i++) {
        const struct arus_uname *name = &star->except[i];
        const struct arus_text last = name->parts[name->part_count - 1];
        const bool same_table =
            name->part_count == 1 ||
            arus_resolver_same(context->resolver, column->qualifier, name->parts[0]);

        if (name->part_count <= 2 && same_table &&
            arus_resolver_same(context->resolver, column->name, last)) {
            seen[i] = true;
            return true;
        }
    }
    return false;
}

/* The struct without the field that `parts` name, however deep. */
static enum arus_status drop_field(struct arus_expr_context *context, const struct arus_expr *base,
                                   const struct arus_text *parts, uint32_t count,
                                   struct arus_place place, const struct arus_expr **out,
                                   struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(context->resolver, place);
    struct arus_exprs args = {0};
    bool found = false;

    for (uint16_t i = 0; i < base->type->field_count; i++) {
        const struct arus_text name = base->type->fields[i].name;
        const bool is_it = arus_resolver_same(context->resolver, name, parts[0]);
        const struct arus_expr *label = NULL;
        const struct arus_expr *value = NULL;

        found |= is_it;
        if (is_it && count == 1) {
            continue;
        }
        ARUS_TRY(arus_maker_text(&maker, name, &label, err));
        ARUS_TRY(arus_field_make(base, name, place, maker.arena, &value, err));
        if (is_it && value->type->id == ARUS_TYPE_STRUCT) {
            ARUS_TRY(drop_field(context, value, parts + 1, count - 1, place, &value, err));
        }
        ARUS_TRY(arus_exprs_add(&args, maker.arena, label, err));
        ARUS_TRY(arus_exprs_add(&args, maker.arena, value, err));
    }
    if (!found) {
        return arus_fail_at(err, place, "FIELD_NOT_FOUND", "there is no field `%.*s`",
                            ARUS_TEXT_ARGS(parts[0]));
    }
    return arus_maker_call(&maker, "named_struct", args.items, (uint32_t)args.count, out, err);
}

/* EXCEPT (s.f), EXCEPT (t.s.f): fields of this column that are left out. */
static enum arus_status except_fields(struct arus_expr_context *context,
                                      const struct arus_uexpr *star,
                                      const struct arus_scope_column *column, bool *seen,
                                      const struct arus_expr **inout, struct arus_error *err)
{
    for (uint32_t i = 0; i < star->except_count; i++) {
        const struct arus_uname *name = &star->except[i];
        uint32_t lead = 0; /* parts that name the column */

        if (name->part_count > 2 && column->qualifier.size > 0 &&
            arus_resolver_same(context->resolver, column->qualifier, name->parts[0]) &&
            arus_resolver_same(context->resolver, column->name, name->parts[1])) {
            lead = 2;
        } else if (name->part_count > 1 &&
                   arus_resolver_same(context->resolver, column->name, name->parts[0])) {
            lead = 1;
        }
        if (lead > 0 && (*inout)->type->id == ARUS_TYPE_STRUCT) {
            ARUS_TRY(drop_field(context, *inout, name->parts + lead, name->part_count - lead,
                                name->place, inout, err));
            seen[i] = true;
        }
    }
    return ARUS_OK;
}

static enum arus_status add_star_item(struct arus_expr_context *context,
                                      const struct arus_expr *expr, struct arus_text name,
                                      struct arus_item **items, size_t *count, size_t *capacity,
                                      struct arus_error *err)
{
    ARUS_TRY(arus_list_grow(context->resolver->arena, (void **)items, sizeof(**items), *count,
                            capacity, err));
    (*items)[(*count)++] = (struct arus_item){.state = ARUS_ITEM_READY, .expr = expr, .name = name};
    return ARUS_OK;
}

/* s.* of a struct column */
static enum arus_status star_of_struct(struct arus_expr_context *context,
                                       const struct arus_uexpr *star, struct arus_item **items,
                                       size_t *count, size_t *capacity, struct arus_error *err)
{
    const struct arus_expr *base = NULL;
    enum arus_status status = resolve_name(context, &star->name, &base, err);

    if (status != ARUS_OK || base->type->id != ARUS_TYPE_STRUCT) {
        arus_say(err, star->place, "CANNOT_RESOLVE_STAR_EXPAND",
                 "there is no table or struct `%.*s`",
                 ARUS_TEXT_ARGS(star->name.parts[star->name.part_count - 1]));
        return ARUS_BAD_CONFIG;
    }
    for (uint16_t i = 0; i < base->type->field_count; i++) {
        const struct arus_text name = base->type->fields[i].name;
        const struct arus_expr *field = NULL;
        bool is_out = false;

        for (uint32_t j = 0; j < star->except_count; j++) {
            is_out |= star->except[j].part_count == 1 &&
                      arus_resolver_same(context->resolver, name, star->except[j].parts[0]);
        }
        if (!is_out) {
            ARUS_TRY(
                arus_field_make(base, name, star->place, context->resolver->arena, &field, err));
            ARUS_TRY(add_star_item(context, field, name, items, count, capacity, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status star_of_scope(struct arus_expr_context *context,
                                      const struct arus_uexpr *star, bool *seen,
                                      struct arus_item **items, size_t *count, size_t *capacity,
                                      struct arus_error *err)
{
    const struct arus_scope *scope = &context->input->scope;
    const bool is_qualified = star->name.part_count > 0;

    for (size_t i = 0; i < scope->count; i++) {
        const struct arus_scope_column *column = &scope->columns[i];
        const struct arus_expr *expr = NULL;

        if (column->is_fallback || (column->is_hidden && !is_qualified) ||
            (is_qualified &&
             (column->qualifier.size == 0 ||
              !arus_resolver_same(context->resolver, column->qualifier, star->name.parts[0]))) ||
            is_excepted(context, star, column, seen)) {
            continue;
        }
        ARUS_TRY(arus_column_named(context->input->plan->schema, column->index, column->name,
                                   star->place, context->resolver->arena, &expr, err));
        ARUS_TRY(except_fields(context, star, column, seen, &expr, err));
        ARUS_TRY(add_star_item(context, expr, column->name, items, count, capacity, err));
        (*items)[*count - 1].keeps_column = expr->kind == ARUS_EXPR_COLUMN;
        (*items)[*count - 1].qualifier = column->qualifier;
        (*items)[*count - 1].id = column->id;
    }
    return ARUS_OK;
}

enum arus_status arus_resolve_star(struct arus_expr_context *context, const struct arus_uexpr *star,
                                   struct arus_item **items, size_t *count, size_t *capacity,
                                   struct arus_error *err)
{
    const size_t before = *count;
    bool *seen = NULL;
    bool any_seen = false;

    ARUS_TRY(ARUS_NEW(context->resolver->arena, bool, star->except_count + 1, &seen, err));
    ARUS_TRY(star_of_scope(context, star, seen, items, count, capacity, err));
    for (uint32_t i = 0; i < star->except_count; i++) {
        any_seen |= seen[i];
    }
    if (star->name.part_count > 0 && *count == before && !any_seen) {
        return star_of_struct(context, star, items, count, capacity, err);
    }
    for (uint32_t i = 0; i < star->except_count; i++) {
        if (!seen[i]) {
            return arus_scope_unknown(&context->input->scope, &star->except[i], err);
        }
    }
    return ARUS_OK;
}

/* ---- calls ---- */

static const char *const CLAUSES[] = {
    [ARUS_CLAUSE_SELECT] = "SELECT",  [ARUS_CLAUSE_WHERE] = "WHERE",
    [ARUS_CLAUSE_GROUP] = "GROUP BY", [ARUS_CLAUSE_HAVING] = "HAVING",
    [ARUS_CLAUSE_ORDER] = "ORDER BY", [ARUS_CLAUSE_JOIN] = "the condition of a join",
    [ARUS_CLAUSE_VALUES] = "VALUES",  [ARUS_CLAUSE_ARGUMENT] = "this place",
};

static enum arus_status check_aggregate(const struct arus_expr_context *context,
                                        const struct arus_uexpr *from, struct arus_error *err)
{
    if (context->in_aggregate) {
        arus_say(err, from->place, "NESTED_AGGREGATE_FUNCTION",
                 "an aggregate stands inside another one");
        return arus_error_help(err, "aggregate in a subquery first");
    }
    switch (context->clause) {
    case ARUS_CLAUSE_SELECT:
    case ARUS_CLAUSE_HAVING:
    case ARUS_CLAUSE_ORDER:
        return ARUS_OK;
    case ARUS_CLAUSE_WHERE:
        arus_say(err, from->place, "INVALID_WHERE_CONDITION", "an aggregate cannot stand in WHERE");
        return arus_error_help(err, "move it behind GROUP BY: HAVING ..");
    case ARUS_CLAUSE_GROUP:
        return arus_fail_at(err, from->place, "GROUP_BY_AGGREGATE",
                            "an aggregate cannot stand in GROUP BY");
    case ARUS_CLAUSE_JOIN:
    case ARUS_CLAUSE_VALUES:
    case ARUS_CLAUSE_ARGUMENT:
        break;
    }
    return arus_fail_at(err, from->place, "UNSUPPORTED_EXPR_FOR_OPERATOR",
                        "an aggregate cannot stand in %s", CLAUSES[context->clause]);
}

/* Spark looks for ungrouped columns before it looks at GROUP BY. */
static bool names_other_columns(const struct arus_expr_context *context)
{
    for (size_t i = 0; i < context->item_count; i++) {
        const struct arus_uexpr *from = context->items[i].from;

        if (from == NULL || from->kind == ARUS_UEXPR_NAME) {
            return true;
        }
    }
    return false;
}

static enum arus_status refuse_generator(const struct arus_expr_context *context,
                                         const struct arus_uexpr *from, struct arus_error *err)
{
    if (context->clause == ARUS_CLAUSE_SELECT) {
        arus_say(err, from->place, "UNSUPPORTED_GENERATOR.NESTED_IN_EXPRESSIONS",
                 "`%.*s` makes rows, so it must stand alone", ARUS_TEXT_ARGS(from->text));
        return arus_error_help(err, "explode in a subquery, or LATERAL VIEW explode(..) t AS x");
    }
    if (context->clause == ARUS_CLAUSE_GROUP && names_other_columns(context)) {
        return arus_fail_at(err, from->place, "MISSING_AGGREGATION",
                            "`%.*s` makes rows, so no column can be grouped by it",
                            ARUS_TEXT_ARGS(from->text));
    }
    return arus_fail_at(err, from->place, "UNSUPPORTED_GENERATOR.OUTSIDE_SELECT",
                        "`%.*s` makes rows, so it cannot stand in %s", ARUS_TEXT_ARGS(from->text),
                        CLAUSES[context->clause]);
}

/* Arguments behind star expansion. */
struct call_args {
    struct arus_exprs exprs;
    const struct arus_text *names; /* or NULL */
};

static enum arus_status add_star_args(struct arus_expr_context *context,
                                      const struct arus_uexpr *call, const struct arus_uexpr *star,
                                      struct call_args *out, struct arus_error *err)
{
    struct arus_item *items = NULL;
    size_t count = 0;
    size_t capacity = 0;

    if (arus_text_equal_nocase(call->text, ARUS_TEXT("count")) && call->args.count == 1 &&
        star->name.part_count == 0 && star->except_count == 0 && !call->is_distinct) {
        const int32_t one = 1;
        struct arus_vector value;
        const struct arus_expr *literal = NULL;

        ARUS_TRY(arus_value_make(&ARUS_INT, &one, 1, context->resolver->arena, &value, err));
        ARUS_TRY(arus_literal_make(&value, star->place, context->resolver->arena, &literal, err));
        return arus_exprs_add(&out->exprs, context->resolver->arena, literal, err);
    }
    ARUS_TRY(arus_resolve_star(context, star, &items, &count, &capacity, err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_exprs_add(&out->exprs, context->resolver->arena, items[i].expr, err));
    }
    return ARUS_OK;
}

/* Lambdas come last: what they are handed depends on the other arguments. Till then they are NULL.
 */
static enum arus_status resolve_args(struct arus_expr_context *context,
                                     const struct arus_function *function,
                                     const struct arus_uexpr *call, struct call_args *out,
                                     struct arus_error *err)
{
    for (uint32_t i = 0; i < call->args.count; i++) {
        const struct arus_uexpr *arg = call->args.items[i];
        const struct arus_expr *expr = NULL;

        if (arg->kind == ARUS_UEXPR_STAR) {
            ARUS_TRY(add_star_args(context, call, arg, out, err));
            continue;
        }
        if (!arus_arg_is_lambda(function, i)) {
            ARUS_TRY(arus_resolve_expr(context, arg, &expr, err));
        }
        ARUS_TRY(arus_exprs_add(&out->exprs, context->resolver->arena, expr, err));
    }
    if (call->names != NULL && out->exprs.count == call->name_count) {
        out->names = call->names;
    }
    return ARUS_OK;
}

static enum arus_status resolve_lambdas(struct arus_expr_context *context,
                                        const struct arus_uexpr *from, struct arus_bind *bind,
                                        struct arus_error *err)
{
    struct arus_lambda_shape shape = {0};

    for (uint32_t i = 0; i < bind->arg_count; i++) {
        if (arus_arg_is_lambda(bind->function, i)) {
            ARUS_TRY(bind->function->lambda(bind, i, &shape, err));
            ARUS_TRY(
                arus_resolve_lambda(context, from->args.items[i], &shape, &bind->args[i], err));
        }
    }
    return ARUS_OK;
}

static enum arus_status resolve_orders(struct arus_expr_context *context,
                                       const struct arus_uexpr *from, struct arus_bind *bind,
                                       struct arus_error *err)
{
    struct arus_order *orders = NULL;

    ARUS_TRY(
        ARUS_NEW(context->resolver->arena, struct arus_order, from->order_count, &orders, err));
    for (uint32_t k = 0; k < from->order_count; k++) {
        orders[k].is_descending = from->orders[k].is_descending;
        orders[k].nulls_first = from->orders[k].nulls_first;
        ARUS_TRY(arus_resolve_expr(context, from->orders[k].expr, &orders[k].expr, err));
    }
    bind->orders = orders;
    bind->order_count = from->order_count;
    return ARUS_OK;
}

static enum arus_status add_filter(struct arus_expr_context *context, const struct arus_uexpr *from,
                                   const struct arus_expr **inout, struct arus_error *err)
{
    struct arus_expr *copy = NULL;

    if (from->filter == NULL && !from->is_distinct) {
        return ARUS_OK;
    }
    if ((*inout)->aggregate == NULL) {
        return arus_fail_at(err, from->name_place,
                            "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                            "`%.*s` is no aggregate: it takes no DISTINCT and no FILTER",
                            ARUS_TEXT_ARGS(from->text));
    }
    ARUS_TRY(ARUS_NEW(context->resolver->arena, struct arus_expr, 1, &copy, err));
    *copy = **inout;
    copy->is_distinct = from->is_distinct;
    if (from->filter != NULL) {
        ARUS_TRY(arus_resolve_condition(context, from->filter, &copy->filter, err));
    }
    *inout = copy;
    return ARUS_OK;
}

static enum arus_status make_call(struct arus_expr_context *context, const struct arus_uexpr *from,
                                  const struct arus_expr **out, struct arus_error *err)
{
    struct call_args args = {0};
    struct arus_bind bind = {.function = arus_function_find(from->text),
                             .name = from->text,
                             .place = from->place,
                             .is_distinct = from->is_distinct,
                             .is_ansi = context->resolver->catalog->settings.is_ansi,
                             .zone = context->resolver->catalog->zone,
                             .arena = context->resolver->arena};

    if (bind.function == NULL) {
        return arus_call_open(&bind, err);
    }
    ARUS_TRY(resolve_args(context, bind.function, from, &args, err));
    bind.args = args.exprs.items;
    bind.arg_count = (uint32_t)args.exprs.count;
    bind.arg_names = args.names;
    ARUS_TRY(resolve_orders(context, from, &bind, err));
    ARUS_TRY(arus_call_open(&bind, err));
    ARUS_TRY(resolve_lambdas(context, from, &bind, err));
    ARUS_TRY(arus_call_make(&bind, out, err));
    return add_filter(context, from, out, err);
}

static enum arus_status resolve_call(struct arus_expr_context *context,
                                     const struct arus_uexpr *from, const struct arus_expr **out,
                                     struct arus_error *err)
{
    const struct arus_function *function = arus_function_find(from->text);
    const bool is_aggregate = function != NULL && function->kind == ARUS_AGGREGATE;
    const bool was_in = context->in_aggregate;
    enum arus_status status;

    if (arus_text_equal_nocase(from->text, ARUS_TEXT("window")) ||
        arus_text_equal_nocase(from->text, ARUS_TEXT("session_window"))) {
        return arus_resolve_window(context, from, out, err);
    }
    if (arus_text_equal_nocase(from->text, ARUS_TEXT("grouping")) ||
        arus_text_equal_nocase(from->text, ARUS_TEXT("grouping_id"))) {
        return arus_resolve_grouping(context, from, out, err);
    }
    if (arus_uexpr_is_generator(from)) {
        return refuse_generator(context, from, err);
    }
    if (is_aggregate) {
        ARUS_TRY(check_aggregate(context, from, err));
        context->in_aggregate = true;
    }
    if (function != NULL && strcmp(function->name, "not") == 0 && from->args.count == 1 &&
        from->args.items[0]->kind == ARUS_UEXPR_IN_QUERY) {
        return arus_resolve_subquery(context, from->args.items[0], true, out, err);
    }
    status = make_call(context, from, out, err);
    context->in_aggregate = was_in;
    if (status == ARUS_OK && is_aggregate && arus_expr_has_variable(*out, 0)) {
        arus_say(err, from->place, "ARUS_NOT_SUPPORTED",
                 "an aggregate goes through rows, so it cannot use the variable of a lambda");
        return arus_error_help(err, "aggregate(array, start, (sum, x) -> ..) goes through arrays");
    }
    return status;
}

/* ---- the rest ---- */

/* DATE 'today', TIMESTAMP 'epoch': days from the epoch in the session's zone; false: no such word.
 */
static bool special_day(const struct arus_catalog *catalog, struct arus_text text, int64_t *days)
{
    static const char *const WORDS[] = {"yesterday", "today", "tomorrow"};
    const int64_t local = arus_zone_to_local(catalog->zone, catalog->now_micros);
    const int64_t today = local / MICROS_PER_DAY - (local % MICROS_PER_DAY < 0);

    for (int i = 0; i < 3; i++) {
        if (arus_text_equal_nocase(text, arus_text_of(WORDS[i]))) {
            *days = today + i - 1;
            return true;
        }
    }
    *days = arus_text_equal_nocase(text, ARUS_TEXT("now")) ? today : 0;
    return arus_text_equal_nocase(text, ARUS_TEXT("epoch")) ||
           arus_text_equal_nocase(text, ARUS_TEXT("now"));
}

static enum arus_status special_literal(struct arus_expr_context *context,
                                        const struct arus_uexpr *from, int64_t days,
                                        const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_catalog *catalog = context->resolver->catalog;
    const bool is_now = arus_text_equal_nocase(from->text, ARUS_TEXT("now"));
    const bool is_epoch = arus_text_equal_nocase(from->text, ARUS_TEXT("epoch"));
    const int32_t date = (int32_t)days;
    int64_t micros = days * MICROS_PER_DAY;
    struct arus_vector value;

    if (from->type->id == ARUS_TYPE_TIMESTAMP) {
        micros = is_epoch ? 0 : arus_zone_to_utc(catalog->zone, micros);
        micros = is_now ? catalog->now_micros : micros;
    } else if (is_now) {
        micros = arus_zone_to_local(catalog->zone, catalog->now_micros);
    }
    ARUS_TRY(arus_value_make(from->type,
                             from->type->id == ARUS_TYPE_DATE ? (const void *)&date : &micros, 1,
                             context->resolver->arena, &value, err));
    return arus_literal_make(&value, from->place, context->resolver->arena, out, err);
}

/* The name of a timestamp shows the session's wall clock. */
static enum arus_status name_in_zone(struct arus_expr_context *context,
                                     const struct arus_vector *value, const struct arus_expr **out,
                                     struct arus_error *err)
{
    struct arus_buffer text = {0};
    struct arus_expr *named;
    enum arus_status status = arus_buffer_append_text(&text, ARUS_TEXT("TIMESTAMP '"), err);

    if (status == ARUS_OK) {
        status = arus_value_text(value, 0, context->resolver->catalog->zone, &text, err);
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_char(&text, '\'', err);
    }
    if (status == ARUS_OK) {
        status = ARUS_NEW(context->resolver->arena, struct arus_expr, 1, &named, err);
    }
    if (status == ARUS_OK) {
        *named = **out;
        *out = named;
        status =
            arus_text_copy(arus_buffer_text(&text), context->resolver->arena, &named->text, err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status resolve_typed(struct arus_expr_context *context,
                                      const struct arus_uexpr *from, const struct arus_expr **out,
                                      struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(context->resolver, from->place);
    const struct arus_expr *text = NULL;
    const struct arus_expr *cast = NULL;
    struct arus_vector value;
    int64_t days = 0;
    enum arus_status status;

    if (special_day(context->resolver->catalog, from->text, &days)) {
        return special_literal(context, from, days, out, err);
    }
    ARUS_TRY(arus_maker_text(&maker, from->text, &text, err));
    ARUS_TRY(
        arus_cast_make(text, from->type, ARUS_CAST_ANSI, from->place, maker.arena, &cast, err));
    status = arus_resolve_constant(context->resolver, cast, &value, err);
    if (status == ARUS_BAD_DATA || status == ARUS_BAD_CONFIG) {
        arus_say(err, from->place, "INVALID_TYPED_LITERAL", "'%.*s' is no %s",
                 ARUS_TEXT_ARGS(from->text), arus_type_label(from->type).text);
        return ARUS_BAD_CONFIG;
    }
    ARUS_TRY(status);
    ARUS_TRY(arus_literal_make(&value, from->place, maker.arena, out, err));
    return from->type->id == ARUS_TYPE_TIMESTAMP ? name_in_zone(context, &value, out, err)
                                                 : ARUS_OK;
}

static enum arus_status resolve_cast(struct arus_expr_context *context,
                                     const struct arus_uexpr *from, const struct arus_expr **out,
                                     struct arus_error *err)
{
    const bool is_ansi = context->resolver->catalog->settings.is_ansi;
    const struct arus_expr *arg = NULL;
    enum arus_cast_mode mode = is_ansi ? ARUS_CAST_ANSI : ARUS_CAST_LEGACY;

    if (from->is_try) {
        mode = ARUS_CAST_TRY;
    }
    ARUS_TRY(arus_resolve_expr(context, from->args.items[0], &arg, err));
    return arus_cast_make(arg, from->type, mode, from->place, context->resolver->arena, out, err);
}

enum arus_status arus_resolve_expr(struct arus_expr_context *context, const struct arus_uexpr *from,
                                   const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_expr *base = NULL;

    switch (from->kind) {
    case ARUS_UEXPR_LITERAL:
        return arus_literal_make(&from->value, from->place, context->resolver->arena, out, err);
    case ARUS_UEXPR_TYPED:
        return resolve_typed(context, from, out, err);
    case ARUS_UEXPR_NAME:
        return resolve_name(context, &from->name, out, err);
    case ARUS_UEXPR_STAR:
        return arus_fail_at(err, from->place, "INVALID_USAGE_OF_STAR_OR_REGEX",
                            "`*` cannot stand here");
    case ARUS_UEXPR_CALL:
        return resolve_call(context, from, out, err);
    case ARUS_UEXPR_CAST:
        return resolve_cast(context, from, out, err);
    case ARUS_UEXPR_FIELD:
        ARUS_TRY(arus_resolve_expr(context, from->args.items[0], &base, err));
        return arus_field_make(base, from->text, from->place, context->resolver->arena, out, err);
    case ARUS_UEXPR_ALIAS:
        return arus_resolve_expr(context, from->args.items[0], out, err);
    case ARUS_UEXPR_SUBQUERY:
    case ARUS_UEXPR_EXISTS:
    case ARUS_UEXPR_IN_QUERY:
        return arus_resolve_subquery(context, from, false, out, err);
    case ARUS_UEXPR_LAMBDA:
        return arus_fail_at(err, from->place,
                            "INVALID_LAMBDA_FUNCTION_CALL.NON_HIGHER_ORDER_FUNCTION",
                            "a lambda cannot stand here: no function takes it");
    case ARUS_UEXPR_WINDOW:
        arus_say(err, from->name_place,
                 context->input->plan->is_streaming ? "NON_TIME_WINDOW_NOT_SUPPORTED_IN_STREAMING"
                                                    : "ARUS_NOT_SUPPORTED",
                 "window functions (OVER) are not in arus");
        return arus_error_help(err, "group by time: GROUP BY window(event_time, '10 minutes')");
    }
    return ARUS_OK;
}

enum arus_status arus_resolve_condition(struct arus_expr_context *context,
                                        const struct arus_uexpr *from, const struct arus_expr **out,
                                        struct arus_error *err)
{
    ARUS_TRY(arus_resolve_expr(context, from, out, err));
    if ((*out)->type->id != ARUS_TYPE_BOOLEAN) {
        arus_say(err, from->place, "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
                 "a condition must be BOOLEAN, this is %s", arus_type_label((*out)->type).text);
        return ARUS_BAD_CONFIG;
    }
    return ARUS_OK;
}

enum arus_status arus_resolve_item(struct arus_expr_context *context, struct arus_item *item,
                                   struct arus_error *err)
{
    const struct arus_expr_context saved = *context;
    enum arus_status status = ARUS_OK;

    if (item->state == ARUS_ITEM_READY) {
        return ARUS_OK;
    }
    item->state = ARUS_ITEM_BUSY;
    context->clause = ARUS_CLAUSE_SELECT;
    context->alias_rule = ARUS_ALIAS_AFTER;
    context->item_count = (size_t)(item - context->items);
    context->in_aggregate = false;
    context->lambdas = NULL;
    if (item->generator == NULL) {
        status = arus_resolve_expr(context, item->from, &item->expr, err);
    }
    context->clause = saved.clause;
    context->alias_rule = saved.alias_rule;
    context->item_count = saved.item_count;
    context->in_aggregate = saved.in_aggregate;
    context->lambdas = saved.lambdas;
    if (status == ARUS_OK) {
        item->state = ARUS_ITEM_READY;
    }
    return status;
}
