/* VALUES, table functions, generators, LATERAL VIEW and the pipe operators on columns. */
#include "plan/resolve_internal.h"
#include "plan/say.h"

#include <stdio.h>
#include <string.h>

/* ---- VALUES ---- */

/* All cells, row by row. */
struct cells {
    struct arus_resolver *resolver;
    const struct arus_urel *from;
    const struct arus_expr **exprs; /* [row_count * width] */
    uint32_t width;
};

static enum arus_status resolve_cells(struct cells *cells, struct arus_error *err)
{
    struct arus_bound nothing = {0};
    struct arus_plan no_rows = {.kind = ARUS_PLAN_VALUES};
    struct arus_expr_context context = {
        .resolver = cells->resolver, .input = &nothing, .clause = ARUS_CLAUSE_VALUES};

    ARUS_TRY(arus_type_struct(NULL, 0, cells->resolver->arena, &no_rows.schema, err));
    nothing.plan = &no_rows;
    for (uint32_t row = 0; row < cells->from->row_count; row++) {
        const struct arus_uexprs *from = &cells->from->rows[row];

        if (from->count != cells->width) {
            return arus_fail_at(err, from->items[0]->place,
                                "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH",
                                "row %u of VALUES has %u columns, the first has %u", row + 1,
                                from->count, cells->width);
        }
        for (uint32_t i = 0; i < cells->width; i++) {
            ARUS_TRY(arus_resolve_expr(&context, from->items[i],
                                       &cells->exprs[row * cells->width + i], err));
        }
    }
    if (no_rows.kind != ARUS_PLAN_VALUES || nothing.plan != &no_rows) {
        return arus_fail_at(err, cells->from->place,
                            "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                            "VALUES takes constants only");
    }
    return ARUS_OK;
}

static enum arus_status common_type(struct cells *cells, uint32_t column,
                                    const struct arus_type **out, struct arus_error *err)
{
    struct arus_resolver *resolver = cells->resolver;

    *out = cells->exprs[column]->type;
    for (uint32_t row = 1; row < cells->from->row_count; row++) {
        const struct arus_expr *cell = cells->exprs[row * cells->width + column];
        const bool is_text = cell->type->id == ARUS_TYPE_STRING || (*out)->id == ARUS_TYPE_STRING;
        const struct arus_type *type =
            arus_type_common(*out, cell->type, is_text && resolver->catalog->settings.is_ansi,
                             resolver->arena); /* numbers as without ANSI in either mode */

        if (type == NULL) {
            return arus_fail_at(err, cell->place,
                                "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE",
                                "%s does not fit to %s above it", arus_type_label(cell->type).text,
                                arus_type_label(*out).text);
        }
        *out = type;
    }
    return ARUS_OK;
}

static enum arus_status evaluate_cell(struct arus_resolver *resolver, const struct arus_expr *cell,
                                      struct arus_vector *out, struct arus_error *err)
{
    const enum arus_status status = arus_resolve_constant(resolver, cell, out, err);

    if (status == ARUS_BAD_DATA && arus_expr_is_constant(cell)) {
        err->condition = "INVALID_INLINE_TABLE.FAILED_SQL_EXPRESSION_EVALUATION";
    }
    return status;
}

static enum arus_status evaluate_column(struct cells *cells, uint32_t column,
                                        struct arus_field *field, struct arus_batch *rows,
                                        struct arus_error *err)
{
    struct arus_resolver *resolver = cells->resolver;

