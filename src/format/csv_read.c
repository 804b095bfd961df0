/** The csv reader: lines by the index where they are plain, by the exact tokenizer where they are
 * not. */
#include "base/alloc.h"
#include "base/attr.h"
#include "format/csv_scan_internal.h"
#include "types/utf8.h"

#include <inttypes.h>

/* What is wrong with a record. */
enum csv_fault {
    CSV_GOOD,
    CSV_WRONG_COUNT, /* of values */
    CSV_BAD_CELL
};

struct csv_reader {
    const struct arus_scan *scan;
    const struct csv_read_settings *settings;
    struct arus_chunk *chunk;
    struct arus_stretch stretch;
    size_t at; /* in the stretch: what is not read yet */
    bool has_ended;
    bool has_begun;    /* the first stretch was seen */
    bool wants_header; /* the next record holds names */
    bool is_pruned;    /* only wanted columns are looked at */
    bool is_exact;     /* a record must have as many values as the schema */
    bool is_indexed;   /* the fast path can be taken */
    bool is_counting;  /* no column is wanted: lines are counted */
    enum arus_cpu cpu;
    struct csv_index_rule rule;
    struct csv_index *index; /* owned */
    struct csv_tokenizer tokenizer;
    struct csv_cells cells;
    struct csv_column *columns; /* owned, one per output column; the corrupt one has no fill */
    uint32_t column_count;
    struct csv_column *corrupt; /* one of them, or NULL */
    uint32_t row_count;
    uint64_t dropped[ARUS_BATCH_ROWS / 64];
    uint32_t dropped_count;
    uint64_t given_count;
    uint64_t rejected_count;
    const struct arus_bad_records *bad; /* NULL: nobody watches */
    struct arus_text *records;          /* [ARUS_BATCH_ROWS], owned: of the rows; or NULL */
    const uint32_t *kept;               /* rows of `records` that were given; NULL: all */
    bool has_views;                     /* the tokens are views of the stretch */
    struct arus_arena tokens;           /* bytes of this batch's tokens */
    struct arus_arena vectors;
};

/* ---- errors ---- */

/* Where the text of a token stands in the record: tokens may be copies. NULL: nowhere. */
static const char *find_token(const struct csv_reader *self, struct arus_text raw, size_t index)
{
    const char *at = raw.data;

    for (size_t i = 0; i <= index && i < self->tokenizer.token_count; i++) {
        const struct csv_token token = self->tokenizer.tokens[i];
        const char *end = raw.data + raw.size;
        const char *found = at;

        if (token.size == 0) {
            continue;
        }
        while (found + token.size <= end && memcmp(found, token.data, token.size) != 0) {
            found++;
        }
        if (found + token.size > end) {
            return NULL;
        }
        at = i == index ? found : found + token.size;
    }
    return at;
}

/* Names the place of a bad record and shows its text. `at`: the bad value, or NULL. */
static enum arus_status place_record(struct csv_reader *self, struct arus_text raw, const char *at,
                                     struct arus_error *err)
{
    (void)arus_chunk_place(self->chunk, raw.data, err);
    if (at != NULL) {
        err->file.column =
            arus_utf8_length((struct arus_text){raw.data, (size_t)(at - raw.data)}) + 1;
    }
    (void)arus_error_row(err, "%s:%" PRIu64 " %.*s", arus_chunk_path(self->chunk), err->file.line,
                         raw.size > 300 ? 300 : (int)raw.size, raw.data);
    return err->status;
}

static enum arus_status fail_count(struct csv_reader *self, struct arus_text raw,
                                   struct arus_error *err)
{
    const enum arus_status status =
        arus_fail(err, ARUS_BAD_DATA, "MALFORMED_CSV_RECORD",
                  "bad CSV: %zu values, the schema has %u columns", self->tokenizer.token_count,
                  (unsigned)self->scan->schema->field_count);

    (void)arus_error_help(err, "mode 'PERMISSIVE' keeps such rows, 'DROPMALFORMED' drops them");
    (void)place_record(self, raw, NULL, err);
    return status;
}

