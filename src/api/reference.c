/** The registries as pages. */
#include "api/reference.h"

#include "expr/function.h"
#include "plan/properties.h"
#include "plan/settings.h"
#include "sql/word.h"

#include <stdlib.h>

static struct arus_function_page page_of(const struct arus_function *function)
{
    return (struct arus_function_page){function->name,    function->signature, function->help,
                                       function->example, function->result,    function->aliases};
}

bool arus_reference_function(struct arus_text name, struct arus_function_page *out)
{
    const struct arus_function *function = arus_function_find(name);

    if (function == NULL || function->help == NULL) {
        return false;
    }
    *out = page_of(function);
    return true;
}

struct arus_text arus_reference_suggest(struct arus_text name)
{
    return arus_function_suggest(name);
}

static int compare_names(const void *a, const void *b)
{
    const struct arus_function_page *left = a;
    const struct arus_function_page *right = b;

    return strcmp(left->name, right->name);
}

static size_t count_functions(void)
{
    size_t count = 0;

    for (size_t f = 0; ARUS_FUNCTION_FAMILIES[f] != NULL; f++) {
        for (const struct arus_function *row = ARUS_FUNCTION_FAMILIES[f]; row->name != NULL;
             row++) {
            count++;
        }
    }
    return count;
}

enum arus_status arus_reference_functions(struct arus_arena *arena,
                                          const struct arus_function_page **out, size_t *count,
                                          struct arus_error *err)
{
    struct arus_function_page *pages;

    *count = 0;
    ARUS_TRY(ARUS_NEW(arena, struct arus_function_page, count_functions() + 1, &pages, err));
    for (size_t f = 0; ARUS_FUNCTION_FAMILIES[f] != NULL; f++) {
        for (const struct arus_function *row = ARUS_FUNCTION_FAMILIES[f]; row->name != NULL;
             row++) {
            if (row->help != NULL) { /* else it is only a part of others */
                pages[(*count)++] = page_of(row);
            }
        }
    }
    qsort(pages, *count, sizeof *pages, compare_names);
    *out = pages;
    return ARUS_OK;
}

bool arus_reference_keyword(size_t index, struct arus_text *out)
{
    const bool is_word = index + 1 < ARUS_WORD_COUNT;

    *out = is_word ? arus_word_text((enum arus_word)(index + 1)) : (struct arus_text){0};
    return is_word;
}

const struct arus_option *arus_reference_properties(void)
{
    return ARUS_STREAM_PROPERTIES;
}

bool arus_reference_setting(size_t index, struct arus_setting_page *out)
{
    for (size_t i = 0; i <= index; i++) {
        if (ARUS_SETTINGS[i].key == NULL) {
            return false;
        }
    }
    *out = (struct arus_setting_page){ARUS_SETTINGS[index].key, ARUS_SETTINGS[index].default_text,
                                      ARUS_SETTINGS[index].help};
    return true;
}
