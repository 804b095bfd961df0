/** Walks down a column: each step turns the parent's entries into its own. */
#include "format/parquet_shred.h"

#include <string.h>

#define DEAD UINT32_MAX

/** What all the steps down share. */
struct shredder {
    struct arus_parquet_sink *sinks;
    struct arus_block_state *codecs;
};

/** Entries that come down to a node: where each one's value is in the node's vector. */
struct entries {
    const uint32_t *rows;
    const uint8_t *definitions;
    const uint8_t *repetitions;
    uint32_t count;
};

/* ---- gathering values ---- */

#define NAME pick_bytes
#define IN   uint8_t
#define OUT  uint8_t
#include "format/parquet_pick.inc.h"
#define NAME pick_int8
#define IN   int8_t
#define OUT  int32_t
#include "format/parquet_pick.inc.h"
#define NAME pick_int16
#define IN   int16_t
#define OUT  int32_t
#include "format/parquet_pick.inc.h"
#define NAME pick_32
#define IN   uint32_t
#define OUT  uint32_t
#include "format/parquet_pick.inc.h"
#define NAME pick_64
#define IN   uint64_t
#define OUT  uint64_t
#include "format/parquet_pick.inc.h"
#define NAME pick_narrow
#define IN   int64_t
#define OUT  int32_t
#include "format/parquet_pick.inc.h"
#define NAME pick_wide
#define IN   arus_int128
#define OUT  arus_int128
#include "format/parquet_pick.inc.h"

static void pick_views(const void *from, const uint32_t *rows, uint32_t count, void *to)
{
    const struct arus_view *in = from;
    struct arus_view *out = to;

    for (uint32_t i = 0; i < count; i++) {
        out[i] = in[rows[i]];
    }
}

typedef void pick_fn(const void *from, const uint32_t *rows, uint32_t count, void *to);

/** How values of the type get from a vector to what a sink takes. NULL: there are none. */
static pick_fn *pick_of(const struct arus_type *type)
{
    switch (type->id) {
    case ARUS_TYPE_BOOLEAN:
        return pick_bytes;
    case ARUS_TYPE_TINYINT:
        return pick_int8;
    case ARUS_TYPE_SMALLINT:
        return pick_int16;
    case ARUS_TYPE_INT:
    case ARUS_TYPE_DATE:
    case ARUS_TYPE_INTERVAL_YM:
    case ARUS_TYPE_FLOAT:
        return pick_32;
    case ARUS_TYPE_BIGINT:
    case ARUS_TYPE_TIMESTAMP:
    case ARUS_TYPE_TIMESTAMP_NTZ:
    case ARUS_TYPE_INTERVAL_DT:
    case ARUS_TYPE_DOUBLE:
        return pick_64;
    case ARUS_TYPE_DECIMAL:
        return type->precision <= 9 ? pick_narrow : type->precision <= 18 ? pick_64 : pick_wide;
    case ARUS_TYPE_STRING:
    case ARUS_TYPE_BINARY:
        return pick_views;
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_COUNT:
        return NULL;
    }
    return NULL;
}

/** Do values lie in the vector as the sink takes them? */
static bool lies_alike(const struct arus_type *type)
{
    return type->id != ARUS_TYPE_TINYINT && type->id != ARUS_TYPE_SMALLINT &&
           (type->id != ARUS_TYPE_DECIMAL || type->precision > 9);
}

static enum arus_status pick(struct arus_parquet_branch *leaf, const struct arus_vector *data,
                             const uint32_t *rows, uint32_t count, struct arus_error *err)
{
    arus_buffer_reset(&leaf->values);
    ARUS_TRY(arus_buffer_reserve(&leaf->values, (size_t)count * sizeof(struct arus_view), err));
    pick_of(leaf->type)(data->values, rows, count, leaf->values.data);
    return ARUS_OK;
}

/* ---- flat columns ---- */

