/** Folders that were made: each parent is synced once, at one place, before something relies on it.
 */
#include "base/alloc.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum arus_status arus_folder_note(struct arus_buffer *made, const char *path,
                                  struct arus_error *err)
{
    return arus_buffer_append(made, path, strlen(path) + 1, err);
}

enum arus_status arus_folder_note_above(struct arus_buffer *made, const char *path,
                                        struct arus_error *err)
{
    struct arus_path at;
    struct arus_path parent;

    ARUS_TRY(arus_path_format(&at, err, "%s", path));
    while (access(at.text, W_OK) == 0) { /* elsewhere a run of this user made nothing */
        ARUS_TRY(arus_folder_note(made, at.text, err));
        arus_path_parent(&parent, at.text);
        if (strcmp(parent.text, at.text) == 0) {
            break;
        }
        at = parent;
    }
    return ARUS_OK;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum arus_status arus_folder_sync_made(struct arus_buffer *made, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;
    const char **paths;
    size_t count = 0;

    if (made->size == 0) {
        return ARUS_OK;
    }
    paths = arus_alloc(made->size / 2, sizeof *paths); /* a path and its NUL: at least 2 bytes */
    if (paths == NULL) {
        return arus_fail_memory(err);
    }
    for (size_t i = 0; i < made->size; i += strlen(made->data + i) + 1) {
        paths[count++] = made->data + i;
    }
    qsort((void *)paths, count, sizeof *paths, compare_paths);
    for (size_t i = 0; i < count && status == ARUS_OK; i++) {
        if (i == 0 || strcmp(paths[i - 1], paths[i]) != 0) {
            status = arus_folder_sync(paths[i], err);
        }
    }
    arus_free((void *)paths);
    if (status == ARUS_OK) {
        arus_buffer_reset(made);
    }
    return status;
}

enum arus_status arus_folder_make_durable(const char *path, struct arus_error *err)
{
    struct arus_buffer made = {0};
    enum arus_status status = arus_folder_make(path, &made, err);

    if (status == ARUS_OK) {
        status = arus_folder_sync_made(&made, err);
    }
    arus_buffer_release(&made);
    return status;
}
