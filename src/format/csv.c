/** The row of the csv format. */
#include "format/csv.h"

#include "format/csv_internal.h"

static bool csv_is_splittable(const void *settings, const char *path)
{
    const struct arus_chunk_options options = csv_chunk_options(settings);

    return arus_chunk_is_splittable(&options, path);
}

const struct arus_format ARUS_FORMAT_CSV = {
    .name = "csv",
    .summary = "Lines of values between commas.",
    .read_options = CSV_READ_OPTIONS,
    .read_settings_size = sizeof(struct csv_read_settings),
    .write_options = CSV_WRITE_OPTIONS,
    .write_settings_size = sizeof(struct csv_write_settings),
    .check_read = csv_check_read,
    .check_write = csv_check_write,
    .is_splittable = csv_is_splittable,
    .infer = csv_infer,
    .reader_open = csv_reader_open,
    .reader_start = csv_reader_start,
    .reader_next = csv_reader_next,
    .reader_watch = csv_reader_watch,
    .reader_record = csv_reader_record,
    .reader_stats = csv_reader_stats,
    .reader_close = csv_reader_close,
    .extension = csv_extension,
    .writer_open = csv_writer_open,
    .writer_write = csv_writer_write,
    .writer_finish = csv_writer_finish,
    .writer_held_size = csv_writer_held_size,
    .writer_close = csv_writer_close,
};
