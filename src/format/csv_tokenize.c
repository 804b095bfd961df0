/**
 * The exact tokenizer. Its results are those of univocity-parsers 2.9.1 with Spark's settings,
 * oddities included: a quoted value that goes wrong ends as the settings say, not as one would
 * wish.
 *
 * Functions that read on return false at the end of the input (or on a failure), and everything
 * unwinds to finish_at_end, which settles the last value.
 */
#include "base/alloc.h"
#include "format/csv_scan_internal.h"
#include "format/csv_tokenize_internal.h"
#include "types/utf8.h"

/* ---- output ---- */

bool csv_append_text(struct csv_tokenizer *self, struct arus_text text)
{
    if (self->is_skipping || text.size == 0) {
        return true;
    }
    return arus_buffer_append_text(&self->value, text, self->err) == ARUS_OK ||
           fail(self, CSV_FAILED);
}

enum arus_status csv_tokenizer_reserve(struct csv_tokenizer *self, size_t count,
                                       struct arus_error *err)
{
    struct csv_token *tokens = arus_realloc(self->tokens, count * sizeof *tokens);

    if (tokens == NULL) {
        return arus_fail_memory(err);
    }
    self->tokens = tokens;
    self->token_capacity = count;
    return ARUS_OK;
}

/* A special character that stands for several bytes becomes them again. */
static bool restore_specials(struct csv_tokenizer *self, struct csv_token *token)
{
    const struct csv_dialect *dialect = self->dialect;
    char *out;
    size_t size = 0;

    if (arus_arena_alloc(self->arena, (size_t)token->size * 4, (void **)&out, self->err) !=
        ARUS_OK) {
        return fail(self, CSV_FAILED);
    }
    for (uint32_t i = 0; i < token->size; i++) {
        const unsigned char c = (unsigned char)token->data[i];

        if (c >= CSV_SPECIAL_BYTE(0)) {
            const struct arus_text special = dialect->specials[c - CSV_SPECIAL_BYTE(0)];

            memcpy(out + size, special.data, special.size);
            size += special.size;
        } else {
            out[size++] = (char)c;
        }
    }
    *token = (struct csv_token){out, (uint32_t)size};
    return true;
}

bool csv_emit(struct csv_tokenizer *self, struct csv_token token)
{
    if (self->token_count == self->dialect->column_max) {
        return fail(self, CSV_TOO_LARGE);
    }
    if (token.size > self->dialect->char_max &&
        arus_utf8_units((struct arus_text){token.data, token.size}) > self->dialect->char_max) {
        return fail(self, CSV_TOO_LARGE);
    }
    if (self->token_count == self->token_capacity &&
        csv_tokenizer_reserve(self, self->token_capacity == 0 ? 64 : self->token_capacity * 2,
                              self->err) != ARUS_OK) {
        return fail(self, CSV_FAILED);
    }
    if (self->dialect->special_count > 0 && token.size > 0 && !restore_specials(self, &token)) {
        return false;
    }
    self->tokens[self->token_count++] = token;
    return true;
}

static struct csv_token token_of(struct arus_text text)
{
    return (struct csv_token){text.data == NULL ? "" : text.data, (uint32_t)text.size};
}

static bool empty_parsed(struct csv_tokenizer *self)
{
    return csv_emit(self, token_of(self->dialect->null_value));
}

/* Ends the value in the buffer. */
static bool value_parsed(struct csv_tokenizer *self)
{
    struct arus_buffer *value = &self->value;
    char *copy;

    if (self->is_skipping) {
        self->is_skipping = false;
        arus_buffer_reset(value);
        return csv_emit(self, (struct csv_token){NULL, 0});
    }
    while (self->trims && value->size > 0 &&
           is_white((unsigned char)value->data[value->size - 1])) {
        value->size--;
    }
    if (value->size == 0) {
        return csv_emit(self, token_of(self->dialect->empty_value));
    }
    if (arus_arena_alloc(self->arena, value->size, (void **)&copy, self->err) != ARUS_OK) {
        return fail(self, CSV_FAILED);
    }
    memcpy(copy, value->data, value->size);
    if (!csv_emit(self, (struct csv_token){copy, (uint32_t)value->size})) {
        return false;
    }
    arus_buffer_reset(value);
    return true;
}

/* Appends up to a stop character, which becomes ch. At the end of the input ch stays what it was.
 */
bool csv_append_until(struct csv_tokenizer *self, unsigned char a, unsigned char b, unsigned char c)
{
    const unsigned char first = self->ch;

    while (self->ch != a && self->ch != b && self->ch != c) {
        if (!append(self, self->ch)) {
            return false;
        }
        if (!next(self)) {
            self->ch = first;
            return false;
        }
    }
    return true;
}

