/* Column pruning, down to the fields of structs: scans read what is used. */
#include "plan/event_time.h"
#include "plan/optimise_internal.h"

#include <string.h>

#define GONE UINT32_MAX

/* How much of a column (or struct field) is used. Zeroed: not at all. */
struct need {
    bool is_whole;
    bool is_part;
    struct need *fields; /* of a STRUCT, when is_part */
};

static enum arus_status prune(struct arus_optimiser *optimiser, struct arus_plan **inout,
                              struct need *needs, uint32_t *map, struct arus_error *err);

static bool is_used(const struct need *need)
{
    return need->is_whole || need->is_part;
}

/* ---- needs of expressions ---- */

/* The need that `a.b.c` stands for; NULL: the expression is no chain of struct fields over a
 * column. */
static enum arus_status find_need(struct arus_optimiser *optimiser, const struct arus_expr *expr,
                                  struct need *columns, struct need **out, struct arus_error *err)
{
    *out = NULL;
    if (expr->kind == ARUS_EXPR_COLUMN) {
        *out = &columns[expr->index];
        return ARUS_OK;
    }
    if (expr->kind != ARUS_EXPR_FIELD || expr->args[0]->type->id != ARUS_TYPE_STRUCT) {
        return ARUS_OK;
    }
    ARUS_TRY(find_need(optimiser, expr->args[0], columns, out, err));
    if (*out == NULL || (*out)->is_whole) {
        return ARUS_OK;
    }
    if ((*out)->fields == NULL) {
        ARUS_TRY(ARUS_NEW(optimiser->arena, struct need, expr->args[0]->type->field_count,
                          &(*out)->fields, err));
    }
    (*out)->is_part = true;
    *out = &(*out)->fields[expr->index];
    return ARUS_OK;
}

static enum arus_status need_expr(struct arus_optimiser *optimiser, const struct arus_expr *expr,
                                  struct need *columns, struct arus_error *err)
{
    struct need *need = NULL;

    if (expr == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(find_need(optimiser, expr, columns, &need, err));
    if (need != NULL) {
        need->is_whole = true;
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ARUS_TRY(need_expr(optimiser, expr->args[i], columns, err));
    }
    return need_expr(optimiser, expr->filter, columns, err);
}

static enum arus_status merge_need(struct arus_optimiser *optimiser, const struct arus_type *type,
                                   const struct need *from, struct need *into,
                                   struct arus_error *err)
{
    into->is_whole |= from->is_whole;
    if (into->is_whole || !from->is_part) {
        return ARUS_OK;
    }
    into->is_part = true;
    if (into->fields == NULL) {
        ARUS_TRY(ARUS_NEW(optimiser->arena, struct need, type->field_count, &into->fields, err));
    }
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(
            merge_need(optimiser, type->fields[i].type, &from->fields[i], &into->fields[i], err));
    }
    return ARUS_OK;
}

/* An expression of which `need` is used. */
static enum arus_status need_through(struct arus_optimiser *optimiser, const struct arus_expr *expr,
                                     const struct need *need, struct need *columns,
                                     struct arus_error *err)
{
    struct need *found = NULL;

    ARUS_TRY(find_need(optimiser, expr, columns, &found, err));
    return found != NULL ? merge_need(optimiser, expr->type, need, found, err)
                         : need_expr(optimiser, expr, columns, err);
}

/* ---- expressions over pruned input ---- */

struct rebase {
    struct arus_optimiser *optimiser;
    const struct arus_type *schema;
    const uint32_t *map;
};

static enum arus_status rebase_node(void *self, const struct arus_expr *expr,
                                    const struct arus_expr **out, struct arus_error *err)
{
    const struct rebase *rebase = self;
    struct arus_expr *copy = NULL;

    if (expr->kind == ARUS_EXPR_COLUMN) {
        ARUS_TRY(ARUS_NEW(rebase->optimiser->arena, struct arus_expr, 1, &copy, err));
        *copy = *expr;
        copy->index = rebase->map[expr->index];
        copy->type = rebase->schema->fields[copy->index].type;
        *out = copy;
        return ARUS_OK;
    }
    if (expr->kind == ARUS_EXPR_FIELD && expr->args[0]->type->id == ARUS_TYPE_STRUCT) {
        const struct arus_text name = expr->args[0]->type->fields[expr->index].name;
        const struct arus_expr **args = NULL;

        ARUS_TRY(ARUS_NEW(rebase->optimiser->arena, struct arus_expr, 1, &copy, err));
        ARUS_TRY(ARUS_NEW(rebase->optimiser->arena, const struct arus_expr *, 1, &args, err));
        ARUS_TRY(arus_expr_rewrite(expr->args[0], rebase_node, self, rebase->optimiser->arena,
                                   &args[0], err));
        *copy = *expr;
        copy->args = args;
        if (args[0]->type != expr->args[0]->type) {
            copy->index = (uint32_t)arus_type_find(args[0]->type, name);
            copy->type = args[0]->type->fields[copy->index].type;
        }
        *out = copy;
    }
    return ARUS_OK;
}

