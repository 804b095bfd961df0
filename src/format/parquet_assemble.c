/** Follows the levels of a column to find slots, nulls and elements; puts values into their slots.
 */
#include "format/parquet_assemble.h"

#include "base/attr.h"

#include <string.h>

/** The levels of one column. */
struct levels {
    const uint8_t *repetitions;
    const uint8_t *definitions;
    uint32_t count;
};

static struct levels levels_of(const struct arus_parquet_columns *columns, uint32_t column)
{
    const struct arus_parquet_column *from = columns->items[column];

    return (struct levels){from->node->repetition == 0 ? NULL : from->repetitions.data,
                           from->definitions.data, from->entry_count};
}

static enum arus_status contradiction(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT",
                     "columns of a nested value contradict each other");
}

static bool begins_slot(const struct levels *levels, const struct arus_parquet_want *want,
                        uint32_t i)
{
    return (levels->repetitions == NULL || levels->repetitions[i] <= want->slot_repetition) &&
           levels->definitions[i] >= want->slot_definition;
}

/** How many slots begin; *has_null: not all of them have a value. */
ARUS_KERNEL static uint32_t count_slots(const struct arus_parquet_want *want,
                                        const uint8_t *repetitions, const uint8_t *definitions,
                                        uint32_t count, uint8_t *has_null)
{
    const uint8_t slot_repetition = want->slot_repetition;
    const uint8_t slot_definition = want->slot_definition;
    const uint8_t definition = want->definition;
    uint32_t slots = 0;
    uint8_t nulls = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uint8_t begins =
            (repetitions[i] <= slot_repetition) & (definitions[i] >= slot_definition);

        slots += begins;
        nulls |= begins & (definitions[i] < definition);
    }
    *has_null = nulls;
    return slots;
}

/** Validity of the slots; NULL when all have a value. `*value_count`: slots with one. */
static enum arus_status find_nulls(const struct arus_parquet_want *want,
                                   const struct levels *levels, uint32_t row_count,
                                   struct arus_arena *arena, uint64_t **validity,
                                   uint32_t *value_count, struct arus_error *err)
{
    const size_t words = arus_validity_words(row_count);
    uint32_t slots = 0;
    uint32_t values = 0;
    uint8_t has_null = 1;
    uint64_t *bits;
    void *memory;

    if (levels->repetitions != NULL) {
        *value_count =
            count_slots(want, levels->repetitions, levels->definitions, levels->count, &has_null);
    }
    if (has_null == 0) {
        *validity = NULL;
        return *value_count == row_count ? ARUS_OK : contradiction(err);
    }
    ARUS_TRY(arus_arena_buffer(arena, (words + 1) * sizeof(uint64_t), &memory, err));
    bits = memory;
    memset(bits, 0, (words + 1) * sizeof(uint64_t));
    for (uint32_t i = 0; i < levels->count; i++) {
        if (begins_slot(levels, want, i)) {
            const bool is_valid = levels->definitions[i] >= want->definition;

            if (slots == row_count) {
                return contradiction(err);
            }
            bits[slots / 64] |= (uint64_t)is_valid << (slots % 64);
            values += is_valid;
            slots++;
        }
    }
    *validity = values == slots ? NULL : bits;
    *value_count = values;
    return slots == row_count ? ARUS_OK : contradiction(err);
}

/** The common case: no lists around; a slot an entry. */
static enum arus_status find_flat_nulls(const struct arus_parquet_want *want,
                                        const struct levels *levels, uint32_t row_count,
                                        struct arus_arena *arena, uint64_t **validity,
                                        struct arus_error *err)
{
    const size_t words = arus_validity_words(row_count);
    uint8_t has_null = 0;
    uint64_t *bits;
    void *memory;

    *validity = NULL;
    if (levels->count != row_count) {
        return contradiction(err);
    }
    for (uint32_t i = 0; i < row_count; i++) {
        has_null |= levels->definitions[i] < want->definition;
    }
    if (has_null == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arena_buffer(arena, words * sizeof(uint64_t), &memory, err));
    bits = memory;
    memset(bits, 0, words * sizeof(uint64_t));
    for (uint32_t i = 0; i < row_count; i++) {
        bits[i / 64] |= (uint64_t)(levels->definitions[i] >= want->definition) << (i % 64);
    }
    *validity = bits;
    return ARUS_OK;
}

/* ---- values into slots, from the back, in place ---- */

#define NAME spread8
#define TYPE uint8_t
#include "format/parquet_spread.inc.h"
#define NAME spread16
#define TYPE uint16_t
#include "format/parquet_spread.inc.h"
#define NAME spread32
#define TYPE uint32_t
#include "format/parquet_spread.inc.h"
#define NAME spread64
#define TYPE uint64_t
#include "format/parquet_spread.inc.h"
#define NAME spread128
#define TYPE struct arus_view
#include "format/parquet_spread.inc.h"

static void spread(void *values, uint32_t size, const uint64_t *validity, uint32_t row_count,
                   uint32_t value_count)
{
    switch (size) {
    case 1:
        spread8(values, validity, row_count, value_count);
        break;
    case 2:
        spread16(values, validity, row_count, value_count);
        break;
    case 4:
        spread32(values, validity, row_count, value_count);
        break;
    case 8:
        spread64(values, validity, row_count, value_count);
        break;
    case 16:
        spread128(values, validity, row_count, value_count);
        break;
    default: /* 0: nothing lies there */
        break;
    }
}

