/**
 * The one place that touches durable files: every write, sync, rename and removal goes through
 * here, so that tests can make each of them fail and record them all.
 *
 * Paths are absolute, NUL-terminated bytes. Every descriptor is close-on-exec. Interrupted and
 * short calls are continued. Failures: ARUS_FATAL unless said otherwise, "PATH: reason", the path
 * in err->file too. After a failed sync nothing is retried on that file: give it up and write it
 * anew.
 */
#ifndef ARUS_BASE_FILE_H
#define ARUS_BASE_FILE_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A path in the caller's frame, built by joining. */
#define ARUS_PATH_MAX 4096
struct arus_path {
    char text[ARUS_PATH_MAX];
};

/** folder + "/" + name. A path that is too long fails. */
ARUS_MUST_USE enum arus_status arus_path_join(struct arus_path *out, const char *folder,
                                              const char *name, struct arus_error *err);
/** printf into a path; for numbers and fixed names only. */
ARUS_MUST_USE enum arus_status arus_path_format(struct arus_path *out, struct arus_error *err,
                                                const char *format, ...) ARUS_PRINTF(3, 4);
/** The folder of a path ("/" for "/x"). */
void arus_path_parent(struct arus_path *out, const char *path);
/**
 * Makes `path` absolute below `folder` (unless it is), with `.`, `..` and repeated slashes resolved
 * by text; symbolic links stay. `file:` and `file://` in front are taken off.
 */
ARUS_MUST_USE enum arus_status arus_path_absolute(const char *folder, struct arus_text path,
                                                  struct arus_path *out, struct arus_error *err);

/* ---- looking ---- */

enum arus_file_kind { ARUS_FILE_NONE, ARUS_FILE_REGULAR, ARUS_FILE_FOLDER, ARUS_FILE_OTHER };

struct arus_file_info {
    enum arus_file_kind kind; /* NONE: there is nothing, the rest is 0 */
    uint64_t size;
    int64_t mtime_ns; /* since 1970 */
    uint64_t inode;
    uint64_t device;
    uint64_t link_count; /* of a folder, on most file systems: 2 + its folders */
};

static inline int64_t arus_file_mtime_ms(const struct arus_file_info *info)
{
    const int64_t ms = info->mtime_ns / 1000000;

    return info->mtime_ns % 1000000 < 0 ? ms - 1 : ms;
}

/** Follows links. Nothing there is a result. */
ARUS_MUST_USE enum arus_status arus_file_stat(const char *path, struct arus_file_info *out,
                                              struct arus_error *err);

/** Names in a folder, in the order the file system gives them, without `.` and `..`. */
struct arus_folder {
    void *handle; /* NULL: closed, or there is no such folder */
    const char *path;
    struct arus_folder_ahead *ahead; /* NULL: nobody reads it ahead */
};
/** No such folder: opens as an empty one, `*is_missing` tells. */
ARUS_MUST_USE enum arus_status arus_folder_open(struct arus_folder *folder, const char *path,
                                                bool *is_missing, struct arus_error *err);
/** As arus_folder_open; a thread of its own begins to read the names at once. For large folders. */
ARUS_MUST_USE enum arus_status arus_folder_open_ahead(struct arus_folder *folder, const char *path,
                                                      bool *is_missing, struct arus_error *err);
/** `*name` NULL at the end; else it lives until the next call. `*kind` NONE: the system did not
 * say. */
ARUS_MUST_USE enum arus_status arus_folder_next(struct arus_folder *folder, const char **name,
                                                enum arus_file_kind *kind, struct arus_error *err);
/** As arus_file_stat for a name in the folder, without building a path. */
ARUS_MUST_USE enum arus_status arus_folder_stat(struct arus_folder *folder, const char *name,
                                                struct arus_file_info *out, struct arus_error *err);
void arus_folder_close(struct arus_folder *folder);

/* ---- open files ---- */

