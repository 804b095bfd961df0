/** libedit, and getline where it cannot work. */
#include "cli/line.h"

#include "base/alloc.h"
#include "base/file.h"
#include "types/utf8.h"

#include <histedit.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define HISTORY_MAX 1000
#define LIST_MAX    100 /* candidates that are shown below the line */

struct arus_line_reader {
    const struct arus_complete_source *source;
    EditLine *edit; /* NULL: plain lines */
    History *history;
    struct arus_path history_path; /* empty: none */
    const char *prompt;
    struct arus_text before;
    struct arus_buffer text; /* the line that was read, the statement up to the cursor */
    char *plain;             /* getline's own */
    size_t plain_capacity;
    bool is_cancelled;
};

/* ---- history ---- */

/* XDG: $XDG_STATE_HOME/arus/history. False: no home. */
static bool find_history(struct arus_path *out)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    struct arus_path folder;
    struct arus_error ignored;

    if (state != NULL && state[0] == '/') {
        return arus_path_join(&folder, state, "arus", &ignored) == ARUS_OK &&
               arus_folder_make(folder.text, NULL, &ignored) == ARUS_OK &&
               arus_path_join(out, folder.text, "history", &ignored) == ARUS_OK;
    }
    return home != NULL && home[0] == '/' &&
           arus_path_join(&folder, home, ".local/state/arus", &ignored) == ARUS_OK &&
           arus_folder_make(folder.text, NULL, &ignored) == ARUS_OK &&
           arus_path_join(out, folder.text, "history", &ignored) == ARUS_OK;
}

static void open_history(struct arus_line_reader *reader)
{
    HistEvent event;

    reader->history = history_init();
    if (reader->history == NULL) {
        return;
    }
    (void)history(reader->history, &event, H_SETSIZE, HISTORY_MAX);
    (void)history(reader->history, &event, H_SETUNIQUE, 1);
    if (find_history(&reader->history_path)) {
        (void)history(reader->history, &event, H_LOAD, reader->history_path.text);
    }
    (void)el_set(reader->edit, EL_HIST, history, reader->history);
}

/* One line, since a line is what the arrow keys bring back; a comment needs its end of line. */
static bool put_statement(struct arus_buffer *out, struct arus_text statement)
{
    struct arus_error ignored;
    bool has_comment = false;

    for (size_t i = 0; i + 1 < statement.size; i++) {
        has_comment = has_comment || (statement.data[i] == '-' && statement.data[i + 1] == '-');
    }
    while (statement.size > 0 && strchr(" \t\r\n", statement.data[statement.size - 1]) != NULL) {
        statement.size--;
    }
    arus_buffer_reset(out);
    if (statement.size == 0 || arus_buffer_append_text(out, statement, &ignored) != ARUS_OK ||
        arus_buffer_append_char(out, '\0', &ignored) != ARUS_OK) {
        return false;
    }
    for (size_t i = 0; i < out->size && !has_comment; i++) {
        out->data[i] = out->data[i] == '\n' ? ' ' : out->data[i];
    }
    return true;
}

void arus_line_remember(struct arus_line_reader *reader, struct arus_text statement)
{
    HistEvent event;

    if (reader->history == NULL || !put_statement(&reader->text, statement)) {
        return;
    }
    (void)history(reader->history, &event, H_ENTER, reader->text.data);
    if (reader->history_path.text[0] != '\0') {
        (void)history(reader->history, &event, H_SAVE, reader->history_path.text);
    }
}

/* ---- keys ---- */

static struct arus_line_reader *reader_of(EditLine *edit)
{
    void *reader = NULL;

    (void)el_get(edit, EL_CLIENTDATA, &reader);
    return reader;
}

static char *give_prompt(EditLine *edit)
{
    union { /* libedit's type has no const; it only reads */
        const char *from;
        char *to;
    } prompt = {.from = reader_of(edit)->prompt};

    return prompt.to;
}

static unsigned char on_cancel(EditLine *edit, int key)
{
    (void)key;
    reader_of(edit)->is_cancelled = true;
    (void)fputs("^C", stdout);
    return CC_NEWLINE;
}

