/** Quoted values, and delimiters of several characters: the intricate half of the exact tokenizer.
 */
#include "format/csv_tokenize_internal.h"

#define DEPTH_MAX 1000

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

/* ---- delimiters of several characters ---- */

bool csv_save_match(struct csv_tokenizer *self)
{
    const struct arus_text multi = self->dialect->multi;
    bool is_good = true;

    if (self->match > 0 && self->match < multi.size) {
        is_good = csv_append_text(self, (struct arus_text){multi.data, self->match});
    }
    self->match = 0;
    return is_good;
}

/* `*is_delimiter`: a whole one was read. `saves`: a part of one is text. */
bool csv_match_delimiter(struct csv_tokenizer *self, bool saves, bool *is_delimiter)
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
    return !saves || csv_save_match(self);
}

bool csv_append_until_multi(struct csv_tokenizer *self)
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
                if (!csv_save_match(self)) {
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
    return csv_save_match(self);
}

/* ---- values in quotes ---- */

static bool skip_value(struct csv_tokenizer *self)
{
    const size_t size = self->dialect->multi.size;

    arus_buffer_reset(&self->value);
    self->is_skipping = true;
    if (size == 0) {
        return csv_append_until(self, self->delimiter, self->dialect->new_line, self->delimiter);
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
        if (!csv_emit(self, (struct csv_token){copy, (uint32_t)at})) {
            return false;
        }
        self->value.size -= at + size;
        memmove(self->value.data, self->value.data + at + size, self->value.size);
    }
    return true;
}

/* Appends the character that begins with ch, all its bytes. */
static bool append_character(struct csv_tokenizer *self)
{
    const unsigned char first = self->ch;

    if (!append(self, first)) {
        return false;
    }
    while (first >= 0xC0 && first < CSV_SPECIAL_BYTE(0) && self->at < self->end &&
           (*self->at & 0xC0) == 0x80) {
        if (!append(self, *self->at++)) {
            return false;
        }
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
        if (!split_value(self) || !append_character(self)) {
            return QUOTED_STOP;
        }
        self->prev = 0;
        return QUOTED_RESTART;
    case CSV_STOP_AT_CLOSING_QUOTE:
    case CSV_STOP_AT_DELIMITER:
        if (!append(self, self->dialect->quote) || !append_character(self)) {
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
        return csv_match_delimiter(self, true, is_end);
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
        if (!csv_append_until(self, dialect->quote, dialect->escape, dialect->escape_escape)) {
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

    if (!append(self, dialect->quote) || !csv_append_text(self, arus_buffer_text(&self->blanks))) {
        return QUOTED_STOP;
    }
    if ((until_delimiter || (self->ch != dialect->quote && self->ch != dialect->escape)) &&
        !append_character(self)) {
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
    if (is_multi && (!csv_match_delimiter(self, false, &is_end) || is_end)) {
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
        if (is_multi && !csv_match_delimiter(self, false, &is_end)) {
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
    return is_multi
               ? csv_append_until_multi(self)
               : csv_append_until(self, self->delimiter, self->dialect->new_line, self->delimiter);
}

bool csv_quoted_value(struct csv_tokenizer *self, bool is_multi)
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
