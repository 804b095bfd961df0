/** Statements and queries as indented lines. */
#include "sql/print_internal.h"

#include <stdarg.h>
#include <stdio.h>

void arus_ast_put(struct arus_ast_printer *pr, const char *format, ...)
{
    char small[512];
    va_list args;
    int size;

    if (pr->status != ARUS_OK) {
        return;
    }
    va_start(args, format);
    size = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (size >= 0 && (size_t)size < sizeof small) {
        pr->status = arus_buffer_append(pr->out, small, (size_t)size, pr->err);
        return;
    }
    pr->status = arus_buffer_reserve(pr->out, (size_t)size + 1, pr->err);
    if (pr->status == ARUS_OK) {
        va_start(args, format);
        (void)vsnprintf(pr->out->data + pr->out->size, (size_t)size + 1, format, args);
        va_end(args);
        pr->out->size += (size_t)size;
    }
}

void arus_ast_put_names(struct arus_ast_printer *pr, struct arus_ast_names names,
                        const char *separator)
{
    for (uint32_t i = 0; i < names.count; i++) {
        const char *quote = names.items[i].is_quoted ? "`" : "";

        arus_ast_put(pr, "%s%s%.*s%s", i == 0 ? "" : separator, quote,
                     ARUS_TEXT_ARGS(names.items[i].text), quote);
    }
}

/* A new line at the current depth. */
static void line(struct arus_ast_printer *pr)
{
    arus_ast_put(pr, "\n%*s", pr->indent * 2, "");
}

static void put_item(struct arus_ast_printer *pr, const struct arus_ast_item *item)
{
    line(pr);
    arus_ast_put_expr(pr, item->expr);
    if (item->alias.text.data != NULL) {
        arus_ast_put(pr, " AS %.*s", ARUS_TEXT_ARGS(item->alias.text));
    }
    if (item->aliases.count != 0) {
        arus_ast_put(pr, " AS (");
        arus_ast_put_names(pr, item->aliases, ", ");
        arus_ast_put(pr, ")");
    }
}

static void put_items(struct arus_ast_printer *pr, const struct arus_ast_item *items,
                      uint32_t count)
{
    pr->indent++;
    for (uint32_t i = 0; i < count; i++) {
        put_item(pr, &items[i]);
    }
    pr->indent--;
}

static void put_labelled(struct arus_ast_printer *pr, const char *label,
                         const struct arus_ast_expr *expr)
{
    if (expr != NULL) {
        line(pr);
        arus_ast_put(pr, "%s ", label);
        arus_ast_put_expr(pr, expr);
    }
}

static void put_settings(struct arus_ast_printer *pr, const char *label,
                         const struct arus_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        line(pr);
        arus_ast_put(pr, "%s %.*s = '%.*s'", label, ARUS_TEXT_ARGS(settings->items[i].key),
                     ARUS_TEXT_ARGS(settings->items[i].value));
    }
}

/* ---- relations ---- */

static void put_relation(struct arus_ast_printer *pr, const struct arus_ast_relation *relation);

static void put_join(struct arus_ast_printer *pr, const struct arus_ast_join *join)
{
    static const char *const KINDS[] = {"inner", "cross", "left", "right", "full", "semi", "anti"};

    arus_ast_put(pr, "%s%s join", join->is_natural ? "natural " : "", KINDS[join->kind]);
    if (join->on != NULL) {
        arus_ast_put(pr, " on ");
        arus_ast_put_expr(pr, join->on);
    }
    if (join->using_columns.count != 0) {
        arus_ast_put(pr, " using (");
        arus_ast_put_names(pr, join->using_columns, ", ");
        arus_ast_put(pr, ")");
    }
    pr->indent++;
    if (join->left != NULL) {
        put_relation(pr, join->left);
    }
    put_relation(pr, join->right);
    pr->indent--;
}

static void put_values(struct arus_ast_printer *pr, const struct arus_ast_values *values)
{
    arus_ast_put(pr, "values");
    for (uint32_t i = 0; i < values->count; i++) {
        arus_ast_put(pr, "%s", i == 0 ? " " : ", ");
        arus_ast_put_expr(pr, values->rows[i]);
    }
}

static void put_watermark(struct arus_ast_printer *pr, const struct arus_ast_watermark *watermark)
{
    line(pr);
    arus_ast_put(pr, "watermark ");
    arus_ast_put_expr(pr, watermark->expr);
    if (watermark->name.text.data != NULL) {
        arus_ast_put(pr, " AS %.*s", ARUS_TEXT_ARGS(watermark->name.text));
    }
    arus_ast_put(pr, " DELAY OF ");
    arus_ast_put_expr(pr, watermark->delay);
}

