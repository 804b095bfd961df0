/** Steps of table cases: one input and its result each (conformance README, section 5). */
#include "file/file_internal.h"
#include "file/seen.h"
#include "journal/checkpoint.h"
#include "plan/from_sql.h"

#include <dirent.h>
#include <stdlib.h>

#include "driver.h"

#define MS_PER_MONTH ((int64_t)31 * 86400 * 1000) /* Spark's month of a watermark delay */
#define SEEN_AGE_MS  10                           /* maxFileAge of the cases on seen files */
#define TRIGGER_MS   1000

static struct arus_text text_of(const json_t *value)
{
    return (struct arus_text){json_string_value(value), json_string_length(value)};
}

/* Compares a number with what the step says under `key`. */
static bool check_number(struct driver *driver, const json_t *step, const char *key, int64_t found)
{
    const json_t *wanted = json_object_get(step, key);

    return json_integer_value(wanted) == found ||
           driver_fail(driver, "%s: %lld instead of %lld", key, (long long)found,
                       (long long)json_integer_value(wanted));
}

static bool check_truth(struct driver *driver, const json_t *step, bool found)
{
    return json_is_true(json_object_get(step, "expect")) == found ||
           driver_fail(driver, "%s", found ? "true" : "false");
}

static bool check_refusal(struct driver *driver, const json_t *step, enum arus_status status)
{
    const bool wanted = json_object_get(step, "expect_error") != NULL;

    return (status != ARUS_OK) == wanted ||
           driver_fail(driver, wanted ? "nothing was refused" : "refused");
}

/* ---- delays and triggers ---- */

static bool table_parse_delay(struct driver *driver, const json_t *value, const json_t *step)
{
    int64_t months = 0;
    int64_t micros = 0;
    struct arus_error err;
    enum arus_status status =
        arus_interval_read(text_of(value), (struct arus_place){0}, &months, &micros, &err);

    if (status == ARUS_OK && (months < 0 || micros < 0)) {
        status = ARUS_BAD_CONFIG;
    }
    if (!check_refusal(driver, step, status)) {
        (void)snprintf(driver->message, sizeof driver->message, "delay `%s`: %s",
                       json_string_value(value), status == ARUS_OK ? "taken" : err.message);
        return false;
    }
    return status != ARUS_OK ||
           check_number(driver, step, "expect_ms", months * MS_PER_MONTH + micros / 1000);
}

static int64_t trigger_ms(const struct driver *driver)
{
    const json_t *interval = json_object_get(driver->item, "trigger_ms");

    return json_is_integer(interval) ? json_integer_value(interval) : TRIGGER_MS;
}

static bool table_now(struct driver *driver, const json_t *value, const json_t *step)
{
    return check_number(driver, step, "expect_next",
                        arus_query_next_trigger_ms(json_integer_value(value), trigger_ms(driver)));
}

/* A batch that begins at `at`: the next one begins at its tick, or at once when that is over. */
static bool table_at(struct driver *driver, const json_t *value, const json_t *step)
{
    const int64_t begin = json_integer_value(value);
    const int64_t end = begin + json_integer_value(json_object_get(step, "batch_takes"));
    const int64_t tick = arus_query_next_trigger_ms(begin, trigger_ms(driver));

    return json_object_get(step, "expect_next_wait") != NULL
               ? check_number(driver, step, "expect_next_wait", tick)
               : check_number(driver, step, "expect_next_trigger", end > tick ? end : tick);
}

/* ---- offsets ---- */

static bool table_parse_offset(struct driver *driver, const json_t *value, const json_t *step)
{
    return check_number(driver, step, "expect", arus_file_offset_of(text_of(value)));
}

static enum arus_status parse_offsets(struct arus_text text, struct arus_arena *arena,
                                      struct arus_batch_plan *plan, struct arus_text *conf,
                                      struct arus_error *err)
{
    return arus_offsets_parse(text, "offsets/0", arena, plan, conf, err);
}

static json_t *metadata_json(const struct arus_batch_plan *plan, const struct arus_text *conf)
{
    static const char *const KEYS[] = {
#define X(name, key, value) key,
        ARUS_CHECKPOINT_CONF(X)
#undef X
    };
    json_t *values = json_object();

    for (size_t i = 0; i < ARUS_CONF_COUNT; i++) {
        if (conf[i].size != 0) {
            (void)json_object_set_new(values, KEYS[i], json_stringn(conf[i].data, conf[i].size));
        }
    }
    return json_pack("{sIsIso}", "batchWatermarkMs", (json_int_t)plan->watermark_ms,
                     "batchTimestampMs", (json_int_t)plan->timestamp_ms, "conf", values);
}

static bool table_parse_metadata(struct driver *driver, const json_t *value, const json_t *step)
{
    struct arus_text conf[ARUS_CONF_COUNT] = {{0}};
    struct arus_arena arena = {0};
    struct arus_buffer text = {0};
    struct arus_batch_plan plan;
    struct arus_error err;
    json_t *found = NULL;
    bool is_fine;

    is_fine =
        driver_must(driver, arus_buffer_printf(&text, &err, "v1\n%s\n0", json_string_value(value)),
                    &err) &&
        driver_must(driver, parse_offsets(arus_buffer_text(&text), &arena, &plan, conf, &err),
                    &err);
    if (is_fine) {
        found = metadata_json(&plan, conf);
        is_fine = values_equal(found, json_object_get(step, "expect")) ||
                  driver_fail(driver, "metadata of %s differs", json_string_value(value));
    }
    json_decref(found);
    arus_buffer_release(&text);
    arus_arena_release(&arena);
    return is_fine;
}

