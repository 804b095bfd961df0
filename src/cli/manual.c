/** Man pages, in the man(7) macros. */
#include "cli/help.h"
#include "cli/version.h"

/* Text for roff: hyphens and backslashes keep their looks, a line may not begin with a dot or
 * quote. */
static enum arus_status put_text(const char *text, struct arus_buffer *out, struct arus_error *err)
{
    bool is_line_start = out->size == 0 || out->data[out->size - 1] == '\n';

    for (const char *c = text; *c != '\0'; c++) {
        if (is_line_start && (*c == '.' || *c == '\'')) {
            ARUS_TRY(arus_buffer_append(out, "\\&", 2, err));
        }
        if (*c == '-' || *c == '\\') {
            ARUS_TRY(arus_buffer_append(out, *c == '-' ? "\\-" : "\\e", 2, err));
        } else if (*c == '\'') {
            ARUS_TRY(arus_buffer_append(out, "\\(aq", 4, err));
        } else if (*c == '`') {
            ARUS_TRY(arus_buffer_append(out, "\\(ga", 4, err));
        } else {
            ARUS_TRY(arus_buffer_append_char(out, *c, err));
        }
        is_line_start = *c == '\n';
    }
    return ARUS_OK;
}

static enum arus_status put_lines(const char *text, struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(put_text(text, out, err));
    return arus_buffer_append_char(out, '\n', err);
}

static enum arus_status put_raw(const char *text, struct arus_buffer *out, struct arus_error *err)
{
    return arus_buffer_append_text(out, arus_text_of(text), err);
}

static enum arus_status put_title(const char *name, const char *summary, struct arus_buffer *out,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err,
                                ".TH \"%s\" 1 \"\" \"arus %s\" \"User Commands\"\n.SH NAME\n", name,
                                ARUS_VERSION));
    ARUS_TRY(put_text(name, out, err));
    ARUS_TRY(put_raw(" \\- ", out, err));
    return put_lines(summary, out, err);
}

static enum arus_status put_flag(const struct arus_flag *flag, struct arus_buffer *out,
                                 struct arus_error *err)
{
    ARUS_TRY(put_raw(".TP\n", out, err));
    if (flag->letter != 0) {
        ARUS_TRY(arus_buffer_printf(out, err, "\\fB\\-%c\\fR%s", flag->letter,
                                    flag->name == NULL ? "" : ", "));
    }
    if (flag->name != NULL) {
        ARUS_TRY(put_raw("\\fB\\-\\-", out, err));
        ARUS_TRY(put_text(flag->name, out, err));
        ARUS_TRY(put_raw("\\fR", out, err));
    }
    if (flag->argument != NULL) {
        ARUS_TRY(put_raw(" \\fI", out, err));
        ARUS_TRY(put_text(flag->argument, out, err));
        ARUS_TRY(put_raw("\\fR", out, err));
    }
    ARUS_TRY(put_raw("\n", out, err));
    return put_lines(flag->help, out, err);
}

