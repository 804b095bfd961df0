/** Dates and times: the clock, fields, calendar arithmetic, making and taking apart. */
#include "types/datetime.h"

#include "base/alloc.h"
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/decimal.h"

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

/* ---- fields ---- */

/* Local microseconds of an argument of DATE, TIMESTAMP or TIMESTAMP_NTZ. */
static int64_t local_at(const struct arus_rowwise *row, uint32_t arg, uint32_t i)
{
    const struct arus_vector *vector = &row->call->args[arg];

    if (vector->type->id == ARUS_TYPE_DATE) {
        return arus_row_arg_int(row, arg, i) * ARUS_MICROS_PER_DAY;
    }
    return vector->type->id == ARUS_TYPE_TIMESTAMP
               ? arus_zone_to_local(row->call->env->zone, arus_row_arg_bigint(row, arg, i))
               : arus_row_arg_bigint(row, arg, i);
}

static enum arus_status date_field(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const enum arus_date_field *field = row->call->expr->bound;

    (void)err;
    arus_row_int(row, i, arus_date_field(arus_row_arg_int(row, 0, i), *field));
    return ARUS_OK;
}
ARUS_ROWWISE(date_field)

static const struct {
    const char *name;
    enum arus_date_field field;
} DATE_FIELDS[] = {
    {"year", ARUS_FIELD_YEAR},
    {"quarter", ARUS_FIELD_QUARTER},
    {"month", ARUS_FIELD_MONTH},
    {"day", ARUS_FIELD_DAY},
    {"dayofweek", ARUS_FIELD_DAY_OF_WEEK},
    {"weekday", ARUS_FIELD_WEEKDAY},
    {"dayofyear", ARUS_FIELD_DAY_OF_YEAR},
    {"weekofyear", ARUS_FIELD_WEEK},
    {"yearofweek", ARUS_FIELD_YEAR_OF_WEEK},
    {"dayofweek_iso", ARUS_FIELD_DAY_OF_WEEK_ISO},
};

static enum arus_status bind_date_field(struct arus_bind *bind, struct arus_error *err)
{
    size_t i = 0;

    while (strcmp(DATE_FIELDS[i].name, bind->function->name) != 0) {
        i++;
    }
    bind->bound = &DATE_FIELDS[i].field;
    bind->type = &ARUS_INT;
    return arus_arg_take(bind, 0, "D", err);
}

static const int64_t HOUR = 3600 * (int64_t)1000000;
static const int64_t MINUTE = 60 * (int64_t)1000000;

static enum arus_status time_field(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const char first = row->call->expr->function->name[0];
    const int64_t time = arus_timestamp_time(local_at(row, 0, i));

    (void)err;
    arus_row_int(row, i,
                 (int32_t)(first == 'h'   ? time / HOUR
                           : first == 'm' ? time % HOUR / MINUTE
                                          : time % MINUTE / ARUS_MICROS_PER_SECOND));
    return ARUS_OK;
}
ARUS_ROWWISE(time_field)

/* Seconds with their fraction, DECIMAL(8,6): also of day-time intervals. */
static enum arus_status second_fraction(struct arus_rowwise *row, uint32_t i,
                                        struct arus_error *err)
{
    (void)err;
    arus_row_bigint(row, i,
                    row->call->args[0].type->id == ARUS_TYPE_INTERVAL_DT
                        ? arus_row_arg_bigint(row, 0, i) % MINUTE
                        : arus_timestamp_time(local_at(row, 0, i)) % MINUTE);
    return ARUS_OK;
}
ARUS_ROWWISE(second_fraction)

static const struct arus_type SECONDS = {.id = ARUS_TYPE_DECIMAL, .precision = 8, .scale = 6};

static enum arus_status bind_second_fraction(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &SECONDS;
    return bind->args[0]->type->id == ARUS_TYPE_INTERVAL_DT ? ARUS_OK
                                                            : arus_arg_take(bind, 0, "T", err);
}

