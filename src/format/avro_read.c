/** Schema resolution, compiled once per pair of schemas. */
#include "format/avro_read.h"

#include "format/avro_internal.h"
#include "types/decimal.h"

#include <stdio.h>

enum avro_step {
    AVRO_NULL,
    AVRO_SKIP, /* the reader does not want it */
    AVRO_BOOLEAN,
    AVRO_INTEGER, /* int, long: to any number, date or timestamp; times `factor` */
    AVRO_FLOAT,
    AVRO_DOUBLE,
    AVRO_SIZED, /* string, bytes */
    AVRO_FIXED,
    AVRO_DECIMAL, /* of bytes or fixed */
    AVRO_ENUM,
    AVRO_ARRAY,
    AVRO_MAP,
    AVRO_RECORD,
    AVRO_UNION
};

struct arus_avro_plan {
    enum avro_step step;
    const struct arus_avro *writer;
    const struct arus_type *type; /* NULL: skipped */
    int64_t factor;
    uint32_t count;                               /* children: as the writer has them */
    const struct arus_avro_plan *const *children; /* RECORD, UNION [count]; ARRAY, MAP: one */
    const int32_t *targets;  /* RECORD: [count] field of the type; -1: skipped */
    const uint16_t *missing; /* RECORD: fields that the writer lacks */
    uint32_t missing_count;
};

/* Where we are in the schema, for texts. */
struct maker {
    struct arus_arena *arena;
    char path[200];
    uint32_t depth;
};

#define DEPTH_MAX 64

static enum arus_status make(struct maker *maker, const struct arus_avro *writer,
                             const struct arus_type *type, const struct arus_avro_plan **out,
                             struct arus_error *err);

/* ---- which step ---- */

static bool takes_long(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_BIGINT || type->id == ARUS_TYPE_FLOAT ||
           type->id == ARUS_TYPE_DOUBLE || type->id == ARUS_TYPE_TIMESTAMP ||
           type->id == ARUS_TYPE_TIMESTAMP_NTZ;
}

static bool takes_int(const struct arus_type *type)
{
    return arus_type_is_integer(type) || type->id == ARUS_TYPE_FLOAT ||
           type->id == ARUS_TYPE_DOUBLE || type->id == ARUS_TYPE_DATE;
}

/* The step of a writer's primitive; AVRO_SKIP: it does not fit. */
static enum avro_step primitive_step(const struct arus_avro *writer, const struct arus_type *type)
{
    switch (writer->kind) {
    case ARUS_AVRO_NULL:
        return AVRO_NULL;
    case ARUS_AVRO_BOOLEAN:
        return type->id == ARUS_TYPE_BOOLEAN ? AVRO_BOOLEAN : AVRO_SKIP;
    case ARUS_AVRO_INT:
        return takes_int(type) ? AVRO_INTEGER : AVRO_SKIP;
    case ARUS_AVRO_LONG:
        return takes_long(type) ? AVRO_INTEGER : AVRO_SKIP;
    case ARUS_AVRO_FLOAT:
        return arus_type_is_fractional(type) ? AVRO_FLOAT : AVRO_SKIP;
    case ARUS_AVRO_DOUBLE:
        return type->id == ARUS_TYPE_DOUBLE ? AVRO_DOUBLE : AVRO_SKIP;
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_FIXED:
        if (writer->logical == ARUS_AVRO_DECIMAL && type->id == ARUS_TYPE_DECIMAL) {
            return type->scale == writer->scale && type->precision >= writer->precision
                       ? AVRO_DECIMAL
                       : AVRO_SKIP;
        }
        if (!arus_type_is_view(type)) {
            return AVRO_SKIP;
        }
        return writer->kind == ARUS_AVRO_FIXED ? AVRO_FIXED : AVRO_SIZED;
    case ARUS_AVRO_STRING:
        return arus_type_is_view(type) ? AVRO_SIZED : AVRO_SKIP;
    case ARUS_AVRO_ENUM:
        return type->id == ARUS_TYPE_STRING ? AVRO_ENUM : AVRO_SKIP;
    case ARUS_AVRO_ARRAY:
    case ARUS_AVRO_MAP:
    case ARUS_AVRO_RECORD:
    case ARUS_AVRO_UNION:
        break;
    }
    return AVRO_SKIP;
}

static enum arus_status fail_types(const struct maker *maker, const struct arus_avro *writer,
                                   const struct arus_type *type, struct arus_error *err)
{
    static const char *const KINDS[] = {"null",   "boolean", "int",    "long",  "float",
                                        "double", "bytes",   "string", "fixed", "enum",
                                        "array",  "map",     "record", "union"};
    struct arus_buffer sql = {0};
    struct arus_error ignored;

    arus_ignore(arus_type_sql(type, &sql, &ignored)); /* only for the text */
    arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, NULL, "Avro %s cannot be read as %.*s (field %s)",
                          KINDS[writer->kind], ARUS_TEXT_ARGS(arus_buffer_text(&sql)),
                          maker->path[0] == '\0' ? "of the value itself" : maker->path));
    arus_buffer_release(&sql);
    return err->status;
}

