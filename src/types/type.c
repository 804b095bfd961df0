/** Types: constants, makers, equality, field lookup. */
#include "types/type.h"

#define PLAIN(id_)                                                                                 \
    {                                                                                              \
        .id = ARUS_TYPE_##id_                                                                      \
    }

const struct arus_type ARUS_VOID = PLAIN(VOID);
const struct arus_type ARUS_BOOLEAN = PLAIN(BOOLEAN);
const struct arus_type ARUS_TINYINT = PLAIN(TINYINT);
const struct arus_type ARUS_SMALLINT = PLAIN(SMALLINT);
const struct arus_type ARUS_INT = PLAIN(INT);
const struct arus_type ARUS_BIGINT = PLAIN(BIGINT);
const struct arus_type ARUS_FLOAT = PLAIN(FLOAT);
const struct arus_type ARUS_DOUBLE = PLAIN(DOUBLE);
const struct arus_type ARUS_STRING = PLAIN(STRING);
const struct arus_type ARUS_BINARY = PLAIN(BINARY);
const struct arus_type ARUS_DATE = PLAIN(DATE);
const struct arus_type ARUS_TIMESTAMP = PLAIN(TIMESTAMP);
const struct arus_type ARUS_TIMESTAMP_NTZ = PLAIN(TIMESTAMP_NTZ);
const struct arus_type ARUS_INTERVAL = PLAIN(INTERVAL);
const struct arus_type ARUS_INTERVAL_YM = {
    .id = ARUS_TYPE_INTERVAL_YM, .precision = ARUS_INTERVAL_YEAR, .scale = ARUS_INTERVAL_MONTH};
const struct arus_type ARUS_INTERVAL_DT = {
    .id = ARUS_TYPE_INTERVAL_DT, .precision = ARUS_INTERVAL_DAY, .scale = ARUS_INTERVAL_SECOND};

bool arus_type_equal(const struct arus_type *a, const struct arus_type *b)
{
    if (a == b) {
        return true;
    }
    if (a->id != b->id || a->precision != b->precision || a->scale != b->scale ||
        a->field_count != b->field_count) {
        return false;
    }
    for (uint16_t i = 0; i < a->field_count; i++) {
        if (!arus_type_equal(a->fields[i].type, b->fields[i].type)) {
            return false;
        }
        if (a->id == ARUS_TYPE_STRUCT &&
            !arus_text_equal_nocase(a->fields[i].name, b->fields[i].name)) {
            return false;
        }
    }
    return true;
}

uint32_t arus_type_value_size(const struct arus_type *type)
{
    static const uint8_t SIZES[ARUS_TYPE_COUNT] = {
#define X(name, c_type, spark_name) [ARUS_TYPE_##name] = sizeof(c_type),
        ARUS_TYPES(X)
#undef X
    };

    if (type->id == ARUS_TYPE_VOID || type->id == ARUS_TYPE_STRUCT) {
        return 0;
    }
    return arus_type_is_wide(type) ? (uint32_t)sizeof(arus_int128) : SIZES[type->id];
}

static enum arus_status make(struct arus_type type, struct arus_arena *arena,
                             const struct arus_type **out, struct arus_error *err)
{
    struct arus_type *made;

    ARUS_TRY(ARUS_NEW(arena, struct arus_type, 1, &made, err));
    *made = type;
    *out = made;
    return ARUS_OK;
}

enum arus_status arus_type_decimal(uint8_t precision, uint8_t scale, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err)
{
    if (scale <= precision && precision > 38) {
        return arus_fail(err, ARUS_BAD_CONFIG, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                         "decimal precision %u exceeds 38", precision);
    }
    if (scale > precision) {
        return arus_fail(err, ARUS_BAD_CONFIG, "DECIMAL_SCALE_EXCEEDS_PRECISION",
                         "decimal scale %u is greater than precision %u", scale, precision);
    }
    return make((struct arus_type){.id = ARUS_TYPE_DECIMAL, .precision = precision, .scale = scale},
                arena, out, err);
}

enum arus_status arus_type_interval(enum arus_interval_field first, enum arus_interval_field last,
                                    struct arus_arena *arena, const struct arus_type **out,
                                    struct arus_error *err)
{
    const bool is_months = first <= ARUS_INTERVAL_MONTH;

