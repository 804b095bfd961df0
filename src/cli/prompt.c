/** Lines to statements. */
#include "cli/prompt.h"

#include "cli/line.h"
#include "cli/names.h"
#include "cli/signals.h"
#include "cli/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char HELP[] =
    "End a statement with `;`. Tab completes, Ctrl-C gives up, Ctrl-R searches.\n"
    "  \\d        tables and views\n"
    "  \\d TABLE  its columns\n"
    "  \\x        rows as records, a line a column; again: as a table\n"
    "  \\timing   without times; again: with them\n"
    "  \\h        this text\n"
    "  \\q        quit, also Ctrl-D, exit, quit\n"
    "A function: arus help NAME, or in SQL: DESCRIBE FUNCTION name;\n";

struct prompt {
    struct arus_opened *opened;
    enum arus_result_form form;
    enum arus_result_form form_asked; /* by flags */
    struct arus_line_reader *reader;
    struct arus_prompt_names *names;
    struct arus_buffer statement; /* its lines so far */
    bool is_end;
};

static void greet(const struct arus_opened *opened)
{
    const struct arus_catalog *catalog = arus_session_catalog(opened->session);

    (void)printf("arus %s, Spark SQL 4.3.", ARUS_VERSION);
    for (size_t i = 0; i < catalog->relation_count; i++) {
        (void)printf("%s%.*s", i == 0 ? " Tables: " : ", ",
                     ARUS_TEXT_ARGS(catalog->relations[i].name));
    }
    (void)printf("%s \\h help, Ctrl-D ends\n", catalog->relation_count == 0 ? "" : ".");
}

/* Does the text end with a `;` that is neither in a string nor in a comment? */
static bool is_complete(struct arus_text text)
{
    char quote = '\0';
    bool is_ended = false;

    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];

        if (quote != '\0') {
            i += quote != '`' && c == '\\';
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"' || c == '`') {
            quote = c;
        } else if (c == '-' && i + 1 < text.size && text.data[i + 1] == '-') {
            while (i + 1 < text.size && text.data[i + 1] != '\n') {
                i++;
            }
            continue;
        }
        if (c == ';' && quote == '\0') {
            is_ended = true;
        } else if (strchr(" \t\r\n", c) == NULL || c == '\0') {
            is_ended = false;
        }
    }
    return is_ended;
}

static struct arus_text trim(struct arus_text text)
{
    while (text.size > 0 && strchr(" \t\r\n", text.data[text.size - 1]) != NULL) {
        text.size--;
    }
    while (text.size > 0 && strchr(" \t\r\n", text.data[0]) != NULL) {
        text.data++;
        text.size--;
    }
    return text;
}

/* ---- running ---- */

static void run_text(struct prompt *prompt, struct arus_text text)
{
    struct arus_opened *opened = prompt->opened;
    struct arus_error ignored;

    arus_buffer_reset(&opened->input.text);
    if (arus_buffer_append_text(&opened->input.text, text, &ignored) != ARUS_OK) {
        return;
    }
    opened->stop = 0;
    if (arus_opened_read(opened) == ARUS_OK && arus_show_actions(opened, prompt->form) != ARUS_OK) {
        opened->stop = 0; /* printed */
    }
    (void)fflush(stdout);
}

/* ---- commands ---- */

static void quit(struct prompt *prompt, struct arus_text operand)
{
    (void)operand;
    prompt->is_end = true;
}

static void help(struct prompt *prompt, struct arus_text operand)
{
    (void)prompt;
    (void)operand;
    (void)fputs(HELP, stdout);
}

static void describe(struct prompt *prompt, struct arus_text operand)
{
    struct arus_buffer text = {0};
    struct arus_error ignored;
    enum arus_status status =
        operand.size == 0
            ? arus_buffer_append_text(&text, ARUS_TEXT("SHOW TABLES"), &ignored)
            : arus_buffer_printf(&text, &ignored, "DESCRIBE TABLE %.*s", ARUS_TEXT_ARGS(operand));

    if (status == ARUS_OK) {
        run_text(prompt, arus_buffer_text(&text));
    }
    arus_buffer_release(&text);
}

static void toggle_records(struct prompt *prompt, struct arus_text operand)
{
    (void)operand;
    prompt->form = prompt->form == ARUS_RESULT_RECORDS ? prompt->form_asked : ARUS_RESULT_RECORDS;
    (void)printf("rows as %s\n", prompt->form == ARUS_RESULT_RECORDS ? "records" : "before");
}

