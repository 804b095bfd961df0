/** The state of a query as a table: read as a whole when the query that asks begins. */
#include "base/file.h"
#include "connector/state_reader.h"
#include "memory/memory_internal.h"

struct state_settings {
    struct arus_text path;
    struct arus_text pipeline;
    struct arus_text store_name;
    int64_t operator_id;
    int64_t batch_id;
    int side; /* enum arus_state_side */
};

static const char *const SIDES[] = {"none", "left", "right", NULL};

static const struct arus_option OPTIONS[] = {
    {"path", ARUS_OPTION_TEXT, offsetof(struct state_settings, path), NULL, "The checkpoint.", NULL,
     0, NULL},
    {"operatorId", ARUS_OPTION_INT64, offsetof(struct state_settings, operator_id), "0",
     "Which operator; 0 is nearest to the sink.", NULL, 0, NULL},
    {"batchId", ARUS_OPTION_INT64, offsetof(struct state_settings, batch_id), "-1",
     "After which batch; -1: the newest.", NULL, -1, NULL},
    {"joinSide", ARUS_OPTION_CHOICE, offsetof(struct state_settings, side), "none",
     "Of a join: left or right.", SIDES, 0, NULL},
    {"storeName", ARUS_OPTION_TEXT, offsetof(struct state_settings, store_name), "default",
     "default: an operator has one store, a join one a side (joinSide).", NULL, 0, NULL},
    {"pipeline", ARUS_OPTION_TEXT, offsetof(struct state_settings, pipeline), NULL,
     "The .sql file of the query, where it has moved.", NULL, 0, NULL},
    {0},
};

struct state_source {
    struct arus_source base;
    struct arus_state_wanted wanted;
};

void arus_state_options(const struct arus_connector *connector, enum arus_connector_side side,
                        const struct arus_option *tables[ARUS_OPTION_TABLES_MAX])
{
    (void)connector;
    (void)side;
    tables[0] = OPTIONS;
    tables[1] = NULL;
}

static enum arus_status make_absolute(const struct arus_table *table, struct arus_text path,
                                      struct arus_arena *arena, const char **out,
                                      struct arus_error *err)
{
    struct arus_path absolute;
    struct arus_text copy;

    ARUS_TRY(arus_path_absolute(table->folder, path, &absolute, err));
    ARUS_TRY(arus_text_copy(arus_text_of(absolute.text), arena, &copy, err));
    *out = copy.data;
    return ARUS_OK;
}

static enum arus_status read_settings(const struct arus_table *table, struct arus_arena *arena,
                                      struct state_source *source, struct arus_error *err)
{
    const struct arus_option *const tables[] = {OPTIONS, NULL};
    struct arus_state_wanted *wanted = &source->wanted;
    struct state_settings settings = {0};
    struct arus_text shown;

    ARUS_TRY(
        arus_options_parse(tables, &table->options, "the state of a query", arena, &settings, err));
    if (settings.path.size == 0) {
        return arus_fail_at(err, table->place, "ARUS_NOT_A_CHECKPOINT",
                            "the path of a checkpoint is missing");
    }
    if (!arus_text_equal_nocase(settings.store_name, ARUS_TEXT("default"))) {
        arus_ignore(arus_fail_at(err, table->place, "STDS_INVALID_OPTION_VALUE.WITH_MESSAGE",
                                 "there is no store `%.*s`", ARUS_TEXT_ARGS(settings.store_name)));
        return arus_error_help(err, "the sides of a join: joinSide 'left', 'right'");
    }
    ARUS_TRY(arus_text_copy(settings.path, arena, &shown, err));
    *wanted = (struct arus_state_wanted){.shown = shown.data,
                                         .operator_id = settings.operator_id,
                                         .batch_id = settings.batch_id,
                                         .side = (enum arus_state_side)settings.side};
    ARUS_TRY(make_absolute(table, settings.path, arena, &wanted->folder, err));
    return settings.pipeline.size == 0
               ? ARUS_OK
               : make_absolute(table, settings.pipeline, arena, &wanted->pipeline, err);
}

static enum arus_status state_bind(const struct arus_table *table, bool is_stream,
                                   struct arus_arena *arena, struct arus_source **out,
                                   struct arus_error *err)
{
    struct state_source *source;

    (void)is_stream;
    ARUS_TRY(ARUS_NEW(arena, struct state_source, 1, &source, err));
    ARUS_TRY(read_settings(table, arena, source, err));
    if (table->declared != NULL) {
        return arus_fail_at(err, table->place, "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY",
                            "the state says itself which columns it has");
    }
    if (table->states == NULL) {
        return arus_fail_at(err, table->place, "ARUS_NO_PROGRAM", "state cannot be read here");
    }
    source->base = (struct arus_source){
        .ops = &ARUS_STATE_SOURCE, .table = table, .location = arus_text_of(source->wanted.shown)};
    ARUS_TRY(table->states->describe(&source->wanted, arena, &source->base.schema, err));
    *out = &source->base;
    return arus_text_format(arena, &source->base.description, err, "StateStore[%s]",
                            source->wanted.folder);
}

static enum arus_status take_state(struct arus_source_scan *scan, struct arus_error *err)
{
    const struct state_source *source = (const struct state_source *)scan->source;
    struct arus_chunk_rows *chunk;

    ARUS_TRY(ARUS_NEW(&scan->arena, struct arus_chunk_rows *, 1, &scan->chunks.items, err));
    ARUS_TRY(scan->source->table->states->read(&source->wanted, &chunk, err));
    scan->chunks.items[0] = chunk;
    scan->chunks.count = 1;
    return ARUS_OK;
}

static enum arus_status state_scan_open(const struct arus_source *source,
                                        const struct arus_scan *request, struct arus_arena *arena,
                                        struct arus_source_scan **out, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, struct arus_source_scan, 1, out, err));
    **out = (struct arus_source_scan){.source = source, .request = request, .take = take_state};
    return ARUS_OK;
}

const struct arus_source_ops ARUS_STATE_SOURCE = {
    .bind = state_bind,
    .scan_open = state_scan_open,
    .scan_close = arus_memory_scan_close,
    .worker_open = arus_memory_worker_open,
    .worker_start = arus_memory_worker_start,
    .worker_next = arus_memory_worker_next,
    .worker_stats = arus_memory_worker_stats,
    .worker_close = arus_memory_worker_close,
    .list = arus_memory_list,
    .fingerprint = arus_memory_fingerprint,
};
