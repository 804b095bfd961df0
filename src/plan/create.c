/* CREATE TABLE, VIEW, STREAMING TABLE. */
#include "plan/analyse_internal.h"
#include "plan/from_sql.h"
#include "plan/optimise.h"
#include "plan/resolve.h"
#include "plan/say.h"
#include "plan/state_note.h"
#include "plan/streaming.h"

#include <string.h>

static const struct arus_ast_name *last_name(const struct arus_ast_names *names)
{
    return &names->items[names->count - 1];
}

/* ---- parts of a table ---- */

static enum arus_status read_columns(struct arus_analysis *analysis,
                                     const struct arus_ast_create *create,
                                     const struct arus_type **out, struct arus_error *err)
{
    struct arus_field *fields = NULL;

    *out = NULL;
    if (create->column_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(analysis->arena, struct arus_field, create->column_count, &fields, err));
    for (uint32_t i = 0; i < create->column_count; i++) {
        const struct arus_ast_column_def *column = &create->columns[i];

        if (column->default_value != NULL) {
            arus_say(err, column->default_value->place, "PARSE_SYNTAX_ERROR",
                     "a column that is read takes no DEFAULT");
            return arus_error_help(err, "coalesce(column, value) in the query");
        }
        if (column->generated != NULL) {
            return arus_refuse(err, column->generated->place, "GENERATED ALWAYS AS is");
        }
        for (uint32_t j = 0; j < i; j++) {
            if (arus_text_equal_nocase(create->columns[j].name.text, column->name.text)) {
                return arus_fail_at(err, column->name.place, "COLUMN_ALREADY_EXISTS",
                                    "column `%.*s` is there twice",
                                    ARUS_TEXT_ARGS(column->name.text));
            }
        }
        fields[i].name = column->name.text;
        fields[i].is_nullable = !column->is_not_null;
        fields[i].comment = column->comment.text;
        ARUS_TRY(arus_from_sql_column(&column->type, analysis->arena, &fields[i].type, err));
    }
    return arus_type_struct(fields, (uint16_t)create->column_count, analysis->arena, out, err);
}

static enum arus_status find_connector(const struct arus_ast_create *create,
                                       const struct arus_connector **out, struct arus_error *err)
{
    const struct arus_ast_name *name = NULL;
    const struct arus_connector *nearest = NULL;
    size_t best = SIZE_MAX;

    if (create->format.count == 0) {
        arus_say(err, last_name(&create->name)->place, "ARUS_NO_FORMAT",
                 "`%.*s` has no format: USING is missing",
                 ARUS_TEXT_ARGS(last_name(&create->name)->text));
        return arus_error_help(err, "USING json OPTIONS (path 'in')");
    }
    name = last_name(&create->format);
    *out = arus_connector_find(name->text);
    if (*out != NULL) {
        return ARUS_OK;
    }
    for (const struct arus_connector *row = ARUS_CONNECTORS; row->name != NULL; row++) {
        const size_t distance = arus_text_distance(arus_text_of(row->name), name->text);

        if (distance < best && distance * 3 <= name->text.size + 2) {
            best = distance;
            nearest = row;
        }
    }
    arus_say(err, name->place, "DATA_SOURCE_NOT_FOUND", "there is no format `%.*s`",
             ARUS_TEXT_ARGS(name->text));
    return nearest == NULL ? arus_error_help(err, "arus help lists all formats")
                           : arus_error_label(err, "did you mean `%s`?", nearest->name);
}

/* OPTIONS, then LOCATION as `path`. */
static enum arus_status read_options(struct arus_analysis *analysis,
                                     const struct arus_ast_create *create,
                                     struct arus_settings *out, struct arus_error *err)
{
    const bool has_location = create->location.text.data != NULL;
    struct arus_setting *items = NULL;

