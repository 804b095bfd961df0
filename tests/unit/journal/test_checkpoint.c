#include "journal/checkpoint.h"
#include "support/folder.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <inttypes.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite(checkpoint, .init = folder_make, .fini = folder_remove);

/* A stream in small: one source whose every batch has one file, one file sink that writes no files.
 */
struct stream {
    struct arus_checkpoint *checkpoint;
    struct arus_log *source;
    struct arus_log *sink;
    struct arus_checkpoint_start start;
    struct arus_arena arena;
    int64_t next;
};

static struct arus_error err;
static char notices[4096];

static void take_notice(void *self, enum arus_log_level level, const char *text)
{
    (void)self;
    (void)level;
    (void)strncat(notices, text, sizeof notices - strlen(notices) - 2);
    (void)strncat(notices, "\n", sizeof notices - strlen(notices) - 1);
}

static const struct arus_logger LOGGER = {take_notice, NULL, ARUS_LOG_DEBUG};

static struct arus_checkpoint_config config_of(void)
{
    static char folder[300];

    (void)snprintf(folder, sizeof folder, "%s/ckpt", test_folder);
    return (struct arus_checkpoint_config){
        .folder = folder, .shown = "ckpt", .query = "q", .source_count = 1, .logger = &LOGGER};
}

static enum arus_status open_stream(struct stream *stream,
                                    const struct arus_checkpoint_config *config)
{
    *stream = (struct stream){0};
    ARUS_TRY(arus_checkpoint_open(config, &stream->checkpoint, &err));
    ARUS_TRY(
        arus_log_open_source(arus_checkpoint_logs(stream->checkpoint), 0, &stream->source, &err));
    ARUS_TRY(arus_log_open_sink(arus_checkpoint_logs(stream->checkpoint), at("out"), -1,
                                &stream->sink, &err));
    ARUS_TRY(arus_checkpoint_begin(stream->checkpoint, &stream->arena, &stream->start, &err));
    stream->next = stream->start.batch_id;
    return ARUS_OK;
}

static void must_open(struct stream *stream)
{
    const struct arus_checkpoint_config config = config_of();

    MUST(open_stream(stream, &config));
}

static void must_close(struct stream *stream)
{
    MUST(arus_checkpoint_close(stream->checkpoint, &err));
    arus_arena_release(&stream->arena);
}

/** As a process that dies: locks go, nothing is synced or noted. */
static void crash(struct stream *stream);

static void sink_line(int64_t batch, struct arus_buffer *out)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/data/out/part-%" PRId64, batch);
    arus_buffer_reset(out);
    MUST(arus_log_append_sink(out, arus_text_of(path), 10, 1000, &err));
}

/** Plans batch N: one source file. */
static struct arus_batch_plan plan_batch(struct stream *stream, int64_t batch)
{
    static struct arus_text offset;
    static char text[64];
    struct arus_batch_plan plan = {.batch_id = batch,
                                   .timestamp_ms = 1700000000000 + batch,
                                   .offsets = &offset,
                                   .offset_count = 1};
    struct arus_buffer lines = {0};
    char path[64];
    const int64_t id = arus_log_newest(stream->source) + 1;

    (void)snprintf(path, sizeof path, "/data/in/%" PRId64, id);
    MUST(arus_log_append_source(&lines, arus_text_of(path), 5000, id, &err));
    MUST(arus_log_stage(stream->source, id, arus_buffer_text(&lines), ARUS_TEXT("inode"), &err));
    (void)snprintf(text, sizeof text, "{\"logOffset\":%" PRId64 "}", id);
    offset = arus_text_of(text);
    MUST(arus_checkpoint_plan(stream->checkpoint, &plan, &err));
    arus_buffer_release(&lines);
    return plan;
}

static void prepare_batch(struct stream *stream, const struct arus_batch_plan *plan)
{
    struct arus_buffer lines = {0};
    struct arus_batch_output output = {.name = ARUS_TEXT("sink")};
    struct arus_batch_record record = {.plan = *plan, .outputs = &output, .output_count = 1};

    sink_line(plan->batch_id, &lines);
    output.manifest = arus_buffer_text(&lines);
    MUST(
        arus_log_stage(stream->sink, plan->batch_id, output.manifest, (struct arus_text){0}, &err));
    MUST(arus_checkpoint_prepare(stream->checkpoint, &record, &err));
    arus_buffer_release(&lines);
}

static void publish_batch(struct stream *stream, int64_t batch)
{
    struct arus_buffer lines = {0};

    sink_line(batch, &lines);
    MUST(arus_log_add(stream->sink, batch, arus_buffer_text(&lines), &err));
    arus_buffer_release(&lines);
}

static void run_batch(struct stream *stream)
{
    const struct arus_batch_plan plan = plan_batch(stream, stream->next);

    prepare_batch(stream, &plan);
    publish_batch(stream, stream->next);
    MUST(arus_checkpoint_finish(stream->checkpoint, stream->next, &err));
    stream->next++;
}

static void run_batches(int count)
{
    struct stream stream;

    must_open(&stream);
    for (int i = 0; i < count; i++) {
        run_batch(&stream);
    }
    must_close(&stream);
}

static void crash(struct stream *stream)
{
    /* The lock table is the process's: an exit without close is a fork that ends. Here: close
     * without a note. */
    arus_file_fail_at(ARUS_FILE_OP_COMMIT, 1, EIO);
    (void)!arus_checkpoint_close(stream->checkpoint, &err);
    arus_file_fail_at(ARUS_FILE_OP_COMMIT, 0, 0);
    arus_arena_release(&stream->arena);
}

static void remove_file(const char *path)
{
    cr_assert(unlink(path) == 0, "%s", path);
}

