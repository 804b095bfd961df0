/** Steps that move the query or the world around it (conformance README, section 3). */
#include "base/alloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver.h"

#define FILE_TIME_BASE ((int64_t)1772442000) /* seconds since 1970 of `mtime_s` 0 */

/* ---- the query ---- */

static bool step_add(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    return query_add(driver, value);
}

static bool step_run(struct driver *driver, const json_t *value, const json_t *step)
{
    static const struct {
        const char *how;
        void (*run)(struct driver *driver);
    } WAYS[] = {{"availableNow", query_run_until_idle},
                {"fresh availableNow", query_run_available},
                {"one batch", query_run_once},
                {"batch", query_run_batch}};

    (void)step;
    for (size_t i = 0; i < sizeof WAYS / sizeof WAYS[0]; i++) {
        if (strcmp(WAYS[i].how, json_string_value(value)) == 0) {
            WAYS[i].run(driver);
            return true;
        }
    }
    return driver_fail(driver, "there is no run `%s`", json_string_value(value));
}

static bool step_run_trigger(struct driver *driver, const json_t *value, const json_t *step)
{
    json_int_t left = json_integer_value(value);

    (void)step;
    if (driver->query == NULL && left > 0) {
        query_start(driver); /* the first tick */
        left--;
    }
    for (; left > 0; left--) {
        query_tick(driver);
    }
    return true;
}

static void take_pipeline(struct driver *driver, const json_t *step)
{
    const json_t *pipeline = json_object_get(step, "pipeline");
    const json_t *conf = json_object_get(step, "conf");

    if (json_is_string(pipeline)) {
        free(driver->pipeline);
        driver->pipeline = driver_text(driver, json_string_value(pipeline));
    }
    if (json_is_object(conf)) {
        (void)json_object_update(driver->conf, (json_t *)(uintptr_t)conf);
    }
}

static bool step_start(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)value;
    take_pipeline(driver, step);
    query_start(driver);
    if (driver->hand != NULL && !driver->by_ticks) {
        query_run_until_idle(
            driver); /* Spark's first trigger fires at the start: `latest` is now */
    }
    return true;
}

static bool step_stop(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)value;
    (void)step;
    query_stop(driver);
    return true;
}

static bool step_fresh(struct driver *driver, const json_t *value, const json_t *step)
{
    struct arus_path path;
    struct arus_error err;

    (void)value;
    query_stop(driver);
    driver_path(driver, "ckpt", &path);
    if (!driver_must(driver, arus_folder_remove_all(path.text, &err), &err)) {
        return false;
    }
    driver_path(driver, "out", &path);
    if (!driver_must(driver, arus_folder_remove_all(path.text, &err), &err)) {
        return false;
    }
    arus_memory_clear(driver->memory, ARUS_TEXT("out"));
    driver->seen = 0;
    driver->was_started = false;
    take_pipeline(driver, step);
    return true;
}

static bool step_set_clock(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    driver->next_tick_ms = json_integer_value(value);
    return true;
}

static bool step_advance_clock(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    driver->next_tick_ms += json_integer_value(value);
    return true;
}

static bool step_set_table(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    (void)json_object_update(driver->tables, (json_t *)(uintptr_t)value);
    return true;
}

static bool step_clear_sink(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)value;
    (void)step;
    arus_memory_clear(driver->memory, ARUS_TEXT("out"));
    driver->seen = 0;
    return true;
}

static bool step_other(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)step;
    return query_other(driver, value);
}

/* ---- the checkpoint and other files ---- */

static long newest_name(const char *folder)
{
    DIR *handle = opendir(folder);
    const struct dirent *entry;
    long newest = -1;

    while (handle != NULL && (entry = readdir(handle)) != NULL) {
        char *end;
        const long id = strtol(entry->d_name, &end, 10);

        newest = *end == '\0' && id > newest ? id : newest;
    }
    if (handle != NULL) {
        (void)closedir(handle);
    }
    return newest;
}

static bool step_drop_commits(struct driver *driver, const json_t *value, const json_t *step)
{
    const bool all = strcmp(json_string_value(value), "all") == 0;
    struct arus_path folder;
    long newest;

    (void)step;
    driver_path(driver, "ckpt/commits", &folder);
    do {
        struct arus_path path;
        struct arus_error err;
        char name[32];

        newest = newest_name(folder.text);
        (void)snprintf(name, sizeof name, "%ld", newest);
        if (newest >= 0 &&
            (!driver_must(driver, arus_path_join(&path, folder.text, name, &err), &err) ||
             !driver_must(driver, arus_file_remove(path.text, &err), &err))) {
            return false;
        }
    } while (all && newest >= 0);
    return true;
}

