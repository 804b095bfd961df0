/** Running programs: one pass over the instructions of a block, whole batches at a time. */
#include "base/alloc.h"
#include "expr/gather.h"
#include "expr/program_internal.h"

/* ---- state ---- */

enum arus_status arus_program_state_open(const struct arus_program *program,
                                         struct arus_program_state **out, struct arus_error *err)
{
    struct arus_register *registers;
    size_t total = 0;
    struct arus_program_state *state;

    *out = NULL;
    for (uint32_t i = 0; i < program->block_count; i++) {
        total += program->block_sizes[i];
    }
    state = arus_alloc(1, sizeof *state + program->block_count * sizeof *state->blocks +
                              total * sizeof *registers);
    if (state == NULL) {
        return arus_fail_memory(err);
    }
    registers = (void *)(state + 1);
    state->blocks = (void *)(registers + total);
    state->register_count = (uint32_t)total;
    for (uint32_t i = 0; i < program->block_count; i++) {
        state->blocks[i] = registers;
        registers += program->block_sizes[i];
    }
    *out = state;
    return ARUS_OK;
}

void arus_program_state_close(struct arus_program_state *state)
{
    struct arus_register *registers;

    if (state == NULL) {
        return;
    }
    arus_program_state_close(state->careful);
    registers = (void *)(state + 1);
    for (uint32_t i = 0; i < state->register_count; i++) {
        if (registers[i].memo.close != NULL) {
            registers[i].memo.close(registers[i].memo.data);
        }
        arus_arena_release(&registers[i].kept.arena);
    }
    arus_free(state);
}

/* ---- registers ---- */

/* FLAT or CONSTANT rows of a register, flattened at most once a run. */
static enum arus_status register_flat(struct arus_run *run, struct arus_register *reg,
                                      const struct arus_vector **out, struct arus_error *err)
{
    if (reg->vector.form != ARUS_VECTOR_DICTIONARY) {
        *out = &reg->vector;
        return ARUS_OK;
    }
    if (!reg->has_flat) {
        if (reg->vector.base->form == ARUS_VECTOR_CONSTANT) {
            reg->flat = *reg->vector.base;
            reg->flat.row_count = reg->vector.row_count;
        } else {
            ARUS_TRY(arus_vector_flatten(&reg->vector, run->step, &reg->flat, err));
        }
        reg->has_flat = true;
    }
    *out = &reg->flat;
    return ARUS_OK;
}

static bool is_null_constant(const struct arus_vector *vector)
{
    return vector->type->id == ARUS_TYPE_VOID ||
           (vector->form == ARUS_VECTOR_CONSTANT && !arus_bit_get(vector->validity, 0));
}

static bool is_volatile(const struct arus_expr *expr)
{
    return expr->kind == ARUS_EXPR_CALL && (expr->function->flags & ARUS_VOLATILE) != 0;
}

/* Are all arguments constant? Then one row is computed. */
static bool all_constant(const struct arus_instruction *instruction,
                         const struct arus_register *registers)
{
    for (uint32_t i = 0; i < instruction->arg_count; i++) {
        if (instruction->args[i] == ARUS_NO_REGISTER ||
            registers[instruction->args[i]].vector.form != ARUS_VECTOR_CONSTANT) {
            return false;
        }
    }
    return !is_volatile(instruction->expr);
}

/* ---- strict calls ---- */

static enum arus_status and_validity(const struct arus_vector *args, uint32_t arg_count,
                                     uint32_t row_count, struct arus_arena *step, uint64_t **out,
                                     struct arus_error *err)
{
    const size_t words = arus_validity_words(row_count);
    uint64_t *valid = NULL;
    bool is_own = false;

    for (uint32_t i = 0; i < arg_count; i++) {
        uint64_t *more = args[i].form == ARUS_VECTOR_CONSTANT ? NULL : args[i].validity;

        if (more == NULL || more == valid) {
            continue;
        }
        if (valid == NULL) {
            valid = more;
            continue;
        }
        if (!is_own) {
            void *memory;

            ARUS_TRY(arus_arena_buffer(step, words * sizeof *valid, &memory, err));
            memcpy(memory, valid, words * sizeof *valid);
            valid = memory;
            is_own = true;
        }
        for (size_t w = 0; w < words; w++) {
            valid[w] &= more[w];
        }
    }
    *out = valid;
    return ARUS_OK;
}