    ARUS_TRY(common_type(cells, column, &field->type, err));
    for (uint32_t row = 0; row < cells->from->row_count; row++) {
        const struct arus_expr *cell = cells->exprs[row * cells->width + column];
        struct arus_vector *value = &rows[row].columns[column];

        if (!arus_expr_is_constant(cell) &&
            !arus_expr_within(cell, 0, 0)) { /* only functions of the clock may vary */
            return arus_fail_at(err, cell->place,
                                "INVALID_INLINE_TABLE.CANNOT_EVALUATE_EXPRESSION_IN_INLINE_TABLE",
                                "VALUES takes constants only");
        }
        ARUS_TRY(arus_cast_implicit(cell, field->type, resolver->catalog->settings.is_ansi,
                                    resolver->arena, &cell, err));
        ARUS_TRY(evaluate_cell(resolver, cell, value, err));
        field->is_nullable |= !arus_vector_is_valid(value, 0);
    }
    return ARUS_OK;
}

static enum arus_status evaluate_cells(struct cells *cells, struct arus_plan *plan,
                                       struct arus_error *err)
{
    struct arus_arena *arena = cells->resolver->arena;
    const uint32_t row_count = cells->from->row_count;
    struct arus_field *fields = NULL;
    struct arus_batch *rows = NULL;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, cells->width, &fields, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_batch, row_count, &rows, err));
    for (uint32_t row = 0; row < row_count; row++) {
        ARUS_TRY(ARUS_NEW(arena, struct arus_vector, cells->width, &rows[row].columns, err));
    }
    for (uint32_t i = 0; i < cells->width; i++) {
        ARUS_TRY(arus_text_format(arena, &fields[i].name, err, "col%u", i + 1));
        ARUS_TRY(evaluate_column(cells, i, &fields[i], rows, err));
    }
    ARUS_TRY(arus_type_struct(fields, (uint16_t)cells->width, arena, &plan->schema, err));
    for (uint32_t row = 0; row < row_count; row++) {
        rows[row].schema = plan->schema;
        rows[row].row_count = 1;
    }
    return arus_batch_concat(rows, row_count, plan->schema, arena, &plan->values.rows, err);
}

enum arus_status arus_resolve_values(struct arus_resolver *resolver, const struct arus_urel *from,
                                     struct arus_bound *out, struct arus_error *err)
{
    struct cells cells = {.resolver = resolver, .from = from, .width = from->rows[0].count};

    ARUS_TRY(ARUS_NEW(resolver->arena, const struct arus_expr *,
                      (size_t)from->row_count *cells.width, &cells.exprs, err));
    ARUS_TRY(resolve_cells(&cells, err));
    ARUS_TRY(arus_plan_make(ARUS_PLAN_VALUES, from->place, NULL, NULL, resolver->arena, &out->plan,
                            err));
    ARUS_TRY(evaluate_cells(&cells, out->plan, err));
    return arus_scope_open(resolver, out->plan->schema, (struct arus_text){0}, &out->scope, err);
}

/* ---- generators ---- */

/* How a generator unnests. */
struct generator {
    const char *name;
    enum arus_unnest unnest;
    bool has_position;
    bool is_outer;
};

static const struct generator GENERATORS[] = {
    {"explode", ARUS_UNNEST_ELEMENTS, false, false},
    {"explode_outer", ARUS_UNNEST_ELEMENTS, false, true},
    {"posexplode", ARUS_UNNEST_ELEMENTS, true, false},
    {"posexplode_outer", ARUS_UNNEST_ELEMENTS, true, true},
    {"inline", ARUS_UNNEST_INLINE, false, false},
    {"inline_outer", ARUS_UNNEST_INLINE, false, true},
    {"stack", ARUS_UNNEST_INLINE, false, false},
    {"json_tuple", ARUS_UNNEST_INLINE, false, false},
};

static const struct generator *find_generator(struct arus_text name)
{
    for (size_t i = 0; i < sizeof(GENERATORS) / sizeof(GENERATORS[0]); i++) {
        if (arus_text_equal_nocase(name, arus_text_of(GENERATORS[i].name))) {
            return &GENERATORS[i];
        }
    }
    return NULL;
}

bool arus_is_generator(struct arus_text name)
{
    const struct arus_function *function = arus_function_find(name);

    return find_generator(name) != NULL || (function != NULL && function->kind == ARUS_GENERATOR);
}

bool arus_uexpr_is_generator(const struct arus_uexpr *expr)
{
    return expr->kind == ARUS_UEXPR_CALL && arus_is_generator(expr->text);
}

