/** from_avro, to_avro. */
#include "expr/collection.h"
#include "expr/families.h"
#include "format/avro_read.h"
#include "types/number_text.h"

/* expr->bound of from_avro. */
struct from_avro {
    const struct arus_avro *writer;
    const struct arus_avro *reader;
    const struct arus_avro_plan *plan; /* NULL: nothing can be read, and that is permitted */
    bool is_permissive;
};

/* A bad value is null, a bad record one of nulls. */
static enum arus_status put_bad(struct arus_builder *builder, struct arus_error *err)
{
    if (builder->type->id != ARUS_TYPE_STRUCT) {
        return arus_builder_null(builder, err);
    }
    for (uint16_t k = 0; k < builder->type->field_count; k++) {
        ARUS_TRY(arus_builder_null(&builder->children[k], err));
    }
    return arus_builder_struct(builder, err);
}

static enum arus_status decode_row(const struct arus_kernel_call *call, uint32_t i,
                                   struct arus_builder *builder, struct arus_error *err)
{
    const struct from_avro *from = call->expr->bound;
    const uint32_t before = builder->row_count;
    struct arus_text bytes = arus_text_at(&call->args[0], i);
    enum arus_status status;

    if (!arus_bit_get(call->valid, i)) {
        return arus_builder_null(builder, err);
    }
    if (from->plan == NULL) {
        return put_bad(builder, err);
    }
    status = arus_avro_plan_take(from->plan, &bytes, builder, err); /* what follows is ignored */
    if (status == ARUS_BAD_DATA && from->is_permissive) {
        arus_builder_truncate(builder, before);
        return put_bad(builder, err);
    }
    return status;
}

/* Spark gives a union of several types the type STRUCT, and then cannot read it at the top. */
static bool is_union_of_many(const struct from_avro *from)
{
    return from->reader->has_members;
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

/* ---- binding ---- */

#define HINT "DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT"

static enum arus_status take_json(const struct arus_bind *bind, struct arus_text *out,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_arg_text(bind, 1, out, err));
    return out->data != NULL ? ARUS_OK
                             : arus_fail_at(err, bind->args[1]->place, HINT,
                                            "the Avro schema must be a constant text");
}

static enum arus_status parse_schema(const struct arus_bind *bind, struct arus_text json,
                                     struct arus_place place, const struct arus_avro_naming *naming,
                                     const struct arus_avro **out, struct arus_error *err)
{
    return arus_avro_parse_named(json, naming, bind->arena, out, err) == ARUS_OK
               ? ARUS_OK
               : arus_error_at(err, place);
}

/* Finds an option's value, names without case; data NULL: not given. */
static struct arus_text find_option(const struct arus_vector *map, const char *name)
{
    struct arus_text found = {0};
    struct arus_span span;

    if (map->type == NULL) {
        return found;
    }
    span = *(const struct arus_span *)map->values;
    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (arus_text_equal_nocase(arus_text_at(&map->children[0], j), arus_text_of(name))) {
            found = arus_text_at(&map->children[1], j);
            found.data = found.data == NULL ? "" : found.data;
        }
    }
    return found;
}

/* The constant map of texts; map->type NULL: there are no options. */
static enum arus_status take_options(const struct arus_bind *bind, struct arus_vector *map,
                                     struct arus_error *err)
{
    const struct arus_type *type;
    struct arus_span span;
    bool is_found = false;

    *map = (struct arus_vector){0};
    if (bind->arg_count < 3) {
        return ARUS_OK;
    }
    type = bind->args[2]->type;
    if (type->id == ARUS_TYPE_VOID ||
        (type->id == ARUS_TYPE_MAP && type->fields[0].type->id == ARUS_TYPE_VOID)) { /* map() */
        return ARUS_OK;
    }
    if (type->id == ARUS_TYPE_MAP && type->fields[0].type->id == ARUS_TYPE_STRING &&
        type->fields[1].type->id == ARUS_TYPE_STRING) {
        ARUS_TRY(arus_arg_constant(bind, 2, map, &is_found, err));
    }
    if (!is_found) {
        return arus_fail_at(err, bind->args[2]->place, HINT,
                            "the options must be a constant map of texts: map('mode', "
                            "'PERMISSIVE')");
    }
    if (!arus_vector_is_valid(map, 0)) {
        *map = (struct arus_vector){0};
        return ARUS_OK;
    }
    span = *(const struct arus_span *)map->values;
    for (uint32_t j = span.begin; j < span.begin + span.count; j++) {
        if (!arus_vector_is_valid(&map->children[1], j)) {
            return arus_fail_at(err, bind->args[2]->place, HINT, "an option is NULL");
        }
    }
    return ARUS_OK;
}

static enum arus_status refuse_value(const struct arus_bind *bind, const char *name,
                                     const char *wanted, struct arus_error *err)
{
    return arus_fail_at(err, bind->args[2]->place, "STDS_INVALID_OPTION_VALUE.WITH_MESSAGE",
                        "option '%s' %s", name, wanted);
}

