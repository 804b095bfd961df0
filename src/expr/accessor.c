/** a[i], m[k], s.f, element_at and get. */
#include "expr/coerce.h"
#include "expr/families.h"
#include "expr/gather.h"
#include "expr/strings.h"

/* ---- fields ---- */

static enum arus_status field_index(const struct arus_type *type, struct arus_text name,
                                    struct arus_place place, uint32_t *out, struct arus_error *err)
{
    uint32_t found = 0;

    for (uint16_t i = 0; i < type->field_count; i++) {
        if (arus_text_equal_nocase(type->fields[i].name, name)) {
            *out = i;
            found++;
        }
    }
    if (found > 1) {
        return arus_fail_at(err, place, "AMBIGUOUS_REFERENCE_TO_FIELDS",
                            "there are %u fields `%.*s`", found, ARUS_TEXT_ARGS(name));
    }
    if (found == 0) {
        return arus_fail_at(err, place, "FIELD_NOT_FOUND", "there is no field `%.*s` in %s",
                            ARUS_TEXT_ARGS(name), arus_type_name(type).text);
    }
    return ARUS_OK;
}

static enum arus_status make_field(const struct arus_expr *arg, const struct arus_type *type,
                                   struct arus_text name, struct arus_place place,
                                   struct arus_arena *arena, struct arus_expr **out,
                                   struct arus_error *err)
{
    struct arus_expr *expr;

    ARUS_TRY(ARUS_NEW(arena, struct arus_expr, 1, &expr, err));
    ARUS_TRY(ARUS_NEW(arena, const struct arus_expr *, 1, &expr->args, err));
    ARUS_TRY(field_index(type, name, place, &expr->index, err));
    expr->kind = ARUS_EXPR_FIELD;
    expr->name = name;
    expr->place = place;
    expr->type = type->fields[expr->index].type;
    expr->is_nullable = arg->is_nullable || type->fields[expr->index].is_nullable;
    expr->args[0] = arg;
    expr->arg_count = 1;
    *out = expr;
    return ARUS_OK;
}

static enum arus_status make_key(const struct arus_expr *arg, struct arus_text name,
                                 struct arus_place place, struct arus_arena *arena,
                                 const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_view key = arus_view_of(name.data, name.size);
    const struct arus_expr *args[2] = {arg};
    struct arus_bind bind = {
        .name = ARUS_TEXT("[]"),
        .place = place,
        .args = args,
        .arg_count = 2,
        .is_ansi = true,
        .zone = ARUS_ZONE_UTC,
        .arena = arena,
    };

    ARUS_TRY(arus_literal_of(&ARUS_STRING, &key, arena, &args[1], err));
    ARUS_TRY(ARUS_NEW(arena, const struct arus_expr *, 2, &bind.args, err));
    memcpy(bind.args, args, sizeof args);
    return arus_call_make(&bind, out, err);
}

enum arus_status arus_field_make(const struct arus_expr *arg, struct arus_text name,
                                 struct arus_place place, struct arus_arena *arena,
                                 const struct arus_expr **out, struct arus_error *err)
{
    const struct arus_type *type = arg->type;
    struct arus_expr *expr;

    if (type->id == ARUS_TYPE_STRUCT) {
        ARUS_TRY(make_field(arg, type, name, place, arena, &expr, err));
        *out = expr;
        return ARUS_OK;
    }
    if (type->id == ARUS_TYPE_ARRAY && type->fields[0].type->id == ARUS_TYPE_STRUCT) {
        ARUS_TRY(make_field(arg, type->fields[0].type, name, place, arena, &expr, err));
        ARUS_TRY(arus_type_array(expr->type, true, arena, &expr->type, err));
        *out = expr;
        return ARUS_OK;
    }
    if (type->id == ARUS_TYPE_MAP) {
        return make_key(arg, name, place, arena, out, err);
    }
    return arus_fail_at(err, place, "INVALID_EXTRACT_BASE_FIELD_TYPE",
                        "%s has no fields: it is neither STRUCT, ARRAY nor MAP",
                        arus_type_name(type).text);
}

/* ---- elements ---- */

/* Rows of the element child for each row; ARUS_NULL_ROW in `which` for none. */
struct places {
    uint32_t *which;
    uint32_t *at;
};

static enum arus_status places_init(const struct arus_kernel_call *call, struct places *places,
                                    struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, call->row_count, &places->which, err));
    return ARUS_NEW(call->step, uint32_t, call->row_count, &places->at, err);
}

