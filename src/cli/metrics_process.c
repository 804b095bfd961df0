/** Numbers of this process from /proc. */
#include "cli/metrics_internal.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Field 22 of /proc/self/stat counts ticks since the machine's start, which is `btime` of
 * /proc/stat. */
static double start_seconds(void)
{
    FILE *file = fopen("/proc/self/stat", "re");
    unsigned long long ticks = 0;
    long long boot = 0;
    char line[1024] = "";
    const char *after;

    if (file != NULL) {
        (void)!fgets(line, sizeof line, file);
        (void)fclose(file);
    }
    after = strrchr(line, ')'); /* the program's name may hold anything */
    if (after == NULL ||
        sscanf(after + 1,
               " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
               &ticks) != 1) {
        return -1;
    }
    file = fopen("/proc/stat", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "btime %lld", &boot) != 1) {
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return (double)boot + (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static int64_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    long pages = -1;

    if (file == NULL) {
        return -1;
    }
    if (fscanf(file, "%*d %ld", &pages) != 1) {
        pages = -1;
    }
    (void)fclose(file);
    return pages < 0 ? -1 : (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static int64_t open_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int64_t count = 0;

    if (folder == NULL) {
        return -1;
    }
    while (readdir(folder) != NULL) {
        count++;
    }
    (void)closedir(folder);
    return count - 3; /* `.`, `..` and the folder's own */
}

struct arus_process_numbers arus_process_look(void)
{
    struct arus_process_numbers out = {.start_seconds = start_seconds(),
                                       .resident_bytes = resident_bytes(),
                                       .open_fds = open_fds(),
                                       .max_fds = -1};
    struct rusage usage;
    struct rlimit limit;

    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        out.cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                          (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        out.max_fds = (int64_t)limit.rlim_cur;
    }
    return out;
}
