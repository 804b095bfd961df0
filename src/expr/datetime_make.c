/** Dates and times from numbers, numbers from them; zones. */
#include "base/alloc.h"
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/datetime.h"
#include "types/decimal.h"

#include <math.h>

static enum arus_status fail_overflow(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "DATETIME_OVERFLOW",
                     "the result is beyond the range of dates and timestamps");
}

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

        results[i] = unit == 1 ? value
                     : unit == ARUS_MICROS_PER_SECOND
                         ? arus_floor_div(value, ARUS_MICROS_PER_SECOND)
                         : arus_floor_div(value, unit);
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

static const int64_t HOUR = 3600 * (int64_t)1000000;
static const int64_t MINUTE = 60 * (int64_t)1000000;
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
    int64_t shifted;

    ARUS_TRY(zone_at(row, 1, i, &zone, err));
    if (!(from_utc ? arus_timestamp_to_local(zone, micros, &shifted)
                   : arus_timestamp_to_utc(zone, micros, &shifted))) {
        return fail_overflow(err);
    }
    arus_row_bigint(row, i, shifted);
    return ARUS_OK;
}
ARUS_ROWWISE(shift_zone)

const struct arus_function ARUS_DATETIME_MAKES[] = {
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
