/** Option tables of the file source and sink. */
#include "file/file_internal.h"

#define READ(field)  offsetof(struct arus_file_read_settings, field)
#define WRITE(field) offsetof(struct arus_file_write_settings, field)
#define ANY          INT64_MIN

static const char *const CLEAN_CHOICES[] = {"off", "archive", "delete", NULL};

static const struct arus_option SOURCE_OPTIONS[] = {
    {"path", ARUS_OPTION_TEXT, READ(path), NULL, "Folder, file or pattern (* ? [a-z] {a,b}).", NULL,
     ANY, NULL},
    {"maxFilesPerTrigger", ARUS_OPTION_INT64, READ(max_files), NULL, "Most files of a micro-batch.",
     NULL, 1, NULL},
    {"maxBytesPerTrigger", ARUS_OPTION_SIZE, READ(max_bytes), NULL,
     "Most bytes of a micro-batch; one file at least.", NULL, 1, NULL},
    {"latestFirst", ARUS_OPTION_BOOL, READ(latest_first), "false", "Newest files first.", NULL, ANY,
     NULL},
    {"maxFileAge", ARUS_OPTION_DURATION, READ(max_age_ms), "7d",
     "Files that much older than the newest seen are ignored.", NULL, ANY, NULL},
    {"fileNameOnly", ARUS_OPTION_BOOL, READ(file_name_only), "false",
     "A file is known by its name, not its path.", NULL, ANY, NULL},
    {"cleanSource", ARUS_OPTION_CHOICE, READ(clean_source), "off",
     "What happens to files that were read.", CLEAN_CHOICES, ANY, NULL},
    {"sourceArchiveDir", ARUS_OPTION_TEXT, READ(archive_folder), NULL,
     "Where cleanSource archive moves files.", NULL, ANY, NULL},
    {"pathGlobFilter", ARUS_OPTION_TEXT, READ(name_glob), NULL,
     "Pattern that file names must match.", NULL, ANY, NULL},
    {"recursiveFileLookup", ARUS_OPTION_BOOL, READ(is_recursive), "false",
     "All depths; no partition columns.", NULL, ANY, NULL},
    {"ignoreMissingFiles", ARUS_OPTION_BOOL, READ(ignore_missing), "false",
     "A planned file that is gone gives no rows.", NULL, ANY, NULL},
    {"ignoreCorruptFiles", ARUS_OPTION_BOOL, READ(ignore_corrupt), "false",
     "A damaged file gives no rows.", NULL, ANY, NULL},
    {"modifiedBefore", ARUS_OPTION_TEXT, READ(modified_before), NULL,
     "Only older files (not on streams).", NULL, ANY, NULL},
    {"modifiedAfter", ARUS_OPTION_TEXT, READ(modified_after), NULL,
     "Only younger files (not on streams).", NULL, ANY, NULL},
    {"maxCachedFiles", ARUS_OPTION_IGNORED, 0, NULL, "Spark's listing cache; not needed here.",
     NULL, ANY, NULL},
    {"discardCachedInputRatio", ARUS_OPTION_IGNORED, 0, NULL,
     "Spark's listing cache; not needed here.", NULL, ANY, NULL},
    {"basePath", ARUS_OPTION_IGNORED, 0, NULL, "Where partition folders begin: the path itself.",
     NULL, ANY, NULL},
    {0},
};

static const struct arus_option SINK_OPTIONS[] = {
    {"path", ARUS_OPTION_TEXT, WRITE(path), NULL, "Folder that takes the files.", NULL, ANY, NULL},
    {"maxRecordsPerFile", ARUS_OPTION_INT64, WRITE(max_records), "0",
     "Most rows of a file; 0: no limit.", NULL, ANY, NULL},
    {"retention", ARUS_OPTION_DURATION, WRITE(retention_ms), NULL,
     "Log entries older than this are forgotten at compaction.", NULL, ANY, NULL},
    {0},
};

void arus_file_options(const struct arus_connector *connector, enum arus_connector_side side,
                       const struct arus_option *tables[ARUS_OPTION_TABLES_MAX])
{
    const struct arus_format *format = connector->data;

    tables[0] = side == ARUS_SOURCE_SIDE ? SOURCE_OPTIONS : SINK_OPTIONS;
    tables[1] = side == ARUS_SOURCE_SIDE ? format->read_options : format->write_options;
    tables[2] = NULL;
}

/* Settings whose keys stand in `table`. */
static enum arus_status settings_of(const struct arus_settings *settings,
                                    const struct arus_option *table, struct arus_arena *arena,
                                    struct arus_settings *out, struct arus_error *err)
{
    const struct arus_option *const tables[] = {table, NULL};
    struct arus_setting *items;

    *out = (struct arus_settings){0};
    ARUS_TRY(ARUS_NEW(arena, struct arus_setting, settings->count + 1, &items, err));
    for (size_t i = 0; i < settings->count; i++) {
        if (arus_options_find(tables, settings->items[i].key) != NULL) {
            items[out->count++] = settings->items[i];
        }
    }
    out->items = items;
    return ARUS_OK;
}

/* Any key that neither table knows is the user's mistake. */
static enum arus_status check_known(const struct arus_settings *settings,
                                    const struct arus_option *const *tables, const char *noun,
                                    struct arus_arena *arena, struct arus_error *err)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct arus_settings one = {&settings->items[i], 1};
        char scratch[4096] = {0};

        if (arus_options_find(tables, settings->items[i].key) == NULL) {
            return arus_options_parse(tables, &one, noun, arena, scratch, err);
        }
    }
    return ARUS_OK;
}

static enum arus_status parse_both(const struct arus_option *own, const struct arus_option *format,
                                   const struct arus_settings *settings, const char *noun,
                                   struct arus_arena *arena, void *own_out, void *format_out,
                                   struct arus_error *err)
{
    const struct arus_option *const both[] = {own, format, NULL};
    const struct arus_option *const only_own[] = {own, NULL};
    const struct arus_option *const only_format[] = {format, NULL};
    struct arus_settings part;

    ARUS_TRY(check_known(settings, both, noun, arena, err));
    ARUS_TRY(settings_of(settings, own, arena, &part, err));
    ARUS_TRY(arus_options_parse(only_own, &part, noun, arena, own_out, err));
    ARUS_TRY(settings_of(settings, format, arena, &part, err));
    return arus_options_parse(only_format, &part, noun, arena, format_out, err);
}

enum arus_status arus_file_read_options(const struct arus_format *format,
                                        const struct arus_settings *settings,
                                        struct arus_arena *arena,
                                        struct arus_file_read_settings *out, void **format_settings,
                                        struct arus_error *err)
{
    struct arus_text noun;

    ARUS_TRY(arus_text_format(arena, &noun, err, "a %s source", format->name));
    ARUS_TRY(arus_arena_alloc(arena, format->read_settings_size, format_settings, err));
    return parse_both(SOURCE_OPTIONS, format->read_options, settings, noun.data, arena, out,
                      *format_settings, err);
}

enum arus_status arus_file_write_options(const struct arus_format *format,
                                         const struct arus_settings *settings,
                                         struct arus_arena *arena,
                                         struct arus_file_write_settings *out,
                                         void **format_settings, struct arus_error *err)
{
    struct arus_text noun;

    ARUS_TRY(arus_text_format(arena, &noun, err, "a %s sink", format->name));
    ARUS_TRY(arus_arena_alloc(arena, format->write_settings_size, format_settings, err));
    return parse_both(SINK_OPTIONS, format->write_options, settings, noun.data, arena, out,
                      *format_settings, err);
}
