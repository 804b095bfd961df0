/** window, session_window, window_time: time windows as structs of start and end. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/datetime.h"
#include "types/interval.h"

/* expr->bound of window: microseconds. */
struct window {
    int64_t size;
    int64_t slide;
    int64_t start;
};

static const struct arus_field FIELDS[2][2] = {
    {{.name = {"start", 5}, .type = &ARUS_TIMESTAMP, .is_nullable = true},
     {.name = {"end", 3}, .type = &ARUS_TIMESTAMP, .is_nullable = true}},
    {{.name = {"start", 5}, .type = &ARUS_TIMESTAMP_NTZ, .is_nullable = true},
     {.name = {"end", 3}, .type = &ARUS_TIMESTAMP_NTZ, .is_nullable = true}},
};
static const struct arus_type WINDOW_TYPES[2] = {
    {.id = ARUS_TYPE_STRUCT, .field_count = 2, .fields = FIELDS[0]},
    {.id = ARUS_TYPE_STRUCT, .field_count = 2, .fields = FIELDS[1]},
};

static const struct arus_type *window_type(const struct arus_type *time)
{
    return &WINDOW_TYPES[time->id == ARUS_TYPE_TIMESTAMP_NTZ];
}

/* The start of the last window that holds the instant. */
static int64_t last_start(int64_t micros, const struct window *window)
{
    int64_t rest = (micros - window->start) % window->slide;

    if (rest < 0) {
        rest += window->slide;
    }
    return micros - rest;
}

static enum arus_status kernel_window(const struct arus_kernel_call *call, struct arus_vector *out,
                                      uint32_t *bad_row, struct arus_error *err)
{
    const struct window *window = call->expr->bound;
    int64_t *start;
    int64_t *end;
    int64_t last = 0;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    start = out->children[0].values;
    end = out->children[1].values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        const int64_t micros = arus_bigint_at(&call->args[0], i);

        /* times come nearly in order: a division for each window, not for each row */
        if (i == 0 || (uint64_t)micros - (uint64_t)last >= (uint64_t)window->slide) {
            last = last_start(micros, window);
        }
        start[i] = last;
        end[i] = last + window->size;
    }
    return ARUS_OK;
}

/* All windows of an instant, the latest first: an ARRAY to be exploded. */
static enum arus_status kernel_windows(const struct arus_kernel_call *call, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    const struct window *window = call->expr->bound;
    const uint32_t most = (uint32_t)((window->size + window->slide - 1) / window->slide);
    struct arus_vector *element;
    struct arus_span *spans;
    uint32_t total = 0;

    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    element = out->children;
    ARUS_TRY(arus_vector_init(element, element->type, call->row_count * most, call->step, err));
    spans = out->values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        const int64_t micros = arus_bigint_at(&call->args[0], i);
        int64_t start = arus_bit_get(call->valid, i) ? last_start(micros, window) : 0;

        spans[i] = (struct arus_span){total, 0};
        while (arus_bit_get(call->valid, i) && micros < start + window->size) {
            ((int64_t *)element->children[0].values)[total] = start;
            ((int64_t *)element->children[1].values)[total] = start + window->size;
            start -= window->slide;
            total++;
        }
        spans[i].count = total - spans[i].begin;
    }
    element->row_count = total;
    element->children[0].row_count = total;
    element->children[1].row_count = total;
    return ARUS_OK;
}

/* A constant duration: a text without months, or microseconds. */
static enum arus_status duration(const struct arus_bind *bind, uint32_t i, int64_t *out,
                                 struct arus_error *err)
{
    struct arus_interval interval = {0};
    struct arus_vector value;
    bool is_found;

    ARUS_TRY(arus_arg_constant(bind, i, &value, &is_found, err));
    if (!is_found || !arus_vector_is_valid(&value, 0) ||
        (value.type->id != ARUS_TYPE_STRING && !arus_type_is_integer(value.type))) {
        return arus_fail_at(err, bind->args[i]->place, "_LEGACY_ERROR_TEMP_1207",
                            "a window takes a constant text such as '10 minutes', not %s",
                            arus_type_name(bind->args[i]->type).text);
    }
    if (value.type->id == ARUS_TYPE_INT) {
        *out = *(const int32_t *)value.values;
        return ARUS_OK;
    }
    if (value.type->id != ARUS_TYPE_STRING) {
        *out = value.type->id == ARUS_TYPE_BIGINT ? *(const int64_t *)value.values : 0;
        return ARUS_OK;
    }
    if (!arus_interval_parse_units(arus_view_text(*(const struct arus_view *)value.values),
                                   &interval)) {
        return arus_fail_at(
            err, bind->args[i]->place, "CANNOT_PARSE_INTERVAL", "cannot read '%.*s' as an interval",
            ARUS_TEXT_ARGS(arus_view_text(*(const struct arus_view *)value.values)));
    }
    if (interval.months != 0) {
        return arus_fail_at(err, bind->args[i]->place, "_LEGACY_ERROR_TEMP_3231",
                            "months are no fixed time: a window cannot count in them");
    }
    *out = interval.days * ARUS_MICROS_PER_DAY + interval.micros;
    return ARUS_OK;
}

static enum arus_status check_window(const struct arus_bind *bind, const struct window *window,
                                     struct arus_error *err)
{
    const char *problem = NULL;

