#include "support/file_table.h"

#include <criterion/criterion.h>

#include <inttypes.h>
#include <unistd.h>

TestSuite(file_source, .init = folder_make, .fini = folder_remove);

/* A stream over one source, without a sink: batches are planned, read, prepared and finished. */
struct stream {
    struct arus_checkpoint *checkpoint;
    struct arus_source *source;
    struct arus_source_stream *stream;
    struct arus_source_scan *scan;
    struct arus_checkpoint_start start;
    char offset[64]; /* of the newest batch */
    int64_t next;
    struct arus_plan_limits limits;
    struct arus_planned planned;
};

static void open_stream(struct stream *s, const char *format, const char *ddl, const char *options)
{
    *s = (struct stream){.limits = {.is_available_now = true}};
    MUST(bind_source(format, ddl, options, true, &s->source));
    s->scan = scan_all(s->source, false);
    s->checkpoint = open_checkpoint(1);
    MUST(s->source->ops->stream_open(s->source, arus_checkpoint_logs(s->checkpoint), 0, &s->stream,
                                     &err));
    MUST(arus_checkpoint_begin(s->checkpoint, &plan_arena, &s->start, &err));
    s->next = s->start.batch_id;
    if (s->start.has_last) {
        (void)snprintf(s->offset, sizeof s->offset, "%.*s",
                       ARUS_TEXT_ARGS(s->start.last.plan.offsets[0]));
    }
}

static void close_stream(struct stream *s)
{
    s->source->ops->stream_close(s->stream);
    MUST(arus_checkpoint_close(s->checkpoint, &err));
}

static bool plan(struct stream *s)
{
    MUST(s->source->ops->stream_plan(s->stream, arus_text_of(s->offset), &s->limits, &plan_arena,
                                     &s->planned, &err));
    return s->planned.has_new;
}

static struct arus_batch_plan plan_of(const struct stream *s, struct arus_text *end)
{
    *end = s->planned.end;
    return (struct arus_batch_plan){
        .batch_id = s->next, .timestamp_ms = 1, .offsets = end, .offset_count = 1};
}

/** The rows of the next batch; NULL: nothing new. */
static const char *next_batch(struct stream *s)
{
    struct arus_splits splits;
    struct arus_text end;
    struct arus_batch_record record;
    const char *rows;

    if (!plan(s)) {
        return NULL;
    }
    record = (struct arus_batch_record){.plan = plan_of(s, &end)};
    MUST(arus_checkpoint_plan(s->checkpoint, &record.plan, &err));
    if (s->offset[0] != '\0') {
        MUST(s->source->ops->stream_committed(s->stream, arus_text_of(s->offset), &err));
    }
    MUST(s->source->ops->stream_splits(s->stream, arus_text_of(s->offset), end, s->scan, 2,
                                       &plan_arena, &splits, &err));
    rows = read_splits(s->scan, s->source, &splits);
    MUST(arus_checkpoint_prepare(s->checkpoint, &record, &err));
    MUST(arus_checkpoint_finish(s->checkpoint, s->next++, &err));
    (void)snprintf(s->offset, sizeof s->offset, "%.*s", ARUS_TEXT_ARGS(end));
    return rows;
}

/** One run with availableNow: batches separated by `/`. */
static const char *run(const char *format, const char *ddl, const char *options)
{
    static char all[8192];
    struct stream s;
    const char *rows;

    all[0] = '\0';
    open_stream(&s, format, ddl, options);
    while ((rows = next_batch(&s)) != NULL) {
        (void)strncat(all, rows, sizeof all - strlen(all) - 2);
        (void)strcat(all, "/");
    }
    close_stream(&s);
    for (char *c = all; *c != '\0'; c++) {
        *c = *c == '\n' ? ' ' : *c;
    }
    return all;
}

static const char *run_text(const char *options)
{
    return run("text", NULL, options);
}

/* ---- which files, in which order ---- */