static enum arus_status fail_cell(struct csv_reader *self, const struct csv_column *column,
                                  struct csv_token token, struct arus_text raw,
                                  struct arus_error *err)
{
    const struct arus_field *field = &self->scan->schema->fields[column->token];
    struct arus_buffer name = {0};
    struct arus_error other;
    enum arus_status status;

    if (arus_type_sql(field->type, &name, &other) != ARUS_OK) {
        arus_buffer_reset(&name);
    }
    status = arus_fail(err, ARUS_BAD_DATA, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                       "bad CSV: column %.*s is %.*s, not `%.*s`", ARUS_TEXT_ARGS(field->name),
                       ARUS_TEXT_ARGS(arus_buffer_text(&name)),
                       token.size > 100 ? 100 : (int)token.size, token.data);
    (void)arus_error_help(err, "mode 'PERMISSIVE' keeps such rows, 'DROPMALFORMED' drops them");
    (void)place_record(self, raw, find_token(self, raw, column->token), err);
    arus_buffer_release(&name);
    return status;
}

static enum arus_status fail_result(struct csv_reader *self, enum csv_result result,
                                    struct arus_text raw, struct arus_error *err)
{
    enum arus_status status;

    if (result == CSV_FAILED) {
        return err->status;
    }
    if (result == CSV_UNESCAPED_QUOTE) {
        status = arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT",
                           "bad CSV: a quote inside a quoted value is not escaped");
    } else {
        status = arus_fail(err, ARUS_BAD_DATA, "MALFORMED_CSV_RECORD",
                           "bad CSV: more than %" PRIu32 " values, or too long a value",
                           self->settings->dialect.column_max);
        (void)arus_error_help(err, "raise maxColumns or maxCharsPerColumn");
    }
    (void)place_record(self, raw, NULL, err);
    return status;
}

/* ---- one record ---- */

static struct arus_text strip_line_end(struct arus_text raw)
{
    raw.size -= raw.size > 0 && raw.data[raw.size - 1] == '\n';
    raw.size -= raw.size > 0 && raw.data[raw.size - 1] == '\r';
    return raw;
}

static void drop_row(struct csv_reader *self, uint32_t row)
{
    arus_bit_set(self->dropped, row);
    self->dropped_count++;
    self->rejected_count++;
}

/* Whoever watches is told of the record, and which row it was. */
static enum arus_status tell_bad(struct csv_reader *self, struct arus_text raw, bool is_dropped,
                                 struct arus_error *err)
{
    struct arus_record record = {.text = raw};

    if (self->bad == NULL || self->bad->take == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_chunk_line(self->chunk, raw.data, &record.line, err));
    return self->bad->take(self->bad->self, &record, is_dropped, err);
}

static bool set_cell(struct csv_reader *self, struct csv_column *column, uint32_t row,
                     struct csv_token token)
{
    const struct arus_text cell = {token.data, token.size};

    return self->has_views && token.data != self->settings->empty_value.data && token.size > 0
               ? csv_column_set_quickly(column, row, cell, &self->cells)
               : csv_column_set(column, row, cell, &self->cells);
}

/* Fills a row from the tokens; the first fault and where it is. */
static enum csv_fault fill_row(struct csv_reader *self, uint32_t row, size_t *bad_column)
{
    const struct csv_tokenizer *tokenizer = &self->tokenizer;
    const struct arus_text null_value = self->settings->null_value;
    enum csv_fault fault = CSV_GOOD;

    if (self->is_exact && tokenizer->token_count != self->scan->schema->field_count) {
        fault = CSV_WRONG_COUNT;
    }
    for (uint32_t i = 0; i < self->column_count; i++) {
        struct csv_column *column = &self->columns[i];
        struct csv_token token = {NULL, 0};

        if (column == self->corrupt) {
            continue;
        }
        if (column->token < tokenizer->token_count) {
            token = tokenizer->tokens[column->token];
        }
        if (token.data == NULL ||
            arus_text_equal((struct arus_text){token.data, token.size}, null_value)) {
            csv_column_set_null(column, row);
        } else if (!set_cell(self, column, row, token) && fault == CSV_GOOD) {
            fault = CSV_BAD_CELL;
            *bad_column = i;
        }
    }
    return fault;
}

