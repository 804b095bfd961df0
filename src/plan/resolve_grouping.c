/* GROUPING SETS, ROLLUP, CUBE: rows are repeated, a copy for each set. */
#include "plan/resolve_internal.h"
#include "plan/say.h"

/* Bit i of a set's id is 1 when key n-1-i is not in it. */
static int64_t set_id(uint64_t mask, size_t key_count)
{
    int64_t id = 0;

    for (size_t i = 0; i < key_count; i++) {
        id = id * 2 + ((mask >> i & 1) == 0);
    }
    return id;
}

static enum arus_status null_of(const struct arus_maker *maker, const struct arus_type *type,
                                const struct arus_expr **out, struct arus_error *err)
{
    struct arus_vector value;

    ARUS_TRY(arus_vector_init_null(&value, type, 1, maker->arena, err));
    return arus_literal_make(&value, maker->place, maker->arena, out, err);
}

/* Is a set there twice? Each has groups of its own then, told apart by the place of their set. */
static bool has_twin(const uint64_t *masks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (masks[i] == masks[j]) {
                return true;
            }
        }
    }
    return false;
}

/* STRUCT of the keys of one set, its id, and its place if that is not negative */
static enum arus_status set_struct(const struct arus_maker *maker, const struct arus_exprs *keys,
                                   uint64_t mask, int64_t at, const struct arus_expr **out,
                                   struct arus_error *err)
{
    struct arus_exprs args = {0};

    for (size_t i = 0; i <= keys->count + (at >= 0); i++) {
        const struct arus_expr *name = NULL;
        const struct arus_expr *value = NULL;
        struct arus_text label;

        ARUS_TRY(arus_text_format(maker->arena, &label, err, "k%zu", i));
        ARUS_TRY(arus_maker_text(maker, label, &name, err));
        if (i >= keys->count) {
            ARUS_TRY(arus_maker_bigint(maker, i > keys->count ? at : set_id(mask, keys->count),
                                       &value, err));
        } else if ((mask >> i & 1) != 0) {
            value = keys->items[i];
        } else {
            ARUS_TRY(null_of(maker, keys->items[i]->type, &value, err));
        }
        ARUS_TRY(arus_exprs_add(&args, maker->arena, name, err));
        ARUS_TRY(arus_exprs_add(&args, maker->arena, value, err));
    }
    return arus_maker_call(maker, "named_struct", args.items, (uint32_t)args.count, out, err);
}

enum arus_status arus_grouping_expand(struct arus_resolver *resolver, struct arus_place place,
                                      const struct arus_exprs *keys, const uint64_t *masks,
                                      uint32_t mask_count, struct arus_plan **inout,
                                      uint32_t *first, struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(resolver, place);
    const struct arus_type *before = (*inout)->schema;
    struct arus_exprs sets = {0};
    struct arus_field *fields = NULL;
    struct arus_plan *plan = NULL;
    const bool numbered = has_twin(masks, mask_count);
    const size_t added = keys->count + 1 + numbered;

    for (uint32_t i = 0; i < mask_count; i++) {
        const struct arus_expr *set = NULL;

        ARUS_TRY(set_struct(&maker, keys, masks[i], numbered ? (int64_t)i : -1, &set, err));
        ARUS_TRY(arus_exprs_add(&sets, maker.arena, set, err));
    }
    ARUS_TRY(arus_plan_make(ARUS_PLAN_GENERATE, place, *inout, NULL, maker.arena, &plan, err));
    ARUS_TRY(arus_maker_call(&maker, "array", sets.items, mask_count, &plan->generate.input, err));
    plan->generate.unnest = ARUS_UNNEST_INLINE;
    plan->generate.is_grouping = true;
    *first = before->field_count;
    ARUS_TRY(ARUS_NEW(maker.arena, struct arus_field, *first + added, &fields, err));
    for (uint32_t i = 0; i < *first; i++) {
        fields[i] = before->fields[i];
    }
    for (size_t i = 0; i < keys->count; i++) {
        fields[*first + i].type = keys->items[i]->type;
        fields[*first + i].is_nullable = true;
        ARUS_TRY(arus_expr_name(keys->items[i], maker.arena, &fields[*first + i].name, err));
    }
    fields[*first + keys->count] =
        (struct arus_field){ARUS_TEXT("grouping_id"), &ARUS_BIGINT, false, {0}};
    if (numbered) {
        fields[*first + keys->count + 1] =
            (struct arus_field){ARUS_TEXT("grouping_place"), &ARUS_BIGINT, false, {0}};
    }
    ARUS_TRY(arus_type_struct(fields, (uint16_t)(*first + added), maker.arena, &plan->schema, err));
    *inout = plan;
    return ARUS_OK;
}

/* ---- grouping(k), grouping_id() ---- */

static enum arus_status find_key(const struct arus_expr_context *context,
                                 const struct arus_expr *expr, size_t *out, struct arus_error *err)
{
    for (*out = 0; *out < context->group_keys->count; (*out)++) {
        if (arus_expr_equal(context->group_keys->items[*out], expr)) {
            return ARUS_OK;
        }
    }
    return arus_fail_at(err, expr->place, "GROUPING_COLUMN_MISMATCH",
                        "grouping(..) takes a column of GROUP BY");
}

