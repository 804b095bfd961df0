/** Consuming ranges. */
#include "kafka/fetch.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "kafka/source.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define PENDING_MAX   4096
#define WAIT_MS       100
#define STALL_MS      3000 /* then the cluster is asked whether the range is still there */
#define ANCHOR_BEHIND 1000 /* an anchor farther back than that costs too much to look at */

struct arus_kafka_lane {
    struct arus_kafka_fetcher *fetcher;
    char *topic;
    int32_t partition;
    rd_kafka_queue_t *queue;
    bool is_assigned;
    atomic_bool is_astray;            /* its messages came to the common queue */
    bool is_verified;                 /* the anchor of an earlier run was looked at */
    int64_t next;                     /* offset behind the last one given out or passed over */
    int64_t eof;                      /* of the newest end-of-partition event; -1: none */
    struct arus_kafka_anchor anchor;  /* newest record given out */
    struct arus_kafka_range range;    /* being read */
    struct arus_kafka_anchor expects; /* to be met before range.from; offset -1: nothing */
    bool has_ended;
    int64_t progress_us; /* when something came last */
    int64_t asked_us;    /* when the cluster was asked last */
    rd_kafka_message_t *pending[PENDING_MAX];
    size_t pending_begin;
    size_t pending_count;
};

struct arus_kafka_fetcher {
    const struct arus_kafka_source *source;
    const struct arus_logger *logger;
    struct arus_kafka_client client;
    pthread_mutex_t mutex; /* lanes and assignments */
    struct arus_kafka_lane **lanes;
    size_t lane_count;
    size_t lane_capacity;
    int wake_fd;
};

/* ---- life ---- */

static struct arus_kafka_lane *find_lane(const struct arus_kafka_fetcher *fetcher,
                                         struct arus_text topic, int32_t partition)
{
    for (size_t i = 0; i < fetcher->lane_count; i++) {
        struct arus_kafka_lane *lane = fetcher->lanes[i];

        if (lane->partition == partition && arus_text_equal(arus_text_of(lane->topic), topic)) {
            return lane;
        }
    }
    return NULL;
}

static void note_stray(void *self, const char *topic, int32_t partition)
{
    struct arus_kafka_fetcher *fetcher = self;
    struct arus_kafka_lane *lane;

    (void)pthread_mutex_lock(&fetcher->mutex);
    lane = find_lane(fetcher, arus_text_of(topic), partition);
    if (lane != NULL) {
        atomic_store(&lane->is_astray, true);
    }
    (void)pthread_mutex_unlock(&fetcher->mutex);
}

/* Recursive: a question to the cluster, asked with the mutex held, serves callbacks. */
static void init_mutex(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;

    (void)pthread_mutexattr_init(&attributes);
    (void)pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    (void)pthread_mutex_init(mutex, &attributes);
    (void)pthread_mutexattr_destroy(&attributes);
}

enum arus_status arus_kafka_fetcher_open(const struct arus_kafka_source *source,
                                         struct arus_kafka_client *client,
                                         const struct arus_logger *logger,
                                         struct arus_kafka_fetcher **out, struct arus_error *err)
{
    struct arus_kafka_fetcher *fetcher = arus_alloc(1, sizeof *fetcher);

    *out = NULL;
    if (fetcher == NULL) {
        arus_kafka_client_close(client);
        return arus_fail_memory(err);
    }
    *fetcher = (struct arus_kafka_fetcher){.source = source, .logger = logger, .client = *client};
    *client = (struct arus_kafka_client){0};
    init_mutex(&fetcher->mutex);
    arus_kafka_client_own(&fetcher->client, fetcher);
    arus_kafka_client_on_stray(&fetcher->client, note_stray);
    fetcher->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    *out = fetcher;
    return ARUS_OK;
}

static void drop_pending(struct arus_kafka_lane *lane)
{
    while (lane->pending_begin < lane->pending_count) {
        arus_rdkafka.message_destroy(lane->pending[lane->pending_begin++]);
    }
    lane->pending_begin = 0;
    lane->pending_count = 0;
}

static void give_queue_back(struct arus_kafka_lane *lane)
{
    if (lane->queue != NULL) {
        arus_rdkafka.queue_io_event_enable(lane->queue, -1, NULL, 0);
        arus_rdkafka.queue_destroy(lane->queue);
        lane->queue = NULL;
    }
}

