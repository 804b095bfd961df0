/** The Kafka source of a running query: where it began, how far a micro-batch
 * goes, what is new. */
#include "base/alloc.h"
#include "base/clock.h"
#include "journal/log.h"
#include "kafka/anchor.h"
#include "kafka/registry.h"
#include "kafka/source.h"

#include <limits.h>
#include <stdio.h>

#define REFRESH_MS 1000 /* new partitions are looked for this often */

struct arus_source_stream {
    const struct arus_kafka_source *source;
    struct arus_log_set *logs;
    uint32_t index;
    struct arus_kafka_fetcher **fetchers; /* [fetcher_count]; the first is always open */
    size_t fetcher_count;
    struct arus_kafka_client
        asker; /* for questions: a broker answers them behind a waiting fetch */
    struct arus_arena initial_arena;
    struct arus_kafka_positions initial; /* `sources/index/0` */
    bool has_initial;
    struct arus_arena partition_arena;
    struct arus_kafka_positions partitions; /* as of refreshed_us */
    int64_t refreshed_us;                   /* 0: never */
    struct arus_arena frozen_arena;
    struct arus_kafka_positions frozen; /* availableNow: where this run ends */
    bool has_frozen;
    bool has_batch;        /* in this run; then: */
    int64_t last_batch_ms; /* by the query's clock */
    struct arus_kafka_anchors anchors;
    struct arus_registry *registries[2]; /* of value and key; NULL: none */
    struct arus_arena read_arena;
    struct arus_kafka_positions read; /* the partitions of the batch being read */
};

/* ---- life ---- */

static enum arus_status open_fetcher(struct arus_source_stream *stream, size_t part,
                                     struct arus_error *err)
{
    struct arus_kafka_client client;
    struct arus_kafka_fetcher **fetchers;

    if (part < stream->fetcher_count) {
        return ARUS_OK;
    }
    fetchers = arus_realloc(stream->fetchers, (part + 1) * sizeof(struct arus_kafka_fetcher *));
    if (fetchers == NULL) {
        return arus_fail_memory(err);
    }
    stream->fetchers = fetchers;
    while (stream->fetcher_count <= part) {
        ARUS_TRY(arus_kafka_source_connect(stream->source, &client, err));
        ARUS_TRY(arus_kafka_fetcher_open(stream->source, &client, arus_log_set_logger(stream->logs),
                                         &fetchers[stream->fetcher_count], err));
        stream->fetcher_count++;
    }
    return ARUS_OK;
}

static void registry_note(uint32_t index, bool is_key, char out[32])
{
    (void)snprintf(out, 32, "schemas.%u.%s", index, is_key ? "key" : "value");
}

/* Schemas that an earlier run learnt: a restart works while the registry is
 * down. */
static enum arus_status open_registries(struct arus_source_stream *stream, struct arus_error *err)
{
    for (int is_key = 0; is_key < 2; is_key++) {
        const struct arus_kafka_side *side =
            is_key == 1 ? &stream->source->key : &stream->source->value;
        const struct arus_registry_config *config = arus_kafka_side_registry(side);
        char name[32];

        if (config == NULL) {
            continue;
        }
        registry_note(stream->index, is_key == 1, name);
        ARUS_TRY(arus_registry_open(config, &stream->registries[is_key], err));
        ARUS_TRY(arus_registry_load(stream->registries[is_key], stream->logs, name, err));
    }
    return ARUS_OK;
}

