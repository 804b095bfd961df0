/** Signals of `arus run`: INT, TERM and HUP stop it, USR1 asks how far it is. */
#ifndef ARUS_CLI_SIGNALS_H
#define ARUS_CLI_SIGNALS_H

#include "api/session.h"

/** What a signal asked the watching thread for; the bytes that come out of the wake descriptor. */
enum arus_wake {
    ARUS_WAKE_STOP = 's', /* the first stop: say so */
    ARUS_WAKE_SHOW = 'u', /* SIGUSR1: a progress line */
    ARUS_WAKE_QUIT = 'q'  /* the run is over: the watching thread ends */
};

/** Takes over the signals; SIGPIPE is ignored from now on. */
ARUS_MUST_USE enum arus_status arus_signals_take(struct arus_error *err);
/** Closes the descriptors; signals are the run's no more. */
void arus_signals_release(void);
/** The stop that queries look at. */
const struct arus_stop *arus_signals_stop(void);
/** Readable, not blocking: bytes of enum arus_wake. */
int arus_signals_wake_fd(void);
/** As a first stop without a word, from any thread. */
void arus_signals_stop_after_batch(void);
/** Until `flag` NULL is given, SIGINT sets `*flag` to 1. For `arus sql`, which has no run. */
void arus_signals_catch_interrupt(volatile int *flag);
/** Ends the watching thread. */
void arus_signals_quit(void);

#endif