static bool text_is(const char *name, const char *wanted)
{
    const char *text = file_text(at(name));

    return text != NULL && strcmp(text, wanted) == 0;
}

/* ---- the texts ---- */

Test(checkpoint, writes_offsets_byte_for_byte_as_spark)
{
    static const char WANTED[] =
        "v1\n{\"batchWatermarkMs\":0,\"batchTimestampMs\":1796023391462,\"conf\":{"
        "\"spark.sql.streaming.stateStore.providerClass\":\"org.apache.spark.sql.execution."
        "streaming."
        "state.HDFSBackedStateStoreProvider\",\"spark.sql.dropDuplicates.deterministicKeyOrder."
        "enabled\":\"true\",\"spark.sql.streaming.stateStore.rocksdb.mergeOperatorVersion\":\"2\","
        "\"spark.sql.streaming.stateStore.rocksdb.formatVersion\":\"5\",\"spark.sql.streaming."
        "queryEvolution.enableSourceEvolution\":\"false\",\"spark.sql.streaming.stateStore."
        "encodingFormat\":\"unsaferow\",\"spark.sql.streaming.statefulOperator."
        "useStrictDistribution\":\"true\",\"spark.sql.streaming.flatMapGroupsWithState."
        "stateFormatVersion\":\"2\",\"spark.sql.streaming.multipleWatermarkPolicy\":\"min\","
        "\"spark.sql.streaming.stateStore.rowChecksum.enabled\":\"false\",\"spark.sql.streaming."
        "statefulOperator.alwaysNullableOutput.enabled\":\"true\",\"spark.sql.streaming."
        "aggregation.stateFormatVersion\":\"2\",\"spark.sql.function.protobufExtensions.enabled\":"
        "\"false\",\"spark.sql.shuffle.partitions\":\"1\",\"spark.sql.streaming.join."
        "stateFormatVersion\":\"2\",\"spark.sql.streaming.stateStore.compression.codec\":\"lz4\","
        "\"spark.sql.optimizer.pruneFiltersCanPruneStreamingSubplan\":\"false\"}}\n{\"logOffset\":"
        "0}";
    struct arus_text conf[ARUS_CONF_COUNT] = {[ARUS_CONF_SHUFFLE_PARTITIONS] = {"1", 1}};
    struct arus_text offset = ARUS_TEXT("{\"logOffset\":0}");
    const struct arus_batch_plan plan = {
        .timestamp_ms = 1796023391462, .offsets = &offset, .offset_count = 1};
    struct arus_text found_conf[ARUS_CONF_COUNT];
    struct arus_batch_plan found;
    struct arus_arena arena = {0};
    struct arus_buffer text = {0};

    MUST(arus_offsets_format(&text, &plan, conf, &err));
    cr_expect(arus_text_equal(arus_buffer_text(&text), ARUS_TEXT(WANTED)));
    MUST(arus_offsets_parse(arus_buffer_text(&text), "x", &arena, &found, found_conf, &err));
    cr_expect(found.timestamp_ms == 1796023391462 && found.offset_count == 1);
    cr_expect(arus_text_equal(found.offsets[0], offset));
    cr_expect(arus_text_equal(found_conf[ARUS_CONF_SHUFFLE_PARTITIONS], ARUS_TEXT("1")));
    arus_arena_release(&arena);
    arus_buffer_release(&text);
}

Test(checkpoint, reads_the_offset_texts_that_spark_reads)
{
    static const struct {
        const char *text;
        const char *condition; /* NULL: fine */
        int64_t watermark;
        size_t count;
    } CASES[] = {
        {"v1\n{}\n-", NULL, 0, 1},
        {"v1\n{\"batchWatermarkMs\":1}\n{\"logOffset\":1}\n", NULL, 1, 1},
        {"v1\r\n{\"batchWatermarkMs\":1,\"x\":[1]}\r\n3", NULL, 1, 1},
        {"v2\n{\"sourceMetadataInfo\":{}}\n0:{\"logOffset\":0}\n1:-", NULL, 0, 2},
        {"v2\n{}\n{\"logOffset\":0}", "MALFORMED_LOG_FILE", 0, 0},
        {"v1\n{}\n{\"logOffset\":1}\n\n", "MALFORMED_LOG_FILE", 0, 0},
        {"v1\n\n{\"logOffset\":1}", "MALFORMED_LOG_FILE", 0, 0},
        {"v1 \n{}\n-", "MALFORMED_LOG_FILE", 0, 0},
        {"v0\n{}\n-", "MALFORMED_LOG_FILE", 0, 0},
        {"garbage", "MALFORMED_LOG_FILE", 0, 0},
        {"v99999", "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION", 0, 0},
        {"", "ARUS_INCOMPLETE_LOG_FILE", 0, 0},
        {"v1\n{\"batchWaterm", "MALFORMED_LOG_FILE", 0, 0},
    };
    struct arus_arena arena = {0};

    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct arus_batch_plan plan;
        const enum arus_status status =
            arus_offsets_parse(arus_text_of(CASES[i].text), "p", &arena, &plan, NULL, &err);

        if (CASES[i].condition != NULL) {
            cr_assert(status == ARUS_MISMATCH, "%s", CASES[i].text);
            cr_expect_str_eq(err.condition, CASES[i].condition);
            cr_expect_str_eq(err.file.path, "p");
        } else {
            cr_assert(status == ARUS_OK, "%s: %s", CASES[i].text, err.message);
            cr_expect(plan.watermark_ms == CASES[i].watermark &&
                      plan.offset_count == CASES[i].count);
        }
    }
    arus_arena_release(&arena);
}

