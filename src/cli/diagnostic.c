/** The parts of a diagnostic, line by line. */
#include "cli/diagnostic.h"

#include "base/condition.h"
#include "cli/human.h"
#include "types/utf8.h"

#include <stdio.h>

#define WIDTH_DEFAULT 100
#define WIDTH_MIN     40
#define GUTTER        7 /* "  10 | " */

static const char RED[] = "\033[1;31m";
static const char YELLOW[] = "\033[1;33m";
static const char PLAIN[] = "\033[0m";

/* ---- the first line ---- */

static enum arus_status put_where(const struct arus_diagnostic_style *style,
                                  const struct arus_error *diagnostic, struct arus_buffer *out,
                                  struct arus_error *err)
{
    const struct arus_file_place *file = &diagnostic->file;

    if (diagnostic->place.size != 0) {
        const struct arus_text_position at =
            arus_text_position(style->source, diagnostic->place.begin);

        if (style->source_name != NULL) {
            ARUS_TRY(arus_buffer_printf(out, err, "%s:", style->source_name));
        }
        return arus_buffer_printf(out, err, "%llu:%llu: ", (unsigned long long)at.line,
                                  (unsigned long long)at.column);
    }
    if (file->line != 0) {
        const struct arus_text path = arus_human_path(arus_text_of(file->path));

        return arus_buffer_printf(out, err, "%.*s:%llu:%llu: ", ARUS_TEXT_ARGS(path),
                                  (unsigned long long)file->line,
                                  (unsigned long long)(file->column == 0 ? 1 : file->column));
    }
    return style->subject == NULL ? ARUS_OK : arus_buffer_printf(out, err, "%s: ", style->subject);
}

static enum arus_status put_severity(const struct arus_diagnostic_style *style,
                                     enum arus_severity severity, struct arus_buffer *out,
                                     struct arus_error *err)
{
    const bool is_error = severity == ARUS_SEVERITY_ERROR;

    return arus_buffer_printf(out, err, "%s%s:%s ",
                              !style->has_color ? ""
                              : is_error        ? RED
                                                : YELLOW,
                              is_error ? "error" : "warning", style->has_color ? PLAIN : "");
}

static enum arus_status put_condition(const char *condition, struct arus_buffer *out,
                                      struct arus_error *err)
{
    const char *sqlstate = arus_condition_sqlstate(condition);

    if (condition == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_printf(out, err, " [%s]", condition));
    return sqlstate == NULL ? ARUS_OK : arus_buffer_printf(out, err, " (%s)", sqlstate);
}

/* The file that a failure without a line belongs to, unless the message names it. */
static enum arus_status put_file(const struct arus_error *diagnostic, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const struct arus_file_place *file = &diagnostic->file;
    const char *slash = strrchr(file->path, '/');
    const char *name = slash == NULL ? file->path : slash + 1;

    if (name[0] == '\0' || file->line != 0 || strstr(diagnostic->message, name) != NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_human_escape(arus_human_path(arus_text_of(file->path)), out, err));
    return arus_buffer_append(out, ": ", 2, err);
}

static enum arus_status put_head(const struct arus_diagnostic_style *style,
                                 enum arus_severity severity, const struct arus_error *diagnostic,
                                 struct arus_buffer *out, struct arus_error *err)
{
    if (!style->is_interactive) {
        ARUS_TRY(arus_buffer_append(out, "arus: ", 6, err));
    }
    ARUS_TRY(put_where(style, diagnostic, out, err));
    ARUS_TRY(put_severity(style, severity, out, err));
    ARUS_TRY(put_file(diagnostic, out, err));
    ARUS_TRY(arus_human_escape(arus_text_of(diagnostic->message), out, err));
    ARUS_TRY(put_condition(diagnostic->condition, out, err));
    return arus_buffer_append_char(out, '\n', err);
}

/* ---- the source line ---- */

/* A line and the token in it, in bytes. */
struct excerpt {
    uint64_t line;
    struct arus_text text;
    size_t begin; /* of the token */
    size_t end;
    bool is_cut_left;
    bool is_cut_right;
};

static size_t width_of(struct arus_text text)
{
    return arus_utf8_width(text);
}

static struct arus_text part(struct arus_text text, size_t begin, size_t end)
{
    return (struct arus_text){text.data + begin, end - begin};
}

/* The line of the SQL text where the token begins; a token over several lines ends with the first.
 */
static struct excerpt sql_excerpt(struct arus_text source, struct arus_place place)
{
    struct excerpt excerpt = {0};
    size_t at = place.begin > source.size ? source.size : place.begin;
    size_t begin;
    size_t end;