static bool is_separator(const struct csv_tokenizer *self, const unsigned char *i)
{
    return *i == self->separator1 &&
           (self->separator2 == 0 || (i + 1 < self->end && i[1] == self->separator2));
}

/* A quoted value without any escape that ends at a quote in front of a delimiter: a view of the
 * input. */
static bool quoted_view(struct csv_tokenizer *self, struct csv_token *token)
{
    const struct csv_dialect *dialect = self->dialect;
    const unsigned char *i = self->at;

    for (; i < self->end; i++) {
        if (*i == dialect->quote) {
            break;
        }
        if ((*i == dialect->escape && i + 1 < self->end &&
             (i[1] == dialect->quote || i[1] == dialect->escape_escape)) ||
            (self->normalizes && is_separator(self, i))) {
            return false;
        }
    }
    if (i + 1 >= self->end || i[-1] == dialect->escape ||
        (i[1] != self->delimiter && i[1] != dialect->new_line)) {
        return false;
    }
    *token = (struct csv_token){(const char *)self->at, (uint32_t)(i - self->at)};
    if (token->size == 0) {
        *token = token_of(dialect->empty_value);
    }
    self->at = i + 1;
    return true;
}

/* Behind a quoted view: false when the record has ended without more ado. */
static bool after_view(struct csv_tokenizer *self, bool *has_ended)
{
    *has_ended = !next(self);
    if (*has_ended) {
        return true;
    }
    if (self->ch == self->delimiter) {
        *has_ended = !next(self);
        if (*has_ended || self->ch == self->dialect->new_line) {
            return empty_parsed(self);
        }
    }
    return true;
}

/* ---- records ---- */

/* An unquoted value that ends at a delimiter: a view of the input. */
static bool plain_view(struct csv_tokenizer *self, struct csv_token *token)
{
    const unsigned char *begin = self->at - 1;
    const unsigned char *i = begin;
    const unsigned char *last;

    while (i < self->end && *i != self->delimiter && !is_separator(self, i)) {
        i++;
    }
    if (i >= self->end || (*i != self->delimiter && i + 1 == self->end)) {
        return false;
    }
    last = i;
    while (self->dialect->trims_end && last > begin && is_white(last[-1])) {
        last--;
    }
    *token = (struct csv_token){(const char *)begin, (uint32_t)(last - begin)};
    if (token->size == 0) {
        *token = token_of(self->dialect->null_value);
    }
    self->at = i;
    return true;
}

static bool plain_value(struct csv_tokenizer *self)
{
    struct csv_token token;

    if (self->value.size == 0 && plain_view(self, &token)) {
        return csv_emit(self, token) && next(self);
    }
    self->trims = self->dialect->trims_end;
    return csv_append_until(self, self->delimiter, self->dialect->new_line, self->delimiter) &&
           value_parsed(self);
}

static bool skip_white(struct csv_tokenizer *self)
{
    while (is_white(self->ch) && self->ch != self->delimiter &&
           self->ch != self->dialect->new_line && self->ch != self->dialect->quote) {
        if (!next(self)) {
            return false;
        }
    }
    return true;
}

/* `*has_ended`: the record ended behind a quoted view, nothing is left to settle. */
static bool quoted_field(struct csv_tokenizer *self, bool *is_view, bool *has_ended)
{
    struct csv_token token;

    self->normalizes = self->dialect->normalizes_in_quotes;
    *is_view = self->value.size == 0 && quoted_view(self, &token);
    if (*is_view) {
        self->normalizes = true;
        return csv_emit(self, token) && after_view(self, has_ended);
    }
    self->trims = false;
    if (!csv_quoted_value(self, false)) {
        return false;
    }
    self->normalizes = true;
    return (self->unescaped && self->dialect->handling == CSV_BACK_TO_DELIMITER &&
            self->value.size == 0) ||
           value_parsed(self);
}

static bool single_record(struct csv_tokenizer *self, bool *has_ended)
{
    const unsigned char new_line = self->dialect->new_line;

    if (self->dialect->trims_begin && !skip_white(self)) {
        return false;
    }
    while (self->ch != new_line) {
        bool is_view = false;

        if (self->dialect->trims_begin && !skip_white(self)) {
            return false;
        }
        if (self->ch == self->delimiter || self->ch == new_line) {
            if (!empty_parsed(self)) {
                return false;
            }
        } else {
            self->unescaped = false;
            self->prev = 0;
            if (self->ch == self->dialect->quote) {
                if (!quoted_field(self, &is_view, has_ended)) {
                    return false;
                }
                if (*has_ended) {
                    return true;
                }
            } else if (!plain_value(self)) {
                return false;
            }
        }
        if (!is_view && self->ch != new_line) {
            if (!next(self) || (self->ch == new_line && !empty_parsed(self))) {
                return false;
            }
        }
    }
    return true;
}

