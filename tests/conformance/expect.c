/** Expectations (conformance README, section 4). */
#include "base/condition.h"
#include "journal/log.h"
#include "journal/path.h"

#include <dirent.h>
#include <stdlib.h>

#include "driver.h"

/* ---- texts of a failed expectation ---- */

static bool fail_values(struct driver *driver, const char *what, const json_t *found,
                        const json_t *wanted)
{
    char *texts[2] = {json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY),
                      json_dumps(wanted, JSON_COMPACT | JSON_ENCODE_ANY)};

    (void)driver_fail(driver, "%s: %.1200s instead of %.1200s", what,
                      texts[0] == NULL ? "nothing" : texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
    return false;
}

/* ---- rows ---- */

static const struct arus_zone *zone_of(const struct driver *driver)
{
    return driver->session == NULL ? ARUS_ZONE_UTC : arus_session_zone(driver->session);
}

static bool is_in_memory(const struct driver *driver)
{
    return driver->plan == NULL ||
           strcmp(driver->plan->sink_config->connector->name, "memory") == 0;
}

static struct arus_text sink_name(const struct driver *driver)
{
    return driver->plan == NULL ? ARUS_TEXT("out") : driver->plan->sink_config->name;
}

/* Batches of the in-memory sink from `begin` on: a list of lists of rows. NULL: the case is over.
 */
static json_t *sink_batches(struct driver *driver, size_t begin)
{
    struct arus_arena arena = {0};
    struct arus_chunks chunks = {0};
    json_t *out = json_array();
    struct arus_error err;
    enum arus_status status =
        arus_memory_take(driver->memory, sink_name(driver), begin, SIZE_MAX, &arena, &chunks, &err);

    for (size_t i = 0; status == ARUS_OK && i < chunks.count; i++) {
        json_t *rows = json_array();

        status = rows_to_json(chunks.items[i], zone_of(driver), rows, &err);
        (void)json_array_append_new(out, rows);
    }
    arus_chunks_drop(&chunks);
    arus_arena_release(&arena);
    if (!driver_must(driver, status, &err)) {
        json_decref(out);
        return NULL;
    }
    return out;
}

static json_t *flatten(json_t *batches)
{
    json_t *rows = json_array();

    for (size_t i = 0; i < json_array_size(batches); i++) {
        (void)json_array_extend(rows, json_array_get(batches, i));
    }
    json_decref(batches);
    return rows;
}

/* Rows of the table that the query writes to, or of a batch query. */
static json_t *all_rows(struct driver *driver)
{
    struct arus_chunk_rows *chunk = driver->batch_rows;
    struct arus_error err;
    json_t *rows;

    if (driver->plan != NULL && is_in_memory(driver)) {
        json_t *batches = sink_batches(driver, 0);

        return batches == NULL ? NULL : flatten(batches);
    }
    rows = json_array();
    if (driver->plan != NULL) {
        char text[128];

        (void)snprintf(text, sizeof text, "SELECT * FROM `%.*s`",
                       ARUS_TEXT_ARGS(driver->plan->name));
        if (query_rows(driver, text, &chunk, &err) != ARUS_OK) {
            (void)driver_fail(driver, "reading the sink: %s", err.message);
        }
    }
    if (chunk != NULL) {
        (void)driver_must(driver, rows_to_json(chunk, zone_of(driver), rows, &err), &err);
    }
    if (chunk != driver->batch_rows) {
        arus_chunk_rows_drop(chunk);
    }
    return rows;
}

static bool check_rows(struct driver *driver, const char *what, json_t *found, const json_t *wanted,
                       const json_t *step)
{
    bool is_fine;

    if (found == NULL) {
        return false;
    }
    is_fine = rows_equal(found, wanted, json_is_true(json_object_get(step, "ordered"))) ||
              fail_values(driver, what, found, wanted);
    json_decref(found);
    return is_fine;
}

static bool expect_all(struct driver *driver, const json_t *value, const json_t *step)
{
    driver->seen = arus_memory_count(driver->memory, sink_name(driver));
    return check_rows(driver, "all rows", all_rows(driver), value, step);
}

