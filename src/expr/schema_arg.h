/** Schemas and options as constant arguments: from_json, from_csv. */
#ifndef ARUS_EXPR_SCHEMA_ARG_H
#define ARUS_EXPR_SCHEMA_ARG_H

#include "base/option.h"
#include "expr/function.h"

/** The type that a constant text argument names, as DDL or Spark's JSON. */
ARUS_MUST_USE enum arus_status arus_arg_schema(struct arus_bind *bind, uint32_t i,
                                               const struct arus_type **out,
                                               struct arus_error *err);
/**
 * Settings of `size` bytes by a table, from the constant MAP that argument `i` is, or the defaults
 * when there is none; unknown options are let go, as Spark does. Errors: INVALID_OPTIONS.*.
 */
ARUS_MUST_USE enum arus_status arus_arg_options(struct arus_bind *bind, uint32_t i,
                                                const struct arus_option *table, size_t size,
                                                void **out, struct arus_error *err);
/** Is option `mode` of the MAP argument `i` this one? */
bool arus_arg_mode_is(const struct arus_bind *bind, uint32_t i, const char *wanted,
                      struct arus_error *err);

#endif
