/** What a stream can show: width and colour. */
#ifndef ARUS_CLI_TERMINAL_H
#define ARUS_CLI_TERMINAL_H

#include "base/error.h"

#include <stdbool.h>

enum arus_color { ARUS_COLOR_AUTO, ARUS_COLOR_ALWAYS, ARUS_COLOR_NEVER };

struct arus_terminal {
    bool is_terminal; /* a screen that takes control codes */
    bool has_color;
    int width;  /* columns; 0: unknown, nothing is cut */
    int height; /* lines; 0: unknown */
};

/** The environment that decides, as text; NULL: not set. */
struct arus_terminal_environment {
    const char *term;           /* TERM */
    const char *columns;        /* COLUMNS */
    const char *no_color;       /* NO_COLOR */
    const char *clicolor_force; /* CLICOLOR_FORCE */
};

/** Reads the process environment. */
struct arus_terminal_environment arus_terminal_environment(void);

/**
 * Describes the stream behind `fd`. Width: the screen's, else COLUMNS, else 80; a file has none.
 * Colour: `color`, then NO_COLOR (not empty), then CLICOLOR_FORCE (not empty, not 0), then whether
 * it is a screen.
 */
struct arus_terminal arus_terminal_of(int fd, enum arus_color color,
                                      const struct arus_terminal_environment *environment);

/** "auto", "always", "never"; false: none of them. */
bool arus_color_parse(const char *text, enum arus_color *out);

#endif