static void put_core(struct arus_ast_printer *pr, const struct arus_ast_relation *relation)
{
    switch (relation->kind) {
    case ARUS_AST_TABLE:
        arus_ast_put(pr, "table ");
        arus_ast_put_names(pr, relation->name, ".");
        return;
    case ARUS_AST_SUBQUERY:
        arus_ast_put(pr, "subquery");
        return;
    case ARUS_AST_VALUES:
        put_values(pr, &relation->values);
        return;
    case ARUS_AST_FUNCTION:
        arus_ast_put(pr, "function ");
        arus_ast_put_expr(pr, relation->call);
        return;
    case ARUS_AST_JOIN:
        put_join(pr, &relation->join);
        return;
    case ARUS_AST_NESTED:
        arus_ast_put(pr, "nested");
        return;
    case ARUS_AST_LATERAL_VIEW:
        arus_ast_put(pr, "lateral view %s", relation->lateral_view.is_outer ? "outer " : "");
        arus_ast_put_expr(pr, relation->lateral_view.call);
        return;
    case ARUS_AST_SAMPLE:
        arus_ast_put(pr, "sample");
        return;
    case ARUS_AST_PIVOT:
        arus_ast_put(pr, relation->is_unpivot ? "unpivot" : "pivot");
        return;
    }
}

static void put_inputs(struct arus_ast_printer *pr, const struct arus_ast_relation *relation)
{
    if (relation->query != NULL) {
        arus_ast_put_query(pr, relation->query);
    }
    if (relation->inner != NULL) {
        put_relation(pr, relation->inner);
    }
    if (relation->kind == ARUS_AST_LATERAL_VIEW) {
        put_relation(pr, relation->lateral_view.input);
    }
}

static void put_relation(struct arus_ast_printer *pr, const struct arus_ast_relation *relation)
{
    line(pr);
    arus_ast_put(pr, "%s%s", relation->is_lateral ? "lateral " : "",
                 relation->is_stream ? "stream " : "");
    put_core(pr, relation);
    if (relation->alias.text.data != NULL) {
        arus_ast_put(pr, " AS %.*s", ARUS_TEXT_ARGS(relation->alias.text));
    }
    if (relation->columns.count != 0) {
        arus_ast_put(pr, " (");
        arus_ast_put_names(pr, relation->columns, ", ");
        arus_ast_put(pr, ")");
    }
    pr->indent++;
    put_settings(pr, "with", &relation->options);
    if (relation->watermark != NULL) {
        put_watermark(pr, relation->watermark);
    }
    put_inputs(pr, relation);
    pr->indent--;
}

/* ---- queries ---- */

static void put_keys(struct arus_ast_printer *pr, const struct arus_ast_group *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        arus_ast_put(pr, "%s", i == 0 ? " " : ", ");
        arus_ast_put_expr(pr, group->keys[i]);
    }
}

static void put_group_part(struct arus_ast_printer *pr, const struct arus_ast_group *group)
{
    static const char *const KINDS[] = {"", "", " all", " rollup", " cube", " grouping sets", ""};
    const bool is_sets = group->kind == ARUS_AST_GROUP_SETS;

    if (is_sets) { /* keys in front of it */
        put_keys(pr, group);
    }
    arus_ast_put(pr, "%s", KINDS[group->kind]);
    if (!is_sets) {
        put_keys(pr, group);
    }
    for (uint32_t i = 0; i < group->part_count; i++) {
        arus_ast_put(pr, "%s", i == 0 ? (is_sets ? " {" : "") : (is_sets ? "," : " x"));
        put_group_part(pr, &group->parts[i]);
    }
    arus_ast_put(pr, "%s", is_sets ? " }" : "");
}

static void put_group(struct arus_ast_printer *pr, const struct arus_ast_group *group)
{
    if (group->kind == ARUS_AST_GROUP_NONE) {
        return;
    }
    line(pr);
    arus_ast_put(pr, "group by");
    put_group_part(pr, group);
}

static void put_select(struct arus_ast_printer *pr, const struct arus_ast_select *select)
{
    arus_ast_put(pr, "select%s", select->is_distinct ? " distinct" : "");
    put_items(pr, select->items, select->item_count);
    if (select->from != NULL) {
        line(pr);
        arus_ast_put(pr, "from");
        pr->indent++;
        put_relation(pr, select->from);
        pr->indent--;
    }
    put_labelled(pr, "where", select->where);
    put_group(pr, &select->group_by);
    put_labelled(pr, "having", select->having);
}

static const char *set_name(const struct arus_ast_set *set)
{
    static const char *const NAMES[][2] = {
        {"union", "union all"}, {"except", "except all"}, {"intersect", "intersect all"}};

    return NAMES[set->op][set->is_all];
}