/** Sets rows[] to the rows with a value, definitions[] to the levels. Gives how many have one. */
static uint32_t find_rows(const struct arus_vector *vector, uint32_t begin, uint32_t count,
                          uint32_t *rows, uint8_t *definitions)
{
    const struct arus_vector *data = arus_vector_data(vector);
    const uint64_t *validity = data->validity;
    uint32_t found = 0;

    if (vector->form == ARUS_VECTOR_FLAT) {
        for (uint32_t i = 0; i < count; i++) {
            const bool is_valid = arus_bit_get(validity, begin + i);

            rows[found] = begin + i;
            definitions[i] = is_valid;
            found += is_valid;
        }
        return found;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = arus_vector_at(vector, begin + i);
        const bool is_valid = arus_bit_get(validity, row);

        rows[found] = row;
        definitions[i] = is_valid;
        found += is_valid;
    }
    return found;
}

/** The rows of a column without nulls. */
static const uint32_t *all_rows(const struct arus_vector *vector, uint32_t begin, uint32_t count,
                                uint32_t *memory)
{
    if (vector->form == ARUS_VECTOR_DICTIONARY && vector->base->form == ARUS_VECTOR_FLAT) {
        return vector->indices + begin;
    }
    for (uint32_t i = 0; i < count; i++) {
        memory[i] = vector->form == ARUS_VECTOR_FLAT ? begin + i : 0;
    }
    return memory;
}

/** A leaf at the top: its level is 0 or 1, and a row is an entry. */
static enum arus_status shred_flat(struct shredder *shredder, struct arus_parquet_branch *leaf,
                                   const struct arus_vector *vector, uint32_t begin, uint32_t count,
                                   struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(vector);
    struct arus_parquet_rows out = {.entry_count = count, .row_count = count, .value_count = count};
    const uint32_t *rows;

    ARUS_TRY(arus_buffer_reserve(&leaf->rows, ((size_t)count + 1) * sizeof(uint32_t), err));
    ARUS_TRY(arus_buffer_reserve(&leaf->definitions, count, err));
    if (leaf->type->id == ARUS_TYPE_VOID) {
        memset(leaf->definitions.data, 0, count);
        out.definitions = (const uint8_t *)leaf->definitions.data;
        out.value_count = 0;
        return arus_parquet_sink_add(&shredder->sinks[leaf->sink], &out, shredder->codecs, err);
    }
    if (data->validity == NULL) {
        if (vector->form == ARUS_VECTOR_FLAT && lies_alike(leaf->type)) {
            out.values =
                (const char *)data->values + (size_t)begin * arus_type_value_size(leaf->type);
            return arus_parquet_sink_add(&shredder->sinks[leaf->sink], &out, shredder->codecs, err);
        }
        rows = all_rows(vector, begin, count, (void *)leaf->rows.data);
    } else {
        out.definitions = (const uint8_t *)leaf->definitions.data;
        out.value_count = find_rows(vector, begin, count, (void *)leaf->rows.data,
                                    (uint8_t *)leaf->definitions.data);
        rows = (const void *)leaf->rows.data;
    }
    ARUS_TRY(pick(leaf, data, rows, out.value_count, err));
    out.values = leaf->values.data;
    return arus_parquet_sink_add(&shredder->sinks[leaf->sink], &out, shredder->codecs, err);
}

/* ---- nested columns ---- */

static enum arus_status reserve_entries(struct arus_parquet_branch *branch, size_t count,
                                        struct arus_error *err)
{
    arus_buffer_reset(&branch->rows);
    arus_buffer_reset(&branch->definitions);
    arus_buffer_reset(&branch->repetitions);
    ARUS_TRY(arus_buffer_reserve(&branch->rows, (count + 1) * sizeof(uint32_t), err));
    ARUS_TRY(arus_buffer_reserve(&branch->definitions, count + 1, err));
    return arus_buffer_reserve(&branch->repetitions, count + 1, err);
}

