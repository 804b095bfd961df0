/** One worker's part files: one open file a partition, rolled at maxRecordsPerFile. */
#include "base/alloc.h"
#include "base/failpoint.h"
#include "base/hash_stream.h"
#include "column/append.h"
#include "column/hash.h"
#include "column/row_store.h"
#include "column/value.h"
#include "file/sink_internal.h"
#include "journal/held.h"
#include "journal/path.h"

#define OPEN_MAX ((size_t)256)              /* files; rows of further partitions wait */
#define HELD_MAX ((size_t)64 * 1024 * 1024) /* bytes that wait; then the largest are written */

/* A partition whose rows this worker has seen in this batch. */
struct partition {
    struct arus_text folder; /* `k=v/`, or empty */
    uint64_t hash;
    uint32_t row;               /* its values in the key builders */
    uint32_t counter;           /* files so far */
    uint64_t row_count;         /* of the open file */
    uint64_t used_at;           /* for choosing the oldest */
    uint64_t step_number;       /* when `run` was set */
    uint32_t run;               /* its rows of this step */
    struct arus_writer *writer; /* NULL: no open file */
    struct arus_row_store held; /* rows that wait for a file */
    struct arus_buffer small; /* bytes of the open part while it may be held; then `file` has all */
    struct arus_file file;
    struct arus_hash_stream *hash_stream; /* of the open file's bytes */
    struct arus_path path;
};

struct arus_sink_worker {
    struct arus_sink_stream *stream;
    uint32_t slot;
    struct partition **partitions;
    size_t partition_count;
    size_t partition_capacity;
    uint32_t *slots; /* [slot_capacity] by hash: partition + 1; 0: none */
    size_t slot_capacity;
    size_t open_count;
    size_t held_size; /* bytes of all held rows */
    bool is_draining; /* held rows are being written: nothing is held now */
    uint64_t clock;
    uint64_t step_number;      /* batches written so far */
    struct arus_builder *keys; /* [partition_count of the sink] values of each partition */
    struct arus_vector *known; /* [partition_count of the sink] the same as vectors */
    struct arus_buffer closed; /* paths of finished files that are not synced, NUL-terminated */
    struct arus_arena arena;   /* lives as long as the worker */
    struct arus_arena step;    /* reset by each batch */
};

/* The part gets a file in staging. */
static enum arus_status create_file(struct partition *partition, struct arus_error *err)
{
    ARUS_TRY(arus_file_create_over(&partition->file, partition->path.text, err));
    return arus_file_append(&partition->file, partition->small.data, partition->small.size, err);
}

static enum arus_status write_out(void *self, const void *data, size_t size, struct arus_error *err)
{
    struct partition *partition = self;

    arus_hash_stream_add(partition->hash_stream, data, size);
    if (partition->file.path == NULL && partition->small.size + size <= ARUS_HELD_PART_MAX) {
        return arus_buffer_append(&partition->small, data, size, err);
    }
    if (partition->file.path == NULL) {
        ARUS_TRY(create_file(partition, err));
    }
    ARUS_TRY(arus_file_append(&partition->file, data, size, err));
    arus_file_start_out(&partition->file);
    return ARUS_OK;
}

enum arus_status arus_file_worker_open(struct arus_sink_stream *stream, uint32_t slot,
                                       struct arus_sink_worker **out, struct arus_error *err)
{
    const struct arus_file_sink *sink = stream->sink;
    struct arus_sink_worker *worker = arus_alloc(1, sizeof *worker);
    enum arus_status status;

    *out = NULL;
    if (worker == NULL) {
        return arus_fail_memory(err);
    }
    worker->stream = stream;
    worker->slot = slot;
    status = ARUS_NEW(&worker->arena, struct arus_builder, (size_t)sink->partition_count + 1,
                      &worker->keys, err);
    if (status == ARUS_OK) {
        status = ARUS_NEW(&worker->arena, struct arus_vector, (size_t)sink->partition_count + 1,
                          &worker->known, err);
    }
    for (uint16_t i = 0; status == ARUS_OK && i < sink->partition_count; i++) {
        const uint16_t column = sink->partition_columns[i];

        status = arus_builder_init(&worker->keys[i], sink->base.config->schema->fields[column].type,
                                   err);
    }
    if (status != ARUS_OK) {
        struct arus_error later;

        arus_ignore(arus_file_worker_close(worker, true, &later));
        return status;
    }
    *out = worker;
    return ARUS_OK;
}

/* ---- files ---- */

static enum arus_status open_file(struct arus_sink_worker *worker, struct partition *partition,
                                  struct arus_error *err)
{
    const struct arus_file_sink *sink = worker->stream->sink;
    struct arus_path name;