Test(checkpoint, reads_the_commit_texts_that_spark_reads)
{
    int64_t watermark;

    MUST(arus_commit_parse(ARUS_TEXT("v1"), "p", &watermark, &err));
    MUST(arus_commit_parse(ARUS_TEXT("v1\n{}"), "p", &watermark, &err));
    MUST(arus_commit_parse(ARUS_TEXT("v2\n{\"nextBatchWatermarkMs\":5,\"stateUniqueIds\":{}}"), "p",
                           &watermark, &err));
    cr_expect(watermark == 5);
    cr_expect(arus_commit_parse(ARUS_TEXT("v3\n{}"), "p", &watermark, &err) == ARUS_MISMATCH);
    cr_expect(arus_commit_parse(ARUS_TEXT("v1\n{\"next"), "p", &watermark, &err) == ARUS_MISMATCH);
    cr_expect(arus_commit_parse(ARUS_TEXT(""), "p", &watermark, &err) == ARUS_MISMATCH);
}

/* ---- the ordinary life ---- */

Test(checkpoint, a_batch_leaves_what_spark_leaves)
{
    struct stream stream;
    char id[64];

    must_open(&stream);
    cr_assert(stream.start.is_new && stream.start.todo == ARUS_TODO_NEXT && stream.next == 0);
    (void)snprintf(id, sizeof id, "{\"id\":\"%s\"}", arus_checkpoint_id(stream.checkpoint));
    cr_expect(text_is("ckpt/metadata", id));
    run_batch(&stream);
    cr_expect(text_is("ckpt/commits/0", "v1\n{\"nextBatchWatermarkMs\":0}"));
    cr_expect(text_is("ckpt/sources/0/0", "v1\n{\"path\":\"file:///data/in/0\",\"timestamp\":5000,"
                                          "\"batchId\":0}"));
    cr_expect(text_is("out/_spark_metadata/0",
                      "v1\n{\"path\":\"file:///data/out/part-0\",\"size\":10,\"isDir\":false,"
                      "\"modificationTime\":1000,\"blockReplication\":1,\"blockSize\":33554432,"
                      "\"action\":\"add\"}"));
    cr_expect(strstr(file_text(at("ckpt/offsets/0")), "}}\n{\"logOffset\":0}") != NULL);
    must_close(&stream);
    cr_expect(!has_file(at("ckpt/state")));
}

Test(checkpoint, the_querys_id_is_durable_before_it_has_a_name)
{
    const struct arus_checkpoint_config config = config_of();
    struct stream stream;

    arus_file_fail_at(ARUS_FILE_OP_SYNC, 1, EIO);
    cr_expect(open_stream(&stream, &config) != ARUS_OK);
    arus_file_fail_at(ARUS_FILE_OP_SYNC, 0, 0);
    cr_expect(!has_file(at("ckpt/metadata")));
    must_open(&stream);
    cr_expect(stream.start.is_new);
    must_close(&stream);
}

/* As a plan of batch 0 whose folders cannot be synced. */
static void expect_plan_fails(struct stream *stream)
{
    const struct arus_text offset = ARUS_TEXT("{\"logOffset\":0}");
    const struct arus_batch_plan plan = {.offsets = (struct arus_text *)(uintptr_t)&offset,
                                         .offset_count = 1};

    cr_assert(arus_checkpoint_plan(stream->checkpoint, &plan, &err) == ARUS_FATAL);
    cr_expect(strstr(err.message, "Input/output error") != NULL, "%s", err.message);
    cr_expect(!has_file(at("ckpt/offsets/0")) && !has_file(at("ckpt/.arus/plan")));
}

Test(checkpoint, its_folders_are_synced_once_before_the_first_text)
{
    struct stream stream;

    arus_file_fail_at(ARUS_FILE_OP_SYNC_FOLDER, 1, EIO);
    must_open(&stream); /* syncs none */
    expect_plan_fails(&stream);
    /* the test's folder; ckpt, ckpt/.arus, ckpt/sources; out */
    arus_file_fail_at(ARUS_FILE_OP_SYNC_FOLDER, 5, EIO);
    expect_plan_fails(&stream);
    arus_file_fail_at(ARUS_FILE_OP_SYNC_FOLDER, 6, EIO);
    (void)plan_batch(&stream, 0);
    arus_file_fail_at(ARUS_FILE_OP_SYNC_FOLDER, 0, 0);
    must_close(&stream);
}

Test(checkpoint, folders_of_a_run_that_died_before_its_first_batch_are_synced)
{
    struct stream stream;

    must_open(&stream);
    crash(&stream);
    must_open(&stream);
    arus_file_fail_at(ARUS_FILE_OP_SYNC_FOLDER, 1, EIO);
    expect_plan_fails(&stream);
    arus_file_fail_at(ARUS_FILE_OP_SYNC_FOLDER, 0, 0);
    must_close(&stream);
}

Test(checkpoint, goes_on_where_it_stopped)
{
    struct stream stream;

    run_batches(3);
    must_open(&stream);
    cr_expect(stream.start.todo == ARUS_TODO_NEXT && stream.next == 3 && !stream.start.is_new);
    cr_expect(stream.start.has_last && stream.start.last.plan.batch_id == 2);
    cr_expect(arus_text_equal(stream.start.last.plan.offsets[0], ARUS_TEXT("{\"logOffset\":2}")));
    run_batch(&stream);
    must_close(&stream);
    cr_expect(has_file(at("ckpt/commits/3")));
    cr_expect_str_empty(notices);
}

Test(checkpoint, a_second_opening_is_refused)
{
    struct stream stream;
    struct stream second;
    const struct arus_checkpoint_config config = config_of();

    must_open(&stream);
    cr_assert(open_stream(&second, &config) == ARUS_MISMATCH);
    cr_expect(strstr(err.message, "ckpt is in use by process ") == err.message, "%s", err.message);
    must_close(&stream);
}

