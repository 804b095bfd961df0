/** JSON and CSV of single rows. */
#include "cli/rows.h"

#include "types/utf8.h"

static enum arus_status put_json_byte(unsigned char c, struct arus_buffer *out,
                                      struct arus_error *err)
{
    static const char LETTERS[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
                                   ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\'};

    if (c < sizeof LETTERS && LETTERS[c] != '\0') {
        ARUS_TRY(arus_buffer_append_char(out, '\\', err));
        return arus_buffer_append_char(out, LETTERS[c], err);
    }
    return c < 0x20 ? arus_buffer_printf(out, err, "\\u%04x", c)
                    : arus_buffer_append_char(out, (char)c, err);
}

enum arus_status arus_json_string(struct arus_text text, struct arus_buffer *out,
                                  struct arus_error *err)
{
    size_t at = 0;

    ARUS_TRY(arus_buffer_append_char(out, '"', err));
    while (at < text.size) {
        const unsigned char c = (unsigned char)text.data[at];

        if (c < 0x80) {
            at++;
            ARUS_TRY(put_json_byte(c, out, err));
        } else {
            char bytes[4];
            const uint32_t code = arus_utf8_next(text, &at);
            const size_t size = arus_utf8_write(code, bytes);

            ARUS_TRY(arus_buffer_append(out, bytes, size, err));
        }
    }
    return arus_buffer_append_char(out, '"', err);
}

static enum arus_status put_json_cell(const struct arus_cell *cell, struct arus_buffer *out,
                                      struct arus_error *err)
{
    switch (cell->kind) {
    case ARUS_CELL_NULL:
        return arus_buffer_append(out, "null", 4, err);
    case ARUS_CELL_TEXT:
        return arus_json_string(cell->text, out, err);
    case ARUS_CELL_BARE:
        return arus_buffer_append_text(out, cell->text, err);
    }
    return ARUS_OK;
}

enum arus_status arus_rows_json(const struct arus_text *names, const struct arus_cell *cells,
                                size_t count, struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append_char(out, '{', err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_append(out, ",", i == 0 ? 0 : 1, err));
        ARUS_TRY(arus_json_string(names[i], out, err));
        ARUS_TRY(arus_buffer_append_char(out, ':', err));
        ARUS_TRY(put_json_cell(&cells[i], out, err));
    }
    return arus_buffer_append(out, "}\n", 2, err);
}

enum arus_status arus_rows_texts(const struct arus_cell *cells, size_t count,
                                 struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append_char(out, '[', err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_append(out, ",", i == 0 ? 0 : 1, err));
        if (cells[i].kind == ARUS_CELL_NULL) {
            ARUS_TRY(arus_buffer_append(out, "null", 4, err));
        } else {
            ARUS_TRY(arus_json_string(cells[i].text, out, err));
        }
    }
    return arus_buffer_append(out, "]\n", 2, err);
}

enum arus_status arus_rows_schema(struct arus_text ddl, struct arus_buffer *out,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append(out, "{\"schema\": ", 11, err));
    ARUS_TRY(arus_json_string(ddl, out, err));
    return arus_buffer_append(out, "}\n", 2, err);
}

static bool needs_quotes(struct arus_text text)
{
    if (text.size == 0 || text.data[0] == ' ' || text.data[text.size - 1] == ' ') {
        return true;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (strchr("\",\r\n", text.data[i]) != NULL && text.data[i] != '\0') {
            return true;
        }
    }
    return false;
}

static enum arus_status put_csv_text(struct arus_text text, struct arus_buffer *out,
                                     struct arus_error *err)
{
    if (!needs_quotes(text)) {
        return arus_buffer_append_text(out, text, err);
    }
    ARUS_TRY(arus_buffer_append_char(out, '"', err));
    for (size_t i = 0; i < text.size; i++) {
        ARUS_TRY(arus_buffer_append(out, "\"", text.data[i] == '"', err));
        ARUS_TRY(arus_buffer_append_char(out, text.data[i], err));
    }
    return arus_buffer_append_char(out, '"', err);
}

enum arus_status arus_rows_csv(const struct arus_cell *cells, size_t count, struct arus_buffer *out,
                               struct arus_error *err)
{
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_append(out, ",", i == 0 ? 0 : 1, err));
        if (cells[i].kind != ARUS_CELL_NULL) {
            ARUS_TRY(put_csv_text(cells[i].text, out, err));
        }
    }
    return arus_buffer_append_char(out, '\n', err);
}

enum arus_status arus_rows_csv_header(const struct arus_text *names, size_t count,
                                      struct arus_buffer *out, struct arus_error *err)
{
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_append(out, ",", i == 0 ? 0 : 1, err));
        ARUS_TRY(put_csv_text(names[i], out, err));
    }
    return arus_buffer_append_char(out, '\n', err);
}