    ARUS_TRY(arus_sink_part_name(worker->stream, worker->slot, partition->hash, partition->counter,
                                 &name, err));
    ARUS_TRY(arus_path_join(&partition->path, worker->stream->staging.text, name.text, err));
    partition->hash_stream = arus_alloc(1, sizeof *partition->hash_stream);
    if (partition->hash_stream == NULL) {
        return arus_fail_memory(err);
    }
    arus_buffer_reset(&partition->small);
    partition->counter++;
    partition->row_count = 0;
    worker->open_count++;
    return sink->format->writer_open(sink->data, sink->format_settings, sink->base.config->zone,
                                     (struct arus_output){write_out, partition}, &partition->writer,
                                     err);
}

/* A staged file is synced when the worker closes: all are started first, then waited for. */
static enum arus_status end_file(struct arus_sink_worker *worker, struct partition *partition,
                                 struct arus_error *err)
{
    ARUS_TRY(arus_file_flush(&partition->file, err));
    if (worker->partition_count == 1) { /* nothing to overlap with */
        ARUS_TRY(arus_file_sync(&partition->file, err));
    } else {
        ARUS_TRY(arus_buffer_append(&worker->closed, partition->path.text,
                                    strlen(partition->path.text) + 1, err));
    }
    return arus_file_close(&partition->file, err);
}

/* Small ones are held by the journal, all others lie in staging. */
static enum arus_status keep_part(struct arus_sink_worker *worker, struct partition *partition,
                                  uint64_t row_count, struct arus_error *err)
{
    struct arus_staged_part part = {
        .name = arus_text_of(strrchr(partition->path.text, '/') + 1),
        .folder = partition->folder,
        .row_count = row_count,
        .hash = arus_hash_stream_end(partition->hash_stream),
    };

    arus_free(partition->hash_stream);
    partition->hash_stream = NULL;
    if (partition->file.path == NULL && partition->small.size > 0 &&
        arus_sink_may_hold(worker->stream, partition->small.size)) {
        part.bytes = arus_buffer_text(&partition->small);
    } else {
        if (partition->file.path == NULL) {
            ARUS_TRY(create_file(partition, err));
        }
        ARUS_TRY(end_file(worker, partition, err));
    }
    return arus_sink_add_part(worker->stream, &part, err);
}

static enum arus_status finish_file(struct arus_sink_worker *worker, struct partition *partition,
                                    struct arus_error *err)
{
    const struct arus_format *format = worker->stream->sink->format;
    struct arus_write_stats stats = {0};
    enum arus_status status = format->writer_finish(partition->writer, &stats, err);

    format->writer_close(partition->writer);
    partition->writer = NULL;
    worker->open_count--;
    if (status == ARUS_OK) {
        status = keep_part(worker, partition, stats.row_count, err);
    }
    if (status != ARUS_OK) {
        arus_file_abandon(&partition->file);
    }
    return status;
}

static enum arus_status make_room(struct arus_sink_worker *worker, struct arus_error *err)
{
    struct partition *oldest = NULL;

    if (worker->open_count < OPEN_MAX) {
        return ARUS_OK;
    }
    for (size_t i = 0; i < worker->partition_count; i++) {
        struct partition *partition = worker->partitions[i];

        if (partition->writer != NULL && (oldest == NULL || partition->used_at < oldest->used_at)) {
            oldest = partition;
        }
    }
    return finish_file(worker, oldest, err);
}

/* Keeps rows of a partition that has no file: with many partitions a file each would be opened and
 * ended all the time. */
static enum arus_status hold_rows(struct arus_sink_worker *worker, struct partition *partition,
                                  const struct arus_batch *batch, struct arus_error *err)
{
    const size_t before = partition->held.arena.used_size;

    ARUS_TRY(arus_row_store_add(&partition->held, batch, err));
    worker->held_size += partition->held.arena.used_size - before;
    return ARUS_OK;
}

static enum arus_status write_rows(struct arus_sink_worker *worker, struct partition *partition,
                                   const struct arus_batch *batch, struct arus_error *err)
{
    const struct arus_file_sink *sink = worker->stream->sink;

    if (partition->writer == NULL && worker->open_count >= OPEN_MAX && !worker->is_draining) {
        return hold_rows(worker, partition, batch, err);
    }
    if (partition->writer == NULL) {
        ARUS_TRY(make_room(worker, err));
        ARUS_TRY(open_file(worker, partition, err));
    }
    partition->used_at = ++worker->clock;
    partition->row_count += batch->row_count;
    return sink->format->writer_write(partition->writer, batch, err);
}

