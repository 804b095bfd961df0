/** The compiled form of expressions: blocks of instructions over registers. Shared by compile and
 * run. */
#ifndef ARUS_EXPR_PROGRAM_INTERNAL_H
#define ARUS_EXPR_PROGRAM_INTERNAL_H

#include "expr/function.h"

#define ARUS_NO_REGISTER UINT32_MAX

enum arus_instruction_kind {
    ARUS_INSTRUCTION_LITERAL,
    ARUS_INSTRUCTION_INPUT,    /* column `source` of the batch; only in the root block */
    ARUS_INSTRUCTION_VARIABLE, /* variable `source` of this block's lambda */
    ARUS_INSTRUCTION_IMPORT,   /* register `source` of the block outside, for this block's rows */
    ARUS_INSTRUCTION_FIELD,
    ARUS_INSTRUCTION_STRICT,
    ARUS_INSTRUCTION_WHOLE, /* sees nulls, all arguments computed */
    ARUS_INSTRUCTION_LAZY,  /* some arguments are blocks of their own; of a careful program also
                               strict calls */
    ARUS_INSTRUCTION_HIGHER /* lambdas are blocks that its kernel runs */
};

struct arus_block;

/** Writes the register of its own position in the block. */
struct arus_instruction {
    enum arus_instruction_kind kind;
    const struct arus_expr *expr;
    uint32_t source;
    uint32_t arg_count;
    uint32_t *args;             /* registers; ARUS_NO_REGISTER: see blocks */
    struct arus_block **blocks; /* LAZY, HIGHER: [arg_count], NULL where args has a register */
};

struct arus_block {
    struct arus_block *outer; /* NULL: the root */
    uint32_t index;           /* among the blocks of the program */
    uint32_t count;
    uint32_t capacity;
    struct arus_instruction *items;
    uint32_t *slots;                /* [2 * capacity] index + 1 by hash; 0: empty */
    uint32_t result;                /* register; not for the root */
    const struct arus_expr *lambda; /* whose body this is; NULL: of no lambda */
};

struct arus_program {
    struct arus_block root;
    uint32_t block_count;
    uint32_t *block_sizes; /* [block_count] registers of each block */
    uint32_t count;
    uint32_t *results; /* [count] registers of the root */
    /* The same, run when this one fails: the failure may stand behind a null argument, where Spark
     * does not come to it. NULL: no call has such arguments. */
    const struct arus_program *careful;
};

/** What a call gave for each value of a dictionary, for the batches that bring it again. */
struct arus_kept {
    uint64_t identity;  /* of the dictionary */
    uint64_t row_count; /* that asked for it so far */
    bool has_values;
    struct arus_vector base; /* in `arena`, or in the dictionary's memory */
    struct arus_arena arena;
};

struct arus_register {
    struct arus_vector vector;
    struct arus_vector flat; /* the same rows as FLAT or CONSTANT, once asked for */
    bool has_flat;
    struct arus_kernel_memo memo;
    struct arus_kept kept;
};

struct arus_program_state {
    uint32_t register_count;            /* of all blocks */
    struct arus_register **blocks;      /* [program->block_count] */
    struct arus_program_state *careful; /* of program->careful, once it was needed */
};

/** What one run passes down. */
struct arus_run {
    struct arus_program_state *state;
    const struct arus_eval_env *env;
    const struct arus_batch *input;
    struct arus_arena *step;
    struct arus_kernel_memo *memo;      /* of the instruction that runs */
    const struct arus_lambdas *lambdas; /* of the HIGHER instruction that runs */
    uint32_t bad_row;                   /* in the block that failed; mapped while it travels out */
};

struct arus_lambdas {
    struct arus_run *run;
    const struct arus_block *block; /* of the call */
    const struct arus_instruction *instruction;
};

/** One argument of a lazy call for rows[0..count) (NULL: all rows). */
struct arus_lazy_arg {
    struct arus_vector vector;
    bool is_whole; /* row `r` of the block at r; else at its position in `rows` */
};

/** Computes argument `i` of a lazy instruction for some rows of the block. */
ARUS_MUST_USE enum arus_status arus_lazy_arg_run(struct arus_run *run,
                                                 const struct arus_block *block,
                                                 const struct arus_instruction *instruction,
                                                 uint32_t i, const uint32_t *rows, uint32_t count,
                                                 struct arus_lazy_arg *out, struct arus_error *err);
/** Calls a strict kernel. `args`: FLAT or CONSTANT, none a constant NULL. */
ARUS_MUST_USE enum arus_status arus_strict_run(struct arus_run *run,
                                               const struct arus_instruction *instruction,
                                               struct arus_vector *args, uint32_t row_count,
                                               struct arus_vector *out, struct arus_error *err);
/** AND, OR, CASE, COALESCE, strict calls of careful programs (expr/lazy.c). */
ARUS_MUST_USE enum arus_status arus_lazy_run(struct arus_run *run, const struct arus_block *block,
                                             const struct arus_instruction *instruction,
                                             uint32_t row_count, struct arus_vector *out,
                                             struct arus_error *err);

#endif
