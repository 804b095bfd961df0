/** The one place that needs static state. */
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static struct arus_stop STOP = {ARUS_STOP_NO, -1};
static volatile sig_atomic_t STOP_PIPE = -1; /* the writing ends */
static volatile sig_atomic_t WAKE_PIPE = -1;
static int WAKE_FD = -1;

static void write_byte(int fd, char byte)
{
    const int saved = errno;

    if (fd >= 0) {
        const ssize_t written = write(fd, &byte, 1);

        (void)written; /* a full pipe is readable all the same */
    }
    errno = saved;
}

static void raise_stop(void)
{
    if (STOP.level < ARUS_STOP_NOW) {
        STOP.level++;
    }
    write_byte(STOP_PIPE, 0);
}

static void on_stop(int number)
{
    (void)number;
    if (STOP.level == ARUS_STOP_NO) {
        write_byte(WAKE_PIPE, ARUS_WAKE_STOP);
    }
    raise_stop();
}

static void on_show(int number)
{
    (void)number;
    write_byte(WAKE_PIPE, ARUS_WAKE_SHOW);
}

void arus_signals_stop_after_batch(void)
{
    if (STOP.level == ARUS_STOP_NO) {
        raise_stop();
    }
}

void arus_signals_quit(void)
{
    write_byte(WAKE_PIPE, ARUS_WAKE_QUIT);
}

static volatile int *INTERRUPT;

static void on_interrupt(int number)
{
    (void)number;
    if (INTERRUPT != NULL) {
        *INTERRUPT = 1;
    }
}

static enum arus_status open_pipe(int fds[2], struct arus_error *err)
{
    if (pipe(fds) != 0 || fcntl(fds[0], F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(fds[1], F_SETFD, FD_CLOEXEC) != 0 || fcntl(fds[0], F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(fds[1], F_SETFL, O_NONBLOCK) != 0) {
        return arus_fail_errno(err, ARUS_FATAL, errno, "a pipe for signals");
    }
    return ARUS_OK;
}

static void set_handler(int number, void (*handler)(int))
{
    struct sigaction action = {0};

    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    (void)sigaction(number, &action, NULL);
}

void arus_signals_catch_interrupt(volatile int *flag)
{
    INTERRUPT = flag;
    set_handler(SIGINT, flag == NULL ? SIG_DFL : on_interrupt);
}

enum arus_status arus_signals_take(struct arus_error *err)
{
    int stop[2];
    int wake[2];

    ARUS_TRY(open_pipe(stop, err));
    STOP = (struct arus_stop){ARUS_STOP_NO, stop[0]};
    STOP_PIPE = stop[1];
    ARUS_TRY(open_pipe(wake, err));
    WAKE_FD = wake[0];
    WAKE_PIPE = wake[1];
    set_handler(SIGINT, on_stop);
    set_handler(SIGTERM, on_stop);
    set_handler(SIGHUP, on_stop);
    set_handler(SIGUSR1, on_show);
    set_handler(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write */
    return ARUS_OK;
}

static void close_end(int fd)
{
    if (fd >= 0) {
        (void)close(fd);
    }
}

void arus_signals_release(void)
{
    const int stop = STOP_PIPE;
    const int wake = WAKE_PIPE;

    STOP_PIPE = -1;
    WAKE_PIPE = -1;
    close_end(stop);
    close_end(wake);
    close_end(STOP.fd);
    close_end(WAKE_FD);
    WAKE_FD = -1;
    STOP = (struct arus_stop){ARUS_STOP_NO, -1};
}

const struct arus_stop *arus_signals_stop(void)
{
    return &STOP;
}

int arus_signals_wake_fd(void)
{
    return WAKE_FD;
}
