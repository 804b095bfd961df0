/** Maps: made of pairs, arrays, entries; taken apart, joined. */
#include "expr/collection.h"
#include "expr/families.h"
#include "expr/rowwise.h"

/* ---- maps ---- */

static enum arus_status fail_null_key(struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "NULL_MAP_KEY", "a map key is NULL");
}

enum arus_status arus_map_check(const struct arus_vector *map, const uint64_t *valid,
                                uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_span *spans = map->values;
    const struct arus_vector *keys = &map->children[0];

    for (uint32_t i = 0; i < map->row_count; i++) {
        const uint32_t end = spans[i].begin + spans[i].count;

        if (!arus_bit_get(valid, i) || !arus_bit_get(map->validity, i)) {
            continue;
        }
        *bad_row = i;
        for (uint32_t j = spans[i].begin; j < end; j++) {
            if (!arus_vector_is_valid(keys, j)) {
                return fail_null_key(err);
            }
            for (uint32_t k = spans[i].begin; k < j; k++) {
                if (arus_vector_compare(keys, j, keys, k) == 0) {
                    return arus_fail(err, ARUS_BAD_DATA, "DUPLICATED_MAP_KEY",
                                     "a map has the same key twice");
                }
            }
        }
    }
    return ARUS_OK;
}

static enum arus_status kernel_map(const struct arus_kernel_call *call, struct arus_vector *out,
                                   uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_type *type = call->expr->type;

    ARUS_TRY(arus_vector_init(out, type, call->row_count, call->step, err));
    arus_spans_equal(out, call->expr->arg_count / 2);
    if (call->expr->arg_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_interleave(call, 0, 2, type->fields[0].type, &out->children[0], err));
    ARUS_TRY(arus_interleave(call, 1, 2, type->fields[1].type, &out->children[1], err));
    return arus_map_check(out, NULL, bad_row, err);
}

static enum arus_status bind_map(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *key = &ARUS_VOID;
    const struct arus_type *value = &ARUS_VOID;
    bool has_null = false;

    if (bind->arg_count % 2 != 0) {
        return arus_fail_at(err, bind->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "map takes keys and values in pairs");
    }
    if (bind->arg_count > 0 && (arus_args_common(bind, 0, 2, &key, err) != ARUS_OK ||
                                arus_args_common(bind, 1, 2, &value, err) != ARUS_OK)) {
        if (err->condition != NULL &&
            strcmp(err->condition, "DATATYPE_MISMATCH.DATA_DIFF_TYPES") == 0) {
            err->condition = key->id == ARUS_TYPE_VOID
                                 ? "DATATYPE_MISMATCH.CREATE_MAP_KEY_DIFF_TYPES"
                                 : "DATATYPE_MISMATCH.CREATE_MAP_VALUE_DIFF_TYPES";
        }
        return err->status;
    }
    for (uint32_t i = 1; i < bind->arg_count; i += 2) {
        has_null |= bind->args[i]->is_nullable;
    }
    bind->is_nullable = false;
    return arus_type_map(key, value, has_null, bind->arena, &bind->type, err);
}

/* ---- map_from_arrays, map_from_entries ---- */

static enum arus_status kernel_map_from_arrays(const struct arus_kernel_call *call,
                                               struct arus_vector *out, uint32_t *bad_row,
                                               struct arus_error *err)
{
    struct arus_vector keys;
    struct arus_vector values;

    ARUS_TRY(arus_vector_flatten(&call->args[0], call->step, &keys, err));
    ARUS_TRY(arus_vector_flatten(&call->args[1], call->step, &values, err));
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i) &&
            arus_span_at(&keys, i).count != arus_span_at(&values, i).count) {
            *bad_row = i;
            return arus_fail(err, ARUS_BAD_DATA, "_LEGACY_ERROR_TEMP_2128",
                             "the arrays of keys and values differ in length");
        }
    }
    ARUS_TRY(arus_array_compact(&keys, call->valid, call->step, &keys, err));
    ARUS_TRY(arus_array_compact(&values, call->valid, call->step, &values, err));
    memcpy(out->values, keys.values, call->row_count * sizeof(struct arus_span));
    out->children[0] = keys.children[0];
    out->children[1] = values.children[0];
    return arus_map_check(out, call->valid, bad_row, err);
}

