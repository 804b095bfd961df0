/** The place in the statement decides which lists are looked through. */
#include "cli/complete.h"

#include "api/reference.h"
#include "base/file.h"
#include "format/format.h"

#include <stdlib.h>

#define ITEMS_MAX 2000

/* Items found so far. */
struct finding {
    struct arus_arena *arena;
    struct arus_text *items; /* [ITEMS_MAX] */
    size_t count;
    struct arus_text word; /* what they begin with, without case */
    bool is_lower;         /* the word has no capital */
    bool is_path;          /* a quote comes behind it */
    bool goes_on;
};

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || (unsigned char)c >= 0x80;
}

static bool begins_with(struct arus_text text, struct arus_text word)
{
    return text.size >= word.size &&
           arus_text_equal_nocase((struct arus_text){text.data, word.size}, word);
}

/* ---- items ---- */

enum spelling { AS_IT_IS, AS_TYPED };

/* `tail`: what follows the name: "(" of a function, "/" of a folder. */
static enum arus_status add(struct finding *finding, struct arus_text name, const char *tail,
                            enum spelling spelling, struct arus_error *err)
{
    const size_t tail_size = strlen(tail);
    const bool is_empty_word = finding->word.size == 0;
    char *text;
    void *memory;

    if (!begins_with(name, finding->word) || finding->count == ITEMS_MAX || name.size == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_arena_alloc(finding->arena, name.size + tail_size + 1, &memory, err));
    text = memory;
    memcpy(text, name.data, name.size);
    memcpy(text + name.size, tail, tail_size);
    for (size_t i = 0; i < name.size && spelling == AS_TYPED && !is_empty_word; i++) {
        const char c = text[i];

        if (finding->is_lower && c >= 'A' && c <= 'Z') {
            text[i] = (char)(c - 'A' + 'a');
        } else if (!finding->is_lower && c >= 'a' && c <= 'z') {
            text[i] = (char)(c - 'a' + 'A');
        }
    }
    finding->goes_on = tail_size != 0 || finding->is_path;
    finding->items[finding->count++] = (struct arus_text){text, name.size + tail_size};
    return ARUS_OK;
}

static int compare_items(const void *a, const void *b)
{
    return arus_text_compare(*(const struct arus_text *)a, *(const struct arus_text *)b);
}

static void finish(struct finding *finding, size_t begin, struct arus_completion *out)
{
    size_t count = 0;

    qsort(finding->items, finding->count, sizeof *finding->items, compare_items);
    for (size_t i = 0; i < finding->count; i++) {
        if (count == 0 || !arus_text_equal(finding->items[count - 1], finding->items[i])) {
            finding->items[count++] = finding->items[i];
        }
    }
    *out = (struct arus_completion){.begin = begin, .items = finding->items, .count = count};
    out->common_size = count == 0 ? 0 : finding->items[0].size;
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;

        while (same < out->common_size && same < finding->items[i].size &&
               finding->items[i].data[same] == finding->items[0].data[same]) {
            same++;
        }
        out->common_size = same;
    }
    out->goes_on = count == 1 && finding->goes_on;
}

/* ---- lists ---- */

static enum arus_status add_tables(struct finding *finding,
                                   const struct arus_complete_source *source,
                                   struct arus_error *err)
{
    struct arus_text name;

    for (size_t i = 0; source->table(source->self, i, &name); i++) {
        ARUS_TRY(add(finding, name, "", AS_IT_IS, err));
    }
    return ARUS_OK;
}

static enum arus_status add_columns(struct finding *finding,
                                    const struct arus_complete_source *source,
                                    struct arus_text table, struct arus_error *err)
{
    struct arus_text name;

    for (size_t i = 0; source->column(source->self, table, i, &name); i++) {
        ARUS_TRY(add(finding, name, "", AS_IT_IS, err));
    }
    return ARUS_OK;
}

/* Does the statement name the table, as a word? */
static bool mentions(struct arus_text text, struct arus_text name)
{
    for (size_t i = 0; i + name.size <= text.size; i++) {
        if (arus_text_equal_nocase((struct arus_text){text.data + i, name.size}, name) &&
            (i == 0 || !is_name_byte(text.data[i - 1])) &&
            (i + name.size == text.size || !is_name_byte(text.data[i + name.size]))) {
            return true;
        }
    }
    return false;
}

static enum arus_status add_columns_of_mentioned(struct finding *finding,
                                                 const struct arus_complete_source *source,
                                                 struct arus_text text, struct arus_error *err)
{
    struct arus_text name;