static enum arus_status save_registries(struct arus_source_stream *stream, struct arus_error *err)
{
    for (int is_key = 0; is_key < 2; is_key++) {
        char name[32];

        if (stream->registries[is_key] != NULL) {
            registry_note(stream->index, is_key == 1, name);
            ARUS_TRY(arus_registry_save(stream->registries[is_key], stream->logs, name, err));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_stream_open(const struct arus_source *source, struct arus_log_set *logs,
                                        uint32_t index, struct arus_source_stream **out,
                                        struct arus_error *err)
{
    struct arus_source_stream *stream = arus_alloc(1, sizeof *stream);
    enum arus_status status;

    *out = NULL;
    if (stream == NULL) {
        return arus_fail_memory(err);
    }
    stream->source = (const struct arus_kafka_source *)source;
    stream->logs = logs;
    stream->index = index;
    status = open_fetcher(stream, 0, err);
    if (status == ARUS_OK) {
        status = arus_kafka_source_connect(stream->source, &stream->asker, err);
    }
    if (status == ARUS_OK) {
        status = arus_kafka_anchors_load(&stream->anchors, logs, index, err);
    }
    if (status == ARUS_OK) {
        status = open_registries(stream, err);
    }
    if (status != ARUS_OK) {
        arus_kafka_stream_close(stream);
        return status;
    }
    *out = stream;
    return ARUS_OK;
}

void arus_kafka_stream_close(struct arus_source_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    for (size_t i = 0; i < stream->fetcher_count; i++) {
        arus_kafka_fetcher_close(stream->fetchers[i]);
    }
    arus_free(stream->fetchers);
    arus_kafka_client_close(&stream->asker);
    arus_kafka_anchors_release(&stream->anchors);
    arus_registry_close(stream->registries[0]);
    arus_registry_close(stream->registries[1]);
    arus_arena_release(&stream->initial_arena);
    arus_arena_release(&stream->partition_arena);
    arus_arena_release(&stream->frozen_arena);
    arus_arena_release(&stream->read_arena);
    arus_free(stream);
}

int arus_kafka_stream_wake_fd(struct arus_source_stream *stream)
{
    return arus_kafka_fetcher_wake_fd(stream->fetchers[0]);
}

static const struct arus_kafka_client *client_of(const struct arus_source_stream *stream)
{
    return &stream->asker;
}

/* ---- where it begins ---- */

/* The partitions there are, asked for now and then. */
static enum arus_status refresh(struct arus_source_stream *stream, struct arus_error *err)
{
    const int64_t now_us = arus_clock_monotonic_us();
    const bool is_new = stream->refreshed_us == 0;

    if (!is_new && now_us - stream->refreshed_us < (int64_t)REFRESH_MS * 1000) {
        return ARUS_OK;
    }
    arus_arena_reset(&stream->partition_arena);
    stream->refreshed_us = 0;
    ARUS_TRY(arus_kafka_discover(stream->source, client_of(stream),
                                 stream->has_initial, /* then a missing topic was deleted */
                                 &stream->partition_arena, &stream->partitions, err));
    stream->refreshed_us = now_us;
    return ARUS_OK;
}

static enum arus_status load_initial(struct arus_source_stream *stream, struct arus_error *err)
{
    struct arus_text text;

    if (stream->has_initial) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_log_initial(stream->logs, stream->index, &stream->initial_arena, &text,
                              &stream->has_initial, err));
    if (!stream->has_initial) {
        return ARUS_OK;
    }
    return arus_kafka_positions_parse(text, &stream->initial_arena, &stream->initial, err);
}

/* Fixes the start once and for all, before the first batch. */
static enum arus_status make_initial(struct arus_source_stream *stream, struct arus_error *err)
{
    struct arus_text text;

    ARUS_TRY(arus_kafka_positions_copy(&stream->partitions, &stream->initial_arena,
                                       &stream->initial, err));
    ARUS_TRY(arus_kafka_resolve_bound(stream->source, client_of(stream), &stream->source->start,
                                      &stream->initial_arena, &stream->initial, err));
    ARUS_TRY(arus_kafka_positions_format(&stream->initial, &stream->initial_arena, &text, err));
    ARUS_TRY(arus_log_set_initial(stream->logs, stream->index, text, err));
    stream->has_initial = true;
    return ARUS_OK;
}

/* The positions behind the newest batch; `start` empty: the initial ones. */
static enum arus_status take_start(struct arus_source_stream *stream, struct arus_text start,
                                   struct arus_arena *arena, struct arus_kafka_positions *out,
                                   struct arus_error *err)
{
    if (start.size > 0) {
        return arus_kafka_positions_parse(start, arena, out, err);
    }
    ARUS_TRY(load_initial(stream, err));
    if (!stream->has_initial) {
        ARUS_TRY(refresh(stream, err));
        ARUS_TRY(make_initial(stream, err));
    }
    return arus_kafka_positions_copy(&stream->initial, arena, out, err);
}

/* ---- data loss ---- */

static enum arus_status lose(const struct arus_source_stream *stream, const char *condition,
                             const char *text, struct arus_error *err)
{
    if (stream->source->settings.fails_on_loss) {
        return arus_kafka_fail_loss(stream->source, condition, err, "%s", text);
    }
    arus_logger_print(arus_log_set_logger(stream->logs), ARUS_LOG_WARN, "%s", text);
    return ARUS_OK;
}

/* Partitions of `start` that are not there any more. */
static enum arus_status check_deleted(const struct arus_source_stream *stream,
                                      const struct arus_kafka_positions *start,
                                      const struct arus_kafka_positions *latest,
                                      struct arus_error *err)
{
    char text[400];

    for (size_t i = 0; i < start->count; i++) {
        const struct arus_kafka_position *item = &start->items[i];

        if (arus_kafka_positions_find(latest, item->topic, item->partition) == NULL) {
            (void)snprintf(text, sizeof text,
                           "%s[%d] is gone; it was read up to offset %lld: the topic "
                           "was deleted",
                           item->topic.data, item->partition, (long long)item->offset);
            return lose(stream, "KAFKA_DATA_LOSS.PARTITIONS_DELETED", text, err);
        }
    }
    return ARUS_OK;
}

static enum arus_status check_changed(const struct arus_source_stream *stream,
                                      const struct arus_kafka_position *from, int64_t latest,
                                      struct arus_error *err)
{
    char text[400];

    if (latest >= from->offset) {
        return ARUS_OK;
    }
    (void)snprintf(text, sizeof text,
                   "%s[%d] ends at offset %lld, but was read up to %lld: was the "
                   "topic made anew?",
                   from->topic.data, from->partition, (long long)latest, (long long)from->offset);
    return lose(stream, "KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED", text, err);
}

/* ---- one range per partition ---- */

/* `from` becomes the start of each partition of `until`: known, or the first
 * record of a new one.
 */
static enum arus_status align_start(const struct arus_source_stream *stream,
                                    const struct arus_kafka_positions *start,
                                    const struct arus_kafka_positions *until,
                                    struct arus_arena *arena, struct arus_kafka_positions *from,
                                    struct arus_error *err)
{
    struct arus_kafka_positions fresh = {0};
    char text[300];

    ARUS_TRY(arus_kafka_positions_copy(until, arena, from, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_position, until->count + 1, &fresh.items, err));
    for (size_t i = 0; i < until->count; i++) {
        const struct arus_kafka_position *known =
            arus_kafka_positions_find(start, until->items[i].topic, until->items[i].partition);

        from->items[i].offset = known == NULL ? -1 : known->offset;
        if (known == NULL) {
            fresh.items[fresh.count] = until->items[i];
            fresh.items[fresh.count++].offset = ARUS_KAFKA_EARLIEST;
        }
    }
    ARUS_TRY(arus_kafka_client_offsets(client_of(stream), &fresh, NULL, err));
    for (size_t i = 0, next = 0; i < until->count && next < fresh.count; i++) {
        if (from->items[i].offset >= 0) {
            continue;
        }
        from->items[i].offset = fresh.items[next++].offset;
        if (from->items[i].offset > 0) {
            (void)snprintf(text, sizeof text,
                           "%s[%d] is new, but begins at offset %lld: older records "
                           "have expired",
                           from->items[i].topic.data, from->items[i].partition,
                           (long long)from->items[i].offset);
            ARUS_TRY(lose(stream, "KAFKA_DATA_LOSS.ADDED_PARTITION_DOES_NOT_START_FROM_OFFSET_ZERO",
                          text, err));
        }
    }
    return ARUS_OK;
}

/* All there is now; partitions that vanished meanwhile are left out. */
static enum arus_status ask_latest(struct arus_source_stream *stream, struct arus_arena *arena,
                                   struct arus_kafka_positions *out, struct arus_error *err)
{
    bool *is_gone;
    size_t kept = 0;

    ARUS_TRY(refresh(stream, err));
    ARUS_TRY(arus_kafka_positions_copy(&stream->partitions, arena, out, err));
    ARUS_TRY(ARUS_NEW(arena, bool, out->count + 1, &is_gone, err));
    for (size_t i = 0; i < out->count; i++) {
        out->items[i].offset = ARUS_KAFKA_LATEST;
    }
    ARUS_TRY(arus_kafka_client_offsets(client_of(stream), out, is_gone, err));
    for (size_t i = 0; i < out->count; i++) {
        if (!is_gone[i]) {
            out->items[kept++] = out->items[i];
        }
    }
    out->count = kept;
    return ARUS_OK;
}

static enum arus_status find_latest(struct arus_source_stream *stream,
                                    const struct arus_plan_limits *limits, struct arus_arena *arena,
                                    struct arus_kafka_positions *out, struct arus_error *err)
{
    if (!limits->is_available_now) {
        return ask_latest(stream, arena, out, err);
    }
    if (!stream->has_frozen) {
        ARUS_TRY(ask_latest(stream, arena, out, err));
        ARUS_TRY(arus_kafka_positions_copy(out, &stream->frozen_arena, &stream->frozen, err));
        stream->has_frozen = true;
    }
    return arus_kafka_positions_copy(&stream->frozen, arena, out, err);
}

/* ---- limits ---- */

static int64_t total_between(const struct arus_kafka_positions *from,
                             const struct arus_kafka_positions *until)
{
    int64_t total = 0;

    for (size_t i = 0; i < until->count; i++) {
        const int64_t size = until->items[i].offset - from->items[i].offset;

        total += size > 0 ? size : 0;
    }
    return total;
}

/* minOffsetsPerTrigger: not yet enough, and not yet too late? */
static bool must_wait(const struct arus_source_stream *stream,
                      const struct arus_plan_limits *limits,
                      const struct arus_kafka_positions *from,
                      const struct arus_kafka_positions *latest)
{
    const struct arus_kafka_source_settings *settings = &stream->source->settings;
    const int64_t waited_ms = limits->now_ms - stream->last_batch_ms;

    return settings->offsets_min > 0 && !limits->is_unlimited && stream->has_batch &&
           waited_ms >= 0 && waited_ms < settings->delay_max_ms &&
           total_between(from, latest) < settings->offsets_min;
}

static bool is_same(const struct arus_kafka_positions *a, const struct arus_kafka_positions *b)
{
    if (!arus_kafka_positions_match(a, b)) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (a->items[i].offset != b->items[i].offset) {
            return false;
        }
    }
    return true;
}

static enum arus_status measure(const struct arus_kafka_positions *end,
                                const struct arus_kafka_positions *latest, struct arus_arena *arena,
                                struct arus_planned *out, struct arus_error *err)
{
    ARUS_TRY(arus_kafka_positions_format(latest, arena, &out->latest, err));
    return arus_kafka_lag(end, latest, arena, &out->left_count, &out->metrics, err);
}

/* ---- the plan ---- */

/* `until`: where the batch ends; `has_new` false: there is none. */
static enum arus_status
choose_end(struct arus_source_stream *stream, const struct arus_plan_limits *limits,
           const struct arus_kafka_positions *from, const struct arus_kafka_positions *latest,
           struct arus_arena *arena, struct arus_kafka_positions *until, struct arus_error *err)
{
    const int64_t offsets_max = stream->source->settings.offsets_max;

