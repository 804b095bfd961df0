/** aggregate(array, start, merge[, finish]): the rows of a batch go through their arrays in step.
 */
#include "expr/families.h"
#include "expr/lambda.h"

enum { ROUNDS = 256 }; /* memory of so many steps is kept before the state is copied out of it */

/** Where the state of a row is: at[row] of the vector of round which[row]. */
struct fold {
    const struct arus_kernel_call *call;
    struct arus_kernel_call inner;      /* the call with scratch memory */
    struct arus_arena scratch[2];       /* one in use, one behind the state */
    uint32_t active;                    /* of scratch */
    const struct arus_vector **sources; /* [ROUNDS + 1] */
    struct arus_vector *vectors;        /* [ROUNDS + 1] */
    uint32_t source_count;
    uint32_t *which; /* [row_count] */
    uint32_t *at;    /* [row_count] */
    uint32_t *rows;  /* [count] rows with elements left */
    uint32_t count;
};

static enum arus_status fold_init(struct fold *fold, const struct arus_kernel_call *call,
                                  struct arus_error *err)
{
    *fold = (struct fold){.call = call, .inner = *call};
    ARUS_TRY(ARUS_NEW(call->step, const struct arus_vector *, ROUNDS + 1, &fold->sources, err));
    ARUS_TRY(ARUS_NEW(call->step, struct arus_vector, ROUNDS + 1, &fold->vectors, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &fold->which, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &fold->at, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &fold->rows, err));
    fold->sources[0] = &call->args[1];
    fold->source_count = 1;
    for (uint32_t i = 0; i < call->row_count; i++) {
        fold->at[i] = i;
        if (arus_vector_is_valid(&call->args[0], i)) {
            fold->rows[fold->count++] = i;
        }
    }
    return ARUS_OK;
}

/* The state of all rows. */
static enum arus_status fold_state(const struct fold *fold, struct arus_arena *arena,
                                   struct arus_vector *out, struct arus_error *err)
{
    const struct arus_picks picks = {.sources = fold->sources,
                                     .source_count = fold->source_count,
                                     .which = fold->which,
                                     .at = fold->at,
                                     .row_count = fold->call->row_count};

    return arus_vector_pick(&picks, fold->call->args[1].type, arena, out, err);
}

/* Copies the state to the other scratch memory and forgets the rounds till here. */
static enum arus_status fold_forget(struct fold *fold, struct arus_error *err)
{
    struct arus_arena *other = &fold->scratch[1 - fold->active];
    struct arus_vector state;

    arus_arena_reset(other);
    ARUS_TRY(fold_state(fold, fold->inner.step, &state, err));
    ARUS_TRY(arus_vector_copy(&state, other, &fold->vectors[0], err));
    fold->active = 1 - fold->active;
    fold->inner.step = other;
    fold->sources[0] = &fold->vectors[0];
    fold->source_count = 1;
    for (uint32_t i = 0; i < fold->call->row_count; i++) {
        fold->which[i] = 0;
        fold->at[i] = i;
    }
    return ARUS_OK;
}

static void keep_rows(struct fold *fold, uint32_t position)
{
    uint32_t kept = 0;

    for (uint32_t k = 0; k < fold->count; k++) {
        if (arus_span_at(&fold->call->args[0], fold->rows[k]).count > position) {
            fold->rows[kept++] = fold->rows[k];
        }
    }
    fold->count = kept;
}

/* The state of the rows with elements left: they all come from the last round. */
static enum arus_status open_states(struct fold *fold, struct arus_vector *out,
                                    struct arus_error *err)
{
    uint32_t *at;

    ARUS_TRY(ARUS_NEW(fold->inner.step, uint32_t, fold->count, &at, err));
    for (uint32_t k = 0; k < fold->count; k++) {
        at[k] = fold->at[fold->rows[k]];
    }
    return arus_vector_slice(fold->sources[fold->source_count - 1], at, fold->count,
                             fold->inner.step, out, err);
}

static enum arus_status fold_round(struct fold *fold, uint32_t position, uint32_t *bad_row,
                                   struct arus_error *err)
{
    const struct arus_vector *array = &fold->call->args[0];
    struct arus_vector *state = &fold->vectors[fold->source_count];
    struct arus_vector result;
    struct arus_vector variables[2];
    uint32_t *at;

    ARUS_TRY(open_states(fold, &variables[0], err));
    ARUS_TRY(ARUS_NEW(fold->inner.step, uint32_t, fold->count, &at, err));
    for (uint32_t k = 0; k < fold->count; k++) {
        at[k] = arus_span_at(array, fold->rows[k]).begin + position;
    }
    ARUS_TRY(arus_vector_slice(&array->children[0], at, fold->count, fold->inner.step,
                               &variables[1], err));
    ARUS_TRY(arus_lambda_run(&fold->inner, 2, variables, fold->rows, fold->count, &result, bad_row,
                             err));
    ARUS_TRY(arus_vector_flatten(&result, fold->inner.step, state, err));
    for (uint32_t k = 0; k < fold->count; k++) {
        fold->which[fold->rows[k]] = fold->source_count;
        fold->at[fold->rows[k]] = k;
    }
    fold->sources[fold->source_count++] = state;
    return ARUS_OK;
}

