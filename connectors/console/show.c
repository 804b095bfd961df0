#include "console/show.h"

#include "base/alloc.h"
#include "column/value.h"
#include "types/utf8.h"

#include <inttypes.h>

#define CELL_UNITS_MAX 20 /* of truncate true */
#define WIDTH_MIN      3

/* ---- cells ---- */

/* Spark's escapeMetaCharacters. */
static enum arus_status escape(struct arus_text text, struct arus_buffer *out,
                               struct arus_error *err)
{
    static const char LETTERS[] = {['\a'] = 'a', ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',
                                   ['\v'] = 'v', ['\f'] = 'f', ['\r'] = 'r'};

    for (size_t i = 0; i < text.size; i++) {
        const unsigned char c = (unsigned char)text.data[i];

        if (c < sizeof LETTERS && LETTERS[c] != '\0') {
            const char pair[2] = {'\\', LETTERS[c]};

            ARUS_TRY(arus_buffer_append(out, pair, 2, err));
        } else {
            ARUS_TRY(arus_buffer_append_char(out, (char)c, err));
        }
    }
    return ARUS_OK;
}

/* The first 17 UTF-16 units and three dots, in place. Half of a pair prints as `?`, as Java does.
 */
static enum arus_status cut(struct arus_buffer *text, struct arus_error *err)
{
    size_t units = 0;
    size_t at = 0;
    bool is_halved = false;

    if (arus_utf8_units(arus_buffer_text(text)) <= CELL_UNITS_MAX) {
        return ARUS_OK;
    }
    while (units < CELL_UNITS_MAX - 3 && !is_halved) {
        size_t next = at;
        const size_t size = arus_utf8_next(arus_buffer_text(text), &next) > 0xFFFF ? 2 : 1;

        is_halved = units + size > CELL_UNITS_MAX - 3;
        units += size;
        at = is_halved ? at : next;
    }
    text->size = at;
    return arus_buffer_append(text, is_halved ? "?..." : "...", is_halved ? 4 : 3, err);
}

static enum arus_status add_cell(struct arus_show *show, const struct arus_vector *vector,
                                 uint32_t row, struct arus_text *out, struct arus_error *err)
{
    struct arus_buffer value = {0};
    enum arus_status status = arus_value_text(vector, row, show->zone, &value, err);

    arus_buffer_reset(&show->text);
    if (status == ARUS_OK) {
        status = escape(arus_buffer_text(&value), &show->text, err);
    }
    arus_buffer_release(&value);
    if (status == ARUS_OK && show->is_cut) {
        status = cut(&show->text, err);
    }
    ARUS_TRY(status);
    return arus_text_copy(arus_buffer_text(&show->text), &show->arena, out, err);
}

static enum arus_status make_room(struct arus_show *show, struct arus_error *err)
{
    const size_t count = (size_t)(show->row_count + 1) * show->schema->field_count;
    struct arus_text *grown;
    size_t capacity = show->cell_capacity == 0 ? 64 : show->cell_capacity;

    if (count <= show->cell_capacity) {
        return ARUS_OK;
    }
    while (capacity < count) {
        capacity *= 2;
    }
    grown = arus_realloc(show->cells, capacity * sizeof *grown);
    if (grown == NULL) {
        return arus_fail_memory(err);
    }
    show->cells = grown;
    show->cell_capacity = capacity;
    return ARUS_OK;
}

enum arus_status arus_show_add(struct arus_show *show, const struct arus_batch *batch,
                               struct arus_error *err)
{
    const uint16_t width = show->schema->field_count;

    for (uint32_t i = 0; i < batch->row_count; i++) {
        if (show->row_count == show->row_max) {
            show->has_more = true;
            return ARUS_OK;
        }
        ARUS_TRY(make_room(show, err));
        for (uint16_t c = 0; c < width; c++) {
            ARUS_TRY(add_cell(show, &batch->columns[c], i,
                              &show->cells[show->row_count * width + c], err));
        }
        show->row_count++;
    }
    return ARUS_OK;
}

