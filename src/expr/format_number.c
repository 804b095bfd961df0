/** format_number(x, digits or pattern): java.text.DecimalFormat. */
#include "base/alloc.h"
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/number_pattern.h"

/* Memory for the longest result is one buffer: more digits than this serve nobody. */
#define PLACES_MAX 100000

/* What one call keeps: the pattern it was last given, compiled. */
struct pattern_memo {
    struct arus_arena arena;
    struct arus_text text;
    struct arus_number_pattern pattern;
    bool is_set;
};

static void pattern_memo_close(void *data)
{
    struct pattern_memo *memo = data;

    arus_arena_release(&memo->arena);
    arus_free(memo);
}

static enum arus_status pattern_of_text(const struct arus_rowwise *row, struct arus_text text,
                                        struct arus_number_pattern *out, struct arus_error *err)
{
    struct pattern_memo *memo = row->call->memo->data;

    if (memo == NULL) {
        memo = arus_alloc(1, sizeof *memo);
        if (memo == NULL) {
            return arus_fail_memory(err);
        }
        row->call->memo->data = memo;
        row->call->memo->close = pattern_memo_close;
    }
    if (!memo->is_set || !arus_text_equal(memo->text, text)) {
        memo->is_set = false;
        arus_arena_reset(&memo->arena);
        ARUS_TRY(arus_text_copy(text, &memo->arena, &memo->text, err));
        ARUS_TRY(arus_number_pattern_compile(memo->text, &memo->arena, &memo->pattern, err));
        memo->is_set = true;
    }
    *out = memo->pattern;
    return ARUS_OK;
}

static enum arus_status append_value(const struct arus_vector *numbers, uint32_t i,
                                     const struct arus_number_pattern *pattern,
                                     struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_type *type = numbers->type;

    if (type->id == ARUS_TYPE_DECIMAL) {
        const struct arus_decimal value = {
            arus_decimal_get(type, numbers->values, i * (uint32_t)ARUS_STEP(numbers)), type->scale};

        return arus_number_pattern_decimal(pattern, value, out, err);
    }
    return type->id == ARUS_TYPE_DOUBLE
               ? arus_number_pattern_double(pattern, arus_double_at(numbers, i), out, err)
               : arus_number_pattern_int64(pattern, arus_bigint_at(numbers, i), out, err);
}

static enum arus_status format_places(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const int32_t places = arus_row_arg_int(row, 1, i);
    const struct arus_number_pattern pattern = arus_number_pattern_of_places(places);

    if (places < 0) {
        return arus_row_null(row, i, err);
    }
    if (places > PLACES_MAX) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE",
                         "format_number writes at most %d digits behind the point, not %d",
                         PLACES_MAX, places);
    }
    arus_buffer_reset(&row->buffer);
    ARUS_TRY(append_value(&row->call->args[0], i, &pattern, &row->buffer, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(format_places)

static enum arus_status format_pattern(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 1, i);
    struct arus_number_pattern pattern = arus_number_pattern_of_places(0);

    if (text.size > 0) {
        ARUS_TRY(pattern_of_text(row, text, &pattern, err));
    }
    arus_buffer_reset(&row->buffer);
    ARUS_TRY(append_value(&row->call->args[0], i, &pattern, &row->buffer, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(format_pattern)

static enum arus_status bind_format_number(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id second = bind->args[1]->type->id;
    const enum arus_type_id first = bind->args[0]->type->id;

    ARUS_TRY(arus_args_text(bind, err));
    if (!arus_type_is_numeric(bind->args[0]->type) && first != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "NUMERIC", err);
    }
    if (second != ARUS_TYPE_INT && second != ARUS_TYPE_STRING && second != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 1, "INT or STRING", err);
    }
    if (first == ARUS_TYPE_FLOAT || first == ARUS_TYPE_VOID) {
        ARUS_TRY(arus_arg_cast(bind, 0, &ARUS_DOUBLE, err));
    } else if (arus_type_is_integer(bind->args[0]->type)) {
        ARUS_TRY(arus_arg_cast(bind, 0, &ARUS_BIGINT, err));
    }
    if (second != ARUS_TYPE_STRING) {
        ARUS_TRY(arus_arg_cast(bind, 1, &ARUS_INT, err));
    }
    bind->kernel = second == ARUS_TYPE_STRING ? kernel_format_pattern : kernel_format_places;
    bind->type = &ARUS_STRING;
    bind->is_nullable = true;
    return ARUS_OK;
}

const struct arus_function ARUS_FORMAT_NUMBERS[] = {
    {.name = "format_number",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_format_number,
     .signature = "format_number(x, digits or pattern) -> STRING",
     .help = "with thousands separators, or as java.text.DecimalFormat does",
     .example = "format_number(12332.123456, '#,##0.0#;(#)')",
     .result = "12,332.12"},
    {0},
};
