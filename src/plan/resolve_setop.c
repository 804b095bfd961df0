/* UNION, EXCEPT, INTERSECT [ALL]: columns by position, types widened. */
#include "plan/resolve_internal.h"
#include "plan/say.h"

enum arus_status arus_distinct_make(struct arus_resolver *resolver, struct arus_place place,
                                    struct arus_plan *child, struct arus_plan **out,
                                    struct arus_error *err)
{
    const uint32_t count = child->schema->field_count;
    struct arus_plan *plan = NULL;

    ARUS_TRY(arus_plan_make(ARUS_PLAN_AGGREGATE, place, child, NULL, resolver->arena, &plan, err));
    ARUS_TRY(
        ARUS_NEW(resolver->arena, const struct arus_expr *, count, &plan->aggregate.keys, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(arus_column_make(child->schema, i, place, resolver->arena,
                                  &plan->aggregate.keys[i], err));
    }
    plan->aggregate.key_count = count;
    plan->aggregate.is_distinct = true;
    *out = plan;
    return ARUS_OK;
}

/* A set operation while it is resolved. */
struct setop {
    struct arus_resolver *resolver;
    const struct arus_urel *from;
    struct arus_plan *sides[2];
    struct arus_field *fields; /* common types, names of the left side */
    uint32_t count;
};

static enum arus_status common_fields(struct setop *setop, struct arus_error *err)
{
    const struct arus_type *left = setop->sides[0]->schema;
    const struct arus_type *right = setop->sides[1]->schema;

    setop->count = left->field_count;
    if (left->field_count != right->field_count) {
        return arus_fail_at(err, setop->from->place, "NUM_COLUMNS_MISMATCH",
                            "the left side has %u columns, the right one %u", left->field_count,
                            right->field_count);
    }
    ARUS_TRY(
        ARUS_NEW(setop->resolver->arena, struct arus_field, setop->count, &setop->fields, err));
    for (uint32_t i = 0; i < setop->count; i++) {
        const struct arus_field *a = &left->fields[i];
        const struct arus_field *b = &right->fields[i];
        const struct arus_type *type = arus_type_common(
            a->type, b->type, setop->resolver->catalog->settings.is_ansi, setop->resolver->arena);

        if (type == NULL) {
            return arus_fail_at(err, setop->from->place, "INCOMPATIBLE_COLUMN_TYPE",
                                "column %u is %s on the left and %s on the right", i + 1,
                                arus_type_label(a->type).text, arus_type_label(b->type).text);
        }
        setop->fields[i] =
            (struct arus_field){a->name, type, a->is_nullable || b->is_nullable, {0}};
    }
    return ARUS_OK;
}

/* Casts the columns of one side where types differ. */
static enum arus_status widen(struct setop *setop, int side, struct arus_error *err)
{
    struct arus_plan *plan = setop->sides[side];
    const struct arus_expr **exprs = NULL;
    struct arus_text *names = NULL;
    bool is_same = true;

    ARUS_TRY(ARUS_NEW(setop->resolver->arena, const struct arus_expr *, setop->count, &exprs, err));
    ARUS_TRY(ARUS_NEW(setop->resolver->arena, struct arus_text, setop->count, &names, err));
    for (uint32_t i = 0; i < setop->count; i++) {
        const struct arus_expr *column = NULL;

        ARUS_TRY(arus_column_make(plan->schema, i, setop->from->place, setop->resolver->arena,
                                  &column, err));
        ARUS_TRY(arus_cast_implicit(column, setop->fields[i].type,
                                    setop->resolver->catalog->settings.is_ansi,
                                    setop->resolver->arena, &exprs[i], err));
        is_same &= exprs[i] == column;
        names[i] = setop->fields[i].name;
    }
    return is_same ? ARUS_OK
                   : arus_plan_project(plan, exprs, names, setop->count, setop->resolver->arena,
                                       &setop->sides[side], err);
}

static enum arus_status make_union(struct setop *setop, struct arus_plan *left,
                                   struct arus_plan *right, struct arus_plan **out,
                                   struct arus_error *err)
{
    struct arus_field *fields = NULL;