Test(checkpoint, compacts_at_9_and_19_with_all_lines)
{
    struct stream stream;
    const char *text;
    int lines = 0;

    run_batches(5);
    must_open(&stream);
    for (int i = 0; i < 18; i++) {
        run_batch(&stream);
    }
    must_close(&stream);
    cr_expect(has_file(at("ckpt/sources/0/9.compact")) && !has_file(at("ckpt/sources/0/9")));
    cr_expect(has_file(at("out/_spark_metadata/9.compact")));
    text = file_text(at("ckpt/sources/0/19.compact"));
    cr_assert(text != NULL);
    for (const char *line = strchr(text, '\n'); line != NULL; line = strchr(line + 1, '\n')) {
        char wanted[64];

        (void)snprintf(wanted, sizeof wanted, "\n{\"path\":\"file:///data/in/%d\",", lines++);
        cr_expect(strncmp(line, wanted, strlen(wanted)) == 0, "%.60s", line);
    }
    cr_expect(lines == 20);
    cr_expect(!has_file(at("ckpt/sources/0/.29.compact.arus.tmp")));
    must_open(&stream);
    cr_expect(stream.next == 23);
    must_close(&stream);
}

Test(checkpoint, keeps_only_as_many_batches_as_asked)
{
    struct arus_checkpoint_config config = config_of();
    struct stream stream;

    config.batches_retained = 2;
    MUST(open_stream(&stream, &config));
    for (int i = 0; i < 8; i++) {
        run_batch(&stream);
    }
    must_close(&stream);
    cr_expect(!has_file(at("ckpt/offsets/4")) && !has_file(at("ckpt/commits/4")));
    cr_expect(has_file(at("ckpt/offsets/5")) && has_file(at("ckpt/commits/5")));
    cr_expect(has_file(at("ckpt/sources/0/0")));
    MUST(open_stream(&stream, &config));
    cr_expect(stream.next == 8);
    must_close(&stream);
}

Test(checkpoint, expires_old_log_files_as_spark)
{
    struct arus_checkpoint_config config = config_of();
    struct stream stream;

    config.batches_retained = 2;
    config.source_log_interval = 3;
    config.sink_log_interval = 3;
    config.source_log_delay_ms = -1;
    config.sink_log_delay_ms = -1;
    MUST(open_stream(&stream, &config));
    for (int i = 0; i < 11; i++) {
        run_batch(&stream);
    }
    must_close(&stream);
    cr_expect(has_file(at("out/_spark_metadata/8.compact")));
    cr_expect(has_file(at("out/_spark_metadata/9")) && has_file(at("out/_spark_metadata/10")));
    cr_expect(!has_file(at("out/_spark_metadata/7")) &&
              !has_file(at("out/_spark_metadata/5.compact")));
    cr_expect(!has_file(at("ckpt/sources/0/7")) && has_file(at("ckpt/sources/0/8.compact")));
    MUST(open_stream(&stream, &config));
    cr_expect(stream.next == 11);
    must_close(&stream);
}

/* ---- after a crash ---- */

Test(checkpoint, a_plan_that_was_not_prepared_runs_again_as_it_was)
{
    struct stream stream;
    struct arus_text lines;
    struct arus_text detail;
    bool is_found;

    run_batches(1);
    must_open(&stream);
    (void)plan_batch(&stream, 1);
    crash(&stream);
    must_open(&stream);
    cr_assert(stream.start.todo == ARUS_TODO_RUN && stream.next == 1);
    cr_expect(stream.start.record.plan.timestamp_ms == 1700000000001);
    cr_expect(arus_text_equal(stream.start.record.plan.offsets[0], ARUS_TEXT("{\"logOffset\":1}")));
    MUST(arus_log_entry(stream.source, 1, &stream.arena, &lines, &detail, &is_found, &err));
    cr_expect(is_found && arus_text_equal(detail, ARUS_TEXT("inode")));
    MUST(arus_checkpoint_plan(stream.checkpoint, &stream.start.record.plan, &err));
    prepare_batch(&stream, &stream.start.record.plan);
    publish_batch(&stream, 1);
    MUST(arus_checkpoint_finish(stream.checkpoint, 1, &err));
    stream.next = 2;
    run_batch(&stream);
    must_close(&stream);
    cr_expect(has_file(at("ckpt/commits/2")));
}

Test(checkpoint, a_prepared_batch_is_published_not_run)
{
    struct stream stream;

    run_batches(1);
    must_open(&stream);
    const struct arus_batch_plan plan = plan_batch(&stream, 1);
    prepare_batch(&stream, &plan);
    crash(&stream);
    must_open(&stream);
    cr_assert(stream.start.todo == ARUS_TODO_PUBLISH && stream.next == 1);
    cr_expect(stream.start.record.output_count == 1);
    cr_expect(stream.start.has_last && stream.start.last.plan.batch_id == 0);
    publish_batch(&stream, 1);
    MUST(arus_checkpoint_finish(stream.checkpoint, 1, &err));
    stream.next = 2;
    run_batch(&stream);
    must_close(&stream);
}

Test(checkpoint, a_lost_staged_form_makes_the_batch_run_again)
{
    struct stream stream;

    run_batches(1);
    must_open(&stream);
    const struct arus_batch_plan plan = plan_batch(&stream, 1);
    prepare_batch(&stream, &plan);
    crash(&stream);
    must_open(&stream);
    MUST(arus_checkpoint_drop(stream.checkpoint, 1, &err));
    cr_expect(arus_log_set_repeat(arus_checkpoint_logs(stream.checkpoint)) == 1);
    crash(&stream);
    must_open(&stream);
    cr_assert(stream.start.todo == ARUS_TODO_RUN && stream.next == 1);
    cr_expect(arus_log_set_repeat(arus_checkpoint_logs(stream.checkpoint)) == 1);
    MUST(arus_checkpoint_plan(stream.checkpoint, &stream.start.record.plan, &err));
    prepare_batch(&stream, &stream.start.record.plan);
    publish_batch(&stream, 1);
    MUST(arus_checkpoint_finish(stream.checkpoint, 1, &err));
    must_close(&stream);
}

