#include "plan/settings.h"

#include "plan/properties.h"
#include "plan/say.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* How a value is read. */
enum setting_kind { SETTING_ZONE, SETTING_BOOL, SETTING_INT, SETTING_WORD, SETTING_TEXT };

/* X(key, kind, default, field, help): field `_` = known to Spark, stored in offsets or ignored */
#define SETTINGS(X)                                                                                \
    X("spark.sql.session.timeZone", ZONE, NULL, time_zone, "time zone of timestamps as text")      \
    X("spark.sql.ansi.enabled", BOOL, "true", is_ansi, "errors instead of NULL")                   \
    X("spark.sql.caseSensitive", BOOL, "false", is_case_sensitive, "names compare with case")      \
    X("spark.sql.shuffle.partitions", INT, "200", shuffle_partitions, "kept in the checkpoint")    \
    X("spark.sql.streaming.multipleWatermarkPolicy", WORD, "min", multiple_watermark_policy,       \
      "min or max of several watermarks")                                                          \
    X("spark.sql.streaming.noDataMicroBatches.enabled", BOOL, "true", no_data_batches,             \
      "batches without input that close windows")                                                  \
    X("spark.sql.streaming.statefulOperator.checkCorrectness.enabled", BOOL, "true",               \
      check_correctness, "refuse chains of stateful operators that may lose rows")                 \
    X("spark.sql.streaming.statefulOperator.allowMultiple", BOOL, "true", allow_multiple,          \
      "more than one stateful operator")                                                           \
    X("spark.sql.streaming.unsupportedOperationCheck", BOOL, "true", check_operations,             \
      "refuse what cannot work on a stream")                                                       \
    X("spark.sql.streaming.minBatchesToRetain", INT, "100", min_batches_to_retain,                 \
      "batches kept in the checkpoint")                                                            \
    X("spark.sql.streaming.fileSink.log.compactInterval", INT, "10", file_sink_compact_interval,   \
      "batches between compact files")                                                             \
    X("spark.sql.streaming.noDataProgressEventInterval", TEXT, "10s", no_data_progress,            \
      "time between progress records of a query that waits")                                       \
    X("spark.sql.streaming.pollingDelay", TEXT, "10ms", polling_delay, "pause when idle")

/* Known to Spark and kept as they are: what offsets/N holds, and what users set out of habit. */
static const struct arus_setting_row KEPT[] = {
    {"spark.sql.streaming.stateStore.providerClass",
     "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider", NULL},
    {"spark.sql.dropDuplicates.deterministicKeyOrder.enabled", "true", NULL},
    {"spark.sql.streaming.stateStore.rocksdb.mergeOperatorVersion", "2", NULL},
    {"spark.sql.streaming.stateStore.rocksdb.formatVersion", "5", NULL},
    {"spark.sql.streaming.queryEvolution.enableSourceEvolution", "false", NULL},
    {"spark.sql.streaming.stateStore.encodingFormat", "unsaferow", NULL},
    {"spark.sql.streaming.statefulOperator.useStrictDistribution", "true", NULL},
    {"spark.sql.streaming.flatMapGroupsWithState.stateFormatVersion", "2", NULL},
    {"spark.sql.streaming.stateStore.rowChecksum.enabled", "false", NULL},
    {"spark.sql.streaming.statefulOperator.alwaysNullableOutput.enabled", "true", NULL},
    {"spark.sql.streaming.aggregation.stateFormatVersion", "2", NULL},
    {"spark.sql.function.protobufExtensions.enabled", "false", NULL},
    {"spark.sql.streaming.join.stateFormatVersion", "2", NULL},
    {"spark.sql.streaming.stateStore.compression.codec", "lz4", NULL},
    {"spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan", "false", NULL},
    {"spark.sql.streaming.schemaInference", "false", NULL},
    {"spark.sql.streaming.metricsEnabled", "false", NULL},
    {"spark.sql.streaming.fileSource.log.compactInterval", "10", NULL},
    {"spark.sql.streaming.stateStore.stateSchemaCheck", "true", NULL},
    {"spark.sql.parquet.compression.codec", "snappy", NULL},
    {"spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS", NULL},
    {"spark.sql.sources.partitionColumnTypeInference.enabled", "true", NULL},
    {NULL, NULL, NULL},
};

