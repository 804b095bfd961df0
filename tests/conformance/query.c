/** Starting, moving and stopping the query that a case is about. */
#include <stdlib.h>

#include "driver.h"

#define THREADS            2
#define TRIGGER_MS_DEFAULT 1000
#define PRELUDE            "SET spark.sql.session.timeZone = UTC; SET spark.sql.shuffle.partitions = 1;\n"

static void note_failure(struct driver *driver, enum failed_at at, const struct arus_error *err)
{
    if (driver->failed_at == NOT_FAILED) {
        driver->failed_at = at;
        driver->err = *err;
    }
}

int64_t driver_now(void *self)
{
    return ((const struct driver *)self)->clock_ms;
}

/* ---- what the query reports ---- */

static void on_progress(void *self, const struct arus_progress *progress)
{
    struct driver *driver = self;
    struct arus_buffer text = {0};
    struct arus_error err;

    if (arus_progress_json(progress, &text, &err) == ARUS_OK) {
        json_t *record = json_loadb(text.data, text.size, 0, NULL);

        if (progress->is_idle) {
            json_decref(driver->idle);
            driver->idle = record;
        } else {
            (void)json_array_append_new(driver->progress, record);
        }
    }
    arus_buffer_release(&text);
}

/* ---- sessions ---- */

static enum arus_status open_session(const struct driver *driver, struct arus_memory *memory,
                                     struct arus_session **out, struct arus_error *err)
{
    static struct arus_setting overrides[16]; /* the session borrows them */
    struct arus_session_config config = {.folder = driver->folder,
                                         .thread_count = THREADS,
                                         .overrides = overrides,
                                         .memory = memory};
    const char *key;
    json_t *value;

    json_object_foreach(driver->conf, key, value)
    {
        if (config.override_count < 16) {
            overrides[config.override_count++] = (struct arus_setting){
                .key = arus_text_of(key), .value = arus_text_of(json_string_value(value))};
        }
    }
    return arus_session_open(&config, out, err);
}

/* Both queries run in one session in Spark: what one sets counts for the other. */
static char *settings_of(const char *pipeline)
{
    char *out = calloc(strlen(pipeline) + 1, 1);

    while (*pipeline != '\0') {
        const size_t size = strcspn(pipeline, "\n");

        if (strncmp(pipeline, "SET ", 4) == 0) {
            (void)strncat(out, pipeline, size);
        }
        pipeline += size + (pipeline[size] == '\n');
    }
    return out;
}

static enum arus_status read_text(struct arus_session *session, const char *text, bool has_prelude,
                                  struct arus_error *err)
{
    struct arus_findings findings = {0};
    struct arus_buffer whole = {0};
    enum arus_status status =
        arus_buffer_printf(&whole, err, "%s%s", has_prelude ? PRELUDE : "", text);

    if (status == ARUS_OK) {
        status = arus_session_read(session, arus_buffer_text(&whole), &findings, err);
    }
    arus_buffer_release(&whole);
    return status;
}

static const struct arus_action *last_action(const struct arus_session *session,
                                             enum arus_action_kind kind)
{
    size_t count;
    const struct arus_action *actions = arus_session_actions(session, &count);

    while (count > 0) {
        if (actions[--count].kind == kind) {
            return &actions[count];
        }
    }
    return NULL;
}

/* ---- rows that go in ---- */

static const struct arus_type *columns_of(const struct arus_session *session, const char *table)
{
    const struct arus_relation *relation =
        arus_catalog_find(arus_session_catalog(session), arus_text_of(table));

    return relation == NULL || relation->table == NULL ? NULL : relation->table->declared;
}

static enum arus_status put_rows(const struct arus_session *session, struct arus_memory *memory,
                                 const char *table, const json_t *rows, bool replaces,
                                 struct arus_error *err)
{
    const struct arus_type *schema = columns_of(session, table);
    struct arus_chunk_rows *chunk;

    if (schema == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the pipeline has no table `%s`", table);
    }
    ARUS_TRY(rows_from_json(rows, schema, arus_session_zone(session), &chunk, err));
    return replaces ? arus_memory_set(memory, arus_text_of(table), chunk, err)
                    : arus_memory_add(memory, arus_text_of(table), chunk, err);
}

