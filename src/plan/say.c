#include "plan/say.h"

#include <stdarg.h>
#include <stdio.h>

void arus_say(struct arus_error *err, struct arus_place place, const char *condition,
              const char *format, ...)
{
    char text[sizeof(err->message)];
    enum arus_status status;
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    status = arus_fail_at(err, place, condition, "%s", text);
    ARUS_ASSERT(status == ARUS_BAD_CONFIG);
}

struct arus_type_label arus_type_label(const struct arus_type *type)
{
    struct arus_type_label name = {"?"};
    struct arus_buffer buffer = {0};
    struct arus_error ignored;

    if (arus_type_sql(type, &buffer, &ignored) == ARUS_OK) {
        (void)snprintf(name.text, sizeof(name.text), "%.*s",
                       ARUS_TEXT_ARGS(arus_buffer_text(&buffer)));
    }
    arus_buffer_release(&buffer);
    return name;
}
