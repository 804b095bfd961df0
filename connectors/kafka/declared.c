/** Tables with columns of their own: which come from the key, which from the
 * value, and how. */
#include "kafka/source.h"

/* `value.timestampFormat` -> `timestampFormat`, for that side only. Empty: of
 * the other side. */
static struct arus_text strip_side(struct arus_text key, bool is_key)
{
    static const struct arus_text SIDES[2] = {{"value.", 6}, {"key.", 4}};

    for (int i = 0; i < 2; i++) {
        const struct arus_text head = SIDES[i];

        if (key.size > head.size &&
            arus_text_equal_nocase((struct arus_text){key.data, head.size}, head)) {
            return (i == 1) == is_key
                       ? (struct arus_text){key.data + head.size, key.size - head.size}
                       : (struct arus_text){0};
        }
    }
    return key;
}

static bool is_format_option(struct arus_text key)
{
    for (int format = 0; format < ARUS_KAFKA_FORMAT_COUNT; format++) {
        const struct arus_option *const tables[] = {
            arus_kafka_codec_options((enum arus_kafka_format)format), NULL};

        if (tables[0] != NULL && arus_options_find(tables, key) != NULL) {
            return true;
        }
    }
    return false;
}

enum arus_status arus_kafka_source_own(const struct arus_settings *all, struct arus_arena *arena,
                                       struct arus_settings *out, struct arus_error *err)
{
    const struct arus_option *const own[] = {ARUS_KAFKA_SOURCE_OPTIONS, NULL};
    struct arus_setting *items;

    ARUS_TRY(ARUS_NEW(arena, struct arus_setting, all->count + 1, &items, err));
    *out = (struct arus_settings){items, 0};
    for (size_t i = 0; i < all->count; i++) {
        const struct arus_text key = all->items[i].key;

        if (arus_options_find(own, key) != NULL || (!is_format_option(strip_side(key, true)) &&
                                                    !is_format_option(strip_side(key, false)))) {
            items[out->count++] = all->items[i];
        }
    }
    return ARUS_OK;
}

/* The options of one side's format, under their own names. One that the format
 * lacks is the user's mistake, unless the other side has it. */
static enum arus_status side_settings(const struct arus_kafka_source *source, bool is_key,
                                      enum arus_kafka_format format, struct arus_arena *arena,
                                      struct arus_settings *out, struct arus_error *err)
{
    const struct arus_settings *all = &source->base.table->options;
    const struct arus_option *const own[] = {ARUS_KAFKA_SOURCE_OPTIONS, NULL};
    const struct arus_option *const tables[] = {arus_kafka_codec_options(format), NULL};
    struct arus_setting *items;

    ARUS_TRY(ARUS_NEW(arena, struct arus_setting, all->count + 1, &items, err));
    *out = (struct arus_settings){items, 0};
    for (size_t i = 0; tables[0] != NULL && i < all->count; i++) {
        const struct arus_text key = strip_side(all->items[i].key, is_key);

        if (key.size > 0 && arus_options_find(own, all->items[i].key) == NULL &&
            arus_options_find(tables, key) != NULL) {
            items[out->count] = all->items[i];
            items[out->count++].key = key;
        }
    }
    return ARUS_OK;
}

static enum arus_status pick(const struct arus_kafka_source *source, bool is_key,
                             struct arus_arena *arena, const struct arus_type **out,
                             struct arus_error *err)
{
    const struct arus_type *all = source->base.schema;
    struct arus_field *fields;
    uint16_t count = 0;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, all->field_count + 1u, &fields, err));
    for (uint16_t i = 0; i < all->field_count; i++) {
        if (source->is_key_column[i] == is_key) {
            fields[count++] = all->fields[i];
        }
    }
    return arus_type_struct(fields, count, arena, out, err);
}

static enum arus_status bind_side(struct arus_kafka_source *source, bool is_key,
                                  enum arus_kafka_format format, struct arus_arena *arena,
                                  struct arus_error *err)
{
    const struct arus_table *table = source->base.table;
    struct arus_kafka_side *side = is_key ? &source->key : &source->value;
    const struct arus_type *columns;
    struct arus_settings settings;

    side->is_key = is_key;
    side->folder = table->folder;
    ARUS_TRY(pick(source, is_key, arena, &columns, err));
    if (columns->field_count == 0) {
        return ARUS_OK;
    }
    if (format == ARUS_KAFKA_RAW) {
        arus_ignore(arus_fail_at(err, table->place, NULL,
                                 "`%.*s` has columns of its own, but no format to read them with",
                                 ARUS_TEXT_ARGS(table->name)));
        return arus_error_help(err,
                               "OPTIONS (%s 'json'); or no column list: key, value, topic, "
                               "partition, offset, timestamp, timestampType",
                               is_key ? "key.format" : "format");
    }
    ARUS_TRY(side_settings(source, is_key, format, arena, &settings, err));
    return arus_kafka_side_bind(side, format, &settings, columns, table->place, arena, err);
}

/* All columns are nullable, as Spark reads them. */
static enum arus_status take_columns(struct arus_kafka_source *source, struct arus_arena *arena,
                                     struct arus_error *err)
{
    const struct arus_type *declared = source->base.table->declared;
    const struct arus_text names = source->settings.key_columns;
    struct arus_field *fields;
    bool *is_key;
    uint16_t key_count = 0;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, declared->field_count + 1u, &fields, err));
    ARUS_TRY(ARUS_NEW(arena, bool, declared->field_count + 1u, &is_key, err));
    for (uint16_t i = 0; i < declared->field_count; i++) {
        fields[i] = declared->fields[i];
        fields[i].is_nullable = true;
        is_key[i] = arus_kafka_list_has(names, fields[i].name);
        key_count = (uint16_t)(key_count + is_key[i]);
    }
    if (key_count == 0 && source->settings.key_format != ARUS_KAFKA_RAW) {
        arus_ignore(arus_fail_at(err, source->base.table->place, NULL,
                                 "key.format needs key.columns: which columns come from the key?"));
        return arus_error_help(err, "OPTIONS (key.columns '%.*s', ..)",
                               ARUS_TEXT_ARGS(fields[0].name));
    }
    source->is_key_column = is_key;
    return arus_type_struct(fields, declared->field_count, arena, &source->base.schema, err);
}

enum arus_status arus_kafka_bind_declared(struct arus_kafka_source *source,
                                          struct arus_arena *arena, struct arus_error *err)
{
    const struct arus_kafka_source_settings *settings = &source->settings;
    const int common = settings->format;
    const int value = settings->value_format != ARUS_KAFKA_RAW ? settings->value_format : common;
    const int key = settings->key_format != ARUS_KAFKA_RAW ? settings->key_format : common;

    source->is_declared = true;
    ARUS_TRY(take_columns(source, arena, err));
    ARUS_TRY(bind_side(source, true, (enum arus_kafka_format)key, arena, err));
    return bind_side(source, false, (enum arus_kafka_format)value, arena, err);
}