static bool expect_new(struct driver *driver, const json_t *value, const json_t *step)
{
    const size_t count = arus_memory_count(driver->memory, sink_name(driver));
    const bool is_complete = driver->plan != NULL && driver->plan->properties.mode == ARUS_COMPLETE;
    const size_t begin = is_complete && count > 0 ? count - 1 : driver->seen;
    json_t *batches;

    if (!is_in_memory(driver)) {
        return driver_fail(driver, "expect_new wants a sink in memory");
    }
    batches = sink_batches(driver, begin);
    driver->seen = count;
    return batches != NULL && check_rows(driver, "new rows", flatten(batches), value, step);
}

static bool expect_batches(struct driver *driver, const json_t *value, const json_t *step)
{
    json_t *batches = sink_batches(driver, driver->seen);
    bool is_fine = batches != NULL;
    size_t k = 0;

    (void)step;
    driver->seen = arus_memory_count(driver->memory, sink_name(driver));
    while (k < json_array_size(batches)) { /* batches without rows do not count */
        if (json_array_size(json_array_get(batches, k)) == 0) {
            (void)json_array_remove(batches, k);
        } else {
            k++;
        }
    }
    is_fine = is_fine && json_array_size(batches) == json_array_size(value);
    for (k = 0; is_fine && k < json_array_size(value); k++) {
        is_fine = rows_equal(json_array_get(batches, k), json_array_get(value, k), false);
    }
    if (!is_fine && driver->outcome == PASSED) {
        (void)fail_values(driver, "batches", batches, value);
    }
    json_decref(batches);
    return is_fine;
}

/* ---- progress ---- */

static const json_t *last_progress(const struct driver *driver)
{
    const size_t count = json_array_size(driver->progress);

    return count == 0 ? NULL : json_array_get(driver->progress, count - 1);
}

static bool has_input(const json_t *progress)
{
    return json_integer_value(json_object_get(progress, "numInputRows")) > 0;
}

static const json_t *last_with_input(const struct driver *driver)
{
    size_t i = json_array_size(driver->progress);

    while (i > 0 && !has_input(json_array_get(driver->progress, i - 1))) {
        i--;
    }
    return i == 0 ? NULL : json_array_get(driver->progress, i - 1);
}

static bool check_value(struct driver *driver, const char *what, const json_t *found,
                        const json_t *wanted)
{
    return (found != NULL && values_equal(found, wanted)) ||
           fail_values(driver, what, found, wanted);
}

static const json_t *watermark_of(const json_t *progress)
{
    return json_object_get(json_object_get(progress, "eventTime"), "watermark");
}

static bool expect_watermark(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    return check_value(driver, "watermark", watermark_of(last_with_input(driver)), value);
}

static bool expect_event_time(struct driver *driver, const json_t *value, const json_t *step)
{
    const json_t *found = json_object_get(last_with_input(driver), "eventTime");

    (void)step;
    return (found == NULL && json_object_size(value) == 0) || /* empty blocks are left out */
           check_value(driver, "event time", found, value);
}

static const json_t *operators_of(const json_t *progress)
{
    return json_object_get(progress, "stateOperators");
}

static json_int_t operator_number(const json_t *progress, size_t index, const char *key)
{
    const json_t *operator_ = json_array_get(operators_of(progress), index);
    const json_t *custom = json_object_get(json_object_get(operator_, "customMetrics"), key);

    return json_integer_value(custom != NULL ? custom : json_object_get(operator_, key));
}

/* Sum over the batches since the last such check. */
static json_int_t operator_sum(const struct driver *driver, size_t index, const char *key)
{
    json_int_t sum = 0;

    for (size_t i = driver->state_from; i < json_array_size(driver->progress); i++) {
        sum += operator_number(json_array_get(driver->progress, i), index, key);
    }
    return sum;
}

static void end_sums(struct driver *driver)
{
    driver->state_from = json_array_size(driver->progress);
}

