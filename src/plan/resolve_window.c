/* window(ts, size[, slide[, start]]) and session_window(ts, gap): columns added to the input. */
#include "column/value.h"
#include "plan/from_sql.h"
#include "plan/resolve_internal.h"
#include "plan/say.h"

/* ---- arguments ---- */

static bool names_window(const struct arus_uexpr *expr)
{
    if (expr->kind == ARUS_UEXPR_NAME &&
        arus_text_equal_nocase(expr->name.parts[0], ARUS_TEXT("window"))) {
        return true;
    }
    for (uint32_t i = 0; i < expr->args.count; i++) {
        if (names_window(expr->args.items[i])) {
            return true;
        }
    }
    return false;
}

/* Spark finds a wrong window only after names: `window.start` is unknown then. */
static const char *condition_of(const struct arus_expr_context *context, const char *condition)
{
    for (size_t i = 0; i < context->item_count; i++) {
        if (context->items[i].from != NULL && names_window(context->items[i].from)) {
            return "UNRESOLVED_COLUMN.WITH_SUGGESTION";
        }
    }
    return condition;
}

static enum arus_status bad_duration(struct arus_error *err, struct arus_place place,
                                     const char *noun)
{
    arus_say(err, place, "_LEGACY_ERROR_TEMP_1207", "the %s of a window must be a text", noun);
    return arus_error_help(err, "'10 minutes'");
}

/* A constant text or number of microseconds. */
static enum arus_status duration(struct arus_expr_context *context, const struct arus_uexpr *from,
                                 const char *noun, int64_t *out, struct arus_error *err)
{
    const struct arus_expr *expr = NULL;
    struct arus_vector value;
    int64_t months = 0;

    ARUS_TRY(arus_resolve_expr(context, from, &expr, err));
    if (!arus_expr_is_constant(expr) ||
        (expr->type->id != ARUS_TYPE_STRING && !arus_type_is_integer(expr->type))) {
        return bad_duration(err, from->place, noun);
    }
    if (expr->type->id != ARUS_TYPE_STRING) {
        ARUS_TRY(
            arus_cast_implicit(expr, &ARUS_BIGINT, true, context->resolver->arena, &expr, err));
    }
    ARUS_TRY(arus_resolve_constant(context->resolver, expr, &value, err));
    if (!arus_vector_is_valid(&value, 0)) {
        return bad_duration(err, from->place, noun);
    }
    if (expr->type->id != ARUS_TYPE_STRING) {
        *out = ((const int64_t *)value.values)[0];
        return ARUS_OK;
    }
    if (arus_interval_read(arus_view_text(((const struct arus_view *)value.values)[0]), from->place,
                           &months, out, err) != ARUS_OK) {
        err->condition = "CANNOT_PARSE_INTERVAL";
        return err->status;
    }
    if (months != 0) {
        return arus_fail_at(err, from->place, "_LEGACY_ERROR_TEMP_3231",
                            "months and years have no fixed length, so no window can have it");
    }
    return ARUS_OK;
}

/* ---- the event time ---- */

static bool is_window_type(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_STRUCT && type->field_count == 2 &&
           arus_text_equal_nocase(type->fields[0].name, ARUS_TEXT("start")) &&
           arus_text_equal_nocase(type->fields[1].name, ARUS_TEXT("end")) &&
           (type->fields[1].type->id == ARUS_TYPE_TIMESTAMP ||
            type->fields[1].type->id == ARUS_TYPE_TIMESTAMP_NTZ);
}

