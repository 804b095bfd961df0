/** from_csv, to_csv, schema_of_csv by the CSV format's own routines. */
#include "format/csv.h"

#include "expr/coerce.h"
#include "expr/families.h"
#include "expr/rowwise.h"
#include "expr/schema_arg.h"
#include "format/csv_values.h"

struct from_csv {
    const struct arus_type *type;
    void *settings;
};

static void values_close(void *data)
{
    arus_csv_values_close(data);
}

static enum arus_status kernel_from_csv(const struct arus_kernel_call *call,
                                        struct arus_vector *out, uint32_t *bad_row,
                                        struct arus_error *err)
{
    const struct from_csv *from = call->expr->bound;
    struct arus_csv_values *values = call->memo->data;

    if (values == NULL) {
        ARUS_TRY(arus_csv_values_open(from->type, from->type, from->settings, call->env->zone,
                                      &values, err));
        call->memo->data = values;
        call->memo->close = values_close;
    }
    return arus_csv_values_decode(values, &call->args[0], out, bad_row, err);
}

static enum arus_status bind_from_csv(struct arus_bind *bind, struct arus_error *err)
{
    struct from_csv *from;

    if (bind->args[0]->type->id != ARUS_TYPE_STRING && bind->args[0]->type->id != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "STRING", err);
    }
    ARUS_TRY(arus_arg_take(bind, 0, "s", err));
    ARUS_TRY(ARUS_NEW(bind->arena, struct from_csv, 1, &from, err));
    ARUS_TRY(arus_arg_schema(bind, 1, &from->type, err));
    if (from->type->id != ARUS_TYPE_STRUCT) {
        return arus_fail_at(err, bind->args[1]->place, "INVALID_SCHEMA.NON_STRUCT_TYPE",
                            "from_csv makes a STRUCT ('a INT, b STRING'), not %s",
                            arus_type_name(from->type).text);
    }
    if (arus_arg_mode_is(bind, 2, "DROPMALFORMED", err)) {
        return arus_fail_at(err, bind->place, "PARSE_MODE_UNSUPPORTED",
                            "from_csv knows the modes PERMISSIVE and FAILFAST");
    }
    ARUS_TRY(arus_arg_options(bind, 2, ARUS_FORMAT_CSV.read_options,
                              ARUS_FORMAT_CSV.read_settings_size, &from->settings, err));
    arus_csv_settings_for_values(from->settings);
    if (ARUS_FORMAT_CSV.check_read != NULL &&
        ARUS_FORMAT_CSV.check_read(from->settings, from->type, bind->arena, err) != ARUS_OK) {
        if (strcmp(err->condition, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE") == 0) {
            err->condition = "UNSUPPORTED_DATATYPE"; /* what it is called outside of files */
        }
        err->place = bind->args[1]->place;
        return err->status;
    }
    bind->bound = from;
    bind->type = from->type;
    bind->is_nullable = true;
    bind->can_fail = arus_arg_mode_is(bind, 2, "FAILFAST", err);
    return ARUS_OK;
}

/* ---- to_csv ---- */

struct to_csv {
    const struct arus_type *type;
    void *settings;
};

static void line_close(void *data)
{
    arus_csv_line_close(data);
}

static enum arus_status to_csv(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct to_csv *to = row->call->expr->bound;
    struct arus_csv_line *line = row->call->memo->data;
    struct arus_text text;

    if (line == NULL) {
        ARUS_TRY(arus_csv_line_open(to->type, to->settings, row->call->env->zone, &line, err));
        row->call->memo->data = line;
        row->call->memo->close = line_close;
    }
    ARUS_TRY(arus_csv_line_write(line, &row->call->args[0], i, &text, err));
    /* a line of nothing is no line */
    return text.size == 0 ? arus_row_null(row, i, err)
                          : arus_row_bytes(row, i, text.data, text.size, err);
}
ARUS_ROWWISE(to_csv)

