/** Building by inserting from the last row, so that chains run in row order. */
#include "exec/join_table.h"

#include "base/prefetch.h"

static bool has_null(const struct arus_vector *keys, uint32_t key_count, const bool *is_null_safe,
                     uint32_t row)
{
    for (uint32_t k = 0; k < key_count; k++) {
        if (!is_null_safe[k] && !arus_bit_get(keys[k].validity, row)) {
            return true;
        }
    }
    return false;
}

static enum arus_status make_index(struct arus_join_table *table, const bool *is_null_safe,
                                   struct arus_error *err)
{
    uint32_t slots = 1024;
    void *memory;

    while (slots < table->row_count * 2 && slots < ((uint32_t)1 << 31)) {
        slots *= 2;
    }
    table->mask = slots - 1;
    ARUS_TRY(ARUS_NEW(&table->arena, uint32_t, slots, &table->heads, err));
    ARUS_TRY(ARUS_NEW(&table->arena, uint32_t, table->row_count, &table->next, err));
    ARUS_TRY(arus_arena_buffer(&table->arena, (size_t)table->row_count * sizeof(uint64_t), &memory,
                               err));
    table->hashes = memory;
    arus_keys_hash(table->keys, table->key_count, table->row_count, table->hashes);
    for (uint32_t i = table->row_count; i-- > 0;) {
        uint32_t *head = &table->heads[(uint32_t)table->hashes[i] & table->mask];

        if (has_null(table->keys, table->key_count, is_null_safe, i)) {
            table->has_null_key = true;
            continue;
        }
        table->next[i] = *head;
        *head = i + 1;
    }
    return ARUS_OK;
}

/* All rows of the stores, and one of nulls behind them. */
static enum arus_status gather_rows(struct arus_join_table *table,
                                    const struct arus_row_store *rows, size_t store_count,
                                    const struct arus_type *schema, struct arus_error *err)
{
    struct arus_batch parts[2] = {{0}, {.schema = schema, .row_count = 1}};
    struct arus_arena scratch = {0};
    enum arus_status status;

    status = arus_row_store_concat(rows, store_count, schema, &scratch, &parts[0], err);
    if (status != ARUS_OK) {
        goto out;
    }
    status = ARUS_NEW(&scratch, struct arus_vector, schema->field_count, &parts[1].columns, err);
    for (uint16_t f = 0; status == ARUS_OK && f < schema->field_count; f++) {
        status =
            arus_vector_init_null(&parts[1].columns[f], schema->fields[f].type, 1, &scratch, err);
    }
    if (status != ARUS_OK) {
        goto out;
    }
    table->row_count = parts[0].row_count;
    status = arus_batch_concat(parts, 2, schema, &table->arena, &table->rows, err);
out:
    arus_arena_release(&scratch);
    return status;
}

enum arus_status arus_join_table_make(struct arus_join_table *table,
                                      const struct arus_row_store *rows,
                                      const struct arus_row_store *keys, size_t store_count,
                                      const struct arus_type *row_schema,
                                      const struct arus_type *key_schema, const bool *is_null_safe,
                                      bool keeps_marks, struct arus_error *err)
{
    struct arus_batch key_rows;
    void *marks;

    arus_join_table_release(table);
    ARUS_TRY(gather_rows(table, rows, store_count, row_schema, err));
    ARUS_TRY(arus_row_store_concat(keys, store_count, key_schema, &table->arena, &key_rows, err));
    table->keys = key_rows.columns;
    table->key_count = key_schema->field_count;
    table->equal = arus_keys_equal_for(table->keys, table->key_count);
    if (keeps_marks) {
        ARUS_TRY(arus_arena_alloc(&table->arena, table->row_count, &marks, err));
        table->matched = marks;
    }
    return make_index(table, is_null_safe, err);
}

void arus_join_table_release(struct arus_join_table *table)
{
    arus_arena_release(&table->arena);
    *table = (struct arus_join_table){0};
}

void arus_join_table_probe(const struct arus_join_table *table, const struct arus_vector *keys,
                           const uint64_t *hashes, uint32_t row_count, const bool *is_null_safe,
                           uint32_t *row, uint32_t *chain, uint32_t *probe_rows,
                           uint32_t *build_rows, uint32_t pair_max, uint32_t *pair_count)
{
    uint32_t i = *row;
    uint32_t at = *chain;
    uint32_t count = 0;

    while (i < row_count) {
        if (at == 0) {
            at = has_null(keys, table->key_count, is_null_safe, i)
                     ? 0
                     : table->heads[(uint32_t)hashes[i] & table->mask];
            if (i + 8 < row_count) {
                arus_prefetch(&table->heads[(uint32_t)hashes[i + 8] & table->mask]);
            }
        }
        for (; at != 0; at = table->next[at - 1]) {
            if (table->hashes[at - 1] != hashes[i] ||
                !table->equal(keys, i, table->keys, at - 1, table->key_count)) {
                continue;
            }
            if (count == pair_max) {
                *row = i;
                *chain = at;
                *pair_count = count;
                return;
            }
            probe_rows[count] = i;
            build_rows[count] = at - 1;
            count++;
        }
        i++;
    }
    *row = i;
    *chain = 0;
    *pair_count = count;
}