static unsigned char on_suspend(EditLine *edit, int key)
{
    (void)edit;
    (void)key;
    (void)raise(SIGTSTP); /* libedit gives the screen back before it stops */
    return CC_REDISPLAY;
}

static enum arus_status list_items(const struct arus_completion *found, struct arus_buffer *out,
                                   struct arus_error *err)
{
    size_t widest = 0;
    size_t columns;

    for (size_t i = 0; i < found->count; i++) {
        const size_t width = arus_utf8_width(found->items[i]);

        widest = width > widest ? width : widest;
    }
    columns = widest + 2 >= 80 ? 1 : 80 / (widest + 2);
    ARUS_TRY(arus_buffer_append_char(out, '\n', err));
    for (size_t i = 0; i < found->count && i < LIST_MAX; i++) {
        const bool is_last = (i + 1) % columns == 0 || i + 1 == found->count || i + 1 == LIST_MAX;
        const size_t width = arus_utf8_width(found->items[i]);

        ARUS_TRY(arus_buffer_printf(out, err, "%.*s%*s", ARUS_TEXT_ARGS(found->items[i]),
                                    is_last ? 0 : (int)(widest - width + 2), ""));
        ARUS_TRY(arus_buffer_append(out, "\n", is_last, err));
    }
    return found->count <= LIST_MAX
               ? ARUS_OK
               : arus_buffer_printf(out, err, "and %zu more\n", found->count - LIST_MAX);
}

/* Replaces the word before the cursor by what all candidates begin with. */
static bool insert_common(EditLine *edit, const struct arus_completion *found, size_t word_size)
{
    struct arus_buffer text = {0};
    struct arus_error ignored;
    bool did = false;

    if (arus_buffer_printf(&text, &ignored, "%.*s%s", (int)found->common_size, found->items[0].data,
                           found->count == 1 && !found->goes_on ? " " : "") == ARUS_OK &&
        arus_buffer_append_char(&text, '\0', &ignored) == ARUS_OK && text.size - 1 > word_size) {
        el_deletestr(edit, (int)word_size);
        did = el_insertstr(edit, text.data) == 0;
    }
    arus_buffer_release(&text);
    return did;
}

static size_t characters(struct arus_text text)
{
    return arus_utf8_length(text);
}

static unsigned char show_candidates(EditLine *edit, const struct arus_completion *found)
{
    struct arus_buffer out = {0};
    struct arus_error ignored;
    FILE *screen = NULL;

    (void)el_get(edit, EL_GETFP, 1, &screen);
    if (screen != NULL && list_items(found, &out, &ignored) == ARUS_OK) {
        (void)fwrite(out.data, 1, out.size, screen);
        (void)fflush(screen);
    }
    arus_buffer_release(&out);
    return CC_REDISPLAY;
}

static unsigned char complete(EditLine *edit, struct arus_line_reader *reader,
                              struct arus_arena *arena)
{
    const LineInfo *line = el_line(edit);
    const size_t size = (size_t)(line->cursor - line->buffer);
    struct arus_completion found;
    struct arus_error ignored;
    struct arus_text word;

    arus_buffer_reset(&reader->text);
    if (arus_buffer_append_text(&reader->text, reader->before, &ignored) != ARUS_OK ||
        arus_buffer_append(&reader->text, line->buffer, size, &ignored) != ARUS_OK ||
        arus_complete(reader->source, arus_buffer_text(&reader->text), arena, &found, &ignored) !=
            ARUS_OK ||
        found.count == 0) {
        return CC_REFRESH_BEEP;
    }
    word = (struct arus_text){reader->text.data + found.begin, reader->text.size - found.begin};
    if (insert_common(edit, &found, characters(word))) {
        return CC_REFRESH;
    }
    return found.count == 1 ? CC_REFRESH_BEEP : show_candidates(edit, &found);
}

static unsigned char on_tab(EditLine *edit, int key)
{
    struct arus_arena arena = {0};
    const unsigned char result = complete(edit, reader_of(edit), &arena);

    (void)key;
    arus_arena_release(&arena);
    return result;
}

/* ---- opening ---- */

/* libedit edits characters of the locale; SQL is UTF-8. */
static void choose_characters(void)
{
    if (setlocale(LC_CTYPE, "") == NULL || strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        (void)setlocale(LC_CTYPE, "C.UTF-8");
    }
}