/* The record in the tokenizer becomes row `row`. */
static enum arus_status put_record(struct csv_reader *self, uint32_t row, struct arus_text raw,
                                   bool has_values, struct arus_error *err)
{
    size_t bad_column = 0;
    enum csv_fault fault = fill_row(self, row, &bad_column);

    if (!has_values) {
        fault = CSV_WRONG_COUNT;
    }
    if (fault == CSV_GOOD) {
        return ARUS_OK;
    }
    raw = strip_line_end(raw);
    switch (self->settings->mode) {
    case ARUS_PERMISSIVE:
        if (self->corrupt != NULL) {
            (void)csv_column_set(self->corrupt, row, raw, &self->cells);
        }
        return tell_bad(self, raw, false, err);
    case ARUS_DROPMALFORMED:
        drop_row(self, row);
        return tell_bad(self, raw, true, err);
    case ARUS_FAILFAST:
        break;
    }
    return fault == CSV_WRONG_COUNT
               ? fail_count(self, raw, err)
               : fail_cell(self, &self->columns[bad_column],
                           self->tokenizer.tokens[self->columns[bad_column].token], raw, err);
}

static enum arus_status put_line(struct csv_reader *self, uint32_t row, struct arus_text line,
                                 struct arus_error *err)
{
    enum csv_result result;

    self->has_views = csv_tokenize_quickly(&self->tokenizer, line, true);
    if (self->has_views) {
        return put_record(self, row, line, true, err);
    }
    result = csv_tokenize_line(&self->tokenizer, line, err);
    if (result != CSV_RECORD && result != CSV_NOTHING && result != CSV_END) {
        return fail_result(self, result, line, err);
    }
    return put_record(self, row, line, result == CSV_RECORD, err);
}

/* ---- the header ---- */

static enum arus_status fail_header(struct csv_reader *self, struct arus_text raw,
                                    struct arus_text wanted, struct arus_text found,
                                    struct arus_error *err)
{
    enum arus_status status;

    if (wanted.data == NULL) {
        status = arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT",
                           "the header has %zu names, the schema %u columns",
                           self->tokenizer.token_count, (unsigned)self->scan->schema->field_count);
    } else {
        status = arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.NO_HINT",
                           "the header says `%.*s` where the schema has column `%.*s`",
                           ARUS_TEXT_ARGS(found), ARUS_TEXT_ARGS(wanted));
    }
    (void)arus_error_help(err, "enforceSchema 'true' takes columns by position");
    (void)place_record(self, raw, NULL, err);
    return status;
}

static enum arus_status check_name(struct csv_reader *self, uint32_t field, struct arus_text raw,
                                   struct arus_error *err)
{
    const struct arus_text wanted = self->scan->schema->fields[field].name;
    struct arus_text found = self->settings->null_value;

    if (field < self->tokenizer.token_count && self->tokenizer.tokens[field].data != NULL) {
        found = (struct arus_text){self->tokenizer.tokens[field].data,
                                   self->tokenizer.tokens[field].size};
    }
    return arus_text_equal_nocase(wanted, found) ? ARUS_OK
                                                 : fail_header(self, raw, wanted, found, err);
}

/* The header's record is in the tokenizer. */
static enum arus_status check_header(struct csv_reader *self, struct arus_text raw,
                                     struct arus_error *err)
{
    self->wants_header = false;
    if (self->settings->enforces_schema) {
        return ARUS_OK;
    }
    if (self->is_exact && self->tokenizer.token_count != self->scan->schema->field_count) {
        return fail_header(self, raw, (struct arus_text){0}, (struct arus_text){0}, err);
    }
    for (uint32_t i = 0; self->is_exact && i < self->scan->schema->field_count; i++) {
        ARUS_TRY(check_name(self, i, raw, err));
    }
    for (uint32_t i = 0; !self->is_exact && i < self->column_count; i++) {
        if (&self->columns[i] != self->corrupt) {
            ARUS_TRY(check_name(self, self->columns[i].token, raw, err));
        }
    }
    return ARUS_OK;
}

static bool is_header_comment(const struct csv_read_settings *settings, struct arus_text line)
{
    while (line.size > 0 && (unsigned char)line.data[0] <= ' ') {
        line.data++;
        line.size--;
    }
    return settings->comment.size > 0 && arus_text_starts_with(line, settings->comment);
}

