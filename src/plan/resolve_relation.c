/* Relations: dispatch, tables, aliases, watermarks, filters, limits, CTEs. */
#include "base/file.h"
#include "plan/resolve_internal.h"
#include "plan/say.h"

enum { NESTING_MAX = 100 };
#define MICROS_PER_DAY ((int64_t)86400 * 1000000)

/* ---- tables ---- */

static enum arus_status unknown_table(struct arus_resolver *resolver, const struct arus_uname *name,
                                      struct arus_error *err)
{
    const struct arus_catalog *catalog = resolver->catalog;
    const struct arus_text last = name->parts[name->part_count - 1];
    const struct arus_relation *nearest = NULL;
    size_t best = SIZE_MAX;

    arus_say(err, name->place, "TABLE_OR_VIEW_NOT_FOUND", "there is no table or view `%.*s`",
             ARUS_TEXT_ARGS(last));
    for (size_t i = 0; i < catalog->relation_count; i++) {
        const size_t distance = arus_text_distance(catalog->relations[i].name, last);

        if (distance < best && distance * 3 <= last.size + 2) {
            best = distance;
            nearest = &catalog->relations[i];
        }
    }
    if (nearest != NULL) {
        return arus_error_label(err, "did you mean `%.*s`?", ARUS_TEXT_ARGS(nearest->name));
    }
    return arus_error_help(err,
                           "CREATE TABLE %.*s (..) USING json OPTIONS (path '..'), or "
                           "json.`folder`",
                           ARUS_TEXT_ARGS(last));
}

static enum arus_status bind_source(struct arus_resolver *resolver, const struct arus_urel *from,
                                    const struct arus_table *table, const struct arus_source **out,
                                    struct arus_error *err)
{
    const struct arus_source_ops *ops = table->connector->source;
    struct arus_source *source = NULL;
    enum arus_status status;

    if (ops == NULL) {
        return arus_fail_at(err, from->place, "_LEGACY_ERROR_TEMP_2049",
                            "%s can be written, but not read", table->connector->name);
    }
    if (from->is_stream && ops->stream_open == NULL) {
        return arus_fail_at(err, from->place, "_LEGACY_ERROR_TEMP_2049",
                            "%s cannot be read as a stream", table->connector->name);
    }
    if (!from->is_stream && ops->list == NULL) {
        arus_say(err, from->place, "_LEGACY_ERROR_TEMP_2049",
                 "%s has no end: it is read as a stream", table->connector->name);
        return arus_error_help(err, "FROM STREAM %.*s", ARUS_TEXT_ARGS(table->name));
    }
    status = ops->bind(table, from->is_stream, resolver->arena, &source, err);
    if (status != ARUS_OK) {
        (void)arus_error_at(err, table->place.size > 0 ? table->place : from->place);
        return status;
    }
    *out = source;
    return ARUS_OK;
}

static enum arus_status make_scan(struct arus_resolver *resolver, const struct arus_urel *from,
                                  const struct arus_source *source, struct arus_plan **out,
                                  struct arus_error *err)
{
    const uint32_t count = source->schema->field_count + (source->metadata != NULL);
    struct arus_field *fields = NULL;
    struct arus_plan *plan = NULL;

    ARUS_TRY(arus_plan_make(ARUS_PLAN_SCAN, from->place, NULL, NULL, resolver->arena, &plan, err));
    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_field, count, &fields, err));
    ARUS_TRY(ARUS_NEW(resolver->arena, uint16_t, count, &plan->scan.fields, err));
    for (uint32_t i = 0; i < count; i++) {
        plan->scan.fields[i] = (uint16_t)i;
        if (i < source->schema->field_count) {
            fields[i] = source->schema->fields[i];
        } else {
            fields[i] = (struct arus_field){ARUS_TEXT("_metadata"), source->metadata, false, {0}};
        }
    }
    ARUS_TRY(arus_type_struct(fields, (uint16_t)count, resolver->arena, &plan->schema, err));
    plan->scan.source = source;
    plan->scan.is_stream = from->is_stream;
    plan->scan.stream_place = from->stream_place;
    plan->is_streaming = from->is_stream;
    if (from->is_stream) {
        plan->scan.stream_index = resolver->stream_count++;
    }
    *out = plan;
    return ARUS_OK;
}

