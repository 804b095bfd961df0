/** Fields of dates, times and intervals: year, hour, extract. */
#include "expr/calendar.h"
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/datetime.h"

/* ---- fields ---- */

/* Microseconds since midnight of an argument of DATE, TIMESTAMP or TIMESTAMP_NTZ. */
static int64_t time_at(const struct arus_rowwise *row, uint32_t arg, uint32_t i)
{
    const struct arus_vector *vector = &row->call->args[arg];

    if (vector->type->id == ARUS_TYPE_DATE) {
        return 0;
    }
    return vector->type->id == ARUS_TYPE_TIMESTAMP
               ? arus_wall_at(row->call->env->zone, arus_row_arg_bigint(row, arg, i)).time
               : arus_timestamp_time(arus_row_arg_bigint(row, arg, i));
}

static enum arus_status date_field(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const enum arus_date_field *field = row->call->expr->bound;

    (void)err;
    arus_row_int(row, i, arus_date_field(arus_row_arg_int(row, 0, i), *field));
    return ARUS_OK;
}

static enum arus_status kernel_date_field(const struct arus_kernel_call *call,
                                          struct arus_vector *out, uint32_t *bad_row,
                                          struct arus_error *err)
{
    const enum arus_date_field *field = call->expr->bound;

    if (call->args[0].form == ARUS_VECTOR_FLAT) {
        ARUS_TRY(arus_vector_init(out, &ARUS_INT, call->row_count, call->step, err));
        if (arus_calendar_field(*field, call->args[0].values, call->row_count, out->values)) {
            return ARUS_OK;
        }
    }
    return arus_rowwise_run(call, date_field, out, bad_row, err);
}

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
    const int64_t time = time_at(row, 0, i);

    (void)err;
    arus_row_int(row, i,
                 (int32_t)(first == 'h'   ? time / HOUR
                           : first == 'm' ? time % HOUR / MINUTE
                                          : time % MINUTE / ARUS_MICROS_PER_SECOND));
    return ARUS_OK;
}

/* Is the argument a column of instants whose wall clock is always as far away? */
static bool has_fixed_offset(const struct arus_kernel_call *call, int64_t *offset)
{
    const struct arus_vector *arg = &call->args[0];

    *offset = 0;
    return arg->form == ARUS_VECTOR_FLAT &&
           (arg->type->id == ARUS_TYPE_TIMESTAMP_NTZ ||
            (arg->type->id == ARUS_TYPE_TIMESTAMP && arus_zone_is_fixed(call->env->zone, offset)));
}

static enum arus_status kernel_time_field(const struct arus_kernel_call *call,
                                          struct arus_vector *out, uint32_t *bad_row,
                                          struct arus_error *err)
{
    const char first = call->expr->function->name[0];
    int64_t offset;

    if (!has_fixed_offset(call, &offset)) {
        return arus_rowwise_run(call, time_field, out, bad_row, err);
    }
    ARUS_TRY(arus_vector_init(out, &ARUS_INT, call->row_count, call->step, err));
    arus_calendar_clock(first == 'h'   ? ARUS_CLOCK_HOUR
                        : first == 'm' ? ARUS_CLOCK_MINUTE
                                       : ARUS_CLOCK_SECOND,
                        call->args[0].values, offset, call->row_count, out->values);
    return ARUS_OK;
}

/* Seconds with their fraction, DECIMAL(8,6): also of day-time intervals. */
static enum arus_status second_fraction(struct arus_rowwise *row, uint32_t i,
                                        struct arus_error *err)
{
    (void)err;
    arus_row_bigint(row, i,
                    row->call->args[0].type->id == ARUS_TYPE_INTERVAL_DT
                        ? arus_row_arg_bigint(row, 0, i) % MINUTE
                        : time_at(row, 0, i) % MINUTE);
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

#define FIELD(name_, aliases_, help_, example_, result_)                                           \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = ARUS_STRICT, .arg_min = 1, .arg_max = 1,      \
        .bind = bind_date_field, .kernel = kernel_date_field, .signature = name_ "(date) -> INT",  \
        .help = help_, .example = example_, .result = result_                                      \
    }

const struct arus_function ARUS_DATETIME_FIELDS[] = {
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
    {0},
};
