#include "plan/tree.h"

#include "column/value.h"
#include "plan/list.h"

#include <string.h>

enum arus_status arus_column_named(const struct arus_type *schema, uint32_t index,
                                   struct arus_text name, struct arus_place place,
                                   struct arus_arena *arena, const struct arus_expr **out,
                                   struct arus_error *err)
{
    const struct arus_field *field = &schema->fields[index];
    struct arus_expr *made = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_expr, 1, &made, err));
    made->kind = ARUS_EXPR_COLUMN;
    made->type = field->type;
    made->is_nullable = field->is_nullable;
    made->place = place;
    made->index = index;
    made->name = name;
    *out = made;
    return ARUS_OK;
}

enum arus_status arus_column_make(const struct arus_type *schema, uint32_t index,
                                  struct arus_place place, struct arus_arena *arena,
                                  const struct arus_expr **out, struct arus_error *err)
{
    return arus_column_named(schema, index, schema->fields[index].name, place, arena, out, err);
}

enum arus_status arus_maker_call(const struct arus_maker *maker, const char *name,
                                 const struct arus_expr *const *args, uint32_t count,
                                 const struct arus_expr **out, struct arus_error *err)
{
    struct arus_bind bind = {.name = arus_text_of(name),
                             .place = maker->place,
                             .arg_count = count,
                             .is_ansi = maker->is_ansi,
                             .zone = maker->zone,
                             .arena = maker->arena};

    ARUS_TRY(ARUS_NEW(maker->arena, const struct arus_expr *, count, &bind.args, err));
    if (count > 0) {
        memcpy((void *)bind.args, (const void *)args, count * sizeof(*args));
    }
    return arus_call_make(&bind, out, err);
}

static enum arus_status make_literal(const struct arus_maker *maker, const struct arus_type *type,
                                     const void *value, const struct arus_expr **out,
                                     struct arus_error *err)
{
    struct arus_vector vector;

    ARUS_TRY(arus_value_make(type, value, 1, maker->arena, &vector, err));
    return arus_literal_make(&vector, maker->place, maker->arena, out, err);
}

enum arus_status arus_maker_bigint(const struct arus_maker *maker, int64_t value,
                                   const struct arus_expr **out, struct arus_error *err)
{
    return make_literal(maker, &ARUS_BIGINT, &value, out, err);
}

enum arus_status arus_maker_boolean(const struct arus_maker *maker, bool value,
                                    const struct arus_expr **out, struct arus_error *err)
{
    const uint8_t byte = value;

    return make_literal(maker, &ARUS_BOOLEAN, &byte, out, err);
}

enum arus_status arus_maker_text(const struct arus_maker *maker, struct arus_text value,
                                 const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_view view = arus_view_of(value.data == NULL ? "" : value.data, value.size);

    return make_literal(maker, &ARUS_STRING, &view, out, err);
}

bool arus_expr_is_call(const struct arus_expr *expr, const char *name)
{
    return expr->kind == ARUS_EXPR_CALL && expr->function != NULL &&
           strcmp(expr->function->name, name) == 0;
}

int arus_expr_truth(const struct arus_expr *expr)
{
    if (expr->kind != ARUS_EXPR_LITERAL || expr->type->id != ARUS_TYPE_BOOLEAN ||
        !arus_bit_get(expr->value.validity, 0)) {
        return -1;
    }
    return ((const uint8_t *)expr->value.values)[0] != 0;
}

/* ---- walking ---- */

enum arus_status arus_expr_rewrite(const struct arus_expr *expr, arus_rewrite_fn fn, void *self,
                                   struct arus_arena *arena, const struct arus_expr **out,
                                   struct arus_error *err)
{
    const struct arus_expr **args = NULL;
    const struct arus_expr *filter = NULL;
    bool has_changed = false;

