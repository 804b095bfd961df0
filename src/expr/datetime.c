/** Dates and times: the clock, days and months, truncation. */
#include "types/datetime.h"

#include "expr/calendar.h"
#include "expr/families.h"
#include "expr/rowwise.h"

#include <math.h>

static enum arus_status fail_overflow(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "DATETIME_OVERFLOW",
                     "the result is beyond the range of dates and timestamps");
}

/* ---- the clock: one time for a whole batch ---- */

static enum arus_status clock_row(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_eval_env *env = row->call->env;
    const int64_t local = arus_zone_to_local(env->zone, env->now_micros);

    (void)err;
    if (row->out->type->id == ARUS_TYPE_DATE) {
        arus_row_int(row, i, arus_timestamp_days(local));
    } else if (row->out->type->id == ARUS_TYPE_TIMESTAMP_NTZ) {
        arus_row_bigint(row, i, local);
    } else if (row->out->type->id == ARUS_TYPE_TIMESTAMP) {
        arus_row_bigint(row, i, env->now_micros);
    } else {
        arus_row_bigint(row, i, arus_floor_div(env->now_micros, ARUS_MICROS_PER_SECOND));
    }
    return ARUS_OK;
}
ARUS_ROWWISE(clock_row)

static enum arus_status current_timezone(struct arus_rowwise *row, uint32_t i,
                                         struct arus_error *err)
{
    const struct arus_text name = arus_zone_name(row->call->env->zone);

    return arus_row_bytes(row, i, name.data, name.size, err);
}
ARUS_ROWWISE(current_timezone)

/* ---- days and months ---- */

static enum arus_status date_add(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int64_t by = arus_row_arg_int(row, 1, i);

    (void)err;
    arus_row_int(row, i,
                 (int32_t)(arus_row_arg_int(row, 0, i) +
                           (row->call->expr->function->name[5] == 's' ? -by : by)));
    return ARUS_OK;
}
ARUS_ROWWISE(date_add)

static enum arus_status bind_date_add(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *days;

    if (bind->arg_count == 3) {
        ARUS_TRY(arus_bind_as(bind, "timestampadd", err));
        bind->text = bind->replacement->text; /* shown as what it is */
        return ARUS_OK;
    }
    days = bind->args[1]->type;
    ARUS_TRY(arus_arg_take(bind, 0, "D", err));
    if (days->id != ARUS_TYPE_VOID && days->id != ARUS_TYPE_STRING &&
        !(arus_type_is_integer(days) && days->id != ARUS_TYPE_BIGINT)) {
        return arus_fail_input(bind, 1, "INT", err);
    }
    bind->type = &ARUS_DATE;
    bind->can_fail = false;
    return arus_arg_cast(bind, 1, &ARUS_INT, err);
}

static enum arus_status datediff(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_int(row, i,
                 (int32_t)((int64_t)arus_row_arg_int(row, 0, i) - arus_row_arg_int(row, 1, i)));
    return ARUS_OK;
}
ARUS_ROWWISE(datediff)

static enum arus_status bind_datediff(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->arg_count == 3) {
        ARUS_TRY(arus_bind_as(bind, "timestampdiff", err));
        bind->text = bind->replacement->text;
        return ARUS_OK;
    }
    bind->type = &ARUS_INT;
    return arus_args_take(bind, "D", err);
}

static enum arus_status add_months(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    return arus_date_add_months(arus_row_arg_int(row, 0, i), arus_row_arg_int(row, 1, i),
                                (int32_t *)row->out->values + i)
               ? ARUS_OK
               : fail_overflow(err);
}
ARUS_ROWWISE(add_months)

static enum arus_status last_day(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_int(row, i, arus_date_last_day(arus_row_arg_int(row, 0, i)));
    return ARUS_OK;
}
ARUS_ROWWISE(last_day)

static enum arus_status next_day(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int32_t weekday = arus_weekday_parse(arus_row_arg_text(row, 1, i));

    if (weekday < 0) {
        return row->call->env->is_ansi ? arus_fail(err, ARUS_BAD_DATA, "ILLEGAL_DAY_OF_WEEK",
                                                   "`%.*s` is no day of the week",
                                                   ARUS_TEXT_ARGS(arus_row_arg_text(row, 1, i)))
                                       : arus_row_null(row, i, err);
    }
    arus_row_int(row, i, arus_date_next_day(arus_row_arg_int(row, 0, i), weekday));
    return ARUS_OK;
}
ARUS_ROWWISE(next_day)