Test(file_source, reads_oldest_first_and_breaks_ties_by_path)
{
    put_at("in/b", "b", 1000);
    put_at("in/z", "z", 500);
    put_at("in/a", "a", 1000);
    cr_expect_str_eq(run_text("path=in;maxFilesPerTrigger=1"), "z /a /b /");
    cr_expect_str_eq(run_text("path=in;maxFilesPerTrigger=1"), "");
    put_at("in/c", "c", 1000);
    cr_expect_str_eq(run_text("path=in"), "c /");
}

Test(file_source, latest_first_turns_the_order_round)
{
    put_at("in/1", "1", 0);
    put_at("in/2", "2", 3600000);
    cr_expect_str_eq(run_text("path=in;maxFilesPerTrigger=1;latestFirst=true;maxFileAge=1m"),
                     "2 /1 /");
}

Test(file_source, takes_bytes_up_to_the_limit_but_always_one_file)
{
    put_at("in/a", "aaaaaaaa\n", 1000);
    put_at("in/b", "bbbbbbbbbbbbbbbbb\n", 2000);
    put_at("in/c", "cc\n", 3000);
    put_at("in/d", "d\n", 4000);
    cr_expect_str_eq(run_text("path=in;maxBytesPerTrigger=20"),
                     "aaaaaaaa /bbbbbbbbbbbbbbbbb /cc d /");
}

Test(file_source, once_ignores_the_limits)
{
    struct stream s;

    put_at("in/a", "a\n", 1000);
    put_at("in/b", "b\n", 2000);
    open_stream(&s, "text", NULL, "path=in;maxFilesPerTrigger=1");
    s.limits = (struct arus_plan_limits){.is_unlimited = true};
    cr_expect_str_eq(next_batch(&s), "a\nb\n");
    close_stream(&s);
}

Test(file_source, hidden_names_are_not_read)
{
    put_at("in/.h", "dot", 1);
    put_at("in/_u", "under", 1);
    put_at("in/v", "seen", 1);
    put_at("in/v.tmp", "tmp too", 2);
    put_at("in/_d/x", "folder", 1);
    put_at("in/w._COPYING_", "copying", 1);
    put_at("in/_k=1.json", "equals", 3);
    put_at("in/sub/deeper", "deeper", 1);
    cr_expect_str_eq(run_text("path=in"), "seen tmp too equals /");
}

Test(file_source, recursive_lookup_takes_all_depths)
{
    put_at("in/a", "a", 1);
    put_at("in/x/b", "b", 2);
    put_at("in/x/y/c", "c", 3);
    put_at("in/_x/d", "d", 4);
    put_at("in/k=1/e", "e", 5);
    cr_expect_str_eq(run_text("path=in;recursiveFileLookup=true"), "a b c e /");
}

Test(file_source, names_may_be_filtered)
{
    put_at("in/a.json", "a", 1);
    put_at("in/b.txt", "b", 2);
    cr_expect_str_eq(run_text("path=in;pathGlobFilter=*.txt"), "b /");
}

Test(file_source, patterns_give_files_and_direct_files_of_folders)
{
    put_at("in/sub/f01", "1", 1);
    put_at("in/sub/deep/f03", "3", 3);
    cr_expect_str_eq(run_text("path=in/*/*"), "1 3 /");
    put_at("in/f05", "5", 5);
    put_at("in/sub/deep/deeper/f06", "6", 6);
    put_at("in/sub/f08", "8", 8);
    cr_expect_str_eq(run_text("path=in/*/*"), "8 /");
}

Test(file_source, patterns_know_all_characters)
{
    put_at("in/a1", "a1", 1);
    put_at("in/b1", "b1", 2);
    put_at("in/c22", "c22", 3);
    put_at("in/x*y", "star", 4);
    cr_expect_str_eq(read_table("text", NULL, "path=in/[ab]1"), "a1\nb1\n");
    cr_expect_str_eq(read_table("text", NULL, "path=in/[^a]1"), "b1\n");
    cr_expect_str_eq(read_table("text", NULL, "path=in/?1"), "a1\nb1\n");
    cr_expect_str_eq(read_table("text", NULL, "path=in/{a1,c*}"), "a1\nc22\n");
    cr_expect_str_eq(read_table("text", NULL, "path=in/x\\*y"), "star\n");
    cr_expect_str_eq(read_table("text", NULL, "path=in/none*"), "");
}

