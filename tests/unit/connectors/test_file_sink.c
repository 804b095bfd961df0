#include "journal/path.h"
#include "support/file_table.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(file_sink, .init = folder_make, .fini = folder_remove);

/* Batches of rows (id INT, k STRING) into a sink, without a source. */
struct stream {
    struct arus_checkpoint *checkpoint;
    struct arus_sink *sink;
    struct arus_sink_stream *stream;
    struct arus_checkpoint_start start;
    struct arus_buffer manifest;
    struct arus_sink_stats stats;
    int64_t next;
};

#define COLUMNS "id INT, k STRING"

static enum arus_status open_bound(struct stream *s)
{
    struct arus_checkpoint_view view;
    enum arus_status status;

    MUST(arus_checkpoint_look(at("ckpt"), &view, &err));
    s->checkpoint = open_checkpoint(0);
    status = s->sink->ops->stream_open(s->sink, arus_checkpoint_logs(s->checkpoint),
                                       arus_checkpoint_id(s->checkpoint), view.newest_planned < 0,
                                       &s->stream, &err);
    if (status == ARUS_OK) {
        status = arus_checkpoint_begin(s->checkpoint, &plan_arena, &s->start, &err);
    }
    s->next = s->start.batch_id;
    return status;
}

static void open_stream(struct stream *s, const char *format, const char *options,
                        const char *partition)
{
    *s = (struct stream){0};
    MUST(bind_sink(format, COLUMNS, options, partition, &s->sink));
    MUST(open_bound(s));
}

static void close_stream(struct stream *s)
{
    struct arus_error ignored;

    if (s->stream != NULL) {
        s->sink->ops->stream_close(s->stream);
    }
    arus_status_ignore(
        arus_checkpoint_close(s->checkpoint, &ignored)); /* tests that fail commits */
    arus_buffer_release(&s->manifest);
}

/** `1 a,2 b`: rows; `-` is NULL, `''` the empty text. */
static struct arus_batch batch_of(const char *text, struct arus_arena *arena)
{
    struct arus_batch batch = {.schema = columns_of(COLUMNS)};
    int32_t *ids;
    struct arus_view *keys;

    MUST(ARUS_NEW(arena, struct arus_vector, 2, &batch.columns, &err));
    MUST(arus_vector_init(&batch.columns[0], &ARUS_INT, 64, arena, &err));
    MUST(arus_vector_init(&batch.columns[1], &ARUS_STRING, 64, arena, &err));
    MUST(arus_vector_need_validity(&batch.columns[1], arena, &err));
    ids = batch.columns[0].values;
    keys = batch.columns[1].values;
    while (*text != '\0') {
        char *end;
        size_t size;

        ids[batch.row_count] = (int32_t)strtol(text, &end, 10);
        text = end + 1;
        size = strcspn(text, ",");
        keys[batch.row_count] = arus_view_of(text, size);
        if (size == 1 && *text == '-') {
            arus_bit_clear(batch.columns[1].validity, batch.row_count);
            keys[batch.row_count].size = 0;
        } else if (size == 2 && text[0] == '\'') {
            keys[batch.row_count].size = 0;
        }
        batch.row_count++;
        text += size + (text[size] == ',');
    }
    batch.columns[0].row_count = batch.row_count;
    batch.columns[1].row_count = batch.row_count;
    return batch;
}

static enum arus_status stage(struct stream *s, const char *rows)
{
    const struct arus_batch_plan plan = {.batch_id = s->next, .timestamp_ms = 1};
    const struct arus_sink_ops *ops = s->sink->ops;
    static struct arus_arena arena;
    struct arus_sink_worker *worker;
    struct arus_batch batch;
    enum arus_status status;

    ARUS_TRY(arus_checkpoint_plan(s->checkpoint, &plan, &err));
    ARUS_TRY(ops->stage_begin(s->stream, s->next, &err));
    if (rows[0] != '\0') {
        batch = batch_of(rows, &arena);
        ARUS_TRY(ops->worker_open(s->stream, 0, &worker, &err));
        status = ops->worker_write(worker, &batch, &err);
        if (status != ARUS_OK) {
            struct arus_error ignored;

            arus_status_ignore(ops->worker_close(worker, true, &ignored));
            return status;
        }
        ARUS_TRY(ops->worker_close(worker, false, &err));
    }
    arus_arena_reset(&arena);
    arus_buffer_reset(&s->manifest);
    return ops->stage_finish(s->stream, s->next, &s->manifest, &s->stats, &err);
}

