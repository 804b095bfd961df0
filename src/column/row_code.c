/** Column by column: sizes first, then values to where each row's cursor stands. */
#include "column/row_code.h"

#include "column/pack.h"
#include "column/text_code.h"

#include <math.h>

#define NO_PARENT UINT32_MAX

struct arus_row_leaf {
    const struct arus_type *type;
    uint32_t parent; /* a leaf, or NO_PARENT */
    uint32_t field;  /* of the parent; else the column */
    bool has_floats; /* ARRAY, MAP: with FLOAT or DOUBLE inside */
};

/* ---- making ---- */

static bool has_floats(const struct arus_type *type)
{
    if (arus_type_is_fractional(type)) {
        return true;
    }
    for (uint16_t f = 0; f < type->field_count; f++) {
        if (has_floats(type->fields[f].type)) {
            return true;
        }
    }
    return false;
}

static uint32_t count_leaves(const struct arus_type *type)
{
    uint32_t count = 1;

    for (uint16_t f = 0; type->id == ARUS_TYPE_STRUCT && f < type->field_count; f++) {
        count += count_leaves(type->fields[f].type);
    }
    return count;
}

static uint32_t add_leaf(struct arus_row_leaf *leaves, uint32_t at, const struct arus_type *type,
                         uint32_t parent, uint32_t field)
{
    const uint32_t own = at;

    leaves[at++] = (struct arus_row_leaf){type, parent, field, has_floats(type)};
    for (uint16_t f = 0; type->id == ARUS_TYPE_STRUCT && f < type->field_count; f++) {
        at = add_leaf(leaves, at, type->fields[f].type, own, f);
    }
    return at;
}

static bool is_fixed(const struct arus_type *type)
{
    return !arus_type_is_view(type) && !arus_type_is_nested(type);
}

enum arus_status arus_row_code_make(const struct arus_type *const *types, uint32_t count,
                                    enum arus_row_use use, struct arus_arena *arena,
                                    struct arus_row_code *out, struct arus_error *err)
{
    struct arus_row_leaf *leaves;
    uint32_t at = 0;

    *out = (struct arus_row_code){.column_count = count, .use = use};
    for (uint32_t c = 0; c < count; c++) {
        out->leaf_count += count_leaves(types[c]);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_row_leaf, (size_t)out->leaf_count + 1, &leaves, err));
    for (uint32_t c = 0; c < count; c++) {
        at = add_leaf(leaves, at, types[c], NO_PARENT, c);
    }
    out->leaves = leaves;
    out->null_size = (out->leaf_count + 7) / 8;
    out->fixed_size = out->null_size;
    for (uint32_t i = 0; i < out->leaf_count; i++) {
        out->fixed_size += is_fixed(leaves[i].type) ? arus_type_value_size(leaves[i].type) : 0;
    }
    return ARUS_OK;
}

/* ---- encoding ---- */

/* One call of encode. */
struct coder {
    const struct arus_row_code *code;
    struct arus_arena *arena;
    uint32_t row_count;
    const struct arus_vector **vectors; /* [leaf_count], FLAT */
    bool *has_nulls;                    /* [leaf_count] */
    uint8_t **forms;                    /* [leaf_count]; texts: form of each row */
    unsigned char *nulls;               /* [row_count * null_size] */
    char **cursors;                     /* [row_count] */
};

static bool is_null(const struct coder *coder, uint32_t leaf, uint32_t row)
{
    return ((coder->nulls[(size_t)row * coder->code->null_size + leaf / 8] >> (leaf % 8)) & 1) != 0;
}

static enum arus_status open_vectors(struct coder *coder, const struct arus_vector *columns,
                                     struct arus_error *err)
{
    const struct arus_row_code *code = coder->code;
    struct arus_vector *flat;

    ARUS_TRY(ARUS_NEW(coder->arena, const struct arus_vector *, (size_t)code->leaf_count + 1,
                      &coder->vectors, err));
    ARUS_TRY(
        ARUS_NEW(coder->arena, struct arus_vector, (size_t)code->column_count + 1, &flat, err));
    for (uint32_t i = 0; i < code->leaf_count; i++) {
        const struct arus_row_leaf *leaf = &code->leaves[i];

        if (leaf->parent != NO_PARENT) {
            coder->vectors[i] = &coder->vectors[leaf->parent]->children[leaf->field];
            continue;
        }
        ARUS_TRY(arus_vector_flatten(&columns[leaf->field], coder->arena, &flat[leaf->field], err));
        coder->vectors[i] = &flat[leaf->field];
    }
    return ARUS_OK;
}