static enum arus_status months_between(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_zone *zone = row->call->env->zone;
    const int64_t a = arus_zone_to_local(zone, arus_row_arg_bigint(row, 0, i));
    const int64_t b = arus_zone_to_local(zone, arus_row_arg_bigint(row, 1, i));
    const int32_t day_a = arus_timestamp_days(a);
    const int32_t day_b = arus_timestamp_days(b);
    const struct arus_civil date_a = arus_date_to_civil(day_a);
    const struct arus_civil date_b = arus_date_to_civil(day_b);
    double *r = (double *)row->out->values + i;
    int64_t seconds;

    (void)err;
    *r = (double)((date_a.year - date_b.year) * 12 + date_a.month - date_b.month);
    if (date_a.day == date_b.day ||
        (day_a == arus_date_last_day(day_a) && day_b == arus_date_last_day(day_b))) {
        return ARUS_OK;
    }
    seconds = (int64_t)(date_a.day - date_b.day) * 86400 +
              arus_timestamp_time(a) / ARUS_MICROS_PER_SECOND -
              arus_timestamp_time(b) / ARUS_MICROS_PER_SECOND;
    *r += (double)seconds / (31.0 * 86400);
    if (row->call->expr->arg_count == 2 || arus_boolean_at(&row->call->args[2], i)) {
        *r = floor(*r * 1e8 + 0.5) / 1e8;
    }
    return ARUS_OK;
}
ARUS_ROWWISE(months_between)

static enum arus_status name_of(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    static const char DAYS[] = "MonTueWedThuFriSatSun";
    static const char MONTHS[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const int32_t days = arus_row_arg_int(row, 0, i);
    const bool is_month = row->call->expr->function->name[0] == 'm';
    const int32_t index = is_month ? arus_date_field(days, ARUS_FIELD_MONTH) - 1
                                   : arus_date_field(days, ARUS_FIELD_WEEKDAY);

    return arus_row_bytes(row, i, (is_month ? MONTHS : DAYS) + 3 * index, 3, err);
}
ARUS_ROWWISE(name_of)

/* ---- truncation; an unknown unit gives NULL ---- */

static enum arus_status date_trunc(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const enum arus_trunc_unit unit = arus_trunc_unit_parse(arus_row_arg_text(row, 0, i));

    if (unit == ARUS_TRUNC_NONE) {
        return arus_row_null(row, i, err);
    }
    arus_row_bigint(
        row, i, arus_timestamp_trunc(arus_row_arg_bigint(row, 1, i), unit, row->call->env->zone));
    return ARUS_OK;
}
ARUS_ROWWISE(date_trunc)

/* The unit is nearly always a constant. */
static enum arus_status kernel_trunc_timestamp(const struct arus_kernel_call *call,
                                               struct arus_vector *out, uint32_t *bad_row,
                                               struct arus_error *err)
{
    const struct arus_vector *times = &call->args[1];
    const int64_t *micros = times->values;
    const size_t step = ARUS_STEP(times);
    enum arus_trunc_unit unit = ARUS_TRUNC_NONE;
    int64_t offset;

    if (call->args[0].form == ARUS_VECTOR_CONSTANT) {
        unit = arus_trunc_unit_parse(arus_text_at(&call->args[0], 0));
    }
    if (unit == ARUS_TRUNC_NONE) {
        return kernel_date_trunc(call, out, bad_row, err);
    }
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    if (times->form == ARUS_VECTOR_FLAT && arus_zone_is_fixed(call->env->zone, &offset) &&
        arus_calendar_trunc(unit, micros, offset, call->row_count, out->values)) {
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i)) {
            ((int64_t *)out->values)[i] =
                arus_timestamp_trunc(micros[i * step], unit, call->env->zone);
        }
    }
    return ARUS_OK;
}

static enum arus_status trunc_date(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const enum arus_trunc_unit unit = arus_trunc_unit_parse(arus_row_arg_text(row, 1, i));

    if (unit > ARUS_TRUNC_WEEK) {
        return arus_row_null(row, i, err);
    }
    arus_row_int(row, i, arus_date_trunc(arus_row_arg_int(row, 0, i), unit));
    return ARUS_OK;
}
ARUS_ROWWISE(trunc_date)

