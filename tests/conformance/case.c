/** Running the steps of one case. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "driver.h"

/* ---- verdicts ---- */

static bool end_case(struct driver *driver, enum outcome outcome, const char *format, va_list args)
{
    if (driver->outcome == PASSED) {
        driver->outcome = outcome;
        (void)vsnprintf(driver->message, sizeof driver->message, format, args);
    }
    return false;
}

bool driver_fail(struct driver *driver, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)end_case(driver, FAILED, format, args);
    va_end(args);
    return false;
}

bool driver_skip(struct driver *driver, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)end_case(driver, SKIPPED, format, args);
    va_end(args);
    return false;
}

bool driver_must(struct driver *driver, enum arus_status status, const struct arus_error *err)
{
    return status == ARUS_OK || driver_fail(driver, "%s", err->message);
}

/* ---- texts ---- */

void driver_path(const struct driver *driver, const char *below, struct arus_path *out)
{
    struct arus_error err;

    if (arus_path_join(out, driver->folder, below, &err) != ARUS_OK) {
        out->text[0] = '\0'; /* longer than any path: nothing is there */
    }
}

char *driver_text(const struct driver *driver, const char *text)
{
    const size_t size = strlen(driver->folder);
    char *out = malloc(strlen(text) * (size + 1) + 1);
    char *end = out;

    while (*text != '\0') {
        if (strncmp(text, "$DIR", 4) == 0) {
            memcpy(end, driver->folder, size);
            end += size;
            text += 4;
        } else {
            *end++ = *text++;
        }
    }
    *end = '\0';
    return out;
}

/* ---- steps ---- */

static step_fn find(const struct step_row *rows, const char *key)
{
    while (rows->key != NULL && strcmp(rows->key, key) != 0) {
        rows++;
    }
    return rows->run;
}

/* Runs the keys of a step that stand in `rows`. */
static bool run_keys(struct driver *driver, const json_t *step, const struct step_row *rows)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)step, key, value)
    {
        const step_fn run = find(rows, key);

        if (run != NULL && (!run(driver, value, step) || driver->outcome != PASSED)) {
            return false;
        }
    }
    return true;
}

static bool refuse_step(struct driver *driver, const json_t *step)
{
    const char *why = json_string_value(json_object_get(driver->item, "why"));
    const char *key = json_object_iter_key(json_object_iter((json_t *)(uintptr_t)step));

    if (json_is_null(json_object_get(driver->item, "pipeline"))) {
        return driver_skip(driver, "%s: %s", key, why == NULL ? "nothing to compare with" : why);
    }
    return driver_fail(driver, "unknown step `%s`", key);
}

/* A query that failed must be expected to. */
static bool check_failure(struct driver *driver)
{
    if (driver->failed_at == NOT_FAILED) {
        return true;
    }
    return driver_fail(driver, "the query failed: %s [%s]%s%s", driver->err.message,
                       driver->err.condition == NULL ? "" : driver->err.condition,
                       driver->err.row[0] == '\0' ? "" : " row ", driver->err.row);
}

static bool has_key(const json_t *step, const struct step_row *rows)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)step, key, value)
    {
        if (find(rows, key) != NULL) {
            return true;
        }
    }
    return false;
}

static bool run_step(struct driver *driver, const json_t *step)
{
    const bool is_table = json_is_null(json_object_get(driver->item, "pipeline"));
    const struct step_row *moves = is_table ? TABLE_STEPS : MOVE_STEPS;
    const bool expects = !is_table && has_key(step, EXPECT_STEPS);

    if (!expects && !has_key(step, moves)) {
        return refuse_step(driver, step);
    }
    if (!run_keys(driver, step, moves)) {
        return false;
    }
    return !expects || ((json_object_get(step, "expect_error") != NULL || check_failure(driver)) &&
                        run_keys(driver, step, EXPECT_STEPS));
}

/* ---- the case ---- */

bool case_needs_kafka(const json_t *item)
{
    const char *pipeline = json_string_value(json_object_get(item, "pipeline"));

    return pipeline != NULL &&
           (strstr(pipeline, "$BROKER") != NULL || strstr(pipeline, "$TOPIC") != NULL);
}