static enum arus_status resolve_source(struct arus_resolver *resolver, const struct arus_urel *from,
                                       const struct arus_table *table, struct arus_bound *out,
                                       struct arus_error *err)
{
    const struct arus_source *source = NULL;
    const struct arus_text qualifier = from->is_path ? (struct arus_text){0} : table->name;

    ARUS_TRY(bind_source(resolver, from, table, &source, err));
    ARUS_ASSERT(source != NULL);
    ARUS_TRY(make_scan(resolver, from, source, &out->plan, err));
    ARUS_TRY(arus_scope_open(resolver, out->plan->schema, qualifier, &out->scope, err));
    if (source->metadata != NULL) {
        out->scope.columns[out->scope.count - 1].is_fallback = true;
    }
    return ARUS_OK;
}

/* STREAM t WITH (k = v): the options of the table, then these */
static enum arus_status add_options(struct arus_resolver *resolver, const struct arus_urel *from,
                                    const struct arus_table *table, struct arus_table **out,
                                    struct arus_error *err)
{
    const size_t count = table->options.count + from->settings.count;
    struct arus_setting *items = NULL;

    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_table, 1, out, err));
    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_setting, count, &items, err));
    for (size_t i = 0; i < count; i++) {
        items[i] = i < table->options.count ? table->options.items[i]
                                            : from->settings.items[i - table->options.count];
    }
    **out = *table;
    (*out)->options = (struct arus_settings){items, count};
    return ARUS_OK;
}

/* json.`path` */
static enum arus_status resolve_path(struct arus_resolver *resolver, const struct arus_urel *from,
                                     struct arus_bound *out, struct arus_error *err)
{
    const struct arus_connector *connector = arus_connector_find(from->name.parts[0]);
    struct arus_setting *path = NULL;
    struct arus_table *table = NULL;
    struct arus_table bare = {.name = from->path,
                              .connector = connector,
                              .place = from->place,
                              .folder = resolver->catalog->folder,
                              .zone = resolver->catalog->zone,
                              .states = resolver->catalog->states};

    if (connector == NULL) {
        return unknown_table(resolver, &from->name, err);
    }
    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_setting, 1, &path, err));
    *path = (struct arus_setting){ARUS_TEXT("path"), from->path, from->place, from->place};
    bare.options = (struct arus_settings){path, 1};
    ARUS_TRY(add_options(resolver, from, &bare, &table, err));
    return resolve_source(resolver, from, table, out, err);
}

/* Rows were set aside once, or may be from now on. */
static enum arus_status check_side(const struct arus_urel *from,
                                   const struct arus_relation *relation, enum arus_side side,
                                   struct arus_error *err)
{
    const struct arus_table *table = relation->sides[side];
    const char *property = arus_side_property(side);
    struct arus_file_info info = {0};

    if (from->is_stream) {
        return arus_fail_at(err, from->place, "_LEGACY_ERROR_TEMP_2049",
                            "a side table cannot be read as a stream");
    }
    if (table == NULL) {
        arus_say(err, from->place, "ARUS_NO_SIDE_TABLE",
                 "`%.*s` has no checkpointLocation, where its side tables are kept",
                 ARUS_TEXT_ARGS(relation->name));
        return ARUS_BAD_CONFIG;
    }
    if (!relation->side_is_on[side]) {
        ARUS_TRY(arus_file_stat(table->options.items[0].value.data, &info, err));
    }
    if (relation->side_is_on[side] || info.kind != ARUS_FILE_NONE) {
        return ARUS_OK;
    }
    arus_say(err, from->place, "ARUS_NO_SIDE_TABLE", "there is no `%.*s`: %s is off",
             ARUS_TEXT_ARGS(table->name), property);
    return arus_error_help(err, "TBLPROPERTIES (%s 'true'), or --set arus.%s=true", property,
                           property);
}

/* `windows$late`: rows that the streaming table `windows` set aside. */
static enum arus_status resolve_side(struct arus_resolver *resolver, const struct arus_urel *from,
                                     bool *is_done, struct arus_bound *out, struct arus_error *err)
{
    const struct arus_relation *relation;
    enum arus_side side;
    struct arus_text name;

    *is_done = false;
    if (!arus_side_split(from->name.parts[from->name.part_count - 1], &name, &side)) {
        return ARUS_OK;
    }
    relation = arus_catalog_find(resolver->catalog, name);
    if (relation == NULL || relation->kind != ARUS_RELATION_STREAMING) {
        return ARUS_OK;
    }
    *is_done = true;
    ARUS_TRY(check_side(from, relation, side, err));
    return resolve_source(resolver, from, relation->sides[side], out, err);
}

