/** One CSV record per text. */
#include "format/csv_values.h"

#include "base/alloc.h"
#include "format/csv_scan_internal.h"
#include "types/utf8.h"

/* Ends no line: the one byte that no text holds (Spark takes U+FFFF for it). */
#define NO_SEPARATOR 0xFF

struct arus_csv_values {
    const struct arus_type *type;
    const struct csv_read_settings *settings;
    uint32_t schema_count;
    struct csv_tokenizer tokenizer;
    struct csv_cells cells;
    struct csv_column *columns; /* owned, [type->field_count] */
    struct csv_column *corrupt; /* one of them, or NULL */
    struct arus_arena plan;
    struct arus_arena batch;
};

void arus_csv_settings_for_values(void *settings)
{
    struct csv_read_settings *self = settings;

    if (self->line_sep.data == NULL) {
        self->line_sep = (struct arus_text){"\xFF", 1};
    }
}

/* The place in the schema of a field of the type: by name, and of several of one name in order. */
static int32_t find_column(const struct arus_type *schema, const struct arus_type *type,
                           uint16_t field)
{
    const struct arus_text name = type->fields[field].name;
    uint16_t before = 0;

    for (uint16_t i = 0; i < field; i++) {
        before = (uint16_t)(before + arus_text_equal_nocase(type->fields[i].name, name));
    }
    for (uint16_t i = 0; i < schema->field_count; i++) {
        if (arus_text_equal_nocase(schema->fields[i].name, name) && before-- == 0) {
            return i;
        }
    }
    return -1;
}

static enum arus_status open_columns(struct arus_csv_values *values, const struct arus_type *schema,
                                     struct arus_error *err)
{
    const struct arus_type *type = values->type;

    ARUS_TRY(
        ARUS_NEW(&values->plan, struct csv_column, type->field_count + 1u, &values->columns, err));
    for (uint16_t i = 0; i < type->field_count; i++) {
        const bool is_corrupt =
            arus_text_equal(type->fields[i].name, values->settings->corrupt_name);
        const int32_t token = find_column(schema, type, i);

        ARUS_TRY(csv_column_init(&values->columns[i], type->fields[i].type,
                                 is_corrupt || token < 0 ? 0 : (uint32_t)token, &values->cells,
                                 err));
        if (is_corrupt) {
            values->corrupt = &values->columns[i];
        }
    }
    return ARUS_OK;
}

enum arus_status arus_csv_values_open(const struct arus_type *schema, const struct arus_type *type,
                                      const void *settings, const struct arus_zone *zone,
                                      struct arus_csv_values **out, struct arus_error *err)
{
    struct arus_csv_values *values = arus_alloc(1, sizeof *values);

    *out = NULL;
    if (values == NULL) {
        return arus_fail_memory(err);
    }
    values->type = type;
    values->settings = settings;
    values->schema_count = schema->field_count;
    values->tokenizer =
        (struct csv_tokenizer){.dialect = &values->settings->dialect, .arena = &values->batch};
    csv_cells_init(&values->cells, values->settings, zone);
    if (open_columns(values, schema, err) != ARUS_OK) {
        arus_csv_values_close(values);
        return err->status;
    }
    *out = values;
    return ARUS_OK;
}

void arus_csv_values_close(struct arus_csv_values *values)
{
    if (values == NULL) {
        return;
    }
    for (uint16_t i = 0; values->columns != NULL && i < values->type->field_count; i++) {
        csv_column_release(&values->columns[i]);
    }
    csv_tokenizer_release(&values->tokenizer);
    csv_cells_release(&values->cells);
    arus_arena_release(&values->plan);
    arus_arena_release(&values->batch);
    arus_free(values);
}

