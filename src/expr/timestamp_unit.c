/** timestampadd, timestampdiff, convert_timezone, make_dt_interval, make_ym_interval. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/datetime.h"

struct unit {
    const char *names;
    int32_t months;
    int64_t micros; /* of one; DAY and WEEK count on the wall clock */
};

static const struct unit UNITS[] = {
    {"YEAR", 12, 0},
    {"QUARTER", 3, 0},
    {"MONTH", 1, 0},
    {"WEEK", 0, 7 * ARUS_MICROS_PER_DAY},
    {"DAY", 0, ARUS_MICROS_PER_DAY},
    {"DAYOFYEAR", 0, ARUS_MICROS_PER_DAY},
    {"HOUR", 0, 3600 * ARUS_MICROS_PER_SECOND},
    {"MINUTE", 0, 60 * ARUS_MICROS_PER_SECOND},
    {"SECOND", 0, ARUS_MICROS_PER_SECOND},
    {"MILLISECOND", 0, 1000},
    {"MICROSECOND", 0, 1},
};

/* `name(first, args)`: the text has what the arguments lack. */
static enum arus_status own_text(struct arus_bind *bind, const char *name, struct arus_text first,
                                 struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status =
        arus_buffer_printf(&text, err, "%s(%.*s", name, ARUS_TEXT_ARGS(first));

    for (uint32_t i = 0; status == ARUS_OK && i < bind->arg_count; i++) {
        status = arus_buffer_append_text(&text, ARUS_TEXT(", "), err);
        if (status == ARUS_OK) {
            status = arus_expr_text(bind->args[i], &text, err);
        }
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_char(&text, ')', err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), bind->arena, &bind->text, err);
    }
    arus_buffer_release(&text);
    return status;
}

/* The unit is a constant text (the parser makes it one): it is bound, and no argument any more. */
static enum arus_status take_unit(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_text name;

    ARUS_TRY(arus_arg_text(bind, 0, &name, err));
    for (size_t u = 0; u < sizeof UNITS / sizeof *UNITS; u++) {
        if (name.data != NULL && arus_text_equal_nocase(arus_text_of(UNITS[u].names), name)) {
            bind->bound = &UNITS[u];
            bind->args++;
            bind->arg_count--;
            return own_text(bind, bind->function->name, name, err);
        }
    }
    return arus_fail_at(err, bind->args[0]->place, "INVALID_PARAMETER_VALUE.DATETIME_UNIT",
                        "`%.*s` is no unit of time", ARUS_TEXT_ARGS(name));
}

static const struct arus_zone *zone_of(const struct arus_rowwise *row)
{
    const uint32_t last = row->call->expr->arg_count - 1;

    return row->call->args[last].type->id == ARUS_TYPE_TIMESTAMP ? row->call->env->zone
                                                                 : ARUS_ZONE_UTC;
}

static enum arus_status add(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct unit *unit = row->call->expr->bound;
    const int64_t count = arus_row_arg_bigint(row, 0, i);
    int64_t micros;
    bool is_fine = !__builtin_mul_overflow(count, unit->micros, &micros) &&
                   count * unit->months <= INT32_MAX && count * unit->months >= INT32_MIN;
    const bool is_days = unit->months == 0 && unit->micros % ARUS_MICROS_PER_DAY == 0;

    is_fine = is_fine && arus_timestamp_add(
                             arus_row_arg_bigint(row, 1, i), (int32_t)(count * unit->months),
                             is_days ? (int32_t)(micros / ARUS_MICROS_PER_DAY) : 0,
                             is_days ? 0 : micros, zone_of(row), (int64_t *)row->out->values + i);
    return is_fine ? ARUS_OK
                   : arus_fail(err, ARUS_BAD_DATA, "DATETIME_OVERFLOW",
                               "the result is beyond the range of timestamps");
}
ARUS_ROWWISE(add)

static enum arus_status bind_add(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(take_unit(bind, err));
    ARUS_TRY(arus_arg_take(bind, 0, "l", err));
    ARUS_TRY(arus_arg_take(bind, 1, "T", err));
    bind->type = bind->args[1]->type;
    return ARUS_OK;
}