/* Every `name` in the text by `value`; takes the text. */
static char *put_in(char *text, const char *name, const char *value)
{
    const size_t growth = strlen(value) + 1;
    char *out = calloc(strlen(text) * growth + 1, 1);
    char *end = out;

    for (const char *at = text; *at != '\0';) {
        if (strncmp(at, name, strlen(name)) == 0) {
            end = stpcpy(end, value);
            at += strlen(name);
        } else {
            *end++ = *at++;
        }
    }
    free(text);
    return out;
}

/* The case with $BROKER and $TOPIC put in: a topic of its own. */
static json_t *fill_case(struct driver *driver, const json_t *item)
{
    char *text = json_dumps(item, JSON_COMPACT);
    json_t *out;

    (void)snprintf(driver->topic, sizeof driver->topic, "%.80s-%ld",
                   json_string_value(json_object_get(item, "id")), (long)getpid());
    text = put_in(put_in(text, "$TOPIC", driver->topic), "$BROKER", driver->hand->servers);
    out = json_loads(text, 0, NULL);
    free(text);
    return out;
}

static bool moves_clock(const json_t *item)
{
    const json_t *steps = json_object_get(item, "steps");

    for (size_t i = 0; i < json_array_size(steps); i++) {
        if (json_object_get(json_array_get(steps, i), "run_trigger") != NULL) {
            return true;
        }
    }
    return false;
}

static bool open_driver(struct driver *driver)
{
    const char *pipeline = json_string_value(json_object_get(driver->item, "pipeline"));
    const json_t *tables = json_object_get(driver->item, "tables");
    struct arus_error err;

    (void)snprintf(driver->folder, sizeof driver->folder, "/tmp/arus-conformance-XXXXXX");
    if (mkdtemp(driver->folder) == NULL) {
        return driver_fail(driver, "no temporary folder");
    }
    driver->conf = json_object();
    driver->tables = json_is_object(tables) ? json_deep_copy(tables) : json_object();
    driver->adds = json_array();
    driver->progress = json_array();
    driver->by_ticks = moves_clock(driver->item);
    driver->pipeline = pipeline == NULL ? NULL : driver_text(driver, pipeline);
    return driver_must(driver, arus_memory_make(&driver->memory, &err), &err) &&
           driver_must(driver, arus_memory_make(&driver->other_memory, &err), &err);
}

static void close_driver(struct driver *driver)
{
    struct arus_error ignored;

    query_stop(driver);
    arus_session_close(driver->session);
    arus_chunk_rows_drop(driver->batch_rows);
    arus_memory_free(driver->memory);
    arus_memory_free(driver->other_memory);
    json_decref(driver->conf);
    json_decref(driver->tables);
    json_decref(driver->adds);
    json_decref(driver->progress);
    json_decref(driver->idle);
    json_decref(driver->remembered);
    free(driver->pipeline);
    arus_ignore(arus_folder_remove_all(driver->folder, &ignored));
}

void case_run(struct driver *driver, const json_t *item, const struct hand *hand)
{
    json_t *filled = NULL;
    const json_t *steps;

    *driver = (struct driver){.item = item, .clock = {driver_now, driver}};
    if (case_needs_kafka(item)) {
        if (hand->to == 0) {
            (void)driver_skip(driver, "%s", hand->reason);
            return;
        }
        driver->hand = hand;
        filled = fill_case(driver, item);
        driver->item = filled;
    }
    steps = json_object_get(driver->item, "steps");
    if (open_driver(driver)) {
        bool goes_on = true;

        for (size_t i = 0; goes_on && i < json_array_size(steps); i++) {
            const json_t *step = json_array_get(steps, i);
            const size_t length = strlen(driver->message);

            goes_on = run_step(driver, step);
            if (driver->outcome == FAILED && length < sizeof driver->message) {
                char text[sizeof driver->message];

                (void)snprintf(text, sizeof text, "step %zu: %.4000s", i + 1, driver->message);
                memcpy(driver->message, text, sizeof text);
            }
        }
        if (goes_on) {
            (void)check_failure(driver);
        }
    }
    close_driver(driver);
    json_decref(filled);
}
