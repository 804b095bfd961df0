/** Reads the environment at each point: no state, and a getenv is nothing beside a batch. */
#include "base/failpoint.h"

#include <signal.h>
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

void arus_failpoint_reach(enum arus_failpoint point, int64_t batch_id)
{
    const char *wanted = getenv("ARUS_FAILPOINT");
    const char *name = NAMES[point];
    size_t size;

    if (wanted == NULL) {
        return;
    }
    size = strlen(name);
    if (strncmp(wanted, name, size) != 0 || (wanted[size] != '\0' && wanted[size] != ':')) {
        return;
    }
    if (wanted[size] == ':' && strtoll(wanted + size + 1, NULL, 10) != batch_id) {
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
