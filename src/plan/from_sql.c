/* Queries and relations of the syntax tree become unresolved ones. */
#include "plan/from_sql.h"

#include <string.h>

static enum arus_status from_body(const struct arus_ast_body *body, struct arus_arena *arena,
                                  const struct arus_urel **out, struct arus_error *err);

static enum arus_status new_rel(enum arus_urel_kind kind, struct arus_place place,
                                const struct arus_urel *input, struct arus_arena *arena,
                                struct arus_urel **out, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, struct arus_urel, 1, out, err));
    (*out)->kind = kind;
    (*out)->place = place;
    (*out)->inputs[0] = input;
    return ARUS_OK;
}

enum arus_status arus_from_sql_exprs(const struct arus_ast_expr *const *exprs, uint32_t count,
                                     struct arus_arena *arena, struct arus_uexprs *out,
                                     struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, const struct arus_uexpr *, count, &out->items, err));
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(arus_from_sql_expr(exprs[i], arena, &out->items[i], err));
    }
    return ARUS_OK;
}

static enum arus_status from_items(const struct arus_ast_item *items, uint32_t count,
                                   struct arus_arena *arena, struct arus_uexprs *out,
                                   struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, const struct arus_uexpr *, count, &out->items, err));
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(arus_from_sql_item(&items[i], arena, &out->items[i], err));
    }
    return ARUS_OK;
}

static enum arus_status add_columns(const struct arus_ast_names *names, struct arus_arena *arena,
                                    struct arus_urel *made, struct arus_error *err)
{
    struct arus_place *places = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_place, names->count, &places, err));
    for (uint32_t i = 0; i < names->count; i++) {
        places[i] = names->items[i].place;
    }
    made->column_count = names->count;
    made->column_places = places;
    return arus_from_sql_names(names, arena, &made->columns, err);
}

/* ---- relations ---- */

static enum arus_status from_table(const struct arus_ast_relation *from, struct arus_arena *arena,
                                   struct arus_urel **out, struct arus_error *err)
{
    const struct arus_ast_names *name = &from->name;
    struct arus_place place = {0};

    for (uint32_t i = 0; i < name->count; i++) {
        place = arus_place_join(place, name->items[i].place);
    }
    ARUS_TRY(new_rel(ARUS_UREL_TABLE, place, NULL, arena, out, err));
    (*out)->is_stream = from->is_stream;
    (*out)->stream_place = from->stream_place;
    (*out)->settings = from->options;
    (*out)->name.part_count = name->count;
    (*out)->name.place = place;
    if (name->count == 2 && name->items[1].is_quoted) {
        (*out)->is_path = true;
        (*out)->path = name->items[1].text;
        (*out)->name.part_count = 1;
    }
    return arus_from_sql_names(name, arena, &(*out)->name.parts, err);
}

static enum arus_status from_values(const struct arus_ast_relation *from, struct arus_arena *arena,
                                    struct arus_urel **out, struct arus_error *err)
{
    struct arus_uexprs *rows = NULL;

    ARUS_TRY(new_rel(ARUS_UREL_VALUES, from->place, NULL, arena, out, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_uexprs, from->values.count, &rows, err));
    for (uint32_t i = 0; i < from->values.count; i++) {
        const struct arus_ast_expr *row = from->values.rows[i];
        const bool is_struct =
            row->kind == ARUS_AST_CALL && row->call.name.count == 1 &&
            (arus_text_equal_nocase(row->call.name.items[0].text, ARUS_TEXT("struct")));

        if (row->kind == ARUS_AST_ROW) {
            ARUS_TRY(arus_from_sql_exprs(row->args, row->arg_count, arena, &rows[i], err));
            continue;
        }
        ARUS_TRY(arus_from_sql_exprs(&row, 1, arena, &rows[i], err));
        if (is_struct) { /* Spark spreads struct(..) over the columns */
            rows[i] = rows[i].items[0]->args;
        }
    }
    (*out)->rows = rows;
    (*out)->row_count = from->values.count;
    return ARUS_OK;
}

/* f(TABLE(query), 'k', ..): the table goes to inputs[0], the rest to items */
static enum arus_status from_function(const struct arus_ast_expr *call_expr,
                                      struct arus_arena *arena, struct arus_urel **out,
                                      struct arus_error *err)
{
    const struct arus_ast_call *call = &call_expr->call;
    struct arus_uexprs items = {0};

    ARUS_TRY(new_rel(ARUS_UREL_FUNCTION, call_expr->place, NULL, arena, out, err));
    ARUS_TRY(ARUS_NEW(arena, const struct arus_uexpr *, call->arg_count, &items.items, err));
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const struct arus_ast_expr *arg = call->args[i].expr;