static bool refill(struct arus_kafka_lane *lane, int wait_ms);

/* Empties the queues: what waits in the one of a deleted partition would keep it, and librdkafka's
 * end would wait for it for ever. */
static void drain(struct arus_kafka_fetcher *fetcher)
{
    (void)arus_rdkafka.assign(fetcher->client.rk, NULL);
    arus_kafka_client_poll(&fetcher->client);
    for (size_t i = 0; i < fetcher->lane_count; i++) {
        struct arus_kafka_lane *lane = fetcher->lanes[i];

        do {
            drop_pending(lane);
        } while (lane->queue != NULL && refill(lane, 0));
    }
}

void arus_kafka_fetcher_close(struct arus_kafka_fetcher *fetcher)
{
    if (fetcher == NULL) {
        return;
    }
    drain(fetcher);
    for (size_t i = 0; i < fetcher->lane_count; i++) {
        struct arus_kafka_lane *lane = fetcher->lanes[i];

        give_queue_back(lane);
        arus_free(lane->topic);
        arus_free(lane);
    }
    arus_free(fetcher->lanes);
    arus_kafka_client_close(&fetcher->client);
    (void)pthread_mutex_destroy(&fetcher->mutex);
    if (fetcher->wake_fd >= 0) {
        (void)close(fetcher->wake_fd);
    }
    arus_free(fetcher);
}

const struct arus_kafka_client *arus_kafka_fetcher_client(const struct arus_kafka_fetcher *fetcher)
{
    return &fetcher->client;
}

int arus_kafka_fetcher_wake_fd(const struct arus_kafka_fetcher *fetcher)
{
    return fetcher->wake_fd;
}

void arus_kafka_fetcher_wake_reset(struct arus_kafka_fetcher *fetcher)
{
    uint64_t count;

    (void)!read(fetcher->wake_fd, &count, sizeof count); /* empty is fine */
}

/* ---- lanes ---- */

static enum arus_status keep_lane(struct arus_kafka_fetcher *fetcher, struct arus_kafka_lane *lane,
                                  struct arus_error *err)
{
    if (fetcher->lane_count == fetcher->lane_capacity) {
        const size_t capacity = fetcher->lane_capacity * 2 + 8;
        struct arus_kafka_lane **lanes =
            arus_realloc(fetcher->lanes, capacity * sizeof *fetcher->lanes);

        if (lanes == NULL) {
            return arus_fail_memory(err);
        }
        fetcher->lanes = lanes;
        fetcher->lane_capacity = capacity;
    }
    fetcher->lanes[fetcher->lane_count++] = lane;
    return ARUS_OK;
}

/* Before the assignment: then librdkafka leaves the queue apart from the common one. */
static enum arus_status take_queue(struct arus_kafka_lane *lane, struct arus_error *err)
{
    static const uint64_t ONE = 1;
    const struct arus_kafka_fetcher *fetcher = lane->fetcher;

    lane->queue =
        arus_rdkafka.queue_get_partition(fetcher->client.rk, lane->topic, lane->partition);
    if (lane->queue == NULL) {
        return arus_fail(err, ARUS_FATAL, NULL, "%s[%d]: no queue", lane->topic, lane->partition);
    }
    arus_rdkafka.queue_forward(lane->queue, NULL);
    if (fetcher->wake_fd >= 0) {
        arus_rdkafka.queue_io_event_enable(lane->queue, fetcher->wake_fd, &ONE, sizeof ONE);
    }
    return ARUS_OK;
}

static enum arus_status make_lane(struct arus_kafka_fetcher *fetcher, struct arus_text topic,
                                  int32_t partition, struct arus_kafka_lane **out,
                                  struct arus_error *err)
{
    struct arus_kafka_lane *lane = arus_alloc(1, sizeof *lane);
    char *name = arus_alloc(1, topic.size + 1);

    if (lane == NULL || name == NULL || keep_lane(fetcher, lane, err) != ARUS_OK) {
        arus_free(lane);
        arus_free(name);
        return arus_fail_memory(err);
    }
    memcpy(name, topic.data, topic.size);
    lane->fetcher = fetcher;
    lane->topic = name;
    lane->partition = partition;
    lane->eof = -1;
    lane->next = -1;
    lane->anchor.offset = -1;
    lane->expects.offset = -1;
    *out = lane;
    return take_queue(lane, err);
}

