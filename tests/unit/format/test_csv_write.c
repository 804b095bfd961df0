#include "column/builder.h"
#include "format/csv.h"
#include "format/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

static enum arus_status append(void *self, const void *data, size_t size, struct arus_error *err)
{
    return arus_buffer_append(self, data, size, err);
}

/* One STRING column named "b" behind a column of nulls named "a" when `second`; NULL text = null.
 */
static void write_strings(const struct arus_format *format, const char *const *options,
                          const char *const *texts, bool second, struct arus_buffer *out)
{
    struct arus_setting settings[8];
    struct arus_settings all = {settings, 0};
    const struct arus_option *tables[] = {format->write_options, NULL};
    struct arus_arena arena = {0};
    struct arus_error err = {0};
    struct arus_field fields[2] = {{ARUS_TEXT("a"), &ARUS_STRING, true, {0}},
                                   {ARUS_TEXT("b"), &ARUS_STRING, true, {0}}};
    const struct arus_type *schema;
    struct arus_vector columns[2];
    struct arus_batch batch = {.columns = columns};
    struct arus_builder builder = {0};
    struct arus_writer *writer = NULL;
    struct arus_write_stats stats;
    unsigned char *memory;

    for (size_t i = 0; options[i] != NULL; i += 2) {
        settings[all.count++] = (struct arus_setting){.key = arus_text_of(options[i]),
                                                      .value = arus_text_of(options[i + 1])};
    }
    cr_assert(eq(int, ARUS_NEW(&arena, unsigned char, format->write_settings_size, &memory, &err),
                 ARUS_OK));
    cr_assert(eq(int, arus_options_parse(tables, &all, "a sink", &arena, memory, &err), ARUS_OK));
    cr_assert(eq(int, arus_type_struct(fields, second ? 2 : 1, &arena, &schema, &err), ARUS_OK));
    cr_assert(eq(int, format->check_write(memory, schema, &arena, &err), ARUS_OK));
    cr_assert(eq(int, arus_builder_init(&builder, &ARUS_STRING, &err), ARUS_OK));
    for (size_t i = 0; texts[i] != NULL; i++) {
        const struct arus_view view = arus_view_of(texts[i], strlen(texts[i]));

        cr_assert(eq(int,
                     strcmp(texts[i], "<null>") == 0 ? arus_builder_null(&builder, &err)
                                                     : arus_builder_value(&builder, &view, &err),
                     ARUS_OK));
    }
    batch.schema = schema;
    batch.row_count = builder.row_count;
    cr_assert(eq(int,
                 arus_vector_init_null(&columns[0], &ARUS_STRING, builder.row_count, &arena, &err),
                 ARUS_OK));
    cr_assert(
        eq(int, arus_builder_finish(&builder, &arena, &columns[second ? 1 : 0], &err), ARUS_OK));
    cr_assert(eq(int,
                 format->writer_open(schema, memory, ARUS_ZONE_UTC,
                                     (struct arus_output){append, out}, &writer, &err),
                 ARUS_OK));
    cr_assert(eq(int, format->writer_write(writer, &batch, &err), ARUS_OK));
    cr_assert(eq(int, format->writer_finish(writer, &stats, &err), ARUS_OK));
    cr_expect(eq(u64, stats.byte_count, out->size));
    format->writer_close(writer);
    arus_builder_release(&builder);
    arus_arena_release(&arena);
}

static void expect(const struct arus_format *format, const char *const *options,
                   const char *const *texts, bool second, const char *expected)
{
    struct arus_buffer out = {0};

    write_strings(format, options, texts, second, &out);
    cr_expect(arus_text_equal(arus_buffer_text(&out), arus_text_of(expected)), "got\n%.*s",
              ARUS_TEXT_ARGS(arus_buffer_text(&out)));
    arus_buffer_release(&out);
}

static const char *const NOTHING[] = {NULL};

Test(csv_write, quotes_what_needs_it)
{
    expect(&ARUS_FORMAT_CSV, NOTHING,
           (const char *const[]){"a,b", "a\"b", "a\\b", "a\\\"b", "#x", "x,\\", "", " pad ", "  ",
                                 "a\tb", "cr\rlf", "<null>", "\\", NULL},
           true,
           ",\"a,b\"\n,\"a\\\"b\"\n,a\\b\n,\"a\\\\\\\"b\"\n,#x\n,\"x,\\\\\"\n,\"\"\n,pad\n,\"\"\n,"
           "a\tb\n"
           ",\"cr\rlf\"\n,\n,\\\n");
    expect(&ARUS_FORMAT_CSV, NOTHING, (const char *const[]){"#x", "<null>", "y", NULL}, false,
           "\"#x\"\ny\n");
}

Test(csv_write, follows_its_options)
{
    expect(&ARUS_FORMAT_CSV,
           (const char *const[]){"quoteAll", "true", "header", "true", "sep", ";", "nullValue",
                                 "NULL", NULL},
           (const char *const[]){"x", "<null>", "", "\\", NULL}, true,
           "\"a\";\"b\"\n\"NULL\";\"x\"\n\"NULL\";\"NULL\"\n\"NULL\";\"\"\n\"NULL\";\"\\\\\"\n");
    expect(&ARUS_FORMAT_CSV,
           (const char *const[]){"escapeQuotes", "false", "lineSep", "\r\n",
                                 "ignoreLeadingWhiteSpace", "false", "escape", "\"", NULL},
           (const char *const[]){"a\"b", " c ", "d\ne", "\"f", NULL}, false,
           "a\"b\r\n c\r\n\"d\r\ne\"\r\n\"\"\"f\"\r\n");
    expect(&ARUS_FORMAT_CSV, (const char *const[]){"encoding", "ISO-8859-1", NULL},
           (const char *const[]){"\xC3\xA9\xE2\x82\xAC", NULL}, false, "\xE9?\n");
}

Test(csv_write, writes_plain_lines)
{
    expect(&ARUS_FORMAT_TEXT, NOTHING, (const char *const[]){"a,\"b", "<null>", " c ", NULL}, false,
           "a,\"b\n\n c \n");
}
