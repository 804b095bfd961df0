/** Names and durability: rename, remove, make, sync. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): renameat2, sync_file_range
#include "base/file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum arus_status arus_file_rename(const char *from, const char *to, struct arus_error *err)
{
    if (arus_file_fault(ARUS_FILE_OP_RENAME) || rename(from, to) != 0) {
        return arus_file_fail(err, to);
    }
    arus_file_trace(ARUS_FILE_OP_RENAME, from, to, 0, NULL, 0);
    return ARUS_OK;
}

/** For file systems that lack RENAME_NOREPLACE: link never replaces either. */
static int rename_by_link(const char *from, const char *to)
{
    if (link(from, to) != 0) {
        return -1;
    }
    return unlink(from);
}

enum arus_status arus_file_rename_new(const char *from, const char *to, bool *exists,
                                      struct arus_error *err)
{
    int result = arus_file_fault(ARUS_FILE_OP_RENAME)
                     ? -1
                     : renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);

    *exists = false;
    if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {
        result = rename_by_link(from, to);
    }
    if (result != 0 && errno == EEXIST) {
        *exists = true;
        return ARUS_OK;
    }
    if (result != 0) {
        return arus_file_fail(err, to);
    }
    arus_file_trace(ARUS_FILE_OP_RENAME, from, to, 0, NULL, 0);
    return ARUS_OK;
}

enum arus_status arus_file_remove(const char *path, struct arus_error *err)
{
    if (arus_file_fault(ARUS_FILE_OP_REMOVE) || unlink(path) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? ARUS_OK : arus_file_fail(err, path);
    }
    arus_file_trace(ARUS_FILE_OP_REMOVE, path, NULL, 0, NULL, 0);
    return ARUS_OK;
}

enum arus_status arus_folder_remove(const char *path, struct arus_error *err)
{
    if (arus_file_fault(ARUS_FILE_OP_REMOVE) || rmdir(path) != 0) {
        return errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST ? ARUS_OK
                                                                        : arus_file_fail(err, path);
    }
    arus_file_trace(ARUS_FILE_OP_REMOVE, path, NULL, 0, NULL, 0);
    return ARUS_OK;
}

static enum arus_status remove_entry(struct arus_folder *folder, const char *name,
                                     struct arus_error *err)
{
    struct arus_path path;
    struct stat info;

    ARUS_TRY(arus_path_join(&path, folder->path, name, err));
    if (lstat(path.text, &info) == 0 && S_ISDIR(info.st_mode)) {
        return arus_folder_remove_all(path.text, err);
    }
    return arus_file_remove(path.text, err);
}

enum arus_status arus_folder_remove_all(const char *path, struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_file_kind kind;
    const char *name;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(arus_folder_open(&folder, path, &is_missing, err));
    do {
        status = arus_folder_next(&folder, &name, &kind, err);
        if (status == ARUS_OK && name != NULL) {
            status = remove_entry(&folder, name, err);
        }
    } while (status == ARUS_OK && name != NULL);
    arus_folder_close(&folder);
    return status != ARUS_OK || is_missing ? status : arus_folder_remove(path, err);
}

static enum arus_status make_one(const char *path, struct arus_buffer *made, struct arus_error *err)
{
    struct arus_path parent;

    if (arus_file_fault(ARUS_FILE_OP_MAKE_FOLDER) || mkdir(path, 0777) != 0) {
        return errno == EEXIST ? ARUS_OK : arus_file_fail(err, path);
    }
    arus_file_trace(ARUS_FILE_OP_MAKE_FOLDER, path, NULL, 0, NULL, 0);
    if (made != NULL) {
        arus_path_parent(&parent, path);
        return arus_folder_note(made, parent.text, err);
    }
    return ARUS_OK;
}

enum arus_status arus_folder_make(const char *path, struct arus_buffer *made,
                                  struct arus_error *err)
{
    struct arus_path part;
    const size_t size = strlen(path);
    struct stat info;