static void merge_validity(struct arus_vector *out, uint64_t *valid, uint32_t row_count)
{
    const size_t words = arus_validity_words(row_count);

    if (valid == NULL || out->validity == valid) {
        return;
    }
    if (out->validity == NULL) {
        out->validity = valid;
        return;
    }
    for (size_t w = 0; w < words; w++) {
        out->validity[w] &= valid[w];
    }
}

static enum arus_status call_kernel(struct arus_run *run,
                                    const struct arus_instruction *instruction,
                                    const struct arus_vector *args, uint32_t row_count,
                                    const uint64_t *valid, struct arus_vector *out,
                                    struct arus_error *err)
{
    const struct arus_expr *expr = instruction->expr;
    const struct arus_kernel_call call = {
        .expr = expr,
        .memo = run->memo,
        .args = args,
        .row_count = row_count,
        .valid = valid,
        .env = run->env,
        .step = run->step,
        .lambdas = run->lambdas,
    };
    enum arus_status status;

    run->bad_row = UINT32_MAX; /* not every kernel knows */
    status = expr->kernel(&call, out, &run->bad_row, err);
    if (status == ARUS_BAD_DATA) {
        if (arus_expr_is_constant(expr)) { /* 1 / 0: no row is to blame */
            run->bad_row = UINT32_MAX;
        }
        return arus_error_at(err, expr->place);
    }
    return status;
}

enum arus_status arus_strict_run(struct arus_run *run, const struct arus_instruction *instruction,
                                 struct arus_vector *args, uint32_t row_count,
                                 struct arus_vector *out, struct arus_error *err)
{
    uint64_t *valid;

    ARUS_TRY(and_validity(args, instruction->arg_count, row_count, run->step, &valid, err));
    ARUS_TRY(call_kernel(run, instruction, args, row_count, valid, out, err));
    merge_validity(out, valid, row_count);
    return ARUS_OK;
}

/* ---- calls over dictionaries ---- */

/* The one argument that is no constant, if it is a dictionary; no error may come from values that
 * no row has. NULL: no such way. `*is_same`: all other arguments are the same in every batch. */
static const struct arus_vector *find_dictionary(const struct arus_instruction *instruction,
                                                 const struct arus_block *block,
                                                 const struct arus_register *registers,
                                                 bool *is_same)
{
    const struct arus_vector *found = NULL;

    *is_same = true;
    if (instruction->expr->can_fail || instruction->kind == ARUS_INSTRUCTION_HIGHER ||
        is_volatile(instruction->expr)) {
        return NULL;
    }
    for (uint32_t i = 0; i < instruction->arg_count; i++) {
        const struct arus_register *reg = &registers[instruction->args[i]];

        if (reg->vector.form == ARUS_VECTOR_CONSTANT) {
            *is_same &= block->items[instruction->args[i]].kind == ARUS_INSTRUCTION_LITERAL;
        } else if (found != NULL || reg->vector.form != ARUS_VECTOR_DICTIONARY || reg->has_flat) {
            return NULL;
        } else {
            found = &reg->vector;
        }
    }
    return found;
}

/*
 * Does a call over all values of a dictionary pay? If they are few beside the rows of this batch;
 * else once half as many rows have asked as there are values, for the result is kept then.
 */
static bool does_pay(const struct arus_vector *dictionary, struct arus_kept *kept)
{
    const struct arus_vector *base = dictionary->base;

    if (kept != NULL && kept->identity != base->identity) {
        kept->identity = base->identity;
        kept->row_count = 0;
        kept->has_values = false;
    }
    if (kept != NULL) {
        kept->row_count += dictionary->row_count;
    }
    return base->row_count <= dictionary->row_count / 2 ||
           (kept != NULL && (kept->has_values || kept->row_count >= base->row_count / 2));
}

static enum arus_status call_over_base(struct arus_run *run,
                                       const struct arus_instruction *instruction,
                                       const struct arus_register *registers,
                                       const struct arus_vector *dictionary,
                                       struct arus_vector *out, struct arus_error *err)
{
    struct arus_vector *args;