/** A power cut took commits/0 and the details of plan 1, and left offsets/1. */
static void cut_power_behind_plan_1(struct stream *stream)
{
    run_batches(1);
    must_open(stream);
    (void)plan_batch(stream, 1);
    crash(stream);
    remove_file(at("ckpt/commits/0"));
    cr_assert(truncate(at("ckpt/.arus/plan"), 0) == 0);
    must_open(stream);
    cr_assert(stream->start.todo == ARUS_TODO_PUBLISH && stream->start.batch_id == 0);
}

static void must_run_plan_1(struct stream *stream)
{
    MUST(arus_checkpoint_next(stream->checkpoint, &stream->arena, &stream->start, &err));
    cr_assert(stream->start.todo == ARUS_TODO_RUN && stream->start.batch_id == 1);
    cr_expect(stream->start.record.plan.timestamp_ms == 1700000000001);
    cr_expect(
        arus_text_equal(stream->start.record.plan.offsets[0], ARUS_TEXT("{\"logOffset\":1}")));
    MUST(arus_checkpoint_plan(stream->checkpoint, &stream->start.record.plan, &err));
    prepare_batch(stream, &stream->start.record.plan);
    publish_batch(stream, 1);
    MUST(arus_checkpoint_finish(stream->checkpoint, 1, &err));
    MUST(arus_checkpoint_next(stream->checkpoint, &stream->arena, &stream->start, &err));
    cr_assert(stream->start.todo == ARUS_TODO_NEXT && stream->start.batch_id == 2);
}

Test(checkpoint, the_plan_behind_a_batch_that_is_published_again_runs_as_it_was)
{
    struct stream stream;

    cut_power_behind_plan_1(&stream);
    publish_batch(&stream, 0);
    MUST(arus_checkpoint_finish(stream.checkpoint, 0, &err));
    must_run_plan_1(&stream);
    must_close(&stream);
}

Test(checkpoint, the_plan_behind_a_batch_that_runs_again_is_kept)
{
    struct stream stream;

    cut_power_behind_plan_1(&stream);
    MUST(arus_checkpoint_drop(stream.checkpoint, 0, &err));
    MUST(arus_checkpoint_plan(stream.checkpoint, &stream.start.record.plan, &err));
    prepare_batch(&stream, &stream.start.record.plan);
    publish_batch(&stream, 0);
    MUST(arus_checkpoint_finish(stream.checkpoint, 0, &err));
    must_run_plan_1(&stream);
    must_close(&stream);
}

Test(checkpoint, a_missing_commit_means_publish_again)
{
    struct stream stream;

    run_batches(2);
    remove_file(at("ckpt/commits/1"));
    must_open(&stream);
    cr_assert(stream.start.todo == ARUS_TODO_PUBLISH && stream.next == 1);
    publish_batch(&stream, 1);
    MUST(arus_checkpoint_finish(stream.checkpoint, 1, &err));
    must_close(&stream);
    cr_expect(has_file(at("ckpt/commits/1")));
}

Test(checkpoint, torn_and_missing_mirrors_are_written_again)
{
    static const char *const FILES[] = {"ckpt/offsets/2",   "ckpt/offsets/1",   "ckpt/commits/1",
                                        "ckpt/sources/0/2", "ckpt/sources/0/0", "ckpt/metadata"};
    struct stream stream;
    char before[6][4096];

    run_batches(3);
    for (size_t i = 0; i < 6; i++) {
        (void)snprintf(before[i], sizeof before[i], "%s", file_text(at(FILES[i])));
    }
    for (int way = 0; way < 3; way++) {
        for (size_t i = 0; i < 6; i++) {
            remove_file(at(FILES[i]));
            if (way > 0) {
                before[i][0] = way == 1 ? before[i][0] : 'v';
                put_file(at(FILES[i]), way == 1 ? "" : i == 5 ? "{\"id\":" : "v1\n{\"");
                before[i][0] = i == 5 ? '{' : 'v';
            }
        }
        must_open(&stream);
        must_close(&stream);
        for (size_t i = 0; i < 6; i++) {
            cr_expect(text_is(FILES[i], before[i]), "%s way %d", FILES[i], way);
        }
    }
    cr_expect(strstr(notices, "ckpt/offsets/1: was missing") != NULL, "%s", notices);
}

Test(checkpoint, torn_texts_of_an_unknown_plan_are_discarded)
{
    static const char *const TEXTS[] = {"", "v1", "v1\n{\"batchWatermarkMs\":0,\"batchTime"};
    struct stream stream;

    run_batches(2);
    for (size_t i = 0; i < 3; i++) {
        put_file(at("ckpt/offsets/2"), TEXTS[i]);
        put_file(at("ckpt/sources/0/2"), i == 0 ? "" : "v1\n{\"path\":\"file:///da");
        must_open(&stream);
        cr_expect(stream.start.todo == ARUS_TODO_NEXT && stream.next == 2);
        must_close(&stream);
        cr_expect(!has_file(at("ckpt/offsets/2")) && !has_file(at("ckpt/sources/0/2")));
    }
    run_batches(1);
    cr_expect(has_file(at("ckpt/commits/2")));
}