static struct entries entries_of(const struct arus_parquet_branch *branch, uint32_t count)
{
    return (struct entries){(const void *)branch->rows.data,
                            (const uint8_t *)branch->definitions.data,
                            (const uint8_t *)branch->repetitions.data, count};
}

static enum arus_status null_key(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "NULL_MAP_KEY", "a map key is null");
}

/** Which entries have a value here: their level rises, their row becomes one of the vector's data.
 */
static enum arus_status enter(struct arus_parquet_branch *branch, const struct arus_vector *vector,
                              const struct entries *in, struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(vector);
    uint32_t *rows;
    uint8_t *definitions;

    ARUS_TRY(reserve_entries(branch, in->count, err));
    rows = (void *)branch->rows.data;
    definitions = (uint8_t *)branch->definitions.data;
    for (uint32_t i = 0; i < in->count; i++) {
        rows[i] = DEAD;
        definitions[i] = in->definitions[i];
        if (in->rows[i] != DEAD) {
            const uint32_t row = arus_vector_at(vector, in->rows[i]);

            if (branch->type->id != ARUS_TYPE_VOID && arus_bit_get(data->validity, row)) {
                rows[i] = row;
                definitions[i] = branch->definition;
            } else if (branch->is_required) {
                return null_key(err);
            }
        }
    }
    if (in->count != 0) {
        memcpy(branch->repetitions.data, in->repetitions, in->count);
    }
    return ARUS_OK;
}

static enum arus_status give_leaf(struct shredder *shredder, struct arus_parquet_branch *leaf,
                                  const struct arus_vector *vector, uint32_t count,
                                  struct arus_error *err)
{
    uint32_t *rows = (void *)leaf->rows.data;
    const uint8_t *repetitions = (const uint8_t *)leaf->repetitions.data;
    struct arus_parquet_rows out = {.definitions = (const uint8_t *)leaf->definitions.data,
                                    .repetitions = leaf->repetition == 0 ? NULL : repetitions,
                                    .entry_count = count};

    for (uint32_t i = 0; i < count; i++) {
        rows[out.value_count] = rows[i];
        out.value_count += rows[i] != DEAD;
        out.row_count += repetitions[i] == 0;
    }
    if (pick_of(leaf->type) != NULL) {
        ARUS_TRY(pick(leaf, arus_vector_data(vector), rows, out.value_count, err));
    }
    out.values = leaf->values.data;
    return arus_parquet_sink_add(&shredder->sinks[leaf->sink], &out, shredder->codecs, err);
}

static enum arus_status shred_node(struct shredder *shredder, struct arus_parquet_branch *branch,
                                   const struct arus_vector *vector, const struct entries *in,
                                   struct arus_error *err);

/** An entry for each element; empty and null lists keep the entry they have. */
static enum arus_status expand(struct arus_parquet_branch *branch, const struct arus_span *spans,
                               const struct entries *in, uint32_t *count, struct arus_error *err)
{
    size_t total = 0;
    uint32_t *rows;
    uint32_t at = 0;

    for (uint32_t i = 0; i < in->count; i++) {
        const uint32_t elements = in->rows[i] == DEAD ? 0 : spans[in->rows[i]].count;

        total += elements == 0 ? 1 : elements;
    }
    if (total > INT32_MAX) {
        return arus_fail(err, ARUS_NO_MEMORY, NULL, "more than %d elements at once", INT32_MAX);
    }
    ARUS_TRY(reserve_entries(branch, total, err));
    rows = (void *)branch->rows.data;
    for (uint32_t i = 0; i < in->count; i++) {
        const struct arus_span none = {0};
        const struct arus_span span = in->rows[i] == DEAD ? none : spans[in->rows[i]];

        rows[at] = DEAD;
        branch->definitions.data[at] = (char)in->definitions[i];
        branch->repetitions.data[at] = (char)in->repetitions[i];
        for (uint32_t j = 0; j < span.count; j++) {
            rows[at + j] = span.begin + j;
            branch->definitions.data[at + j] = (char)branch->definition;
            branch->repetitions.data[at + j] =
                (char)(j == 0 ? in->repetitions[i] : branch->repetition);
        }
        at += span.count == 0 ? 1 : span.count;
    }
    *count = at;
    return ARUS_OK;
}