    ARUS_TRY(ARUS_NEW(run->step, struct arus_vector, instruction->arg_count, &args, err));
    for (uint32_t i = 0; i < instruction->arg_count; i++) {
        const struct arus_vector *arg = &registers[instruction->args[i]].vector;

        args[i] = arg == dictionary ? *dictionary->base : *arg;
        args[i].identity = 0; /* a result may be made from it */
    }
    return instruction->kind == ARUS_INSTRUCTION_STRICT
               ? arus_strict_run(run, instruction, args, dictionary->base->row_count, out, err)
               : call_kernel(run, instruction, args, dictionary->base->row_count, NULL, out, err);
}

/* The same, or what it gave before. */
static enum arus_status fill_kept(struct arus_run *run, const struct arus_instruction *instruction,
                                  const struct arus_register *registers,
                                  const struct arus_vector *dictionary, struct arus_kept *kept,
                                  struct arus_error *err)
{
    struct arus_arena *step = run->step;
    enum arus_status status;

    if (kept->has_values) {
        return ARUS_OK;
    }
    arus_arena_reset(&kept->arena);
    run->step = &kept->arena;
    status = call_over_base(run, instruction, registers, dictionary, &kept->base, err);
    run->step = step;
    kept->base.identity = arus_vector_new_identity();
    kept->has_values = status == ARUS_OK;
    return status;
}

static enum arus_status
call_by_dictionary(struct arus_run *run, const struct arus_instruction *instruction,
                   const struct arus_register *registers, const struct arus_vector *dictionary,
                   struct arus_kept *kept, struct arus_vector *out, struct arus_error *err)
{
    const struct arus_vector *base;
    struct arus_vector *own;

    if (kept != NULL) {
        ARUS_TRY(fill_kept(run, instruction, registers, dictionary, kept, err));
        base = &kept->base;
    } else {
        ARUS_TRY(ARUS_NEW(run->step, struct arus_vector, 1, &own, err));
        ARUS_TRY(call_over_base(run, instruction, registers, dictionary, own, err));
        base = own;
    }
    *out = (struct arus_vector){.type = base->type,
                                .form = ARUS_VECTOR_DICTIONARY,
                                .row_count = dictionary->row_count,
                                .indices = dictionary->indices,
                                .base = base};
    return ARUS_OK;
}

/* `*is_done`: `out` is made, by a dictionary. `kept` may be NULL. */
static enum arus_status try_dictionary(struct arus_run *run, const struct arus_block *block,
                                       const struct arus_instruction *instruction,
                                       struct arus_kept *kept, struct arus_vector *out,
                                       bool *is_done, struct arus_error *err)
{
    const struct arus_register *registers = run->state->blocks[block->index];
    const struct arus_vector *dictionary;
    bool is_same;

    *is_done = false;
    dictionary = find_dictionary(instruction, block, registers, &is_same);
    if (dictionary == NULL) {
        return ARUS_OK;
    }
    kept = is_same && dictionary->base->identity != 0 ? kept : NULL;
    *is_done = does_pay(dictionary, kept);
    return *is_done ? call_by_dictionary(run, instruction, registers, dictionary, kept, out, err)
                    : ARUS_OK;
}

static void become_constant(struct arus_vector *vector, uint32_t row_count)
{
    vector->form = ARUS_VECTOR_CONSTANT;
    vector->row_count = row_count;
}

/* One row of a constant, as FLAT. */
static struct arus_vector first_row(const struct arus_vector *vector)
{
    struct arus_vector row = *vector;

    row.form = ARUS_VECTOR_FLAT;
    row.row_count = 1;
    return row;
}

static enum arus_status flat_args(struct arus_run *run, const struct arus_instruction *instruction,
                                  struct arus_register *registers, bool is_constant,
                                  struct arus_vector **out, struct arus_error *err)
{
    struct arus_vector *args;

