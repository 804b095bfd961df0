/** SQL number formats of to_number and to_char: `[MI|S] [$] [0|9|G|,]* [.|D] [0|9]* [PR|MI|S]`. */
#ifndef ARUS_TYPES_NUMBER_FORMAT_H
#define ARUS_TYPES_NUMBER_FORMAT_H

#include "base/arena.h"
#include "base/text.h"
#include "types/decimal.h"

/** Digits between thousands separators. */
struct arus_number_run {
    uint32_t count;
    bool is_exact; /* begins with 0: all digits are there; else at most so many */
};

/** A compiled format. */
struct arus_number_format {
    const struct arus_number_run *runs; /* [run_count] before the point */
    uint32_t run_count;
    uint32_t whole_max;    /* digits of all runs */
    uint32_t fraction_max; /* digits behind the point */
    bool has_point;
    bool has_dollar;
    bool has_brackets; /* PR: <1> is -1 */
    char sign_before;  /* 'S': + or -, 'M': - or nothing, 0: none */
    char sign_after;
};

/**
 * Compiles a format, in any case of letters. Owns: `out` points into the arena.
 * Errors: ARUS_BAD_CONFIG, INVALID_FORMAT.*.
 */
ARUS_MUST_USE enum arus_status arus_number_format_compile(struct arus_text text,
                                                          struct arus_arena *arena,
                                                          struct arus_number_format *out,
                                                          struct arus_error *err);
/** The number in a text, with fraction_max digits behind the point; at most 38 digits in the
 * format. False: the text does not match. */
bool arus_number_format_parse(const struct arus_number_format *format, struct arus_text text,
                              arus_int128 *out);
/** Appends a number; what does not fit becomes ###. */
ARUS_MUST_USE enum arus_status arus_number_format_write(const struct arus_number_format *format,
                                                        struct arus_decimal value,
                                                        struct arus_buffer *out,
                                                        struct arus_error *err);

#endif
