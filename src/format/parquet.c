/** Parquet's row in the list of formats: its options. */
#include "format/parquet.h"

#include "format/parquet_internal.h"

#define IGNORED(name_, help_)                                                                      \
    {                                                                                              \
        .name = (name_), .kind = ARUS_OPTION_IGNORED, .help = (help_)                              \
    }

static const char *const CODECS[] = {
#define X(name, text, codec, suffix) text,
    ARUS_PARQUET_CODECS(X)
#undef X
        NULL,
};

static const struct arus_option READ_OPTIONS[] = {
    {"mergeSchema", ARUS_OPTION_BOOL, offsetof(struct arus_parquet_read_settings, is_merged),
     "false", "Without declared columns: those of all files, not of the first alone.", NULL,
     INT64_MIN, NULL},
    IGNORED("datetimeRebaseMode", "Dates before 1582 are read as they are written."),
    IGNORED("int96RebaseMode", "Dates before 1582 are read as they are written."),
    {0},
};

#define FIELD(name_) offsetof(struct arus_parquet_write_settings, name_)
static const struct arus_option WRITE_OPTIONS[] = {
    {"compression", ARUS_OPTION_CHOICE, FIELD(codec), "snappy",
     "Codec of the pages: snappy, zstd, gzip, lz4, lz4_raw, none.", CODECS, INT64_MIN,
     "parquet.compression"},
    {"parquet.block.size", ARUS_OPTION_SIZE, FIELD(block_size), "134217728",
     "Most bytes of a row group (at most 32 MiB are held back, compressed).", NULL, 1024, NULL},
    {"parquet.page.size", ARUS_OPTION_SIZE, FIELD(page_size), "1048576",
     "Most bytes of values on a page.", NULL, 64, NULL},
    {"parquet.page.row.count.limit", ARUS_OPTION_INT64, FIELD(page_rows), "20000",
     "Most rows on a page.", NULL, 1, NULL},
    {"parquet.dictionary.page.size", ARUS_OPTION_SIZE, FIELD(dictionary_size), "1048576",
     "Most bytes of a dictionary; then values are written plainly.", NULL, 64, NULL},
    {"parquet.enable.dictionary", ARUS_OPTION_BOOL, FIELD(has_dictionary), "true",
     "Write repeated values once, where that pays.", NULL, INT64_MIN, NULL},
    {0},
};

/** Row groups are planned by their place in the file, whatever their codec. */
static bool is_splittable(const void *settings, const char *path)
{
    (void)settings;
    (void)path;
    return true;
}

static const char *extension(const void *settings)
{
    static const char *const SUFFIXES[] = {
#define X(name, text, codec, suffix) suffix,
        ARUS_PARQUET_CODECS(X)
#undef X
    };
    const struct arus_parquet_write_settings *write = settings;

    return SUFFIXES[write->codec];
}

const struct arus_format ARUS_FORMAT_PARQUET = {
    .name = "parquet",
    .summary = "Apache Parquet: columns, compressed, with statistics.",
    .read_options = READ_OPTIONS,
    .read_settings_size = sizeof(struct arus_parquet_read_settings),
    .write_options = WRITE_OPTIONS,
    .write_settings_size = sizeof(struct arus_parquet_write_settings),
    .holds_schema = true,
    .is_splittable = is_splittable,
    .infer = arus_parquet_infer,
    .reader_open = arus_parquet_reader_open,
    .reader_start = arus_parquet_reader_start,
    .reader_next = arus_parquet_reader_next,
    .reader_stats = arus_parquet_reader_stats,
    .reader_close = arus_parquet_reader_close,
    .extension = extension,
    .writer_open = arus_parquet_writer_open,
    .writer_write = arus_parquet_writer_write,
    .writer_finish = arus_parquet_writer_finish,
    .writer_held_size = arus_parquet_writer_held_size,
    .writer_close = arus_parquet_writer_close,
};
