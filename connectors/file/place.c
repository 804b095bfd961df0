/** Which line of which file a row came from: looked for only after a failure, by reading again. */
#include "file/file_internal.h"

#include <inttypes.h>
#include <stdio.h>

#define TEXT_MAX 200 /* bytes of the line that are shown */

/* Counts rows of [begin, end) of the file, at most `row_max` + 1 of them. */
static enum arus_status count_rows(const struct arus_file_lookup *lookup,
                                   struct arus_reader *reader, uint64_t begin, uint64_t end,
                                   uint64_t row_max, uint64_t *out, struct arus_error *err)
{
    const struct arus_input input = {lookup->input.path, lookup->input.size, begin, end};
    struct arus_batch batch;

    *out = 0;
    ARUS_TRY(lookup->format->reader_start(reader, &input, err));
    do {
        ARUS_TRY(lookup->format->reader_next(reader, &batch, err));
        *out += batch.row_count;
    } while (batch.row_count != 0 && *out <= row_max);
    return ARUS_OK;
}

/* Halves the stretch until only the row's first byte is left: rows belong to the stretch in which
 * they begin. */
static enum arus_status find_begin(const struct arus_file_lookup *lookup,
                                   struct arus_reader *reader, uint64_t row, uint64_t *out,
                                   struct arus_error *err)
{
    uint64_t begin = lookup->input.begin;
    uint64_t end = lookup->input.end;

    while (end - begin > 1) {
        const uint64_t middle = begin + (end - begin) / 2;
        uint64_t count;

        ARUS_TRY(count_rows(lookup, reader, begin, middle, row, &count, err));
        if (row < count) {
            end = middle;
        } else {
            row -= count;
            begin = middle;
        }
    }
    *out = begin;
    return ARUS_OK;
}

/* The number of the line that begins at `begin`, and its text. False: the file cannot be read. */
static bool read_line(const char *path, uint64_t begin, uint64_t *line, char text[TEXT_MAX + 1])
{
    FILE *file = fopen(path, "rbe");
    bool is_good = file != NULL;
    bool was_return = false;
    int c = 0;

    *line = 1;
    for (uint64_t at = 0; is_good && at < begin; at++) {
        c = getc_unlocked(file);
        is_good = c != EOF;
        *line += c == '\n' ? !was_return : c == '\r';
        was_return = c == '\r';
    }
    if (is_good) {
        const size_t size = fread(text, 1, TEXT_MAX, file);

        text[size] = '\0';
        text[strcspn(text, "\r\n")] = '\0';
    }
    if (file != NULL) {
        (void)fclose(file); /* only read */
    }
    return is_good;
}

void arus_file_place_row(const struct arus_file_lookup *lookup, uint64_t row,
                         struct arus_error *err)
{
    const char *path = lookup->input.path;
    struct arus_reader *reader = NULL;
    struct arus_error ignored;
    char text[TEXT_MAX + 1];
    uint64_t begin;
    uint64_t line;
    enum arus_status status;

    (void)arus_error_row(err, "%s", path);
    if (lookup->format->holds_schema || !lookup->format->is_splittable(lookup->settings, path)) {
        return; /* no lines, or none that can be looked for */
    }
    status = lookup->format->reader_open(lookup->scan, lookup->settings, &reader, &ignored);
    if (status == ARUS_OK) {
        status = find_begin(lookup, reader, row, &begin, &ignored);
    }
    lookup->format->reader_close(reader);
    if (status == ARUS_OK && read_line(path, begin, &line, text)) {
        (void)arus_error_row(err, "%s:%" PRIu64 " %s", path, line, text);
    }
}