static void prepare(struct stream *s)
{
    struct arus_batch_output output = {ARUS_TEXT("sink"), arus_buffer_text(&s->manifest)};
    const struct arus_batch_record record = {
        .plan = {.batch_id = s->next, .timestamp_ms = 1}, .outputs = &output, .output_count = 1};

    MUST(arus_checkpoint_prepare(s->checkpoint, &record, &err));
}

static void publish(struct stream *s)
{
    MUST(s->sink->ops->publish(s->stream, s->next, arus_buffer_text(&s->manifest), &err));
    MUST(arus_checkpoint_finish(s->checkpoint, s->next, &err));
    s->next++;
}

static void write_batch(struct stream *s, const char *rows)
{
    MUST(stage(s, rows));
    prepare(s);
    publish(s);
}

static const char *table(const char *options)
{
    return read_table("json", COLUMNS, options);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/** As table, sorted: files of one millisecond come in the order of their names. */
static const char *rows_of(const char *options)
{
    static char text[4096];
    char unsorted[4096];
    char *lines[64];
    char *rest = NULL;
    size_t count = 0;

    (void)snprintf(unsorted, sizeof unsorted, "%s", table(options));
    for (char *line = strtok_r(unsorted, "\n", &rest); line != NULL && count < 64;
         line = strtok_r(NULL, "\n", &rest)) {
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        (void)strcat(strcat(text, lines[i]), "\n");
    }
    return text;
}

/** Names in a folder that match, sorted, with the uuid replaced. */
static const char *names(const char *folder)
{
    static char text[4096];
    struct dirent **entries;
    const int count = scandir(at(folder), &entries, NULL, alphasort);

    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        char *name = entries[i]->d_name;

        if (name[0] != '.' && name[0] != '_') {
            if (strncmp(name, "part-", 5) == 0) {
                (void)sprintf(text + strlen(text), "%.11sU%s", name, name + 47);
            } else {
                (void)strcat(text, name);
            }
            (void)strcat(text, " ");
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return text;
}

/* ---- the ordinary life ---- */

Test(file_sink, a_batch_is_one_part_and_one_log_entry)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "1 a,2 b");
    cr_expect_str_eq(names("out"), "part-00000-U-c000.json ");
    cr_expect(s.stats.row_count == 2 && s.stats.file_count == 1);
    write_batch(&s, "3 c");
    close_stream(&s);
    cr_expect(strncmp(file_text(at("out/_spark_metadata/0")), "v1\n{\"path\":\"file:///", 20) == 0);
    cr_expect_str_eq(rows_of("path=out"), "1|a\n2|b\n3|c\n");
    cr_expect_str_eq(names("out/.staging"), "");
}

Test(file_sink, names_come_out_the_same_again)
{
    struct stream s;
    char before[8192];

    open_stream(&s, "json", "path=out", NULL);
    MUST(stage(&s, "1 a"));
    (void)snprintf(before, sizeof before, "%.*s", (int)s.manifest.size, s.manifest.data);
    MUST(s.sink->ops->stage_begin(s.stream, 0, &err));
    close_stream(&s);
    open_stream(&s, "json", "path=out", NULL);
    cr_assert(s.start.todo == ARUS_TODO_RUN);
    MUST(stage(&s, "1 a"));
    cr_expect(strncmp(before, s.manifest.data, strcspn(before, ",")) == 0);
    close_stream(&s);
}

Test(file_sink, a_batch_without_rows_leaves_what_spark_leaves)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "");
    close_stream(&s);
    cr_expect_str_eq(names("out"), "part-00000-U-c000.json ");
    cr_expect(strstr(file_text(at("out/_spark_metadata/0")), "\"size\":0,") != NULL);
    cr_expect_str_eq(table("path=out"), "");
}

Test(file_sink, a_partitioned_batch_without_rows_has_an_empty_entry)
{
    struct stream s;

    open_stream(&s, "json", "path=out", "k");
    write_batch(&s, "");
    close_stream(&s);
    cr_expect_str_eq(file_text(at("out/_spark_metadata/0")), "v1");
    cr_expect_str_eq(names("out"), "");
}