/* Whole months from a to b on the wall clock, towards zero. */
static int64_t months_between(int64_t a, int64_t b)
{
    const struct arus_civil date_a = arus_date_to_civil(arus_timestamp_days(a));
    const struct arus_civil date_b = arus_date_to_civil(arus_timestamp_days(b));
    int64_t months = ((int64_t)date_b.year - date_a.year) * 12 + date_b.month - date_a.month;
    const int64_t rest_a = date_a.day * ARUS_MICROS_PER_DAY + arus_timestamp_time(a);
    const int64_t rest_b = date_b.day * ARUS_MICROS_PER_DAY + arus_timestamp_time(b);

    if (months > 0 && rest_b < rest_a) {
        months--;
    } else if (months < 0 && rest_b > rest_a) {
        months++;
    }
    return months;
}

static enum arus_status diff(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct unit *unit = row->call->expr->bound;
    const int64_t a = arus_zone_to_local(zone_of(row), arus_row_arg_bigint(row, 0, i));
    const int64_t b = arus_zone_to_local(zone_of(row), arus_row_arg_bigint(row, 1, i));

    (void)err;
    arus_row_bigint(
        row, i, unit->months > 0 ? months_between(a, b) / unit->months : (b - a) / unit->micros);
    return ARUS_OK;
}
ARUS_ROWWISE(diff)

static enum arus_status bind_diff(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *common;

    ARUS_TRY(take_unit(bind, err));
    ARUS_TRY(arus_args_take(bind, "T", err));
    ARUS_TRY(arus_args_common(bind, 0, 1, &common, err));
    bind->type = &ARUS_BIGINT;
    return ARUS_OK;
}

/* convert_timezone([from, ]to, ts): the same instant on another wall clock */
static enum arus_status bind_convert(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *args[2];
    const bool has_from = bind->arg_count == 3;

    if (!has_from) {
        ARUS_TRY(own_text(bind, "convert_timezone", ARUS_TEXT("current_timezone()"), err));
    }
    ARUS_TRY(arus_arg_take(bind, bind->arg_count - 1, "n", err));
    args[0] = bind->args[bind->arg_count - 1];
    if (has_from) { /* as if it were UTC: to_utc shifts by the source zone */
        ARUS_TRY(arus_cast_make(args[0], &ARUS_TIMESTAMP, ARUS_CAST_ANSI, bind->place, bind->arena,
                                &args[0], err));
        ARUS_TRY(arus_call_of(bind, "ntz_as_utc", &bind->args[2], 1, &args[0], err));
        args[1] = bind->args[0];
        ARUS_TRY(arus_call_of(bind, "to_utc_timestamp", args, 2, &args[0], err));
    } else {
        ARUS_TRY(arus_cast_make(args[0], &ARUS_TIMESTAMP, ARUS_CAST_ANSI, bind->place, bind->arena,
                                &args[0], err));
    }
    args[1] = bind->args[bind->arg_count - 2];
    ARUS_TRY(arus_call_of(bind, "from_utc_timestamp", args, 2, &args[0], err));
    return arus_call_of(bind, "utc_as_ntz", args, 1, &bind->replacement, err);
}

/* The microseconds as they are, under another type. */
static enum arus_status same_micros(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_bigint(row, i, arus_row_arg_bigint(row, 0, i));
    return ARUS_OK;
}
ARUS_ROWWISE(same_micros)

/* ---- intervals ---- */

static enum arus_status fail_interval(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
                     "interval overflow");
}

static enum arus_status make_ym(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const uint32_t count = row->call->expr->arg_count;
    const int64_t years = count > 0 ? arus_row_arg_int(row, 0, i) : 0;
    const int64_t months = years * 12 + (count > 1 ? arus_row_arg_int(row, 1, i) : 0);

    if (months > INT32_MAX || months < INT32_MIN) {
        return fail_interval(err);
    }
    arus_row_int(row, i, (int32_t)months);
    return ARUS_OK;
}
ARUS_ROWWISE(make_ym)

