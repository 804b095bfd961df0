/** Summaries as JSON. */
#include "stream/summary.h"

#include <jansson.h>

static json_t *text_json(struct arus_text text)
{
    return json_stringn(text.data == NULL ? "" : text.data, text.size);
}

static void set_count(json_t *object, const char *key, uint64_t value)
{
    (void)json_object_set_new(object, key, json_integer((json_int_t)value));
}

size_t arus_summary_holder(const struct arus_query_summary *summary)
{
    size_t unseen = 0;

    for (size_t i = 0; i < summary->watermark_count; i++) {
        if (summary->watermarks[i] == summary->watermark_ms) {
            return i;
        }
        if (summary->watermarks[i] == INT64_MIN) {
            unseen = i;
        }
    }
    return unseen;
}

/* The sums by name, for writing and reading. */
#define ROW_SUMS(X) X(in) X(taken) X(late) X(rejected) X(filtered) X(duplicate) X(out)

static json_t *rows_json(const struct arus_row_sums *rows)
{
    json_t *object = json_object();

#define X(name) set_count(object, #name, rows->name);
    ROW_SUMS(X)
#undef X
    return object;
}

static json_t *sources_json(const struct arus_query_summary *summary)
{
    json_t *array = json_array();

    for (size_t i = 0; i < summary->source_count; i++) {
        const struct arus_summary_source *source = &summary->sources[i];
        json_t *object = json_object();

        (void)json_object_set_new(object, "kind", text_json(source->kind));
        (void)json_object_set_new(object, "path", text_json(source->path));
        (void)json_object_set_new(object, "location", text_json(source->location));
        set_count(object, "filesRead", source->known_count);
        set_count(object, "filesWaiting", source->left_count);
        (void)json_array_append_new(array, object);
    }
    return array;
}

static json_t *watermarks_json(const struct arus_query_summary *summary)
{
    json_t *array = json_array();

    for (size_t i = 0; i < summary->watermark_count; i++) {
        const int64_t ms = summary->watermarks[i];

        (void)json_array_append_new(array, ms == INT64_MIN ? json_null() : json_integer(ms));
    }
    return array;
}

static json_t *places_json(const struct arus_query_summary *summary)
{
    json_t *array = json_array();

    for (size_t i = 0; i < summary->watermark_count; i++) {
        json_t *object = json_object();

        (void)json_object_set_new(object, "source", text_json(summary->watermark_places[i].source));
        (void)json_object_set_new(object, "column", text_json(summary->watermark_places[i].column));
        (void)json_array_append_new(array, object);
    }
    return array;
}

static json_t *states_json(const struct arus_query_summary *summary)
{
    json_t *array = json_array();

    for (size_t i = 0; i < summary->state_count; i++) {
        json_t *object = json_object();

        (void)json_object_set_new(object, "name", text_json(summary->states[i].name));
        (void)json_object_set_new(object, "title", text_json(summary->states[i].title));
        set_count(object, "rows", summary->states[i].rows);
        set_count(object, "bytes", summary->states[i].bytes);
        (void)json_array_append_new(array, object);
    }
    return array;
}

static int append(const char *data, size_t size, void *self)
{
    struct arus_error ignored; /* json_dump_callback knows failure only */

    return arus_buffer_append(self, data, size, &ignored) == ARUS_OK ? 0 : -1;
}

enum arus_status arus_summary_format(const struct arus_query_summary *summary,
                                     struct arus_buffer *out, struct arus_error *err)
{
    json_t *object = json_object();
    json_t *sink = json_object();
    int result;

    (void)json_object_set_new(object, "query", text_json(summary->query));
    (void)json_object_set_new(object, "pipeline", text_json(summary->pipeline));
    (void)json_object_set_new(sink, "format", text_json(summary->sink_format));
    (void)json_object_set_new(sink, "path", text_json(summary->sink_path));
    (void)json_object_set_new(sink, "location", text_json(summary->sink_location));
    (void)json_object_set_new(object, "sink", sink);
    (void)json_object_set_new(object, "timestampMs", json_integer(summary->timestamp_ms));
    (void)json_object_set_new(object, "rows", rows_json(&summary->rows));
    (void)json_object_set_new(object, "sources", sources_json(summary));
    if (summary->watermark_count != 0) {
        (void)json_object_set_new(object, "watermarksMs", watermarks_json(summary));
    }
    if (summary->watermark_count != 0) {
        (void)json_object_set_new(object, "watermarkMs", json_integer(summary->watermark_ms));
        if (summary->next_close_ms != INT64_MIN) {
            (void)json_object_set_new(object, "nextCloseMs", json_integer(summary->next_close_ms));
        }
        if (summary->watermark_places != NULL) {
            (void)json_object_set_new(object, "watermarkPlaces", places_json(summary));
        }
    }
    if (summary->state_count != 0) {
        (void)json_object_set_new(object, "state", states_json(summary));
    }
    (void)json_object_set_new(object, "progress",
                              json_loadb(summary->progress.data, summary->progress.size, 0, NULL));
    result = json_dump_callback(object, append, out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(object);
    return result == 0 ? ARUS_OK : arus_fail_memory(err);
}

static enum arus_status get_text(const json_t *object, const char *key, struct arus_arena *arena,
                                 struct arus_text *out, struct arus_error *err)
{
    const json_t *value = json_object_get(object, key);
    const struct arus_text text = {json_string_value(value), json_string_length(value)};

