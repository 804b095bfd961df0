/** Man pages, completions and pages of the reference as files. */
#include "cli/help.h"
#include "cli/metrics.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define PATH_SIZE 1024

static enum arus_status make_folder(const char *path, struct arus_error *err)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        return arus_fail_errno(err, ARUS_BAD_CONFIG, errno, "%s", path);
    }
    return ARUS_OK;
}

static enum arus_status write_file(const char *path, struct arus_text text, struct arus_error *err)
{
    FILE *file = fopen(path, "wb");
    bool is_written;

    if (file == NULL) {
        return arus_fail_errno(err, ARUS_BAD_CONFIG, errno, "%s", path);
    }
    is_written = fwrite(text.data, 1, text.size, file) == text.size;
    if (fclose(file) != 0 || !is_written) {
        return arus_fail_errno(err, ARUS_FATAL, errno, "%s", path);
    }
    return ARUS_OK;
}

typedef enum arus_status (*text_fn)(struct arus_buffer *out, struct arus_error *err);

static enum arus_status write_text(const char *folder, const char *name, text_fn make,
                                   struct arus_error *err)
{
    struct arus_buffer out = {0};
    char path[PATH_SIZE];
    enum arus_status status = make(&out, err);

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    if (status == ARUS_OK) {
        status = write_file(path, arus_buffer_text(&out), err);
    }
    arus_buffer_release(&out);
    return status;
}

static enum arus_status write_manual(const char *folder, const struct arus_command *command,
                                     struct arus_error *err)
{
    struct arus_buffer out = {0};
    char path[PATH_SIZE];
    enum arus_status status = arus_manual_command(command, &out, err);

    (void)snprintf(path, sizeof path, "%s/arus-%s.1", folder, command->name);
    if (status == ARUS_OK) {
        status = write_file(path, arus_buffer_text(&out), err);
    }
    arus_buffer_release(&out);
    return status;
}

static enum arus_status write_reference(const char *folder, struct arus_error *err)
{
    ARUS_TRY(make_folder(folder, err));
    ARUS_TRY(write_text(folder, "commands.md", arus_page_commands, err));
    ARUS_TRY(write_text(folder, "options.md", arus_page_options, err));
    ARUS_TRY(write_text(folder, "functions.md", arus_page_functions, err));
    ARUS_TRY(write_text(folder, "metrics.md", arus_metrics_page, err));
    return write_text(folder, "errors.md", arus_page_errors, err);
}

enum arus_status arus_help_generate(const char *folder, struct arus_error *err)
{
    char path[PATH_SIZE];
    size_t count;
    const struct arus_command *commands = arus_commands(&count);

    if (strlen(folder) > PATH_SIZE / 2) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the path is too long");
    }
    ARUS_TRY(make_folder(folder, err));
    (void)snprintf(path, sizeof path, "%s/reference", folder);
    ARUS_TRY(write_reference(path, err));
    (void)snprintf(path, sizeof path, "%s/man1", folder);
    ARUS_TRY(make_folder(path, err));
    ARUS_TRY(write_text(path, "arus.1", arus_manual_overview, err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(write_manual(path, &commands[i], err));
    }
    (void)snprintf(path, sizeof path, "%s/completions", folder);
    ARUS_TRY(make_folder(path, err));
    ARUS_TRY(write_text(path, "arus.bash", arus_completion_bash, err));
    ARUS_TRY(write_text(path, "_arus", arus_completion_zsh, err));
    return write_text(path, "arus.fish", arus_completion_fish, err);
}
