/* Names of columns, and what is said when there is none. */
#include "plan/resolve_internal.h"
#include "plan/say.h"

#include <stdio.h>

enum { HELP_COLUMNS_MAX = 24 };

enum arus_status arus_scope_add(struct arus_resolver *resolver, struct arus_scope *scope,
                                const struct arus_scope_column *column, struct arus_error *err)
{
    ARUS_TRY(arus_list_grow(resolver->arena, (void **)&scope->columns, sizeof(*scope->columns),
                            scope->count, &scope->capacity, err));
    scope->columns[scope->count++] = *column;
    return ARUS_OK;
}

enum arus_status arus_scope_open(struct arus_resolver *resolver, const struct arus_type *schema,
                                 struct arus_text qualifier, struct arus_scope *out,
                                 struct arus_error *err)
{
    *out = (struct arus_scope){0};
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct arus_scope_column column = {.qualifier = qualifier,
                                                 .name = schema->fields[i].name,
                                                 .index = i,
                                                 .id = resolver->next_id++};

        ARUS_TRY(arus_scope_add(resolver, out, &column, err));
    }
    return ARUS_OK;
}

bool arus_resolver_same(const struct arus_resolver *resolver, struct arus_text a,
                        struct arus_text b)
{
    return resolver->catalog->settings.is_case_sensitive ? arus_text_equal(a, b)
                                                         : arus_text_equal_nocase(a, b);
}

/* Keeps the first match; another column under the same name makes it ambiguous. */
static void take_match(struct arus_scope_match *out, const struct arus_scope_column *column,
                       uint32_t part_count)
{
    if (out->column == NULL) {
        *out = (struct arus_scope_match){column, part_count, false};
    } else if (out->column->id != column->id) {
        out->is_ambiguous = true;
    }
}

void arus_scope_find(const struct arus_resolver *resolver, const struct arus_scope *scope,
                     const struct arus_uname *name, struct arus_scope_match *out)
{
    *out = (struct arus_scope_match){0};
    for (size_t i = 0; name->part_count >= 2 && i < scope->count; i++) {
        const struct arus_scope_column *column = &scope->columns[i];

        if (column->qualifier.size > 0 &&
            arus_resolver_same(resolver, column->qualifier, name->parts[0]) &&
            arus_resolver_same(resolver, column->name, name->parts[1])) {
            take_match(out, column, 2);
        }
    }
    for (int is_fallback = 0; is_fallback < 2 && out->column == NULL; is_fallback++) {
        for (size_t i = 0; i < scope->count; i++) {
            const struct arus_scope_column *column = &scope->columns[i];

            if (!column->is_hidden && column->is_fallback == (is_fallback != 0) &&
                arus_resolver_same(resolver, column->name, name->parts[0])) {
                take_match(out, column, 1);
            }
        }
    }
}

static const struct arus_scope_column *find_nearest(const struct arus_scope *scope,
                                                    const struct arus_uname *name)
{
    const struct arus_scope_column *nearest = NULL;
    size_t best = SIZE_MAX;

    for (uint32_t part = 0; part < name->part_count; part++) {
        for (size_t i = 0; i < scope->count; i++) {
            const struct arus_scope_column *column = &scope->columns[i];
            const size_t distance = arus_text_distance(column->name, name->parts[part]);

            if (distance < best && distance * 3 <= name->parts[part].size + 2) {
                best = distance;
                nearest = column;
            }
        }
    }
    return nearest;
}

/* `late_in has event_id, device; t has k` */
static void help_columns(const struct arus_scope *scope, struct arus_error *err)
{
    char text[sizeof(err->help)];
    size_t size = 0;
    struct arus_text qualifier = {NULL, SIZE_MAX};

    text[0] = '\0';
    for (size_t i = 0; i < scope->count && i < HELP_COLUMNS_MAX && size < sizeof(text); i++) {
        const struct arus_scope_column *column = &scope->columns[i];
        const struct arus_text owner =
            column->qualifier.size > 0 ? column->qualifier : ARUS_TEXT("the input");
        int wrote = 0;

        if (column->is_hidden || column->is_fallback) {
            continue;
        }
        if (qualifier.size != owner.size || !arus_text_equal(qualifier, owner)) {
            wrote =
                snprintf(text + size, sizeof(text) - size, "%s%.*s has %.*s", size == 0 ? "" : "; ",
                         ARUS_TEXT_ARGS(owner), ARUS_TEXT_ARGS(column->name));
        } else {
            wrote =
                snprintf(text + size, sizeof(text) - size, ", %.*s", ARUS_TEXT_ARGS(column->name));
        }
        qualifier = owner;
        size += wrote > 0 ? (size_t)wrote : 0;
    }
    (void)arus_error_help(err, "%s%s", text, scope->count > HELP_COLUMNS_MAX ? ", .." : "");
}

enum arus_status arus_scope_unknown(const struct arus_scope *scope, const struct arus_uname *name,
                                    struct arus_error *err)
{
    const struct arus_scope_column *nearest = find_nearest(scope, name);
    char shown[256];
    size_t size = 0;

    shown[0] = '\0';
    for (uint32_t i = 0; i < name->part_count && size < sizeof(shown); i++) {
        const int wrote = snprintf(shown + size, sizeof(shown) - size, "%s%.*s", i == 0 ? "" : ".",
                                   ARUS_TEXT_ARGS(name->parts[i]));

        size += wrote > 0 ? (size_t)wrote : 0;
    }
    arus_say(err, name->place,
             scope->count > 0 ? "UNRESOLVED_COLUMN.WITH_SUGGESTION"
                              : "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
             "there is no column `%s`", shown);
    if (nearest != NULL) {
        (void)arus_error_label(err, "did you mean `%.*s`?", ARUS_TEXT_ARGS(nearest->name));
    }
    if (scope->count > 0) {
        help_columns(scope, err);
    }
    return ARUS_BAD_CONFIG;
}