static const enum setting_kind KINDS[] = {
#define X(key, kind, default_, field, help) SETTING_##kind,
    SETTINGS(X)
#undef X
};

const struct arus_setting_row ARUS_SETTINGS[] = {
#define X(key, kind, default_, field, help) {key, default_, help},
    SETTINGS(X)
#undef X
        {NULL, NULL, NULL},
};

/* Position in a table; -1: not there. */
static int find_row(const struct arus_setting_row *rows, struct arus_text key)
{
    for (int i = 0; rows[i].key != NULL; i++) {
        if (arus_text_equal(arus_text_of(rows[i].key), key)) {
            return i;
        }
    }
    return -1;
}

bool arus_settings_default(const struct arus_catalog *catalog, struct arus_text key,
                           struct arus_text *out)
{
    const int row = find_row(ARUS_SETTINGS, key);
    const int kept = find_row(KEPT, key);

    if (row < 0 && kept < 0) {
        return false;
    }
    if (row >= 0 && ARUS_SETTINGS[row].default_text == NULL) {
        *out = arus_zone_name(catalog->zone);
    } else {
        *out = arus_text_of(row >= 0 ? ARUS_SETTINGS[row].default_text : KEPT[kept].default_text);
    }
    return true;
}

/* ---- reading values ---- */

static bool read_bool(struct arus_text text, bool *out)
{
    *out = arus_text_equal_nocase(text, ARUS_TEXT("true"));
    return *out || arus_text_equal_nocase(text, ARUS_TEXT("false"));
}

static bool read_int(struct arus_text text, int64_t *out)
{
    int64_t value = 0;

    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || value > INT32_MAX) {
            return false;
        }
        value = value * 10 + (text.data[i] - '0');
    }
    *out = value;
    return text.size > 0 && value <= INT32_MAX;
}

static enum arus_status check_zone(struct arus_text value, struct arus_place place,
                                   struct arus_error *err)
{
    struct arus_arena scratch = {0};
    const struct arus_zone *zone = NULL;
    const enum arus_status status = arus_zone_open(value, &scratch, &zone, err);

    arus_arena_release(&scratch);
    if (status == ARUS_OK || status == ARUS_NO_MEMORY) {
        return status;
    }
    arus_say(err, place, "INVALID_CONF_VALUE.TIME_ZONE", "there is no time zone %.*s",
             ARUS_TEXT_ARGS(value));
    if (value.size > 1 && (value.data[0] == '\'' || value.data[0] == '"')) {
        return arus_error_help(err, "without quotes: SET spark.sql.session.timeZone = %.*s",
                               (int)value.size - 2, value.data + 1);
    }
    return arus_error_help(err, "UTC, Europe/Paris, +05:30 ..");
}

static enum arus_status check_kind(enum setting_kind kind, struct arus_text key,
                                   struct arus_text value, struct arus_place place,
                                   struct arus_error *err)
{
    int64_t number = 0;
    bool flag = false;

    switch (kind) {
    case SETTING_ZONE:
        return check_zone(value, place, err);
    case SETTING_BOOL:
        return read_bool(value, &flag)
                   ? ARUS_OK
                   : arus_fail_at(err, place, "INVALID_CONF_VALUE.TYPE_MISMATCH",
                                  "%.*s must be true or false, not %.*s", ARUS_TEXT_ARGS(key),
                                  ARUS_TEXT_ARGS(value));
    case SETTING_INT:
        return read_int(value, &number) && number > 0
                   ? ARUS_OK
                   : arus_fail_at(err, place, "INVALID_CONF_VALUE.TYPE_MISMATCH",
                                  "%.*s must be a positive number, not %.*s", ARUS_TEXT_ARGS(key),
                                  ARUS_TEXT_ARGS(value));
    case SETTING_WORD:
        return arus_text_equal_nocase(value, ARUS_TEXT("min")) ||
                       arus_text_equal_nocase(value, ARUS_TEXT("max"))
                   ? ARUS_OK
                   : arus_fail_at(err, place, "INVALID_CONF_VALUE.REQUIREMENT",
                                  "%.*s must be min or max, not %.*s", ARUS_TEXT_ARGS(key),
                                  ARUS_TEXT_ARGS(value));
    case SETTING_TEXT:
        return ARUS_OK;
    }
    return ARUS_OK;
}