static enum arus_status bind_map_from_arrays(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_args_take(bind, "=A", err));
    return arus_type_map(bind->args[0]->type->fields[0].type, bind->args[1]->type->fields[0].type,
                         bind->args[1]->type->fields[0].is_nullable, bind->arena, &bind->type, err);
}

static enum arus_status kernel_map_from_entries(const struct arus_kernel_call *call,
                                                struct arus_vector *out, uint32_t *bad_row,
                                                struct arus_error *err)
{
    struct arus_vector entries;
    struct arus_vector items;

    ARUS_TRY(arus_vector_flatten(&call->args[0], call->step, &entries, err));
    ARUS_TRY(arus_vector_flatten(&entries.children[0], call->step, &items, err));
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    memcpy(out->values, entries.values, call->row_count * sizeof(struct arus_span));
    ARUS_TRY(arus_vector_flatten(&items.children[0], call->step, &out->children[0], err));
    ARUS_TRY(arus_vector_flatten(&items.children[1], call->step, &out->children[1], err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const struct arus_span span = arus_span_at(&entries, i);

        for (uint32_t j = span.begin; arus_bit_get(call->valid, i) && j < span.begin + span.count;
             j++) {
            if (!arus_bit_get(items.validity, j)) { /* a NULL entry makes the map NULL */
                ARUS_TRY(arus_vector_need_validity(out, call->step, err));
                arus_bit_clear(out->validity, i);
            }
        }
    }
    return arus_map_check(out, call->valid, bad_row, err);
}

static enum arus_status bind_map_from_entries(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;
    const struct arus_type *entry;

    if (type->id != ARUS_TYPE_ARRAY || type->fields[0].type->id != ARUS_TYPE_STRUCT ||
        type->fields[0].type->field_count != 2) {
        return arus_fail_input(bind, 0, "an ARRAY of pairs", err);
    }
    entry = type->fields[0].type;
    bind->is_nullable = true;
    return arus_type_map(entry->fields[0].type, entry->fields[1].type, entry->fields[1].is_nullable,
                         bind->arena, &bind->type, err);
}

/* ---- taking maps apart ---- */

static enum arus_status kernel_map_side(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    const uint32_t side = call->expr->function->name[4] == 'k' ? 0 : 1;

    (void)bad_row;
    (void)err;
    *out = call->args[0];
    out->type = call->expr->type;
    out->children = &call->args[0].children[side];
    return ARUS_OK;
}

static enum arus_status bind_map_side(struct arus_bind *bind, struct arus_error *err)
{
    const uint32_t side = bind->function->name[4] == 'k' ? 0 : 1;

    ARUS_TRY(arus_arg_take(bind, 0, "=M", err));
    return arus_type_array(bind->args[0]->type->fields[side].type,
                           bind->args[0]->type->fields[side].is_nullable, bind->arena, &bind->type,
                           err);
}

static enum arus_status kernel_map_entries(const struct arus_kernel_call *call,
                                           struct arus_vector *out, uint32_t *bad_row,
                                           struct arus_error *err)
{
    struct arus_vector *entry;

    (void)bad_row;
    *out = call->args[0];
    out->type = call->expr->type;
    ARUS_TRY(ARUS_NEW(call->step, struct arus_vector, 1, &entry, err));
    entry->type = call->expr->type->fields[0].type;
    entry->row_count = call->args[0].children[0].row_count;
    entry->children = call->args[0].children;
    out->children = entry;
    return ARUS_OK;
}

static enum arus_status bind_map_entries(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *map;
    const struct arus_type *entry;
    struct arus_field *fields;

    ARUS_TRY(arus_arg_take(bind, 0, "=M", err));
    map = bind->args[0]->type;
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_field, 2, &fields, err));
    fields[0] = (struct arus_field){.name = ARUS_TEXT("key"), .type = map->fields[0].type};
    fields[1] = (struct arus_field){.name = ARUS_TEXT("value"),
                                    .type = map->fields[1].type,
                                    .is_nullable = map->fields[1].is_nullable};
    ARUS_TRY(arus_type_struct(fields, 2, bind->arena, &entry, err));
    return arus_type_array(entry, false, bind->arena, &bind->type, err);
}

static enum arus_status map_contains(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_vector *map = &row->call->args[0];
    const struct arus_span span = arus_span_at(map, i);

    (void)err;
    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (arus_vector_compare(&map->children[0], j, &row->call->args[1], i) == 0) {
            arus_row_boolean(row, i, true);
        }
    }
    return ARUS_OK;
}
ARUS_ROWWISE(map_contains)

