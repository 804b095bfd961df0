/** Plans that read a writer's values into columns. */
#include "format/avro_internal.h"
#include "format/avro_plan_internal.h"

#include <stdio.h>

#define DEPTH_MAX 64

static enum arus_status make(struct avro_maker *maker, const struct arus_avro *writer,
                             const struct arus_type *type, const struct arus_avro_plan **out,
                             struct arus_error *err);

/* ---- what every plan needs ---- */

enum arus_status avro_plan_new(struct avro_maker *maker, const struct arus_avro *writer,
                               const struct arus_type *type, struct arus_avro_plan **out,
                               struct arus_error *err)
{
    if (maker->depth >= DEPTH_MAX) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the Avro schema is nested too deeply");
    }
    if (++maker->plan_count > AVRO_PLAN_MAX) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the Avro schema has too many parts");
    }
    ARUS_TRY(ARUS_NEW(maker->arena, struct arus_avro_plan, 1, out, err));
    (*out)->step = AVRO_SKIP;
    (*out)->writer = writer;
    (*out)->type = type;
    (*out)->factor = 1;
    return ARUS_OK;
}

enum arus_status avro_plan_skip(struct avro_maker *maker, const struct arus_avro *writer,
                                const struct arus_avro_plan **out, struct arus_error *err)
{
    const struct arus_avro_plan **children;
    struct arus_avro_plan *plan;

    ARUS_TRY(avro_plan_new(maker, writer, NULL, &plan, err));
    *out = plan;
    if (writer->kind == ARUS_AVRO_ENUM) { /* it counts symbols, not children */
        return ARUS_OK;
    }
    ARUS_TRY(
        ARUS_NEW(maker->arena, const struct arus_avro_plan *, writer->count + 1u, &children, err));
    maker->depth++;
    for (uint32_t i = 0; i < writer->count; i++) {
        ARUS_TRY(avro_plan_skip(maker, writer->children[i], &children[i], err));
    }
    maker->depth--;
    plan->count = writer->count;
    plan->children = children;
    return ARUS_OK;
}

size_t avro_path_enter(struct avro_maker *maker, struct arus_text name)
{
    const size_t size = strlen(maker->path);

    (void)snprintf(maker->path + size, sizeof maker->path - size, "%s%.*s", size == 0 ? "" : ".",
                   ARUS_TEXT_ARGS(name));
    return size;
}

void avro_path_leave(struct avro_maker *maker, size_t size)
{
    maker->path[size] = '\0';
}

const char *avro_path_text(const struct avro_maker *maker)
{
    return maker->path[0] == '\0' ? "of the value itself" : maker->path;
}

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

static enum arus_status fail_types(const struct avro_maker *maker, const struct arus_avro *writer,
                                   const struct arus_type *type, struct arus_error *err)
{
    struct arus_buffer sql = {0};
    struct arus_error ignored;

    arus_ignore(arus_type_sql(type, &sql, &ignored)); /* only for the text */
    arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, NULL, "Avro %s cannot be read as %.*s (field %s)",
                          ARUS_AVRO_KINDS[writer->kind], ARUS_TEXT_ARGS(arus_buffer_text(&sql)),
                          avro_path_text(maker)));
    arus_buffer_release(&sql);
    return err->status;
}

/* ---- compiling ---- */

/* All children become the one type. */
static enum arus_status make_children(struct avro_maker *maker, const struct arus_avro *writer,
                                      const struct arus_type *type, struct arus_avro_plan *plan,
                                      struct arus_error *err)
{
    const struct arus_avro_plan **children;

    ARUS_TRY(
        ARUS_NEW(maker->arena, const struct arus_avro_plan *, writer->count + 1u, &children, err));
    for (uint32_t i = 0; i < writer->count; i++) {
        ARUS_TRY(make(maker, writer->children[i], type, &children[i], err));
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

static enum arus_status find_missing(struct avro_maker *maker, const bool *is_given,
                                     struct arus_avro_plan *plan, struct arus_error *err)
{
    struct avro_missing *missing;

    ARUS_TRY(
        ARUS_NEW(maker->arena, struct avro_missing, plan->type->field_count + 1u, &missing, err));
    for (uint16_t i = 0; i < plan->type->field_count; i++) {
        if (!is_given[i]) {
            missing[plan->missing_count++].field = i;
        }
    }
    plan->missing = missing;
    return ARUS_OK;
}

static enum arus_status make_record(struct avro_maker *maker, struct arus_avro_plan *plan,
                                    struct arus_error *err)
{
    const struct arus_avro *writer = plan->writer;
    const struct arus_avro_plan **children;
    int32_t *targets;
    size_t path_size;
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
        if (targets[i] < 0) {
            ARUS_TRY(avro_plan_skip(maker, writer->children[i], &children[i], err));
            continue;
        }
        path_size = avro_path_enter(maker, writer->names[i]);
        ARUS_TRY(make(maker, writer->children[i], plan->type->fields[at].type, &children[i], err));
        avro_path_leave(maker, path_size);
    }
    plan->step = AVRO_RECORD;
    plan->count = writer->count;
    plan->children = children;
    plan->targets = targets;
    return find_missing(maker, is_given, plan, err);
}

static enum arus_status make_wanted(struct avro_maker *maker, struct arus_avro_plan *plan,
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
        plan->step = AVRO_UNION;
        return make_children(maker, writer, type, plan, err);
    case ARUS_AVRO_ARRAY:
        plan->step = AVRO_ARRAY;
        return type->id == ARUS_TYPE_ARRAY ? make_children(maker, writer, inner, plan, err)
                                           : fail_types(maker, writer, type, err);
    case ARUS_AVRO_MAP:
        plan->step = AVRO_MAP;
        return type->id == ARUS_TYPE_MAP && type->fields[0].type->id == ARUS_TYPE_STRING
                   ? make_children(maker, writer, inner, plan, err)
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

static enum arus_status make(struct avro_maker *maker, const struct arus_avro *writer,
                             const struct arus_type *type, const struct arus_avro_plan **out,
                             struct arus_error *err)
{
    const bool is_millis =
        writer->logical == ARUS_AVRO_TIMESTAMP_MILLIS || writer->logical == ARUS_AVRO_LOCAL_MILLIS;
    struct arus_avro_plan *plan;
    enum arus_status status;

    ARUS_TRY(avro_plan_new(maker, writer, type, &plan, err));
    plan->factor = is_millis && type->id != ARUS_TYPE_BIGINT ? 1000 : 1;
    plan->symbols = writer->names; /* of an enum */
    *out = plan;
    maker->depth++;
    status = make_wanted(maker, plan, err);
    maker->depth--;
    return status;
}

enum arus_status arus_avro_plan_make(const struct arus_avro *writer, const struct arus_type *type,
                                     struct arus_arena *arena, const struct arus_avro_plan **out,
                                     struct arus_error *err)
{
    struct avro_maker maker = {.arena = arena};

    return make(&maker, writer, type, out, err);
}
