/** The Kafka sink of a running query: rows staged in memory, published in one
 * transaction. */
#include "kafka/sink.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "journal/log.h"

#include <jansson.h>

#include <stdio.h>

#define SPILL_BLOCKS   64 /* a worker keeps so many MiB of records, then a file takes them */
#define SLOTS_MAX      256
#define PATIENCE_MS    180000 /* a broker that restarts comes back by then */
#define TOPIC_TRUST_MS 1000   /* a topic that was there is looked for again after that */

struct arus_sink_worker {
    const struct arus_kafka_sink *sink;
    struct arus_kafka_stage *stage;
    struct arus_kafka_row_encoders encoders;
    struct arus_arena arena;
};

struct arus_sink_stream {
    const struct arus_kafka_sink *sink;
    char folder[3072]; /* of the checkpoint */
    char query_id[37];
    char fence_topic[256];
    struct arus_kafka_stop stop;
    struct arus_kafka_producer_config config;
    struct arus_kafka_producer producer;
    bool is_open;                    /* the producer */
    bool had_fence;                  /* the journal knows of a batch that we published */
    int64_t last_batch;              /* newest published; -1: none */
    struct arus_kafka_stage *stages; /* [SLOTS_MAX] */
    uint32_t stage_count;            /* slots that were used */
    int64_t staged_batch;            /* -1: none */
    char attempt[37];
    uint32_t schema_ids[2];  /* of value and key, in the registry; 0: not asked yet */
    char checked_topic[256]; /* was there at checked_us */
    int64_t checked_us;
};

/* ---- binding ---- */

static enum arus_status kafka_bind(const struct arus_sink_config *config, struct arus_arena *arena,
                                   struct arus_sink **out, struct arus_error *err)
{
    struct arus_kafka_sink *sink;

    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_sink, 1, &sink, err));
    sink->base.ops = &ARUS_KAFKA_SINK;
    sink->base.config = config;
    ARUS_TRY(arus_kafka_sink_options(config, arena, sink, err));
    sink->base.description =
        ARUS_TEXT("org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable");
    sink->base.location =
        sink->settings.topic.size > 0 ? sink->settings.topic : ARUS_TEXT("topics by row");
    *out = &sink->base;
    return ARUS_OK;
}

/* ---- life ---- */

static enum arus_status kafka_stream_open(const struct arus_sink *base, struct arus_log_set *logs,
                                          const char *query_id, bool is_new_checkpoint,
                                          struct arus_sink_stream **out, struct arus_error *err)
{
    const struct arus_kafka_sink *sink = (const struct arus_kafka_sink *)base;
    const struct arus_text fence = sink->settings.fence_topic;
    struct arus_sink_stream *stream = arus_alloc(1, sizeof *stream);

    (void)is_new_checkpoint;
    *out = NULL;
    if (stream == NULL) {
        return arus_fail_memory(err);
    }
    stream->stages = arus_alloc(SLOTS_MAX, sizeof *stream->stages);
    if (stream->stages == NULL) {
        arus_free(stream);
        return arus_fail_memory(err);
    }
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        stream->stages[i].block_max = SPILL_BLOCKS;
    }
    (void)snprintf(stream->folder, sizeof stream->folder, "%s", arus_log_set_folder(logs));
    stream->sink = sink;
    stream->last_batch = -1;
    stream->staged_batch = -1;
    (void)snprintf(stream->query_id, sizeof stream->query_id, "%s", query_id);
    if (fence.size > 0) {
        (void)snprintf(stream->fence_topic, sizeof stream->fence_topic, "%.*s",
                       ARUS_TEXT_ARGS(fence));
    } else {
        (void)snprintf(stream->fence_topic, sizeof stream->fence_topic, "arus.fence.%s", query_id);
    }
    stream->config = (struct arus_kafka_producer_config){
        .target = &sink->target,
        .query_id = stream->query_id,
        .stop = &stream->stop,
        .fence_topic =
            sink->settings.guarantee == ARUS_KAFKA_EXACTLY_ONCE ? stream->fence_topic : NULL};
    *out = stream;
    return ARUS_OK;
}

