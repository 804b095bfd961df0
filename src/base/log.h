/** Where notices, warnings and debug lines go. A logger is passed down; there is no global one. */
#ifndef ARUS_BASE_LOG_H
#define ARUS_BASE_LOG_H

#include "base/attr.h"

enum arus_log_level {
    ARUS_LOG_ERROR,
    ARUS_LOG_WARN,
    ARUS_LOG_NOTICE,
    ARUS_LOG_INFO,
    ARUS_LOG_DEBUG
};

/** Zeroed, or a NULL pointer to one: silent. `write` may be called from any thread. */
struct arus_logger {
    void (*write)(void *self, enum arus_log_level level, const char *text);
    void *self;
    enum arus_log_level level_max; /* finer lines are dropped unformatted */
};

/** One line, no newline, lower case like an error message; cut at 1,000 bytes. */
void arus_logger_print(const struct arus_logger *logger, enum arus_log_level level,
                       const char *format, ...) ARUS_PRINTF(3, 4);
/** A word: "error", "warning", "notice", "info", "debug". */
const char *arus_log_level_name(enum arus_log_level level);

#endif
