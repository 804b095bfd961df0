/** What source and sink of in-memory tables share. */
#ifndef ARUS_CONNECTORS_MEMORY_MEMORY_INTERNAL_H
#define ARUS_CONNECTORS_MEMORY_MEMORY_INTERNAL_H

#include "connector/memory.h"
#include "memory/memory.h"

/** Refuses options: there are none. */
ARUS_MUST_USE enum arus_status arus_memory_no_options(const struct arus_settings *settings,
                                                      const char *noun, struct arus_arena *arena,
                                                      struct arus_error *err);
/** Refuses to run where no program holds rows. */
ARUS_MUST_USE enum arus_status arus_memory_need(const struct arus_memory *memory,
                                                struct arus_text name, struct arus_error *err);

/* project.c */

/**
 * Rows as columns of another type: fields are found by name without case, those that are missing
 * are null, further ones are left out. Values are shared; the structs lie in the arena.
 * Errors: ARUS_BAD_DATA: a column has another type.
 */
ARUS_MUST_USE enum arus_status arus_memory_project(const struct arus_vector *from,
                                                   const struct arus_type *type,
                                                   struct arus_arena *arena,
                                                   struct arus_vector *out, struct arus_error *err);

#endif