static bool expect_state_rows(struct driver *driver, const json_t *value, const json_t *step)
{
    static const struct {
        const char *name;
        const char *key;
        bool is_sum;
    } NUMBERS[] = {{"total", "numRowsTotal", false},
                   {"updated", "numRowsUpdated", true},
                   {"dropped_by_watermark", "numRowsDroppedByWatermark", true},
                   {"removed", "numRowsRemoved", true}};

    (void)step;
    for (size_t n = 0; n < sizeof NUMBERS / sizeof NUMBERS[0]; n++) {
        const json_t *wanted = json_object_get(value, NUMBERS[n].name);
        const size_t count = json_array_size(operators_of(last_progress(driver)));
        json_t *found = json_array();
        bool is_fine;

        for (size_t i = 0; i < count; i++) {
            (void)json_array_append_new(
                found, json_integer(NUMBERS[n].is_sum ? operator_sum(driver, i, NUMBERS[n].key)
                                                      : operator_number(last_progress(driver), i,
                                                                        NUMBERS[n].key)));
        }
        is_fine = wanted == NULL || check_value(driver, NUMBERS[n].key, found, wanted);
        json_decref(found);
        if (!is_fine) {
            return false;
        }
    }
    end_sums(driver);
    return true;
}

static bool expect_dropped(struct driver *driver, const json_t *value, const json_t *step)
{
    const json_t *progress = last_with_input(driver);
    json_t *found = json_array();
    bool is_fine;

    (void)step;
    for (size_t i = 0; i < json_array_size(operators_of(progress)); i++) {
        (void)json_array_append_new(
            found, json_integer(operator_number(progress, i, "numRowsDroppedByWatermark")));
    }
    is_fine = check_value(driver, "numRowsDroppedByWatermark", found, value);
    json_decref(found);
    return is_fine;
}

static bool expect_metric(struct driver *driver, const json_t *value, const json_t *step)
{
    const char *name = json_string_value(json_object_get(value, "name"));
    json_t *found = json_integer(operator_sum(driver, 0, name));
    const bool is_fine = check_value(driver, name, found, json_object_get(value, "value"));

    (void)step;
    json_decref(found);
    end_sums(driver);
    return is_fine;
}

static bool expect_operator(struct driver *driver, const json_t *value, const json_t *step)
{
    static const char *const PARTITIONS[] = {"numShufflePartitions", "numStateStoreInstances"};
    const json_t *found = json_array_get(operators_of(last_progress(driver)), 0);
    json_t *wanted = json_deep_copy(value);
    bool is_fine;

    (void)step;
    for (size_t i = 0; i < 2; i++) { /* arus has no partitions */
        (void)json_object_del(wanted, PARTITIONS[i]);
    }
    is_fine = json_includes(found, wanted) || fail_values(driver, "state operator", found, wanted);
    json_decref(wanted);
    end_sums(driver);
    return is_fine;
}

/* Names of a batch's fields, where they do not stand in the record itself. */
static json_t *batch_fields(const json_t *progress)
{
    json_t *out = json_deep_copy(progress);
    const json_t *rows = json_object_get(json_object_get(progress, "arus"), "rowsOut");
    const char *key;
    json_t *item;

    (void)json_object_set_new(out, "no_data", json_boolean(!has_input(progress)));
    (void)json_object_set(out, "sinkRows", (json_t *)(uintptr_t)rows);
    (void)json_object_set(out, "numOutputRows", (json_t *)(uintptr_t)rows);
    (void)json_object_set(out, "watermark", (json_t *)(uintptr_t)watermark_of(progress));
    json_object_foreach((json_t *)json_array_get(operators_of(progress), 0), key, item)
    {
        (void)json_object_set(out, key, item);
    }
    return out;
}

static bool expect_batch(struct driver *driver, const json_t *value, const json_t *step)
{
    json_t *found;
    bool is_fine;

    (void)step;
    if (last_progress(driver) == NULL) {
        return driver_fail(driver, "no batch was made");
    }
    found = batch_fields(last_progress(driver));
    is_fine = json_includes(found, value) ||
              fail_values(driver, "the batch", last_progress(driver), value);
    json_decref(found);
    return is_fine;
}