static enum arus_status bind_to_csv(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;
    struct to_csv *to;

    bind->type = &ARUS_STRING;
    if (type->id == ARUS_TYPE_VOID) {
        return arus_arg_cast(bind, 0, &ARUS_STRING, err);
    }
    if (type->id != ARUS_TYPE_STRUCT) {
        return arus_fail_at(err, bind->args[0]->place, "DATATYPE_MISMATCH.UNSUPPORTED_INPUT_TYPE",
                            "to_csv takes a STRUCT, not %s", arus_type_name(type).text);
    }
    ARUS_TRY(ARUS_NEW(bind->arena, struct to_csv, 1, &to, err));
    ARUS_TRY(arus_arg_options(bind, 1, ARUS_FORMAT_CSV.write_options,
                              ARUS_FORMAT_CSV.write_settings_size, &to->settings, err));
    if (ARUS_FORMAT_CSV.check_write != NULL) {
        ARUS_TRY(ARUS_FORMAT_CSV.check_write(to->settings, NULL, bind->arena, err));
    }
    to->type = type;
    bind->bound = to;
    bind->is_nullable = true;
    bind->arg_count = 1;
    return ARUS_OK;
}

static enum arus_status bind_schema_of_csv(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_buffer buffer = {0};
    const struct arus_type *type;
    struct arus_vector value;
    enum arus_status status;
    void *settings;
    bool is_found;

    ARUS_TRY(arus_arg_take(bind, 0, "=s", err));
    ARUS_TRY(arus_arg_constant(bind, 0, &value, &is_found, err));
    if (!is_found) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "schema_of_csv takes a constant text");
    }
    if (!arus_vector_is_valid(&value, 0)) {
        return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.UNEXPECTED_NULL",
                            "schema_of_csv takes a text, not NULL");
    }
    ARUS_TRY(arus_arg_options(bind, 1, ARUS_FORMAT_CSV.read_options,
                              ARUS_FORMAT_CSV.read_settings_size, &settings, err));
    arus_csv_settings_for_values(settings);
    if (ARUS_FORMAT_CSV.check_read != NULL) {
        ARUS_TRY(ARUS_FORMAT_CSV.check_read(settings, NULL, bind->arena, err));
    }
    ARUS_TRY(arus_csv_infer_text(arus_view_text(*(const struct arus_view *)value.values), settings,
                                 bind->zone, bind->arena, &type, err));
    status = arus_type_sql(type, &buffer, err);
    if (status == ARUS_OK) {
        const struct arus_view view = arus_view_of(buffer.data, buffer.size);

        status = arus_literal_of(&ARUS_STRING, &view, bind->arena, &bind->replacement, err);
    }
    arus_buffer_release(&buffer);
    return status;
}

const struct arus_function ARUS_CSVS[] = {
    {.name = "from_csv",
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_from_csv,
     .kernel = kernel_from_csv,
     .text = "from_csv($1)",
     .signature = "from_csv(s, 'schema'[, map(options)]) -> STRUCT",
     .help = "a row from a line of CSV; NULLs for what does not fit",
     .example = "from_csv('1;x', 'a INT, b STRING', map('sep', ';')).b",
     .result = "x"},
    {.name = "to_csv",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_to_csv,
     .kernel = kernel_to_csv,
     .signature = "to_csv(struct[, map(options)]) -> STRING",
     .help = "a STRUCT as a line of CSV",
     .example = "to_csv(struct(1, 'a,b'))",
     .result = "1,\"a,b\""},
    {.name = "schema_of_csv",
     .arg_min = 1,
     .arg_max = 2,
     .bind = bind_schema_of_csv,
     .text = "schema_of_csv($1)",
     .signature = "schema_of_csv('csv'[, map(options)]) -> STRING",
     .help = "the DDL of a sample",
     .example = "schema_of_csv('1,abc')",
     .result = "STRUCT<_c0: INT, _c1: STRING>"},
    {0},
};
