/** Syncing many small files: all are started first, so that the waits overlap; then their folders
 * once each. */
#include "journal/mirror.h"

#include "base/clock.h"
#include "base/file.h"

#include <string.h>

#define WAITING_COUNT_MAX 64
#define PAUSE_US          INT64_C(1000000)
#define WEIGHT_MAX        ((uint64_t)2 << 20)

enum arus_status arus_mirrors_add(struct arus_mirrors *mirrors, const char *path,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append(&mirrors->waiting.files, path, strlen(path) + 1, err));
    mirrors->waiting_count++;
    return ARUS_OK;
}

enum arus_status arus_mirrors_add_folder(struct arus_mirrors *mirrors, const char *path,
                                         struct arus_error *err)
{
    return arus_buffer_append(&mirrors->waiting.folders, path, strlen(path) + 1, err);
}

/** Behind the scenes: one after the other, the batches go first. */
static enum arus_status sync_in_turn(const struct arus_buffer *paths, struct arus_error *err)
{
    for (size_t i = 0; i < paths->size; i += strlen(paths->data + i) + 1) {
        arus_file_sync_hint(paths->data + i);
    }
    for (size_t i = 0; i < paths->size; i += strlen(paths->data + i) + 1) {
        ARUS_TRY(arus_file_sync_path(paths->data + i, err));
    }
    return ARUS_OK;
}

/** The folders of the files, and those that were noted. */
static enum arus_status sync_folders(struct arus_mirror_paths *paths, struct arus_error *err)
{
    for (size_t i = 0; i < paths->files.size; i += strlen(paths->files.data + i) + 1) {
        struct arus_path parent;

        arus_path_parent(&parent, paths->files.data + i);
        ARUS_TRY(arus_folder_note(&paths->folders, parent.text, err));
    }
    return arus_folder_sync_made(&paths->folders, err);
}

static enum arus_status sync_running(void *self, struct arus_error *err)
{
    struct arus_mirrors *mirrors = (struct arus_mirrors *)self;

    ARUS_TRY(sync_in_turn(&mirrors->running.files, err));
    return sync_folders(&mirrors->running, err);
}

/** What waits becomes what runs. */
static void turn_over(struct arus_mirrors *mirrors, int64_t batch_id)
{
    const struct arus_mirror_paths free_paths = mirrors->running;

    mirrors->running = mirrors->waiting;
    mirrors->waiting = free_paths;
    arus_buffer_reset(&mirrors->waiting.files);
    arus_buffer_reset(&mirrors->waiting.folders);
    mirrors->waiting_count = 0;
    mirrors->running_weight = mirrors->waiting_weight;
    mirrors->waiting_weight = 0;
    mirrors->running_batch = batch_id;
}

/** A job that has ended: its batches are durable. */
static enum arus_status settle(struct arus_mirrors *mirrors, struct arus_error *err)
{
    ARUS_TRY(arus_background_wait(mirrors->background, err));
    mirrors->running_weight = 0;
    mirrors->durable_below = mirrors->running_batch + 1;
    return ARUS_OK;
}

enum arus_status arus_mirrors_poll(struct arus_mirrors *mirrors, int64_t batch_id,
                                   struct arus_error *err)
{
    const int64_t now_us = arus_clock_monotonic_us();

    if (mirrors->background != NULL) {
        if (!arus_background_is_done(mirrors->background)) {
            return ARUS_OK;
        }
        ARUS_TRY(settle(mirrors, err));
    }
    if (mirrors->waiting_weight < WEIGHT_MAX &&
        (mirrors->waiting_count < WAITING_COUNT_MAX || now_us - mirrors->last_us < PAUSE_US)) {
        return ARUS_OK;
    }
    if (mirrors->background == NULL) {
        ARUS_TRY(arus_background_open(&mirrors->background, err));
    }
    turn_over(mirrors, batch_id);
    mirrors->last_us = now_us;
    return arus_background_start(mirrors->background, sync_running, mirrors, err);
}

enum arus_status arus_mirrors_sync(struct arus_mirrors *mirrors, struct arus_error *err)
{
    if (mirrors->background != NULL) {
        ARUS_TRY(arus_background_wait(mirrors->background, err));
    }
    turn_over(mirrors, mirrors->running_batch);
    ARUS_TRY(arus_file_sync_all(&mirrors->running.files, err));
    return sync_folders(&mirrors->running, err);
}

static void release_paths(struct arus_mirror_paths *paths)
{
    arus_buffer_release(&paths->files);
    arus_buffer_release(&paths->folders);
}

void arus_mirrors_release(struct arus_mirrors *mirrors)
{
    arus_background_close(mirrors->background);
    release_paths(&mirrors->waiting);
    release_paths(&mirrors->running);
    *mirrors = (struct arus_mirrors){0};
}
