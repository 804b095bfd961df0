/** What the registries know, for help texts. */
#ifndef ARUS_API_REFERENCE_H
#define ARUS_API_REFERENCE_H

#include "base/text.h"

/** One function. Texts are constants; NULL: not written down. */
struct arus_function_page {
    const char *name;
    const char *signature; /* "date_trunc(unit, ts) -> TIMESTAMP" */
    const char *help;      /* one line */
    const char *example;   /* an SQL expression */
    const char *result;    /* its value as text */
};

/** By name or alias without case; false: none. */
bool arus_reference_function(struct arus_text name, struct arus_function_page *out);
/** The Spark spelling, or the nearest name; empty: nothing near. */
struct arus_text arus_reference_suggest(struct arus_text name);

#endif
