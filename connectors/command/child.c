#define _GNU_SOURCE /* pipe2, ppoll, close_range */

/* Between fork and exec only calls that are safe in a process with threads. */
#include "command/child.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOCK_FD  3 /* as the command sees it */
#define ALIVE_FD 4 /* the guard's: ends when we do */
#define TELL_FD  5 /* the guard's: how the command ended */
#define HIGH_FD  16
#define STOP_MS  100 /* a stop is noticed this late */

extern char **environ;

/* ---- environment ---- */

static size_t name_size(const char *variable)
{
    return strcspn(variable, "=");
}

static bool is_replaced(const char *variable, const char *const *by)
{
    const size_t size = name_size(variable);

    while (*by != NULL && (name_size(*by) != size || strncmp(*by, variable, size) != 0)) {
        by++;
    }
    return *by != NULL;
}

static const char **make_environment(const char *const *added)
{
    size_t count = 0;
    const char **out;

    for (size_t i = 0; environ[i] != NULL; i++) {
        count++;
    }
    for (size_t i = 0; added[i] != NULL; i++) {
        count++;
    }
    out = arus_alloc(count + 1, sizeof *out);
    count = 0;
    for (size_t i = 0; out != NULL && environ[i] != NULL; i++) {
        if (!is_replaced(environ[i], added)) {
            out[count++] = environ[i];
        }
    }
    for (size_t i = 0; out != NULL && added[i] != NULL; i++) {
        out[count++] = added[i];
    }
    return out;
}

/* ---- in the command's process ---- */

_Noreturn static void become_command(const struct arus_child *command, const char **environment)
{
    static const int DEFAULTS[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1};
    const char *arguments[] = {"sh", "-c", command->text, NULL};
    sigset_t none;

    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the guard itself be killed */
    for (size_t i = 0; i < sizeof DEFAULTS / sizeof DEFAULTS[0]; i++) {
        (void)signal(DEFAULTS[i], SIG_DFL);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)close(ALIVE_FD);
    (void)close(TELL_FD);
    if (chdir(command->folder) == 0) {
        /* execve takes them as it would const */
        (void)execve("/bin/sh", (char *const *)(uintptr_t)arguments,
                     (char *const *)(uintptr_t)environment);
    }
    _exit(127);
}

/* ---- in the guard's process ---- */

static void on_child(int number)
{
    (void)number; /* only there to wake ppoll */
}

/* Keeps what is needed under low numbers and closes all else: locks and connections are not the
 * command's. */
static void settle_descriptors(const struct arus_child *command, int alive, int tell)
{
    const int from[] = {command->input_fd, command->lock_fd, alive, tell};
    static const int TO[] = {STDIN_FILENO, LOCK_FD, ALIVE_FD, TELL_FD};
    int high[4];

    for (size_t i = 0; i < 4; i++) {
        high[i] = fcntl(from[i], F_DUPFD, HIGH_FD);
    }
    for (size_t i = 0; i < 4; i++) {
        (void)dup2(high[i], TO[i]);
    }
    (void)close_range(TELL_FD + 1, ~0U, 0);
}

/* Waits until the command ends or we are gone. */
static int watch(pid_t child, const sigset_t *before)
{
    struct pollfd alive = {.fd = ALIVE_FD, .events = POLLIN};
    int status = 0;

    while (waitpid(child, &status, WNOHANG) == 0) {
        if (ppoll(&alive, 1, NULL, before) > 0) { /* the other end is closed */
            (void)kill(-child, SIGKILL);
            (void)kill(child, SIGKILL);
            (void)waitpid(child, &status, 0);
            break;
        }
    }
    (void)kill(-child, SIGKILL); /* what it left behind */
    return status;
}

_Noreturn static void become_guard(const struct arus_child *command, const char **environment,
                                   int alive, int tell)
{
    struct sigaction action = {.sa_handler = on_child};
    sigset_t child_signal;
    sigset_t before;
    pid_t child;
    int status = -1;

    (void)setpgid(0, 0); /* an interrupt of the terminal is for us, not for the batch */
    settle_descriptors(command, alive, tell);
    (void)sigaction(SIGCHLD, &action, NULL);
    (void)sigemptyset(&child_signal);
    (void)sigaddset(&child_signal, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &child_signal, &before);
    (void)sigdelset(&before, SIGCHLD);
    child = fork();
    if (child == 0) {
        become_command(command, environment);
    }
    if (child > 0) {
        (void)setpgid(child, child);
        status = watch(child, &before);
    }
    if (write(TELL_FD, &status, sizeof status) < 0) {
        _exit(1); /* nobody listens any more */
    }
    _exit(0);
}

/* ---- in ours ---- */

static bool must_stop(const struct arus_child *command)
{
    return command->stop != NULL && *command->stop >= command->stop_at;
}

/* The command's status as waitpid gives it. Closing `*alive` makes the guard end it. */
static enum arus_status wait_for_guard(const struct arus_child *command, int tell, int *alive,
                                       int *status, struct arus_error *err)
{
    struct pollfd fd = {.fd = tell, .events = POLLIN};
    bool is_stopped = false;
    ssize_t got;

    while (poll(&fd, 1, STOP_MS) <= 0) {
        if (!is_stopped && must_stop(command)) {
            is_stopped = true;
            (void)close(*alive);
            *alive = -1;
        }
    }
    do {
        got = read(tell, status, sizeof *status);
    } while (got < 0 && errno == EINTR);
    if (is_stopped) {
        return arus_fail(err, ARUS_RETRY, NULL, "the command was ended on request");
    }
    return got == (ssize_t)sizeof *status && *status != -1
               ? ARUS_OK
               : arus_fail(err, ARUS_FATAL, NULL, "the command cannot be started");
}

static void close_end(int *fd)
{
    if (*fd >= 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

enum arus_status arus_child_run(const struct arus_child *command, struct arus_child_end *out,
                                struct arus_error *err)
{
    const char **environment = make_environment(command->variables);
    int alive[2] = {-1, -1};
    int tell[2] = {-1, -1};
    enum arus_status status = ARUS_OK;
    int ended = 0;
    pid_t guard = -1;

    if (environment == NULL) {
        return arus_fail_memory(err);
    }
    if (pipe2(alive, O_CLOEXEC) != 0 || pipe2(tell, O_CLOEXEC) != 0 || (guard = fork()) < 0) {
        status = arus_fail_errno(err, ARUS_FATAL, errno, "the command cannot be started");
        goto out;
    }
    if (guard == 0) {
        become_guard(command, environment, alive[0], tell[1]);
    }
    close_end(&alive[0]);
    close_end(&tell[1]);
    if (command->on_start != NULL) {
        command->on_start(command->self);
    }
    status = wait_for_guard(command, tell[0], &alive[1], &ended, err);
    while (waitpid(guard, NULL, 0) < 0 && errno == EINTR) {
    }
    out->exit_code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    out->signal = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
out:
    close_end(&alive[0]);
    close_end(&alive[1]);
    close_end(&tell[0]);
    close_end(&tell[1]);
    arus_free(environment);
    return status;
}
