/** A temporary folder for one test. */
#ifndef ARUS_TESTS_SUPPORT_FOLDER_H
#define ARUS_TESTS_SUPPORT_FOLDER_H

#include "base/file.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char test_folder[256];

/** Setup and teardown of a Criterion test or suite. */
static inline void folder_make(void)
{
    const char *root = getenv("TMPDIR");

    (void)snprintf(test_folder, sizeof test_folder, "%s/arus-test-XXXXXX",
                   root == NULL ? "/tmp" : root);
    cr_assert(mkdtemp(test_folder) != NULL);
}

static inline void folder_remove(void)
{
    struct arus_error err;

    cr_assert(arus_folder_remove_all(test_folder, &err) == ARUS_OK, "%s", err.message);
}

/** `test_folder`/name; four results live at a time. */
static inline const char *at(const char *name)
{
    static char paths[4][1024];
    static int next;
    char *path = paths[next++ % 4];

    (void)snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

static inline void put_file(const char *path, const char *content)
{
    FILE *file;
    char parent[1024];

    (void)snprintf(parent, sizeof parent, "%s", path);
    for (char *slash = strchr(parent + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(parent, 0777);
        *slash = '/';
    }
    file = fopen(path, "wb");
    cr_assert(file != NULL, "%s", path);
    cr_assert(fwrite(content, 1, strlen(content), file) == strlen(content));
    cr_assert(fclose(file) == 0);
}

/** The content; NULL: no such file. Four results live at a time. */
static inline const char *file_text(const char *path)
{
    static char texts[4][65536];
    static int next;
    char *text = texts[next++ % 4];
    FILE *file = fopen(path, "rb");
    size_t size;

    if (file == NULL) {
        return NULL;
    }
    size = fread(text, 1, sizeof texts[0] - 1, file);
    text[size] = '\0';
    (void)fclose(file);
    return text;
}

static inline bool has_file(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

/** A call that must work. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        const enum arus_status must_status_ = (call);                                              \
        cr_assert(must_status_ == ARUS_OK, "%s [%s]", err.message,                                 \
                  err.condition == NULL ? "" : err.condition);                                     \
    } while (0)

#endif
