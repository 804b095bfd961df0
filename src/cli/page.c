/** The reference in Markdown, from the tables that the program itself works with. */
#include "api/reference.h"
#include "base/condition.h"
#include "cli/help.h"
#include "cli/human.h"
#include "connector/connector.h"

#define HEAD(title)                                                                                \
    "# " title "\n\nWritten by `arus help --generate`; edit the tables in the source instead.\n"

static enum arus_status put(const char *text, struct arus_buffer *out, struct arus_error *err)
{
    return arus_buffer_append_text(out, arus_text_of(text), err);
}

/* Text inside a cell of a table: no line ends, and bars do not end the cell. */
static enum arus_status put_cell(const char *text, struct arus_buffer *out, struct arus_error *err)
{
    for (const char *c = text == NULL ? "" : text; *c != '\0'; c++) {
        if (*c == '|') {
            ARUS_TRY(arus_buffer_append_char(out, '\\', err));
        }
        ARUS_TRY(arus_buffer_append_char(out, *c == '\n' ? ' ' : *c, err));
    }
    return ARUS_OK;
}

/* As code; two fences where the text has a fence of its own. */
static enum arus_status put_code(const char *text, struct arus_buffer *out, struct arus_error *err)
{
    const bool has_fence = text != NULL && strchr(text, '`') != NULL;

    if (text == NULL || text[0] == '\0') {
        return ARUS_OK;
    }
    ARUS_TRY(put(has_fence ? "`` " : "`", out, err));
    ARUS_TRY(put_cell(text, out, err));
    return put(has_fence ? " ``" : "`", out, err);
}

/* ---- commands ---- */

static enum arus_status put_flags(const struct arus_flag *flags, struct arus_buffer *out,
                                  struct arus_error *err)
{
    for (const struct arus_flag *flag = flags; flag->id != ARUS_FLAG_NONE; flag++) {
        const char *argument = flag->argument == NULL ? "" : flag->argument;

        if (flag->is_hidden) {
            continue;
        }
        ARUS_TRY(put("| `", out, err));
        if (flag->letter != 0) {
            ARUS_TRY(arus_buffer_printf(out, err, "-%c%s", flag->letter,
                                        flag->name == NULL ? "" : "`, `"));
        }
        if (flag->name != NULL) {
            ARUS_TRY(arus_buffer_printf(out, err, "--%s", flag->name));
        }
        ARUS_TRY(
            arus_buffer_printf(out, err, "%s%s` | ", argument[0] == '\0' ? "" : " ", argument));
        ARUS_TRY(put_cell(flag->help, out, err));
        ARUS_TRY(put(" |\n", out, err));
    }
    return ARUS_OK;
}

static enum arus_status put_command(const struct arus_command *command, struct arus_buffer *out,
                                    struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "\n## arus %s\n\n`arus %s%s%s` %s.\n", command->name,
                                command->name, command->operands[0] == '\0' ? "" : " ",
                                command->operands, command->summary));
    if (command->about != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, "%s\n", command->about));
    }
    if (command->examples != NULL && command->examples[0].text != NULL) {
        ARUS_TRY(put("\n```\n", out, err));
        for (const struct arus_example *row = command->examples; row->text != NULL; row++) {
            ARUS_TRY(arus_buffer_printf(out, err, "%s%s%s\n", row->text,
                                        row->note == NULL ? "" : "   # ",
                                        row->note == NULL ? "" : row->note));
        }
        ARUS_TRY(put("```\n", out, err));
    }
    if (command->flags[0].id != ARUS_FLAG_NONE) {
        ARUS_TRY(put("\n| flag | |\n|---|---|\n", out, err));
        ARUS_TRY(put_flags(command->flags, out, err));
    }
    return arus_buffer_printf(out, err, "\nExit codes: %s.\n", command->exits);
}

enum arus_status arus_page_commands(struct arus_buffer *out, struct arus_error *err)
{
    size_t count;
    const struct arus_command *commands = arus_commands(&count);