    ARUS_TRY(ARUS_NEW(run->step, struct arus_vector, instruction->arg_count + 1, &args, err));
    for (uint32_t i = 0; i < instruction->arg_count; i++) {
        const struct arus_vector *flat;

        if (instruction->args[i] == ARUS_NO_REGISTER) { /* a lambda */
            continue;
        }
        ARUS_TRY(register_flat(run, &registers[instruction->args[i]], &flat, err));
        args[i] = is_constant ? first_row(flat) : *flat;
    }
    *out = args;
    return ARUS_OK;
}

static enum arus_status call_strict(struct arus_run *run, const struct arus_block *block,
                                    const struct arus_instruction *instruction,
                                    struct arus_kept *kept, uint32_t row_count,
                                    struct arus_vector *out, struct arus_error *err)
{
    struct arus_register *registers = run->state->blocks[block->index];
    const bool is_constant = all_constant(instruction, registers);
    struct arus_vector *args;
    bool is_done;

    for (uint32_t i = 0; i < instruction->arg_count; i++) {
        if (instruction->args[i] != ARUS_NO_REGISTER &&
            is_null_constant(&registers[instruction->args[i]].vector)) {
            return arus_vector_init_null(out, instruction->expr->type, row_count, run->step, err);
        }
    }
    ARUS_TRY(try_dictionary(run, block, instruction, kept, out, &is_done, err));
    if (is_done) {
        return ARUS_OK;
    }
    ARUS_TRY(flat_args(run, instruction, registers, is_constant, &args, err));
    ARUS_TRY(arus_strict_run(run, instruction, args, is_constant ? 1 : row_count, out, err));
    if (is_constant) {
        become_constant(out, row_count);
    }
    return ARUS_OK;
}

static enum arus_status call_whole(struct arus_run *run, const struct arus_block *block,
                                   const struct arus_instruction *instruction,
                                   struct arus_kept *kept, uint32_t row_count,
                                   struct arus_vector *out, struct arus_error *err)
{
    struct arus_register *registers = run->state->blocks[block->index];
    const bool is_constant = all_constant(instruction, registers);
    struct arus_vector *args;
    bool is_done;

    ARUS_TRY(try_dictionary(run, block, instruction, kept, out, &is_done, err));
    if (is_done) {
        return ARUS_OK;
    }
    ARUS_TRY(flat_args(run, instruction, registers, is_constant, &args, err));
    ARUS_TRY(call_kernel(run, instruction, args, is_constant ? 1 : row_count, NULL, out, err));
    if (is_constant) {
        become_constant(out, row_count);
    }
    return ARUS_OK;
}

/* The kernel runs the lambdas itself. */
static enum arus_status call_higher(struct arus_run *run, const struct arus_block *block,
                                    const struct arus_instruction *instruction, uint32_t row_count,
                                    struct arus_vector *out, struct arus_error *err)
{
    const bool is_strict = (instruction->expr->function->flags & ARUS_STRICT) != 0;
    const struct arus_lambdas lambdas = {run, block, instruction};
    enum arus_status status;

    run->lambdas = &lambdas;
    status = is_strict ? call_strict(run, block, instruction, NULL, row_count, out, err)
                       : call_whole(run, block, instruction, NULL, row_count, out, err);
    run->lambdas = NULL;
    return status;
}

/* ---- fields ---- */

/* A child is null where its parent is. */
static enum arus_status child_under(const struct arus_vector *parent, uint32_t field,
                                    struct arus_arena *step, struct arus_vector *out,
                                    struct arus_error *err)
{
    const uint32_t rows = parent->form == ARUS_VECTOR_CONSTANT ? 1 : parent->row_count;
    const size_t words = arus_validity_words(rows);
    const struct arus_vector *child = &parent->children[field];
    uint64_t *validity;
    void *memory;

    if (parent->validity == NULL) {
        *out = *child;
        return ARUS_OK;
    }
    ARUS_TRY(arus_vector_flatten(child, step, out, err));
    if (out->validity == NULL) {
        out->validity = parent->validity;
        return ARUS_OK;
    }
    ARUS_TRY(arus_arena_buffer(step, words * sizeof *validity, &memory, err));
    validity = memory;
    for (size_t w = 0; w < words; w++) {
        validity[w] = out->validity[w] & parent->validity[w];
    }
    out->validity = validity;
    return ARUS_OK;
}