/* Rows into files of at most maxRecordsPerFile. */
static enum arus_status write_limited(struct arus_sink_worker *worker, struct partition *partition,
                                      const struct arus_batch *batch, struct arus_error *err)
{
    const uint64_t limit = (uint64_t)worker->stream->sink->settings.max_records;
    uint32_t done = 0;

    if (worker->stream->sink->settings.max_records <= 0) {
        return write_rows(worker, partition, batch, err);
    }
    while (done < batch->row_count) {
        const uint64_t used = partition->writer == NULL ? 0 : partition->row_count;
        const uint64_t room = limit - used;
        const uint32_t left = batch->row_count - done;
        const uint32_t count = room < left ? (uint32_t)room : left;
        struct arus_batch part;
        uint32_t *indices;

        if (room == 0) {
            ARUS_TRY(finish_file(worker, partition, err));
            continue;
        }
        ARUS_TRY(ARUS_NEW(&worker->step, uint32_t, count, &indices, err));
        for (uint32_t i = 0; i < count; i++) {
            indices[i] = done + i;
        }
        ARUS_TRY(arus_batch_slice(batch, indices, count, &worker->step, &part, err));
        ARUS_TRY(write_rows(worker, partition, &part, err));
        done += count;
    }
    return ARUS_OK;
}

/* Writes the held rows of a partition. */
static enum arus_status drain(struct arus_sink_worker *worker, struct partition *partition,
                              struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    worker->is_draining = true;
    for (size_t i = 0; status == ARUS_OK && i < partition->held.batch_count; i++) {
        status = write_limited(worker, partition, &partition->held.batches[i], err);
    }
    worker->is_draining = false;
    worker->held_size -= partition->held.arena.used_size;
    arus_row_store_release(&partition->held);
    return status;
}

/* Too much waits: the largest partitions get their files. */
static enum arus_status drain_largest(struct arus_sink_worker *worker, struct arus_error *err)
{
    while (worker->held_size > HELD_MAX) {
        struct partition *largest = NULL;

        for (size_t i = 0; i < worker->partition_count; i++) {
            struct partition *partition = worker->partitions[i];

            if (largest == NULL ||
                partition->held.arena.used_size > largest->held.arena.used_size) {
                largest = partition;
            }
        }
        ARUS_TRY(drain(worker, largest, err));
    }
    return ARUS_OK;
}

/* ---- partitions ---- */

/* `name=value/` for each partition column of a row. */
static enum arus_status folder_text(const struct arus_sink_worker *worker,
                                    const struct arus_vector *keys, uint32_t row,
                                    struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_file_sink *sink = worker->stream->sink;
    struct arus_buffer value = {0};
    enum arus_status status = ARUS_OK;

    for (uint16_t i = 0; status == ARUS_OK && i < sink->partition_count; i++) {
        const struct arus_text name =
            sink->base.config->schema->fields[sink->partition_columns[i]].name;

        arus_buffer_reset(&value);
        status = arus_path_append_hive(out, name, err);
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(out, '=', err);
        }
        if (status == ARUS_OK && arus_vector_is_valid(&keys[i], row)) {
            status = arus_value_text(&keys[i], row, sink->base.config->zone, &value, err);
        }
        if (status == ARUS_OK) {
            status = value.size == 0
                         ? arus_buffer_append_text(out, ARUS_TEXT(ARUS_PATH_DEFAULT_PARTITION), err)
                         : arus_path_append_hive(out, arus_buffer_text(&value), err);
        }
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(out, '/', err);
        }
    }
    arus_buffer_release(&value);
    return status;
}

static enum arus_status new_partition(struct arus_sink_worker *worker, uint64_t hash,
                                      struct partition **out, struct arus_error *err)
{
    if (worker->partition_count == worker->partition_capacity) {
        const size_t capacity =
            worker->partition_capacity == 0 ? 16 : worker->partition_capacity * 2;
        void *partitions = arus_realloc(worker->partitions, capacity * sizeof *worker->partitions);

        if (partitions == NULL) {
            return arus_fail_memory(err);
        }
        worker->partitions = partitions;
        worker->partition_capacity = capacity;
    }
    ARUS_TRY(ARUS_NEW(&worker->arena, struct partition, 1, out, err));
    (*out)->hash = hash;
    (*out)->row = (uint32_t)worker->partition_count;
    worker->partitions[worker->partition_count++] = *out;
    return ARUS_OK;
}

static enum arus_status add_partition(struct arus_sink_worker *worker,
                                      const struct arus_vector *keys, uint32_t row, uint64_t hash,
                                      struct partition **out, struct arus_error *err)
{
    struct arus_buffer folder = {0};
    enum arus_status status = new_partition(worker, hash, out, err);