Test(file_sink, partitions_are_folders_with_hive_names)
{
    struct stream s;

    open_stream(&s, "json", "path=out", "k");
    write_batch(&s, "1 a,2 b/c,3 -,4 '',5 a,6 =x,7 b/c");
    close_stream(&s);
    cr_expect_str_eq(names("out"), "k=%3Dx k=__HIVE_DEFAULT_PARTITION__ k=a k=b%2Fc ");
    cr_expect_str_eq(names("out/k=a"), "part-00000-U.c000.json ");
    cr_expect_str_eq(names("out/k=__HIVE_DEFAULT_PARTITION__"),
                     "part-00000-U.c000.json part-00000-U.c000.json ");
    cr_expect_str_eq(file_text(at("out/k=b%2Fc/x")) == NULL ? "" : "?", "");
    cr_expect(strstr(file_text(at("out/_spark_metadata/0")), "/k=b%252Fc/part-") != NULL);
    cr_expect(strstr(table("path=out"), "2|b/c\n7|b/c\n") != NULL, "%s", table("path=out"));
    cr_expect(strstr(table("path=out"), "3|NULL\n") != NULL);
    cr_expect(strstr(table("path=out"), "4|NULL\n") != NULL);
    cr_expect(strstr(table("path=out"), "6|=x\n") != NULL);
}

Test(file_sink, many_partitions_wait_for_their_one_file)
{
    struct arus_sink_worker *worker;
    struct arus_arena arena = {0};
    struct stream s;
    uint64_t rows = 0;

    open_stream(&s, "json", "path=out", "k");
    MUST(arus_checkpoint_plan(s.checkpoint, &(struct arus_batch_plan){.timestamp_ms = 1}, &err));
    MUST(s.sink->ops->stage_begin(s.stream, 0, &err));
    MUST(s.sink->ops->worker_open(s.stream, 0, &worker, &err));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 300; i++) {
            char text[32];
            struct arus_batch batch;

            (void)snprintf(text, sizeof text, "%d k%d", i, i);
            batch = batch_of(text, &arena);
            MUST(s.sink->ops->worker_write(worker, &batch, &err));
        }
    }
    MUST(s.sink->ops->worker_close(worker, false, &err));
    MUST(s.sink->ops->stage_finish(s.stream, 0, &s.manifest, &s.stats, &err));
    cr_expect(s.stats.row_count == 600 && s.stats.file_count == 300);
    prepare(&s);
    publish(&s);
    close_stream(&s);
    for (const char *at_row = table("path=out"); *at_row != '\0'; at_row++) {
        rows += *at_row == '\n';
    }
    cr_expect(rows == 600);
    arus_arena_release(&arena);
}

Test(file_sink, files_hold_at_most_so_many_rows)
{
    struct stream s;

    open_stream(&s, "json", "path=out;maxRecordsPerFile=3", NULL);
    write_batch(&s, "1 a,2 a,3 a,4 a,5 a,6 a,7 a");
    close_stream(&s);
    cr_expect_str_eq(names("out"), "part-00000-U-c000.json part-00000-U-c001.json "
                                   "part-00000-U-c002.json ");
    cr_expect_str_eq(rows_of("path=out"), "1|a\n2|a\n3|a\n4|a\n5|a\n6|a\n7|a\n");
}

/* ---- crashes ---- */

Test(file_sink, nothing_is_visible_before_publish)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    MUST(stage(&s, "1 a"));
    prepare(&s);
    cr_expect_str_eq(names("out"), "");
    close_stream(&s);
    open_stream(&s, "json", "path=out", NULL);
    cr_assert(s.start.todo == ARUS_TODO_PUBLISH);
    MUST(s.sink->ops->publish(s.stream, 0, s.start.record.outputs[0].manifest, &err));
    MUST(s.sink->ops->publish(s.stream, 0, s.start.record.outputs[0].manifest, &err));
    MUST(arus_checkpoint_finish(s.checkpoint, 0, &err));
    close_stream(&s);
    cr_expect_str_eq(table("path=out"), "1|a\n");
}

