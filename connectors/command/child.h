/**
 * Runs a shell command that cannot outlive this process: a guard process between the two ends it
 * with all it started when we die, however that happens, and when it has ended itself.
 */
#ifndef ARUS_CONNECTORS_COMMAND_CHILD_H
#define ARUS_CONNECTORS_COMMAND_CHILD_H

#include "base/error.h"

#include <stdbool.h>

struct arus_child {
    const char *text;   /* for /bin/sh -c */
    const char *folder; /* where it runs */
    int input_fd;       /* its standard input */
    int lock_fd;        /* inherited by it and all it starts: who holds the lock is still running */
    const char *const *variables; /* NAME=value, NULL-terminated; added to our environment */
    const volatile int *stop;     /* ends it early once `stop_at` or more; NULL: nothing does */
    int stop_at;
    void (*on_start)(void *self); /* it has been started; may be NULL */
    void *self;
};

/** How it ended. */
struct arus_child_end {
    int exit_code; /* -1: by a signal */
    int signal;
};

/** Waits for its end. Errors: ARUS_FATAL: it cannot be started; ARUS_RETRY: stopped on request. */
ARUS_MUST_USE enum arus_status arus_child_run(const struct arus_child *command,
                                              struct arus_child_end *out, struct arus_error *err);

#endif