static enum arus_status rename_columns(struct arus_resolver *resolver, struct arus_place place,
                                       const struct arus_text *names, uint32_t count,
                                       struct arus_bound *inout, struct arus_error *err)
{
    const bool is_values = inout->plan->kind == ARUS_PLAN_VALUES;
    struct arus_scope scope = {0};
    uint32_t seen = 0;

    for (size_t i = 0; i < inout->scope.count; i++) {
        struct arus_scope_column column = inout->scope.columns[i];

        if (column.is_hidden || column.is_fallback) {
            continue;
        }
        if (seen < count) {
            column.name = names[seen];
        }
        seen++;
        column.id = resolver->next_id++;
        ARUS_TRY(arus_scope_add(resolver, &scope, &column, err));
    }
    if (seen != count) {
        return arus_fail_at(err, place,
                            is_values ? "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH"
                                      : "_LEGACY_ERROR_TEMP_1155",
                            "%u names for %u columns", count, seen);
    }
    inout->scope = scope;
    return ARUS_OK;
}

static enum arus_status resolve_nested(struct arus_resolver *resolver,
                                       const struct arus_urel *query,
                                       const struct arus_resolved_cte *visible,
                                       struct arus_place place, struct arus_bound *out,
                                       struct arus_error *err)
{
    const struct arus_resolved_cte *saved = resolver->ctes;
    enum arus_status status;

    if (resolver->depth >= NESTING_MAX) {
        return arus_fail_at(err, place, "VIEW_EXCEED_MAX_NESTED_DEPTH",
                            "views are nested more than %d deep", (int)NESTING_MAX);
    }
    resolver->ctes = visible;
    resolver->depth++;
    status = arus_resolve_relation(resolver, query, NULL, out, err);
    resolver->depth--;
    resolver->ctes = saved;
    return status;
}

/* A view or CTE: its columns under its name. */
static enum arus_status name_result(struct arus_resolver *resolver, struct arus_text name,
                                    const struct arus_text *columns, uint32_t column_count,
                                    struct arus_place place, struct arus_bound *inout,
                                    struct arus_error *err)
{
    if (column_count > 0) {
        ARUS_TRY(rename_columns(resolver, place, columns, column_count, inout, err));
    }
    for (size_t i = 0; i < inout->scope.count; i++) {
        inout->scope.columns[i].qualifier = name;
    }
    return ARUS_OK;
}

static enum arus_status resolve_cte(struct arus_resolver *resolver, const struct arus_urel *from,
                                    bool *is_done, struct arus_bound *out, struct arus_error *err)
{
    *is_done = false;
    if (from->name.part_count != 1 || from->is_stream) {
        return ARUS_OK;
    }
    for (const struct arus_resolved_cte *cte = resolver->ctes; cte != NULL; cte = cte->outer) {
        if (arus_resolver_same(resolver, cte->cte->name, from->name.parts[0])) {
            *is_done = true;
            ARUS_TRY(
                resolve_nested(resolver, cte->cte->query, cte->visible, from->place, out, err));
            return name_result(resolver, cte->cte->name, cte->cte->columns, cte->cte->column_count,
                               cte->cte->place, out, err);
        }
    }
    return ARUS_OK;
}

static enum arus_status resolve_view(struct arus_resolver *resolver, const struct arus_urel *from,
                                     const struct arus_relation *view, struct arus_bound *out,
                                     struct arus_error *err)
{
    ARUS_TRY(resolve_nested(resolver, view->query, NULL, from->place, out, err));
    ARUS_TRY(name_result(resolver, view->name, view->columns, view->column_count, view->place, out,
                         err));
    if (from->is_stream && !out->plan->is_streaming) {
        arus_say(err, from->place, "_LEGACY_ERROR_TEMP_3102", "view `%.*s` reads no stream",
                 ARUS_TEXT_ARGS(view->name));
        return arus_error_help(err, "put STREAM into the view: FROM STREAM t");
    }
    return ARUS_OK;
}