/* ---- the frame ---- */

static enum arus_status put_repeated(char c, size_t count, struct arus_buffer *out,
                                     struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(out, count, err));
    memset(out->data + out->size, c, count);
    out->size += count;
    return ARUS_OK;
}

static enum arus_status put_rule(const size_t *widths, uint16_t count, struct arus_buffer *out,
                                 struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append_char(out, '+', err));
    for (uint16_t c = 0; c < count; c++) {
        ARUS_TRY(put_repeated('-', widths[c], out, err));
        ARUS_TRY(arus_buffer_append(out, "+", c + 1 < count ? 1 : 0, err));
    }
    return arus_buffer_append(out, "+\n", 2, err);
}

static enum arus_status put_row(const struct arus_show *show, const struct arus_text *cells,
                                const size_t *widths, struct arus_buffer *out,
                                struct arus_error *err)
{
    const uint16_t count = show->schema->field_count;

    ARUS_TRY(arus_buffer_append_char(out, '|', err));
    for (uint16_t c = 0; c < count; c++) {
        const size_t blanks = widths[c] - arus_utf8_width(cells[c]);

        ARUS_TRY(put_repeated(' ', show->is_cut ? blanks : 0, out, err));
        ARUS_TRY(arus_buffer_append_text(out, cells[c], err));
        ARUS_TRY(put_repeated(' ', show->is_cut ? 0 : blanks, out, err));
        ARUS_TRY(arus_buffer_append(out, "|", c + 1 < count ? 1 : 0, err));
    }
    return arus_buffer_append(out, "|\n", 2, err);
}

static enum arus_status make_header(struct arus_show *show, struct arus_text **names,
                                    size_t **widths, struct arus_error *err)
{
    const uint16_t count = show->schema->field_count;

    ARUS_TRY(ARUS_NEW(&show->arena, struct arus_text, (size_t)count + 1, names, err));
    ARUS_TRY(ARUS_NEW(&show->arena, size_t, (size_t)count + 1, widths, err));
    for (uint16_t c = 0; c < count; c++) {
        arus_buffer_reset(&show->text);
        ARUS_TRY(escape(show->schema->fields[c].name, &show->text, err));
        ARUS_TRY(arus_text_copy(arus_buffer_text(&show->text), &show->arena, &(*names)[c], err));
        (*widths)[c] = arus_utf8_width((*names)[c]);
        (*widths)[c] = (*widths)[c] < WIDTH_MIN ? WIDTH_MIN : (*widths)[c];
        for (uint64_t i = 0; i < show->row_count; i++) {
            const size_t width = arus_utf8_width(show->cells[i * count + c]);

            (*widths)[c] = width > (*widths)[c] ? width : (*widths)[c];
        }
    }
    return ARUS_OK;
}

enum arus_status arus_show_print(struct arus_show *show, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const uint16_t count = show->schema->field_count;
    struct arus_text *names;
    size_t *widths;

    ARUS_TRY(make_header(show, &names, &widths, err));
    ARUS_TRY(put_rule(widths, count, out, err));
    ARUS_TRY(put_row(show, names, widths, out, err));
    ARUS_TRY(put_rule(widths, count, out, err));
    for (uint64_t i = 0; i < show->row_count; i++) {
        ARUS_TRY(put_row(show, show->cells + i * count, widths, out, err));
    }
    ARUS_TRY(put_rule(widths, count, out, err));
    if (show->has_more) {
        return arus_buffer_printf(out, err, "only showing top %" PRIu64 " row%s\n", show->row_max,
                                  show->row_max == 1 ? "" : "s");
    }
    return arus_buffer_append_char(out, '\n', err);
}

void arus_show_reset(struct arus_show *show)
{
    arus_arena_reset(&show->arena);
    show->row_count = 0;
    show->has_more = false;
}

void arus_show_release(struct arus_show *show)
{
    arus_arena_release(&show->arena);
    arus_buffer_release(&show->text);
    arus_free(show->cells);
    show->cells = NULL;
}
