/** One conformance case under way: a pipeline, rows that go in, what must come out. */
#ifndef ARUS_TESTS_CONFORMANCE_DRIVER_H
#define ARUS_TESTS_CONFORMANCE_DRIVER_H

#include "api/session.h"
#include "base/file.h"
#include "connector/memory.h"
#include "stream/query.h"

#include <jansson.h>

#include "hand.h"

enum outcome { PASSED, FAILED, SKIPPED };

/** When a query was refused. */
enum failed_at { NOT_FAILED, AT_START, IN_RUN };

struct driver {
    const json_t *item;      /* the case, $BROKER and $TOPIC put in */
    const struct hand *hand; /* NULL: a case without Kafka */
    char topic[128];         /* $TOPIC */
    char folder[64];         /* $DIR */
    struct arus_memory *memory;
    struct arus_memory *other_memory; /* of `other` queries */
    char *pipeline;                   /* text of now, $DIR put in; NULL: none */
    json_t *conf;                     /* of `restart` steps */
    json_t *tables;                   /* static rows by name */
    json_t *adds;                     /* [table, rows] that wait for the start */
    /* what runs */
    struct arus_session *session; /* NULL: stopped */
    const struct arus_stream_query *plan;
    const struct arus_batch_query *batch;
    struct arus_query *query; /* NULL: not running */
    struct arus_query_clock clock;
    int64_t clock_ms;
    int64_t next_tick_ms;
    bool by_ticks; /* the case moves the trigger clock: a start is a tick */
    bool was_started;
    /* what was seen */
    struct arus_error err; /* why the query failed */
    enum failed_at failed_at;
    json_t *progress; /* of all micro-batches; the idle one: `idle` */
    json_t *idle;
    size_t state_from;                  /* progress records before belong to an earlier check */
    size_t input_from;                  /* likewise for expect_batches_with_input */
    size_t seen;                        /* batches of the sink that an expectation has taken */
    struct arus_chunk_rows *batch_rows; /* result of a batch query */
    json_t *remembered;
    int64_t file_count; /* added so far: their times */
    /* the verdict */
    enum outcome outcome;
    char message[4096];
};

/** Ends the case; the first verdict counts. Gives false, so that a step can return it. */
bool driver_fail(struct driver *driver, const char *format, ...) ARUS_PRINTF(2, 3);
bool driver_skip(struct driver *driver, const char *format, ...) ARUS_PRINTF(2, 3);
/** The path below $DIR. */
void driver_path(const struct driver *driver, const char *below, struct arus_path *out);
/** A text with $DIR put in; the caller frees it. */
char *driver_text(const struct driver *driver, const char *text);
/** Fails the case unless a call on files and the like went well. */
bool driver_must(struct driver *driver, enum arus_status status, const struct arus_error *err);

/* query.c: the query that the case is about. A query that fails is no failure of the case:
 * driver->failed_at remembers it. */

/** The clock that the case moves. */
int64_t driver_now(void *self);
void query_start(struct driver *driver);
/** Reads the pipeline of now: driver->plan, batch. False: refused, or the case is over. */
bool query_load(struct driver *driver);
/** Also after a failure. */
void query_stop(struct driver *driver);
/** Batches until nothing is due. */
void query_run_until_idle(struct driver *driver);
/** One trigger at the clock's next tick. */
void query_tick(struct driver *driver);
void query_run_available(struct driver *driver);
void query_run_once(struct driver *driver);
void query_run_batch(struct driver *driver);
/** Reads a text of statements and runs the last query in it. */
enum arus_status query_rows(struct driver *driver, const char *text, struct arus_chunk_rows **out,
                            struct arus_error *err);
/** Another pipeline with its own checkpoint, until it is idle. */
bool query_other(struct driver *driver, const json_t *other);
/** Rows for a table, now or when the query starts. */
bool query_add(struct driver *driver, const json_t *adds);

/* rows.c */

/** JSON lists -> rows of the table's type. */
enum arus_status rows_from_json(const json_t *rows, const struct arus_type *schema,
                                const struct arus_zone *zone, struct arus_chunk_rows **out,
                                struct arus_error *err);
/** Rows -> JSON lists, appended to `out`. */
enum arus_status rows_to_json(const struct arus_chunk_rows *chunk, const struct arus_zone *zone,
                              json_t *out, struct arus_error *err);
/** Integers exactly, doubles within 1e-9, the sign of zero counts. */
bool values_equal(const json_t *found, const json_t *wanted);
/** Lists of rows as multisets, or in order. */
bool rows_equal(const json_t *found, const json_t *wanted, bool ordered);
/** `wanted` is part of `found`: objects by key, lists item by item. */
bool json_includes(const json_t *found, const json_t *wanted);

/* steps.c, expect.c, tables.c: NULL-safe tables of step handlers, by key */

/** `value`: of the key; `step`: the whole step. False: the case is over. */
typedef bool (*step_fn)(struct driver *driver, const json_t *value, const json_t *step);
struct step_row {
    const char *key;
    step_fn run;
};
extern const struct step_row MOVE_STEPS[];   /* steps.c */
extern const struct step_row EXPECT_STEPS[]; /* expect.c */
extern const struct step_row TABLE_STEPS[];  /* tables.c */

/* kafka_steps.c */

#define KAFKA_MOVES(X)                                                                             \
    X(create_topic)                                                                                \
    X(delete_topic)                                                                                \
    X(add_partitions_to)                                                                           \
    X(delete_records_before)                                                                       \
    X(produce)                                                                                     \
    X(produce_any)                                                                                 \
    X(produce_at)                                                                                  \
    X(produce_record)                                                                              \
    X(transaction)                                                                                 \
    X(transaction_open)                                                                            \
    X(transaction_end)
#define KAFKA_EXPECTS(X)                                                                           \
    X(expect_topic)                                                                                \
    X(expect_topic_partitions)
#define X(key) bool kafka_##key(struct driver *driver, const json_t *value, const json_t *step);
KAFKA_MOVES(X)
KAFKA_EXPECTS(X)
X(expect_no_offset_logged)
X(table_options)
X(table_latest)
#undef X

/** Runs a case; driver->outcome and message tell. */
void case_run(struct driver *driver, const json_t *item, const struct hand *hand);
/** Does it change or read a Kafka cluster? */
bool case_needs_kafka(const json_t *item);

#endif
