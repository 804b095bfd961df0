#include "exec/state_rows.h"

#include "exec/stateful.h"

/* ---- types ---- */

static const struct arus_field COUNT_FIELD = {.name = {"count", 5}, .type = &ARUS_BIGINT};

static enum arus_status slice_type(const struct arus_type *from, uint32_t begin, uint32_t end,
                                   struct arus_arena *arena, const struct arus_type **out,
                                   struct arus_error *err)
{
    return arus_type_struct(from->fields + begin, (uint16_t)(end - begin), arena, out, err);
}

/* Names of keys that the program has without names. */
static struct arus_text key_name(const struct arus_state_operator *plan, uint32_t index)
{
    const struct arus_expr *key;

    if (plan->kind != ARUS_STATE_JOIN) {
        return plan->plan->schema->fields[plan->plan->dedup.columns[index]].name;
    }
    key = plan->plan->join.keys[index].left;
    return key->kind == ARUS_EXPR_COLUMN ? key->name : (struct arus_text){0};
}

static enum arus_status key_type(const struct arus_stateful *stateful,
                                 const struct arus_type *program, struct arus_arena *arena,
                                 const struct arus_type **out, struct arus_error *err)
{
    const uint32_t count = stateful->gather->plan->key_count;
    struct arus_field *fields;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, (size_t)count + 1, &fields, err));
    for (uint32_t k = 0; k < count; k++) {
        fields[k] = program->fields[k];
        fields[k].name = key_name(stateful->plan, k);
        if (fields[k].name.size == 0) {
            ARUS_TRY(arus_text_format(arena, &fields[k].name, err, "field%u", k));
        }
    }
    return arus_type_struct(fields, (uint16_t)count, arena, out, err);
}

static enum arus_status key_and_value(const struct arus_stateful *stateful, uint32_t side,
                                      struct arus_arena *arena, const struct arus_type **key,
                                      const struct arus_type **value, struct arus_error *err)
{
    const struct arus_gather *plan = stateful->gather->plan;

    switch (stateful->plan->kind) {
    case ARUS_STATE_AGGREGATE:
    case ARUS_STATE_SESSION:
        ARUS_TRY(slice_type(plan->schema, 0, plan->key_count, arena, key, err));
        return slice_type(plan->schema, plan->key_count, plan->schema->field_count, arena, value,
                          err);
    case ARUS_STATE_DEDUP:
    case ARUS_STATE_DEDUP_WITHIN:
        ARUS_TRY(key_type(stateful, plan->program_schema, arena, key, err));
        return arus_type_struct(NULL, 0, arena, value, err);
    case ARUS_STATE_JOIN:
        ARUS_TRY(key_type(stateful, plan->join.sides[side].program_schema, arena, key, err));
        *value = plan->join.sides[side].input;
        return ARUS_OK;
    case ARUS_STATE_LIMIT:
        ARUS_TRY(arus_type_struct(NULL, 0, arena, key, err));
        return arus_type_struct(&COUNT_FIELD, 1, arena, value, err);
    }
    return ARUS_OK;
}

static const struct arus_field COLUMNS[ARUS_STATE_ROW_COLUMN_COUNT] = {
    [ARUS_STATE_ROW_KEY] = {.name = {"key", 3}, .is_nullable = true},
    [ARUS_STATE_ROW_VALUE] = {.name = {"value", 5}, .is_nullable = true},
    [ARUS_STATE_ROW_PARTITION] = {.name = {"partition_id", 12},
                                  .type = &ARUS_INT,
                                  .is_nullable = true},
    [ARUS_STATE_ROW_LEAVES] = {
        .name = {"leaves_at", 9}, .type = &ARUS_TIMESTAMP, .is_nullable = true}};