static enum arus_status event_time(struct arus_expr_context *context, const struct arus_uexpr *from,
                                   const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(context->resolver, from->place);

    ARUS_TRY(arus_resolve_expr(context, from, out, err));
    if (is_window_type((*out)->type)) {
        return arus_maker_call(&maker, "window_time", out, 1, out, err);
    }
    if ((*out)->type->id == ARUS_TYPE_STRING || (*out)->type->id == ARUS_TYPE_DATE ||
        (*out)->type->id == ARUS_TYPE_VOID) {
        return arus_cast_implicit(*out, &ARUS_TIMESTAMP, maker.is_ansi, maker.arena, out, err);
    }
    if ((*out)->type->id == ARUS_TYPE_TIMESTAMP_NTZ && context->input->plan->is_streaming) {
        return arus_refuse(err, from->place, "windows over TIMESTAMP_NTZ of a stream are");
    }
    if ((*out)->type->id != ARUS_TYPE_TIMESTAMP && (*out)->type->id != ARUS_TYPE_TIMESTAMP_NTZ) {
        return arus_fail_at(err, from->place, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                            "a window needs a TIMESTAMP, this is %s",
                            arus_type_label((*out)->type).text);
    }
    return ARUS_OK;
}

/* ---- expressions of the columns ---- */

static enum arus_status pair_call(const struct arus_maker *maker, const char *name,
                                  const struct arus_expr *a, const struct arus_expr *b,
                                  const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_expr *pair[2] = {a, b};

    return arus_maker_call(maker, name, pair, 2, out, err);
}

static enum arus_status named_window(const struct arus_maker *maker, const struct arus_expr *start,
                                     const struct arus_expr *end, const struct arus_expr **out,
                                     struct arus_error *err)
{
    const struct arus_expr *args[4] = {NULL, start, NULL, end};

    ARUS_TRY(arus_maker_text(maker, ARUS_TEXT("start"), &args[0], err));
    ARUS_TRY(arus_maker_text(maker, ARUS_TEXT("end"), &args[2], err));
    return arus_maker_call(maker, "named_struct", args, 4, out, err);
}

/* The i-th window back from the newest one that holds `time`. */
static enum arus_status window_at(const struct arus_maker *maker,
                                  const struct arus_time_window *window,
                                  const struct arus_expr *newest, int64_t i,
                                  const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_expr *shift = NULL;
    const struct arus_expr *start = newest;
    const struct arus_expr *end = NULL;

    if (i > 0) {
        ARUS_TRY(arus_maker_bigint(maker, i * window->slide, &shift, err));
        ARUS_TRY(pair_call(maker, "-", newest, shift, &start, err));
    }
    ARUS_TRY(arus_maker_bigint(maker, window->size, &shift, err));
    ARUS_TRY(pair_call(maker, "+", start, shift, &end, err));
    ARUS_TRY(arus_maker_call(maker, "timestamp_micros", &start, 1, &start, err));
    ARUS_TRY(arus_maker_call(maker, "timestamp_micros", &end, 1, &end, err));
    if (window->time->type->id == ARUS_TYPE_TIMESTAMP_NTZ) {
        ARUS_TRY(arus_maker_call(maker, "utc_as_ntz", &start, 1, &start, err));
        ARUS_TRY(arus_maker_call(maker, "utc_as_ntz", &end, 1, &end, err));
    }
    return named_window(maker, start, end, out, err);
}

/* m - pmod(m - start, slide): the start of the newest window */
static enum arus_status newest_start(const struct arus_maker *maker,
                                     const struct arus_time_window *window,
                                     const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_expr *micros = NULL;
    const struct arus_expr *start = NULL;
    const struct arus_expr *slide = NULL;
    const struct arus_expr *rest = NULL;

    ARUS_TRY(arus_maker_call(maker, "micros_number", &window->time, 1, &micros, err));
    ARUS_TRY(arus_maker_bigint(maker, window->start, &start, err));
    ARUS_TRY(arus_maker_bigint(maker, window->slide, &slide, err));
    ARUS_TRY(pair_call(maker, "-", micros, start, &rest, err));
    ARUS_TRY(pair_call(maker, "pmod", rest, slide, &rest, err));
    return pair_call(maker, "-", micros, rest, out, err);
}

/* ---- plan nodes ---- */

static enum arus_status keep_valid(struct arus_expr_context *context,
                                   const struct arus_maker *maker, const struct arus_expr *time,
                                   struct arus_error *err)
{
    const struct arus_expr *condition = NULL;