    ARUS_TRY(arus_kafka_positions_copy(latest, arena, until, err));
    if (!limits->is_unlimited && offsets_max > 0) {
        arus_kafka_limit(from, offsets_max, until);
    }
    return ARUS_OK;
}

static enum arus_status check_loss(const struct arus_source_stream *stream,
                                   const struct arus_kafka_positions *start,
                                   const struct arus_kafka_positions *latest,
                                   struct arus_error *err)
{
    ARUS_TRY(check_deleted(stream, start, latest, err));
    for (size_t i = 0; i < latest->count; i++) {
        const struct arus_kafka_position *known =
            arus_kafka_positions_find(start, latest->items[i].topic, latest->items[i].partition);

        if (known != NULL) {
            ARUS_TRY(check_changed(stream, known, latest->items[i].offset, err));
        }
    }
    return ARUS_OK;
}

/* What there is, as one look at the cluster shows it. */
struct view {
    struct arus_kafka_positions known; /* where the batch before ended */
    struct arus_kafka_positions latest;
    struct arus_kafka_positions from;
    struct arus_kafka_positions until;
    bool has_new;
};

static enum arus_status look(struct arus_source_stream *stream, struct arus_text start,
                             const struct arus_plan_limits *limits, struct arus_arena *arena,
                             struct view *out, struct arus_error *err)
{
    ARUS_TRY(load_initial(stream, err));
    ARUS_TRY(take_start(stream, start, arena, &out->known, err));
    ARUS_TRY(find_latest(stream, limits, arena, &out->latest, err));
    ARUS_TRY(check_loss(stream, &out->known, &out->latest, err));
    ARUS_TRY(align_start(stream, &out->known, &out->latest, arena, &out->from, err));
    ARUS_TRY(choose_end(stream, limits, &out->from, &out->latest, arena, &out->until, err));
    out->has_new = out->latest.count > 0 && (start.size == 0 || !is_same(&out->known, &out->until));
    return ARUS_OK;
}

enum arus_status arus_kafka_stream_plan(struct arus_source_stream *stream, struct arus_text start,
                                        const struct arus_plan_limits *limits,
                                        struct arus_arena *arena, struct arus_planned *out,
                                        struct arus_error *err)
{
    const int64_t refreshed_us = stream->refreshed_us;
    struct view view;