    ARUS_TRY(put(HEAD("Commands"), out, err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(put_command(&commands[i], out, err));
    }
    ARUS_TRY(put("\n## Flags of all commands\n\n| flag | |\n|---|---|\n", out, err));
    return put_flags(arus_common_flags(), out, err);
}

/* ---- options ---- */

static enum arus_status put_choices(const struct arus_option *option, struct arus_buffer *out,
                                    struct arus_error *err)
{
    if (option->kind != ARUS_OPTION_CHOICE || option->choices == NULL) {
        return ARUS_OK;
    }
    for (size_t i = 0; option->choices[i] != NULL; i++) {
        ARUS_TRY(put(i == 0 ? " (" : ", ", out, err));
        ARUS_TRY(put_code(option->choices[i], out, err));
    }
    return put(")", out, err);
}

static enum arus_status put_option(const struct arus_option *option, struct arus_buffer *out,
                                   struct arus_error *err)
{
    struct arus_buffer shown = {0};
    enum arus_status status = ARUS_OK;

    ARUS_TRY(put("| ", out, err));
    ARUS_TRY(put_code(option->name, out, err));
    if (option->alias != NULL) {
        ARUS_TRY(put(", ", out, err));
        ARUS_TRY(put_code(option->alias, out, err));
    }
    ARUS_TRY(put(" | ", out, err));
    if (option->default_text != NULL) {
        status = arus_human_escape(arus_text_of(option->default_text), &shown, err);
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(&shown, '\0', err);
        }
        if (status == ARUS_OK) {
            status = put_code(shown.data, out, err);
        }
        arus_buffer_release(&shown);
        ARUS_TRY(status);
    }
    ARUS_TRY(put(" | ", out, err));
    ARUS_TRY(put_cell(option->help, out, err));
    ARUS_TRY(put_choices(option, out, err));
    return put(" |\n", out, err);
}

static enum arus_status put_ignored(const struct arus_option *const *tables,
                                    struct arus_buffer *out, struct arus_error *err)
{
    bool is_first = true;

    for (size_t i = 0; i < ARUS_OPTION_TABLES_MAX && tables[i] != NULL; i++) {
        for (const struct arus_option *option = tables[i]; option->name != NULL; option++) {
            if (option->kind == ARUS_OPTION_IGNORED) {
                ARUS_TRY(put(is_first ? "\nAccepted, without effect: " : ", ", out, err));
                ARUS_TRY(put_code(option->name, out, err));
                is_first = false;
            }
        }
    }
    return is_first ? ARUS_OK : put(".\n", out, err);
}

static enum arus_status put_side(const struct arus_connector *connector,
                                 enum arus_connector_side side, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const struct arus_option *tables[ARUS_OPTION_TABLES_MAX] = {NULL};

    ARUS_TRY(arus_buffer_printf(out, err, "\n### %s %s\n\n| option | default | |\n|---|---|---|\n",
                                side == ARUS_SOURCE_SIDE ? "Reading" : "Writing", connector->name));
    connector->options(connector, side, tables);
    for (size_t i = 0; i < ARUS_OPTION_TABLES_MAX && tables[i] != NULL; i++) {
        for (const struct arus_option *option = tables[i]; option->name != NULL; option++) {
            if (option->kind != ARUS_OPTION_IGNORED) {
                ARUS_TRY(put_option(option, out, err));
            }
        }
    }
    return put_ignored(tables, out, err);
}

static enum arus_status put_properties(struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(put("\n## Every streaming table\n\nBeside the options of its sink. `SET arus.name = "
                 "value;`, `--set arus.name=value`: for all that do not say it themselves.\n\n"
                 "| property | default | |\n|---|---|---|\n",
                 out, err));
    for (const struct arus_option *option = arus_reference_properties(); option->name != NULL;
         option++) {
        ARUS_TRY(put_option(option, out, err));
    }
    return ARUS_OK;
}

static enum arus_status put_settings(struct arus_buffer *out, struct arus_error *err)
{
    struct arus_setting_page page;

    ARUS_TRY(put("\n## SET\n\n`SET key = value;` in a pipeline, `--set key=value` on the command "
                 "line.\n\n| key | default | |\n|---|---|---|\n",
                 out, err));
    for (size_t i = 0; arus_reference_setting(i, &page); i++) {
        ARUS_TRY(put("| ", out, err));
        ARUS_TRY(put_code(page.key, out, err));
        ARUS_TRY(put(" | ", out, err));
        ARUS_TRY(page.default_text == NULL ? put("the machine's", out, err)
                                           : put_code(page.default_text, out, err));
        ARUS_TRY(put(" | ", out, err));
        ARUS_TRY(put_cell(page.help, out, err));
        ARUS_TRY(put(" |\n", out, err));
    }
    return ARUS_OK;
}

