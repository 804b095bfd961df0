/** The registry: finding functions, near names, and making calls. */
#include "expr/function.h"

#include "expr/coerce.h"

#include <stdio.h>

/* Does a blank-separated list hold the name? */
static bool is_listed(const char *names, struct arus_text name)
{
    while (names != NULL && *names != '\0') {
        const size_t size = strcspn(names, " ");

        if (arus_text_equal_nocase((struct arus_text){names, size}, name)) {
            return true;
        }
        names += size + (names[size] == ' ');
    }
    return false;
}

const struct arus_function *arus_function_find(struct arus_text name)
{
    for (size_t f = 0; ARUS_FUNCTION_FAMILIES[f] != NULL; f++) {
        for (const struct arus_function *row = ARUS_FUNCTION_FAMILIES[f]; row->name != NULL;
             row++) {
            if (arus_text_equal_nocase(arus_text_of(row->name), name) ||
                is_listed(row->aliases, name)) {
                return row;
            }
        }
    }
    return NULL;
}

/* What DuckDB, Flink, PostgreSQL and others call it; Spark's name is what counts here. */
static const char *const FOREIGN[][2] = {
    {"strftime", "date_format"},
    {"strptime", "to_timestamp"},
    {"list", "collect_list"},
    {"list_agg", "collect_list"},
    {"arg_max", "max_by"},
    {"argmax", "max_by"},
    {"arg_min", "min_by"},
    {"argmin", "min_by"},
    {"quantile_cont", "percentile"},
    {"epoch_ms", "timestamp_millis"},
    {"time_bucket", "window"},
    {"tumble", "window"},
    {"hop", "window"},
    {"session", "session_window"},
    {"json_extract_string", "get_json_object"},
    {"json_extract", "get_json_object"},
    {"json_value", "get_json_object"},
    {"regexp_matches", "rlike"},
    {"string_split", "split"},
    {"str_split", "split"},
    {"to_timestamp_ltz", "timestamp_millis"},
    {"iff", "if"},
    {"strpos", "instr"},
    {"truncate", "trunc"},
    {"list_contains", "array_contains"},
    {"list_value", "array"},
    {"struct_pack", "named_struct"},
    {"unnest", "explode"},
    {"generate_series", "sequence"},
    {"approx_distinct", "approx_count_distinct"},
    {"logical_and", "bool_and"},
    {"logical_or", "bool_or"},
    {"group_concat", "listagg"},
    {"array_length", "size"},
    {"isodow", "extract"},
    {"epoch", "unix_timestamp"},
};

struct arus_text arus_function_suggest(struct arus_text name)
{
    struct arus_text best = {0};
    size_t best_distance = name.size / 3 + 1;

    for (size_t i = 0; i < sizeof FOREIGN / sizeof *FOREIGN; i++) {
        if (arus_text_equal_nocase(arus_text_of(FOREIGN[i][0]), name)) {
            return arus_text_of(FOREIGN[i][1]);
        }
    }
    for (size_t f = 0; ARUS_FUNCTION_FAMILIES[f] != NULL; f++) {
        for (const struct arus_function *row = ARUS_FUNCTION_FAMILIES[f]; row->name != NULL;
             row++) {
            const size_t distance = arus_text_distance(arus_text_of(row->name), name);

            if (distance < best_distance) {
                best_distance = distance;
                best = arus_text_of(row->name);
            }
        }
    }
    return best;
}

/* Functions of the type TIME, which Spark refuses so too. */
static bool is_of_time(struct arus_text name)
{
    return is_listed("make_time to_time try_to_time time time_trunc time_diff "
                     "time_from_seconds time_from_millis time_from_micros time_to_seconds "
                     "time_to_millis time_to_micros current_time localtime",
                     name);
}

static enum arus_status fail_unknown(const struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_text near = arus_function_suggest(bind->name);

    if (is_of_time(bind->name)) {
        return arus_fail_at(err, bind->place, "UNSUPPORTED_TIME_TYPE",
                            "`%.*s`: the type TIME is not in arus", ARUS_TEXT_ARGS(bind->name));
    }
    const enum arus_status status =
        arus_fail_at(err, bind->place, "UNRESOLVED_ROUTINE", "there is no function `%.*s`",
                     ARUS_TEXT_ARGS(bind->name));

    if (near.size > 0) {
        (void)arus_error_label(err, "did you mean `%.*s`?", ARUS_TEXT_ARGS(near));
    }
    return status;
}

static enum arus_status fail_arg_count(const struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_function *function = bind->function;
    char wanted[48];

    if (function->arg_max == function->arg_min) {
        snprintf(wanted, sizeof wanted, "%u", function->arg_min);
    } else if (function->arg_max == 255) {
        snprintf(wanted, sizeof wanted, "%u or more", function->arg_min);
    } else {
        snprintf(wanted, sizeof wanted, "%u to %u", function->arg_min, function->arg_max);
    }
    enum arus_status status = arus_fail_at(
        err, bind->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION", "`%.*s` takes %s argument%s, not %u",
        ARUS_TEXT_ARGS(bind->name), wanted, function->arg_max == 1 ? "" : "s", bind->arg_count);
    return function->signature == NULL ? status : arus_error_help(err, "%s", function->signature);
}

