/** Error text: formatting and context. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(struct arus_error *err, enum arus_status status, const char *condition,
                 const char *format, va_list args) ARUS_PRINTF(4, 0);
static void fill(struct arus_error *err, enum arus_status status, const char *condition,
                 const char *format, va_list args)
{
    *err = (struct arus_error){.status = status, .condition = condition};
    (void)vsnprintf(err->message, sizeof err->message, format, args);
}

enum arus_status arus_fail(struct arus_error *err, enum arus_status status, const char *condition,
                           const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fill(err, status, condition, format, args);
    va_end(args);
    return status;
}

enum arus_status arus_fail_at(struct arus_error *err, struct arus_place place,
                              const char *condition, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fill(err, ARUS_BAD_CONFIG, condition, format, args);
    va_end(args);
    err->place = place;
    return ARUS_BAD_CONFIG;
}

enum arus_status arus_fail_memory(struct arus_error *err)
{
    return arus_fail(err, ARUS_NO_MEMORY, NULL, "out of memory");
}

enum arus_status arus_fail_errno(struct arus_error *err, enum arus_status status, int errno_value,
                                 const char *format, ...)
{
    char text[128];
    va_list args;
    size_t used;

    va_start(args, format);
    fill(err, status, NULL, format, args);
    va_end(args);
    if (strerror_r(errno_value, text, sizeof text) != 0) {
        (void)snprintf(text, sizeof text, "error %d", errno_value);
    }
    used = strlen(err->message);
    (void)snprintf(err->message + used, sizeof err->message - used, ": %s", text);
    return status;
}

#define DEFINE_LINE(name)                                                                          \
    enum arus_status arus_error_##name(struct arus_error *err, const char *format, ...)            \
    {                                                                                              \
        va_list args;                                                                              \
                                                                                                   \
        va_start(args, format);                                                                    \
        (void)vsnprintf(err->name, sizeof err->name, format, args);                                \
        va_end(args);                                                                              \
        return err->status;                                                                        \
    }
DEFINE_LINE(label)
DEFINE_LINE(row)
DEFINE_LINE(note)
DEFINE_LINE(help)

enum arus_status arus_error_at(struct arus_error *err, struct arus_place place)
{
    if (err->place.size == 0) {
        err->place = place;
    }
    return err->status;
}

enum arus_status arus_error_wrap(struct arus_error *err, const char *format, ...)
{
    char inner[sizeof err->message];
    va_list args;
    int used;

    memcpy(inner, err->message, sizeof inner);
    va_start(args, format);
    used = vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    if (used >= 0 && (size_t)used < sizeof err->message) {
        (void)snprintf(err->message + used, sizeof err->message - (size_t)used, ": %s", inner);
    }
    return err->status;
}

struct arus_place arus_place_join(struct arus_place a, struct arus_place b)
{
    uint32_t begin;
    uint32_t end;

    if (a.size == 0 || b.size == 0) {
        return a.size == 0 ? b : a;
    }
    begin = a.begin < b.begin ? a.begin : b.begin;
    end = a.begin + a.size > b.begin + b.size ? a.begin + a.size : b.begin + b.size;
    return (struct arus_place){begin, end - begin};
}

const char *arus_status_name(enum arus_status status)
{
    switch (status) {
    case ARUS_OK:
        return "ok";
    case ARUS_RETRY:
        return "retry";
    case ARUS_BAD_DATA:
        return "bad data";
    case ARUS_BAD_CONFIG:
        return "bad config";
    case ARUS_MISMATCH:
        return "mismatch";
    case ARUS_NO_MEMORY:
        return "no memory";
    case ARUS_FATAL:
        return "fatal";
    }
    return "unknown";
}

void arus_assert_failed(const char *text, const char *file, int line)
{
    (void)fprintf(stderr, "arus: %s:%d: internal error: %s does not hold\n", file, line, text);
    abort();
}