static void mark_nulls(struct coder *coder, uint32_t leaf)
{
    const struct arus_row_leaf *plan = &coder->code->leaves[leaf];
    const uint64_t *bits = coder->vectors[leaf]->validity;
    const bool is_void = plan->type->id == ARUS_TYPE_VOID;
    const bool parent_has = plan->parent != NO_PARENT && coder->has_nulls[plan->parent];
    unsigned char *to = coder->nulls + leaf / 8;

    if (bits == NULL && !is_void && !parent_has) {
        return;
    }
    for (uint32_t i = 0; i < coder->row_count; i++) {
        const bool null =
            is_void || !arus_bit_get(bits, i) || (parent_has && is_null(coder, plan->parent, i));

        to[(size_t)i * coder->code->null_size] |= (unsigned char)(null << (leaf % 8));
        coder->has_nulls[leaf] |= null;
    }
}

static enum arus_status add_text_sizes(struct coder *coder, uint32_t leaf, uint32_t *sizes,
                                       struct arus_error *err)
{
    const struct arus_view *views = coder->vectors[leaf]->values;
    uint8_t *forms;

    ARUS_TRY(ARUS_NEW(coder->arena, uint8_t, (size_t)coder->row_count + 1, &forms, err));
    coder->forms[leaf] = forms;
    for (uint32_t i = 0; i < coder->row_count; i++) {
        if (!coder->has_nulls[leaf] || !is_null(coder, leaf, i)) {
            forms[i] = arus_text_code_form(views[i]);
            sizes[i] += (uint32_t)arus_text_code_size(forms[i], views[i].size);
        }
    }
    return ARUS_OK;
}

static enum arus_status add_sizes(struct coder *coder, uint32_t leaf, uint32_t *sizes,
                                  struct arus_error *err)
{
    const struct arus_type *type = coder->code->leaves[leaf].type;

    if (arus_type_is_view(type)) {
        return add_text_sizes(coder, leaf, sizes, err);
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        for (uint32_t i = 0; i < coder->row_count; i++) {
            sizes[i] +=
                is_null(coder, leaf, i) ? 0 : (uint32_t)arus_pack_size(coder->vectors[leaf], i);
        }
    } else if (type->id != ARUS_TYPE_STRUCT && coder->has_nulls[leaf]) {
        for (uint32_t i = 0; i < coder->row_count; i++) {
            sizes[i] -= is_null(coder, leaf, i) ? arus_type_value_size(type) : 0;
        }
    }
    return ARUS_OK;
}

/* Compiled once for each size: the copies become single moves. */
static inline void write_values(const struct coder *coder, uint32_t leaf, size_t size)
{
    const char *values = coder->vectors[leaf]->values;
    char **cursors = coder->cursors;

    if (!coder->has_nulls[leaf]) {
        for (uint32_t i = 0; i < coder->row_count; i++) {
            memcpy(cursors[i], values + i * size, size);
            cursors[i] += size;
        }
        return;
    }
    for (uint32_t i = 0; i < coder->row_count; i++) {
        if (!is_null(coder, leaf, i)) {
            memcpy(cursors[i], values + i * size, size);
            cursors[i] += size;
        }
    }
}

/* All NaN are one, zero has no sign. */
static void write_doubles(const struct coder *coder, uint32_t leaf)
{
    const double *values = coder->vectors[leaf]->values;

    for (uint32_t i = 0; i < coder->row_count; i++) {
        const double value = isnan(values[i]) ? (double)NAN : values[i] + 0.0;

        if (!is_null(coder, leaf, i)) {
            memcpy(coder->cursors[i], &value, sizeof value);
            coder->cursors[i] += sizeof value;
        }
    }
}

