/** Steps and expectations on Kafka: most of them are done by hand.c; tables of the source's own
 * arithmetic. */
#include "kafka/source.h"

#include <dirent.h>

#include "driver.h"

static bool by_hand(struct driver *driver, const char *key, const json_t *step)
{
    char message[4000];

    if (driver->hand == NULL) {
        return driver_fail(driver, "%s in a case without Kafka", key);
    }
    return hand_do(driver->hand, key, step, driver->topic, message, sizeof message) ||
           driver_fail(driver, "%s", message);
}

#define X(key)                                                                                     \
    bool kafka_##key(struct driver *driver, const json_t *value, const json_t *step)               \
    {                                                                                              \
        (void)value;                                                                               \
        return by_hand(driver, #key, step);                                                        \
    }
KAFKA_MOVES(X)
KAFKA_EXPECTS(X)
#undef X

/* ---- the checkpoint ---- */

static bool has_line(const char *path, const char *wanted)
{
    FILE *file = fopen(path, "r");
    char line[4096];
    bool is_found = false;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        is_found = is_found || strcmp(line, wanted) == 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return is_found;
}

bool kafka_expect_no_offset_logged(struct driver *driver, const json_t *value, const json_t *step)
{
    struct arus_path folder;
    const struct dirent *entry;
    bool is_fine = true;
    DIR *handle;

    (void)step;
    query_run_until_idle(driver);
    driver_path(driver, "ckpt/offsets", &folder);
    handle = opendir(folder.text);
    while (handle != NULL && is_fine && (entry = readdir(handle)) != NULL) {
        struct arus_path path;
        struct arus_error err;

        is_fine =
            arus_path_join(&path, folder.text, entry->d_name, &err) == ARUS_OK &&
            (!has_line(path.text, json_string_value(value)) ||
             driver_fail(driver, "offsets/%s holds %s", entry->d_name, json_string_value(value)));
    }
    if (handle != NULL) {
        (void)closedir(handle);
    }
    return is_fine;
}

/* ---- tables ---- */

/* {"t1-0": 3} as positions; topics live in the JSON. */
static struct arus_kafka_positions positions_of(const json_t *value,
                                                struct arus_kafka_position *items)
{
    struct arus_kafka_positions out = {items, 0};
    const char *key;
    json_t *offset;

    json_object_foreach((json_t *)(uintptr_t)value, key, offset)
    {
        const char *dash = strrchr(key, '-');

        items[out.count++] = (struct arus_kafka_position){{key, (size_t)(dash - key)},
                                                          (int32_t)strtol(dash + 1, NULL, 10),
                                                          json_integer_value(offset)};
    }
    arus_kafka_positions_sort(&out);
    return out;
}

static bool check_json(struct driver *driver, json_t *found, const json_t *wanted)
{
    char *text = json_dumps(found, JSON_COMPACT | JSON_ENCODE_ANY);
    const bool is_fine = values_equal(found, wanted) || driver_fail(driver, "%s", text);

    free(text);
    json_decref(found);
    return is_fine;
}

/* Metrics of a source: nothing to say without both, latest and consumed offsets. */
bool kafka_table_latest(struct driver *driver, const json_t *value, const json_t *step)
{
    const json_t *consumed = json_object_get(step, "consumed");
    struct arus_kafka_position items[2][64];
    const struct arus_kafka_positions latest = positions_of(value, items[0]);
    const struct arus_kafka_positions end = positions_of(consumed, items[1]);
    struct arus_arena arena = {0};
    struct arus_text metrics = {0};
    struct arus_error err;
    uint64_t left;
    json_t *found;

    if (json_is_object(consumed) &&
        !driver_must(driver, arus_kafka_lag(&end, &latest, &arena, &left, &metrics, &err), &err)) {
        return false;
    }
    found = metrics.size == 0 ? json_object() : json_loadb(metrics.data, metrics.size, 0, NULL);
    arus_arena_release(&arena);
    return check_json(driver, found, json_object_get(step, "expect"));
}

static int64_t option_number(const json_t *options, const char *name)
{
    const char *text = json_string_value(json_object_get(options, name));

    return text == NULL ? 0 : strtoll(text, NULL, 10);
}

static bool check_ranges(struct driver *driver, const json_t *options, const json_t *step)
{
    const json_t *rows = json_object_get(step, "ranges");
    const struct arus_kafka_split_rule rule = {option_number(options, "minPartitions"),
                                               option_number(options, "maxRecordsPerPartition")};
    struct arus_kafka_range ranges[64] = {{.partition = 0}};
    struct arus_kafka_range *out = NULL;
    struct arus_arena arena = {0};
    json_t *found = json_array();
    struct arus_error err;
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);

        ranges[i] = (struct arus_kafka_range){
            .topic = arus_text_of(json_string_value(json_array_get(row, 0))),
            .from = json_integer_value(json_array_get(row, 1)),
            .to = json_integer_value(json_array_get(row, 2))};
    }
    if (!driver_must(driver,
                     arus_kafka_ranges_split(ranges, json_array_size(rows), &rule, &arena, &out,
                                             &count, &err),
                     &err)) {
        json_decref(found);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        (void)json_array_append_new(found,
                                    json_pack("[s%II]", out[i].topic.data, out[i].topic.size,
                                              (json_int_t)out[i].from, (json_int_t)out[i].to));
    }
    arus_arena_release(&arena);
    return check_json(driver, found, json_object_get(step, "expect_ranges"));
}

static json_t *bound_json(const struct arus_kafka_bound *bound)
{
    struct arus_arena arena = {0};
    struct arus_text text = {0};
    struct arus_error err;
    json_t *out = json_null();

    switch (bound->kind) {
    case ARUS_KAFKA_AT_EARLIEST:
        return json_string("earliest");
    case ARUS_KAFKA_AT_LATEST:
        return json_string("latest");
    case ARUS_KAFKA_AT_OFFSETS:
        if (arus_kafka_positions_format(&bound->positions, &arena, &text, &err) == ARUS_OK) {
            out = json_loadb(text.data, text.size, 0, NULL);
        }
        break;
    case ARUS_KAFKA_AT_TIMESTAMP:
    case ARUS_KAFKA_AT_TIMESTAMPS:
        break;
    }
    arus_arena_release(&arena);
    return out;
}

/* Where a source with these options begins. */
static bool check_start(struct driver *driver, const json_t *options, const json_t *step)
{
    char list[1024] = "";
    char text[2048];
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)options, name, value)
    {
        const size_t used = strlen(list);

        (void)snprintf(list + used, sizeof list - used, ", `%s` '%s'", name,
                       json_string_value(value));
    }
    (void)snprintf(text, sizeof text,
                   "CREATE TABLE t USING kafka OPTIONS (kafka.bootstrap.servers '127.0.0.1:1', "
                   "subscribe 'topic-A'%s);\n"
                   "CREATE STREAMING TABLE out USING memory TBLPROPERTIES (checkpointLocation "
                   "'$DIR/ckpt') AS SELECT value FROM STREAM t;",
                   list);
    free(driver->pipeline);
    driver->pipeline = driver_text(driver, text);
    if (!query_load(driver)) {
        return driver_fail(driver, "refused: %s", driver->err.message);
    }
    return check_json(
        driver,
        bound_json(
            &((const struct arus_kafka_source *)(const void *)driver->plan->sources[0])->start),
        json_object_get(step, "expect"));
}

bool kafka_table_options(struct driver *driver, const json_t *value, const json_t *step)
{
    return json_object_get(step, "ranges") != NULL ? check_ranges(driver, value, step)
                                                   : check_start(driver, value, step);
}
