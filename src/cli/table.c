/** Frames and widths. */
#include "cli/table.h"

#include "base/alloc.h"
#include "cli/human.h"
#include "types/utf8.h"

#define COLUMN_MIN 4 /* "x..." */

static enum arus_status keep(struct arus_arena *arena, struct arus_text text, struct arus_text *out,
                             struct arus_error *err)
{
    struct arus_buffer escaped = {0};
    enum arus_status status = arus_human_escape(text, &escaped, err);

    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&escaped), arena, out, err);
    }
    arus_buffer_release(&escaped);
    return status;
}

enum arus_status arus_table_init(struct arus_table *table, const struct arus_table_column *columns,
                                 uint32_t column_count, int screen_width, struct arus_error *err)
{
    *table = (struct arus_table){
        .columns = columns, .column_count = column_count, .screen_width = screen_width};
    ARUS_TRY(ARUS_NEW(&table->kept, uint32_t, column_count, &table->widths, err));
    ARUS_TRY(ARUS_NEW(&table->kept, struct arus_text, column_count, &table->names, err));
    for (uint32_t i = 0; i < column_count; i++) {
        ARUS_TRY(keep(&table->kept, columns[i].name, &table->names[i], err));
        table->widths[i] = (uint32_t)arus_utf8_width(table->names[i]);
    }
    return ARUS_OK;
}

/* ---- widths ---- */

static void measure(struct arus_table *table)
{
    for (uint32_t row = 0; row < table->kept_count; row++) {
        for (uint32_t i = 0; i < table->column_count; i++) {
            const size_t width =
                arus_utf8_width(table->cells[(size_t)row * table->column_count + i]);

            table->widths[i] = width > table->widths[i] ? (uint32_t)width : table->widths[i];
        }
    }
}

/* Takes columns from the widest texts until the table fits. Numbers are never cut. */
static void shrink(struct arus_table *table)
{
    uint64_t width = table->column_count + 1;

    for (uint32_t i = 0; i < table->column_count; i++) {
        width += table->widths[i];
    }
    while (table->screen_width > 0 && width > (uint64_t)table->screen_width) {
        uint32_t widest = UINT32_MAX;

        for (uint32_t i = 0; i < table->column_count; i++) {
            if (!table->columns[i].is_number && table->widths[i] > COLUMN_MIN &&
                (widest == UINT32_MAX || table->widths[i] > table->widths[widest])) {
                widest = i;
            }
        }
        if (widest == UINT32_MAX) {
            return;
        }
        table->widths[widest]--;
        width--;
    }
}

/* ---- lines ---- */

static enum arus_status put_repeated(char c, size_t count, struct arus_buffer *out,
                                     struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(out, count, err));
    memset(out->data + out->size, c, count);
    out->size += count;
    return ARUS_OK;
}

static enum arus_status put_frame(const struct arus_table *table, struct arus_buffer *out,
                                  struct arus_error *err)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        ARUS_TRY(arus_buffer_append_char(out, '+', err));
        ARUS_TRY(put_repeated('-', table->widths[i], out, err));
    }
    return arus_buffer_append(out, "+\n", 2, err);
}

/* The longest beginning of at most `width` columns. */
static struct arus_text cut(struct arus_text text, size_t width)
{
    size_t end = 0;
    size_t used = 0;

    while (end < text.size) {
        size_t next = end;
        const size_t begin = end;

        (void)arus_utf8_next(text, &next);
        used += arus_utf8_width((struct arus_text){text.data + begin, next - begin});
        if (used > width) {
            break;
        }
        end = next;
    }
    return (struct arus_text){text.data, end};
}

