/** Options as tables: parsing, checks, defaults, "did you mean" and docs come from one row each. */
#ifndef ARUS_BASE_OPTION_H
#define ARUS_BASE_OPTION_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stddef.h>
#include <stdint.h>

enum arus_option_kind {
    ARUS_OPTION_TEXT,     /* struct arus_text; absent without default: data == NULL */
    ARUS_OPTION_INT64,    /* int64_t */
    ARUS_OPTION_BOOL,     /* bool; true/false, any case */
    ARUS_OPTION_CHAR,     /* struct arus_text of at most one character; '' = off */
    ARUS_OPTION_CHOICE,   /* int: index in `choices`, without case */
    ARUS_OPTION_SIZE,     /* int64_t bytes: 512, 64k, 10m, 2g */
    ARUS_OPTION_DURATION, /* int64_t milliseconds: plain = ms; 10s, 5 minutes, 7d, '1 hour 30
                             minutes' */
    ARUS_OPTION_IGNORED   /* known to Spark, accepted, without effect here; not stored */
};

/** One row; a table ends with a zeroed row. Names compare without case. */
struct arus_option {
    const char *name;
    enum arus_option_kind kind;
    size_t offset; /* in the settings struct */
    const char
        *default_text; /* parsed like a value; NULL: required for INT64, BOOL, ...: stays zeroed */
    const char *help;  /* one line */
    const char *const *choices; /* CHOICE: NULL-terminated */
    int64_t minimum;   /* INT64, SIZE, DURATION: smallest allowed when minimum != INT64_MIN */
    const char *alias; /* second name (`delimiter` for `sep`), or NULL */
};

/** A key and value as the user wrote them. */
struct arus_setting {
    struct arus_text key;
    struct arus_text value;
    struct arus_place key_place;
    struct arus_place value_place;
};

struct arus_settings {
    const struct arus_setting *items;
    size_t count;
};

/** The last setting of this name (without case), or NULL. */
const struct arus_setting *arus_settings_find(const struct arus_settings *settings,
                                              const char *name);

/**
 * Fills `out` (zeroed, as large as the tables say) from defaults and settings. `tables` is a
 * NULL-terminated list of tables that share one settings struct (source options, then format
 * options).
 *
 * Owns: texts live in the arena. Errors: ARUS_UNKNOWN_OPTION with the nearest name (`noun` = "a
 * json source"), bad values, at their places.
 */
ARUS_MUST_USE enum arus_status arus_options_parse(const struct arus_option *const *tables,
                                                  const struct arus_settings *settings,
                                                  const char *noun, struct arus_arena *arena,
                                                  void *out, struct arus_error *err);
/** Checks names only: is `key` a row of one of the tables? */
const struct arus_option *arus_options_find(const struct arus_option *const *tables,
                                            struct arus_text key);

#endif