static enum arus_status interval_field(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const enum arus_interval_field *field = row->call->expr->bound;
    int64_t value;

    (void)err;
    if (row->call->args[0].type->id == ARUS_TYPE_INTERVAL_YM) {
        value = arus_row_arg_int(row, 0, i);
        value = *field == ARUS_INTERVAL_YEAR ? value / 12 : value % 12;
    } else {
        value = arus_row_arg_bigint(row, 0, i);
        value = *field == ARUS_INTERVAL_DAY    ? value / ARUS_MICROS_PER_DAY
                : *field == ARUS_INTERVAL_HOUR ? value % ARUS_MICROS_PER_DAY / HOUR
                                               : value % HOUR / MINUTE;
    }
    if (arus_type_value_size(row->out->type) == 1) {
        ((int8_t *)row->out->values)[i] = (int8_t)value;
    } else {
        arus_row_int(row, i, (int32_t)value);
    }
    return ARUS_OK;
}
ARUS_ROWWISE(interval_field)

static enum arus_status bind_interval_days(struct arus_bind *bind, struct arus_error *err)
{
    static const enum arus_interval_field DAY = ARUS_INTERVAL_DAY;

    (void)err;
    bind->bound = &DAY;
    bind->type = &ARUS_INT;
    bind->kernel = kernel_interval_field;
    return ARUS_OK;
}

/* Names of extract, their function for dates, and the field of intervals (-1: none). */
static const struct {
    const char *names;
    const char *function;
    int interval;
} PARTS[] = {
    {"year y years yr yrs", "year", ARUS_INTERVAL_YEAR},
    {"yearofweek", "yearofweek", -1},
    {"quarter qtr", "quarter", -1},
    {"month mon mons months", "month", ARUS_INTERVAL_MONTH},
    {"week w weeks", "weekofyear", -1},
    {"day d days", "day", ARUS_INTERVAL_DAY},
    {"dayofweek dow", "dayofweek", -1},
    {"dayofweek_iso dow_iso", "dayofweek_iso", -1},
    {"doy", "dayofyear", -1},
    {"hour h hours hr hrs", "hour", ARUS_INTERVAL_HOUR},
    {"minute m min mins minutes", "minute", ARUS_INTERVAL_MINUTE},
    {"second s sec seconds secs", "second_fraction", ARUS_INTERVAL_SECOND},
};

static bool is_named(const char *names, struct arus_text name)
{
    while (*names != '\0') {
        const size_t size = strcspn(names, " ");

        if (arus_text_equal_nocase((struct arus_text){names, size}, name)) {
            return true;
        }
        names += size + (names[size] == ' ');
    }
    return false;
}

static enum arus_status bind_interval_part(struct arus_bind *bind, int part, struct arus_error *err)
{
    enum arus_interval_field *field;

    ARUS_TRY(ARUS_NEW(bind->arena, enum arus_interval_field, 1, &field, err));
    *field = (enum arus_interval_field)part;
    bind->args++;
    bind->arg_count = 1;
    bind->bound = field;
    bind->kernel = kernel_interval_field;
    bind->type =
        part == ARUS_INTERVAL_YEAR || part == ARUS_INTERVAL_DAY ? &ARUS_INT : &ARUS_TINYINT;
    return ARUS_OK;
}

/* The text has the field, which the arguments lose. */
static enum arus_status extract_text(struct arus_bind *bind, struct arus_text field,
                                     struct arus_error *err)
{
    const char *name = arus_text_equal_nocase(bind->name, ARUS_TEXT("extract"))    ? "extract"
                       : arus_text_equal_nocase(bind->name, ARUS_TEXT("datepart")) ? "datepart"
                                                                                   : "date_part";
    struct arus_buffer text = {0};
    enum arus_status status =
        arus_buffer_printf(&text, err, "%s(%.*s%s", name, ARUS_TEXT_ARGS(field),
                           strcmp(name, "date_part") == 0 ? ", " : " FROM ");