Test(checkpoint, a_plan_cut_within_an_offset_is_discarded)
{
    struct stream stream;
    char text[4096];
    size_t size;

    run_batches(2);
    must_open(&stream);
    (void)plan_batch(&stream, 2);
    crash(&stream);
    size = (size_t)snprintf(text, sizeof text, "%s", file_text(at("ckpt/offsets/2")));
    for (size_t left = size - 1; left > size - 20; left--) { /* its end: {"logOffset":2} */
        text[left] = '\0';
        put_file(at("ckpt/offsets/2"), text);
        must_open(&stream);
        cr_expect(stream.start.todo == ARUS_TODO_NEXT && stream.next == 2, "%zu bytes", left);
        must_close(&stream);
        cr_expect(!has_file(at("ckpt/offsets/2")), "%zu bytes", left);
    }
}

Test(checkpoint, a_plan_whose_source_entry_was_lost_is_discarded)
{
    struct stream stream;

    run_batches(1);
    must_open(&stream);
    (void)plan_batch(&stream, 1);
    crash(&stream);
    remove_file(at("ckpt/sources/0/1"));
    must_open(&stream);
    cr_expect(stream.start.todo == ARUS_TODO_NEXT && stream.next == 1);
    run_batch(&stream);
    must_close(&stream);
}

Test(checkpoint, a_source_entry_without_a_plan_counts_as_seen)
{
    struct stream stream;

    run_batches(1);
    must_open(&stream);
    (void)plan_batch(&stream, 1);
    crash(&stream);
    remove_file(at("ckpt/offsets/1"));
    must_open(&stream);
    cr_assert(stream.start.todo == ARUS_TODO_NEXT && stream.next == 1);
    cr_expect(arus_log_newest(stream.source) == 1);
    run_batch(&stream);
    must_close(&stream);
    cr_expect(strstr(file_text(at("ckpt/offsets/1")), "{\"logOffset\":2}") != NULL);
    must_open(&stream);
    run_batch(&stream);
    must_close(&stream);
}

/* ---- contradictions ---- */

static void expect_refused(const char *path, const char *content, const char *condition,
                           const char *mention)
{
    const struct arus_checkpoint_config config = config_of();
    struct stream stream;
    enum arus_status status;

    if (content != NULL) {
        put_file(at(path), content);
    }
    status = open_stream(&stream, &config);
    cr_assert(status == ARUS_MISMATCH, "%s %s: %d", path, content == NULL ? "" : content, status);
    cr_expect_str_eq(err.condition, condition);
    cr_expect(strstr(err.message, mention) != NULL || strstr(err.file.path, mention) != NULL,
              "%s | %s", err.file.path, err.message);
    if (stream.checkpoint != NULL) {
        crash(&stream);
    }
}

Test(checkpoint, garbage_and_newer_formats_are_refused)
{
    static char offsets[4096];

    run_batches(2);
    (void)snprintf(offsets, sizeof offsets, "%s", file_text(at("ckpt/offsets/1")));
    expect_refused("ckpt/offsets/1", "garbage", "MALFORMED_LOG_FILE", "ckpt/offsets/1");
    cr_expect(strstr(err.help, "rm that file and run again: the journal knows batch 1") != NULL);
    expect_refused("ckpt/offsets/1", "v99\n{}\n-", "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
                   "newer than this arus reads");
    expect_refused("ckpt/offsets/1", "v1\n{}\n{\"logOffset\":0}", "ARUS_CONTRADICTION", "journal");
    expect_refused("ckpt/offsets/1", "v1\n{}\n-", "ARUS_CONTRADICTION", "journal");
    put_file(at("ckpt/offsets/1"), offsets);
    expect_refused("ckpt/commits/1", "garbage", "MALFORMED_LOG_FILE", "ckpt/commits/1");
    put_file(at("ckpt/commits/1"), "v1\n{\"nextBatchWatermarkMs\":0}");
    expect_refused("ckpt/sources/0/1",
                   "v1\n{\"path\":\"file:///other\",\"timestamp\":1,\"batchId\":1}",
                   "ARUS_CONTRADICTION", "sources/0/1");
    expect_refused("ckpt/sources/0/1", "v2\n{}", "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION",
                   "sources/0/1");
    remove_file(at("ckpt/sources/0/1"));
    expect_refused("ckpt/metadata", "garbage", "MALFORMED_LOG_FILE", "metadata");
    expect_refused("ckpt/metadata", "{\"id\":\"3f2504e0-4f89-41d3-9a0c-0305e82c3301\"}",
                   "ARUS_CONTRADICTION", "metadata");
    remove_file(at("ckpt/metadata"));
    run_batches(1);
}

Test(checkpoint, gaps_and_odd_names_are_refused)
{
    static char text[4096];

    run_batches(2);
    (void)snprintf(text, sizeof text, "%s", file_text(at("ckpt/offsets/1")));
    expect_refused("ckpt/offsets/3", text, "ARUS_CHECKPOINT_GAP", "offsets/2");
    remove_file(at("ckpt/offsets/3"));
    expect_refused("ckpt/commits/2", "v1\n{}", "ARUS_CHECKPOINT_GAP", "offsets/2");
    remove_file(at("ckpt/commits/2"));
    expect_refused("ckpt/offsets/007", text, "MALFORMED_LOG_FILE", "007");
    remove_file(at("ckpt/offsets/007"));
    put_file(at("ckpt/offsets/README"), "x");
    put_file(at("ckpt/offsets/7/x"), "x");
    run_batches(1);
}