    ARUS_TRY(arus_plan_make(ARUS_PLAN_UNION, setop->from->place, left, right,
                            setop->resolver->arena, out, err));
    ARUS_TRY(ARUS_NEW(setop->resolver->arena, struct arus_field, left->schema->field_count, &fields,
                      err));
    for (uint32_t i = 0; i < left->schema->field_count; i++) {
        fields[i] = left->schema->fields[i];
        fields[i].is_nullable |= right->schema->fields[i].is_nullable;
    }
    return arus_type_struct(fields, left->schema->field_count, setop->resolver->arena,
                            &(*out)->schema, err);
}

/* Left rows with (or without) an equal right row; nulls are equal. */
static enum arus_status make_match(struct setop *setop, enum arus_join_kind kind,
                                   struct arus_plan **out, struct arus_error *err)
{
    struct arus_join_key *keys = NULL;
    struct arus_plan *left = NULL;
    struct arus_plan *join = NULL;

    ARUS_TRY(arus_distinct_make(setop->resolver, setop->from->place, setop->sides[0], &left, err));
    ARUS_TRY(arus_join_make(setop->resolver, kind, setop->from->place, left, setop->sides[1], NULL,
                            &join, err));
    ARUS_TRY(ARUS_NEW(setop->resolver->arena, struct arus_join_key, setop->count, &keys, err));
    for (uint32_t i = 0; i < setop->count; i++) {
        keys[i].is_null_safe = true;
        ARUS_TRY(arus_column_make(left->schema, i, setop->from->place, setop->resolver->arena,
                                  &keys[i].left, err));
        ARUS_TRY(arus_column_make(setop->sides[1]->schema, i, setop->from->place,
                                  setop->resolver->arena, &keys[i].right, err));
    }
    join->join.keys = keys;
    join->join.key_count = setop->count;
    join->set_operation = kind == ARUS_JOIN_ANTI ? "EXCEPT" : "INTERSECT";
    left->set_operation = join->set_operation;
    *out = join;
    return ARUS_OK;
}

/* ---- EXCEPT ALL, INTERSECT ALL: rows are counted on both sides, then repeated ---- */

static enum arus_status add_counters(struct setop *setop, int side, struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(setop->resolver, setop->from->place);
    const struct arus_expr *counters[2];
    const struct arus_text names[2] = {ARUS_TEXT("left"), ARUS_TEXT("right")};

    ARUS_TRY(arus_maker_bigint(&maker, side == 0, &counters[0], err));
    ARUS_TRY(arus_maker_bigint(&maker, side == 1, &counters[1], err));
    return arus_plan_append(setop->sides[side], counters, names, 2, setop->resolver->arena,
                            &setop->sides[side], err);
}

static enum arus_status count_rows(struct setop *setop, struct arus_plan *child,
                                   struct arus_plan **out, struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(setop->resolver, setop->from->place);
    struct arus_exprs all = {0};
    struct arus_plan *plan = NULL;

    for (uint32_t i = 0; i < setop->count + 2; i++) {
        const struct arus_expr *expr = NULL;

        ARUS_TRY(arus_column_make(child->schema, i, setop->from->place, maker.arena, &expr, err));
        if (i >= setop->count) {
            ARUS_TRY(arus_maker_call(&maker, "sum", &expr, 1, &expr, err));
        }
        ARUS_TRY(arus_exprs_add(&all, maker.arena, expr, err));
    }
    ARUS_TRY(arus_plan_make(ARUS_PLAN_AGGREGATE, setop->from->place, child, NULL, maker.arena,
                            &plan, err));
    plan->aggregate.keys = all.items;
    plan->aggregate.key_count = setop->count;
    plan->aggregate.aggregates = all.items + setop->count;
    plan->aggregate.aggregate_count = 2;
    *out = plan;
    return arus_plan_fields(all.items, NULL, (uint32_t)all.count, maker.arena, &plan->schema, err);
}

/* explode(sequence(1, n)) for n > 0 */
static enum arus_status repeat_rows(struct setop *setop, struct arus_plan *counted,
                                    struct arus_plan **out, struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(setop->resolver, setop->from->place);
    const bool is_except = setop->from->setop == ARUS_USETOP_EXCEPT;
    const struct arus_expr *sums[2];
    const struct arus_expr *pair[2];
    const struct arus_expr *count = NULL;
    const struct arus_expr *condition = NULL;
    struct arus_field *fields = NULL;
    struct arus_plan *plan = NULL;

    for (uint32_t i = 0; i < 2; i++) {
        ARUS_TRY(arus_column_make(counted->schema, setop->count + i, setop->from->place,
                                  maker.arena, &sums[i], err));
    }
    ARUS_TRY(arus_maker_call(&maker, is_except ? "-" : "least", sums, 2, &count, err));
    pair[0] = count;
    ARUS_TRY(arus_maker_bigint(&maker, 0, &pair[1], err));
    ARUS_TRY(arus_maker_call(&maker, ">", pair, 2, &condition, err));
    ARUS_TRY(arus_plan_filter(counted, condition, maker.arena, &plan, err));
    ARUS_TRY(arus_maker_bigint(&maker, 1, &pair[0], err));
    pair[1] = count;
    ARUS_TRY(arus_plan_make(ARUS_PLAN_GENERATE, setop->from->place, plan, NULL, maker.arena, &plan,
                            err));
    ARUS_TRY(arus_maker_call(&maker, "sequence", pair, 2, &plan->generate.input, err));
    ARUS_TRY(ARUS_NEW(maker.arena, struct arus_field, setop->count + 3, &fields, err));
    for (uint32_t i = 0; i < setop->count + 2; i++) {
        fields[i] = counted->schema->fields[i];
    }
    fields[setop->count + 2] = (struct arus_field){ARUS_TEXT("col"), &ARUS_BIGINT, false, {0}};
    ARUS_TRY(
        arus_type_struct(fields, (uint16_t)(setop->count + 3), maker.arena, &plan->schema, err));
    return arus_plan_keep(plan, setop->count, maker.arena, out, err);
}

static enum arus_status make_counted(struct setop *setop, struct arus_plan **out,
                                     struct arus_error *err)
{
    struct arus_plan *both = NULL;
    struct arus_plan *counted = NULL;