/* Takes the first line that holds something. */
static enum arus_status take_header(struct csv_reader *self, struct arus_error *err)
{
    const struct arus_line_rule rule = {.separator = self->settings->line_sep};
    const struct arus_text text = {self->stretch.data, self->stretch.size};
    struct arus_line found;

    while (self->wants_header &&
           arus_lines_find(ARUS_CPU_PORTABLE, &rule, text, &self->at, &found, 1) == 1) {
        const struct arus_text line = {text.data + found.begin, found.end - found.begin};
        enum csv_result result;

        if (csv_is_blank(line) || is_header_comment(self->settings, line)) {
            continue;
        }
        result = csv_tokenize_line(&self->tokenizer, line, err);
        if (result != CSV_RECORD && result != CSV_NOTHING && result != CSV_END) {
            return fail_result(self, result, line, err);
        }
        ARUS_TRY(check_header(self, line, err));
    }
    return ARUS_OK;
}

/* ---- steps ---- */

/* Lines without the index: all go to the tokenizer. */
static void find_lines(struct csv_reader *self, uint32_t line_max)
{
    const struct arus_line_rule rule = {.separator = self->settings->line_sep};
    const struct arus_text text = {self->stretch.data, self->stretch.size};
    const struct arus_text comment = self->settings->comment;
    struct csv_index *index = self->index;
    struct arus_line line;

    index->line_count = 0;
    while (index->line_count < line_max &&
           arus_lines_find(self->cpu, &rule, text, &self->at, &line, 1) == 1) {
        const struct arus_text bytes = {text.data + line.begin, line.end - line.begin};

        if (csv_is_blank(bytes) || (comment.size > 0 && arus_text_starts_with(bytes, comment))) {
            continue;
        }
        index->begin[index->line_count] = line.begin;
        index->end[index->line_count] = line.end;
        index->line_count++;
    }
    memset(index->odd, 0xFF, sizeof index->odd);
}

/* Odd lines, and lines with a cell that did not fit, are read again exactly, in order. */
static enum arus_status repair_lines(struct csv_reader *self, const uint64_t *bad,
                                     struct arus_error *err)
{
    const struct csv_index *index = self->index;

    for (uint32_t word = 0; word * 64 < index->line_count; word++) {
        uint64_t bits = index->odd[word] | bad[word];

        while (bits != 0) {
            const uint32_t line = word * 64 + (uint32_t)__builtin_ctzll(bits);

            if (line >= index->line_count) {
                break;
            }
            ARUS_TRY(put_line(self, self->row_count + line,
                              (struct arus_text){self->stretch.data + index->begin[line],
                                                 index->end[line] - index->begin[line]},
                              err));
            bits &= bits - 1;
        }
    }
    return ARUS_OK;
}

static void note_lines(struct csv_reader *self)
{
    const struct csv_index *index = self->index;

    for (uint32_t i = 0; self->records != NULL && i < index->line_count; i++) {
        self->records[self->row_count + i] = (struct arus_text){
            self->stretch.data + index->begin[i], index->end[i] - index->begin[i]};
    }
}

static enum arus_status step_lines(struct csv_reader *self, struct arus_error *err)
{
    const uint32_t room = ARUS_BATCH_ROWS - self->row_count;
    const uint32_t line_max = room < CSV_STEP_LINES ? room : CSV_STEP_LINES;
    uint64_t bad[CSV_STEP_LINES / 64] = {0};
    const struct csv_lines lines = {self->stretch.data,         self->index,  self->row_count,
                                    self->settings->null_value, &self->cells, bad};

    if (self->is_indexed) {
        self->at = csv_index_lines(self->cpu, &self->rule,
                                   (struct arus_text){self->stretch.data, self->stretch.size},
                                   self->at, line_max, self->index);
        for (uint32_t i = 0; i < self->column_count; i++) {
            if (&self->columns[i] != self->corrupt) {
                self->columns[i].fill(&self->columns[i], &lines);
            }
        }
    } else {
        find_lines(self, line_max);
    }
    note_lines(self);
    if (!self->is_counting) {
        ARUS_TRY(repair_lines(self, bad, err));
    }
    self->row_count += self->index->line_count;
    return ARUS_OK;
}

