/** Partition columns: `k=v` folders, typed as Spark types them. */
#include "column/value.h"
#include "file/file_internal.h"
#include "journal/path.h"
#include "types/datetime.h"
#include "types/decimal.h"
#include "types/number_text.h"

#define PARTS_MAX ((size_t)256)

static enum arus_status add_part(struct arus_text component, struct arus_arena *arena,
                                 struct arus_partition_part *out, struct arus_error *err)
{
    const char *equals = memchr(component.data, '=', component.size);
    const struct arus_text name = {component.data, (size_t)(equals - component.data)};
    const struct arus_text value = {equals + 1, component.size - name.size - 1};

    if (value.size == 0) {
        return arus_fail(err, ARUS_BAD_DATA, "EMPTY_PARTITION_COLUMN_VALUE",
                         "the folder `%.*s` has no value behind the `=`; NULL is written %s",
                         ARUS_TEXT_ARGS(component), ARUS_PATH_DEFAULT_PARTITION);
    }
    ARUS_TRY(arus_path_of_hive(name, arena, &out->name, err));
    ARUS_TRY(arus_path_of_hive(value, arena, &out->value, err));
    out->is_null = arus_text_equal(value, ARUS_TEXT(ARUS_PATH_DEFAULT_PARTITION));
    return ARUS_OK;
}

/* Where the folders below the root begin. Below a pattern: behind as many as it has itself, so that
 * what it matches counts as roots. */
static size_t begin_of(struct arus_text root, struct arus_text path)
{
    size_t begin = 0;

    if (!arus_glob_is(root)) {
        return arus_text_starts_with(path, root) ? root.size : 0;
    }
    for (size_t i = 0; i < root.size && begin < path.size; i++) {
        const char *slash = memchr(path.data + begin, '/', path.size - begin);

        if (root.data[i] == '/') {
            begin = slash == NULL ? path.size : (size_t)(slash - path.data) + 1;
        }
    }
    while (begin < path.size && path.data[begin] != '/') { /* the match itself */
        begin++;
    }
    return begin;
}

enum arus_status arus_partition_parts(struct arus_text root, struct arus_text path,
                                      struct arus_arena *arena, struct arus_partition_part **out,
                                      size_t *count, struct arus_error *err)
{
    size_t begin = begin_of(root, path);

    *count = 0;
    ARUS_TRY(ARUS_NEW(arena, struct arus_partition_part, PARTS_MAX, out, err));
    while (begin < path.size) {
        const char *slash = memchr(path.data + begin, '/', path.size - begin);
        const size_t end = slash == NULL ? path.size : (size_t)(slash - path.data);
        const struct arus_text component = {path.data + begin, end - begin};

        if (slash == NULL) {
            break; /* the file itself */
        }
        if (component.size != 0 && memchr(component.data, '=', component.size) != NULL &&
            component.data[0] != '=' && *count < PARTS_MAX) {
            ARUS_TRY(add_part(component, arena, &(*out)[(*count)++], err));
        }
        begin = end + 1;
    }
    return ARUS_OK;
}

/* `yyyy-MM-dd`, all digits: other texts of dates stay texts. */
static bool is_full_date(struct arus_text text)
{
    int32_t days;

    return text.size == 10 && text.data[4] == '-' && text.data[7] == '-' &&
           arus_date_parse(text, &days);
}

/* `yyyy-MM-dd HH:mm:ss` and a fraction; no zone. */
static bool is_full_timestamp(struct arus_text text)
{
    int64_t micros;

    return text.size >= 19 && text.data[10] == ' ' && text.data[13] == ':' &&
           text.data[16] == ':' && is_full_date((struct arus_text){text.data, 10}) &&
           arus_timestamp_ntz_parse(text, ARUS_NTZ_REFUSE_ZONE, &micros);
}

