/** A full disk, said in the user's words: which folder, how much is left, what is safe. */
#include "base/file.h"
#include "stream/query_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool lies_below(const char *path, const char *folder)
{
    const size_t size = folder == NULL ? 0 : strlen(folder);

    return size != 0 && strncmp(path, folder, size) == 0 &&
           (path[size] == '/' || path[size] == '\0');
}

static void put_size(uint64_t bytes, char out[32])
{
    static const char *const UNITS[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;

    while (bytes >= 10240 && unit + 1 < sizeof UNITS / sizeof *UNITS) {
        bytes /= 1024;
        unit++;
    }
    (void)snprintf(out, 32, "%" PRIu64 " %s", bytes, UNITS[unit]);
}

static void add_help(const struct arus_query *query, int64_t batch_id, struct arus_error *err)
{
    char before[64] = "";

    if (query->is_prepared) {
        (void)arus_error_help(err,
                              "free some space and run again: batch %" PRId64
                              " is decided and will be finished as it is",
                              batch_id);
        return;
    }
    if (batch_id == 1) {
        (void)snprintf(before, sizeof before, "batch 0 is safe, ");
    } else if (batch_id > 1) {
        (void)snprintf(before, sizeof before, "batches %s are safe, ",
                       arus_range_label(0, batch_id - 1).text);
    }
    (void)arus_error_help(err, "%snothing of %" PRId64 " is visible; free some space and run again",
                          before, batch_id);
}

/* A bad record of a file ended the query: what a stream can do with it instead. */
static void explain_record(const struct arus_query *query, struct arus_error *err)
{
    const struct arus_text checkpoint = query->config.plan->properties.checkpoint;

    if (strncmp(err->condition, "MALFORMED_", 10) == 0 && err->file.line > 0) {
        (void)arus_error_help(err,
                              "fix the line, or mode 'PERMISSIVE' and rejectsTable 'true': arus "
                              "cat --rejects %.*s",
                              ARUS_TEXT_ARGS(checkpoint));
    }
}

void arus_query_explain_failure(const struct arus_query *query, int64_t batch_id,
                                struct arus_error *err)
{
    const struct arus_stream_query *plan = query->config.plan;
    struct arus_text shown = {0};
    const char *folder = NULL;
    char size[32];

    if (err->condition == NULL || strcmp(err->condition, "TASK_WRITE_FAILED") != 0) {
        if (err->condition != NULL) {
            explain_record(query, err);
        }
        return;
    }
    if (lies_below(err->file.path, plan->sink->path)) {
        folder = plan->sink->path;
        shown = plan->sink->location;
    } else if (lies_below(err->file.path, plan->properties.checkpoint_path)) {
        folder = plan->properties.checkpoint_path;
        shown = plan->properties.checkpoint;
    } else {
        return;
    }
    put_size(arus_folder_free_size(folder), size);
    if (strstr(err->message, "quota") != NULL) {
        (void)snprintf(err->message, sizeof err->message, "the disk quota is used up for %.*s",
                       ARUS_TEXT_ARGS(shown));
    } else {
        (void)snprintf(err->message, sizeof err->message,
                       "no space left on device for %.*s (%s free)", ARUS_TEXT_ARGS(shown), size);
    }
    err->file = (struct arus_file_place){0};
    add_help(query, batch_id, err);
}
