/** Reads the environment at each point: a getenv is nothing beside a batch. */
#include "base/failpoint.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const NAMES[] = {
#define X(name, text, meaning) text,
    ARUS_FAILPOINTS(X)
#undef X
};
static const char *const MEANINGS[] = {
#define X(name, text, meaning) meaning,
    ARUS_FAILPOINTS(X)
#undef X
};

/* NAME or NAME:BATCH */
static bool is_meant(const char *wanted, const char *name, int64_t batch_id)
{
    const size_t size = strlen(name);

    if (wanted == NULL || strncmp(wanted, name, size) != 0) {
        return false;
    }
    return wanted[size] == '\0' ||
           (wanted[size] == ':' && strtoll(wanted + size + 1, NULL, 10) == batch_id);
}

void arus_failpoint_reach(enum arus_failpoint point, int64_t batch_id)
{
    static atomic_bool has_paused;

    if (is_meant(getenv("ARUS_PAUSEPOINT"), NAMES[point], batch_id) &&
        !atomic_exchange(&has_paused, true)) {
        (void)kill(getpid(), SIGSTOP); /* goes on with SIGCONT */
    }
    if (!is_meant(getenv("ARUS_FAILPOINT"), NAMES[point], batch_id)) {
        return;
    }
    (void)kill(getpid(), SIGKILL);
    for (;;) {
        (void)pause(); /* the signal is on its way */
    }
}

const char *arus_failpoint_name(enum arus_failpoint point)
{
    return NAMES[point];
}

const char *arus_failpoint_meaning(enum arus_failpoint point)
{
    return MEANINGS[point];
}