Test(checkpoint, variants_that_spark_tolerates_are_accepted)
{
    char text[4096];
    char changed[4200];
    struct stream stream;

    run_batches(2);
    (void)snprintf(text, sizeof text, "%s", file_text(at("ckpt/offsets/1")));
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(changed, sizeof changed, i == 0 ? "%s\n" : "%s ", text);
        put_file(at("ckpt/offsets/1"), changed);
        must_open(&stream);
        must_close(&stream);
    }
    text[strlen(text) - strlen("{\"logOffset\":1}")] = '\0';
    (void)snprintf(changed, sizeof changed, "%s1", text);
    put_file(at("ckpt/offsets/1"), changed);
    put_file(at("ckpt/sources/0/1"),
             "v1\r\n{\"x\":1, \"timestamp\":5000,\"batchId\":1,\"path\":\"file:///data/in/1\"}\n");
    put_file(at("ckpt/commits/1"), "v1");
    run_batches(1);
    cr_expect(text_is("ckpt/commits/1", "v1\n{\"nextBatchWatermarkMs\":0}"));
}

Test(checkpoint, a_sink_log_that_lost_entries_is_refused_when_its_files_are_gone)
{
    run_batches(3);
    remove_file(at("out/_spark_metadata/1"));
    expect_refused("x", NULL, "BATCH_METADATA_NOT_FOUND", "_spark_metadata");
    put_file(at("out/_spark_metadata/1"), "v1");
}

Test(checkpoint, another_number_of_sources_is_refused)
{
    struct arus_checkpoint_config config = config_of();
    struct stream stream;

    run_batches(1);
    config.source_count = 2;
    cr_assert(open_stream(&stream, &config) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "ARUS_SOURCES_DIFFER");
}

