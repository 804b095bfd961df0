/** from_json, to_json, schema_of_json: values by the JSON format's own routines. */
#include "format/json.h"

#include "expr/families.h"
#include "expr/rowwise.h"
#include "expr/schema_arg.h"

/* ---- from_json ---- */

struct from_json {
    const struct arus_type *type;
    void *settings;
};

static void values_close(void *data)
{
    arus_json_values_close(data);
}

static enum arus_status kernel_from_json(const struct arus_kernel_call *call,
                                         struct arus_vector *out, uint32_t *bad_row,
                                         struct arus_error *err)
{
    const struct from_json *from = call->expr->bound;
    struct arus_json_values *values = call->memo->data;

    if (values == NULL) {
        ARUS_TRY(arus_json_values_open(from->type, from->settings, call->env->zone, &values, err));
        call->memo->data = values;
        call->memo->close = values_close;
    }
    if (arus_json_values_decode(values, &call->args[0], out, bad_row, err) == ARUS_OK) {
        return ARUS_OK;
    }
    if (err->status == ARUS_BAD_DATA &&
        (err->condition == NULL || strncmp(err->condition, "MALFORMED_RECORD", 16) != 0)) {
        err->condition = "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION";
    }
    return err->status;
}

static enum arus_status bind_from_json(struct arus_bind *bind, struct arus_error *err)
{
    struct from_json *from;

    if (bind->args[0]->type->id != ARUS_TYPE_STRING && bind->args[0]->type->id != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "STRING", err);
    }
    ARUS_TRY(arus_arg_take(bind, 0, "s", err));
    ARUS_TRY(ARUS_NEW(bind->arena, struct from_json, 1, &from, err));
    ARUS_TRY(arus_arg_schema(bind, 1, &from->type, err));
    if (!arus_type_is_nested(from->type)) {
        return arus_fail_at(err, bind->args[1]->place, "DATATYPE_MISMATCH.INVALID_JSON_SCHEMA",
                            "from_json makes a STRUCT, an ARRAY or a MAP, not %s",
                            arus_type_name(from->type).text);
    }
    if (arus_arg_mode_is(bind, 2, "DROPMALFORMED", err)) {
        return arus_fail_at(err, bind->place, "PARSE_MODE_UNSUPPORTED",
                            "from_json knows the modes PERMISSIVE and FAILFAST");
    }
    ARUS_TRY(arus_arg_options(bind, 2, ARUS_FORMAT_JSON.read_options,
                              ARUS_FORMAT_JSON.read_settings_size, &from->settings, err));
    if (ARUS_FORMAT_JSON.check_read != NULL) {
        ARUS_TRY(ARUS_FORMAT_JSON.check_read(from->settings, from->type, bind->arena, err));
    }
    bind->bound = from;
    bind->type = from->type;
    bind->is_nullable = true;
    bind->can_fail = arus_arg_mode_is(bind, 2, "FAILFAST", err);
    return ARUS_OK;
}

/* ---- to_json ---- */

static enum arus_status to_json(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    arus_buffer_reset(&row->buffer);
    ARUS_TRY(arus_json_encode(row->call->expr->bound, &row->call->args[0], i, &row->buffer, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(to_json)

static enum arus_status bind_to_json(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_json_encoder *encoder;
    const struct arus_type *type = bind->args[0]->type;
    void *settings;

    bind->type = &ARUS_STRING;
    if (type->id == ARUS_TYPE_VOID) {
        return arus_arg_cast(bind, 0, &ARUS_STRING, err);
    }
    if (!arus_type_is_nested(type)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.INVALID_JSON_SCHEMA",
                            "to_json takes a STRUCT, an ARRAY or a MAP, not %s",
                            arus_type_name(type).text);
    }
    ARUS_TRY(arus_arg_options(bind, 1, ARUS_FORMAT_JSON.write_options,
                              ARUS_FORMAT_JSON.write_settings_size, &settings, err));
    if (ARUS_FORMAT_JSON.check_write != NULL) {
        ARUS_TRY(ARUS_FORMAT_JSON.check_write(settings, type, bind->arena, err));
    }
    ARUS_TRY(arus_json_encoder_make(type, settings, bind->zone, bind->arena, &encoder, err));
    bind->bound = encoder;
    bind->arg_count = 1;
    return ARUS_OK;
}

/* ---- schema_of_json ---- */

static enum arus_status bind_schema_of_json(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_buffer buffer = {0};
    const struct arus_type *type;
    struct arus_text json;
    enum arus_status status;
    void *settings;

    ARUS_TRY(arus_arg_take(bind, 0, "=s", err));
    ARUS_TRY(arus_arg_text(bind, 0, &json, err));
    if (json.data == NULL) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "schema_of_json takes a constant text");
    }
    ARUS_TRY(arus_arg_options(bind, 1, ARUS_FORMAT_JSON.read_options,
                              ARUS_FORMAT_JSON.read_settings_size, &settings, err));
    if (ARUS_FORMAT_JSON.check_read != NULL) {
        ARUS_TRY(ARUS_FORMAT_JSON.check_read(settings, NULL, bind->arena, err));
    }
    ARUS_TRY(arus_json_infer_text(json, settings, bind->zone, bind->arena, &type, err));
    status = arus_type_sql(type, &buffer, err);
    if (status == ARUS_OK) {
        const struct arus_view view = arus_view_of(buffer.data, buffer.size);

        status = arus_literal_of(&ARUS_STRING, &view, bind->arena, &bind->replacement, err);
    }
    arus_buffer_release(&buffer);
    return status;
}

const struct arus_function ARUS_JSONS[] = {
    {.name = "from_json",
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_from_json,
     .kernel = kernel_from_json,
     .text = "from_json($1)",
     .signature = "from_json(s, 'schema'[, map(options)])",
     .help = "a value from JSON; NULLs for bad text",
     .example = "from_json('{\"a\":1}', 'a INT').a",
     .result = "1"},
    {.name = "to_json",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_json,
     .kernel = kernel_to_json,
     .signature = "to_json(x[, map(options)]) -> STRING",
     .help = "a STRUCT, ARRAY or MAP as JSON",
     .example = "to_json(struct(1 AS a))",
     .result = "{\"a\":1}"},
    {.name = "schema_of_json",
     .text = "schema_of_json($1)",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_schema_of_json,
     .signature = "schema_of_json('json'[, map(options)]) -> STRING",
     .help = "the DDL of a sample",
     .example = "schema_of_json('{\"a\":1}')",
     .result = "STRUCT<a: BIGINT>"},
    {0},
};
