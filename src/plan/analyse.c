#include "plan/analyse_internal.h"
#include "plan/explain.h"
#include "plan/from_sql.h"
#include "plan/list.h"
#include "plan/optimise.h"
#include "plan/resolve.h"
#include "plan/say.h"

#include <string.h>

enum arus_status arus_analyse_warn(struct arus_analysis *analysis, const struct arus_error *warning,
                                   struct arus_error *err)
{
    struct arus_warnings *warnings = analysis->warnings;

    if (warnings == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_list_grow(analysis->arena, (void **)&warnings->items, sizeof(*warnings->items),
                            warnings->count, &warnings->capacity, err));
    warnings->items[warnings->count++] = *warning;
    return ARUS_OK;
}

enum arus_status arus_analyse_batch(struct arus_catalog *catalog, struct arus_plan *plan,
                                    const struct arus_batch_query **out, struct arus_error *err)
{
    struct arus_batch_query *query = NULL;

    ARUS_TRY(ARUS_NEW(catalog->arena, struct arus_batch_query, 1, &query, err));
    query->env = arus_catalog_env(catalog);
    query->resolved = plan;
    ARUS_TRY(arus_optimise(plan, &query->env, catalog->arena, &query->plan, err));
    ARUS_TRY(arus_physical_make(query->plan, (struct arus_physical_rules){0}, &query->env,
                                catalog->arena, &query->physical, err));
    *out = query;
    return ARUS_OK;
}