/* A query that does not read the table any more still gets its rows: they wait for one that does.
 */
static bool put_waiting(struct driver *driver)
{
    const char *table;
    json_t *rows;
    size_t i = 0;
    struct arus_error err;

    json_object_foreach(driver->tables, table, rows)
    {
        if (columns_of(driver->session, table) != NULL &&
            put_rows(driver->session, driver->memory, table, rows, true, &err) != ARUS_OK) {
            return driver_fail(driver, "rows of %s: %s", table, err.message);
        }
    }
    while (i < json_array_size(driver->adds)) {
        const json_t *pair = json_array_get(driver->adds, i);

        table = json_string_value(json_array_get(pair, 0));
        if (columns_of(driver->session, table) == NULL) {
            i++;
            continue;
        }
        if (put_rows(driver->session, driver->memory, table, json_array_get(pair, 1), false,
                     &err) != ARUS_OK) {
            return driver_fail(driver, "rows of %s: %s", table, err.message);
        }
        (void)json_array_remove(driver->adds, i);
    }
    return true;
}

bool query_add(struct driver *driver, const json_t *adds)
{
    const char *table;
    json_t *rows;

    json_object_foreach((json_t *)(uintptr_t)adds, table, rows)
    {
        (void)json_array_append_new(driver->adds, json_pack("[sO]", table, rows));
    }
    return driver->query == NULL || put_waiting(driver);
}

/* ---- start and stop ---- */

static bool open_query(struct driver *driver, bool available_now)
{
    const struct arus_query_config config = {.plan = driver->plan,
                                             .thread_count = THREADS,
                                             .available_now = available_now,
                                             .clock = &driver->clock,
                                             .on_progress = on_progress,
                                             .self = driver};
    struct arus_error err;

    if (arus_query_open(&config, &driver->query, &err) != ARUS_OK) {
        note_failure(driver, AT_START, &err);
        return false;
    }
    return true;
}

/* Reads the pipeline and puts the rows where they belong; true: there is something to run. */
bool query_load(struct driver *driver)
{
    const struct arus_action *action;
    struct arus_error err;

    arus_session_close(driver->session);
    driver->session = NULL;
    driver->plan = NULL;
    driver->batch = NULL;
    driver->clock_ms = driver->next_tick_ms;
    if (!driver_must(driver, open_session(driver, driver->memory, &driver->session, &err), &err)) {
        return false;
    }
    if (read_text(driver->session, driver->pipeline, true, &err) != ARUS_OK) {
        note_failure(driver, AT_START, &err);
        return false;
    }
    action = last_action(driver->session, ARUS_ACTION_STREAM);
    driver->plan = action == NULL ? NULL : action->stream;
    action = last_action(driver->session, ARUS_ACTION_QUERY);
    driver->batch = action == NULL ? NULL : action->query;
    return put_waiting(driver);
}

static void start(struct driver *driver, bool available_now)
{
    query_stop(driver);
    driver->was_started = true;
    if (driver->failed_at == NOT_FAILED && driver->outcome == PASSED && query_load(driver) &&
        driver->plan != NULL) {
        (void)open_query(driver, available_now);
    }
}

void query_start(struct driver *driver)
{
    start(driver, false);
    if (driver->by_ticks) {
        query_tick(driver);
    }
}

void query_stop(struct driver *driver)
{
    struct arus_error err;

    if (arus_query_close(driver->query, &err) != ARUS_OK) {
        note_failure(driver, IN_RUN, &err);
    }
    driver->query = NULL;
}

/* ---- moving ---- */

static bool trigger(struct driver *driver, bool is_unlimited)
{
    struct arus_error err;
    bool did = false;

    if (driver->query == NULL) {
        return false;
    }
    if (arus_query_trigger(driver->query, is_unlimited, &did, &err) != ARUS_OK) {
        note_failure(driver, IN_RUN, &err);
        query_stop(driver);
        return false;
    }
    return did;
}

void query_run_until_idle(struct driver *driver)
{
    if (!driver->was_started || (driver->query == NULL && driver->failed_at == NOT_FAILED)) {
        start(driver, false);
    }
    driver->clock_ms = driver->next_tick_ms;
    while (trigger(driver, false)) {
    }
}