/* Spark's order of trying. VOID: only nulls so far. */
static const struct arus_type *type_of_text(struct arus_text text, struct arus_arena *arena)
{
    const struct arus_type *decimal = NULL;
    struct arus_decimal_type wanted;
    struct arus_error ignored;
    arus_int128 unscaled;
    int32_t number;
    int64_t large;
    double real;

    if (arus_int32_parse(text, &number)) {
        return &ARUS_INT;
    }
    if (arus_int64_parse(text, &large)) {
        return &ARUS_BIGINT;
    }
    if (arus_decimal_parse_literal(text, &wanted, &unscaled) == ARUS_DECIMAL_OK &&
        wanted.scale == 0 &&
        arus_type_decimal(wanted.precision, 0, arena, &decimal, &ignored) == ARUS_OK) {
        return decimal;
    }
    if (arus_double_parse_java(text, &real) && !arus_text_starts_with(text, ARUS_TEXT("0x"))) {
        return &ARUS_DOUBLE;
    }
    if (is_full_date(text)) {
        return &ARUS_DATE;
    }
    return is_full_timestamp(text) ? &ARUS_TIMESTAMP : &ARUS_STRING;
}

/* Kind in tens, width in ones. */
static int rank(const struct arus_type *type)
{
    static const int RANKS[ARUS_TYPE_COUNT] = {
        [ARUS_TYPE_INT] = 1,     [ARUS_TYPE_BIGINT] = 2, [ARUS_TYPE_DECIMAL] = 3,
        [ARUS_TYPE_DOUBLE] = 4,  [ARUS_TYPE_DATE] = 11,  [ARUS_TYPE_TIMESTAMP] = 12,
        [ARUS_TYPE_STRING] = 20,
    };

    return RANKS[type->id];
}

static bool is_exact_wide(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_BIGINT || type->id == ARUS_TYPE_DECIMAL;
}

/* INT has 10 digits, BIGINT 20. */
static uint8_t digits_of(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_DECIMAL ? type->precision : type->id == ARUS_TYPE_INT ? 10 : 20;
}

/* Whole numbers and INT with DOUBLE widen, dates to timestamps; everything else meets in STRING:
 * a DOUBLE would lose digits. */
static const struct arus_type *common(const struct arus_type *a, const struct arus_type *b,
                                      struct arus_arena *arena)
{
    const struct arus_type *decimal = NULL;
    struct arus_error ignored;
    const int x = rank(a);
    const int y = rank(b);

    if (x == 0 || y == 0) {
        return x == 0 ? b : a;
    }
    if (x / 10 != y / 10 || x >= 20) {
        return &ARUS_STRING;
    }
    if ((a->id == ARUS_TYPE_DOUBLE && is_exact_wide(b)) ||
        (b->id == ARUS_TYPE_DOUBLE && is_exact_wide(a))) {
        return &ARUS_STRING;
    }
    if ((a->id == ARUS_TYPE_DECIMAL || b->id == ARUS_TYPE_DECIMAL) &&
        arus_type_decimal(digits_of(a) > digits_of(b) ? digits_of(a) : digits_of(b), 0, arena,
                          &decimal, &ignored) == ARUS_OK) {
        return decimal;
    }
    return x >= y ? a : b;
}

enum arus_status arus_partition_infer(struct arus_text root, const struct arus_file_list *files,
                                      struct arus_arena *arena, const struct arus_type **out,
                                      struct arus_error *err)
{
    struct arus_field *fields = NULL;
    size_t field_count = 0;

    for (size_t i = 0; i < files->count; i++) {
        struct arus_partition_part *parts;
        size_t count;

        ARUS_TRY(arus_partition_parts(root, files->items[i].path, arena, &parts, &count, err));
        if (i == 0) {
            ARUS_TRY(ARUS_NEW(arena, struct arus_field, count + 1, &fields, err));
            field_count = count;
        }
        for (size_t k = 0; k < count; k++) {
            const struct arus_type *type =
                parts[k].is_null ? &ARUS_VOID : type_of_text(parts[k].value, arena);

            if (count != field_count ||
                (i != 0 && !arus_text_equal(fields[k].name, parts[k].name))) {
                return arus_fail(err, ARUS_BAD_DATA, "CONFLICTING_PARTITION_COLUMN_NAMES",
                                 "%.*s lies in other partition folders than %.*s",
                                 ARUS_TEXT_ARGS(files->items[i].path),
                                 ARUS_TEXT_ARGS(files->items[0].path));
            }
            fields[k] = (struct arus_field){
                .name = parts[k].name,
                .type = i == 0 ? type : common(fields[k].type, type, arena),
                .is_nullable = true,
            };
        }
    }
    return arus_type_struct(fields, (uint16_t)field_count, arena, out, err);
}

