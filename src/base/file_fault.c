/** Making operations fail, and writing down what was done. */
#include "base/file_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const OP_NAMES[] = {
#define X(name, text) text,
    ARUS_FILE_OPS(X)
#undef X
};

/* The test hook: the one state of this room, besides alloc.c's. */
static atomic_ullong countdown[ARUS_FILE_OP_COUNT];
static atomic_int fault_errno[ARUS_FILE_OP_COUNT];
static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t trace_mutex = PTHREAD_MUTEX_INITIALIZER;
static int trace_fd = -1;
static int trace_data_fd = -1;
static uint64_t trace_data_size;

void arus_file_fail_at(enum arus_file_op op, uint64_t nth, int errno_value)
{
    atomic_store(&fault_errno[op], errno_value);
    atomic_store(&countdown[op], nth);
}

bool arus_file_is_watched(void)
{
    return trace_fd >= 0;
}

static int errno_of(const char *text)
{
    static const struct {
        const char *name;
        int value;
    } NAMES[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EDQUOT", EDQUOT}, {"EACCES", EACCES},
                 {"EROFS", EROFS},   {"ENOENT", ENOENT}, {"EMFILE", EMFILE}};

    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strcmp(NAMES[i].name, text) == 0) {
            return NAMES[i].value;
        }
    }
    return (int)strtol(text, NULL, 10);
}

static void read_fault(const char *text)
{
    for (int op = 0; op < ARUS_FILE_OP_COUNT; op++) {
        const size_t size = strlen(OP_NAMES[op]);
        char *end;
        uint64_t nth;

        if (strncmp(text, OP_NAMES[op], size) != 0 || text[size] != ':') {
            continue;
        }
        nth = strtoull(text + size + 1, &end, 10);
        arus_file_fail_at((enum arus_file_op)op, nth, *end == ':' ? errno_of(end + 1) : EIO);
    }
}

static void read_environment(void)
{
    const char *fault = getenv("ARUS_FAULT");
    const char *trace = getenv("ARUS_TRACE_IO");
    struct arus_path data_path;
    struct arus_error err;

    if (fault != NULL) {
        read_fault(fault);
    }
    if (trace == NULL || arus_path_format(&data_path, &err, "%s.data", trace) != ARUS_OK) {
        return;
    }
    trace_fd = open(trace, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    trace_data_fd = open(data_path.text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (trace_data_fd >= 0) {
        const off_t end = lseek(trace_data_fd, 0, SEEK_END);

        trace_data_size = end < 0 ? 0 : (uint64_t)end;
    }
}

bool arus_file_fault(enum arus_file_op op)
{
    unsigned long long left;

    (void)pthread_once(&environment_once, read_environment);
    left = atomic_load_explicit(&countdown[op], memory_order_relaxed);
    if (left == 0 || atomic_fetch_sub(&countdown[op], 1) != 1) {
        return false;
    }
    errno = atomic_load(&fault_errno[op]);
    return true;
}

static size_t put_encoded(char *out, const char *path)
{
    static const char HEX[] = "0123456789ABCDEF";
    size_t size = 0;

    for (; *path != '\0'; path++) {
        const unsigned char c = (unsigned char)*path;

        if (c <= ' ' || c == '%' || c >= 0x7f) {
            out[size++] = '%';
            out[size++] = HEX[c >> 4];
            out[size++] = HEX[c & 15];
        } else {
            out[size++] = (char)c;
        }
    }
    out[size++] = ' ';
    return size;
}

void arus_file_trace(enum arus_file_op op, const char *path, const char *to, uint64_t offset,
                     const void *data, size_t size)
{
    char line[7 * ARUS_PATH_MAX];
    size_t used;
    int number_size;

    if (trace_fd < 0) {
        return;
    }
    used = strlen(OP_NAMES[op]);
    memcpy(line, OP_NAMES[op], used);
    line[used++] = ' ';
    used += put_encoded(line + used, path);
    if (to != NULL) {
        used += put_encoded(line + used, to);
    }
    (void)pthread_mutex_lock(&trace_mutex);
    number_size = snprintf(line + used, 128, "%llu %zu %llu\n", (unsigned long long)offset, size,
                           (unsigned long long)trace_data_size);
    if (size > 0 && write(trace_data_fd, data, size) == (ssize_t)size) {
        trace_data_size += size;
    }
    if (write(trace_fd, line, used + (size_t)number_size) < 0) {
        trace_fd = -1; /* a record with a hole is worth nothing */
    }
    (void)pthread_mutex_unlock(&trace_mutex);
}

enum arus_status arus_file_fail(struct arus_error *err, const char *path)
{
    const int code = errno;
    const char *condition = code == ENOSPC || code == EDQUOT ? "TASK_WRITE_FAILED" : NULL;
    const enum arus_status status = arus_fail_errno(err, ARUS_FATAL, code, "%s", path);

    err->condition = condition;
    (void)snprintf(err->file.path, sizeof err->file.path, "%s", path);
    return status;
}