static void put_body(struct arus_ast_printer *pr, const struct arus_ast_body *body)
{
    line(pr);
    switch (body->kind) {
    case ARUS_AST_BODY_SELECT:
        put_select(pr, &body->select);
        return;
    case ARUS_AST_BODY_RELATION:
        arus_ast_put(pr, "all of");
        pr->indent++;
        put_relation(pr, body->relation);
        pr->indent--;
        return;
    case ARUS_AST_BODY_QUERY:
        arus_ast_put(pr, "query");
        arus_ast_put_query(pr, body->query);
        return;
    case ARUS_AST_BODY_SET:
        arus_ast_put(pr, "%s", set_name(&body->set));
        pr->indent++;
        put_body(pr, body->set.left);
        put_body(pr, body->set.right);
        pr->indent--;
        return;
    }
}

static void put_pipe(struct arus_ast_printer *pr, const struct arus_ast_pipe *pipe)
{
    static const char *const NAMES[] = {"select", "extend",    "set",  "drop",   "as",
                                        "where",  "aggregate", "join", "set op", "order",
                                        "limit",  "sample",    "pivot"};

    line(pr);
    arus_ast_put(pr, "|> %s ", NAMES[pipe->kind]);
    if (pipe->kind == ARUS_AST_PIPE_JOIN) {
        put_join(pr, &pipe->join);
    } else if (pipe->kind == ARUS_AST_PIPE_SET_OP) {
        arus_ast_put(pr, "%s", set_name(&pipe->set));
        pr->indent++;
        put_body(pr, pipe->set.right);
        pr->indent--;
    }
    arus_ast_put_names(pr, pipe->names, ", ");
    if (pipe->condition != NULL) {
        arus_ast_put_expr(pr, pipe->condition);
    }
    arus_ast_put_order(pr, &pipe->order);
    put_items(pr, pipe->items, pipe->item_count);
    if (pipe->group_item_count != 0) {
        line(pr);
        arus_ast_put(pr, "group by");
        put_items(pr, pipe->group_items, pipe->group_item_count);
    }
    put_labelled(pr, "limit", pipe->limit);
    put_labelled(pr, "offset", pipe->offset);
}

static void put_cte(struct arus_ast_printer *pr, const struct arus_ast_cte *cte)
{
    line(pr);
    arus_ast_put(pr, "with %.*s", ARUS_TEXT_ARGS(cte->name.text));
    if (cte->columns.count != 0) {
        arus_ast_put(pr, " (");
        arus_ast_put_names(pr, cte->columns, ", ");
        arus_ast_put(pr, ")");
    }
    arus_ast_put_query(pr, cte->query);
}

void arus_ast_put_query(struct arus_ast_printer *pr, const struct arus_ast_query *query)
{
    pr->indent++;
    for (uint32_t i = 0; i < query->cte_count; i++) {
        put_cte(pr, &query->ctes[i]);
    }
    put_body(pr, query->body);
    if (query->order.count != 0) {
        line(pr);
        arus_ast_put_order(pr, &query->order);
    }
    put_labelled(pr, "limit", query->limit);
    put_labelled(pr, "offset", query->offset);
    for (uint32_t i = 0; i < query->pipe_count; i++) {
        put_pipe(pr, &query->pipes[i]);
    }
    pr->indent--;
}

/* ---- statements ---- */

static void put_column(struct arus_ast_printer *pr, const struct arus_ast_column_def *column)
{
    line(pr);
    arus_ast_put(pr, "column %.*s %.*s%s", ARUS_TEXT_ARGS(column->name.text),
                 ARUS_TEXT_ARGS(column->type.text), column->is_not_null ? " not null" : "");
    if (column->comment.text.data != NULL) {
        arus_ast_put(pr, " comment '%.*s'", ARUS_TEXT_ARGS(column->comment.text));
    }
    pr->indent++;
    put_labelled(pr, "default", column->default_value);
    put_labelled(pr, "generated", column->generated);
    pr->indent--;
}

static void put_string(struct arus_ast_printer *pr, const char *label,
                       const struct arus_ast_string *string)
{
    if (string->text.data != NULL) {
        line(pr);
        arus_ast_put(pr, "%s '%.*s'", label, ARUS_TEXT_ARGS(string->text));
    }
}

static void put_names_line(struct arus_ast_printer *pr, const char *label,
                           struct arus_ast_names names, const char *separator)
{
    if (names.count != 0) {
        line(pr);
        arus_ast_put(pr, "%s ", label);
        arus_ast_put_names(pr, names, separator);
    }
}