    ARUS_TRY(arus_maker_call(maker, "is not null", &time, 1, &condition, err));
    return arus_plan_filter(context->input->plan, condition, maker->arena, &context->input->plan,
                            err);
}

/* start <= time AND time < end, of the last column */
static enum arus_status keep_inside(struct arus_expr_context *context,
                                    const struct arus_maker *maker,
                                    const struct arus_time_window *window,
                                    const struct arus_expr *column, struct arus_error *err)
{
    const struct arus_expr *start = NULL;
    const struct arus_expr *end = NULL;
    const struct arus_expr *conditions[2];
    const struct arus_expr *both = NULL;

    ARUS_TRY(arus_field_make(column, ARUS_TEXT("start"), maker->place, maker->arena, &start, err));
    ARUS_TRY(arus_field_make(column, ARUS_TEXT("end"), maker->place, maker->arena, &end, err));
    ARUS_TRY(pair_call(maker, "<=", start, window->time, &conditions[0], err));
    ARUS_TRY(pair_call(maker, "<", window->time, end, &conditions[1], err));
    ARUS_TRY(arus_maker_call(maker, "and", conditions, 2, &both, err));
    return arus_plan_filter(context->input->plan, both, maker->arena, &context->input->plan, err);
}

static enum arus_status unnest_windows(struct arus_expr_context *context,
                                       const struct arus_maker *maker,
                                       const struct arus_time_window *window,
                                       const struct arus_expr *newest, int64_t count,
                                       struct arus_error *err)
{
    const struct arus_type *before = context->input->plan->schema;
    const struct arus_expr **items = NULL;
    const struct arus_expr *array = NULL;
    struct arus_field *fields = NULL;
    struct arus_plan *plan = NULL;

    ARUS_TRY(ARUS_NEW(maker->arena, const struct arus_expr *, (size_t)count, &items, err));
    for (int64_t i = 0; i < count; i++) {
        ARUS_TRY(window_at(maker, window, newest, i, &items[i], err));
    }
    ARUS_TRY(arus_maker_call(maker, "array", items, (uint32_t)count, &array, err));
    ARUS_TRY(arus_plan_make(ARUS_PLAN_GENERATE, maker->place, context->input->plan, NULL,
                            maker->arena, &plan, err));
    plan->generate.input = array;
    plan->window = window;
    ARUS_TRY(ARUS_NEW(maker->arena, struct arus_field, before->field_count + 1, &fields, err));
    for (uint32_t i = 0; i < before->field_count; i++) {
        fields[i] = before->fields[i];
    }
    fields[before->field_count] =
        (struct arus_field){ARUS_TEXT("window"), items[0]->type, false, {0}};
    ARUS_TRY(arus_type_struct(fields, (uint16_t)(before->field_count + 1), maker->arena,
                              &plan->schema, err));
    context->input->plan = plan;
    return ARUS_OK;
}

/* Adds the column under a name that yields to real columns; gives its expression. */
static enum arus_status show_column(struct arus_expr_context *context,
                                    const struct arus_maker *maker, struct arus_text name,
                                    const struct arus_expr **out, struct arus_error *err)
{
    const uint32_t index = context->input->plan->schema->field_count - 1u;
    const struct arus_scope_column column = {
        .name = name, .index = index, .id = context->resolver->next_id++, .is_fallback = true};

    ARUS_TRY(arus_scope_add(context->resolver, &context->input->scope, &column, err));
    return arus_column_named(context->input->plan->schema, index, name, maker->place, maker->arena,
                             out, err);
}

enum { WINDOW_COUNT_MAX = 10000 };

