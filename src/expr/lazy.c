/** AND, OR, CASE and COALESCE: later arguments only for the rows that reach them; try_eval: NULL
 * where a row fails; strict calls: an argument only where those before it are not null. */
#include "expr/gather.h"
#include "expr/program_internal.h"

/* The rows of a block that a lazy call still has to decide. */
struct rows {
    uint32_t *items;
    uint32_t count;
};

struct chooser {
    const struct arus_vector **sources;
    uint32_t source_count;
    uint32_t *which; /* [row_count] */
    uint32_t *at;
    uint32_t row_count;
};

static enum arus_status chooser_init(struct chooser *chooser, uint32_t source_max,
                                     uint32_t row_count, struct arus_arena *step,
                                     struct arus_error *err)
{
    chooser->source_count = 0;
    chooser->row_count = row_count;
    ARUS_TRY(ARUS_NEW(step, const struct arus_vector *, source_max, &chooser->sources, err));
    ARUS_TRY(ARUS_NEW(step, uint32_t, row_count, &chooser->which, err));
    return ARUS_NEW(step, uint32_t, row_count, &chooser->at, err);
}

static enum arus_status all_rows(uint32_t row_count, struct arus_arena *step, struct rows *out,
                                 struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(step, uint32_t, row_count, &out->items, err));
    out->count = row_count;
    for (uint32_t i = 0; i < row_count; i++) {
        out->items[i] = i;
    }
    return ARUS_OK;
}

/* The value of a BOOLEAN argument for position j of rows: 0, 1, or 2 for null. */
static uint8_t truth(const struct arus_lazy_arg *arg, const uint32_t *rows, uint32_t j)
{
    const uint32_t i = arg->is_whole ? rows[j] : j;
    const struct arus_vector *data = arus_vector_data(&arg->vector);

    if (!arus_vector_is_valid(&arg->vector, i)) {
        return 2;
    }
    return ((const uint8_t *)data->values)[arus_vector_at(&arg->vector, i)] != 0;
}

/* From now on the rows in `taken` come from this argument. */
static enum arus_status choose(struct arus_run *run, struct chooser *chooser,
                               const struct arus_lazy_arg *arg, const struct rows *taken,
                               struct arus_error *err)
{
    const uint32_t source = chooser->source_count;
    struct arus_vector *flat;

    ARUS_TRY(ARUS_NEW(run->step, struct arus_vector, 1, &flat, err));
    if (arg->vector.form == ARUS_VECTOR_DICTIONARY) {
        ARUS_TRY(arus_vector_flatten(&arg->vector, run->step, flat, err));
    } else {
        *flat = arg->vector;
    }
    chooser->sources[chooser->source_count++] = flat;
    for (uint32_t j = 0; j < taken->count; j++) {
        chooser->which[taken->items[j]] = source;
        chooser->at[taken->items[j]] = arg->is_whole ? taken->items[j] : j;
    }
    return ARUS_OK;
}

static enum arus_status chosen(const struct arus_run *run, const struct chooser *chooser,
                               const struct arus_type *type, struct arus_vector *out,
                               struct arus_error *err)
{
    const struct arus_picks picks = {
        .sources = chooser->sources,
        .source_count = chooser->source_count,
        .which = chooser->which,
        .at = chooser->at,
        .row_count = chooser->row_count,
    };

    return arus_vector_pick(&picks, type, run->step, out, err);
}

static enum arus_status take(struct arus_run *run, const struct arus_block *block,
                             const struct arus_instruction *instruction, uint32_t i,
                             const struct rows *rows, struct chooser *chooser,
                             struct arus_error *err)
{
    struct arus_lazy_arg arg;

    if (rows->count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_lazy_arg_run(run, block, instruction, i, rows->items, rows->count, &arg, err));
    return choose(run, chooser, &arg, rows, err);
}