    if (has_location && arus_settings_find(&create->options, "path") != NULL) {
        return arus_fail_at(err, create->location.place, "_LEGACY_ERROR_TEMP_0032",
                            "LOCATION and the option path say the same twice");
    }
    ARUS_TRY(
        ARUS_NEW(analysis->arena, struct arus_setting, create->options.count + 1, &items, err));
    for (size_t i = 0; i < create->options.count; i++) {
        items[i] = create->options.items[i];
    }
    if (has_location) {
        items[create->options.count] =
            (struct arus_setting){ARUS_TEXT("path"), create->location.text, create->location.place,
                                  create->location.place};
    }
    *out = (struct arus_settings){items, create->options.count + has_location};
    return ARUS_OK;
}

static enum arus_status refuse_clauses(const struct arus_ast_create *create, struct arus_error *err)
{
    return create->cluster_by.size > 0 ? arus_refuse(err, create->cluster_by, "CLUSTER BY is")
                                       : ARUS_OK;
}

static enum arus_status make_table(struct arus_analysis *analysis,
                                   const struct arus_ast_create *create, struct arus_table **out,
                                   struct arus_error *err)
{
    struct arus_table *table = NULL;

    ARUS_TRY(refuse_clauses(create, err));
    ARUS_TRY(ARUS_NEW(analysis->arena, struct arus_table, 1, &table, err));
    table->name = last_name(&create->name)->text;
    table->place = last_name(&create->name)->place;
    table->folder = analysis->catalog->folder;
    table->zone = analysis->catalog->zone;
    table->memory = analysis->catalog->memory;
    table->states = analysis->catalog->states;
    ARUS_TRY(find_connector(create, &table->connector, err));
    ARUS_TRY(read_columns(analysis, create, &table->declared, err));
    ARUS_TRY(read_options(analysis, create, &table->options, err));
    table->partitioned_by_count = create->partition_by.count;
    ARUS_TRY(
        arus_from_sql_names(&create->partition_by, analysis->arena, &table->partitioned_by, err));
    *out = table;
    return ARUS_OK;
}

/* IF NOT EXISTS on something that is there. */
static bool is_skipped(const struct arus_analysis *analysis, const struct arus_ast_create *create)
{
    return create->if_not_exists &&
           arus_catalog_find(analysis->catalog, last_name(&create->name)->text) != NULL;
}

enum arus_status arus_analyse_create_table(struct arus_analysis *analysis,
                                           const struct arus_ast_create *create,
                                           struct arus_error *err)
{
    struct arus_relation relation = {.kind = ARUS_RELATION_TABLE,
                                     .name = last_name(&create->name)->text,
                                     .place = last_name(&create->name)->place,
                                     .comment = create->comment.text};

    if (create->query != NULL) {
        return arus_refuse(err, create->query->place, "CREATE TABLE .. AS is");
    }
    if (is_skipped(analysis, create)) {
        return ARUS_OK;
    }
    ARUS_TRY(make_table(analysis, create, &relation.table, err));
    return arus_catalog_add(analysis->catalog, &relation, create->or_replace, err);
}

/* ---- views ---- */

static enum arus_status view_columns(struct arus_analysis *analysis,
                                     const struct arus_ast_create *create,
                                     const struct arus_plan *plan, struct arus_relation *relation,
                                     struct arus_error *err)
{
    struct arus_text *names = NULL;

    relation->column_count = create->column_count;
    if (create->column_count > 0 && create->column_count != plan->schema->field_count) {
        return arus_fail_at(err, create->columns[0].name.place,
                            create->column_count > plan->schema->field_count
                                ? "CREATE_VIEW_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"
                                : "CREATE_VIEW_COLUMN_ARITY_MISMATCH.TOO_MANY_DATA_COLUMNS",
                            "%u names for %u columns", create->column_count,
                            plan->schema->field_count);
    }
    ARUS_TRY(ARUS_NEW(analysis->arena, struct arus_text, create->column_count, &names, err));
    for (uint32_t i = 0; i < create->column_count; i++) {
        names[i] = create->columns[i].name.text;
    }
    relation->columns = names;
    return ARUS_OK;
}