Test(checkpoint, state_and_no_state_do_not_mix)
{
    struct arus_checkpoint_config config = config_of();
    struct stream stream;

    run_batches(1);
    config.is_stateful = true;
    cr_assert(open_stream(&stream, &config) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY");
    config.folder = at("ckpt2");
    MUST(arus_checkpoint_open(&config, &stream.checkpoint, &err));
    MUST(arus_checkpoint_close(stream.checkpoint, &err));
    config.folder = at("ckpt3");
    put_file(at("ckpt3/offsets/0"), "v1\n{}\n-");
    config.is_stateful = false;
    cr_assert(open_stream(&stream, &config) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "STREAMING_CHECKPOINT_MISSING_METADATA_FILE");
    config.folder = at("ckpt4");
    put_file(at("ckpt4/state/0/0/1.delta"), "x");
    cr_assert(open_stream(&stream, &config) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "STATE_STORE_CHECKPOINT_LOCATION_NOT_EMPTY");
}

Test(checkpoint, a_state_folder_that_holds_a_lock_alone_is_new)
{
    struct arus_checkpoint_config config = config_of();
    struct stream stream;

    put_file(at("ckpt/state/lock.mdb"), "");
    config.is_stateful = true;
    MUST(open_stream(&stream, &config));
    cr_expect(stream.start.is_new);
    must_close(&stream);
}

Test(checkpoint, an_emptied_one_starts_afresh_and_keeps_the_old_journal)
{
    struct arus_checkpoint_config config = config_of();
    struct stream stream;

    run_batches(2);
    MUST(arus_folder_remove_all(at("ckpt/offsets"), &err));
    MUST(arus_folder_remove_all(at("ckpt/commits"), &err));
    MUST(arus_folder_remove_all(at("ckpt/sources"), &err));
    MUST(arus_folder_remove_all(at("out"), &err));
    remove_file(at("ckpt/metadata"));
    MUST(open_stream(&stream, &config));
    cr_expect(stream.start.is_new && stream.next == 0);
    cr_expect(strstr(notices, "a fresh start") != NULL);
    must_close(&stream);
}

/* ---- Spark was here ---- */

static void spark_batch(int64_t batch)
{
    char path[64];
    char text[512];

    (void)snprintf(path, sizeof path, "ckpt/sources/0/%" PRId64, batch);
    (void)snprintf(text, sizeof text,
                   "v1\n{\"path\":\"file:///data/in/s%" PRId64
                   "\",\"timestamp\":1,\"batchId\":%" PRId64 "}",
                   batch, batch);
    put_file(at(path), text);
    (void)snprintf(path, sizeof path, "ckpt/offsets/%" PRId64, batch);
    (void)snprintf(
        text, sizeof text,
        "v1\n{\"batchWatermarkMs\":0,\"batchTimestampMs\":9,\"conf\":{}}\n{\"logOffset\":%" PRId64
        "}",
        batch);
    put_file(at(path), text);
    (void)snprintf(path, sizeof path, "out/_spark_metadata/%" PRId64, batch);
    put_file(at(path), "v1");
    (void)snprintf(path, sizeof path, "ckpt/commits/%" PRId64, batch);
    put_file(at(path), "v1\n{\"nextBatchWatermarkMs\":0}");
}

Test(checkpoint, takes_a_spark_checkpoint_over)
{
    struct stream stream;

    put_file(at("ckpt/metadata"), "{\"id\":\"3f2504e0-4f89-41d3-9a0c-0305e82c3301\"}");
    for (int64_t i = 0; i < 3; i++) {
        spark_batch(i);
    }
    must_open(&stream);
    cr_assert(stream.start.todo == ARUS_TODO_NEXT && stream.next == 3);
    cr_expect_str_eq(arus_checkpoint_id(stream.checkpoint), "3f2504e0-4f89-41d3-9a0c-0305e82c3301");
    cr_expect(arus_text_equal(stream.start.last.plan.offsets[0], ARUS_TEXT("{\"logOffset\":2}")));
    run_batch(&stream);
    must_close(&stream);
    spark_batch(4);
    spark_batch(5);
    must_open(&stream);
    cr_assert(stream.start.todo == ARUS_TODO_NEXT && stream.next == 6);
    run_batch(&stream);
    must_close(&stream);
    notices[0] = '\0';
    must_open(&stream);
    cr_expect(stream.next == 7);
    must_close(&stream);
    cr_expect_str_empty(notices);
}

Test(checkpoint, takes_a_spark_plan_over)
{
    struct stream stream;

    put_file(at("ckpt/metadata"), "{\"id\":\"3f2504e0-4f89-41d3-9a0c-0305e82c3301\"}");
    spark_batch(0);
    spark_batch(1);
    remove_file(at("ckpt/commits/1"));
    must_open(&stream); /* the sink has batch 1 */
    cr_expect(stream.start.todo == ARUS_TODO_NEXT && stream.next == 2);
    must_close(&stream);
    cr_expect(has_file(at("ckpt/commits/1")));
    spark_batch(2);
    spark_batch(3);
    remove_file(at("ckpt/commits/3"));
    remove_file(at("out/_spark_metadata/3"));
    must_open(&stream); /* the sink has not */
    cr_assert(stream.start.todo == ARUS_TODO_RUN && stream.next == 3);
    MUST(arus_checkpoint_plan(stream.checkpoint, &stream.start.record.plan, &err));
    prepare_batch(&stream, &stream.start.record.plan);
    publish_batch(&stream, 3);
    MUST(arus_checkpoint_finish(stream.checkpoint, 3, &err));
    must_close(&stream);
    run_batches(1);
}

Test(checkpoint, a_batch_that_spark_ran_instead_is_taken_over)
{
    struct stream stream;

    run_batches(1);
    must_open(&stream);
    const struct arus_batch_plan plan = plan_batch(&stream, 1);
    prepare_batch(&stream, &plan);
    crash(&stream);
    put_file(
        at("out/_spark_metadata/1"),
        "v1\n{\"path\":\"file:///data/out/s\",\"size\":1,\"isDir\":false,\"modificationTime\":1,"
        "\"blockReplication\":1,\"blockSize\":1,\"action\":\"add\"}");
    must_open(&stream);
    cr_expect(stream.start.todo == ARUS_TODO_NEXT && stream.next == 2 &&
              arus_log_set_repeat(arus_checkpoint_logs(stream.checkpoint)) == 1);
    run_batch(&stream);
    must_close(&stream);
    run_batches(1);
}

Test(checkpoint, somebody_elses_files_stop_a_running_query)
{
    struct stream stream;

    must_open(&stream);
    run_batch(&stream);
    const struct arus_batch_plan plan = plan_batch(&stream, 1);
    prepare_batch(&stream, &plan);
    put_file(
        at("out/_spark_metadata/1"),
        "v1\n{\"path\":\"file:///data/out/s\",\"size\":1,\"isDir\":false,\"modificationTime\":1,"
        "\"blockReplication\":1,\"blockSize\":1,\"action\":\"add\"}");
    cr_expect(arus_log_add(stream.sink, 1, ARUS_TEXT("{\"a\":1}\n"), &err) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "CONCURRENT_STREAM_LOG_UPDATE");
    crash(&stream);
}

/* ---- others ---- */

Test(checkpoint, notes_become_durable_with_a_batch)
{
    struct stream stream;
    struct arus_text note;
    bool is_found;

    must_open(&stream);
    MUST(arus_checkpoint_set_note(stream.checkpoint, "schema", ARUS_TEXT("a INT"), &err));
    run_batch(&stream);
    must_close(&stream);
    must_open(&stream);
    MUST(arus_checkpoint_note(stream.checkpoint, "schema", &stream.arena, &note, &is_found, &err));
    cr_expect(is_found && arus_text_equal(note, ARUS_TEXT("a INT")));
    must_close(&stream);
}

Test(checkpoint, can_be_looked_at_while_it_is_open)
{
    struct arus_checkpoint_view view;
    struct arus_batch_record record;
    struct arus_arena arena = {0};
    struct stream stream;
    bool is_found;

    MUST(arus_checkpoint_look(at("ckpt"), &view, &err));
    cr_expect(!view.exists);
    run_batches(3);
    must_open(&stream);
    (void)plan_batch(&stream, 3);
    MUST(arus_checkpoint_look(at("ckpt"), &view, &err));
    cr_expect(view.exists && view.newest_published == 2 && view.newest_planned == 3);
    cr_expect_str_eq(view.id, arus_checkpoint_id(stream.checkpoint));
    MUST(arus_checkpoint_look_batch(at("ckpt"), 1, &arena, &record, &is_found, &err));
    cr_expect(is_found && record.plan.timestamp_ms == 1700000000001 && record.output_count == 1);
    MUST(arus_checkpoint_look_batch(at("ckpt"), 3, &arena, &record, &is_found, &err));
    cr_expect(is_found && record.output_count == 0);
    arus_arena_release(&arena);
    crash(&stream);
}

/* Processor time of one batch, of `count` in a row. */
static int64_t cost_us(struct stream *stream, int count)
{
    const clock_t begin = clock();

    for (int i = 0; i < count; i++) {
        run_batch(stream);
    }
    return (int64_t)(clock() - begin) * 1000000 / CLOCKS_PER_SEC / count;
}

Test(checkpoint, the_1000th_batch_costs_like_the_first_100, .timeout = 600)
{
    struct stream stream;
    int64_t first;
    int64_t last;

    must_open(&stream);
    run_batch(&stream);
    first = cost_us(&stream, 100);
    (void)cost_us(&stream, 1000);
    last = cost_us(&stream, 100);
    must_close(&stream);
    cr_log_info("a batch: %" PRId64 " us, later %" PRId64 " us", first, last);
    cr_expect(last < first * 4 + 2000);
}