/* The rows where the condition is true move from `rest` to `hits`. */
static void part_rows(const struct arus_lazy_arg *condition, struct rows *rest, struct rows *hits)
{
    const struct arus_vector *vector = &condition->vector;
    const bool is_plain = vector->form == ARUS_VECTOR_FLAT && vector->validity == NULL &&
                          vector->type->id == ARUS_TYPE_BOOLEAN;
    const uint8_t *values = vector->values;
    uint32_t hit_count = 0;
    uint32_t left = 0;

    for (uint32_t j = 0; j < rest->count; j++) {
        const uint32_t row = rest->items[j];
        const uint32_t is_hit = is_plain ? values[condition->is_whole ? row : j] != 0
                                         : truth(condition, rest->items, j) == 1;

        hits->items[hit_count] = row;
        hit_count += is_hit;
        rest->items[left] = row;
        left += !is_hit;
    }
    hits->count = hit_count;
    rest->count = left;
}

/* args: condition, value, condition, value, ..., [else] */
static enum arus_status run_case(struct arus_run *run, const struct arus_block *block,
                                 const struct arus_instruction *instruction, uint32_t row_count,
                                 struct arus_vector *out, struct arus_error *err)
{
    const uint32_t arg_count = instruction->arg_count;
    struct chooser chooser;
    struct rows rest;
    struct rows hits = {0};
    uint32_t i = 0;

    ARUS_TRY(chooser_init(&chooser, arg_count, row_count, run->step, err));
    ARUS_TRY(all_rows(row_count, run->step, &rest, err));
    ARUS_TRY(ARUS_NEW(run->step, uint32_t, row_count, &hits.items, err));
    for (; i + 1 < arg_count && rest.count > 0; i += 2) {
        struct arus_lazy_arg condition;

        ARUS_TRY(
            arus_lazy_arg_run(run, block, instruction, i, rest.items, rest.count, &condition, err));
        part_rows(&condition, &rest, &hits);
        ARUS_TRY(take(run, block, instruction, i + 1, &hits, &chooser, err));
    }
    if (arg_count % 2 == 1) {
        ARUS_TRY(take(run, block, instruction, arg_count - 1, &rest, &chooser, err));
    } else {
        for (uint32_t j = 0; j < rest.count; j++) {
            chooser.which[rest.items[j]] = ARUS_NULL_ROW;
        }
    }
    return chosen(run, &chooser, instruction->expr->type, out, err);
}

static enum arus_status run_coalesce(struct arus_run *run, const struct arus_block *block,
                                     const struct arus_instruction *instruction, uint32_t row_count,
                                     struct arus_vector *out, struct arus_error *err)
{
    struct chooser chooser;
    struct rows rest;

    ARUS_TRY(chooser_init(&chooser, instruction->arg_count, row_count, run->step, err));
    ARUS_TRY(all_rows(row_count, run->step, &rest, err));
    for (uint32_t i = 0; i < instruction->arg_count && rest.count > 0; i++) {
        struct arus_lazy_arg arg;
        uint32_t left = 0;

        ARUS_TRY(arus_lazy_arg_run(run, block, instruction, i, rest.items, rest.count, &arg, err));
        ARUS_TRY(choose(run, &chooser, &arg, &rest, err));
        for (uint32_t j = 0; j < rest.count; j++) {
            const uint32_t row = rest.items[j];

            rest.items[left] = row;
            left += !arus_vector_is_valid(&arg.vector, arg.is_whole ? row : j);
        }
        rest.count = left;
    }
    return chosen(run, &chooser, instruction->expr->type, out, err);
}

/* Three-valued logic as numbers: AND is the smaller one, OR the larger one. */
enum { IS_FALSE, IS_NULL, IS_TRUE };

static void widen(const uint8_t *values, uint32_t count, uint8_t *out)
{
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (uint8_t)(2 * values[i]);
    }
}

static void combine(bool is_and, const uint8_t *more, uint32_t count, uint8_t *tri)
{
    if (is_and) {
        for (uint32_t i = 0; i < count; i++) {
            tri[i] = more[i] < tri[i] ? more[i] : tri[i];
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            tri[i] = more[i] > tri[i] ? more[i] : tri[i];
        }
    }
}