enum arus_status arus_resolve_generator_args(struct arus_expr_context *context,
                                             const struct arus_uexpr *call, struct arus_exprs *args,
                                             struct arus_error *err)
{
    for (uint32_t i = 0; i < call->args.count; i++) {
        const struct arus_expr *arg = NULL;

        ARUS_TRY(arus_resolve_expr(context, call->args.items[i], &arg, err));
        ARUS_TRY(arus_exprs_add(args, context->resolver->arena, arg, err));
    }
    return ARUS_OK;
}

/* A column of stack has one type; only NULL fits in any. */
static enum arus_status check_stack(const struct arus_uexpr *call, const struct arus_exprs *args,
                                    uint32_t width, struct arus_error *err)
{
    for (size_t at = 1 + width; at < args->count; at++) {
        const struct arus_type *first = args->items[1 + (at - 1) % width]->type;
        const struct arus_type *type = args->items[at]->type;

        for (size_t above = 1 + (at - 1) % width; first->id == ARUS_TYPE_VOID && above < at;
             above += width) {
            first = args->items[above]->type;
        }
        if (first->id != ARUS_TYPE_VOID && type->id != ARUS_TYPE_VOID &&
            !arus_type_equal(first, type)) {
            return arus_fail_at(err, call->place, "DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES",
                                "column %zu of stack has values of %s and %s", (at - 1) % width,
                                arus_type_label(first).text, arus_type_label(type).text);
        }
    }
    return ARUS_OK;
}

/* stack(n, v1, v2, ..) = inline(array(struct(v1, ..), ..)), short rows filled with nulls */
static enum arus_status stack_rows(struct arus_resolver *resolver, const struct arus_uexpr *call,
                                   const struct arus_exprs *args, const struct arus_expr **out,
                                   struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(resolver, call->place);
    struct arus_vector count;
    const struct arus_expr **rows = NULL;
    const struct arus_expr *null_value = NULL;
    struct arus_vector null_vector;
    int64_t row_count = 0;
    uint32_t width = 0;

    ARUS_TRY(arus_vector_init_null(&null_vector, &ARUS_VOID, 1, resolver->arena, err));
    ARUS_TRY(arus_literal_make(&null_vector, call->place, resolver->arena, &null_value, err));
    if (args->count < 2) {
        return arus_fail_at(err, call->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "stack needs the number of rows and a value");
    }
    if (args->items[0]->type->id != ARUS_TYPE_INT || !arus_expr_is_constant(args->items[0])) {
        return arus_fail_at(err, call->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "the first argument of stack must be a constant INT");
    }
    ARUS_TRY(arus_resolve_constant(resolver, args->items[0], &count, err));
    row_count = ((const int32_t *)count.values)[0];
    if (!arus_vector_is_valid(&count, 0) || row_count < 1) {
        return arus_fail_at(err, call->place, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                            "stack needs at least one row");
    }
    width = (uint32_t)((args->count - 1 + (size_t)row_count - 1) / (size_t)row_count);
    ARUS_TRY(check_stack(call, args, width, err));
    ARUS_TRY(ARUS_NEW(resolver->arena, const struct arus_expr *, (size_t)row_count, &rows, err));
    for (int64_t row = 0; row < row_count; row++) {
        struct arus_exprs cells = {0};

        for (uint32_t i = 0; i < width; i++) {
            const size_t at = 1 + (size_t)row * width + i;
            const struct arus_expr *name = NULL;
            struct arus_text label;

            ARUS_TRY(arus_text_format(resolver->arena, &label, err, "col%u", i));
            ARUS_TRY(arus_maker_text(&maker, label, &name, err));
            ARUS_TRY(arus_exprs_add(&cells, resolver->arena, name, err));
            ARUS_TRY(arus_exprs_add(&cells, resolver->arena,
                                    at < args->count ? args->items[at] : null_value, err));
        }
        ARUS_TRY(arus_maker_call(&maker, "named_struct", cells.items, (uint32_t)cells.count,
                                 &rows[row], err));
    }
    return arus_maker_call(&maker, "array", rows, (uint32_t)row_count, out, err);
}

