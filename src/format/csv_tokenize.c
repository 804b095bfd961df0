/**
 * The exact tokenizer. Its results are those of univocity-parsers 2.9.1 with Spark's settings,
 * oddities included: a quoted value that goes wrong ends as the settings say, not as one would
 * wish.
 *
 * Functions that read on return false at the end of the input (or on a failure), and everything
 * unwinds to finish_at_end, which settles the last value.
 */
#include "base/alloc.h"
#include "format/csv_internal.h"
#include "types/utf8.h"

#define DEPTH_MAX 1000

/* ---- input ---- */

static bool fail(struct csv_tokenizer *self, enum csv_result failure)
{
    self->failure = failure;
    return false;
}

/* Reads a character; false at the end, which leaves ch as it was. */
static inline bool next(struct csv_tokenizer *self)
{
    unsigned char c;

    if (self->at == self->end) {
        return false;
    }
    c = *self->at++;
    if (c == self->separator1) {
        if (self->separator2 == 0) {
            self->line_end_count++;
            c = self->normalizes ? self->dialect->new_line : c;
        } else if (self->at < self->end && *self->at == self->separator2) {
            self->line_end_count++;
            if (self->normalizes) {
                c = self->dialect->new_line;
                self->at++;
            }
        } else if (self->at == self->end && !self->is_final) {
            return false; /* the second byte may follow */
        }
    }
    self->ch = c;
    return true;
}

static inline bool is_white(unsigned char c)
{
    return c <= ' ';
}

/* ---- output ---- */

static inline bool append(struct csv_tokenizer *self, unsigned char c)
{
    struct arus_buffer *value = &self->value;

    if (self->is_skipping) {
        return true;
    }
    if (value->size == value->capacity && arus_buffer_reserve(value, 64, self->err) != ARUS_OK) {
        return fail(self, CSV_FAILED);
    }
    value->data[value->size++] = (char)c;
    return true;
}

static bool append_text(struct csv_tokenizer *self, struct arus_text text)
{
    if (self->is_skipping || text.size == 0) {
        return true;
    }
    return arus_buffer_append_text(&self->value, text, self->err) == ARUS_OK ||
           fail(self, CSV_FAILED);
}