/* array_of_struct.f: the same spans over the child of the child. */
static enum arus_status field_of_array(const struct arus_vector *array,
                                       const struct arus_expr *expr, struct arus_arena *step,
                                       struct arus_vector *out, struct arus_error *err)
{
    struct arus_vector elements;

    *out = *array;
    out->type = expr->type;
    ARUS_TRY(ARUS_NEW(step, struct arus_vector, 1, &out->children, err));
    ARUS_TRY(arus_vector_flatten(&array->children[0], step, &elements, err));
    ARUS_TRY(child_under(&elements, expr->index, step, out->children, err));
    return arus_vector_flatten(out->children, step, out->children, err);
}

static enum arus_status field_of(const struct arus_vector *data, const struct arus_expr *expr,
                                 struct arus_arena *step, struct arus_vector *out,
                                 struct arus_error *err)
{
    if (data->type->id == ARUS_TYPE_ARRAY) {
        return field_of_array(data, expr, step, out, err);
    }
    ARUS_TRY(child_under(data, expr->index, step, out, err));
    if (data->form == ARUS_VECTOR_CONSTANT) {
        become_constant(out, data->row_count);
    }
    return ARUS_OK;
}

static enum arus_status call_field(struct arus_run *run, const struct arus_expr *expr,
                                   const struct arus_vector *arg, struct arus_vector *out,
                                   struct arus_error *err)
{
    struct arus_vector *base;

    if (is_null_constant(arg)) {
        return arus_vector_init_null(out, expr->type, arg->row_count, run->step, err);
    }
    if (arg->form != ARUS_VECTOR_DICTIONARY) {
        return field_of(arg, expr, run->step, out, err);
    }
    ARUS_TRY(ARUS_NEW(run->step, struct arus_vector, 1, &base, err));
    ARUS_TRY(field_of(arg->base, expr, run->step, base, err));
    return arus_vector_slice(base, arg->indices, arg->row_count, run->step, out, err);
}

/* ---- blocks ---- */

static enum arus_status run_instruction(struct arus_run *run, const struct arus_block *block,
                                        uint32_t i, uint32_t row_count, struct arus_error *err)
{
    const struct arus_instruction *instruction = &block->items[i];
    struct arus_register *registers = run->state->blocks[block->index];
    struct arus_vector *out = &registers[i].vector;

    registers[i].has_flat = false;
    run->memo = &registers[i].memo;
    switch (instruction->kind) {
    case ARUS_INSTRUCTION_LITERAL:
        *out = instruction->expr->value;
        out->row_count = row_count;
        return ARUS_OK;
    case ARUS_INSTRUCTION_INPUT:
        *out = run->input->columns[instruction->source];
        return ARUS_OK;
    case ARUS_INSTRUCTION_VARIABLE: /* done by run_lambda */
    case ARUS_INSTRUCTION_IMPORT:   /* done by block_enter */
        return ARUS_OK;
    case ARUS_INSTRUCTION_FIELD:
        return call_field(run, instruction->expr, &registers[instruction->args[0]].vector, out,
                          err);
    case ARUS_INSTRUCTION_STRICT:
        return call_strict(run, block, instruction, &registers[i].kept, row_count, out, err);
    case ARUS_INSTRUCTION_WHOLE:
        return call_whole(run, block, instruction, &registers[i].kept, row_count, out, err);
    case ARUS_INSTRUCTION_HIGHER:
        return call_higher(run, block, instruction, row_count, out, err);
    case ARUS_INSTRUCTION_LAZY:
        return arus_lazy_run(run, block, instruction, row_count, out, err);
    }
    return ARUS_OK;
}

static enum arus_status run_block(struct arus_run *run, const struct arus_block *block,
                                  uint32_t row_count, struct arus_error *err)
{
    for (uint32_t i = 0; i < block->count; i++) {
        ARUS_TRY(run_instruction(run, block, i, row_count, err));
    }
    return ARUS_OK;
}