    *out = NULL;
    ARUS_TRY(fn(self, expr, out, err));
    if (*out != NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, const struct arus_expr *, expr->arg_count, &args, err));
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ARUS_TRY(arus_expr_rewrite(expr->args[i], fn, self, arena, &args[i], err));
        has_changed |= args[i] != expr->args[i];
    }
    if (expr->filter != NULL) {
        ARUS_TRY(arus_expr_rewrite(expr->filter, fn, self, arena, &filter, err));
        has_changed |= filter != expr->filter;
    }
    *out = expr;
    if (has_changed) {
        struct arus_expr *copy = NULL;

        ARUS_TRY(ARUS_NEW(arena, struct arus_expr, 1, &copy, err));
        *copy = *expr;
        copy->args = args;
        copy->filter = filter;
        *out = copy;
    }
    return ARUS_OK;
}

bool arus_expr_any(const struct arus_expr *expr, arus_expr_test test, void *self)
{
    if (test(expr, self)) {
        return true;
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        if (arus_expr_any(expr->args[i], test, self)) {
            return true;
        }
    }
    return expr->filter != NULL && arus_expr_any(expr->filter, test, self);
}

static bool is_aggregate(const struct arus_expr *expr, void *self)
{
    (void)self;
    return expr->kind == ARUS_EXPR_CALL && expr->aggregate != NULL;
}

bool arus_expr_has_aggregate(const struct arus_expr *expr)
{
    return arus_expr_any(expr, is_aggregate, NULL);
}

struct column_range {
    uint32_t begin;
    uint32_t end;
};

static bool is_outside(const struct arus_expr *expr, void *self)
{
    const struct column_range *range = self;

    return expr->kind == ARUS_EXPR_COLUMN &&
           (expr->index < range->begin || expr->index >= range->end);
}

bool arus_expr_within(const struct arus_expr *expr, uint32_t begin, uint32_t end)
{
    struct column_range range = {begin, end};

    return !arus_expr_any(expr, is_outside, &range);
}

static bool mark_column(const struct arus_expr *expr, void *self)
{
    if (expr->kind == ARUS_EXPR_COLUMN) {
        ((bool *)self)[expr->index] = true;
    }
    return false;
}

void arus_expr_mark_columns(const struct arus_expr *expr, bool *used)
{
    (void)arus_expr_any(expr, mark_column, used);
}

struct remap {
    const uint32_t *map; /* or NULL: delta */
    int32_t delta;
    const struct arus_expr *const *exprs; /* substitution */
    struct arus_arena *arena;
};

static enum arus_status remap_column(void *self, const struct arus_expr *expr,
                                     const struct arus_expr **out, struct arus_error *err)
{
    const struct remap *remap = self;
    struct arus_expr *copy = NULL;

    if (expr->kind != ARUS_EXPR_COLUMN) {
        return ARUS_OK;
    }
    if (remap->exprs != NULL) {
        *out = remap->exprs[expr->index];
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(remap->arena, struct arus_expr, 1, &copy, err));
    *copy = *expr;
    copy->index = remap->map != NULL ? remap->map[expr->index]
                                     : (uint32_t)((int64_t)expr->index + remap->delta);
    *out = copy;
    return ARUS_OK;
}

enum arus_status arus_expr_remap(const struct arus_expr *expr, const uint32_t *map,
                                 struct arus_arena *arena, const struct arus_expr **out,
                                 struct arus_error *err)
{
    struct remap remap = {.map = map, .arena = arena};

    return arus_expr_rewrite(expr, remap_column, &remap, arena, out, err);
}

enum arus_status arus_expr_shift(const struct arus_expr *expr, int32_t delta,
                                 struct arus_arena *arena, const struct arus_expr **out,
                                 struct arus_error *err)
{
    struct remap remap = {.delta = delta, .arena = arena};

    return arus_expr_rewrite(expr, remap_column, &remap, arena, out, err);
}

enum arus_status arus_expr_substitute(const struct arus_expr *expr,
                                      const struct arus_expr *const *exprs,
                                      struct arus_arena *arena, const struct arus_expr **out,
                                      struct arus_error *err)
{
    struct remap remap = {.exprs = exprs, .arena = arena};

    return arus_expr_rewrite(expr, remap_column, &remap, arena, out, err);
}

