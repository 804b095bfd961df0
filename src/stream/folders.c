/** Source, sink and checkpoint folders must not contain each other: a query would read its own
 * output. */
#include "base/file.h"
#include "stream/query.h"

/* Is `inner` the folder `outer` or below it? */
static bool lies_in(const char *inner, const char *outer)
{
    const size_t size = strlen(outer);

    return strncmp(inner, outer, size) == 0 &&
           (inner[size] == 0 || inner[size] == '/' || (size != 0 && outer[size - 1] == '/'));
}

static enum arus_status check_pair(const char *a, const char *b, const char *a_is, const char *b_is,
                                   struct arus_text b_shown, struct arus_place place,
                                   const char *help, struct arus_error *err)
{
    if (a == NULL || b == NULL || (!lies_in(a, b) && !lies_in(b, a))) {
        return ARUS_OK;
    }
    arus_ignore(arus_fail_at(
        err, place, "ARUS_NESTED_FOLDERS", "the %s %s %s %.*s%s%s", a_is,
        strcmp(a, b) == 0 ? "is"
        : lies_in(a, b)   ? "lies inside"
                          : "contains",
        b_is, ARUS_TEXT_ARGS(b_shown), arus_text_ends_with(b_shown, ARUS_TEXT("/")) ? "" : "/",
        strcmp(b_is, "source folder") == 0 && strcmp(a_is, "sink") == 0 ? " and would read itself"
                                                                        : ""));
    return arus_error_help(err, "%s", help);
}

enum arus_status arus_query_check_folders(const struct arus_stream_query *plan,
                                          struct arus_error *err)
{
    const char *sink = plan->sink->path;
    const char *checkpoint = plan->properties.checkpoint_path;
    const struct arus_place sink_place = plan->sink_config->path_place;
    const struct arus_place checkpoint_place = plan->properties.checkpoint_place;

    for (uint32_t i = 0; i < plan->physical->stream_count; i++) {
        const struct arus_source *source = plan->sources[i];

        ARUS_TRY(check_pair(sink, source->path, "sink", "source folder", source->location,
                            sink_place, "write beside it: path 'out'", err));
        ARUS_TRY(check_pair(checkpoint, source->path, "checkpoint", "source folder",
                            source->location, checkpoint_place,
                            "put it beside: checkpointLocation 'ckpt'", err));
    }
    return check_pair(checkpoint, sink, "checkpoint", "sink", plan->sink->location,
                      checkpoint_place, "put it beside: checkpointLocation 'ckpt'", err);
}