static void put_create(struct arus_ast_printer *pr, const char *what,
                       const struct arus_ast_create *create)
{
    arus_ast_put(pr, "create %s%s%s ", create->or_replace ? "or replace " : "",
                 create->is_temporary ? "temporary " : "", what);
    arus_ast_put_names(pr, create->name, ".");
    arus_ast_put(pr, "%s", create->if_not_exists ? " if not exists" : "");
    pr->indent++;
    for (uint32_t i = 0; i < create->column_count; i++) {
        put_column(pr, &create->columns[i]);
    }
    put_names_line(pr, "using", create->format, ".");
    put_settings(pr, "option", &create->options);
    put_settings(pr, "property", &create->properties);
    put_string(pr, "location", &create->location);
    put_string(pr, "comment", &create->comment);
    put_names_line(pr, "partitioned by", create->partition_by, ", ");
    pr->indent--;
    if (create->query != NULL) {
        arus_ast_put_query(pr, create->query);
    }
}

static void put_insert(struct arus_ast_printer *pr, const struct arus_ast_insert *insert)
{
    arus_ast_put(pr, "insert into ");
    arus_ast_put_names(pr, insert->target, ".");
    arus_ast_put(pr, "%s", insert->is_by_name ? " by name" : "");
    pr->indent++;
    put_names_line(pr, "flow", insert->flow, ".");
    pr->indent--;
    arus_ast_put_query(pr, insert->query);
}

static void put_setting(struct arus_ast_printer *pr, const char *word,
                        const struct arus_ast_setting *setting)
{
    arus_ast_put(pr, "%s %.*s", word, ARUS_TEXT_ARGS(setting->key.text));
    if (setting->value.text.data != NULL) {
        arus_ast_put(pr, " = %.*s", ARUS_TEXT_ARGS(setting->value.text));
    }
}

static void put_time_zone(struct arus_ast_printer *pr, const struct arus_ast_time_zone *zone)
{
    arus_ast_put(pr, "set time zone ");
    if (zone->interval != NULL) {
        arus_ast_put_expr(pr, zone->interval);
    } else {
        arus_ast_put(pr, "%.*s",
                     ARUS_TEXT_ARGS(zone->is_local ? ARUS_TEXT("local") : zone->zone.text));
    }
}

static void put_describe(struct arus_ast_printer *pr, const struct arus_ast_describe *describe)
{
    static const char *const WHAT[] = {"table", "query", "function"};

    arus_ast_put(pr, "describe %s%s ", describe->is_extended ? "extended " : "",
                 WHAT[describe->what]);
    arus_ast_put_names(pr, describe->name, ".");
    if (describe->query != NULL) {
        arus_ast_put_query(pr, describe->query);
    }
}

static void put_show(struct arus_ast_printer *pr, const struct arus_ast_show *show)
{
    static const char *const WHAT[] = {"tables",  "views",        "functions",
                                       "columns", "create table", "tblproperties"};

    arus_ast_put(pr, "show %s ", WHAT[show->what]);
    arus_ast_put_names(pr, show->name, ".");
    pr->indent++;
    put_string(pr, "pattern", &show->pattern);
    pr->indent--;
}

static void put_statement(struct arus_ast_printer *pr, const struct arus_ast_statement *statement)
{
    static const char *const MODES[] = {"explain ", "explain extended ", "explain formatted "};

    switch (statement->kind) {
    case ARUS_AST_CREATE_TABLE:
        put_create(pr, "table", &statement->create);
        return;
    case ARUS_AST_CREATE_VIEW:
        put_create(pr, "view", &statement->create);
        return;
    case ARUS_AST_CREATE_STREAMING_TABLE:
        put_create(pr, "streaming table", &statement->create);
        return;
    case ARUS_AST_CREATE_MATERIALIZED_VIEW:
        put_create(pr, "materialized view", &statement->create);
        return;
    case ARUS_AST_INSERT:
        put_insert(pr, &statement->insert);
        return;
    case ARUS_AST_SET:
        put_setting(pr, "set", &statement->setting);
        return;
    case ARUS_AST_RESET:
        put_setting(pr, "reset", &statement->setting);
        return;
    case ARUS_AST_SET_TIME_ZONE:
        put_time_zone(pr, &statement->time_zone);
        return;
    case ARUS_AST_QUERY:
        arus_ast_put(pr, "query");
        arus_ast_put_query(pr, statement->query);
        return;
    case ARUS_AST_EXPLAIN:
        arus_ast_put(pr, "%s", MODES[statement->explain.mode]);
        put_statement(pr, statement->explain.statement);
        return;
    case ARUS_AST_DESCRIBE:
        put_describe(pr, &statement->describe);
        return;
    case ARUS_AST_SHOW:
        put_show(pr, &statement->show);
        return;
    }
}

enum arus_status arus_ast_print(const struct arus_script *script, struct arus_buffer *out,
                                struct arus_error *err)
{
    struct arus_ast_printer pr = {.out = out, .err = err};

    for (uint32_t i = 0; i < script->statement_count; i++) {
        put_statement(&pr, script->statements[i]);
        arus_ast_put(&pr, "\n");
    }
    return pr.status;
}
