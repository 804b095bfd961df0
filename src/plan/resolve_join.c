/* Joins: ON, USING, NATURAL, LATERAL; equal keys are taken out of the condition. */
#include "plan/resolve_internal.h"
#include "plan/say.h"

/* A join while it is resolved. */
struct join {
    struct arus_resolver *resolver;
    const struct arus_urel *from;
    struct arus_bound left;
    struct arus_bound right;
    enum arus_join_kind kind;
    uint32_t left_count;
    const struct arus_text *columns; /* USING, NATURAL */
    uint32_t column_count;
};

static enum arus_join_kind kind_of(enum arus_ujoin join)
{
    switch (join) {
    case ARUS_UJOIN_INNER:
    case ARUS_UJOIN_CROSS:
        return ARUS_JOIN_INNER;
    case ARUS_UJOIN_LEFT:
        return ARUS_JOIN_LEFT;
    case ARUS_UJOIN_RIGHT:
        return ARUS_JOIN_RIGHT;
    case ARUS_UJOIN_FULL:
        return ARUS_JOIN_FULL;
    case ARUS_UJOIN_SEMI:
        return ARUS_JOIN_SEMI;
    case ARUS_UJOIN_ANTI:
        return ARUS_JOIN_ANTI;
    }
    return ARUS_JOIN_INNER;
}

/* ---- the node ---- */

/* Is the conjunct `left side = right side`? Then it becomes a key. */
static enum arus_status take_key(struct arus_resolver *resolver, const struct arus_expr *conjunct,
                                 uint32_t left_count, uint32_t all_count, struct arus_join_key *key,
                                 bool *is_key, struct arus_error *err)
{
    const struct arus_expr *a = NULL;
    const struct arus_expr *b = NULL;

    *is_key = false;
    key->is_null_safe = arus_expr_is_call(conjunct, "<=>");
    if ((!key->is_null_safe && !arus_expr_is_call(conjunct, "=")) || conjunct->arg_count != 2) {
        return ARUS_OK;
    }
    a = conjunct->args[0];
    b = conjunct->args[1];
    if (arus_expr_within(b, 0, left_count) && arus_expr_within(a, left_count, all_count)) {
        a = conjunct->args[1];
        b = conjunct->args[0];
    }
    if (!arus_expr_within(a, 0, left_count) || !arus_expr_within(b, left_count, all_count) ||
        arus_expr_within(a, 0, 0) || arus_expr_within(b, 0, 0) ||
        !arus_type_equal(a->type, b->type)) {
        return ARUS_OK;
    }
    *is_key = true;
    key->left = a;
    return arus_expr_shift(b, -(int32_t)left_count, resolver->arena, &key->right, err);
}

static enum arus_status split_condition(struct arus_resolver *resolver, struct arus_plan *join,
                                        const struct arus_expr *condition, struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(resolver, condition->place);
    const uint32_t left_count = join->children[0]->schema->field_count;
    const uint32_t all_count = left_count + join->children[1]->schema->field_count;
    struct arus_join_key *keys = NULL;
    struct arus_exprs conjuncts = {0};
    struct arus_exprs rest = {0};

    ARUS_TRY(arus_exprs_add_conjuncts(&conjuncts, resolver->arena, condition, err));
    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_join_key, conjuncts.count, &keys, err));
    for (size_t i = 0; i < conjuncts.count; i++) {
        bool is_key = false;

        ARUS_TRY(take_key(resolver, conjuncts.items[i], left_count, all_count,
                          &keys[join->join.key_count], &is_key, err));
        join->join.key_count += is_key;
        if (!is_key && arus_expr_truth(conjuncts.items[i]) != 1) {
            ARUS_TRY(arus_exprs_add(&rest, resolver->arena, conjuncts.items[i], err));
        }
    }
    join->join.keys = keys;
    return arus_exprs_conjoin(&rest, &maker, &join->join.condition, err);
}

enum arus_status arus_join_make(struct arus_resolver *resolver, enum arus_join_kind kind,
                                struct arus_place place, struct arus_plan *left,
                                struct arus_plan *right, const struct arus_expr *condition,
                                struct arus_plan **out, struct arus_error *err)
{
    struct arus_plan *plan = NULL;

    ARUS_TRY(arus_plan_make(ARUS_PLAN_JOIN, place, left, right, resolver->arena, &plan, err));
    plan->join.kind = kind;
    ARUS_TRY(arus_plan_join_schema(left, right, kind, resolver->arena, &plan->schema, err));
    if (condition != NULL) {
        ARUS_TRY(split_condition(resolver, plan, condition, err));
    }
    *out = plan;
    return ARUS_OK;
}

/* ---- scopes of both sides ---- */