    if (status == ARUS_OK) {
        status = arus_expr_text(bind->args[1], &text, err);
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

/* extract(field FROM x): args are the field as a text, and x */
static enum arus_status bind_extract(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[1]->type;
    const bool is_months = type->id == ARUS_TYPE_INTERVAL_YM;
    const bool is_interval = is_months || type->id == ARUS_TYPE_INTERVAL_DT;
    struct arus_text field;

    ARUS_TRY(arus_arg_text(bind, 0, &field, err));
    if (field.data == NULL) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "the field must be a constant text");
    }
    ARUS_TRY(extract_text(bind, field, err));
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        if (!is_named(PARTS[i].names, field) ||
            (is_interval &&
             (PARTS[i].interval < 0 || (PARTS[i].interval <= ARUS_INTERVAL_MONTH) != is_months))) {
            continue;
        }
        if (is_interval && PARTS[i].interval != ARUS_INTERVAL_SECOND) {
            return bind_interval_part(bind, PARTS[i].interval, err);
        }
        return arus_call_of(bind, PARTS[i].function, &bind->args[1], 1, &bind->replacement, err);
    }
    return arus_fail_at(err, bind->place, "INVALID_EXTRACT_FIELD", "there is no field %.*s in %s",
                        ARUS_TEXT_ARGS(field), arus_type_name(type).text);
}

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
    const int64_t a = local_at(row, 0, i);
    const int64_t b = local_at(row, 1, i);
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

    if (call->args[0].form == ARUS_VECTOR_CONSTANT) {
        unit = arus_trunc_unit_parse(arus_text_at(&call->args[0], 0));
    }
    if (unit == ARUS_TRUNC_NONE) {
        return kernel_date_trunc(call, out, bad_row, err);
    }
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
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

/* ---- seconds since 1970 ---- */

static int64_t unit_of(const char *name)
{
    return strstr(name, "micro") != NULL   ? 1
           : strstr(name, "milli") != NULL ? 1000
                                           : ARUS_MICROS_PER_SECOND;
}

static enum arus_status kernel_unix_units(const struct arus_kernel_call *call,
                                          struct arus_vector *out, uint32_t *bad_row,
                                          struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const int64_t *values = arg->values;
    const int64_t unit = unit_of(call->expr->function->name);
    int64_t *results;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    results = out->values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        const int64_t value = values[i * ARUS_STEP(arg)];

        results[i] = unit == 1 ? value : arus_floor_div(value, unit);
    }
    return ARUS_OK;
}

static enum arus_status bind_unix_units(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 0, "=T", err));
    bind->type = &ARUS_BIGINT;
    return arus_arg_cast(bind, 0, &ARUS_TIMESTAMP, err);
}

static enum arus_status kernel_timestamp_units(const struct arus_kernel_call *call,
                                               struct arus_vector *out, uint32_t *bad_row,
                                               struct arus_error *err)
{
    const struct arus_vector *arg = &call->args[0];
    const int64_t *values = arg->values;
    const int64_t unit = unit_of(call->expr->function->name);
    int64_t *results;

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    results = out->values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (__builtin_mul_overflow(values[i * ARUS_STEP(arg)], unit, &results[i]) &&
            arus_bit_get(call->valid, i)) {
            *bad_row = i;
            return fail_overflow(err);
        }
    }
    return ARUS_OK;
}

/* Seconds with a fraction. */
static enum arus_status timestamp_fraction(struct arus_rowwise *row, uint32_t i,
                                           struct arus_error *err)
{
    const struct arus_vector *arg = &row->call->args[0];

    if (arg->type->id == ARUS_TYPE_DECIMAL) {
        const arus_int128 value =
            arus_decimal_get(arg->type, arg->values, (uint32_t)(i * ARUS_STEP(arg)));
        arus_int128 micros;

        if (!arus_decimal_rescale(value, arg->type->scale, 6, ARUS_DOWN, &micros) ||
            micros > INT64_MAX || micros < INT64_MIN) {
            return fail_overflow(err);
        }
        arus_row_bigint(row, i, (int64_t)micros);
        return ARUS_OK;
    }
    {
        const double seconds = arus_double_at(arg, i);

        if (!isfinite(seconds)) {
            return arus_row_null(row, i, err);
        }
        if (fabs(seconds * 1e6) >= 9223372036854775808.0) {
            return fail_overflow(err);
        }
        arus_row_bigint(row, i, (int64_t)(seconds * 1e6));
    }
    return ARUS_OK;
}
ARUS_ROWWISE(timestamp_fraction)

