/** Numbers <-> text: Java's spelling out, the syntaxes of CAST and of the readers in. Nothing
 * allocates. */
#ifndef ARUS_TYPES_NUMBER_TEXT_H
#define ARUS_TYPES_NUMBER_TEXT_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes that the writers below may need; none puts a NUL. All return the size written. */
#define ARUS_INT64_TEXT_MAX  20
#define ARUS_DOUBLE_TEXT_MAX 26
#define ARUS_FLOAT_TEXT_MAX  16

size_t arus_int64_write(int64_t value, char *out);
size_t arus_uint64_write(uint64_t value, char *out);
/** The shortest digits that read back, as Java lays them out: `1.0`, `1.0E10`, `NaN`, `-0.0`,
 * `4.9E-324`. */
size_t arus_double_write(double value, char *out);
size_t arus_float_write(float value, char *out);

/** A positive number as digits * 10^exponent; no trailing zero in digits (but 0 is {0, 0}). */
struct arus_digits {
    uint64_t digits;
    int32_t exponent;
};
/** The shortest digits that read back, the nearest of those; `value` is finite and not negative. */
struct arus_digits arus_double_digits(double value);
struct arus_digits arus_float_digits(float value);

/** Without the bytes <= 0x20 and 0x7F at both ends: what CAST does first with every text. */
struct arus_text arus_text_trim(struct arus_text text);

/**
 * `[+-]?digits`, nothing else, no trimming (CSV cells, JSON tokens; CAST after arus_text_trim).
 * False: bad text or out of range.
 */
bool arus_int8_parse(struct arus_text text, int8_t *out);
bool arus_int16_parse(struct arus_text text, int16_t *out);
bool arus_int32_parse(struct arus_text text, int32_t *out);
bool arus_int64_parse(struct arus_text text, int64_t *out);
/** As arus_int64_parse, but a fraction `.ddd` is allowed and dropped: CAST with ANSI off. */
bool arus_int64_parse_lenient(struct arus_text text, int64_t *out);

/**
 * Decimal or scientific: `[+-]?(d+[.d*]|.d+)([eE][+-]?d+)?`, nothing else; correctly rounded,
 * overflow gives infinity. For JSON numbers (whose stricter grammar the tokenizer checks) and for
 * option values.
 */
bool arus_double_parse(struct arus_text text, double *out);
bool arus_float_parse(struct arus_text text, float *out);
/** What Java's parseDouble takes: trimmed (<= 0x20), also suffix d D f F, `NaN`, `[+-]Infinity`,
 * hexadecimal `0x1p3`. CSV cells are this plus their nanValue, positiveInf, negativeInf options. */
bool arus_double_parse_java(struct arus_text text, double *out);
bool arus_float_parse_java(struct arus_text text, float *out);
/** CAST from STRING: as Java, and `[+-]inf`, `[+-]infinity`, `nan` in any case. */
bool arus_double_parse_cast(struct arus_text text, double *out);
bool arus_float_parse_cast(struct arus_text text, float *out);

/** digits * 10^exponent, correctly rounded; for tokenizers that have collected the digits already.
 * `text` is the whole number and is read only when the digits do not decide. */
double arus_double_make(uint64_t digits, int32_t exponent, bool is_negative, struct arus_text text);

/** CAST to BOOLEAN: `t true y yes 1` / `f false n no 0`, any case, trimmed. */
bool arus_boolean_parse_cast(struct arus_text text, bool *out);

#endif