static enum arus_status shred_list(struct shredder *shredder, struct arus_parquet_branch *branch,
                                   const struct arus_vector *data, uint32_t in_count,
                                   struct arus_error *err)
{
    const struct entries in = entries_of(branch, in_count);
    uint32_t count = 0;

    ARUS_TRY(expand(branch->inner, data->values, &in, &count, err));
    for (uint16_t i = 0; i < branch->type->field_count; i++) {
        const struct entries out = entries_of(branch->inner, count);

        ARUS_TRY(shred_node(shredder, &branch->children[i], &data->children[i], &out, err));
    }
    return ARUS_OK;
}

static enum arus_status shred_node(struct shredder *shredder, struct arus_parquet_branch *branch,
                                   const struct arus_vector *vector, const struct entries *in,
                                   struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(vector);

    ARUS_TRY(enter(branch, vector, in, err));
    if (!arus_type_is_nested(branch->type)) {
        return give_leaf(shredder, branch, vector, in->count, err);
    }
    if (branch->type->id != ARUS_TYPE_STRUCT) {
        return shred_list(shredder, branch, data, in->count, err);
    }
    for (uint16_t i = 0; i < branch->type->field_count; i++) {
        const struct entries out = entries_of(branch, in->count);

        ARUS_TRY(shred_node(shredder, &branch->children[i], &data->children[i], &out, err));
    }
    return ARUS_OK;
}

/** The entries of the rows themselves. */
static enum arus_status lay_rows(struct arus_parquet_branch *root, uint32_t begin, uint32_t count,
                                 struct arus_error *err)
{
    uint32_t *rows;

    ARUS_TRY(reserve_entries(root, count, err));
    rows = (void *)root->rows.data;
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = begin + i;
    }
    memset(root->definitions.data, 0, count);
    memset(root->repetitions.data, 0, count);
    return ARUS_OK;
}

enum arus_status arus_parquet_shred(struct arus_parquet_branch *root, uint16_t field,
                                    const struct arus_vector *vector, uint32_t begin,
                                    uint32_t count, struct arus_parquet_sink *sinks,
                                    struct arus_block_state *codecs, struct arus_error *err)
{
    struct arus_parquet_branch *branch = &root->children[field];
    struct shredder shredder = {sinks, codecs};
    struct entries in;

    if (!arus_type_is_nested(branch->type)) {
        return shred_flat(&shredder, branch, vector, begin, count, err);
    }
    ARUS_TRY(lay_rows(root, begin, count, err));
    in = entries_of(root, count);
    return shred_node(&shredder, branch, vector, &in, err);
}

uint64_t arus_parquet_branch_held_size(const struct arus_parquet_branch *branch)
{
    uint64_t size = branch->rows.capacity + branch->definitions.capacity +
                    branch->repetitions.capacity + branch->values.capacity;

    if (branch->inner != NULL) {
        size += arus_parquet_branch_held_size(branch->inner);
    }
    for (uint16_t i = 0; branch->children != NULL && i < branch->type->field_count; i++) {
        size += arus_parquet_branch_held_size(&branch->children[i]);
    }
    return size;
}

void arus_parquet_branch_release(struct arus_parquet_branch *branch)
{
    if (branch->inner != NULL) {
        arus_parquet_branch_release(branch->inner);
    }
    for (uint16_t i = 0; branch->children != NULL && i < branch->type->field_count; i++) {
        arus_parquet_branch_release(&branch->children[i]);
    }
    arus_buffer_release(&branch->rows);
    arus_buffer_release(&branch->definitions);
    arus_buffer_release(&branch->repetitions);
    arus_buffer_release(&branch->values);
}