static bool prepend(struct csv_tokenizer *self, unsigned char c)
{
    if (self->is_skipping) {
        return true;
    }
    if (!append(self, c)) {
        return false;
    }
    memmove(self->value.data + 1, self->value.data, self->value.size - 1);
    self->value.data[0] = (char)c;
    return true;
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

static bool emit(struct csv_tokenizer *self, struct csv_token token)
{
    if (self->token_count == self->dialect->column_max) {
        return fail(self, CSV_TOO_LARGE);
    }
    if (token.size > self->dialect->char_max &&
        arus_utf8_units((struct arus_text){token.data, token.size}) > self->dialect->char_max) {
        return fail(self, CSV_TOO_LARGE);
    }
    if (self->token_count == self->token_capacity) {
        const size_t capacity = self->token_capacity == 0 ? 64 : self->token_capacity * 2;
        struct csv_token *tokens = arus_realloc(self->tokens, capacity * sizeof *tokens);

        if (tokens == NULL) {
            return arus_fail_memory(self->err) != ARUS_OK && fail(self, CSV_FAILED);
        }
        self->tokens = tokens;
        self->token_capacity = capacity;
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
    return emit(self, token_of(self->dialect->null_value));
}

/* Ends the value in the buffer. */
static bool value_parsed(struct csv_tokenizer *self)
{
    struct arus_buffer *value = &self->value;
    char *copy;

    if (self->is_skipping) {
        self->is_skipping = false;
        arus_buffer_reset(value);
        return emit(self, (struct csv_token){NULL, 0});
    }
    while (self->trims && value->size > 0 &&
           is_white((unsigned char)value->data[value->size - 1])) {
        value->size--;
    }
    if (value->size == 0) {
        return emit(self, token_of(self->dialect->empty_value));
    }
    if (arus_arena_alloc(self->arena, value->size, (void **)&copy, self->err) != ARUS_OK) {
        return fail(self, CSV_FAILED);
    }
    memcpy(copy, value->data, value->size);
    if (!emit(self, (struct csv_token){copy, (uint32_t)value->size})) {
        return false;
    }
    arus_buffer_reset(value);
    return true;
}

/* Appends up to a stop character, which becomes ch. At the end of the input ch stays what it was.
 */
static bool append_until(struct csv_tokenizer *self, unsigned char a, unsigned char b,
                         unsigned char c)
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

/* ---- delimiters of several characters ---- */

static unsigned char multi_at(const struct csv_tokenizer *self, size_t i)
{
    return (unsigned char)self->dialect->multi.data[i];
}

static bool save_match(struct csv_tokenizer *self)
{
    const struct arus_text multi = self->dialect->multi;
    bool is_good = true;

    if (self->match > 0 && self->match < multi.size) {
        is_good = append_text(self, (struct arus_text){multi.data, self->match});
    }
    self->match = 0;
    return is_good;
}

/* `*is_delimiter`: a whole one was read. `saves`: a part of one is text. */
static bool match_delimiter(struct csv_tokenizer *self, bool saves, bool *is_delimiter)
{
    const size_t size = self->dialect->multi.size;

    *is_delimiter = false;
    while (self->ch == multi_at(self, self->match)) {
        self->match++;
        if (self->match == size) {
            break;
        }
        if (!next(self)) {
            return false;
        }
    }
    if (self->match == size) {
        self->match = 0;
        *is_delimiter = true;
        return true;
    }
    return !saves || save_match(self);
}

static bool append_until_multi(struct csv_tokenizer *self)
{
    const size_t size = self->dialect->multi.size;

    while (self->match < size && self->ch != self->dialect->new_line) {
        if (multi_at(self, self->match) == self->ch) {
            self->match++;
            if (self->match == size) {
                break;
            }
        } else {
            if (self->match > 0) {
                if (!save_match(self)) {
                    return false;
                }
                continue;
            }
            if (!append(self, self->ch)) {
                return false;
            }
        }
        if (!next(self)) {
            return false;
        }
    }
    return save_match(self);
}

/* ---- values in quotes ---- */

static bool skip_value(struct csv_tokenizer *self)
{
    const size_t size = self->dialect->multi.size;

    arus_buffer_reset(&self->value);
    self->is_skipping = true;
    if (size == 0) {
        return append_until(self, self->delimiter, self->dialect->new_line, self->delimiter);
    }
    while (self->ch != self->dialect->new_line) {
        self->match = multi_at(self, self->match) == self->ch ? self->match + 1 : 0;
        if (self->match == size) {
            break;
        }
        if (!next(self)) {
            return false;
        }
    }
    self->match = 0;
    return true;
}

static bool value_with_escapes(struct csv_tokenizer *self);

static bool unescaped_quote_in_value(struct csv_tokenizer *self)
{
    switch (self->dialect->handling) {
    case CSV_BACK_TO_DELIMITER:
    case CSV_STOP_AT_CLOSING_QUOTE:
    case CSV_STOP_AT_DELIMITER:
        if (!append(self, self->dialect->quote)) {
            return false;
        }
        self->prev = self->ch;
        if (self->depth == DEPTH_MAX) {
            return fail(self, CSV_TOO_LARGE);
        }
        self->depth++;
        if (!value_with_escapes(self)) {
            return false;
        }
        self->depth--;
        return true;
    case CSV_SKIP_VALUE:
        return skip_value(self);
    case CSV_RAISE_ERROR:
        return fail(self, CSV_UNESCAPED_QUOTE);
    }
    return true;
}

static bool quote_or_escape(struct csv_tokenizer *self)
{
    const struct csv_dialect *dialect = self->dialect;
    const unsigned char quote = dialect->quote;

    if (self->ch == dialect->escape && self->prev == dialect->escape_escape &&
        dialect->escape_escape != 0) {
        if (!append(self, dialect->escape)) {
            return false;
        }
        self->ch = 0;
    } else if (self->prev == dialect->escape) {
        if (!append(self, self->ch == quote ? quote : self->prev)) {
            return false;
        }
        self->ch = self->ch == quote ? 0 : self->ch;
    } else if (self->ch == quote && self->prev == quote) {
        return append(self, quote);
    } else if (self->prev == quote) {
        return unescaped_quote_in_value(self);
    }
    return true;
}

static bool value_with_escapes(struct csv_tokenizer *self)
{
    const struct csv_dialect *dialect = self->dialect;

    while (self->ch != self->delimiter && self->ch != dialect->new_line) {
        if (self->ch != dialect->quote && self->ch != dialect->escape) {
            if (self->prev == dialect->quote) {
                return unescaped_quote_in_value(self);
            }
            if (!append(self, self->ch)) {
                return false;
            }
        } else if (!quote_or_escape(self)) {
            return false;
        }
        self->prev = self->ch;
        if (!next(self)) {
            return false;
        }
    }
    return true;
}

/* The first delimiter or line end in the value; SIZE_MAX: none. */
static size_t value_delimiter(const struct csv_tokenizer *self, size_t *size)
{
    const struct arus_text multi = self->dialect->multi;
    const struct arus_buffer *value = &self->value;

    for (size_t i = 0; i < value->size; i++) {
        const unsigned char c = (unsigned char)value->data[i];

        *size = 1;
        if (c == self->dialect->new_line || (multi.size == 0 && c == self->delimiter)) {
            return i;
        }
        if (multi.size > 0 && i + multi.size <= value->size &&
            memcmp(value->data + i, multi.data, multi.size) == 0) {
            *size = multi.size;
            return i;
        }
    }
    return SIZE_MAX;
}

/* BACK_TO_DELIMITER: what was taken for one value becomes as many as it holds delimiters. */
static bool split_value(struct csv_tokenizer *self)
{
    size_t size;
    size_t at;

    while (!self->is_skipping && (at = value_delimiter(self, &size)) != SIZE_MAX) {
        char *copy = NULL;

        if (arus_arena_alloc(self->arena, at + 1, (void **)&copy, self->err) != ARUS_OK) {
            return fail(self, CSV_FAILED);
        }
        memcpy(copy, self->value.data, at);
        if (!emit(self, (struct csv_token){copy, (uint32_t)at})) {
            return false;
        }
        self->value.size -= at + size;
        memmove(self->value.data, self->value.data + at + size, self->value.size);
    }
    return true;
}

enum quoted_step { QUOTED_GO_ON, QUOTED_RESTART, QUOTED_DONE, QUOTED_BLANKS, QUOTED_STOP };

/* A quote inside the value was not its end. */
static enum quoted_step unescaped_quote(struct csv_tokenizer *self)
{
    self->unescaped = true;
    switch (self->dialect->handling) {
    case CSV_BACK_TO_DELIMITER:
        if (!split_value(self) || !append(self, self->ch)) {
            return QUOTED_STOP;
        }
        self->prev = 0;
        return QUOTED_RESTART;
    case CSV_STOP_AT_CLOSING_QUOTE:
    case CSV_STOP_AT_DELIMITER:
        if (!append(self, self->dialect->quote) || !append(self, self->ch)) {
            return QUOTED_STOP;
        }
        self->prev = self->ch;
        return QUOTED_RESTART;
    case CSV_SKIP_VALUE:
        return skip_value(self) ? QUOTED_DONE : QUOTED_STOP;
    case CSV_RAISE_ERROR:
        break;
    }
    (void)fail(self, CSV_UNESCAPED_QUOTE);
    return QUOTED_STOP;
}

/* The delimiter has another form: `*is_end` when ch is (or ends) one. */
static bool at_delimiter(struct csv_tokenizer *self, bool is_multi, bool *is_end)
{
    if (is_multi) {
        return match_delimiter(self, true, is_end);
    }
    *is_end = self->ch == self->delimiter;
    return true;
}

static enum quoted_step quoted_body_step(struct csv_tokenizer *self, bool is_multi)
{
    const struct csv_dialect *dialect = self->dialect;
    bool is_end = false;

    if (self->prev == dialect->quote) {
        if (is_white(self->ch) || self->ch == dialect->new_line) {
            return QUOTED_BLANKS;
        }
        if (!at_delimiter(self, is_multi, &is_end)) {
            return QUOTED_STOP;
        }
        if (is_end) {
            return is_multi ? QUOTED_DONE : QUOTED_BLANKS;
        }
    }
    if (self->ch != dialect->quote && self->ch != dialect->escape) {
        if (self->prev == dialect->quote) {
            return unescaped_quote(self);
        }
        if (self->prev == dialect->escape && dialect->escape != 0 &&
            !append(self, dialect->escape)) {
            return QUOTED_STOP;
        }
        if (!append_until(self, dialect->quote, dialect->escape, dialect->escape_escape)) {
            return QUOTED_STOP;
        }
        self->prev = self->ch;
        return next(self) ? QUOTED_GO_ON : QUOTED_STOP;
    }
    if (!quote_or_escape(self)) {
        return QUOTED_STOP;
    }
    self->prev = self->ch;
    if (!next(self)) {
        return QUOTED_STOP;
    }
    if (self->unescaped) {
        if (self->ch == dialect->new_line) {
            return QUOTED_DONE;
        }
        if (!at_delimiter(self, is_multi, &is_end)) {
            return QUOTED_STOP;
        }
    }
    return is_end ? QUOTED_DONE : QUOTED_GO_ON;
}

/* Text follows the blanks behind a closing quote: the quote was not the end. */
static enum quoted_step text_after_blanks(struct csv_tokenizer *self)
{
    const struct csv_dialect *dialect = self->dialect;
    const bool until_delimiter = dialect->handling != CSV_STOP_AT_CLOSING_QUOTE;

    if (!append(self, dialect->quote) || !append_text(self, arus_buffer_text(&self->blanks))) {
        return QUOTED_STOP;
    }
    if ((until_delimiter || (self->ch != dialect->quote && self->ch != dialect->escape)) &&
        !append(self, self->ch)) {
        return QUOTED_STOP;
    }
    self->prev = self->ch;
    return QUOTED_RESTART;
}

static enum quoted_step blanks_after_quote(struct csv_tokenizer *self, bool is_multi)
{
    const struct csv_dialect *dialect = self->dialect;
    bool is_end = false;

    if (!is_white(self->ch) || self->ch == dialect->new_line ||
        (!is_multi && self->ch == self->delimiter)) {
        return QUOTED_DONE;
    }
    if (is_multi && (!match_delimiter(self, false, &is_end) || is_end)) {
        return is_end ? QUOTED_DONE : QUOTED_STOP;
    }
    arus_buffer_reset(&self->blanks);
    do {
        if (arus_buffer_append_char(&self->blanks, (char)self->ch, self->err) != ARUS_OK) {
            (void)fail(self, CSV_FAILED);
            return QUOTED_STOP;
        }
        if (!next(self)) {
            return QUOTED_STOP;
        }
        if (self->ch == dialect->new_line) {
            return QUOTED_DONE;
        }
        if (is_multi && !match_delimiter(self, false, &is_end)) {
            return QUOTED_STOP;
        }
        is_end = is_end || (!is_multi && self->ch == self->delimiter);
    } while (!is_end && is_white(self->ch));
    if (is_end) {
        return QUOTED_DONE;
    }
    if (dialect->handling == CSV_RAISE_ERROR) {
        (void)fail(self, CSV_UNESCAPED_QUOTE);
        return QUOTED_STOP;
    }
    return text_after_blanks(self);
}

/* The rest of a value whose quote was not the end: up to the delimiter. */
static bool quoted_rest(struct csv_tokenizer *self, bool is_multi)
{
    if (self->dialect->handling == CSV_SKIP_VALUE) {
        return skip_value(self);
    }
    if (!prepend(self, self->dialect->quote) || !next(self)) {
        return false;
    }
    self->trims = self->dialect->trims_end;
    return is_multi ? append_until_multi(self)
                    : append_until(self, self->delimiter, self->dialect->new_line, self->delimiter);
}

static bool quoted_value(struct csv_tokenizer *self, bool is_multi)
{
    const enum csv_quote_handling handling = self->dialect->handling;
    const bool until_delimiter = handling == CSV_STOP_AT_DELIMITER || handling == CSV_SKIP_VALUE ||
                                 handling == CSV_BACK_TO_DELIMITER;

    for (;;) {
        enum quoted_step step = QUOTED_GO_ON;

        if (self->prev != 0 && until_delimiter) {
            return quoted_rest(self, is_multi);
        }
        if (!next(self)) {
            return false;
        }
        while (step == QUOTED_GO_ON) {
            step = quoted_body_step(self, is_multi);
        }
        if (step == QUOTED_BLANKS) {
            step = blanks_after_quote(self, is_multi);
            is_multi =
                is_multi && step != QUOTED_RESTART; /* univocity falls back to the other form */
        }
        if (step != QUOTED_RESTART) {
            return step == QUOTED_DONE;
        }
    }
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
        return emit(self, token) && next(self);
    }
    self->trims = self->dialect->trims_end;
    return append_until(self, self->delimiter, self->dialect->new_line, self->delimiter) &&
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
        return emit(self, token) && after_view(self, has_ended);
    }
    self->trims = false;
    if (!quoted_value(self, false)) {
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
            if (!match_delimiter(self, true, &is_delimiter)) {
                return false;
            }
            if (is_delimiter && (!empty_parsed(self) || !next(self))) {
                return false;
            }
        }
    }
    return save_match(self);
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
        if (!quoted_value(self, true)) {
            return false;
        }
        self->normalizes = true;
        return (self->unescaped && self->dialect->handling == CSV_BACK_TO_DELIMITER &&
                self->value.size == 0) ||
               value_parsed(self);
    }
    if (!append_until_multi(self)) {
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
        if (!is_empty && !match_delimiter(self, true, &is_empty)) {
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
            if (!save_match(self)) {
                return false;
            }
        }
    }
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
    self->ch = 0;
    self->prev = 0;
    self->unescaped = false;
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

enum csv_result csv_tokenize_line(struct csv_tokenizer *self, struct arus_text line,
                                  struct arus_error *err)
{
    self->separator1 = self->dialect->separator1;
    self->separator2 = self->dialect->separator2;
    if (self->dialect->special_count > 0 && !mark_specials(self, &line, err)) {
        return CSV_FAILED;
    }
    return tokenize(self, line, true, err);
}

enum csv_result csv_tokenize_record(struct csv_tokenizer *self, struct arus_text text,
                                    bool is_final, struct arus_error *err)
{
    const char *begin = text.data;
    enum csv_result result;
    size_t taken;
    size_t at = 0;

    if (self->dialect->special_count == 0) {
        return tokenize(self, text, is_final, err);
    }
    if (!mark_specials(self, &text, err)) {
        return CSV_FAILED;
    }
    result = tokenize(self, text, is_final, err);
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

    self->separator1 = self->dialect->separator1;
    self->separator2 = self->dialect->separator2;
    if (!self->dialect->detects_separator) {
        return;
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