static enum arus_status take_places(const struct arus_kernel_call *call, uint32_t child,
                                    const struct places *places, struct arus_vector *out,
                                    struct arus_error *err)
{
    struct arus_vector elements;
    const struct arus_vector *sources[1] = {&elements};
    struct arus_picks picks = {
        .sources = sources,
        .source_count = 1,
        .which = places->which,
        .at = places->at,
        .row_count = call->row_count,
    };

    ARUS_TRY(arus_vector_flatten(&call->args[0].children[child], call->step, &elements, err));
    return arus_vector_pick(&picks, call->expr->type, call->step, out, err);
}

static struct arus_span span_at(const struct arus_vector *vector, uint32_t i)
{
    return ((const struct arus_span *)vector->values)[i * ARUS_STEP(vector)];
}

static int64_t index_at(const struct arus_vector *vector, uint32_t i)
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

/* How an index outside the array is treated; and where counting starts. */
struct access {
    bool from_one;
    bool is_null_outside;
};

static const struct access SUBSCRIPT = {false, false};
static const struct access SUBSCRIPT_OR_NULL = {false, true};
static const struct access ELEMENT_AT = {true, false};
static const struct access ELEMENT_AT_OR_NULL = {true, true};

static enum arus_status fail_index(const struct access *access, int64_t index, uint32_t count,
                                   struct arus_error *err)
{
    enum arus_status status =
        arus_fail(err, ARUS_BAD_DATA,
                  access->from_one ? "INVALID_ARRAY_INDEX_IN_ELEMENT_AT" : "INVALID_ARRAY_INDEX",
                  "index %lld is outside the array of %u elements", (long long)index, count);
    return status == ARUS_OK
               ? status
               : arus_error_help(err, "NULL instead: %s",
                                 access->from_one ? "try_element_at(..)" : "get(array, index)");
}

