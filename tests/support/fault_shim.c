/**
 * An LD_PRELOAD library for the crash tests: records what a program does to a folder, and makes the
 * n-th call fail.
 *
 *   ARUS_SHIM_ROOT=DIR        only calls on files below DIR count (required)
 *   ARUS_SHIM_TRACE=FILE      append every change as a binary record (read by
 * tests/crash/power_loss.py) ARUS_SHIM_FAIL=N:ERRNO    the N-th changing call fails with this errno
 * ("short": a write takes half) ARUS_SHIM_FROM=1          … and all later ones too (a disk that
 * stays full) ARUS_SHIM_ALLOC=N         the N-th allocation of the program gives NULL
 *   ARUS_SHIM_COUNT=FILE      at exit: "calls allocations"
 *
 * What the program starts, a command as sink, is recorded too; it is not counted, nothing of it
 * fails.
 *
 * LMDB's writes are seen as well: it writes by pwrite and pwritev, its meta page through an O_DSYNC
 * descriptor.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FD_MAX 4096

enum op {
    OP_CREATE = 1,
    OP_WRITE,
    OP_TRUNCATE,
    OP_SYNC,
    OP_RENAME,
    OP_LINK,
    OP_UNLINK,
    OP_MKDIR,
    OP_RMDIR,
    OP_SYNC_DIR
};

static struct {
    bool is_known;
    bool is_sync; /* O_DSYNC, O_SYNC */
    bool is_folder;
    uint64_t inode;
} files[FD_MAX];

static char root[PATH_MAX];
static size_t root_size;
static int trace_fd = -1;
static long fail_at;
static int fail_errno;
static bool fail_short;
static bool fail_from;
static long alloc_fail_at;
static const char *count_path;
static _Atomic long calls;
static _Atomic long allocations;
static bool is_ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, args)                                                                     \
    static type(*real_##name) args;                                                                \
    if (real_##name == NULL) {                                                                     \
        *(void **)&real_##name = dlsym(RTLD_NEXT, #name);                                          \
    }

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static ssize_t raw_write(int fd, const void *data, size_t size)
{
    REAL(ssize_t, write, (int, const void *, size_t))
    return real_write(fd, data, size);
}

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("ARUS_SHIM_ROOT");

    if (text == NULL || realpath(text, root) == NULL) {
        return;
    }
    root_size = strlen(root);
    text = getenv("ARUS_SHIM_TRACE");
    if (text != NULL) {
        trace_fd = open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    }
    text = getenv("ARUS_SHIM_FAIL");
    if (text != NULL) {
        char *end;

        fail_at = strtol(text, &end, 10);
        fail_short = strcmp(end, ":short") == 0;
        fail_errno = *end == ':' && !fail_short ? (int)strtol(end + 1, NULL, 10) : EIO;
    }
    fail_from = getenv("ARUS_SHIM_FROM") != NULL;
    text = getenv("ARUS_SHIM_ALLOC");
    alloc_fail_at = text == NULL ? 0 : strtol(text, NULL, 10);
    count_path = getenv("ARUS_SHIM_COUNT");
    if (trace_fd < 0) {
        (void)unsetenv("LD_PRELOAD");
    }
    is_ready = true;
}

__attribute__((destructor)) static void end(void)
{
    char text[64];
    int fd;

    if (count_path == NULL) {
        return;
    }
    is_ready = false;
    fd = open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0) {
        const int size = snprintf(text, sizeof text, "%ld %ld\n", (long)calls, (long)allocations);

        (void)raw_write(fd, text, (size_t)size);
        (void)close(fd);
    }
}

static bool below_root(const char *path)
{
    return strncmp(path, root, root_size) == 0 && (path[root_size] == '/' || path[root_size] == 0);
}

