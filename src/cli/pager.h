/** Output that a person scrolls through when it is longer than the screen. */
#ifndef ARUS_CLI_PAGER_H
#define ARUS_CLI_PAGER_H

#include "base/text.h"
#include "cli/terminal.h"

#include <stdio.h>

/** Zeroed = straight to standard output. Fields belong to pager.c. */
struct arus_pager {
    int line_max; /* more lines than that start the pager; 0: never */
    int line_count;
    struct arus_buffer waiting; /* what fits on the screen so far */
    FILE *pipe;
    void (*on_interrupt)(int); /* what a SIGINT did before */
    bool is_left;              /* the person closed it: the rest is not wanted */
};

/** ARUS_PAGER, else PAGER, else `less -FRSX`; empty or `cat`: none. */
const char *arus_pager_command(void);
void arus_pager_init(struct arus_pager *pager, const struct arus_terminal *screen);
/** Errors: ARUS_RETRY once the person has left the pager (is_left): nothing more is wanted. */
ARUS_MUST_USE enum arus_status arus_pager_write(struct arus_pager *pager, const void *data,
                                                size_t size, struct arus_error *err);
/** Everything is out, and the person is done looking. */
ARUS_MUST_USE enum arus_status arus_pager_finish(struct arus_pager *pager, struct arus_error *err);
/** Ends a pager that still runs. */
void arus_pager_release(struct arus_pager *pager);

#endif
