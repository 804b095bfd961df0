/** run_conformance [-v] [--known FILE] [--only ID] PATH..: runs the cases of files or folders. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver.h"

#define CASE_SECONDS_MAX       120
#define KAFKA_CASE_SECONDS_MAX 900 /* a broker on a busy machine takes its time */

struct run {
    bool is_verbose;
    const char *only;
    json_t *known; /* ids that may fail: what arus cannot yet */
    size_t counts[3];
    struct hand hand;
};

/* ---- one case, in a process of its own: a crash is one failed case ---- */

static void run_child(const json_t *item, const struct hand *hand, int fd)
{
    static struct driver driver;
    FILE *out = fdopen(fd, "w");

    (void)alarm(case_needs_kafka(item) ? KAFKA_CASE_SECONDS_MAX : CASE_SECONDS_MAX);
    case_run(&driver, item, hand);
    (void)fprintf(out, "%d%s", (int)driver.outcome, driver.message);
    (void)fclose(out);
    exit(0); /* so that leaks are looked for */
}

static enum outcome read_verdict(int fd, pid_t child, char *message, size_t size)
{
    size_t used = 0;
    ssize_t got;
    int status = 0;

    while (used + 1 < size && (got = read(fd, message + used, size - 1 - used)) > 0) {
        used += (size_t)got;
    }
    message[used] = '\0';
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (used == 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        const char *end = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit code";

        (void)snprintf(message, size, "the process died: %s", end);
        return FAILED;
    }
    status = message[0] - '0';
    memmove(message, message + 1, used);
    return (enum outcome)status;
}

static enum outcome run_apart(struct run *run, const json_t *item, char *message, size_t size)
{
    enum outcome outcome;
    pid_t child;
    int fds[2];

    if (case_needs_kafka(item)) {
        (void)hand_open(&run->hand);
    }
    if (pipe(fds) != 0) {
        return FAILED;
    }
    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        (void)close(fds[0]);
        run_child(item, &run->hand, fds[1]);
    }
    (void)close(fds[1]);
    outcome = read_verdict(fds[0], child, message, size);
    (void)close(fds[0]);
    return outcome;
}

/* ---- files ---- */

static void run_one(struct run *run, const json_t *item)
{
    static const char *const WORDS[] = {"ok", "FAIL", "skip"};
    const char *id = json_string_value(json_object_get(item, "id"));
    bool is_known;
    enum outcome outcome;
    char message[4200];

    if (id == NULL || (run->only != NULL && strcmp(run->only, id) != 0)) {
        return;
    }
    is_known = json_object_get(run->known, id) != NULL;
    outcome = run_apart(run, item, message, sizeof message);
    if (is_known && outcome == PASSED) {
        (void)printf("note %s passes now: take it out of the list of known failures\n", id);
    }
    if (is_known && outcome == FAILED && run->only == NULL) {
        outcome = SKIPPED;
    }
    run->counts[outcome]++;
    if (outcome == FAILED || run->is_verbose) {
        (void)printf("%s %s%s%s\n", WORDS[outcome], id, message[0] == '\0' ? "" : ": ", message);
    }
}

static bool run_file(struct run *run, const char *path)
{
    json_error_t error;
    json_t *file = json_load_file(path, 0, &error);
    const json_t *cases = json_object_get(file, "cases");

    if (!json_is_array(cases)) {
        (void)fprintf(stderr, "%s: no cases: %s\n", path, error.text);
        json_decref(file);
        return false;
    }
    for (size_t i = 0; i < json_array_size(cases); i++) {
        run_one(run, json_array_get(cases, i));
    }
    json_decref(file);
    return true;
}

static int is_case_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot != NULL && strcmp(dot, ".json") == 0;
}

static bool run_path(struct run *run, const char *path)
{
    struct dirent **entries = NULL;
    struct stat info;
    bool is_fine = true;
    int count;

    if (stat(path, &info) != 0) {
        (void)fprintf(stderr, "%s: no such file or folder\n", path);
        return false;
    }
    if (!S_ISDIR(info.st_mode)) {
        return run_file(run, path);
    }
    count = scandir(path, &entries, is_case_file, alphasort);
    for (int i = 0; i < count; i++) {
        char file[4096];

        (void)snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        is_fine = run_file(run, file) && is_fine;
        free(entries[i]);
    }
    free(entries);
    return is_fine;
}

/* One id a line; `#` begins a remark. */
static bool read_known(struct run *run, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];

    if (file == NULL) {
        (void)fprintf(stderr, "%s: no such file\n", path);
        return false;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, " #\n")] = '\0';
        if (line[0] != '\0') {
            (void)json_object_set_new(run->known, line, json_true());
        }
    }
    (void)fclose(file);
    return true;
}

int main(int argc, char **argv)
{
    struct run run = {.known = json_object()};
    bool is_fine = argc > 1;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) {
            run.is_verbose = true;
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            run.only = argv[++i];
        } else if (strcmp(argv[i], "--known") == 0 && i + 1 < argc) {
            is_fine = read_known(&run, argv[++i]) && is_fine;
        } else {
            is_fine = run_path(&run, argv[i]) && is_fine;
        }
    }
    if (argc <= 1) {
        (void)fprintf(stderr, "usage: run_conformance [-v] [--known FILE] [--only ID] PATH..\n");
    }
    (void)printf("%zu passed, %zu failed, %zu skipped\n", run.counts[PASSED], run.counts[FAILED],
                 run.counts[SKIPPED]);
    hand_close(&run.hand);
    json_decref(run.known);
    return is_fine && run.counts[FAILED] == 0 ? 0 : 1;
}