Test(file_source, odd_names_come_back_after_a_restart)
{
    put_at("in/100%25.json", "1", 1);
    put_at("in/t 10:30", "2", 2);
    put_at("in/x#y&z=1", "3", 3);
    put_at("in/caf\xC3\xA9-\xE6\x97\xA5", "4", 4);
    put_at("in/bad\xFF", "5", 5);
    put_at("in/a\"b\\", "6", 6);
    cr_expect_str_eq(run_text("path=in"), "1 2 3 4 5 6 /");
    cr_expect_str_eq(run_text("path=in"), "");
}

Test(file_source, a_file_is_known_by_its_path)
{
    put_at("in/a", "one", 1000);
    cr_expect_str_eq(run_text("path=in"), "one /");
    put_at("in/a", "two", 9000);
    cr_expect_str_eq(run_text("path=in"), "");
}

Test(file_source, a_file_may_be_known_by_its_name_only)
{
    put_at("in/d1/part", "one", 1000);
    cr_expect_str_eq(run_text("path=in;fileNameOnly=true;recursiveFileLookup=true"), "one /");
    put_at("in/d2/part", "two", 2000);
    put_at("in/d2/other", "three", 2000);
    cr_expect_str_eq(run_text("path=in;fileNameOnly=true;recursiveFileLookup=true"), "three /");
}

Test(file_source, files_much_older_than_the_newest_are_ignored)
{
    put_at("in/a", "a", 100000);
    cr_expect_str_eq(run_text("path=in;maxFileAge=50s"), "a /");
    put_at("in/b", "b", 50000);
    put_at("in/c", "c", 49999);
    cr_expect_str_eq(run_text("path=in;maxFileAge=50s"), "b /");
}

/* ---- a running query ---- */

Test(file_source, sees_new_files_while_it_runs)
{
    struct stream s;

    put_at("in/a", "a", 1000);
    open_stream(&s, "text", NULL, "path=in");
    s.limits.is_available_now = false;
    cr_expect_str_eq(next_batch(&s), "a\n");
    cr_expect(next_batch(&s) == NULL);
    put_file(at("in/b"), "b");
    put_file(at("in/.hidden"), "h");
    put_file(at("elsewhere"), "c");
    cr_assert(rename(at("elsewhere"), at("in/c")) == 0);
    cr_assert(next_batch(&s) != NULL);
    cr_expect(s.planned.known_count == 3);
    cr_expect(next_batch(&s) == NULL);
    cr_assert(link(at("in/c"), at("in/d")) == 0);
    cr_assert(symlink(at("in/c"), at("in/e")) == 0);
    cr_expect_str_eq(next_batch(&s), "c\nc\n");
    close_stream(&s);
}

Test(file_source, a_folder_may_go_away_and_come_back_while_it_runs)
{
    struct stream s;

    put_at("in/a", "a", 1000);
    open_stream(&s, "text", NULL, "path=in");
    s.limits.is_available_now = false;
    cr_expect_str_eq(next_batch(&s), "a\n");
    cr_assert(rename(at("in"), at("away")) == 0);
    cr_expect(next_batch(&s) == NULL);
    put_file(at("away/lost"), "l");
    cr_expect(next_batch(&s) == NULL);
    put_file(at("in/b"), "b");
    cr_expect_str_eq(next_batch(&s), "b\n");
    cr_expect(s.stream != NULL && s.source->ops->stream_wake_fd(s.stream) >= 0);
    put_file(at("in/c"), "c");
    cr_expect_str_eq(next_batch(&s), "c\n");
    close_stream(&s);
}

Test(file_source, leaves_a_file_alone_while_it_is_written)
{
    struct stream s;
    FILE *file;

    put_at("in/a", "a", 1000);
    open_stream(&s, "text", NULL, "path=in");
    s.limits.is_available_now = false;
    cr_expect_str_eq(next_batch(&s), "a\n");
    file = fopen(at("in/b"), "w");
    cr_assert(file != NULL && fputs("first\n", file) >= 0 && fflush(file) == 0);
    cr_expect(next_batch(&s) == NULL);
    cr_assert(fputs("second\n", file) >= 0 && fclose(file) == 0);
    cr_expect_str_eq(next_batch(&s), "first\nsecond\n");
    close_stream(&s);
}

