/** Rows in memory: stores, and rows that a program adds to tables. */
#include "api/engine_internal.h"
#include "api/json_rows.h"

enum arus_outcome arus_memory_open(struct arus_memory **out, struct arus_problem *problem)
{
    struct arus_error err;

    return arus_memory_make(out, &err) == ARUS_OK
               ? ARUS_OUTCOME_DONE
               : arus_problem_fill(&err, (struct engine_origin){0}, problem);
}

void arus_memory_close(struct arus_memory *memory)
{
    arus_memory_free(memory);
}

void arus_engine_use_memory(struct arus_engine *engine, struct arus_memory *memory)
{
    engine->memory = memory;
    arus_session_use_memory(engine->session, memory);
}

static enum arus_status find_columns(const struct arus_engine *engine, const char *table,
                                     const struct arus_type **out, struct arus_error *err)
{
    const struct arus_relation *found =
        arus_catalog_find(arus_session_catalog(engine->session), arus_text_of(table));

    *out = NULL;
    if (found == NULL || found->table == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, "TABLE_OR_VIEW_NOT_FOUND", "there is no table `%s`",
                         table);
    }
    if (!found->table->connector->is_by_name || found->kind != ARUS_RELATION_TABLE) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "`%s` is no table in memory", table);
    }
    *out = found->table->declared;
    return *out != NULL ? ARUS_OK
                        : arus_fail(err, ARUS_BAD_CONFIG, NULL, "`%s` has no columns", table);
}

static enum arus_outcome put_rows(struct arus_engine *engine, const char *table, const char *lines,
                                  bool replaces, struct arus_problem *problem)
{
    const struct arus_type *schema;
    struct arus_chunk_rows *chunk;
    struct arus_error err;
    enum arus_status status = find_columns(engine, table, &schema, &err);

    if (status == ARUS_OK) {
        status = arus_json_rows_read(schema, arus_session_zone(engine->session),
                                     arus_text_of(lines), &chunk, &err);
    }
    if (status == ARUS_OK) {
        status = replaces ? arus_memory_set(engine->memory, arus_text_of(table), chunk, &err)
                          : arus_memory_add(engine->memory, arus_text_of(table), chunk, &err);
    }
    return status == ARUS_OK ? ARUS_OUTCOME_DONE
                             : arus_problem_fill(&err, (struct engine_origin){0}, problem);
}

enum arus_outcome arus_engine_add_rows(struct arus_engine *engine, const char *table,
                                       const char *lines, struct arus_problem *problem)
{
    return put_rows(engine, table, lines, false, problem);
}

enum arus_outcome arus_engine_set_rows(struct arus_engine *engine, const char *table,
                                       const char *lines, struct arus_problem *problem)
{
    return put_rows(engine, table, lines, true, problem);
}
