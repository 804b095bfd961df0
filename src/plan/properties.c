#include "plan/properties.h"

#include "plan/from_sql.h"
#include "plan/say.h"

#include <string.h>

/* As the option table fills it. */
struct raw_properties {
    struct arus_text checkpoint;
    struct arus_text query_name;
    struct arus_text trigger;
    int mode;
    int64_t min_batches_to_retain;
    int64_t memory_limit;
    int64_t state_memory_limit;
    bool late_table;
    bool rejects_table;
    int64_t side_table_retention_ms;
};

static const char *const MODES[] = {"append", "update", "complete", NULL};

#define FIELD(name) offsetof(struct raw_properties, name)

const struct arus_option ARUS_STREAM_PROPERTIES[] = {
    {"checkpointLocation", ARUS_OPTION_TEXT, FIELD(checkpoint), NULL,
     "Folder of offsets, commits and state: what makes a restart go on.", NULL, INT64_MIN, NULL},
    {"outputMode", ARUS_OPTION_CHOICE, FIELD(mode), "append",
     "Rows of a batch: append new ones, update changed ones, complete all.", MODES, INT64_MIN,
     NULL},
    {"trigger", ARUS_OPTION_TEXT, FIELD(trigger), NULL,
     "availableNow, once, or an interval such as '5 seconds'.", NULL, INT64_MIN, NULL},
    {"queryName", ARUS_OPTION_TEXT, FIELD(query_name), NULL, "Name in progress and logs.", NULL,
     INT64_MIN, NULL},
    {"minBatchesToRetain", ARUS_OPTION_INT64, FIELD(min_batches_to_retain), "0",
     "Batches kept in the checkpoint.", NULL, 0, NULL},
    {"memoryLimit", ARUS_OPTION_SIZE, FIELD(memory_limit), "0", "Memory of the query.", NULL, 0,
     NULL},
    {"state.memoryLimit", ARUS_OPTION_SIZE, FIELD(state_memory_limit), "0",
     "Memory of the query's state.", NULL, 0, NULL},
    {"lateTable", ARUS_OPTION_BOOL, FIELD(late_table), "false",
     "Rows behind the watermark are set aside in the table `NAME$late`.", NULL, INT64_MIN, NULL},
    {"rejectsTable", ARUS_OPTION_BOOL, FIELD(rejects_table), "false",
     "Malformed records are set aside in the table `NAME$rejects`.", NULL, INT64_MIN, NULL},
    {"sideTableRetention", ARUS_OPTION_DURATION, FIELD(side_table_retention_ms), "7d",
     "How long rows of these tables are kept; 0: for ever.", NULL, 0, NULL},
    {0},
};

static const struct arus_option *const TABLES[] = {ARUS_STREAM_PROPERTIES, NULL};

static enum arus_status split(const struct arus_settings *properties, struct arus_arena *arena,
                              struct arus_settings *own, struct arus_settings *rest,
                              struct arus_error *err)
{
    struct arus_setting *items[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        ARUS_TRY(ARUS_NEW(arena, struct arus_setting, properties->count, &items[i], err));
    }
    for (size_t i = 0; i < properties->count; i++) {
        const int side = arus_options_find(TABLES, properties->items[i].key) == NULL;

        items[side][counts[side]++] = properties->items[i];
    }
    *own = (struct arus_settings){items[0], counts[0]};
    *rest = (struct arus_settings){items[1], counts[1]};
    return ARUS_OK;
}

static enum arus_status bad_trigger(struct arus_error *err, struct arus_place place,
                                    struct arus_text text)
{
    arus_say(err, place, "ARUS_BAD_TRIGGER", "there is no trigger '%.*s'", ARUS_TEXT_ARGS(text));
    return arus_error_help(err, "trigger 'availableNow', 'once' or '5 seconds'");
}

static enum arus_status read_trigger(struct arus_text text, struct arus_place place,
                                     struct arus_stream_properties *out, struct arus_error *err)
{
    const struct arus_text word = ARUS_TEXT("processingTime");
    int64_t months = 0;
    int64_t micros = 0;

    if (text.data == NULL) {
        return ARUS_OK;
    }
    if (arus_text_equal_nocase(text, ARUS_TEXT("availableNow"))) {
        out->trigger = ARUS_TRIGGER_AVAILABLE_NOW;
        return ARUS_OK;
    }
    if (arus_text_equal_nocase(text, ARUS_TEXT("once"))) {
        out->trigger = ARUS_TRIGGER_ONCE;
        return ARUS_OK;
    }
    if (text.size > word.size &&
        arus_text_equal_nocase((struct arus_text){text.data, word.size}, word)) {
        text.data += word.size;
        text.size -= word.size;
        while (text.size > 0 && (text.data[0] == ' ' || text.data[0] == '=')) {
            text.data++;
            text.size--;
        }
    }
    if (arus_interval_read(text, place, &months, &micros, err) != ARUS_OK || months != 0 ||
        micros < 0) {
        return bad_trigger(err, place, text);
    }
    out->trigger_ms = micros / 1000;
    return ARUS_OK;
}

static enum arus_status absolute_path(struct arus_text path, const char *folder,
                                      struct arus_arena *arena, const char **out,
                                      struct arus_error *err)
{
    const struct arus_text scheme = ARUS_TEXT("file:");
    struct arus_text text;

