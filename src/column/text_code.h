/** Short bytes for texts that are kept in large numbers: hexadecimal ids and UUIDs take half.
 * Lossless, and one text has one code, so that equal codes are equal texts. */
#ifndef ARUS_COLUMN_TEXT_CODE_H
#define ARUS_COLUMN_TEXT_CODE_H

#include "types/type.h"

/** The first byte of a code: a size below ARUS_TEXT_LONG, or one of these. Part of the format of
 * stored state. */
enum arus_text_form {
    ARUS_TEXT_LONG = 0xf0,      /* 4 bytes of size, bytes */
    ARUS_TEXT_HEX_LOWER = 0xf1, /* 1 byte: bytes that follow, two digits each */
    ARUS_TEXT_HEX_UPPER = 0xf2,
    ARUS_TEXT_UUID_LOWER = 0xf3, /* 16 bytes */
    ARUS_TEXT_UUID_UPPER = 0xf4
};

/** The form of a text; a plain one gives its first byte (its size, or LONG). */
uint8_t arus_text_code_form(struct arus_view text);
/** Bytes of the code. */
size_t arus_text_code_size(uint8_t form, uint32_t text_size);
/** Writes it; returns the end. */
char *arus_text_code_write(uint8_t form, struct arus_view text, char *out);
/** Size of the text behind a code; *end: behind the code. */
uint32_t arus_text_code_length(const char *code, const char **end);
/** Writes the text, arus_text_code_length bytes. */
void arus_text_code_read(const char *code, char *out);

#endif