    if (first > last || is_months != (last <= ARUS_INTERVAL_MONTH)) {
        return arus_fail(err, ARUS_BAD_CONFIG, "PARSE_SYNTAX_ERROR",
                         "these interval fields make no range");
    }
    return make((struct arus_type){.id = is_months ? ARUS_TYPE_INTERVAL_YM : ARUS_TYPE_INTERVAL_DT,
                                   .precision = (uint8_t)first,
                                   .scale = (uint8_t)last},
                arena, out, err);
}

enum arus_status arus_type_array(const struct arus_type *element, bool is_element_nullable,
                                 struct arus_arena *arena, const struct arus_type **out,
                                 struct arus_error *err)
{
    struct arus_field *field;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, 1, &field, err));
    *field = (struct arus_field){ARUS_TEXT("element"), element, is_element_nullable, {0}};
    return make((struct arus_type){.id = ARUS_TYPE_ARRAY, .field_count = 1, .fields = field}, arena,
                out, err);
}

enum arus_status arus_type_map(const struct arus_type *key, const struct arus_type *value,
                               bool is_value_nullable, struct arus_arena *arena,
                               const struct arus_type **out, struct arus_error *err)
{
    struct arus_field *fields;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, 2, &fields, err));
    fields[0] = (struct arus_field){ARUS_TEXT("key"), key, false, {0}};
    fields[1] = (struct arus_field){ARUS_TEXT("value"), value, is_value_nullable, {0}};
    return make((struct arus_type){.id = ARUS_TYPE_MAP, .field_count = 2, .fields = fields}, arena,
                out, err);
}

enum arus_status arus_type_struct(const struct arus_field *fields, uint16_t field_count,
                                  struct arus_arena *arena, const struct arus_type **out,
                                  struct arus_error *err)
{
    return make(
        (struct arus_type){.id = ARUS_TYPE_STRUCT, .field_count = field_count, .fields = fields},
        arena, out, err);
}

enum arus_status arus_type_copy(const struct arus_type *type, struct arus_arena *arena,
                                const struct arus_type **out, struct arus_error *err)
{
    struct arus_type copy = *type;
    struct arus_field *fields;

    if (type->field_count == 0) {
        copy.fields = NULL;
        return make(copy, arena, out, err);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, type->field_count, &fields, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        fields[i].is_nullable = type->fields[i].is_nullable;
        ARUS_TRY(arus_text_copy(type->fields[i].name, arena, &fields[i].name, err));
        ARUS_TRY(arus_text_copy(type->fields[i].comment, arena, &fields[i].comment, err));
        ARUS_TRY(arus_type_copy(type->fields[i].type, arena, &fields[i].type, err));
    }
    copy.fields = fields;
    return make(copy, arena, out, err);
}

int32_t arus_type_find(const struct arus_type *type, struct arus_text name)
{
    for (uint16_t i = 0; i < type->field_count; i++) {
        if (arus_text_equal(type->fields[i].name, name)) {
            return i;
        }
    }
    return -1;
}

int32_t arus_type_find_nocase(const struct arus_type *type, struct arus_text name)
{
    for (uint16_t i = 0; i < type->field_count; i++) {
        if (arus_text_equal_nocase(type->fields[i].name, name)) {
            return i;
        }
    }
    return -1;
}

enum arus_status arus_type_as_nullable(const struct arus_type *type, struct arus_arena *arena,
                                       const struct arus_type **out, struct arus_error *err)
{
    struct arus_field *fields;

    *out = type;
    if (!arus_type_is_nested(type)) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, type->field_count + 1u, &fields, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        fields[i] = type->fields[i];
        ARUS_TRY(arus_type_as_nullable(fields[i].type, arena, &fields[i].type, err));
        fields[i].is_nullable = true;
    }
    if (type->id == ARUS_TYPE_ARRAY) {
        return arus_type_array(fields[0].type, true, arena, out, err);
    }
    return type->id == ARUS_TYPE_MAP
               ? arus_type_map(fields[0].type, fields[1].type, true, arena, out, err)
               : arus_type_struct(fields, type->field_count, arena, out, err);
}
