#include "exec/distinct.h"

#include "base/alloc.h"

#define VALUE_BITS 32 /* of a narrow argument; then whether it has one, then the group */

static bool is_one_word(const struct arus_type *const *types, uint32_t count, bool has_groups)
{
    if (count != 1 || arus_type_is_nested(types[0]) || types[0]->id == ARUS_TYPE_VOID) {
        return false;
    }
    return arus_type_value_size(types[0]) <= (has_groups ? 4U : 8U);
}

enum arus_status arus_distinct_init(struct arus_distinct *distinct,
                                    const struct arus_type *const *types, uint32_t count,
                                    bool has_groups, struct arus_error *err)
{
    const struct arus_type **keys;
    enum arus_status status;

    *distinct = (struct arus_distinct){.is_word = is_one_word(types, count, has_groups)};
    if (distinct->is_word) {
        return ARUS_OK;
    }
    keys = arus_alloc((size_t)count + 1, sizeof *keys);
    if (keys == NULL) {
        return arus_fail_memory(err);
    }
    for (uint32_t k = 0; k < count; k++) {
        keys[k] = types[k];
    }
    keys[count] = &ARUS_INT;
    status = arus_group_table_init(&distinct->table, keys, count + has_groups, 0, err);
    arus_free(keys);
    return status;
}

void arus_distinct_release(struct arus_distinct *distinct)
{
    arus_word_set_release(&distinct->words);
    arus_group_table_release(&distinct->table);
    *distinct = (struct arus_distinct){0};
}

/* ---- words ---- */