/* The absolute path of a name; false when it lies elsewhere. */
static bool resolve(int folder, const char *path, char out[PATH_MAX])
{
    char base[PATH_MAX];
    char link[64];
    ssize_t size;

    if (!is_ready) {
        return false;
    }
    if (path[0] == '/') {
        (void)snprintf(out, PATH_MAX, "%s", path);
    } else {
        if (folder == AT_FDCWD) {
            if (getcwd(base, sizeof base) == NULL) {
                return false;
            }
        } else {
            (void)snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
            size = readlink(link, base, sizeof base - 1);
            if (size < 0) {
                return false;
            }
            base[size] = 0;
        }
        if ((size_t)snprintf(out, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) {
            return false;
        }
    }
    return below_root(out);
}

/* 0: go on; else the errno to fail with; -1: take half. */
static int verdict(void)
{
    const long n = atomic_fetch_add(&calls, 1) + 1;

    if (fail_at == 0 || n < fail_at || (n > fail_at && !fail_from)) {
        return 0;
    }
    return fail_short && n == fail_at ? -1 : fail_errno;
}

static void record(enum op op, uint64_t inode, int64_t at, const char *path, const char *path2,
                   const void *data, uint32_t size)
{
    const uint16_t path_size = (uint16_t)(path == NULL ? 0 : strlen(path));
    const uint16_t path2_size = (uint16_t)(path2 == NULL ? 0 : strlen(path2));
    unsigned char head[32];
    struct iovec parts[4];
    REAL(ssize_t, writev, (int, const struct iovec *, int))

    if (trace_fd < 0) {
        return;
    }
    memset(head, 0, sizeof head);
    head[0] = (unsigned char)op;
    memcpy(head + 8, &inode, 8);
    memcpy(head + 16, &at, 8);
    memcpy(head + 2, &path_size, 2);
    memcpy(head + 4, &path2_size, 2);
    memcpy(head + 24, &size, 4);
    parts[0] = (struct iovec){head, sizeof head};
    parts[1] = (struct iovec){(void *)(uintptr_t)path, path_size};
    parts[2] = (struct iovec){(void *)(uintptr_t)path2, path2_size};
    parts[3] = (struct iovec){(void *)(uintptr_t)data, size};
    (void)pthread_mutex_lock(&lock);
    (void)real_writev(trace_fd, parts, 4);
    (void)pthread_mutex_unlock(&lock);
}

static void learn(int fd, int flags, const char *path)
{
    struct stat info;

    if (fd < 0 || fd >= FD_MAX) {
        return;
    }
    files[fd].is_known = path != NULL && fstat(fd, &info) == 0;
    if (files[fd].is_known) {
        files[fd].inode = info.st_ino;
        files[fd].is_folder = S_ISDIR(info.st_mode);
        files[fd].is_sync = (flags & (O_DSYNC | O_SYNC)) != 0;
    }
}

static int open_any(int folder, const char *path, int flags, mode_t mode)
{
    char full[PATH_MAX];
    const bool is_ours = resolve(folder, path, full);
    bool existed = true;
    int error;
    int fd;
    REAL(int, openat64, (int, const char *, int, ...))

    if (is_ours && (flags & (O_CREAT | O_TRUNC)) != 0) {
        existed = access(full, F_OK) == 0;
        error = verdict();
        if (error > 0) {
            errno = error;
            return -1;
        }
    }
    fd = real_openat64(folder, path, flags, mode);
    learn(fd, flags, is_ours ? full : NULL);
    if (fd >= 0 && fd < FD_MAX && is_ours) {
        if (!existed) {
            record(OP_CREATE, files[fd].inode, 0, full, NULL, NULL, 0);
        } else if ((flags & O_TRUNC) != 0) {
            record(OP_TRUNCATE, files[fd].inode, 0, NULL, NULL, NULL, 0);
        }
    }
    return fd;
}

#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) {                              \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        mode = va_arg(args, mode_t);                                                               \
        va_end(args);                                                                              \
    }

