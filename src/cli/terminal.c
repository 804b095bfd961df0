/** Screens and files. */
#include "cli/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_DEFAULT 80
#define WIDTH_MAX     10000

struct arus_terminal_environment arus_terminal_environment(void)
{
    return (struct arus_terminal_environment){getenv("TERM"), getenv("COLUMNS"), getenv("NO_COLOR"),
                                              getenv("CLICOLOR_FORCE")};
}

static bool is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static int columns_of(const char *text)
{
    char *end;
    long columns;

    if (!is_set(text)) {
        return WIDTH_DEFAULT;
    }
    errno = 0;
    columns = strtol(text, &end, 10);
    return errno != 0 || *end != '\0' || columns < 1 || columns > WIDTH_MAX ? WIDTH_DEFAULT
                                                                            : (int)columns;
}

static bool decide_color(bool is_terminal, enum arus_color color,
                         const struct arus_terminal_environment *environment)
{
    switch (color) {
    case ARUS_COLOR_ALWAYS:
        return true;
    case ARUS_COLOR_NEVER:
        return false;
    case ARUS_COLOR_AUTO:
        break;
    }
    if (is_set(environment->no_color)) {
        return false;
    }
    if (is_set(environment->clicolor_force) && strcmp(environment->clicolor_force, "0") != 0) {
        return true;
    }
    return is_terminal;
}

struct arus_terminal arus_terminal_of(int fd, enum arus_color color,
                                      const struct arus_terminal_environment *environment)
{
    const bool is_dumb = environment->term != NULL && strcmp(environment->term, "dumb") == 0;
    struct arus_terminal terminal = {.is_terminal = isatty(fd) == 1 && !is_dumb};
    struct winsize size = {0};

    terminal.has_color = decide_color(terminal.is_terminal, color, environment);
    if (!terminal.is_terminal) {
        return terminal;
    }
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        terminal.width = size.ws_col;
        terminal.height = size.ws_row;
    } else {
        terminal.width = columns_of(environment->columns);
    }
    return terminal;
}

bool arus_color_parse(const char *text, enum arus_color *out)
{
    static const char *const NAMES[] = {"auto", "always", "never"};

    for (int i = 0; i < 3; i++) {
        if (strcmp(text, NAMES[i]) == 0) {
            *out = (enum arus_color)i;
            return true;
        }
    }
    return false;
}
