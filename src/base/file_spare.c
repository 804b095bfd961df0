/** A ring of empty files: the thread makes them, the writer takes them in the same order. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): O_TMPFILE
#include "base/file_spare.h"

#include "base/file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define AHEAD     32u /* files; a power of two */
#define ASK_COUNT 16u /* files of a process before the thread begins */

static enum arus_status name_of(const struct arus_spares *spares, unsigned number,
                                struct arus_path *out, struct arus_error *err)
{
    return arus_path_format(out, err, "%s/.spare-%u.arus.tmp", spares->folder.text, number % AHEAD);
}

/* What is there is empty, or half a file that nobody will name. */
static void remove_all(const struct arus_spares *spares)
{
    for (unsigned i = 0; i < AHEAD; i++) {
        struct arus_error ignored;
        struct arus_path path;

        if (name_of(spares, i, &path, &ignored) == ARUS_OK && unlink(path.text) == 0) {
            arus_file_trace(ARUS_FILE_OP_REMOVE, path.text, NULL, 0, NULL, 0);
        }
    }
}

enum arus_status arus_spares_init(struct arus_spares *spares, const char *folder,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_path_format(&spares->folder, err, "%s", folder));
    remove_all(spares); /* of a process that was killed */
    return ARUS_OK;
}

/*
 * The search for an inode holds neither the folder, from which the writer renames meanwhile
 * (O_TMPFILE), nor, since the kernel does not stop in it, the writer's core.
 */
static int make_file(const char *folder, const char *path)
{
    char name[32];
    const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

    if (fd >= 0) {
        (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        if (linkat(AT_FDCWD, name, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0) {
            return fd;
        }
        (void)close(fd);
    }
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* Whatever is wrong here, the writer will meet and report it. */
static enum arus_status make_ahead(void *self, struct arus_error *err)
{
    struct arus_spares *spares = self;

    arus_thread_avoid(spares->core);
    for (unsigned i = atomic_load(&spares->made); i != spares->wanted; i++) {
        struct arus_path path;
        int fd;

        ARUS_TRY(name_of(spares, i, &path, err));
        fd = make_file(spares->folder.text, path.text);
        if (fd < 0) {
            atomic_store(&spares->is_over, true);
            break;
        }
        (void)close(fd); /* nothing was written */
        arus_file_trace(ARUS_FILE_OP_CREATE, path.text, NULL, 0, NULL, 0);
        atomic_store(&spares->made, i + 1);
    }
    return ARUS_OK;
}

static enum arus_status ask(struct arus_spares *spares, struct arus_error *err)
{
    if (spares->folder.text[0] == '\0' || ++spares->ask_count <= ASK_COUNT ||
        spares->wanted - spares->taken > AHEAD / 2 || atomic_load(&spares->is_over)) {
        return ARUS_OK;
    }
    if (spares->background == NULL) {
        ARUS_TRY(arus_background_open(&spares->background, err));
    }
    if (!arus_background_is_done(spares->background)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_background_wait(spares->background, err));
    spares->wanted = spares->taken + AHEAD;
    spares->core = arus_thread_core();
    return arus_background_start(spares->background, make_ahead, spares, err);
}

enum arus_status arus_spares_open(struct arus_spares *spares, const char *path,
                                  struct arus_path *out, struct arus_file *file,
                                  struct arus_error *err)
{
    ARUS_TRY(ask(spares, err));
    if (spares->taken != atomic_load(&spares->made)) {
        int fd;

        ARUS_TRY(name_of(spares, spares->taken++, out, err));
        fd = open(out->text, O_RDWR | O_CLOEXEC);
        if (fd >= 0) {
            *file = (struct arus_file){.path = out->text, .fd = fd};
            return ARUS_OK;
        }
    }
    ARUS_TRY(arus_path_format(out, err, "%s", path));
    return arus_file_create_over(file, out->text, err);
}

static enum arus_status fill(struct arus_file *file, struct arus_text content,
                             struct arus_error *err)
{
    const enum arus_status status = arus_file_append(file, content.data, content.size, err);

    if (status != ARUS_OK) {
        arus_file_abandon(file);
        return status;
    }
    return arus_file_close(file, err);
}

enum arus_status arus_spares_create_new(struct arus_spares *spares, const char *path,
                                        struct arus_text content, bool *exists,
                                        struct arus_error *err)
{
    struct arus_path temporary;
    struct arus_path part;
    struct arus_file file;
    enum arus_status status;

    *exists = false;
    ARUS_TRY(arus_file_temporary(&temporary, path, err));
    ARUS_TRY(arus_spares_open(spares, temporary.text, &part, &file, err));
    status = fill(&file, content, err);
    if (status == ARUS_OK) {
        status = arus_file_rename_new(part.text, path, exists, err);
    }
    if (status != ARUS_OK || *exists) {
        (void)unlink(part.text); /* the first failure is the one to report */
    }
    return status;
}

void arus_spares_close(struct arus_spares *spares)
{
    const bool has_begun = spares->background != NULL;

    arus_background_close(spares->background);
    spares->background = NULL;
    if (has_begun) {
        remove_all(spares);
    }
}