static enum arus_status change_assignment(struct arus_kafka_lane *lane, int64_t offset,
                                          struct arus_error *err)
{
    rd_kafka_t *rk = lane->fetcher->client.rk;
    rd_kafka_topic_partition_list_t *list = arus_rdkafka.topic_partition_list_new(1);
    rd_kafka_error_t *error = NULL;

    arus_rdkafka.topic_partition_list_add(list, lane->topic, lane->partition)->offset = offset;
    if (lane->is_assigned) {
        error = arus_rdkafka.incremental_unassign(rk, list);
    }
    if (error == NULL) {
        error = arus_rdkafka.incremental_assign(rk, list);
    }
    arus_rdkafka.topic_partition_list_destroy(list);
    lane->is_assigned = error == NULL;
    if (error != NULL) {
        arus_ignore(arus_fail(err, ARUS_RETRY, NULL, "%s[%d]: %s", lane->topic, lane->partition,
                              arus_rdkafka.error_string(error)));
        arus_rdkafka.error_destroy(error);
        return err->status;
    }
    return ARUS_OK;
}

/* What was fetched is forgotten; the next message is the first at or behind
 * `offset`. */
static enum arus_status seek(struct arus_kafka_lane *lane, int64_t offset, struct arus_error *err)
{
    drop_pending(lane);
    lane->eof = -1;
    lane->next = offset;
    return change_assignment(lane, offset, err);
}

static enum arus_status open_lane(struct arus_kafka_fetcher *fetcher, struct arus_text topic,
                                  int32_t partition, struct arus_kafka_lane **out,
                                  struct arus_error *err)
{
    *out = find_lane(fetcher, topic, partition);
    return *out != NULL ? ARUS_OK : make_lane(fetcher, topic, partition, out, err);
}

enum arus_status arus_kafka_fetcher_begin(struct arus_kafka_fetcher *fetcher,
                                          const struct arus_kafka_range *range,
                                          const struct arus_kafka_anchor *anchor,
                                          struct arus_kafka_lane **out, struct arus_error *err)
{
    const bool has_anchor = anchor != NULL && anchor->offset >= 0 && anchor->offset < range->from &&
                            range->from - anchor->offset <= ANCHOR_BEHIND;
    enum arus_status status;

    (void)pthread_mutex_lock(&fetcher->mutex);
    status = open_lane(fetcher, range->topic, range->partition, out, err);
    if (status == ARUS_OK) {
        struct arus_kafka_lane *lane = *out;

        lane->range = *range;
        lane->has_ended = range->from >= range->to;
        lane->expects.offset = -1;
        lane->progress_us = arus_clock_monotonic_us();
        lane->asked_us = lane->progress_us;
        if (!lane->is_assigned || lane->next != range->from || (has_anchor && !lane->is_verified)) {
            if (has_anchor) {
                lane->expects = *anchor;
            }
            status = seek(lane, has_anchor ? anchor->offset : range->from, err);
        }
        lane->is_verified = true;
    }
    (void)pthread_mutex_unlock(&fetcher->mutex);
    return status;
}

struct arus_kafka_anchor arus_kafka_fetcher_anchor(struct arus_kafka_fetcher *fetcher,
                                                   struct arus_text topic, int32_t partition)
{
    struct arus_kafka_anchor anchor = {.offset = -1};
    const struct arus_kafka_lane *lane;

    (void)pthread_mutex_lock(&fetcher->mutex);
    lane = find_lane(fetcher, topic, partition);
    if (lane != NULL) {
        anchor = lane->anchor;
    }
    (void)pthread_mutex_unlock(&fetcher->mutex);
    return anchor;
}

/* ---- loss ---- */

/* Where the partition begins and ends now. */
static enum arus_status ask_bounds(const struct arus_kafka_lane *lane, int64_t *earliest,
                                   int64_t *latest, bool *is_gone, struct arus_error *err)
{
    struct arus_kafka_position items[1] = {
        {arus_text_of(lane->topic), lane->partition, ARUS_KAFKA_EARLIEST}};
    struct arus_kafka_positions one = {items, 1};

    ARUS_TRY(arus_kafka_client_offsets(&lane->fetcher->client, &one, is_gone, err));
    *earliest = items[0].offset;
    *latest = -1;
    if (*is_gone) {
        return ARUS_OK;
    }
    items[0].offset = ARUS_KAFKA_LATEST;
    ARUS_TRY(arus_kafka_client_offsets(&lane->fetcher->client, &one, is_gone, err));
    *latest = items[0].offset;
    return ARUS_OK;
}