/* json_tuple(s, k, ..) = inline(array(named_struct('c0', json_field(s, k), ..))) */
static enum arus_status json_columns(struct arus_resolver *resolver, const struct arus_uexpr *call,
                                     const struct arus_exprs *args, const struct arus_expr **out,
                                     struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(resolver, call->place);
    struct arus_exprs cells = {0};
    const struct arus_expr *row = NULL;

    if (args->count < 2) {
        return arus_fail_at(err, call->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "json_tuple takes a text and at least one name");
    }
    for (size_t i = 0; i < args->count; i++) {
        if (args->items[i]->type->id != ARUS_TYPE_STRING) {
            return arus_fail_at(err, args->items[i]->place, "DATATYPE_MISMATCH.NON_STRING_TYPE",
                                "json_tuple takes a text and names, not %s",
                                arus_type_label(args->items[i]->type).text);
        }
    }
    for (size_t i = 1; i < args->count; i++) {
        const struct arus_expr *pair[2] = {args->items[0], args->items[i]};
        const struct arus_expr *name = NULL;
        const struct arus_expr *value = NULL;
        struct arus_text label;

        ARUS_TRY(arus_text_format(resolver->arena, &label, err, "c%zu", i - 1));
        ARUS_TRY(arus_maker_text(&maker, label, &name, err));
        ARUS_TRY(arus_maker_call(&maker, "json_field", pair, 2, &value, err));
        ARUS_TRY(arus_exprs_add(&cells, resolver->arena, name, err));
        ARUS_TRY(arus_exprs_add(&cells, resolver->arena, value, err));
    }
    ARUS_TRY(
        arus_maker_call(&maker, "named_struct", cells.items, (uint32_t)cells.count, &row, err));
    return arus_maker_call(&maker, "array", &row, 1, out, err);
}

static enum arus_status generator_fields(const struct generator *generator,
                                         const struct arus_expr *input, bool is_outer,
                                         struct arus_place place, struct arus_field *fields,
                                         uint32_t *count, struct arus_error *err)
{
    const struct arus_type *type = input->type;
    const bool is_array = type->id == ARUS_TYPE_ARRAY;
    const bool is_inline = generator->unnest == ARUS_UNNEST_INLINE;

    if ((!is_array && type->id != ARUS_TYPE_MAP) ||
        (is_inline && (!is_array || type->fields[0].type->id != ARUS_TYPE_STRUCT))) {
        arus_say(err, place, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", "%s takes %s, not %s",
                 generator->name, is_inline ? "an ARRAY of STRUCTs" : "an ARRAY or a MAP",
                 arus_type_label(type).text);
        return ARUS_BAD_CONFIG;
    }
    *count = 0;
    if (generator->has_position) {
        fields[(*count)++] = (struct arus_field){ARUS_TEXT("pos"), &ARUS_INT, is_outer, {0}};
    }
    if (is_inline) {
        for (uint16_t i = 0; i < type->fields[0].type->field_count; i++) {
            fields[*count] = type->fields[0].type->fields[i];
            fields[(*count)++].is_nullable |= is_outer || type->fields[0].is_nullable;
        }
    } else if (is_array) {
        fields[(*count)++] = (struct arus_field){
            ARUS_TEXT("col"), type->fields[0].type, is_outer || type->fields[0].is_nullable, {0}};
    } else {
        fields[(*count)++] =
            (struct arus_field){ARUS_TEXT("key"), type->fields[0].type, is_outer, {0}};
        fields[(*count)++] = (struct arus_field){
            ARUS_TEXT("value"), type->fields[1].type, is_outer || type->fields[1].is_nullable, {0}};
    }
    return ARUS_OK;
}

