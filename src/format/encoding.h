/** Character encodings of text files: names, detection, and both ways between them and UTF-8. */
#ifndef ARUS_FORMAT_ENCODING_H
#define ARUS_FORMAT_ENCODING_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** X(NAME, spark_name). The order is Spark's for its error text; AUTO comes last and has no name.
 */
#define ARUS_ENCODINGS(X)                                                                          \
    X(UTF_8, "UTF-8")                                                                              \
    X(ISO_8859_1, "ISO-8859-1")                                                                    \
    X(US_ASCII, "US-ASCII")                                                                        \
    X(UTF_16, "UTF-16") /* byte order mark, else big endian; written with a mark */                \
    X(UTF_16BE, "UTF-16BE")                                                                        \
    X(UTF_16LE, "UTF-16LE")                                                                        \
    X(UTF_32, "UTF-32")                                                                            \
    X(UTF_32BE, "UTF-32BE")                                                                        \
    X(UTF_32LE, "UTF-32LE")

enum arus_encoding {
#define X(name, spark_name) ARUS_ENCODING_##name,
    ARUS_ENCODINGS(X)
#undef X
        ARUS_ENCODING_AUTO /* by byte order mark or zero bytes, else UTF-8 (json) */
};

/** Without case. False: unknown. */
bool arus_encoding_find(struct arus_text name, enum arus_encoding *out);
const char *arus_encoding_name(enum arus_encoding encoding);
/** Is every byte below 128 itself, wherever it stands (UTF-8, ISO-8859-1, US-ASCII)? */
bool arus_encoding_is_ascii_based(enum arus_encoding encoding);

/** Looks at the first bytes of a file (4 or more unless it is shorter). `mark_size`: bytes of the
 * byte order mark. Settles AUTO, UTF_16 and UTF_32; a mark of another encoding than asked for is
 * none. */
enum arus_encoding arus_encoding_detect(enum arus_encoding asked, const void *data, size_t size,
                                        size_t *mark_size);

/** Bytes that `size` bytes may need at most in UTF-8. */
size_t arus_encoding_bound(enum arus_encoding encoding, size_t size);
/**
 * Turns bytes into UTF-8 at `out` (room: arus_encoding_bound); returns the bytes written. `used`:
 * bytes taken; fewer than `size` only when a character is cut off and `is_last` is false. Bad bytes
 * become U+FFFD, as in Java. `encoding`: not AUTO, UTF_16 or UTF_32 (see detect). For UTF_8:
 * repairs.
 */
size_t arus_encoding_decode(enum arus_encoding encoding, const char *data, size_t size,
                            bool is_last, char *out, size_t *used);
/** Appends UTF-8 text in another encoding; what it cannot say becomes `?`. No byte order mark is
 * written. */
ARUS_MUST_USE enum arus_status arus_encoding_encode(enum arus_encoding encoding,
                                                    struct arus_text text, struct arus_buffer *out,
                                                    struct arus_error *err);

#endif
