/** Schemas and options as constant arguments. */
#include "expr/schema_arg.h"

#include "expr/coerce.h"
#include "expr/strings.h"

/* ---- options: a constant MAP<STRING, STRING> ---- */

static enum arus_status map_settings(const struct arus_vector *map, struct arus_arena *arena,
                                     struct arus_settings *out, struct arus_error *err)
{
    const struct arus_span span = *(const struct arus_span *)map->values;
    struct arus_setting *items;

    ARUS_TRY(ARUS_NEW(arena, struct arus_setting, span.count, &items, err));
    for (uint32_t j = 0; j < span.count; j++) {
        items[j].key = arus_text_at(&map->children[0], span.begin + j);
        if (arus_vector_is_valid(&map->children[1], span.begin + j)) {
            items[j].value = arus_text_at(&map->children[1], span.begin + j);
        }
    }
    *out = (struct arus_settings){items, span.count};
    return ARUS_OK;
}

/* Spark takes any option here, and so must a text that is to run on it. */
static void drop_unknown(struct arus_settings *settings, const struct arus_option *const *tables)
{
    struct arus_setting *items;
    size_t kept = 0;

    memcpy(&items, &settings->items, sizeof items);
    for (size_t i = 0; i < settings->count; i++) {
        if (arus_options_find(tables, items[i].key) != NULL) {
            items[kept++] = items[i];
        }
    }
    settings->count = kept;
}

/* Options of the argument `i`, if there is one, parsed by a table. */
enum arus_status arus_arg_options(struct arus_bind *bind, uint32_t i,
                                  const struct arus_option *table, size_t size, void **out,
                                  struct arus_error *err)
{
    const struct arus_option *const tables[] = {table, NULL};
    struct arus_settings settings = {0};
    struct arus_vector map;
    bool is_found = false;

    ARUS_TRY(arus_arena_alloc(bind->arena, size, out, err));
    if (i < bind->arg_count) {
        const struct arus_type *type = bind->args[i]->type;

        if (type->id == ARUS_TYPE_MAP && bind->args[i]->kind == ARUS_EXPR_CALL &&
            strcmp(bind->args[i]->function->name, "map") == 0 &&
            (type->fields[0].type->id != ARUS_TYPE_STRING ||
             type->fields[1].type->id != ARUS_TYPE_STRING) &&
            bind->args[i]->arg_count > 0) {
            return arus_fail_at(err, bind->args[i]->place, "INVALID_OPTIONS.NON_STRING_TYPE",
                                "options are texts: map('name', 'value')");
        }
        if (type->id != ARUS_TYPE_MAP || type->fields[0].type->id != ARUS_TYPE_STRING ||
            type->fields[1].type->id != ARUS_TYPE_STRING) {
            return arus_fail_at(err, bind->args[i]->place, "INVALID_OPTIONS.NON_MAP_FUNCTION",
                                "options are a constant map('name', 'value')");
        }
        ARUS_TRY(arus_arg_constant(bind, i, &map, &is_found, err));
        if (!is_found || !arus_vector_is_valid(&map, 0)) {
            return arus_fail_at(err, bind->args[i]->place, "INVALID_OPTIONS.NON_MAP_FUNCTION",
                                "options are a constant map('name', 'value')");
        }
        ARUS_TRY(map_settings(&map, bind->arena, &settings, err));
        drop_unknown(&settings, tables);
    }
    return arus_options_parse(tables, &settings, bind->function->name, bind->arena, *out, err);
}

bool arus_arg_mode_is(const struct arus_bind *bind, uint32_t i, const char *wanted,
                      struct arus_error *err)
{
    struct arus_settings settings = {0};
    const struct arus_setting *mode;
    struct arus_vector map;
    bool is_found = false;

    if (i >= bind->arg_count || bind->args[i]->type->id != ARUS_TYPE_MAP ||
        arus_arg_constant(bind, i, &map, &is_found, err) != ARUS_OK || !is_found ||
        !arus_vector_is_valid(&map, 0) || map.type->fields[1].type->id != ARUS_TYPE_STRING ||
        map_settings(&map, bind->arena, &settings, err) != ARUS_OK) {
        return false;
    }
    mode = arus_settings_find(&settings, "mode");
    return mode != NULL && arus_text_equal_nocase(mode->value, arus_text_of(wanted));
}

enum arus_status arus_arg_schema(struct arus_bind *bind, uint32_t i, const struct arus_type **out,
                                 struct arus_error *err)
{
    struct arus_error json_err;
    struct arus_text text;

    ARUS_TRY(arus_arg_text(bind, i, &text, err));
    if (text.data == NULL) {
        return arus_fail_at(err, bind->args[i]->place, "INVALID_SCHEMA.NON_STRING_LITERAL",
                            "the schema must be a constant text such as 'a INT, b STRING'");
    }
    if (arus_type_parse_ddl(text, bind->arena, out, err) == ARUS_OK ||
        arus_type_parse_json(text, bind->arena, out, &json_err) == ARUS_OK) {
        return ARUS_OK;
    }
    err->place = bind->args[i]->place;
    return err->status;
}