/* ---- conditions ---- */

enum arus_status arus_exprs_add(struct arus_exprs *list, struct arus_arena *arena,
                                const struct arus_expr *expr, struct arus_error *err)
{
    ARUS_TRY(arus_list_grow(arena, (void **)&list->items, sizeof(*list->items), list->count,
                            &list->capacity, err));
    list->items[list->count++] = expr;
    return ARUS_OK;
}

enum arus_status arus_exprs_add_conjuncts(struct arus_exprs *list, struct arus_arena *arena,
                                          const struct arus_expr *expr, struct arus_error *err)
{
    if (!arus_expr_is_call(expr, "and")) {
        return arus_exprs_add(list, arena, expr, err);
    }
    for (uint32_t i = 0; i < expr->arg_count; i++) {
        ARUS_TRY(arus_exprs_add_conjuncts(list, arena, expr->args[i], err));
    }
    return ARUS_OK;
}

enum arus_status arus_exprs_conjoin(const struct arus_exprs *list, const struct arus_maker *maker,
                                    const struct arus_expr **out, struct arus_error *err)
{
    *out = list->count == 0 ? NULL : list->items[0];
    for (size_t i = 1; i < list->count; i++) {
        const struct arus_expr *pair[2] = {*out, list->items[i]};
        struct arus_maker joined = *maker;

        joined.place = arus_place_join(pair[0]->place, pair[1]->place);
        ARUS_TRY(arus_maker_call(&joined, "and", pair, 2, out, err));
    }
    return ARUS_OK;
}

/* ---- plan nodes ---- */

enum arus_status arus_plan_make(enum arus_plan_kind kind, struct arus_place place,
                                struct arus_plan *left, struct arus_plan *right,
                                struct arus_arena *arena, struct arus_plan **out,
                                struct arus_error *err)
{
    struct arus_plan *plan = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_plan, 1, &plan, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_plan *, 2, &plan->children, err));
    plan->kind = kind;
    plan->place = place;
    if (left != NULL) {
        plan->children[plan->child_count++] = left;
        plan->schema = left->schema;
        plan->is_streaming = left->is_streaming;
    }
    if (right != NULL) {
        plan->children[plan->child_count++] = right;
        plan->is_streaming |= right->is_streaming;
    }
    *out = plan;
    return ARUS_OK;
}

enum arus_status arus_plan_filter(struct arus_plan *child, const struct arus_expr *condition,
                                  struct arus_arena *arena, struct arus_plan **out,
                                  struct arus_error *err)
{
    struct arus_plan *plan = NULL;

    ARUS_TRY(arus_plan_make(ARUS_PLAN_FILTER, condition->place, child, NULL, arena, &plan, err));
    plan->filter.condition = condition;
    *out = plan;
    return ARUS_OK;
}

enum arus_status arus_expr_name(const struct arus_expr *expr, struct arus_arena *arena,
                                struct arus_text *out, struct arus_error *err)
{
    struct arus_buffer buffer = {0};
    enum arus_status status;

    if (expr->kind == ARUS_EXPR_CAST && expr->text.size == 0 &&
        expr->args[0]->kind == ARUS_EXPR_COLUMN) {
        expr = expr->args[0];
    }
    if (expr->kind == ARUS_EXPR_COLUMN) {
        *out = expr->name;
        return ARUS_OK;
    }
    status = arus_expr_text(expr, &buffer, err);
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&buffer), arena, out, err);
    }
    arus_buffer_release(&buffer);
    return status;
}

enum arus_status arus_plan_fields(const struct arus_expr *const *exprs,
                                  const struct arus_text *names, uint32_t count,
                                  struct arus_arena *arena, const struct arus_type **out,
                                  struct arus_error *err)
{
    struct arus_field *fields = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, count, &fields, err));
    for (uint32_t i = 0; i < count; i++) {
        fields[i].type = exprs[i]->type;
        fields[i].is_nullable = exprs[i]->is_nullable;
        if (names != NULL && names[i].data != NULL) {
            fields[i].name = names[i];
        } else {
            ARUS_TRY(arus_expr_name(exprs[i], arena, &fields[i].name, err));
        }
    }
    return arus_type_struct(fields, (uint16_t)count, arena, out, err);
}