        if (call->args[i].form == ARUS_AST_ARG_NAMED) {
            return arus_refuse(err, call->args[i].name.place, "arguments by name (`=>`) are");
        }
        if (arg->kind != ARUS_AST_TABLE_ARG) {
            ARUS_TRY(arus_from_sql_expr(arg, arena, &items.items[items.count++], err));
        } else if ((*out)->inputs[0] == NULL) {
            ARUS_TRY(arus_from_sql_query(arg->query, arena, &(*out)->inputs[0], err));
        } else {
            return arus_fail_at(err, arg->place, "TABLE_VALUED_FUNCTION_TOO_MANY_TABLE_ARGUMENTS",
                                "only one TABLE(..) can be given");
        }
    }
    (*out)->items = items;
    (*out)->name.part_count = call->name.count;
    (*out)->name.place = call->name.items[0].place;
    return arus_from_sql_names(&call->name, arena, &(*out)->name.parts, err);
}

static enum arus_ujoin join_kind(enum arus_ast_join_kind kind)
{
    switch (kind) {
    case ARUS_AST_INNER:
        return ARUS_UJOIN_INNER;
    case ARUS_AST_CROSS:
        return ARUS_UJOIN_CROSS;
    case ARUS_AST_LEFT:
        return ARUS_UJOIN_LEFT;
    case ARUS_AST_RIGHT:
        return ARUS_UJOIN_RIGHT;
    case ARUS_AST_FULL:
        return ARUS_UJOIN_FULL;
    case ARUS_AST_SEMI:
        return ARUS_UJOIN_SEMI;
    case ARUS_AST_ANTI:
        return ARUS_UJOIN_ANTI;
    }
    return ARUS_UJOIN_INNER;
}

static enum arus_status from_join(const struct arus_ast_join *from, const struct arus_urel *left,
                                  struct arus_arena *arena, struct arus_urel **out,
                                  struct arus_error *err)
{
    ARUS_TRY(new_rel(ARUS_UREL_JOIN, from->place, left, arena, out, err));
    if (left == NULL) {
        ARUS_TRY(arus_from_sql_relation(from->left, arena, &(*out)->inputs[0], err));
    }
    ARUS_TRY(arus_from_sql_relation(from->right, arena, &(*out)->inputs[1], err));
    (*out)->join = join_kind(from->kind);
    (*out)->is_natural = from->is_natural;
    (*out)->has_using = from->using_columns.count > 0;
    (*out)->is_lateral = from->right->is_lateral;
    if (from->on != NULL) {
        ARUS_TRY(arus_from_sql_expr(from->on, arena, &(*out)->condition, err));
    }
    return add_columns(&from->using_columns, arena, *out, err);
}

static enum arus_status from_lateral_view(const struct arus_ast_relation *from,
                                          struct arus_arena *arena, struct arus_urel **out,
                                          struct arus_error *err)
{
    const struct arus_urel *input = NULL;

    ARUS_TRY(arus_from_sql_relation(from->lateral_view.input, arena, &input, err));
    ARUS_TRY(new_rel(ARUS_UREL_LATERAL, from->lateral_view.call->place, input, arena, out, err));
    ARUS_TRY(arus_from_sql_exprs(&from->lateral_view.call, 1, arena, &(*out)->items, err));
    (*out)->is_outer = from->lateral_view.is_outer;
    (*out)->alias = from->alias.text;
    return add_columns(&from->columns, arena, *out, err);
}

static enum arus_status from_refused(const struct arus_ast_relation *from, struct arus_arena *arena,
                                     const char *noun, struct arus_urel **out,
                                     struct arus_error *err)
{
    const struct arus_urel *input = NULL;
    struct arus_text *name = NULL;

    ARUS_TRY(arus_from_sql_relation(from->inner, arena, &input, err));
    ARUS_TRY(new_rel(ARUS_UREL_SAMPLE, from->place, input, arena, out, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, 1, &name, err));
    name[0] = arus_text_of(noun);
    (*out)->name = (struct arus_uname){name, 1, from->place};
    return ARUS_OK;
}

static enum arus_status from_primary(const struct arus_ast_relation *from, struct arus_arena *arena,
                                     struct arus_urel **out, struct arus_error *err)
{
    const struct arus_urel *inner = NULL;

