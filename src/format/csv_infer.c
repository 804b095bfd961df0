/** Names and types of a csv file, found by reading it: Spark's CSVInferSchema. */
#include "format/csv_internal.h"
#include "format/csv_values.h"
#include "types/decimal.h"
#include "types/number_measure.h"

/* What the cells of a column have been so far. */
struct csv_guess {
    enum arus_type_id id; /* VOID: nothing yet */
    struct arus_decimal_type decimal;
};

struct csv_inference {
    const struct csv_read_settings *settings;
    struct csv_cells cells;
    struct csv_tokenizer tokenizer;
    struct arus_arena tokens;
    struct arus_arena *arena; /* of the result */
    struct arus_field *fields;
    struct csv_guess *guesses;
    size_t field_count;
    struct arus_text first_line; /* copied; lines equal to a header are left out */
    bool has_first;
    bool is_detected; /* multiLine: the line end of this file is known */
    bool begins_file; /* multiLine: the next record is the first of its file */
};

/* ---- guessing ---- */

/* yyyy-MM-dd, or the pattern of the option. */
static bool is_date(struct csv_inference *self, struct arus_text cell)
{
    int32_t days;

    if (self->settings->date_format.data == NULL &&
        (cell.size != 10 || cell.data[4] != '-' || cell.data[7] != '-')) {
        return false;
    }
    return csv_cell_parse(&self->cells, &ARUS_DATE, cell, &days);
}

static const struct arus_type DECIMAL = {.id = ARUS_TYPE_DECIMAL, .precision = 38};

/* The decimal type of a whole number. Spark takes those whose scale is 0: below, its type fails. */
static bool is_decimal(struct arus_text cell, struct arus_decimal_type *out)
{
    struct arus_number_measure measure;

    if (!arus_number_measure(cell, &measure) || measure.scale != 0 ||
        measure.digits > DECIMAL.precision) {
        return false;
    }
    out->precision = (uint8_t)measure.digits;
    out->scale = 0;
    return true;
}

/* From narrow to wide. */
static const struct arus_type *const CANDIDATES[] = {
    &ARUS_INT, &ARUS_BIGINT, &DECIMAL, &ARUS_DOUBLE, &ARUS_DATE, &ARUS_TIMESTAMP, &ARUS_BOOLEAN};
#define CANDIDATE_COUNT (sizeof CANDIDATES / sizeof CANDIDATES[0])

static bool fits(struct csv_inference *self, const struct arus_type *type, struct arus_text cell,
                 struct csv_guess *out)
{
    _Alignas(16) char value[16];

    if (type == &DECIMAL) {
        return is_decimal(cell, &out->decimal);
    }
    if (type == &ARUS_DATE) {
        return self->settings->prefers_date && is_date(self, cell);
    }
    return csv_cell_parse(&self->cells, type, cell, value);
}

/* The narrowest type from `from` on that takes the cell. */
static struct csv_guess guess(struct csv_inference *self, enum arus_type_id from,
                              struct arus_text cell)
{
    struct csv_guess result = {.id = ARUS_TYPE_STRING};
    size_t i = 0;

    while (from != ARUS_TYPE_VOID && i < CANDIDATE_COUNT && CANDIDATES[i]->id != from) {
        i++;
    }
    while (i < CANDIDATE_COUNT && !fits(self, CANDIDATES[i], cell, &result)) {
        i++;
    }
    result.id = i < CANDIDATE_COUNT ? CANDIDATES[i]->id : ARUS_TYPE_STRING;
    return result;
}

static bool is_number(enum arus_type_id id)
{
    return id == ARUS_TYPE_INT || id == ARUS_TYPE_BIGINT || id == ARUS_TYPE_DECIMAL ||
           id == ARUS_TYPE_DOUBLE;
}

static struct arus_decimal_type decimal_of(struct csv_guess a)
{
    return a.id == ARUS_TYPE_DECIMAL ? a.decimal : arus_decimal_integer_type(a.id);
}

