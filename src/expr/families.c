#include "expr/families.h"

const struct arus_function *const ARUS_FUNCTION_FAMILIES[] = {
    ARUS_OPERATORS, ARUS_COMPARISONS, ARUS_CONDITIONALS, ARUS_ACCESSORS, ARUS_CASTS, NULL,
};