Test(file_source, a_waiting_file_is_planned_as_it_is_then)
{
    struct stream s;

    put_at("in/a", "a\n", 1000);
    put_at("in/b", "b\n", 2000);
    put_at("in/c", "c\n", 3000);
    open_stream(&s, "text", NULL, "path=in;maxFilesPerTrigger=1");
    s.limits.is_available_now = false;
    cr_expect_str_eq(next_batch(&s), "a\n");
    put_at("in/b", "longer\n", 2500);
    cr_assert(unlink(at("in/c")) == 0);
    cr_expect_str_eq(next_batch(&s), "longer\n");
    cr_expect(next_batch(&s) == NULL);
    put_at("in/c", "back\n", 3500);
    cr_expect_str_eq(next_batch(&s), "back\n");
    close_stream(&s);
}

Test(file_source, available_now_stays_inside_its_snapshot)
{
    struct stream s;

    put_at("in/a", "a\n", 1000);
    put_at("in/b", "b\n", 2000);
    open_stream(&s, "text", NULL, "path=in;maxFilesPerTrigger=1");
    cr_expect_str_eq(next_batch(&s), "a\n");
    cr_expect(s.planned.left_count == 1 && s.planned.known_count == 1);
    put_at("in/c", "c\n", 3000);
    cr_expect_str_eq(next_batch(&s), "b\n");
    cr_expect(next_batch(&s) == NULL);
    close_stream(&s);
}

/* ---- what was planned ---- */

Test(file_source, a_file_that_was_just_planned_is_read_as_it_is_now)
{
    struct arus_splits splits;
    struct stream s;

    put_at("in/a", "a\n", 1000);
    open_stream(&s, "text", NULL, "path=in/");
    cr_assert(plan(&s));
    put_at("in/a", "other\n", 2000);
    MUST(s.source->ops->stream_splits(s.stream, arus_text_of(s.offset), s.planned.end, s.scan, 1,
                                      &plan_arena, &splits, &err));
    cr_expect_str_eq(read_splits(s.scan, s.source, &splits), "other\n");
    close_stream(&s);
}

/* What was read ahead counts when plan and splits come to the same, and only then. */
static bool is_as_peeked(struct stream *s, const struct arus_splits *peeked)
{
    struct arus_splits splits;

    cr_assert(plan(s));
    MUST(s->source->ops->stream_splits(s->stream, arus_text_of(s->offset), s->planned.end, s->scan,
                                       2, &plan_arena, &splits, &err));
    return s->source->ops->splits_equal(peeked, &splits);
}

static struct arus_splits peek(struct stream *s)
{
    struct arus_splits splits;

    MUST(s->source->ops->stream_peek(s->stream, &s->limits, 2, &plan_arena, &splits, &err));
    return splits;
}

Test(file_source, says_what_the_next_plan_of_a_snapshot_will_take)
{
    const char *options = "path=in;maxFilesPerTrigger=1";
    struct arus_splits peeked;
    struct stream s;

    put_at("in/a", "a\n", 1000);
    put_at("in/b", "b\n", 2000);
    put_at("in/c", "c\n", 3000);
    open_stream(&s, "text", NULL, options);
    cr_expect(peek(&s).count == 0); /* nothing was looked for yet */
    cr_expect_str_eq(next_batch(&s), "a\n");
    peeked = peek(&s);
    cr_expect_str_eq(read_splits(s.scan, s.source, &peeked), "b\n");
    cr_expect(is_as_peeked(&s, &peeked));
    close_stream(&s);
}

