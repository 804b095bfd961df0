/** Shared libraries that are loaded at their first use: what only some pipelines need must not cost
 * every start its time. */
#ifndef ARUS_BASE_LIBRARY_H
#define ARUS_BASE_LIBRARY_H

#include "base/error.h"

#include <stddef.h>

/** A function of the library, and where its address goes. */
struct arus_library_symbol {
    const char *name;
    size_t offset; /* of the function pointer in the table */
};

/** One library; a static object beside its table. */
struct arus_library {
    const char *file;    /* "librdkafka.so.1": the name that is searched for */
    const char *package; /* Debian's package that has it */
    const char *purpose; /* "Kafka": what does not work without it */
    const struct arus_library_symbol *symbols; /* ends with a NULL name */
    void *table;                               /* of function pointers; all NULL before load */
    int is_loaded;                             /* library.c's */
};

/**
 * Loads the library and fills its table, once; any thread. It stays until the process ends.
 *
 * Errors: ARUS_BAD_CONFIG ARUS_LIBRARY_MISSING: not there, or too old: a function is missing.
 */
ARUS_MUST_USE enum arus_status arus_library_load(struct arus_library *library,
                                                 struct arus_error *err);

#endif
