/** Looking, reading and appending. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): copy_file_range, sync_file_range
#include "base/file.h"

#include "base/file_internal.h"
#include "base/folder_ahead.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PENDING_SIZE_MAX ((size_t)64 << 10)
#define COPY_SIZE        ((size_t)1 << 20)
#define START_OUT_SIZE   ((uint64_t)4 << 20)

/* ---- looking ---- */

static void fill_info(const struct stat *from, struct arus_file_info *out)
{
    *out = (struct arus_file_info){
        .kind = S_ISREG(from->st_mode)   ? ARUS_FILE_REGULAR
                : S_ISDIR(from->st_mode) ? ARUS_FILE_FOLDER
                                         : ARUS_FILE_OTHER,
        .size = (uint64_t)from->st_size,
        .mtime_ns = (int64_t)from->st_mtim.tv_sec * 1000000000 + from->st_mtim.tv_nsec,
        .inode = from->st_ino,
        .device = from->st_dev,
        .link_count = from->st_nlink,
    };
}

static bool is_nothing(int code)
{
    return code == ENOENT || code == ENOTDIR;
}

enum arus_status arus_file_stat(const char *path, struct arus_file_info *out,
                                struct arus_error *err)
{
    struct stat info;

    *out = (struct arus_file_info){0};
    if (arus_file_fault(ARUS_FILE_OP_STAT) || stat(path, &info) != 0) {
        return is_nothing(errno) ? ARUS_OK : arus_file_fail(err, path);
    }
    fill_info(&info, out);
    return ARUS_OK;
}

enum arus_status arus_folder_open(struct arus_folder *folder, const char *path, bool *is_missing,
                                  struct arus_error *err)
{
    DIR *handle;

    *folder = (struct arus_folder){.path = path};
    *is_missing = false;
    handle = arus_file_fault(ARUS_FILE_OP_LIST) ? NULL : opendir(path); /* sets FD_CLOEXEC */
    if (handle == NULL) {
        *is_missing = is_nothing(errno);
        return *is_missing ? ARUS_OK : arus_file_fail(err, path);
    }
    folder->handle = handle;
    return ARUS_OK;
}

static enum arus_file_kind kind_of(unsigned char type)
{
    switch (type) {
    case DT_REG:
        return ARUS_FILE_REGULAR;
    case DT_DIR:
        return ARUS_FILE_FOLDER;
    case DT_LNK: /* what it points at, only stat knows */
    case DT_UNKNOWN:
        return ARUS_FILE_NONE;
    default:
        return ARUS_FILE_OTHER;
    }
}

enum arus_status arus_folder_open_ahead(struct arus_folder *folder, const char *path,
                                        bool *is_missing, struct arus_error *err)
{
    ARUS_TRY(arus_folder_open(folder, path, is_missing, err));
    if (folder->handle != NULL) {
        folder->ahead = arus_folder_ahead_begin(folder->handle);
    }
    return ARUS_OK;
}

/* Returns 0 or an errno; `*name` NULL at the end. */
static int read_name(struct arus_folder *folder, const char **name, unsigned char *type)
{
    const struct dirent *entry;

    if (folder->ahead != NULL) {
        return arus_folder_ahead_next(folder->ahead, name, type);
    }
    errno = 0;
    entry = readdir((DIR *)folder->handle);
    if (entry == NULL) {
        return errno;
    }
    *name = entry->d_name;
    *type = entry->d_type;
    return 0;
}

enum arus_status arus_folder_next(struct arus_folder *folder, const char **name,
                                  enum arus_file_kind *kind, struct arus_error *err)
{
    unsigned char type = DT_UNKNOWN;

    do {
        *name = NULL;
        errno = folder->handle == NULL ? 0 : read_name(folder, name, &type);
        if (errno != 0) {
            return arus_file_fail(err, folder->path);
        }
    } while (*name != NULL && (strcmp(*name, ".") == 0 || strcmp(*name, "..") == 0));
    *kind = *name == NULL ? ARUS_FILE_NONE : kind_of(type);
    return ARUS_OK;
}

enum arus_status arus_folder_stat(struct arus_folder *folder, const char *name,
                                  struct arus_file_info *out, struct arus_error *err)
{
    struct stat info;