enum arus_status arus_analyse_create_view(struct arus_analysis *analysis,
                                          const struct arus_ast_create *create,
                                          struct arus_error *err)
{
    struct arus_relation relation = {.kind = ARUS_RELATION_VIEW,
                                     .name = last_name(&create->name)->text,
                                     .place = last_name(&create->name)->place,
                                     .comment = create->comment.text};
    struct arus_plan *plan = NULL;
    uint32_t stream_count = 0;

    if (is_skipped(analysis, create)) {
        return ARUS_OK;
    }
    if (create->query == NULL) { /* CREATE TEMPORARY VIEW v USING json .. */
        relation.kind = ARUS_RELATION_TABLE;
        ARUS_TRY(make_table(analysis, create, &relation.table, err));
        return arus_catalog_add(analysis->catalog, &relation, create->or_replace, err);
    }
    ARUS_TRY(arus_from_sql_query(create->query, analysis->arena, &relation.query, err));
    ARUS_TRY(arus_resolve_query(analysis->catalog, relation.query, &plan, &stream_count, err));
    ARUS_TRY(view_columns(analysis, create, plan, &relation, err));
    return arus_catalog_add(analysis->catalog, &relation, create->or_replace, err);
}

/* ---- streaming tables ---- */

static enum arus_status no_sink(const struct arus_ast_name *name, struct arus_error *err)
{
    arus_say(err, name->place, "ARUS_NO_SINK", "`%.*s` has no sink", ARUS_TEXT_ARGS(name->text));
    return arus_error_help(err,
                           "add USING parquet TBLPROPERTIES (path 'out/%.*s', checkpointLocation "
                           "'ckpt/%.*s')",
                           ARUS_TEXT_ARGS(name->text), ARUS_TEXT_ARGS(name->text));
}

static enum arus_status check_columns(struct arus_analysis *analysis,
                                      const struct arus_ast_create *create,
                                      const struct arus_type *schema, struct arus_error *err)
{
    const struct arus_type *declared = NULL;

    ARUS_TRY(read_columns(analysis, create, &declared, err));
    if (declared == NULL || arus_type_equal(declared, schema)) {
        return ARUS_OK;
    }
    return arus_fail_at(err, create->columns[0].name.place,
                        "USER_SPECIFIED_AND_INFERRED_SCHEMA_NOT_COMPATIBLE",
                        "the columns of `%.*s` are not those of its query",
                        ARUS_TEXT_ARGS(last_name(&create->name)->text));
}

static enum arus_status sink_config(struct arus_analysis *analysis,
                                    const struct arus_ast_create *create,
                                    struct arus_stream_query *query,
                                    const struct arus_settings *options, struct arus_error *err)
{
    const struct arus_setting *path = arus_settings_find(options, "path");
    struct arus_sink_config *config = NULL;

    ARUS_TRY(ARUS_NEW(analysis->arena, struct arus_sink_config, 1, &config, err));
    ARUS_TRY(find_connector(create, &config->connector, err));
    config->name = query->properties.query_name;
    config->options = *options;
    config->partitioned_by_count = create->partition_by.count;
    ARUS_TRY(
        arus_from_sql_names(&create->partition_by, analysis->arena, &config->partitioned_by, err));
    config->place = query->place;
    if (create->partition_by.count > 0) {
        config->partition_place = arus_place_join(create->partition_by.items[0].place,
                                                  last_name(&create->partition_by)->place);
    }
    config->path_place = path == NULL ? query->place : path->value_place;
    config->schema = query->resolved->schema;
    config->mode = query->properties.mode;
    config->folder = analysis->catalog->folder;
    config->zone = analysis->catalog->zone;
    config->memory = analysis->catalog->memory;
    config->printer = analysis->catalog->printer;
    query->sink_config = config;
    return ARUS_OK;
}

static enum arus_status bind_sink(struct arus_analysis *analysis, struct arus_stream_query *query,
                                  struct arus_error *err)
{
    const struct arus_sink_config *config = query->sink_config;
    struct arus_sink *sink = NULL;
    enum arus_status status;