static enum arus_status bind_timestamp_seconds(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type;

    ARUS_TRY(arus_arg_take(bind, 0, "=N", err));
    type = bind->args[0]->type;
    bind->type = &ARUS_TIMESTAMP;
    if (arus_type_is_integer(type)) {
        bind->kernel = kernel_timestamp_units;
        return arus_arg_cast(bind, 0, &ARUS_BIGINT, err);
    }
    bind->kernel = kernel_timestamp_fraction;
    bind->is_nullable = true;
    return type->id == ARUS_TYPE_DECIMAL ? ARUS_OK : arus_arg_cast(bind, 0, &ARUS_DOUBLE, err);
}

static enum arus_status same_int(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_int(row, i, arus_row_arg_int(row, 0, i));
    return ARUS_OK;
}
ARUS_ROWWISE(same_int)

static enum arus_status same_micros(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_bigint(row, i, arus_row_arg_bigint(row, 0, i));
    return ARUS_OK;
}
ARUS_ROWWISE(same_micros)

/* ---- making ---- */

static enum arus_status fail_field(const struct arus_rowwise *row, uint32_t i,
                                   struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION",
                     "there is no day %d-%d-%d or no such time", arus_row_arg_int(row, 0, i),
                     arus_row_arg_int(row, 1, i), arus_row_arg_int(row, 2, i));
}

static enum arus_status make_date(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    if (arus_date_make(arus_row_arg_int(row, 0, i), arus_row_arg_int(row, 1, i),
                       arus_row_arg_int(row, 2, i), (int32_t *)row->out->values + i)) {
        return ARUS_OK;
    }
    return row->call->env->is_ansi ? fail_field(row, i, err) : arus_row_null(row, i, err);
}
ARUS_ROWWISE(make_date)

static const struct arus_type MAKE_SECONDS = {.id = ARUS_TYPE_DECIMAL, .precision = 16, .scale = 6};

/* What one call keeps: the zone it was last given. */
struct zone_memo {
    struct arus_arena arena;
    struct arus_text name;
    const struct arus_zone *zone;
};

static void zone_memo_close(void *data)
{
    struct zone_memo *memo = data;

    arus_arena_release(&memo->arena);
    arus_free(memo);
}

static enum arus_status zone_at(const struct arus_rowwise *row, uint32_t arg, uint32_t i,
                                const struct arus_zone **out, struct arus_error *err)
{
    const struct arus_text name = arus_row_arg_text(row, arg, i);
    struct zone_memo *memo = row->call->memo->data;
    struct arus_text copy;

    if (memo == NULL) {
        memo = arus_alloc(1, sizeof *memo);
        if (memo == NULL) {
            return arus_fail_memory(err);
        }
        row->call->memo->data = memo;
        row->call->memo->close = zone_memo_close;
    }
    if (memo->zone == NULL || !arus_text_equal(memo->name, name)) {
        memo->zone = NULL;
        arus_arena_reset(&memo->arena);
        ARUS_TRY(arus_text_copy(name, &memo->arena, &copy, err));
        if (arus_zone_open(copy, &memo->arena, &memo->zone, err) != ARUS_OK) {
            err->status = err->status == ARUS_BAD_CONFIG ? ARUS_BAD_DATA : err->status;
            memo->zone = NULL;
            return err->status;
        }
        memo->name = copy;
    }
    *out = memo->zone;
    return ARUS_OK;
}

/* Exactly 60 seconds roll over to the next minute. False: no such time. */
static bool make_time(const struct arus_rowwise *row, uint32_t i, int64_t *micros, bool *is_sixty)
{
    const int64_t hour = arus_row_arg_int(row, 3, i);
    const int64_t minute = arus_row_arg_int(row, 4, i);
    const int64_t second = arus_row_arg_bigint(row, 5, i);

    *micros = hour * HOUR + minute * MINUTE + second;
    *is_sixty = second >= MINUTE && second < MINUTE + ARUS_MICROS_PER_SECOND;
    return hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second <= MINUTE;
}