static enum arus_status bad_id_list(struct arus_place place, struct arus_error *err)
{
    return arus_fail_at(err, place, "GROUPING_ID_COLUMN_MISMATCH",
                        "grouping_id takes all columns of GROUP BY in their order, or none");
}

static enum arus_status id_column(const struct arus_maker *maker, const struct arus_expr **out,
                                  struct arus_error *err)
{
    struct arus_expr *made = NULL;

    ARUS_TRY(ARUS_NEW(maker->arena, struct arus_expr, 1, &made, err));
    made->kind = ARUS_EXPR_COLUMN;
    made->type = &ARUS_BIGINT;
    made->index = ARUS_GROUPING_COLUMN;
    made->name = ARUS_TEXT("grouping_id()");
    made->place = maker->place;
    *out = made;
    return ARUS_OK;
}

/* CAST(id >> shift & 1 AS TINYINT) */
static enum arus_status bit_of(const struct arus_maker *maker, const struct arus_expr *id,
                               int64_t shift, const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_expr *pair[2] = {id, NULL};

    ARUS_TRY(arus_maker_bigint(maker, shift, &pair[1], err));
    ARUS_TRY(arus_cast_implicit(pair[1], &ARUS_INT, true, maker->arena, &pair[1], err));
    ARUS_TRY(arus_maker_call(maker, ">>", pair, 2, &pair[0], err));
    ARUS_TRY(arus_maker_bigint(maker, 1, &pair[1], err));
    ARUS_TRY(arus_maker_call(maker, "&", pair, 2, out, err));
    return arus_cast_implicit(*out, &ARUS_TINYINT, true, maker->arena, out, err);
}

/* `grouping_id(a, b)`: it is no call any more. */
static enum arus_status with_text(const struct arus_expr_context *context,
                                  const struct arus_uexpr *call,
                                  const struct arus_expr *const *args,
                                  const struct arus_expr **inout, struct arus_error *err)
{
    struct arus_arena *arena = context->resolver->arena;
    struct arus_buffer text = {0};
    struct arus_expr *copy = NULL;
    enum arus_status status = ARUS_NEW(arena, struct arus_expr, 1, &copy, err);

    if (status == ARUS_OK) {
        *copy = **inout;
        copy->place = call->place;
        status =
            arus_buffer_append_text(&text,
                                    call->args.count == 1 && (*inout)->type->id == ARUS_TYPE_TINYINT
                                        ? ARUS_TEXT("grouping(")
                                        : ARUS_TEXT("grouping_id("),
                                    err);
    }
    for (uint32_t i = 0; status == ARUS_OK && i < call->args.count; i++) {
        status = i > 0 ? arus_buffer_append_text(&text, ARUS_TEXT(", "), err) : ARUS_OK;
        if (status == ARUS_OK) {
            status = arus_expr_text(args[i], &text, err);
        }
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_char(&text, ')', err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), arena, &copy->text, err);
    }
    arus_buffer_release(&text);
    *inout = copy;
    return status;
}

enum arus_status arus_resolve_grouping(struct arus_expr_context *context,
                                       const struct arus_uexpr *call, const struct arus_expr **out,
                                       struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(context->resolver, call->place);
    const bool is_id = arus_text_equal_nocase(call->text, ARUS_TEXT("grouping_id"));
    const struct arus_expr **args;
    size_t key = 0;

    if (context->group_keys == NULL || context->in_aggregate) {
        return arus_fail_at(err, call->place, "UNSUPPORTED_GROUPING_EXPRESSION",
                            "%.*s() goes with GROUPING SETS, ROLLUP and CUBE only",
                            ARUS_TEXT_ARGS(call->text));
    }
    if (!is_id && call->args.count != 1) {
        return arus_fail_at(err, call->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "grouping takes one argument, not %u", call->args.count);
    }
    if (is_id && call->args.count > 0 && call->args.count != context->group_keys->count) {
        return bad_id_list(call->place, err);
    }
    ARUS_TRY(ARUS_NEW(maker.arena, const struct arus_expr *, call->args.count + 1, &args, err));
    for (uint32_t i = 0; i < call->args.count; i++) {
        ARUS_TRY(arus_resolve_expr(context, call->args.items[i], &args[i], err));
        ARUS_TRY(find_key(context, args[i], &key, err));
        if (is_id && key != i) {
            return bad_id_list(call->place, err);
        }
    }
    ARUS_TRY(id_column(&maker, out, err));
    if (is_id && call->args.count == 0) {
        return ARUS_OK;
    }
    if (is_id) { /* a call keeps its text when the column is replaced */
        ARUS_TRY(arus_maker_call(&maker, "positive", out, 1, out, err));
    } else {
        ARUS_TRY(bit_of(&maker, *out, (int64_t)(context->group_keys->count - 1 - key), out, err));
    }
    return with_text(context, call, args, out, err);
}
