/** sequence: numbers, dates and times from one to another. */
#include "expr/collection.h"
#include "expr/families.h"
#include "types/datetime.h"

/* A step: a number, or an interval. */
struct step {
    int64_t number; /* or microseconds, or days of a DATE */
    int32_t months;
};

struct progress {
    const struct arus_kernel_call *call;
    int64_t *items;
    uint32_t count;
    uint32_t capacity;
};

static int64_t value_at(const struct arus_vector *vector, uint32_t i)
{
    const size_t at = i * ARUS_STEP(vector);

    switch (arus_type_value_size(vector->type)) {
    case 1:
        return ((const int8_t *)vector->values)[at];
    case 2:
        return ((const int16_t *)vector->values)[at];
    case 4:
        return ((const int32_t *)vector->values)[at];
    default:
        return ((const int64_t *)vector->values)[at];
    }
}

static enum arus_status add_item(struct progress *progress, int64_t value, struct arus_error *err)
{
    if (progress->count == progress->capacity) {
        const uint32_t capacity = progress->capacity == 0 ? 1024 : 2 * progress->capacity;
        int64_t *items;

        ARUS_TRY(ARUS_NEW(progress->call->step, int64_t, capacity, &items, err));
        if (progress->count > 0) {
            memcpy(items, progress->items, progress->count * sizeof *items);
        }
        progress->items = items;
        progress->capacity = capacity;
    }
    progress->items[progress->count++] = value;
    return ARUS_OK;
}

static struct step step_of(const struct progress *progress, uint32_t i, int64_t start, int64_t stop)
{
    const struct arus_vector *by = &progress->call->args[2];
    const enum arus_type_id id = progress->call->expr->type->fields[0].type->id;
    const int64_t day = id == ARUS_TYPE_DATE ? 1 : ARUS_MICROS_PER_DAY;

    if (progress->call->expr->arg_count == 2) {
        const int64_t one = id == ARUS_TYPE_TIMESTAMP || id == ARUS_TYPE_TIMESTAMP_NTZ ? day : 1;

        return (struct step){start <= stop ? one : -one, 0};
    }
    if (by->type->id == ARUS_TYPE_INTERVAL_YM) {
        return (struct step){0, (int32_t)value_at(by, i)};
    }
    if (by->type->id == ARUS_TYPE_INTERVAL_DT && id == ARUS_TYPE_DATE) {
        return (struct step){value_at(by, i) / ARUS_MICROS_PER_DAY, 0};
    }
    return (struct step){value_at(by, i), 0};
}

/* The n-th value; false: beyond the type. */
static bool nth(const struct progress *progress, int64_t start, struct step step, int64_t n,
                int64_t *out)
{
    const enum arus_type_id id = progress->call->expr->type->fields[0].type->id;
    const struct arus_zone *zone =
        id == ARUS_TYPE_TIMESTAMP ? progress->call->env->zone : ARUS_ZONE_UTC;
    int32_t days;

    if (step.months != 0 && id == ARUS_TYPE_DATE) {
        const bool is_fine = arus_date_add_months((int32_t)start, step.months * n, &days);

        *out = days;
        return is_fine;
    }
    if (step.months != 0) {
        return arus_timestamp_add(start, (int32_t)(step.months * n), 0, 0, zone, out);
    }
    if (id == ARUS_TYPE_TIMESTAMP && step.number % ARUS_MICROS_PER_DAY == 0) {
        return arus_timestamp_add(start, 0, (int32_t)(step.number / ARUS_MICROS_PER_DAY * n), 0,
                                  zone, out);
    }
    return !__builtin_mul_overflow(step.number, n, out) &&
           !__builtin_add_overflow(*out, start, out);
}

static enum arus_status run_row(struct progress *progress, uint32_t i, struct arus_error *err)
{
    const int64_t start = value_at(&progress->call->args[0], i);
    const int64_t stop = value_at(&progress->call->args[1], i);
    const struct step step = step_of(progress, i, start, stop);
    const int64_t direction = step.months != 0 ? step.months : step.number;
    int64_t value = start;

    if ((direction == 0 && start != stop) || (direction > 0 && start > stop) ||
        (direction < 0 && start < stop)) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.SEQUENCE",
                         "a sequence from %lld to %lld needs a step in that direction",
                         (long long)start, (long long)stop);
    }
    for (int64_t n = 0; direction > 0 ? value <= stop : value >= stop;) {
        ARUS_TRY(add_item(progress, value, err));
        if (direction == 0 || !nth(progress, start, step, ++n, &value)) {
            break;
        }
    }
    return ARUS_OK;
}

static enum arus_status kernel_sequence(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    struct progress progress = {.call = call};
    const struct arus_type *element = call->expr->type->fields[0].type;
    const uint32_t size = arus_type_value_size(element);
    struct arus_span *spans;

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    spans = out->values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        const uint32_t begin = progress.count;

        *bad_row = i;
        if (arus_bit_get(call->valid, i)) {
            ARUS_TRY(run_row(&progress, i, err));
        }
        spans[i] = (struct arus_span){begin, progress.count - begin};
    }
    ARUS_TRY(arus_vector_init(out->children, element, progress.count, call->step, err));
    for (uint32_t k = 0; k < progress.count; k++) {
        memcpy((char *)out->children[0].values + (size_t)k * size, &progress.items[k], size);
    }
    return ARUS_OK;
}

static enum arus_status bind_sequence(struct arus_bind *bind, struct arus_error *err)
{
    const bool has_step = bind->arg_count == 3;
    const struct arus_type *common =
        arus_type_common(bind->args[0]->type, bind->args[1]->type, bind->is_ansi, bind->arena);

    if (common != NULL && has_step && arus_type_is_integer(common) &&
        bind->args[2]->type->id != ARUS_TYPE_VOID) {
        common = arus_type_common(common, bind->args[2]->type, bind->is_ansi, bind->arena);
    }
    if (common == NULL ||
        !(arus_type_is_integer(common) || common->id == ARUS_TYPE_DATE ||
          common->id == ARUS_TYPE_TIMESTAMP || common->id == ARUS_TYPE_TIMESTAMP_NTZ)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES",
                            "sequence takes integers, dates or timestamps of one type");
    }
    ARUS_TRY(arus_arg_cast(bind, 0, common, err));
    ARUS_TRY(arus_arg_cast(bind, 1, common, err));
    if (has_step && arus_type_is_integer(common)) {
        ARUS_TRY(arus_arg_cast(bind, 2, common, err));
    } else if (has_step && bind->args[2]->type->id != ARUS_TYPE_INTERVAL_YM &&
               bind->args[2]->type->id != ARUS_TYPE_INTERVAL_DT) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES",
                            "the step of a sequence of dates or timestamps is an INTERVAL");
    }
    return arus_type_array(common, false, bind->arena, &bind->type, err);
}

const struct arus_function ARUS_SEQUENCES[] = {
    {.name = "sequence",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_sequence,
     .kernel = kernel_sequence,
     .signature = "sequence(start, stop[, step]) -> ARRAY",
     .help = "from start to stop, both included",
     .example = "sequence(1, 7, 3)",
     .result = "[1, 4, 7]"},
    {0},
};