static enum arus_status rebase_expr(struct arus_optimiser *optimiser,
                                    const struct arus_type *schema, const uint32_t *map,
                                    const struct arus_expr **inout, struct arus_error *err)
{
    struct rebase rebase = {optimiser, schema, map};

    return *inout == NULL
               ? ARUS_OK
               : arus_expr_rewrite(*inout, rebase_node, &rebase, optimiser->arena, inout, err);
}

static enum arus_status new_needs(struct arus_optimiser *optimiser, uint32_t count,
                                  struct need **out, struct arus_error *err)
{
    return ARUS_NEW(optimiser->arena, struct need, count + 1u, out, err);
}

static enum arus_status new_map(struct arus_optimiser *optimiser, uint32_t count, uint32_t **out,
                                struct arus_error *err)
{
    return ARUS_NEW(optimiser->arena, uint32_t, count + 1u, out, err);
}

/* ---- scans and rows ---- */

static enum arus_status prune_type(struct arus_optimiser *optimiser, const struct need *need,
                                   const struct arus_type **inout, struct arus_error *err)
{
    const struct arus_type *type = *inout;
    struct arus_field *fields = NULL;
    uint16_t count = 0;

    if (need->is_whole || need->fields == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_field, type->field_count, &fields, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        if (is_used(&need->fields[i])) {
            fields[count] = type->fields[i];
            ARUS_TRY(prune_type(optimiser, &need->fields[i], &fields[count].type, err));
            count++;
        }
    }
    return count == type->field_count
               ? ARUS_OK
               : arus_type_struct(fields, count, optimiser->arena, inout, err);
}

static enum arus_status prune_scan(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                   const struct need *needs, uint32_t *map, struct arus_error *err)
{
    struct arus_field *fields = NULL;
    uint16_t *positions = NULL;
    uint16_t count = 0;

    ARUS_TRY(
        ARUS_NEW(optimiser->arena, struct arus_field, plan->schema->field_count, &fields, err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, uint16_t, plan->schema->field_count, &positions, err));
    for (uint16_t i = 0; i < plan->schema->field_count; i++) {
        map[i] = GONE;
        if (is_used(&needs[i])) {
            fields[count] = plan->schema->fields[i];
            ARUS_TRY(prune_type(optimiser, &needs[i], &fields[count].type, err));
            positions[count] = plan->scan.fields[i];
            map[i] = count++;
        }
    }
    plan->scan.fields = positions;
    return arus_type_struct(fields, count, optimiser->arena, &plan->schema, err);
}

static enum arus_status prune_values(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                     const struct need *needs, uint32_t *map,
                                     struct arus_error *err)
{
    struct arus_field *fields = NULL;
    struct arus_vector *columns = NULL;
    uint16_t count = 0;

    ARUS_TRY(
        ARUS_NEW(optimiser->arena, struct arus_field, plan->schema->field_count, &fields, err));
    ARUS_TRY(
        ARUS_NEW(optimiser->arena, struct arus_vector, plan->schema->field_count, &columns, err));
    for (uint16_t i = 0; i < plan->schema->field_count; i++) {
        map[i] = GONE;
        if (is_used(&needs[i])) {
            fields[count] = plan->schema->fields[i];
            columns[count] = plan->values.rows.columns[i];
            map[i] = count++;
        }
    }
    ARUS_TRY(arus_type_struct(fields, count, optimiser->arena, &plan->schema, err));
    plan->values.rows.columns = columns;
    plan->values.rows.schema = plan->schema;
    return ARUS_OK;
}

/* ---- nodes ---- */

static enum arus_status rebase_window(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                      const uint32_t *map, struct arus_error *err)
{
    struct arus_time_window *copy = NULL;