/* Writes a file with its folders. */
static bool write_file(struct driver *driver, const char *below, struct arus_text text,
                       struct arus_path *path)
{
    struct arus_path folder;
    struct arus_error err;

    driver_path(driver, below, path);
    arus_path_parent(&folder, path->text);
    return driver_must(driver, arus_folder_make(folder.text, NULL, &err), &err) &&
           driver_must(driver, arus_file_replace(path->text, text, &err), &err);
}

static bool append_lines(struct driver *driver, const json_t *lines, struct arus_buffer *out)
{
    struct arus_error err;

    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);

        if (!driver_must(driver, arus_buffer_append(out, "\n", i == 0 ? 0 : 1, &err), &err) ||
            !driver_must(
                driver,
                arus_buffer_append(out, json_string_value(line), json_string_length(line), &err),
                &err)) {
            return false;
        }
    }
    return true;
}

static bool step_add_file(struct driver *driver, const json_t *value, const json_t *step)
{
    const json_t *mtime = json_object_get(value, "mtime_s");
    const double seconds =
        json_is_number(mtime) ? json_number_value(mtime) : (double)driver->file_count;
    struct timespec times[2] = {{0}, {0}};
    struct arus_buffer text = {0};
    struct arus_path path;
    bool is_fine;

    (void)step;
    driver->file_count++;
    is_fine = append_lines(driver, json_object_get(value, "lines"), &text) &&
              write_file(driver, json_string_value(json_object_get(value, "path")),
                         arus_buffer_text(&text), &path);
    arus_buffer_release(&text);
    if (!is_fine) {
        return false;
    }
    times[1].tv_sec = FILE_TIME_BASE + (time_t)seconds;
    times[1].tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9);
    times[0] = times[1];
    return utimensat(AT_FDCWD, path.text, times, 0) == 0 || driver_fail(driver, "utimensat");
}

static bool step_write_file(struct driver *driver, const json_t *value, const json_t *step)
{
    const json_t *text = json_object_get(value, "text");
    struct arus_path path;

    (void)step;
    return write_file(driver, json_string_value(json_object_get(value, "path")),
                      (struct arus_text){json_string_value(text), json_string_length(text)}, &path);
}

static bool step_delete_file(struct driver *driver, const json_t *value, const json_t *step)
{
    struct arus_path path;
    struct arus_error err;

    (void)step;
    driver_path(driver, json_string_value(value), &path);
    return driver_must(driver, arus_folder_remove_all(path.text, &err), &err);
}

static bool step_mkdir(struct driver *driver, const json_t *value, const json_t *step)
{
    struct arus_path path;
    struct arus_error err;

    (void)step;
    driver_path(driver, json_string_value(value), &path);
    return driver_must(driver, arus_folder_make(path.text, NULL, &err), &err);
}

static bool step_load(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)value;
    (void)step;
    query_start(driver);
    return true;
}

static bool step_remember(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)value;
    (void)step;
    json_decref(driver->remembered);
    driver->remembered = driver->query == NULL
                             ? json_object()
                             : json_pack("{ssss}", "id", arus_query_id(driver->query), "runId",
                                         arus_query_run_id(driver->query));
    return true;
}

/* An idle record comes when the query has had nothing to do for a while. */
static bool step_wait_idle(struct driver *driver, const json_t *value, const json_t *step)
{
    (void)value;
    (void)step;
    json_decref(driver->idle);
    driver->idle = NULL;
    for (int i = 0; driver->idle == NULL && driver->query != NULL && i < 60; i++) {
        driver->next_tick_ms += 1000;
        query_tick(driver);
    }
    return driver->idle != NULL || driver_fail(driver, "no progress record came while idle");
}

const struct step_row MOVE_STEPS[] = {
    {"add", step_add},
    {"run", step_run},
    {"run_trigger", step_run_trigger},
    {"restart", step_start},
    {"start", step_start},
    {"stop", step_stop},
    {"fresh", step_fresh},
    {"set_clock_ms", step_set_clock},
    {"set_table", step_set_table},
    {"drop_commit_entries", step_drop_commits},
    {"clear_sink", step_clear_sink},
    {"add_file", step_add_file},
    {"write_file", step_write_file},
    {"delete_file", step_delete_file},
    {"mkdir", step_mkdir},
    {"load", step_load},
    {"remember", step_remember},
    {"wait_idle_progress", step_wait_idle},
    {"other", step_other},
    {"advance_wall_clock_ms", step_advance_clock},
#define X(key) {#key, kafka_##key},
    KAFKA_MOVES(X)
#undef X
        {NULL, NULL},
};