static struct csv_guess join(struct csv_guess a, struct csv_guess b)
{
    struct csv_guess result = {.id = ARUS_TYPE_STRING};

    if (a.id == ARUS_TYPE_VOID || (a.id == b.id && a.id != ARUS_TYPE_DECIMAL)) {
        return b;
    }
    if (is_number(a.id) && is_number(b.id)) {
        if (a.id == ARUS_TYPE_DOUBLE || b.id == ARUS_TYPE_DOUBLE) {
            result.id = ARUS_TYPE_DOUBLE;
        } else if (a.id == ARUS_TYPE_DECIMAL || b.id == ARUS_TYPE_DECIMAL) {
            result.id = ARUS_TYPE_DECIMAL;
            result.decimal = arus_decimal_widen_type(decimal_of(a), decimal_of(b));
        } else {
            result.id = ARUS_TYPE_BIGINT;
        }
    } else if ((a.id == ARUS_TYPE_DATE && b.id == ARUS_TYPE_TIMESTAMP) ||
               (a.id == ARUS_TYPE_TIMESTAMP && b.id == ARUS_TYPE_DATE)) {
        result.id = ARUS_TYPE_TIMESTAMP;
    }
    return result;
}

static void take_row(struct csv_inference *self)
{
    const struct csv_tokenizer *tokenizer = &self->tokenizer;

    for (size_t i = 0; i < self->field_count && i < tokenizer->token_count; i++) {
        const struct arus_text cell = {tokenizer->tokens[i].data, tokenizer->tokens[i].size};
        struct csv_guess *so_far = &self->guesses[i];

        if (cell.size > 0 && !arus_text_equal(cell, self->settings->null_value) &&
            so_far->id != ARUS_TYPE_STRING) {
            *so_far = join(*so_far, guess(self, so_far->id, cell));
        }
    }
}

/* ---- names ---- */

static bool is_repeated(const struct csv_tokenizer *tokenizer, size_t at)
{
    const struct arus_text name = {tokenizer->tokens[at].data, tokenizer->tokens[at].size};

    for (size_t i = 0; i < tokenizer->token_count; i++) {
        const struct arus_text other = {tokenizer->tokens[i].data, tokenizer->tokens[i].size};

        if (i != at && arus_text_equal_nocase(name, other)) {
            return true;
        }
    }
    return false;
}

static enum arus_status set_name(struct csv_inference *self, size_t i, struct arus_error *err)
{
    const struct csv_token token = self->tokenizer.tokens[i];
    const struct arus_text name = {token.data, token.size};
    struct arus_text *out = &self->fields[i].name;

    if (!self->settings->header || name.size == 0 ||
        arus_text_equal(name, self->settings->null_value)) {
        return arus_text_format(self->arena, out, err, "_c%zu", i);
    }
    if (is_repeated(&self->tokenizer, i)) {
        return arus_text_format(self->arena, out, err, "%.*s%zu", ARUS_TEXT_ARGS(name), i);
    }
    return arus_text_copy(name, self->arena, out, err);
}

/* The first record of all gives the number of columns and, with a header, their names. */
static enum arus_status take_first(struct csv_inference *self, struct arus_text line,
                                   struct arus_error *err)
{
    self->has_first = true;
    self->field_count = self->tokenizer.token_count;
    ARUS_TRY(arus_text_copy(line, self->arena, &self->first_line, err));
    ARUS_TRY(ARUS_NEW(self->arena, struct arus_field, self->field_count, &self->fields, err));
    ARUS_TRY(ARUS_NEW(self->arena, struct csv_guess, self->field_count, &self->guesses, err));
    for (size_t i = 0; i < self->field_count; i++) {
        ARUS_TRY(set_name(self, i, err));
    }
    if (!self->settings->header && (self->settings->multi_line || !csv_is_blank(line))) {
        take_row(self);
    }
    return ARUS_OK;
}

/* ---- reading ---- */

static enum arus_status take_record(struct csv_inference *self, struct arus_text raw,
                                    enum csv_result result, struct arus_error *err)
{
    bool is_header;

