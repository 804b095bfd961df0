#include "cli/terminal.h"

#include <criterion/criterion.h>

#include <fcntl.h>
#include <unistd.h>

static struct arus_terminal of_file(enum arus_color color, const char *no_color, const char *force)
{
    const struct arus_terminal_environment environment = {
        .term = "xterm", .no_color = no_color, .clicolor_force = force};
    const int fd = open("/dev/null", O_WRONLY);
    const struct arus_terminal terminal = arus_terminal_of(fd, color, &environment);

    (void)close(fd);
    return terminal;
}

Test(terminal, files_have_no_width_and_no_colour)
{
    const struct arus_terminal terminal = of_file(ARUS_COLOR_AUTO, NULL, NULL);

    cr_expect_not(terminal.is_terminal);
    cr_expect_not(terminal.has_color);
    cr_expect_eq(terminal.width, 0);
}

Test(terminal, colour_is_decided_by_flag_then_environment)
{
    cr_expect(of_file(ARUS_COLOR_ALWAYS, "1", NULL).has_color);
    cr_expect_not(of_file(ARUS_COLOR_NEVER, NULL, "1").has_color);
    cr_expect(of_file(ARUS_COLOR_AUTO, NULL, "1").has_color);
    cr_expect(of_file(ARUS_COLOR_AUTO, "", "1").has_color);
    cr_expect_not(of_file(ARUS_COLOR_AUTO, "1", "1").has_color);
    cr_expect_not(of_file(ARUS_COLOR_AUTO, NULL, "0").has_color);
}
