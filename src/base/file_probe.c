/** What a file system can do, found out by trying. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): F_OFD_SETLK
#include "base/file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PROBE_SIZE 4096

/** Magic numbers of linux/magic.h and of file systems that live outside the kernel tree. */
static const struct {
    uint32_t magic;
    const char *name;
} NETWORK[] = {
    {0x6969, "NFS"},      {0xff534d42, "CIFS"},  {0xfe534d42, "SMB"},  {0x517b, "SMB"},
    {0x5346414f, "AFS"},  {0x00c36400, "Ceph"},  {0x01021997, "9p"},   {0x0bd00bd0, "Lustre"},
    {0x47504653, "GPFS"}, {0x7461636f, "OCFS2"}, {0x01161970, "GFS2"}, {0x73757245, "Coda"},
};

static const char *network_name(const char *path)
{
    struct statfs info;

    if (statfs(path, &info) != 0) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof NETWORK / sizeof *NETWORK; i++) {
        if ((uint32_t)info.f_type == NETWORK[i].magic) {
            return NETWORK[i].name;
        }
    }
    return NULL;
}

static enum arus_status refuse(struct arus_error *err, const char *path, const char *what)
{
    const enum arus_status status =
        arus_fail(err, ARUS_BAD_CONFIG, "ARUS_UNSUITABLE_FILE_SYSTEM", "%s lies on %s", path, what);

    (void)arus_error_note(err, "the journal needs shared mappings, locks and renames without "
                               "overwriting");
    (void)arus_error_help(err, "put the checkpoint on a local disk: checkpointLocation "
                               "'/var/lib/arus/..'");
    return status;
}

/** A byte written through the descriptor must show in the mapping. Fails when the disk does. */
static enum arus_status maps_work(int fd, const char *path, bool *out, struct arus_error *err)
{
    const char byte = 'x';
    ssize_t written;
    void *map;

    *out = false;
    if (ftruncate(fd, PROBE_SIZE) != 0) {
        return arus_file_fail(err, path);
    }
    map = mmap(NULL, PROBE_SIZE, PROT_READ, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) {
        return ARUS_OK;
    }
    written = pwrite(fd, &byte, 1, 7);
    *out = written == 1 && ((const volatile char *)map)[7] == byte;
    if (written != 1) {
        const int code = written < 0 ? errno : ENOSPC;

        (void)munmap(map, PROBE_SIZE);
        errno = code;
        return arus_file_fail(err, path);
    }
    (void)munmap(map, PROBE_SIZE);
    return ARUS_OK;
}

static bool locks_work(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};

    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/** The second of two renames onto one name must be refused. */
static enum arus_status renames_work(const char *from, const char *to, bool *out,
                                     struct arus_error *err)
{
    struct arus_error ignored;
    bool exists;

    *out = false;
    ARUS_TRY(arus_file_rename_new(from, to, &exists, err));
    if (!exists) {
        *out = arus_file_rename_new(to, to, &exists, &ignored) != ARUS_OK || exists;
    }
    return ARUS_OK;
}

static enum arus_status try_all(int fd, const char *first, const char *second, const char **missing,
                                struct arus_error *err)
{
    bool works;

    ARUS_TRY(maps_work(fd, first, &works, err));
    if (!works) {
        *missing = "a file system without shared mappings";
        return ARUS_OK;
    }
    if (!locks_work(fd)) {
        *missing = "a file system without locks";
        return ARUS_OK;
    }
    ARUS_TRY(renames_work(first, second, &works, err));
    if (!works) {
        *missing = "a file system that cannot rename without overwriting";
    }
    return ARUS_OK;
}

enum arus_status arus_folder_probe(const char *path, struct arus_error *err)
{
    const char *network = network_name(path);
    struct arus_path first;
    struct arus_path second;
    const char *missing = NULL;
    enum arus_status status;
    int fd;

    if (network != NULL) {
        return refuse(err, path, network);
    }
    ARUS_TRY(arus_path_join(&first, path, ".probe", err));
    ARUS_TRY(arus_path_join(&second, path, ".probe-2", err));
    (void)unlink(second.text);
    fd = open(first.text, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        return arus_file_fail(err, first.text);
    }
    status = try_all(fd, first.text, second.text, &missing, err);
    (void)close(fd);
    (void)unlink(first.text);
    (void)unlink(second.text);
    ARUS_TRY(status);
    return missing == NULL ? ARUS_OK : refuse(err, path, missing);
}

uint64_t arus_folder_free_size(const char *path)
{
    struct statvfs info;

    if (statvfs(path, &info) != 0) {
        return UINT64_MAX;
    }
    return (uint64_t)info.f_bavail * info.f_frsize;
}