    if (plan->window == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_time_window, 1, &copy, err));
    *copy = *plan->window;
    plan->window = copy;
    return rebase_expr(optimiser, plan->children[0]->schema, map, &copy->time, err);
}

static enum arus_status prune_project(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                      const struct need *needs, uint32_t *map,
                                      struct arus_error *err)
{
    const uint32_t count = plan->schema->field_count;
    struct arus_plan *child = plan->children[0];
    struct need *below = NULL;
    uint32_t *child_map = NULL;
    struct arus_field *fields = NULL;
    const struct arus_expr **exprs = NULL;
    uint16_t kept = 0;

    ARUS_TRY(new_needs(optimiser, child->schema->field_count, &below, err));
    ARUS_TRY(new_map(optimiser, child->schema->field_count, &child_map, err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_field, count, &fields, err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, const struct arus_expr *, count, &exprs, err));
    if (plan->window != NULL && count > 0 && !is_used(&needs[count - 1])) {
        plan->window = NULL;
    }
    ARUS_TRY(need_expr(optimiser, plan->window == NULL ? NULL : plan->window->time, below, err));
    for (uint32_t i = 0; i < count; i++) {
        if (is_used(&needs[i])) {
            ARUS_TRY(need_through(optimiser, plan->project.exprs[i], &needs[i], below, err));
        }
    }
    ARUS_TRY(prune(optimiser, &plan->children[0], below, child_map, err));
    child = plan->children[0];
    for (uint32_t i = 0; i < count; i++) {
        map[i] = GONE;
        if (is_used(&needs[i])) {
            exprs[kept] = plan->project.exprs[i];
            ARUS_TRY(rebase_expr(optimiser, child->schema, child_map, &exprs[kept], err));
            fields[kept] = plan->schema->fields[i];
            fields[kept].type = exprs[kept]->type;
            map[i] = kept++;
        }
    }
    plan->project.exprs = exprs;
    ARUS_TRY(rebase_window(optimiser, plan, child_map, err));
    return arus_type_struct(fields, kept, optimiser->arena, &plan->schema, err);
}

/* Keeps the used aggregates; `exprs`: keys, then those. */
static enum arus_status kept_aggregates(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                        const struct need *needs, uint32_t *map,
                                        struct arus_error *err)
{
    const uint32_t key_count = plan->aggregate.key_count;
    struct arus_field *fields = NULL;
    const struct arus_expr **calls = NULL;
    uint32_t kept = 0;

    ARUS_TRY(
        ARUS_NEW(optimiser->arena, struct arus_field, plan->schema->field_count, &fields, err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, const struct arus_expr *, plan->aggregate.aggregate_count,
                      &calls, err));
    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        map[i] = GONE;
        if (i < key_count) {
            fields[i] = plan->schema->fields[i];
            map[i] = i;
        } else if (is_used(&needs[i])) {
            fields[key_count + kept] = plan->schema->fields[i];
            calls[kept] = plan->aggregate.aggregates[i - key_count];
            map[i] = key_count + kept++;
        }
    }
    plan->aggregate.aggregates = calls;
    plan->aggregate.aggregate_count = kept;
    return arus_type_struct(fields, (uint16_t)(key_count + kept), optimiser->arena, &plan->schema,
                            err);
}

static enum arus_status prune_aggregate(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                        const struct need *needs, uint32_t *map,
                                        struct arus_error *err)
{
    struct need *below = NULL;
    uint32_t *child_map = NULL;

    ARUS_TRY(new_needs(optimiser, plan->children[0]->schema->field_count, &below, err));
    ARUS_TRY(new_map(optimiser, plan->children[0]->schema->field_count, &child_map, err));
    ARUS_TRY(kept_aggregates(optimiser, plan, needs, map, err));
    for (uint32_t i = 0; i < plan->aggregate.key_count; i++) {
        ARUS_TRY(need_expr(optimiser, plan->aggregate.keys[i], below, err));
    }
    for (uint32_t i = 0; i < plan->aggregate.aggregate_count; i++) {
        ARUS_TRY(need_expr(optimiser, plan->aggregate.aggregates[i], below, err));
    }
    ARUS_TRY(prune(optimiser, &plan->children[0], below, child_map, err));
    for (uint32_t i = 0; i < plan->aggregate.key_count; i++) {
        ARUS_TRY(rebase_expr(optimiser, plan->children[0]->schema, child_map,
                             &plan->aggregate.keys[i], err));
    }
    for (uint32_t i = 0; i < plan->aggregate.aggregate_count; i++) {
        ARUS_TRY(rebase_expr(optimiser, plan->children[0]->schema, child_map,
                             &plan->aggregate.aggregates[i], err));
    }
    return ARUS_OK;
}