/** Zeroed = closed. The path is borrowed while the file is open. */
struct arus_file {
    const char *path; /* NULL: closed */
    int fd;
    uint64_t size; /* bytes appended, buffered ones too; of a read file: when it was opened */
    struct arus_buffer pending; /* appended, not yet written */
    uint64_t started_size;      /* bytes that arus_file_start_out has seen */
};

/** For reading. Nothing there fails with FAILED_READ_FILE.FILE_NOT_EXIST and ARUS_BAD_DATA. */
ARUS_MUST_USE enum arus_status arus_file_open(struct arus_file *file, const char *path,
                                              struct arus_error *err);
/** A new file for appending; something there fails. */
ARUS_MUST_USE enum arus_status arus_file_create(struct arus_file *file, const char *path,
                                                struct arus_error *err);
/** For appending, and reading back what was flushed; emptied if it is there. */
ARUS_MUST_USE enum arus_status arus_file_create_over(struct arus_file *file, const char *path,
                                                     struct arus_error *err);
/** Up to `size` bytes at `offset`; `*got` is less only at the end of the file. Any thread. */
ARUS_MUST_USE enum arus_status arus_file_read_at(const struct arus_file *file, uint64_t offset,
                                                 void *data, size_t size, size_t *got,
                                                 struct arus_error *err);
/** Behind the last byte; buffered. */
ARUS_MUST_USE enum arus_status arus_file_append(struct arus_file *file, const void *data,
                                                size_t size, struct arus_error *err);
/** The first `size` bytes of another file, in the kernel where it can. */
ARUS_MUST_USE enum arus_status arus_file_append_file(struct arus_file *file,
                                                     const struct arus_file *from, uint64_t size,
                                                     struct arus_error *err);
/** Of a long file that will be synced: what was written begins its way to the device, a few MiB at
 * a time, so that the sync finds little left. Does not wait. */
void arus_file_start_out(struct arus_file *file);
/** Hands buffered bytes to the system. */
ARUS_MUST_USE enum arus_status arus_file_flush(struct arus_file *file, struct arus_error *err);
/** Flush and fsync. */
ARUS_MUST_USE enum arus_status arus_file_sync(struct arus_file *file, struct arus_error *err);
/** Flush and close. On failure it is closed too. Accepts a closed file. */
ARUS_MUST_USE enum arus_status arus_file_close(struct arus_file *file, struct arus_error *err);
/** Closes without writing what is buffered. Accepts a closed file. */
void arus_file_abandon(struct arus_file *file);

/* ---- whole files ---- */

/** Appends the whole content to `out`. Nothing there: `*is_missing`, no failure. */
ARUS_MUST_USE enum arus_status arus_file_read(const char *path, struct arus_buffer *out,
                                              bool *is_missing, struct arus_error *err);
/** Temporary file beside it, then rename over whatever is there. Not synced: a power cut may leave
 * the name without the bytes. */
ARUS_MUST_USE enum arus_status arus_file_replace(const char *path, struct arus_text content,
                                                 struct arus_error *err);
/** The same; the bytes are durable before they get the name. The name is once its folder is synced.
 */
ARUS_MUST_USE enum arus_status arus_file_replace_whole(const char *path, struct arus_text content,
                                                       struct arus_error *err);
/** Temporary file, then rename without overwriting: `*exists` when something is there already. Not
 * synced. */
ARUS_MUST_USE enum arus_status arus_file_create_new(const char *path, struct arus_text content,
                                                    bool *exists, struct arus_error *err);

/* ---- names ---- */

/** Over whatever is there. */
ARUS_MUST_USE enum arus_status arus_file_rename(const char *from, const char *to,
                                                struct arus_error *err);
/** Never over anything: `*exists`. */
ARUS_MUST_USE enum arus_status arus_file_rename_new(const char *from, const char *to, bool *exists,
                                                    struct arus_error *err);
/** Nothing there is fine. */
ARUS_MUST_USE enum arus_status arus_file_remove(const char *path, struct arus_error *err);
/** Removes an empty folder; not empty or not there is fine. */
ARUS_MUST_USE enum arus_status arus_folder_remove(const char *path, struct arus_error *err);
/** Removes a folder with all below it. Not there is fine. */
ARUS_MUST_USE enum arus_status arus_folder_remove_all(const char *path, struct arus_error *err);
/** Makes a folder and its missing parents. `made` (may be NULL) notes the folders that got an
 * entry: paths, each ending in NUL. */