static enum arus_status make_dt(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    static const int64_t SIZES[] = {ARUS_MICROS_PER_DAY, 3600 * ARUS_MICROS_PER_SECOND,
                                    60 * ARUS_MICROS_PER_SECOND};
    const uint32_t count = row->call->expr->arg_count;
    int64_t *r = (int64_t *)row->out->values + i;
    bool is_over = false;

    *r = count > 3 ? arus_row_arg_bigint(row, 3, i) : 0; /* DECIMAL(18,6) seconds */
    for (uint32_t a = 0; a < 3 && a < count; a++) {
        int64_t part;

        is_over |= __builtin_mul_overflow((int64_t)arus_row_arg_int(row, a, i), SIZES[a], &part) ||
                   __builtin_add_overflow(*r, part, r);
    }
    return is_over ? fail_interval(err) : ARUS_OK;
}
ARUS_ROWWISE(make_dt)

static const struct arus_type SECONDS = {.id = ARUS_TYPE_DECIMAL, .precision = 18, .scale = 6};

static enum arus_status bind_interval(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_months = bind->function->name[5] == 'y';

    for (uint32_t i = 0; i < bind->arg_count; i++) {
        if (i < 3) {
            ARUS_TRY(arus_arg_take(bind, i, "i", err));
        } else {
            if (!arus_type_converts(bind->args[i]->type, &SECONDS)) {
                return arus_fail_input(bind, i, "DECIMAL(18,6)", err);
            }
            ARUS_TRY(arus_arg_cast(bind, i, &SECONDS, err));
        }
    }
    bind->type = is_months ? &ARUS_INTERVAL_YM : &ARUS_INTERVAL_DT;
    return ARUS_OK;
}

const struct arus_function ARUS_TIMESTAMP_UNITS[] = {
    {.name = "timestampadd",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 3,
     .arg_max = 3,
     .bind = bind_add,
     .kernel = kernel_add,
     .signature = "timestampadd(UNIT, n, ts)",
     .help = "n units later",
     .example = "timestampadd(MONTH, 1, TIMESTAMP'2020-01-31 00:00:00')",
     .result = "2020-02-29 00:00:00"},
    {.name = "timestampdiff",
     .flags = ARUS_STRICT,
     .arg_min = 3,
     .arg_max = 3,
     .bind = bind_diff,
     .kernel = kernel_diff,
     .signature = "timestampdiff(UNIT, start, end) -> BIGINT",
     .help = "whole units from start to end",
     .example =
         "timestampdiff(HOUR, TIMESTAMP'2020-01-01 00:00:00', TIMESTAMP'2020-01-01 02:30:00')",
     .result = "2"},
    {.name = "convert_timezone",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_convert,
     .signature = "convert_timezone([from, ]to, ts) -> TIMESTAMP_NTZ",
     .help = "the wall clock of another zone",
     .example = "convert_timezone('UTC', 'Asia/Tokyo', TIMESTAMP_NTZ'2020-01-01 00:00:00')",
     .result = "2020-01-01 09:00:00"},
    {.name = "ntz_as_utc",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .kernel = kernel_same_micros,
     .takes = "n",
     .gives = "t"},
    {.name = "utc_as_ntz",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .kernel = kernel_same_micros,
     .takes = "t",
     .gives = "n"},
    {.name = "make_ym_interval",
     .text = "make_ym_interval($1=0;, $2=0;)",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 0,
     .arg_max = 2,
     .bind = bind_interval,
     .kernel = kernel_make_ym,
     .signature = "make_ym_interval([years[, months]])",
     .help = "INTERVAL YEAR TO MONTH",
     .example = "make_ym_interval(1, 2)",
     .result = "INTERVAL '1-2' YEAR TO MONTH"},
    {.name = "make_dt_interval",
     .text = "make_dt_interval($1=0;, $2=0;, $3=0;, $4=0.000000;)",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 0,
     .arg_max = 4,
     .bind = bind_interval,
     .kernel = kernel_make_dt,
     .signature = "make_dt_interval([days[, hours[, mins[, secs]]]])",
     .help = "INTERVAL DAY TO SECOND",
     .example = "make_dt_interval(1, 2)",
     .result = "INTERVAL '1 02:00:00' DAY TO SECOND"},
    {0},
};
