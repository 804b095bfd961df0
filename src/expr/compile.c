/** From expression trees to blocks of instructions. */
#include "base/hash.h"
#include "column/hash.h"
#include "expr/program_internal.h"

struct compiler {
    struct arus_arena *arena;
    struct arus_program *program;
    bool is_careful; /* strict calls with arguments that hide behind a null are lazy */
    bool has_hidden; /* there are such calls */
};

static enum arus_status compile_in(struct compiler *compiler, struct arus_block *block,
                                   const struct arus_expr *expr, uint32_t *out,
                                   struct arus_error *err);

static bool is_volatile(const struct arus_expr *expr)
{
    return expr->kind == ARUS_EXPR_CALL && expr->function != NULL &&
           (expr->function->flags & ARUS_VOLATILE) != 0;
}

static bool has_volatile(const struct arus_expr *expr)
{
    bool found = is_volatile(expr);

    for (uint32_t i = 0; i < expr->arg_count && !found; i++) {
        found = has_volatile(expr->args[i]);
    }
    return found;
}

static bool is_by_source(const struct arus_instruction *instruction)
{
    return instruction->kind == ARUS_INSTRUCTION_INPUT ||
           instruction->kind == ARUS_INSTRUCTION_IMPORT ||
           instruction->kind == ARUS_INSTRUCTION_VARIABLE;
}

/* Literals, and what has parts in other blocks. */
static bool is_by_tree(const struct arus_instruction *instruction)
{
    return instruction->kind == ARUS_INSTRUCTION_LITERAL ||
           instruction->kind == ARUS_INSTRUCTION_LAZY ||
           instruction->kind == ARUS_INSTRUCTION_HIGHER;
}

/* Same operation on the same registers. */
static bool is_same(const struct arus_instruction *a, const struct arus_instruction *b)
{
    if (a->kind != b->kind || a->source != b->source || a->arg_count != b->arg_count) {
        return false;
    }
    if (is_by_source(a)) {
        return true;
    }
    if (is_by_tree(a)) {
        return arus_expr_equal(a->expr, b->expr) && !has_volatile(a->expr);
    }
    if (is_volatile(a->expr) || a->expr->kernel != b->expr->kernel ||
        a->expr->kind != b->expr->kind || a->expr->index != b->expr->index ||
        a->expr->function != b->expr->function || a->expr->cast_mode != b->expr->cast_mode ||
        !arus_expr_equal_constants(a->expr, b->expr) ||
        !arus_type_equal(a->expr->type, b->expr->type)) {
        return false;
    }
    return a->arg_count == 0 || memcmp(a->args, b->args, a->arg_count * sizeof *a->args) == 0;
}

static uint64_t hash_pointer(const void *pointer, uint64_t hash)
{
    return arus_hash_mix(hash, arus_hash_u64((uint64_t)(uintptr_t)pointer));
}

/* Expressions that arus_expr_equal calls equal have the same. */
static uint64_t hash_expr(const struct arus_expr *expr)
{
    uint64_t hash = arus_hash_mix((uint64_t)expr->kind << 32 | expr->index, expr->arg_count);

    hash = hash_pointer(expr->function, hash);
    if (expr->kind == ARUS_EXPR_LITERAL && !arus_type_is_nested(expr->type)) {
        arus_vector_hash(&expr->value, 1, &hash);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        hash = arus_hash_mix(hash, hash_expr(expr->args[i]));
    }
    return hash;
}

static uint64_t hash_instruction(const struct arus_instruction *instruction)
{
    uint64_t hash = arus_hash_mix((uint64_t)instruction->kind << 32 | instruction->source,
                                  instruction->arg_count);

    if (is_by_source(instruction)) {
        return hash;
    }
    if (is_by_tree(instruction)) {
        return arus_hash_mix(hash, hash_expr(instruction->expr));
    }
    hash = hash_pointer(instruction->expr->function, hash);
    hash = arus_hash_mix(hash, instruction->expr->index);
    return arus_hash_bytes(instruction->args, instruction->arg_count * sizeof *instruction->args,
                           hash);
}

/* The slot of an equal instruction, else the empty one where it belongs. */
static uint32_t *block_slot(const struct arus_block *block, const struct arus_instruction *wanted)
{
    const uint32_t mask = 2 * block->capacity - 1;
    uint32_t at = (uint32_t)hash_instruction(wanted) & mask;

    while (block->slots[at] != 0 && !is_same(&block->items[block->slots[at] - 1], wanted)) {
        at = (at + 1) & mask;
    }
    return &block->slots[at];
}

