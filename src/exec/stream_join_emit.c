/** Rows of a join of two streams: rows of a batch beside stored ones. */
#include "exec/stream_join.h"

static uint16_t field_count(const struct arus_join_task *task, uint32_t side)
{
    return task->plan->join.sides[side].input->field_count;
}

/* Where the columns of a side stand in a joined row. */
static struct arus_vector *columns_of(const struct arus_join_task *task,
                                      struct arus_vector *columns, uint32_t side)
{
    return columns + (side == 0 ? 0 : field_count(task, 0));
}

static enum arus_status new_columns(struct arus_join_task *task, struct arus_vector **out,
                                    struct arus_error *err)
{
    return ARUS_NEW(&task->part->arena, struct arus_vector,
                    (size_t)field_count(task, 0) + field_count(task, 1) + 1, out, err);
}

static enum arus_status put_rows(struct arus_join_task *task, const struct arus_stored *stored,
                                 const uint32_t *rows, uint32_t count, struct arus_vector *columns,
                                 struct arus_error *err)
{
    struct arus_batch sliced;

    ARUS_TRY(arus_batch_slice(&stored->rows, rows, count, &task->part->arena, &sliced, err));
    memcpy(columns_of(task, columns, task->side), sliced.columns,
           field_count(task, task->side) * sizeof *columns);
    return ARUS_OK;
}

static enum arus_status put_entries(struct arus_join_task *task, uint32_t side,
                                    const uint32_t *entries, uint32_t count,
                                    struct arus_vector *columns, struct arus_error *err)
{
    struct arus_arena *arena = &task->part->arena;
    const char **rows;

    ARUS_TRY(ARUS_NEW(arena, const char *, (size_t)count + 1, &rows, err));
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = arus_state_part_payload(task->tables[side], entries[i]).data;
    }
    return arus_row_code_decode(&task->stateful->rows[side], rows, count, arena,
                                columns_of(task, columns, side), err);
}

static enum arus_status put_nulls(struct arus_join_task *task, uint32_t side, uint32_t count,
                                  struct arus_vector *columns, struct arus_error *err)
{
    const struct arus_type *input = task->plan->join.sides[side].input;

    for (uint16_t f = 0; f < input->field_count; f++) {
        ARUS_TRY(arus_vector_init_null(&columns_of(task, columns, side)[f], input->fields[f].type,
                                       count, &task->part->arena, err));
    }
    return ARUS_OK;
}

/* Numbers of the pairs that pass the condition. */
static enum arus_status try_condition(struct arus_join_task *task, const struct arus_batch *pairs,
                                      uint32_t **kept, uint32_t *count, struct arus_error *err)
{
    const struct arus_program *program = task->plan->join.condition;
    struct arus_exec *exec = task->stateful->exec;
    struct arus_program_state **state = &task->stateful->conditions[task->worker];
    struct arus_eval_env env = exec->env;
    struct arus_vector passes;
    uint32_t bad_row = 0;

    ARUS_TRY(ARUS_NEW(&task->part->arena, uint32_t, (size_t)pairs->row_count + 64, kept, err));
    *count = pairs->row_count;
    if (program == NULL) {
        for (uint32_t i = 0; i < *count; i++) {
            (*kept)[i] = i;
        }
        return ARUS_OK;
    }
    if (*state == NULL) {
        ARUS_TRY(arus_program_state_open(program, state, err));
    }
    env.now_micros = exec->run->now_micros;
    ARUS_TRY(arus_program_run(program, *state, &env, pairs, &task->part->scratch, &passes, &bad_row,
                              err));
    arus_filter_indices(&passes, *kept, count);
    return ARUS_OK;
}

enum arus_status arus_join_emit_pairs(struct arus_join_task *task, const struct arus_stored *stored,
                                      const uint32_t **kept, uint32_t *count,
                                      struct arus_error *err)
{
    struct arus_batch pairs = {.schema = task->plan->schema, .row_count = task->pair_count};
    struct arus_batch piece;
    uint32_t *rows;
    uint32_t *passed;
    void *memory;

    ARUS_TRY(arus_arena_buffer(&task->part->arena, task->pair_count * sizeof *rows, &memory, err));
    rows = memory;
    memcpy(rows, task->pair_rows, task->pair_count * sizeof *rows);
    ARUS_TRY(new_columns(task, &pairs.columns, err));
    ARUS_TRY(put_rows(task, stored, rows, task->pair_count, pairs.columns, err));
    ARUS_TRY(put_entries(task, 1 - task->side, task->pair_entries, task->pair_count, pairs.columns,
                         err));
    ARUS_TRY(try_condition(task, &pairs, &passed, count, err));
    *kept = passed;
    if (task->plan->join.kind == ARUS_JOIN_SEMI) {
        return ARUS_OK;
    }
    if (*count == pairs.row_count) {
        return arus_stateful_add_piece(task->part, &pairs, err);
    }
    ARUS_TRY(arus_batch_slice(&pairs, passed, *count, &task->part->arena, &piece, err));
    return arus_stateful_add_piece(task->part, &piece, err);
}

enum arus_status arus_join_emit_semi(struct arus_join_task *task, const struct arus_stored *stored,
                                     struct arus_error *err)
{
    struct arus_batch piece = {.schema = task->plan->schema};
    void *rows;

    if (task->semi_rows.count != 0) {
        const size_t size = task->semi_rows.count * sizeof(uint32_t);

        piece.row_count = task->semi_rows.count;
        ARUS_TRY(new_columns(task, &piece.columns, err));
        ARUS_TRY(arus_arena_buffer(&task->part->arena, size, &rows, err));
        memcpy(rows, task->semi_rows.items.data, size);
        ARUS_TRY(put_rows(task, stored, rows, piece.row_count, piece.columns, err));
        ARUS_TRY(arus_stateful_add_piece(task->part, &piece, err));
    }
    if (task->semi_entries.count != 0) {
        const size_t size = task->semi_entries.count * sizeof(uint32_t);

        piece.row_count = task->semi_entries.count;
        ARUS_TRY(new_columns(task, &piece.columns, err));
        ARUS_TRY(arus_arena_buffer(&task->part->arena, size, &rows, err));
        memcpy(rows, task->semi_entries.items.data, size);
        ARUS_TRY(put_entries(task, 0, rows, piece.row_count, piece.columns, err));
        ARUS_TRY(arus_stateful_add_piece(task->part, &piece, err));
    }
    return ARUS_OK;
}

enum arus_status arus_join_emit_rows(struct arus_join_task *task, const struct arus_stored *stored,
                                     const uint32_t *rows, uint32_t count, struct arus_error *err)
{
    struct arus_batch piece = {.schema = task->plan->schema, .row_count = count};

    if (count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(new_columns(task, &piece.columns, err));
    ARUS_TRY(put_rows(task, stored, rows, count, piece.columns, err));
    ARUS_TRY(put_nulls(task, 1 - task->side, count, piece.columns, err));
    return arus_stateful_add_piece(task->part, &piece, err);
}

enum arus_status arus_join_emit_entries(struct arus_join_task *task, const uint32_t *entries,
                                        uint32_t count, struct arus_error *err)
{
    struct arus_batch piece = {.schema = task->plan->schema, .row_count = count};

    if (count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(new_columns(task, &piece.columns, err));
    ARUS_TRY(put_entries(task, task->side, entries, count, piece.columns, err));
    ARUS_TRY(put_nulls(task, 1 - task->side, count, piece.columns, err));
    return arus_stateful_add_piece(task->part, &piece, err);
}
