/**
 * The quick tokenizer: records whose quotes do nothing surprising. It says no to everything else,
 * and its tokens are those of the exact one.
 */
#include "base/attr.h"
#include "format/csv_scan_internal.h"

#define ONES  0x0101010101010101ULL
#define HIGHS 0x8080808080808080ULL

/* Where the search goes on; the record and its dialect in short. */
struct quick {
    const char *at;
    const char *end;
    bool is_final;
    bool has_ended; /* at a line end, which `at` is behind */
};

ARUS_INLINE uint64_t zero_bytes(uint64_t word)
{
    return (word - ONES) & ~word & HIGHS;
}

/* The first of three bytes from `at` on; `end`: none. May look 8 bytes behind the end. */
ARUS_INLINE const char *find_any(const char *at, const char *end, char a, char b, char c)
{
    while (at < end) {
        uint64_t word;
        uint64_t hit;

        memcpy(&word, at, sizeof word);
        hit = zero_bytes(word ^ ONES * (unsigned char)a) |
              zero_bytes(word ^ ONES * (unsigned char)b) |
              zero_bytes(word ^ ONES * (unsigned char)c);
        if (hit != 0) {
            at += __builtin_ctzll(hit) / 8;
            return at < end ? at : end;
        }
        at += 8;
    }
    return end;
}

/* Bytes of the line end at `at`; 0: none stands there. */
static size_t separator_size(const struct csv_tokenizer *tokenizer, const char *at, const char *end)
{
    if (at == end || (unsigned char)*at != tokenizer->separator1) {
        return 0;
    }
    if (tokenizer->separator2 == 0) {
        return 1;
    }
    return at + 1 < end && (unsigned char)at[1] == tokenizer->separator2 ? 2 : 0;
}

static bool take_quoted(const struct csv_tokenizer *tokenizer, struct quick *quick,
                        struct csv_token *out)
{
    const struct csv_dialect *dialect = tokenizer->dialect;
    const char *begin = quick->at + 1;
    const char *last = find_any(begin, quick->end, (char)dialect->quote, (char)dialect->escape,
                                (char)dialect->quote);
    const bool is_odd_line_end = tokenizer->separator1 == '\r'; /* becomes \n inside quotes */

    if (last == quick->end || *last != (char)dialect->quote) {
        return false;
    }
    if (last + 1 == quick->end ? !quick->is_final
                               : last[1] != (char)dialect->delimiter &&
                                     separator_size(tokenizer, last + 1, quick->end) == 0) {
        return false;
    }
    *out = (struct csv_token){begin, (uint32_t)(last - begin)};
    if ((is_odd_line_end && memchr(begin, '\r', out->size) != NULL) ||
        (dialect->escape_escape == 0 && memchr(begin, 0, out->size) != NULL)) {
        return false;
    }
    if (out->size == 0) {
        *out =
            (struct csv_token){dialect->empty_value.data == NULL ? "" : dialect->empty_value.data,
                               (uint32_t)dialect->empty_value.size};
    }
    quick->at = last + 1;
    return true;
}

static bool take_plain(const struct csv_tokenizer *tokenizer, struct quick *quick,
                       struct csv_token *out)
{
    const struct csv_dialect *dialect = tokenizer->dialect;
    const char *begin = quick->at;

    quick->at =
        find_any(begin, quick->end, (char)dialect->delimiter, (char)tokenizer->separator1, '\n');
    if (quick->at == quick->end) {
        if (!quick->is_final) {
            return false;
        }
    } else if (*quick->at != (char)dialect->delimiter &&
               separator_size(tokenizer, quick->at, quick->end) == 0) {
        return false; /* half a line end */
    }
    *out = (struct csv_token){begin, (uint32_t)(quick->at - begin)};
    if (out->size == 0) {
        *out = (struct csv_token){dialect->null_value.data == NULL ? "" : dialect->null_value.data,
                                  (uint32_t)dialect->null_value.size};
    }
    return true;
}

/* Behind a value: a delimiter, a line end or the end. */
static bool go_on(const struct csv_tokenizer *tokenizer, struct quick *quick)
{
    if (quick->at == quick->end) {
        quick->has_ended = true;
        return quick->is_final;
    }
    if (*quick->at == (char)tokenizer->dialect->delimiter) {
        quick->at++;
        return true;
    }
    quick->has_ended = true;
    quick->at += separator_size(tokenizer, quick->at, quick->end);
    return true;
}

bool csv_tokenize_quickly(struct csv_tokenizer *tokenizer, struct arus_text text, bool is_final)
{
    const struct csv_dialect *dialect = tokenizer->dialect;
    struct quick quick = {text.data, text.data + text.size, is_final, false};
    size_t count = 0;

    if (!dialect->is_simple || text.size == 0 || tokenizer->token_capacity == 0 ||
        (dialect->new_line == 0 && memchr(text.data, 0, text.size) != NULL) ||
        (dialect->has_comment && text.data[0] == (char)dialect->comment) ||
        separator_size(tokenizer, quick.at, quick.end) > 0 || text.data[0] == '\n') {
        return false;
    }
    while (!quick.has_ended) {
        struct csv_token *token = &tokenizer->tokens[count];
        const bool is_quoted = quick.at < quick.end && *quick.at == (char)dialect->quote;

        if (count == dialect->column_max || count == tokenizer->token_capacity ||
            !(is_quoted ? take_quoted(tokenizer, &quick, token)
                        : take_plain(tokenizer, &quick, token)) ||
            !go_on(tokenizer, &quick)) {
            return false;
        }
        count++;
    }
    tokenizer->token_count = count;
    tokenizer->record_begin = text.data;
    tokenizer->record_end = quick.at;
    return true;
}
