/** Paths as text. */
#include "base/file_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum arus_status fail_long(struct arus_error *err, const char *folder)
{
    return arus_fail(err, ARUS_FATAL, NULL, "path below %.200s is longer than %d bytes", folder,
                     ARUS_PATH_MAX - 1);
}

enum arus_status arus_path_join(struct arus_path *out, const char *folder, const char *name,
                                struct arus_error *err)
{
    const size_t folder_size = strlen(folder);
    const size_t name_size = strlen(name);
    const bool needs_slash = folder_size > 0 && folder[folder_size - 1] != '/';

    if (folder_size + name_size + 2 > sizeof out->text) {
        return fail_long(err, folder);
    }
    memmove(out->text, folder, folder_size); /* `out` may hold the folder */
    if (needs_slash) {
        out->text[folder_size] = '/';
    }
    memcpy(out->text + folder_size + needs_slash, name, name_size + 1);
    return ARUS_OK;
}

enum arus_status arus_path_format(struct arus_path *out, struct arus_error *err, const char *format,
                                  ...)
{
    va_list args;
    int size;

    va_start(args, format);
    size = vsnprintf(out->text, sizeof out->text, format, args);
    va_end(args);
    if (size < 0 || (size_t)size >= sizeof out->text) {
        return fail_long(err, out->text);
    }
    return ARUS_OK;
}

void arus_path_parent(struct arus_path *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t size = slash == NULL ? 0 : (size_t)(slash - path);

    if (size == 0) {
        out->text[0] = slash == NULL ? '.' : '/';
        size = 1;
    } else {
        memmove(out->text, path, size);
    }
    out->text[size] = '\0';
}

/** Appends one part; `..` takes the last one off. */
static bool append_part(char *out, size_t *used, const char *part, size_t size)
{
    if (size == 0 || (size == 1 && part[0] == '.')) {
        return true;
    }
    if (size == 2 && part[0] == '.' && part[1] == '.') {
        while (*used > 0 && out[--*used] != '/') {
        }
        return true;
    }
    if (*used + size + 2 > ARUS_PATH_MAX) {
        return false;
    }
    out[(*used)++] = '/';
    memcpy(out + *used, part, size);
    *used += size;
    return true;
}

static bool append_parts(char *out, size_t *used, struct arus_text path)
{
    size_t begin = 0;

    for (size_t i = 0; i <= path.size; i++) {
        if (i == path.size || path.data[i] == '/') {
            if (!append_part(out, used, path.data + begin, i - begin)) {
                return false;
            }
            begin = i + 1;
        }
    }
    return true;
}

static struct arus_text without_scheme(struct arus_text path)
{
    struct arus_text rest = path;

    if (!arus_text_starts_with(path, ARUS_TEXT("file:"))) {
        return path;
    }
    rest.data += 5;
    rest.size -= 5;
    if (arus_text_starts_with(rest, ARUS_TEXT("//"))) {
        rest.data += 2;
        rest.size -= 2;
    }
    return rest.size > 0 && rest.data[0] == '/' ? rest : path;
}

enum arus_status arus_path_absolute(const char *folder, struct arus_text path,
                                    struct arus_path *out, struct arus_error *err)
{
    const struct arus_text rest = without_scheme(path);
    char text[ARUS_PATH_MAX];
    size_t used = 0;
    const bool is_absolute = rest.size > 0 && rest.data[0] == '/';

    if (rest.size > 0 && memchr(rest.data, '\0', rest.size) != NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "a path cannot hold a zero byte");
    }
    if ((!is_absolute && !append_parts(text, &used, arus_text_of(folder))) ||
        !append_parts(text, &used, rest)) {
        return fail_long(err, folder);
    }
    if (used == 0) {
        text[used++] = '/';
    }
    text[used] = '\0';
    memcpy(out->text, text, used + 1);
    return ARUS_OK;
}
