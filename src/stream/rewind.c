#include "stream/rewind.h"

#include "journal/record.h"
#include "journal/rewind.h"
#include "state/state.h"
#include "stream/side.h"
#include "stream/summary.h"

/* Sinks that cannot take back what they were given. */
static enum arus_status check_sink(const struct arus_query_summary *summary, struct arus_error *err)
{
    static const struct {
        const char *format;
        const char *why;
    } FINAL[] = {{"kafka", "a Kafka sink cannot take records back"},
                 {"exec", "an exec sink cannot take back what its command was given"}};

    for (size_t i = 0; i < sizeof FINAL / sizeof FINAL[0]; i++) {
        if (arus_text_equal_nocase(summary->sink_format, arus_text_of(FINAL[i].format))) {
            arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_REWIND_REFUSED", "%s", FINAL[i].why));
            return arus_error_help(err, "to compute it again: a new checkpointLocation, and a new "
                                        "target");
        }
    }
    return ARUS_OK;
}

static enum arus_status read_summary(struct arus_store *store, int64_t batch_id,
                                     struct arus_arena *arena, struct arus_query_summary *out,
                                     struct arus_error *err)
{
    struct arus_stored_batch batch;
    bool is_found;

    ARUS_TRY(arus_record_get(store, batch_id, arena, &batch, &is_found, err));
    return arus_summary_parse(batch.record.extra, arena, out, err);
}

/* The file sink of the newest batch that arus made: batches of Spark say nothing of it. */
static enum arus_status find_sink(struct arus_store *store, struct arus_arena *arena,
                                  struct arus_query_summary *out, struct arus_error *err)
{
    int64_t oldest;
    int64_t newest;

    ARUS_TRY(arus_record_range(store, &oldest, &newest, err));
    *out = (struct arus_query_summary){0};
    for (int64_t id = newest; id >= 0 && id >= oldest && out->sink_format.size == 0; id--) {
        ARUS_TRY(read_summary(store, id, arena, out, err));
    }
    if (newest >= 0 && out->sink_format.size == 0) {
        arus_ignore(arus_fail(err, ARUS_MISMATCH, "ARUS_REWIND_REFUSED",
                              "arus has made no batch that is kept: its sink is not known"));
        return arus_error_help(err, "run the query once with arus");
    }
    return check_sink(out, err);
}

static enum arus_status report(struct arus_store *store, int64_t to,
                               const struct arus_rewind_extent *extent, struct arus_arena *arena,
                               struct arus_rewind_report *out, struct arus_error *err)
{
    struct arus_query_summary before;
    struct arus_query_summary after;

    ARUS_TRY(read_summary(store, to, arena, &before, err));
    ARUS_TRY(read_summary(store, extent->known, arena, &after, err));
    out->batch_count = extent->newest - to;
    out->file_count = extent->file_count;
    out->has_rows =
        extent->newest == extent->known && before.query.size != 0 && after.query.size != 0;
    out->row_count = out->has_rows ? after.rows.out - before.rows.out : 0;
    return ARUS_OK;
}

static enum arus_status go_back(struct arus_rewind *rewind, int64_t to, const char *sink,
                                struct arus_error *err)
{
    struct arus_store_write write = {0};
    enum arus_status status = arus_state_forget_after(arus_rewind_store(rewind), to, &write, err);

    if (status == ARUS_OK) {
        status = arus_rewind_do(rewind, to, sink, &write, err);
    }
    arus_store_write_release(&write);
    return status;
}

static enum arus_status run(struct arus_rewind *rewind, const char *folder, int64_t to,
                            enum arus_rewind_mode mode, struct arus_arena *arena,
                            struct arus_rewind_report *out, struct arus_error *err)
{
    struct arus_query_summary summary;
    struct arus_rewind_extent extent;
    const char *sink;

    ARUS_TRY(find_sink(arus_rewind_store(rewind), arena, &summary, err));
    sink = summary.sink_path.size == 0 ? NULL : summary.sink_path.data;
    ARUS_TRY(arus_rewind_check(rewind, to, sink, &extent, err));
    ARUS_TRY(report(arus_rewind_store(rewind), to, &extent, arena, out, err));
    if (mode == ARUS_REWIND_LOOK) {
        return ARUS_OK;
    }
    ARUS_TRY(go_back(rewind, to, sink, err));
    return arus_sides_forget(folder, to, err);
}

enum arus_status arus_query_rewind(const char *folder, const char *shown, int64_t to,
                                   enum arus_rewind_mode mode, const struct arus_logger *logger,
                                   struct arus_rewind_report *out, struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_rewind *rewind;
    enum arus_status status;

    *out = (struct arus_rewind_report){0};
    ARUS_TRY(arus_rewind_open(folder, shown, logger, &rewind, err));
    status = run(rewind, folder, to, mode, &arena, out, err);
    arus_rewind_close(rewind);
    arus_arena_release(&arena);
    return status;
}
