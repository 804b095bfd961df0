/** Finding and reading SQL. */
#include "cli/input.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static bool is_there(const char *path)
{
    struct arus_file_info info;
    struct arus_path absolute;
    struct arus_path here;
    struct arus_error ignored;

    return getcwd(here.text, sizeof here.text) != NULL &&
           arus_path_absolute(here.text, arus_text_of(path), &absolute, &ignored) == ARUS_OK &&
           arus_file_stat(absolute.text, &info, &ignored) == ARUS_OK &&
           info.kind == ARUS_FILE_REGULAR;
}

/* Where `:QUERY` begins in FILE.sql:QUERY; the size of the operand without one. */
static size_t file_size(const char *operand)
{
    const char *mark = strstr(operand, ".sql:");

    return mark == NULL || strchr(mark + 5, '/') != NULL || is_there(operand)
               ? strlen(operand)
               : (size_t)(mark - operand) + 4;
}

bool arus_sql_input_is_file(const char *operand)
{
    const struct arus_text file = {operand, file_size(operand)};

    if (strpbrk(operand, " \t\n") == NULL && arus_text_ends_with(file, ARUS_TEXT(".sql"))) {
        return true;
    }
    return strlen(operand) < ARUS_PATH_MAX && is_there(operand);
}

/* ---- a file that is not there ---- */

static enum arus_status find_nearest(const char *folder, struct arus_text wanted, char out[256],
                                     struct arus_error *err)
{
    struct arus_folder entries;
    enum arus_file_kind kind;
    const char *name;
    size_t best = wanted.size / 3 + 1;
    bool is_missing;
    enum arus_status status;

    ARUS_TRY(arus_folder_open(&entries, folder, &is_missing, err));
    while ((status = arus_folder_next(&entries, &name, &kind, err)) == ARUS_OK && name != NULL) {
        const size_t distance = arus_text_distance(wanted, arus_text_of(name));

        if (distance < best && kind != ARUS_FILE_FOLDER) {
            best = distance;
            (void)snprintf(out, 256, "%s", name);
        }
    }
    arus_folder_close(&entries);
    return status;
}

static enum arus_status fail_missing(const char *shown, const char *folder, struct arus_error *err)
{
    const char *slash = strrchr(shown, '/');
    const char *name = slash == NULL ? shown : slash + 1;
    struct arus_error ignored;
    char nearest[256] = "";

    if (find_nearest(folder, arus_text_of(name), nearest, &ignored) != ARUS_OK ||
        nearest[0] == '\0') {
        return arus_fail(err, ARUS_BAD_CONFIG, "PATH_NOT_FOUND", "no such file");
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "PATH_NOT_FOUND", "no such file; did you mean %.*s%s?",
                     (int)(name - shown), shown, nearest);
}

/* ---- reading ---- */

static enum arus_status current_folder(struct arus_path *out, struct arus_error *err)
{
    if (getcwd(out->text, sizeof out->text) == NULL) {
        return arus_fail_errno(err, ARUS_BAD_CONFIG, errno, "the current folder");
    }
    return ARUS_OK;
}

enum arus_status arus_sql_input_file(const char *operand, struct arus_sql_input *out,
                                     struct arus_error *err)
{
    const size_t size = file_size(operand);
    struct arus_path absolute;
    struct arus_path here;
    struct arus_file_info info;
    bool is_missing;

    *out = (struct arus_sql_input){0};
    if (size >= sizeof out->path.text) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the path is too long");
    }
    memcpy(out->path.text, operand, size);
    if (operand[size] == ':') {
        (void)snprintf(out->query, sizeof out->query, "%s", operand + size + 1);
    }
    ARUS_TRY(current_folder(&here, err));
    ARUS_TRY(arus_path_absolute(here.text, arus_text_of(out->path.text), &absolute, err));
    arus_path_parent(&out->folder, absolute.text);
    ARUS_TRY(arus_file_stat(absolute.text, &info, err));
    if (info.kind == ARUS_FILE_FOLDER) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "a folder; a .sql file is wanted");
    }
    ARUS_TRY(arus_file_read(absolute.text, &out->text, &is_missing, err));
    return is_missing ? fail_missing(out->path.text, out->folder.text, err) : ARUS_OK;
}

enum arus_status arus_sql_input_stdin(struct arus_sql_input *out, struct arus_error *err)
{
    char part[4096];
    size_t size;

    *out = (struct arus_sql_input){0};
    ARUS_TRY(current_folder(&out->folder, err));
    while ((size = fread(part, 1, sizeof part, stdin)) > 0) {
        ARUS_TRY(arus_buffer_append(&out->text, part, size, err));
    }
    return ARUS_OK;
}

enum arus_status arus_sql_input_text(const char *text, struct arus_sql_input *out,
                                     struct arus_error *err)
{
    *out = (struct arus_sql_input){0};
    ARUS_TRY(current_folder(&out->folder, err));
    return arus_buffer_append_text(&out->text, arus_text_of(text), err);
}

const char *arus_sql_input_name(const struct arus_sql_input *input)
{
    return input->path.text[0] == '\0' ? NULL : input->path.text;
}

void arus_sql_input_release(struct arus_sql_input *input)
{
    arus_buffer_release(&input->text);
}
