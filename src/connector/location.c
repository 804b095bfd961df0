#include "connector/location.h"

#include "base/file.h"

static bool is_bare_folder(struct arus_text location, const char *path)
{
    struct arus_file_info info;
    struct arus_error ignored;

    return path != NULL && *path != '\0' && !arus_text_ends_with(location, ARUS_TEXT("/")) &&
           arus_file_stat(path, &info, &ignored) == ARUS_OK && info.kind == ARUS_FILE_FOLDER;
}

enum arus_status arus_location_show(struct arus_text location, const char *path,
                                    struct arus_buffer *out, struct arus_error *err)
{
    return arus_buffer_printf(out, err, "%.*s%s", ARUS_TEXT_ARGS(location),
                              is_bare_folder(location, path) ? "/" : "");
}
