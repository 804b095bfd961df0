/** The Kafka source: what its files share. */
#ifndef ARUS_CONNECTORS_KAFKA_SOURCE_H
#define ARUS_CONNECTORS_KAFKA_SOURCE_H

#include "kafka/client.h"
#include "kafka/decode.h"
#include "kafka/fetch.h"
#include "kafka/kafka.h"
#include "kafka/range.h"

/* ---- options.c ---- */

extern const struct arus_option ARUS_KAFKA_SOURCE_OPTIONS[];

struct arus_kafka_source_settings {
    struct arus_text servers;
    struct arus_text subscribe;
    struct arus_text pattern;
    struct arus_text assign;
    struct arus_text starting;
    struct arus_text starting_timestamp;
    struct arus_text starting_by_timestamp;
    int timestamp_strategy; /* 0 error, 1 latest */
    struct arus_text ending;
    struct arus_text ending_timestamp;
    struct arus_text ending_by_timestamp;
    bool fails_on_loss;
    int64_t offsets_max; /* 0: no limit */
    int64_t offsets_min; /* 0: none */
    int64_t delay_max_ms;
    struct arus_kafka_split_rule split;
    bool has_headers;
    int64_t poll_timeout_ms;
    int format; /* enum arus_kafka_format, likewise */
    int value_format;
    int key_format;
    struct arus_text key_columns;
};

/** Leaves out the options of formats, which arus_kafka_bind_declared reads. */
ARUS_MUST_USE enum arus_status arus_kafka_source_own(const struct arus_settings *all,
                                                     struct arus_arena *arena,
                                                     struct arus_settings *out,
                                                     struct arus_error *err);

/** Where a range begins or ends, before the cluster was asked. */
enum arus_kafka_bound_kind {
    ARUS_KAFKA_AT_EARLIEST,
    ARUS_KAFKA_AT_LATEST,
    ARUS_KAFKA_AT_OFFSETS,    /* `positions` */
    ARUS_KAFKA_AT_TIMESTAMP,  /* `timestamp_ms`, all partitions */
    ARUS_KAFKA_AT_TIMESTAMPS, /* `positions` hold milliseconds */
};
struct arus_kafka_bound {
    enum arus_kafka_bound_kind kind;
    int64_t timestamp_ms;
    struct arus_kafka_positions positions;
    const struct arus_setting *setting; /* that said so; NULL: the default */
};

/** Columns of a source without declared ones; HEADERS only where asked for. */
enum arus_kafka_column {
    ARUS_KAFKA_KEY,
    ARUS_KAFKA_VALUE,
    ARUS_KAFKA_TOPIC,
    ARUS_KAFKA_PARTITION,
    ARUS_KAFKA_OFFSET,
    ARUS_KAFKA_TIMESTAMP,
    ARUS_KAFKA_TIMESTAMP_TYPE,
    ARUS_KAFKA_HEADERS,
    ARUS_KAFKA_COLUMN_COUNT
};
extern const struct arus_field ARUS_KAFKA_FIELDS[ARUS_KAFKA_COLUMN_COUNT];

enum arus_kafka_strategy { ARUS_KAFKA_ASSIGN, ARUS_KAFKA_SUBSCRIBE, ARUS_KAFKA_PATTERN };

struct arus_kafka_source {
    struct arus_source base;
    struct arus_kafka_target target;
    struct arus_kafka_source_settings settings;
    enum arus_kafka_strategy strategy;
    const struct arus_setting *subject; /* the option that names the topics */
    const struct arus_text *topics;     /* SUBSCRIBE: sorted, no topic twice */
    size_t topic_count;
    struct arus_kafka_positions assigned; /* ASSIGN */
    struct arus_kafka_bound start;
    struct arus_kafka_bound end; /* batch only */
    bool is_declared;            /* columns of the user's; what follows is set */
    struct arus_kafka_side key;
    struct arus_kafka_side value;
    const bool *is_key_column; /* [base.schema->field_count] */
};

/** Splits the declared columns into key and value, each with its format. */
ARUS_MUST_USE enum arus_status arus_kafka_bind_declared(struct arus_kafka_source *source,
                                                        struct arus_arena *arena,
                                                        struct arus_error *err);

/** Reads and checks the options of a source. */
ARUS_MUST_USE enum arus_status arus_kafka_source_options(const struct arus_table *table,
                                                         bool is_stream, struct arus_arena *arena,
                                                         struct arus_kafka_source *out,
                                                         struct arus_error *err);