/* 1234567 -> 1,234,567 */
static const char *grouped(int64_t value, char out[32])
{
    char digits[24];
    const int size = snprintf(digits, sizeof digits, "%lld", (long long)value);
    size_t used = 0;

    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0 && digits[i - 1] != '-') {
            out[used++] = ',';
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

/* The range cannot be read as planned: stop, or go on at `offset`. */
static enum arus_status go_on_at(struct arus_kafka_lane *lane, int64_t offset,
                                 struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    lane->expects.offset = -1;
    arus_logger_print(lane->fetcher->logger, ARUS_LOG_WARN,
                      "%s[%d]: records are lost, going on at offset %lld "
                      "(failOnDataLoss is off)",
                      lane->topic, lane->partition, (long long)offset);
    if (offset >= lane->range.to) {
        lane->has_ended = true;
        lane->next = -1;
        return ARUS_OK;
    }
    lane->range.from = offset;
    (void)pthread_mutex_lock(&lane->fetcher->mutex);
    status = seek(lane, offset, err);
    (void)pthread_mutex_unlock(&lane->fetcher->mutex);
    return status;
}

static enum arus_status fail_expired(const struct arus_kafka_lane *lane, int64_t earliest,
                                     struct arus_error *err)
{
    char begin[32];
    char first[32];
    char last[32];
    char count[32];

    return arus_kafka_fail_loss(lane->fetcher->source, "KAFKA_DATA_LOSS.START_OFFSET_RESET", err,
                                "%s[%d] begins at %s, offsets %s-%s (%s records) have expired",
                                lane->topic, lane->partition, grouped(earliest, begin),
                                grouped(lane->next, first), grouped(earliest - 1, last),
                                grouped(earliest - lane->next, count));
}

/* Somebody deleted the topic and made it again. */
static enum arus_status meet_recreated(struct arus_kafka_lane *lane, struct arus_error *err)
{
    int64_t earliest;
    int64_t latest;
    bool is_gone = false;

    if (lane->fetcher->source->settings.fails_on_loss) {
        return arus_kafka_fail_loss(
            lane->fetcher->source, "KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED", err,
            "%s[%d] is another topic than before: the record at offset %lld is not "
            "the one that "
            "was read",
            lane->topic, lane->partition, (long long)lane->expects.offset);
    }
    ARUS_TRY(ask_bounds(lane, &earliest, &latest, &is_gone, err));
    return go_on_at(lane, is_gone ? lane->range.to : earliest, err);
}

/* The broker has nothing at lane->next. */
static enum arus_status meet_loss(struct arus_kafka_lane *lane, struct arus_error *err)
{
    const struct arus_kafka_source *source = lane->fetcher->source;
    int64_t earliest;
    int64_t latest;
    bool is_gone = false;

    ARUS_TRY(ask_bounds(lane, &earliest, &latest, &is_gone, err));
    if (!is_gone && lane->expects.offset >= 0 && earliest > lane->expects.offset &&
        earliest <= lane->range.from) { /* only the anchor has expired */
        lane->expects.offset = -1;
        (void)pthread_mutex_lock(&lane->fetcher->mutex);
        (void)seek(lane, lane->range.from, err);
        (void)pthread_mutex_unlock(&lane->fetcher->mutex);
        return lane->is_assigned ? ARUS_OK : err->status;
    }
    if (!source->settings.fails_on_loss) {
        return go_on_at(lane, is_gone || earliest < lane->next ? lane->range.to : earliest, err);
    }
    if (is_gone) {
        return arus_kafka_fail_loss(source, "KAFKA_DATA_LOSS.PARTITIONS_DELETED", err,
                                    "%s[%d] is gone: the topic was deleted", lane->topic,
                                    lane->partition);
    }
    if (earliest > lane->next) {
        lane->next = lane->next < lane->range.from ? lane->range.from : lane->next;
        return fail_expired(lane, earliest, err);
    }
    return arus_kafka_fail_loss(source, "KAFKA_DATA_LOSS.PARTITION_OFFSET_CHANGED", err,
                                "%s[%d] ends at %lld, records up to %lld should "
                                "be there: was the topic made anew?",
                                lane->topic, lane->partition, (long long)latest,
                                (long long)lane->range.to);
}

/* ---- messages ---- */

static uint64_t message_hash(const rd_kafka_message_t *message)
{
    return arus_hash_mix(arus_hash_bytes(message->key, message->key_len, 1),
                         arus_hash_bytes(message->payload, message->len, 2));
}

static int64_t message_time(const rd_kafka_message_t *message)
{
    rd_kafka_timestamp_type_t type;

    return arus_rdkafka.message_timestamp(message, &type);
}

/* An event that is no record. Takes it. */
static enum arus_status take_event(struct arus_kafka_lane *lane, rd_kafka_message_t *event,
                                   struct arus_error *err)
{
    const rd_kafka_resp_err_t code = event->err;
    const int64_t offset = event->offset;
    char what[300];

    (void)snprintf(what, sizeof what, "%s[%d]: %s", lane->topic, lane->partition,
                   arus_rdkafka.message_errstr(event));
    arus_rdkafka.message_destroy(event);
    switch ((int)code) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
        lane->eof = offset;
        return ARUS_OK;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
        return meet_loss(lane, err);
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        return arus_kafka_fail(&lane->fetcher->client, code, what, err);
    case RD_KAFKA_RESP_ERR__BAD_MSG:
        return arus_fail(err, ARUS_FATAL, NULL, "%s", what);
    default:
        return ARUS_OK; /* the client goes on by itself */
    }
}