    if (stat(path, &info) == 0) {
        errno = ENOTDIR;
        return S_ISDIR(info.st_mode) ? ARUS_OK : arus_file_fail(err, path);
    }
    if (size >= sizeof part.text) {
        errno = ENAMETOOLONG;
        return arus_file_fail(err, path);
    }
    memcpy(part.text, path, size + 1);
    for (size_t i = 1; i < size; i++) {
        if (path[i] == '/') {
            part.text[i] = '\0';
            if (stat(part.text, &info) != 0) {
                ARUS_TRY(make_one(part.text, made, err));
            }
            part.text[i] = '/';
        }
    }
    return make_one(path, made, err);
}

/* ---- durability ---- */

static enum arus_status sync_by_path(const char *path, int flags, enum arus_file_op op,
                                     struct arus_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    enum arus_status status = ARUS_OK;

    if (fd < 0) {
        return errno == ENOENT ? ARUS_OK : arus_file_fail(err, path);
    }
    if (arus_file_fault(op) || fsync(fd) != 0) {
        status = arus_file_fail(err, path);
    } else {
        arus_file_trace(op, path, NULL, 0, NULL, 0);
    }
    (void)close(fd); /* only read through it */
    return status;
}

enum arus_status arus_file_sync_path(const char *path, struct arus_error *err)
{
    return sync_by_path(path, 0, ARUS_FILE_OP_SYNC, err);
}

enum arus_status arus_folder_sync(const char *path, struct arus_error *err)
{
    return sync_by_path(path, O_DIRECTORY, ARUS_FILE_OP_SYNC_FOLDER, err);
}

void arus_file_sync_hint(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* only a hint */
        (void)close(fd);
    }
}

/* ---- whole files by temporary name ---- */

enum arus_status arus_file_temporary(struct arus_path *out, const char *path,
                                     struct arus_error *err)
{
    const char *slash = strrchr(path, '/');
    const int folder_size = slash == NULL ? 0 : (int)(slash - path);
    const char *name = slash == NULL ? path : slash + 1;

    return arus_path_format(out, err, "%.*s/.%s.arus.tmp", folder_size, path, name);
}

static enum arus_status write_temporary(const char *path, struct arus_text content, bool is_synced,
                                        struct arus_error *err)
{
    struct arus_file file;
    enum arus_status status;

    ARUS_TRY(arus_file_create_over(&file, path, err));
    status = arus_file_append(&file, content.data, content.size, err);
    if (status == ARUS_OK && is_synced) {
        status = arus_file_sync(&file, err);
    }
    if (status != ARUS_OK) {
        arus_file_abandon(&file);
        return status;
    }
    return arus_file_close(&file, err);
}

static enum arus_status replace(const char *path, struct arus_text content, bool is_synced,
                                struct arus_error *err)
{
    struct arus_path part;
    enum arus_status status;

    ARUS_TRY(arus_file_temporary(&part, path, err));
    status = write_temporary(part.text, content, is_synced, err);
    if (status == ARUS_OK) {
        status = arus_file_rename(part.text, path, err);
    }
    if (status != ARUS_OK) {
        (void)unlink(part.text); /* the first failure is the one to report */
    }
    return status;
}

enum arus_status arus_file_replace(const char *path, struct arus_text content,
                                   struct arus_error *err)
{
    return replace(path, content, false, err);
}

enum arus_status arus_file_replace_whole(const char *path, struct arus_text content,
                                         struct arus_error *err)
{
    return replace(path, content, true, err);
}

enum arus_status arus_file_create_new(const char *path, struct arus_text content, bool *exists,
                                      struct arus_error *err)
{
    struct arus_path part;
    enum arus_status status;

    *exists = false;
    ARUS_TRY(arus_file_temporary(&part, path, err));
    status = write_temporary(part.text, content, false, err);
    if (status == ARUS_OK) {
        status = arus_file_rename_new(part.text, path, exists, err);
    }
    if (status != ARUS_OK || *exists) {
        (void)unlink(part.text); /* the first failure is the one to report */
    }
    return status;
}