    *out = (struct arus_planned){0};
    arus_kafka_fetcher_wake_reset(stream->fetchers[0]);
    ARUS_TRY(look(stream, start, limits, arena, &view, err));
    if (!view.has_new && refreshed_us != 0 && stream->refreshed_us == refreshed_us) {
        stream->refreshed_us = 0; /* nothing in the partitions known: are there others? */
        ARUS_TRY(look(stream, start, limits, arena, &view, err));
    }
    out->has_new = view.has_new && !must_wait(stream, limits, &view.from, &view.latest);
    if (!out->has_new) {
        ARUS_TRY(measure(&view.known, &view.latest, arena, out, err));
        return limits->is_available_now
                   ? ARUS_OK
                   : arus_kafka_fetcher_listen(stream->fetchers[0], &view.known, err);
    }
    stream->has_batch = true;
    stream->last_batch_ms = limits->now_ms;
    ARUS_TRY(measure(&view.until, &view.latest, arena, out, err));
    return arus_kafka_positions_format(&view.until, arena, &out->end, err);
}

/* ---- the splits ---- */

/* Offsets of a topic that was made anew: all that it has now. */
static enum arus_status range_of_new(const struct arus_source_stream *stream,
                                     struct arus_kafka_range *range, struct arus_error *err)
{
    struct arus_kafka_position item = {range->topic, range->partition, ARUS_KAFKA_EARLIEST};
    struct arus_kafka_positions one = {&item, 1};
    const struct arus_kafka_position before = {range->topic, range->partition, range->from};