ARUS_MUST_USE enum arus_status arus_folder_make(const char *path, struct arus_buffer *made,
                                                struct arus_error *err);

/* ---- durability ---- */

/** fsync of a file by path; nothing there is fine. */
ARUS_MUST_USE enum arus_status arus_file_sync_path(const char *path, struct arus_error *err);
/** The files of a list, paths each ending in NUL; one after the other is not promised. */
ARUS_MUST_USE enum arus_status arus_file_sync_all(const struct arus_buffer *paths,
                                                  struct arus_error *err);
/** Starts writing out, does not wait: before many syncs. Failures do not matter. */
void arus_file_sync_hint(const char *path);
ARUS_MUST_USE enum arus_status arus_folder_sync(const char *path, struct arus_error *err);

/* ---- folders that were made (base/folder_made.c) ---- */

/** Notes a folder with an entry that is not durable yet. */
ARUS_MUST_USE enum arus_status arus_folder_note(struct arus_buffer *made, const char *path,
                                                struct arus_error *err);
/** Notes a folder and those above it, as far as this user may change them: a run that died may have
 * made them. */
ARUS_MUST_USE enum arus_status arus_folder_note_above(struct arus_buffer *made, const char *path,
                                                      struct arus_error *err);
/** Syncs each noted folder once, in any order; then none is noted. */
ARUS_MUST_USE enum arus_status arus_folder_sync_made(struct arus_buffer *made,
                                                     struct arus_error *err);
/** arus_folder_make, durable when it returns: for what must not be lost with its folder. */
ARUS_MUST_USE enum arus_status arus_folder_make_durable(const char *path, struct arus_error *err);

/* ---- what the file system can ---- */

/**
 * Tries shared mappings, locks and renames without overwriting in a folder.
 * Errors: ARUS_BAD_CONFIG with the remedy in err->help: a network file system, or one that lacks
 * something.
 */
ARUS_MUST_USE enum arus_status arus_folder_probe(const char *path, struct arus_error *err);
/** Bytes a user may still write there; UINT64_MAX when unknown. */
uint64_t arus_folder_free_size(const char *path);

/* ---- tests ---- */

/** X(NAME, text): operations that can be made to fail and are recorded. */
#define ARUS_FILE_OPS(X)                                                                           \
    X(OPEN, "open")                                                                                \
    X(CREATE, "create")                                                                            \
    X(READ, "read")                                                                                \
    X(WRITE, "write")                                                                              \
    X(SYNC, "fsync")                                                                               \
    X(SYNC_FOLDER, "fsyncdir")                                                                     \
    X(RENAME, "rename")                                                                            \
    X(REMOVE, "unlink")                                                                            \
    X(MAKE_FOLDER, "mkdir")                                                                        \
    X(LIST, "list")                                                                                \
    X(STAT, "stat")                                                                                \
    X(LOCK, "lock")                                                                                \
    X(COMMIT, "commit")

enum arus_file_op {
#define X(name, text) ARUS_FILE_OP_##name,
    ARUS_FILE_OPS(X)
#undef X
        ARUS_FILE_OP_COUNT
};

/**
 * The n-th such operation from now fails with `errno_value`; 0 switches it off. A failing write
 * writes half of its bytes first. From the environment: ARUS_FAULT=op:nth:errno, with ENOSPC, EIO
 * or a number. ARUS_TRACE_IO=FILE appends a line per changing operation: `op path offset size at`
 * or `rename from to` (paths percent-encoded); FILE.data holds the written bytes, `at` is their
 * place.
 */
void arus_file_fail_at(enum arus_file_op op, uint64_t nth, int errno_value);
/** Counts one operation that another room carries out itself (the journal's commit). True: it has
 * to fail now, errno is set. */
bool arus_file_fault(enum arus_file_op op);

#endif