static void drop_stages(struct arus_sink_stream *stream)
{
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        if (stream->stages[i].first != NULL) {
            arus_kafka_stage_reset(&stream->stages[i]);
        }
    }
    stream->stage_count = 0;
    stream->staged_batch = -1;
}

static void close_producer(struct arus_sink_stream *stream)
{
    if (stream->is_open) {
        arus_kafka_producer_close(&stream->producer);
        stream->is_open = false;
    }
}

static void kafka_stream_close(struct arus_sink_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    close_producer(stream); /* first: it borrows the staged values */
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        arus_kafka_stage_release(&stream->stages[i]);
    }
    arus_free(stream->stages);
    arus_free(stream);
}

/* ---- manifests ---- */

struct manifest {
    bool is_ours;
    bool is_exact; /* written with a fence record */
    char attempt[37];
};

static struct manifest parse_manifest(struct arus_text text)
{
    struct manifest manifest = {0};
    json_t *root = text.size == 0 ? NULL : json_loadb(text.data, text.size, 0, NULL);
    const char *attempt = json_string_value(json_object_get(root, "attempt"));

    if (attempt != NULL && json_object_get(root, "kafka") != NULL) {
        manifest.is_ours = true;
        manifest.is_exact = json_is_true(json_object_get(root, "fenced"));
        (void)snprintf(manifest.attempt, sizeof manifest.attempt, "%s", attempt);
    }
    json_decref(root);
    return manifest;
}

static enum arus_status kafka_stream_resume(struct arus_sink_stream *stream, int64_t batch_id,
                                            struct arus_text manifest, struct arus_error *err)
{
    const struct manifest last = parse_manifest(manifest);

    (void)err;
    stream->last_batch = batch_id;
    stream->had_fence = last.is_ours && last.is_exact;
    return ARUS_OK;
}

/* ---- what Kafka holds ---- */

static enum arus_status open_producer(struct arus_sink_stream *stream, bool sends_single,
                                      struct arus_error *err)
{
    close_producer(stream);
    ARUS_TRY(arus_kafka_producer_open(&stream->config, !stream->had_fence, sends_single,
                                      &stream->producer, err));
    stream->is_open = true;
    stream->checked_topic[0] = '\0';
    return ARUS_OK;
}

static enum arus_status fail_behind(const struct arus_sink_stream *stream, int64_t known,
                                    struct arus_error *err)
{
    const int64_t fence = stream->producer.fence.batch_id;

    if (fence < 0) {
        arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_KAFKA_FENCE_LOST",
                              "batch %lld was published, but the fence topic `%s` knows of none",
                              (long long)known, stream->fence_topic));
    } else {
        arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_KAFKA_FENCE_LOST",
                              "batch %lld was published, but the fence topic `%s` ends at %lld",
                              (long long)known, stream->fence_topic, (long long)fence));
    }
    return arus_error_help(err,
                           "is it the right cluster? If its records are lost, start anew with a "
                           "new checkpointLocation");
}

/* `known`: the newest batch the journal counts as published, `next`: the one it
 * may have made. */
static enum arus_status check_fence(const struct arus_sink_stream *stream, int64_t known,
                                    int64_t next, struct arus_error *err)
{
    const int64_t fence = stream->producer.fence.batch_id;

    if (stream->config.fence_topic == NULL) {
        return ARUS_OK;
    }
    if (fence > next) {
        arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_KAFKA_FENCE_AHEAD",
                              "topic `%.*s` has batch %lld of this query, the checkpoint only %lld",
                              ARUS_TEXT_ARGS(stream->sink->base.location), (long long)fence,
                              (long long)next));
        return arus_error_help(err, "the checkpoint is an older copy: put the newest one back, or "
                                    "start anew with a new checkpointLocation");
    }
    if (fence < known && stream->had_fence) {
        return fail_behind(stream, known, err);
    }
    return ARUS_OK;
}

/* ---- staging ---- */

