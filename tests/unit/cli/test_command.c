#include "cli/command.h"
#include "cli/help.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define LINE_MAX 20

/* Splits at blanks into `words`; argv needs writable, lasting strings. */
static int split(const char *line, char *copy, char **words)
{
    int count = 0;

    memcpy(copy, line, strlen(line) + 1);
    for (char *c = copy; *c != '\0'; c++) {
        if (c == copy || c[-1] == '\0') {
            words[count++] = c;
        }
        if (*c == ' ') {
            *c = '\0';
        }
    }
    words[count] = NULL;
    return count;
}

static void expect_error(const char *line, const char *expected)
{
    char *words[LINE_MAX];
    char copy[200];
    struct arus_args args;
    struct arus_error err;
    const int count = split(line, copy, words);

    cr_assert(eq(int, arus_args_parse(count, words, &args, &err), ARUS_BAD_CONFIG), "%s", line);
    cr_expect_str_eq(err.message, expected, "%s", err.message);
}

Test(command, reads_flags_and_operands_in_any_order)
{
    char *words[LINE_MAX];
    char copy[200];
    struct arus_args args;
    struct arus_error err;
    const int count =
        split("arus run late.sql --set a=b -vv --threads 3 --set c=d --color never", copy, words);

    cr_assert(eq(int, arus_args_parse(count, words, &args, &err), ARUS_OK));
    cr_expect(eq(int, args.command->id, ARUS_COMMAND_RUN));
    cr_expect(eq(int, args.operand_count, 1));
    cr_expect_str_eq(args.operands[0], "late.sql");
    cr_expect(eq(int, args.verbosity, 2));
    cr_expect(eq(int, args.color, ARUS_COLOR_NEVER));
    cr_expect(eq(u64, arus_args_number(&args, ARUS_FLAG_THREADS, 0), 3));
    cr_expect_str_eq(arus_args_find(&args, ARUS_FLAG_SET)->value, "c=d");
    cr_expect_not(arus_args_has(&args, ARUS_FLAG_AVAILABLE_NOW));
}

Test(command, nothing_means_help)
{
    char *words[LINE_MAX];
    char copy[200];
    struct arus_args args;
    struct arus_error err;

    cr_assert(eq(int, arus_args_parse(split("arus", copy, words), words, &args, &err), ARUS_OK));
    cr_expect(eq(int, args.command->id, ARUS_COMMAND_HELP));
    cr_assert(eq(int, arus_args_parse(split("arus --version", copy, words), words, &args, &err),
                 ARUS_OK));
    cr_expect(eq(int, args.command->id, ARUS_COMMAND_VERSION));
    cr_assert(
        eq(int, arus_args_parse(split("arus cat -h", copy, words), words, &args, &err), ARUS_OK));
    cr_expect(args.wants_help);
}

Test(command, slips_name_the_nearest_word)
{
    expect_error("arus rnu late.sql", "no command `rnu`; did you mean `run`?");
    expect_error("arus stats x", "no command `stats`; did you mean `status`?");
    expect_error("arus frobnicate", "no command `frobnicate`; arus help lists them");
    expect_error("arus run x --thread2 3", "run has no flag --thread2; did you mean --threads?");
    expect_error("arus run x --frobnicate", "run has no flag --frobnicate; see arus run -h");
    expect_error("arus cat x -z", "cat has no flag -z; see arus cat -h");
    expect_error("arus cat x -n", "-n needs a value");
    expect_error("arus cat x -n many", "-n takes a whole number, not `many`");
    expect_error("arus run x --set a", "--set takes KEY=VALUE, not `a`");
    expect_error("arus run", "run needs FILE.sql[:QUERY]; see arus run -h");
    expect_error("arus run a b", "one `b` too many; see arus run -h");
    expect_error("arus run x --color red", "--color takes auto, always or never, not `red`");
    expect_error("arus -v run x", "the command comes first; arus help lists them");
}

static size_t line_count(const struct arus_buffer *out)
{
    size_t count = 0;

    for (size_t i = 0; i < out->size; i++) {
        count += out->data[i] == '\n';
    }
    return count;
}

static size_t longest_line(const struct arus_buffer *out)
{
    size_t longest = 0;
    size_t size = 0;

    for (size_t i = 0; i < out->size; i++) {
        size = out->data[i] == '\n' ? 0 : size + 1;
        longest = size > longest ? size : longest;
    }
    return longest;
}

Test(command, help_fits_a_screen)
{
    size_t count;
    const struct arus_command *commands = arus_commands(&count);
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_help_overview(&out, &err), ARUS_OK));
    cr_expect(line_count(&out) <= 24);
    for (size_t i = 0; i < count; i++) {
        arus_buffer_reset(&out);
        cr_assert(eq(int, arus_help_command(&commands[i], &out, &err), ARUS_OK));
        cr_expect(line_count(&out) <= 24, "%s", commands[i].name);
        cr_expect(longest_line(&out) <= 96, "%s", commands[i].name);
    }
    arus_buffer_release(&out);
}

Test(command, help_says_what_to_type)
{
    struct arus_buffer out = {0};
    struct arus_error err;

    cr_assert(eq(int, arus_help_command(arus_command_find("status"), &out, &err), ARUS_OK));
    cr_assert(eq(int, arus_buffer_append_char(&out, '\0', &err), ARUS_OK));
    cr_expect_str_eq(out.data, "arus status shows where a query stands.\n"
                               "CKPT is a checkpoint folder, or FILE.sql[:QUERY].\n"
                               "\n"
                               "  arus status late.sql\n"
                               "  arus status ckpt/windows --json\n"
                               "\n"
                               "usage: arus status CKPT [flags]\n"
                               "      --json               a JSON object a line\n"
                               "      --watch              again and again, until Ctrl-C\n"
                               "  -h, --help               this text\n"
                               "  -q, --quiet              errors only\n"
                               "  -v, --verbose            say more; -vv: also plans and timings\n"
                               "      --color WHEN         auto, always or never\n"
                               "exit: 0 done, 2 no checkpoint\n");
    arus_buffer_release(&out);
}

Test(command, conditions_have_pages)
{
    struct arus_buffer out = {0};
    struct arus_error err;
    bool found;

    cr_assert(eq(int, arus_help_condition("divide_by_zero", &out, &found, &err), ARUS_OK));
    cr_assert(found);
    cr_assert(eq(int, arus_buffer_append_char(&out, '\0', &err), ARUS_OK));
    cr_expect_str_eq(out.data, "DIVIDE_BY_ZERO  (SQLSTATE 22012)\n\nA division by zero. Get NULL "
                               "instead: try_divide(a, b), or a / nullif(b, 0).\n");
    arus_buffer_release(&out);
    cr_assert(eq(int, arus_help_condition("NO_SUCH", &out, &found, &err), ARUS_OK));
    cr_expect_not(found);
}

Test(command, every_flag_is_in_manual_and_completions)
{
    static enum arus_status (*const MAKERS[])(struct arus_buffer *, struct arus_error *) = {
        arus_completion_bash, arus_completion_zsh, arus_completion_fish};
    struct arus_error err;

    for (size_t i = 0; i < 3; i++) {
        struct arus_buffer out = {0};

        cr_assert(eq(int, MAKERS[i](&out, &err), ARUS_OK));
        cr_assert(eq(int, arus_buffer_append_char(&out, '\0', &err), ARUS_OK));
        cr_expect_not_null(strstr(out.data, "available-now"));
        cr_expect_null(strstr(out.data, "generate"));
        arus_buffer_release(&out);
    }
}