static bool table_parse_log(struct driver *driver, const json_t *value, const json_t *step)
{
    struct arus_arena arena = {0};
    struct arus_batch_plan plan;
    struct arus_error err;
    const enum arus_status status = parse_offsets(text_of(value), &arena, &plan, NULL, &err);

    arus_arena_release(&arena);
    return check_refusal(driver, step, status);
}

/* ---- a log whose entries are written once ---- */

static bool log_path(struct driver *driver, json_int_t id, struct arus_path *path)
{
    char below[48];
    struct arus_path folder;
    struct arus_error err;

    driver_path(driver, "log", &folder);
    (void)snprintf(below, sizeof below, "log/%lld", (long long)id);
    driver_path(driver, below, path);
    return driver_must(driver, arus_folder_make(folder.text, NULL, &err), &err);
}

static bool table_log_add(struct driver *driver, const json_t *value, const json_t *step)
{
    char *text = json_dumps(json_array_get(value, 1), JSON_COMPACT);
    struct arus_path path;
    struct arus_error err;
    bool exists = false;
    bool is_fine =
        log_path(driver, json_integer_value(json_array_get(value, 0)), &path) &&
        driver_must(driver, arus_file_create_new(path.text, arus_text_of(text), &exists, &err),
                    &err);

    free(text);
    return is_fine && check_truth(driver, step, !exists);
}

static bool table_log_get(struct driver *driver, const json_t *value, const json_t *step)
{
    struct arus_buffer content = {0};
    struct arus_path path;
    struct arus_error err;
    bool is_missing;
    json_t *found;
    bool is_fine;

    if (!log_path(driver, json_integer_value(value), &path) ||
        !driver_must(driver, arus_file_read(path.text, &content, &is_missing, &err), &err)) {
        return false;
    }
    found = json_loadb(content.data, content.size, 0, NULL);
    is_fine = values_equal(found, json_object_get(step, "expect")) ||
              driver_fail(driver, "another entry");
    json_decref(found);
    arus_buffer_release(&content);
    return is_fine;
}

static bool table_log_latest(struct driver *driver, const json_t *value, const json_t *step)
{
    struct arus_path path;
    struct arus_file_info info;
    struct arus_error err;

    (void)step; /* it is there, and the one behind it is not */
    for (json_int_t i = 0; i < 2; i++) {
        if (!log_path(driver, json_integer_value(value) + i, &path) ||
            !driver_must(driver, arus_file_stat(path.text, &info, &err), &err)) {
            return false;
        }
        if ((info.kind == ARUS_FILE_REGULAR) != (i == 0)) {
            return driver_fail(driver, "another entry is the newest");
        }
    }
    return true;
}

/* ---- files that were read ---- */

static struct seen_files {
    struct arus_seen set;
    int64_t newest_ms;
    int64_t too_old_ms;
    bool is_open;
} SEEN; /* one case per process */

static bool open_seen(struct driver *driver)
{
    const char *what = json_string_value(json_object_get(driver->item, "what"));
    const bool ignores_folders = what != NULL && strstr(what, "fileNameOnly") != NULL;
    struct arus_error err;

    if (SEEN.is_open) {
        return true;
    }
    SEEN = (struct seen_files){.newest_ms = INT64_MIN, .too_old_ms = INT64_MIN, .is_open = true};
    return driver_must(driver, arus_seen_init(&SEEN.set, ignores_folders, &err), &err);
}

static bool table_seen_add(struct driver *driver, const json_t *value, const json_t *step)
{
    const int64_t time_ms = json_integer_value(json_array_get(value, 1));
    struct arus_text folder;
    struct arus_text name;
    struct arus_error err;
    bool is_new;

    arus_seen_split(text_of(json_array_get(value, 0)), &folder, &name);
    if (!open_seen(driver) ||
        !driver_must(driver, arus_seen_add(&SEEN.set, folder, name, &is_new, &err), &err)) {
        return false;
    }
    SEEN.newest_ms = time_ms > SEEN.newest_ms ? time_ms : SEEN.newest_ms;
    return check_number(driver, step, "expect_size", (int64_t)SEEN.set.count);
}

static bool table_is_new(struct driver *driver, const json_t *value, const json_t *step)
{
    struct arus_text folder;
    struct arus_text name;

    arus_seen_split(text_of(json_array_get(value, 0)), &folder, &name);
    return open_seen(driver) &&
           check_truth(driver, step,
                       json_integer_value(json_array_get(value, 1)) >= SEEN.too_old_ms &&
                           !arus_seen_has(&SEEN.set, folder, name));
}

static bool table_seen_purge(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)driver;
    (void)value;
    (void)step;
    SEEN.too_old_ms = SEEN.newest_ms - SEEN_AGE_MS;
    return true;
}

const struct step_row TABLE_STEPS[] = {
    {"parse_delay", table_parse_delay},
    {"now", table_now},
    {"at", table_at},
    {"parse_offset", table_parse_offset},
    {"parse_offset_metadata", table_parse_metadata},
    {"parse_offset_log", table_parse_log},
    {"log_add", table_log_add},
    {"log_get", table_log_get},
    {"log_latest", table_log_latest},
    {"seen_add", table_seen_add},
    {"is_new", table_is_new},
    {"seen_purge", table_seen_purge},
    {"options", kafka_table_options},
    {"latest", kafka_table_latest},
    {NULL, NULL},
};