/* multiLine: one record after another; what is cut off comes again with the next stretch. */
static enum arus_status step_records(struct csv_reader *self, struct arus_error *err)
{
    while (self->at < self->stretch.size && self->row_count < ARUS_BATCH_ROWS) {
        const struct arus_text rest = {self->stretch.data + self->at,
                                       self->stretch.size - self->at};
        struct arus_text raw = {rest.data, 0};
        enum csv_result result = CSV_RECORD;

        self->has_views = csv_tokenize_quickly(&self->tokenizer, rest, self->stretch.is_last);
        if (!self->has_views) {
            result = csv_tokenize_record(&self->tokenizer, rest, self->stretch.is_last, err);
        }
        if (result == CSV_MORE) {
            arus_chunk_keep(self->chunk, rest.size);
            self->at = self->stretch.size;
            return ARUS_OK;
        }
        if (result != CSV_RECORD && result != CSV_NOTHING) {
            return result == CSV_END ? ARUS_OK : fail_result(self, result, raw, err);
        }
        raw.size = (size_t)(self->tokenizer.record_end - rest.data);
        self->at += raw.size;
        if (result == CSV_NOTHING) {
            continue;
        }
        if (self->wants_header) {
            ARUS_TRY(check_header(self, raw, err));
            continue;
        }
        if (self->records != NULL) {
            self->records[self->row_count] = strip_line_end(raw);
        }
        ARUS_TRY(put_record(self, self->row_count, raw, true, err));
        self->row_count++;
    }
    return ARUS_OK;
}

static enum arus_status next_stretch(struct csv_reader *self, struct arus_error *err)
{
    ARUS_TRY(arus_chunk_next(self->chunk, &self->stretch, err));
    self->at = 0;
    self->has_ended = self->stretch.size == 0;
    if (self->has_ended) {
        return ARUS_OK;
    }
    if (!self->has_begun) {
        self->has_begun = true;
        csv_detect_separator(&self->tokenizer,
                             (struct arus_text){self->stretch.data, self->stretch.size});
    }
    return self->wants_header && !self->settings->multi_line ? take_header(self, err) : ARUS_OK;
}

/* ---- batches ---- */

static void batch_reset(struct csv_reader *self)
{
    arus_arena_reset(&self->tokens);
    arus_arena_reset(&self->vectors);
    memset(self->dropped, 0, sizeof self->dropped);
    self->dropped_count = 0;
    self->kept = NULL;
    self->row_count = 0;
    for (uint32_t i = 0; i < self->column_count; i++) {
        csv_column_reset(&self->columns[i]);
    }
    if (self->corrupt != NULL) {
        memset(self->corrupt->validity, 0, ARUS_BATCH_ROWS / 8);
        memset(self->corrupt->values, 0, (size_t)self->corrupt->value_size * ARUS_BATCH_ROWS);
        self->corrupt->null_count = 1;
    }
}

/* Rows until the batch is full or the stretch is read: views point into it. */
static enum arus_status batch_fill(struct csv_reader *self, struct arus_error *err)
{
    while (!self->has_ended && self->row_count + CSV_STEP_LINES_MIN <= ARUS_BATCH_ROWS) {
        if (self->at == self->stretch.size) {
            if (self->row_count > 0) {
                break;
            }
            ARUS_TRY(next_stretch(self, err));
            continue;
        }
        ARUS_TRY(self->settings->multi_line ? step_records(self, err) : step_lines(self, err));
    }
    return ARUS_OK;
}

static enum arus_status slice_kept(struct csv_reader *self, const struct arus_batch *all,
                                   struct arus_batch *out, struct arus_error *err)
{
    uint32_t *indices;
    uint32_t count = 0;

    ARUS_TRY(arus_arena_buffer(&self->vectors, (size_t)all->row_count * sizeof *indices,
                               (void **)&indices, err));
    for (uint32_t i = 0; i < all->row_count; i++) {
        if (!arus_bit_get(self->dropped, i)) {
            indices[count++] = i;
        }
    }
    self->kept = indices;
    return arus_batch_slice(all, indices, count, &self->vectors, out, err);
}

