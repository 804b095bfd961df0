/** Syncing many files or folders: a few wait at once, since a device takes flushes together. */
#include "base/alloc.h"
#include "base/file.h"
#include "base/thread.h"

#include <stdlib.h>
#include <string.h>

#define AT_ONCE 4

/* One run over paths that are all different. */
struct syncing {
    enum arus_status (*sync)(const char *path, struct arus_error *err);
    const char **paths;
    uint32_t count;
};

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The paths of a list, each once. */
static enum arus_status take_paths(const struct arus_buffer *list, struct syncing *out,
                                   struct arus_error *err)
{
    const size_t count_max = list->size / 2; /* a path and its NUL: at least 2 bytes */
    uint32_t count = 0;

    out->paths = (const char **)arus_alloc(count_max, sizeof *out->paths);
    if (out->paths == NULL) {
        return arus_fail_memory(err);
    }
    for (size_t i = 0; i < list->size; i += strlen(list->data + i) + 1) {
        out->paths[count++] = list->data + i;
    }
    qsort((void *)out->paths, count, sizeof *out->paths, compare_paths);
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(out->paths[i - 1], out->paths[i]) != 0) {
            out->paths[out->count++] = out->paths[i];
        }
    }
    return ARUS_OK;
}

static enum arus_status sync_one(void *self, uint32_t task, uint32_t worker, struct arus_error *err)
{
    const struct syncing *syncing = (const struct syncing *)self;

    (void)worker;
    return syncing->sync(syncing->paths[task], err);
}

static enum arus_status sync_paths(struct syncing *syncing, struct arus_error *err)
{
    struct arus_pool *pool = NULL;
    enum arus_status status;

    ARUS_TRY(arus_pool_open(syncing->count < AT_ONCE ? syncing->count : AT_ONCE, &pool, err));
    status = arus_pool_run(pool, sync_one, syncing, syncing->count, err);
    arus_pool_close(pool);
    return status;
}

static enum arus_status sync_all(const struct arus_buffer *list,
                                 enum arus_status (*sync)(const char *path, struct arus_error *err),
                                 struct arus_error *err)
{
    struct syncing syncing = {.sync = sync};
    enum arus_status status;

    if (list->size == 0) {
        return ARUS_OK;
    }
    status = take_paths(list, &syncing, err);
    if (status == ARUS_OK) {
        status = sync_paths(&syncing, err);
    }
    arus_free((void *)syncing.paths);
    return status;
}

enum arus_status arus_file_sync_all(const struct arus_buffer *paths, struct arus_error *err)
{
    for (size_t i = 0; i < paths->size; i += strlen(paths->data + i) + 1) {
        arus_file_sync_hint(paths->data + i);
    }
    return sync_all(paths, arus_file_sync_path, err);
}

enum arus_status arus_folder_sync_made(struct arus_buffer *made, struct arus_error *err)
{
    ARUS_TRY(sync_all(made, arus_folder_sync, err));
    arus_buffer_reset(made);
    return ARUS_OK;
}