static enum arus_status block_grow(struct compiler *compiler, struct arus_block *block,
                                   struct arus_error *err)
{
    const struct arus_instruction *old = block->items;

    block->capacity = block->capacity == 0 ? 16 : 2 * block->capacity;
    ARUS_TRY(
        ARUS_NEW(compiler->arena, struct arus_instruction, block->capacity, &block->items, err));
    ARUS_TRY(ARUS_NEW(compiler->arena, uint32_t, 2 * (size_t)block->capacity, &block->slots, err));
    for (uint32_t i = 0; i < block->count; i++) {
        block->items[i] = old[i];
        *block_slot(block, &old[i]) = i + 1;
    }
    return ARUS_OK;
}

static enum arus_status block_add(struct compiler *compiler, struct arus_block *block,
                                  const struct arus_instruction *instruction, uint32_t *out,
                                  struct arus_error *err)
{
    uint32_t *slot;

    if (block->count == block->capacity) {
        ARUS_TRY(block_grow(compiler, block, err));
    }
    slot = block_slot(block, instruction);
    if (*slot == 0) {
        block->items[block->count++] = *instruction;
        *slot = block->count;
    }
    *out = *slot - 1;
    return ARUS_OK;
}

/* A register of an outer block, made known inside. */
static enum arus_status import(struct compiler *compiler, struct arus_block *block,
                               uint32_t outer_register, uint32_t *out, struct arus_error *err)
{
    const struct arus_instruction instruction = {.kind = ARUS_INSTRUCTION_IMPORT,
                                                 .source = outer_register};

    return block_add(compiler, block, &instruction, out, err);
}

static enum arus_status compile_column(struct compiler *compiler, struct arus_block *block,
                                       const struct arus_expr *expr, uint32_t *out,
                                       struct arus_error *err)
{
    const struct arus_instruction instruction = {
        .kind = ARUS_INSTRUCTION_INPUT, .expr = expr, .source = expr->index};
    uint32_t outer;

    if (block->outer == NULL) {
        return block_add(compiler, block, &instruction, out, err);
    }
    ARUS_TRY(compile_column(compiler, block->outer, expr, &outer, err));
    return import(compiler, block, outer, out, err);
}

/* The lambda around that binds it: the innermost one with its level. */
static enum arus_status compile_variable(struct compiler *compiler, struct arus_block *block,
                                         const struct arus_expr *expr, uint32_t *out,
                                         struct arus_error *err)
{
    const struct arus_expr *lambda = block->lambda;
    uint32_t outer;

    if (lambda != NULL && expr->index >= lambda->index &&
        expr->index - lambda->index < lambda->arg_count - 1) {
        const struct arus_instruction instruction = {
            .kind = ARUS_INSTRUCTION_VARIABLE, .expr = expr, .source = expr->index - lambda->index};

        return block_add(compiler, block, &instruction, out, err);
    }
    ARUS_TRY(compile_variable(compiler, block->outer, expr, &outer, err));
    return import(compiler, block, outer, out, err);
}

/* Is computing it for all rows no worse than picking the rows that need it? */
static bool is_harmless(const struct arus_expr *expr)
{
    if (expr->can_fail || is_volatile(expr)) {
        return false;
    }
    if (expr->kind == ARUS_EXPR_CALL && (expr->function->flags & ARUS_CHEAP) == 0) {
        return false;
    }
    if (expr->kind == ARUS_EXPR_CAST && arus_type_is_view(expr->type) &&
        !arus_type_is_view(expr->args[0]->type)) {
        return false;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (!is_harmless(expr->args[i])) {
            return false;
        }
    }
    return true;
}

static enum arus_status compile_block(struct compiler *compiler, struct arus_block *outer,
                                      const struct arus_expr *expr, struct arus_block **out,
                                      struct arus_error *err)
{
    const bool is_lambda = expr->kind == ARUS_EXPR_LAMBDA;
    struct arus_block *block;

    ARUS_TRY(ARUS_NEW(compiler->arena, struct arus_block, 1, &block, err));
    block->outer = outer;
    block->index = compiler->program->block_count++;
    block->lambda = is_lambda ? expr : NULL;
    ARUS_TRY(compile_in(compiler, block, is_lambda ? expr->args[0] : expr, &block->result, err));
    *out = block;
    return ARUS_OK;
}