    if (result == CSV_NOTHING) {
        return ARUS_OK;
    }
    if (result == CSV_FAILED) {
        return err->status;
    }
    if (result != CSV_RECORD) {
        return arus_fail(err, ARUS_BAD_DATA, "MALFORMED_CSV_RECORD", "bad CSV record");
    }
    if (!self->has_first) {
        self->begins_file = false;
        return take_first(self, raw, err);
    }
    is_header =
        self->settings->multi_line ? self->begins_file : arus_text_equal(raw, self->first_line);
    self->begins_file = false;
    if (!(self->settings->header && is_header)) {
        take_row(self);
    }
    return ARUS_OK;
}

static bool is_done(const struct csv_inference *self)
{
    return self->has_first && !self->settings->infers_schema;
}

/* Blank lines hold no record; but the first line may be blank by tabs: Spark trims only spaces
 * when it looks for it. */
static bool is_skipped(const struct csv_inference *self, struct arus_text line)
{
    size_t at = 0;

    if (self->has_first) {
        return csv_is_blank(line);
    }
    while (at < line.size && line.data[at] == ' ') {
        at++;
    }
    return at == line.size;
}

static enum arus_status take_lines(struct csv_inference *self, const struct arus_stretch *stretch,
                                   struct arus_error *err)
{
    const struct arus_line_rule rule = {.separator = self->settings->line_sep};
    const struct arus_text text = {stretch->data, stretch->size};
    const struct arus_text comment = self->settings->comment;
    struct arus_line found;
    size_t at = 0;

    while (!is_done(self) && arus_lines_find(ARUS_CPU_PORTABLE, &rule, text, &at, &found, 1) == 1) {
        const struct arus_text line = {text.data + found.begin, found.end - found.begin};

        if (is_skipped(self, line) || (comment.size > 0 && arus_text_starts_with(line, comment))) {
            continue;
        }
        arus_arena_reset(&self->tokens);
        ARUS_TRY(take_record(self, line, csv_tokenize_line(&self->tokenizer, line, err), err));
    }
    return ARUS_OK;
}

static enum arus_status take_records(struct csv_inference *self, struct arus_chunk *chunk,
                                     const struct arus_stretch *stretch, struct arus_error *err)
{
    struct arus_text rest = {stretch->data, stretch->size};

    if (!self->is_detected) {
        csv_detect_separator(&self->tokenizer, rest);
        self->is_detected = true;
    }
    while (rest.size > 0 && !is_done(self)) {
        enum csv_result result;
        struct arus_text raw = rest;

        arus_arena_reset(&self->tokens);
        result = csv_tokenize_record(&self->tokenizer, rest, stretch->is_last, err);
        if (result == CSV_MORE) {
            arus_chunk_keep(chunk, rest.size);
            return ARUS_OK;
        }
        if (result == CSV_END) {
            return ARUS_OK;
        }
        raw.size = (size_t)(self->tokenizer.record_end - rest.data);
        ARUS_TRY(take_record(self, raw, result, err));
        rest.data += raw.size;
        rest.size -= raw.size;
    }
    return ARUS_OK;
}

static enum arus_status read_file(struct csv_inference *self, struct arus_chunk *chunk,
                                  const struct arus_input *input, struct arus_error *err)
{
    struct arus_stretch stretch = {0};

    self->begins_file = true;
    self->is_detected = false;
    ARUS_TRY(arus_chunk_start(chunk, input, err));
    while (!is_done(self)) {
        ARUS_TRY(arus_chunk_next(chunk, &stretch, err));
        if (stretch.size == 0) {
            break;
        }
        ARUS_TRY(self->settings->multi_line ? take_records(self, chunk, &stretch, err)
                                            : take_lines(self, &stretch, err));
    }
    return ARUS_OK;
}

/* The file whose first line counts: Spark hands out the largest first, whole files by path. */
static size_t first_file(const struct csv_read_settings *settings, const struct arus_inputs *inputs)
{
    size_t first = 0;

    for (size_t i = 1; i < inputs->count && !settings->multi_line; i++) {
        first = inputs->items[i].size > inputs->items[first].size ? i : first;
    }
    return first;
}