enum arus_status arus_exec_state_type(const struct arus_exec *exec, uint32_t id, uint32_t side,
                                      struct arus_arena *arena, const struct arus_type **out,
                                      struct arus_error *err)
{
    struct arus_field *fields;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, ARUS_STATE_ROW_COLUMN_COUNT, &fields, err));
    memcpy(fields, COLUMNS, sizeof COLUMNS);
    ARUS_TRY(key_and_value(arus_stateful_find(exec, id), side, arena,
                           &fields[ARUS_STATE_ROW_KEY].type, &fields[ARUS_STATE_ROW_VALUE].type,
                           err));
    return arus_type_struct(fields, ARUS_STATE_ROW_COLUMN_COUNT, arena, out, err);
}

/* ---- rows ---- */

/* Entries of one partition that become a batch. */
struct slice {
    struct arus_stateful *stateful;
    uint32_t side;
    uint32_t partition;
    uint32_t *entries; /* [ARUS_BATCH_ROWS] */
    uint32_t count;
    struct arus_arena *arena;
};

static enum arus_status make_struct(const struct arus_type *type, const struct arus_vector *columns,
                                    const struct slice *slice, struct arus_vector *out,
                                    struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, type, slice->count, slice->arena, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(arus_vector_flatten(&columns[i], slice->arena, &out->children[i], err));
    }
    return ARUS_OK;
}

static enum arus_status decode(const struct arus_row_code *code, bool is_payload,
                               const struct slice *slice, struct arus_vector *out,
                               struct arus_error *err)
{
    const struct arus_state_part *part =
        arus_stateful_table_part(slice->stateful, slice->side, slice->partition);
    const char **rows;

    ARUS_TRY(ARUS_NEW(slice->arena, const char *, (size_t)slice->count + 1, &rows, err));
    for (uint32_t i = 0; i < slice->count; i++) {
        rows[i] = is_payload ? arus_state_part_payload(part, slice->entries[i]).data
                             : arus_state_part_key(part, slice->entries[i]).data;
    }
    return arus_row_code_decode(code, rows, slice->count, slice->arena, out, err);
}

/* Columns of keys, then of values; as many as the types have fields. */
static enum arus_status decode_all(const struct slice *slice, const struct arus_type *key,
                                   struct arus_vector *columns, struct arus_error *err)
{
    struct arus_stateful *stateful = slice->stateful;
    struct arus_stateful_part *own = &stateful->parts[slice->partition];

    switch (stateful->plan->kind) {
    case ARUS_STATE_AGGREGATE:
    case ARUS_STATE_SESSION:
        own->piece_count = 0;
        arus_arena_reset(&own->arena);
        ARUS_TRY(arus_group_emit(stateful, slice->partition, slice->entries, slice->count, err));
        memcpy(columns, own->pieces[0].columns,
               own->pieces[0].schema->field_count * sizeof *columns);
        return ARUS_OK;
    case ARUS_STATE_DEDUP:
    case ARUS_STATE_DEDUP_WITHIN:
        return decode(&stateful->keys, false, slice, columns, err);
    case ARUS_STATE_JOIN:
        ARUS_TRY(decode(&stateful->keys, false, slice, columns, err));
        return decode(&stateful->rows[slice->side], true, slice, columns + key->field_count, err);
    case ARUS_STATE_LIMIT:
        ARUS_TRY(arus_vector_init(columns, &ARUS_BIGINT, slice->count, slice->arena, err));
        memcpy(columns->values,
               arus_state_part_fixed(arus_stateful_table_part(stateful, 0, slice->partition),
                                     slice->entries[0]),
               sizeof(int64_t));
        return ARUS_OK;
    }
    return ARUS_OK;
}

/* The watermark at which an entry with this expiry leaves: arus_watermark_state turned round. */
static bool find_leaving(const struct arus_stateful *stateful, const struct slice *slice,
                         uint32_t entry, int64_t *out)
{
    const struct arus_state_part *part =
        arus_stateful_table_part(stateful, slice->side, slice->partition);
    const struct arus_expiry *expiry = &stateful->plan->inputs[slice->side].expiry;

    if (expiry->kind == ARUS_EXPIRY_NONE || !part->layout->has_expiry || expiry->is_fixed ||
        stateful->plan->mode == ARUS_COMPLETE || part->expiry[entry] == ARUS_STATE_NEVER ||
        (expiry->is_limited && part->expiry[entry] > expiry->limit_ms * 1000)) {
        return false;
    }
    *out = part->expiry[entry];
    if (expiry->kind == ARUS_EXPIRY_TIME) {
        *out += expiry->minus_ms * 1000 - expiry->offset_micros;
    }
    return true;
}

