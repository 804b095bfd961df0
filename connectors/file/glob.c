/** Hadoop's path patterns: braces first, then component by component. */
#include "file/file_internal.h"

#include <stdlib.h>

#define ALTERNATIVES_MAX ((size_t)1024)

bool arus_glob_is(struct arus_text path)
{
    for (size_t i = 0; i < path.size; i++) {
        if (strchr("*?[{\\", path.data[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Matches one character against [...] at *at; moves *at behind the class. */
static bool match_class(struct arus_text pattern, size_t *at, unsigned char c)
{
    size_t i = *at + 1;
    bool is_negated = false;
    bool found = false;

    if (i < pattern.size && (pattern.data[i] == '^' || pattern.data[i] == '!')) {
        is_negated = true;
        i++;
    }
    for (bool first = true; i < pattern.size && (first || pattern.data[i] != ']'); first = false) {
        unsigned char low;
        unsigned char high;

        i += pattern.data[i] == '\\' && i + 1 < pattern.size;
        low = (unsigned char)pattern.data[i++];
        high = low;
        if (i + 1 < pattern.size && pattern.data[i] == '-' && pattern.data[i + 1] != ']') {
            high = (unsigned char)pattern.data[i + 1];
            i += 2;
        }
        found = found || (c >= low && c <= high);
    }
    *at = i + 1;
    return found != is_negated;
}

/* Bytes of the character that begins at `at`: `?` takes a whole UTF-8 character. */
static size_t character_size(struct arus_text name, size_t at)
{
    size_t size = 1;

    while (at + size < name.size && ((unsigned char)name.data[at + size] & 0xC0) == 0x80) {
        size++;
    }
    return size;
}

/* Matches one pattern element at name[n]; moves both on. */
static bool match_one(struct arus_text pattern, size_t *p, struct arus_text name, size_t *n)
{
    const char c = pattern.data[*p];

    if (c == '?') {
        *p += 1;
        *n += character_size(name, *n);
        return true;
    }
    if (c == '[') {
        const bool matches = match_class(pattern, p, (unsigned char)name.data[*n]);

        *n += 1;
        return matches;
    }
    *p += c == '\\' && *p + 1 < pattern.size;
    if (pattern.data[*p] != name.data[*n]) {
        return false;
    }
    *p += 1;
    *n += 1;
    return true;
}

bool arus_glob_match(struct arus_text pattern, struct arus_text name)
{
    size_t p = 0;
    size_t n = 0;
    size_t star_p = SIZE_MAX; /* behind the last `*` */
    size_t star_n = 0;        /* where its match ends now */

    while (n < name.size) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star_p = ++p;
            star_n = n;
            continue;
        }
        if (p < pattern.size && match_one(pattern, &p, name, &n)) {
            continue;
        }
        if (star_p == SIZE_MAX) {
            return false;
        }
        p = star_p;
        n = ++star_n;
    }
    while (p < pattern.size && pattern.data[p] == '*') {
        p++;
    }
    return p == pattern.size;
}

/* Index of the `}` that closes the `{` at `open`, or pattern.size. */
static size_t brace_end(struct arus_text pattern, size_t open)
{
    size_t depth = 0;

    for (size_t i = open; i < pattern.size; i++) {
        if (pattern.data[i] == '\\') {
            i++;
        } else if (pattern.data[i] == '{') {
            depth++;
        } else if (pattern.data[i] == '}' && --depth == 0) {
            return i;
        }
    }
    return pattern.size;
}

static size_t find_brace(struct arus_text pattern)
{
    for (size_t i = 0; i < pattern.size; i++) {
        if (pattern.data[i] == '\\') {
            i++;
        } else if (pattern.data[i] == '{' && brace_end(pattern, i) < pattern.size) {
            return i;
        }
    }
    return pattern.size;
}

struct patterns {
    struct arus_text *items;
    size_t count;
    struct arus_arena *arena;
};

static enum arus_status expand_braces(struct patterns *out, struct arus_text pattern,
                                      struct arus_error *err);

/* One alternative in place of {…}. */
static enum arus_status expand_with(struct patterns *out, struct arus_text pattern, size_t open,
                                    size_t close, struct arus_text alternative,
                                    struct arus_error *err)
{
    struct arus_text joined;

    ARUS_TRY(arus_text_format(out->arena, &joined, err, "%.*s%.*s%.*s", (int)open, pattern.data,
                              ARUS_TEXT_ARGS(alternative), (int)(pattern.size - close - 1),
                              pattern.data + close + 1));
    return expand_braces(out, joined, err);
}

static enum arus_status expand_braces(struct patterns *out, struct arus_text pattern,
                                      struct arus_error *err)
{
    const size_t open = find_brace(pattern);
    const size_t close = open < pattern.size ? brace_end(pattern, open) : open;
    size_t begin = open + 1;
    size_t depth = 0;

    if (open == pattern.size) {
        if (out->count == ALTERNATIVES_MAX) {
            return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the pattern has more than %zu forms",
                             ALTERNATIVES_MAX);
        }
        out->items[out->count++] = pattern;
        return ARUS_OK;
    }
    for (size_t i = open + 1; i <= close; i++) {
        const char c = pattern.data[i];

        if (i == close || (c == ',' && depth == 0)) {
            ARUS_TRY(expand_with(out, pattern, open, close,
                                 (struct arus_text){pattern.data + begin, i - begin}, err));
            begin = i + 1;
        } else if (c == '\\') {
            i++;
        } else {
            depth = depth + (c == '{') - (c == '}');
        }
    }
    return ARUS_OK;
}

struct found {
    struct arus_text *items;
    size_t count;
    size_t capacity;
    struct arus_arena *arena;
};

static enum arus_status add_found(struct found *found, const char *path, struct arus_error *err)
{
    if (found->count == found->capacity) {
        const size_t capacity = found->capacity == 0 ? 64 : found->capacity * 2;
        struct arus_text *items;

        ARUS_TRY(ARUS_NEW(found->arena, struct arus_text, capacity, &items, err));
        if (found->count != 0) {
            memcpy(items, found->items, found->count * sizeof *items);
        }
        found->items = items;
        found->capacity = capacity;
    }
    return arus_text_copy(arus_text_of(path), found->arena, &found->items[found->count++], err);
}

static enum arus_status walk(struct found *found, const char *folder, struct arus_text rest,
                             struct arus_error *err);

static enum arus_status walk_into(struct found *found, const char *folder, const char *name,
                                  struct arus_text rest, struct arus_error *err)
{
    struct arus_path path;
    struct arus_file_info info;

    ARUS_TRY(arus_path_join(&path, folder, name, err));
    if (rest.size != 0) {
        return walk(found, path.text, rest, err);
    }
    ARUS_TRY(arus_file_stat(path.text, &info, err));
    return info.kind == ARUS_FILE_NONE ? ARUS_OK : add_found(found, path.text, err);
}

static enum arus_status walk_names(struct found *found, const char *folder,
                                   struct arus_text component, struct arus_text rest,
                                   struct arus_error *err)
{
    struct arus_folder names;
    enum arus_status status;
    bool is_missing;

    ARUS_TRY(arus_folder_open(&names, folder, &is_missing, err));
    for (;;) {
        enum arus_file_kind kind;
        const char *name;

        status = arus_folder_next(&names, &name, &kind, err);
        if (status != ARUS_OK || name == NULL) {
            break;
        }
        if (!arus_glob_match(component, arus_text_of(name)) ||
            (rest.size == 0 && arus_listing_hides(arus_text_of(name))) ||
            (rest.size != 0 && kind == ARUS_FILE_REGULAR)) {
            continue;
        }
        status = walk_into(found, folder, name, rest, err);
        if (status != ARUS_OK) {
            break;
        }
    }
    arus_folder_close(&names);
    return status;
}

/* `rest`: the components below folder, without a slash in front. */
static enum arus_status walk(struct found *found, const char *folder, struct arus_text rest,
                             struct arus_error *err)
{
    const char *slash = memchr(rest.data, '/', rest.size);
    const size_t size = slash == NULL ? rest.size : (size_t)(slash - rest.data);
    const struct arus_text component = {rest.data, size};
    struct arus_text behind = {rest.data + size, rest.size - size};
    struct arus_path name;

    while (behind.size != 0 && behind.data[0] == '/') {
        behind.data++;
        behind.size--;
    }
    if (arus_glob_is(component)) {
        return walk_names(found, folder, component, behind, err);
    }
    ARUS_TRY(arus_path_format(&name, err, "%.*s", ARUS_TEXT_ARGS(component)));
    return walk_into(found, folder, name.text, behind, err);
}

static int compare_texts(const void *a, const void *b)
{
    return arus_text_compare(*(const struct arus_text *)a, *(const struct arus_text *)b);
}

/* In order, each once: `{a*,ab}` finds `ab` twice. */
static size_t sort_texts(struct arus_text *items, size_t count)
{
    size_t kept = 0;

    if (count > 1) {
        qsort(items, count, sizeof *items, compare_texts);
    }
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || !arus_text_equal(items[kept - 1], items[i])) {
            items[kept++] = items[i];
        }
    }
    return kept;
}

enum arus_status arus_glob_expand(struct arus_text pattern, struct arus_arena *arena,
                                  struct arus_text **out, size_t *count, struct arus_error *err)
{
    struct patterns patterns = {.arena = arena};
    struct found found = {.arena = arena};

    ARUS_TRY(ARUS_NEW(arena, struct arus_text, ALTERNATIVES_MAX, &patterns.items, err));
    ARUS_TRY(expand_braces(&patterns, pattern, err));
    for (size_t i = 0; i < patterns.count; i++) {
        struct arus_text rest = patterns.items[i];

        while (rest.size != 0 && rest.data[0] == '/') {
            rest.data++;
            rest.size--;
        }
        if (rest.size != 0) {
            ARUS_TRY(walk(&found, "/", rest, err));
        }
    }
    *out = found.items;
    *count = sort_texts(found.items, found.count);
    return ARUS_OK;
}
