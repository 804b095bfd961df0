/** Any bytes as SQL: no crash, no hang, and every error has a place inside the text. */
#include "base/error.h"
#include "sql/parser.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct arus_text sql = {(const char *)data, size};
    struct arus_arena arena;
    struct arus_buffer out = {0};
    struct arus_errors errors;
    struct arus_script script;
    struct arus_error err;

    arus_arena_init(&arena, (size_t)256 << 20);
    if (arus_sql_parse(sql, &arena, &script, &errors, &err) == ARUS_BAD_CONFIG) {
        for (uint32_t i = 0; i < errors.count; i++) {
            ARUS_ASSERT(errors.items[i].message[0] != '\0');
            ARUS_ASSERT(errors.items[i].place.begin <= size);
        }
    }
    ARUS_ASSERT(arus_ast_print(&script, &out, &err) == ARUS_OK);
    arus_buffer_release(&out);
    arus_arena_release(&arena);
    return 0;
}