    ARUS_TRY(check_changed(stream, &before, range->to, err));
    ARUS_TRY(arus_kafka_client_offsets(client_of(stream), &one, NULL, err));
    range->from = item.offset;
    return ARUS_OK;
}

static enum arus_status find_ranges(struct arus_source_stream *stream, struct arus_text start,
                                    struct arus_text end, struct arus_arena *arena,
                                    struct arus_kafka_range **out, size_t *count,
                                    struct arus_error *err)
{
    struct arus_kafka_positions known;
    struct arus_kafka_positions until;
    struct arus_kafka_positions from;
    struct arus_kafka_range *ranges;

    ARUS_TRY(take_start(stream, start, arena, &known, err));
    ARUS_TRY(arus_kafka_positions_parse(end, arena, &until, err));
    ARUS_TRY(check_deleted(stream, &known, &until, err));
    ARUS_TRY(align_start(stream, &known, &until, arena, &from, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_range, until.count + 1, &ranges, err));
    for (size_t i = 0; i < until.count; i++) {
        ranges[i] = (struct arus_kafka_range){.topic = until.items[i].topic,
                                              .partition = until.items[i].partition,
                                              .from = from.items[i].offset,
                                              .to = until.items[i].offset};
        if (ranges[i].to < ranges[i].from) {
            ARUS_TRY(range_of_new(stream, &ranges[i], err));
        }
    }
    arus_arena_reset(&stream->read_arena);
    ARUS_TRY(arus_kafka_positions_copy(&until, &stream->read_arena, &stream->read, err));
    return arus_kafka_ranges_split(ranges, until.count, &stream->source->settings.split, arena, out,
                                   count, err);
}

enum arus_status arus_kafka_stream_splits(struct arus_source_stream *stream, struct arus_text start,
                                          struct arus_text end, struct arus_source_scan *scan,
                                          uint32_t worker_count, struct arus_arena *arena,
                                          struct arus_splits *out, struct arus_error *err)
{
    struct arus_kafka_range *ranges;
    size_t count = 0;