/* A whole argument, FLAT or CONSTANT, as three-valued numbers. */
static void read_whole(const struct arus_vector *vector, uint32_t row_count, uint8_t *out)
{
    if (vector->form == ARUS_VECTOR_CONSTANT || vector->type->id == ARUS_TYPE_VOID) {
        const bool is_valid = arus_vector_is_valid(vector, 0);

        memset(out, is_valid ? 2 * *(const uint8_t *)vector->values : IS_NULL, row_count);
        return;
    }
    widen(vector->values, row_count, out);
    for (uint32_t i = 0; vector->validity != NULL && i < row_count; i++) {
        if (!arus_bit_get(vector->validity, i)) {
            out[i] = IS_NULL;
        }
    }
}

static enum arus_status logic_finish(const uint8_t *tri, uint32_t row_count,
                                     struct arus_arena *step, struct arus_vector *out,
                                     struct arus_error *err)
{
    uint8_t *values;
    bool has_null = false;

    ARUS_TRY(arus_vector_init(out, &ARUS_BOOLEAN, row_count, step, err));
    values = out->values;
    for (uint32_t i = 0; i < row_count; i++) {
        values[i] = tri[i] == IS_TRUE;
        has_null |= tri[i] == IS_NULL;
    }
    if (!has_null) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_vector_need_validity(out, step, err));
    for (uint32_t i = 0; i < row_count; i++) {
        out->validity[i / 64] &= ~((uint64_t)(tri[i] == IS_NULL) << (i % 64));
    }
    return ARUS_OK;
}

static uint32_t undecided(const uint8_t *tri, uint8_t decided, uint32_t row_count, uint32_t *rows)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < row_count; i++) {
        rows[count] = i;
        count += tri[i] != decided;
    }
    return count;
}

static enum arus_status run_logic(struct arus_run *run, const struct arus_block *block,
                                  const struct arus_instruction *instruction, uint32_t row_count,
                                  struct arus_vector *out, struct arus_error *err)
{
    const bool is_and = strcmp(instruction->expr->function->name, "and") == 0;
    struct arus_lazy_arg arg;
    uint8_t *tri;
    uint8_t *more;
    uint32_t *rows;

    ARUS_TRY(ARUS_NEW(run->step, uint8_t, row_count, &tri, err));
    ARUS_TRY(ARUS_NEW(run->step, uint8_t, row_count, &more, err));
    ARUS_TRY(ARUS_NEW(run->step, uint32_t, row_count + 1, &rows, err));
    memset(tri, is_and ? IS_TRUE : IS_FALSE, row_count);
    for (uint32_t i = 0; i < instruction->arg_count; i++) {
        uint32_t count = row_count;

        if (instruction->args[i] == ARUS_NO_REGISTER) {
            count = undecided(tri, is_and ? IS_FALSE : IS_TRUE, row_count, rows);
        }
        if (count == 0) {
            continue;
        }
        ARUS_TRY(arus_lazy_arg_run(run, block, instruction, i, rows, count, &arg, err));
        if (arg.is_whole) {
            read_whole(&arg.vector, row_count, more);
            combine(is_and, more, row_count, tri);
            continue;
        }
        for (uint32_t j = 0; j < count; j++) {
            const uint8_t value = truth(&arg, rows, j);

            more[j] = value == 2 ? IS_NULL : (uint8_t)(2 * value);
            combine(is_and, &more[j], 1, &tri[rows[j]]);
        }
    }
    return logic_finish(tri, row_count, run->step, out, err);
}

/* NULL for each row that fails. A failure cuts the rows: those before it, those behind it; where
 * the kernel does not say which row it was, in the middle. */
static enum arus_status try_rows(struct arus_run *run, const struct arus_block *block,
                                 const struct arus_instruction *instruction, struct rows rows,
                                 struct chooser *chooser, struct arus_error *err)
{
    while (rows.count > 0) {
        struct arus_error failure;
        enum arus_status status = take(run, block, instruction, 0, &rows, chooser, &failure);
        uint32_t before = rows.count / 2;
        uint32_t bad = 0; /* how many rows are known to fail */

        if (status != ARUS_BAD_DATA) {
            *err = status == ARUS_OK ? *err : failure;
            return status;
        }
        for (uint32_t j = 0; j < rows.count; j++) {
            if (rows.items[j] == run->bad_row || rows.count == 1) {
                before = j;
                bad = 1;
                chooser->which[rows.items[j]] = ARUS_NULL_ROW;
                break;
            }
        }
        ARUS_TRY(
            try_rows(run, block, instruction, (struct rows){rows.items, before}, chooser, err));
        rows.items += before + bad;
        rows.count -= before + bad;
    }
    return ARUS_OK;
}