int open(const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_any(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_any(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_any(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...)
{
    MODE_OF(flags)
    return open_any(folder, path, flags, mode);
}
int close(int fd)
{
    REAL(int, close, (int))

    if (fd >= 0 && fd < FD_MAX) {
        files[fd].is_known = false;
    }
    return real_close(fd);
}

static bool ours(int fd)
{
    return is_ready && fd >= 0 && fd < FD_MAX && files[fd].is_known;
}

static void wrote(int fd, int64_t at, const void *data, ssize_t size)
{
    if (size <= 0) {
        return;
    }
    record(OP_WRITE, files[fd].inode, at, NULL, NULL, data, (uint32_t)size);
    if (files[fd].is_sync) {
        record(OP_SYNC, files[fd].inode, 0, NULL, NULL, NULL, 0);
    }
}

ssize_t write(int fd, const void *data, size_t size)
{
    int error;
    ssize_t done;
    off_t at;

    if (!ours(fd)) {
        return raw_write(fd, data, size);
    }
    error = verdict();
    if (error > 0) {
        errno = error;
        return -1;
    }
    done = raw_write(fd, data, error < 0 && size > 1 ? size / 2 : size);
    at = lseek(fd, 0, SEEK_CUR);
    wrote(fd, (int64_t)at - done, data, done);
    return done;
}

static ssize_t pwrite_any(int fd, const void *data, size_t size, off_t at)
{
    int error = 0;
    ssize_t done;
    REAL(ssize_t, pwrite64, (int, const void *, size_t, off_t))

    if (ours(fd)) {
        error = verdict();
        if (error > 0) {
            errno = error;
            return -1;
        }
    }
    done = real_pwrite64(fd, data, error < 0 && size > 1 ? size / 2 : size, at);
    if (ours(fd)) {
        wrote(fd, at, data, done);
    }
    return done;
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
    return pwrite_any(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off_t at)
{
    return pwrite_any(fd, data, size, at);
}

static ssize_t gather(int fd, const struct iovec *parts, int count, off_t at)
{
    ssize_t sum = 0;

    for (int i = 0; i < count; i++) {
        const ssize_t done = at < 0 ? write(fd, parts[i].iov_base, parts[i].iov_len)
                                    : pwrite_any(fd, parts[i].iov_base, parts[i].iov_len, at + sum);

        if (done < 0) {
            return sum > 0 ? sum : -1;
        }
        sum += done;
        if ((size_t)done < parts[i].iov_len) {
            break;
        }
    }
    return sum;
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
    return gather(fd, parts, count, at);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t at)
{
    return gather(fd, parts, count, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count)
{
    REAL(ssize_t, writev, (int, const struct iovec *, int))

    return ours(fd) ? gather(fd, parts, count, -1) : real_writev(fd, parts, count);
}

static int guarded(int fd)
{
    const int error = ours(fd) ? verdict() : 0;

    if (error != 0) {
        errno = error > 0 ? error : EIO;
        return -1;
    }
    return 0;
}

static int sync_any(int fd, int (*real)(int))
{
    int result;

    if (guarded(fd) != 0) {
        return -1;
    }
    result = real(fd);
    if (result == 0 && ours(fd)) {
        record(files[fd].is_folder ? OP_SYNC_DIR : OP_SYNC, files[fd].inode, 0, NULL, NULL, NULL,
               0);
    }
    return result;
}
int fsync(int fd)
{
    REAL(int, fsync, (int))
    return sync_any(fd, real_fsync);
}
int fdatasync(int fd)
{
    REAL(int, fdatasync, (int))
    return sync_any(fd, real_fdatasync);
}

static int truncate_any(int fd, off_t size)
{
    int result;
    REAL(int, ftruncate64, (int, off_t))

    if (guarded(fd) != 0) {
        return -1;
    }
    result = real_ftruncate64(fd, size);
    if (result == 0 && ours(fd)) {
        record(OP_TRUNCATE, files[fd].inode, size, NULL, NULL, NULL, 0);
    }
    return result;
}
int ftruncate(int fd, off_t size)
{
    return truncate_any(fd, size);
}
int ftruncate64(int fd, off_t size)
{
    return truncate_any(fd, size);
}

static uint64_t inode_of(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0 ? info.st_ino : 0;
}

static int named(enum op op, int folder, const char *path, int folder2, const char *path2,
                 int (*act)(int, const char *, int, const char *, unsigned), unsigned flags)
{
    char full[PATH_MAX];
    char full2[PATH_MAX];
    bool is_ours = resolve(folder, path, full);
    uint64_t inode;
    int error;
    int result;

    if (path2 != NULL) {
        is_ours = resolve(folder2, path2, full2) && is_ours;
    }
    if (!is_ours) {
        return act(folder, path, folder2, path2, flags);
    }
    error = verdict();
    if (error != 0) {
        errno = error > 0 ? error : EIO;
        return -1;
    }
    inode = inode_of(full);
    result = act(folder, path, folder2, path2, flags);
    if (result == 0) {
        record(op, inode != 0 ? inode : inode_of(full), 0, full, path2 == NULL ? NULL : full2, NULL,
               0);
    }
    return result;
}

static int act_rename(int folder, const char *path, int folder2, const char *path2, unsigned flags)
{
    REAL(int, renameat2, (int, const char *, int, const char *, unsigned))
    return real_renameat2(folder, path, folder2, path2, flags);
}
static int act_link(int folder, const char *path, int folder2, const char *path2, unsigned flags)
{
    REAL(int, linkat, (int, const char *, int, const char *, int))
    return real_linkat(folder, path, folder2, path2, (int)flags);
}
static int act_unlink(int folder, const char *path, int folder2, const char *path2, unsigned flags)
{
    REAL(int, unlinkat, (int, const char *, int))
    (void)folder2;
    (void)path2;
    return real_unlinkat(folder, path, (int)flags);
}
static int act_mkdir(int folder, const char *path, int folder2, const char *path2, unsigned flags)
{
    REAL(int, mkdirat, (int, const char *, mode_t))
    (void)folder2;
    (void)path2;
    return real_mkdirat(folder, path, (mode_t)flags);
}

int rename(const char *path, const char *path2)
{
    return named(OP_RENAME, AT_FDCWD, path, AT_FDCWD, path2, act_rename, 0);
}
int renameat(int folder, const char *path, int folder2, const char *path2)
{
    return named(OP_RENAME, folder, path, folder2, path2, act_rename, 0);
}
int renameat2(int folder, const char *path, int folder2, const char *path2, unsigned flags)
{
    return named(OP_RENAME, folder, path, folder2, path2, act_rename, flags);
}
int link(const char *path, const char *path2)
{
    return named(OP_LINK, AT_FDCWD, path, AT_FDCWD, path2, act_link, 0);
}
/* A file that was opened without a name (O_TMPFILE) gets one: it is made now. */
static int name_open_file(const char *path, int folder2, const char *path2)
{
    char full[PATH_MAX];
    const bool is_ours = resolve(folder2, path2, full);
    const int error = is_ours ? verdict() : 0;
    int result;

    if (error != 0) {
        errno = error > 0 ? error : EIO;
        return -1;
    }
    result = act_link(AT_FDCWD, path, folder2, path2, AT_SYMLINK_FOLLOW);
    if (result == 0 && is_ours) {
        record(OP_CREATE, inode_of(full), 0, full, NULL, NULL, 0);
    }
    return result;
}

int linkat(int folder, const char *path, int folder2, const char *path2, int flags)
{
    if ((flags & AT_SYMLINK_FOLLOW) != 0 && strncmp(path, "/proc/self/fd/", 14) == 0) {
        return name_open_file(path, folder2, path2);
    }
    return named(OP_LINK, folder, path, folder2, path2, act_link, (unsigned)flags);
}
int unlink(const char *path)
{
    return named(OP_UNLINK, AT_FDCWD, path, AT_FDCWD, NULL, act_unlink, 0);
}
int unlinkat(int folder, const char *path, int flags)
{
    return named((flags & AT_REMOVEDIR) != 0 ? OP_RMDIR : OP_UNLINK, folder, path, AT_FDCWD, NULL,
                 act_unlink, (unsigned)flags);
}
int rmdir(const char *path)
{
    return named(OP_RMDIR, AT_FDCWD, path, AT_FDCWD, NULL, act_unlink, AT_REMOVEDIR);
}
int mkdir(const char *path, mode_t mode)
{
    return named(OP_MKDIR, AT_FDCWD, path, AT_FDCWD, NULL, act_mkdir, mode);
}
int mkdirat(int folder, const char *path, mode_t mode)
{
    return named(OP_MKDIR, folder, path, AT_FDCWD, NULL, act_mkdir, mode);
}

static bool no_memory(void)
{
    if (!is_ready) {
        return false;
    }
    return atomic_fetch_add(&allocations, 1) + 1 == alloc_fail_at;
}
void *malloc(size_t size)
{
    if (no_memory()) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    if (no_memory()) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size)
{
    if (no_memory()) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    if (no_memory()) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_memalign(alignment, size);
}
