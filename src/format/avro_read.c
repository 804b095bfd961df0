/** Reading values as a plan says. */
#include "format/avro_internal.h"
#include "format/avro_plan_internal.h"
#include "types/decimal.h"

static enum arus_status fail_value(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "MALFORMED_AVRO_MESSAGE",
                     "the bytes are no Avro value of the schema");
}

static struct avro_input input_of(struct arus_text bytes)
{
    const unsigned char *data = (const unsigned char *)bytes.data;

    return (struct avro_input){.at = data, .end = data + bytes.size};
}

static enum arus_status read_value(const struct arus_avro_plan *plan, struct avro_input *input,
                                   struct arus_builder *builder, struct arus_error *err);

/* Blocks of items; a negative count is followed by the block's size. `*count` 0: the end. */
static bool take_block(struct avro_input *input, int64_t *count)
{
    int64_t size;

    if (!avro_take_long(input, count)) {
        return false;
    }
    if (*count < 0) {
        *count = *count == INT64_MIN ? 0 : -*count; /* which has no positive twin */
        return *count > 0 && avro_take_long(input, &size);
    }
    return true;
}

static bool skip_value(const struct arus_avro_plan *plan, struct avro_input *input);

static bool skip_blocks(const struct arus_avro_plan *plan, struct avro_input *input)
{
    struct arus_text key;
    int64_t count;

    while (take_block(input, &count)) {
        if (count == 0) {
            return true;
        }
        for (; count > 0; count--) {
            const unsigned char *before = input->at;

            if ((plan->writer->kind == ARUS_AVRO_MAP && !avro_take_sized(input, &key)) ||
                !skip_value(plan->children[0], input)) {
                return false;
            }
            if (input->at == before) { /* items of no bytes: any count would do */
                break;
            }
        }
    }
    return false;
}

static bool skip_value(const struct arus_avro_plan *plan, struct avro_input *input)
{
    struct arus_text bytes;
    int64_t number;

    switch (plan->writer->kind) {
    case ARUS_AVRO_NULL:
        return true;
    case ARUS_AVRO_BOOLEAN:
        return avro_take_bytes(input, 1, &bytes);
    case ARUS_AVRO_INT:
    case ARUS_AVRO_LONG:
    case ARUS_AVRO_ENUM:
        return avro_take_long(input, &number);
    case ARUS_AVRO_FLOAT:
        return avro_take_bytes(input, 4, &bytes);
    case ARUS_AVRO_DOUBLE:
        return avro_take_bytes(input, 8, &bytes);
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_STRING:
        return avro_take_sized(input, &bytes);
    case ARUS_AVRO_FIXED:
        return avro_take_bytes(input, plan->writer->size, &bytes);
    case ARUS_AVRO_ARRAY:
    case ARUS_AVRO_MAP:
        return skip_blocks(plan, input);
    case ARUS_AVRO_RECORD:
        for (uint32_t i = 0; i < plan->count; i++) {
            if (!skip_value(plan->children[i], input)) {
                return false;
            }
        }
        return true;
    case ARUS_AVRO_UNION:
        break;
    }
    return avro_take_long(input, &number) && number >= 0 && number < plan->count &&
           skip_value(plan->children[number], input);
}

static enum arus_status put_text(struct arus_builder *builder, struct arus_text text,
                                 struct arus_error *err)
{
    const struct arus_view view = arus_view_of(text.size == 0 ? "" : text.data, text.size);

    return arus_builder_value(builder, &view, err);
}

static enum arus_status put_integer(struct arus_builder *builder, int64_t value,
                                    struct arus_error *err)
{
    const int8_t tiny = (int8_t)value;
    const int16_t small = (int16_t)value;
    const int32_t narrow = (int32_t)value;
    const float single = (float)value;
    const double wide = (double)value;

    switch (arus_type_value_size(builder->type)) {
    case 1:
        return tiny == value ? arus_builder_value(builder, &tiny, err) : fail_value(err);
    case 2:
        return small == value ? arus_builder_value(builder, &small, err) : fail_value(err);
    case 4:
        if (builder->type->id == ARUS_TYPE_FLOAT) {
            return arus_builder_value(builder, &single, err);
        }
        return narrow == value ? arus_builder_value(builder, &narrow, err) : fail_value(err);
    default:
        return arus_builder_value(
            builder, builder->type->id == ARUS_TYPE_DOUBLE ? (const void *)&wide : &value, err);
    }
}

