/** What a failed call reports. Not for results: "not found" and "the end" are no errors. */
#ifndef ARUS_BASE_ERROR_H
#define ARUS_BASE_ERROR_H

#include "base/attr.h"

#include <stdint.h>

/** How the caller reacts; the text in struct arus_error says what happened. */
enum arus_status {
    ARUS_OK = 0,
    ARUS_RETRY,      /* the same call may work later */
    ARUS_BAD_DATA,   /* these rows cannot be processed: exit 1 */
    ARUS_BAD_CONFIG, /* SQL or an option is wrong: exit 2 */
    ARUS_MISMATCH,   /* checkpoint or sink does not fit the query, nothing changed: exit 3 */
    ARUS_NO_MEMORY,  /* an allocation or a limit said no: exit 1 */
    ARUS_FATAL       /* stop; restart from the checkpoint: exit 1 */
};

/** A stretch of the SQL text, in bytes. Zeroed: no place. Lines and columns are counted when
 * printed. */
struct arus_place {
    uint32_t begin;
    uint32_t size; /* 0: no place */
};

/** A place in a data or log file. `line` 0: no place. */
struct arus_file_place {
    char path[512];
    uint64_t line;   /* from 1 */
    uint64_t column; /* from 1, in characters; 0: unknown */
};

/** Filled only on failure. Lives in the caller's frame; never NULL. */
struct arus_error {
    enum arus_status status;
    const char *condition;       /* Spark's error condition, a string constant; NULL: none fits */
    struct arus_place place;     /* in the SQL text */
    struct arus_file_place file; /* in a data or log file */
    char message[512];           /* lower case, no full stop; UTF-8, cut if longer */
    char label[160];             /* beside the caret; empty: none */
    char row[400];               /* the input row: "file:line text"; empty: none */
    char note[400];              /* why; empty: none */
    char help[512];              /* what to type; empty: none */
};

/**
 * Fills `err` and returns `status`, so that a failing function ends in one line.
 *
 * `condition` must be a string constant or NULL; it should stand in base/condition.c.
 */
ARUS_MUST_USE enum arus_status arus_fail(struct arus_error *err, enum arus_status status,
                                         const char *condition, const char *format, ...)
    ARUS_PRINTF(4, 5);

/** As arus_fail with ARUS_BAD_CONFIG, at a place of the SQL text. */
ARUS_MUST_USE enum arus_status arus_fail_at(struct arus_error *err, struct arus_place place,
                                            const char *condition, const char *format, ...)
    ARUS_PRINTF(4, 5);

/** As arus_fail with ARUS_NO_MEMORY: "out of memory". */
ARUS_MUST_USE enum arus_status arus_fail_memory(struct arus_error *err);

/** Fails with the text of `errno_value`: "PATH: No such file or directory" and the like. */
ARUS_MUST_USE enum arus_status arus_fail_errno(struct arus_error *err, enum arus_status status,
                                               int errno_value, const char *format, ...)
    ARUS_PRINTF(4, 5);

/** Set the further lines of a filled error. Return err->status, so that they can end a function. */
enum arus_status arus_error_label(struct arus_error *err, const char *format, ...)
    ARUS_PRINTF(2, 3);
enum arus_status arus_error_row(struct arus_error *err, const char *format, ...) ARUS_PRINTF(2, 3);
enum arus_status arus_error_note(struct arus_error *err, const char *format, ...) ARUS_PRINTF(2, 3);
enum arus_status arus_error_help(struct arus_error *err, const char *format, ...) ARUS_PRINTF(2, 3);

/** Sets the place if the error has none yet. Returns err->status. */
enum arus_status arus_error_at(struct arus_error *err, struct arus_place place);

/** Puts "context: " in front of the message. Returns err->status. */
ARUS_MUST_USE enum arus_status arus_error_wrap(struct arus_error *err, const char *format, ...)
    ARUS_PRINTF(2, 3);

/** The smallest place that covers both; an empty one counts for nothing. */
struct arus_place arus_place_join(struct arus_place a, struct arus_place b);

/** A word for logs: "retry", "bad data", ... Never NULL. */
const char *arus_status_name(enum arus_status status);

/** For calls whose failure loses nothing; say why at the call. */
static inline void arus_status_ignore(enum arus_status status)
{
    (void)status;
}

/** Leaves at once with a callee's failure. Only while this function holds nothing. */
#define ARUS_TRY(call)                                                                             \
    do {                                                                                           \
        const enum arus_status try_status_ = (call);                                               \
        if (try_status_ != ARUS_OK) {                                                              \
            return try_status_;                                                                    \
        }                                                                                          \
    } while (0)

/** For the one failure of two that does not count: the first is reported already. */
static inline void arus_ignore(enum arus_status status)
{
    (void)status;
}

/** Our own mistakes; on in release too. Prints the place and aborts. */
#define ARUS_ASSERT(condition_)                                                                    \
    ((condition_) ? (void)0 : arus_assert_failed(#condition_, __FILE__, __LINE__))
_Noreturn void arus_assert_failed(const char *text, const char *file, int line);

#endif