static void write_floats(const struct coder *coder, uint32_t leaf)
{
    const float *values = coder->vectors[leaf]->values;

    for (uint32_t i = 0; i < coder->row_count; i++) {
        const float value = isnan(values[i]) ? NAN : values[i] + 0.0F;

        if (!is_null(coder, leaf, i)) {
            memcpy(coder->cursors[i], &value, sizeof value);
            coder->cursors[i] += sizeof value;
        }
    }
}

static void write_texts(const struct coder *coder, uint32_t leaf)
{
    const struct arus_view *views = coder->vectors[leaf]->values;

    for (uint32_t i = 0; i < coder->row_count; i++) {
        if (!coder->has_nulls[leaf] || !is_null(coder, leaf, i)) {
            coder->cursors[i] =
                arus_text_code_write(coder->forms[leaf][i], views[i], coder->cursors[i]);
        }
    }
}

static void write_nested(const struct coder *coder, uint32_t leaf)
{
    const struct arus_row_leaf *plan = &coder->code->leaves[leaf];
    const bool is_key = coder->code->use == ARUS_ROW_AS_KEY && plan->has_floats;

    for (uint32_t i = 0; i < coder->row_count; i++) {
        char *begin = coder->cursors[i];

        if (!is_null(coder, leaf, i)) {
            coder->cursors[i] = arus_pack_write(coder->vectors[leaf], i, begin);
            if (is_key) {
                (void)arus_pack_normalise(plan->type, begin);
            }
        }
    }
}

static void write_fixed(const struct coder *coder, uint32_t leaf)
{
    switch (arus_type_value_size(coder->code->leaves[leaf].type)) {
    case 1:
        write_values(coder, leaf, 1);
        return;
    case 2:
        write_values(coder, leaf, 2);
        return;
    case 4:
        write_values(coder, leaf, 4);
        return;
    case 8:
        write_values(coder, leaf, 8);
        return;
    case 16:
        write_values(coder, leaf, 16);
        return;
    default: /* VOID: always null */
        return;
    }
}

static void write_leaf(const struct coder *coder, uint32_t leaf)
{
    const struct arus_type *type = coder->code->leaves[leaf].type;

    if (arus_type_is_view(type)) {
        write_texts(coder, leaf);
    } else if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        write_nested(coder, leaf);
    } else if (coder->code->use == ARUS_ROW_AS_KEY && type->id == ARUS_TYPE_DOUBLE) {
        write_doubles(coder, leaf);
    } else if (coder->code->use == ARUS_ROW_AS_KEY && type->id == ARUS_TYPE_FLOAT) {
        write_floats(coder, leaf);
    } else if (type->id != ARUS_TYPE_STRUCT) {
        write_fixed(coder, leaf);
    }
}

/* Sizes become starts; null bits are written and cursors set behind them. */
static enum arus_status place_rows(struct coder *coder, struct arus_row_bytes *out,
                                   struct arus_error *err)
{
    const uint32_t null_size = coder->code->null_size;
    uint64_t end = 0;
    void *memory;

    for (uint32_t i = 0; i <= coder->row_count; i++) {
        const uint32_t size = i == coder->row_count ? 0 : out->starts[i];

        out->starts[i] = (uint32_t)end;
        end += size;
        if (end > UINT32_MAX) {
            return arus_fail(err, ARUS_NO_MEMORY, NULL, "keys of one batch are larger than 4 GiB");
        }
    }
    ARUS_TRY(arus_arena_buffer(coder->arena, end + 8, &memory, err));
    out->bytes = memory;
    for (uint32_t i = 0; i < coder->row_count; i++) {
        memcpy(out->bytes + out->starts[i], coder->nulls + (size_t)i * null_size, null_size);
        coder->cursors[i] = out->bytes + out->starts[i] + null_size;
    }
    return ARUS_OK;
}

static enum arus_status open_coder(struct coder *coder, struct arus_error *err)
{
    const struct arus_row_code *code = coder->code;
    void *memory;

