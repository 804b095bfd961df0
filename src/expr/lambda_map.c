/** Higher-order functions of maps. */
#include "expr/families.h"
#include "expr/lambda.h"

/* The lambda over (key, value) of all entries. */
static enum arus_status run_entries(const struct arus_kernel_call *call,
                                    const struct arus_elements *entries,
                                    struct arus_vector variables[2], struct arus_vector *out,
                                    uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_vector *map = &call->args[0];

    ARUS_TRY(arus_elements_take(entries, call, &map->children[0], &variables[0], err));
    ARUS_TRY(arus_elements_take(entries, call, &map->children[1], &variables[1], err));
    return arus_lambda_run(call, 1, variables, entries->rows, entries->count, out, bad_row, err);
}

static enum arus_status kernel_map_filter(const struct arus_kernel_call *call,
                                          struct arus_vector *out, uint32_t *bad_row,
                                          struct arus_error *err)
{
    const struct arus_vector *keys[1] = {&call->args[0].children[0]};
    const struct arus_vector *values[1] = {&call->args[0].children[1]};
    struct arus_elements entries;
    struct arus_list_picker picker;
    struct arus_vector variables[2];
    struct arus_vector kept;

    ARUS_TRY(arus_elements_init(&entries, call, &call->args[0], err));
    ARUS_TRY(run_entries(call, &entries, variables, &kept, bad_row, err));
    ARUS_TRY(arus_picker_init(&picker, call, call->expr->type, out, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        const struct arus_span span = entries.spans[i];

        for (uint32_t e = span.begin; e < span.begin + span.count; e++) {
            if (arus_truth_at(&kept, e) == 1) {
                ARUS_TRY(arus_picker_add(&picker, 0, entries.at[e], err));
            }
        }
        arus_picker_row(&picker, i);
    }
    ARUS_TRY(arus_picker_finish(&picker, keys, 1, 0, out, err));
    return arus_picker_finish(&picker, values, 1, 1, out, err);
}

static enum arus_status bind_map_filter(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = bind->args[0]->type;
    return arus_lambda_is_condition(bind, 1, err);
}

/* transform_keys, transform_values: one side is the lambda's. */
static enum arus_status kernel_map_transform(const struct arus_kernel_call *call,
                                             struct arus_vector *out, uint32_t *bad_row,
                                             struct arus_error *err)
{
    const uint32_t side = strcmp(call->expr->function->name, "transform_keys") == 0 ? 0 : 1;
    struct arus_elements entries;
    struct arus_vector variables[2];
    struct arus_vector results;

    ARUS_TRY(arus_elements_init(&entries, call, &call->args[0], err));
    ARUS_TRY(run_entries(call, &entries, variables, &results, bad_row, err));
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    out->values = entries.spans;
    ARUS_TRY(arus_vector_flatten(&results, call->step, &out->children[side], err));
    ARUS_TRY(arus_vector_flatten(&variables[1 - side], call->step, &out->children[1 - side], err));
    return side == 0 ? arus_map_check(out, call->valid, bad_row, err) : ARUS_OK;
}

static bool has_map(const struct arus_type *type)
{
    for (uint32_t f = 0; f < type->field_count; f++) {
        if (has_map(type->fields[f].type)) {
            return true;
        }
    }
    return type->id == ARUS_TYPE_MAP;
}

static enum arus_status bind_transform_keys(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *map = bind->args[0]->type;

    if (has_map(bind->args[1]->type)) {
        return arus_fail_at(err, bind->args[1]->place, "DATATYPE_MISMATCH.INVALID_MAP_KEY_TYPE",
                            "a key cannot be or hold a MAP");
    }
    return arus_type_map(bind->args[1]->type, map->fields[1].type, map->fields[1].is_nullable,
                         bind->arena, &bind->type, err);
}

static enum arus_status bind_transform_values(struct arus_bind *bind, struct arus_error *err)
{
    return arus_type_map(bind->args[0]->type->fields[0].type, bind->args[1]->type,
                         bind->args[1]->is_nullable, bind->arena, &bind->type, err);
}

/* ---- map_zip_with: all keys, those of the first map first ---- */

struct zip {
    const struct arus_kernel_call *call;
    struct arus_list_picker keys; /* which: 0, 1 of the first, second map */
    uint32_t *rows;               /* by key */
    uint32_t *which[2];           /* by key: 0 or ARUS_NULL_ROW, of the values of that map */
    uint32_t *at[2];
    uint32_t count;
};

/* Row of the key in row i of a map, or ARUS_NULL_ROW. */
static uint32_t find_key(const struct arus_vector *map, uint32_t i, const struct arus_vector *keys,
                         uint32_t key)
{
    const struct arus_span span = arus_span_at(map, i);

    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (arus_vector_compare(&map->children[0], j, keys, key) == 0) {
            return j;
        }
    }
    return ARUS_NULL_ROW;
}

