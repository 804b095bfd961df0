#include "expr/gather.h"

static enum arus_status pick(const struct arus_picks *picks, const struct arus_type *type,
                             struct arus_arena *arena, struct arus_vector *out,
                             struct arus_error *err);

static uint32_t row_at(const struct arus_vector *vector, uint32_t i)
{
    return vector->form == ARUS_VECTOR_CONSTANT ? 0 : i;
}

#define PICK_LOOP(TYPE)                                                                            \
    for (uint32_t i = 0; i < picks->row_count; i++) {                                              \
        if (picks->which[i] != ARUS_NULL_ROW) {                                                    \
            const struct arus_vector *from = picks->sources[picks->which[i]];                      \
            ((TYPE *)out->values)[i] = ((const TYPE *)from->values)[row_at(from, picks->at[i])];   \
        }                                                                                          \
    }

static void pick_values(const struct arus_picks *picks, uint32_t value_size,
                        struct arus_vector *out)
{
    memset(out->values, 0, (size_t)picks->row_count * value_size);
    switch (value_size) {
    case 1:
        PICK_LOOP(uint8_t)
        break;
    case 2:
        PICK_LOOP(uint16_t)
        break;
    case 4:
        PICK_LOOP(uint32_t)
        break;
    case 8:
        PICK_LOOP(uint64_t)
        break;
    default:
        PICK_LOOP(struct arus_view)
        break;
    }
}
#undef PICK_LOOP

static bool may_have_nulls(const struct arus_picks *picks)
{
    for (uint32_t i = 0; i < picks->source_count; i++) {
        if (picks->sources[i]->validity != NULL || picks->sources[i]->type->id == ARUS_TYPE_VOID) {
            return true;
        }
    }
    for (uint32_t i = 0; i < picks->row_count; i++) {
        if (picks->which[i] == ARUS_NULL_ROW) {
            return true;
        }
    }
    return false;
}

static enum arus_status pick_validity(const struct arus_picks *picks, struct arus_arena *arena,
                                      struct arus_vector *out, struct arus_error *err)
{
    if (!may_have_nulls(picks)) {
        out->validity = NULL;
        return ARUS_OK;
    }
    ARUS_TRY(arus_vector_need_validity(out, arena, err));
    for (uint32_t i = 0; i < picks->row_count; i++) {
        const uint32_t which = picks->which[i];

        if (which == ARUS_NULL_ROW || !arus_vector_is_valid(picks->sources[which], picks->at[i])) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

/* The children of all sources, one behind the other; offsets[k]: where those of source k begin. */
static enum arus_status join_children(const struct arus_picks *picks, const struct arus_type *type,
                                      uint32_t *offsets, struct arus_arena *arena,
                                      struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector **children;

    ARUS_TRY(ARUS_NEW(arena, const struct arus_vector *, picks->source_count, &children, err));
    for (uint16_t f = 0; f < type->field_count; f++) {
        uint32_t total = 0;

        for (uint32_t k = 0; k < picks->source_count; k++) {
            children[k] = &picks->sources[k]->children[f];
            offsets[k] = total;
            total += children[k]->row_count;
        }
        ARUS_TRY(arus_vector_join(children, picks->source_count, type->fields[f].type, arena,
                                  &out->children[f], err));
    }
    return ARUS_OK;
}

static enum arus_status pick_spans(const struct arus_picks *picks, const struct arus_type *type,
                                   struct arus_arena *arena, struct arus_vector *out,
                                   struct arus_error *err)
{
    struct arus_span *spans = out->values;
    uint32_t *offsets;

    ARUS_TRY(ARUS_NEW(arena, uint32_t, picks->source_count, &offsets, err));
    if (picks->source_count == 1 && picks->sources[0]->children[0].form == ARUS_VECTOR_FLAT) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            out->children[f] = picks->sources[0]->children[f];
        }
    } else {
        ARUS_TRY(join_children(picks, type, offsets, arena, out, err));
    }
    memset(spans, 0, (size_t)picks->row_count * sizeof *spans);
    for (uint32_t i = 0; i < picks->row_count; i++) {
        const uint32_t which = picks->which[i];

        if (which != ARUS_NULL_ROW && arus_vector_is_valid(picks->sources[which], picks->at[i])) {
            const struct arus_vector *from = picks->sources[which];

            spans[i] = ((const struct arus_span *)from->values)[row_at(from, picks->at[i])];
            spans[i].begin += offsets[which];
        }
    }
    return ARUS_OK;
}

static enum arus_status pick_fields(const struct arus_picks *picks, const struct arus_type *type,
                                    struct arus_arena *arena, struct arus_vector *out,
                                    struct arus_error *err)
{
    const struct arus_vector **children;
    struct arus_picks inner = *picks;
    uint32_t *at;

    ARUS_TRY(ARUS_NEW(arena, const struct arus_vector *, picks->source_count, &children, err));
    ARUS_TRY(ARUS_NEW(arena, uint32_t, picks->row_count, &at, err));
    for (uint32_t i = 0; i < picks->row_count; i++) {
        at[i] = picks->which[i] == ARUS_NULL_ROW
                    ? 0
                    : row_at(picks->sources[picks->which[i]], picks->at[i]);
    }
    inner.sources = children;
    inner.at = at;
    for (uint16_t f = 0; f < type->field_count; f++) {
        for (uint32_t k = 0; k < picks->source_count; k++) {
            children[k] = &picks->sources[k]->children[f];
        }
        ARUS_TRY(pick(&inner, type->fields[f].type, arena, &out->children[f], err));
    }
    return ARUS_OK;
}

static enum arus_status pick(const struct arus_picks *picks, const struct arus_type *type,
                             struct arus_arena *arena, struct arus_vector *out,
                             struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, type, picks->row_count, arena, err));
    ARUS_TRY(pick_validity(picks, arena, out, err));
    if (type->id == ARUS_TYPE_ARRAY || type->id == ARUS_TYPE_MAP) {
        return pick_spans(picks, type, arena, out, err);
    }
    if (type->id == ARUS_TYPE_STRUCT) {
        return pick_fields(picks, type, arena, out, err);
    }
    if (arus_type_value_size(type) > 0) {
        pick_values(picks, arus_type_value_size(type), out);
    }
    return ARUS_OK;
}

enum arus_status arus_vector_pick(const struct arus_picks *picks, const struct arus_type *type,
                                  struct arus_arena *arena, struct arus_vector *out,
                                  struct arus_error *err)
{
    return pick(picks, type, arena, out, err);
}

enum arus_status arus_vector_join(const struct arus_vector *const *sources, uint32_t source_count,
                                  const struct arus_type *type, struct arus_arena *arena,
                                  struct arus_vector *out, struct arus_error *err)
{
    struct arus_picks picks = {.sources = sources, .source_count = source_count};
    uint32_t *which;
    uint32_t *at;
    uint32_t row = 0;

    for (uint32_t k = 0; k < source_count; k++) {
        picks.row_count += sources[k]->row_count;
    }
    ARUS_TRY(ARUS_NEW(arena, uint32_t, picks.row_count, &which, err));
    ARUS_TRY(ARUS_NEW(arena, uint32_t, picks.row_count, &at, err));
    for (uint32_t k = 0; k < source_count; k++) {
        for (uint32_t i = 0; i < sources[k]->row_count; i++, row++) {
            which[row] = k;
            at[row] = i;
        }
    }
    picks.which = which;
    picks.at = at;
    return pick(&picks, type, arena, out, err);
}
