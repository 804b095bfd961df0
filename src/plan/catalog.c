#include "plan/catalog.h"

#include "plan/list.h"
#include "plan/say.h"
#include "plan/settings.h"

#include <time.h>

enum arus_status arus_catalog_init(struct arus_catalog *catalog, struct arus_arena *arena,
                                   const char *folder, struct arus_error *err)
{
    struct timespec now = {0};
    struct arus_text copy;

    *catalog = (struct arus_catalog){.arena = arena, .sql = ""};
    ARUS_TRY(arus_text_copy(arus_text_of(folder), arena, &copy, err));
    catalog->folder = copy.data;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    catalog->now_micros = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    return arus_settings_refresh(catalog, err);
}

const struct arus_relation *arus_catalog_find(const struct arus_catalog *catalog,
                                              struct arus_text name)
{
    for (size_t i = catalog->relation_count; i-- > 0;) {
        if (arus_text_equal_nocase(catalog->relations[i].name, name)) {
            return &catalog->relations[i];
        }
    }
    return NULL;
}

enum arus_status arus_catalog_add(struct arus_catalog *catalog,
                                  const struct arus_relation *relation, bool replaces,
                                  struct arus_error *err)
{
    for (size_t i = 0; i < catalog->relation_count; i++) {
        if (!arus_text_equal_nocase(catalog->relations[i].name, relation->name)) {
            continue;
        }
        if (!replaces && catalog->relations[i].kind != ARUS_RELATION_BROKEN) {
            arus_say(err, relation->place,
                     relation->kind == ARUS_RELATION_VIEW ? "TEMP_TABLE_OR_VIEW_ALREADY_EXISTS"
                                                          : "TABLE_OR_VIEW_ALREADY_EXISTS",
                     "`%.*s` exists already", ARUS_TEXT_ARGS(relation->name));
            return arus_error_help(err, "choose another name");
        }
        catalog->relations[i] = *relation;
        return ARUS_OK;
    }
    ARUS_TRY(arus_list_grow(catalog->arena, (void **)&catalog->relations,
                            sizeof(*catalog->relations), catalog->relation_count,
                            &catalog->relation_capacity, err));
    catalog->relations[catalog->relation_count++] = *relation;
    return ARUS_OK;
}

/* The index of a key among the entries; entry_count: not set. */
static size_t find_entry(const struct arus_catalog *catalog, struct arus_text key)
{
    size_t i = 0;

    while (i < catalog->entry_count && !arus_text_equal(catalog->entries[i].key, key)) {
        i++;
    }
    return i;
}

bool arus_catalog_get(const struct arus_catalog *catalog, struct arus_text key,
                      struct arus_text *out)
{
    const size_t at = find_entry(catalog, key);

    if (at < catalog->entry_count) {
        *out = catalog->entries[at].value;
        return true;
    }
    return arus_settings_default(catalog, key, out);
}

enum arus_status arus_catalog_set(struct arus_catalog *catalog, struct arus_text key,
                                  struct arus_text value, struct arus_place place,
                                  struct arus_buffer *warning, struct arus_error *err)
{
    const size_t at = find_entry(catalog, key);
    struct arus_setting_entry entry;

    ARUS_TRY(arus_settings_check(catalog, key, value, place, warning, err));
    ARUS_TRY(arus_text_copy(key, catalog->arena, &entry.key, err));
    ARUS_TRY(arus_text_copy(value, catalog->arena, &entry.value, err));
    if (at == catalog->entry_count) {
        ARUS_TRY(arus_list_grow(catalog->arena, (void **)&catalog->entries,
                                sizeof(*catalog->entries), catalog->entry_count,
                                &catalog->entry_capacity, err));
        catalog->entry_count++;
    }
    catalog->entries[at] = entry;
    return arus_settings_refresh(catalog, err);
}

enum arus_status arus_catalog_reset(struct arus_catalog *catalog, struct arus_text key,
                                    struct arus_error *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < catalog->entry_count; i++) {
        if (key.size > 0 && !arus_text_equal(catalog->entries[i].key, key)) {
            catalog->entries[kept++] = catalog->entries[i];
        }
    }
    catalog->entry_count = kept;
    return arus_settings_refresh(catalog, err);
}
