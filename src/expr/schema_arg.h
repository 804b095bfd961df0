/** Schemas as constant arguments: from_json, from_csv. */
#ifndef ARUS_EXPR_SCHEMA_ARG_H
#define ARUS_EXPR_SCHEMA_ARG_H

#include "expr/function.h"

/** The type that a constant text argument names, as DDL or Spark's JSON. */
ARUS_MUST_USE enum arus_status arus_arg_schema(struct arus_bind *bind, uint32_t i,
                                               const struct arus_type **out,
                                               struct arus_error *err);

#endif
