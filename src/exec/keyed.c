#include "exec/keyed.h"

enum arus_status arus_keyed_make(const struct arus_row_code *code,
                                 const struct arus_vector *columns, uint32_t row_count,
                                 struct arus_arena *arena, struct arus_keyed *out,
                                 struct arus_error *err)
{
    struct arus_row_bytes rows;
    void *memory;

    ARUS_TRY(arus_row_code_encode(code, columns, row_count, arena, &rows, err));
    ARUS_TRY(arus_arena_buffer(arena, (size_t)row_count * sizeof *out->keys + 1, &memory, err));
    out->keys = memory;
    ARUS_TRY(arus_arena_buffer(arena, (size_t)row_count * sizeof *out->hashes + 1, &memory, err));
    out->hashes = memory;
    out->row_count = row_count;
    for (uint32_t i = 0; i < row_count; i++) {
        out->keys[i] =
            (struct arus_text){rows.bytes + rows.starts[i], rows.starts[i + 1] - rows.starts[i]};
        out->hashes[i] = arus_state_hash(out->keys[i].data, out->keys[i].size);
    }
    return ARUS_OK;
}

enum arus_status arus_keyed_gather(const struct arus_keyed *keyed, const uint32_t *rows,
                                   struct arus_arena *arena, struct arus_row_bytes *keys,
                                   uint64_t **hashes, struct arus_error *err)
{
    const uint32_t row_count = keyed->row_count;
    uint32_t end = 0;
    size_t size = 0;
    void *memory;

    for (uint32_t i = 0; i < row_count; i++) {
        size += keyed->keys[i].size;
    }
    ARUS_TRY(arus_arena_buffer(arena, ((size_t)row_count + 1) * sizeof(uint32_t), &memory, err));
    *keys = (struct arus_row_bytes){.starts = memory, .row_count = row_count};
    ARUS_TRY(arus_arena_buffer(arena, (size_t)row_count * sizeof **hashes + 1, &memory, err));
    *hashes = memory;
    ARUS_TRY(arus_arena_buffer(arena, size + 1, &memory, err));
    keys->bytes = memory;
    for (uint32_t i = 0; i < row_count; i++) {
        const struct arus_text key = keyed->keys[rows[i]];

        memcpy(keys->bytes + end, key.data, key.size);
        keys->starts[i] = end;
        (*hashes)[i] = keyed->hashes[rows[i]];
        end += (uint32_t)key.size;
    }
    keys->starts[row_count] = end;
    return ARUS_OK;
}

enum arus_status arus_event_times(const struct arus_vector *column, struct arus_arena *arena,
                                  int64_t **out, struct arus_error *err)
{
    const bool is_window = column->type->id == ARUS_TYPE_STRUCT;
    const struct arus_vector *times;
    struct arus_vector flat;
    void *memory;

    ARUS_TRY(arus_vector_flatten(column, arena, &flat, err));
    ARUS_TRY(
        arus_arena_buffer(arena, (size_t)column->row_count * sizeof(int64_t) + 1, &memory, err));
    *out = memory;
    times = is_window ? &flat.children[1] : &flat;
    if (column->row_count != 0) {
        memcpy(*out, times->values, column->row_count * sizeof(int64_t));
    }
    for (uint32_t i = 0;
         (flat.validity != NULL || times->validity != NULL) && i < column->row_count; i++) {
        if (!arus_bit_get(flat.validity, i) || !arus_bit_get(times->validity, i)) {
            (*out)[i] = ARUS_STATE_NEVER;
        }
    }
    return ARUS_OK;
}

enum arus_status arus_by_partition_make(const uint64_t *hashes, uint32_t row_count,
                                        struct arus_arena *arena, struct arus_by_partition *out,
                                        struct arus_error *err)
{
    uint32_t at[ARUS_STATE_PART_COUNT] = {0};
    uint32_t end = 0;
    void *memory;

    ARUS_TRY(arus_arena_buffer(arena, (size_t)row_count * sizeof *out->rows + 1, &memory, err));
    out->rows = memory;
    for (uint32_t i = 0; i < row_count; i++) {
        at[arus_state_part_of(hashes[i])]++;
    }
    for (uint32_t p = 0; p < ARUS_STATE_PART_COUNT; p++) {
        const uint32_t count = at[p];

        out->begin[p] = end;
        at[p] = end;
        end += count;
    }
    out->begin[ARUS_STATE_PART_COUNT] = end;
    for (uint32_t i = 0; i < row_count; i++) {
        out->rows[at[arus_state_part_of(hashes[i])]++] = i;
    }
    return ARUS_OK;
}
