/**
 * Open-file-description locks: they end with the last descriptor, so a killed process leaves
 * nothing. Within one process the kernel would refuse as well, but not say why, hence the table.
 */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): F_OFD_SETLK
#include "base/lock.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_COUNT_MAX 4096

/* Which folders this process has locked: the process is the thing that is described, so it is
 * process-wide. */
static pthread_mutex_t table_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct arus_lock table[OPEN_COUNT_MAX];
static size_t table_count;

static bool is_same(const struct arus_lock *a, const struct arus_lock *b)
{
    return a->device == b->device && a->inode == b->inode && strcmp(a->name, b->name) == 0;
}

static bool table_add(const struct arus_lock *lock)
{
    bool is_new = true;

    (void)pthread_mutex_lock(&table_mutex);
    for (size_t i = 0; i < table_count; i++) {
        is_new = is_new && !is_same(&table[i], lock);
    }
    if (is_new && table_count < OPEN_COUNT_MAX) {
        table[table_count++] = *lock;
    }
    (void)pthread_mutex_unlock(&table_mutex);
    return is_new;
}

static void table_remove(const struct arus_lock *lock)
{
    (void)pthread_mutex_lock(&table_mutex);
    for (size_t i = 0; i < table_count; i++) {
        if (is_same(&table[i], lock)) {
            table[i] = table[--table_count];
            break;
        }
    }
    (void)pthread_mutex_unlock(&table_mutex);
}

static void read_owner(int fd, struct arus_lock_owner *out)
{
    char text[64];
    const ssize_t size = pread(fd, text, sizeof text - 1, 0);
    char *rest;

    if (size <= 0) {
        return;
    }
    text[size] = '\0';
    out->pid = strtoll(text, &rest, 10);
    out->since_ms = strtoll(rest, NULL, 10);
}

static enum arus_status fail_taken(const char *shown, const struct arus_lock_owner *owner,
                                   struct arus_error *err)
{
    char since[16] = "";
    enum arus_status status;

    arus_clock_local_time(owner->since_ms, since);
    status =
        arus_fail(err, ARUS_MISMATCH, "CONCURRENT_STREAM_LOG_UPDATE",
                  "%s is in use by process %lld since %s", shown, (long long)owner->pid, since);
    (void)arus_error_help(err, "watch it: arus status %s   stop it: kill %lld", shown,
                          (long long)owner->pid);
    return status;
}

static void write_owner(int fd)
{
    char text[64];
    const int size = snprintf(text, sizeof text, "%lld %lld\n", (long long)getpid(),
                              (long long)arus_clock_wall_ms());

    /* Only for messages: a full disk must not stop a query here. An owner cut short shows as none.
     */
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)size, 0) != size) {
        return;
    }
}

static enum arus_status take(struct arus_lock *lock, const char *shown, struct arus_error *err)
{
    struct flock wanted = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1 << 20, .l_len = 1};
    struct arus_lock_owner owner = {0};

    if (!arus_file_fault(ARUS_FILE_OP_LOCK) && fcntl(lock->fd, F_OFD_SETLK, &wanted) == 0) {
        write_owner(lock->fd);
        lock->is_held = true;
        return ARUS_OK;
    }
    if (errno != EAGAIN && errno != EACCES) {
        return arus_file_fail(err, shown);
    }
    read_owner(lock->fd, &owner);
    return fail_taken(shown, &owner, err);
}

enum arus_status arus_lock_take(struct arus_lock *lock, const char *folder, const char *name,
                                const char *shown, struct arus_error *err)
{
    const struct arus_lock_owner self = {.pid = getpid(), .since_ms = arus_clock_wall_ms()};
    struct arus_file_info info;
    struct arus_path path;
    enum arus_status status;

    *lock = (struct arus_lock){0};
    ARUS_TRY(arus_path_join(&path, folder, name, err));
    ARUS_TRY(arus_file_stat(folder, &info, err));
    lock->device = info.device;
    lock->inode = info.inode;
    (void)snprintf(lock->name, sizeof lock->name, "%s", name);
    if (!table_add(lock)) {
        return fail_taken(shown, &self, err);
    }
    lock->fd = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock->fd < 0) {
        status = arus_file_fail(err, path.text);
        table_remove(lock);
        return status;
    }
    status = take(lock, shown, err);
    if (status != ARUS_OK) {
        (void)close(lock->fd);
        table_remove(lock);
    }
    return status;
}

void arus_lock_drop(struct arus_lock *lock)
{
    if (lock->is_held) {
        (void)close(lock->fd); /* the lock goes with it */
        table_remove(lock);
    }
    *lock = (struct arus_lock){0};
}

enum arus_status arus_lock_look(const char *folder, const char *name, struct arus_lock_owner *out,
                                struct arus_error *err)
{
    struct flock wanted = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 1 << 20, .l_len = 1};
    struct arus_path path;
    int fd;

    *out = (struct arus_lock_owner){0};
    ARUS_TRY(arus_path_join(&path, folder, name, err));
    fd = open(path.text, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR ? ARUS_OK : arus_file_fail(err, path.text);
    }
    if (fcntl(fd, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK) {
        out->is_held = true;
    }
    read_owner(fd, out);
    (void)close(fd);
    return ARUS_OK;
}
