/** What the two halves of the exact tokenizer share. False: the input has ended, or failure is set.
 */
#ifndef ARUS_FORMAT_CSV_TOKENIZE_INTERNAL_H
#define ARUS_FORMAT_CSV_TOKENIZE_INTERNAL_H

#include "format/csv_internal.h"

static inline bool fail(struct csv_tokenizer *self, enum csv_result failure)
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

/* csv_tokenize.c */
bool csv_append_text(struct csv_tokenizer *self, struct arus_text text);
/** Adds a value to the record. */
bool csv_emit(struct csv_tokenizer *self, struct csv_token token);
/** Appends up to a stop character, which becomes ch. At the end of the input ch stays what it was.
 */
bool csv_append_until(struct csv_tokenizer *self, unsigned char a, unsigned char b,
                      unsigned char c);

/* csv_quote.c */
/** The rest of a value whose first quote is ch, into the value buffer. */
bool csv_quoted_value(struct csv_tokenizer *self, bool is_multi);
/** `*is_delimiter`: a whole delimiter of several characters was read. `saves`: a part of one is
 * text. */
bool csv_match_delimiter(struct csv_tokenizer *self, bool saves, bool *is_delimiter);
/** What matched of a delimiter so far was text. */
bool csv_save_match(struct csv_tokenizer *self);
bool csv_append_until_multi(struct csv_tokenizer *self);
static inline unsigned char multi_at(const struct csv_tokenizer *self, size_t i)
{
    return (unsigned char)self->dialect->multi.data[i];
}

#endif
