/** LIMIT in append mode counts over the whole life of a query: one number. */
#include "exec/stateful.h"

#define LIMIT_FIXED 16u

static uint64_t limit_hash(void)
{
    return arus_state_hash("", 0);
}

enum arus_status arus_limit_state_open(struct arus_state_operator_config *table)
{
    table->layout = (struct arus_state_layout){.fixed_size = LIMIT_FIXED};
    return ARUS_OK;
}

static struct arus_state_part *limit_part(const struct arus_stateful *stateful)
{
    return arus_stateful_table_part(stateful, 0, arus_state_part_of(limit_hash()));
}

int64_t arus_limit_state_get(const struct arus_stateful *stateful)
{
    const struct arus_state_part *part = limit_part(stateful);
    const uint32_t entry = arus_state_part_get(part, ARUS_TEXT(""), limit_hash());
    int64_t count = 0;

    if (entry != ARUS_STATE_NONE) {
        memcpy(&count, arus_state_part_fixed(part, entry), sizeof count);
    }
    return count;
}

enum arus_status arus_limit_state_set(struct arus_stateful *stateful, int64_t count,
                                      struct arus_error *err)
{
    const uint32_t partition = arus_state_part_of(limit_hash());
    const struct arus_text key = ARUS_TEXT("");
    const uint64_t hash = limit_hash();
    const struct arus_state_keys keys = {&key, &hash, NULL};
    struct arus_state_part *part = limit_part(stateful);
    uint32_t entry;

    if (count == arus_limit_state_get(stateful)) {
        return ARUS_OK; /* rule: counted only once rows came through */
    }
    ARUS_TRY(arus_state_part_find(part, &keys, NULL, 1, &entry, NULL, err));
    ARUS_TRY(arus_state_part_touch(part, entry, err));
    memcpy(arus_state_part_fixed(part, entry), &count, sizeof count);
    stateful->parts[partition].updated_rows = 1;
    return ARUS_OK;
}