/* The text as a value of the column's type; bad text is an error, as CAST. */
static bool parse_value(const struct arus_type *type, struct arus_text text,
                        const struct arus_zone *zone, void *out)
{
    const struct arus_timestamp_context context = {.zone = zone};
    arus_int128 unscaled;
    int64_t number;
    double real;

    switch (type->id) {
    case ARUS_TYPE_BOOLEAN:
        return arus_boolean_parse_cast(text, out);
    case ARUS_TYPE_TINYINT:
        return arus_int8_parse(text, out);
    case ARUS_TYPE_SMALLINT:
        return arus_int16_parse(text, out);
    case ARUS_TYPE_INT:
        return arus_int32_parse(text, out);
    case ARUS_TYPE_BIGINT:
        return arus_int64_parse(text, out);
    case ARUS_TYPE_FLOAT:
        return arus_float_parse_cast(text, out);
    case ARUS_TYPE_DOUBLE:
        if (!arus_double_parse_cast(text, &real)) {
            return false;
        }
        memcpy(out, &real, sizeof real);
        return true;
    case ARUS_TYPE_DECIMAL:
        if (arus_decimal_parse(text, (struct arus_decimal_type){type->precision, type->scale},
                               &unscaled) != ARUS_DECIMAL_OK) {
            return false;
        }
        arus_decimal_set(type, out, 0, unscaled);
        return true;
    case ARUS_TYPE_STRING:
    case ARUS_TYPE_BINARY:
        *(struct arus_view *)out = arus_view_of(text.data, text.size);
        return true;
    case ARUS_TYPE_DATE:
        return arus_date_parse(text, out);
    case ARUS_TYPE_TIMESTAMP:
        return arus_timestamp_parse(text, &context, out);
    case ARUS_TYPE_TIMESTAMP_NTZ:
        if (!arus_timestamp_ntz_parse(text, ARUS_NTZ_DROP_ZONE, &number)) {
            return false;
        }
        memcpy(out, &number, sizeof number);
        return true;
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_INTERVAL_YM:
    case ARUS_TYPE_INTERVAL_DT:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_COUNT:
        return false;
    }
    return false;
}

static enum arus_status make_value(const struct arus_field *field,
                                   const struct arus_partition_part *part,
                                   const struct arus_zone *zone, struct arus_arena *arena,
                                   struct arus_vector *out, struct arus_error *err)
{
    _Alignas(16) unsigned char value[16] = {0};

    if (part == NULL || part->is_null || field->type->id == ARUS_TYPE_VOID) {
        return arus_vector_init_null(out, field->type, 1, arena, err);
    }
    if (!parse_value(field->type, part->value, zone, value)) {
        return arus_fail(err, ARUS_BAD_DATA, "CAST_INVALID_INPUT",
                         "partition folder %.*s=%.*s does not fit the column's type",
                         ARUS_TEXT_ARGS(part->name), ARUS_TEXT_ARGS(part->value));
    }
    return arus_value_make(field->type, value, 1, arena, out, err);
}

enum arus_status arus_partition_values(const struct arus_partitions *partitions,
                                       struct arus_text path, struct arus_arena *arena,
                                       struct arus_vector *out, struct arus_error *err)
{
    struct arus_partition_part *parts;
    size_t count;

    if (partitions->schema->field_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_partition_parts(partitions->root, path, arena, &parts, &count, err));
    for (uint16_t f = 0; f < partitions->schema->field_count; f++) {
        const struct arus_field *field = &partitions->schema->fields[f];
        const struct arus_partition_part *part = NULL;

        for (size_t i = 0; i < count; i++) {
            part = arus_text_equal_nocase(parts[i].name, field->name) ? &parts[i] : part;
        }
        ARUS_TRY(make_value(field, part, partitions->zone, arena, &out[f], err));
    }
    return ARUS_OK;
}