static enum arus_status kernel_element(const struct arus_kernel_call *call, struct arus_vector *out,
                                       uint32_t *bad_row, struct arus_error *err)
{
    const struct access *access = call->expr->bound;
    struct places places;

    ARUS_TRY(places_init(call, &places, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        struct arus_span span;
        int64_t index;

        places.which[i] = ARUS_NULL_ROW;
        if (!arus_bit_get(call->valid, i)) {
            continue;
        }
        span = span_at(&call->args[0], i);
        index = index_at(&call->args[1], i);
        if (access->from_one && index == 0) {
            *bad_row = i;
            return arus_fail(err, ARUS_BAD_DATA, "INVALID_INDEX_OF_ZERO",
                             "the index 0 is invalid: positions count from 1");
        }
        if (access->from_one) {
            index = index < 0 ? span.count + index : index - 1;
        }
        if (index >= 0 && index < span.count) {
            places.which[i] = 0;
            places.at[i] = span.begin + (uint32_t)index;
        } else if (!access->is_null_outside) {
            *bad_row = i;
            return fail_index(access, index_at(&call->args[1], i), span.count, err);
        }
    }
    return take_places(call, 0, &places, out, err);
}

static enum arus_status kernel_map_value(const struct arus_kernel_call *call,
                                         struct arus_vector *out, uint32_t *bad_row,
                                         struct arus_error *err)
{
    const struct arus_vector *keys = &call->args[0].children[0];
    struct places places;

    (void)bad_row;
    ARUS_TRY(places_init(call, &places, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const struct arus_span span = span_at(&call->args[0], i);

        places.which[i] = ARUS_NULL_ROW;
        for (uint32_t j = 0; arus_bit_get(call->valid, i) && j < span.count; j++) {
            if (arus_vector_compare(keys, span.begin + j, &call->args[1], i) == 0) {
                places.which[i] = 0;
                places.at[i] = span.begin + j;
                break;
            }
        }
    }
    return take_places(call, 1, &places, out, err);
}

static enum arus_status bind_map_key(struct arus_bind *bind, bool is_subscript,
                                     struct arus_error *err)
{
    const struct arus_type *map = bind->args[0]->type;
    const struct arus_type *key = map->fields[0].type;
    const struct arus_type *given = bind->args[1]->type;
    const struct arus_type *common = arus_type_common(given, key, bind->is_ansi, bind->arena);
    const bool is_mixed = (given->id == ARUS_TYPE_STRING) != (key->id == ARUS_TYPE_STRING);
    const bool is_fine = is_subscript || given->id == ARUS_TYPE_VOID
                             ? arus_type_converts(given, key)
                             : common != NULL && !is_mixed && arus_type_equal(common, key);

    if (key->id != ARUS_TYPE_VOID && (!is_fine || !arus_type_is_orderable(key))) {
        return arus_fail_at(err, bind->place,
                            is_subscript ? "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
                                         : "DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES",
                            "a key of %s must be %s, not %s", arus_type_name(map).text,
                            arus_type_name(key).text, arus_type_name(given).text);
    }
    if (key->id != ARUS_TYPE_VOID) { /* else map(): nothing is in it */
        ARUS_TRY(arus_arg_cast(bind, 1, key, err));
    }
    bind->type = map->fields[1].type;
    bind->kernel = kernel_map_value;
    bind->is_nullable = true;
    bind->can_fail = false;
    return ARUS_OK;
}

static enum arus_status bind_access(struct arus_bind *bind, const struct access *access,
                                    struct arus_error *err)
{
    bind->type = bind->args[0]->type->fields[0].type;
    bind->bound = access;
    bind->kernel = kernel_element;
    bind->is_nullable = true;
    bind->can_fail = access->from_one || !access->is_null_outside;
    return arus_arg_take(bind, 1, access->from_one ? "i" : "I", err);
}

/* `x[i]`: ARRAY from 0, MAP by key, STRUCT by name. */
static enum arus_status bind_subscript(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    if (type->id == ARUS_TYPE_MAP) {
        return bind_map_key(bind, true, err);
    }
    if (type->id == ARUS_TYPE_ARRAY && bind->args[1]->type->id == ARUS_TYPE_STRING &&
        type->fields[0].type->id != ARUS_TYPE_STRUCT) {
        return arus_fail_input(bind, 1, "an integer", err);
    }
    if (type->id == ARUS_TYPE_ARRAY && bind->args[1]->type->id != ARUS_TYPE_STRING) {
        return bind_access(bind, bind->is_ansi ? &SUBSCRIPT : &SUBSCRIPT_OR_NULL, err);
    }
    if (type->id == ARUS_TYPE_VOID) {
        ARUS_TRY(arus_literal_null(&ARUS_VOID, bind->arena, &bind->replacement, err));
        return ARUS_OK;
    }
    {
        struct arus_text name;

        ARUS_TRY(arus_arg_text(bind, 1, &name, err));
        if (name.data == NULL) {
            return arus_fail_at(err, bind->place,
                                type->id == ARUS_TYPE_STRUCT ? "INVALID_EXTRACT_FIELD_TYPE"
                                                             : "INVALID_EXTRACT_BASE_FIELD_TYPE",
                                "%s has no elements", arus_type_name(type).text);
        }
        return arus_field_make(bind->args[0], name, bind->place, bind->arena, &bind->replacement,
                               err);
    }
}

static enum arus_status bind_element_at(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;
    const bool is_try = bind->function->name[0] == 't' || !bind->is_ansi;

    if (type->id == ARUS_TYPE_MAP) {
        return bind_map_key(bind, false, err);
    }
    if (type->id != ARUS_TYPE_ARRAY) {
        return arus_fail_input(bind, 0, "an ARRAY or a MAP", err);
    }
    if (bind->args[1]->type->id != ARUS_TYPE_VOID && !arus_type_is_integer(bind->args[1]->type)) {
        return arus_fail_input(bind, 1, "INT", err);
    }
    return bind_access(bind, is_try ? &ELEMENT_AT_OR_NULL : &ELEMENT_AT, err);
}

static enum arus_status bind_get(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->args[0]->type->id != ARUS_TYPE_ARRAY) {
        return arus_fail_input(bind, 0, "an ARRAY", err);
    }
    return bind_access(bind, &SUBSCRIPT_OR_NULL, err);
}

const struct arus_function ARUS_ACCESSORS[] = {
    {.name = "[]",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_subscript,
     .text = "$1[$2]",
     .signature = "x[i]",
     .help = "element of an ARRAY from 0, value of a MAP key, field of a STRUCT",
     .example = "array('a', 'b')[1]",
     .result = "b"},
    {.name = "element_at",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_element_at,
     .signature = "element_at(array, i) or (map, key)",
     .help = "from 1, negative from the end; NULL for a missing key",
     .example = "element_at(array(1, 2, 3), -1)",
     .result = "3"},
    {.name = "try_element_at",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_element_at,
     .signature = "try_element_at(array, i) or (map, key)",
     .help = "as element_at; NULL outside",
     .example = "try_element_at(array(1), 5)",
     .result = "NULL"},
    {.name = "get",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_get,
     .signature = "get(array, i)",
     .help = "from 0; NULL outside",
     .example = "get(array(1, 2), 1)",
     .result = "2"},
    {0},
};
