/** `sources/N/0` of sources that fix once where they began. */
#include "base/file.h"
#include "journal/checkpoint_internal.h"
#include "journal/log_internal.h"

static enum arus_status initial_path(const char *folder, uint32_t index, struct arus_path *out,
                                     struct arus_error *err)
{
    return arus_path_format(out, err, "%s/sources/%u/0", folder, index);
}

/* JSON, or a number. */
static bool is_whole(struct arus_text content)
{
    const char last = content.data[content.size - 1];

    return last == '}' || (last >= '0' && last <= '9' && memchr(content.data, '\n', content.size));
}

/* The offset behind NUL and version. An empty or zeroed file was never finished. */
static enum arus_status parse(struct arus_text content, const char *shown, struct arus_arena *arena,
                              struct arus_text *out, bool *is_found, struct arus_error *err)
{
    int version;

    *is_found = false;
    if (content.size > 0 && content.data[0] == '\0') {
        content.data++;
        content.size--;
    }
    if (content.size == 0 || content.data[0] == '\0' || !is_whole(content)) {
        return ARUS_OK;
    }
    if (content.data[0] == 'v') {
        ARUS_TRY(arus_log_take_version(&content, shown, 1, &version, err));
    }
    *is_found = true;
    return arus_text_copy(content, arena, out, err);
}

enum arus_status arus_log_initial(struct arus_log_set *set, uint32_t index,
                                  struct arus_arena *arena, struct arus_text *out, bool *is_found,
                                  struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_path path;
    struct arus_path shown;
    bool is_missing = false;
    enum arus_status status;

    *out = (struct arus_text){0};
    *is_found = false;
    ARUS_TRY(initial_path(set->config.folder, index, &path, err));
    ARUS_TRY(initial_path(set->config.shown, index, &shown, err));
    status = arus_file_read(path.text, &content, &is_missing, err);
    if (status == ARUS_OK && !is_missing) {
        status = parse(arus_buffer_text(&content), shown.text, arena, out, is_found, err);
    }
    arus_buffer_release(&content);
    return status;
}

static enum arus_status write_initial(const char *path, struct arus_text offset,
                                      struct arus_buffer *text, struct arus_error *err)
{
    const bool has_nul = offset.size > 0 && offset.data[0] == '{'; /* as Spark's sources write it */

    if (has_nul) {
        ARUS_TRY(arus_buffer_append_char(text, '\0', err));
    }
    ARUS_TRY(arus_buffer_append(text, "v1\n", 3, err));
    ARUS_TRY(arus_buffer_append_text(text, offset, err));
    return arus_file_replace_whole(path, arus_buffer_text(text), err);
}

enum arus_status arus_log_set_initial(struct arus_log_set *set, uint32_t index,
                                      struct arus_text offset, struct arus_error *err)
{
    struct arus_buffer text = {0};
    struct arus_path path;
    struct arus_path folder;
    enum arus_status status;

    ARUS_TRY(initial_path(set->config.folder, index, &path, err));
    arus_path_parent(&folder, path.text);
    status = arus_folder_make(folder.text, &set->made, err);
    if (status == ARUS_OK) {
        status = arus_log_remove_crc(path.text, err);
    }
    if (status == ARUS_OK) {
        status = write_initial(path.text, offset, &text, err);
    }
    if (status == ARUS_OK) {
        status = arus_folder_note(&set->made, folder.text, err);
    }
    arus_buffer_release(&text);
    return status;
}