    if (at == source.size && at > 0 && source.data[at - 1] == '\n') {
        at--; /* the end of the text is the end of its last line */
    }
    begin = end = at;
    while (begin > 0 && source.data[begin - 1] != '\n') {
        begin--;
    }
    while (end < source.size && source.data[end] != '\n') {
        end++;
    }
    if (end > begin && source.data[end - 1] == '\r' && end > at) {
        end--;
    }
    excerpt.line = arus_text_position(source, (uint32_t)at).line;
    excerpt.text = part(source, begin, end);
    excerpt.begin = at - begin;
    excerpt.end = excerpt.begin + place.size;
    excerpt.end = excerpt.end > excerpt.text.size ? excerpt.text.size : excerpt.end;
    return excerpt;
}

/* `row` is "PATH:LINE text": the text is the line of a data file, if it is the place that failed.
 */
static bool row_excerpt(const struct arus_error *diagnostic, struct excerpt *out)
{
    const struct arus_file_place *file = &diagnostic->file;
    const struct arus_text row = arus_text_of(diagnostic->row);
    char prefix[sizeof file->path + 32];
    int size;

    size = snprintf(prefix, sizeof prefix, "%s:%llu ", file->path, (unsigned long long)file->line);
    if (file->line == 0 || file->column == 0 || size < 0 ||
        !arus_text_starts_with(row, (struct arus_text){prefix, (size_t)size})) {
        return false;
    }
    *out = (struct excerpt){.line = file->line, .text = part(row, (size_t)size, row.size)};
    out->begin = arus_utf8_offset(out->text, (size_t)file->column - 1);
    out->end = out->begin < out->text.size
                   ? out->begin + arus_utf8_size((unsigned char)out->text.data[out->begin])
                   : out->begin;
    out->end = out->end > out->text.size ? out->text.size : out->end;
    return true;
}

static size_t step_back(struct arus_text text, size_t at)
{
    do {
        at--;
    } while (at > 0 && ((unsigned char)text.data[at] & 0xC0) == 0x80);
    return at;
}

static size_t step_on(struct arus_text text, size_t at)
{
    at += arus_utf8_size((unsigned char)text.data[at]);
    return at > text.size ? text.size : at;
}

/* Shortens a wide line to `width` columns around the token. */
static void cut_excerpt(struct excerpt *excerpt, size_t width)
{
    const struct arus_text text = excerpt->text;
    size_t begin = excerpt->begin;
    size_t end = excerpt->end;
    size_t left;

    if (width_of(text) <= width) {
        return;
    }
    while (end > begin && width_of(part(text, begin, end)) + 6 > width) { /* a token too wide */
        end -= (end - begin + 7) / 8;
        while (end > begin && ((unsigned char)text.data[end] & 0xC0U) == 0x80U) {
            end--;
        }
    }
    left = width_of(part(text, begin, end)) + 6; /* two "..." */
    left = left < width ? (width - left) / 2 : 0;
    while (begin > 0 && width_of(part(text, begin, excerpt->begin)) < left) {
        begin = step_back(text, begin);
    }
    while (end < text.size && width_of(part(text, begin, end)) + 6 < width) {
        end = step_on(text, end);
    }
    while (begin > 0 && width_of(part(text, begin, end)) + 6 < width) {
        begin = step_back(text, begin);
    }
    excerpt->is_cut_left = begin > 0;
    excerpt->is_cut_right = end < text.size;
    excerpt->text = part(text, begin, end);
    excerpt->begin -= begin;
    excerpt->end = (excerpt->end < end ? excerpt->end : end) - begin;
}

/* Appends a piece of the line as it is shown (a tab is a blank) and says how many columns it takes.
 */
static enum arus_status put_piece(struct arus_text text, struct arus_buffer *out, size_t *width,
                                  struct arus_error *err)
{
    const size_t before = out->size;
    size_t at = 0;

    while (at < text.size) {
        const char *tab = memchr(text.data + at, '\t', text.size - at);
        const size_t end = tab == NULL ? text.size : (size_t)(tab - text.data);

        ARUS_TRY(arus_human_escape(part(text, at, end), out, err));
        if (tab != NULL) {
            ARUS_TRY(arus_buffer_append_char(out, ' ', err));
        }
        at = end + (tab != NULL);
    }
    *width = width_of((struct arus_text){out->data + before, out->size - before});
    return ARUS_OK;
}

static enum arus_status put_repeated(char c, size_t count, struct arus_buffer *out,
                                     struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(out, count, err));
    memset(out->data + out->size, c, count);
    out->size += count;
    return ARUS_OK;
}

static enum arus_status put_caret(const struct arus_diagnostic_style *style, size_t before,
                                  size_t width, const char *label, struct arus_buffer *out,
                                  struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append(out, "     | ", GUTTER, err));
    ARUS_TRY(put_repeated(' ', before, out, err));
    ARUS_TRY(arus_buffer_printf(out, err, "%s", style->has_color ? RED : ""));
    ARUS_TRY(put_repeated('^', width == 0 ? 1 : width, out, err));
    if (label[0] != '\0') {
        ARUS_TRY(arus_buffer_append_char(out, ' ', err));
        ARUS_TRY(arus_human_escape(arus_text_of(label), out, err));
    }
    return arus_buffer_printf(out, err, "%s\n", style->has_color ? PLAIN : "");
}