static enum arus_status add_side(struct join *join, const struct arus_scope *side, uint32_t shift,
                                 struct arus_scope *out, struct arus_error *err)
{
    for (size_t i = 0; i < side->count; i++) {
        struct arus_scope_column column = side->columns[i];

        column.index += shift;
        ARUS_TRY(arus_scope_add(join->resolver, out, &column, err));
    }
    return ARUS_OK;
}

/* All columns of both sides as the condition sees them. */
static enum arus_status open_both(struct join *join, struct arus_bound *both,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_join_make(join->resolver, ARUS_JOIN_INNER, join->from->place, join->left.plan,
                            join->right.plan, NULL, &both->plan, err));
    ARUS_TRY(add_side(join, &join->left.scope, 0, &both->scope, err));
    return add_side(join, &join->right.scope, join->left_count, &both->scope, err);
}

/* ---- ON ---- */

static enum arus_status resolve_on(struct join *join, const struct arus_expr_context *outer,
                                   const struct arus_expr **out, struct arus_error *err)
{
    struct arus_bound both = {0};
    struct arus_expr_context context = {
        .resolver = join->resolver, .input = &both, .clause = ARUS_CLAUSE_JOIN, .outer = outer};
    const struct arus_plan *plan = NULL;

    ARUS_TRY(open_both(join, &both, err));
    plan = both.plan;
    ARUS_TRY(arus_resolve_expr(&context, join->from->condition, out, err));
    if ((*out)->type->id != ARUS_TYPE_BOOLEAN) {
        return arus_fail_at(err, join->from->condition->place, "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE",
                            "the condition of a join must be BOOLEAN, this is %s",
                            arus_type_label((*out)->type).text);
    }
    if (both.plan != plan) {
        return arus_fail_at(err, join->from->condition->place, "ARUS_NOT_SUPPORTED",
                            "subqueries and windows in ON are not in arus");
    }
    return ARUS_OK;
}

/* ---- USING, NATURAL ---- */

static const struct arus_scope_column *find_using(const struct join *join,
                                                  const struct arus_scope *scope,
                                                  struct arus_text name, bool *is_ambiguous)
{
    const struct arus_uname uname = {&name, 1, {0}};
    struct arus_scope_match match;

    arus_scope_find(join->resolver, scope, &uname, &match);
    *is_ambiguous = match.is_ambiguous;
    return match.column;
}

static enum arus_status unknown_using(const struct join *join, uint32_t i,
                                      const struct arus_scope *scope, const char *side,
                                      struct arus_error *err)
{
    const struct arus_place place =
        join->from->column_places == NULL ? join->from->place : join->from->column_places[i];
    const struct arus_uname name = {&join->columns[i], 1, place};
    struct arus_error detail;

    (void)!arus_scope_unknown(scope, &name, &detail);
    arus_say(err, place, "UNRESOLVED_USING_COLUMN_FOR_JOIN", "the %s side has no column `%.*s`",
             side, ARUS_TEXT_ARGS(join->columns[i]));
    return arus_error_help(err, "%s", detail.help);
}

static enum arus_status using_condition(struct join *join, const struct arus_expr **out,
                                        struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(join->resolver, join->from->place);
    struct arus_exprs list = {0};
    struct arus_bound both = {0};

    ARUS_TRY(open_both(join, &both, err));
    for (uint32_t i = 0; i < join->column_count; i++) {
        bool is_ambiguous[2];
        const struct arus_scope_column *left =
            find_using(join, &join->left.scope, join->columns[i], &is_ambiguous[0]);
        const struct arus_scope_column *right =
            find_using(join, &join->right.scope, join->columns[i], &is_ambiguous[1]);
        const struct arus_expr *pair[2];
        const struct arus_expr *equal = NULL;

        if (left == NULL || right == NULL) {
            return unknown_using(join, i, left == NULL ? &join->left.scope : &join->right.scope,
                                 left == NULL ? "left" : "right", err);
        }
        if (is_ambiguous[0] || is_ambiguous[1]) {
            return arus_fail_at(err, join->from->place, "AMBIGUOUS_REFERENCE",
                                "`%.*s` may be one of several columns",
                                ARUS_TEXT_ARGS(join->columns[i]));
        }
        ARUS_TRY(arus_column_make(both.plan->schema, left->index, join->from->place,
                                  join->resolver->arena, &pair[0], err));
        ARUS_TRY(arus_column_make(both.plan->schema, right->index + join->left_count,
                                  join->from->place, join->resolver->arena, &pair[1], err));
        ARUS_TRY(arus_maker_call(&maker, "=", pair, 2, &equal, err));
        ARUS_TRY(arus_exprs_add(&list, join->resolver->arena, equal, err));
    }
    return arus_exprs_conjoin(&list, &maker, out, err);
}