/* Equal numbers have equal bits: one zero, one NaN. */
static uint64_t double_bits(double value)
{
    uint64_t bits;

    value = value == value ? value + 0.0 : (double)__builtin_nan("");
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t float_bits(float value)
{
    uint32_t bits;

    value = value == value ? value + 0.0F : __builtin_nanf("");
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#define WORDS(c_type, bits_of)                                                                     \
    for (uint32_t i = 0; i < arg->row_count; i++) {                                                \
        words[i] = bits_of(((const c_type *)arg->values)[i]);                                      \
    }

static void take_words(const struct arus_vector *arg, uint64_t *words)
{
    if (arg->type->id == ARUS_TYPE_DOUBLE) {
        WORDS(double, double_bits)
    } else if (arg->type->id == ARUS_TYPE_FLOAT) {
        WORDS(float, float_bits)
    } else if (arus_type_value_size(arg->type) == 8) {
        WORDS(uint64_t, )
    } else if (arus_type_value_size(arg->type) == 4) {
        WORDS(uint32_t, )
    } else if (arus_type_value_size(arg->type) == 2) {
        WORDS(uint16_t, )
    } else {
        WORDS(uint8_t, )
    }
}
#undef WORDS

/* A narrow argument beside its group; one that is null has no bits of its own. */
static void add_groups(const struct arus_vector *arg, const uint32_t *groups, uint64_t *words)
{
    for (uint32_t i = 0; i < arg->row_count; i++) {
        const uint64_t group = groups == NULL ? 0 : groups[i];
        const uint64_t has_value = arus_bit_get(arg->validity, i);

        words[i] = group << (VALUE_BITS + 1) | has_value << VALUE_BITS | (has_value * words[i]);
    }
}

/* Words of 8 bytes leave no room for null: the first such row is told by a flag. */
static uint32_t leave_nulls(struct arus_distinct *distinct, const struct arus_vector *arg,
                            uint64_t *words, uint32_t *rows, uint32_t *first_null)
{
    uint32_t count = 0;

    *first_null = UINT32_MAX;
    for (uint32_t i = 0; i < arg->row_count; i++) {
        if (arus_bit_get(arg->validity, i)) {
            words[count] = words[i];
            rows[count++] = i;
        } else if (!distinct->has_null) {
            distinct->has_null = true;
            *first_null = i;
        }
    }
    return count;
}

/* Puts the row with the first null among the others. */
static void insert_row(uint32_t *rows, uint32_t *count, uint32_t row)
{
    uint32_t at = (*count)++;

    for (; at > 0 && rows[at - 1] > row; at--) {
        rows[at] = rows[at - 1];
    }
    rows[at] = row;
}

static enum arus_status find_wide(struct arus_distinct *distinct, const struct arus_vector *arg,
                                  uint64_t *words, struct arus_arena *step, uint32_t *fresh,
                                  uint32_t *fresh_count, struct arus_error *err)
{
    uint32_t *rows;
    uint32_t first_null;
    uint32_t count;

    if (arg->validity == NULL) {
        return arus_word_set_add(&distinct->words, words, arg->row_count, fresh, fresh_count, err);
    }
    ARUS_TRY(ARUS_NEW(step, uint32_t, arg->row_count, &rows, err));
    count = leave_nulls(distinct, arg, words, rows, &first_null);
    ARUS_TRY(arus_word_set_add(&distinct->words, words, count, fresh, fresh_count, err));
    for (uint32_t i = 0; i < *fresh_count; i++) {
        fresh[i] = rows[fresh[i]];
    }
    if (first_null != UINT32_MAX) {
        insert_row(fresh, fresh_count, first_null);
    }
    return ARUS_OK;
}

static enum arus_status find_word(struct arus_distinct *distinct, const struct arus_vector *arg,
                                  const uint32_t *groups, struct arus_arena *step, uint32_t *fresh,
                                  uint32_t *fresh_count, struct arus_error *err)
{
    uint64_t *words;
    struct arus_vector flat;

    ARUS_TRY(arus_vector_flatten(arg, step, &flat, err));
    ARUS_TRY(ARUS_NEW(step, uint64_t, flat.row_count, &words, err));
    take_words(&flat, words);
    if (arus_type_value_size(flat.type) == 8) {
        return find_wide(distinct, &flat, words, step, fresh, fresh_count, err);
    }
    add_groups(&flat, groups, words);
    return arus_word_set_add(&distinct->words, words, flat.row_count, fresh, fresh_count, err);
}

/* ---- all else ---- */

static enum arus_status find_key(struct arus_distinct *distinct, const struct arus_vector *args,
                                 const uint32_t *groups, uint32_t row_count,
                                 struct arus_arena *step, uint32_t *fresh, uint32_t *fresh_count,
                                 struct arus_error *err)
{
    struct arus_group_table *table = &distinct->table;
    const uint32_t key_count = table->key_count;
    uint32_t known = table->group_count;
    struct arus_vector *keys;
    uint64_t *hashes;
    uint32_t *found;

    ARUS_TRY(ARUS_NEW(step, struct arus_vector, (size_t)key_count + 1, &keys, err));
    ARUS_TRY(ARUS_NEW(step, uint64_t, row_count, &hashes, err));
    ARUS_TRY(ARUS_NEW(step, uint32_t, row_count, &found, err));
    for (uint32_t k = 0; k < key_count - (groups != NULL); k++) {
        ARUS_TRY(arus_vector_flatten(&args[k], step, &keys[k], err));
    }
    if (groups != NULL) {
        ARUS_TRY(arus_vector_init(&keys[key_count - 1], &ARUS_INT, row_count, step, err));
        memcpy(keys[key_count - 1].values, groups, row_count * sizeof *groups);
    }
    arus_keys_hash(keys, key_count, row_count, hashes);
    ARUS_TRY(arus_group_table_find(table, keys, row_count, hashes, found, err));
    for (uint32_t i = 0; i < row_count; i++) {
        if (found[i] >= known) {
            fresh[(*fresh_count)++] = i;
            known = found[i] + 1;
        }
    }
    return ARUS_OK;
}

enum arus_status arus_distinct_find(struct arus_distinct *distinct, const struct arus_vector *args,
                                    const uint32_t *groups, uint32_t row_count,
                                    struct arus_arena *step, uint32_t **fresh,
                                    uint32_t *fresh_count, struct arus_error *err)
{
    *fresh_count = 0;
    ARUS_TRY(ARUS_NEW(step, uint32_t, (size_t)row_count + 1, fresh, err));
    return distinct->is_word
               ? find_word(distinct, &args[0], groups, step, *fresh, fresh_count, err)
               : find_key(distinct, args, groups, row_count, step, *fresh, fresh_count, err);
}