static const struct arus_plan *find_stream(const struct arus_plan *plan)
{
    if (plan->kind == ARUS_PLAN_SCAN) {
        return plan->scan.is_stream ? plan : NULL;
    }
    for (uint32_t i = 0; i < plan->child_count; i++) {
        const struct arus_plan *found = find_stream(plan->children[i]);

        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

static enum arus_status refuse_stream(const struct arus_plan *plan, struct arus_error *err)
{
    const struct arus_plan *scan = find_stream(plan);
    struct arus_text name;

    ARUS_ASSERT(scan != NULL); /* a plan is streaming because of one */
    name = scan->scan.source->table->name;
    arus_say(err, scan->scan.stream_place.size > 0 ? scan->scan.stream_place : scan->place,
             "_LEGACY_ERROR_TEMP_3102", "a stream has no last row, so it cannot be printed");
    return arus_error_help(err,
                           "what is there now: SELECT * FROM %.*s;   (without STREAM)\n"
                           "as it comes: CREATE STREAMING TABLE t USING console AS SELECT * "
                           "FROM STREAM %.*s;",
                           ARUS_TEXT_ARGS(name), ARUS_TEXT_ARGS(name));
}

enum arus_status arus_plan_query(struct arus_catalog *catalog, const struct arus_urel *query,
                                 const struct arus_batch_query **out, struct arus_error *err)
{
    struct arus_plan *plan = NULL;
    uint32_t stream_count = 0;

    ARUS_TRY(arus_resolve_query(catalog, query, &plan, &stream_count, err));
    return plan->is_streaming ? refuse_stream(plan, err)
                              : arus_analyse_batch(catalog, plan, out, err);
}

static enum arus_status analyse_query(struct arus_analysis *analysis,
                                      const struct arus_ast_query *query, struct arus_error *err)
{
    const struct arus_urel *from = NULL;

    ARUS_TRY(arus_from_sql_query(query, analysis->arena, &from, err));
    analysis->out->kind = ARUS_ACTION_QUERY;
    return arus_plan_query(analysis->catalog, from, &analysis->out->query, err);
}

static enum arus_status analyse(struct arus_analysis *analysis,
                                const struct arus_ast_statement *statement, struct arus_error *err);

/* EXPLAIN leaves the catalog as it is. */
static enum arus_status analyse_explain(struct arus_analysis *analysis,
                                        const struct arus_ast_explain *explain,
                                        struct arus_error *err)
{
    struct arus_catalog copy = *analysis->catalog;
    struct arus_action action = {0};
    struct arus_analysis inner = {
        .catalog = &copy, .arena = analysis->arena, .warnings = analysis->warnings, .out = &action};
    struct arus_buffer text = {0};
    enum arus_status status;

    copy.relations = NULL;
    copy.relation_count = 0;
    copy.relation_capacity = 0;
    for (size_t i = 0; i < analysis->catalog->relation_count; i++) {
        ARUS_TRY(arus_catalog_add(&copy, &analysis->catalog->relations[i], true, err));
    }
    ARUS_TRY(analyse(&inner, explain->statement, err));
    status = arus_explain_action(
        &action, explain->mode == ARUS_AST_EXPLAIN_SIMPLE ? ARUS_EXPLAIN_SHORT : ARUS_EXPLAIN_ALL,
        &text, err);
    if (status == ARUS_OK) {
        status =
            arus_text_copy(arus_buffer_text(&text), analysis->arena, &analysis->out->text, err);
    }
    arus_buffer_release(&text);
    analysis->out->kind = ARUS_ACTION_EXPLAIN;
    return status;
}

static enum arus_status analyse(struct arus_analysis *analysis,
                                const struct arus_ast_statement *statement, struct arus_error *err)
{
    analysis->out->place = statement->place;
    switch (statement->kind) {
    case ARUS_AST_CREATE_TABLE:
        return arus_analyse_create_table(analysis, &statement->create, err);
    case ARUS_AST_CREATE_VIEW:
        return arus_analyse_create_view(analysis, &statement->create, err);
    case ARUS_AST_CREATE_STREAMING_TABLE:
        return arus_analyse_create_stream(analysis, &statement->create, err);
    case ARUS_AST_CREATE_MATERIALIZED_VIEW:
        return arus_refuse(err, statement->place, "CREATE MATERIALIZED VIEW is");
    case ARUS_AST_INSERT:
        return arus_refuse(err, statement->place, "INSERT is");
    case ARUS_AST_SET:
    case ARUS_AST_RESET:
    case ARUS_AST_SET_TIME_ZONE:
        return arus_analyse_setting(analysis, statement, err);
    case ARUS_AST_QUERY:
        return analyse_query(analysis, statement->query, err);
    case ARUS_AST_EXPLAIN:
        return analyse_explain(analysis, &statement->explain, err);
    case ARUS_AST_DESCRIBE:
        return arus_analyse_describe(analysis, &statement->describe, err);
    case ARUS_AST_SHOW:
        return arus_analyse_show(analysis, &statement->show, err);
    }
    return ARUS_OK;
}

static const struct arus_ast_create *create_of(const struct arus_ast_statement *statement)
{
    switch (statement->kind) {
    case ARUS_AST_CREATE_TABLE:
    case ARUS_AST_CREATE_VIEW:
    case ARUS_AST_CREATE_STREAMING_TABLE:
        return &statement->create;
    case ARUS_AST_CREATE_MATERIALIZED_VIEW:
    case ARUS_AST_INSERT:
    case ARUS_AST_SET:
    case ARUS_AST_RESET:
    case ARUS_AST_SET_TIME_ZONE:
    case ARUS_AST_QUERY:
    case ARUS_AST_EXPLAIN:
    case ARUS_AST_DESCRIBE:
    case ARUS_AST_SHOW:
        break;
    }
    return NULL;
}

/* A failed CREATE leaves its name: what uses it is not reported as well. */
static enum arus_status remember_broken(struct arus_analysis *analysis,
                                        const struct arus_ast_statement *statement,
                                        struct arus_error *err)
{
    const struct arus_ast_create *create = create_of(statement);
    struct arus_relation relation = {.kind = ARUS_RELATION_BROKEN, .sql = analysis->catalog->sql};

    if (create == NULL) {
        return ARUS_OK;
    }
    relation.name = create->name.items[create->name.count - 1].text;
    relation.place = create->name.items[create->name.count - 1].place;
    return arus_catalog_find(analysis->catalog, relation.name) != NULL
               ? ARUS_OK
               : arus_catalog_add(analysis->catalog, &relation, false, err);
}

/* A statement failed. One that only uses a broken relation is passed over in silence. */
static enum arus_status end_failed(struct arus_analysis *analysis,
                                   const struct arus_ast_statement *statement,
                                   struct arus_error *err)
{
    struct arus_error other;
    const bool is_known = err->condition != NULL && strcmp(err->condition, ARUS_BROKEN_HERE) == 0;

    if (remember_broken(analysis, statement, &other) != ARUS_OK) {
        *err = other;
        return err->status;
    }
    if (is_known) {
        *analysis->out = (struct arus_action){.place = statement->place};
        return ARUS_OK;
    }
    (void)arus_error_at(err, statement->place);
    return ARUS_BAD_CONFIG;
}

enum arus_status arus_plan_statement(struct arus_catalog *catalog,
                                     const struct arus_ast_statement *statement,
                                     struct arus_warnings *warnings, struct arus_action *out,
                                     struct arus_error *err)
{
    struct arus_analysis analysis = {
        .catalog = catalog, .arena = catalog->arena, .warnings = warnings, .out = out};
    enum arus_status status;

    *out = (struct arus_action){0};
    memset(err, 0, sizeof(*err));
    status = analyse(&analysis, statement, err);
    if (status == ARUS_BAD_DATA) { /* a constant that cannot be computed: the text is wrong */
        err->status = ARUS_BAD_CONFIG;
        status = ARUS_BAD_CONFIG;
    }
    return status == ARUS_BAD_CONFIG ? end_failed(&analysis, statement, err) : status;
}