Test(file_sink, a_half_published_batch_is_finished)
{
    struct stream s;
    bool is_published;

    open_stream(&s, "json", "path=out", "k");
    MUST(stage(&s, "1 a,2 b,3 c"));
    prepare(&s);
    arus_file_fail_at(ARUS_FILE_OP_RENAME, 2, EIO);
    cr_assert(s.sink->ops->publish(s.stream, 0, arus_buffer_text(&s.manifest), &err) == ARUS_FATAL);
    close_stream(&s);
    cr_expect(!has_file(at("out/_spark_metadata/0")));
    open_stream(&s, "json", "path=out", "k");
    cr_assert(s.start.todo == ARUS_TODO_PUBLISH);
    MUST(s.sink->ops->is_published(s.stream, 0, s.start.record.outputs[0].manifest, &is_published,
                                   &err));
    cr_expect(!is_published);
    MUST(s.sink->ops->publish(s.stream, 0, s.start.record.outputs[0].manifest, &err));
    MUST(s.sink->ops->is_published(s.stream, 0, s.start.record.outputs[0].manifest, &is_published,
                                   &err));
    cr_expect(is_published);
    MUST(arus_checkpoint_finish(s.checkpoint, 0, &err));
    s.next = 1;
    write_batch(&s, "4 a");
    close_stream(&s);
    cr_expect_str_eq(rows_of("path=out"), "1|a\n2|b\n3|c\n4|a\n");
}

Test(file_sink, staged_files_of_a_dead_batch_are_removed)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    MUST(stage(&s, "1 a"));
    close_stream(&s);
    put_file(at("out/.staging/part-00007-x"), "left");
    open_stream(&s, "json", "path=out", NULL);
    cr_assert(s.start.todo == ARUS_TODO_RUN);
    MUST(stage(&s, "1 a"));
    cr_expect_str_eq(names("out/.staging"), "");
    prepare(&s);
    publish(&s);
    close_stream(&s);
    cr_expect_str_eq(table("path=out"), "1|a\n");
}

/* ---- held parts ---- */

