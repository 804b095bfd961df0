#include "format/chunk.h"
#include "support/file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

static const struct arus_chunk_options PLAIN = {.buffer_size = 64};

/* All stretches, each behind a '|'; fails the test on an error. */
static void read_all(const struct arus_chunk_options *options, const struct arus_input *input,
                     struct arus_buffer *out)
{
    struct arus_error err = {0};
    struct arus_chunk *chunk = NULL;
    struct arus_stretch stretch;

    cr_assert(eq(int, arus_chunk_open(options, &chunk, &err), ARUS_OK));
    cr_assert(eq(int, arus_chunk_start(chunk, input, &err), ARUS_OK), "%s", err.message);
    do {
        cr_assert(eq(int, arus_chunk_next(chunk, &stretch, &err), ARUS_OK), "%s", err.message);
        cr_assert(eq(int, arus_buffer_append(out, stretch.data, stretch.size, &err), ARUS_OK));
    } while (stretch.size > 0);
    arus_chunk_close(chunk);
}

static void expect_text(const struct arus_chunk_options *options, const char *suffix,
                        struct arus_text content, struct arus_text expected)
{
    char path[64];
    struct arus_buffer out = {0};
    struct arus_input input = {.path = path, .size = content.size, .end = content.size};

    file_make(path, sizeof path, suffix, content);
    read_all(options, &input, &out);
    cr_expect(arus_text_equal(arus_buffer_text(&out), expected), "got %.*s",
              ARUS_TEXT_ARGS(arus_buffer_text(&out)));
    arus_buffer_release(&out);
    file_remove(path);
}

Test(chunk, gives_every_line_to_exactly_one_split)
{
    const struct arus_text content = ARUS_TEXT("one\r\ntwo\n\r\n\nthree\rfour\r\rfive\r\n\r\nsix");
    char path[64];

    file_make(path, sizeof path, ".txt", content);
    for (size_t a = 0; a <= content.size; a++) {
        for (size_t b = a; b <= content.size; b++) {
            struct arus_buffer out = {0};
            const size_t cuts[] = {0, a, b, content.size};

            for (size_t i = 0; i < 3; i++) {
                const struct arus_input input = {path, content.size, cuts[i], cuts[i + 1]};

                read_all(&PLAIN, &input, &out);
            }
            cr_assert(arus_text_equal(arus_buffer_text(&out), content), "%zu %zu: %.*s", a, b,
                      ARUS_TEXT_ARGS(arus_buffer_text(&out)));
            arus_buffer_release(&out);
        }
    }
    file_remove(path);
}

Test(chunk, splits_at_its_own_separator)
{
    const struct arus_text content = ARUS_TEXT("a\n;b;;c\r;d;;e");
    const struct arus_chunk_options options = {.lines = {ARUS_TEXT(";;")}, .buffer_size = 64};
    char path[64];
    struct arus_buffer out = {0};

    file_make(path, sizeof path, ".txt", content);
    read_all(&options, &(struct arus_input){path, content.size, 0, 5}, &out);
    cr_expect(arus_text_equal(arus_buffer_text(&out), ARUS_TEXT("a\n;b;;")));
    arus_buffer_reset(&out);
    read_all(&options, &(struct arus_input){path, content.size, 5, content.size}, &out);
    cr_expect(arus_text_equal(arus_buffer_text(&out), ARUS_TEXT("c\r;d;;e")));
    arus_buffer_release(&out);
    file_remove(path);
}

Test(chunk, grows_for_a_long_line_only_up_to_its_limit)
{
    char content[1000];
    char path[64];
    struct arus_chunk_options options = {.buffer_size = 64};
    struct arus_error err = {0};
    struct arus_chunk *chunk = NULL;
    struct arus_stretch stretch;
    const struct arus_input input = {path, sizeof content, 0, sizeof content};

    memset(content, 'x', sizeof content);
    expect_text(&options, ".txt", (struct arus_text){content, sizeof content},
                (struct arus_text){content, sizeof content});
    options.record_size_max = 500;
    file_make(path, sizeof path, ".txt", (struct arus_text){content, sizeof content});
    cr_assert(eq(int, arus_chunk_open(&options, &chunk, &err), ARUS_OK));
    cr_assert(eq(int, arus_chunk_start(chunk, &input, &err), ARUS_OK));
    cr_assert(eq(int, arus_chunk_next(chunk, &stretch, &err), ARUS_BAD_DATA));
    cr_expect(eq(str, err.message, "a record is longer than the limit of 500 bytes"));
    cr_expect(eq(str, err.file.path, path));
    arus_chunk_close(chunk);
    file_remove(path);
}

Test(chunk, reads_several_gzip_members_and_empty_files)
{
    const struct arus_text twice = ARUS_TEXT(/* "a\n" and "b\n" */
                                             "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xe4\x02"
                                             "\x00\x07\xa1\xea\xdd\x02\x00\x00\x00"
                                             "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x4b\xe2\x02"
                                             "\x00\xc4\xf2\xc7\xf6\x02\x00\x00\x00");

    expect_text(&PLAIN, ".gz", twice, ARUS_TEXT("a\nb\n"));
    expect_text(&PLAIN, ".gz", ARUS_TEXT(""), ARUS_TEXT(""));
    expect_text(&PLAIN, ".zst", ARUS_TEXT(""), ARUS_TEXT(""));
    expect_text(&PLAIN, ".bz2", ARUS_TEXT(""), ARUS_TEXT(""));
    expect_text(&PLAIN, ".snappy", ARUS_TEXT(""), ARUS_TEXT(""));
}