static enum arus_status add_window(struct arus_expr_context *context,
                                   const struct arus_maker *maker,
                                   const struct arus_time_window *window,
                                   const struct arus_expr **out, struct arus_error *err)
{
    const int64_t count = (window->size + window->slide - 1) / window->slide;
    const struct arus_text name = ARUS_TEXT("window");
    const struct arus_expr *newest = NULL;
    const struct arus_expr *column = NULL;

    if (count > WINDOW_COUNT_MAX) {
        return arus_fail_at(err, maker->place, "ARUS_NOT_SUPPORTED",
                            "a row would lie in %lld windows, at most %d are possible",
                            (long long)count, (int)WINDOW_COUNT_MAX);
    }
    ARUS_TRY(keep_valid(context, maker, window->time, err));
    ARUS_TRY(newest_start(maker, window, &newest, err));
    if (count > 1) {
        ARUS_TRY(unnest_windows(context, maker, window, newest, count, err));
    } else {
        ARUS_TRY(window_at(maker, window, newest, 0, &column, err));
        ARUS_TRY(arus_plan_append(context->input->plan, &column, &name, 1, maker->arena,
                                  &context->input->plan, err));
        context->input->plan->window = window;
    }
    ARUS_TRY(show_column(context, maker, name, out, err));
    return window->size % window->slide != 0 ? keep_inside(context, maker, window, *out, err)
                                             : ARUS_OK;
}

static enum arus_status read_window(struct arus_expr_context *context,
                                    const struct arus_uexpr *call, struct arus_time_window *window,
                                    struct arus_error *err)
{
    const struct arus_uexprs *args = &call->args;

    if (args->count < 2 || args->count > 4) {
        return arus_fail_at(err, call->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "window takes 2 to 4 arguments, not %u", args->count);
    }
    ARUS_TRY(event_time(context, args->items[0], &window->time, err));
    ARUS_TRY(duration(context, args->items[1], "size", &window->size, err));
    window->slide = window->size;
    if (args->count > 2) {
        ARUS_TRY(duration(context, args->items[2], "slide", &window->slide, err));
    }
    if (args->count > 3) {
        ARUS_TRY(duration(context, args->items[3], "start", &window->start, err));
    }
    if (window->size <= 0 || window->slide <= 0) {
        return arus_fail_at(err, call->place,
                            condition_of(context, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
                            "size and slide of a window must be positive");
    }
    if (window->slide > window->size || window->start >= window->slide ||
        window->start <= -window->slide) {
        return arus_fail_at(
            err, call->place,
            condition_of(context, "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION"),
            window->slide > window->size ? "the slide is longer than the window: rows would be lost"
                                         : "the start offset must be shorter than the slide");
    }
    return ARUS_OK;
}

/* ---- sessions ---- */

/* time + gap; NULL where the gap cannot be read. *is_empty: no row has a session. */
static enum arus_status session_end(struct arus_expr_context *context,
                                    const struct arus_maker *maker, const struct arus_uexpr *from,
                                    struct arus_time_window *window, const struct arus_expr **out,
                                    struct arus_error *err)
{
    const struct arus_expr *gap = NULL;
    struct arus_vector value;
    struct arus_vector interval;
    int64_t months = 0;
    int64_t micros = 0;
    int32_t short_months = 0;

    ARUS_TRY(arus_resolve_expr(context, from, &gap, err));
    if (gap->type->id != ARUS_TYPE_STRING && gap->type->id != ARUS_TYPE_VOID) {
        arus_say(err, from->place, "_LEGACY_ERROR_TEMP_1040",
                 "the gap of a session must be a text, this is %s",
                 arus_type_label(gap->type).text);
        return arus_error_help(err, "session_window(event_time, '5 minutes')");
    }
    if (!arus_expr_is_constant(gap)) {
        window->size = -1;
        ARUS_TRY(pair_call(maker, "session_window", window->time, gap, &gap, err));
        return arus_field_make(gap, ARUS_TEXT("end"), from->place, maker->arena, out, err);
    }
    ARUS_TRY(arus_resolve_constant(context->resolver, gap, &value, err));
    if (!arus_vector_is_valid(&value, 0) || gap->type->id == ARUS_TYPE_VOID ||
        arus_interval_read(arus_view_text(((const struct arus_view *)value.values)[0]), from->place,
                           &months, &micros, err) != ARUS_OK) {
        months = 0;
        micros = 0;
    }
    window->size = micros;
    short_months = (int32_t)months;
    ARUS_TRY(
        months != 0
            ? arus_value_make(&ARUS_INTERVAL_YM, &short_months, 1, maker->arena, &interval, err)
            : arus_value_make(&ARUS_INTERVAL_DT, &micros, 1, maker->arena, &interval, err));
    ARUS_TRY(arus_literal_make(&interval, from->place, maker->arena, &gap, err));
    return pair_call(maker, "+", window->time, gap, out, err);
}

static enum arus_status add_session(struct arus_expr_context *context,
                                    const struct arus_maker *maker, const struct arus_uexpr *call,
                                    struct arus_time_window *window, const struct arus_expr **out,
                                    struct arus_error *err)
{
    const struct arus_text name = ARUS_TEXT("session_window");
    const struct arus_expr *end = NULL;
    const struct arus_expr *column = NULL;
    const struct arus_expr *is_open = NULL;