/** A batch by a process that ends without a word. */
static void write_and_die(const char *rows)
{
    const pid_t child = fork();
    int status;

    if (child == 0) {
        struct stream s;

        open_stream(&s, "json", "path=out", "k");
        write_batch(&s, rows);
        _exit(0);
    }
    cr_assert(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static const char *part_of(const char *folder)
{
    static char path[4096];
    struct dirent **entries;
    const int count = scandir(at(folder), &entries, NULL, alphasort);

    cr_assert(count > 2);
    (void)snprintf(path, sizeof path, "%s/%s", at(folder), entries[count - 1]->d_name);
    for (int i = 0; i < count; i++) {
        free(entries[i]);
    }
    free(entries);
    return path;
}

Test(file_sink, a_part_that_a_power_cut_took_is_written_anew)
{
    struct stream s;

    write_and_die("1 a,2 b,3 c");
    cr_assert(unlink(part_of("out/k=a")) == 0 && rmdir(at("out/k=a")) == 0);
    cr_assert(truncate(part_of("out/k=b"), 5) == 0);
    cr_assert(unlink(at("out/_spark_metadata/0")) == 0);
    open_stream(&s, "json", "path=out", "k");
    cr_expect(s.start.todo == ARUS_TODO_NEXT);
    close_stream(&s);
    cr_expect_str_eq(rows_of("path=out"), "1|a\n2|b\n3|c\n");
}

/* A cut that took the rename leaves the part under the name that it was written by; more parts than
 * files are made ahead. */
Test(file_sink, what_a_power_cut_left_in_staging_of_a_held_part_is_removed)
{
    char rows[1024] = "";
    struct stream s;

    for (int i = 0; i < 60; i++) {
        (void)sprintf(rows + strlen(rows), "%s%d k%d", i == 0 ? "" : ",", i, i);
    }
    write_and_die(rows);
    for (int i = 0; i < 60; i++) {
        char folder[64];
        char staged[4096];
        const char *part;

        (void)snprintf(folder, sizeof folder, "out/k=k%d", i);
        part = part_of(folder);
        (void)snprintf(staged, sizeof staged, "%s%s", at("out/.staging"), strrchr(part, '/'));
        cr_assert(i % 2 == 0 ? rename(part, staged) == 0 : link(part, staged) == 0);
    }
    open_stream(&s, "json", "path=out", "k");
    close_stream(&s);
    cr_expect(access(at("out/.staging"), F_OK) != 0, "%s", names("out/.staging"));
}

Test(file_sink, a_part_is_held_until_its_file_is_durable)
{
    struct stream s;

    write_and_die("1 a,2 b");
    open_stream(&s, "json", "path=out", "k");
    close_stream(&s); /* syncs */
    cr_assert(unlink(part_of("out/k=a")) == 0);
    open_stream(&s, "json", "path=out", "k");
    close_stream(&s);
    cr_expect_str_eq(names("out/k=a"), "", "somebody removed it, no power cut");
}

Test(file_sink, a_large_part_is_staged)
{
    struct arus_sink_worker *worker;
    struct arus_arena arena = {0};
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    MUST(arus_checkpoint_plan(s.checkpoint, &(struct arus_batch_plan){.timestamp_ms = 1}, &err));
    MUST(s.sink->ops->stage_begin(s.stream, 0, &err));
    MUST(s.sink->ops->worker_open(s.stream, 0, &worker, &err));
    for (int i = 0; i < 2000; i++) { /* 18 bytes each */
        const struct arus_batch batch = batch_of("1234567 abc", &arena);

        MUST(s.sink->ops->worker_write(worker, &batch, &err));
    }
    MUST(s.sink->ops->worker_close(worker, false, &err));
    MUST(s.sink->ops->stage_finish(s.stream, 0, &s.manifest, &s.stats, &err));
    cr_expect_str_eq(names("out/.staging"), "part-00000-U-c000.json ");
    prepare(&s);
    publish(&s);
    close_stream(&s);
    cr_expect_str_eq(names("out"), "part-00000-U-c000.json ");
    arus_arena_release(&arena);
}

Test(file_sink, a_lost_sink_is_written_again_when_its_commit_is_lost_too)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "1 a");
    close_stream(&s);
    MUST(arus_folder_remove_all(at("out"), &err));
    cr_assert(unlink(at("ckpt/commits/0")) == 0);
    open_stream(&s, "json", "path=out", NULL);
    cr_assert(s.start.todo == ARUS_TODO_PUBLISH);
    cr_assert(s.sink->ops->publish(s.stream, 0, s.start.record.outputs[0].manifest, &err) ==
              ARUS_RETRY);
    cr_expect_str_eq(err.condition, "ARUS_STAGED_PART_LOST");
    MUST(arus_checkpoint_drop(s.checkpoint, 0, &err));
    write_batch(&s, "1 a");
    write_batch(&s, "2 b");
    close_stream(&s);
    cr_expect_str_eq(rows_of("path=out"), "1|a\n2|b\n");
}

Test(file_sink, parts_of_a_form_that_was_given_up_are_removed)
{
    struct stream s;

    open_stream(&s, "json", "path=out", "k");
    MUST(stage(&s, "1 a,2 b,3 c"));
    prepare(&s);
    arus_file_fail_at(ARUS_FILE_OP_RENAME, 3, EIO);
    cr_assert(s.sink->ops->publish(s.stream, 0, arus_buffer_text(&s.manifest), &err) == ARUS_FATAL);
    close_stream(&s);
    open_stream(&s, "json", "path=out", "k");
    MUST(arus_checkpoint_drop(s.checkpoint, 0, &err));
    close_stream(&s);
    open_stream(&s, "json", "path=out", "k");
    cr_assert(s.start.todo == ARUS_TODO_RUN);
    write_batch(&s, "1 a");
    close_stream(&s);
    cr_expect_str_eq(names("out/k=b"), "");
    cr_expect_str_eq(names("out/k=c"), "");
    cr_expect_str_eq(table("path=out"), "1|a\n");
}