    for (size_t i = 0; source->table(source->self, i, &name); i++) {
        if (mentions(text, name)) {
            ARUS_TRY(add_columns(finding, source, name, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status add_functions(struct finding *finding, struct arus_error *err)
{
    const struct arus_function_page *pages;
    size_t count;

    ARUS_TRY(arus_reference_functions(finding->arena, &pages, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (is_name_byte(pages[i].name[0])) { /* not an operator */
            ARUS_TRY(add(finding, arus_text_of(pages[i].name), "(", AS_TYPED, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status add_keywords(struct finding *finding, struct arus_error *err)
{
    struct arus_text word;

    for (size_t i = 0; arus_reference_keyword(i, &word); i++) {
        ARUS_TRY(add(finding, word, "", AS_TYPED, err));
    }
    return ARUS_OK;
}

static enum arus_status add_formats(struct finding *finding, struct arus_error *err)
{
    for (size_t i = 0; ARUS_FORMATS[i] != NULL; i++) {
        ARUS_TRY(add(finding, arus_text_of(ARUS_FORMATS[i]->name), "", AS_IT_IS, err));
    }
    return ARUS_OK;
}

static enum arus_status add_options(struct finding *finding, const struct arus_format *format,
                                    struct arus_error *err)
{
    ARUS_TRY(add(finding, ARUS_TEXT("path"), "", AS_IT_IS, err));
    for (const struct arus_option *option = format->read_options; option->name != NULL; option++) {
        ARUS_TRY(add(finding, arus_text_of(option->name), "", AS_IT_IS, err));
    }
    return ARUS_OK;
}

static enum arus_status add_commands(struct finding *finding, struct arus_error *err)
{
    static const char *const COMMANDS[] = {"\\d", "\\h", "\\q", "\\timing", "\\x"};

    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++) {
        ARUS_TRY(add(finding, arus_text_of(COMMANDS[i]), "", AS_IT_IS, err));
    }
    return ARUS_OK;
}

/* Names in the folder of `typed`; a folder that cannot be read has none. */
static enum arus_status add_paths(struct finding *finding, const char *base, struct arus_text typed,
                                  size_t *name_begin, struct arus_error *err)
{
    struct arus_folder folder;
    struct arus_error ignored;
    enum arus_file_kind kind;
    struct arus_path path;
    bool is_missing = false;
    const char *name;

    finding->is_path = true;
    *name_begin = typed.size;
    while (*name_begin > 0 && typed.data[*name_begin - 1] != '/') {
        --*name_begin;
    }
    finding->word = (struct arus_text){typed.data + *name_begin, typed.size - *name_begin};
    if (arus_path_absolute(base, (struct arus_text){typed.data, *name_begin}, &path, &ignored) !=
            ARUS_OK ||
        arus_folder_open(&folder, path.text, &is_missing, &ignored) != ARUS_OK || is_missing) {
        return ARUS_OK;
    }
    while (arus_folder_next(&folder, &name, &kind, &ignored) == ARUS_OK && name != NULL) {
        struct arus_file_info info;
        enum arus_status status;
        const bool is_hidden = name[0] == '.' || name[0] == '_';

        if ((is_hidden && finding->word.size == 0) ||
            strncmp(name, finding->word.data, finding->word.size) != 0 ||
            arus_folder_stat(&folder, name, &info, &ignored) != ARUS_OK) {
            continue;
        }
        status = add(finding, arus_text_of(name), info.kind == ARUS_FILE_FOLDER ? "/" : "",
                     AS_IT_IS, err);
        if (status != ARUS_OK) {
            arus_folder_close(&folder);
            return status;
        }
    }
    arus_folder_close(&folder);
    return ARUS_OK;
}

/* ---- where the cursor is ---- */

/* The statement up to the cursor, read once from the left. */
struct place {
    char quote;                       /* that is open; '\0': none */
    size_t quote_at;                  /* behind it */
    size_t word_at;                   /* where the word at the cursor begins */
    int options_depth;                /* parentheses open behind OPTIONS; 0: not inside */
    const struct arus_format *format; /* behind the last USING */
    bool is_behind_using;
};

static struct arus_text word_at(struct arus_text text, size_t begin)
{
    size_t end = begin;

    while (end < text.size && is_name_byte(text.data[end])) {
        end++;
    }
    return (struct arus_text){text.data + begin, end - begin};
}

static void see_word(struct place *place, struct arus_text text, struct arus_text word,
                     bool is_last, bool *awaits_options)
{
    if (place->is_behind_using && !is_last) {
        place->format = arus_format_find(word);
        place->is_behind_using = false;
    }
    if (!is_last && arus_text_equal_nocase(word, ARUS_TEXT("USING"))) {
        place->is_behind_using = true;
    }
    *awaits_options = !is_last && arus_text_equal_nocase(word, ARUS_TEXT("OPTIONS"));
    place->word_at = is_last ? (size_t)(word.data - text.data) : text.size;
}

static struct place find_place(struct arus_text text)
{
    struct place place = {.word_at = text.size};
    bool awaits_options = false;

    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];

        if (place.quote != '\0') {
            i += place.quote != '`' && c == '\\';
            place.quote = c == place.quote ? '\0' : place.quote;
        } else if (c == '\'' || c == '"' || c == '`') {
            place.quote = c;
            place.quote_at = i + 1;
        } else if (is_name_byte(c)) {
            const struct arus_text word = word_at(text, i);

            i += word.size - 1;
            see_word(&place, text, word, i + 1 == text.size, &awaits_options);
        } else if (c == '(' && (awaits_options || place.options_depth > 0)) {
            place.options_depth++;
            awaits_options = false;
        } else if (c == ')' && place.options_depth > 0) {
            place.options_depth--;
        }
    }
    return place;
}

/* The name before a dot before the word; empty: no dot. */
static struct arus_text qualifier_of(struct arus_text text, size_t word_begin)
{
    size_t end = word_begin;
    size_t begin;

    if (end == 0 || text.data[end - 1] != '.') {
        return (struct arus_text){0};
    }
    begin = --end;
    while (begin > 0 && is_name_byte(text.data[begin - 1])) {
        begin--;
    }
    return (struct arus_text){text.data + begin, end - begin};
}

static bool is_table(const struct arus_complete_source *source, struct arus_text wanted)
{
    struct arus_text name;

    for (size_t i = 0; source->table(source->self, i, &name); i++) {
        if (arus_text_equal_nocase(name, wanted)) {
            return true;
        }
    }
    return false;
}

static enum arus_status add_words(struct finding *finding,
                                  const struct arus_complete_source *source, struct arus_text text,
                                  const struct place *place, struct arus_error *err)
{
    const struct arus_text qualifier = qualifier_of(text, place->word_at);

    if (qualifier.size != 0) {
        return is_table(source, qualifier)
                   ? add_columns(finding, source, qualifier, err)
                   : add_columns_of_mentioned(finding, source, text, err); /* an alias */
    }
    if (place->is_behind_using) {
        return add_formats(finding, err);
    }
    if (place->options_depth > 0 && place->format != NULL) {
        return add_options(finding, place->format, err);
    }
    ARUS_TRY(add_columns_of_mentioned(finding, source, text, err));
    ARUS_TRY(add_tables(finding, source, err));
    if (finding->word.size == 0) {
        return ARUS_OK; /* all keywords and functions help nobody */
    }
    ARUS_TRY(add_functions(finding, err));
    return add_keywords(finding, err);
}

static void take_word(struct finding *finding, struct arus_text text, size_t begin)
{
    finding->word = (struct arus_text){text.data + begin, text.size - begin};
    finding->is_lower = true;
    for (size_t i = 0; i < finding->word.size; i++) {
        finding->is_lower =
            finding->is_lower && !(finding->word.data[i] >= 'A' && finding->word.data[i] <= 'Z');
    }
}

enum arus_status arus_complete(const struct arus_complete_source *source, struct arus_text text,
                               struct arus_arena *arena, struct arus_completion *out,
                               struct arus_error *err)
{
    const struct arus_text of_table = ARUS_TEXT("\\d ");
    struct finding finding = {.arena = arena};
    struct place place = find_place(text);
    size_t name_begin;

    *out = (struct arus_completion){.begin = text.size};
    ARUS_TRY(ARUS_NEW(arena, struct arus_text, ITEMS_MAX, &finding.items, err));
    if (arus_text_starts_with(text, of_table)) {
        place.word_at = of_table.size;
        take_word(&finding, text, place.word_at);
        ARUS_TRY(add_tables(&finding, source, err));
    } else if (arus_text_starts_with(text, ARUS_TEXT("\\"))) {
        place.word_at = 0;
        take_word(&finding, text, place.word_at);
        ARUS_TRY(add_commands(&finding, err));
    } else if (place.quote == '`' || place.quote == '\'') {
        const struct arus_text typed = {text.data + place.quote_at, text.size - place.quote_at};

        ARUS_TRY(add_paths(&finding, source->folder, typed, &name_begin, err));
        place.word_at = place.quote_at + name_begin;
    } else if (place.quote == '\0') {
        take_word(&finding, text, place.word_at);
        ARUS_TRY(add_words(&finding, source, text, &place, err));
    }
    finish(&finding, place.word_at, out);
    return ARUS_OK;
}
