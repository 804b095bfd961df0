/** Watched readers say where each row came from, and which records were bad. */
#include "format/csv.h"
#include "format/json.h"
#include "format/text.h"

#include "csv_fixture.h"

/* What was said: `row line:text` of each row, `bad line:text` or `dropped line:text` before. */
struct heard {
    struct arus_buffer out;
};

static enum arus_status hear_bad(void *self, const struct arus_record *record, bool is_dropped,
                                 struct arus_error *err)
{
    struct heard *heard = self;

    return arus_buffer_printf(&heard->out, err, "%s %lld:%.*s\n", is_dropped ? "dropped" : "bad",
                              (long long)record->line, ARUS_TEXT_ARGS(record->text));
}

static void hear_rows(const struct fixture *fixture, struct opened *opened,
                      const struct arus_batch *batch, struct heard *heard)
{
    struct arus_record record;
    struct arus_error err = {0};

    for (uint32_t row = 0; row < batch->row_count; row++) {
        cr_assert(
            eq(int, fixture->format->reader_record(opened->reader, row, &record, &err), ARUS_OK),
            "%s", err.message);
        cr_assert(eq(int,
                     arus_buffer_printf(&heard->out, &err, "row %lld:%.*s\n",
                                        (long long)record.line, ARUS_TEXT_ARGS(record.text)),
                     ARUS_OK));
    }
    if (batch->row_count > 1) { /* and backwards again */
        cr_assert(
            eq(int, fixture->format->reader_record(opened->reader, 0, &record, &err), ARUS_OK));
        cr_expect(record.line > 0);
    }
}

static void hear_input(const struct fixture *fixture, struct opened *opened,
                       const struct arus_input *input, struct heard *heard)
{
    struct arus_batch batch;
    struct arus_error err = {0};

    cr_assert(eq(int, fixture->format->reader_start(opened->reader, input, &err), ARUS_OK));
    do {
        cr_assert(eq(int, fixture->format->reader_next(opened->reader, &batch, &err), ARUS_OK),
                  "%s", err.message);
        hear_rows(fixture, opened, &batch, heard);
    } while (batch.row_count > 0);
}

static void expect_heard(const struct fixture *fixture, const char *content, const char *expected)
{
    const struct arus_text text = arus_text_of(content);
    const uint64_t cut = fixture->cut > 0 ? fixture->cut : text.size;
    struct heard heard = {0};
    const struct arus_bad_records bad = {hear_bad, &heard};
    struct arus_error err = {0};
    struct opened opened;
    char path[64];

    cr_assert(eq(int, opened_init(fixture, &opened, &err), ARUS_OK), "%s", err.message);
    fixture->format->reader_watch(opened.reader, &bad);
    file_make(path, sizeof path, ".txt", text);
    hear_input(fixture, &opened, &(struct arus_input){path, text.size, 0, cut}, &heard);
    if (cut < text.size) {
        hear_input(fixture, &opened, &(struct arus_input){path, text.size, cut, text.size}, &heard);
    }
    file_remove(path);
    cr_expect(arus_text_equal(arus_buffer_text(&heard.out), arus_text_of(expected)), "got\n%.*s",
              ARUS_TEXT_ARGS(arus_buffer_text(&heard.out)));
    arus_buffer_release(&heard.out);
    opened_release(fixture, &opened);
}

static const char *const PERMISSIVE[] = {NULL};
static const char *const DROPPING[] = {"mode", "DROPMALFORMED", NULL};

#define JSON(given)                                                                                \
    {                                                                                              \
        .format = &ARUS_FORMAT_JSON, .ddl = "a INT, b STRING", .options = (given)                  \
    }
#define CSV(given)                                                                                 \
    {                                                                                              \
        .format = &ARUS_FORMAT_CSV, .ddl = "a INT, b STRING", .options = (given)                   \
    }

Test(records, of_json_lines)
{
    const struct fixture plain = JSON(PERMISSIVE);
    const struct fixture dropping = JSON(DROPPING);
    static const char TEXT[] = "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":\"y\"}\n\n no\r\n"
                               "{\"b\":\"z\",\"a\":3}\r\n[{\"a\":4},{\"a\":5}]\n{\"a\":6}";

    expect_heard(&plain, TEXT,
                 "bad 4: no\n"
                 "row 1:{\"a\":1,\"b\":\"x\"}\nrow 2:{\"a\":2,\"b\":\"y\"}\nrow 4: no\n"
                 "row 5:{\"b\":\"z\",\"a\":3}\nrow 6:[{\"a\":4},{\"a\":5}]\n"
                 "row 6:[{\"a\":4},{\"a\":5}]\nrow 7:{\"a\":6}\n");
    expect_heard(&dropping, TEXT,
                 "dropped 4: no\n"
                 "row 1:{\"a\":1,\"b\":\"x\"}\nrow 2:{\"a\":2,\"b\":\"y\"}\n"
                 "row 5:{\"b\":\"z\",\"a\":3}\nrow 6:[{\"a\":4},{\"a\":5}]\n"
                 "row 6:[{\"a\":4},{\"a\":5}]\nrow 7:{\"a\":6}\n");
}