Test(file_sink, every_failing_operation_leaves_a_batch_that_can_be_made_again, .timeout = 600)
{
    static const enum arus_file_op OPS[] = {ARUS_FILE_OP_CREATE, ARUS_FILE_OP_WRITE,
                                            ARUS_FILE_OP_SYNC,   ARUS_FILE_OP_SYNC_FOLDER,
                                            ARUS_FILE_OP_RENAME, ARUS_FILE_OP_REMOVE};
    struct arus_error first;

    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++) {
        for (uint64_t nth = 1; nth <= 3; nth++) {
            struct stream s;
            enum arus_status status;

            open_stream(&s, "json", "path=out", NULL);
            write_batch(&s, "1 a");
            arus_file_fail_at(OPS[i], nth, ENOSPC);
            status = stage(&s, "2 b,3 c");
            first = err;
            arus_file_fail_at(OPS[i], 0, 0);
            if (status != ARUS_OK) {
                cr_expect_str_eq(first.condition, "TASK_WRITE_FAILED");
                arus_checkpoint_abandon(s.checkpoint);
                close_stream(&s);
                open_stream(&s, "json", "path=out", NULL);
                cr_assert(s.start.todo != ARUS_TODO_PUBLISH && s.next == 1);
                MUST(stage(&s, "2 b,3 c"));
            }
            prepare(&s);
            publish(&s);
            close_stream(&s);
            cr_expect_str_eq(rows_of("path=out"), "1|a\n2|b\n3|c\n");
            MUST(arus_folder_remove_all(at("out"), &err));
            MUST(arus_folder_remove_all(at("ckpt"), &err));
        }
    }
}

/* ---- refusals ---- */

Test(file_sink, a_new_checkpoint_on_an_old_sink_is_refused)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "1 a");
    close_stream(&s);
    MUST(arus_folder_remove_all(at("ckpt"), &err));
    s = (struct stream){0};
    MUST(bind_sink("json", COLUMNS, "path=out", NULL, &s.sink));
    cr_assert(open_bound(&s) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "ARUS_SINK_HAS_LOG");
    close_stream(&s);
    cr_expect_str_eq(table("path=out"), "1|a\n");
}

Test(file_sink, an_older_checkpoint_on_its_sink_is_refused)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "1 a");
    close_stream(&s);
    cr_assert(rename(at("ckpt"), at("old")) == 0);
    put_file(at("copy.sh"), "");
    {
        char command[1024];

        (void)snprintf(command, sizeof command, "cp -r %s/old %s/ckpt", test_folder, test_folder);
        cr_assert(system(command) == 0);
    }
    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "2 b");
    close_stream(&s);
    MUST(arus_folder_remove_all(at("ckpt"), &err));
    cr_assert(rename(at("old"), at("ckpt")) == 0);
    s = (struct stream){0};
    MUST(bind_sink("json", COLUMNS, "path=out", NULL, &s.sink));
    cr_assert(open_bound(&s) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "ARUS_SINK_AHEAD");
    close_stream(&s);
}

Test(file_sink, a_sink_that_lost_its_files_is_refused)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "1 a");
    write_batch(&s, "2 b");
    close_stream(&s);
    MUST(arus_folder_remove_all(at("out"), &err));
    s = (struct stream){0};
    MUST(bind_sink("json", COLUMNS, "path=out", NULL, &s.sink));
    cr_assert(open_bound(&s) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "BATCH_METADATA_NOT_FOUND");
    cr_expect(strstr(err.message, "_spark_metadata") != NULL);
    close_stream(&s);
}

Test(file_sink, a_lost_log_is_written_again_when_the_files_are_there)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "1 a");
    write_batch(&s, "2 b");
    close_stream(&s);
    MUST(arus_folder_remove_all(at("out/_spark_metadata"), &err));
    open_stream(&s, "json", "path=out", NULL);
    cr_expect(strstr(notices, "_spark_metadata/0: was missing, written again") != NULL);
    write_batch(&s, "3 c");
    close_stream(&s);
    cr_expect_str_eq(rows_of("path=out"), "1|a\n2|b\n3|c\n");
}

Test(file_sink, two_queries_cannot_share_a_sink)
{
    struct arus_sink_stream *second;
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    cr_assert(s.sink->ops->stream_open(s.sink, arus_checkpoint_logs(s.checkpoint),
                                       arus_checkpoint_id(s.checkpoint), true, &second,
                                       &err) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "CONCURRENT_STREAM_LOG_UPDATE");
    close_stream(&s);
}

