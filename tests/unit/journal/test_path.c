#include "journal/path.h"
#include "support/folder.h"

#include <criterion/criterion.h>

static struct arus_arena arena;
static struct arus_buffer buffer;

static const char *uri(const char *path)
{
    struct arus_error err;

    arus_buffer_reset(&buffer);
    MUST(arus_path_append_uri(&buffer, arus_text_of(path), &err));
    MUST(arus_buffer_append_char(&buffer, '\0', &err));
    return buffer.data;
}

static const char *hive(const char *value)
{
    struct arus_error err;

    arus_buffer_reset(&buffer);
    MUST(arus_path_append_hive(&buffer, arus_text_of(value), &err));
    MUST(arus_buffer_append_char(&buffer, '\0', &err));
    return buffer.data;
}

static const char *of_uri(const char *text)
{
    struct arus_text out;
    struct arus_error err;

    MUST(arus_path_of_uri(arus_text_of(text), &arena, &out, &err));
    return out.data;
}

static const char *of_hive(const char *text)
{
    struct arus_text out;
    struct arus_error err;

    MUST(arus_path_of_hive(arus_text_of(text), &arena, &out, &err));
    return out.data;
}

Test(path, uri_is_the_text_that_spark_writes)
{
    cr_expect_str_eq(uri("/data/in/a b.csv"), "file:///data/in/a%20b.csv");
    cr_expect_str_eq(uri("/o/k=\xC2\xA0\xE3\x80\x80tab%09end"),
                     "file:///o/k=%C2%A0%E3%80%80tab%2509end");
    cr_expect_str_eq(uri("/k=é ü%3D%3A%3F%2A%22%27%5Bx%5D%7By}%5C%5E%23<>|~!$&,;@+`"),
                     "file:///"
                     "k=é%20ü%253D%253A%253F%252A%2522%2527%255Bx%255D%257By%7D%255C%255E%2523%3C%"
                     "3E%7C~!$&,;@+%60");
    cr_expect_str_eq(uri("/bad\xFF\x80"), "file:///bad%FF%80");
}

Test(path, uri_comes_back_as_it_was)
{
    static const char *const PATHS[] = {"/a b%25/c#?", "/é/日本", "/\xFF\xC2/x", "/q\"\\^`{|}[]<>"};

    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++) {
        cr_expect_str_eq(of_uri(uri(PATHS[i])), PATHS[i]);
    }
    cr_expect_str_eq(of_uri("file:/x"), "/x");
}

Test(path, other_forms_are_refused)
{
    static const char *const FORMS[] = {"/x", "x", "file://host/x", "s3://b/x", "file:///a b"};
    struct arus_text out;
    struct arus_error err;

    for (size_t i = 0; i < sizeof FORMS / sizeof *FORMS; i++) {
        cr_expect(arus_path_of_uri(arus_text_of(FORMS[i]), &arena, &out, &err) == ARUS_MISMATCH);
    }
}

Test(path, hive_names_are_those_that_spark_writes)
{
    cr_expect_str_eq(hive("=x"), "%3Dx");
    cr_expect_str_eq(hive("é ü=:?*\"'[x]{y}\\^#<>|~!$&,;@+`"),
                     "é ü%3D%3A%3F%2A%22%27%5Bx%5D%7By}%5C%5E%23<>|~!$&,;@+`");
    cr_expect_str_eq(hive("a/b c%"), "a%2Fb c%25");
    cr_expect_str_eq(of_hive("a%2Fb c%25"), "a/b c%");
    cr_expect_str_eq(of_hive("100%"), "100%");
    cr_expect_str_eq(of_hive("%zz%4"), "%zz%4");
    cr_expect_str_eq(of_hive("%E9"), "é");
}