const struct arus_function ARUS_DATETIMES[] = {
    {.name = "current_date",
     .aliases = "curdate",
     .flags = ARUS_NOT_CONSTANT,
     .arg_min = 0,
     .arg_max = 0,
     .kernel = kernel_clock_row,
     .takes = "",
     .gives = "D",
     .signature = "current_date() -> DATE",
     .help = "today",
     .example = "typeof(current_date())",
     .result = "date"},
    {.name = "current_timestamp",
     .aliases = "now",
     .flags = ARUS_NOT_CONSTANT,
     .arg_min = 0,
     .arg_max = 0,
     .kernel = kernel_clock_row,
     .takes = "",
     .gives = "t",
     .signature = "current_timestamp() -> TIMESTAMP",
     .help = "time of the batch",
     .example = "typeof(current_timestamp())",
     .result = "timestamp"},
    {.name = "localtimestamp",
     .flags = ARUS_NOT_CONSTANT,
     .arg_min = 0,
     .arg_max = 0,
     .kernel = kernel_clock_row,
     .takes = "",
     .gives = "n",
     .signature = "localtimestamp() -> TIMESTAMP_NTZ",
     .help = "wall clock of the batch",
     .example = "typeof(localtimestamp())",
     .result = "timestamp_ntz"},
    {.name = "unix_now",
     .flags = ARUS_NOT_CONSTANT,
     .arg_min = 0,
     .arg_max = 0,
     .kernel = kernel_clock_row,
     .takes = "",
     .gives = "l"},
    {.name = "current_timezone",
     .arg_min = 0,
     .arg_max = 0,
     .kernel = kernel_current_timezone,
     .takes = "",
     .gives = "s",
     .signature = "current_timezone() -> STRING",
     .help = "the session's time zone",
     .example = "current_timezone()",
     .result = "UTC"},
    {.name = "date_add",
     .aliases = "dateadd",
     .alias_text = "date_add($1, $2)",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_date_add,
     .kernel = kernel_date_add,
     .signature = "date_add(date, days) -> DATE",
     .help = "days later",
     .example = "date_add(DATE'2020-02-28', 2)",
     .result = "2020-03-01"},
    {.name = "date_sub",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_date_add,
     .kernel = kernel_date_add,
     .signature = "date_sub(date, days) -> DATE",
     .help = "days earlier",
     .example = "date_sub(DATE'2020-03-01', 1)",
     .result = "2020-02-29"},
    {.name = "datediff",
     .aliases = "date_diff",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_datediff,
     .kernel = kernel_datediff,
     .signature = "datediff(end, start) -> INT",
     .help = "days from start to end",
     .example = "datediff(DATE'2020-03-01', DATE'2020-02-28')",
     .result = "2"},
    ARUS_FUNCTION("add_months", NULL, ARUS_CAN_FAIL, 2, 2, "Di", "D", kernel_add_months,
                  "add_months(date, n) -> DATE", "months later, at most the last day",
                  "add_months(DATE'2020-01-31', 1)", "2020-02-29"),
    ARUS_FUNCTION("last_day", NULL, 0, 1, 1, "D", "D", kernel_last_day, "last_day(date) -> DATE",
                  "last day of the month", "last_day(DATE'2020-02-01')", "2020-02-29"),
    ARUS_FUNCTION("next_day", NULL, ARUS_CAN_FAIL, 2, 2, "Ds", "D", kernel_next_day,
                  "next_day(date, day) -> DATE", "the next such day of the week",
                  "next_day(DATE'2020-02-29', 'MO')", "2020-03-02"),
    {.name = "months_between",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 3,
     .takes = "tto",
     .gives = "d",
     .kernel = kernel_months_between,
     .text = "months_between($1, $2, $3=true;)",
     .signature = "months_between(end, start[, round]) -> DOUBLE",
     .help = "months, a month has 31 days",
     .example = "months_between(DATE'2020-03-31', DATE'2020-02-29')",
     .result = "1.0"},
    ARUS_FUNCTION("dayname", NULL, 0, 1, 1, "D", "s", kernel_name_of, "dayname(date) -> STRING",
                  "Mon, Tue, ..", "dayname(DATE'2020-02-29')", "Sat"),
    ARUS_FUNCTION("monthname", NULL, 0, 1, 1, "D", "s", kernel_name_of, "monthname(date) -> STRING",
                  "Jan, Feb, ..", "monthname(DATE'2020-02-29')", "Feb"),
    ARUS_FUNCTION("date_trunc", NULL, 0, 2, 2, "st", "t", kernel_trunc_timestamp,
                  "date_trunc(unit, ts) -> TIMESTAMP",
                  "cuts ts to the unit; NULL for an unknown unit",
                  "date_trunc('HOUR', TIMESTAMP '2026-03-02 09:41:07')", "2026-03-02 09:00:00"),
    ARUS_FUNCTION("trunc", NULL, 0, 2, 2, "Ds", "D", kernel_trunc_date, "trunc(date, unit) -> DATE",
                  "cuts a date to YEAR, QUARTER, MONTH or WEEK", "trunc(DATE'2020-02-29', 'MM')",
                  "2020-02-01"),
    {0},
};