static enum arus_status zip_key(struct zip *zip, uint32_t row, uint32_t side, uint32_t key,
                                uint32_t other, struct arus_error *err)
{
    const uint32_t k = zip->count++;

    zip->rows[k] = row;
    zip->which[side][k] = 0;
    zip->at[side][k] = key;
    zip->which[1 - side][k] = other == ARUS_NULL_ROW ? ARUS_NULL_ROW : 0;
    zip->at[1 - side][k] = other == ARUS_NULL_ROW ? 0 : other;
    return arus_picker_add(&zip->keys, side, key, err);
}

static enum arus_status zip_row(struct zip *zip, uint32_t row, struct arus_error *err)
{
    const struct arus_vector *maps = zip->call->args;

    for (uint32_t side = 0; side < 2; side++) {
        const struct arus_vector *keys = &maps[side].children[0];
        const struct arus_span span = arus_span_at(&maps[side], row);

        for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
            const uint32_t other = find_key(&maps[1 - side], row, keys, j);

            if (side == 0 || other == ARUS_NULL_ROW) {
                ARUS_TRY(zip_key(zip, row, side, j, other, err));
            }
        }
    }
    return ARUS_OK;
}

static enum arus_status zip_init(struct zip *zip, struct arus_vector *out, struct arus_error *err)
{
    const struct arus_kernel_call *call = zip->call;
    uint32_t max = 0;

    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i)) {
            max += arus_span_at(&call->args[0], i).count + arus_span_at(&call->args[1], i).count;
        }
    }
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, max, &zip->rows, err));
    for (uint32_t side = 0; side < 2; side++) {
        ARUS_TRY(ARUS_NEW(call->step, uint32_t, max, &zip->which[side], err));
        ARUS_TRY(ARUS_NEW(call->step, uint32_t, max, &zip->at[side], err));
    }
    return arus_picker_init(&zip->keys, call, call->expr->type, out, err);
}

static enum arus_status kernel_map_zip_with(const struct arus_kernel_call *call,
                                            struct arus_vector *out, uint32_t *bad_row,
                                            struct arus_error *err)
{
    const struct arus_vector *keys[2] = {&call->args[0].children[0], &call->args[1].children[0]};
    struct zip zip = {.call = call};
    struct arus_vector variables[3];
    struct arus_vector results;

    ARUS_TRY(zip_init(&zip, out, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i)) {
            ARUS_TRY(zip_row(&zip, i, err));
        }
        arus_picker_row(&zip.keys, i);
    }
    ARUS_TRY(arus_picker_finish(&zip.keys, keys, 2, 0, out, err));
    variables[0] = out->children[0];
    for (uint32_t side = 0; side < 2; side++) {
        const struct arus_vector *sources[1] = {&call->args[side].children[1]};
        const struct arus_picks picks = {.sources = sources,
                                         .source_count = 1,
                                         .which = zip.which[side],
                                         .at = zip.at[side],
                                         .row_count = zip.count};

        ARUS_TRY(arus_vector_pick(&picks, sources[0]->type, call->step, &variables[side + 1], err));
    }
    ARUS_TRY(arus_lambda_run(call, 2, variables, zip.rows, zip.count, &results, bad_row, err));
    return arus_vector_flatten(&results, call->step, &out->children[1], err);
}

