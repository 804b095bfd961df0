/** Help on the screen. */
#include "cli/help.h"

#include "base/condition.h"

#include <stdio.h>

enum arus_status arus_help_overview(struct arus_buffer *out, struct arus_error *err)
{
    size_t count;
    const struct arus_command *commands = arus_commands(&count);

    ARUS_TRY(arus_buffer_append_text(
        out,
        ARUS_TEXT("arus runs streaming SQL pipelines: folders in, Parquet and other files out, "
                  "exactly once.\n\n"),
        err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "  arus %-8s %s\n", commands[i].name,
                                    commands[i].summary));
    }
    return arus_buffer_append_text(
        out,
        ARUS_TEXT("\nStart:  arus run FILE.sql, then arus cat of its sink.\nMore:   arus "
                  "help COMMAND, arus help FUNCTION, arus help CONDITION, man arus\n"),
        err);
}

static enum arus_status put_example(const struct arus_example *example, struct arus_buffer *out,
                                    struct arus_error *err)
{
    return example->note == NULL
               ? arus_buffer_printf(out, err, "  %s\n", example->text)
               : arus_buffer_printf(out, err, "  %-44s  # %s\n", example->text, example->note);
}

/* "-b, --broker HOST:PORT" */
static void spell(const struct arus_flag *flag, char out[48])
{
    char letter[4] = "  ";

    if (flag->letter != 0) {
        letter[0] = '-';
        letter[1] = flag->letter;
    }
    (void)snprintf(out, 48, "%s%s%s%s%s%s", letter,
                   flag->name == NULL  ? ""
                   : flag->letter != 0 ? ", "
                                       : "  ",
                   flag->name == NULL ? "" : "--", flag->name == NULL ? "" : flag->name,
                   flag->argument == NULL ? "" : " ", flag->argument == NULL ? "" : flag->argument);
}

static enum arus_status put_flags(const struct arus_flag *flags, struct arus_buffer *out,
                                  struct arus_error *err)
{
    for (const struct arus_flag *flag = flags; flag->id != ARUS_FLAG_NONE; flag++) {
        char spelled[48];

        if (!flag->is_hidden) {
            spell(flag, spelled);
            ARUS_TRY(arus_buffer_printf(out, err, "  %-24s %s\n", spelled, flag->help));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_help_command(const struct arus_command *command, struct arus_buffer *out,
                                   struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "arus %s %s%s\n", command->name, command->summary,
                                command->about == NULL ? "" : "."));
    if (command->about != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, "%s\n", command->about));
    }
    ARUS_TRY(arus_buffer_append_char(out, '\n', err));
    for (const struct arus_example *example = command->examples; example->text != NULL; example++) {
        ARUS_TRY(put_example(example, out, err));
    }
    ARUS_TRY(arus_buffer_printf(out, err, "\nusage: arus %s%s%s [flags]\n", command->name,
                                command->operands[0] == '\0' ? "" : " ", command->operands));
    ARUS_TRY(put_flags(command->flags, out, err));
    ARUS_TRY(put_flags(arus_common_flags(), out, err));
    return arus_buffer_printf(out, err, "exit: %s\n", command->exits);
}

enum arus_status arus_help_condition(const char *name, struct arus_buffer *out, bool *found,
                                     struct arus_error *err)
{
    const struct arus_condition_page *page = arus_condition_page(name);
    const char *sqlstate = page == NULL ? NULL : arus_condition_sqlstate(page->name);

    *found = page != NULL;
    if (page == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_printf(out, err, "%s", page->name));
    if (sqlstate != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, "  (SQLSTATE %s)", sqlstate));
    }
    return arus_buffer_printf(out, err, "\n\n%s", page->text);
}
