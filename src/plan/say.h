/** Errors that get further lines: label, help, note. */
#ifndef ARUS_PLAN_SAY_H
#define ARUS_PLAN_SAY_H

#include "types/type.h"

/** Fills `err` with ARUS_BAD_CONFIG at a place; the caller adds lines and returns err->status. */
void arus_say(struct arus_error *err, struct arus_place place, const char *condition,
              const char *format, ...) ARUS_PRINTF(4, 5);

/** A type for messages: `DECIMAL(10,2)`, cut when very long. */
struct arus_type_label {
    char text[96];
};
struct arus_type_label arus_type_label(const struct arus_type *type);

#endif