static enum arus_status bind_map_contains(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *key;

    ARUS_TRY(arus_arg_take(bind, 0, "=M", err));
    key = bind->args[0]->type->fields[0].type;
    if (bind->args[1]->type->id == ARUS_TYPE_VOID) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NULL_TYPE",
                            "a key must not be NULL");
    }
    bind->type = &ARUS_BOOLEAN;
    if (key->id == ARUS_TYPE_VOID) { /* map(): nothing is in it */
        return ARUS_OK;
    }
    if (!arus_type_converts(bind->args[1]->type, key)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.MAP_FUNCTION_DIFF_TYPES",
                            "a key must be %s, not %s", arus_type_name(key).text,
                            arus_type_name(bind->args[1]->type).text);
    }
    bind->type = &ARUS_BOOLEAN;
    return arus_arg_cast(bind, 1, key, err);
}

static enum arus_status kernel_map_concat(const struct arus_kernel_call *call,
                                          struct arus_vector *out, uint32_t *bad_row,
                                          struct arus_error *err)
{
    ARUS_TRY(arus_lists_join(call, out, err));
    return arus_map_check(out, call->valid, bad_row, err);
}

static enum arus_status bind_map_concat(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->arg_count == 0) {
        ARUS_TRY(arus_type_map(&ARUS_STRING, &ARUS_STRING, true, bind->arena, &bind->type, err));
        bind->is_nullable = false;
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        if (bind->args[i]->type->id != ARUS_TYPE_MAP) {
            return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES",
                                "map_concat takes maps, not %s",
                                arus_type_name(bind->args[i]->type).text);
        }
    }
    if (arus_args_common(bind, 0, 1, &bind->type, err) != ARUS_OK) {
        err->condition = "DATATYPE_MISMATCH.MAP_CONCAT_DIFF_TYPES";
        return err->status;
    }
    return ARUS_OK;
}

const struct arus_function ARUS_MAPS[] = {
    {.name = "map",
     .flags = ARUS_CAN_FAIL,
     .arg_min = 0,
     .arg_max = 255,
     .bind = bind_map,
     .kernel = kernel_map,
     .signature = "map(key, value, ..)",
     .help = "a MAP",
     .example = "map('a', 1)",
     .result = "{a -> 1}"},
    {.name = "map_from_arrays",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_map_from_arrays,
     .kernel = kernel_map_from_arrays,
     .signature = "map_from_arrays(keys, values)",
     .help = "a MAP of two arrays",
     .example = "map_from_arrays(array('a'), array(1))",
     .result = "{a -> 1}"},
    {.name = "map_from_entries",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_map_from_entries,
     .kernel = kernel_map_from_entries,
     .signature = "map_from_entries(array)",
     .help = "a MAP of pairs",
     .example = "map_from_entries(array(struct('a', 1)))",
     .result = "{a -> 1}"},
    {.name = "map_keys",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_map_side,
     .kernel = kernel_map_side,
     .signature = "map_keys(map) -> ARRAY",
     .help = "its keys",
     .example = "map_keys(map('a', 1))",
     .result = "[a]"},
    {.name = "map_values",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_map_side,
     .kernel = kernel_map_side,
     .signature = "map_values(map) -> ARRAY",
     .help = "its values",
     .example = "map_values(map('a', 1))",
     .result = "[1]"},
    {.name = "map_entries",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_map_entries,
     .kernel = kernel_map_entries,
     .signature = "map_entries(map) -> ARRAY",
     .help = "its pairs",
     .example = "map_entries(map('a', 1))",
     .result = "[{a, 1}]"},
    {.name = "map_contains_key",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_map_contains,
     .kernel = kernel_map_contains,
     .signature = "map_contains_key(map, key) -> BOOLEAN",
     .help = "is it a key?",
     .example = "map_contains_key(map('a', 1), 'b')",
     .result = "false"},
    {.name = "map_concat",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 0,
     .arg_max = 255,
     .bind = bind_map_concat,
     .kernel = kernel_map_concat,
     .signature = "map_concat(a, b, ..)",
     .help = "the entries of all maps",
     .example = "map_concat(map('a', 1), map('b', 2))",
     .result = "{a -> 1, b -> 2}"},
    {0},
};