static void preset(struct arus_bind *bind)
{
    const struct arus_function *function = bind->function;

    bind->type = NULL;
    bind->bound = NULL;
    bind->replacement = NULL;
    bind->kernel = function->kernel;
    bind->aggregate = function->aggregate;
    bind->can_fail = (function->flags & ARUS_CAN_FAIL) != 0;
    bind->is_nullable = (function->flags & ARUS_STRICT) == 0;
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        bind->is_nullable |= bind->args[i]->is_nullable;
    }
}

static enum arus_status lower_name(const struct arus_bind *bind, struct arus_text *out,
                                   struct arus_error *err)
{
    char *data;

    ARUS_TRY(ARUS_NEW(bind->arena, char, bind->name.size + 1, &data, err));
    for (size_t i = 0; i < bind->name.size; i++) {
        const char c = bind->name.data[i];

        data[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
    }
    *out = (struct arus_text){data, bind->name.size};
    return ARUS_OK;
}

/* The replacement carries the text of the call that it stands for. */
static enum arus_status replace(const struct arus_bind *bind, const struct arus_expr *call,
                                const struct arus_expr **out, struct arus_error *err)
{
    struct arus_buffer buffer = {0};
    struct arus_expr *copy;
    enum arus_status status;

    *out = bind->replacement;
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_expr, 1, &copy, err));
    *copy = *bind->replacement;
    copy->place = bind->place;
    *out = copy;
    if (bind->function->text != NULL && bind->function->text[0] == '\0') {
        return ARUS_OK;
    }
    if (bind->text.size > 0) {
        copy->text = bind->text;
        return ARUS_OK;
    }
    status = arus_expr_text(call, &buffer, err);
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&buffer), bind->arena, &copy->text, err);
    }
    arus_buffer_release(&buffer);
    return status;
}

enum arus_status arus_call_open(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->function == NULL) {
        bind->function = arus_function_find(bind->name);
    }
    if (bind->function == NULL) {
        return fail_unknown(bind, err);
    }
    if (bind->order_count > bind->function->order_max) {
        return arus_fail_at(err, bind->place, "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
                            "`%.*s` does not take WITHIN GROUP", ARUS_TEXT_ARGS(bind->name));
    }
    if (bind->arg_count < bind->function->arg_min ||
        (bind->function->arg_max != 255 && bind->arg_count > bind->function->arg_max)) {
        return fail_arg_count(bind, err);
    }
    return ARUS_OK;
}

/* What the user gave, before a rule takes constants out. */
struct given {
    const struct arus_expr **args;
    uint32_t count;
};

static enum arus_status note_given(const struct arus_bind *bind, struct given *out,
                                   struct arus_error *err)
{
    out->count = bind->arg_count;
    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, bind->arg_count, &out->args, err));
    if (bind->arg_count > 0) {
        memcpy((void *)out->args, (const void *)bind->args, bind->arg_count * sizeof *out->args);
    }
    return ARUS_OK;
}

/* The directions of WITHIN GROUP as a constant. */
static enum arus_status order_flags(const struct arus_bind *bind, const struct arus_expr **out,
                                    struct arus_error *err)
{
    char *flags;
    struct arus_view view;

    ARUS_TRY(ARUS_NEW(bind->arena, char, bind->order_count + 1, &flags, err));
    for (uint32_t k = 0; k < bind->order_count; k++) {
        flags[k] = (char)('0' + bind->orders[k].is_descending + 2 * bind->orders[k].nulls_first);
    }
    view = arus_view_of(flags, bind->order_count);
    return arus_literal_of(&ARUS_STRING, &view, bind->arena, out, err);
}

/* Constants that are no arguments any more still tell calls apart. */
static enum arus_status keep_constants(const struct arus_bind *bind, const struct given *given,
                                       struct arus_expr *expr, struct arus_error *err)
{
    if (bind->arg_count >= given->count && bind->order_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(
        ARUS_NEW(bind->arena, const struct arus_expr *, given->count + 1, &expr->constants, err));
    for (uint32_t i = 0; i < given->count; i++) {
        if (arus_expr_is_constant(given->args[i])) {
            expr->constants[expr->constant_count++] = given->args[i];
        }
    }
    if (bind->order_count > 0) {
        ARUS_TRY(order_flags(bind, &expr->constants[expr->constant_count], err));
        expr->constant_count++;
    }
    return ARUS_OK;
}

enum arus_status arus_call_make(struct arus_bind *bind, const struct arus_expr **out,
                                struct arus_error *err)
{
    struct arus_expr *expr;
    struct given given;

    ARUS_TRY(arus_call_open(bind, err));
    preset(bind);
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_expr, 1, &expr, err));
    ARUS_TRY(lower_name(bind, &expr->name, err));
    ARUS_TRY(note_given(bind, &given, err));
    if (bind->function->bind != NULL) {
        ARUS_TRY(bind->function->bind(bind, err));
    } else {
        ARUS_TRY(arus_bind_default(bind, err));
    }
    expr->kind = ARUS_EXPR_CALL;
    expr->type = bind->type;
    expr->is_nullable = bind->is_nullable;
    expr->can_fail = bind->can_fail;
    expr->place = bind->place;
    expr->text = bind->text;
    expr->function = bind->function;
    expr->bound = bind->bound;
    expr->kernel = bind->kernel;
    expr->aggregate = bind->aggregate;
    expr->is_distinct = bind->is_distinct;
    expr->args = bind->args;
    expr->arg_count = bind->arg_count;
    ARUS_TRY(keep_constants(bind, &given, expr, err));
    *out = expr;
    return bind->replacement == NULL ? ARUS_OK : replace(bind, expr, out, err);
}
