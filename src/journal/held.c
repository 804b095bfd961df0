/** The bytes of small parts in the journal: put, walked, forgotten when their files are synced. */
#include "journal/held.h"

#include "journal/held_internal.h"

#include <string.h>

#define KEY_SIZE (ARUS_LOG_KEY_SIZE + 8 + 4)
#define HELD_MAX ((uint64_t)4 << 20) /* bytes in the journal that wait for their files */

static void batch_key(const struct arus_log *log, int64_t batch_id, char out[KEY_SIZE])
{
    memset(out, 0, KEY_SIZE);
    memcpy(out, log->key, ARUS_LOG_KEY_SIZE);
    arus_store_key_u64(out + ARUS_LOG_KEY_SIZE, (uint64_t)batch_id);
}

uint64_t arus_held_room(const struct arus_log_set *set)
{
    const uint64_t used = set->mirrors.waiting_weight + set->mirrors.running_weight;

    return used < HELD_MAX ? HELD_MAX - used : 0;
}

/* size of the name, name, bytes */
enum arus_status arus_held_add(struct arus_log *log, int64_t batch_id, uint32_t index,
                               struct arus_text name, struct arus_text bytes,
                               struct arus_error *err)
{
    struct arus_buffer value = {0};
    char key[KEY_SIZE];
    char size[8];
    enum arus_status status;

    batch_key(log, batch_id, key);
    for (int i = 0; i < 4; i++) {
        key[KEY_SIZE - 1 - i] = (char)(index >> 8 * i & 0xff);
    }
    arus_store_key_u64(size, name.size);
    status = arus_buffer_append(&value, size, sizeof size, err);
    if (status == ARUS_OK) {
        status = arus_buffer_append_text(&value, name, err);
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_text(&value, bytes, err);
    }
    if (status == ARUS_OK) {
        status =
            arus_store_put_copy(log->set->write, ARUS_STORE_HELD,
                                (struct arus_text){key, sizeof key}, arus_buffer_text(&value), err);
    }
    arus_buffer_release(&value);
    return status;
}

static enum arus_status give(struct arus_text key, struct arus_text value, arus_held_fn fn,
                             void *self, struct arus_error *err)
{
    const int64_t batch_id = (int64_t)arus_store_key_read(key.data + ARUS_LOG_KEY_SIZE);
    const uint64_t size = value.size < 8 ? UINT64_MAX : arus_store_key_read(value.data);
    struct arus_text name;
    struct arus_text bytes;

    if (size > value.size - 8) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_JOURNAL_DAMAGED",
                         "a part that the journal holds is damaged");
    }
    name = (struct arus_text){value.data + 8, (size_t)size};
    bytes = (struct arus_text){name.data + size, value.size - 8 - (size_t)size};
    return fn(self, batch_id, name, bytes, err);
}

enum arus_status arus_held_each(struct arus_log *log, int64_t from, int64_t to, arus_held_fn fn,
                                void *self, struct arus_error *err)
{
    struct arus_store_cursor cursor = {0};
    struct arus_store_read read;
    enum arus_status status;
    char begin[KEY_SIZE];
    char end[KEY_SIZE];

    batch_key(log, from, begin);
    batch_key(log, to + 1, end);
    ARUS_TRY(arus_store_read_begin(log->set->store, &read, err));
    status = arus_store_cursor_open(&read, ARUS_STORE_HELD, (struct arus_text){begin, sizeof begin},
                                    &cursor, err);
    while (status == ARUS_OK) {
        struct arus_text key;
        struct arus_text value;
        bool is_end;

        status = arus_store_cursor_next(&cursor, &key, &value, &is_end, err);
        if (status != ARUS_OK || is_end || key.size != KEY_SIZE ||
            memcmp(key.data, end, KEY_SIZE) >= 0) {
            break;
        }
        status = give(key, value, fn, self, err);
    }
    arus_store_cursor_close(&cursor);
    arus_store_read_end(&read);
    return status;
}

enum arus_status arus_held_written(struct arus_log *log, const char *path, uint64_t size,
                                   struct arus_error *err)
{
    log->set->mirrors.waiting_weight += size;
    log->set->has_held = true;
    return arus_mirrors_add(&log->set->mirrors, path, err);
}

struct arus_spares *arus_held_spares(struct arus_log *log)
{
    return log->spares;
}

enum arus_status arus_held_made(struct arus_log *log, const char *path, struct arus_error *err)
{
    return arus_mirrors_add_folder(&log->set->mirrors, path, err);
}

enum arus_status arus_held_cut(const char key[ARUS_LOG_KEY_SIZE], int64_t from, int64_t to,
                               struct arus_store_write *write, struct arus_error *err)
{
    char begin[KEY_SIZE] = {0};
    char end[KEY_SIZE] = {0};

    memcpy(begin, key, ARUS_LOG_KEY_SIZE);
    memcpy(end, key, ARUS_LOG_KEY_SIZE);
    arus_store_key_u64(begin + ARUS_LOG_KEY_SIZE, (uint64_t)from);
    arus_store_key_u64(end + ARUS_LOG_KEY_SIZE, (uint64_t)to);
    return arus_store_delete_range(write, ARUS_STORE_HELD, (struct arus_text){begin, sizeof begin},
                                   (struct arus_text){end, sizeof end}, err);
}

enum arus_status arus_held_cut_sinks(struct arus_log_set *set, int64_t from, int64_t to,
                                     struct arus_error *err)
{
    for (size_t i = 0; i < set->log_count; i++) {
        if (set->logs[i]->kind == ARUS_LOG_SINK) {
            ARUS_TRY(arus_held_cut(set->logs[i]->key, from, to, set->write, err));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_held_forget(struct arus_log_set *set, struct arus_error *err)
{
    const int64_t below = set->mirrors.durable_below;

    return set->has_held && below > set->forgotten_below ? arus_held_cut_sinks(set, 0, below, err)
                                                         : ARUS_OK;
}

static enum arus_status take_name(void *self, int64_t batch_id, struct arus_text name,
                                  struct arus_text bytes, struct arus_error *err)
{
    struct arus_log *log = (struct arus_log *)self;
    uint32_t index;
    bool is_new;

    (void)batch_id;
    (void)bytes;
    return arus_text_table_add(&log->held_names, name, &index, &is_new, err);
}

enum arus_status arus_held_has(struct arus_log *log, const char *path, bool *out,
                               struct arus_error *err)
{
    struct arus_path sink;
    size_t size;

    *out = false;
    if (!log->has_held_names) {
        ARUS_TRY(arus_held_each(log, 0, INT64_MAX - 1, take_name, log, err));
        log->has_held_names = true;
    }
    arus_path_parent(&sink, log->folder.text);
    size = strlen(sink.text);
    if (strncmp(path, sink.text, size) == 0 && path[size] == '/') {
        *out = arus_text_table_find(&log->held_names, arus_text_of(path + size + 1)) >= 0;
    }
    return ARUS_OK;
}