static uint32_t generator_width(const struct arus_type *type)
{
    const bool is_inline = type->id == ARUS_TYPE_ARRAY && type->field_count > 0 &&
                           type->fields[0].type->id == ARUS_TYPE_STRUCT;

    return 3 + (is_inline ? type->fields[0].type->field_count : 0);
}

enum arus_status arus_resolve_generator(struct arus_expr_context *context,
                                        const struct arus_uexpr *call, bool is_outer,
                                        struct arus_exprs *args, struct arus_plan **inout,
                                        uint32_t *first, uint32_t *count, struct arus_error *err)
{
    struct arus_resolver *resolver = context->resolver;
    const struct generator *generator = find_generator(call->text);
    const struct arus_type *before = (*inout)->schema;
    struct arus_field *fields = NULL;
    struct arus_plan *plan = NULL;
    const struct arus_expr *input = NULL;

    if (generator == NULL) {
        arus_say(err, call->name_place, "ARUS_NOT_SUPPORTED", "the function `%.*s` is not in arus",
                 ARUS_TEXT_ARGS(call->text));
        return ARUS_BAD_CONFIG;
    }
    if (strcmp(generator->name, "stack") == 0) {
        ARUS_TRY(stack_rows(resolver, call, args, &input, err));
    } else if (strcmp(generator->name, "json_tuple") == 0) {
        ARUS_TRY(json_columns(resolver, call, args, &input, err));
    } else if (args->count != 1) {
        return arus_fail_at(err, call->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "%s takes one argument, not %zu", generator->name, args->count);
    } else {
        input = args->items[0];
    }
    is_outer |= generator->is_outer;
    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_field,
                      before->field_count + generator_width(input->type), &fields, err));
    if (before->field_count > 0) {
        memcpy(fields, before->fields, before->field_count * sizeof(*fields));
    }
    *first = before->field_count;
    ARUS_TRY(
        generator_fields(generator, input, is_outer, call->place, fields + *first, count, err));
    ARUS_TRY(
        arus_plan_make(ARUS_PLAN_GENERATE, call->place, *inout, NULL, resolver->arena, &plan, err));
    ARUS_TRY(
        arus_type_struct(fields, (uint16_t)(*first + *count), resolver->arena, &plan->schema, err));
    plan->generate.input = input;
    plan->generate.unnest = generator->unnest;
    plan->generate.has_position = generator->has_position;
    plan->generate.is_outer = is_outer;
    *inout = plan;
    return ARUS_OK;
}

static enum arus_status add_generated(struct arus_resolver *resolver, const struct arus_urel *from,
                                      uint32_t first, uint32_t count, struct arus_bound *inout,
                                      struct arus_error *err)
{
    if (from->column_count > 0 && from->column_count != count) {
        return arus_fail_at(err, from->place, "UDTF_ALIAS_NUMBER_MISMATCH",
                            "%u names for %u columns", from->column_count, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct arus_scope_column column = {
            .qualifier = from->alias,
            .name = from->column_count > 0 ? from->columns[i]
                                           : inout->plan->schema->fields[first + i].name,
            .index = first + i,
            .id = resolver->next_id++};

        ARUS_TRY(arus_scope_add(resolver, &inout->scope, &column, err));
    }
    return ARUS_OK;
}

static bool is_map_column(const struct arus_expr *expr, void *self)
{
    (void)self;
    return expr->kind == ARUS_EXPR_COLUMN && expr->type->id == ARUS_TYPE_MAP;
}

enum arus_status arus_resolve_lateral(struct arus_resolver *resolver, const struct arus_urel *from,
                                      const struct arus_expr_context *outer, struct arus_bound *out,
                                      struct arus_error *err)
{
    struct arus_expr_context context = {
        .resolver = resolver, .input = out, .clause = ARUS_CLAUSE_SELECT};
    const struct arus_uexpr *call = from->items.items[0];
    struct arus_exprs args = {0};
    uint32_t first = 0;
    uint32_t count = 0;