/* Exactly the used columns, in order: for rows that are stored or meet those of another branch. */
static enum arus_status compact(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                const struct need *needs, uint32_t count, uint32_t *map,
                                struct arus_error *err)
{
    const struct arus_type *schema = (*inout)->schema;
    const struct arus_expr **exprs = NULL;
    uint32_t kept = 0;
    bool is_same = true;

    ARUS_TRY(ARUS_NEW(optimiser->arena, const struct arus_expr *, count, &exprs, err));
    for (uint32_t i = 0; i < count; i++) {
        if (is_used(&needs[i])) {
            is_same &= map[i] == kept;
            ARUS_TRY(arus_column_make(schema, map[i], (*inout)->place, optimiser->arena,
                                      &exprs[kept], err));
            kept++;
        }
    }
    if (is_same && kept == schema->field_count) {
        return ARUS_OK;
    }
    kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        map[i] = is_used(&needs[i]) ? kept++ : GONE;
    }
    return arus_plan_project(*inout, exprs, NULL, kept, optimiser->arena, inout, err);
}

/* Prunes a child, then leaves no more than what is needed of it. */
static enum arus_status prune_and_compact(struct arus_optimiser *optimiser,
                                          struct arus_plan **inout, const struct need *needs,
                                          uint32_t count, uint32_t *map, struct arus_error *err)
{
    struct need *copy = NULL; /* the child's own columns are added to it */

    ARUS_TRY(new_needs(optimiser, count, &copy, err));
    memcpy(copy, needs, count * sizeof(*copy));
    ARUS_TRY(prune(optimiser, inout, copy, map, err));
    return compact(optimiser, inout, needs, count, map, err);
}

static enum arus_status prune_sort(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                   struct need *needs, uint32_t *map, struct arus_error *err)
{
    const uint32_t count = plan->schema->field_count;
    struct arus_sort_key *keys = NULL;

    for (uint32_t i = 0; i < plan->sort.key_count; i++) {
        ARUS_TRY(need_expr(optimiser, plan->sort.keys[i].expr, needs, err));
    }
    ARUS_TRY(prune_and_compact(optimiser, &plan->children[0], needs, count, map, err));
    plan->schema = plan->children[0]->schema;
    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_sort_key, plan->sort.key_count, &keys, err));
    for (uint32_t i = 0; i < plan->sort.key_count; i++) {
        keys[i] = plan->sort.keys[i];
        ARUS_TRY(rebase_expr(optimiser, plan->schema, map, &keys[i].expr, err));
    }
    plan->sort.keys = keys;
    return ARUS_OK;
}

static enum arus_status prune_union(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                    struct need *needs, uint32_t *map, struct arus_error *err)
{
    const uint32_t count = plan->schema->field_count;
    struct arus_field *fields = NULL;
    uint16_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        needs[i].is_whole = is_used(&needs[i]);
    }
    for (uint32_t side = 0; side < 2; side++) {
        ARUS_TRY(prune_and_compact(optimiser, &plan->children[side], needs, count, map, err));
    }
    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_field, count, &fields, err));
    for (uint32_t i = 0; i < count; i++) {
        map[i] = GONE;
        if (is_used(&needs[i])) {
            fields[kept] = plan->schema->fields[i];
            map[i] = kept++;
        }
    }
    return arus_type_struct(fields, kept, optimiser->arena, &plan->schema, err);
}

/* ---- joins ---- */

static enum arus_status join_needs(struct arus_optimiser *optimiser, const struct arus_plan *plan,
                                   const struct need *needs, struct need **both,
                                   uint32_t left_count, uint32_t right_count,
                                   struct arus_error *err)
{
    ARUS_TRY(new_needs(optimiser, left_count + right_count, both, err));
    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        if (i < left_count || plan->join.kind != ARUS_JOIN_MARK) {
            (*both)[i] = needs[i];
        }
    }
    ARUS_TRY(need_expr(optimiser, plan->join.condition, *both, err));
    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        ARUS_TRY(need_expr(optimiser, plan->join.keys[i].left, *both, err));
        ARUS_TRY(need_expr(optimiser, plan->join.keys[i].right, *both + left_count, err));
    }
    return ARUS_OK;
}