    *out = (struct arus_text){0};
    return text.data == NULL ? ARUS_OK : arus_text_copy(text, arena, out, err);
}

static uint64_t get_count(const json_t *object, const char *key)
{
    const json_int_t value = json_integer_value(json_object_get(object, key));

    return value < 0 ? 0 : (uint64_t)value;
}

static enum arus_status get_sources(const json_t *array, struct arus_arena *arena,
                                    struct arus_query_summary *out, struct arus_error *err)
{
    out->source_count = json_array_size(array);
    ARUS_TRY(
        ARUS_NEW(arena, struct arus_summary_source, out->source_count + 1, &out->sources, err));
    for (size_t i = 0; i < out->source_count; i++) {
        const json_t *object = json_array_get(array, i);
        struct arus_summary_source *source = &out->sources[i];

        ARUS_TRY(get_text(object, "kind", arena, &source->kind, err));
        ARUS_TRY(get_text(object, "path", arena, &source->path, err));
        ARUS_TRY(get_text(object, "location", arena, &source->location, err));
        source->known_count = get_count(object, "filesRead");
        source->left_count = get_count(object, "filesWaiting");
    }
    return ARUS_OK;
}

static enum arus_status get_watermarks(const json_t *array, struct arus_arena *arena,
                                       struct arus_query_summary *out, struct arus_error *err)
{
    out->watermark_count = json_array_size(array);
    ARUS_TRY(ARUS_NEW(arena, int64_t, out->watermark_count + 1, &out->watermarks, err));
    for (size_t i = 0; i < out->watermark_count; i++) {
        const json_t *value = json_array_get(array, i);

        out->watermarks[i] = json_is_integer(value) ? json_integer_value(value) : INT64_MIN;
    }
    return ARUS_OK;
}

static enum arus_status get_places(const json_t *array, struct arus_arena *arena,
                                   struct arus_query_summary *out, struct arus_error *err)
{
    if (json_array_size(array) != out->watermark_count || out->watermark_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_summary_place, out->watermark_count,
                      &out->watermark_places, err));
    for (size_t i = 0; i < out->watermark_count; i++) {
        const json_t *object = json_array_get(array, i);

        ARUS_TRY(get_text(object, "source", arena, &out->watermark_places[i].source, err));
        ARUS_TRY(get_text(object, "column", arena, &out->watermark_places[i].column, err));
    }
    return ARUS_OK;
}

static enum arus_status get_states(const json_t *array, struct arus_arena *arena,
                                   struct arus_query_summary *out, struct arus_error *err)
{
    out->state_count = json_array_size(array);
    ARUS_TRY(ARUS_NEW(arena, struct arus_summary_state, out->state_count + 1, &out->states, err));
    for (size_t i = 0; i < out->state_count; i++) {
        const json_t *object = json_array_get(array, i);

        ARUS_TRY(get_text(object, "name", arena, &out->states[i].name, err));
        ARUS_TRY(get_text(object, "title", arena, &out->states[i].title, err));
        out->states[i].rows = get_count(object, "rows");
        out->states[i].bytes = get_count(object, "bytes");
    }
    return ARUS_OK;
}

static enum arus_status get_progress(const json_t *value, struct arus_arena *arena,
                                     struct arus_text *out, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = ARUS_OK;

    if (json_is_object(value) &&
        json_dump_callback(value, append, &text, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0) {
        status = arus_text_copy(arus_buffer_text(&text), arena, out, err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status get_all(const json_t *object, struct arus_arena *arena,
                                struct arus_query_summary *out, struct arus_error *err)
{
    const json_t *rows = json_object_get(object, "rows");
    const json_t *sink = json_object_get(object, "sink");

    ARUS_TRY(get_text(object, "query", arena, &out->query, err));
    ARUS_TRY(get_text(object, "pipeline", arena, &out->pipeline, err));
    ARUS_TRY(get_text(sink, "format", arena, &out->sink_format, err));
    ARUS_TRY(get_text(sink, "path", arena, &out->sink_path, err));
    ARUS_TRY(get_text(sink, "location", arena, &out->sink_location, err));
    out->timestamp_ms = json_integer_value(json_object_get(object, "timestampMs"));
#define X(name) out->rows.name = get_count(rows, #name);
    ROW_SUMS(X)
#undef X
    ARUS_TRY(get_sources(json_object_get(object, "sources"), arena, out, err));
    ARUS_TRY(get_watermarks(json_object_get(object, "watermarksMs"), arena, out, err));
    out->watermark_ms = json_integer_value(json_object_get(object, "watermarkMs"));
    out->next_close_ms = INT64_MIN;
    if (json_is_integer(json_object_get(object, "nextCloseMs"))) {
        out->next_close_ms = json_integer_value(json_object_get(object, "nextCloseMs"));
    }
    ARUS_TRY(get_places(json_object_get(object, "watermarkPlaces"), arena, out, err));
    ARUS_TRY(get_states(json_object_get(object, "state"), arena, out, err));
    return get_progress(json_object_get(object, "progress"), arena, &out->progress, err);
}

enum arus_status arus_summary_parse(struct arus_text json, struct arus_arena *arena,
                                    struct arus_query_summary *out, struct arus_error *err)
{
    json_t *object = json.size == 0 ? NULL : json_loadb(json.data, json.size, 0, NULL);
    enum arus_status status;

    *out = (struct arus_query_summary){0};
    status = get_all(object, arena, out, err);
    json_decref(object);
    return status;
}
