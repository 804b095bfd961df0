/** What the two files of the sink share. */
#ifndef ARUS_CONNECTORS_FILE_SINK_INTERNAL_H
#define ARUS_CONNECTORS_FILE_SINK_INTERNAL_H

#include "base/lock.h"
#include "file/file_internal.h"
#include "journal/log.h"

#include <pthread.h>

#define ARUS_STAGING ".staging"

struct arus_file_sink {
    struct arus_sink base;
    const struct arus_format *format;
    struct arus_file_write_settings settings;
    void *format_settings;
    const struct arus_type *data;      /* STRUCT: the columns that the files hold */
    const uint16_t *data_columns;      /* [data->field_count] positions in the result */
    const uint16_t *partition_columns; /* [partition_count] */
    uint16_t partition_count;
};

/** A finished part: a file in staging, or held by the journal (journal/held.h). */
struct arus_staged_part {
    struct arus_text name;   /* of the file */
    struct arus_text folder; /* partition folders below the sink, `k=v/`, or empty */
    struct arus_text bytes;  /* of a part that is to be held; NULL: it lies in staging */
    uint64_t row_count;
    uint64_t hash; /* of its bytes: base/hash_stream.h */
};

struct arus_sink_stream {
    const struct arus_file_sink *sink;
    struct arus_log *log;
    struct arus_log_set *logs;
    struct arus_lock lock;
    char query_id[37];
    int64_t batch_id;
    pthread_mutex_t mutex; /* of the parts and `held_room` */
    uint64_t held_room;    /* bytes that this batch may still hold */
    struct arus_staged_part *parts;
    size_t part_count;
    size_t part_capacity;
    struct arus_arena arena; /* of the parts; reset by each batch */
    struct arus_path staging;
    bool has_published; /* a batch, by this process: it has made the folders it used durable */
};

/** May a part of this size be held? Then it is counted; any thread. */
bool arus_sink_may_hold(struct arus_sink_stream *stream, uint64_t size);
/** Takes note of a finished part; any thread. */
ARUS_MUST_USE enum arus_status arus_sink_add_part(struct arus_sink_stream *stream,
                                                  const struct arus_staged_part *part,
                                                  struct arus_error *err);
/** `part-00000-<uuid>-c000.snappy.parquet`: the uuid tells query and batch in its first 20 digits,
 * worker and partition (a hash of its values: null and the empty text share a folder) in the rest.
 */
ARUS_MUST_USE enum arus_status arus_sink_part_name(const struct arus_sink_stream *stream,
                                                   uint32_t slot, uint64_t partition,
                                                   uint32_t counter, struct arus_path *out,
                                                   struct arus_error *err);

/* sink_check.c */
/** Refuses a folder whose newest part has another format, other partition columns, or a column of
 * another type. */
ARUS_MUST_USE enum arus_status arus_sink_check_folder(const struct arus_file_sink *sink,
                                                      struct arus_log *log, struct arus_error *err);

/** Removes `.NAME.crc` beside a part that is placed: Spark would trip over it. */
ARUS_MUST_USE enum arus_status arus_sink_remove_crc(const char *path, struct arus_error *err);

/** Appends the folders between a part's folder and the sink's, each ending in NUL: an earlier run
 * may have made them and died before they were durable. */
ARUS_MUST_USE enum arus_status arus_sink_note_parents(const struct arus_sink_stream *stream,
                                                      const char *folder, struct arus_buffer *out,
                                                      struct arus_error *err);

/* sink_held.c */
/** The held parts of a batch, while it is published. Zeroed = none; releasable. */
struct arus_sink_held {
    struct arus_buffer items; /* in the order of the manifest */
    size_t next;
    struct arus_arena arena;
};
ARUS_MUST_USE enum arus_status arus_sink_held_load(struct arus_sink_held *held,
                                                   struct arus_sink_stream *stream,
                                                   int64_t batch_id, struct arus_error *err);
size_t arus_sink_held_count(const struct arus_sink_held *held);
/** Writes the part at `path` if it is the next one that is held: `*is_held`. */
ARUS_MUST_USE enum arus_status arus_sink_held_place(struct arus_sink_held *held,
                                                    struct arus_sink_stream *stream,
                                                    const char *path, bool *is_held,
                                                    struct arus_error *err);
void arus_sink_held_release(struct arus_sink_held *held);
/** Opening: writes anew what a power cut took of parts that the log lists. */
ARUS_MUST_USE enum arus_status arus_sink_held_restore(struct arus_sink_stream *stream,
                                                      struct arus_error *err);

/* sink_worker.c */
enum arus_status arus_file_worker_open(struct arus_sink_stream *stream, uint32_t slot,
                                       struct arus_sink_worker **out, struct arus_error *err);
enum arus_status arus_file_worker_write(struct arus_sink_worker *worker,
                                        const struct arus_batch *batch, struct arus_error *err);
enum arus_status arus_file_worker_close(struct arus_sink_worker *worker, bool abandon,
                                        struct arus_error *err);
/** Makes sure that there is one file, though it has no rows. */
enum arus_status arus_file_worker_touch(struct arus_sink_worker *worker, struct arus_error *err);

#endif