Test(file_source, a_file_that_changes_behind_the_peek_is_not_as_peeked)
{
    struct arus_splits peeked;
    struct stream s;

    put_at("in/a", "a\n", 1000);
    put_at("in/b", "b\n", 2000);
    open_stream(&s, "text", NULL, "path=in;maxFilesPerTrigger=1");
    cr_expect_str_eq(next_batch(&s), "a\n");
    peeked = peek(&s);
    put_at("in/b", "more\n", 2000);
    cr_expect(!is_as_peeked(&s, &peeked));
    close_stream(&s);
}

Test(file_source, nothing_is_peeked_behind_the_last_file)
{
    struct stream s;

    put_at("in/a", "a\n", 1000);
    open_stream(&s, "text", NULL, "path=in");
    cr_expect_str_eq(next_batch(&s), "a\n");
    cr_expect(peek(&s).count == 0);
    close_stream(&s);
}

Test(file_source, a_planned_file_that_is_gone_stops_the_batch)
{
    struct arus_splits splits;
    struct stream s;

    put_at("in/a", "a\n", 1000);
    open_stream(&s, "text", NULL, "path=in/");
    cr_assert(plan(&s));
    cr_assert(unlink(at("in/a")) == 0);
    cr_assert(s.source->ops->stream_splits(s.stream, arus_text_of(s.offset), s.planned.end, s.scan,
                                           1, &plan_arena, &splits, &err) == ARUS_BAD_DATA);
    cr_expect_str_eq(err.condition, "FAILED_READ_FILE.FILE_NOT_EXIST");
    cr_expect(strstr(err.message, "in/a belongs to this batch and is gone") != NULL, "%s",
              err.message);
    cr_expect(strstr(err.help, "ignoreMissingFiles true") != NULL);
    put_at("in/a", "a\n", 1000); /* put back: another inode */
    MUST(s.source->ops->stream_splits(s.stream, arus_text_of(s.offset), s.planned.end, s.scan, 1,
                                      &plan_arena, &splits, &err));
    cr_expect_str_eq(read_splits(s.scan, s.source, &splits), "a\n");
    close_stream(&s);
}

Test(file_source, a_planned_file_that_is_gone_may_be_ignored)
{
    struct arus_splits splits;
    struct stream s;

    put_at("in/a", "a\n", 1000);
    open_stream(&s, "text", NULL, "path=in;ignoreMissingFiles=true");
    cr_assert(plan(&s));
    cr_assert(unlink(at("in/a")) == 0);
    MUST(s.source->ops->stream_splits(s.stream, arus_text_of(s.offset), s.planned.end, s.scan, 1,
                                      &plan_arena, &splits, &err));
    cr_expect(splits.count == 0);
    close_stream(&s);
}

Test(file_source, a_plan_is_kept_over_a_restart)
{
    struct arus_batch_plan planned;
    struct arus_splits splits;
    struct arus_text end;
    struct stream s;

    put_at("in/a", "a\n", 1000);
    open_stream(&s, "text", NULL, "path=in");
    cr_assert(plan(&s));
    planned = plan_of(&s, &end);
    MUST(arus_checkpoint_plan(s.checkpoint, &planned, &err));
    close_stream(&s);
    put_at("in/b", "b\n", 2000);
    open_stream(&s, "text", NULL, "path=in");
    cr_assert(s.start.todo == ARUS_TODO_RUN);
    MUST(s.source->ops->stream_splits(s.stream, arus_text_of(""), s.start.record.plan.offsets[0],
                                      s.scan, 1, &plan_arena, &splits, &err));
    cr_expect_str_eq(read_splits(s.scan, s.source, &splits), "a\n");
    close_stream(&s);
}

/* ---- cleaning up ---- */

Test(file_source, deletes_a_file_when_the_next_batch_is_planned)
{
    put_at("in/keep1", "1", 1000);
    cr_expect_str_eq(run_text("path=in;cleanSource=delete;maxFilesPerTrigger=1"), "1 /");
    cr_expect(has_file(at("in/keep1")));
    put_at("in/ke ep2 %", "2", 2000);
    cr_expect_str_eq(run_text("path=in;cleanSource=DELETE;maxFilesPerTrigger=1"), "2 /");
    cr_expect(!has_file(at("in/keep1")) && has_file(at("in/ke ep2 %")));
}