static enum arus_status put_flags(const struct arus_flag *flags, struct arus_buffer *out,
                                  struct arus_error *err)
{
    for (const struct arus_flag *flag = flags; flag->id != ARUS_FLAG_NONE; flag++) {
        if (!flag->is_hidden) {
            ARUS_TRY(put_flag(flag, out, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status put_examples(const struct arus_example *examples, struct arus_buffer *out,
                                     struct arus_error *err)
{
    if (examples->text == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(put_raw(".SH EXAMPLES\n", out, err));
    for (const struct arus_example *example = examples; example->text != NULL; example++) {
        ARUS_TRY(put_raw(".TP\n\\fB", out, err));
        ARUS_TRY(put_text(example->text, out, err));
        ARUS_TRY(put_raw("\\fR\n", out, err));
        ARUS_TRY(put_lines(example->note == NULL ? "" : example->note, out, err));
    }
    return ARUS_OK;
}

enum arus_status arus_manual_command(const struct arus_command *command, struct arus_buffer *out,
                                     struct arus_error *err)
{
    char name[40];
    const struct arus_text prefix = ARUS_TEXT("arus-");

    memcpy(name, prefix.data, prefix.size);
    memcpy(name + prefix.size, command->name, strlen(command->name) + 1);
    ARUS_TRY(put_title(name, command->summary, out, err));
    ARUS_TRY(arus_buffer_printf(out, err, ".SH SYNOPSIS\n\\fBarus %s\\fR ", command->name));
    ARUS_TRY(put_text(command->operands, out, err));
    ARUS_TRY(put_raw(" [flags]\n", out, err));
    if (command->about != NULL) {
        ARUS_TRY(put_raw(".SH DESCRIPTION\n", out, err));
        ARUS_TRY(put_lines(command->about, out, err));
    }
    ARUS_TRY(put_raw(".SH OPTIONS\n", out, err));
    ARUS_TRY(put_flags(command->flags, out, err));
    ARUS_TRY(put_flags(arus_common_flags(), out, err));
    ARUS_TRY(put_examples(command->examples, out, err));
    ARUS_TRY(put_raw(".SH EXIT STATUS\n", out, err));
    ARUS_TRY(put_lines(command->exits, out, err));
    return put_raw(".SH SEE ALSO\narus(1)\n", out, err);
}

/* Tagged paragraphs of a section. */
struct entry {
    const char *tag;
    const char *text;
};

static enum arus_status put_section(const char *title, const struct entry *entries, size_t count,
                                    struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, ".SH %s\n", title));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(put_raw(".TP\n\\fB", out, err));
        ARUS_TRY(put_text(entries[i].tag, out, err));
        ARUS_TRY(put_raw("\\fR\n", out, err));
        ARUS_TRY(put_lines(entries[i].text, out, err));
    }
    return ARUS_OK;
}

static const struct entry EXITS[] = {
    {"0", "done; or stopped by a signal while the trigger has no end"},
    {"1", "the query failed; what was published stays"},
    {"2", "the command or the pipeline is wrong; nothing was started"},
    {"3", "a checkpoint or sink does not fit the query, or is in use; nothing was changed"},
    {"4", "stopped by a signal before the work was done"},
};
static const struct entry ENVIRONMENT[] = {
    {"ARUS_THREADS", "workers, when --threads is not given"},
    {"ARUS_KAFKA_BROKERS", "HOST:PORT, when -b is not given"},
    {"ARUS_PAGER, PAGER", "for results longer than the screen; default less -FRSX"},
    {"NO_COLOR, CLICOLOR_FORCE", "no colour, or colour also in files; --color goes first"},
    {"COLUMNS", "width of a screen that does not tell it"},
    {"TZ", "session time zone, when the pipeline does not set it"},
};
static const struct entry FILES[] = {
    {"FILE.sql", "a pipeline: statements of Spark SQL; relative paths in it start at its folder"},
    {"CHECKPOINT/", "offsets, commits and journal of one query"},
    {"SINK/_spark_metadata/", "the log of a file sink: which files count"},
};
static const struct entry SIGNALS[] = {
    {"INT, TERM, HUP", "end after the current batch; a second one: at once, nothing is damaged"},
    {"USR1", "print a progress line"},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum arus_status arus_manual_overview(struct arus_buffer *out, struct arus_error *err)
{
    size_t count;
    const struct arus_command *commands = arus_commands(&count);

    ARUS_TRY(put_title("arus", "streaming SQL pipelines in one small program", out, err));
    ARUS_TRY(
        put_raw(".SH SYNOPSIS\n\\fBarus\\fR \\fICOMMAND\\fR [flags]\n.SH DESCRIPTION\n", out, err));
    ARUS_TRY(put_lines("arus reads folders of files, runs the queries of a "
                       "pipeline in micro-batches, and writes each result exactly once. The "
                       "pipeline is one file of Spark SQL.",
                       out, err));
    ARUS_TRY(put_raw(".SH COMMANDS\n", out, err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, ".TP\n\\fB%s\\fR ", commands[i].name));
        ARUS_TRY(put_lines(commands[i].operands, out, err));
        ARUS_TRY(put_lines(commands[i].summary, out, err));
    }
    ARUS_TRY(put_section("EXIT STATUS", EXITS, COUNT(EXITS), out, err));
    ARUS_TRY(put_section("ENVIRONMENT", ENVIRONMENT, COUNT(ENVIRONMENT), out, err));
    ARUS_TRY(put_section("FILES", FILES, COUNT(FILES), out, err));
    ARUS_TRY(put_section("SIGNALS", SIGNALS, COUNT(SIGNALS), out, err));
    return put_raw(".SH SEE ALSO\narus\\-run(1), arus\\-check(1), arus\\-sql(1), "
                   "arus\\-status(1)\n",
                   out, err);
}