/* ---- compiling ---- */

static enum arus_status make_children(struct maker *maker, const struct arus_avro *writer,
                                      const struct arus_type *const *types,
                                      struct arus_avro_plan *plan, struct arus_error *err)
{
    const struct arus_avro_plan **children;

    ARUS_TRY(
        ARUS_NEW(maker->arena, const struct arus_avro_plan *, writer->count + 1u, &children, err));
    for (uint32_t i = 0; i < writer->count; i++) {
        ARUS_TRY(
            make(maker, writer->children[i], types == NULL ? NULL : types[i], &children[i], err));
    }
    plan->count = writer->count;
    plan->children = children;
    return ARUS_OK;
}

/* By name: exactly, else without case when the reader has it so. */
static int32_t find_field(const struct arus_type *type, struct arus_text name)
{
    const int32_t at = arus_type_find(type, name);

    return at >= 0 ? at : arus_type_find_nocase(type, name);
}

static enum arus_status find_missing(struct maker *maker, const bool *is_given,
                                     struct arus_avro_plan *plan, struct arus_error *err)
{
    uint16_t *missing;

    ARUS_TRY(ARUS_NEW(maker->arena, uint16_t, plan->type->field_count + 1u, &missing, err));
    for (uint16_t i = 0; i < plan->type->field_count; i++) {
        if (!is_given[i]) {
            missing[plan->missing_count++] = i;
        }
    }
    plan->missing = missing;
    return ARUS_OK;
}

static enum arus_status make_record(struct maker *maker, struct arus_avro_plan *plan,
                                    struct arus_error *err)
{
    const struct arus_avro *writer = plan->writer;
    const size_t path_size = strlen(maker->path);
    const struct arus_avro_plan **children;
    int32_t *targets;
    bool *is_given;

    ARUS_TRY(
        ARUS_NEW(maker->arena, const struct arus_avro_plan *, writer->count + 1u, &children, err));
    ARUS_TRY(ARUS_NEW(maker->arena, int32_t, writer->count + 1u, &targets, err));
    ARUS_TRY(ARUS_NEW(maker->arena, bool, plan->type->field_count + 1u, &is_given, err));
    for (uint32_t i = 0; i < writer->count; i++) {
        const int32_t at = find_field(plan->type, writer->names[i]);

        targets[i] = at >= 0 && !is_given[at] ? at : -1;
        if (targets[i] >= 0) {
            is_given[at] = true;
        }
        (void)snprintf(maker->path + path_size, sizeof maker->path - path_size, "%s%.*s",
                       path_size == 0 ? "" : ".", ARUS_TEXT_ARGS(writer->names[i]));
        ARUS_TRY(make(maker, writer->children[i],
                      targets[i] < 0 ? NULL : plan->type->fields[at].type, &children[i], err));
        maker->path[path_size] = '\0';
    }
    plan->step = AVRO_RECORD;
    plan->count = writer->count;
    plan->children = children;
    plan->targets = targets;
    return find_missing(maker, is_given, plan, err);
}

/* Every branch becomes the one type. */
static enum arus_status make_union(struct maker *maker, struct arus_avro_plan *plan,
                                   struct arus_error *err)
{
    const struct arus_type **types;

    ARUS_TRY(
        ARUS_NEW(maker->arena, const struct arus_type *, plan->writer->count + 1u, &types, err));
    for (uint32_t i = 0; i < plan->writer->count; i++) {
        types[i] = plan->type;
    }
    plan->step = AVRO_UNION;
    return make_children(maker, plan->writer, types, plan, err);
}

static enum arus_status make_wanted(struct maker *maker, struct arus_avro_plan *plan,
                                    struct arus_error *err)
{
    const struct arus_avro *writer = plan->writer;
    const struct arus_type *type = plan->type;
    const struct arus_type *inner = arus_type_is_nested(type) && type->field_count > 0
                                        ? type->fields[type->field_count - 1].type
                                        : NULL;