    if (from->inputs[0] != NULL) {
        ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, out, err));
    }
    if (!arus_uexpr_is_generator(call)) {
        return arus_fail_at(err, call->place, "UNSUPPORTED_GENERATOR.NOT_GENERATOR",
                            "`%.*s` makes no rows", ARUS_TEXT_ARGS(call->text));
    }
    ARUS_TRY(arus_resolve_generator_args(&context, call, &args, err));
    for (size_t i = 0; from->is_lateral && from->is_outer && i < args.count; i++) {
        if (arus_expr_any(args.items[i], is_map_column, NULL)) {
            return arus_fail_at(
                err, call->place,
                "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_CORRELATED_"
                "REFERENCE_DATA_TYPE",
                "LEFT JOIN LATERAL cannot use a column of type MAP: take LATERAL VIEW OUTER");
        }
    }
    ARUS_TRY(arus_resolve_generator(&context, call, from->is_outer, &args, &out->plan, &first,
                                    &count, err));
    return add_generated(resolver, from, first, count, out, err);
}

/* ---- table functions ---- */

static enum arus_status one_row(struct arus_resolver *resolver, struct arus_place place,
                                struct arus_bound *out, struct arus_error *err)
{
    const struct arus_urel nothing = {.kind = ARUS_UREL_ONE_ROW, .place = place};

    return arus_resolve_relation(resolver, &nothing, NULL, out, err);
}

static enum arus_status function_range(struct arus_resolver *resolver, const struct arus_urel *from,
                                       struct arus_bound *out, struct arus_error *err)
{
    struct arus_expr_context context = {
        .resolver = resolver, .input = out, .clause = ARUS_CLAUSE_ARGUMENT};
    const uint32_t count = from->items.count;
    int64_t values[4] = {0, 0, 1, 0};
    struct arus_field *field = NULL;
    struct arus_plan *plan = NULL;

    if (count < 1 || count > 4) {
        return arus_fail_at(err, from->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "range takes 1 to 4 arguments, not %u", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct arus_expr *arg = NULL;
        struct arus_vector value;

        ARUS_TRY(arus_resolve_expr(&context, from->items.items[i], &arg, err));
        ARUS_TRY(arus_cast_implicit(arg, &ARUS_BIGINT, true, resolver->arena, &arg, err));
        ARUS_TRY(arus_resolve_constant(resolver, arg, &value, err));
        if (!arus_vector_is_valid(&value, 0)) {
            return arus_fail_at(err, arg->place, "UNEXPECTED_INPUT_TYPE", "range takes no NULL");
        }
        values[count == 1 ? 1 : i] = ((const int64_t *)value.values)[0];
    }
    if (values[2] == 0) {
        return arus_fail_at(err, from->place, "FAILED_FUNCTION_CALL",
                            "the step of range cannot be 0");
    }
    ARUS_TRY(arus_plan_make(ARUS_PLAN_RANGE, from->place, NULL, NULL, resolver->arena, &plan, err));
    ARUS_TRY(ARUS_NEW(resolver->arena, struct arus_field, 1, &field, err));
    *field = (struct arus_field){ARUS_TEXT("id"), &ARUS_BIGINT, false, {0}};
    ARUS_TRY(arus_type_struct(field, 1, resolver->arena, &plan->schema, err));
    plan->range.start = values[0];
    plan->range.end = values[1];
    plan->range.step = values[2];
    out->plan = plan;
    return arus_scope_open(resolver, plan->schema, (struct arus_text){0}, &out->scope, err);
}

static enum arus_status dedup_column(struct arus_resolver *resolver, const struct arus_uexpr *key,
                                     const struct arus_bound *input, uint32_t *out,
                                     struct arus_error *err)
{
    struct arus_uname name = {.parts = NULL, .part_count = 1, .place = key->place};
    struct arus_scope_match match;
    struct arus_text text;