static enum arus_status put_times(const struct slice *slice, struct arus_vector *out,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_vector_init(out, &ARUS_TIMESTAMP, slice->count, slice->arena, err));
    ARUS_TRY(arus_vector_need_validity(out, slice->arena, err));
    for (uint32_t i = 0; i < slice->count; i++) {
        int64_t *at = (int64_t *)out->values + i;

        *at = 0;
        if (!find_leaving(slice->stateful, slice, slice->entries[i], at)) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static enum arus_status give(const struct slice *slice, const struct arus_type *type,
                             enum arus_status (*write)(void *self, const struct arus_batch *batch,
                                                       struct arus_error *err),
                             void *self, struct arus_error *err)
{
    const struct arus_type *key = type->fields[ARUS_STATE_ROW_KEY].type;
    const struct arus_type *value = type->fields[ARUS_STATE_ROW_VALUE].type;
    struct arus_vector columns[ARUS_STATE_ROW_COLUMN_COUNT] = {0};
    const struct arus_batch batch = {.schema = type, .row_count = slice->count, .columns = columns};
    struct arus_vector *all;

    ARUS_TRY(ARUS_NEW(slice->arena, struct arus_vector,
                      (size_t)key->field_count + value->field_count + 1, &all, err));
    ARUS_TRY(decode_all(slice, key, all, err));
    ARUS_TRY(make_struct(key, all, slice, &columns[ARUS_STATE_ROW_KEY], err));
    ARUS_TRY(
        make_struct(value, all + key->field_count, slice, &columns[ARUS_STATE_ROW_VALUE], err));
    ARUS_TRY(arus_vector_init(&columns[ARUS_STATE_ROW_PARTITION], &ARUS_INT, slice->count,
                              slice->arena, err));
    for (uint32_t i = 0; i < slice->count; i++) {
        ((int32_t *)columns[ARUS_STATE_ROW_PARTITION].values)[i] = (int32_t)slice->partition;
    }
    ARUS_TRY(put_times(slice, &columns[ARUS_STATE_ROW_LEAVES], err));
    return write(self, &batch, err);
}

static enum arus_status each_of_partition(struct slice *slice, const struct arus_type *type,
                                          enum arus_status (*write)(void *self,
                                                                    const struct arus_batch *batch,
                                                                    struct arus_error *err),
                                          void *self, struct arus_error *err)
{
    const struct arus_state_part *part =
        arus_stateful_table_part(slice->stateful, slice->side, slice->partition);
    uint32_t entry = arus_state_part_next_live(part, 0);

    while (entry != ARUS_STATE_NONE) {
        arus_arena_reset(slice->arena);
        ARUS_TRY(ARUS_NEW(slice->arena, uint32_t, ARUS_BATCH_ROWS, &slice->entries, err));
        for (slice->count = 0; entry != ARUS_STATE_NONE && slice->count < ARUS_BATCH_ROWS;
             entry = arus_state_part_next_live(part, entry + 1)) {
            slice->entries[slice->count++] = entry;
        }
        ARUS_TRY(give(slice, type, write, self, err));
    }
    return ARUS_OK;
}

enum arus_status arus_exec_state_each(
    struct arus_exec *exec, uint32_t id, uint32_t side, const struct arus_type *type,
    enum arus_status (*write)(void *self, const struct arus_batch *batch, struct arus_error *err),
    void *self, struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct slice slice = {.stateful = arus_stateful_find(exec, id), .side = side, .arena = &arena};
    enum arus_status status = ARUS_OK;

    for (slice.partition = 0; slice.partition < ARUS_STATE_PART_COUNT && status == ARUS_OK;
         slice.partition++) {
        status = each_of_partition(&slice, type, write, self, err);
    }
    arus_arena_release(&arena);
    return status;
}
