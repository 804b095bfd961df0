/** Runs a fuzz target over files and folders given as arguments: seeds and past findings, without a
 * fuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replayed_count;

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data;
    long size;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return 1;
    }
    size = ftell(file);
    rewind(file);
    data =
        malloc((size_t)size + 1); /* exactly as large, so that a sanitizer sees reads behind it */
    if (data == NULL || fread(data, 1, (size_t)size, file) != (size_t)size) {
        perror(path);
        return 1;
    }
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    replayed_count++;
    return 0;
}

static int replay(const char *path)
{
    struct stat info;
    struct dirent *entry;
    DIR *folder;
    int failed = 0;

    if (stat(path, &info) != 0) {
        perror(path);
        return 1;
    }
    if (!S_ISDIR(info.st_mode)) {
        return replay_file(path);
    }
    folder = opendir(path);
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char child[4096];

        if (entry->d_name[0] != '.') {
            (void)snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
            failed |= replay(child);
        }
    }
    return folder == NULL || closedir(folder) != 0 || failed;
}

int main(int argc, char **argv)
{
    int failed = 0;

    for (int i = 1; i < argc; i++) {
        failed |= replay(argv[i]);
    }
    (void)printf("%d passed, %d failed\n", replayed_count, failed);
    return failed != 0 || replayed_count == 0;
}