/* Slices what the block takes from outside to rows[0..count). */
static enum arus_status block_enter(struct arus_run *run, const struct arus_block *block,
                                    const uint32_t *rows, uint32_t count, struct arus_error *err)
{
    struct arus_register *outer = run->state->blocks[block->outer->index];
    struct arus_register *registers = run->state->blocks[block->index];

    for (uint32_t i = 0; i < block->count; i++) {
        struct arus_register *from;

        if (block->items[i].kind != ARUS_INSTRUCTION_IMPORT) {
            continue;
        }
        from = &outer[block->items[i].source];
        ARUS_TRY(arus_vector_slice(from->has_flat ? &from->flat : &from->vector, rows, count,
                                   run->step, &registers[i].vector, err));
        registers[i].has_flat = false;
    }
    return ARUS_OK;
}

enum arus_status arus_lazy_arg_run(struct arus_run *run, const struct arus_block *block,
                                   const struct arus_instruction *instruction, uint32_t i,
                                   const uint32_t *rows, uint32_t count, struct arus_lazy_arg *out,
                                   struct arus_error *err)
{
    struct arus_register *registers = run->state->blocks[block->index];
    const struct arus_block *inner = instruction->blocks[i];
    const struct arus_vector *flat;
    enum arus_status status;

    out->is_whole = instruction->args[i] != ARUS_NO_REGISTER;
    if (out->is_whole) {
        ARUS_TRY(register_flat(run, &registers[instruction->args[i]], &flat, err));
        out->vector = *flat;
        return ARUS_OK;
    }
    ARUS_TRY(block_enter(run, inner, rows, count, err));
    status = run_block(run, inner, count, err);
    if (status == ARUS_BAD_DATA && run->bad_row < count) {
        run->bad_row = rows[run->bad_row];
    }
    if (status == ARUS_OK) {
        out->vector = run->state->blocks[inner->index][inner->result].vector;
    }
    return status;
}

/* At most LAMBDA_ROWS elements. */
static enum arus_status run_lambda(const struct arus_kernel_call *call, uint32_t arg,
                                   const struct arus_vector *variables, const uint32_t *rows,
                                   uint32_t count, struct arus_vector *out, struct arus_error *err)
{
    struct arus_run *run = call->lambdas->run;
    struct arus_arena *step = run->step;
    const struct arus_block *inner = call->lambdas->instruction->blocks[arg];
    struct arus_register *registers = run->state->blocks[inner->index];
    enum arus_status status;

    for (uint32_t i = 0; i < inner->count; i++) {
        if (inner->items[i].kind == ARUS_INSTRUCTION_VARIABLE) {
            registers[i].vector = variables[inner->items[i].source];
            registers[i].has_flat = false;
        }
    }
    run->step = call->step; /* a kernel may give an arena of its own */
    status = block_enter(run, inner, rows, count, err);
    if (status == ARUS_OK) {
        status = run_block(run, inner, count, err);
    }
    run->step = step;
    if (status == ARUS_BAD_DATA && run->bad_row < count) {
        run->bad_row = rows[run->bad_row];
    }
    *out = registers[inner->result].vector;
    return status;
}

enum { LAMBDA_ROWS = ARUS_BATCH_ROWS }; /* elements at a time: registers stay in the cache */

static enum arus_status slice_variables(const struct arus_expr *lambda,
                                        const struct arus_vector *variables, uint32_t begin,
                                        uint32_t count, struct arus_arena *step,
                                        struct arus_vector *out, struct arus_error *err)
{
    uint32_t *indices;

    ARUS_TRY(ARUS_NEW(step, uint32_t, count, &indices, err));
    for (uint32_t i = 0; i < count; i++) {
        indices[i] = begin + i;
    }
    for (uint32_t v = 0; v + 1 < lambda->arg_count; v++) {
        ARUS_TRY(arus_vector_slice(&variables[v], indices, count, step, &out[v], err));
    }
    return ARUS_OK;
}

enum arus_status arus_lambda_run(const struct arus_kernel_call *call, uint32_t arg,
                                 const struct arus_vector *variables, const uint32_t *rows,
                                 uint32_t count, struct arus_vector *out, uint32_t *bad_row,
                                 struct arus_error *err)
{
    const struct arus_expr *lambda = call->expr->args[arg];
    const uint32_t part_count = (count + LAMBDA_ROWS - 1) / LAMBDA_ROWS;
    struct arus_vector some[ARUS_LAMBDA_VARIABLES_MAX];
    struct arus_vector result;
    struct arus_vector *parts;
    const struct arus_vector **sources;
    enum arus_status status = ARUS_OK;