    for (uint16_t i = 0; status == ARUS_OK && i < worker->stream->sink->partition_count; i++) {
        status = arus_builder_append(&worker->keys[i], &keys[i], row, &worker->arena, err);
    }
    if (status == ARUS_OK) {
        status = folder_text(worker, keys, row, &folder, err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&folder), &worker->arena, &(*out)->folder, err);
    }
    arus_buffer_release(&folder);
    return status;
}

static size_t slot_of(const struct arus_sink_worker *worker, const struct arus_vector *keys,
                      uint32_t row, uint64_t hash)
{
    const uint16_t count = worker->stream->sink->partition_count;
    const size_t mask = worker->slot_capacity - 1;
    size_t slot = (size_t)hash & mask;

    while (worker->slots[slot] != 0) {
        const struct partition *partition = worker->partitions[worker->slots[slot] - 1];

        if (partition->hash == hash &&
            arus_rows_equal(keys, row, worker->known, partition->row, count)) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static enum arus_status grow_slots(struct arus_sink_worker *worker, struct arus_error *err)
{
    const size_t capacity = worker->slot_capacity == 0 ? 64 : worker->slot_capacity * 2;
    uint32_t *slots = arus_alloc(capacity, sizeof *slots);

    if (slots == NULL) {
        return arus_fail_memory(err);
    }
    for (size_t i = 0; i < worker->partition_count; i++) {
        size_t slot = (size_t)worker->partitions[i]->hash & (capacity - 1);

        while (slots[slot] != 0) {
            slot = (slot + 1) & (capacity - 1);
        }
        slots[slot] = (uint32_t)i + 1;
    }
    arus_free(worker->slots);
    worker->slots = slots;
    worker->slot_capacity = capacity;
    return ARUS_OK;
}

static enum arus_status find_partition(struct arus_sink_worker *worker,
                                       const struct arus_vector *keys, uint32_t row, uint64_t hash,
                                       struct partition **out, struct arus_error *err)
{
    size_t slot;

    if (worker->partition_count * 2 >= worker->slot_capacity) {
        ARUS_TRY(grow_slots(worker, err));
    }
    slot = slot_of(worker, keys, row, hash);
    if (worker->slots[slot] != 0) {
        *out = worker->partitions[worker->slots[slot] - 1];
        return ARUS_OK;
    }
    ARUS_TRY(add_partition(worker, keys, row, hash, out, err));
    worker->slots[slot] = (uint32_t)worker->partition_count;
    for (uint16_t i = 0; i < worker->stream->sink->partition_count; i++) {
        ARUS_TRY(arus_builder_finish(&worker->keys[i], &worker->arena, &worker->known[i], err));
    }
    return ARUS_OK;
}

/* The data columns of a result batch. */
static enum arus_status data_batch(const struct arus_sink_worker *worker,
                                   const struct arus_batch *batch, struct arus_arena *step,
                                   struct arus_batch *out, struct arus_error *err)
{
    const struct arus_file_sink *sink = worker->stream->sink;

    *out = (struct arus_batch){.schema = sink->data, .row_count = batch->row_count};
    ARUS_TRY(ARUS_NEW(step, struct arus_vector, (size_t)sink->data->field_count + 1, &out->columns,
                      err));
    for (uint16_t i = 0; i < sink->data->field_count; i++) {
        out->columns[i] = batch->columns[sink->data_columns[i]];
    }
    return ARUS_OK;
}

/* Rows that go to one partition; in runs, most batches have few of them. */
struct run {
    struct partition *partition;
    uint32_t *rows;
    uint32_t count;
};

static enum arus_status sort_rows(struct arus_sink_worker *worker, const struct arus_vector *keys,
                                  const uint64_t *hashes, uint32_t row_count, struct run **out,
                                  size_t *run_count, struct arus_error *err)
{
    struct run *runs;
    uint32_t *owner;
    size_t count = 0;

    ARUS_TRY(ARUS_NEW(&worker->step, struct run, row_count, &runs, err));
    ARUS_TRY(ARUS_NEW(&worker->step, uint32_t, row_count, &owner, err));
    worker->step_number++;
    for (uint32_t i = 0; i < row_count; i++) {
        uint32_t at = i == 0 ? 0 : owner[i - 1];

        if (i == 0 || hashes[i] != hashes[i - 1] ||
            !arus_rows_equal(keys, i, keys, i - 1, worker->stream->sink->partition_count)) {
            struct partition *partition;

            ARUS_TRY(find_partition(worker, keys, i, hashes[i], &partition, err));
            if (partition->step_number != worker->step_number) {
                partition->step_number = worker->step_number;
                partition->run = (uint32_t)count;
                runs[count++].partition = partition;
            }
            at = partition->run;
        }
        owner[i] = at;
        runs[at].count++;
    }
    for (size_t r = 0; r < count; r++) {
        ARUS_TRY(ARUS_NEW(&worker->step, uint32_t, runs[r].count, &runs[r].rows, err));
        runs[r].count = 0;
    }
    for (uint32_t i = 0; i < row_count; i++) {
        runs[owner[i]].rows[runs[owner[i]].count++] = i;
    }
    *out = runs;
    *run_count = count;
    return ARUS_OK;
}

static enum arus_status write_partitioned(struct arus_sink_worker *worker,
                                          const struct arus_batch *batch,
                                          const struct arus_batch *data, struct arus_error *err)
{
    const struct arus_file_sink *sink = worker->stream->sink;
    struct arus_vector *keys;
    struct run *runs;
    uint64_t *hashes;
    size_t run_count;

    ARUS_TRY(ARUS_NEW(&worker->step, struct arus_vector, sink->partition_count, &keys, err));
    ARUS_TRY(ARUS_NEW(&worker->step, uint64_t, batch->row_count, &hashes, err));
    for (uint16_t i = 0; i < sink->partition_count; i++) {
        ARUS_TRY(arus_vector_flatten(&batch->columns[sink->partition_columns[i]], &worker->step,
                                     &keys[i], err));
        arus_vector_hash(&keys[i], batch->row_count, hashes);
    }
    ARUS_TRY(sort_rows(worker, keys, hashes, batch->row_count, &runs, &run_count, err));
    for (size_t r = 0; r < run_count; r++) {
        struct arus_batch part;

        ARUS_TRY(arus_batch_slice(data, runs[r].rows, runs[r].count, &worker->step, &part, err));
        ARUS_TRY(write_limited(worker, runs[r].partition, &part, err));
    }
    return drain_largest(worker, err);
}

static enum arus_status only_partition(struct arus_sink_worker *worker, struct partition **out,
                                       struct arus_error *err)
{
    if (worker->partition_count != 0) {
        *out = worker->partitions[0];
        return ARUS_OK;
    }
    return new_partition(worker, 0, out, err);
}

enum arus_status arus_file_worker_write(struct arus_sink_worker *worker,
                                        const struct arus_batch *batch, struct arus_error *err)
{
    struct partition *partition;
    struct arus_batch data;

    arus_arena_reset(&worker->step);
    ARUS_TRY(data_batch(worker, batch, &worker->step, &data, err));
    if (worker->stream->sink->partition_count != 0) {
        ARUS_TRY(write_partitioned(worker, batch, &data, err));
    } else {
        ARUS_TRY(only_partition(worker, &partition, err));
        ARUS_TRY(write_limited(worker, partition, &data, err));
    }
    arus_failpoint_reach(ARUS_FAILPOINT_DURING_RUN, worker->stream->batch_id);
    return ARUS_OK;
}

enum arus_status arus_file_worker_touch(struct arus_sink_worker *worker, struct arus_error *err)
{
    struct partition *partition;

    ARUS_TRY(only_partition(worker, &partition, err));
    return partition->counter == 0 ? open_file(worker, partition, err) : ARUS_OK;
}

enum arus_status arus_file_worker_close(struct arus_sink_worker *worker, bool abandon,
                                        struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    for (size_t i = 0; i < worker->partition_count; i++) {
        struct partition *partition = worker->partitions[i];

        if (partition->held.row_count != 0 && !abandon && status == ARUS_OK) {
            status = drain(worker, partition, err);
        }
        if (partition->writer != NULL && !abandon && status == ARUS_OK) {
            status = finish_file(worker, partition, err);
        }
        arus_row_store_release(&partition->held);
        if (partition->writer != NULL) {
            worker->stream->sink->format->writer_close(partition->writer);
        }
        arus_file_abandon(&partition->file);
        arus_buffer_release(&partition->small);
        arus_free(partition->hash_stream);
    }
    if (status == ARUS_OK && !abandon) {
        status = arus_file_sync_all(&worker->closed, err);
    }
    for (uint16_t i = 0; worker->keys != NULL && i < worker->stream->sink->partition_count; i++) {
        arus_builder_release(&worker->keys[i]);
    }
    arus_free(worker->partitions);
    arus_free(worker->slots);
    arus_buffer_release(&worker->closed);
    arus_arena_release(&worker->arena);
    arus_arena_release(&worker->step);
    arus_free(worker);
    return status;
}