static enum arus_status batch_finish(struct csv_reader *self, struct arus_batch *out,
                                     struct arus_error *err)
{
    struct arus_batch all = {.schema = self->scan->output, .row_count = self->row_count};

    ARUS_TRY(
        ARUS_NEW(&self->vectors, struct arus_vector, self->column_count + 1, &all.columns, err));
    for (uint32_t i = 0; i < self->column_count; i++) {
        const struct csv_column *column = &self->columns[i];

        all.columns[i] = (struct arus_vector){
            .type = column->type,
            .form = ARUS_VECTOR_FLAT,
            .row_count = self->row_count,
            .validity = column->null_count > 0 ? column->validity : NULL,
            .values = column->values,
        };
    }
    if (self->dropped_count > 0) {
        ARUS_TRY(slice_kept(self, &all, out, err));
    } else {
        *out = all;
    }
    self->given_count += out->row_count;
    return ARUS_OK;
}

enum arus_status csv_reader_next(struct arus_reader *reader, struct arus_batch *out,
                                 struct arus_error *err)
{
    struct csv_reader *self = (struct csv_reader *)(void *)reader;

    *out = (struct arus_batch){.schema = self->scan->output};
    do {
        batch_reset(self);
        ARUS_TRY(batch_fill(self, err));
    } while (!self->has_ended && self->row_count == self->dropped_count);
    if (self->row_count == self->dropped_count) {
        return ARUS_OK;
    }
    return batch_finish(self, out, err);
}

/* ---- life ---- */

/* Can lines be told apart and cut by bytes alone, quotes aside? */
static bool can_index(const struct csv_read_settings *settings)
{
    const struct csv_dialect *dialect = &settings->dialect;

    return dialect->is_simple && !settings->multi_line && dialect->separator2 == 0 &&
           dialect->delimiter != '\n' && dialect->delimiter != '\r' && dialect->quote != '\n' &&
           dialect->quote != '\r';
}

static enum arus_status open_columns(struct csv_reader *self, struct arus_error *err)
{
    const struct arus_scan *scan = self->scan;

    self->columns = arus_alloc((size_t)scan->output->field_count + 1, sizeof *self->columns);
    if (self->columns == NULL) {
        return arus_fail_memory(err);
    }
    for (uint16_t i = 0; i < scan->output->field_count; i++) {
        const bool is_corrupt = scan->output_fields[i] == ARUS_SCAN_CORRUPT;

        self->column_count = (uint32_t)i + 1;
        ARUS_TRY(csv_column_init(&self->columns[i], scan->output->fields[i].type,
                                 is_corrupt ? 0 : scan->output_fields[i], &self->cells, err));
        if (is_corrupt) {
            self->corrupt = &self->columns[i];
        }
    }
    return ARUS_OK;
}

static void set_rule(struct csv_reader *self)
{
    const struct csv_dialect *dialect = &self->settings->dialect;
    uint32_t field_count = 0;

    for (uint32_t i = 0; i < self->column_count; i++) {
        if (&self->columns[i] != self->corrupt && self->columns[i].token >= field_count) {
            field_count = self->columns[i].token + 1;
        }
    }
    self->is_pruned = self->settings->prunes_columns && self->corrupt == NULL;
    self->is_exact = !self->is_pruned || self->column_count == self->scan->schema->field_count;
    self->is_counting = self->is_pruned && self->column_count == 0 && !self->settings->multi_line;
    self->is_indexed = can_index(self->settings);
    self->rule = (struct csv_index_rule){
        .delimiter = (char)dialect->delimiter,
        .quote = (char)dialect->quote,
        .comment = (char)dialect->comment,
        .has_comment = dialect->has_comment,
        .ends_at_cr = self->settings->line_sep.data == NULL,
        .field_count = self->is_exact ? self->scan->schema->field_count : field_count,
        .field_max = dialect->column_max,
    };
    if (self->rule.field_max < self->rule.field_count) {
        self->is_indexed = false; /* every record is too large */
    } else if (self->is_exact) {
        self->rule.field_max = self->rule.field_count;
    }
}

static enum arus_status open_parts(struct csv_reader *self, struct arus_error *err)
{
    const struct arus_chunk_options options = csv_chunk_options(self->settings);

