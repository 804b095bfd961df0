/** Dates and times as texts by pattern, and back. */
#include "base/alloc.h"
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/datetime.h"
#include "types/datetime_pattern.h"

/* What one call keeps: the pattern it was last given, compiled. */
struct pattern_memo {
    struct arus_arena arena;
    struct arus_text text;
    const struct arus_datetime_pattern *pattern;
};

static void pattern_memo_close(void *data)
{
    struct pattern_memo *memo = data;

    arus_arena_release(&memo->arena);
    arus_free(memo);
}

static enum arus_status pattern_at(const struct arus_rowwise *row, struct arus_text text,
                                   enum arus_pattern_use use,
                                   const struct arus_datetime_pattern **out, struct arus_error *err)
{
    struct pattern_memo *memo = row->call->memo->data;
    struct arus_text copy;

    if (memo == NULL) {
        memo = arus_alloc(1, sizeof *memo);
        if (memo == NULL) {
            return arus_fail_memory(err);
        }
        row->call->memo->data = memo;
        row->call->memo->close = pattern_memo_close;
    }
    if (memo->pattern == NULL || !arus_text_equal(memo->text, text)) {
        memo->pattern = NULL;
        arus_arena_reset(&memo->arena);
        ARUS_TRY(arus_text_copy(text, &memo->arena, &copy, err));
        ARUS_TRY(arus_datetime_pattern_compile(copy, use, &memo->arena, &memo->pattern, err));
        memo->text = copy;
    }
    *out = memo->pattern;
    return ARUS_OK;
}

static enum arus_status format_micros(struct arus_rowwise *row, uint32_t i, int64_t micros,
                                      struct arus_text pattern_text, struct arus_error *err)
{
    const struct arus_datetime_pattern *pattern;