static enum arus_status take_bool(const struct arus_bind *bind, const struct arus_vector *map,
                                  const char *name, bool *out, struct arus_error *err)
{
    const struct arus_text value = find_option(map, name);

    *out = arus_text_equal_nocase(value, ARUS_TEXT("true"));
    return value.data == NULL || *out || arus_text_equal_nocase(value, ARUS_TEXT("false"))
               ? ARUS_OK
               : refuse_value(bind, name, "must be true or false", err);
}

/* As in Spark, a mode that it does not know is PERMISSIVE. */
static enum arus_status take_mode(const struct arus_bind *bind, const struct arus_vector *map,
                                  bool *is_permissive, struct arus_error *err)
{
    const struct arus_text mode = find_option(map, "mode");

    *is_permissive = mode.data != NULL && !arus_text_equal_nocase(mode, ARUS_TEXT("FAILFAST"));
    return !arus_text_equal_nocase(mode, ARUS_TEXT("DROPMALFORMED"))
               ? ARUS_OK
               : arus_fail_at(err, bind->args[2]->place, "PARSE_MODE_UNSUPPORTED",
                              "from_avro knows the modes PERMISSIVE and FAILFAST, not "
                              "DROPMALFORMED");
}

/* Options that are checked only, and those that would change the result and are not built. */
static enum arus_status check_others(const struct arus_bind *bind, const struct arus_vector *map,
                                     struct arus_error *err)
{
    const struct arus_text depth = find_option(map, "recursiveFieldMaxDepth");
    const struct arus_text rebase = find_option(map, "datetimeRebaseMode");
    int32_t number = 0;
    bool ignored;

    ARUS_TRY(take_bool(bind, map, "ignoreExtension", &ignored, err));
    if (depth.data != NULL && (!arus_int32_parse(depth, &number) || number > 15)) {
        return refuse_value(bind, "recursiveFieldMaxDepth", "must be at most 15", err);
    }
    if (find_option(map, "avroSchemaUrl").data != NULL &&
        find_option(map, "avroSchema").data == NULL) {
        return refuse_value(bind, "avroSchemaUrl",
                            "is not supported: give the schema's text as 'avroSchema'", err);
    }
    if (rebase.data != NULL && !arus_text_equal_nocase(rebase, ARUS_TEXT("CORRECTED")) &&
        !arus_text_equal_nocase(rebase, ARUS_TEXT("EXCEPTION"))) {
        return refuse_value(bind, "datetimeRebaseMode",
                            "must be CORRECTED or EXCEPTION: dates are read as they stand", err);
    }
    return ARUS_OK;
}

static enum arus_status take_schemas(const struct arus_bind *bind, const struct arus_vector *map,
                                     struct from_avro *from, struct arus_error *err)
{
    const struct arus_text reader = find_option(map, "avroSchema");
    const struct arus_text prefix = find_option(map, "stableIdentifierPrefixForUnionType");
    struct arus_avro_naming naming = {.prefix =
                                          prefix.data != NULL ? prefix : ARUS_TEXT("member_")};
    struct arus_text writer;

    ARUS_TRY(take_bool(bind, map, "enableStableIdentifiersForUnionType", &naming.is_by_type, err));
    ARUS_TRY(take_json(bind, &writer, err));
    ARUS_TRY(parse_schema(bind, writer, bind->args[1]->place, &naming, &from->writer, err));
    from->reader = from->writer;
    return reader.data == NULL
               ? ARUS_OK
               : parse_schema(bind, reader, bind->args[2]->place, &naming, &from->reader, err);
}

static enum arus_status bind_from_avro(struct arus_bind *bind, struct arus_error *err)
{
    struct from_avro *from;
    struct arus_vector map;

    ARUS_TRY(arus_arg_take(bind, 0, "=x", err));
    ARUS_TRY(ARUS_NEW(bind->arena, struct from_avro, 1, &from, err));
    ARUS_TRY(take_options(bind, &map, err));
    ARUS_TRY(take_mode(bind, &map, &from->is_permissive, err));
    ARUS_TRY(check_others(bind, &map, err));
    ARUS_TRY(take_schemas(bind, &map, from, err));
    if (arus_avro_plan_resolve(from->writer, from->reader, bind->arena, &from->plan, err) !=
        ARUS_OK) {
        if (err->status != ARUS_BAD_CONFIG || !from->is_permissive) {
            return arus_error_at(err, bind->args[bind->arg_count - 1]->place);
        }
        from->plan = NULL;
    }
    bind->bound = from;
    bind->type = from->reader->type;
    bind->is_nullable = true;
    bind->arg_count = 1;
    return from->is_permissive ? arus_type_as_nullable(bind->type, bind->arena, &bind->type, err)
                               : ARUS_OK;
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
    struct arus_text json;

    if (bind->arg_count == 2) {
        ARUS_TRY(take_json(bind, &json, err));
        ARUS_TRY(parse_schema(bind, json, bind->args[1]->place, NULL, &schema, err));
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
     .help = "a value from Avro's binary form; options: avroSchema (the reader's schema), mode "
             "(FAILFAST, PERMISSIVE), enableStableIdentifiersForUnionType",
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