void query_tick(struct driver *driver)
{
    const json_t *interval = json_object_get(driver->item, "trigger_ms");

    driver->clock_ms = driver->next_tick_ms;
    driver->next_tick_ms +=
        json_is_integer(interval) ? json_integer_value(interval) : TRIGGER_MS_DEFAULT;
    (void)trigger(driver, false);
}

void query_run_available(struct driver *driver)
{
    enum arus_query_end end;
    struct arus_error err;

    start(driver, true);
    if (driver->query != NULL && arus_query_run(driver->query, &end, &err) != ARUS_OK) {
        note_failure(driver, IN_RUN, &err);
    }
    query_stop(driver);
}

void query_run_once(struct driver *driver)
{
    start(driver, false);
    (void)trigger(driver, true);
    query_stop(driver);
}

/* ---- batch queries ---- */

static enum arus_status keep_rows(void *self, const struct arus_batch *batch,
                                  struct arus_error *err)
{
    return arus_chunk_rows_append(self, batch, err);
}

static enum arus_status run_batch(struct arus_session *session,
                                  const struct arus_batch_query *query,
                                  struct arus_chunk_rows **out, struct arus_error *err)
{
    enum arus_status status = arus_chunk_rows_make(query->physical->schema, out, err);

    if (status == ARUS_OK) {
        status = arus_session_run_batch(session, query, keep_rows, *out, err);
    }
    if (status != ARUS_OK) {
        arus_chunk_rows_drop(*out);
        *out = NULL;
    }
    return status;
}

void query_run_batch(struct driver *driver)
{
    struct arus_error err;

    start(driver, false);
    if (driver->failed_at != NOT_FAILED || driver->outcome != PASSED) {
        return;
    }
    if (driver->batch == NULL) {
        (void)driver_fail(driver, "the pipeline has no query");
        return;
    }
    arus_chunk_rows_drop(driver->batch_rows);
    if (run_batch(driver->session, driver->batch, &driver->batch_rows, &err) != ARUS_OK) {
        note_failure(driver, IN_RUN, &err);
    }
}

enum arus_status query_rows(struct driver *driver, const char *text, struct arus_chunk_rows **out,
                            struct arus_error *err)
{
    const struct arus_action *action;

    *out = NULL;
    ARUS_TRY(read_text(driver->session, text, false, err));
    action = last_action(driver->session, ARUS_ACTION_QUERY);
    if (action == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "no query");
    }
    return run_batch(driver->session, action->query, out, err);
}

/* ---- another query ---- */

static enum arus_status run_other(struct driver *driver, struct arus_session *session,
                                  const json_t *other, struct arus_error *err)
{
    struct arus_query_config config = {.thread_count = THREADS, .available_now = true};
    const struct arus_action *action;
    struct arus_query *query;
    enum arus_query_end end;
    enum arus_status status;
    struct arus_error later;
    const char *table;
    json_t *rows;

    json_object_foreach(json_object_get(other, "add"), table, rows)
    {
        ARUS_TRY(put_rows(session, driver->other_memory, table, rows, false, err));
    }
    action = last_action(session, ARUS_ACTION_STREAM);
    if (action == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "no streaming table");
    }
    config.plan = action->stream;
    ARUS_TRY(arus_query_open(&config, &query, err));
    status = arus_query_run(query, &end, err);
    if (arus_query_close(query, &later) != ARUS_OK && status == ARUS_OK) {
        *err = later;
        status = later.status;
    }
    return status;
}

bool query_other(struct driver *driver, const json_t *other)
{
    char *text = driver_text(driver, json_string_value(json_object_get(other, "pipeline")));
    char *settings = settings_of(driver->pipeline);
    struct arus_session *session = NULL;
    struct arus_error err;
    enum arus_status status = open_session(driver, driver->other_memory, &session, &err);

    if (status == ARUS_OK && settings[0] != '\0') {
        status = read_text(session, settings, false, &err);
    }
    if (status == ARUS_OK) {
        status = read_text(session, text, false, &err);
    }
    if (status == ARUS_OK) {
        status = run_other(driver, session, other, &err);
    }
    arus_session_close(session);
    free(settings);
    free(text);
    return status == ARUS_OK || driver_fail(driver, "other query: %s", err.message);
}