    if (window->size <= 0 || window->slide <= 0) {
        problem = "the size and the slide of a window must be above 0";
    } else if (window->slide > window->size) {
        problem = "the slide of a window must not exceed its size";
    } else if (window->start >= window->slide || window->start <= -window->slide) {
        problem = "the start of a window must be less than its slide";
    }
    return problem == NULL
               ? ARUS_OK
               : arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION",
                              "%s", problem);
}

static enum arus_status bind_window(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_list = bind->function->name[6] == 's';
    struct window *window;

    ARUS_TRY(ARUS_NEW(bind->arena, struct window, 1, &window, err));
    if (bind->args[0]->type->id == ARUS_TYPE_STRUCT) { /* a window again: its last instant */
        ARUS_TRY(arus_call_of(bind, "window_time", bind->args, 1, &bind->args[0], err));
    }
    ARUS_TRY(arus_arg_take(bind, 0, "T", err));
    ARUS_TRY(duration(bind, 1, &window->size, err));
    window->slide = window->size;
    if (bind->arg_count > 2) {
        ARUS_TRY(duration(bind, 2, &window->slide, err));
    }
    if (bind->arg_count > 3) {
        ARUS_TRY(duration(bind, 3, &window->start, err));
    }
    ARUS_TRY(check_window(bind, window, err));
    bind->bound = window;
    bind->type = window_type(bind->args[0]->type);
    if (is_list || window->slide != window->size) {
        bind->kernel = kernel_windows;
        return arus_type_array(bind->type, false, bind->arena, &bind->type, err);
    }
    bind->kernel = kernel_window;
    return ARUS_OK;
}

static enum arus_status bind_window_time(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    if (type->id != ARUS_TYPE_STRUCT || type->field_count != 2 ||
        !arus_text_equal_nocase(type->fields[1].name, ARUS_TEXT("end"))) {
        return arus_fail_input(bind, 0, "a window", err);
    }
    bind->type = type->fields[1].type;
    return ARUS_OK;
}

static enum arus_status window_time(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_vector *arg = &row->call->args[0];
    const uint32_t at = (uint32_t)(i * ARUS_STEP(arg));

    if (!arus_vector_is_valid(&arg->children[1], at)) {
        return arus_row_null(row, i, err);
    }
    arus_row_bigint(row, i, arus_bigint_at(&arg->children[1], at) - 1);
    return ARUS_OK;
}
ARUS_ROWWISE(window_time)

/* The window of one event: [ts, ts + gap). Gaps that are unreadable or not above 0 give NULL. */
static enum arus_status session_window(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_zone *zone = row->out->children[0].type->id == ARUS_TYPE_TIMESTAMP
                                       ? row->call->env->zone
                                       : ARUS_ZONE_UTC;
    const int64_t start = arus_row_arg_bigint(row, 0, i);
    struct arus_interval gap;
    int64_t end;

    if (!arus_interval_parse_units(arus_row_arg_text(row, 1, i), &gap) ||
        !arus_timestamp_add(start, gap.months, gap.days, gap.micros, zone, &end) || end <= start) {
        return arus_row_null(row, i, err);
    }
    ((int64_t *)row->out->children[0].values)[i] = start;
    ((int64_t *)row->out->children[1].values)[i] = end;
    return ARUS_OK;
}
ARUS_ROWWISE(session_window)

static enum arus_status bind_session_window(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 0, "T", err));
    if (bind->args[1]->type->id != ARUS_TYPE_STRING) {
        return arus_fail_at(err, bind->args[1]->place, "_LEGACY_ERROR_TEMP_1207",
                            "the gap of a session is a text such as '10 minutes', not %s",
                            arus_type_name(bind->args[1]->type).text);
    }
    bind->type = window_type(bind->args[0]->type);
    bind->is_nullable = true;
    return ARUS_OK;
}

const struct arus_function ARUS_WINDOWS[] = {
    {.name = "window",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 4,
     .bind = bind_window,
     .text = "window",
     .signature = "window(ts, size[, slide[, start]]) -> STRUCT<start, end>",
     .help = "the time window of ts; with a slide: the array of its windows",
     .example = "window(TIMESTAMP'2020-01-01 00:07:00', '10 minutes').start",
     .result = "2020-01-01 00:00:00"},
    {.name = "windows", .flags = ARUS_STRICT, .arg_min = 2, .arg_max = 4, .bind = bind_window},
    {.name = "window_time",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_window_time,
     .kernel = kernel_window_time,
     .signature = "window_time(window) -> TIMESTAMP",
     .help = "the last instant of a window",
     .example = "window_time(window(TIMESTAMP'2020-01-01 00:07:00', '10 minutes'))",
     .result = "2020-01-01 00:09:59.999999"},
    {.name = "session_window",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_session_window,
     .kernel = kernel_session_window,
     .text = "session_window",
     .signature = "session_window(ts, gap) -> STRUCT<start, end>",
     .help = "in GROUP BY: events with less than `gap` between them",
     .example = "session_window.end FROM VALUES (TIMESTAMP'2020-01-01 10:00:00') AS t(ts) GROUP BY "
                "session_window(ts, '5 minutes')",
     .result = "2020-01-01 10:05:00"},
    {0},
};