    ARUS_TRY(add_counters(setop, 0, err));
    ARUS_TRY(add_counters(setop, 1, err));
    ARUS_TRY(make_union(setop, setop->sides[0], setop->sides[1], &both, err));
    ARUS_TRY(count_rows(setop, both, &counted, err));
    both->set_operation = setop->from->setop == ARUS_USETOP_EXCEPT ? "EXCEPT ALL" : "INTERSECT ALL";
    counted->set_operation = setop->from->setop == ARUS_USETOP_EXCEPT ? "EXCEPT" : "INTERSECT";
    return repeat_rows(setop, counted, out, err);
}

static enum arus_status make_setop(struct setop *setop, struct arus_plan **out,
                                   struct arus_error *err)
{
    const struct arus_urel *from = setop->from;

    switch (from->setop) {
    case ARUS_USETOP_UNION:
        ARUS_TRY(make_union(setop, setop->sides[0], setop->sides[1], out, err));
        return from->keeps_all ? ARUS_OK
                               : arus_distinct_make(setop->resolver, from->place, *out, out, err);
    case ARUS_USETOP_EXCEPT:
        return from->keeps_all ? make_counted(setop, out, err)
                               : make_match(setop, ARUS_JOIN_ANTI, out, err);
    case ARUS_USETOP_INTERSECT:
        return from->keeps_all ? make_counted(setop, out, err)
                               : make_match(setop, ARUS_JOIN_SEMI, out, err);
    }
    return ARUS_OK;
}

static enum arus_status check_maps(const struct setop *setop, struct arus_error *err)
{
    for (uint32_t i = 0; i < setop->count; i++) {
        if (setop->fields[i].type->id == ARUS_TYPE_MAP &&
            !(setop->from->setop == ARUS_USETOP_UNION && setop->from->keeps_all)) {
            return arus_fail_at(err, setop->from->place,
                                "UNSUPPORTED_FEATURE.SET_OPERATION_ON_MAP_TYPE",
                                "column `%.*s` is a MAP: rows with it cannot be compared",
                                ARUS_TEXT_ARGS(setop->fields[i].name));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_resolve_setop(struct arus_resolver *resolver, const struct arus_urel *from,
                                    const struct arus_expr_context *outer, struct arus_bound *out,
                                    struct arus_error *err)
{
    struct setop setop = {.resolver = resolver, .from = from};

    for (int side = 0; side < 2; side++) {
        ARUS_TRY(arus_resolve_relation(resolver, from->inputs[side], outer, out, err));
        ARUS_TRY(arus_bound_close(resolver, out, err));
        setop.sides[side] = out->plan;
    }
    ARUS_TRY(common_fields(&setop, err));
    ARUS_TRY(check_maps(&setop, err));
    ARUS_TRY(widen(&setop, 0, err));
    ARUS_TRY(widen(&setop, 1, err));
    *out = (struct arus_bound){0};
    ARUS_TRY(make_setop(&setop, &out->plan, err));
    return arus_scope_open(resolver, out->plan->schema, (struct arus_text){0}, &out->scope, err);
}