    if (config->connector->sink == NULL) {
        return arus_fail_at(err, query->place, "_LEGACY_ERROR_TEMP_2050",
                            "%s can be read, but not written", config->connector->name);
    }
    status = config->connector->sink->bind(config, analysis->arena, &sink, err);
    if (status != ARUS_OK) {
        (void)arus_error_at(err, query->place);
        return status;
    }
    query->sink = sink;
    if (query->properties.checkpoint_path == NULL && !config->connector->is_fleeting) {
        arus_say(err, query->place, "_LEGACY_ERROR_TEMP_1298",
                 "`%.*s` has no checkpoint: after a stop it could not go on",
                 ARUS_TEXT_ARGS(query->name));
        return arus_error_help(err, "TBLPROPERTIES (.., checkpointLocation 'ckpt/%.*s')",
                               ARUS_TEXT_ARGS(query->name));
    }
    return ARUS_OK;
}

static void collect_sources(const struct arus_plan *plan, const struct arus_source **sources)
{
    if (plan->kind == ARUS_PLAN_SCAN && plan->scan.is_stream) {
        sources[plan->scan.stream_index] = plan->scan.source;
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        collect_sources(plan->children[i], sources);
    }
}

static enum arus_status copy_conf(struct arus_analysis *analysis, struct arus_stream_query *query,
                                  struct arus_error *err)
{
    const struct arus_catalog *catalog = analysis->catalog;
    struct arus_setting_entry *conf = NULL;

    ARUS_TRY(
        ARUS_NEW(analysis->arena, struct arus_setting_entry, catalog->entry_count, &conf, err));
    for (size_t i = 0; i < catalog->entry_count; i++) {
        conf[i] = catalog->entries[i];
    }
    query->conf = conf;
    query->conf_count = catalog->entry_count;
    query->settings = catalog->settings;
    return ARUS_OK;
}

static bool holds_interval(const struct arus_type *type)
{
    bool is_found = type->id == ARUS_TYPE_INTERVAL;

    for (uint16_t i = 0; i < type->field_count && !is_found; i++) {
        is_found = holds_interval(type->fields[i].type);
    }
    return is_found;
}

/* No format has a place for the calendar interval. */
static enum arus_status refuse_intervals(const struct arus_ast_create *create,
                                         const struct arus_type *schema, struct arus_error *err)
{
    for (uint16_t i = 0; i < schema->field_count; i++) {
        if (holds_interval(schema->fields[i].type)) {
            arus_say(err, last_name(&create->name)->place, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                     "column `%.*s` is an INTERVAL, which no sink can hold",
                     ARUS_TEXT_ARGS(schema->fields[i].name));
            return arus_error_help(err, "CAST(.. AS INTERVAL DAY TO SECOND), or AS STRING");
        }
    }
    return ARUS_OK;
}

static enum arus_status plan_stream(struct arus_analysis *analysis,
                                    const struct arus_ast_create *create,
                                    struct arus_stream_query *query, struct arus_plan **out,
                                    struct arus_error *err)
{
    const struct arus_urel *from = NULL;
    struct arus_plan *plan = NULL;
    uint32_t stream_count = 0;

    ARUS_TRY(arus_from_sql_query(create->query, analysis->arena, &from, err));
    ARUS_TRY(arus_resolve_query(analysis->catalog, from, &plan, &stream_count, err));
    *out = plan;
    query->resolved = plan;
    query->env = arus_catalog_env(analysis->catalog);
    ARUS_TRY(check_columns(analysis, create, plan->schema, err));
    ARUS_TRY(refuse_intervals(create, plan->schema, err));
    ARUS_TRY(arus_streaming_check(plan, query->properties.mode, query->place,
                                  &analysis->catalog->settings, err));
    ARUS_TRY(
        ARUS_NEW(analysis->arena, const struct arus_source *, stream_count, &query->sources, err));
    collect_sources(plan, query->sources);
    return ARUS_OK;
}

