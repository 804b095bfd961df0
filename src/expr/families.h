/** The families of the registry, one file each. */
#ifndef ARUS_EXPR_FAMILIES_H
#define ARUS_EXPR_FAMILIES_H

#include "expr/function.h"

extern const struct arus_function ARUS_OPERATORS[], ARUS_COMPARISONS[], ARUS_CONDITIONALS[],
    ARUS_ACCESSORS[], ARUS_CASTS[];

#endif