    *out = (struct arus_file_info){0};
    if (arus_file_fault(ARUS_FILE_OP_STAT) ||
        fstatat(dirfd((DIR *)folder->handle), name, &info, 0) != 0) {
        struct arus_path path;

        if (is_nothing(errno)) {
            return ARUS_OK;
        }
        ARUS_TRY(arus_path_join(&path, folder->path, name, err));
        return arus_file_fail(err, path.text);
    }
    fill_info(&info, out);
    return ARUS_OK;
}

void arus_folder_close(struct arus_folder *folder)
{
    if (folder->ahead != NULL) {
        arus_folder_ahead_end(folder->ahead);
    }
    if (folder->handle != NULL) {
        (void)closedir((DIR *)folder->handle);
    }
    *folder = (struct arus_folder){0};
}

/* ---- open files ---- */

static enum arus_status fail_gone(struct arus_error *err, const char *path)
{
    const enum arus_status status =
        arus_fail(err, ARUS_BAD_DATA, "FAILED_READ_FILE.FILE_NOT_EXIST", "%s: no such file", path);

    (void)snprintf(err->file.path, sizeof err->file.path, "%s", path);
    return status;
}

enum arus_status arus_file_open(struct arus_file *file, const char *path, struct arus_error *err)
{
    struct stat info;
    int fd;

    *file = (struct arus_file){0};
    do {
        fd = arus_file_fault(ARUS_FILE_OP_OPEN) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return is_nothing(errno) ? fail_gone(err, path) : arus_file_fail(err, path);
    }
    if (fstat(fd, &info) != 0) {
        const enum arus_status status = arus_file_fail(err, path);

        (void)close(fd);
        return status;
    }
    *file = (struct arus_file){.path = path, .fd = fd, .size = (uint64_t)info.st_size};
    return ARUS_OK;
}

static enum arus_status create(struct arus_file *file, const char *path, int flags,
                               struct arus_error *err)
{
    int fd;

    *file = (struct arus_file){0};
    do {
        fd = arus_file_fault(ARUS_FILE_OP_CREATE)
                 ? -1
                 : open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        return arus_file_fail(err, path);
    }
    arus_file_trace(ARUS_FILE_OP_CREATE, path, NULL, 0, NULL, 0);
    *file = (struct arus_file){.path = path, .fd = fd};
    return ARUS_OK;
}

enum arus_status arus_file_create(struct arus_file *file, const char *path, struct arus_error *err)
{
    return create(file, path, O_EXCL, err);
}

enum arus_status arus_file_create_over(struct arus_file *file, const char *path,
                                       struct arus_error *err)
{
    return create(file, path, O_TRUNC, err);
}

enum arus_status arus_file_read_at(const struct arus_file *file, uint64_t offset, void *data,
                                   size_t size, size_t *got, struct arus_error *err)
{
    size_t done = 0;

    *got = 0;
    while (done < size) {
        const ssize_t result =
            arus_file_fault(ARUS_FILE_OP_READ)
                ? -1
                : pread(file->fd, (char *)data + done, size - done, (off_t)(offset + done));

        if (result < 0 && errno == EINTR) {
            continue;
        }
        if (result < 0) {
            return arus_file_fail(err, file->path);
        }
        if (result == 0) {
            break;
        }
        done += (size_t)result;
    }
    *got = done;
    return ARUS_OK;
}

/** All bytes at the end of the file. A fault writes the first half, as a full disk does. */
static enum arus_status write_all(const struct arus_file *file, uint64_t offset, const char *data,
                                  size_t size, struct arus_error *err)
{
    const bool fails = arus_file_fault(ARUS_FILE_OP_WRITE);
    const int code = errno;
    const size_t wanted = fails ? size / 2 : size;
    size_t done = 0;

    while (done < wanted) {
        const ssize_t result = write(file->fd, data + done, wanted - done);

        if (result < 0 && errno == EINTR) {
            continue;
        }
        if (result < 0) {
            return arus_file_fail(err, file->path);
        }
        done += (size_t)result;
    }
    arus_file_trace(ARUS_FILE_OP_WRITE, file->path, NULL, offset, data, wanted);
    if (fails) {
        errno = code;
        return arus_file_fail(err, file->path);
    }
    return ARUS_OK;
}

enum arus_status arus_file_flush(struct arus_file *file, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    if (file->pending.size > 0) {
        status = write_all(file, file->size - file->pending.size, file->pending.data,
                           file->pending.size, err);
        arus_buffer_reset(&file->pending);
    }
    return status;
}