static enum arus_status natural_columns(struct join *join, struct arus_error *err)
{
    struct arus_text *names = NULL;

    if (join->from->join == ARUS_UJOIN_CROSS || join->kind == ARUS_JOIN_SEMI ||
        join->kind == ARUS_JOIN_ANTI) {
        arus_say(err, join->from->place, "INCOMPATIBLE_JOIN_TYPES",
                 "NATURAL does not go with CROSS, SEMI and ANTI");
        return arus_error_help(err, "name the columns: USING (..)");
    }
    ARUS_TRY(
        ARUS_NEW(join->resolver->arena, struct arus_text, join->left.scope.count, &names, err));
    join->column_count = 0;
    for (size_t i = 0; i < join->left.scope.count; i++) {
        const struct arus_scope_column *column = &join->left.scope.columns[i];
        bool is_ambiguous = false;

        if (!column->is_hidden && !column->is_fallback &&
            find_using(join, &join->right.scope, column->name, &is_ambiguous) != NULL) {
            names[join->column_count++] = column->name;
        }
    }
    join->columns = names;
    return ARUS_OK;
}

static bool is_using(const struct join *join, const struct arus_scope_column *column)
{
    for (uint32_t i = 0; i < join->column_count; i++) {
        if (!column->is_hidden && !column->is_fallback &&
            arus_resolver_same(join->resolver, column->name, join->columns[i])) {
            return true;
        }
    }
    return false;
}

/* FULL: the key is coalesce(left, right), a new column at the end. */
static enum arus_status coalesce_key(struct join *join, const struct arus_scope_column *left,
                                     const struct arus_scope_column *right, struct arus_plan **plan,
                                     struct arus_scope_column *key, struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(join->resolver, join->from->place);
    const struct arus_expr *pair[2];
    const struct arus_expr *both = NULL;

    ARUS_TRY(arus_column_make((*plan)->schema, left->index, join->from->place, maker.arena,
                              &pair[0], err));
    ARUS_TRY(arus_column_make((*plan)->schema, right->index + join->left_count, join->from->place,
                              maker.arena, &pair[1], err));
    ARUS_TRY(arus_maker_call(&maker, "coalesce", pair, 2, &both, err));
    *key = (struct arus_scope_column){
        .name = left->name, .index = (*plan)->schema->field_count, .id = join->resolver->next_id++};
    return arus_plan_append(*plan, &both, &key->name, 1, maker.arena, plan, err);
}

/* Keys once and first, then the other columns of both sides; the twins stay under their qualifier.
 */
static enum arus_status using_scope(struct join *join, struct arus_plan **plan,
                                    struct arus_scope *out, struct arus_error *err)
{
    const bool is_left_only = join->kind == ARUS_JOIN_SEMI || join->kind == ARUS_JOIN_ANTI;
    const struct arus_scope *sides[2] = {&join->left.scope, &join->right.scope};

    for (uint32_t i = 0; i < join->column_count; i++) {
        bool is_ambiguous = false;
        const struct arus_scope_column *left =
            find_using(join, sides[0], join->columns[i], &is_ambiguous);
        const struct arus_scope_column *right =
            find_using(join, sides[1], join->columns[i], &is_ambiguous);
        struct arus_scope_column key = *left;

        if (join->kind == ARUS_JOIN_RIGHT) {
            key = *right;
            key.index += join->left_count;
        } else if (join->kind == ARUS_JOIN_FULL) {
            ARUS_TRY(coalesce_key(join, left, right, plan, &key, err));
        }
        ARUS_TRY(arus_scope_add(join->resolver, out, &key, err));
    }
    for (int side = 0; side < (is_left_only ? 1 : 2); side++) {
        const bool is_shown =
            join->kind != ARUS_JOIN_FULL && (side == 0) == (join->kind != ARUS_JOIN_RIGHT);

        for (size_t i = 0; i < sides[side]->count; i++) {
            struct arus_scope_column column = sides[side]->columns[i];

            if (is_using(join, &column)) {
                if (is_shown) {
                    continue;
                }
                column.is_hidden = true;
            }
            column.index += side == 0 ? 0 : join->left_count;
            ARUS_TRY(arus_scope_add(join->resolver, out, &column, err));
        }
    }
    return ARUS_OK;
}

/* ---- LATERAL ---- */

static bool is_generator_relation(const struct arus_urel *right)
{
    const struct arus_urel *inner = right->kind == ARUS_UREL_ALIAS ? right->inputs[0] : right;

    return inner->kind == ARUS_UREL_FUNCTION &&
           arus_is_generator(inner->name.parts[inner->name.part_count - 1]);
}