static void set_keys(EditLine *edit)
{
    (void)el_set(edit, EL_EDITOR, "emacs");
    /* wide names: el_set would copy them and never free the copies */
    (void)el_wset(edit, EL_ADDFN, L"arus-complete", L"Complete the word", on_tab);
    (void)el_wset(edit, EL_ADDFN, L"arus-cancel", L"Give the statement up", on_cancel);
    (void)el_wset(edit, EL_ADDFN, L"arus-suspend", L"Back to the shell", on_suspend);
    (void)el_set(edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    (void)el_source(edit, NULL); /* ~/.editrc */
    (void)el_set(edit, EL_BIND, "^I", "arus-complete", NULL);
    (void)el_set(edit, EL_BIND, "^C", "arus-cancel", NULL);
    (void)el_set(edit, EL_BIND, "^Z", "arus-suspend", NULL);
    (void)el_set(edit, EL_SETTY, "-d", "-isig", NULL); /* Ctrl-C is a key while a line is edited */
}

enum arus_status arus_line_open(bool is_edited, const struct arus_complete_source *source,
                                struct arus_line_reader **out, struct arus_error *err)
{
    struct arus_line_reader *reader = arus_alloc(1, sizeof *reader);

    *out = reader;
    if (reader == NULL) {
        return arus_fail_memory(err);
    }
    reader->source = source;
    if (!is_edited) {
        return ARUS_OK;
    }
    choose_characters();
    reader->edit = el_init("arus", stdin, stdout, stderr);
    if (reader->edit == NULL) {
        return ARUS_OK; /* an unknown terminal: plain lines */
    }
    (void)el_set(reader->edit, EL_CLIENTDATA, reader);
    (void)el_set(reader->edit, EL_PROMPT, give_prompt);
    (void)el_set(reader->edit, EL_SIGNAL, 1);
    set_keys(reader->edit);
    open_history(reader);
    return ARUS_OK;
}

void arus_line_close(struct arus_line_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    if (reader->history != NULL) {
        history_end(reader->history);
    }
    if (reader->edit != NULL) {
        el_end(reader->edit);
    }
    free(reader->plain);
    arus_buffer_release(&reader->text);
    arus_free(reader);
}

/* ---- lines ---- */

static const char *read_plain(struct arus_line_reader *reader, size_t *size)
{
    ssize_t got;

    (void)fputs(reader->prompt, stdout);
    (void)fflush(stdout);
    got = getline(&reader->plain, &reader->plain_capacity, stdin);
    *size = got < 0 ? 0 : (size_t)got;
    return got < 0 ? NULL : reader->plain;
}

static const char *read_edited(struct arus_line_reader *reader, size_t *size)
{
    int count = 0;
    const char *line;

    /* libedit shows the prompt before it takes the terminal: a Ctrl-D in between would be lost */
    (void)el_set(reader->edit, EL_PREP_TERM, 1);
    line = el_gets(reader->edit, &count);
    *size = count < 0 ? 0 : (size_t)count;
    return line;
}

enum arus_status arus_line_read(struct arus_line_reader *reader, const char *prompt,
                                struct arus_text before, struct arus_text *out,
                                enum arus_line_end *end, struct arus_error *err)
{
    const char *line;
    size_t size;

    reader->prompt = prompt;
    reader->before = before;
    reader->is_cancelled = false;
    line = reader->edit == NULL ? read_plain(reader, &size) : read_edited(reader, &size);
    *out = (struct arus_text){0};
    *end = reader->is_cancelled ? ARUS_LINE_CANCELLED
           : line == NULL       ? ARUS_LINE_ENDED
                                : ARUS_LINE_GIVEN;
    if (*end != ARUS_LINE_GIVEN) {
        return ARUS_OK;
    }
    arus_buffer_reset(&reader->text);
    ARUS_TRY(arus_buffer_append(&reader->text, line, size, err));
    *out = arus_buffer_text(&reader->text);
    while (out->size > 0 &&
           (out->data[out->size - 1] == '\n' || out->data[out->size - 1] == '\r')) {
        out->size--;
    }
    return ARUS_OK;
}