static enum arus_status run_try(struct arus_run *run, const struct arus_block *block,
                                const struct arus_instruction *instruction, uint32_t row_count,
                                struct arus_vector *out, struct arus_error *err)
{
    struct chooser chooser;
    struct rows rows;

    ARUS_TRY(chooser_init(&chooser, row_count, row_count, run->step, err));
    ARUS_TRY(all_rows(row_count, run->step, &rows, err));
    ARUS_TRY(try_rows(run, block, instruction, rows, &chooser, err));
    return chosen(run, &chooser, instruction->expr->type, out, err);
}

/* Argument `i` for all rows of the block: NULL where it was not computed. */
static enum arus_status spread_arg(struct arus_run *run, const struct arus_block *block,
                                   const struct arus_instruction *instruction, uint32_t i,
                                   const struct rows *rows, uint32_t row_count,
                                   struct arus_vector *out, struct arus_error *err)
{
    struct arus_lazy_arg arg;
    struct chooser chooser;

    ARUS_TRY(arus_lazy_arg_run(run, block, instruction, i, rows->items, rows->count, &arg, err));
    if (arg.is_whole) {
        *out = arg.vector;
        return ARUS_OK;
    }
    ARUS_TRY(chooser_init(&chooser, 1, row_count, run->step, err));
    memset(chooser.which, 0xFF, row_count * sizeof *chooser.which); /* ARUS_NULL_ROW */
    ARUS_TRY(choose(run, &chooser, &arg, rows, err));
    return chosen(run, &chooser, instruction->expr->args[i]->type, out, err);
}

static void keep_valid(const struct arus_vector *arg, struct rows *rows)
{
    uint32_t left = 0;

    for (uint32_t j = 0; j < rows->count; j++) {
        rows->items[left] = rows->items[j];
        left += arus_vector_is_valid(arg, rows->items[j]);
    }
    rows->count = left;
}

static enum arus_status run_strict(struct arus_run *run, const struct arus_block *block,
                                   const struct arus_instruction *instruction, uint32_t row_count,
                                   struct arus_vector *out, struct arus_error *err)
{
    const uint32_t arg_count = instruction->arg_count;
    const bool is_last_first = (instruction->expr->function->flags & ARUS_LAST_FIRST) != 0;
    struct arus_kernel_memo *memo = run->memo;
    struct arus_vector *args;
    struct rows rows;

    ARUS_TRY(all_rows(row_count, run->step, &rows, err));
    ARUS_TRY(ARUS_NEW(run->step, struct arus_vector, arg_count, &args, err));
    for (uint32_t k = 0; k < arg_count; k++) {
        const uint32_t i = is_last_first ? arg_count - 1 - k : k;

        ARUS_TRY(spread_arg(run, block, instruction, i, &rows, row_count, &args[i], err));
        keep_valid(&args[i], &rows);
        if (rows.count == 0) {
            return arus_vector_init_null(out, instruction->expr->type, row_count, run->step, err);
        }
    }
    run->memo = memo; /* the arguments had theirs */
    return arus_strict_run(run, instruction, args, row_count, out, err);
}

enum arus_status arus_lazy_run(struct arus_run *run, const struct arus_block *block,
                               const struct arus_instruction *instruction, uint32_t row_count,
                               struct arus_vector *out, struct arus_error *err)
{
    const char *name = instruction->expr->function->name;

    if ((instruction->expr->function->flags & ARUS_LAZY) == 0) {
        return run_strict(run, block, instruction, row_count, out, err);
    }
    if (strcmp(name, "and") == 0 || strcmp(name, "or") == 0) {
        return run_logic(run, block, instruction, row_count, out, err);
    }
    if (strcmp(name, "try_eval") == 0) {
        return run_try(run, block, instruction, row_count, out, err);
    }
    if (strcmp(name, "coalesce") == 0) {
        return run_coalesce(run, block, instruction, row_count, out, err);
    }
    return run_case(run, block, instruction, row_count, out, err);
}