Test(file_source, archives_below_the_archive_folder)
{
    char archived[600];

    put_at("in/a", "1", 1000);
    put_at("in/b", "2", 2000);
    cr_expect_str_eq(
        run_text("path=in;cleanSource=archive;sourceArchiveDir=old;maxFilesPerTrigger=1"),
        "1 /2 /");
    (void)snprintf(archived, sizeof archived, "%s/old%s/in/a", test_folder, test_folder);
    cr_expect(has_file(archived) && !has_file(at("in/a")) && has_file(at("in/b")));
}

/* Somebody delivers a file of the same name before the first one is cleaned up: it was not read. */
Test(file_source, a_file_written_again_is_not_cleaned_up)
{
    put_at("in/a", "1", 1000);
    cr_expect_str_eq(run_text("path=in;cleanSource=delete;maxFilesPerTrigger=1"), "1 /");
    put_at("in/a", "99", 1000);
    put_at("in/b", "2", 2000);
    cr_expect_str_eq(run_text("path=in;cleanSource=delete;maxFilesPerTrigger=1"), "2 /");
    cr_expect(has_file(at("in/a")));
    put_at("in/b", "3", 3000);
    put_at("in/c", "3", 4000);
    cr_expect_str_eq(run_text("path=in;cleanSource=delete;maxFilesPerTrigger=1"), "3 /");
    cr_expect(has_file(at("in/b")));
}

Test(file_source, an_archived_file_is_never_replaced)
{
    char archived[600];

    (void)snprintf(archived, sizeof archived, "old%s/in/a", test_folder);
    put_at(archived, "0", 500);
    put_at("in/a", "1", 1000);
    put_at("in/b", "2", 2000);
    cr_expect_str_eq(
        run_text("path=in;cleanSource=archive;sourceArchiveDir=old;maxFilesPerTrigger=1"),
        "1 /2 /");
    cr_expect(has_file(at("in/a")));
}

/* ---- partition columns ---- */

Test(file_source, folders_give_partition_columns)
{
    put_at("in/k=1/a", "{\"id\":1}\n", 1000);
    put_at("in/k=2/b", "{\"id\":2}\n", 2000);
    cr_expect_str_eq(run("json", "id INT, k INT", "path=in"), "1|1 2|2 /");
    put_at("in/k=__HIVE_DEFAULT_PARTITION__/c", "{\"id\":3}\n", 3000);
    put_at("in/k=3/d", "{\"id\":4}\n", 4000);
    cr_expect_str_eq(run("json", "id INT, k INT", "path=in"), "3|NULL 4|3 /");
}

Test(file_source, names_that_differ_in_case_only_are_refused_at_any_depth)
{
    struct arus_source *source;

    put_at("in/a", "{}\n", 1000);
    cr_expect_eq(bind_source("json", "a STRUCT<x: INT, y: ARRAY<STRUCT<z: INT, Z: INT>>>",
                             "path=in", true, &source),
                 ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.condition, "COLUMN_ALREADY_EXISTS");
    MUST(bind_source("json", "a STRUCT<x: INT>, x INT", "path=in", true, &source));
}

Test(file_source, partition_types_are_inferred_without_columns)
{
    static const struct {
        const char *value;
        const char *type;
    } CASES[] = {{"007", "int"},
                 {"+1", "int"},
                 {"2147483648", "bigint"},
                 {"9223372036854775808", "decimal(19,0)"},
                 {"1.5", "double"},
                 {"2026-03-02", "date"},
                 {"2026-03-02 03%3A04%3A05", "timestamp"},
                 {"true", "string"},
                 {"0x1", "string"},
                 {"1L", "string"}};

    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct arus_buffer name = {0};
        struct arus_source *source;
        char path[128];
        char options[64];

        (void)snprintf(path, sizeof path, "in%zu/k=%s/a", i, CASES[i].value);
        (void)snprintf(options, sizeof options, "path=in%zu", i);
        put_file(at(path), "{\"id\":1}\n");
        MUST(bind_source("json", NULL, options, false, &source));
        cr_assert(source->schema->field_count == 2);
        MUST(arus_type_simple(source->schema->fields[1].type, &name, &err));
        MUST(arus_buffer_append_char(&name, '\0', &err));
        cr_expect_str_eq(name.data, CASES[i].type, "%s: %s", CASES[i].value, name.data);
        arus_buffer_release(&name);
    }
}