    if (key->kind != ARUS_UEXPR_LITERAL || key->value.type->id != ARUS_TYPE_STRING) {
        return arus_fail_at(err, key->place, "PARSE_SYNTAX_ERROR",
                            "name the key columns as strings: 'k'");
    }
    text = arus_view_text(((const struct arus_view *)key->value.values)[0]);
    name.parts = &text;
    arus_scope_find(resolver, &input->scope, &name, &match);
    if (match.column == NULL) {
        return arus_scope_unknown(&input->scope, &name, err);
    }
    if (match.is_ambiguous) {
        return arus_fail_at(err, key->place, "AMBIGUOUS_REFERENCE",
                            "`%.*s` may be one of several columns", ARUS_TEXT_ARGS(text));
    }
    *out = match.column->index;
    return ARUS_OK;
}

static enum arus_status function_dedup(struct arus_resolver *resolver, const struct arus_urel *from,
                                       bool within, struct arus_bound *out, struct arus_error *err)
{
    struct arus_plan *plan = NULL;
    uint32_t *columns = NULL;
    uint32_t count = from->items.count;

    if (from->inputs[0] == NULL) {
        arus_say(err, from->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "a TABLE(..) is missing");
        return arus_error_help(err, "drop_duplicates(TABLE(SELECT * FROM STREAM t), 'key')");
    }
    ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], NULL, out, err));
    ARUS_TRY(arus_bound_close(resolver, out, err));
    ARUS_TRY(
        ARUS_NEW(resolver->arena, uint32_t, out->plan->schema->field_count + count, &columns, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(dedup_column(resolver, from->items.items[i], out, &columns[i], err));
    }
    if (count == 0) {
        for (; count < out->plan->schema->field_count; count++) {
            columns[count] = count;
        }
    }
    ARUS_TRY(arus_plan_make(ARUS_PLAN_DEDUP, from->name.place, out->plan, NULL, resolver->arena,
                            &plan, err));
    plan->dedup.columns = columns;
    plan->dedup.column_count = count;
    plan->dedup.within_watermark = within;
    out->plan = plan;
    return ARUS_OK;
}

/* explode(..) as a relation: over one row without columns */
static enum arus_status function_generator(struct arus_resolver *resolver,
                                           const struct arus_urel *from, struct arus_bound *out,
                                           struct arus_error *err)
{
    const struct arus_uexpr call = {.kind = ARUS_UEXPR_CALL,
                                    .place = from->place,
                                    .name_place = from->name.place,
                                    .text = from->name.parts[0],
                                    .args = from->items};
    const struct arus_uexpr *calls[1] = {&call};
    const struct arus_urel view = {
        .kind = ARUS_UREL_LATERAL, .place = from->place, .items = {calls, 1}};

    ARUS_TRY(one_row(resolver, from->place, out, err));
    return arus_resolve_lateral(resolver, &view, NULL, out, err);
}

enum arus_status arus_resolve_function(struct arus_resolver *resolver, const struct arus_urel *from,
                                       const struct arus_expr_context *outer,
                                       struct arus_bound *out, struct arus_error *err)
{
    const struct arus_text name = from->name.parts[from->name.part_count - 1];
    struct arus_text nearest;

    (void)outer;
    if (arus_text_equal_nocase(name, ARUS_TEXT("range"))) {
        ARUS_TRY(one_row(resolver, from->place, out, err));
        return function_range(resolver, from, out, err);
    }
    if (arus_text_equal_nocase(name, ARUS_TEXT("drop_duplicates"))) {
        return function_dedup(resolver, from, false, out, err);
    }
    if (arus_text_equal_nocase(name, ARUS_TEXT("drop_duplicates_within_watermark"))) {
        return function_dedup(resolver, from, true, out, err);
    }
    if (arus_is_generator(name)) {
        return function_generator(resolver, from, out, err);
    }
    arus_say(err, from->name.place, "UNRESOLVABLE_TABLE_VALUED_FUNCTION",
             "there is no table function `%.*s`", ARUS_TEXT_ARGS(name));
    nearest = arus_function_suggest(name);
    return nearest.size > 0 ? arus_error_label(err, "did you mean `%.*s`?", ARUS_TEXT_ARGS(nearest))
                            : ARUS_BAD_CONFIG;
}