static enum arus_status rebase_join(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                    const uint32_t *both_map, uint32_t left_count,
                                    const uint32_t *right_map, struct arus_error *err)
{
    const struct arus_type *both = NULL;
    struct arus_join_key *keys = NULL;

    ARUS_TRY(arus_plan_join_schema(plan->children[0], plan->children[1], ARUS_JOIN_INNER,
                                   optimiser->arena, &both, err));
    ARUS_TRY(rebase_expr(optimiser, both, both_map, &plan->join.condition, err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_join_key, plan->join.key_count, &keys, err));
    (void)left_count;
    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        keys[i] = plan->join.keys[i];
        ARUS_TRY(rebase_expr(optimiser, plan->children[0]->schema, both_map, &keys[i].left, err));
        ARUS_TRY(rebase_expr(optimiser, plan->children[1]->schema, right_map, &keys[i].right, err));
    }
    plan->join.keys = keys;
    return ARUS_OK;
}

static enum arus_status prune_join(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                   const struct need *needs, uint32_t *map, struct arus_error *err)
{
    const uint32_t left_count = plan->children[0]->schema->field_count;
    const uint32_t right_count = plan->children[1]->schema->field_count;
    struct need *both = NULL;
    uint32_t *both_map = NULL;
    uint32_t *right_map = NULL;
    uint32_t left_kept = 0;

    ARUS_TRY(join_needs(optimiser, plan, needs, &both, left_count, right_count, err));
    ARUS_TRY(new_map(optimiser, left_count + right_count, &both_map, err));
    ARUS_TRY(new_map(optimiser, right_count, &right_map, err));
    ARUS_TRY(prune_and_compact(optimiser, &plan->children[0], both, left_count, both_map, err));
    ARUS_TRY(prune_and_compact(optimiser, &plan->children[1], both + left_count, right_count,
                               right_map, err));
    left_kept = plan->children[0]->schema->field_count;
    for (uint32_t i = 0; i < right_count; i++) {
        both_map[left_count + i] = right_map[i] == GONE ? GONE : left_kept + right_map[i];
    }
    ARUS_TRY(rebase_join(optimiser, plan, both_map, left_count, right_map, err));
    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        map[i] = plan->join.kind == ARUS_JOIN_MARK && i == left_count ? left_kept : both_map[i];
    }
    return arus_plan_join_schema(plan->children[0], plan->children[1], plan->join.kind,
                                 optimiser->arena, &plan->schema, err);
}

/* ---- generators, watermarks ---- */

static enum arus_status prune_generate(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                       struct need *needs, uint32_t *map, struct arus_error *err)
{
    const uint32_t before = plan->children[0]->schema->field_count;
    const uint32_t made = plan->schema->field_count - before;
    struct need *below = NULL;
    struct arus_field *fields = NULL;
    uint32_t kept = 0;

    ARUS_TRY(new_needs(optimiser, before, &below, err));
    memcpy(below, needs, before * sizeof(*below));
    ARUS_TRY(need_expr(optimiser, plan->generate.input, below, err));
    ARUS_TRY(need_expr(optimiser, plan->window == NULL ? NULL : plan->window->time, below, err));
    ARUS_TRY(prune(optimiser, &plan->children[0], below, map, err));
    ARUS_TRY(rebase_expr(optimiser, plan->children[0]->schema, map, &plan->generate.input, err));
    ARUS_TRY(rebase_window(optimiser, plan, map, err));
    kept = plan->children[0]->schema->field_count;
    ARUS_TRY(ARUS_NEW(optimiser->arena, struct arus_field, kept + made, &fields, err));
    if (kept > 0) {
        memcpy(fields, plan->children[0]->schema->fields, kept * sizeof(*fields));
    }
    for (uint32_t i = 0; i < made; i++) {
        fields[kept + i] = plan->schema->fields[before + i];
        map[before + i] = kept + i;
    }
    return arus_type_struct(fields, (uint16_t)(kept + made), optimiser->arena, &plan->schema, err);
}

/* Its keys leave by it. An event time that nobody uses does not reach other operators: as in Spark
 * they then find no row late. */