    ARUS_TRY(ARUS_NEW(coder->arena, bool, (size_t)code->leaf_count + 1, &coder->has_nulls, err));
    ARUS_TRY(ARUS_NEW(coder->arena, uint8_t *, (size_t)code->leaf_count + 1, &coder->forms, err));
    ARUS_TRY(ARUS_NEW(coder->arena, unsigned char, (size_t)coder->row_count * code->null_size + 1,
                      &coder->nulls, err));
    ARUS_TRY(arus_arena_buffer(coder->arena, (size_t)coder->row_count * sizeof(char *) + 8, &memory,
                               err));
    coder->cursors = memory;
    return ARUS_OK;
}

enum arus_status arus_row_code_encode(const struct arus_row_code *code,
                                      const struct arus_vector *columns, uint32_t row_count,
                                      struct arus_arena *arena, struct arus_row_bytes *out,
                                      struct arus_error *err)
{
    struct coder coder = {.code = code, .arena = arena, .row_count = row_count};
    void *memory;

    ARUS_TRY(open_coder(&coder, err));
    ARUS_TRY(open_vectors(&coder, columns, err));
    ARUS_TRY(arus_arena_buffer(arena, ((size_t)row_count + 1) * sizeof(uint32_t), &memory, err));
    *out = (struct arus_row_bytes){.starts = memory, .row_count = row_count};
    for (uint32_t i = 0; i < row_count; i++) {
        out->starts[i] = code->fixed_size;
    }
    for (uint32_t leaf = 0; leaf < code->leaf_count; leaf++) {
        mark_nulls(&coder, leaf);
        ARUS_TRY(add_sizes(&coder, leaf, out->starts, err));
    }
    ARUS_TRY(place_rows(&coder, out, err));
    for (uint32_t leaf = 0; leaf < code->leaf_count; leaf++) {
        write_leaf(&coder, leaf);
    }
    return ARUS_OK;
}

/* ---- decoding ---- */

struct decoder {
    const struct arus_row_code *code;
    struct arus_arena *arena;
    uint32_t row_count;
    const char **rows;    /* [row_count] null bits */
    const char **cursors; /* [row_count] */
};

static bool row_is_null(const char *row, uint32_t leaf)
{
    return (((unsigned char)row[leaf / 8] >> (leaf % 8)) & 1) != 0;
}

static enum arus_status read_nulls(const struct decoder *decoder, uint32_t leaf,
                                   struct arus_vector *out, struct arus_error *err)
{
    bool any = false;