static enum arus_status warn_of_state(struct arus_analysis *analysis,
                                      const struct arus_physical *physical, struct arus_error *err)
{
    for (uint32_t i = 0; i < physical->operator_count; i++) {
        struct arus_error warning = {0};

        if (arus_state_warning(physical->operators[i], &warning)) {
            ARUS_TRY(arus_analyse_warn(analysis, &warning, err));
        }
    }
    return ARUS_OK;
}

/* Asked for, but nobody could read it: said at once, or rows that are dropped would be taken for
 * kept. */
static enum arus_status warn_of_side_table(struct arus_analysis *analysis,
                                           const struct arus_ast_create *create,
                                           const struct arus_stream_query *query,
                                           enum arus_side side, struct arus_error *err)
{
    const char *property = arus_side_property(side);
    const struct arus_setting *asked = arus_settings_find(&create->properties, property);
    struct arus_error warning = {0};

    if (query->properties.checkpoint_path != NULL ||
        !(side == ARUS_SIDE_LATE ? query->properties.late_table
                                 : query->properties.rejects_table)) {
        return ARUS_OK;
    }
    arus_say(&warning, asked != NULL ? asked->key_place : query->place, "ARUS_NO_SIDE_TABLE",
             "%s does nothing without checkpointLocation, where `%.*s$%s` is kept", property,
             ARUS_TEXT_ARGS(query->name), arus_side_name(side));
    return arus_analyse_warn(analysis, &warning, err);
}

static enum arus_status finish_stream(struct arus_analysis *analysis,
                                      const struct arus_ast_create *create,
                                      struct arus_stream_query *query, struct arus_plan *plan,
                                      struct arus_error *err)
{
    const struct arus_physical_rules rules = {query->properties.mode,
                                              !query->settings.allow_multiple};

    ARUS_TRY(arus_optimise(plan, &query->env, analysis->arena, &query->plan, err));
    ARUS_TRY(arus_physical_make(query->plan, rules, &query->env, analysis->arena, &query->physical,
                                err));
    ARUS_TRY(warn_of_state(analysis, query->physical, err));
    ARUS_TRY(warn_of_side_table(analysis, create, query, ARUS_SIDE_LATE, err));
    return warn_of_side_table(analysis, create, query, ARUS_SIDE_REJECTS, err);
}

/* The table that later queries read under the name of the streaming table. */
static enum arus_status sink_table(struct arus_analysis *analysis,
                                   const struct arus_stream_query *query, struct arus_table **out,
                                   struct arus_error *err)
{
    const struct arus_sink_config *config = query->sink_config;
    const struct arus_setting *path = arus_settings_find(&config->options, "path");
    struct arus_setting *item = NULL;

    *out = NULL;
    if (config->connector->source == NULL || (path == NULL && !config->connector->is_by_name)) {
        return ARUS_OK;
    }
    if (path != NULL) {
        ARUS_TRY(ARUS_NEW(analysis->arena, struct arus_setting, 1, &item, err));
        *item = *path;
    }
    ARUS_TRY(ARUS_NEW(analysis->arena, struct arus_table, 1, out, err));
    **out = (struct arus_table){.name = config->connector->is_by_name ? config->name : query->name,
                                .connector = config->connector,
                                .declared = config->schema,
                                .partitioned_by = config->partitioned_by,
                                .partitioned_by_count = config->partitioned_by_count,
                                .options = {item, path != NULL},
                                .place = query->place,
                                .folder = config->folder,
                                .zone = config->zone,
                                .memory = config->memory};
    return ARUS_OK;
}

/* `windows$late`: a plain folder of Parquet files, which the first row makes, and from which old
 * ones may go while it is read. */
static enum arus_status side_table(struct arus_analysis *analysis,
                                   const struct arus_stream_query *query, enum arus_side side,
                                   struct arus_table **out, struct arus_error *err)
{
    const char *name = arus_side_name(side);
    struct arus_setting *options;
    struct arus_text shown;