/* Already computed outside before the lazy call comes to it? */
static bool find_computed(const struct arus_block *block, const struct arus_expr *expr,
                          uint32_t *out)
{
    for (uint32_t i = 0; block != NULL && i < block->count; i++) {
        const struct arus_instruction *item = &block->items[i];

        if (item->expr != NULL && item->kind >= ARUS_INSTRUCTION_FIELD &&
            !is_volatile(item->expr) && arus_expr_equal(item->expr, expr)) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* Strict: does the call come to argument `i` only where another one is not null? */
static bool is_behind(const struct arus_expr *expr, uint32_t i)
{
    const bool is_last_first = (expr->function->flags & ARUS_LAST_FIRST) != 0;

    if ((expr->function->flags & ARUS_ALL_ARGS) != 0) {
        return false;
    }
    return is_last_first ? i + 1 < expr->arg_count : i > 0;
}

static bool has_hidden_args(const struct arus_expr *expr)
{
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (is_behind(expr, i) && arus_expr_can_fail(expr->args[i])) {
            return true;
        }
    }
    return false;
}

/* Is argument `i` of a lazy instruction a block of its own? */
static bool is_put_off(const struct arus_expr *expr, uint32_t i)
{
    if ((expr->function->flags & ARUS_LAZY) == 0) {
        return is_behind(expr, i) && arus_expr_can_fail(expr->args[i]);
    }
    return (i > 0 || expr->arg_count == 1) && !is_harmless(expr->args[i]);
}

static enum arus_status compile_args(struct compiler *compiler, struct arus_block *block,
                                     struct arus_instruction *instruction, struct arus_error *err)
{
    const struct arus_expr *expr = instruction->expr;
    const bool is_lazy = instruction->kind == ARUS_INSTRUCTION_LAZY;

    ARUS_TRY(ARUS_NEW(compiler->arena, uint32_t, expr->arg_count, &instruction->args, err));
    if (is_lazy || instruction->kind == ARUS_INSTRUCTION_HIGHER) {
        ARUS_TRY(ARUS_NEW(compiler->arena, struct arus_block *, expr->arg_count,
                          &instruction->blocks, err));
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (expr->args[i]->kind == ARUS_EXPR_LAMBDA || (is_lazy && is_put_off(expr, i))) {
            instruction->args[i] = ARUS_NO_REGISTER;
            ARUS_TRY(compile_block(compiler, block, expr->args[i], &instruction->blocks[i], err));
        } else {
            ARUS_TRY(compile_in(compiler, block, expr->args[i], &instruction->args[i], err));
        }
    }
    return ARUS_OK;
}

static enum arus_instruction_kind kind_of(const struct arus_expr *expr)
{
    switch (expr->kind) {
    case ARUS_EXPR_LITERAL:
        return ARUS_INSTRUCTION_LITERAL;
    case ARUS_EXPR_COLUMN:
        return ARUS_INSTRUCTION_INPUT;
    case ARUS_EXPR_FIELD:
        return ARUS_INSTRUCTION_FIELD;
    case ARUS_EXPR_CAST:
        return ARUS_INSTRUCTION_STRICT;
    case ARUS_EXPR_VARIABLE:
        return ARUS_INSTRUCTION_VARIABLE;
    case ARUS_EXPR_LAMBDA:
    case ARUS_EXPR_CALL:
        break;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (expr->args[i]->kind == ARUS_EXPR_LAMBDA) {
            return ARUS_INSTRUCTION_HIGHER;
        }
    }
    if ((expr->function->flags & ARUS_LAZY) != 0) {
        return ARUS_INSTRUCTION_LAZY;
    }
    return (expr->function->flags & ARUS_STRICT) != 0 ? ARUS_INSTRUCTION_STRICT
                                                      : ARUS_INSTRUCTION_WHOLE;
}

/* What try_eval makes of a failure cannot be taken back: its argument is careful at once. */
static enum arus_status compile_call(struct compiler *compiler, struct arus_block *block,
                                     struct arus_instruction *instruction, struct arus_error *err)
{
    const struct arus_expr *expr = instruction->expr;
    const bool was_careful = compiler->is_careful;
    enum arus_status status;

    if (instruction->kind == ARUS_INSTRUCTION_STRICT && expr->kind == ARUS_EXPR_CALL &&
        has_hidden_args(expr)) {
        compiler->has_hidden = true;
        instruction->kind = was_careful ? ARUS_INSTRUCTION_LAZY : ARUS_INSTRUCTION_STRICT;
    }
    compiler->is_careful |=
        instruction->kind == ARUS_INSTRUCTION_LAZY && strcmp(expr->function->name, "try_eval") == 0;
    status = compile_args(compiler, block, instruction, err);
    compiler->is_careful = was_careful;
    return status;
}

/* What is the same for all elements is computed once a row, unless an empty array saves its error.
 */
static bool is_invariant(const struct arus_block *block, const struct arus_expr *expr)
{
    return block->lambda != NULL && !arus_expr_has_variable(expr, block->lambda->index) &&
           !arus_expr_can_fail(expr) && !has_volatile(expr);
}

/* May values of the block around stand for the same text in this one? */
static bool is_closed(const struct arus_block *block, const struct arus_expr *expr)
{
    return block->lambda == NULL || !arus_expr_has_variable(expr, block->lambda->index);
}

static enum arus_status compile_in(struct compiler *compiler, struct arus_block *block,
                                   const struct arus_expr *expr, uint32_t *out,
                                   struct arus_error *err)
{
    struct arus_instruction instruction = {
        .kind = kind_of(expr), .expr = expr, .arg_count = expr->arg_count};
    uint32_t outer;

    if (expr->kind == ARUS_EXPR_COLUMN) {
        return compile_column(compiler, block, expr, out, err);
    }
    if (expr->kind == ARUS_EXPR_VARIABLE) {
        return compile_variable(compiler, block, expr, out, err);
    }
    if (block->outer != NULL && expr->kind != ARUS_EXPR_LITERAL && is_closed(block, expr) &&
        find_computed(block->outer, expr, &outer)) {
        return import(compiler, block, outer, out, err);
    }
    if (expr->kind != ARUS_EXPR_LITERAL && is_invariant(block, expr)) {
        ARUS_TRY(compile_in(compiler, block->outer, expr, &outer, err));
        return import(compiler, block, outer, out, err);
    }
    if (expr->arg_count > 0) {
        ARUS_TRY(compile_call(compiler, block, &instruction, err));
    }
    return block_add(compiler, block, &instruction, out, err);
}

/* Registers of each block, the root first. */
static void measure(const struct arus_block *block, uint32_t *sizes)
{
    sizes[block->index] = block->count;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct arus_instruction *item = &block->items[i];

        for (uint32_t j = 0; item->blocks != NULL && j < item->arg_count; j++) {
            if (item->blocks[j] != NULL) {
                measure(item->blocks[j], sizes);
            }
        }
    }
}