/* One byte, 1 is true; as Java reads it, anything else is false. */
static enum arus_status read_boolean(struct avro_input *input, struct arus_builder *builder,
                                     struct arus_error *err)
{
    struct arus_text bytes;
    bool value;

    if (!avro_take_bytes(input, 1, &bytes)) {
        return fail_value(err);
    }
    value = bytes.data[0] == 1;
    return arus_builder_value(builder, &value, err);
}

static enum arus_status read_integer(const struct arus_avro_plan *plan, struct avro_input *input,
                                     struct arus_builder *builder, struct arus_error *err)
{
    int64_t value;

    if (!avro_take_long(input, &value) || __builtin_mul_overflow(value, plan->factor, &value) ||
        (plan->writer->kind == ARUS_AVRO_INT && value != (int32_t)value)) {
        return fail_value(err);
    }
    if (plan->step == AVRO_ROUNDED) {
        const double rounded = (double)(float)value;

        return arus_builder_value(builder, &rounded, err);
    }
    return put_integer(builder, value, err);
}

static enum arus_status read_fraction(const struct arus_avro_plan *plan, struct avro_input *input,
                                      struct arus_builder *builder, struct arus_error *err)
{
    struct arus_text bytes;
    double wide;
    float single;

    if (!avro_take_bytes(input, plan->step == AVRO_FLOAT ? 4 : 8, &bytes)) {
        return fail_value(err);
    }
    if (plan->step == AVRO_DOUBLE) {
        memcpy(&wide, bytes.data, sizeof wide);
        return arus_builder_value(builder, &wide, err);
    }
    memcpy(&single, bytes.data, sizeof single);
    wide = (double)single;
    return arus_builder_value(
        builder, builder->type->id == ARUS_TYPE_DOUBLE ? (const void *)&wide : &single, err);
}

static enum arus_status read_decimal(const struct arus_avro_plan *plan, struct avro_input *input,
                                     struct arus_builder *builder, struct arus_error *err)
{
    struct arus_text bytes;
    arus_int128 value;
    int64_t narrow;

    if (plan->writer->kind == ARUS_AVRO_FIXED ? !avro_take_bytes(input, plan->writer->size, &bytes)
                                              : !avro_take_sized(input, &bytes)) {
        return fail_value(err);
    }
    value = bytes.size > 0 && (signed char)bytes.data[0] < 0 ? -1 : 0;
    for (size_t i = 0; i < bytes.size && i < 16; i++) {
        value = value * 256 + (unsigned char)bytes.data[i];
    }
    if (bytes.size == 0 || bytes.size > 16 || !arus_decimal_fits(value, plan->type->precision)) {
        return fail_value(err);
    }
    narrow = (int64_t)value;
    return arus_builder_value(
        builder, arus_type_is_wide(builder->type) ? (const void *)&value : &narrow, err);
}

static enum arus_status read_blocks(const struct arus_avro_plan *plan, struct avro_input *input,
                                    struct arus_builder *builder, struct arus_error *err)
{
    const bool is_map = plan->step == AVRO_MAP;
    const unsigned char *before;
    uint32_t total = 0;
    struct arus_text key;
    int64_t count;

    while (take_block(input, &count)) {
        if (count == 0) {
            return arus_builder_span(builder, total, err);
        }
        for (; count > 0; count--, total++) {
            if (is_map) {
                if (!avro_take_sized(input, &key)) {
                    return fail_value(err);
                }
                ARUS_TRY(put_text(&builder->children[0], key, err));
            }
            before = input->at;
            ARUS_TRY(read_value(plan->children[0], input, &builder->children[is_map], err));
            if (!is_map && input->at == before && ++input->free_items > AVRO_FREE_ITEMS) {
                return fail_value(err); /* a few bytes would fill the memory */
            }
        }
    }
    return fail_value(err);
}

