/** UTF-8: validity, code points, display width, case. */
#ifndef ARUS_TYPES_UTF8_H
#define ARUS_TYPES_UTF8_H

#include "base/text.h"

#include <stdint.h>

/** Only bytes below 0x80? */
bool arus_text_is_ascii(struct arus_text text);
/** Well-formed: no overlong forms, no surrogates, at most U+10FFFF. */
bool arus_utf8_is_valid(struct arus_text text);
/** Code points, counted as Spark does: bytes that do not continue one. */
size_t arus_utf8_length(struct arus_text text);
/** Bytes of the code point that begins with this byte, by its first byte alone (1 for bad bytes).
 */
static inline uint32_t arus_utf8_size(unsigned char first)
{
    return first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF8 ? 4 : 1;
}
/** Byte position of code point `index`; text.size when there are not so many. */
size_t arus_utf8_offset(struct arus_text text, size_t index);
/** One step of Java's decoder: a character, or bad bytes that it gives one U+FFFD for. */
struct arus_utf8_step {
    uint8_t size;
    bool is_good;
    bool is_cut; /* more bytes could complete it */
};
struct arus_utf8_step arus_utf8_step(const char *bytes, size_t size);
/** Reads one code point at *at and moves on; U+FFFD for a bad step. *at < text.size. */
uint32_t arus_utf8_next(struct arus_text text, size_t *at);
/** Writes 1..4 bytes, returns how many. */
size_t arus_utf8_write(uint32_t code_point, char *out);
/** Columns on Spark's console: UTF-16 units, East Asian wide ones count 2. */
size_t arus_utf8_width(struct arus_text text);
/** UTF-16 units: what Java's String.length says. */
size_t arus_utf8_units(struct arus_text text);

/* Full Unicode case mapping without locale, appended to `out`. */
ARUS_MUST_USE enum arus_status arus_utf8_upper(struct arus_text text, struct arus_buffer *out,
                                               struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_utf8_lower(struct arus_text text, struct arus_buffer *out,
                                               struct arus_error *err);
/** First letter of each word (split at blanks) in title case, the rest lower. */
ARUS_MUST_USE enum arus_status arus_utf8_initcap(struct arus_text text, struct arus_buffer *out,
                                                 struct arus_error *err);

#endif