/** Places in the dictionary, which becomes a vector of its own. */
static enum arus_status indexed_vector(const struct arus_parquet_column *column,
                                       struct arus_arena *arena, struct arus_vector *out,
                                       struct arus_error *err)
{
    struct arus_vector *base;

    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, 1, &base, err));
    *base = (struct arus_vector){.type = out->type,
                                 .form = ARUS_VECTOR_FLAT,
                                 .row_count = column->dictionary_count,
                                 .values = column->dictionary.data,
                                 .identity = column->dictionary_identity};
    out->form = ARUS_VECTOR_DICTIONARY;
    out->indices = (const void *)column->places.data;
    out->base = base;
    return ARUS_OK;
}

static enum arus_status leaf_vector(const struct arus_parquet_want *want,
                                    const struct arus_parquet_columns *columns, uint32_t row_count,
                                    struct arus_arena *arena, struct arus_vector *out,
                                    struct arus_error *err)
{
    struct arus_parquet_column *column = columns->items[want->column];
    const struct levels levels = levels_of(columns, want->column);
    uint32_t value_count = column->value_count;

    if (column->node->repetition == 0 && value_count == row_count) {
        out->validity = NULL; /* a value in every row */
    } else if (column->node->repetition == 0) {
        ARUS_TRY(find_flat_nulls(want, &levels, row_count, arena, &out->validity, err));
    } else {
        ARUS_TRY(find_nulls(want, &levels, row_count, arena, &out->validity, &value_count, err));
    }
    if (want->type->id == ARUS_TYPE_VOID) {
        return arus_vector_init_null(out, want->type, row_count, arena, err);
    }
    if (value_count != column->value_count) {
        return contradiction(err);
    }
    if (column->is_indexed && out->validity == NULL) {
        return indexed_vector(column, arena, out, err);
    }
    arus_parquet_column_settle(column);
    out->values = column->out.data;
    if (out->validity != NULL) {
        spread(out->values, column->conversion.out_size, out->validity, row_count, value_count);
    }
    return ARUS_OK;
}

static enum arus_status make_children(const struct arus_parquet_want *want,
                                      const struct arus_parquet_columns *columns,
                                      uint32_t row_count, struct arus_arena *arena,
                                      struct arus_vector *out, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector, want->type->field_count, &out->children, err));
    for (uint16_t i = 0; i < want->type->field_count; i++) {
        ARUS_TRY(arus_parquet_want_vector(&want->children[i], columns, row_count, arena,
                                          &out->children[i], err));
    }
    return ARUS_OK;
}

static enum arus_status struct_vector(const struct arus_parquet_want *want,
                                      const struct arus_parquet_columns *columns,
                                      uint32_t row_count, struct arus_arena *arena,
                                      struct arus_vector *out, struct arus_error *err)
{
    const struct levels levels = levels_of(columns, want->column);
    uint32_t value_count;

    if (levels.repetitions == NULL) {
        ARUS_TRY(find_flat_nulls(want, &levels, row_count, arena, &out->validity, err));
    } else {
        ARUS_TRY(find_nulls(want, &levels, row_count, arena, &out->validity, &value_count, err));
    }
    return make_children(want, columns, row_count, arena, out, err);
}

/**
 * Sets the spans of the slots, which are `row_count`, and one more; `*element_count` elements in
 * all. False: an element before the first slot.
 */
static bool find_spans(const struct arus_parquet_want *want, const struct levels *levels,
                       uint32_t row_count, struct arus_span *spans, uint32_t *element_count)
{
    uint32_t elements = 0;
    uint32_t slots = 0;

    for (uint32_t i = 0; i < levels->count; i++) { /* without branches: lengths are hard to guess */
        const bool begins = begins_slot(levels, want, i);
        const bool goes_on =
            levels->repetitions != NULL && levels->repetitions[i] == want->element_repetition;

        spans[slots].begin = elements; /* stays when the slot begins here */
        slots += begins;
        elements += (begins | goes_on) & (levels->definitions[i] >= want->element_definition);
    }
    spans[slots].begin = elements;
    for (uint32_t i = 0; i < row_count; i++) {
        spans[i].count = spans[i + 1].begin - spans[i].begin;
    }
    *element_count = elements;
    return spans[0].begin == 0;
}

static enum arus_status list_vector(const struct arus_parquet_want *want,
                                    const struct arus_parquet_columns *columns, uint32_t row_count,
                                    struct arus_arena *arena, struct arus_vector *out,
                                    struct arus_error *err)
{
    const struct levels levels = levels_of(columns, want->column);
    uint32_t element_count = 0;
    uint32_t value_count;

    ARUS_TRY(find_nulls(want, &levels, row_count, arena, &out->validity, &value_count, err));
    ARUS_TRY(arus_arena_buffer(arena, ((size_t)row_count + 1) * sizeof(struct arus_span),
                               &out->values, err));
    if (!find_spans(want, &levels, row_count, out->values, &element_count)) {
        return contradiction(err);
    }
    return make_children(want, columns, element_count, arena, out, err);
}

enum arus_status arus_parquet_want_vector(const struct arus_parquet_want *want,
                                          const struct arus_parquet_columns *columns,
                                          uint32_t row_count, struct arus_arena *arena,
                                          struct arus_vector *out, struct arus_error *err)
{
    *out =
        (struct arus_vector){.type = want->type, .form = ARUS_VECTOR_FLAT, .row_count = row_count};
    switch (want->shape) {
    case ARUS_PARQUET_MISSING:
        return arus_vector_init_null(out, want->type, row_count, arena, err);
    case ARUS_PARQUET_LEAF:
        return leaf_vector(want, columns, row_count, arena, out, err);
    case ARUS_PARQUET_STRUCT:
        return struct_vector(want, columns, row_count, arena, out, err);
    case ARUS_PARQUET_LIST:
        return list_vector(want, columns, row_count, arena, out, err);
    }
    return ARUS_OK;
}
