/** Arrays, maps and structs: making them, size, membership. */
#include "expr/collection.h"

#include "expr/families.h"
#include "expr/rowwise.h"

/* ---- struct and named_struct: children are the arguments ---- */

static enum arus_status kernel_struct(const struct arus_kernel_call *call, struct arus_vector *out,
                                      uint32_t *bad_row, struct arus_error *err)
{
    const uint32_t count = call->expr->type->field_count;
    const uint32_t step = call->expr->arg_count / (count == 0 ? 1 : count);

    (void)bad_row;
    *out = (struct arus_vector){.type = call->expr->type, .row_count = call->row_count};
    ARUS_TRY(ARUS_NEW(call->step, struct arus_vector, count, &out->children, err));
    for (uint32_t f = 0; f < count; f++) {
        const struct arus_vector *arg = &call->args[f * step + step - 1];

        ARUS_TRY(arus_vector_flatten(arg, call->step, &out->children[f], err));
    }
    return ARUS_OK;
}

/* The name of an unnamed argument: a column's, a field's, else col1, col2, ... */
static enum arus_status field_name(const struct arus_bind *bind, uint32_t i, struct arus_text *out,
                                   struct arus_error *err)
{
    const struct arus_expr *arg = bind->args[i];

    if (bind->arg_names != NULL && bind->arg_names[i].size > 0) {
        *out = bind->arg_names[i];
        return ARUS_OK;
    }
    if (arg->kind == ARUS_EXPR_COLUMN || arg->kind == ARUS_EXPR_FIELD ||
        arg->kind == ARUS_EXPR_VARIABLE) {
        *out = arg->name;
        return ARUS_OK;
    }
    return arus_text_format(bind->arena, out, err, "col%u", i + 1);
}

static enum arus_status struct_text(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = arus_buffer_append_text(&text, ARUS_TEXT("struct("), err);

    for (uint32_t i = 0; i < bind->arg_count && status == ARUS_OK; i++) {
        status = i > 0 ? arus_buffer_append_text(&text, ARUS_TEXT(", "), err) : ARUS_OK;
        if (status == ARUS_OK) {
            status = arus_expr_text(bind->args[i], &text, err);
        }
        if (status == ARUS_OK && bind->arg_names != NULL && bind->arg_names[i].size > 0) {
            status = arus_buffer_printf(&text, err, " AS %.*s", ARUS_TEXT_ARGS(bind->arg_names[i]));
        }
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_char(&text, ')', err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), bind->arena, &bind->text, err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status bind_struct(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_field *fields;

    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_field, bind->arg_count, &fields, err));
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        ARUS_TRY(field_name(bind, i, &fields[i].name, err));
        fields[i].type = bind->args[i]->type;
        fields[i].is_nullable = bind->args[i]->is_nullable;
    }
    bind->is_nullable = false;
    ARUS_TRY(struct_text(bind, err));
    return arus_type_struct(fields, (uint16_t)bind->arg_count, bind->arena, &bind->type, err);
}

static enum arus_status bind_named_struct(struct arus_bind *bind, struct arus_error *err)
{
    const uint32_t count = bind->arg_count / 2;
    struct arus_field *fields;

    if (bind->arg_count % 2 != 0) {
        return arus_fail_at(err, bind->place, "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
                            "named_struct takes names and values in pairs");
    }
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_field, count, &fields, err));
    for (uint32_t i = 0; i < count; i++) {
        const struct arus_expr *value = bind->args[2 * i + 1];

        if (bind->args[2 * i]->type->id == ARUS_TYPE_STRING) {
            ARUS_TRY(arus_arg_text(bind, 2 * i, &fields[i].name, err));
        }
        if (fields[i].name.data == NULL) {
            return arus_fail_at(err, bind->args[2 * i]->place,
                                "DATATYPE_MISMATCH.CREATE_NAMED_STRUCT_WITHOUT_FOLDABLE_STRING",
                                "a field name must be a constant text");
        }
        fields[i].type = value->type;
        fields[i].is_nullable = value->is_nullable;
    }
    bind->is_nullable = false;
    return arus_type_struct(fields, (uint16_t)count, bind->arena, &bind->type, err);
}

/* ---- array ---- */

enum arus_status arus_interleave(const struct arus_kernel_call *call, uint32_t first, uint32_t step,
                                 const struct arus_type *type, struct arus_vector *out,
                                 struct arus_error *err)
{
    const uint32_t width = (call->expr->arg_count - first + step - 1) / step;
    struct arus_picks picks = {.source_count = width, .row_count = width * call->row_count};
    const struct arus_vector **sources;
    uint32_t *which;
    uint32_t *at;

    ARUS_TRY(ARUS_NEW(call->step, const struct arus_vector *, width, &sources, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, picks.row_count, &which, err));
    ARUS_TRY(ARUS_NEW(call->step, uint32_t, picks.row_count, &at, err));
    for (uint32_t j = 0; j < width; j++) {
        sources[j] = &call->args[first + j * step];
    }
    for (uint32_t i = 0, next = 0; i < call->row_count; i++) {
        for (uint32_t j = 0; j < width; j++, next++) {
            which[next] = j;
            at[next] = i;
        }
    }
    picks.sources = sources;
    picks.which = which;
    picks.at = at;
    return arus_vector_pick(&picks, type, call->step, out, err);
}

