/** Taking batches out of stored state without opening it. */
#include "state/state_internal.h"

/* The lane of the first key at or behind `*at`; false: there is none. */
static enum arus_status next_lane(struct arus_store_read *read, struct arus_state_key *at,
                                  bool *is_found, struct arus_error *err)
{
    char bytes[ARUS_STATE_KEY_SIZE];
    struct arus_store_cursor cursor = {0};
    struct arus_text name;
    struct arus_text value;
    bool is_end = true;
    enum arus_status status = arus_store_cursor_open(read, ARUS_STORE_STATE,
                                                     arus_state_key_write(at, bytes), &cursor, err);

    if (status == ARUS_OK) {
        status = arus_store_cursor_next(&cursor, &name, &value, &is_end, err);
    }
    *is_found = status == ARUS_OK && !is_end && name.size == ARUS_STATE_KEY_SIZE;
    if (*is_found) {
        *at = arus_state_key_read(name.data);
    }
    arus_store_cursor_close(&cursor);
    return status;
}

static enum arus_status forget_in_lane(const struct arus_state_key *lane, int64_t batch_id,
                                       struct arus_store_write *write, struct arus_error *err)
{
    const struct arus_state_key begin = {.op = lane->op, .lane = lane->lane, .batch = batch_id + 1};
    const struct arus_state_key end = {.op = lane->op, .lane = lane->lane, .batch = INT64_MAX};
    char from[ARUS_STATE_KEY_SIZE];
    char to[ARUS_STATE_KEY_SIZE];

    return arus_store_delete_range(write, ARUS_STORE_STATE, arus_state_key_write(&begin, from),
                                   arus_state_key_write(&end, to), err);
}

enum arus_status arus_state_forget_after(struct arus_store *store, int64_t batch_id,
                                         struct arus_store_write *write, struct arus_error *err)
{
    struct arus_state_key at = {0};
    struct arus_store_read read;
    enum arus_status status;
    bool is_found = true;

    ARUS_TRY(arus_store_read_begin(store, &read, err));
    for (;;) {
        status = next_lane(&read, &at, &is_found, err);
        if (status != ARUS_OK || !is_found) {
            break;
        }
        status = forget_in_lane(&at, batch_id, write, err);
        if (status != ARUS_OK) {
            break;
        }
        at.batch = INT64_MAX; /* behind all of the lane */
    }
    arus_store_read_end(&read);
    return status;
}
