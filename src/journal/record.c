/** Fixed-size numbers and sized texts, little-endian as the machine, checked by the store's
 * checksum. */
#include "journal/record.h"

#include <string.h>

#define RECORD_VERSION 1

/* ---- writing ---- */

static enum arus_status put_int(struct arus_buffer *out, int64_t value, struct arus_error *err)
{
    return arus_buffer_append(out, &value, sizeof value, err);
}

static enum arus_status put_text(struct arus_buffer *out, struct arus_text text,
                                 struct arus_error *err)
{
    ARUS_TRY(put_int(out, (int64_t)text.size, err));
    return arus_buffer_append_text(out, text, err);
}

enum arus_status arus_record_encode(const struct arus_stored_batch *batch, struct arus_buffer *out,
                                    struct arus_error *err)
{
    const struct arus_batch_record *record = &batch->record;
    const struct arus_batch_plan *plan = &record->plan;

    ARUS_TRY(put_int(out, RECORD_VERSION, err));
    ARUS_TRY(put_int(out, plan->batch_id, err));
    ARUS_TRY(put_int(out, plan->watermark_ms, err));
    ARUS_TRY(put_int(out, plan->timestamp_ms, err));
    ARUS_TRY(put_int(out, record->next_watermark_ms, err));
    ARUS_TRY(put_text(out, plan->extra, err));
    ARUS_TRY(put_text(out, record->extra, err));
    ARUS_TRY(put_text(out, batch->offsets_text, err));
    ARUS_TRY(put_int(out, (int64_t)plan->offset_count, err));
    for (size_t i = 0; i < plan->offset_count; i++) {
        ARUS_TRY(put_text(out, plan->offsets[i], err));
    }
    ARUS_TRY(put_int(out, (int64_t)record->output_count, err));
    for (size_t i = 0; i < record->output_count; i++) {
        ARUS_TRY(put_text(out, record->outputs[i].name, err));
        ARUS_TRY(put_text(out, record->outputs[i].manifest, err));
    }
    return ARUS_OK;
}

/* ---- reading ---- */

struct cursor {
    struct arus_text rest;
    struct arus_arena *arena;
    bool is_bad;
};

static int64_t take_int(struct cursor *cursor)
{
    int64_t value = 0;

    if (cursor->rest.size < sizeof value) {
        cursor->is_bad = true;
        return 0;
    }
    memcpy(&value, cursor->rest.data, sizeof value);
    cursor->rest.data += sizeof value;
    cursor->rest.size -= sizeof value;
    return value;
}

static enum arus_status take_text(struct cursor *cursor, struct arus_text *out,
                                  struct arus_error *err)
{
    const int64_t size = take_int(cursor);
    const struct arus_text text = {cursor->rest.data, (size_t)size};

    *out = (struct arus_text){0};
    if (size < 0 || (uint64_t)size > cursor->rest.size) {
        cursor->is_bad = true;
        return ARUS_OK;
    }
    cursor->rest.data += size;
    cursor->rest.size -= (size_t)size;
    return arus_text_copy(text, cursor->arena, out, err);
}

static size_t take_count(struct cursor *cursor)
{
    const int64_t count = take_int(cursor);

    if (count < 0 || (uint64_t)count > cursor->rest.size) {
        cursor->is_bad = true;
        return 0;
    }
    return (size_t)count;
}

static enum arus_status take_lists(struct cursor *cursor, struct arus_batch_record *out,
                                   struct arus_error *err)
{
    struct arus_batch_output *outputs = NULL;
    struct arus_text *offsets = NULL;

    out->plan.offset_count = take_count(cursor);
    ARUS_TRY(ARUS_NEW(cursor->arena, struct arus_text, out->plan.offset_count, &offsets, err));
    out->plan.offsets = offsets;
    for (size_t i = 0; i < out->plan.offset_count; i++) {
        ARUS_TRY(take_text(cursor, &offsets[i], err));
    }
    out->output_count = take_count(cursor);
    ARUS_TRY(ARUS_NEW(cursor->arena, struct arus_batch_output, out->output_count, &outputs, err));
    out->outputs = outputs;
    for (size_t i = 0; i < out->output_count; i++) {
        ARUS_TRY(take_text(cursor, &outputs[i].name, err));
        ARUS_TRY(take_text(cursor, &outputs[i].manifest, err));
    }
    return ARUS_OK;
}

enum arus_status arus_record_decode(struct arus_text bytes, struct arus_arena *arena,
                                    struct arus_stored_batch *out, struct arus_error *err)
{
    struct cursor cursor = {.rest = bytes, .arena = arena};
    const int64_t version = take_int(&cursor);

