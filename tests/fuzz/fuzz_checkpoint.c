/** Any bytes as the text files of checkpoints and sinks: no crash, errors are told, what was read
 * is written again and read the same. */
#include "base/file.h"
#include "journal/checkpoint_internal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define ARENA_MAX ((size_t)256 << 20)

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_error(const struct arus_error *err)
{
    check(err->message[0] != '\0');
    check(err->status == ARUS_MISMATCH || err->status == ARUS_NO_MEMORY);
}

static void check_offsets(struct arus_text text, struct arus_arena *arena)
{
    struct arus_text conf[ARUS_CONF_COUNT];
    struct arus_text conf_again[ARUS_CONF_COUNT];
    struct arus_batch_plan plan = {0};
    struct arus_batch_plan again = {0};
    struct arus_buffer written = {0};
    struct arus_error err;

    if (arus_offsets_parse(text, "offsets/0", arena, &plan, conf, &err) != ARUS_OK) {
        check_error(&err);
        return;
    }
    if (arus_offsets_format(&written, &plan, conf, &err) == ARUS_OK &&
        arus_offsets_parse(arus_buffer_text(&written), "offsets/0", arena, &again, conf_again,
                           &err) == ARUS_OK) {
        check(again.offset_count == plan.offset_count);
        check(again.watermark_ms == plan.watermark_ms && again.timestamp_ms == plan.timestamp_ms);
        for (size_t i = 0; i < plan.offset_count; i++) {
            check(arus_text_equal(again.offsets[i], plan.offsets[i]));
        }
    } else {
        check(err.status == ARUS_NO_MEMORY);
    }
    arus_buffer_release(&written);
}

static void check_commit(struct arus_text text)
{
    struct arus_buffer written = {0};
    struct arus_error err;
    int64_t watermark = 0;
    int64_t again = 0;

    if (arus_commit_parse(text, "commits/0", &watermark, &err) != ARUS_OK) {
        check_error(&err);
        return;
    }
    check(arus_commit_format(&written, watermark, &err) == ARUS_OK);
    check(arus_commit_parse(arus_buffer_text(&written), "commits/0", &again, &err) == ARUS_OK);
    check(again == watermark);
    arus_buffer_release(&written);
}

static void check_line(struct arus_text line, struct arus_arena *arena)
{
    struct arus_log_line read = {0};
    struct arus_error err;

    if (arus_log_parse_source(line, arena, &read, &err) != ARUS_OK) {
        check_error(&err);
    }
    if (arus_log_parse_sink(line, arena, &read, &err) != ARUS_OK) {
        check_error(&err);
    }
}

static void check_lines(struct arus_text text, struct arus_arena *arena)
{
    struct arus_text line;

    while (arus_log_take_line(&text, &line)) {
        check_line(line, arena);
    }
}

/* ---- a folder with the bytes as its newest log file ---- */

static char folder[64];

static void remove_folder(void)
{
    struct arus_error err;

    check(arus_folder_remove_all(folder, &err) == ARUS_OK);
}

static void make_folder(void)
{
    struct arus_path log;
    struct arus_error err;

    (void)snprintf(folder, sizeof folder, "/tmp/arus-fuzz-XXXXXX");
    check(mkdtemp(folder) != NULL);
    check(arus_path_join(&log, folder, "_spark_metadata", &err) == ARUS_OK);
    check(mkdir(log.text, 0700) == 0);
    (void)atexit(remove_folder);
}

static void put_file(const char *name, struct arus_text text)
{
    struct arus_path path;
    struct arus_error err;

    check(arus_path_join(&path, folder, name, &err) == ARUS_OK);
    check(arus_file_replace(path.text, text, &err) == ARUS_OK);
}

static enum arus_status ignore_line(void *self, struct arus_text line, struct arus_error *err)
{
    size_t *size = self;

    (void)err;
    *size += line.size;
    return ARUS_OK;
}

static void check_folder(struct arus_text text)
{
    struct arus_checkpoint_view view;
    struct arus_error err;
    size_t size = 0;
    int64_t newest;
    bool is_missing;

    if (folder[0] == '\0') {
        make_folder();
    }
    put_file("_spark_metadata/0", text);
    if (arus_log_read_sink(folder, -1, ignore_line, &size, &newest, &is_missing, &err) != ARUS_OK) {
        check_error(&err);
    }
    put_file("metadata", text);
    if (arus_checkpoint_look(folder, &view, &err) != ARUS_OK) {
        check(err.message[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct arus_text text = {(const char *)data, size};
    struct arus_arena arena;

    arus_arena_init(&arena, ARENA_MAX);
    check_offsets(text, &arena);
    check_commit(text);
    check_lines(text, &arena);
    check_folder(text);
    arus_arena_release(&arena);
    return 0;
}