    for (uint32_t i = 0; i < decoder->row_count; i++) {
        any |= row_is_null(decoder->rows[i], leaf);
    }
    if (!any) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_vector_need_validity(out, decoder->arena, err));
    for (uint32_t i = 0; i < decoder->row_count; i++) {
        if (row_is_null(decoder->rows[i], leaf)) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static inline void read_values(const struct decoder *decoder, const uint64_t *bits, char *values,
                               size_t size)
{
    for (uint32_t i = 0; i < decoder->row_count; i++) {
        if (arus_bit_get(bits, i)) {
            memcpy(values + i * size, decoder->cursors[i], size);
            decoder->cursors[i] += size;
        } else {
            memset(values + i * size, 0, size);
        }
    }
}

static void read_fixed(const struct decoder *decoder, const struct arus_vector *out)
{
    switch (arus_type_value_size(out->type)) {
    case 1:
        read_values(decoder, out->validity, out->values, 1);
        return;
    case 2:
        read_values(decoder, out->validity, out->values, 2);
        return;
    case 4:
        read_values(decoder, out->validity, out->values, 4);
        return;
    case 8:
        read_values(decoder, out->validity, out->values, 8);
        return;
    case 16:
        read_values(decoder, out->validity, out->values, 16);
        return;
    default:
        return;
    }
}

static enum arus_status read_texts(const struct decoder *decoder, const struct arus_vector *out,
                                   struct arus_error *err)
{
    struct arus_view *views = out->values;
    const char *end;
    uint64_t total = 0;
    void *memory;
    char *to;

    for (uint32_t i = 0; i < decoder->row_count; i++) {
        views[i] = (struct arus_view){0};
        if (arus_bit_get(out->validity, i)) {
            views[i].size = arus_text_code_length(decoder->cursors[i], &end);
            total += views[i].size;
        }
    }
    ARUS_TRY(arus_arena_buffer(decoder->arena, total + 1, &memory, err));
    to = memory;
    for (uint32_t i = 0; i < decoder->row_count; i++) {
        const char *code = decoder->cursors[i];

        if (arus_bit_get(out->validity, i)) {
            (void)arus_text_code_length(code, &decoder->cursors[i]);
            arus_text_code_read(code, to);
            views[i] = arus_view_of(to, views[i].size);
            to += views[i].size;
        }
    }
    return ARUS_OK;
}

static enum arus_status read_packed(const struct decoder *decoder, struct arus_builder *builder,
                                    const struct arus_vector *nulls, struct arus_vector *out,
                                    struct arus_error *err)
{
    struct arus_vector built;

    for (uint32_t i = 0; i < decoder->row_count; i++) {
        if (arus_bit_get(nulls->validity, i)) {
            ARUS_TRY(arus_pack_read(builder, &decoder->cursors[i], err));
        } else {
            ARUS_TRY(arus_builder_null(builder, err));
        }
    }
    ARUS_TRY(arus_builder_finish(builder, decoder->arena, &built, err));
    return arus_vector_copy(&built, decoder->arena, out, err);
}

static enum arus_status read_nested(const struct decoder *decoder, struct arus_vector *out,
                                    struct arus_error *err)
{
    const struct arus_vector nulls = *out;
    struct arus_builder builder = {0};
    enum arus_status status = arus_builder_init(&builder, out->type, err);

    if (status == ARUS_OK) {
        status = read_packed(decoder, &builder, &nulls, out, err);
    }
    arus_builder_release(&builder);
    return status;
}

static enum arus_status read_leaf(const struct decoder *decoder, uint32_t leaf,
                                  struct arus_vector *out, struct arus_error *err)
{
    const struct arus_type *type = decoder->code->leaves[leaf].type;
    const uint32_t size = arus_type_value_size(type);

    *out = (struct arus_vector){.type = type, .row_count = decoder->row_count};
    ARUS_TRY(read_nulls(decoder, leaf, out, err));
    if (type->id == ARUS_TYPE_STRUCT) {
        return ARUS_NEW(decoder->arena, struct arus_vector, (size_t)type->field_count + 1,
                        &out->children, err);
    }
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        return read_nested(decoder, out, err);
    }
    ARUS_TRY(arus_arena_buffer(decoder->arena, (size_t)decoder->row_count * size + 1, &out->values,
                               err));
    if (arus_type_is_view(type)) {
        return read_texts(decoder, out, err);
    }
    read_fixed(decoder, out);
    return ARUS_OK;
}

enum arus_status arus_row_code_decode(const struct arus_row_code *code, const char **rows,
                                      uint32_t count, struct arus_arena *arena,
                                      struct arus_vector *out, struct arus_error *err)
{
    struct decoder decoder = {.code = code, .arena = arena, .row_count = count, .rows = rows};
    struct arus_vector **vectors;

    ARUS_TRY(ARUS_NEW(arena, const char *, (size_t)count + 1, &decoder.cursors, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_vector *, (size_t)code->leaf_count + 1, &vectors, err));
    for (uint32_t i = 0; i < count; i++) {
        decoder.cursors[i] = rows[i] + code->null_size;
    }
    for (uint32_t i = 0; i < code->leaf_count; i++) {
        const struct arus_row_leaf *leaf = &code->leaves[i];

        vectors[i] = leaf->parent == NO_PARENT ? &out[leaf->field]
                                               : &vectors[leaf->parent]->children[leaf->field];
        ARUS_TRY(read_leaf(&decoder, i, vectors[i], err));
    }
    return ARUS_OK;
}

const char *arus_row_code_skip(const struct arus_row_code *code, const char *row)
{
    const char *at = row + code->null_size;

    for (uint32_t i = 0; i < code->leaf_count; i++) {
        const struct arus_type *type = code->leaves[i].type;

        if (row_is_null(row, i) || type->id == ARUS_TYPE_STRUCT) {
            continue;
        }
        if (arus_type_is_view(type)) {
            (void)arus_text_code_length(at, &at);
        } else if (arus_type_is_nested(type)) {
            at = arus_pack_skip(type, at);
        } else {
            at += arus_type_value_size(type);
        }
    }
    return at;
}