void arus_spans_equal(struct arus_vector *out, uint32_t width)
{
    struct arus_span *spans = out->values;

    for (uint32_t i = 0; i < out->row_count; i++) {
        spans[i] = (struct arus_span){i * width, width};
    }
}

static enum arus_status kernel_array(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    arus_spans_equal(out, call->expr->arg_count);
    if (call->expr->arg_count == 0) {
        return ARUS_OK;
    }
    return arus_interleave(call, 0, 1, call->expr->type->fields[0].type, out->children, err);
}

static enum arus_status bind_array(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *element = &ARUS_VOID;
    bool has_null = false;

    ARUS_TRY(arus_args_common(bind, 0, 1, &element, err));
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        has_null |= bind->args[i]->is_nullable;
    }
    bind->is_nullable = false;
    return arus_type_array(element, has_null, bind->arena, &bind->type, err);
}

/* ---- size and membership ---- */

static enum arus_status size_row(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    (void)err;
    arus_row_int(row, i, (int32_t)arus_span_at(&row->call->args[0], i).count);
    return ARUS_OK;
}
ARUS_ROWWISE(size_row)

static enum arus_status bind_size(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_array = bind->function->name[0] == 'a';
    const enum arus_type_id id = bind->args[0]->type->id;

    bind->type = &ARUS_INT;
    if (id == ARUS_TYPE_MAP && !is_array) {
        return ARUS_OK;
    }
    return arus_arg_take(bind, 0, "=A", err);
}

/* size(NULL) with ANSI off is -1 */
static enum arus_status size_or_minus(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    if (!arus_vector_is_valid(&row->call->args[0], i)) {
        arus_row_int(row, i, -1);
        return ARUS_OK;
    }
    return size_row(row, i, err);
}
ARUS_ROWWISE(size_or_minus)

static enum arus_status bind_legacy_size(struct arus_bind *bind, struct arus_error *err)
{
    if (bind->is_ansi) {
        return arus_bind_as(bind, "strict_size", err);
    }
    ARUS_TRY(bind_size(bind, err));
    bind->is_nullable = false;
    return ARUS_OK;
}

/* The search value gets the element's type, or both their common one. */
static enum arus_status bind_element(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *array = bind->args[0]->type;
    const struct arus_type *wanted;
    const struct arus_type *common;

    if (array->id == ARUS_TYPE_ARRAY && bind->args[1]->type->id == ARUS_TYPE_VOID &&
        !bind->is_ansi && strcmp(bind->function->name, "array_position") == 0) {
        return arus_arg_cast(bind, 1, array->fields[0].type, err);
    }
    if (array->id == ARUS_TYPE_VOID || bind->args[1]->type->id == ARUS_TYPE_VOID) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NULL_TYPE",
                            "`%.*s` does not take NULL", ARUS_TEXT_ARGS(bind->name));
    }
    if (array->id != ARUS_TYPE_ARRAY && bind->args[1]->type->id != ARUS_TYPE_STRING) {
        return arus_fail_input(bind, 0, "an ARRAY", err);
    }
    common = array->id != ARUS_TYPE_ARRAY ||
                     (!bind->is_ansi && (array->fields[0].type->id == ARUS_TYPE_STRING) !=
                                            (bind->args[1]->type->id == ARUS_TYPE_STRING))
                 ? NULL
                 : arus_type_common(array->fields[0].type, bind->args[1]->type, bind->is_ansi,
                                    bind->arena);
    if (common == NULL) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.ARRAY_FUNCTION_DIFF_TYPES",
                            "`%.*s` cannot look for %s in %s", ARUS_TEXT_ARGS(bind->name),
                            arus_type_name(bind->args[1]->type).text, arus_type_name(array).text);
    }
    if (!arus_type_is_orderable(common)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_ORDERING_TYPE",
                            "`%.*s` cannot compare %s", ARUS_TEXT_ARGS(bind->name),
                            arus_type_name(common).text);
    }
    ARUS_TRY(arus_type_array(common, array->fields[0].is_nullable, bind->arena, &wanted, err));
    ARUS_TRY(arus_arg_cast(bind, 0, wanted, err));
    return arus_arg_cast(bind, 1, common, err);
}

static enum arus_status bind_contains(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(bind_element(bind, err));
    bind->is_nullable = true;
    bind->type = &ARUS_BOOLEAN;
    return ARUS_OK;
}

static enum arus_status bind_position(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(bind_element(bind, err));
    bind->type = &ARUS_BIGINT;
    return ARUS_OK;
}

/* Position from 1 of the argument in the array of row i; 0: none. */
static uint32_t find_element(const struct arus_rowwise *row, uint32_t i, bool *has_null)
{
    const struct arus_span span = arus_span_at(&row->call->args[0], i);
    const struct arus_vector *items = &row->call->args[0].children[0];

    *has_null = false;
    for (uint32_t j = 0; j < span.count; j++) {
        if (!arus_vector_is_valid(items, span.begin + j)) {
            *has_null = true;
        } else if (arus_vector_compare(items, span.begin + j, &row->call->args[1], i) == 0) {
            return j + 1;
        }
    }
    return 0;
}