    switch (writer->kind) {
    case ARUS_AVRO_RECORD:
        return type->id == ARUS_TYPE_STRUCT ? make_record(maker, plan, err)
                                            : fail_types(maker, writer, type, err);
    case ARUS_AVRO_UNION:
        return make_union(maker, plan, err);
    case ARUS_AVRO_ARRAY:
        plan->step = AVRO_ARRAY;
        return type->id == ARUS_TYPE_ARRAY ? make_children(maker, writer, &inner, plan, err)
                                           : fail_types(maker, writer, type, err);
    case ARUS_AVRO_MAP:
        plan->step = AVRO_MAP;
        return type->id == ARUS_TYPE_MAP && type->fields[0].type->id == ARUS_TYPE_STRING
                   ? make_children(maker, writer, &inner, plan, err)
                   : fail_types(maker, writer, type, err);
    case ARUS_AVRO_NULL:
    case ARUS_AVRO_BOOLEAN:
    case ARUS_AVRO_INT:
    case ARUS_AVRO_LONG:
    case ARUS_AVRO_FLOAT:
    case ARUS_AVRO_DOUBLE:
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_STRING:
    case ARUS_AVRO_FIXED:
    case ARUS_AVRO_ENUM:
        break;
    }
    plan->step = primitive_step(writer, type);
    return plan->step == AVRO_SKIP ? fail_types(maker, writer, type, err) : ARUS_OK;
}

static enum arus_status make(struct maker *maker, const struct arus_avro *writer,
                             const struct arus_type *type, const struct arus_avro_plan **out,
                             struct arus_error *err)
{
    const bool is_millis =
        writer->logical == ARUS_AVRO_TIMESTAMP_MILLIS || writer->logical == ARUS_AVRO_LOCAL_MILLIS;
    struct arus_avro_plan *plan;
    enum arus_status status;

    if (maker->depth >= DEPTH_MAX) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the Avro schema is nested too deeply");
    }
    ARUS_TRY(ARUS_NEW(maker->arena, struct arus_avro_plan, 1, &plan, err));
    plan->writer = writer;
    plan->type = type;
    plan->factor = type != NULL && is_millis && type->id != ARUS_TYPE_BIGINT ? 1000 : 1;
    plan->step = AVRO_SKIP;
    *out = plan;
    maker->depth++;
    if (type != NULL) {
        status = make_wanted(maker, plan, err);
    } else { /* an enum counts symbols, not children */
        status = writer->kind == ARUS_AVRO_ENUM ? ARUS_OK
                                                : make_children(maker, writer, NULL, plan, err);
    }
    maker->depth--;
    return status;
}

enum arus_status arus_avro_plan_make(const struct arus_avro *writer, const struct arus_type *type,
                                     struct arus_arena *arena, const struct arus_avro_plan **out,
                                     struct arus_error *err)
{
    struct maker maker = {.arena = arena};

    return make(&maker, writer, type, out, err);
}

/* ---- reading ---- */

static enum arus_status fail_value(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "MALFORMED_AVRO_MESSAGE",
                     "the bytes are no Avro value of the schema");
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
        *count = -*count;
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

static enum arus_status read_integer(const struct arus_avro_plan *plan, struct avro_input *input,
                                     struct arus_builder *builder, struct arus_error *err)
{
    int64_t value;

    if (!avro_take_long(input, &value) || __builtin_mul_overflow(value, plan->factor, &value) ||
        (plan->writer->kind == ARUS_AVRO_INT && value != (int32_t)value)) {
        return fail_value(err);
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
    if (bytes.size > 16 || !arus_decimal_fits(value, plan->type->precision)) {
        return arus_builder_null(builder, err);
    }
    narrow = (int64_t)value;
    return arus_builder_value(
        builder, arus_type_is_wide(builder->type) ? (const void *)&value : &narrow, err);
}

static enum arus_status read_blocks(const struct arus_avro_plan *plan, struct avro_input *input,
                                    struct arus_builder *builder, struct arus_error *err)
{
    const bool is_map = plan->step == AVRO_MAP;
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
            if (total > (1u << 26)) {
                return fail_value(err);
            }
            ARUS_TRY(read_value(plan->children[0], input, &builder->children[is_map], err));
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
        ARUS_TRY(arus_builder_null(&builder->children[plan->missing[i]], err));
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
        return avro_take_bytes(input, 1, &bytes) && (unsigned char)bytes.data[0] < 2
                   ? arus_builder_value(builder, bytes.data, err)
                   : fail_value(err);
    case AVRO_INTEGER:
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
        return avro_take_long(input, &number) && number >= 0 && number < plan->writer->count
                   ? put_text(builder, plan->writer->names[number], err)
                   : fail_value(err);
    case AVRO_ARRAY:
    case AVRO_MAP:
        return read_blocks(plan, input, builder, err);
    case AVRO_RECORD:
        return read_record(plan, input, builder, err);
    case AVRO_UNION:
        break;
    }
    return avro_take_long(input, &number) && number >= 0 && number < plan->count
               ? read_value(plan->children[number], input, builder, err)
               : fail_value(err);
}

enum arus_status arus_avro_plan_read(const struct arus_avro_plan *plan, struct arus_text bytes,
                                     struct arus_builder *builder, struct arus_error *err)
{
    const unsigned char *data = (const unsigned char *)bytes.data;
    struct avro_input input = {data, data + bytes.size};

    ARUS_TRY(read_value(plan, &input, builder, err));
    return input.at == input.end ? ARUS_OK : fail_value(err);
}