static enum arus_status read_record(const struct arus_avro_plan *plan, struct avro_input *input,
                                    struct arus_builder *builder, struct arus_error *err)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan->targets[i] >= 0) {
            ARUS_TRY(
                read_value(plan->children[i], input, &builder->children[plan->targets[i]], err));
        } else if (!skip_value(plan->children[i], input)) {
            return fail_value(err);
        }
    }
    for (uint32_t i = 0; i < plan->missing_count; i++) {
        const struct avro_missing *missing = &plan->missing[i];
        struct arus_builder *field = &builder->children[missing->field];
        struct avro_input bytes = input_of(missing->bytes);

        ARUS_TRY(missing->plan == NULL ? arus_builder_null(field, err)
                                       : read_value(missing->plan, &bytes, field, err));
    }
    return arus_builder_struct(builder, err);
}

static enum arus_status read_enum(const struct arus_avro_plan *plan, struct avro_input *input,
                                  struct arus_builder *builder, struct arus_error *err)
{
    int64_t number;

    return avro_take_long(input, &number) && number >= 0 && number < plan->writer->count &&
                   plan->symbols[number].data != NULL
               ? put_text(builder, plan->symbols[number], err)
               : fail_value(err);
}

static enum arus_status read_member(const struct arus_avro_plan *plan, struct avro_input *input,
                                    struct arus_builder *builder, struct arus_error *err)
{
    for (uint16_t i = 0; i < plan->type->field_count; i++) {
        ARUS_TRY(i == plan->member
                     ? read_value(plan->children[0], input, &builder->children[i], err)
                     : arus_builder_null(&builder->children[i], err));
    }
    return arus_builder_struct(builder, err);
}

static enum arus_status read_value(const struct arus_avro_plan *plan, struct avro_input *input,
                                   struct arus_builder *builder, struct arus_error *err)
{
    struct arus_text bytes;
    int64_t number;

    switch (plan->step) {
    case AVRO_NULL:
    case AVRO_SKIP:
        return arus_builder_null(builder, err);
    case AVRO_BOOLEAN:
        return read_boolean(input, builder, err);
    case AVRO_INTEGER:
    case AVRO_ROUNDED:
        return read_integer(plan, input, builder, err);
    case AVRO_FLOAT:
    case AVRO_DOUBLE:
        return read_fraction(plan, input, builder, err);
    case AVRO_SIZED:
        return avro_take_sized(input, &bytes) ? put_text(builder, bytes, err) : fail_value(err);
    case AVRO_FIXED:
        return avro_take_bytes(input, plan->writer->size, &bytes) ? put_text(builder, bytes, err)
                                                                  : fail_value(err);
    case AVRO_DECIMAL:
        return read_decimal(plan, input, builder, err);
    case AVRO_ENUM:
        return read_enum(plan, input, builder, err);
    case AVRO_ARRAY:
    case AVRO_MAP:
        return read_blocks(plan, input, builder, err);
    case AVRO_RECORD:
        return read_record(plan, input, builder, err);
    case AVRO_MEMBER:
        return read_member(plan, input, builder, err);
    case AVRO_FAIL:
        return arus_fail(err, ARUS_BAD_DATA, "MALFORMED_AVRO_MESSAGE", "%.*s",
                         ARUS_TEXT_ARGS(plan->reason));
    case AVRO_UNION:
        break;
    }
    return avro_take_long(input, &number) && number >= 0 && number < plan->count
               ? read_value(plan->children[number], input, builder, err)
               : fail_value(err);
}

enum arus_status arus_avro_plan_take(const struct arus_avro_plan *plan, struct arus_text *bytes,
                                     struct arus_builder *builder, struct arus_error *err)
{
    struct avro_input input = input_of(*bytes);

    ARUS_TRY(read_value(plan, &input, builder, err));
    *bytes = (struct arus_text){(const char *)input.at, (size_t)(input.end - input.at)};
    return ARUS_OK;
}

enum arus_status arus_avro_plan_read(const struct arus_avro_plan *plan, struct arus_text bytes,
                                     struct arus_builder *builder, struct arus_error *err)
{
    ARUS_TRY(arus_avro_plan_take(plan, &bytes, builder, err));
    return bytes.size == 0 ? ARUS_OK : fail_value(err);
}