Test(file_source, files_beside_partition_folders_are_refused)
{
    struct arus_source *source;

    put_file(at("in/a"), "{}");
    put_file(at("in/k=1/b"), "{}");
    cr_assert(bind_source("json", "id INT, k INT", "path=in", true, &source) != ARUS_OK);
    cr_expect_str_eq(err.condition, "CONFLICTING_PARTITION_COLUMN_NAMES");
}

Test(file_source, metadata_tells_where_a_row_comes_from)
{
    struct arus_source_scan *scan;
    struct arus_source *source;
    struct arus_splits splits;
    char wanted[600];

    put_at("in/a b", "x\n", 1700000000123);
    MUST(bind_source("text", NULL, "path=in", false, &source));
    scan = scan_all(source, true);
    MUST(source->ops->list(scan, 1, &plan_arena, &splits, &err));
    (void)snprintf(wanted, sizeof wanted,
                   "x|{file://%s/in/a%%20b, a%%20b, 2, 0, 2, 2023-11-14 22:13:20.123}\n",
                   test_folder);
    cr_expect_str_eq(read_splits(scan, source, &splits), wanted);
}

/* ---- splits ---- */

Test(file_source, a_large_file_is_cut_and_every_line_read_once)
{
    struct arus_source_scan *scan;
    struct arus_source *source;
    struct arus_splits splits;
    struct arus_scan_worker *worker;
    uint64_t rows = 0;
    uint64_t sum = 0;
    FILE *file;

    put_file(at("in/x"), "");
    file = fopen(at("in/x"), "w");
    for (int i = 0; i < 1000000; i++) {
        (void)fprintf(file, "{\"id\":%d}\n", i);
    }
    (void)fclose(file);
    MUST(bind_source("json", "id BIGINT", "path=in", false, &source));
    scan = scan_all(source, false);
    MUST(source->ops->list(scan, 2, &plan_arena, &splits, &err));
    cr_expect(splits.count == 3, "%zu", splits.count);
    MUST(source->ops->worker_open(scan, &worker, &err));
    for (size_t i = 0; i < splits.count; i++) {
        struct arus_batch batch;

        MUST(source->ops->worker_start(worker, splits.items[i], &err));
        do {
            MUST(source->ops->worker_next(worker, &batch, &err));
            for (uint32_t r = 0; r < batch.row_count; r++) {
                sum += ((const uint64_t *)batch.columns[0].values)[r];
            }
            rows += batch.row_count;
        } while (batch.row_count > 0);
    }
    source->ops->worker_close(worker);
    cr_expect(rows == 1000000 && sum == UINT64_C(499999500000));
}

/* ---- refusals ---- */