static enum arus_status read_all(struct csv_inference *self, const struct arus_inputs *inputs,
                                 struct arus_error *err)
{
    const struct arus_chunk_options options = csv_chunk_options(self->settings);
    const size_t first = first_file(self->settings, inputs);
    struct arus_chunk *chunk = NULL;
    enum arus_status status;

    ARUS_TRY(arus_chunk_open(&options, &chunk, err));
    status = read_file(self, chunk, &inputs->items[first], err);
    for (size_t i = 0; i < inputs->count && status == ARUS_OK; i++) {
        if (i != first) {
            status = read_file(self, chunk, &inputs->items[i], err);
        }
    }
    arus_chunk_close(chunk);
    return status;
}

static enum arus_status set_type(struct csv_inference *self, size_t i, struct arus_error *err)
{
    const struct csv_guess guessed = self->guesses[i];
    const struct arus_type **out = &self->fields[i].type;

    self->fields[i].is_nullable = true;
    *out = &ARUS_STRING;
    if (!self->settings->infers_schema) {
        return ARUS_OK;
    }
    if (guessed.id == ARUS_TYPE_DECIMAL) {
        return arus_type_decimal(guessed.decimal.precision, guessed.decimal.scale, self->arena, out,
                                 err);
    }
    for (size_t k = 0; k < CANDIDATE_COUNT; k++) {
        if (CANDIDATES[k]->id == guessed.id) {
            *out = CANDIDATES[k];
        }
    }
    return ARUS_OK;
}

static enum arus_status make_schema(struct csv_inference *self, const struct arus_inputs *inputs,
                                    const struct arus_type **out, struct arus_error *err)
{
    if (!self->has_first) {
        return arus_fail(err, ARUS_BAD_CONFIG, "UNABLE_TO_INFER_SCHEMA",
                         "%s%s no line from which columns could be taken", inputs->items[0].path,
                         inputs->count == 1 ? " holds" : " .. hold");
    }
    for (size_t i = 0; i < self->field_count; i++) {
        ARUS_TRY(set_type(self, i, err));
    }
    return arus_type_struct(self->fields, (uint16_t)self->field_count, self->arena, out, err);
}

enum arus_status csv_infer(const void *settings, const struct arus_inputs *inputs,
                           const struct arus_zone *zone, struct arus_arena *arena,
                           const struct arus_type **out, struct arus_error *err)
{
    struct csv_inference self = {.settings = settings, .arena = arena};
    enum arus_status status;

    csv_cells_init(&self.cells, settings, zone);
    self.tokenizer.dialect = &self.settings->dialect;
    self.tokenizer.arena = &self.tokens;
    status = read_all(&self, inputs, err);
    if (status == ARUS_OK) {
        status = make_schema(&self, inputs, out, err);
    }
    csv_tokenizer_release(&self.tokenizer);
    csv_cells_release(&self.cells);
    arus_arena_release(&self.tokens);
    return status;
}

enum arus_status arus_csv_infer_text(struct arus_text text, const void *settings,
                                     const struct arus_zone *zone, struct arus_arena *arena,
                                     const struct arus_type **out, struct arus_error *err)
{
    struct csv_read_settings own = *(const struct csv_read_settings *)settings;
    const struct arus_inputs none = {.items = &(struct arus_input){.path = "the text"}, .count = 1};
    struct csv_inference self = {.settings = &own, .arena = arena};
    enum arus_status status;

    own.header = false;
    own.infers_schema = true;
    csv_cells_init(&self.cells, &own, zone);
    self.tokenizer.dialect = &own.dialect;
    self.tokenizer.arena = &self.tokens;
    status = take_record(&self, text, csv_tokenize_line(&self.tokenizer, text, err), err);
    if (status == ARUS_OK) {
        status = make_schema(&self, &none, out, err);
    }
    csv_tokenizer_release(&self.tokenizer);
    csv_cells_release(&self.cells);
    arus_arena_release(&self.tokens);
    return status;
}