/* The ids of the schemas that go in front of keys and values: once per run. */
static enum arus_status find_schema_ids(struct arus_sink_stream *stream, struct arus_error *err)
{
    for (int side = 0; side < 2; side++) {
        const struct arus_kafka_encoding *encoding = &stream->sink->sides[side];
        struct arus_registry *registry;
        enum arus_status status;

        if (encoding->subject[0] == '\0' || stream->schema_ids[side] != 0) {
            continue;
        }
        ARUS_TRY(arus_registry_open(&encoding->registry, &registry, err));
        status = arus_registry_register(registry, encoding->subject, encoding->schema,
                                        &stream->schema_ids[side], err);
        arus_registry_close(registry);
        ARUS_TRY(status);
    }
    return ARUS_OK;
}

static enum arus_status kafka_stage_begin(struct arus_sink_stream *stream, int64_t batch_id,
                                          struct arus_error *err)
{
    if (stream->is_open && arus_kafka_producer_is_tainted(&stream->producer)) {
        close_producer(stream); /* before its values go */
    }
    drop_stages(stream);
    if (!stream->is_open) {
        ARUS_TRY(open_producer(stream, false, err));
    }
    ARUS_TRY(check_fence(stream, batch_id - 1, batch_id - 1, err));
    ARUS_TRY(find_schema_ids(stream, err));
    ARUS_TRY(arus_uuid_make(stream->attempt, err));
    stream->staged_batch = batch_id;
    return ARUS_OK;
}

static enum arus_status kafka_worker_open(struct arus_sink_stream *stream, uint32_t slot,
                                          struct arus_sink_worker **out, struct arus_error *err)
{
    struct arus_sink_worker *worker = arus_alloc(1, sizeof *worker);

    *out = NULL;
    if (worker == NULL || slot >= SLOTS_MAX) {
        arus_free(worker);
        return arus_fail_memory(err);
    }
    worker->sink = stream->sink;
    worker->stage = &stream->stages[slot];
    worker->stage->spill_folder = stream->folder;
    worker->stage->slot = slot;
    worker->encoders.sides[0].schema_id = stream->schema_ids[0];
    worker->encoders.sides[1].schema_id = stream->schema_ids[1];
    *out = worker;
    return ARUS_OK;
}

static enum arus_status kafka_worker_write(struct arus_sink_worker *worker,
                                           const struct arus_batch *batch, struct arus_error *err)
{
    arus_arena_reset(&worker->arena);
    return arus_kafka_stage_rows(worker->sink, batch, &worker->encoders, &worker->arena,
                                 worker->stage, err);
}

static enum arus_status kafka_worker_close(struct arus_sink_worker *worker, bool abandon,
                                           struct arus_error *err)
{
    (void)abandon, (void)err;
    arus_buffer_release(&worker->encoders.buffers[0]);
    arus_buffer_release(&worker->encoders.buffers[1]);
    arus_arena_release(&worker->arena);
    arus_free(worker);
    return ARUS_OK;
}

static enum arus_status note_topic(void *self, const rd_kafka_metadata_topic_t *topic,
                                   struct arus_error *err)
{
    (void)err;
    *(rd_kafka_resp_err_t *)self = topic->err;
    return ARUS_OK;
}

/* Is the topic there? A record for a missing one would wait until the
 * transaction times out. */
static enum arus_status check_topic(struct arus_sink_stream *stream, const char *topic,
                                    struct arus_error *err)
{
    const int64_t now_us = arus_clock_monotonic_us();
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    const struct arus_setting *option =
        arus_settings_find(&stream->sink->base.config->options, "topic");
    char what[300];

    if (strcmp(stream->checked_topic, topic) == 0 &&
        now_us - stream->checked_us < (int64_t)TOPIC_TRUST_MS * 1000) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_kafka_client_topics(&stream->producer.client, topic, note_topic, &code, err));
    if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
        code == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC) {
        return arus_kafka_fail_topic(
            &stream->producer.client, topic,
            option != NULL ? option->value_place : stream->sink->base.config->place, err);
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        (void)snprintf(what, sizeof what, "topic `%s`", topic);
        return arus_kafka_fail(&stream->producer.client, code, what, err);
    }
    (void)snprintf(stream->checked_topic, sizeof stream->checked_topic, "%s", topic);
    stream->checked_us = now_us;
    return ARUS_OK;
}

