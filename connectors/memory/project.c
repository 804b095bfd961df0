/** Rows that were added under one declaration, read under another. */
#include "memory/memory_internal.h"

static enum arus_status fail_type(const struct arus_type *from, const struct arus_type *type,
                                  struct arus_error *err)
{
    struct arus_buffer texts[2] = {{0}, {0}};
    enum arus_status status = arus_type_sql(from, &texts[0], err);

    if (status == ARUS_OK) {
        status = arus_type_sql(type, &texts[1], err);
    }
    if (status == ARUS_OK) {
        status = arus_fail(err, ARUS_BAD_DATA, NULL, "rows were added as %.*s, the table says %.*s",
                           ARUS_TEXT_ARGS(arus_buffer_text(&texts[0])),
                           ARUS_TEXT_ARGS(arus_buffer_text(&texts[1])));
    }
    arus_buffer_release(&texts[0]);
    arus_buffer_release(&texts[1]);
    return status;
}

static enum arus_status project_struct(const struct arus_vector *from, const struct arus_type *type,
                                       struct arus_arena *arena, struct arus_vector *out,
                                       struct arus_error *err)
{
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct arus_field *field = &type->fields[i];
        const int32_t at = arus_type_find_nocase(from->type, field->name);

        if (at < 0) {
            ARUS_TRY(
                arus_vector_init_null(&out->children[i], field->type, from->row_count, arena, err));
        } else {
            ARUS_TRY(arus_memory_project(&from->children[at], field->type, arena, &out->children[i],
                                         err));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_memory_project(const struct arus_vector *from, const struct arus_type *type,
                                     struct arus_arena *arena, struct arus_vector *out,
                                     struct arus_error *err)
{
    *out = *from;
    out->type = type;
    if (arus_type_equal(from->type, type)) {
        return ARUS_OK;
    }
    if (from->type->id != type->id || !arus_type_is_nested(type)) {
        return fail_type(from->type, type, err);
    }
    ARUS_TRY(
        ARUS_NEW(arena, struct arus_vector, (size_t)type->field_count + 1, &out->children, err));
    if (type->id == ARUS_TYPE_STRUCT) {
        return project_struct(from, type, arena, out, err);
    }
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(arus_memory_project(&from->children[i], type->fields[i].type, arena,
                                     &out->children[i], err));
    }
    return ARUS_OK;
}