static enum arus_status put_excerpt(const struct arus_diagnostic_style *style,
                                    struct excerpt *excerpt, const char *label,
                                    struct arus_buffer *out, struct arus_error *err)
{
    const int wanted = style->width == 0 ? WIDTH_DEFAULT : style->width;
    const size_t columns = (size_t)(wanted < WIDTH_MIN ? WIDTH_MIN : wanted) - GUTTER;
    const struct arus_text *text = &excerpt->text;
    size_t before;
    size_t token;
    size_t after;

    cut_excerpt(excerpt, columns);
    ARUS_TRY(arus_buffer_printf(out, err, "%4llu | %s", (unsigned long long)excerpt->line,
                                excerpt->is_cut_left ? "..." : ""));
    ARUS_TRY(put_piece(part(*text, 0, excerpt->begin), out, &before, err));
    ARUS_TRY(put_piece(part(*text, excerpt->begin, excerpt->end), out, &token, err));
    ARUS_TRY(put_piece(part(*text, excerpt->end, text->size), out, &after, err));
    ARUS_TRY(arus_buffer_printf(out, err, "%s\n", excerpt->is_cut_right ? "..." : ""));
    return put_caret(style, before + (excerpt->is_cut_left ? 3 : 0), token, label, out, err);
}

/* ---- the lines below ---- */

/* "help: first line" and further lines under it. */
static enum arus_status put_note(const char *word, const char *text, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const char *at = text;

    if (text[0] == '\0') {
        return ARUS_OK;
    }
    ARUS_TRY(arus_buffer_printf(out, err, "%-5s ", word));
    for (;;) {
        const char *end = strchr(at, '\n');
        const size_t size = end == NULL ? strlen(at) : (size_t)(end - at);

        ARUS_TRY(arus_human_escape((struct arus_text){at, size}, out, err));
        ARUS_TRY(arus_buffer_append_char(out, '\n', err));
        if (end == NULL) {
            return ARUS_OK;
        }
        at = end + 1;
        ARUS_TRY(arus_buffer_append(out, "      ", 6, err));
    }
}

static enum arus_status put_more(const char *condition, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const struct arus_condition_page *page = arus_condition_page(condition);

    return page == NULL ? ARUS_OK
                        : arus_buffer_printf(out, err, "more: arus help %s\n", page->name);
}

enum arus_status arus_diagnostic_format(const struct arus_diagnostic_style *style,
                                        enum arus_severity severity,
                                        const struct arus_error *diagnostic,
                                        struct arus_buffer *out, struct arus_error *err)
{
    struct excerpt excerpt;
    bool is_row_shown = false;

    ARUS_TRY(put_head(style, severity, diagnostic, out, err));
    if (diagnostic->place.size != 0 && style->source.size != 0) {
        excerpt = sql_excerpt(style->source, diagnostic->place);
        ARUS_TRY(put_excerpt(style, &excerpt, diagnostic->label, out, err));
    } else if (row_excerpt(diagnostic, &excerpt)) {
        is_row_shown = true;
        ARUS_TRY(put_excerpt(style, &excerpt, diagnostic->label, out, err));
    }
    if (!is_row_shown) {
        ARUS_TRY(put_note("row:", arus_human_path(arus_text_of(diagnostic->row)).data, out, err));
    }
    ARUS_TRY(put_note("note:", diagnostic->note, out, err));
    ARUS_TRY(put_note("help:", diagnostic->help, out, err));
    return put_more(diagnostic->condition, out, err);
}

void arus_diagnostic_print(const struct arus_diagnostic_style *style, enum arus_severity severity,
                           const struct arus_error *diagnostic)
{
    struct arus_buffer out = {0};
    struct arus_error err;

    if (arus_diagnostic_format(style, severity, diagnostic, &out, &err) == ARUS_OK) {
        (void)fwrite(out.data, 1, out.size, stderr);
    } else {
        (void)fprintf(stderr, "arus: error: %s\n", diagnostic->message);
    }
    arus_buffer_release(&out);
}

void arus_diagnostic_print_all(const struct arus_diagnostic_style *style,
                               enum arus_severity severity, const struct arus_error *diagnostics,
                               size_t count)
{
    for (size_t i = 0; i < count && i < ARUS_DIAGNOSTIC_MAX; i++) {
        arus_diagnostic_print(style, severity, &diagnostics[i]);
    }
    if (count > ARUS_DIAGNOSTIC_MAX) {
        (void)fprintf(stderr, "arus: %zu more\n", count - ARUS_DIAGNOSTIC_MAX);
    }
}