static enum arus_status check_topics(struct arus_sink_stream *stream, struct arus_error *err)
{
    const char *last = "";

    for (uint32_t i = 0; i < stream->stage_count; i++) {
        const struct arus_kafka_topic *topic = stream->stages[i].topic_list;

        if (stream->sink->settings.topic.size > 0) {
            return check_topic(stream, stream->sink->settings.topic.data, err);
        }
        for (; topic != NULL; topic = topic->next) {
            if (strcmp(topic->name, last) != 0) {
                ARUS_TRY(check_topic(stream, topic->name, err));
                last = topic->name;
            }
        }
    }
    return ARUS_OK;
}

static enum arus_status kafka_stage_finish(struct arus_sink_stream *stream, int64_t batch_id,
                                           struct arus_buffer *manifest,
                                           struct arus_sink_stats *stats, struct arus_error *err)
{
    stream->stage_count = 0;
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        if (stream->stages[i].record_count > 0) {
            stream->stage_count = i + 1;
            stats->row_count += stream->stages[i].record_count;
            stats->byte_count += stream->stages[i].byte_count;
        }
    }
    ARUS_TRY(check_topics(stream, err));
    return arus_buffer_printf(manifest, err,
                              "{\"kafka\":1,\"batch\":%lld,\"attempt\":\"%s\","
                              "\"fenced\":%s,\"rows\":%llu}",
                              (long long)batch_id, stream->attempt,
                              stream->config.fence_topic == NULL ? "false" : "true",
                              (unsigned long long)stats->row_count);
}

/* ---- publishing ---- */

static enum arus_status fail_ousted(const struct arus_sink_stream *stream, struct arus_error *err)
{
    const struct arus_setting *timeout =
        arus_settings_find(&stream->sink->base.config->options, "kafka.transaction.timeout.ms");
    const char *shown = timeout == NULL ? "120000" : timeout->value.data;

    arus_ignore(arus_fail(err, ARUS_FATAL, "ARUS_KAFKA_FENCED",
                          "fenced: another producer has transactional id arus-%s, or ours exceeded "
                          "its %s ms",
                          stream->query_id, shown));
    return arus_error_help(err, "does a second arus run on a copy of the checkpoint? If not, run "
                                "again: the fence record decides the batch");
}

/* Is the batch in, by the log? */
static bool is_in(const struct arus_sink_stream *stream, int64_t batch_id, const char *attempt)
{
    return stream->config.fence_topic != NULL && stream->producer.fence.batch_id == batch_id &&
           strcmp(stream->producer.fence.attempt, attempt) == 0;
}

static enum arus_status fail_other_attempt(const struct arus_sink_stream *stream, int64_t batch_id,
                                           struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_KAFKA_FENCE_AHEAD",
                          "topic `%.*s` has another batch %lld than the checkpoint made",
                          ARUS_TEXT_ARGS(stream->sink->base.location), (long long)batch_id));
    return arus_error_help(err,
                           "a copy of the checkpoint was run elsewhere: keep the one that went "
                           "on, or start anew with a new checkpointLocation");
}

/* A batch that an earlier process prepared: its records died with it. */
static enum arus_status publish_unstaged(struct arus_sink_stream *stream, int64_t batch_id,
                                         const struct manifest *manifest, struct arus_error *err)
{
    if (!stream->is_open) {
        ARUS_TRY(open_producer(stream, false, err));
    }
    ARUS_TRY(check_fence(stream, batch_id - 1, batch_id, err));
    if (is_in(stream, batch_id, manifest->attempt)) {
        return ARUS_OK;
    }
    if (stream->config.fence_topic != NULL && stream->producer.fence.batch_id == batch_id) {
        return fail_other_attempt(stream, batch_id, err);
    }
    return arus_fail(err, ARUS_RETRY, "ARUS_STAGED_PART_LOST",
                     "batch %lld is not in topic `%.*s`, its records are gone", (long long)batch_id,
                     ARUS_TEXT_ARGS(stream->sink->base.location));
}

