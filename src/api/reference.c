/** The function registry as pages. */
#include "api/reference.h"

#include "expr/function.h"

bool arus_reference_function(struct arus_text name, struct arus_function_page *out)
{
    const struct arus_function *function = arus_function_find(name);

    if (function == NULL) {
        return false;
    }
    *out = (struct arus_function_page){function->name, function->signature, function->help,
                                       function->example, function->result};
    return true;
}

struct arus_text arus_reference_suggest(struct arus_text name)
{
    return arus_function_suggest(name);
}