/* ---- pipe operators on columns ---- */

static enum arus_status pipe_extend(struct arus_resolver *resolver, const struct arus_urel *from,
                                    struct arus_bound *inout, struct arus_error *err)
{
    struct arus_expr_context context = {
        .resolver = resolver, .input = inout, .clause = ARUS_CLAUSE_ARGUMENT};

    for (uint32_t i = 0; i < from->items.count; i++) {
        const struct arus_uexpr *item = from->items.items[i];
        struct arus_scope_column column = {.id = resolver->next_id++};
        const struct arus_expr *expr = NULL;

        ARUS_TRY(arus_resolve_expr(&context, item, &expr, err));
        if (item->kind == ARUS_UEXPR_ALIAS) {
            column.name = item->names[0];
        } else {
            ARUS_TRY(arus_expr_name(expr, resolver->arena, &column.name, err));
        }
        column.index = inout->plan->schema->field_count;
        ARUS_TRY(arus_plan_append(inout->plan, &expr, &column.name, 1, resolver->arena,
                                  &inout->plan, err));
        ARUS_TRY(arus_scope_add(resolver, &inout->scope, &column, err));
    }
    return ARUS_OK;
}

static enum arus_status find_column(struct arus_resolver *resolver, const struct arus_urel *from,
                                    uint32_t i, const struct arus_bound *input, size_t *out,
                                    struct arus_error *err)
{
    const struct arus_uname name = {&from->columns[i], 1, from->column_places[i]};
    struct arus_scope_match match;

    arus_scope_find(resolver, &input->scope, &name, &match);
    if (match.column == NULL) {
        return arus_scope_unknown(&input->scope, &name, err);
    }
    *out = (size_t)(match.column - input->scope.columns);
    return ARUS_OK;
}

static enum arus_status pipe_set(struct arus_resolver *resolver, const struct arus_urel *from,
                                 struct arus_bound *inout, struct arus_error *err)
{
    struct arus_expr_context context = {
        .resolver = resolver, .input = inout, .clause = ARUS_CLAUSE_ARGUMENT};

    for (uint32_t i = 0; i < from->items.count; i++) {
        const struct arus_expr *expr = NULL;
        size_t at = 0;

        ARUS_TRY(find_column(resolver, from, i, inout, &at, err));
        ARUS_TRY(arus_resolve_expr(&context, from->items.items[i], &expr, err));
        ARUS_TRY(arus_plan_append(inout->plan, &expr, &from->columns[i], 1, resolver->arena,
                                  &inout->plan, err));
        inout->scope.columns[at].index = inout->plan->schema->field_count - 1u;
        inout->scope.columns[at].id = resolver->next_id++;
    }
    return ARUS_OK;
}

static enum arus_status pipe_drop(struct arus_resolver *resolver, const struct arus_urel *from,
                                  struct arus_bound *inout, struct arus_error *err)
{
    for (uint32_t i = 0; i < from->column_count; i++) {
        size_t at = 0;

        ARUS_TRY(find_column(resolver, from, i, inout, &at, err));
        inout->scope.count--;
        memmove(&inout->scope.columns[at], &inout->scope.columns[at + 1],
                (inout->scope.count - at) * sizeof(inout->scope.columns[0]));
    }
    return ARUS_OK;
}

enum arus_status arus_resolve_pipe(struct arus_resolver *resolver, const struct arus_urel *from,
                                   const struct arus_expr_context *outer, struct arus_bound *out,
                                   struct arus_error *err)
{
    ARUS_TRY(arus_resolve_relation(resolver, from->inputs[0], outer, out, err));
    if (from->kind == ARUS_UREL_EXTEND) {
        return pipe_extend(resolver, from, out, err);
    }
    return from->kind == ARUS_UREL_SET ? pipe_set(resolver, from, out, err)
                                       : pipe_drop(resolver, from, out, err);
}