static enum arus_status compile_program(const struct arus_expr *const *exprs, size_t count,
                                        struct compiler *compiler, struct arus_program **out,
                                        struct arus_error *err)
{
    struct arus_program *program;

    ARUS_TRY(ARUS_NEW(compiler->arena, struct arus_program, 1, &program, err));
    compiler->program = program;
    program->block_count = 1;
    program->count = (uint32_t)count;
    ARUS_TRY(ARUS_NEW(compiler->arena, uint32_t, count, &program->results, err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(compile_in(compiler, &program->root, exprs[i], &program->results[i], err));
    }
    ARUS_TRY(ARUS_NEW(compiler->arena, uint32_t, program->block_count, &program->block_sizes, err));
    measure(&program->root, program->block_sizes);
    *out = program;
    return ARUS_OK;
}

enum arus_status arus_program_compile(const struct arus_expr *const *exprs, size_t count,
                                      struct arus_arena *arena, const struct arus_program **out,
                                      struct arus_error *err)
{
    struct compiler compiler = {.arena = arena};
    struct compiler careful = {.arena = arena, .is_careful = true};
    struct arus_program *program;
    struct arus_program *twin;
    bool is_repeatable = true;

    ARUS_TRY(compile_program(exprs, count, &compiler, &program, err));
    *out = program;
    for (size_t i = 0; i < count; i++) {
        is_repeatable &= !has_volatile(exprs[i]);
    }
    if (compiler.has_hidden && is_repeatable) {
        ARUS_TRY(compile_program(exprs, count, &careful, &twin, err));
        program->careful = twin;
    }
    return ARUS_OK;
}