static enum arus_kafka_outcome send_all(struct arus_sink_stream *stream, int64_t batch_id,
                                        struct arus_error *err)
{
    const struct arus_kafka_stage *stages[SLOTS_MAX];

    for (uint32_t i = 0; i < stream->stage_count; i++) {
        stages[i] = &stream->stages[i];
    }
    return arus_kafka_producer_send(&stream->producer, stages, stream->stage_count, batch_id,
                                    stream->attempt, err);
}

/* Sends until the batch is in; after anything unclear a new producer asks the
 * log first. */
static enum arus_status publish_staged(struct arus_sink_stream *stream, int64_t batch_id,
                                       struct arus_error *err)
{
    const int64_t begin_us = arus_clock_monotonic_us();
    bool sends_single = false;

    for (;;) {
        if (!stream->is_open) {
            ARUS_TRY(open_producer(stream, sends_single, err));
            ARUS_TRY(check_fence(stream, batch_id - 1, batch_id, err));
            if (is_in(stream, batch_id, stream->attempt)) {
                return ARUS_OK;
            }
            if (stream->config.fence_topic != NULL && stream->producer.fence.batch_id == batch_id) {
                return fail_other_attempt(stream, batch_id, err);
            }
        }
        switch (send_all(stream, batch_id, err)) {
        case ARUS_KAFKA_COMMITTED:
            return ARUS_OK;
        case ARUS_KAFKA_REFUSED:
            close_producer(stream);
            return err->status;
        case ARUS_KAFKA_OUSTED:
            close_producer(stream);
            return fail_ousted(stream, err);
        case ARUS_KAFKA_TOO_LARGE:
            sends_single = true;
            break;
        case ARUS_KAFKA_UNDECIDED:
            if (arus_clock_monotonic_us() - begin_us > (int64_t)PATIENCE_MS * 1000 ||
                arus_kafka_stop_is_due(&stream->stop)) {
                return arus_kafka_fail_unreachable(
                    &stream->producer.client, (arus_clock_monotonic_us() - begin_us) / 1000, err);
            }
            break;
        }
        close_producer(stream);
    }
}

static enum arus_status kafka_publish(struct arus_sink_stream *stream, int64_t batch_id,
                                      struct arus_text text, struct arus_error *err)
{
    const struct manifest manifest = parse_manifest(text);
    enum arus_status status;

    if (stream->staged_batch != batch_id || strcmp(manifest.attempt, stream->attempt) != 0) {
        status = publish_unstaged(stream, batch_id, &manifest, err);
    } else {
        status = publish_staged(stream, batch_id, err);
    }
    if (status == ARUS_OK) {
        stream->last_batch = batch_id;
        stream->had_fence = stream->config.fence_topic != NULL;
        if (stream->is_open && arus_kafka_producer_is_tainted(&stream->producer)) {
            close_producer(stream); /* before its values go */
        }
        drop_stages(stream);
    }
    return status;
}

static void kafka_watch_stop(struct arus_sink_stream *stream, const volatile int *stop, int stop_at)
{
    stream->stop = (struct arus_kafka_stop){.level = stop, .at_once = stop_at};
}

static enum arus_status kafka_is_published(struct arus_sink_stream *stream, int64_t batch_id,
                                           struct arus_text text, bool *out, struct arus_error *err)
{
    const struct manifest manifest = parse_manifest(text);

    *out = false;
    if (!stream->is_open) {
        ARUS_TRY(open_producer(stream, false, err));
    }
    *out = is_in(stream, batch_id, manifest.attempt);
    return ARUS_OK;
}

const struct arus_sink_ops ARUS_KAFKA_SINK = {
    .bind = kafka_bind,
    .stream_open = kafka_stream_open,
    .stream_resume = kafka_stream_resume,
    .stage_begin = kafka_stage_begin,
    .worker_open = kafka_worker_open,
    .worker_write = kafka_worker_write,
    .worker_close = kafka_worker_close,
    .stage_finish = kafka_stage_finish,
    .publish = kafka_publish,
    .is_published = kafka_is_published,
    .watch_stop = kafka_watch_stop,
    .stream_close = kafka_stream_close,
};