static enum arus_status resolve_table(struct arus_resolver *resolver, const struct arus_urel *from,
                                      struct arus_bound *out, struct arus_error *err)
{
    const struct arus_relation *relation = NULL;
    struct arus_table *table = NULL;
    bool is_done = false;

    if (from->is_path) {
        return resolve_path(resolver, from, out, err);
    }
    ARUS_TRY(resolve_cte(resolver, from, &is_done, out, err));
    if (is_done) {
        return ARUS_OK;
    }
    if (from->name.part_count == 1 ||
        arus_text_equal_nocase(from->name.parts[from->name.part_count - 2], ARUS_TEXT("default"))) {
        relation =
            arus_catalog_find(resolver->catalog, from->name.parts[from->name.part_count - 1]);
    }
    if (relation == NULL) {
        ARUS_TRY(resolve_side(resolver, from, &is_done, out, err));
        return is_done ? ARUS_OK : unknown_table(resolver, &from->name, err);
    }
    if (relation->kind == ARUS_RELATION_VIEW) {
        return resolve_view(resolver, from, relation, out, err);
    }
    if (relation->kind == ARUS_RELATION_BROKEN) {
        return arus_fail_at(
            err, from->place,
            relation->sql == resolver->catalog->sql ? ARUS_BROKEN_HERE : "ARUS_BROKEN_RELATION",
            "`%.*s` has an error where it was made", ARUS_TEXT_ARGS(relation->name));
    }
    if (relation->table == NULL) {
        arus_say(err, from->place, "ARUS_NOT_READABLE", "the sink of `%.*s` cannot be read",
                 ARUS_TEXT_ARGS(relation->name));
        return ARUS_BAD_CONFIG;
    }
    ARUS_TRY(add_options(resolver, from, relation->table, &table, err));
    return resolve_source(resolver, from, table, out, err);
}

/* ---- aliases, watermarks ---- */

static enum arus_status resolve_alias(struct arus_resolver *resolver, const struct arus_urel *from,
                                      const struct arus_expr_context *outer, struct arus_bound *out,
                                      struct arus_error *err)
{
    ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, out, err));
    return name_result(resolver, from->alias, from->columns, from->column_count, from->place, out,
                       err);
}

static enum arus_status check_event_time(const struct arus_expr *time, struct arus_error *err)
{
    const struct arus_type *type = time->type;
    const bool is_window = type->id == ARUS_TYPE_STRUCT && type->field_count == 2 &&
                           type->fields[1].type->id == ARUS_TYPE_TIMESTAMP;

    if (type->id == ARUS_TYPE_TIMESTAMP || is_window) {
        return ARUS_OK;
    }
    arus_say(err, time->place, "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE",
             "a watermark needs a TIMESTAMP, this is %s", arus_type_label(type).text);
    return arus_error_help(err, "WATERMARK to_timestamp(..) AS ts DELAY OF ..");
}

static enum arus_status watermark_delay(struct arus_expr_context *context,
                                        const struct arus_uexpr *from, struct arus_plan *plan,
                                        struct arus_error *err)
{
    const struct arus_expr *delay = NULL;

    ARUS_TRY(arus_resolve_expr(context, from, &delay, err));
    if (delay->kind != ARUS_EXPR_LITERAL) {
        return arus_fail_at(err, from->place, "PARSE_SYNTAX_ERROR",
                            "the delay must be an interval");
    }
    if (delay->type->id == ARUS_TYPE_INTERVAL_DT) {
        plan->watermark.delay_micros = ((const int64_t *)delay->value.values)[0];
    } else {
        plan->watermark.delay_micros =
            ((const int32_t *)delay->value.values)[0] * 31 * MICROS_PER_DAY;
    }
    if (plan->watermark.delay_micros < 0) {
        return arus_fail_at(err, from->place, NULL,
                            "a watermark cannot run ahead: the delay is negative");
    }
    plan->watermark.delay_micros -= plan->watermark.delay_micros % 1000; /* whole milliseconds */
    return ARUS_OK;
}