static bool expect_batches_with_input(struct driver *driver, const json_t *value,
                                      const json_t *step)
{
    json_int_t count = 0;
    json_t *found;
    bool is_fine;

    (void)step;
    for (size_t i = driver->input_from; i < json_array_size(driver->progress); i++) {
        count += has_input(json_array_get(driver->progress, i));
    }
    driver->input_from = json_array_size(driver->progress);
    found = json_integer(count);
    is_fine = check_value(driver, "batches with input", found, value);
    json_decref(found);
    return is_fine;
}

static bool expect_progress(struct driver *driver, const json_t *value, const json_t *step)
{
    const json_t *found =
        json_object_get(step, "wait_idle_progress") != NULL ? driver->idle : last_progress(driver);

    return json_includes(found, value) || fail_values(driver, "progress", found, value);
}

/* Late and evict watermarks of one operator are Spark's inner matter: compared where they are told.
 */
static bool expect_operator_watermark(struct driver *driver, const json_t *value,
                                      const json_t *step)
{
    const json_t *found =
        json_object_get(json_object_get(last_progress(driver), "arus"), "operatorWatermarks");

    (void)step;
    return found == NULL || json_includes(found, value) ||
           fail_values(driver, "operator watermarks", found, value);
}

static bool expect_relation(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)driver;
    (void)value;
    (void)step;
    return true; /* a remark in words */
}

/* ---- errors ---- */

