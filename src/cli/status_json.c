#include "cli/status_json.h"

#include "cli/human.h"
#include "cli/rows.h"

#include <jansson.h>

#include <string.h>
#include <time.h>

static enum arus_status put_string(const char *key, struct arus_text value, struct arus_buffer *out,
                                   struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "\"%s\":", key));
    return value.size == 0 ? arus_buffer_printf(out, err, "null")
                           : arus_json_string(value, out, err);
}

static enum arus_status put_time(const char *key, int64_t ms, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const time_t seconds = (time_t)(ms / 1000);
    struct tm parts;
    char text[ARUS_HUMAN_SIZE];

    if (ms <= 0 || gmtime_r(&seconds, &parts) == NULL) {
        return arus_buffer_printf(out, err, "\"%s\":null", key);
    }
    (void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    return arus_buffer_printf(out, err, "\"%s\":\"%s.%03dZ\"", key, text, (int)(ms % 1000));
}

/* ---- sources that read topics: the offsets of the newest progress ---- */

/* {"topic":{"0":23}} of a source's progress; NULL: it has none. */
static const json_t *topics_of(const json_t *progress, size_t source, const char *key)
{
    const json_t *offsets =
        json_object_get(json_array_get(json_object_get(progress, "sources"), source), key);
    const json_t *first = NULL;

    if (json_is_object(offsets)) {
        first = json_object_iter_value(json_object_iter((json_t *)(uintptr_t)offsets));
    }
    return json_is_object(first) ? offsets : NULL;
}

/* What a partition is called, where it was read to and where it ends. */
struct partition {
    const char *topic;
    const char *number;
    const json_t *offset;
    const json_t *end;
};

static int64_t lag_of(const struct partition *partition)
{
    const int64_t lag = json_integer_value(partition->end) - json_integer_value(partition->offset);

    return json_is_integer(partition->end) && json_is_integer(partition->offset) && lag > 0 ? lag
                                                                                            : 0;
}

typedef enum arus_status (*partition_fn)(void *self, const struct partition *partition,
                                         struct arus_error *err);

static enum arus_status each_partition(const json_t *progress, size_t source, partition_fn fn,
                                       void *self, struct arus_error *err)
{
    json_t *topics = (json_t *)(uintptr_t)topics_of(progress, source, "endOffset");
    const json_t *latest = topics_of(progress, source, "latestOffset");
    struct partition partition;
    json_t *numbers;
    json_t *offset;

    json_object_foreach(topics, partition.topic, numbers)
    {
        json_object_foreach(numbers, partition.number, offset)
        {
            partition.offset = offset;
            partition.end =
                json_object_get(json_object_get(latest, partition.topic), partition.number);
            ARUS_TRY(fn(self, &partition, err));
        }
    }
    return ARUS_OK;
}

static json_t *parse_progress(const struct arus_query_summary *summary)
{
    return summary->progress.size == 0
               ? NULL
               : json_loadb(summary->progress.data, summary->progress.size, 0, NULL);
}

struct extent {
    size_t count;
    uint64_t behind;
};

static enum arus_status add_extent(void *self, const struct partition *partition,
                                   struct arus_error *err)
{
    struct extent *extent = self;

    (void)err;
    extent->count++;
    extent->behind += (uint64_t)lag_of(partition);
    return ARUS_OK;
}

void arus_status_partitions(const struct arus_query_summary *summary, size_t source, size_t *count,
                            uint64_t *behind)
{
    json_t *progress = parse_progress(summary);
    struct extent extent = {0};
    struct arus_error ignored;

    arus_ignore(each_partition(progress, source, add_extent, &extent, &ignored));
    json_decref(progress);
    *count = extent.count;
    *behind = extent.behind;
}

static enum arus_status put_partition(void *self, const struct partition *partition,
                                      struct arus_error *err)
{
    struct arus_buffer *out = self;
    const bool is_first = out->size != 0 && out->data[out->size - 1] == '[';

    ARUS_TRY(arus_buffer_printf(out, err, "%s{", is_first ? "" : ","));
    ARUS_TRY(put_string("topic", arus_text_of(partition->topic), out, err));
    ARUS_TRY(arus_buffer_printf(out, err, ",\"partition\":%s,\"offset\":%lld", partition->number,
                                (long long)json_integer_value(partition->offset)));
    if (!json_is_integer(partition->end)) {
        return arus_buffer_printf(out, err, ",\"end\":null,\"lagRecords\":null}");
    }
    return arus_buffer_printf(out, err, ",\"end\":%lld,\"lagRecords\":%lld}",
                              (long long)json_integer_value(partition->end),
                              (long long)lag_of(partition));
}

/* ---- parts of the object ---- */

static enum arus_status put_source(const struct arus_summary_source *source, const json_t *progress,
                                   size_t index, struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(put_string("kind", source->kind, out, err));
    if (topics_of(progress, index, "endOffset") != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, ",\"partitions\":["));
        ARUS_TRY(each_partition(progress, index, put_partition, out, err));
        return arus_buffer_printf(out, err, "]");
    }
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_string("path", source->path, out, err));
    return arus_buffer_printf(out, err, ",\"filesRead\":%llu,\"filesWaiting\":%llu",
                              (unsigned long long)source->known_count,
                              (unsigned long long)source->left_count);
}