static enum arus_status make_timestamp(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_zone *zone = row->call->env->zone;
    const bool fails = row->call->env->is_ansi && row->call->expr->function->name[0] != 't';
    bool is_sixty;
    int64_t time;
    int32_t days;

    if (!make_time(row, i, &time, &is_sixty)) {
        if (is_sixty && fails) {
            return arus_fail(err, ARUS_BAD_DATA, "INVALID_FRACTION_OF_SECOND",
                             "60 seconds take no fraction");
        }
        return fails ? fail_field(row, i, err) : arus_row_null(row, i, err);
    }
    if (!arus_date_make(arus_row_arg_int(row, 0, i), arus_row_arg_int(row, 1, i),
                        arus_row_arg_int(row, 2, i), &days)) {
        return fails ? fail_field(row, i, err) : arus_row_null(row, i, err);
    }
    if (row->call->expr->arg_count == 7) {
        ARUS_TRY(zone_at(row, 6, i, &zone, err));
    }
    time += days * ARUS_MICROS_PER_DAY;
    arus_row_bigint(
        row, i, row->out->type->id == ARUS_TYPE_TIMESTAMP ? arus_zone_to_utc(zone, time) : time);
    return ARUS_OK;
}
ARUS_ROWWISE(make_timestamp)

/* make_timestamp(date): its first moment */
static enum arus_status bind_midnight(struct arus_bind *bind, struct arus_error *err)
{
    const char *name = bind->function->name;
    const bool is_ntz = strcmp(name + strlen(name) - 4, "_ntz") == 0;

    if (bind->arg_count > 3) {
        return arus_fail_at(err, bind->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "`%.*s` takes a date, or year, month, day, hour, minute and second",
                            ARUS_TEXT_ARGS(bind->name));
    }
    if (bind->args[0]->type->id != ARUS_TYPE_DATE && bind->args[0]->type->id != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "DATE", err);
    }
    if (bind->arg_count > 1) {
        return arus_fail_input(bind, 1, "TIME", err);
    }
    return arus_cast_implicit(bind->args[0], is_ntz ? &ARUS_TIMESTAMP_NTZ : &ARUS_TIMESTAMP,
                              bind->is_ansi, bind->arena, &bind->replacement, err);
}

static enum arus_status bind_make_timestamp(struct arus_bind *bind, struct arus_error *err)
{
    const size_t size = strlen(bind->function->name);

    if (bind->arg_count < 6) {
        return bind_midnight(bind, err);
    }
    bind->type = strcmp(bind->function->name + size - 4, "_ntz") == 0 ? &ARUS_TIMESTAMP_NTZ
                                                                      : &ARUS_TIMESTAMP;
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        if (i == 5) {
            if (!arus_type_converts(bind->args[5]->type, &MAKE_SECONDS)) {
                return arus_fail_input(bind, 5, "DECIMAL(16,6)", err);
            }
            ARUS_TRY(arus_arg_cast(bind, 5, &MAKE_SECONDS, err));
        } else {
            ARUS_TRY(arus_arg_take(bind, i, i == 6 ? "s" : "i", err));
        }
    }
    if (strcmp(bind->function->name, "try_make_timestamp") == 0 && bind->arg_count == 7) {
        bind->arg_count = 6; /* Spark's text is without the zone */
        ARUS_TRY(arus_args_text(bind, err));
        bind->arg_count = 7;
    }
    return ARUS_OK;
}

/* ---- zones ---- */