/* Spark wraps what happened while a file was read or written; arus names what happened. */
static bool is_wrapper(const char *condition)
{
    static const char *const WRAPPERS[] = {"FAILED_READ_FILE.NO_HINT", "STREAM_FAILED",
                                           "TASK_WRITE_FAILED"};

    for (size_t i = 0; i < sizeof WRAPPERS / sizeof WRAPPERS[0]; i++) {
        if (strcmp(condition, WRAPPERS[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_condition(struct driver *driver, const json_t *wanted)
{
    const char *condition = json_string_value(json_object_get(wanted, "condition"));
    const char *sqlstate = json_string_value(json_object_get(wanted, "sqlstate"));
    const char *found = driver->err.condition == NULL ? "" : driver->err.condition;
    const char *found_state = arus_condition_sqlstate(driver->err.condition);

    if (condition != NULL && is_wrapper(condition) && found[0] != '\0') {
        return true;
    }
    if (condition != NULL && strcmp(condition, found) != 0) {
        return driver_fail(driver, "condition %s instead of %s (%s)", found, condition,
                           driver->err.message);
    }
    if (sqlstate != NULL && found_state != NULL && strcmp(sqlstate, found_state) != 0) {
        return driver_fail(driver, "SQLSTATE %s instead of %s", found_state, sqlstate);
    }
    return true;
}

static bool expect_error(struct driver *driver, const json_t *value, const json_t *step)
{
    const char *when = json_string_value(json_object_get(value, "when"));
    const bool at_start = when != NULL && strcmp(when, "start") == 0;

    (void)step;
    if (driver->failed_at == NOT_FAILED && !driver->was_started) {
        query_start(driver);
    }
    if (driver->failed_at == NOT_FAILED && !at_start) {
        query_run_until_idle(driver);
    }
    if (driver->failed_at == NOT_FAILED) {
        return driver_fail(driver, "nothing was refused");
    }
    if (at_start && driver->failed_at != AT_START) {
        return driver_fail(driver, "refused in a batch, not at the start: %s", driver->err.message);
    }
    driver->failed_at = NOT_FAILED; /* taken */
    return check_condition(driver, value);
}

static bool expect_accepted(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)value;
    (void)step;
    query_run_until_idle(driver);
    return true; /* a failure is noticed by whoever runs the steps */
}

/* ---- identity, logs and files ---- */

static bool check_identity(struct driver *driver, const json_t *keys, bool same)
{
    for (size_t i = 0; i < json_array_size(keys); i++) {
        const char *key = json_string_value(json_array_get(keys, i));
        const char *before = json_string_value(json_object_get(driver->remembered, key));
        const char *now = driver->query == NULL       ? ""
                          : strcmp(key, "runId") == 0 ? arus_query_run_id(driver->query)
                                                      : arus_query_id(driver->query);

        if (before == NULL || (strcmp(before, now) == 0) != same) {
            return driver_fail(driver, "%s: %s, then %s", key, before == NULL ? "" : before, now);
        }
    }
    return true;
}

static bool expect_same(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    return check_identity(driver, value, true);
}

static bool expect_different(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    return check_identity(driver, value, false);
}

/* Names in a folder, without hidden ones; as numbers where `as_numbers`. */
static json_t *names_in(const struct driver *driver, const char *below, bool as_numbers)
{
    struct arus_path folder;
    const struct dirent *entry;
    json_t *out = json_array();
    DIR *handle;

    driver_path(driver, below, &folder);
    handle = opendir(folder.text);
    while (handle != NULL && (entry = readdir(handle)) != NULL) {
        if (entry->d_name[0] != '.') {
            (void)json_array_append_new(out, as_numbers
                                                 ? json_integer(strtol(entry->d_name, NULL, 10))
                                                 : json_string(entry->d_name));
        }
    }
    if (handle != NULL) {
        (void)closedir(handle);
    }
    return out;
}

static bool check_names(struct driver *driver, const char *below, bool as_numbers,
                        const json_t *wanted)
{
    json_t *found = names_in(driver, below, as_numbers);
    const bool is_fine =
        rows_equal(found, wanted, false) || fail_values(driver, below, found, wanted);

    json_decref(found);
    return is_fine;
}

static bool expect_log_ids(struct driver *driver, const json_t *value, const json_t *step)
{
    const char *log;
    json_t *ids;

    (void)step;
    json_object_foreach((json_t *)(uintptr_t)value, log, ids)
    {
        char below[64];

        (void)snprintf(below, sizeof below, "ckpt/%s", log);
        if (!check_names(driver, below, true, ids)) {
            return false;
        }
    }
    return true;
}

static bool expect_manifest_files(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    return check_names(driver, "out/_spark_metadata", false, value);
}

static bool check_files(struct driver *driver, const json_t *wanted, const char *above)
{
    const char *below;
    json_t *exists;

    json_object_foreach((json_t *)(uintptr_t)wanted, below, exists)
    {
        struct arus_path own;
        struct arus_path path;
        struct arus_file_info info;
        struct arus_error err;

        driver_path(driver, below, &own);
        path = own;
        if (above[0] != '\0') {
            driver_path(driver, above, &path);
            (void)strncat(path.text, own.text, sizeof path.text - strlen(path.text) - 1);
        }
        if (!driver_must(driver, arus_file_stat(path.text, &info, &err), &err)) {
            return false;
        }
        if ((info.kind != ARUS_FILE_NONE) != json_is_true(exists)) {
            return driver_fail(driver, "%s is %s", below,
                               info.kind == ARUS_FILE_NONE ? "not there" : "there");
        }
    }
    return true;
}

static bool expect_files(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    return check_files(driver, value, "");
}

static bool expect_archived(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    return check_files(driver, value, "archive");
}

struct entries {
    json_int_t count;
    json_int_t missing;
    struct arus_arena arena;
};

static enum arus_status look_at_entry(void *self, struct arus_text line, struct arus_error *err)
{
    struct entries *entries = self;
    struct arus_log_line entry;
    struct arus_file_info info;
    struct arus_text path;

    ARUS_TRY(arus_log_parse_sink(line, &entries->arena, &entry, err));
    ARUS_TRY(arus_path_of_uri(entry.uri, &entries->arena, &path, err));
    ARUS_TRY(arus_file_stat(path.data, &info, err));
    entries->count++;
    entries->missing += info.kind != ARUS_FILE_REGULAR;
    return ARUS_OK;
}

static bool expect_manifest_entries_below(struct driver *driver, const json_t *value,
                                          const json_t *step)
{
    struct entries entries = {0};
    struct arus_path folder;
    struct arus_error err;
    int64_t newest;
    bool is_missing;
    enum arus_status status;

    (void)step;
    driver_path(driver, "out", &folder);
    status =
        arus_log_read_sink(folder.text, -1, look_at_entry, &entries, &newest, &is_missing, &err);
    arus_arena_release(&entries.arena);
    if (!driver_must(driver, status, &err)) {
        return false;
    }
    return (entries.count < json_integer_value(value) && entries.missing == 0) ||
           driver_fail(driver, "%d entries, %d of them missing", (int)entries.count,
                       (int)entries.missing);
}

static json_t *schema_json(const struct arus_type *schema)
{
    json_t *out = json_array();

    for (uint16_t i = 0; i < schema->field_count; i++) {
        const struct arus_field *field = &schema->fields[i];
        struct arus_buffer type = {0};
        struct arus_error err;

        if (arus_type_simple(field->type, &type, &err) == ARUS_OK) {
            (void)json_array_append_new(out,
                                        json_pack("[s%s%b]", field->name.data, field->name.size,
                                                  type.data, type.size, field->is_nullable));
        }
        arus_buffer_release(&type);
    }
    return out;
}

static bool expect_schema(struct driver *driver, const json_t *value, const json_t *step)
{
    const bool of_source = json_object_get(step, "load") != NULL;
    struct arus_chunk_rows *chunk = NULL;
    struct arus_error err;
    json_t *found;
    bool is_fine;

    if (driver->plan == NULL) {
        return driver_fail(driver, "there is no streaming table");
    }
    if (!of_source && query_rows(driver, "SELECT * FROM out", &chunk, &err) != ARUS_OK) {
        return driver_fail(driver, "reading the sink: %s", err.message);
    }
    found = schema_json(of_source ? driver->plan->sources[0]->schema : chunk->schema);
    arus_chunk_rows_drop(chunk);
    is_fine = check_value(driver, "schema", found, value);
    json_decref(found);
    return is_fine;
}

static bool expect_file_bytes(struct driver *driver, const json_t *value, const json_t *step)
{
    const json_t *rest = json_object_get(value, "then");
    const json_t *first = json_object_get(value, "first_byte");
    struct arus_buffer content = {0};
    struct arus_path path;
    struct arus_error err;
    bool is_missing;
    bool is_fine;

    (void)step;
    driver_path(driver, json_string_value(json_object_get(value, "path")), &path);
    if (!driver_must(driver, arus_file_read(path.text, &content, &is_missing, &err), &err)) {
        return false;
    }
    is_fine =
        !is_missing && content.size > 0 &&
        (unsigned char)content.data[0] == json_integer_value(first) &&
        (rest == NULL ||
         arus_text_equal((struct arus_text){content.data + 1, content.size - 1},
                         (struct arus_text){json_string_value(rest), json_string_length(rest)}));
    arus_buffer_release(&content);
    return is_fine || driver_fail(driver, "%s: other bytes", path.text);
}

const struct step_row EXPECT_STEPS[] = {
    {"expect_new", expect_new},
    {"expect_all", expect_all},
    {"expect_batches", expect_batches},
    {"expect_watermark", expect_watermark},
    {"expect_event_time", expect_event_time},
    {"expect_state_rows", expect_state_rows},
    {"expect_dropped", expect_dropped},
    {"expect_metric", expect_metric},
    {"expect_operator", expect_operator},
    {"expect_operator_watermark", expect_operator_watermark},
    {"expect_batch", expect_batch},
    {"expect_batch_metrics", expect_batch},
    {"expect_batches_with_input", expect_batches_with_input},
    {"expect_progress", expect_progress},
    {"expect_error", expect_error},
    {"expect_accepted", expect_accepted},
    {"expect_same", expect_same},
    {"expect_different", expect_different},
    {"expect_log_ids", expect_log_ids},
    {"expect_files", expect_files},
    {"expect_archived", expect_archived},
    {"expect_manifest_files", expect_manifest_files},
    {"expect_manifest_entries_below", expect_manifest_entries_below},
    {"expect_schema", expect_schema},
    {"expect_file_bytes", expect_file_bytes},
    {"expect_relation", expect_relation},
    {"expect_no_offset_logged", kafka_expect_no_offset_logged},
#define X(key) {#key, kafka_##key},
    KAFKA_EXPECTS(X)
#undef X
        {NULL, NULL},
};