static enum arus_status put_cell(const struct arus_table *table, uint32_t column,
                                 struct arus_text text, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const bool is_right = table->columns[column].is_number;
    const size_t wanted = table->widths[column];
    size_t width = arus_utf8_width(text);
    bool is_cut = false;

    if (width > wanted && table->screen_width > 0 && !is_right) {
        text = cut(text, wanted - 3);
        width = arus_utf8_width(text) + 3;
        is_cut = true;
    }
    ARUS_TRY(put_repeated(' ', is_right && width < wanted ? wanted - width : 0, out, err));
    ARUS_TRY(arus_buffer_append_text(out, text, err));
    ARUS_TRY(arus_buffer_append(out, "...", is_cut ? 3 : 0, err));
    return put_repeated(' ', !is_right && width < wanted ? wanted - width : 0, out, err);
}

static enum arus_status put_line(const struct arus_table *table, const struct arus_text *cells,
                                 struct arus_buffer *out, struct arus_error *err)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        ARUS_TRY(arus_buffer_append_char(out, '|', err));
        ARUS_TRY(put_cell(table, i, cells[i], out, err));
    }
    return arus_buffer_append(out, "|\n", 2, err);
}

/* The header and all rows that waited. */
static enum arus_status begin(struct arus_table *table, struct arus_buffer *out,
                              struct arus_error *err)
{
    measure(table);
    shrink(table);
    table->is_begun = true;
    ARUS_TRY(put_frame(table, out, err));
    ARUS_TRY(put_line(table, table->names, out, err));
    ARUS_TRY(put_frame(table, out, err));
    for (uint32_t row = 0; row < table->kept_count; row++) {
        ARUS_TRY(put_line(table, table->cells + (size_t)row * table->column_count, out, err));
    }
    return ARUS_OK;
}

static struct arus_text shown(struct arus_text cell)
{
    return cell.data == NULL ? ARUS_TEXT("NULL") : cell;
}

static enum arus_status reserve_row(struct arus_table *table, struct arus_error *err)
{
    const size_t row_size = table->column_count * sizeof *table->cells;
    const uint32_t capacity = table->cell_capacity == 0 ? 64 : table->cell_capacity * 2;
    void *cells;

    if (table->kept_count < table->cell_capacity) {
        return ARUS_OK;
    }
    cells = table->cells == NULL ? arus_alloc(capacity, row_size)
                                 : arus_realloc(table->cells, capacity * row_size);
    if (cells == NULL) {
        return arus_fail_memory(err);
    }
    table->cells = cells;
    table->cell_capacity = capacity;
    return ARUS_OK;
}

static enum arus_status keep_row(struct arus_table *table, struct arus_arena *arena,
                                 const struct arus_text *cells, struct arus_text *line,
                                 struct arus_error *err)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        ARUS_TRY(keep(arena, shown(cells[i]), &line[i], err));
    }
    return ARUS_OK;
}

enum arus_status arus_table_add(struct arus_table *table, const struct arus_text *cells,
                                struct arus_buffer *out, struct arus_error *err)
{
    table->row_count++;
    if (!table->is_begun && table->kept_count < ARUS_TABLE_ROWS_MAX) {
        ARUS_TRY(reserve_row(table, err));
        ARUS_TRY(keep_row(table, &table->kept, cells,
                          table->cells + (size_t)table->kept_count * table->column_count, err));
        table->kept_count++;
        return ARUS_OK;
    }
    if (!table->is_begun) {
        ARUS_TRY(begin(table, out, err));
    }
    arus_arena_reset(&table->late);
    ARUS_TRY(keep_row(table, &table->late, cells, table->cells, err));
    return put_line(table, table->cells, out, err);
}

enum arus_status arus_table_finish(struct arus_table *table, struct arus_buffer *out,
                                   struct arus_error *err)
{
    if (!table->is_begun) {
        ARUS_TRY(begin(table, out, err));
    }
    return put_frame(table, out, err);
}

void arus_table_release(struct arus_table *table)
{
    arus_arena_release(&table->kept);
    arus_arena_release(&table->late);
    arus_free(table->cells);
    *table = (struct arus_table){0};
}