Test(file_source, bad_options_are_refused_at_their_place)
{
    static const struct {
        const char *options;
        const char *message;
    } CASES[] = {
        {"path=in;maxFilesPerTrigger=0", "option maxFilesPerTrigger must be at least 1, not `0`"},
        {"path=in;maxFilesPerTrigger=x", "option maxFilesPerTrigger takes a whole number, not `x`"},
        {"path=in;maxFilesPerTrigger=1;maxBytesPerTrigger=1",
         "maxFilesPerTrigger and maxBytesPerTrigger exclude each other"},
        {"path=in;maxFilePerTrigger=1", "a text source has no option `maxFilePerTrigger`"},
        {"path=in;modifiedBefore=2020-01-01", "a stream takes no `modifiedBefore`"},
        {"path=in;cleanSource=bogus",
         "option cleanSource takes off, archive or delete, not `bogus`"},
        {"path=in;cleanSource=archive", "cleanSource 'archive' needs sourceArchiveDir"},
        {"path=in;cleanSource=archive;sourceArchiveDir=in/old",
         "sourceArchiveDir 'in/old' and the source's path 'in' lie in each other: archived files "
         "could be read again"},
        {"path=in/*/x;cleanSource=archive;sourceArchiveDir=in/old",
         "sourceArchiveDir 'in/old' and the source's path 'in/*/x' lie in each other: archived "
         "files could be read again"},
        {"path=in;cleanSource=archive;sourceArchiveDir=.",
         "sourceArchiveDir '.' and the source's path 'in' lie in each other: archived files could "
         "be read again"},
        {"path=in;maxFileAge=x", "option maxFileAge takes a duration such as 10s or 7d, not `x`"},
        {"path=none", "source folder none/ does not exist"}};
    struct arus_source *source;

    put_file(at("in/a"), "a");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        cr_assert(bind_source("text", NULL, CASES[i].options, true, &source) == ARUS_BAD_CONFIG,
                  "%s", CASES[i].options);
        cr_expect_str_eq(err.message, CASES[i].message);
        cr_expect(err.place.size != 0);
    }
    cr_expect_str_eq(err.condition, "PATH_NOT_FOUND");
    MUST(bind_source("text", NULL, "path=none*", true, &source));
}

Test(file_source, a_stream_needs_its_columns)
{
    struct arus_source *source;

    put_file(at("in/a"), "{\"k\":1}\n");
    cr_assert(bind_source("json", NULL, "path=in", true, &source) == ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.condition, "_LEGACY_ERROR_TEMP_2048");
    cr_expect(strstr(err.help, "k BIGINT") != NULL, "%s", err.help);
    MUST(bind_source("text", NULL, "path=in", true, &source));
    MUST(bind_source("json", "foo BIGINT NOT NULL", "path=in", true, &source));
    cr_expect(source->schema->fields[0].is_nullable);
}

Test(file_source, another_folder_on_an_old_checkpoint_is_refused)
{
    struct arus_source_stream *stream;
    struct arus_checkpoint *checkpoint;
    struct arus_source *source;

    put_at("in/a", "a", 1000);
    put_at("in2/a", "a", 1000);
    cr_expect_str_eq(run_text("path=in"), "a /");
    MUST(bind_source("text", NULL, "path=in2", true, &source));
    checkpoint = open_checkpoint(1);
    cr_assert(source->ops->stream_open(source, arus_checkpoint_logs(checkpoint), 0, &stream,
                                       &err) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "ARUS_SOURCE_MOVED");
    MUST(arus_checkpoint_close(checkpoint, &err));
}

/* ---- many files ---- */

Test(file_source, ten_thousand_old_files_are_passed_over, .timeout = 600)
{
    struct stream s;
    char name[64];

    for (int i = 0; i < 10000; i++) {
        (void)snprintf(name, sizeof name, "in/file-of-a-large-folder-%06d", i);
        put_file(at(name), "");
    }
    put_file(at("in/x"), "x");
    open_stream(&s, "text", NULL, "path=in");
    s.limits.is_available_now = false;
    cr_expect_str_eq(next_batch(&s), "x\n");
    cr_expect(s.planned.known_count == 10001);
    cr_expect(next_batch(&s) == NULL);
    put_file(at("in/y"), "y");
    cr_expect_str_eq(next_batch(&s), "y\n");
    close_stream(&s);
    open_stream(&s, "text", NULL, "path=in"); /* begins to read the folder, and is told to stop */
    close_stream(&s);
    put_file(at("in/z"), "z");
    open_stream(&s, "text", NULL, "path=in");
    cr_expect(s.limits.is_available_now);
    cr_expect_str_eq(next_batch(&s), "z\n");
    close_stream(&s);
}

Test(file_source, a_partition_folder_without_a_value_is_refused)
{
    struct arus_source *source;

    put_file(at("in/k=1/a"), "{}");
    put_file(at("in/k=/b"), "{}");
    cr_assert(bind_source("json", NULL, "path=in", false, &source) != ARUS_OK);
    cr_expect_str_eq(err.condition, "EMPTY_PARTITION_COLUMN_VALUE");
}