    *out = NULL;
    if (query->properties.checkpoint_path == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(analysis->arena, struct arus_setting, 2, &options, err));
    options[0].key = ARUS_TEXT("path");
    options[1].key = ARUS_TEXT("ignoreMissingFiles");
    options[1].value = ARUS_TEXT("true");
    ARUS_TRY(arus_text_format(analysis->arena, &options[0].value, err, "%s/%s",
                              query->properties.checkpoint_path, name));
    ARUS_TRY(arus_text_format(analysis->arena, &shown, err, "%.*s$%s", ARUS_TEXT_ARGS(query->name),
                              name));
    ARUS_TRY(ARUS_NEW(analysis->arena, struct arus_table, 1, out, err));
    **out = (struct arus_table){.name = shown,
                                .connector = arus_connector_find(ARUS_TEXT("parquet")),
                                .declared = &ARUS_SIDE_SCHEMA,
                                .options = {options, 2},
                                .place = query->place,
                                .folder = query->sink_config->folder,
                                .zone = query->sink_config->zone,
                                .may_be_missing = true};
    return ARUS_OK;
}

static enum arus_status make_stream(struct arus_analysis *analysis,
                                    const struct arus_ast_create *create,
                                    struct arus_stream_query *query, struct arus_error *err)
{
    struct arus_plan *plan = NULL;
    struct arus_settings all;
    struct arus_settings rest;

    ARUS_TRY(arus_properties_complete(&create->properties, analysis->catalog, &all, err));
    ARUS_TRY(arus_properties_parse(&all, analysis->catalog->folder, analysis->arena,
                                   &query->properties, &rest, err));
    if (query->properties.query_name.size == 0) {
        query->properties.query_name = query->name;
    }
    if (query->properties.min_batches_to_retain == 0) {
        query->properties.min_batches_to_retain = analysis->catalog->settings.min_batches_to_retain;
    }
    ARUS_TRY(plan_stream(analysis, create, query, &plan, err));
    ARUS_TRY(copy_conf(analysis, query, err));
    ARUS_TRY(sink_config(analysis, create, query, &rest, err));
    ARUS_TRY(bind_sink(analysis, query, err));
    return finish_stream(analysis, create, query, plan, err);
}

enum arus_status arus_analyse_create_stream(struct arus_analysis *analysis,
                                            const struct arus_ast_create *create,
                                            struct arus_error *err)
{
    const struct arus_ast_name *name = last_name(&create->name);
    struct arus_relation relation = {.kind = ARUS_RELATION_STREAMING,
                                     .name = name->text,
                                     .place = name->place,
                                     .comment = create->comment.text};
    struct arus_stream_query *query = NULL;

    if (is_skipped(analysis, create)) {
        return ARUS_OK;
    }
    ARUS_TRY(refuse_clauses(create, err));
    if (create->query == NULL) {
        return arus_refuse(err, name->place, "a streaming table without AS (filled by flows) is");
    }
    if (create->format.count == 0) {
        return no_sink(name, err);
    }
    ARUS_TRY(ARUS_NEW(analysis->arena, struct arus_stream_query, 1, &query, err));
    query->name = name->text;
    query->place = name->place;
    ARUS_TRY(make_stream(analysis, create, query, err));
    ARUS_TRY(sink_table(analysis, query, &relation.table, err));
    for (int side = 0; side < ARUS_SIDE_COUNT; side++) {
        ARUS_TRY(side_table(analysis, query, (enum arus_side)side, &relation.sides[side], err));
    }
    relation.side_is_on[ARUS_SIDE_LATE] = query->properties.late_table;
    relation.side_is_on[ARUS_SIDE_REJECTS] = query->properties.rejects_table;
    ARUS_TRY(arus_catalog_add(analysis->catalog, &relation, false, err));
    analysis->out->kind = ARUS_ACTION_STREAM;
    analysis->out->stream = query;
    return ARUS_OK;
}