static const char *nearest_key(struct arus_text key)
{
    const struct arus_setting_row *tables[2] = {ARUS_SETTINGS, KEPT};
    const char *nearest = NULL;
    size_t best = SIZE_MAX;

    for (int table = 0; table < 2; table++) {
        for (const struct arus_setting_row *row = tables[table]; row->key != NULL; row++) {
            const size_t distance = arus_text_distance(arus_text_of(row->key), key);

            if (distance < best && distance * 5 <= key.size) {
                best = distance;
                nearest = row->key;
            }
        }
    }
    return nearest;
}

enum arus_status arus_settings_check(const struct arus_catalog *catalog, struct arus_text key,
                                     struct arus_text value, struct arus_place place,
                                     struct arus_buffer *warning, struct arus_error *err)
{
    const int row = find_row(ARUS_SETTINGS, key);
    const char *nearest = NULL;

    (void)catalog;
    if (arus_properties_is_setting(key)) {
        return arus_properties_check_setting(key, value, place, err);
    }
    if (row >= 0) {
        return check_kind(KINDS[row], key, value, place, err);
    }
    if (find_row(KEPT, key) >= 0 || warning == NULL) {
        return ARUS_OK;
    }
    nearest = nearest_key(key);
    return nearest == NULL
               ? arus_buffer_printf(warning, err, "the setting %.*s is not known here: no effect",
                                    ARUS_TEXT_ARGS(key))
               : arus_buffer_printf(warning, err,
                                    "the setting %.*s is not known here; did you mean %s?",
                                    ARUS_TEXT_ARGS(key), nearest);
}

/* ---- the struct ---- */

static struct arus_text value_of(const struct arus_catalog *catalog, const char *key)
{
    struct arus_text value = {0};

    (void)arus_catalog_get(catalog, arus_text_of(key), &value);
    return value;
}

static bool bool_of(const struct arus_catalog *catalog, const char *key)
{
    bool value = false;

    (void)read_bool(value_of(catalog, key), &value);
    return value;
}

static int64_t int_of(const struct arus_catalog *catalog, const char *key)
{
    int64_t value = 0;

    (void)read_int(value_of(catalog, key), &value);
    return value;
}

/* 10, 10ms, 2s */
static int64_t millis_of(struct arus_text text)
{
    int64_t value = 0;
    size_t i = 0;

    for (; i < text.size && text.data[i] >= '0' && text.data[i] <= '9' && value < INT32_MAX; i++) {
        value = value * 10 + (text.data[i] - '0');
    }
    return i < text.size && text.data[i] == 's' ? value * 1000 : value;
}

enum arus_status arus_settings_refresh(struct arus_catalog *catalog, struct arus_error *err)
{
    struct arus_session_settings *out = &catalog->settings;
    const struct arus_text zone_key = ARUS_TEXT("spark.sql.session.timeZone");
    struct arus_text zone_name = {0};
    bool has_zone = false;

    for (size_t i = 0; i < catalog->entry_count; i++) {
        if (arus_text_equal(catalog->entries[i].key, zone_key)) {
            zone_name = catalog->entries[i].value;
            has_zone = true;
        }
    }
    ARUS_TRY(has_zone ? arus_zone_open(zone_name, catalog->arena, &catalog->zone, err)
                      : arus_zone_local(catalog->arena, &catalog->zone, err));
#define BOOL(field, key)                    out->field = bool_of(catalog, key);
#define INT(field, key)                     out->field = int_of(catalog, key);
#define WORD(field, key)                    out->field = value_of(catalog, key);
#define ZONE(field, key)                    out->field = value_of(catalog, key);
#define TEXT(field, key)                    out->field##_ms = millis_of(value_of(catalog, key));
#define X(key, kind, default_, field, help) kind(field, key)
    SETTINGS(X)
#undef X
    return ARUS_OK;
}