/* ANSI makes no number of a text to compare keys. */
static bool becomes_text(const struct arus_type *left, const struct arus_type *right)
{
    return (left->id == ARUS_TYPE_STRING && right->id != ARUS_TYPE_VOID) !=
           (right->id == ARUS_TYPE_STRING && left->id != ARUS_TYPE_VOID);
}

static enum arus_status lambda_of_maps(struct arus_bind *bind, uint32_t i,
                                       struct arus_lambda_shape *out, struct arus_error *err)
{
    const struct arus_type *key;
    const struct arus_type *left;
    const struct arus_type *right;

    (void)i;
    for (uint32_t a = 0; a < 2; a++) {
        ARUS_TRY(arus_lambda_takes(bind, a, ARUS_TYPE_MAP, err));
    }
    left = bind->args[0]->type->fields[0].type;
    right = bind->args[1]->type->fields[0].type;
    key = arus_type_common(left, right, bind->is_ansi, bind->arena);
    if (key == NULL || (bind->is_ansi && becomes_text(left, right))) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.MAP_ZIP_WITH_DIFF_TYPES",
                            "the maps have keys of different types: %s and %s",
                            arus_type_name(left).text, arus_type_name(right).text);
    }
    out->count_min = 3;
    out->count_max = 3;
    out->variables[0].type = key;
    out->variables[0].is_nullable = false;
    for (uint32_t a = 0; a < 2; a++) {
        const struct arus_field *value = &bind->args[a]->type->fields[1];
        const struct arus_type *map;

        ARUS_TRY(arus_type_map(key, value->type, value->is_nullable, bind->arena, &map, err));
        ARUS_TRY(arus_arg_cast(bind, a, map, err));
        out->variables[a + 1].type = value->type;
        out->variables[a + 1].is_nullable = true;
    }
    return ARUS_OK;
}

static enum arus_status bind_map_zip_with(struct arus_bind *bind, struct arus_error *err)
{
    return arus_type_map(bind->args[0]->type->fields[0].type, bind->args[2]->type,
                         bind->args[2]->is_nullable, bind->arena, &bind->type, err);
}

const struct arus_function ARUS_MAP_LAMBDAS[] = {
    {.name = "map_filter",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_map_filter,
     .kernel = kernel_map_filter,
     .lambda = arus_lambda_of_map,
     .lambda_args = 1 << 1,
     .signature = "map_filter(map, (key, value) -> condition)",
     .help = "the entries for which the lambda is true",
     .example = "map_filter(map('a', 1, 'b', 2), (k, v) -> v > 1)",
     .result = "{b -> 2}"},
    {.name = "transform_keys",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_transform_keys,
     .kernel = kernel_map_transform,
     .lambda = arus_lambda_of_map,
     .lambda_args = 1 << 1,
     .signature = "transform_keys(map, (key, value) -> key)",
     .help = "new keys for the entries; a NULL or double one is an error",
     .example = "transform_keys(map('a', 1), (k, v) -> upper(k))",
     .result = "{A -> 1}"},
    {.name = "transform_values",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_transform_values,
     .kernel = kernel_map_transform,
     .lambda = arus_lambda_of_map,
     .lambda_args = 1 << 1,
     .signature = "transform_values(map, (key, value) -> value)",
     .help = "new values for the entries",
     .example = "transform_values(map('a', 1), (k, v) -> v + 1)",
     .result = "{a -> 2}"},
    {.name = "map_zip_with",
     .flags = ARUS_STRICT,
     .arg_min = 3,
     .arg_max = 3,
     .bind = bind_map_zip_with,
     .kernel = kernel_map_zip_with,
     .lambda = lambda_of_maps,
     .lambda_args = 1 << 2,
     .signature = "map_zip_with(a, b, (key, x, y) -> value)",
     .help = "two maps key by key; a missing value is NULL",
     .example = "map_zip_with(map('a', 1), map('a', 2, 'b', 3), (k, x, y) -> coalesce(x, 0) + y)",
     .result = "{a -> 3, b -> 3}"},
    {0},
};