    ARUS_TRY(pattern_at(row, pattern_text, ARUS_PATTERN_FORMAT, &pattern, err));
    arus_buffer_reset(&row->buffer);
    ARUS_TRY(
        arus_datetime_pattern_format(pattern, micros, row->call->env->zone, &row->buffer, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}

static enum arus_status date_format(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    return format_micros(row, i, arus_row_arg_bigint(row, 0, i), arus_row_arg_text(row, 1, i), err);
}
ARUS_ROWWISE(date_format)

/* Spark multiplies without a check. */
static enum arus_status from_unixtime(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int64_t micros =
        (int64_t)((uint64_t)arus_row_arg_bigint(row, 0, i) * (uint64_t)ARUS_MICROS_PER_SECOND);

    return format_micros(row, i, micros, arus_row_arg_text(row, 1, i), err);
}
ARUS_ROWWISE(from_unixtime)

static enum arus_status fail_parse(struct arus_text text, struct arus_text pattern,
                                   struct arus_error *err)
{
    enum arus_status status =
        arus_fail(err, ARUS_BAD_DATA, "CANNOT_PARSE_TIMESTAMP", "cannot read '%.*s' as %.*s",
                  ARUS_TEXT_ARGS(text), ARUS_TEXT_ARGS(pattern));

    return status == ARUS_OK ? status
                             : arus_error_help(err, "NULL instead: try_to_timestamp(.., '%.*s')",
                                               ARUS_TEXT_ARGS(pattern));
}

/* Text by pattern -> TIMESTAMP, TIMESTAMP_NTZ, or seconds. */
static enum arus_status get_timestamp(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_timestamp_context context = {.zone = row->call->env->zone,
                                                   .now = row->call->env->now_micros};
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const struct arus_text pattern_text = arus_row_arg_text(row, 1, i);
    const struct arus_datetime_pattern *pattern;
    const bool is_ntz = row->out->type->id == ARUS_TYPE_TIMESTAMP_NTZ;
    bool is_fine;
    int64_t micros;

    ARUS_TRY(pattern_at(row, pattern_text, is_ntz ? ARUS_PATTERN_PARSE_NTZ : ARUS_PATTERN_PARSE,
                        &pattern, err));
    is_fine = is_ntz ? arus_datetime_pattern_parse_ntz(pattern, text, ARUS_NTZ_DROP_ZONE, &micros)
                     : arus_datetime_pattern_parse(pattern, text, &context, &micros);
    if (!is_fine) {
        return row->call->expr->bound != NULL ? fail_parse(text, pattern_text, err)
                                              : arus_row_null(row, i, err);
    }
    arus_row_bigint(row, i,
                    row->out->type->id == ARUS_TYPE_BIGINT
                        ? arus_floor_div(micros, ARUS_MICROS_PER_SECOND)
                        : micros);
    return ARUS_OK;
}
ARUS_ROWWISE(get_timestamp)

/* bound != NULL: bad texts fail. */
static const bool FAILS = true;

static enum arus_status bind_get_timestamp(struct arus_bind *bind, struct arus_error *err)
{
    const char *name = bind->function->name;

    bind->type = strstr(name, "ntz") != NULL    ? &ARUS_TIMESTAMP_NTZ
                 : strstr(name, "unix") != NULL ? &ARUS_BIGINT
                                                : &ARUS_TIMESTAMP;
    bind->bound = bind->is_ansi && strstr(name, "try") == NULL ? &FAILS : NULL;
    bind->is_nullable = true;
    bind->can_fail = true; /* also by a bad pattern */
    return arus_args_take(bind, "s", err);
}

/* ---- to_date, to_timestamp ---- */

static bool is_time(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_DATE || type->id == ARUS_TYPE_TIMESTAMP ||
           type->id == ARUS_TYPE_TIMESTAMP_NTZ;
}

static enum arus_cast_mode mode_of(const struct arus_bind *bind)
{
    return bind->function->name[0] == 't' && bind->function->name[1] == 'r' ? ARUS_CAST_TRY
           : bind->is_ansi                                                  ? ARUS_CAST_ANSI
                                                                            : ARUS_CAST_LEGACY;
}

static enum arus_status cast_to(struct arus_bind *bind, const struct arus_expr *arg,
                                const struct arus_type *type, struct arus_error *err)
{
    const struct arus_expr *cast;

    ARUS_TRY(arus_cast_make(arg, type, mode_of(bind), bind->place, bind->arena, &cast, err));
    bind->replacement = cast;
    return ARUS_OK;
}

static enum arus_status bind_to_date(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *parsed;
    const struct arus_type *type = bind->args[0]->type;

    if (!is_time(type)) {
        ARUS_TRY(arus_arg_take(bind, 0, "s", err));
        type = bind->args[0]->type;
    }
    if (bind->arg_count == 1 || is_time(type)) {
        return cast_to(bind, bind->args[0], &ARUS_DATE, err);
    }
    ARUS_TRY(arus_call_of(bind,
                          mode_of(bind) == ARUS_CAST_TRY ? "try_get_timestamp" : "get_timestamp",
                          bind->args, 2, &parsed, err));
    return cast_to(bind, parsed, &ARUS_DATE, err);
}

static enum arus_status bind_to_timestamp(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_ntz = strstr(bind->function->name, "ntz") != NULL;
    const struct arus_type *target = is_ntz ? &ARUS_TIMESTAMP_NTZ : &ARUS_TIMESTAMP;
    const struct arus_type *type = bind->args[0]->type;

    if (!is_time(type) && (is_ntz || !arus_type_is_numeric(type))) {
        ARUS_TRY(arus_arg_take(bind, 0, "s", err));
        type = bind->args[0]->type;
    }
    if (bind->arg_count == 1 || type->id != ARUS_TYPE_STRING) {
        return cast_to(bind, bind->args[0], target, err);
    }
    return arus_bind_as(bind,
                        is_ntz                           ? "get_timestamp_ntz"
                        : mode_of(bind) == ARUS_CAST_TRY ? "try_get_timestamp"
                                                         : "get_timestamp",
                        err);
}

/* unix_timestamp([x[, pattern]]) */
static enum arus_status bind_unix_timestamp(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_view pattern = arus_view_of("yyyy-MM-dd HH:mm:ss", 19);
    const struct arus_expr *arg;

    if (bind->arg_count == 0) {
        return arus_bind_as(bind, "unix_now", err);
    }
    if (bind->arg_count == 1) {
        ARUS_TRY(arus_literal_of(&ARUS_STRING, &pattern, bind->arena, &arg, err));
        ARUS_TRY(arus_arg_append(bind, arg, err));
    }
    ARUS_TRY(arus_arg_take(bind, 1, "s", err));
    if (is_time(bind->args[0]->type)) {
        ARUS_TRY(arus_arg_cast(bind, 0, &ARUS_TIMESTAMP, err));
        return arus_call_of(bind, "unix_seconds", bind->args, 1, &bind->replacement, err);
    }
    ARUS_TRY(arus_arg_take(bind, 0, "=s", err));
    return arus_bind_as(bind, "get_unix_timestamp", err);
}

static enum arus_status bind_from_unixtime(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_view pattern = arus_view_of("yyyy-MM-dd HH:mm:ss", 19);
    const struct arus_expr *arg;

    if (bind->arg_count == 1) {
        ARUS_TRY(arus_literal_of(&ARUS_STRING, &pattern, bind->arena, &arg, err));
        ARUS_TRY(arus_arg_append(bind, arg, err));
    }
    bind->type = &ARUS_STRING;
    return arus_args_take(bind, "ls", err);
}

#define PARSE(name_)                                                                               \
    {                                                                                              \
        .name = name_, .flags = ARUS_STRICT, .arg_min = 2, .arg_max = 2,                           \
        .bind = bind_get_timestamp, .kernel = kernel_get_timestamp                                 \
    }

const struct arus_function ARUS_DATETIME_FORMATS[] = {
    ARUS_FUNCTION("date_format", NULL, ARUS_CAN_FAIL, 2, 2, "ts", "s", kernel_date_format,
                  "date_format(ts, pattern) -> STRING", "text by a Java pattern",
                  "date_format(TIMESTAMP'2020-02-29 12:34:56', 'yyyy/MM/dd HH:mm')",
                  "2020/02/29 12:34"),
    {.name = "from_unixtime",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_from_unixtime,
     .kernel = kernel_from_unixtime,
     .signature = "from_unixtime(seconds[, pattern]) -> STRING",
     .help = "text of a time since 1970",
     .example = "from_unixtime(0, 'yyyy-MM-dd')",
     .result = "1970-01-01"},
    PARSE("get_timestamp"),
    PARSE("try_get_timestamp"),
    PARSE("get_timestamp_ntz"),
    PARSE("get_unix_timestamp"),
    {.name = "to_date",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_date,
     .signature = "to_date(text[, pattern]) -> DATE",
     .help = "a date from a text",
     .example = "to_date('29.02.2020', 'dd.MM.yyyy')",
     .result = "2020-02-29"},
    {.name = "try_to_date",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_date,
     .signature = "try_to_date(text[, pattern]) -> DATE",
     .help = "as to_date; NULL for bad text",
     .example = "try_to_date('x')",
     .result = "NULL"},
    {.name = "to_timestamp",
     .aliases = "to_timestamp_ltz",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_timestamp,
     .signature = "to_timestamp(text[, pattern]) -> TIMESTAMP",
     .help = "a time from a text, or from seconds",
     .example = "to_timestamp('2020-02-29 12:34', 'yyyy-MM-dd HH:mm')",
     .result = "2020-02-29 12:34:00"},
    {.name = "try_to_timestamp",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_timestamp,
     .signature = "try_to_timestamp(text[, pattern]) -> TIMESTAMP",
     .help = "as to_timestamp; NULL for bad text",
     .example = "try_to_timestamp('x')",
     .result = "NULL"},
    {.name = "to_timestamp_ntz",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_timestamp,
     .signature = "to_timestamp_ntz(text[, pattern]) -> TIMESTAMP_NTZ",
     .help = "a wall clock time from a text",
     .example = "to_timestamp_ntz('2020-02-29 12:34:56')",
     .result = "2020-02-29 12:34:56"},
    {.name = "unix_timestamp",
     .aliases = "to_unix_timestamp",
     .arg_min = 0,
     .arg_max = 2,
     .bind = bind_unix_timestamp,
     .signature = "unix_timestamp([x[, pattern]]) -> BIGINT",
     .help = "seconds since 1970",
     .example = "unix_timestamp('1970-01-01 00:01:00')",
     .result = "60"},
    {0},
};