/* ---- discover.c: questions to the cluster on behalf of a source ---- */

/** The partitions there are now, offsets 0, sorted. A subscribed topic that is
 * not there fails, unless `may_miss`. */
ARUS_MUST_USE enum arus_status arus_kafka_discover(const struct arus_kafka_source *source,
                                                   const struct arus_kafka_client *client,
                                                   bool may_miss, struct arus_arena *arena,
                                                   struct arus_kafka_positions *out,
                                                   struct arus_error *err);
/** Fills in offsets for the partitions by a bound. */
ARUS_MUST_USE enum arus_status arus_kafka_resolve_bound(const struct arus_kafka_source *source,
                                                        const struct arus_kafka_client *client,
                                                        const struct arus_kafka_bound *bound,
                                                        struct arus_arena *arena,
                                                        struct arus_kafka_positions *partitions,
                                                        struct arus_error *err);
/** Every offset to ARUS_KAFKA_EARLIEST or _LATEST as the cluster has it now. */
ARUS_MUST_USE enum arus_status arus_kafka_ask_all(const struct arus_kafka_client *client,
                                                  int64_t which, struct arus_arena *arena,
                                                  const struct arus_kafka_positions *partitions,
                                                  struct arus_kafka_positions *out,
                                                  struct arus_error *err);
/** Opens the consumer that a source reads with. */
ARUS_MUST_USE enum arus_status arus_kafka_source_connect(const struct arus_kafka_source *source,
                                                         struct arus_kafka_client *out,
                                                         struct arus_error *err);
/** KAFKA_DATA_LOSS with the command that accepts it. `condition` with its
 * subcondition. */
enum arus_status arus_kafka_fail_loss(const struct arus_kafka_source *source, const char *condition,
                                      struct arus_error *err, const char *format, ...)
    ARUS_PRINTF(4, 5);

/* ---- source.c ---- */

struct arus_kafka_split {
    struct arus_split base;
    struct arus_kafka_range range;
    struct arus_kafka_anchor anchor;     /* offset -1: none */
    struct arus_kafka_fetcher *fetcher;  /* NULL: the worker's own */
    struct arus_registry *registries[2]; /* of value and key; NULL: none, or the worker's own */
};

/** Where an output column comes from. */
enum arus_kafka_origin {
    ARUS_KAFKA_FROM_MESSAGE, /* `index`: enum arus_kafka_column */
    ARUS_KAFKA_FROM_KEY,     /* … position in wanted_key */
    ARUS_KAFKA_FROM_VALUE,
    ARUS_KAFKA_FROM_METADATA /* `_metadata` of a declared table */
};
struct arus_kafka_place {
    enum arus_kafka_origin origin;
    uint16_t index;
};

struct arus_source_scan {
    const struct arus_kafka_source *source;
    const struct arus_scan *request;
    const struct arus_kafka_place *places; /* [request->output->field_count] */
    const struct arus_type *wanted_key;    /* STRUCT; NULL: nothing is read from the key */
    const struct arus_type *wanted_value;
};

/** One split per range. */
ARUS_MUST_USE enum arus_status arus_kafka_make_splits(const struct arus_kafka_range *ranges,
                                                      size_t count, struct arus_arena *arena,
                                                      struct arus_splits *out,
                                                      struct arus_error *err);

/* ---- source_stream.c ---- */

enum arus_status arus_kafka_stream_open(const struct arus_source *source, struct arus_log_set *logs,
                                        uint32_t index, struct arus_source_stream **out,
                                        struct arus_error *err);
enum arus_status arus_kafka_stream_plan(struct arus_source_stream *stream, struct arus_text start,
                                        const struct arus_plan_limits *limits,
                                        struct arus_arena *arena, struct arus_planned *out,
                                        struct arus_error *err);
enum arus_status arus_kafka_stream_splits(struct arus_source_stream *stream, struct arus_text start,
                                          struct arus_text end, struct arus_source_scan *scan,
                                          uint32_t worker_count, struct arus_arena *arena,
                                          struct arus_splits *out, struct arus_error *err);
enum arus_status arus_kafka_stream_read(struct arus_source_stream *stream, struct arus_error *err);
int arus_kafka_stream_wake_fd(struct arus_source_stream *stream);
void arus_kafka_stream_close(struct arus_source_stream *stream);

#endif