Test(chunk, drops_a_byte_order_mark)
{
    const struct arus_chunk_options keeps = {.keeps_mark = true};

    expect_text(&PLAIN, ".txt",
                ARUS_TEXT("\xEF\xBB\xBF"
                          "a\n"),
                ARUS_TEXT("a\n"));
    expect_text(&PLAIN, ".txt", ARUS_TEXT("\xEF\xBB\xBF"), ARUS_TEXT(""));
    expect_text(&keeps, ".txt",
                ARUS_TEXT("\xEF\xBB\xBF"
                          "a"),
                ARUS_TEXT("\xEF\xBB\xBF"
                          "a"));
}

Test(chunk, decodes_other_encodings)
{
    struct arus_chunk_options options = {.encoding = ARUS_ENCODING_ISO_8859_1};

    expect_text(&options, ".txt", ARUS_TEXT("\xE9\n"), ARUS_TEXT("\xC3\xA9\n"));
    options.encoding = ARUS_ENCODING_US_ASCII;
    expect_text(&options, ".txt", ARUS_TEXT("\xE9\n"), ARUS_TEXT("\xEF\xBF\xBD\n"));
    options.encoding = ARUS_ENCODING_UTF_16BE;
    options.lines.separator = ARUS_TEXT("\n");
    expect_text(&options, ".txt", ARUS_TEXT("\0a\0\n\0b\0\n"), ARUS_TEXT("a\nb\n"));
    options =
        (struct arus_chunk_options){.mode = ARUS_CHUNK_DOCUMENT, .encoding = ARUS_ENCODING_UTF_16};
    expect_text(&options, ".txt",
                ARUS_TEXT("\xFF\xFE"
                          "a\0\n\0\xE9\0"),
                ARUS_TEXT("a\n\xC3\xA9"));
    options.mode = ARUS_CHUNK_BYTES;
    options.buffer_size = 3;
    expect_text(&options, ".txt",
                ARUS_TEXT("\xFF\xFE"
                          "a\0\n\0\xE9\0"),
                ARUS_TEXT("a\n\xC3\xA9"));
}

Test(chunk, repairs_utf8_as_java_does)
{
    const struct arus_chunk_options options = {.repairs_utf8 = true};

    expect_text(&options, ".txt",
                ARUS_TEXT("a\xFF"
                          "b\n\xC3\n\xED\xA0\x80\n\xF0\x9F\x98\n"),
                ARUS_TEXT("a\xEF\xBF\xBD"
                          "b\n\xEF\xBF\xBD\n\xEF\xBF\xBD\n\xEF\xBF\xBD\n"));
    expect_text(&options, ".txt", ARUS_TEXT("\xD6\xD0\n\xC3\xA9\n"),
                ARUS_TEXT("\xEF\xBF\xBD\xEF\xBF\xBD\n\xC3\xA9\n"));
}

Test(chunk, names_the_line_of_a_byte)
{
    const struct arus_text content =
        ARUS_TEXT("one\r\ntwo\nthree\nfour four four four four\nfive\n");
    char path[64];
    struct arus_chunk_options options = {.buffer_size = 16};
    struct arus_error err = {0};
    struct arus_chunk *chunk = NULL;
    struct arus_stretch stretch;
    const struct arus_input input = {path, content.size, 9, content.size};

    file_make(path, sizeof path, ".txt", content);
    cr_assert(eq(int, arus_chunk_open(&options, &chunk, &err), ARUS_OK));
    cr_assert(eq(int, arus_chunk_start(chunk, &input, &err), ARUS_OK));
    do {
        const char *found;

        cr_assert(eq(int, arus_chunk_next(chunk, &stretch, &err), ARUS_OK));
        cr_assert(ne(sz, stretch.size, 0));
        found = memchr(stretch.data, 'v', stretch.size);
        if (found != NULL) {
            (void)arus_chunk_place(chunk, found, &err);
            break;
        }
    } while (true);
    cr_expect(eq(u64, err.file.line, 5));
    arus_chunk_close(chunk);
    file_remove(path);
}

Test(chunk, says_when_a_file_is_missing_or_shorter_than_planned)
{
    char path[64];
    struct arus_error err = {0};
    struct arus_chunk *chunk = NULL;
    struct arus_stretch stretch;
    struct arus_input input = {"/nonexistent/x.csv", 5, 0, 5};

    cr_assert(eq(int, arus_chunk_open(&PLAIN, &chunk, &err), ARUS_OK));
    cr_assert(eq(int, arus_chunk_start(chunk, &input, &err), ARUS_BAD_DATA));
    cr_expect(eq(int, strcmp(err.condition, "FAILED_READ_FILE.FILE_NOT_EXIST"), 0));
    file_make(path, sizeof path, ".txt", ARUS_TEXT("abc"));
    input.path = path;
    cr_assert(eq(int, arus_chunk_start(chunk, &input, &err), ARUS_OK));
    cr_assert(eq(int, arus_chunk_next(chunk, &stretch, &err), ARUS_BAD_DATA));
    cr_expect(eq(int, strcmp(err.condition, "FAILED_READ_FILE.NO_HINT"), 0));
    arus_chunk_close(chunk);
    file_remove(path);
}