static enum arus_status resolve_watermark(struct arus_resolver *resolver,
                                          const struct arus_urel *from,
                                          const struct arus_expr_context *outer,
                                          struct arus_bound *out, struct arus_error *err)
{
    struct arus_expr_context context = {
        .resolver = resolver, .input = out, .clause = ARUS_CLAUSE_ARGUMENT};
    const struct arus_expr *time = NULL;
    struct arus_plan *plan = NULL;
    struct arus_plan *child = NULL;
    struct arus_scope_column column = {0};

    ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, out, err));
    ARUS_TRY(arus_resolve_expr(&context, from->condition, &time, err));
    if (time->kind != ARUS_EXPR_COLUMN && time->kind != ARUS_EXPR_FIELD && from->alias.size == 0) {
        arus_say(err, time->place, "REQUIRES_EXPLICIT_NAME_IN_WATERMARK_CLAUSE",
                 "an expression needs a name to be the event time");
        return arus_error_help(err, "WATERMARK .. AS event_time DELAY OF ..");
    }
    ARUS_TRY(check_event_time(time, err));
    child = out->plan;
    if (time->kind != ARUS_EXPR_COLUMN || from->alias.size > 0) {
        const struct arus_text name =
            time->kind == ARUS_EXPR_FIELD && from->alias.data == NULL ? time->name : from->alias;

        column.index = child->schema->field_count;
        ARUS_TRY(arus_plan_append(child, &time, &name, 1, resolver->arena, &child, err));
        column.name = child->schema->fields[column.index].name;
        column.id = resolver->next_id++;
        ARUS_TRY(arus_scope_add(resolver, &out->scope, &column, err));
    } else {
        column.index = time->index;
    }
    ARUS_TRY(
        arus_plan_make(ARUS_PLAN_WATERMARK, from->place, child, NULL, resolver->arena, &plan, err));
    plan->watermark.column = column.index;
    ARUS_TRY(watermark_delay(&context, from->delay, plan, err));
    out->plan = plan;
    return ARUS_OK;
}

/* ---- WHERE, LIMIT ---- */

static enum arus_status add_condition(struct arus_expr_context *context,
                                      const struct arus_uexpr *from, struct arus_error *err)
{
    const struct arus_expr *condition = NULL;
    bool is_done = false;

    if (from->kind == ARUS_UEXPR_CALL && arus_text_equal_nocase(from->text, ARUS_TEXT("and")) &&
        from->args.count == 2) {
        ARUS_TRY(add_condition(context, from->args.items[0], err));
        return add_condition(context, from->args.items[1], err);
    }
    ARUS_TRY(arus_resolve_where_query(context, from, &is_done, err));
    if (is_done) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_resolve_condition(context, from, &condition, err));
    return arus_plan_filter(context->input->plan, condition, context->resolver->arena,
                            &context->input->plan, err);
}

static bool has_query(const struct arus_uexpr *expr)
{
    if (expr->query != NULL) {
        return true;
    }
    for (uint32_t i = 0; i < expr->args.count; i++) {
        if (has_query(expr->args.items[i])) {
            return true;
        }
    }
    return false;
}

static enum arus_status resolve_filter(struct arus_resolver *resolver, const struct arus_urel *from,
                                       const struct arus_expr_context *outer,
                                       struct arus_bound *out, struct arus_error *err)
{
    struct arus_expr_context context = {
        .resolver = resolver, .input = out, .clause = ARUS_CLAUSE_WHERE, .outer = outer};
    const struct arus_expr *condition = NULL;

    ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, out, err));
    if (has_query(from->condition)) {
        return add_condition(&context, from->condition, err);
    }
    ARUS_TRY(arus_resolve_condition(&context, from->condition, &condition, err));
    return arus_plan_filter(out->plan, condition, resolver->arena, &out->plan, err);
}

static enum arus_status limit_value(struct arus_resolver *resolver, const struct arus_urel *from,
                                    struct arus_bound *input, int64_t *out, struct arus_error *err)
{
    struct arus_expr_context context = {
        .resolver = resolver, .input = input, .clause = ARUS_CLAUSE_ARGUMENT};
    const char *noun = from->kind == ARUS_UREL_LIMIT ? "LIMIT" : "OFFSET";
    const struct arus_place place = from->condition->place;
    const struct arus_expr *expr = NULL;
    struct arus_vector value;