enum arus_status arus_plan_project(struct arus_plan *child, const struct arus_expr **exprs,
                                   const struct arus_text *names, uint32_t count,
                                   struct arus_arena *arena, struct arus_plan **out,
                                   struct arus_error *err)
{
    struct arus_plan *plan = NULL;

    ARUS_TRY(arus_plan_make(ARUS_PLAN_PROJECT, child->place, child, NULL, arena, &plan, err));
    ARUS_TRY(arus_plan_fields(exprs, names, count, arena, &plan->schema, err));
    plan->project.exprs = exprs;
    *out = plan;
    return ARUS_OK;
}

enum arus_status arus_plan_append(struct arus_plan *child, const struct arus_expr *const *extra,
                                  const struct arus_text *names, uint32_t count,
                                  struct arus_arena *arena, struct arus_plan **out,
                                  struct arus_error *err)
{
    const uint32_t kept = child->schema->field_count;
    const struct arus_expr **exprs = NULL;
    struct arus_text *all = NULL;

    ARUS_TRY(ARUS_NEW(arena, const struct arus_expr *, kept + count, &exprs, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, kept + count, &all, err));
    for (uint32_t i = 0; i < kept; i++) {
        ARUS_TRY(arus_column_make(child->schema, i, child->place, arena, &exprs[i], err));
        all[i] = child->schema->fields[i].name;
    }
    for (uint32_t i = 0; i < count; i++) {
        exprs[kept + i] = extra[i];
        all[kept + i] = names == NULL ? (struct arus_text){0} : names[i];
    }
    return arus_plan_project(child, exprs, all, kept + count, arena, out, err);
}

enum arus_status arus_plan_keep(struct arus_plan *child, uint32_t count, struct arus_arena *arena,
                                struct arus_plan **out, struct arus_error *err)
{
    const struct arus_expr **exprs = NULL;

    ARUS_TRY(ARUS_NEW(arena, const struct arus_expr *, count, &exprs, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(arus_column_make(child->schema, i, child->place, arena, &exprs[i], err));
    }
    return arus_plan_project(child, exprs, NULL, count, arena, out, err);
}

enum arus_status arus_plan_join_schema(const struct arus_plan *left, const struct arus_plan *right,
                                       enum arus_join_kind kind, struct arus_arena *arena,
                                       const struct arus_type **out, struct arus_error *err)
{
    const bool fills_left = kind == ARUS_JOIN_RIGHT || kind == ARUS_JOIN_FULL;
    const bool fills_right = kind == ARUS_JOIN_LEFT || kind == ARUS_JOIN_FULL;
    const bool is_left_only =
        kind == ARUS_JOIN_SEMI || kind == ARUS_JOIN_ANTI || kind == ARUS_JOIN_ANTI_NULL;
    const uint32_t left_count = left->schema->field_count;
    uint32_t count = left_count;
    struct arus_field *fields = NULL;

    if (is_left_only) {
        *out = left->schema;
        return ARUS_OK;
    }
    count += kind == ARUS_JOIN_MARK ? 1 : right->schema->field_count;
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, count, &fields, err));
    for (uint32_t i = 0; i < left_count; i++) {
        fields[i] = left->schema->fields[i];
        fields[i].is_nullable |= fills_left;
    }
    if (kind == ARUS_JOIN_MARK) {
        fields[left_count] = (struct arus_field){ARUS_TEXT("exists"), &ARUS_BOOLEAN, false, {0}};
        return arus_type_struct(fields, (uint16_t)count, arena, out, err);
    }
    for (uint32_t i = left_count; i < count; i++) {
        fields[i] = right->schema->fields[i - left_count];
        fields[i].is_nullable |= fills_right;
    }
    return arus_type_struct(fields, (uint16_t)count, arena, out, err);
}