Test(records, of_lines_that_end_in_a_return)
{
    const struct fixture json = JSON(PERMISSIVE);
    const struct fixture csv = CSV(PERMISSIVE);

    expect_heard(&json, "{\"a\":1}\r{\"a\":\r{\"a\":3}\r",
                 "bad 2:{\"a\":\nrow 1:{\"a\":1}\nrow 2:{\"a\":\nrow 3:{\"a\":3}\n");
    expect_heard(&csv, "1,x\r2\r3,z\r", "bad 2:2\nrow 1:1,x\nrow 2:2\nrow 3:3,z\n");
}

Test(records, of_a_split_count_lines_from_the_begin_of_the_file)
{
    struct fixture json = JSON(DROPPING);
    struct fixture csv = CSV(DROPPING);

    for (json.cut = 1; json.cut < 23; json.cut++) {
        expect_heard(&json, "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n",
                     "row 1:{\"a\":1}\nrow 2:{\"a\":2}\nrow 3:{\"a\":3}\n");
    }
    for (csv.cut = 1; csv.cut < 16; csv.cut++) {
        expect_heard(&csv, "1,x\r\n2,y\r\n3,z\r\n", "row 1:1,x\nrow 2:2,y\nrow 3:3,z\n");
    }
}

Test(records, of_documents)
{
    static const char *const MULTI[] = {"multiLine", "true", NULL};
    static const char *const SEPARATED[] = {"lineSep", ";", NULL};
    const struct fixture whole = JSON(MULTI);
    const struct fixture separated = JSON(SEPARATED);
    const struct fixture csv = CSV(MULTI);

    expect_heard(&whole, "[\n{\"a\":1},\n{\"a\":2}]",
                 "row 1:[\n{\"a\":1},\n{\"a\":2}]\nrow 1:[\n{\"a\":1},\n{\"a\":2}]\n");
    expect_heard(&separated, "{\"a\":1};{\"a\":2};no",
                 "bad 3:no\nrow 1:{\"a\":1}\nrow 2:{\"a\":2}\nrow 3:no\n");
    expect_heard(&csv, "1,\"x\ny\"\r\n2,z\n3", "bad 4:3\nrow 1:1,\"x\ny\"\nrow 3:2,z\nrow 4:3\n");
}

Test(records, of_csv_with_header_comments_and_quotes)
{
    static const char *const OPTIONS[] = {"header", "true",          "comment", "#",
                                          "mode",   "DROPMALFORMED", NULL};
    const struct fixture csv = CSV(OPTIONS);

    expect_heard(&csv, "a,b\n# no\n1,\"x,x\"\n\nz,y\n2,y\n",
                 "dropped 5:z,y\nrow 3:1,\"x,x\"\nrow 6:2,y\n");
}

Test(records, of_text)
{
    const struct fixture text = {
        .format = &ARUS_FORMAT_TEXT, .ddl = "value STRING", .options = PERMISSIVE, .cut = 3};

    expect_heard(&text, "a\n\nb\r\nc", "row 1:a\nrow 2:\nrow 3:b\nrow 4:c\n");
}

/* Many stretches of one file: the lines before are counted once, as they go by. */
Test(records, of_a_large_file)
{
    enum { COUNT = 60000 };
    static const char *const NOTHING[] = {NULL};
    const struct fixture csv = CSV(NOTHING);
    const struct fixture json = JSON(NOTHING);
    const struct fixture *const fixtures[] = {&csv, &json};

    for (size_t f = 0; f < 2; f++) {
        struct heard heard = {0};
        const struct arus_bad_records bad = {hear_bad, &heard};
        struct arus_error err = {0};
        struct arus_buffer content = {0};
        struct arus_batch batch;
        struct opened opened;
        char path[64];
        uint32_t line = 0;

        for (int i = 0; i < COUNT; i++) {
            cr_assert(
                eq(int,
                   arus_buffer_printf(&content, &err,
                                      f == 0 ? "%d,%020d\n" : "{\"a\":%d,\"b\":\"%020d\"}\n", i, i),
                   ARUS_OK));
        }
        cr_assert(eq(int, opened_init(fixtures[f], &opened, &err), ARUS_OK));
        fixtures[f]->format->reader_watch(opened.reader, &bad);
        file_make(path, sizeof path, ".txt", arus_buffer_text(&content));
        cr_assert(
            eq(int,
               fixtures[f]->format->reader_start(
                   opened.reader, &(struct arus_input){path, content.size, 0, content.size}, &err),
               ARUS_OK));
        do {
            struct arus_record record;

            cr_assert(
                eq(int, fixtures[f]->format->reader_next(opened.reader, &batch, &err), ARUS_OK));
            for (uint32_t row = 0; row < batch.row_count; row += 700) {
                cr_assert(eq(int,
                             fixtures[f]->format->reader_record(opened.reader, row, &record, &err),
                             ARUS_OK));
                cr_assert(eq(i64, record.line, (int64_t)line + row + 1));
            }
            line += batch.row_count;
        } while (batch.row_count > 0);
        cr_expect(eq(u32, line, COUNT));
        file_remove(path);
        arus_buffer_release(&content);
        opened_release(fixtures[f], &opened);
    }
}