static bool skip_white_multi(struct csv_tokenizer *self)
{
    while (is_white(self->ch) && self->match < self->dialect->multi.size &&
           self->ch != self->dialect->new_line && self->ch != self->dialect->quote) {
        bool is_delimiter = false;

        if (!next(self)) {
            return false;
        }
        if (multi_at(self, self->match) == self->ch) {
            if (!csv_match_delimiter(self, true, &is_delimiter)) {
                return false;
            }
            if (is_delimiter && (!empty_parsed(self) || !next(self))) {
                return false;
            }
        }
    }
    return csv_save_match(self);
}

static bool multi_value(struct csv_tokenizer *self)
{
    bool before;
    bool is_good;

    self->unescaped = false;
    self->prev = 0;
    if (self->ch == self->dialect->quote && self->value.size == 0) {
        self->normalizes = self->dialect->normalizes_in_quotes;
        self->trims = false;
        if (!csv_quoted_value(self, true)) {
            return false;
        }
        self->normalizes = true;
        return (self->unescaped && self->dialect->handling == CSV_BACK_TO_DELIMITER &&
                self->value.size == 0) ||
               value_parsed(self);
    }
    if (!csv_append_until_multi(self)) {
        return false;
    }
    before =
        self->trims; /* a value at the very end of the input is only trimmed by an older wish */
    self->trims = before || self->dialect->trims_end;
    is_good = value_parsed(self);
    self->trims = before;
    return is_good;
}

static bool multi_record(struct csv_tokenizer *self)
{
    const unsigned char new_line = self->dialect->new_line;

    if (self->dialect->trims_begin && is_white(self->ch) && !skip_white_multi(self)) {
        return false;
    }
    while (self->ch != new_line) {
        bool is_empty;

        if (self->dialect->trims_begin && is_white(self->ch) && !skip_white_multi(self)) {
            return false;
        }
        is_empty = self->ch == new_line;
        if (!is_empty && !csv_match_delimiter(self, true, &is_empty)) {
            return false;
        }
        if (is_empty ? !empty_parsed(self) : !multi_value(self)) {
            return false;
        }
        if (self->ch != new_line) {
            if (!next(self) || (self->ch == new_line && !empty_parsed(self))) {
                return false;
            }
        }
    }
    return true;
}

/* The input ended inside a record: settles its last value. */
static bool finish_at_end(struct csv_tokenizer *self)
{
    const struct csv_dialect *dialect = self->dialect;
    bool takes_value;

    if (self->ch == dialect->quote && self->prev == dialect->quote) {
        takes_value = true;
    } else {
        if (self->ch == dialect->quote && !self->unescaped && !append(self, dialect->quote)) {
            return false;
        }
        takes_value = self->prev != 0 && self->ch != self->delimiter &&
                      self->ch != dialect->new_line &&
                      self->ch != (dialect->has_comment ? dialect->comment : '#');
        if (self->match > 0) {
            takes_value = true;
            if (!csv_save_match(self)) {
                return false;
            }
        }
    }
    self->ch = 0;
    self->prev = 0;
    if (self->value.size > 0 || takes_value || self->is_skipping) {
        return value_parsed(self);
    }
    return empty_parsed(self);
}

static enum csv_result tokenize(struct csv_tokenizer *self, struct arus_text text, bool is_final,
                                struct arus_error *err)
{
    bool has_ended = false;

    self->record_begin = text.data;
    self->at = (const unsigned char *)text.data;
    self->end = self->at + text.size;
    self->is_final = is_final;
    self->normalizes = true;
    self->delimiter = self->dialect->delimiter;
    self->is_skipping = false;
    self->line_end_count = 0;
    self->match = 0;
    self->depth = 0;
    self->failure = CSV_RECORD;
    self->token_count = 0;
    self->err = err;
    arus_buffer_reset(&self->value);
    if (!next(self)) {
        return is_final || text.size == 0 ? CSV_END : CSV_MORE;
    }
    if (self->dialect->has_comment && self->ch == self->dialect->comment) {
        while (self->line_end_count == 0 && next(self)) {
        }
        self->record_end = (const char *)self->at;
        return self->line_end_count == 0 && !is_final ? CSV_MORE : CSV_NOTHING;
    }
    if (!(self->dialect->multi.size > 0 ? multi_record(self) : single_record(self, &has_ended))) {
        if (self->failure == CSV_RECORD && !is_final) {
            return CSV_MORE;
        }
        if (self->failure == CSV_RECORD && !finish_at_end(self)) {
            return self->failure;
        }
    } else if (has_ended && !is_final) {
        return CSV_MORE;
    }
    self->record_end = (const char *)self->at;
    if (self->failure != CSV_RECORD) {
        return self->failure;
    }
    return self->token_count > 0 ? CSV_RECORD : CSV_NOTHING;
}

