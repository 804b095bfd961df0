/** Folders that were made: each parent is synced once, at one place, before something relies on it.
 */
#include "base/file.h"

#include <string.h>
#include <unistd.h>

enum arus_status arus_folder_note(struct arus_buffer *made, const char *path,
                                  struct arus_error *err)
{
    return arus_buffer_append(made, path, strlen(path) + 1, err);
}

enum arus_status arus_folder_note_above(struct arus_buffer *made, const char *path,
                                        struct arus_error *err)
{
    struct arus_path at;
    struct arus_path parent;

    ARUS_TRY(arus_path_format(&at, err, "%s", path));
    while (access(at.text, W_OK) == 0) { /* elsewhere a run of this user made nothing */
        ARUS_TRY(arus_folder_note(made, at.text, err));
        arus_path_parent(&parent, at.text);
        if (strcmp(parent.text, at.text) == 0) {
            break;
        }
        at = parent;
    }
    return ARUS_OK;
}

enum arus_status arus_folder_make_durable(const char *path, struct arus_error *err)
{
    struct arus_buffer made = {0};
    enum arus_status status = arus_folder_make(path, &made, err);

    if (status == ARUS_OK) {
        status = arus_folder_sync_made(&made, err);
    }
    arus_buffer_release(&made);
    return status;
}
