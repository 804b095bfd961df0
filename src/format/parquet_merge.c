/** Merging the schemas of files: Spark's StructType.merge. */
#include "format/parquet_merge.h"

/* Depth is that of the schemas, which the footer's reader limits. */
static enum arus_status merge(const struct arus_type *a, const struct arus_type *b,
                              struct arus_arena *arena, const struct arus_type **out,
                              struct arus_error *err);

static enum arus_status refuse(const struct arus_type *a, const struct arus_type *b,
                               struct arus_error *err)
{
    struct arus_buffer texts = {0};
    enum arus_status status = arus_type_simple(a, &texts, err);

    if (status == ARUS_OK) {
        status = arus_buffer_append(&texts, " and as ", 8, err);
    }
    if (status == ARUS_OK) {
        status = arus_type_simple(b, &texts, err);
    }
    if (status == ARUS_OK) {
        arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, "CANNOT_MERGE_SCHEMAS",
                              "files hold a column as %.*s", (int)texts.size, texts.data));
        status = arus_error_help(err, "name the columns and their types in CREATE TABLE");
    }
    arus_buffer_release(&texts);
    return status;
}

static enum arus_status merge_field(const struct arus_field *a, const struct arus_field *b,
                                    struct arus_arena *arena, struct arus_field *out,
                                    struct arus_error *err)
{
    *out = *a;
    out->is_nullable = a->is_nullable || b->is_nullable;
    return merge(a->type, b->type, arena, &out->type, err);
}

static enum arus_status merge_structs(const struct arus_type *a, const struct arus_type *b,
                                      struct arus_arena *arena, const struct arus_type **out,
                                      struct arus_error *err)
{
    const size_t count_max = (size_t)a->field_count + b->field_count;
    struct arus_field *fields;
    size_t count = a->field_count;

    ARUS_TRY(ARUS_NEW(arena, struct arus_field, count_max + 1, &fields, err));
    for (uint16_t i = 0; i < a->field_count; i++) {
        const int32_t at = arus_type_find_nocase(b, a->fields[i].name);

        fields[i] = a->fields[i];
        if (at >= 0) {
            ARUS_TRY(merge_field(&a->fields[i], &b->fields[at], arena, &fields[i], err));
        }
    }
    for (uint16_t i = 0; i < b->field_count; i++) {
        if (arus_type_find_nocase(a, b->fields[i].name) < 0) {
            fields[count++] = b->fields[i];
        }
    }
    if (count > UINT16_MAX) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the files have more than 65535 columns");
    }
    return arus_type_struct(fields, (uint16_t)count, arena, out, err);
}

static enum arus_status merge_maps(const struct arus_type *a, const struct arus_type *b,
                                   struct arus_arena *arena, const struct arus_type **out,
                                   struct arus_error *err)
{
    const struct arus_type *key;
    const struct arus_type *value;

    ARUS_TRY(merge(a->fields[0].type, b->fields[0].type, arena, &key, err));
    ARUS_TRY(merge(a->fields[1].type, b->fields[1].type, arena, &value, err));
    return arus_type_map(key, value, a->fields[1].is_nullable || b->fields[1].is_nullable, arena,
                         out, err);
}

static enum arus_status merge(const struct arus_type *a, const struct arus_type *b,
                              struct arus_arena *arena, const struct arus_type **out,
                              struct arus_error *err)
{
    const struct arus_type *element;

    *out = a;
    if (arus_type_equal(a, b)) {
        return ARUS_OK;
    }
    if (a->id != b->id) {
        return refuse(a, b, err);
    }
    if (a->id == ARUS_TYPE_STRUCT) {
        return merge_structs(a, b, arena, out, err);
    }
    if (a->id == ARUS_TYPE_MAP) {
        return merge_maps(a, b, arena, out, err);
    }
    if (a->id == ARUS_TYPE_ARRAY) {
        ARUS_TRY(merge(a->fields[0].type, b->fields[0].type, arena, &element, err));
        return arus_type_array(element, a->fields[0].is_nullable || b->fields[0].is_nullable, arena,
                               out, err);
    }
    if (a->id == ARUS_TYPE_DECIMAL && a->scale == b->scale) {
        *out = a->precision > b->precision ? a : b;
        return ARUS_OK;
    }
    return refuse(a, b, err);
}

enum arus_status arus_parquet_merge(const struct arus_type *a, const struct arus_type *b,
                                    struct arus_arena *arena, const struct arus_type **out,
                                    struct arus_error *err)
{
    return merge(a, b, arena, out, err);
}