    (void)scan;
    (void)worker_count;
    ARUS_TRY(find_ranges(stream, start, end, arena, &ranges, &count, err));
    ARUS_TRY(arus_kafka_make_splits(ranges, count, arena, out, err));
    for (size_t i = 0; i < count; i++) {
        struct arus_kafka_split *split = (struct arus_kafka_split *)out->items[i];

        ARUS_TRY(open_fetcher(stream, ranges[i].part, err));
        split->fetcher = stream->fetchers[ranges[i].part];
        split->registries[0] = stream->registries[0];
        split->registries[1] = stream->registries[1];
        if (ranges[i].part == 0) {
            split->anchor =
                arus_kafka_anchors_find(&stream->anchors, ranges[i].topic, ranges[i].partition);
        }
    }
    return ARUS_OK;
}

/* What was read last in each partition, for the next run. */
enum arus_status arus_kafka_stream_read(struct arus_source_stream *stream, struct arus_error *err)
{
    bool has_changed = false;

    ARUS_TRY(save_registries(stream, err));
    for (size_t i = 0; i < stream->read.count; i++) {
        const struct arus_kafka_position *item = &stream->read.items[i];

        for (size_t f = 0; f < stream->fetcher_count; f++) {
            const struct arus_kafka_anchor anchor =
                arus_kafka_fetcher_anchor(stream->fetchers[f], item->topic, item->partition);

            if (anchor.offset >= 0) {
                ARUS_TRY(arus_kafka_anchors_put(&stream->anchors, item->topic, item->partition,
                                                anchor, item->offset, &has_changed, err));
            }
        }
    }
    return has_changed ? arus_kafka_anchors_save(&stream->anchors, stream->logs, stream->index, err)
                       : ARUS_OK;
}