static void toggle_timing(struct prompt *prompt, struct arus_text operand)
{
    (void)operand;
    prompt->opened->hides_time = !prompt->opened->hides_time;
    (void)printf("times %s\n", prompt->opened->hides_time ? "off" : "on");
}

static const struct {
    const char *word;
    void (*run)(struct prompt *prompt, struct arus_text operand);
    bool takes_operand;
} COMMANDS[] = {
    {"\\d", describe, true}, {"\\x", toggle_records, false},
    {"\\h", help, false},    {"\\timing", toggle_timing, false},
    {"\\?", help, false},    {"help", help, false},
    {"\\q", quit, false},    {"exit", quit, false},
    {"quit", quit, false},
};

/* `\d`, `exit` and the like. False: no such line. */
static bool take_command(struct prompt *prompt, struct arus_text line)
{
    size_t word_size = 0;
    struct arus_text word;
    struct arus_text operand;

    while (line.size > 0 && line.data[line.size - 1] == ';') {
        line.size--;
    }
    line = trim(line);
    while (word_size < line.size && strchr(" \t", line.data[word_size]) == NULL) {
        word_size++;
    }
    word = (struct arus_text){line.data, word_size};
    operand = trim((struct arus_text){line.data + word_size, line.size - word_size});
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        if (arus_text_equal_nocase(word, arus_text_of(COMMANDS[i].word)) &&
            (operand.size == 0 || COMMANDS[i].takes_operand)) {
            COMMANDS[i].run(prompt, operand);
            return true;
        }
    }
    if (arus_text_starts_with(line, ARUS_TEXT("\\"))) {
        (void)printf("no command %.*s; \\h lists them\n", ARUS_TEXT_ARGS(line));
        return true;
    }
    return false;
}

/* ---- lines ---- */

static enum arus_status take_line(struct prompt *prompt, struct arus_text line,
                                  struct arus_error *err)
{
    struct arus_buffer *statement = &prompt->statement;

    if (statement->size == 0 && (trim(line).size == 0 || take_command(prompt, trim(line)))) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_append_text(statement, line, err));
    ARUS_TRY(arus_buffer_append_char(statement, '\n', err));
    if (is_complete(arus_buffer_text(statement))) {
        arus_line_remember(prompt->reader, arus_buffer_text(statement));
        run_text(prompt, arus_buffer_text(statement));
        arus_buffer_reset(statement);
    }
    return ARUS_OK;
}

static enum arus_status read_lines(struct prompt *prompt, struct arus_error *err)
{
    while (!prompt->is_end) {
        struct arus_text before = arus_buffer_text(&prompt->statement);
        struct arus_text line;
        enum arus_line_end end;

        ARUS_TRY(arus_line_read(prompt->reader, before.size == 0 ? "sql> " : "  -> ", before, &line,
                                &end, err));
        switch (end) {
        case ARUS_LINE_GIVEN:
            ARUS_TRY(take_line(prompt, line, err));
            break;
        case ARUS_LINE_CANCELLED:
            arus_buffer_reset(&prompt->statement);
            break;
        case ARUS_LINE_ENDED:
            (void)fputs("\n", stdout);
            return ARUS_OK;
        }
    }
    return ARUS_OK;
}

enum arus_status arus_prompt_run(struct arus_opened *opened, enum arus_result_form form)
{
    struct prompt prompt = {.opened = opened, .form = form, .form_asked = form};
    struct arus_error err;
    enum arus_status status;

    greet(opened);
    opened->style.is_interactive = true;
    opened->input.path.text[0] = '\0';           /* of -p: errors are about what is typed */
    arus_signals_catch_interrupt(&opened->stop); /* all the time: no Ctrl-C ends the prompt */
    status = arus_names_open(opened->session, &prompt.names, &err);
    if (status == ARUS_OK) {
        status = arus_line_open(opened->output.is_terminal, arus_names_source(prompt.names),
                                &prompt.reader, &err);
    }
    if (status == ARUS_OK) {
        status = read_lines(&prompt, &err);
    }
    if (status != ARUS_OK) {
        arus_opened_fail(opened, NULL, &err);
    }
    arus_signals_catch_interrupt(NULL);
    arus_line_close(prompt.reader);
    arus_names_close(prompt.names);
    arus_buffer_release(&prompt.statement);
    return status;
}