static enum arus_status put_json_sources(const struct arus_query_summary *summary,
                                         struct arus_buffer *out, struct arus_error *err)
{
    json_t *progress = parse_progress(summary);
    enum arus_status status = arus_buffer_printf(out, err, ",\"sources\":[");

    for (size_t i = 0; i < summary->source_count && status == ARUS_OK; i++) {
        status = arus_buffer_printf(out, err, "%s{", i == 0 ? "" : ",");
        if (status == ARUS_OK) {
            status = put_source(&summary->sources[i], progress, i, out, err);
        }
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(out, '}', err);
        }
    }
    json_decref(progress);
    ARUS_TRY(status);
    return arus_buffer_append_char(out, ']', err);
}

static enum arus_status put_json_watermark(const struct arus_query_summary *summary,
                                           struct arus_buffer *out, struct arus_error *err)
{
    const size_t holder = arus_summary_holder(summary);
    const struct arus_summary_place *place =
        summary->watermark_places == NULL ? NULL : &summary->watermark_places[holder];

    if (summary->watermark_count == 0) {
        return arus_buffer_printf(out, err, ",\"watermark\":null");
    }
    ARUS_TRY(arus_buffer_printf(out, err, ",\"watermark\":{"));
    ARUS_TRY(put_time("value", summary->watermark_ms, out, err));
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_string("source", place == NULL ? (struct arus_text){0} : place->source, out, err));
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_string("column", place == NULL ? (struct arus_text){0} : place->column, out, err));
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_time("nextClose", summary->next_close_ms, out, err));
    return arus_buffer_append_char(out, '}', err);
}

static enum arus_status put_json_states(const struct arus_query_summary *summary,
                                        struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, ",\"state\":["));
    for (size_t i = 0; i < summary->state_count; i++) {
        const struct arus_summary_state *state = &summary->states[i];

        ARUS_TRY(arus_buffer_printf(out, err, "%s{\"operator\":%zu,", i == 0 ? "" : ",", i));
        ARUS_TRY(put_string("name", state->name, out, err));
        ARUS_TRY(arus_buffer_append_char(out, ',', err));
        ARUS_TRY(put_string("title", state->title, out, err));
        ARUS_TRY(arus_buffer_printf(out, err, ",\"rows\":%llu,\"bytes\":%llu}",
                                    (unsigned long long)state->rows,
                                    (unsigned long long)state->bytes));
    }
    return arus_buffer_append_char(out, ']', err);
}

static enum arus_status put_json_rows(const struct arus_row_sums *rows, struct arus_buffer *out,
                                      struct arus_error *err)
{
    return arus_buffer_printf(
        out, err,
        ",\"rows\":{\"in\":%llu,\"taken\":%llu,\"late\":%llu,\"rejected\":%llu,\"filtered\":%llu,"
        "\"duplicate\":%llu,\"out\":%llu}",
        (unsigned long long)rows->in, (unsigned long long)rows->taken,
        (unsigned long long)rows->late, (unsigned long long)rows->rejected,
        (unsigned long long)rows->filtered, (unsigned long long)rows->duplicate,
        (unsigned long long)rows->out);
}

static enum arus_status put_json_sink(const struct arus_query_summary *summary,
                                      struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, ",\"sink\":{"));
    ARUS_TRY(put_string("format", summary->sink_format, out, err));
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_string("path", summary->sink_path, out, err));
    return arus_buffer_printf(out, err, ",\"rows\":%llu}", (unsigned long long)summary->rows.out);
}

enum arus_status arus_status_json(const struct arus_checkpoint_place *place,
                                  const struct arus_checkpoint_status *status,
                                  struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_query_summary *summary = &status->summary;

    ARUS_TRY(arus_buffer_append_char(out, '{', err));
    ARUS_TRY(put_string(
        "query", summary->query.size != 0 ? summary->query : arus_text_of(place->name), out, err));
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_string("id", arus_text_of(status->id), out, err));
    ARUS_TRY(arus_buffer_append_char(out, ',', err));
    ARUS_TRY(put_string("pipeline", summary->pipeline, out, err));
    if (status->is_running) {
        ARUS_TRY(
            arus_buffer_printf(out, err, ",\"running\":true,\"pid\":%lld", (long long)status->pid));
    } else {
        ARUS_TRY(arus_buffer_append_text(out, ARUS_TEXT(",\"running\":false,\"pid\":null"), err));
    }
    ARUS_TRY(arus_buffer_printf(out, err, ",\"lastBatch\":%lld,\"published\":%lld",
                                (long long)status->newest_prepared,
                                (long long)status->newest_published));
    ARUS_TRY(arus_buffer_printf(out, err, ",\"retained\":[%lld,%lld]",
                                (long long)status->oldest_retained,
                                (long long)status->newest_published));
    ARUS_TRY(put_json_sink(summary, out, err));
    ARUS_TRY(put_json_sources(summary, out, err));
    ARUS_TRY(put_json_watermark(summary, out, err));
    ARUS_TRY(put_json_states(summary, out, err));
    ARUS_TRY(put_json_rows(&summary->rows, out, err));
    ARUS_TRY(arus_buffer_printf(
        out, err, ",\"lastProgress\":%.*s}\n",
        ARUS_TEXT_ARGS(summary->progress.size != 0 ? summary->progress : ARUS_TEXT("null"))));
    return ARUS_OK;
}