    switch (from->kind) {
    case ARUS_AST_TABLE:
        return from_table(from, arena, out, err);
    case ARUS_AST_SUBQUERY:
        ARUS_TRY(arus_from_sql_query(from->query, arena, &inner, err));
        /* names of tables inside are not visible outside */
        ARUS_TRY(new_rel(ARUS_UREL_ALIAS, from->place, inner, arena, out, err));
        return ARUS_OK;
    case ARUS_AST_VALUES:
        return from_values(from, arena, out, err);
    case ARUS_AST_FUNCTION:
        ARUS_TRY(from_function(from->call, arena, out, err));
        (*out)->is_stream = from->is_stream;
        return ARUS_OK;
    case ARUS_AST_JOIN:
        return from_join(&from->join, NULL, arena, out, err);
    case ARUS_AST_NESTED:
        ARUS_TRY(arus_from_sql_relation(from->inner, arena, &inner, err));
        ARUS_TRY(ARUS_NEW(arena, struct arus_urel, 1, out, err));
        **out = *inner;
        return ARUS_OK;
    case ARUS_AST_LATERAL_VIEW:
        return from_lateral_view(from, arena, out, err);
    case ARUS_AST_SAMPLE:
        return from_refused(from, arena, "TABLESAMPLE is", out, err);
    case ARUS_AST_PIVOT:
        return from_refused(from, arena, from->is_unpivot ? "UNPIVOT is" : "PIVOT is", out, err);
    }
    return ARUS_OK;
}

static enum arus_status add_watermark(const struct arus_ast_watermark *from,
                                      struct arus_arena *arena, struct arus_urel **inout,
                                      struct arus_error *err)
{
    struct arus_urel *made = NULL;

    ARUS_TRY(new_rel(ARUS_UREL_WATERMARK, from->place, *inout, arena, &made, err));
    ARUS_TRY(arus_from_sql_expr(from->expr, arena, &made->condition, err));
    ARUS_TRY(arus_from_sql_expr(from->delay, arena, &made->delay, err));
    made->alias = from->name.text;
    *inout = made;
    return ARUS_OK;
}

enum arus_status arus_from_sql_relation(const struct arus_ast_relation *from,
                                        struct arus_arena *arena, const struct arus_urel **out,
                                        struct arus_error *err)
{
    struct arus_urel *made = NULL;
    struct arus_urel *alias = NULL;

    ARUS_TRY(from_primary(from, arena, &made, err));
    if (from->watermark != NULL) {
        ARUS_TRY(add_watermark(from->watermark, arena, &made, err));
    }
    if (from->kind != ARUS_AST_LATERAL_VIEW && from->alias.text.data != NULL) {
        ARUS_TRY(new_rel(ARUS_UREL_ALIAS, from->alias.place, made, arena, &alias, err));
        alias->alias = from->alias.text;
        ARUS_TRY(add_columns(&from->columns, arena, alias, err));
        made = alias;
    }
    *out = made;
    return ARUS_OK;
}

/* ---- queries ---- */

static enum arus_status from_select(const struct arus_ast_select *from, struct arus_arena *arena,
                                    struct arus_urel **out, struct arus_error *err)
{
    struct arus_urel *rows = NULL;
    const struct arus_urel *input = NULL;

    if (from->from != NULL) {
        ARUS_TRY(arus_from_sql_relation(from->from, arena, &input, err));
    } else {
        ARUS_TRY(new_rel(ARUS_UREL_ONE_ROW, from->place, NULL, arena, &rows, err));
        input = rows;
    }
    if (from->where != NULL) {
        ARUS_TRY(new_rel(ARUS_UREL_FILTER, from->where->place, input, arena, &rows, err));
        ARUS_TRY(arus_from_sql_expr(from->where, arena, &rows->condition, err));
        input = rows;
    }
    ARUS_TRY(new_rel(ARUS_UREL_SELECT, from->place, input, arena, out, err));
    (*out)->is_distinct = from->is_distinct;
    ARUS_TRY(from_items(from->items, from->item_count, arena, &(*out)->items, err));
    ARUS_TRY(arus_from_sql_group(&from->group_by, arena, *out, err));
    if (from->having != NULL) {
        ARUS_TRY(arus_from_sql_expr(from->having, arena, &(*out)->having, err));
    }
    return ARUS_OK;
}

static enum arus_status from_set(const struct arus_ast_set *from, const struct arus_urel *left,
                                 struct arus_arena *arena, struct arus_urel **out,
                                 struct arus_error *err)
{
    ARUS_TRY(new_rel(ARUS_UREL_SETOP, from->place, left, arena, out, err));
    if (left == NULL) {
        ARUS_TRY(from_body(from->left, arena, &(*out)->inputs[0], err));
    }
    ARUS_TRY(from_body(from->right, arena, &(*out)->inputs[1], err));
    (*out)->keeps_all = from->is_all;
    switch (from->op) {
    case ARUS_AST_UNION:
        (*out)->setop = ARUS_USETOP_UNION;
        break;
    case ARUS_AST_EXCEPT:
        (*out)->setop = ARUS_USETOP_EXCEPT;
        break;
    case ARUS_AST_INTERSECT:
        (*out)->setop = ARUS_USETOP_INTERSECT;
        break;
    }
    return ARUS_OK;
}