static enum arus_status need_event_time(struct arus_optimiser *optimiser,
                                        const struct arus_plan *plan, struct need *needs,
                                        struct arus_error *err)
{
    const struct arus_event_mark *marks = NULL;

    ARUS_TRY(arus_event_marks(plan, optimiser->arena, &marks, err));
    for (uint32_t i = 0; i < plan->schema->field_count; i++) {
        needs[i].is_whole |= marks[i].origin != NULL;
    }
    return ARUS_OK;
}

static enum arus_status prune_dedup(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                    struct need *needs, uint32_t *map, struct arus_error *err)
{
    uint32_t *columns = NULL;

    for (uint32_t i = 0; i < plan->dedup.column_count; i++) {
        needs[plan->dedup.columns[i]].is_whole = true;
    }
    if (plan->dedup.within_watermark) {
        ARUS_TRY(need_event_time(optimiser, plan->children[0], needs, err));
    }
    ARUS_TRY(prune_and_compact(optimiser, &plan->children[0], needs, plan->schema->field_count, map,
                               err));
    ARUS_TRY(ARUS_NEW(optimiser->arena, uint32_t, plan->dedup.column_count, &columns, err));
    for (uint32_t i = 0; i < plan->dedup.column_count; i++) {
        columns[i] = map[plan->dedup.columns[i]];
    }
    plan->dedup.columns = columns;
    plan->schema = plan->children[0]->schema;
    return ARUS_OK;
}

static enum arus_status prune_through(struct arus_optimiser *optimiser, struct arus_plan *plan,
                                      struct need *needs, uint32_t *map, struct arus_error *err)
{
    if (plan->kind == ARUS_PLAN_FILTER) {
        ARUS_TRY(need_expr(optimiser, plan->filter.condition, needs, err));
    } else if (plan->kind == ARUS_PLAN_WATERMARK) {
        needs[plan->watermark.column].is_whole = true;
    }
    ARUS_TRY(prune(optimiser, &plan->children[0], needs, map, err));
    plan->schema = plan->children[0]->schema;
    if (plan->kind == ARUS_PLAN_FILTER) {
        return rebase_expr(optimiser, plan->schema, map, &plan->filter.condition, err);
    }
    if (plan->kind == ARUS_PLAN_WATERMARK) {
        plan->watermark.column = map[plan->watermark.column];
    }
    return ARUS_OK;
}

static enum arus_status prune(struct arus_optimiser *optimiser, struct arus_plan **inout,
                              struct need *needs, uint32_t *map, struct arus_error *err)
{
    struct arus_plan *plan = *inout;

    switch (plan->kind) {
    case ARUS_PLAN_SCAN:
        return prune_scan(optimiser, plan, needs, map, err);
    case ARUS_PLAN_VALUES:
        return prune_values(optimiser, plan, needs, map, err);
    case ARUS_PLAN_RANGE:
        map[0] = 0;
        return ARUS_OK;
    case ARUS_PLAN_PROJECT:
        return prune_project(optimiser, plan, needs, map, err);
    case ARUS_PLAN_AGGREGATE:
        return prune_aggregate(optimiser, plan, needs, map, err);
    case ARUS_PLAN_SORT:
        return prune_sort(optimiser, plan, needs, map, err);
    case ARUS_PLAN_JOIN:
        return prune_join(optimiser, plan, needs, map, err);
    case ARUS_PLAN_UNION:
        return prune_union(optimiser, plan, needs, map, err);
    case ARUS_PLAN_GENERATE:
        return prune_generate(optimiser, plan, needs, map, err);
    case ARUS_PLAN_DEDUP:
        return prune_dedup(optimiser, plan, needs, map, err);
    case ARUS_PLAN_FILTER:
    case ARUS_PLAN_LIMIT:
    case ARUS_PLAN_WATERMARK:
        return prune_through(optimiser, plan, needs, map, err);
    }
    return ARUS_OK;
}

enum arus_status arus_optimise_columns(struct arus_optimiser *optimiser, struct arus_plan **inout,
                                       struct arus_error *err)
{
    const uint32_t count = (*inout)->schema->field_count;
    struct need *needs = NULL;
    uint32_t *map = NULL;

    ARUS_TRY(new_needs(optimiser, count, &needs, err));
    ARUS_TRY(new_map(optimiser, count, &map, err));
    for (uint32_t i = 0; i < count; i++) {
        needs[i].is_whole = true;
    }
    return prune(optimiser, inout, needs, map, err);
}