enum arus_status arus_page_options(struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(put(HEAD("Options"), out, err));
    ARUS_TRY(put("\nOptions of a table that is read stand in `CREATE TABLE .. OPTIONS (name "
                 "'value')`, those of a table that is\nwritten in `CREATE STREAMING TABLE .. "
                 "TBLPROPERTIES (name 'value')`. Names do not look at case.\n",
                 out, err));
    ARUS_TRY(put_properties(out, err));
    for (const struct arus_connector *row = ARUS_CONNECTORS; row->name != NULL; row++) {
        ARUS_TRY(arus_buffer_printf(out, err, "\n## USING %s\n\n%s\n", row->name, row->summary));
        if (row->source != NULL && row->options != NULL) {
            ARUS_TRY(put_side(row, ARUS_SOURCE_SIDE, out, err));
        }
        if (row->sink != NULL && row->options != NULL) {
            ARUS_TRY(put_side(row, ARUS_SINK_SIDE, out, err));
        }
    }
    return put_settings(out, err);
}

/* ---- functions ---- */

static enum arus_status put_function(const struct arus_function_page *page, struct arus_buffer *out,
                                     struct arus_error *err)
{
    ARUS_TRY(put("| ", out, err));
    ARUS_TRY(put_code(page->signature == NULL ? page->name : page->signature, out, err));
    ARUS_TRY(put(" | ", out, err));
    ARUS_TRY(put_cell(page->help, out, err));
    if (page->aliases != NULL) {
        ARUS_TRY(put(page->help == NULL ? "also " : "; also ", out, err));
        ARUS_TRY(put_code(page->aliases, out, err));
    }
    ARUS_TRY(put(" | ", out, err));
    ARUS_TRY(put_code(page->example, out, err));
    ARUS_TRY(put(" | ", out, err));
    if (page->example != NULL) {
        ARUS_TRY(put_code(page->result == NULL ? "NULL" : page->result, out, err));
    }
    return put(" |\n", out, err);
}

enum arus_status arus_page_functions(struct arus_buffer *out, struct arus_error *err)
{
    const struct arus_function_page *pages = NULL;
    struct arus_arena arena = {0};
    size_t count = 0;
    enum arus_status status = arus_reference_functions(&arena, &pages, &count, err);

    if (status == ARUS_OK) {
        status =
            put(HEAD("Functions and operators") "\n| | | example | result |\n|---|---|---|---|\n",
                out, err);
    }
    for (size_t i = 0; i < count && status == ARUS_OK; i++) {
        status = put_function(&pages[i], out, err);
    }
    arus_arena_release(&arena);
    return status;
}

/* ---- errors ---- */

static enum arus_status put_explained(struct arus_buffer *out, struct arus_error *err)
{
    size_t count;
    const struct arus_condition_page *pages = arus_condition_pages(&count);

    for (size_t i = 0; i < count; i++) {
        const char *sqlstate = arus_condition_sqlstate(pages[i].name);

        ARUS_TRY(arus_buffer_printf(out, err, "\n## %s\n\n", pages[i].name));
        if (sqlstate != NULL) {
            ARUS_TRY(arus_buffer_printf(out, err, "SQLSTATE %s.\n\n", sqlstate));
        }
        ARUS_TRY(arus_buffer_printf(out, err, "```text\n%s```\n", pages[i].text));
    }
    return ARUS_OK;
}

enum arus_status arus_page_errors(struct arus_buffer *out, struct arus_error *err)
{
    const char *name;

    ARUS_TRY(put(HEAD("Errors"), out, err));
    ARUS_TRY(put("\nConditions are Spark 4.3's; those that begin with `ARUS_` are our own. First "
                 "the ones with an explanation\n(`arus help CONDITION`), then all SQLSTATEs. A "
                 "condition with a dot has the SQLSTATE of its first part.\n",
                 out, err));
    ARUS_TRY(put_explained(out, err));
    ARUS_TRY(put("\n## SQLSTATEs\n\n| condition | SQLSTATE |\n|---|---|\n", out, err));
    for (size_t i = 0; (name = arus_condition_name(i)) != NULL; i++) {
        ARUS_TRY(
            arus_buffer_printf(out, err, "| `%s` | %s |\n", name, arus_condition_sqlstate(name)));
    }
    return ARUS_OK;
}