static enum arus_status fold_all(struct fold *fold, struct arus_vector *out, uint32_t *bad_row,
                                 struct arus_error *err)
{
    struct arus_vector state;

    fold->inner.step = &fold->scratch[0];
    for (uint32_t position = 0;; position++) {
        keep_rows(fold, position);
        if (fold->count == 0) {
            break;
        }
        if (fold->source_count > ROUNDS) {
            ARUS_TRY(fold_forget(fold, err));
        }
        ARUS_TRY(fold_round(fold, position, bad_row, err));
    }
    ARUS_TRY(fold_state(fold, fold->inner.step, &state, err));
    return arus_vector_copy(&state, fold->call->step, out, err);
}

/* The last lambda, for the rows that have an array. */
static enum arus_status finish(const struct arus_kernel_call *call, const struct arus_vector *state,
                               struct arus_vector *out, uint32_t *bad_row, struct arus_error *err)
{
    struct arus_picks picks = {.source_count = 1, .row_count = call->row_count};
    struct arus_vector some;
    struct arus_vector results;
    struct arus_vector flat;
    const struct arus_vector *sources[1] = {&flat};
    uint32_t *rows;
    uint32_t *which;
    uint32_t *at;
    uint32_t count = 0;

    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &rows, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &which, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &at, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        which[i] = arus_vector_is_valid(&call->args[0], i) ? 0 : ARUS_NULL_ROW;
        at[i] = count;
        rows[count] = i;
        count += which[i] == 0;
    }
    ARUS_TRY(arus_vector_slice(state, rows, count, call->step, &some, err));
    ARUS_TRY(arus_lambda_run(call, 3, &some, rows, count, &results, bad_row, err));
    ARUS_TRY(arus_vector_flatten(&results, call->step, &flat, err));
    picks.sources = sources;
    picks.which = which;
    picks.at = at;
    return arus_vector_pick(&picks, call->expr->type, call->step, out, err);
}

static enum arus_status kernel_fold(const struct arus_kernel_call *call, struct arus_vector *out,
                                    uint32_t *bad_row, struct arus_error *err)
{
    struct arus_vector state;
    struct fold fold;
    enum arus_status status;

    ARUS_TRY(fold_init(&fold, call, err));
    status = fold_all(&fold, &state, bad_row, err);
    arus_arena_release(&fold.scratch[0]);
    arus_arena_release(&fold.scratch[1]);
    ARUS_TRY(status);
    return finish(call, &state, out, bad_row, err);
}

static enum arus_status lambda_of_fold(struct arus_bind *bind, uint32_t i,
                                       struct arus_lambda_shape *out, struct arus_error *err)
{
    ARUS_TRY(arus_lambda_takes(bind, 0, ARUS_TYPE_ARRAY, err));
    out->count_min = out->count_max = i == 2 ? 2 : 1;
    out->variables[0].type = bind->args[1]->type;
    out->variables[0].is_nullable = true;
    out->variables[1].type = bind->args[0]->type->fields[0].type;
    out->variables[1].is_nullable = bind->args[0]->type->fields[0].is_nullable;
    return ARUS_OK;
}

/* Without a last lambda: state -> state. */
static enum arus_status add_identity(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *merge = bind->args[2];
    struct arus_expr *lambda;

    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_expr, 1, &lambda, err));
    *lambda = *merge;
    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, 2, &lambda->args, err));
    lambda->arg_count = 2;
    lambda->args[0] = lambda->args[1] = merge->args[1];
    lambda->type = merge->args[1]->type;
    lambda->is_nullable = true;
    return arus_arg_append(bind, lambda, err);
}

/* Alike but for names and nulls? */
static bool is_same_shape(const struct arus_type *a, const struct arus_type *b)
{
    if (a->id != b->id || a->field_count != b->field_count) {
        return false;
    }
    for (uint32_t f = 0; f < a->field_count; f++) {
        if (!is_same_shape(a->fields[f].type, b->fields[f].type)) {
            return false;
        }
    }
    return a->field_count > 0 || arus_type_equal(a, b);
}

static enum arus_status bind_fold(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_lambda_cast_null(bind, 2, bind->args[1]->type, err));
    if (!is_same_shape(bind->args[1]->type, bind->args[2]->type)) {
        const enum arus_status status = arus_fail_at(
            err, bind->args[2]->place, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
            "the lambda must give %s as the start is, not %s",
            arus_type_name(bind->args[1]->type).text, arus_type_name(bind->args[2]->type).text);

        return status == ARUS_OK
                   ? status
                   : arus_error_help(err, "cast the start or the result of the lambda");
    }
    if (bind->arg_count == 3) {
        ARUS_TRY(add_identity(bind, err));
    }
    bind->type = bind->args[3]->type;
    bind->is_nullable = true;
    return ARUS_OK;
}

const struct arus_function ARUS_FOLDS[] = {
    {.name = "aggregate",
     .aliases = "reduce",
     .arg_min = 3,
     .arg_max = 4,
     .bind = bind_fold,
     .kernel = kernel_fold,
     .lambda = lambda_of_fold,
     .lambda_args = 1 << 2 | 1 << 3,
     .signature = "aggregate(array, start, (state, x) -> state[, state -> result])",
     .help = "goes through the array with a state",
     .example = "aggregate(array(1, 2, 3), 0, (sum, x) -> sum + x)",
     .result = "6"},
    {0},
};