static enum arus_status from_body(const struct arus_ast_body *body, struct arus_arena *arena,
                                  const struct arus_urel **out, struct arus_error *err)
{
    struct arus_urel *made = NULL;

    switch (body->kind) {
    case ARUS_AST_BODY_SELECT:
        ARUS_TRY(from_select(&body->select, arena, &made, err));
        break;
    case ARUS_AST_BODY_RELATION:
        return arus_from_sql_relation(body->relation, arena, out, err);
    case ARUS_AST_BODY_QUERY:
        return arus_from_sql_query(body->query, arena, out, err);
    case ARUS_AST_BODY_SET:
        ARUS_TRY(from_set(&body->set, NULL, arena, &made, err));
        break;
    }
    *out = made;
    return ARUS_OK;
}

enum arus_status arus_from_sql_order(const struct arus_ast_order *order, struct arus_arena *arena,
                                     const struct arus_usort **out, struct arus_error *err)
{
    struct arus_usort *sorts = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_usort, order->count, &sorts, err));
    for (uint32_t i = 0; i < order->count; i++) {
        const struct arus_ast_order_item *item = &order->items[i];

        sorts[i].is_descending = item->is_descending;
        sorts[i].nulls_first = item->nulls == ARUS_AST_NULLS_UNSAID
                                   ? !item->is_descending
                                   : item->nulls == ARUS_AST_NULLS_FIRST;
        sorts[i].place = order->place;
        if (item->expr != NULL) {
            sorts[i].place = item->expr->place;
            ARUS_TRY(arus_from_sql_expr(item->expr, arena, &sorts[i].expr, err));
        }
    }
    *out = sorts;
    return ARUS_OK;
}

static enum arus_status add_order(const struct arus_ast_order *order, struct arus_arena *arena,
                                  const struct arus_urel **inout, struct arus_error *err)
{
    const struct arus_usort *sorts = NULL;
    struct arus_urel *made = NULL;

    if (order->count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(new_rel(ARUS_UREL_SORT, order->place, *inout, arena, &made, err));
    ARUS_TRY(arus_from_sql_order(order, arena, &sorts, err));
    made->sorts = sorts;
    made->sort_count = order->count;
    made->sort_all = order->is_all;
    *inout = made;
    return ARUS_OK;
}

static enum arus_status add_limit(const struct arus_ast_expr *limit, enum arus_urel_kind kind,
                                  struct arus_place place, struct arus_arena *arena,
                                  const struct arus_urel **inout, struct arus_error *err)
{
    struct arus_urel *made = NULL;

    if (limit == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(new_rel(kind, place.size > 0 ? place : limit->place, *inout, arena, &made, err));
    *inout = made;
    return arus_from_sql_expr(limit, arena, &made->condition, err);
}

/* ---- pipes ---- */

static enum arus_status pipe_aggregate(const struct arus_ast_pipe *pipe, struct arus_arena *arena,
                                       struct arus_urel *made, struct arus_error *err)
{
    struct arus_uexprs groups = {0};
    struct arus_uexprs items = {0};

    ARUS_TRY(from_items(pipe->group_items, pipe->group_item_count, arena, &groups, err));
    ARUS_TRY(from_items(pipe->items, pipe->item_count, arena, &items, err));
    made->kind = ARUS_UREL_SELECT;
    made->is_grouped = true;
    made->prepends_groups = true;
    made->group_place = pipe->place;
    made->groups = groups;
    made->items = items;
    return ARUS_OK;
}

static enum arus_status pipe_set(const struct arus_ast_pipe *pipe, struct arus_arena *arena,
                                 struct arus_urel *made, struct arus_error *err)
{
    struct arus_text *columns = NULL;
    struct arus_place *places = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_text, pipe->item_count, &columns, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_place, pipe->item_count, &places, err));
    ARUS_TRY(ARUS_NEW(arena, const struct arus_uexpr *, pipe->item_count, &made->items.items, err));
    for (uint32_t i = 0; i < pipe->item_count; i++) {
        columns[i] = pipe->items[i].alias.text;
        places[i] = pipe->items[i].alias.place;
        ARUS_TRY(arus_from_sql_expr(pipe->items[i].expr, arena, &made->items.items[i], err));
    }
    made->items.count = pipe->item_count;
    made->columns = columns;
    made->column_places = places;
    made->column_count = pipe->item_count;
    return ARUS_OK;
}