    ARUS_TRY(arus_resolve_expr(&context, from->condition, &expr, err));
    if (!arus_expr_is_constant(expr)) {
        return arus_fail_at(err, place, "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE",
                            "%s must be a constant", noun);
    }
    if (expr->type->id != ARUS_TYPE_INT && expr->type->id != ARUS_TYPE_SMALLINT &&
        expr->type->id != ARUS_TYPE_TINYINT) {
        return arus_fail_at(err, place, "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE",
                            "%s must be an INT, this is %s", noun,
                            arus_type_label(expr->type).text);
    }
    ARUS_TRY(arus_cast_implicit(expr, &ARUS_INT, true, resolver->arena, &expr, err));
    ARUS_TRY(arus_resolve_constant(resolver, expr, &value, err));
    if (!arus_vector_is_valid(&value, 0)) {
        return arus_fail_at(err, place, "INVALID_LIMIT_LIKE_EXPRESSION.IS_NULL",
                            "%s cannot be NULL", noun);
    }
    *out = ((const int32_t *)value.values)[0];
    if (*out < 0) {
        return arus_fail_at(err, place, "INVALID_LIMIT_LIKE_EXPRESSION.IS_NEGATIVE",
                            "%s cannot be negative", noun);
    }
    return ARUS_OK;
}

static enum arus_status resolve_limit(struct arus_resolver *resolver, const struct arus_urel *from,
                                      const struct arus_expr_context *outer, struct arus_bound *out,
                                      struct arus_error *err)
{
    struct arus_plan *plan = NULL;
    int64_t value = 0;

    ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, out, err));
    ARUS_TRY(limit_value(resolver, from, out, &value, err));
    ARUS_TRY(
        arus_plan_make(ARUS_PLAN_LIMIT, from->place, out->plan, NULL, resolver->arena, &plan, err));
    plan->limit.count = from->kind == ARUS_UREL_LIMIT ? value : -1;
    plan->limit.skip = from->kind == ARUS_UREL_OFFSET ? value : 0;
    if (plan->limit.count >= 0 && out->plan->kind == ARUS_PLAN_LIMIT &&
        out->plan->limit.count < 0) {
        plan->limit.skip = out->plan->limit.skip; /* LIMIT n OFFSET k is one node */
        plan->children[0] = out->plan->children[0];
    }
    out->plan = plan;
    return ARUS_OK;
}

/* ---- WITH ---- */

static enum arus_status resolve_with(struct arus_resolver *resolver, const struct arus_urel *from,
                                     const struct arus_expr_context *outer, struct arus_bound *out,
                                     struct arus_error *err)
{
    const struct arus_resolved_cte *saved = resolver->ctes;
    enum arus_status status;

    for (uint32_t i = 0; i < from->cte_count; i++) {
        struct arus_resolved_cte *made = NULL;

        for (uint32_t j = 0; j < i; j++) {
            if (arus_resolver_same(resolver, from->ctes[i].name, from->ctes[j].name)) {
                return arus_fail_at(err, from->ctes[i].place, "DUPLICATED_CTE_NAMES",
                                    "`%.*s` is defined twice", ARUS_TEXT_ARGS(from->ctes[i].name));
            }
        }
        ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_resolved_cte, 1, &made, err));
        *made = (struct arus_resolved_cte){resolver->ctes, &from->ctes[i], resolver->ctes};
        resolver->ctes = made;
    }
    status = arus_resolve_relation(resolver, from->inputs[0], outer, out, err);
    resolver->ctes = saved;
    return status;
}

/* ---- the rest ---- */

static enum arus_status resolve_one_row(struct arus_resolver *resolver,
                                        const struct arus_urel *from, struct arus_bound *out,
                                        struct arus_error *err)
{
    struct arus_plan *plan = NULL;

    ARUS_TRY(
        arus_plan_make(ARUS_PLAN_VALUES, from->place, NULL, NULL, resolver->arena, &plan, err));
    ARUS_TRY(arus_type_struct(NULL, 0, resolver->arena, &plan->schema, err));
    plan->values.rows = (struct arus_batch){.schema = plan->schema, .row_count = 1};
    out->plan = plan;
    return ARUS_OK;
}

static enum arus_status resolve_refused(struct arus_resolver *resolver,
                                        const struct arus_urel *from,
                                        const struct arus_expr_context *outer,
                                        struct arus_bound *out, struct arus_error *err)
{
    ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, out, err));
    return arus_fail_at(err, from->place,
                        out->plan->is_streaming ? "_LEGACY_ERROR_TEMP_3102" : "ARUS_NOT_SUPPORTED",
                        "%.*s not in arus", ARUS_TEXT_ARGS(from->name.parts[0]));
}

