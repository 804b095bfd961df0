/** Lines to statements. */
#include "cli/prompt.h"

#include "cli/version.h"

#include <stdio.h>
#include <stdlib.h>

static const char HELP[] = "End a statement with `;`.\n"
                           "  \\d        tables and views\n"
                           "  \\d TABLE  its columns\n"
                           "  \\h        this text\n"
                           "  \\q        quit, also Ctrl-D, exit, quit\n";

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

static bool is_word(struct arus_text line, const char *word)
{
    return arus_text_equal_nocase(line, arus_text_of(word));
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

static void run_text(struct arus_opened *opened, enum arus_result_form form)
{
    if (arus_opened_read(opened) == ARUS_OK && arus_show_actions(opened, form) != ARUS_OK) {
        return; /* printed */
    }
    (void)fflush(stdout);
}

/* `\d`, `exit` and the like. False: no such line. */
static bool take_command(struct arus_opened *opened, struct arus_text line,
                         enum arus_result_form form, bool *is_end)
{
    struct arus_error err;

    if (is_word(line, "\\q") || is_word(line, "exit") || is_word(line, "quit") ||
        is_word(line, "exit;") || is_word(line, "quit;")) {
        *is_end = true;
        return true;
    }
    if (is_word(line, "\\h") || is_word(line, "help") || is_word(line, "\\?")) {
        (void)fputs(HELP, stdout);
        return true;
    }
    if (!arus_text_starts_with(line, ARUS_TEXT("\\"))) {
        return false;
    }
    arus_buffer_reset(&opened->input.text);
    if (is_word(line, "\\d")) {
        if (arus_buffer_append_text(&opened->input.text, ARUS_TEXT("SHOW TABLES"), &err) ==
            ARUS_OK) {
            run_text(opened, form);
        }
    } else if (arus_text_starts_with(line, ARUS_TEXT("\\d "))) {
        if (arus_buffer_printf(&opened->input.text, &err, "DESCRIBE TABLE %.*s", (int)line.size - 3,
                               line.data + 3) == ARUS_OK) {
            run_text(opened, form);
        }
    } else {
        (void)printf("no command %.*s; \\h lists them\n", ARUS_TEXT_ARGS(line));
    }
    arus_buffer_reset(&opened->input.text);
    return true;
}

enum arus_status arus_prompt_run(struct arus_opened *opened, enum arus_result_form form)
{
    char *line = NULL;
    size_t capacity = 0;
    bool is_end = false;
    struct arus_error err;

    greet(opened);
    opened->style.is_interactive = true;
    arus_buffer_reset(&opened->input.text);
    while (!is_end) {
        struct arus_buffer *text = &opened->input.text;
        ssize_t size;

        (void)fputs(text->size == 0 ? "sql> " : "  -> ", stdout);
        (void)fflush(stdout);
        size = getline(&line, &capacity, stdin);
        if (size < 0) {
            break;
        }
        if (text->size == 0 &&
            take_command(opened, trim((struct arus_text){line, (size_t)size}), form, &is_end)) {
            continue;
        }
        if (arus_buffer_append(text, line, (size_t)size, &err) != ARUS_OK) {
            break;
        }
        if (is_complete(arus_buffer_text(text))) {
            run_text(opened, form);
            arus_buffer_reset(text);
        } else if (trim(arus_buffer_text(text)).size == 0) {
            arus_buffer_reset(text);
        }
    }
    (void)fputs(is_end ? "" : "\n", stdout);
    free(line); /* getline's own */
    return ARUS_OK;
}