    if (arus_text_starts_with(path, scheme)) {
        path.data += scheme.size;
        path.size -= scheme.size;
        while (path.size > 1 && path.data[0] == '/' && path.data[1] == '/') {
            path.data++;
            path.size--;
        }
    }
    while (path.size > 1 && path.data[path.size - 1] == '/') {
        path.size--;
    }
    while (path.size > 2 && path.data[0] == '.' && path.data[1] == '/') {
        path.data += 2;
        path.size -= 2;
    }
    ARUS_TRY(path.data[0] == '/'
                 ? arus_text_copy(path, arena, &text, err)
                 : arus_text_format(arena, &text, err, "%s/%.*s", folder, ARUS_TEXT_ARGS(path)));
    *out = text.data;
    return ARUS_OK;
}

static struct arus_place value_place(const struct arus_settings *settings, const char *name)
{
    const struct arus_setting *setting = arus_settings_find(settings, name);

    return setting == NULL ? (struct arus_place){0} : setting->value_place;
}

enum arus_status arus_properties_parse(const struct arus_settings *properties, const char *folder,
                                       struct arus_arena *arena, struct arus_stream_properties *out,
                                       struct arus_settings *rest, struct arus_error *err)
{
    struct raw_properties raw = {0};
    struct arus_settings own;

    *out = (struct arus_stream_properties){0};
    ARUS_TRY(split(properties, arena, &own, rest, err));
    ARUS_TRY(arus_options_parse(TABLES, &own, "a streaming table", arena, &raw, err));
    out->checkpoint = raw.checkpoint;
    out->checkpoint_place = value_place(&own, "checkpointLocation");
    out->query_name = raw.query_name;
    out->mode = (enum arus_output_mode)raw.mode;
    out->mode_place = value_place(&own, "outputMode");
    out->min_batches_to_retain = raw.min_batches_to_retain;
    out->memory_limit = raw.memory_limit;
    out->state_memory_limit = raw.state_memory_limit;
    out->late_table = raw.late_table;
    out->rejects_table = raw.rejects_table;
    out->side_table_retention_ms = raw.side_table_retention_ms;
    ARUS_TRY(read_trigger(raw.trigger, value_place(&own, "trigger"), out, err));
    if (raw.checkpoint.size == 0) {
        return ARUS_OK;
    }
    return absolute_path(raw.checkpoint, folder, arena, &out->checkpoint_path, err);
}

/* ---- SET arus.NAME ---- */

bool arus_properties_is_setting(struct arus_text key)
{
    return arus_text_starts_with(key, ARUS_TEXT(ARUS_PROPERTY_SETTING));
}

static struct arus_text name_of_setting(struct arus_text key)
{
    const size_t skip = sizeof(ARUS_PROPERTY_SETTING) - 1;

    return (struct arus_text){key.data + skip, key.size - skip};
}

static bool belongs_to_one_query(struct arus_text name)
{
    return arus_text_equal_nocase(name, ARUS_TEXT("checkpointLocation")) ||
           arus_text_equal_nocase(name, ARUS_TEXT("outputMode")) ||
           arus_text_equal_nocase(name, ARUS_TEXT("queryName"));
}

enum arus_status arus_properties_check_setting(struct arus_text key, struct arus_text value,
                                               struct arus_place place, struct arus_error *err)
{
    const struct arus_text name = name_of_setting(key);
    const struct arus_setting setting = {name, value, place, place};
    const struct arus_settings settings = {&setting, 1};
    struct raw_properties raw = {0};
    struct arus_stream_properties ignored = {0};
    struct arus_arena arena;
    enum arus_status status;

    if (belongs_to_one_query(name)) {
        arus_say(err, place, "ARUS_UNKNOWN_OPTION", "%.*s belongs to one query",
                 ARUS_TEXT_ARGS(name));
        return arus_error_help(err, "CREATE STREAMING TABLE .. TBLPROPERTIES (%.*s ..)",
                               ARUS_TEXT_ARGS(name));
    }
    arus_arena_init(&arena, 0);
    status = arus_options_parse(TABLES, &settings, "a streaming table", &arena, &raw, err);
    if (status == ARUS_OK) {
        status = read_trigger(raw.trigger, place, &ignored, err);
    }
    arus_arena_release(&arena);
    return status;
}

enum arus_status arus_properties_complete(const struct arus_settings *properties,
                                          const struct arus_catalog *catalog,
                                          struct arus_settings *out, struct arus_error *err)
{
    struct arus_setting *items = NULL;
    size_t count = properties->count;

    ARUS_TRY(
        ARUS_NEW(catalog->arena, struct arus_setting, count + catalog->entry_count, &items, err));
    if (count > 0) {
        memcpy(items, properties->items, count * sizeof(*items));
    }
    for (size_t i = 0; i < catalog->entry_count; i++) {
        const struct arus_setting_entry *entry = &catalog->entries[i];
        const struct arus_text name = arus_properties_is_setting(entry->key)
                                          ? name_of_setting(entry->key)
                                          : (struct arus_text){0};

        if (name.size > 0 && arus_settings_find(properties, name.data) == NULL) {
            items[count++] = (struct arus_setting){.key = name, .value = entry->value};
        }
    }
    *out = (struct arus_settings){items, count};
    return ARUS_OK;
}