static enum arus_status add_pipe(const struct arus_ast_pipe *pipe, struct arus_arena *arena,
                                 const struct arus_urel **inout, struct arus_error *err)
{
    struct arus_urel *made = NULL;

    ARUS_TRY(new_rel(ARUS_UREL_SELECT, pipe->place, *inout, arena, &made, err));
    made->is_pipe = true;
    switch (pipe->kind) {
    case ARUS_AST_PIPE_SELECT:
        made->is_distinct = pipe->is_distinct;
        ARUS_TRY(from_items(pipe->items, pipe->item_count, arena, &made->items, err));
        break;
    case ARUS_AST_PIPE_EXTEND:
        made->kind = ARUS_UREL_EXTEND;
        ARUS_TRY(from_items(pipe->items, pipe->item_count, arena, &made->items, err));
        break;
    case ARUS_AST_PIPE_SET:
        made->kind = ARUS_UREL_SET;
        ARUS_TRY(pipe_set(pipe, arena, made, err));
        break;
    case ARUS_AST_PIPE_DROP:
        made->kind = ARUS_UREL_DROP;
        ARUS_TRY(add_columns(&pipe->names, arena, made, err));
        break;
    case ARUS_AST_PIPE_AS:
        made->kind = ARUS_UREL_ALIAS;
        made->alias = pipe->names.items[0].text;
        break;
    case ARUS_AST_PIPE_WHERE:
        made->kind = ARUS_UREL_FILTER;
        ARUS_TRY(arus_from_sql_expr(pipe->condition, arena, &made->condition, err));
        break;
    case ARUS_AST_PIPE_AGGREGATE:
        ARUS_TRY(pipe_aggregate(pipe, arena, made, err));
        break;
    case ARUS_AST_PIPE_JOIN:
        ARUS_TRY(from_join(&pipe->join, *inout, arena, &made, err));
        break;
    case ARUS_AST_PIPE_SET_OP:
        ARUS_TRY(from_set(&pipe->set, *inout, arena, &made, err));
        break;
    case ARUS_AST_PIPE_ORDER:
        return add_order(&pipe->order, arena, inout, err);
    case ARUS_AST_PIPE_LIMIT:
        ARUS_TRY(add_limit(pipe->offset, ARUS_UREL_OFFSET, pipe->place, arena, inout, err));
        return add_limit(pipe->limit, ARUS_UREL_LIMIT, pipe->place, arena, inout, err);
    case ARUS_AST_PIPE_SAMPLE:
        return arus_refuse(err, pipe->place, "TABLESAMPLE is");
    case ARUS_AST_PIPE_PIVOT:
        return arus_refuse(err, pipe->place, "PIVOT is");
    }
    *inout = made;
    return ARUS_OK;
}

static enum arus_status add_ctes(const struct arus_ast_query *query, struct arus_arena *arena,
                                 const struct arus_urel **inout, struct arus_error *err)
{
    struct arus_ucte *ctes = NULL;
    struct arus_urel *made = NULL;

    if (query->cte_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(new_rel(ARUS_UREL_WITH, query->place, *inout, arena, &made, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_ucte, query->cte_count, &ctes, err));
    for (uint32_t i = 0; i < query->cte_count; i++) {
        const struct arus_ast_cte *from = &query->ctes[i];

        ctes[i].name = from->name.text;
        ctes[i].place = from->name.place;
        ctes[i].column_count = from->columns.count;
        ARUS_TRY(arus_from_sql_names(&from->columns, arena, &ctes[i].columns, err));
        ARUS_TRY(arus_from_sql_query(from->query, arena, &ctes[i].query, err));
    }
    made->ctes = ctes;
    made->cte_count = query->cte_count;
    *inout = made;
    return ARUS_OK;
}

enum arus_status arus_from_sql_query(const struct arus_ast_query *query, struct arus_arena *arena,
                                     const struct arus_urel **out, struct arus_error *err)
{
    ARUS_TRY(from_body(query->body, arena, out, err));
    ARUS_TRY(add_order(&query->order, arena, out, err));
    ARUS_TRY(add_limit(query->offset, ARUS_UREL_OFFSET, query->offset_place, arena, out, err));
    ARUS_TRY(add_limit(query->limit, ARUS_UREL_LIMIT, query->limit_place, arena, out, err));
    for (uint32_t i = 0; i < query->pipe_count; i++) {
        ARUS_TRY(add_pipe(&query->pipes[i], arena, out, err));
    }
    return add_ctes(query, arena, out, err);
}