enum arus_status arus_resolve_relation(struct arus_resolver *resolver, const struct arus_urel *from,
                                       const struct arus_expr_context *outer,
                                       struct arus_bound *out, struct arus_error *err)
{
    *out = (struct arus_bound){0};
    switch (from->kind) {
    case ARUS_UREL_ONE_ROW:
        return resolve_one_row(resolver, from, out, err);
    case ARUS_UREL_TABLE:
        return resolve_table(resolver, from, out, err);
    case ARUS_UREL_FUNCTION:
        return arus_resolve_function(resolver, from, outer, out, err);
    case ARUS_UREL_VALUES:
        return arus_resolve_values(resolver, from, out, err);
    case ARUS_UREL_ALIAS:
        return resolve_alias(resolver, from, outer, out, err);
    case ARUS_UREL_WATERMARK:
        return resolve_watermark(resolver, from, outer, out, err);
    case ARUS_UREL_FILTER:
        return resolve_filter(resolver, from, outer, out, err);
    case ARUS_UREL_SELECT:
        return arus_resolve_select(resolver, from, NULL, outer, out, err);
    case ARUS_UREL_JOIN:
        return arus_resolve_join(resolver, from, outer, out, err);
    case ARUS_UREL_SETOP:
        return arus_resolve_setop(resolver, from, outer, out, err);
    case ARUS_UREL_SORT:
        if (from->inputs[0]->kind == ARUS_UREL_SELECT && !from->inputs[0]->is_pipe) {
            return arus_resolve_select(resolver, from->inputs[0], from, outer, out, err);
        }
        ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, out, err));
        return arus_resolve_sort(resolver, from, out, err);
    case ARUS_UREL_LIMIT:
    case ARUS_UREL_OFFSET:
        return resolve_limit(resolver, from, outer, out, err);
    case ARUS_UREL_WITH:
        return resolve_with(resolver, from, outer, out, err);
    case ARUS_UREL_LATERAL:
        return arus_resolve_lateral(resolver, from, outer, out, err);
    case ARUS_UREL_EXTEND:
    case ARUS_UREL_SET:
    case ARUS_UREL_DROP:
        return arus_resolve_pipe(resolver, from, outer, out, err);
    case ARUS_UREL_SAMPLE:
        return resolve_refused(resolver, from, outer, out, err);
    }
    return ARUS_OK;
}

enum arus_status arus_bound_close(struct arus_resolver *resolver, struct arus_bound *inout,
                                  struct arus_error *err)
{
    const struct arus_expr **exprs = NULL;
    struct arus_text *names = NULL;
    uint32_t count = 0;
    bool is_same = true;

    ARUS_TRY(ARUS_NEW(resolver->arena, const struct arus_expr *, inout->scope.count, &exprs, err));
    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_text, inout->scope.count, &names, err));
    for (size_t i = 0; i < inout->scope.count; i++) {
        const struct arus_scope_column *column = &inout->scope.columns[i];

        if (column->is_hidden || column->is_fallback) {
            continue;
        }
        is_same &= column->index == count &&
                   arus_text_equal(inout->plan->schema->fields[column->index].name, column->name);
        ARUS_TRY(arus_column_make(inout->plan->schema, column->index, inout->plan->place,
                                  resolver->arena, &exprs[count], err));
        names[count++] = column->name;
    }
    if (!is_same || count != inout->plan->schema->field_count) {
        ARUS_TRY(arus_plan_project(inout->plan, exprs, names, count, resolver->arena, &inout->plan,
                                   err));
    }
    return arus_scope_open(resolver, inout->plan->schema, (struct arus_text){0}, &inout->scope,
                           err);
}

enum arus_status arus_resolve_query(struct arus_catalog *catalog, const struct arus_urel *query,
                                    struct arus_plan **out, uint32_t *stream_count,
                                    struct arus_error *err)
{
    struct arus_resolver resolver = {.catalog = catalog, .arena = catalog->arena, .next_id = 1};
    struct arus_bound bound;

    ARUS_TRY(arus_resolve_relation(&resolver, query, NULL, &bound, err));
    ARUS_TRY(arus_bound_close(&resolver, &bound, err));
    *out = bound.plan;
    *stream_count = resolver.stream_count;
    return ARUS_OK;
}