/* False: a cell does not fit, or the number of values is wrong. */
static bool fill_row(struct arus_csv_values *values, uint32_t row)
{
    const struct csv_tokenizer *tokenizer = &values->tokenizer;
    bool is_good = tokenizer->token_count == values->schema_count;

    for (uint16_t i = 0; i < values->type->field_count; i++) {
        struct csv_column *column = &values->columns[i];
        struct csv_token token = {NULL, 0};

        if (column == values->corrupt) {
            continue;
        }
        if (column->token < tokenizer->token_count) {
            token = tokenizer->tokens[column->token];
        }
        if (token.data == NULL || arus_text_equal((struct arus_text){token.data, token.size},
                                                  values->settings->null_value)) {
            csv_column_set_null(column, row);
        } else if (!csv_column_set(column, row, (struct arus_text){token.data, token.size},
                                   &values->cells)) {
            is_good = false;
        }
    }
    return is_good;
}

static enum arus_status put_text(struct arus_csv_values *values, uint32_t row,
                                 struct arus_text text, struct arus_error *err)
{
    enum csv_result result;
    bool is_good;

    while (values->settings->dialect.separator1 != NO_SEPARATOR && text.size > 0 &&
           (text.data[text.size - 1] == '\n' || text.data[text.size - 1] == '\r')) {
        text.size--;
    }
    result = csv_tokenize_line(&values->tokenizer, text, err);
    if (result == CSV_FAILED) {
        return err->status;
    }
    if (result != CSV_RECORD) {
        values->tokenizer.token_count = 0;
    }
    is_good = fill_row(values, row);
    if (!is_good && values->settings->mode == ARUS_FAILFAST) {
        arus_ignore(arus_fail(err, ARUS_BAD_DATA, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                              "bad CSV: %zu values, or one that does not fit its column",
                              values->tokenizer.token_count));
        return arus_error_help(err, "fix the record, or mode 'PERMISSIVE' or 'DROPMALFORMED'");
    }
    if (values->corrupt != NULL) {
        /* Spark has no text of a record that is not there. */
        if (is_good ||
            (result != CSV_RECORD && values->settings->dialect.separator1 == NO_SEPARATOR)) {
            csv_column_set_null(values->corrupt, row);
        } else {
            (void)csv_column_set(values->corrupt, row, text, &values->cells);
        }
    }
    return ARUS_OK;
}

static void finish_column(const struct csv_column *column, uint32_t row_count,
                          struct arus_vector *out)
{
    *out = (struct arus_vector){.type = column->type,
                                .form = ARUS_VECTOR_FLAT,
                                .row_count = row_count,
                                .validity = column->null_count > 0 ? column->validity : NULL,
                                .values = column->values};
}

enum arus_status arus_csv_values_decode(struct arus_csv_values *values,
                                        const struct arus_vector *texts, struct arus_vector *out,
                                        uint32_t *bad_row, struct arus_error *err)
{
    const struct arus_vector *data = arus_vector_data(texts);
    const uint16_t count = values->type->field_count;

    arus_arena_reset(&values->batch);
    *out = (struct arus_vector){.type = values->type, .row_count = texts->row_count};
    ARUS_TRY(ARUS_NEW(&values->batch, struct arus_vector, count + 1u, &out->children, err));
    for (uint16_t i = 0; i < count; i++) {
        csv_column_reset(&values->columns[i]);
    }
    for (uint32_t row = 0; row < texts->row_count; row++) {
        *bad_row = row;
        if (arus_vector_is_valid(texts, row)) {
            const struct arus_view view =
                ((const struct arus_view *)data->values)[arus_vector_at(texts, row)];

            ARUS_TRY(put_text(values, row, arus_view_text(view), err));
            continue;
        }
        for (uint16_t i = 0; i < count; i++) {
            csv_column_set_null(&values->columns[i], row);
        }
        ARUS_TRY(arus_vector_need_validity(out, &values->batch, err));
        arus_bit_clear(out->validity, row);
    }
    for (uint16_t i = 0; i < count; i++) {
        finish_column(&values->columns[i], texts->row_count, &out->children[i]);
    }
    return ARUS_OK;
}