static enum arus_status shift_zone(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const bool from_utc = row->call->expr->function->name[0] == 'f';
    const int64_t micros = arus_row_arg_bigint(row, 0, i);
    const struct arus_zone *zone;

    ARUS_TRY(zone_at(row, 1, i, &zone, err));
    arus_row_bigint(row, i,
                    from_utc ? arus_zone_to_local(zone, micros) : arus_zone_to_utc(zone, micros));
    return ARUS_OK;
}
ARUS_ROWWISE(shift_zone)

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
#define FIELD(name_, aliases_, help_, example_, result_)                                           \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = ARUS_STRICT, .arg_min = 1, .arg_max = 1,      \
        .bind = bind_date_field, .kernel = kernel_date_field, .signature = name_ "(date) -> INT",  \
        .help = help_, .example = example_, .result = result_                                      \
    }
    FIELD("year", NULL, "year", "year(DATE'2020-02-29')", "2020"),
    FIELD("quarter", NULL, "1 to 4", "quarter(DATE'2020-02-29')", "1"),
    FIELD("month", NULL, "1 to 12", "month(DATE'2020-02-29')", "2"),
    FIELD("day", "dayofmonth", "day of the month", "day(DATE'2020-02-29')", "29"),
    FIELD("dayofweek", NULL, "Sunday is 1", "dayofweek(DATE'2020-02-29')", "7"),
    FIELD("weekday", NULL, "Monday is 0", "weekday(DATE'2020-02-29')", "5"),
    FIELD("dayofyear", NULL, "day of the year", "dayofyear(DATE'2020-02-29')", "60"),
    FIELD("weekofyear", NULL, "ISO week", "weekofyear(DATE'2020-02-29')", "9"),
    FIELD("yearofweek", NULL, "year of the ISO week", "extract(YEAROFWEEK FROM DATE'2021-01-01')",
          "2020"),
    FIELD("dayofweek_iso", NULL, "Monday is 1", "extract(DAYOFWEEK_ISO FROM DATE'2021-01-03')",
          "7"),
    ARUS_FUNCTION("hour", NULL, 0, 1, 1, "T", "i", kernel_time_field, "hour(ts) -> INT", "0 to 23",
                  "hour(TIMESTAMP'2020-02-29 12:34:56')", "12"),
    ARUS_FUNCTION("minute", NULL, 0, 1, 1, "T", "i", kernel_time_field, "minute(ts) -> INT",
                  "0 to 59", "minute(TIMESTAMP'2020-02-29 12:34:56')", "34"),
    ARUS_FUNCTION("second", NULL, 0, 1, 1, "T", "i", kernel_time_field, "second(ts) -> INT",
                  "0 to 59", "second(TIMESTAMP'2020-02-29 12:34:56')", "56"),
    {.name = "second_fraction",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_second_fraction,
     .kernel = kernel_second_fraction},
    {.name = "extractansiintervaldays",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_interval_days},
    {.name = "extract",
     .aliases = "date_part datepart",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_extract,
     .signature = "extract(field FROM x), date_part('field', x)",
     .help = "a field of a date, time or interval",
     .example = "extract(DOY FROM DATE'2020-02-29')",
     .result = "60"},
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
    {.name = "unix_seconds",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_unix_units,
     .kernel = kernel_unix_units,
     .signature = "unix_seconds(ts) -> BIGINT",
     .help = "seconds since 1970",
     .example = "unix_seconds(TIMESTAMP'1970-01-01 00:00:01Z')",
     .result = "1"},
    {.name = "unix_millis",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_unix_units,
     .kernel = kernel_unix_units,
     .signature = "unix_millis(ts) -> BIGINT",
     .help = "milliseconds since 1970",
     .example = "unix_millis(TIMESTAMP'1970-01-01 00:00:01Z')",
     .result = "1000"},
    {.name = "unix_micros",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_unix_units,
     .kernel = kernel_unix_units,
     .signature = "unix_micros(ts) -> BIGINT",
     .help = "microseconds since 1970",
     .example = "unix_micros(TIMESTAMP'1970-01-01 00:00:01Z')",
     .result = "1000000"},
    {.name = "timestamp_seconds",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_timestamp_seconds,
     .signature = "timestamp_seconds(n) -> TIMESTAMP",
     .help = "seconds since 1970",
     .example = "timestamp_seconds(1.5)",
     .result = "1970-01-01 00:00:01.5"},
    ARUS_FUNCTION("timestamp_millis", NULL, ARUS_CAN_FAIL, 1, 1, "=L", "t", kernel_timestamp_units,
                  "timestamp_millis(n) -> TIMESTAMP", "milliseconds since 1970",
                  "timestamp_millis(1500)", "1970-01-01 00:00:01.5"),
    ARUS_FUNCTION("timestamp_micros", NULL, ARUS_CAN_FAIL, 1, 1, "=L", "t", kernel_timestamp_units,
                  "timestamp_micros(n) -> TIMESTAMP", "microseconds since 1970",
                  "timestamp_micros(1500000)", "1970-01-01 00:00:01.5"),
    ARUS_FUNCTION("unix_date", NULL, 0, 1, 1, "=D", "i", kernel_same_int, "unix_date(date) -> INT",
                  "days since 1970-01-01", "unix_date(DATE'1970-01-02')", "1"),
    ARUS_FUNCTION("date_from_unix_date", NULL, 0, 1, 1, "i", "D", kernel_same_int,
                  "date_from_unix_date(n) -> DATE", "days since 1970-01-01",
                  "date_from_unix_date(1)", "1970-01-02"),
    {.name = "micros_number",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .kernel = kernel_same_micros,
     .takes = "T",
     .gives = "l"},
    ARUS_FUNCTION("make_date", NULL, ARUS_CAN_FAIL, 3, 3, "i", "D", kernel_make_date,
                  "make_date(y, m, d) -> DATE", "a date", "make_date(2020, 2, 29)", "2020-02-29"),
    {.name = "make_timestamp",
     .aliases = "make_timestamp_ltz",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 1,
     .arg_max = 7,
     .bind = bind_make_timestamp,
     .kernel = kernel_make_timestamp,
     .signature = "make_timestamp(y, m, d, h, min, s[, zone]) or make_timestamp(date) -> TIMESTAMP",
     .help = "60 seconds roll over",
     .example = "make_timestamp(2020, 2, 29, 12, 34, 56.5)",
     .result = "2020-02-29 12:34:56.5"},
    {.name = "try_make_timestamp",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 7,
     .bind = bind_make_timestamp,
     .kernel = kernel_make_timestamp,
     .signature = "try_make_timestamp(y, m, d, h, min, s[, zone]) -> TIMESTAMP",
     .help = "as make_timestamp; NULL for no such time",
     .example = "try_make_timestamp(2020, 2, 30, 0, 0, 0)",
     .result = "NULL"},
    {.name = "try_make_timestamp_ltz",
     .flags = ARUS_STRICT,
     .arg_min = 6,
     .arg_max = 7,
     .bind = bind_make_timestamp,
     .kernel = kernel_make_timestamp,
     .signature = "try_make_timestamp_ltz(y, m, d, h, min, s[, zone]) -> TIMESTAMP",
     .help = "as make_timestamp; NULL for no such time",
     .example = "try_make_timestamp_ltz(2020, 2, 29, 25, 0, 0)",
     .result = "NULL"},
    {.name = "try_make_timestamp_ntz",
     .flags = ARUS_STRICT,
     .arg_min = 6,
     .arg_max = 6,
     .bind = bind_make_timestamp,
     .kernel = kernel_make_timestamp,
     .signature = "try_make_timestamp_ntz(y, m, d, h, min, s) -> TIMESTAMP_NTZ",
     .help = "as make_timestamp_ntz; NULL for no such time",
     .example = "try_make_timestamp_ntz(2020, 2, 30, 0, 0, 0)",
     .result = "NULL"},
    {.name = "make_timestamp_ntz",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 6,
     .bind = bind_make_timestamp,
     .kernel = kernel_make_timestamp,
     .signature = "make_timestamp_ntz(y, m, d, h, min, s) -> TIMESTAMP_NTZ",
     .help = "a wall clock time",
     .example = "make_timestamp_ntz(2020, 2, 29, 12, 34, 56.5)",
     .result = "2020-02-29 12:34:56.5"},
    ARUS_FUNCTION(
        "from_utc_timestamp", NULL, ARUS_CAN_FAIL, 2, 2, "ts", "t", kernel_shift_zone,
        "from_utc_timestamp(ts, zone) -> TIMESTAMP", "the wall clock of a zone, ts is that of UTC",
        "from_utc_timestamp(TIMESTAMP'2020-01-01 00:00:00', 'Asia/Tokyo')", "2020-01-01 09:00:00"),
    ARUS_FUNCTION(
        "to_utc_timestamp", NULL, ARUS_CAN_FAIL, 2, 2, "ts", "t", kernel_shift_zone,
        "to_utc_timestamp(ts, zone) -> TIMESTAMP", "the wall clock of UTC, ts is that of a zone",
        "to_utc_timestamp(TIMESTAMP'2020-01-01 09:00:00', 'Asia/Tokyo')", "2020-01-01 00:00:00"),
    {0},
};
