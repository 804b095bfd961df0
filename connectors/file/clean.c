/** cleanSource: what happens to files that were read. */
#include "base/failpoint.h"
#include "file/file_internal.h"
#include "journal/log.h"
#include "journal/path.h"

/* ---- at binding ---- */

/* Cuts the first component off an absolute path or pattern. */
static bool next_component(struct arus_text *path, struct arus_text *out)
{
    const char *end;

    while (path->size != 0 && *path->data == '/') {
        path->data++;
        path->size--;
    }
    end = path->size == 0 ? NULL : memchr(path->data, '/', path->size);
    *out = (struct arus_text){path->data, end == NULL ? path->size : (size_t)(end - path->data)};
    path->data += out->size;
    path->size -= out->size;
    return out->size != 0;
}

/* As far as both go down: what lies below one could lie below the other. */
static bool could_meet(struct arus_text pattern, struct arus_text folder)
{
    struct arus_text part;
    struct arus_text name;

    while (next_component(&pattern, &part) && next_component(&folder, &name)) {
        const bool has_braces = memchr(part.data, '{', part.size) != NULL; /* may span components */

        if (!has_braces && !arus_glob_match(part, name)) {
            return false;
        }
    }
    return true;
}

enum arus_status arus_file_check_archive(const struct arus_file_source *source,
                                         struct arus_error *err)
{
    const struct arus_table *table = source->base.table;
    const struct arus_text wanted = source->settings.archive_folder;
    struct arus_path folder;

    if (source->settings.clean_source != ARUS_CLEAN_ARCHIVE) {
        return ARUS_OK;
    }
    if (wanted.size == 0) {
        return arus_fail_at(err, arus_settings_find(&table->options, "cleanSource")->value_place,
                            NULL, "cleanSource 'archive' needs sourceArchiveDir");
    }
    ARUS_TRY(arus_path_absolute(table->folder, wanted, &folder, err));
    if (!could_meet(arus_text_of(source->listing.root), arus_text_of(folder.text))) {
        return ARUS_OK;
    }
    arus_ignore(arus_fail_at(
        err, arus_settings_find(&table->options, "sourceArchiveDir")->value_place, NULL,
        "sourceArchiveDir '%.*s' and the source's path '%.*s' lie in each "
        "other: archived files could be read again",
        ARUS_TEXT_ARGS(wanted), ARUS_TEXT_ARGS(source->base.location)));
    return arus_error_help(err, "archive to a folder beside the source, such as 'archive'");
}

/* ---- at work ---- */

static enum arus_status archive(const struct arus_file_source *source, struct arus_text path,
                                struct arus_error *err)
{
    struct arus_path folder;
    struct arus_path target;
    struct arus_path parent;
    bool exists;

    ARUS_TRY(arus_path_absolute(source->base.table->folder, source->settings.archive_folder,
                                &folder, err));
    ARUS_TRY(arus_path_join(&target, folder.text, path.data + 1, err));
    arus_path_parent(&parent, target.text);
    ARUS_TRY(arus_folder_make_durable(parent.text, err)); /* a power cut takes it with the file */
    ARUS_TRY(arus_file_rename_new(path.data, target.text, &exists, err));
    return exists ? arus_fail(err, ARUS_BAD_DATA, NULL, "%s is there already: %s stays",
                              target.text, path.data)
                  : ARUS_OK;
}

/* Is it the file that was read? A new one of its name was not, and stays. */
static bool is_same(const struct arus_file_info *info, const struct arus_log_line *line,
                    const struct arus_file_entry *planned)
{
    const int64_t ms = info->mtime_ns / 1000000 - (info->mtime_ns % 1000000 < 0);

    if (planned == NULL) { /* planned by Spark */
        return ms == line->mtime_ms;
    }
    return info->size == planned->size && info->mtime_ns == planned->mtime_ns &&
           info->inode == planned->inode;
}

enum arus_status arus_file_clean(const struct arus_file_source *source, struct arus_text line,
                                 const struct arus_file_entry *planned, struct arus_error *err)
{
    struct arus_arena scratch = {0};
    struct arus_log_line entry;
    struct arus_file_info info;
    struct arus_text path;
    enum arus_status status = arus_log_parse_source(line, &scratch, &entry, err);

    if (status == ARUS_OK) {
        status = arus_path_of_uri(entry.uri, &scratch, &path, err);
    }
    if (status == ARUS_OK) {
        status = arus_file_stat(path.data, &info, err);
    }
    if (status == ARUS_OK && info.kind == ARUS_FILE_REGULAR) {
        if (!is_same(&info, &entry, planned)) {
            status = arus_fail(err, ARUS_BAD_DATA, NULL,
                               "%s was written again after it was planned, and stays", path.data);
        } else {
            status = source->settings.clean_source == ARUS_CLEAN_DELETE
                         ? arus_file_remove(path.data, err)
                         : archive(source, path, err);
        }
        arus_failpoint_reach(ARUS_FAILPOINT_DURING_CLEAN_SOURCE, entry.log_id);
    }
    arus_arena_release(&scratch);
    return status;
}