enum arus_status arus_file_append(struct arus_file *file, const void *data, size_t size,
                                  struct arus_error *err)
{
    if (file->pending.size + size > PENDING_SIZE_MAX) {
        ARUS_TRY(arus_file_flush(file, err));
    }
    if (size >= PENDING_SIZE_MAX) {
        ARUS_TRY(write_all(file, file->size, (const char *)data, size, err));
        file->size += size;
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_append(&file->pending, data, size, err));
    file->size += size;
    return ARUS_OK;
}

void arus_file_start_out(struct arus_file *file)
{
    const uint64_t end = file->size - file->pending.size;

    if (end - file->started_size >= START_OUT_SIZE) {
        (void)sync_file_range(file->fd, (off_t)file->started_size,
                              (off_t)(end - file->started_size),
                              SYNC_FILE_RANGE_WRITE); /* only a hint */
        file->started_size = end;
    }
}

/** Through memory: other file systems, old kernels, and when operations are recorded or made to
 * fail. */
static enum arus_status copy_by_hand(struct arus_file *file, const struct arus_file *from,
                                     uint64_t begin, uint64_t end, struct arus_error *err)
{
    struct arus_buffer buffer = {0};
    enum arus_status status = arus_buffer_reserve(&buffer, COPY_SIZE, err);

    while (status == ARUS_OK && begin < end) {
        const size_t wanted = end - begin < COPY_SIZE ? (size_t)(end - begin) : COPY_SIZE;
        size_t got;

        status = arus_file_read_at(from, begin, buffer.data, wanted, &got, err);
        if (status == ARUS_OK && got == 0) {
            status = arus_fail(err, ARUS_FATAL, NULL, "%s: shorter than it was", from->path);
        }
        if (status == ARUS_OK) {
            status = arus_file_append(file, buffer.data, got, err);
        }
        begin += got;
    }
    arus_buffer_release(&buffer);
    return status;
}

enum arus_status arus_file_append_file(struct arus_file *file, const struct arus_file *from,
                                       uint64_t size, struct arus_error *err)
{
    uint64_t done = 0;

    ARUS_TRY(arus_file_flush(file, err));
    while (done < size && !arus_file_is_watched()) {
        off_t offset = (off_t)done;
        const ssize_t result =
            copy_file_range(from->fd, &offset, file->fd, NULL, (size_t)(size - done), 0);

        if (result <= 0) {
            break; /* by hand; a real error shows again there */
        }
        done += (uint64_t)result;
        file->size += (uint64_t)result;
    }
    return copy_by_hand(file, from, done, size, err);
}

enum arus_status arus_file_sync(struct arus_file *file, struct arus_error *err)
{
    ARUS_TRY(arus_file_flush(file, err));
    if (arus_file_fault(ARUS_FILE_OP_SYNC) || fsync(file->fd) != 0) {
        return arus_file_fail(err, file->path);
    }
    arus_file_trace(ARUS_FILE_OP_SYNC, file->path, NULL, 0, NULL, 0);
    return ARUS_OK;
}

enum arus_status arus_file_close(struct arus_file *file, struct arus_error *err)
{
    enum arus_status status;

    if (file->path == NULL) {
        return ARUS_OK;
    }
    status = arus_file_flush(file, err);
    if (close(file->fd) != 0 && errno != EINTR && status == ARUS_OK) {
        status = arus_file_fail(err, file->path);
    }
    arus_buffer_release(&file->pending);
    *file = (struct arus_file){0};
    return status;
}

void arus_file_abandon(struct arus_file *file)
{
    if (file->path != NULL) {
        (void)close(file->fd); /* nobody wants the content */
        arus_buffer_release(&file->pending);
    }
    *file = (struct arus_file){0};
}

/* ---- whole files ---- */

enum arus_status arus_file_read(const char *path, struct arus_buffer *out, bool *is_missing,
                                struct arus_error *err)
{
    struct arus_file file;
    enum arus_status status = arus_file_open(&file, path, err);
    size_t got = 1;

    *is_missing = status == ARUS_BAD_DATA;
    if (status != ARUS_OK) {
        return *is_missing ? ARUS_OK : status;
    }
    while (status == ARUS_OK && got > 0) {
        const uint64_t left = file.size > out->size ? file.size - out->size : 0;

        status = arus_buffer_reserve(out, (size_t)left + 512, err);
        if (status == ARUS_OK) {
            const size_t room = out->capacity - out->size;

            status = arus_file_read_at(&file, out->size, out->data + out->size, room, &got, err);
            out->size += got;
            got = got < room ? 0 : got;
        }
    }
    arus_file_abandon(&file);
    return status;
}
