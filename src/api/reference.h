/** What the registries know, for help texts. */
#ifndef ARUS_API_REFERENCE_H
#define ARUS_API_REFERENCE_H

#include "base/option.h"
#include "base/text.h"

/** One function. Texts are constants; NULL: not written down. */
struct arus_function_page {
    const char *name;
    const char *signature; /* "date_trunc(unit, ts) -> TIMESTAMP" */
    const char *help;      /* one line */
    const char *example;   /* an SQL expression */
    const char *result;    /* its value as text */
    const char *aliases;   /* separated by blanks; NULL: none */
};

/** One key of SET. */
struct arus_setting_page {
    const char *key;
    const char *default_text; /* NULL: the machine's time zone */
    const char *help;
};

/** By name or alias without case; false: none. */
bool arus_reference_function(struct arus_text name, struct arus_function_page *out);
/** The Spark spelling, or the nearest name; empty: nothing near. */
struct arus_text arus_reference_suggest(struct arus_text name);

/** All functions and operators, sorted by name, in the arena. */
ARUS_MUST_USE enum arus_status arus_reference_functions(struct arus_arena *arena,
                                                        const struct arus_function_page **out,
                                                        size_t *count, struct arus_error *err);
/** The index-th word that means something to the parser; false: beyond the last. */
bool arus_reference_keyword(size_t index, struct arus_text *out);
/** TBLPROPERTIES of every streaming table, whatever its sink; ends with a row without a name. */
const struct arus_option *arus_reference_properties(void);
/** The index-th key of SET; false: beyond the last. */
bool arus_reference_setting(size_t index, struct arus_setting_page *out);

#endif