    if (call->args.count != 2) {
        return arus_fail_at(err, call->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "session_window takes 2 arguments, not %u", call->args.count);
    }
    window->is_session = true;
    ARUS_TRY(event_time(context, call->args.items[0], &window->time, err));
    ARUS_TRY(session_end(context, maker, call->args.items[1], window, &end, err));
    ARUS_TRY(pair_call(maker, ">", end, window->time, &is_open, err));
    ARUS_TRY(
        arus_plan_filter(context->input->plan, is_open, maker->arena, &context->input->plan, err));
    ARUS_TRY(named_window(maker, window->time, end, &column, err));
    ARUS_TRY(arus_plan_append(context->input->plan, &column, &name, 1, maker->arena,
                              &context->input->plan, err));
    context->input->plan->window = window;
    context->has_session = true;
    return show_column(context, maker, name, out, err);
}

static bool same_call(const struct arus_uexpr *a, const struct arus_uexpr *b)
{
    if (a->kind != b->kind || a->args.count != b->args.count ||
        !arus_text_equal_nocase(a->text, b->text) || a->name.part_count != b->name.part_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->name.part_count; i++) {
        if (!arus_text_equal_nocase(a->name.parts[i], b->name.parts[i])) {
            return false;
        }
    }
    if (a->kind == ARUS_UEXPR_LITERAL && (!arus_type_equal(a->value.type, b->value.type) ||
                                          arus_vector_compare(&a->value, 0, &b->value, 0) != 0)) {
        return false;
    }
    for (uint32_t i = 0; i < a->args.count; i++) {
        if (!same_call(a->args.items[i], b->args.items[i])) {
            return false;
        }
    }
    return true;
}

enum arus_status arus_resolve_window(struct arus_expr_context *context,
                                     const struct arus_uexpr *call, const struct arus_expr **out,
                                     struct arus_error *err)
{
    const struct arus_maker maker = arus_resolver_maker(context->resolver, call->place);
    struct arus_time_window *window = NULL;

    if (context->window != NULL && same_call(context->window, call)) {
        *out = context->window_column;
        return ARUS_OK;
    }
    if (context->window != NULL) {
        arus_say(err, call->place, "_LEGACY_ERROR_TEMP_1039",
                 "one SELECT can have one window only");
        return arus_error_help(err, "a second window goes into a query around this one");
    }
    ARUS_TRY(ARUS_NEW(maker.arena, struct arus_time_window, 1, &window, err));
    if (context->resolver->catalog->sql != NULL) {
        window->text = (struct arus_text){context->resolver->catalog->sql + call->place.begin,
                                          call->place.size};
    }
    if (arus_text_equal_nocase(call->text, ARUS_TEXT("session_window"))) {
        ARUS_TRY(add_session(context, &maker, call, window, out, err));
    } else {
        ARUS_TRY(read_window(context, call, window, err));
        ARUS_TRY(add_window(context, &maker, window, out, err));
    }
    context->window = call;
    context->window_column = *out;
    return ARUS_OK;
}