/* A record before the range: the anchor, or what follows it. Takes it. */
static enum arus_status take_anchor(struct arus_kafka_lane *lane, rd_kafka_message_t *message,
                                    struct arus_error *err)
{
    const struct arus_kafka_anchor *expects = &lane->expects;
    const bool is_there = expects->offset >= 0 && message->offset == expects->offset;
    const bool is_same = is_there && message_time(message) == expects->timestamp_ms &&
                         message_hash(message) == expects->hash;

    arus_rdkafka.message_destroy(message);
    if (is_there && !is_same) {
        return meet_recreated(lane, err);
    }
    lane->expects.offset = -1;
    return ARUS_OK;
}

/* Moves messages of the range from `pending` to `out`. */
static enum arus_status give(struct arus_kafka_lane *lane, rd_kafka_message_t **out, size_t max,
                             size_t *count, struct arus_error *err)
{
    while (lane->pending_begin < lane->pending_count && *count < max && !lane->has_ended) {
        rd_kafka_message_t *message = lane->pending[lane->pending_begin];

        if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            lane->pending_begin++;
            ARUS_TRY(take_event(lane, message, err));
        } else if (message->offset < lane->range.from) {
            lane->pending_begin++;
            ARUS_TRY(take_anchor(lane, message, err));
        } else if (message->offset >= lane->range.to) {
            lane->has_ended = true; /* it stays for the next range */
        } else {
            lane->pending_begin++;
            out[(*count)++] = message;
            lane->next = message->offset + 1;
            lane->has_ended = lane->next >= lane->range.to;
        }
    }
    return ARUS_OK;
}

static bool refill(struct arus_kafka_lane *lane, int wait_ms)
{
    ssize_t got;

    lane->pending_begin = 0;
    lane->pending_count = 0;
    got = arus_rdkafka.consume_batch_queue(lane->queue, 0, lane->pending, PENDING_MAX);
    if (got <= 0 && wait_ms > 0) { /* the batch call would wait for a full array */
        lane->pending[0] = arus_rdkafka.consume_queue(lane->queue, wait_ms);
        got = lane->pending[0] != NULL;
    }
    lane->pending_count = got > 0 ? (size_t)got : 0;
    return lane->pending_count > 0;
}

/* A lane whose messages came to the common queue takes its queue again, and the messages too. */
static enum arus_status find_back(struct arus_kafka_lane *lane, struct arus_error *err)
{
    enum arus_status status;

    if (!atomic_exchange(&lane->is_astray, false)) {
        return ARUS_OK;
    }
    (void)pthread_mutex_lock(&lane->fetcher->mutex);
    give_queue_back(lane);
    status = take_queue(lane, err);
    if (status == ARUS_OK) {
        status = seek(lane, lane->next, err);
    }
    (void)pthread_mutex_unlock(&lane->fetcher->mutex);
    return status;
}