    if (count == 0) {
        return arus_vector_init(out, lambda->type, 0, call->step, err);
    }
    if (part_count > 1) {
        ARUS_TRY(ARUS_NEW(call->step, struct arus_vector, part_count, &parts, err));
        ARUS_TRY(ARUS_NEW(call->step, const struct arus_vector *, part_count, &sources, err));
    }
    for (uint32_t part = 0; part < part_count && status == ARUS_OK; part++) {
        const uint32_t begin = part * LAMBDA_ROWS;
        const uint32_t size = count - begin < LAMBDA_ROWS ? count - begin : LAMBDA_ROWS;

        if (part_count == 1) {
            status = run_lambda(call, arg, variables, rows, count, out, err);
            continue;
        }
        ARUS_TRY(slice_variables(lambda, variables, begin, size, call->step, some, err));
        status = run_lambda(call, arg, some, rows + begin, size, &result, err);
        if (status == ARUS_OK) {
            ARUS_TRY(arus_vector_flatten(&result, call->step, &parts[part], err));
        }
        sources[part] = &parts[part];
    }
    if (status != ARUS_OK) {
        *bad_row = call->lambdas->run->bad_row;
        return status;
    }
    return part_count == 1
               ? ARUS_OK
               : arus_vector_join(sources, part_count, lambda->type, call->step, out, err);
}

static enum arus_status no_rows(const struct arus_program *program, const struct arus_run *run,
                                struct arus_vector *out, struct arus_error *err)
{
    for (uint32_t i = 0; i < program->count; i++) {
        const struct arus_instruction *item = &program->root.items[program->results[i]];

        ARUS_TRY(arus_vector_init(&out[i], item->expr->type, 0, run->step, err));
    }
    return ARUS_OK;
}

static enum arus_status run_root(struct arus_run *run, const struct arus_program *program,
                                 struct arus_vector *out, struct arus_error *err)
{
    ARUS_TRY(run_block(run, &program->root, run->input->row_count, err));
    for (uint32_t i = 0; i < program->count; i++) {
        out[i] = run->state->blocks[0][program->results[i]].vector;
    }
    return ARUS_OK;
}

enum arus_status arus_program_run(const struct arus_program *program,
                                  struct arus_program_state *state, const struct arus_eval_env *env,
                                  const struct arus_batch *input, struct arus_arena *step,
                                  struct arus_vector *out, uint32_t *bad_row,
                                  struct arus_error *err)
{
    struct arus_run run = {.state = state, .env = env, .input = input, .step = step};
    struct arus_error failure;
    enum arus_status status;

    if (input->row_count == 0) {
        return no_rows(program, &run, out, err);
    }
    status = run_root(&run, program, out, &failure);
    if (status == ARUS_BAD_DATA && program->careful != NULL) {
        if (state->careful == NULL) {
            ARUS_TRY(arus_program_state_open(program->careful, &state->careful, err));
        }
        return arus_program_run(program->careful, state->careful, env, input, step, out, bad_row,
                                err);
    }
    if (status != ARUS_OK) {
        *bad_row = run.bad_row;
        *err = failure;
    }
    return status;
}

void arus_filter_indices(const struct arus_vector *condition, uint32_t *indices, uint32_t *count)
{
    const struct arus_vector *data = arus_vector_data(condition);
    const uint8_t *values = data->values;
    uint32_t found = 0;

    if (condition->form == ARUS_VECTOR_FLAT && condition->type->id == ARUS_TYPE_BOOLEAN) {
        const uint64_t *validity = condition->validity;

        for (uint32_t i = 0; i < condition->row_count; i++) {
            indices[found] = i;
            found += (uint32_t)(values[i] & (uint8_t)arus_bit_get(validity, i));
        }
    } else {
        for (uint32_t i = 0; i < condition->row_count; i++) {
            indices[found] = i;
            found +=
                arus_vector_is_valid(condition, i) && values[arus_vector_at(condition, i)] != 0;
        }
    }
    *count = found;
}
