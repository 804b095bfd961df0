/** Any bytes as a csv file: no way of reading crashes, and the fast ones, with and without AVX2,
 * give the rows of the exact one. */
#include "base/attr.h"
#include "column/value.h"
#include "format/csv.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const CHOICES[][8] = {
    {NULL},
    {"multiLine", "true", NULL},
    {"escape", "\"", "nullValue", "x", NULL},
    {"sep", "||", "ignoreLeadingWhiteSpace", "true", "ignoreTrailingWhiteSpace", "true", NULL},
    {"unescapedQuoteHandling", "STOP_AT_CLOSING_QUOTE", "multiLine", "true", NULL},
    {"unescapedQuoteHandling", "BACK_TO_DELIMITER", NULL},
    {"unescapedQuoteHandling", "SKIP_VALUE", "sep", "||", NULL},
    {"lineSep", ";", "comment", "#", "header", "true", NULL},
};

enum way { FAST, PORTABLE, EXACT, WAY_COUNT };

/* Settings of a choice; `exact` adds a limit that the fast path does not know. */
static enum arus_status parse(const char *const *choice, bool exact, struct arus_arena *arena,
                              void **out, struct arus_error *err)
{
    struct arus_setting settings[8];
    struct arus_settings all = {settings, 0};
    const struct arus_option *tables[] = {ARUS_FORMAT_CSV.read_options, NULL};
    unsigned char *memory;

    for (size_t i = 0; choice[i] != NULL; i += 2) {
        settings[all.count++] = (struct arus_setting){.key = arus_text_of(choice[i]),
                                                      .value = arus_text_of(choice[i + 1])};
    }
    if (exact) {
        settings[all.count++] = (struct arus_setting){.key = ARUS_TEXT("maxCharsPerColumn"),
                                                      .value = ARUS_TEXT("1000000")};
    }
    ARUS_TRY(ARUS_NEW(arena, unsigned char, ARUS_FORMAT_CSV.read_settings_size, &memory, err));
    *out = memory;
    ARUS_TRY(arus_options_parse(tables, &all, "a csv source", arena, memory, err));
    return ARUS_FORMAT_CSV.check_read(memory, NULL, arena, err);
}

static enum arus_status read_all(const struct arus_input *input, const char *const *choice,
                                 bool exact, struct arus_arena *arena, struct arus_buffer *out,
                                 struct arus_error *err)
{
    static const uint16_t FIELDS[] = {0, 1, 2, ARUS_SCAN_CORRUPT};
    struct arus_scan scan = {.output_fields = FIELDS, .zone = ARUS_ZONE_UTC, .is_ansi = true};
    struct arus_reader *reader = NULL;
    struct arus_batch batch = {.row_count = 1};
    void *settings = NULL;
    enum arus_status status;

    ARUS_TRY(parse(choice, exact, arena, &settings, err));
    ARUS_TRY(arus_type_parse_ddl(ARUS_TEXT("a INT, b STRING, c DOUBLE"), arena, &scan.schema, err));
    ARUS_TRY(arus_type_parse_ddl(ARUS_TEXT("a INT, b STRING, c DOUBLE, d STRING"), arena,
                                 &scan.output, err));
    status = ARUS_FORMAT_CSV.reader_open(&scan, settings, &reader, err);
    if (status == ARUS_OK) {
        status = ARUS_FORMAT_CSV.reader_start(reader, input, err);
    }
    while (status == ARUS_OK && batch.row_count > 0) {
        status = ARUS_FORMAT_CSV.reader_next(reader, &batch, err);
        for (uint32_t i = 0; status == ARUS_OK && i < batch.row_count * 4; i++) {
            status = arus_value_text(&batch.columns[i % 4], i / 4, scan.zone, out, err);
        }
    }
    ARUS_FORMAT_CSV.reader_close(reader);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/arus-fuzz-csv-XXXXXX";
    const int fd = mkstemp(path);
    const char *const *choice = CHOICES[size == 0 ? 0 : data[0] % 8];
    const struct arus_input input = {path, size, 0, size};
    struct arus_buffer rows[WAY_COUNT] = {0};
    enum arus_status status[WAY_COUNT];
    struct arus_arena arena = {0};
    struct arus_error err = {0};

    ARUS_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)close(fd);
    for (size_t i = 0; i < WAY_COUNT; i++) {
        (void)(i == PORTABLE ? setenv("ARUS_CPU", "portable", 1) : unsetenv("ARUS_CPU"));
        status[i] = read_all(&input, choice, i == EXACT, &arena, &rows[i], &err);
    }
    for (size_t i = 0; i < WAY_COUNT; i++) {
        ARUS_ASSERT(status[i] == status[EXACT]);
        ARUS_ASSERT(status[i] != ARUS_OK ||
                    arus_text_equal(arus_buffer_text(&rows[i]), arus_buffer_text(&rows[EXACT])));
    }
    for (size_t i = 0; i < WAY_COUNT; i++) {
        arus_buffer_release(&rows[i]);
    }
    arus_arena_release(&arena);
    (void)unlink(path);
    return 0;
}
