#include "exec/few.h"

#include "base/attr.h"

#define CODES_MAX   256u /* different values of one column */
#define SLOT_BITS   9u
#define SLOTS       (1u << SLOT_BITS) /* of a dictionary */
#define KEYS_MAX    8192u             /* combinations of values */
#define ROWS_MIN    64u               /* fewer are not worth it */
#define FETCH_AHEAD 16u
#define FACTOR      UINT64_C(0x9E3779B97F4A7C15)

/* A value: of texts its size, its first 8 bytes and where they lie. */
struct value {
    uint64_t word;
    const char *data;
    uint32_t size;
};

struct slot {
    struct value value;
    uint32_t code; /* 0: free; null has no slot */
};

struct dictionary {
    struct slot slots[SLOTS];
    uint32_t count;
};

/* Codes of all columns so far, as one number a row. */
struct coder {
    uint32_t row_count;
    uint32_t *codes; /* [row_count] below `count` */
    uint32_t count;
    uint16_t *column; /* [row_count] scratch */
    struct dictionary *dictionary;
    struct arus_arena *arena;
};

static inline bool is_equal(const struct value *a, const struct value *b)
{
    return a->word == b->word && a->size == b->size &&
           (a->size <= 8 || memcmp(a->data, b->data, a->size) == 0);
}

/* The code of the value; 0: there are too many. */
static inline uint16_t code_of(struct dictionary *dictionary, struct value value)
{
    struct slot *slots = dictionary->slots;
    uint32_t at = (uint32_t)(((value.word ^ value.size) * FACTOR) >> (64 - SLOT_BITS));

    while (slots[at].code != 0) {
        if (is_equal(&slots[at].value, &value)) {
            return (uint16_t)slots[at].code;
        }
        at = (at + 1) % SLOTS;
    }
    if (dictionary->count + 1 == CODES_MAX) {
        return 0;
    }
    slots[at] = (struct slot){value, ++dictionary->count};
    return (uint16_t)dictionary->count;
}

static inline struct value value_of_view(struct arus_view view)
{
    struct value value = {.data = view.data, .size = view.size};
    uint32_t half;

    if (view.size >= sizeof value.word) {
        memcpy(&value.word, view.data, sizeof value.word);
        return value;
    }
    memcpy(&half, view.prefix, sizeof half); /* padded with 0 */
    value.word = half;
    if (view.size > sizeof half) {
        memcpy(&half, view.data + view.size - sizeof half, sizeof half);
        value.word |= (uint64_t)half << 32;
    }
    return value;
}

/* Integers that lie near each other: what is above the least is the code. False: they do not. */
#define NAME near_32
#define TYPE int32_t
#include "exec/few.inc.h"
#define NAME near_64
#define TYPE int64_t
#include "exec/few.inc.h"

static bool code_near(struct coder *coder, const struct arus_vector *vector)
{
    if (arus_type_is_fractional(vector->type)) {
        return false;
    }
    switch (arus_type_value_size(vector->type)) {
    case 4:
        return near_32(coder, vector->values);
    case 8:
        return near_64(coder, vector->values);
    default:
        return false;
    }
}

/* Compiled once for each size. */
static inline bool code_words(struct coder *coder, const struct arus_vector *vector, size_t size)
{
    const char *values = vector->values;
    struct value value = {0};
    uint64_t last = 0;
    uint16_t code = 0;

    for (uint32_t i = 0; i < coder->row_count; i++) {
        memcpy(&value.word, values + i * size, size);
        if (code == 0 || value.word != last) { /* times come in runs */
            code = code_of(coder->dictionary, value);
            last = value.word;
            if (code == 0) {
                return false;
            }
        }
        coder->column[i] = code;
    }
    return true;
}

static bool code_views(struct coder *coder, const struct arus_vector *vector)
{
    const struct arus_view *views = vector->values;

    for (uint32_t i = 0; i < coder->row_count; i++) {
        if (i + FETCH_AHEAD < coder->row_count) { /* texts lie in the input: far apart */
            __builtin_prefetch(views[i + FETCH_AHEAD].data);
        }
        const struct value value =
            value_of_view(arus_bit_get(vector->validity, i) ? views[i] : (struct arus_view){0});

        coder->column[i] = code_of(coder->dictionary, value);
        if (coder->column[i] == 0) {
            return false;
        }
    }
    return true;
}

static bool code_values(struct coder *coder, const struct arus_vector *vector)
{
    if (code_near(coder, vector)) {
        return true;
    }
    memset(coder->dictionary->slots, 0, sizeof coder->dictionary->slots);
    if (arus_type_is_view(vector->type)) {
        return code_views(coder, vector);
    }
    switch (arus_type_value_size(vector->type)) {
    case 1:
        return code_words(coder, vector, 1);
    case 2:
        return code_words(coder, vector, 2);
    case 4:
        return code_words(coder, vector, 4);
    case 8:
        return code_words(coder, vector, 8);
    default:
        return false;
    }
}