static enum arus_status array_contains(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    bool has_null;
    const bool is_found = find_element(row, i, &has_null) > 0;

    arus_row_boolean(row, i, is_found);
    return !is_found && has_null ? arus_row_null(row, i, err) : ARUS_OK;
}
ARUS_ROWWISE(array_contains)

#define LIST_CHUNK 16

#define NAME has_int8
#define TYPE int8_t
#include "expr/list_has.inc.h"
#define NAME has_int16
#define TYPE int16_t
#include "expr/list_has.inc.h"
#define NAME has_int32
#define TYPE int32_t
#include "expr/list_has.inc.h"
#define NAME has_int64
#define TYPE int64_t
#include "expr/list_has.inc.h"

typedef void (*list_has_fn)(const struct arus_kernel_call *call, uint8_t *r);

/* For elements that are equal when their bytes are; else NULL. */
static list_has_fn list_has(const struct arus_type *type)
{
    static const list_has_fn KERNELS[ARUS_TYPE_COUNT] = {
        [ARUS_TYPE_TINYINT] = has_int8,        [ARUS_TYPE_SMALLINT] = has_int16,
        [ARUS_TYPE_INT] = has_int32,           [ARUS_TYPE_DATE] = has_int32,
        [ARUS_TYPE_BIGINT] = has_int64,        [ARUS_TYPE_TIMESTAMP] = has_int64,
        [ARUS_TYPE_TIMESTAMP_NTZ] = has_int64,
    };

    return KERNELS[type->id];
}

static enum arus_status kernel_contains(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    const struct arus_vector *elements = &call->args[0].children[0];
    const list_has_fn has = list_has(elements->type);

    if (has == NULL || elements->form != ARUS_VECTOR_FLAT || elements->validity != NULL ||
        call->args[1].form == ARUS_VECTOR_DICTIONARY ||
        call->args[0].form == ARUS_VECTOR_DICTIONARY) {
        return kernel_array_contains(call, out, bad_row, err);
    }
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    has(call, out->values);
    return ARUS_OK;
}

static enum arus_status array_position(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    bool has_null;

    (void)err;
    arus_row_bigint(row, i, find_element(row, i, &has_null));
    return ARUS_OK;
}
ARUS_ROWWISE(array_position)

/* ---- typeof ---- */

static enum arus_status bind_typeof(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = arus_type_simple(bind->args[0]->type, &text, err);

    if (status == ARUS_OK) {
        const struct arus_view view = arus_view_of(text.data, text.size);

        status = arus_literal_of(&ARUS_STRING, &view, bind->arena, &bind->replacement, err);
    }
    arus_buffer_release(&text);
    return status;
}

const struct arus_function ARUS_COLLECTIONS[] = {
    {.name = "struct",
     .arg_min = 0,
     .arg_max = 255,
     .bind = bind_struct,
     .kernel = kernel_struct,
     .signature = "struct(a, b AS name, ..)",
     .help = "a STRUCT",
     .example = "struct(1 AS a, 'x' AS b).b",
     .result = "x"},
    {.name = "named_struct",
     .arg_min = 2,
     .arg_max = 255,
     .bind = bind_named_struct,
     .kernel = kernel_struct,
     .signature = "named_struct('a', x, ..)",
     .help = "a STRUCT with named fields",
     .example = "named_struct('a', 1, 'b', 2)",
     .result = "{1, 2}"},
    {.name = "array",
     .arg_min = 0,
     .arg_max = 255,
     .bind = bind_array,
     .kernel = kernel_array,
     .signature = "array(a, b, ..)",
     .help = "an ARRAY",
     .example = "array(1, NULL)",
     .result = "[1, null]"},
    {.name = "size",
     .aliases = "cardinality",
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_legacy_size,
     .kernel = kernel_size_or_minus,
     .signature = "size(array or map) -> INT",
     .help = "elements",
     .example = "size(array(1, 2))",
     .result = "2"},
    {.name = "strict_size",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_size,
     .kernel = kernel_size_row},
    {.name = "array_size",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_size,
     .kernel = kernel_size_row,
     .signature = "array_size(array) -> INT",
     .help = "elements",
     .example = "array_size(array(1, 2))",
     .result = "2"},
    {.name = "array_contains",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_contains,
     .kernel = kernel_contains,
     .signature = "array_contains(array, x) -> BOOLEAN",
     .help = "NULL if absent and a NULL is in the array",
     .example = "array_contains(array(1, 2), 2)",
     .result = "true"},
    {.name = "array_position",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_position,
     .kernel = kernel_array_position,
     .signature = "array_position(array, x) -> BIGINT",
     .help = "from 1; 0: absent",
     .example = "array_position(array('a', 'b'), 'b')",
     .result = "2"},
    {.name = "typeof",
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_typeof,
     .signature = "typeof(x) -> STRING",
     .help = "name of its type",
     .example = "typeof(1.5)",
     .result = "decimal(2,1)"},
    {0},
};
