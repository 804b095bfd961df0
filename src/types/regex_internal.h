/** From Java's regular expression syntax to PCRE2's. */
#ifndef ARUS_TYPES_REGEX_INTERNAL_H
#define ARUS_TYPES_REGEX_INTERNAL_H

#include "types/regex.h"

/** Java's inline flags that change what is written. */
enum arus_regex_flag {
    ARUS_REGEX_DOTALL = 1,
    ARUS_REGEX_MULTILINE = 2,
    ARUS_REGEX_COMMENTS = 4,
    ARUS_REGEX_UNIX_LINES = 8,
    ARUS_REGEX_CASELESS = 16,
    ARUS_REGEX_UNICODE_CASE = 32
};

#define ARUS_REGEX_DEPTH_MAX 200

/** Reads `text` from `at`, appends to `out`. */
struct arus_regex_reader {
    struct arus_text text;
    size_t at;
    struct arus_buffer *out;
    struct arus_error *err;
    uint32_t group_count;
    uint32_t depth;
    uint32_t flags;
    bool is_unicode;                      /* (?U) was met */
    uint32_t stack[ARUS_REGEX_DEPTH_MAX]; /* flags outside of the open groups */
};

/** The whole pattern. *is_unicode: classes such as \w mean all of Unicode.
 * Errors: ARUS_BAD_DATA, INVALID_PARAMETER_VALUE.PATTERN. */
ARUS_MUST_USE enum arus_status arus_regex_translate(struct arus_text pattern,
                                                    struct arus_buffer *out, bool *is_unicode,
                                                    struct arus_error *err);
/** At the `[` of a class; writes one PCRE2 item that matches the same characters. */
ARUS_MUST_USE enum arus_status arus_regex_class(struct arus_regex_reader *reader);

/** The item at the reader, translated: one character, class, group opening or closing, ... */
ARUS_MUST_USE enum arus_status arus_regex_item(struct arus_regex_reader *reader);
/** At a look-behind that begins with `open`, `(?<=` or `(?<!`: all of it. */
ARUS_MUST_USE enum arus_status arus_regex_behind(struct arus_regex_reader *reader,
                                                 const char *open);

/** What an escape that names characters stands for. */
struct arus_regex_set {
    const char *body; /* to stand in [ ] or, when is_item, alone */
    bool is_negated;  /* the characters outside */
};
/** Behind `\p` or `\P`: reads the property. *body: PCRE2 class text, in `name` when it had to be
 * built. */
#define ARUS_REGEX_NAME_MAX 80
ARUS_MUST_USE enum arus_status arus_regex_property(struct arus_regex_reader *reader,
                                                   char name[ARUS_REGEX_NAME_MAX],
                                                   struct arus_regex_set *out);
/** Behind the backslash: an escape that stands for one character, as \n, \u0041, \x{1F600}, \.,
 * \0101. *is_one false: it does not, nothing was read. */
ARUS_MUST_USE enum arus_status arus_regex_escape(struct arus_regex_reader *reader, bool *is_one,
                                                 uint32_t *code_point);
/** Appends one code point so that it stands for itself, in or outside of a class. */
ARUS_MUST_USE enum arus_status arus_regex_literal(struct arus_regex_reader *reader,
                                                  uint32_t code_point);
ARUS_MUST_USE enum arus_status arus_regex_fail(struct arus_regex_reader *reader, const char *what);

static inline bool arus_regex_is_end(const struct arus_regex_reader *reader)
{
    return reader->at >= reader->text.size;
}
/** The byte `ahead` bytes on; '\0' at the end. */
static inline char arus_regex_peek(const struct arus_regex_reader *reader, size_t ahead)
{
    return reader->at + ahead < reader->text.size ? reader->text.data[reader->at + ahead] : '\0';
}

#endif
