/** Single values of any type as bytes without pointers: aggregate states, stored rows. */
#ifndef ARUS_COLUMN_PACK_H
#define ARUS_COLUMN_PACK_H

#include "column/builder.h"

/** Bytes of row i: a flag (1: has a value), then the value. */
size_t arus_pack_size(const struct arus_vector *vector, uint32_t i);
/** Writes them; returns the end. */
char *arus_pack_write(const struct arus_vector *vector, uint32_t i, char *out);
/** Appends one packed value to a builder; *at moves behind it. */
ARUS_MUST_USE enum arus_status arus_pack_read(struct arus_builder *builder, const char **at,
                                              struct arus_error *err);
/** Behind the packed value at `at`. */
const char *arus_pack_skip(const struct arus_type *type, const char *at);
/** Spark's order of two packed values, as arus_vector_compare. */
int arus_pack_compare(const struct arus_type *type, const char *a, const char *b);
/** A packed value against row i of a vector (FLAT or CONSTANT) of its type. */
int arus_pack_compare_row(const char *packed, const struct arus_vector *vector, uint32_t i);
/** All NaN in packed bytes become one, zeros lose their sign. Returns the end. */
char *arus_pack_normalise(const struct arus_type *type, char *at);

#endif