/* l, LATERAL explode(l.a) AS e(c) is LATERAL VIEW */
static enum arus_status lateral_generator(struct arus_resolver *resolver,
                                          const struct arus_urel *from,
                                          const struct arus_expr_context *outer,
                                          struct arus_bound *out, struct arus_error *err)
{
    const struct arus_urel *right = from->inputs[1];
    const struct arus_urel *inner = right->kind == ARUS_UREL_ALIAS ? right->inputs[0] : right;
    const struct arus_uexpr call = {.kind = ARUS_UEXPR_CALL,
                                    .place = inner->place,
                                    .name_place = inner->name.place,
                                    .text = inner->name.parts[0],
                                    .args = inner->items};
    const struct arus_uexpr *calls[1] = {&call};
    struct arus_urel view = {.kind = ARUS_UREL_LATERAL,
                             .place = right->place,
                             .inputs = {from->inputs[0], NULL},
                             .items = {calls, 1},
                             .is_lateral = true,
                             .is_outer = from->join == ARUS_UJOIN_LEFT};

    if (right->kind == ARUS_UREL_ALIAS) {
        view.alias = right->alias;
        view.columns = right->columns;
        view.column_count = right->column_count;
    }
    return arus_resolve_lateral(resolver, &view, outer, out, err);
}

static enum arus_status lateral_query(struct join *join, const struct arus_expr **condition,
                                      struct arus_error *err)
{
    struct arus_expr_context around = {.resolver = join->resolver, .input = &join->left};
    struct arus_exprs conds = {0};

    if (join->kind != ARUS_JOIN_INNER && join->kind != ARUS_JOIN_LEFT) {
        return arus_fail_at(err, join->from->place, "INVALID_LATERAL_JOIN_TYPE",
                            "LATERAL goes with INNER, CROSS and LEFT joins");
    }
    ARUS_TRY(
        arus_resolve_relation(join->resolver, join->from->inputs[1], &around, &join->right, err));
    ARUS_TRY(arus_decorrelate(join->resolver, &join->right.plan, &conds, err));
    return arus_decorrelated_condition(join->resolver, &conds, join->left_count, join->from->place,
                                       condition, err);
}

/* ---- all together ---- */

static enum arus_status join_condition(struct join *join, const struct arus_expr_context *outer,
                                       const struct arus_expr *lateral,
                                       const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(join->resolver, join->from->place);
    const struct arus_expr *pair[2] = {lateral, NULL};

    *out = lateral;
    if (join->from->is_natural) {
        ARUS_TRY(natural_columns(join, err));
    }
    if (join->column_count > 0) {
        ARUS_TRY(using_condition(join, &pair[1], err));
    } else if (join->from->condition != NULL) {
        ARUS_TRY(resolve_on(join, outer, &pair[1], err));
    }
    if (pair[1] == NULL) {
        return ARUS_OK;
    }
    *out = pair[1];
    return lateral == NULL ? ARUS_OK : arus_maker_call(&maker, "and", pair, 2, out, err);
}

enum arus_status arus_resolve_join(struct arus_resolver *resolver, const struct arus_urel *from,
                                   const struct arus_expr_context *outer, struct arus_bound *out,
                                   struct arus_error *err)
{
    struct join join = {.resolver = resolver,
                        .from = from,
                        .kind = kind_of(from->join),
                        .columns = from->columns,
                        .column_count = from->column_count};
    const struct arus_expr *condition = NULL;
    const struct arus_expr *lateral = NULL;

    if (from->is_lateral && is_generator_relation(from->inputs[1])) {
        return lateral_generator(resolver, from, outer, out, err);
    }
    ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, &join.left, err));
    join.left_count = join.left.plan->schema->field_count;
    if (from->is_lateral) {
        ARUS_TRY(lateral_query(&join, &lateral, err));
    } else {
        ARUS_TRY(arus_resolve_relation(resolver, from->inputs[1], outer, &join.right, err));
    }
    ARUS_TRY(join_condition(&join, outer, lateral, &condition, err));
    *out = (struct arus_bound){0};
    ARUS_TRY(arus_join_make(resolver, join.kind, from->place, join.left.plan, join.right.plan,
                            condition, &out->plan, err));
    if (join.column_count > 0) {
        return using_scope(&join, &out->plan, &out->scope, err);
    }
    ARUS_TRY(add_side(&join, &join.left.scope, 0, &out->scope, err));
    if (join.kind == ARUS_JOIN_SEMI || join.kind == ARUS_JOIN_ANTI) {
        return ARUS_OK;
    }
    return add_side(&join, &join.right.scope, join.left_count, &out->scope, err);
}