Test(file_sink, bad_definitions_are_refused)
{
    struct arus_sink *sink;

    cr_expect(bind_sink("json", COLUMNS, "", NULL, &sink) == ARUS_BAD_CONFIG);
    cr_expect(bind_sink("json", COLUMNS, "path=out", "x", &sink) == ARUS_BAD_CONFIG);
    cr_expect(bind_sink("json", "k INT", "path=out", "k", &sink) == ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.condition, "ALL_PARTITION_COLUMNS_NOT_ALLOWED");
    cr_expect(bind_sink("json", "a INT, k ARRAY<INT>", "path=out", "k", &sink) == ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.condition, "INVALID_PARTITION_COLUMN_DATA_TYPE");
    cr_expect(bind_sink("text", COLUMNS, "path=out", NULL, &sink) == ARUS_BAD_CONFIG);
    cr_expect(bind_sink("json", COLUMNS, "path=out;colour=red", NULL, &sink) == ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.condition, "ARUS_UNKNOWN_OPTION");
}

/* ---- reading it back ---- */

Test(file_sink, only_listed_files_are_read_back)
{
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "1 a");
    put_file(at("out/stray.json"), "{\"id\":9,\"k\":\"x\"}\n");
    cr_expect_str_eq(table("path=out"), "1|a\n");
    cr_expect_str_eq(table("path=out/"), "1|a\n");
    cr_expect(strstr(table("path=out/*.json"), "9|x\n") != NULL);
    for (int i = 1; i < 12; i++) {
        write_batch(&s, "2 b");
    }
    close_stream(&s);
    cr_expect(has_file(at("out/_spark_metadata/9.compact")));
    cr_expect(strncmp(table("path=out"), "1|a\n2|b\n2|b\n", 12) == 0);
}

Test(file_sink, a_stream_follows_the_log_of_another)
{
    struct arus_source_stream *reader;
    struct arus_plan_limits limits = {0};
    struct arus_planned planned;
    struct arus_checkpoint *checkpoint;
    struct arus_checkpoint_start start;
    struct arus_checkpoint_config config = {
        .shown = "ckpt2", .query = "r", .source_count = 1, .logger = &NOTICE_LOGGER};
    struct arus_source *source;
    struct arus_splits splits;
    struct arus_source_scan *scan;
    char folder[300];
    char offset[64] = "";
    struct stream s;

    open_stream(&s, "json", "path=out", NULL);
    write_batch(&s, "1 a");
    put_file(at("out/stray.json"), "{\"id\":9,\"k\":\"x\"}\n");
    MUST(bind_source("json", COLUMNS, "path=out", true, &source));
    (void)snprintf(folder, sizeof folder, "%s/ckpt2", test_folder);
    config.folder = folder;
    MUST(arus_checkpoint_open(&config, &checkpoint, &err));
    MUST(source->ops->stream_open(source, arus_checkpoint_logs(checkpoint), 0, &reader, &err));
    MUST(arus_checkpoint_begin(checkpoint, &plan_arena, &start, &err));
    scan = scan_all(source, false);
    for (int64_t i = 0; i < 12; i++) {
        struct arus_text end;
        struct arus_batch_record record;
        char wanted[16];

        MUST(source->ops->stream_plan(reader, arus_text_of(offset), &limits, &plan_arena, &planned,
                                      &err));
        cr_assert(planned.has_new, "batch %d", (int)i);
        end = planned.end;
        record = (struct arus_batch_record){
            .plan = {.batch_id = i, .timestamp_ms = 1, .offsets = &end, .offset_count = 1}};
        MUST(arus_checkpoint_plan(checkpoint, &record.plan, &err));
        MUST(source->ops->stream_splits(reader, arus_text_of(offset), end, scan, 1, &plan_arena,
                                        &splits, &err));
        (void)snprintf(wanted, sizeof wanted, "%d|%s\n", (int)i + 1, i == 0 ? "a" : "b");
        cr_expect_str_eq(read_splits(scan, source, &splits), wanted);
        MUST(arus_checkpoint_prepare(checkpoint, &record, &err));
        MUST(arus_checkpoint_finish(checkpoint, i, &err));
        (void)snprintf(offset, sizeof offset, "%.*s", ARUS_TEXT_ARGS(end));
        MUST(source->ops->stream_plan(reader, arus_text_of(offset), &limits, &plan_arena, &planned,
                                      &err));
        cr_assert(!planned.has_new);
        (void)snprintf(wanted, sizeof wanted, "%d b", (int)i + 2);
        write_batch(&s, wanted);
    }
    source->ops->stream_close(reader);
    MUST(arus_checkpoint_close(checkpoint, &err));
    close_stream(&s);
}
