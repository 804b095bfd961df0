/** Formatting one line and handing it on. */
#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#define LINE_SIZE_MAX 1001

void arus_logger_print(const struct arus_logger *logger, enum arus_log_level level,
                       const char *format, ...)
{
    char line[LINE_SIZE_MAX];
    va_list args;

    if (logger == NULL || logger->write == NULL || level > logger->level_max) {
        return;
    }
    va_start(args, format);
    (void)vsnprintf(line, sizeof line, format, args);
    va_end(args);
    logger->write(logger->self, level, line);
}

const char *arus_log_level_name(enum arus_log_level level)
{
    switch (level) {
    case ARUS_LOG_ERROR:
        return "error";
    case ARUS_LOG_WARN:
        return "warning";
    case ARUS_LOG_NOTICE:
        return "notice";
    case ARUS_LOG_INFO:
        return "info";
    case ARUS_LOG_DEBUG:
        return "debug";
    }
    return "info";
}
