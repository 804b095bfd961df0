/** Temporary files for tests. */
#ifndef ARUS_TESTS_SUPPORT_FILE_H
#define ARUS_TESTS_SUPPORT_FILE_H

#include "base/text.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** Makes a file with this content; `path` gets its name, which ends in `suffix`. */
static inline void file_make(char *path, size_t path_size, const char *suffix,
                             struct arus_text content)
{
    int fd;

    (void)snprintf(path, path_size, "/tmp/arus-test-XXXXXX%s", suffix);
    fd = mkstemps(path, (int)strlen(suffix));
    cr_assert(fd >= 0);
    cr_assert(write(fd, content.data, content.size) == (ssize_t)content.size);
    (void)close(fd);
}

static inline void file_remove(const char *path)
{
    (void)unlink(path);
}

#endif
