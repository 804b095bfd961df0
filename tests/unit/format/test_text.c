#include "format/text.h"

#include "csv_fixture.h"

static void expect(const char *const *options, struct arus_text content, const char *expected)
{
    const struct fixture fixture = {
        .format = &ARUS_FORMAT_TEXT, .ddl = "value STRING", .options = options};

    expect_rows(&fixture, content, expected);
}

Test(text, gives_a_row_for_every_line)
{
    expect((const char *const[]){NULL}, ARUS_TEXT("a\n\nb\r\nc\rd"), "a\n\nb\nc\nd\n");
    expect((const char *const[]){NULL},
           ARUS_TEXT("a\xFF"
                     "b\n"),
           "a\xFF"
           "b\n");
    expect((const char *const[]){"lineSep", "\n", NULL}, ARUS_TEXT("a\rb\r\nc\n"), "a\rb\r\nc\n");
    expect((const char *const[]){NULL}, ARUS_TEXT(""), "");
}

Test(text, gives_a_row_for_a_whole_file)
{
    expect((const char *const[]){"wholetext", "true", NULL}, ARUS_TEXT("a\nb\n"), "a\nb\n\n");
}