    *out = (struct arus_stored_batch){0};
    if (version > RECORD_VERSION) {
        return arus_fail(err, ARUS_MISMATCH, "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
                         "the journal holds a batch of format %lld, this arus reads %d",
                         (long long)version, RECORD_VERSION);
    }
    out->record.plan.batch_id = take_int(&cursor);
    out->record.plan.watermark_ms = take_int(&cursor);
    out->record.plan.timestamp_ms = take_int(&cursor);
    out->record.next_watermark_ms = take_int(&cursor);
    ARUS_TRY(take_text(&cursor, &out->record.plan.extra, err));
    ARUS_TRY(take_text(&cursor, &out->record.extra, err));
    ARUS_TRY(take_text(&cursor, &out->offsets_text, err));
    ARUS_TRY(take_lists(&cursor, &out->record, err));
    if (cursor.is_bad) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_JOURNAL_DAMAGED",
                         "the journal's record of a batch is damaged");
    }
    return ARUS_OK;
}

enum arus_status arus_record_get(struct arus_store *store, int64_t batch_id,
                                 struct arus_arena *arena, struct arus_stored_batch *out,
                                 bool *is_found, struct arus_error *err)
{
    struct arus_store_read read;
    struct arus_text value;
    enum arus_status status;
    char key[8];

    *out = (struct arus_stored_batch){0};
    arus_store_key_u64(key, (uint64_t)batch_id);
    ARUS_TRY(arus_store_read_begin(store, &read, err));
    status = arus_store_get(&read, ARUS_STORE_BATCH, (struct arus_text){key, sizeof key}, &value,
                            is_found, err);
    if (status == ARUS_OK && *is_found) {
        status = arus_record_decode(value, arena, out, err);
    }
    arus_store_read_end(&read);
    return status;
}

enum arus_status arus_record_range(struct arus_store *store, int64_t *oldest, int64_t *newest,
                                   struct arus_error *err)
{
    struct arus_store_cursor cursor = {0};
    struct arus_store_read read;
    struct arus_text value;
    struct arus_text key;
    bool is_found = false;
    bool is_end = true;
    char below[8];
    enum arus_status status;

    *oldest = -1;
    *newest = -1;
    arus_store_key_u64(below, INT64_MAX);
    ARUS_TRY(arus_store_read_begin(store, &read, err));
    status = arus_store_last(&read, ARUS_STORE_BATCH, (struct arus_text){0},
                             (struct arus_text){below, sizeof below}, &key, &value, &is_found, err);
    if (status == ARUS_OK && is_found) {
        *newest = (int64_t)arus_store_key_read(key.data);
        status =
            arus_store_cursor_open(&read, ARUS_STORE_BATCH, (struct arus_text){0}, &cursor, err);
    }
    if (status == ARUS_OK && is_found) {
        status = arus_store_cursor_next(&cursor, &key, &value, &is_end, err);
    }
    if (status == ARUS_OK && !is_end) {
        *oldest = (int64_t)arus_store_key_read(key.data);
    }
    arus_store_cursor_close(&cursor);
    arus_store_read_end(&read);
    return status;
}

/* ---- META ---- */

enum arus_status arus_meta_text(struct arus_store *store, const char *name,
                                struct arus_arena *arena, struct arus_text *out, bool *is_found,
                                struct arus_error *err)
{
    struct arus_store_read read;
    struct arus_text value;
    enum arus_status status;

    *out = (struct arus_text){0};
    ARUS_TRY(arus_store_read_begin(store, &read, err));
    status = arus_store_get(&read, ARUS_STORE_META, arus_text_of(name), &value, is_found, err);
    if (status == ARUS_OK && *is_found) {
        status = arus_text_copy(value, arena, out, err);
    }
    arus_store_read_end(&read);
    return status;
}

enum arus_status arus_meta_number(struct arus_store *store, const char *name, int64_t fallback,
                                  int64_t *out, struct arus_error *err)
{
    struct arus_store_read read;
    struct arus_text value;
    enum arus_status status;
    bool is_found;

    *out = fallback;
    ARUS_TRY(arus_store_read_begin(store, &read, err));
    status = arus_store_get(&read, ARUS_STORE_META, arus_text_of(name), &value, &is_found, err);
    if (status == ARUS_OK && is_found && value.size == sizeof *out) {
        memcpy(out, value.data, sizeof *out);
    }
    arus_store_read_end(&read);
    return status;
}

enum arus_status arus_meta_put_number(struct arus_store_write *write, const char *name,
                                      int64_t value, struct arus_error *err)
{
    char bytes[sizeof value];

    memcpy(bytes, &value, sizeof value);
    return arus_store_put_copy(write, ARUS_STORE_META, arus_text_of(name),
                               (struct arus_text){bytes, sizeof bytes}, err);
}
