/** Numbers as people read them. All write at most `size` bytes with a NUL and return `out`. */
#ifndef ARUS_CLI_HUMAN_H
#define ARUS_CLI_HUMAN_H

#include "base/text.h"

#include <stdint.h>

#define ARUS_HUMAN_SIZE 32

/** 1,234,567 */
const char *arus_human_count(uint64_t count, char out[ARUS_HUMAN_SIZE]);
/** Three digits and a unit: 999, 1.21 k, 84 k, 12.4 M, 310 M, 1.07 G */
const char *arus_human_short(double number, char out[ARUS_HUMAN_SIZE]);
/** 512 B, 1 KiB, 41 MiB, 1.07 GiB */
const char *arus_human_bytes(uint64_t bytes, char out[ARUS_HUMAN_SIZE]);
/** 18 ms, 0.9 s, 12 s, 2 min, 3 h, 5 d */
const char *arus_human_duration(int64_t ms, char out[ARUS_HUMAN_SIZE]);
/** 2026-03-02 09:39:58.5, UTC; `none` before 1970-01-01 00:00:00.001. */
const char *arus_human_time(int64_t ms, char out[ARUS_HUMAN_SIZE]);
/** "1 file", "2 files"; the count with commas. */
const char *arus_human_noun(uint64_t count, const char *noun, char out[ARUS_HUMAN_SIZE * 2]);

/** A path below the current folder, without that folder; others as they are. A part of `path`. */
struct arus_text arus_human_path(struct arus_text path);

/** Appends text with control characters as \n, \t, \x1B and bytes that are no UTF-8 as \xFF. */
ARUS_MUST_USE enum arus_status arus_human_escape(struct arus_text text, struct arus_buffer *out,
                                                 struct arus_error *err);

#endif
