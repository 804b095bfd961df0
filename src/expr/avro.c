/** from_avro, to_avro. */
#include "format/avro.h"

#include "expr/collection.h"
#include "expr/families.h"

/* expr->bound of from_avro. */
struct from_avro {
    const struct arus_avro *schema;
    bool is_permissive;
};

static enum arus_status decode_row(const struct arus_kernel_call *call, uint32_t i,
                                   struct arus_builder *builder, struct arus_error *err)
{
    const struct from_avro *from = call->expr->bound;
    const uint32_t before = builder->row_count;
    enum arus_status status;

    if (!arus_bit_get(call->valid, i)) {
        return arus_builder_null(builder, err);
    }
    status =
        arus_avro_decode(from->schema, arus_text_at(&call->args[0], i), call->step, builder, err);
    if (status == ARUS_BAD_DATA && from->is_permissive) {
        arus_builder_truncate(builder, before);
        return arus_builder_null(builder, err);
    }
    return status;
}

/* Spark gives a union of several types the type STRUCT, and then cannot read it at the top. */
static bool is_union_of_many(const struct from_avro *from)
{
    return from->schema->kind == ARUS_AVRO_UNION && from->schema->type->id == ARUS_TYPE_STRUCT;
}

static enum arus_status kernel_from_avro(const struct arus_kernel_call *call,
                                         struct arus_vector *out, uint32_t *bad_row,
                                         struct arus_error *err)
{
    struct arus_builder builder = {0};
    struct arus_vector vector;
    enum arus_status status;

    if (is_union_of_many(call->expr->bound)) {
        *bad_row = 0;
        return arus_fail(err, ARUS_BAD_DATA, NULL,
                         "from_avro reads no union as a value of its own: put it into a record");
    }
    status = arus_builder_init(&builder, call->expr->type, err);

    for (uint32_t i = 0; i < call->row_count && status == ARUS_OK; i++) {
        *bad_row = i;
        status = decode_row(call, i, &builder, err);
    }
    if (status == ARUS_OK) {
        status = arus_builder_finish(&builder, call->step, &vector, err);
    }
    if (status == ARUS_OK) {
        status = arus_vector_copy(&vector, call->step, out, err);
    }
    arus_builder_release(&builder);
    return status;
}

static enum arus_status take_schema(struct arus_bind *bind, const struct arus_avro **out,
                                    struct arus_error *err)
{
    struct arus_text json;

    ARUS_TRY(arus_arg_text(bind, 1, &json, err));
    if (json.data == NULL) {
        return arus_fail_at(err, bind->args[1]->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "the Avro schema must be a constant text");
    }
    if (arus_avro_parse(json, bind->arena, out, err) != ARUS_OK) {
        return arus_error_at(err, bind->args[1]->place);
    }
    return ARUS_OK;
}

/* map('mode', 'PERMISSIVE') */
static enum arus_status is_permissive(const struct arus_bind *bind, bool *out,
                                      struct arus_error *err)
{
    struct arus_vector map;
    struct arus_span span;
    bool is_found = false;

    *out = false;
    if (bind->arg_count < 3 || bind->args[2]->type->id != ARUS_TYPE_MAP) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arg_constant(bind, 2, &map, &is_found, err));
    if (!is_found || !arus_vector_is_valid(&map, 0) ||
        map.type->fields[1].type->id != ARUS_TYPE_STRING) {
        return ARUS_OK;
    }
    span = *(const struct arus_span *)map.values;
    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (arus_text_equal_nocase(arus_text_at(&map.children[0], j), ARUS_TEXT("mode"))) {
            *out =
                arus_text_equal_nocase(arus_text_at(&map.children[1], j), ARUS_TEXT("PERMISSIVE"));
        }
    }
    return ARUS_OK;
}

static enum arus_status bind_from_avro(struct arus_bind *bind, struct arus_error *err)
{
    struct from_avro *from;

    ARUS_TRY(arus_arg_take(bind, 0, "=x", err));
    ARUS_TRY(ARUS_NEW(bind->arena, struct from_avro, 1, &from, err));
    ARUS_TRY(take_schema(bind, &from->schema, err));
    ARUS_TRY(is_permissive(bind, &from->is_permissive, err));
    bind->bound = from;
    bind->type = from->schema->type;
    bind->is_nullable = true;
    bind->arg_count = 1;
    return ARUS_OK;
}

static enum arus_status to_avro(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    arus_buffer_reset(&row->buffer);
    ARUS_TRY(arus_avro_encode(row->call->expr->bound, &row->call->args[0], i, &row->buffer, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(to_avro)

static enum arus_status bind_to_avro(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *arg = bind->args[0];
    const struct arus_avro *schema;

    if (bind->arg_count == 2) {
        ARUS_TRY(take_schema(bind, &schema, err));
        if (arus_avro_check(schema, arg->type, err) != ARUS_OK) {
            return arus_error_at(err, bind->place);
        }
    } else {
        ARUS_TRY(arus_avro_of(arg->type, arg->is_nullable, bind->arena, &schema, err));
    }
    bind->bound = schema;
    bind->type = &ARUS_BINARY;
    bind->arg_count = 1;
    return ARUS_OK;
}

const struct arus_function ARUS_AVROS[] = {
    {.name = "from_avro",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_from_avro,
     .kernel = kernel_from_avro,
     .text = "from_avro($1)",
     .signature = "from_avro(bytes, 'schema'[, map(options)])",
     .help = "a value from Avro's binary form",
     .example = "from_avro(X'02', '\"int\"')",
     .result = "1"},
    {.name = "to_avro",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_avro,
     .kernel = kernel_to_avro,
     .text = "to_avro($1)",
     .signature = "to_avro(x[, 'schema']) -> BINARY",
     .help = "a value in Avro's binary form",
     .example = "hex(to_avro(1))",
     .result = "02"},
    {0},
};