/* ---- outside ---- */

void csv_tokenizer_release(struct csv_tokenizer *self)
{
    arus_free(self->tokens);
    arus_buffer_release(&self->value);
    arus_buffer_release(&self->blanks);
    self->tokens = NULL;
    self->token_count = 0;
    self->token_capacity = 0;
}

/* Special characters of several bytes become single ones, in a copy. */
static bool mark_specials(struct csv_tokenizer *self, struct arus_text *text,
                          struct arus_error *err)
{
    const struct csv_dialect *dialect = self->dialect;
    char *copy;
    size_t size = 0;
    size_t at = 0;

    if (arus_arena_alloc(self->arena, text->size + 1, (void **)&copy, err) != ARUS_OK) {
        return false;
    }
    while (at < text->size) {
        const struct arus_text rest = {text->data + at, text->size - at};
        size_t i = 0;

        while (i < dialect->special_count && !arus_text_starts_with(rest, dialect->specials[i])) {
            i++;
        }
        copy[size++] = i < dialect->special_count ? (char)CSV_SPECIAL_BYTE(i) : text->data[at];
        at += i < dialect->special_count ? dialect->specials[i].size : 1;
    }
    *text = (struct arus_text){copy, size};
    return true;
}

/* Forgets earlier records: a line must not depend on the lines before it. */
static void forget(struct csv_tokenizer *self)
{
    self->ch = 0;
    self->prev = 0;
    self->unescaped = false;
    self->trims = false;
}

enum csv_result csv_tokenize_line(struct csv_tokenizer *self, struct arus_text line,
                                  struct arus_error *err)
{
    self->separator1 = self->dialect->separator1;
    self->separator2 = self->dialect->separator2;
    forget(self);
    if (self->dialect->special_count > 0 && !mark_specials(self, &line, err)) {
        return CSV_FAILED;
    }
    return tokenize(self, line, true, err);
}

/* The record comes again: what the one before left behind must be there again. */
static void go_back(struct csv_tokenizer *self, const struct csv_tokenizer *before)
{
    self->ch = before->ch;
    self->prev = before->prev;
    self->unescaped = before->unescaped;
    self->trims = before->trims;
}

enum csv_result csv_tokenize_record(struct csv_tokenizer *self, struct arus_text text,
                                    bool is_final, struct arus_error *err)
{
    const struct csv_tokenizer before = *self;
    const char *begin = text.data;
    enum csv_result result;
    size_t taken;
    size_t at = 0;

    if (self->dialect->special_count == 0) {
        result = tokenize(self, text, is_final, err);
        if (result == CSV_MORE) {
            go_back(self, &before);
        }
        return result;
    }
    if (!mark_specials(self, &text, err)) {
        return CSV_FAILED;
    }
    result = tokenize(self, text, is_final, err);
    if (result == CSV_MORE) {
        go_back(self, &before);
    }
    taken =
        result == CSV_RECORD || result == CSV_NOTHING ? (size_t)(self->record_end - text.data) : 0;
    for (size_t i = 0; i < taken; i++) { /* back to the bytes of the file */
        const unsigned char c = (unsigned char)text.data[i];

        at += c >= CSV_SPECIAL_BYTE(0) ? self->dialect->specials[c - CSV_SPECIAL_BYTE(0)].size : 1;
    }
    self->record_begin = begin;
    self->record_end = begin + at;
    return result;
}

void csv_detect_separator(struct csv_tokenizer *self, struct arus_text text)
{
    size_t at = 0;

    forget(self);
    self->separator1 = self->dialect->separator1;
    self->separator2 = self->dialect->separator2;
    if (!self->dialect->detects_separator || text.size == 1) {
        return; /* univocity does not look at the last character of a file */
    }
    while (at < text.size && text.data[at] != '\n' && text.data[at] != '\r') {
        at++;
    }
    self->separator1 = at < text.size && text.data[at] == '\r' ? '\r' : '\n';
    self->separator2 =
        self->separator1 == '\r' && at + 1 < text.size && text.data[at + 1] == '\n' ? '\n' : 0;
}

bool csv_is_blank(struct arus_text line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (!is_white((unsigned char)line.data[i])) {
            return false;
        }
    }
    return true;
}
