/** Syncing many small files: all are started first, so that the waits overlap; then their folders
 * once each. */
#include "journal/mirror.h"

#include "base/clock.h"
#include "base/file.h"

#include <string.h>

#define WAITING_COUNT_MAX 64
#define PAUSE_US          INT64_C(1000000)

enum arus_status arus_mirrors_add(struct arus_mirrors *mirrors, const char *path,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append(&mirrors->waiting, path, strlen(path) + 1, err));
    mirrors->waiting_count++;
    return ARUS_OK;
}

static enum arus_status sync_files(const struct arus_buffer *paths, struct arus_error *err)
{
    for (size_t i = 0; i < paths->size; i += strlen(paths->data + i) + 1) {
        arus_file_sync_hint(paths->data + i);
    }
    for (size_t i = 0; i < paths->size; i += strlen(paths->data + i) + 1) {
        ARUS_TRY(arus_file_sync_path(paths->data + i, err));
    }
    return ARUS_OK;
}

static bool has_parent(const struct arus_buffer *parents, const char *parent)
{
    for (size_t i = 0; i < parents->size; i += strlen(parents->data + i) + 1) {
        if (strcmp(parents->data + i, parent) == 0) {
            return true;
        }
    }
    return false;
}

static enum arus_status sync_folders(const struct arus_buffer *paths, struct arus_error *err)
{
    struct arus_buffer parents = {0};
    enum arus_status status = ARUS_OK;

    for (size_t i = 0; i < paths->size && status == ARUS_OK; i += strlen(paths->data + i) + 1) {
        struct arus_path parent;

        arus_path_parent(&parent, paths->data + i);
        if (!has_parent(&parents, parent.text)) {
            status = arus_buffer_append(&parents, parent.text, strlen(parent.text) + 1, err);
        }
    }
    for (size_t i = 0; i < parents.size && status == ARUS_OK; i += strlen(parents.data + i) + 1) {
        status = arus_folder_sync(parents.data + i, err);
    }
    arus_buffer_release(&parents);
    return status;
}

static enum arus_status sync_running(void *self, struct arus_error *err)
{
    struct arus_mirrors *mirrors = (struct arus_mirrors *)self;
    enum arus_status status = sync_files(&mirrors->running, err);

    if (status == ARUS_OK) {
        status = sync_folders(&mirrors->running, err);
    }
    return status;
}

/** What waits becomes what runs. */
static void turn_over(struct arus_mirrors *mirrors)
{
    const struct arus_buffer free_buffer = mirrors->running;

    mirrors->running = mirrors->waiting;
    mirrors->waiting = free_buffer;
    arus_buffer_reset(&mirrors->waiting);
    mirrors->waiting_count = 0;
}

enum arus_status arus_mirrors_poll(struct arus_mirrors *mirrors, struct arus_error *err)
{
    const int64_t now_us = arus_clock_monotonic_us();

    if (mirrors->waiting_count < WAITING_COUNT_MAX || now_us - mirrors->last_us < PAUSE_US) {
        return ARUS_OK;
    }
    if (mirrors->background == NULL) {
        ARUS_TRY(arus_background_open(&mirrors->background, err));
    }
    if (!arus_background_is_done(mirrors->background)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_background_wait(mirrors->background, err));
    turn_over(mirrors);
    mirrors->last_us = now_us;
    return arus_background_start(mirrors->background, sync_running, mirrors, err);
}

enum arus_status arus_mirrors_sync(struct arus_mirrors *mirrors, struct arus_error *err)
{
    if (mirrors->background != NULL) {
        ARUS_TRY(arus_background_wait(mirrors->background, err));
    }
    turn_over(mirrors);
    return sync_running(mirrors, err);
}

void arus_mirrors_release(struct arus_mirrors *mirrors)
{
    arus_background_close(mirrors->background);
    arus_buffer_release(&mirrors->waiting);
    arus_buffer_release(&mirrors->running);
    *mirrors = (struct arus_mirrors){0};
}