/* Rows without a value have code 0. */
static void drop_nulls(struct coder *coder, const uint64_t *validity)
{
    for (uint32_t i = 0; validity != NULL && i < coder->row_count; i++) {
        coder->column[i] = arus_bit_get(validity, i) ? coder->column[i] : 0;
    }
}

/* The places in a small dictionary are codes already. */
static bool code_places(struct coder *coder, const struct arus_vector *vector)
{
    const struct arus_vector *base = vector->base;

    if (base->form != ARUS_VECTOR_FLAT || base->row_count >= CODES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < coder->row_count; i++) {
        const uint32_t place = vector->indices[i];

        coder->column[i] = (uint16_t)(arus_bit_get(base->validity, place) ? place + 1 : 0);
    }
    coder->dictionary->count = base->row_count;
    return true;
}

/* Takes the codes of one column into the number of each row. */
static bool combine(struct coder *coder, bool has_nulls)
{
    const uint32_t first = has_nulls ? 0 : 1; /* 0 is null */
    const uint32_t count = coder->dictionary->count + 1 - first;

    if ((uint64_t)coder->count * count > KEYS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < coder->row_count; i++) {
        coder->codes[i] = coder->codes[i] * count + coder->column[i] - first;
    }
    coder->count *= count;
    return true;
}

/* The fields of a struct are columns of their own, and so is whether it is null. */
static bool add_column(struct coder *coder, const struct arus_vector *vector)
{
    const bool is_struct = vector->type->id == ARUS_TYPE_STRUCT;

    if (arus_type_is_nested(vector->type) && !is_struct) {
        return false;
    }
    coder->dictionary->count = 0;
    if (is_struct) {
        coder->dictionary->count = 1;
        for (uint32_t i = 0; i < coder->row_count; i++) {
            coder->column[i] = 1;
        }
    } else if (!code_values(coder, vector)) {
        return false;
    }
    drop_nulls(coder, vector->validity);
    if ((!is_struct || vector->validity != NULL) && !combine(coder, vector->validity != NULL)) {
        return false;
    }
    for (uint16_t f = 0; is_struct && f < vector->type->field_count; f++) {
        if (vector->children[f].form != ARUS_VECTOR_FLAT ||
            !add_column(coder, &vector->children[f])) {
            return false;
        }
    }
    return true;
}

static enum arus_status place_rows(const struct coder *coder, struct arus_few *out,
                                   struct arus_error *err)
{
    uint32_t *places; /* [count] 1 + place */

    out->count = 0;
    ARUS_TRY(ARUS_NEW(coder->arena, uint32_t, coder->count, &places, err));
    ARUS_TRY(ARUS_NEW(coder->arena, uint32_t, coder->count, &out->firsts, err));
    for (uint32_t i = 0; i < coder->row_count; i++) {
        uint32_t *place = &places[coder->codes[i]];

        if (*place == 0) {
            out->firsts[out->count] = i;
            *place = ++out->count;
        }
        coder->codes[i] = *place - 1;
    }
    out->places = coder->codes;
    return ARUS_OK;
}

/* A column of any form; *is_few false: of too many values. */
static enum arus_status add_any(struct coder *coder, const struct arus_vector *vector, bool *is_few,
                                struct arus_error *err)
{
    struct arus_vector flat;

    if (vector->form == ARUS_VECTOR_DICTIONARY && !arus_type_is_nested(vector->type) &&
        code_places(coder, vector)) {
        *is_few = combine(coder, vector->base->validity != NULL);
        return ARUS_OK;
    }
    ARUS_TRY(arus_vector_flatten(vector, coder->arena, &flat, err));
    *is_few = add_column(coder, &flat);
    return ARUS_OK;
}

enum arus_status arus_few_find(const struct arus_vector *columns, uint32_t column_count,
                               uint32_t row_count, struct arus_arena *arena, struct arus_few *out,
                               bool *is_few, struct arus_error *err)
{
    struct coder coder = {.row_count = row_count, .count = 1, .arena = arena};
    bool is_coded = true;

    *is_few = false;
    if (row_count < ROWS_MIN) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, uint32_t, row_count, &coder.codes, err));
    ARUS_TRY(ARUS_NEW(arena, uint16_t, row_count, &coder.column, err));
    ARUS_TRY(ARUS_NEW(arena, struct dictionary, 1, &coder.dictionary, err));
    for (uint32_t c = 0; c < column_count; c++) {
        ARUS_TRY(add_any(&coder, &columns[c], &is_coded, err));
        if (!is_coded) {
            return ARUS_OK;
        }
    }
    ARUS_TRY(place_rows(&coder, out, err));
    *is_few = out->count <= row_count / 2;
    return ARUS_OK;
}
