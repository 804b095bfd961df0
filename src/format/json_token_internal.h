/**
 * The exact tokenizer: accepts, refuses and recovers at the very bytes where Jackson does, which
 * Spark's treatment of bad records depends on. Not fast; the fast path is json_fast_internal.h.
 */
#ifndef ARUS_FORMAT_JSON_TOKEN_INTERNAL_H
#define ARUS_FORMAT_JSON_TOKEN_INTERNAL_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum json_token {
    JSON_NONE,  /* the end of the text, or a token lost by an error */
    JSON_ERROR, /* not a token: `problem` says why; the current token stays */
    JSON_NAME,
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_STRING,
    JSON_INTEGER,
    JSON_FLOAT, /* also NaN and the infinities */
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL
};

/** What is allowed beyond plain JSON, and limits. */
struct json_rules {
    bool allows_comments;
    bool allows_unquoted_names;
    bool allows_single_quotes;
    bool allows_leading_zeros;
    bool allows_non_numeric;
    bool allows_any_escape;
    bool allows_control_chars;
    bool reads_bytes; /* Jackson's parser of bytes: a STRING column keeps the source text of other
                         values, a bad word takes the byte behind it along. Else that of
                         characters: from_json, files whose encoding is given */
    uint32_t depth_max;
    uint32_t number_size_max;
    uint32_t string_size_max; /* UTF-16 units */
};

enum json_scope { JSON_IN_ROOT, JSON_IN_ARRAY, JSON_IN_OBJECT };

struct json_context {
    enum json_scope scope;
    bool has_entries;
    bool has_name;
    struct arus_text name;
};

struct json_parser {
    const struct json_rules *rules;
    const char *begin;
    const char *end;
    const char *at;
    struct arus_arena *arena; /* decoded strings and names; kept by the owner */
    enum json_token token;
    enum json_token pending; /* the value whose name is the current token */
    bool is_unfinished;      /* JSON_STRING: the content has not been read */
    const char *token_begin; /* first byte of the current (or pending) value */
    const char *number_end;  /* of the current number or literal */
    struct arus_text text;   /* of a finished string */
    uint32_t unit_count;     /* of that text, in UTF-16 */
    const char *problem;     /* of the last error */
    const char *problem_at;
    bool is_out_of_memory;
    struct json_context *contexts; /* [capacity]; owned */
    uint32_t depth;                /* contexts[depth] is the current one; 0: root */
    uint32_t capacity;
};

/** Begins a text. Keeps the memory of the one before. */
void json_start(struct json_parser *parser, struct arus_text text);
/** Begins at a value of an object: its name counts as the current token. `text` is not empty.
 * False: error. */
bool json_start_value(struct json_parser *parser, struct arus_text text);
void json_parser_release(struct json_parser *parser);
enum json_token json_next(struct json_parser *parser);
/** Skips the children of an object or array that has just begun; else nothing. False: error. */
bool json_skip(struct json_parser *parser);
/** Reads the content of a string token. False: error; the tokenizer stands behind the bad byte. */
bool json_finish_string(struct json_parser *parser);
/** Reads a string token as Base64 (Jackson's MIME-NO-LINEFEEDS). False: error. */
bool json_finish_base64(struct json_parser *parser, struct arus_text *out);
/** The name that belongs to the current token, NULL: none. */
const struct arus_text *json_name(const struct json_parser *parser);
/** The source text of a number token. */
static inline struct arus_text json_number_text(const struct json_parser *parser)
{
    return (struct arus_text){parser->token_begin,
                              (size_t)(parser->number_end - parser->token_begin)};
}

/* ---- pieces shared by json_token.c, json_string.c and json_number.c ---- */

/** Notes the problem at the current place; always false. */
bool json_fail(struct json_parser *parser, const char *problem);
/** A name after its opening quote, or an unquoted one that begins with `c`. */
bool json_read_name(struct json_parser *parser, int c);
bool json_skip_string(struct json_parser *parser);
/** A string in single quotes after the opening one; read at once. */
bool json_read_single_quoted(struct json_parser *parser);
enum json_token json_read_number(struct json_parser *parser, int c);
enum json_token json_read_signed(struct json_parser *parser);
/** After a sign or in place of a value: infinities, else an error. */
enum json_token json_read_infinity(struct json_parser *parser, int c, bool is_negative);
/** Matches the rest of a word whose first `matched` bytes are read. */
bool json_match(struct json_parser *parser, const char *word, size_t matched);
/** Fails after reading what looks like a word, as Jackson does for its message. */
bool json_fail_word(struct json_parser *parser, const char *problem);
/** Decodes a checked raw string (without quotes) into `out` (room: raw.size); returns the size.
 * Lone surrogates become `?`. */
size_t json_unescape(struct arus_text raw, char *out);

#endif