/* Nothing came for a while: is the range still there? */
static enum arus_status meet_stall(struct arus_kafka_lane *lane, struct arus_error *err)
{
    const int64_t now_us = arus_clock_monotonic_us();
    const int64_t waited_ms = (now_us - lane->progress_us) / 1000;
    int64_t earliest;
    int64_t latest;
    bool is_gone = false;

    arus_kafka_client_poll(&lane->fetcher->client);
    ARUS_TRY(find_back(lane, err));
    if (now_us - lane->asked_us < (int64_t)STALL_MS * 1000) {
        return ARUS_OK;
    }
    lane->asked_us = now_us;
    ARUS_TRY(arus_kafka_client_check(&lane->fetcher->client, err));
    ARUS_TRY(ask_bounds(lane, &earliest, &latest, &is_gone, err));
    if (is_gone || earliest > lane->next || latest < lane->next) {
        return meet_loss(lane, err);
    }
    if (waited_ms < lane->fetcher->source->settings.poll_timeout_ms) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_RETRY, NULL,
                     "%s[%d]: no records at offset %lld for %lld s, the range ends at %lld",
                     lane->topic, lane->partition, (long long)lane->next,
                     (long long)(waited_ms / 1000), (long long)lane->range.to);
}

static void remember(struct arus_kafka_lane *lane, const rd_kafka_message_t *message)
{
    lane->anchor = (struct arus_kafka_anchor){.offset = message->offset,
                                              .timestamp_ms = message_time(message),
                                              .hash = message_hash(message)};
}

enum arus_status arus_kafka_lane_next(struct arus_kafka_lane *lane, rd_kafka_message_t **out,
                                      size_t max, size_t *count, struct arus_error *err)
{
    *count = 0;
    while (*count == 0 && !lane->has_ended) {
        if (lane->pending_begin < lane->pending_count) {
            const enum arus_status status = give(lane, out, max, count, err);

            if (status != ARUS_OK) {
                while (*count > 0) {
                    arus_rdkafka.message_destroy(out[--*count]);
                }
                return status;
            }
            lane->progress_us = arus_clock_monotonic_us();
        } else if (lane->eof >= lane->range.to) {
            lane->has_ended = true;
        } else if (!refill(lane, WAIT_MS)) {
            ARUS_TRY(meet_stall(lane, err));
        }
    }
    if (*count > 0) {
        remember(lane, out[*count - 1]);
    }
    if (lane->has_ended && lane->next >= 0) {
        lane->next = lane->range.to;
    }
    return ARUS_OK;
}

/* ---- waiting ---- */

static enum arus_status listen_at(struct arus_kafka_fetcher *fetcher,
                                  const struct arus_kafka_position *position, bool *has_records,
                                  struct arus_error *err)
{
    struct arus_kafka_lane *lane;

    ARUS_TRY(open_lane(fetcher, position->topic, position->partition, &lane, err));
    ARUS_TRY(find_back(lane, err));
    if (!lane->is_assigned || lane->next != position->offset) {
        ARUS_TRY(seek(lane, position->offset, err));
    }
    /* the queue wakes us only when it was empty before: nothing may be left in it
     */
    while (lane->pending_begin == lane->pending_count && refill(lane, 0)) {
        while (lane->pending_begin < lane->pending_count &&
               lane->pending[lane->pending_begin]->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
            lane->eof = lane->pending[lane->pending_begin]->offset;
            arus_rdkafka.message_destroy(lane->pending[lane->pending_begin++]);
        }
    }
    *has_records = *has_records || lane->pending_begin < lane->pending_count;
    return ARUS_OK;
}

enum arus_status arus_kafka_fetcher_listen(struct arus_kafka_fetcher *fetcher,
                                           const struct arus_kafka_positions *positions,
                                           struct arus_error *err)
{
    static const uint64_t ONE = 1;
    enum arus_status status = ARUS_OK;
    bool has_records = false;

    (void)pthread_mutex_lock(&fetcher->mutex);
    for (size_t i = 0; i < positions->count && status == ARUS_OK; i++) {
        status = listen_at(fetcher, &positions->items[i], &has_records, err);
    }
    (void)pthread_mutex_unlock(&fetcher->mutex);
    if (has_records) {
        (void)!write(fetcher->wake_fd, &ONE, sizeof ONE);
    }
    arus_kafka_client_poll(&fetcher->client);
    return status;
}
