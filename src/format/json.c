/** The json format's row in the list of formats. */
#include "format/json.h"

#include "format/json_reader_internal.h"
#include "format/json_settings_internal.h"

const struct arus_format ARUS_FORMAT_JSON = {
    .name = "json",
    .summary = "JSON, an object a line, or whole documents.",
    .read_options = JSON_READ_OPTIONS,
    .read_settings_size = sizeof(struct json_read_settings),
    .write_options = JSON_WRITE_OPTIONS,
    .write_settings_size = sizeof(struct json_write_settings),
    .check_read = json_check_read,
    .check_write = json_check_write,
    .is_splittable = json_is_splittable,
    .infer = json_infer,
    .reader_open = json_reader_open,
    .reader_start = json_reader_start,
    .reader_next = json_reader_next,
    .reader_watch = json_reader_watch,
    .reader_record = json_reader_record,
    .reader_stats = json_reader_stats,
    .reader_close = json_reader_close,
    .extension = json_extension,
    .writer_open = json_writer_open,
    .writer_write = json_writer_write,
    .writer_finish = json_writer_finish,
    .writer_held_size = json_writer_held_size,
    .writer_close = json_writer_close,
};
