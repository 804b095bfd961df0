/**
 * Input of text formats: file -> decompressed -> UTF-8 -> stretches of whole lines in one reused
 * buffer. No file is mapped; memory stays at 512 KiB (plus padding) unless a single record is
 * longer.
 */
#ifndef ARUS_FORMAT_CHUNK_H
#define ARUS_FORMAT_CHUNK_H

#include "base/error.h"
#include "base/text.h"
#include "format/encoding.h"
#include "format/format.h"
#include "format/lines.h"

#include <stdbool.h>
#include <stdint.h>

/** Most bytes of one record, unless options say otherwise. */
#define ARUS_RECORD_SIZE_MAX ((uint64_t)1 << 30)
/** Bytes that may be read (not used) behind a stretch: SIMD loads need no checks. Their content is
 * undefined. */
#define ARUS_CHUNK_PADDING ((size_t)64)

enum arus_chunk_mode {
    ARUS_CHUNK_LINES,   /* each stretch holds whole lines (the last one may lack its line end) */
    ARUS_CHUNK_BYTES,   /* any bytes; the reader keeps its unfinished record by arus_chunk_keep */
    ARUS_CHUNK_DOCUMENT /* one stretch: the whole file */
};

/** Zeroed: lines that end with \n, \r\n or \r, in UTF-8, passed on as they are. */
struct arus_chunk_options {
    enum arus_chunk_mode mode;
    struct arus_line_rule lines; /* LINES only; the separator in UTF-8 */
    enum arus_encoding encoding;
    bool keeps_mark;          /* a byte order mark stays part of the text */
    bool repairs_utf8;        /* bytes that are no UTF-8 become U+FFFD, as Java's decoder does */
    uint64_t record_size_max; /* 0: ARUS_RECORD_SIZE_MAX; at most 4 GiB - 1 */
    size_t buffer_size;       /* 0: 512 KiB; tests use small ones */
};

/** Bytes of the chunk's buffer; valid until the next call of next, start or close. */
struct arus_stretch {
    char
        *data; /* writable: readers may unescape in place; ARUS_CHUNK_PADDING bytes follow `size` */
    size_t size;  /* below 4 GiB; 0: the input has ended */
    bool is_last; /* nothing follows */
};

/** Opaque. One per reader, reused for many inputs. */
struct arus_chunk;

/** Keeps a copy of `options` (the separator's bytes must outlive the chunk). */
ARUS_MUST_USE enum arus_status arus_chunk_open(const struct arus_chunk_options *options,
                                               struct arus_chunk **out, struct arus_error *err);
/**
 * Opens a file; ends the input before. The suffix decides on decompression (.gz .bz2 .deflate .zst
 * .snappy .lz4). A byte range (begin > 0 or end < size) is only allowed when
 * arus_chunk_is_splittable; the line in which `begin` lies belongs to the split before, unless it
 * starts there. A byte order mark at the start of the file is dropped. Errors:
 * FAILED_READ_FILE.FILE_NOT_EXIST, FAILED_READ_FILE.NO_HINT, with err->file.path.
 */
ARUS_MUST_USE enum arus_status
arus_chunk_start(struct arus_chunk *chunk, const struct arus_input *input, struct arus_error *err);
/**
 * The next stretch; size 0: the end. Ends every pointer into the stretch before.
 * Errors: FAILED_READ_FILE.NO_HINT: the file broke off or cannot be decompressed; a record is
 * longer than allowed.
 */
ARUS_MUST_USE enum arus_status arus_chunk_next(struct arus_chunk *chunk, struct arus_stretch *out,
                                               struct arus_error *err);
/** BYTES mode: the last `size` bytes of the current stretch come again at the start of the next
 * one. */
void arus_chunk_keep(struct arus_chunk *chunk, size_t size);
/**
 * Fills err->file: the path, and the line (counted from 1 by reading the file again: slow, for
 * errors only) on which the byte at `at` of the current stretch lies. Returns err->status, so that
 * it can end a function.
 */
enum arus_status arus_chunk_place(struct arus_chunk *chunk, const char *at, struct arus_error *err);
/** Right after open: line ends are counted while reading, so that arus_chunk_line is cheap. */
void arus_chunk_count_lines(struct arus_chunk *chunk);
/** The line (from 1) on which `at` of the current stretch lies; cheapest for rising places. */
ARUS_MUST_USE enum arus_status arus_chunk_line(struct arus_chunk *chunk, const char *at,
                                               int64_t *out, struct arus_error *err);
/** Of the current input. */
const char *arus_chunk_path(const struct arus_chunk *chunk);
/** Bytes read from files since open. */
uint64_t arus_chunk_byte_count(const struct arus_chunk *chunk);
/** Accepts NULL. */
void arus_chunk_close(struct arus_chunk *chunk);

/** No compression suffix, an encoding in which a byte of \n is always a line end, and LINES mode.
 */
bool arus_chunk_is_splittable(const struct arus_chunk_options *options, const char *path);

#endif