    ARUS_TRY(arus_chunk_open(&options, &self->chunk, err));
    ARUS_TRY(open_columns(self, err));
    set_rule(self);
    ARUS_TRY(
        csv_tokenizer_reserve(&self->tokenizer, (size_t)self->scan->schema->field_count + 64, err));
    self->index = arus_alloc(1, sizeof *self->index);
    if (self->index == NULL) {
        return arus_fail_memory(err);
    }
    return csv_index_init(self->index, self->rule.field_count, err);
}

static enum arus_status check_wanted(const struct arus_scan *scan, struct arus_error *err)
{
    if (scan->output->field_count != 1 || scan->output_fields[0] != ARUS_SCAN_CORRUPT) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN",
                     "the query reads nothing but the column of corrupt records");
}

enum arus_status csv_reader_open(const struct arus_scan *scan, const void *settings,
                                 struct arus_reader **out, struct arus_error *err)
{
    struct csv_reader *self = arus_alloc(1, sizeof *self);
    enum arus_status status;

    *out = NULL;
    if (self == NULL) {
        return arus_fail_memory(err);
    }
    self->scan = scan;
    self->settings = settings;
    self->cpu = arus_cpu_detect();
    self->has_ended = true;
    csv_cells_init(&self->cells, settings, scan->zone);
    self->tokenizer.dialect = &self->settings->dialect;
    self->tokenizer.arena = &self->tokens;
    status = check_wanted(scan, err);
    if (status == ARUS_OK) {
        status = open_parts(self, err);
    }
    if (status != ARUS_OK) {
        csv_reader_close((struct arus_reader *)self);
        return status;
    }
    *out = (struct arus_reader *)self;
    return ARUS_OK;
}

enum arus_status csv_reader_start(struct arus_reader *reader, const struct arus_input *input,
                                  struct arus_error *err)
{
    struct csv_reader *self = (struct csv_reader *)(void *)reader;

    self->stretch = (struct arus_stretch){0};
    self->at = 0;
    self->has_ended = true;
    self->has_begun = false;
    self->wants_header = self->settings->header && input->begin == 0;
    ARUS_TRY(arus_chunk_start(self->chunk, input, err));
    self->has_ended = false;
    return ARUS_OK;
}

void csv_reader_watch(struct arus_reader *reader, const struct arus_bad_records *bad)
{
    struct csv_reader *self = (struct csv_reader *)(void *)reader;

    self->bad = bad;
    arus_chunk_count_lines(self->chunk);
    self->records = arus_alloc_buffer(ARUS_BATCH_ROWS * sizeof *self->records);
}

enum arus_status csv_reader_record(struct arus_reader *reader, uint32_t row,
                                   struct arus_record *out, struct arus_error *err)
{
    struct csv_reader *self = (struct csv_reader *)(void *)reader;

    *out = (struct arus_record){0};
    if (self->records == NULL) {
        return arus_fail_memory(err);
    }
    out->text = self->records[self->kept == NULL ? row : self->kept[row]];
    return arus_chunk_line(self->chunk, out->text.data, &out->line, err);
}

void csv_reader_stats(const struct arus_reader *reader, struct arus_scan_stats *out)
{
    const struct csv_reader *self = (const struct csv_reader *)(const void *)reader;

    *out = (struct arus_scan_stats){.row_count = self->given_count,
                                    .rejected_count = self->rejected_count,
                                    .byte_count = arus_chunk_byte_count(self->chunk)};
}

void csv_reader_close(struct arus_reader *reader)
{
    struct csv_reader *self = (struct csv_reader *)(void *)reader;

    if (self == NULL) {
        return;
    }
    for (uint32_t i = 0; i < self->column_count; i++) {
        csv_column_release(&self->columns[i]);
    }
    if (self->index != NULL) {
        csv_index_release(self->index);
    }
    arus_free(self->index);
    arus_free(self->records);
    arus_free(self->columns);
    csv_tokenizer_release(&self->tokenizer);
    csv_cells_release(&self->cells);
    arus_chunk_close(self->chunk);
    arus_arena_release(&self->tokens);
    arus_arena_release(&self->vectors);
    arus_free(self);
}
