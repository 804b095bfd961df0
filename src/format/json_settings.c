/** The option tables of the json format, and what must hold between options. */
#include "base/table.h"
#include "format/compress.h"
#include "format/json.h"
#include "format/json_settings_internal.h"

#define READ(field)  offsetof(struct json_read_settings, field)
#define WRITE(field) offsetof(struct json_write_settings, field)
#define NO_MINIMUM   INT64_MIN
#define DEPTH_LIMIT  10000 /* inference follows values by recursion */

/* X(name, kind, field, default, minimum, alias, help) */
#define READ_OPTIONS(X)                                                                            \
    X("mode", TEXT, mode_text, "PERMISSIVE", NO_MINIMUM, NULL,                                     \
      "Bad records: PERMISSIVE keeps them with nulls, DROPMALFORMED, FAILFAST.")                   \
    X("multiLine", BOOL, is_multi_line, "false", NO_MINIMUM, NULL,                                 \
      "A file is one document: an object or an array of objects.")                                 \
    X("lineSep", TEXT, line_separator, NULL, NO_MINIMUM, NULL,                                     \
      "Ends a record; default: \\n, \\r\\n or \\r.")                                               \
    X("encoding", TEXT, encoding_name, NULL, NO_MINIMUM, "charset",                                \
      "Character encoding; default: found out by the first bytes.")                                \
    X("primitivesAsString", BOOL, primitives_as_string, "false", NO_MINIMUM, NULL,                 \
      "Inference: numbers and booleans are STRING.")                                               \
    X("prefersDecimal", BOOL, prefers_decimal, "false", NO_MINIMUM, NULL,                          \
      "Inference: fractions are DECIMAL where they fit.")                                          \
    X("inferTimestamp", BOOL, infers_timestamps, "false", NO_MINIMUM, NULL,                        \
      "Inference: texts that are times are TIMESTAMP.")                                            \
    X("dropFieldIfAllNull", BOOL, drops_null_fields, "false", NO_MINIMUM, NULL,                    \
      "Inference: leaves out fields that hold only nulls or empty arrays.")                        \
    X("samplingRatio", TEXT, sampling_text, "1.0", NO_MINIMUM, NULL,                               \
      "Inference: accepted; all records are looked at.")                                           \
    X("allowComments", BOOL, allows_comments, "false", NO_MINIMUM, NULL,                           \
      "Java comments are blanks.")                                                                 \
    X("allowUnquotedFieldNames", BOOL, allows_unquoted_names, "false", NO_MINIMUM, NULL,           \
      "Names need no quotes.")                                                                     \
    X("allowSingleQuotes", BOOL, allows_single_quotes, "true", NO_MINIMUM, NULL,                   \
      "Single quotes count as quotes.")                                                            \
    X("allowNumericLeadingZeros", BOOL, allows_leading_zeros, "false", NO_MINIMUM, NULL,           \
      "Numbers may begin with zeros.")                                                             \
    X("allowNonNumericNumbers", BOOL, allows_non_numeric, "true", NO_MINIMUM, NULL,                \
      "NaN, Infinity, +INF and -INF are numbers.")                                                 \
    X("allowBackslashEscapingAnyCharacter", BOOL, allows_any_escape, "false", NO_MINIMUM, NULL,    \
      "A backslash may stand before any character.")                                               \
    X("allowUnquotedControlChars", BOOL, allows_control_chars, "false", NO_MINIMUM, NULL,          \
      "Strings may hold tabs and other control characters.")                                       \
    X("maxNestingDepth", INT64, depth_max, "1000", 0, NULL, "Deepest nesting of a record.")        \
    X("maxNumLen", INT64, number_size_max, "1000", 0, NULL, "Most digits of a number.")            \
    X("maxStringLen", INT64, string_size_max, "20000000", 0, NULL, "Most characters of a string.") \
    X("columnNameOfCorruptRecord", TEXT, corrupt_name, "_corrupt_record", NO_MINIMUM, NULL,        \
      "The column that receives bad records.")                                                     \
    X("dateFormat", TEXT, date_format, NULL, NO_MINIMUM, NULL, "Pattern of DATE texts.")           \
    X("timestampFormat", TEXT, timestamp_format, NULL, NO_MINIMUM, NULL,                           \
      "Pattern of TIMESTAMP texts.")                                                               \
    X("timestampNTZFormat", TEXT, ntz_format, NULL, NO_MINIMUM, NULL,                              \
      "Pattern of TIMESTAMP_NTZ texts.")                                                           \
    X("timeZone", TEXT, time_zone, NULL, NO_MINIMUM, NULL,                                         \
      "Zone of texts without one; default: the session's.")                                        \
    X("enableDateTimeParsingFallback", TEXT, fallback_text, NULL, NO_MINIMUM, NULL,                \
      "After a pattern does not fit, try the default way.")

#define WRITE_OPTIONS(X)                                                                           \
    X("compression", CHOICE, compression_choice, "none", NO_MINIMUM, "codec",                      \
      "none, gzip, bzip2, deflate, lz4, snappy.")                                                  \
    X("dateFormat", TEXT, date_format, NULL, NO_MINIMUM, NULL, "Pattern of DATE texts.")           \
    X("timestampFormat", TEXT, timestamp_format, NULL, NO_MINIMUM, NULL,                           \
      "Pattern of TIMESTAMP texts; default: 2026-03-02T03:04:05.123Z.")                            \
    X("timestampNTZFormat", TEXT, ntz_format, NULL, NO_MINIMUM, NULL,                              \
      "Pattern of TIMESTAMP_NTZ texts; default: 2026-03-02T03:04:05.123.")                         \
    X("timeZone", TEXT, time_zone, NULL, NO_MINIMUM, NULL,                                         \
      "Zone of TIMESTAMP texts; default: the session's.")                                          \
    X("encoding", TEXT, encoding_name, "UTF-8", NO_MINIMUM, "charset", "Character encoding.")      \
    X("lineSep", TEXT, line_separator, "\n", NO_MINIMUM, NULL, "Ends a record.")                   \
    X("ignoreNullFields", BOOL, ignores_nulls, "true", NO_MINIMUM, NULL,                           \
      "Leaves out fields without a value.")                                                        \
    X("writeNonAsciiCharacterAsCodePoint", BOOL, writes_ascii, "false", NO_MINIMUM, NULL,          \
      "Writes characters beyond ASCII as \\u escapes.")                                            \
    X("pretty", BOOL, is_pretty, "false", NO_MINIMUM, NULL, "Breaks and indents each record.")     \
    X("sortKeys", BOOL, sorts_keys, "false", NO_MINIMUM, NULL,                                     \
      "Writes fields and keys in the order of their names.")

#define IGNORED(name_)                                                                             \
    {                                                                                              \
        .name = (name_), .kind = ARUS_OPTION_IGNORED, .help = "Has no effect here."                \
    }

const struct arus_option JSON_READ_OPTIONS[] = {
#define X(name_, kind_, field_, default_, minimum_, alias_, help_)                                 \
    {.name = (name_),                                                                              \
     .kind = ARUS_OPTION_##kind_,                                                                  \
     .offset = READ(field_),                                                                       \
     .default_text = (default_),                                                                   \
     .help = (help_),                                                                              \
     .minimum = (minimum_),                                                                        \
     .alias = (alias_)},
    READ_OPTIONS(X)
#undef X
        IGNORED("locale"),
    IGNORED("compression"),
    IGNORED("useUnsafeRow"),
    IGNORED("ignoreNullFields"),
    IGNORED("pretty"),
    IGNORED("sortKeys"),
    IGNORED("writeNonAsciiCharacterAsCodePoint"),
    {0},
};

const struct arus_option JSON_WRITE_OPTIONS[] = {
#define X(name_, kind_, field_, default_, minimum_, alias_, help_)                                 \
    {.name = (name_),                                                                              \
     .kind = ARUS_OPTION_##kind_,                                                                  \
     .offset = WRITE(field_),                                                                      \
     .default_text = (default_),                                                                   \
     .help = (help_),                                                                              \
     .choices = ARUS_OPTION_##kind_ == ARUS_OPTION_CHOICE ? ARUS_COMPRESSION_CHOICES : NULL,       \
     .minimum = (minimum_),                                                                        \
     .alias = (alias_)},
    WRITE_OPTIONS(X)
#undef X
        IGNORED("locale"),
    {0},
};

static enum arus_status open_zone(struct arus_text name, struct arus_arena *arena,
                                  const struct arus_zone **out, struct arus_error *err)
{
    *out = NULL;
    return name.data == NULL ? ARUS_OK : arus_zone_open(name, arena, out, err);
}

static enum arus_status compile(struct arus_text pattern, enum arus_pattern_use use,
                                struct arus_arena *arena, const struct arus_datetime_pattern **out,
                                struct arus_error *err)
{
    enum arus_status status;

    *out = NULL;
    if (pattern.data == NULL) {
        return ARUS_OK;
    }
    status = arus_datetime_pattern_compile(pattern, use, arena, out, err);
    if (status == ARUS_BAD_DATA) {
        err->status = ARUS_BAD_CONFIG;
    }
    return status == ARUS_OK ? ARUS_OK : err->status;
}

static enum arus_status find_encoding(struct arus_text name, enum arus_encoding *out,
                                      struct arus_error *err)
{
    enum arus_status status;

    if (arus_encoding_find(name, out) && *out != ARUS_ENCODING_UTF_32BE &&
        *out != ARUS_ENCODING_UTF_32LE) {
        return ARUS_OK;
    }
    status = arus_fail(err, ARUS_BAD_CONFIG, "INVALID_PARAMETER_VALUE.CHARSET",
                       "there is no encoding `%.*s` for json", ARUS_TEXT_ARGS(name));
    (void)arus_error_help(err, "ISO-8859-1, US-ASCII, UTF-8, UTF-16, UTF-16BE, UTF-16LE, UTF-32");
    return status;
}

static enum arus_status check_read_encoding(struct json_read_settings *settings,
                                            struct arus_error *err)
{
    settings->encoding = ARUS_ENCODING_AUTO;
    if (settings->encoding_name.data == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(find_encoding(settings->encoding_name, &settings->encoding, err));
    if (settings->is_multi_line || arus_encoding_is_ascii_based(settings->encoding)) {
        return ARUS_OK;
    }
    if (settings->encoding == ARUS_ENCODING_UTF_16 || settings->encoding == ARUS_ENCODING_UTF_32) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL,
                         "encoding %s cannot be split into lines, only read with multiLine",
                         arus_encoding_name(settings->encoding));
    }
    if (settings->line_separator.data == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL,
                         "encoding %s needs the option lineSep, or multiLine",
                         arus_encoding_name(settings->encoding));
    }
    return ARUS_OK;
}

static struct json_rules rules_of(const struct json_read_settings *settings)
{
    return (struct json_rules){
        .allows_comments = settings->allows_comments,
        .allows_unquoted_names = settings->allows_unquoted_names,
        .allows_single_quotes = settings->allows_single_quotes,
        .allows_leading_zeros = settings->allows_leading_zeros,
        .allows_non_numeric = settings->allows_non_numeric,
        .allows_any_escape = settings->allows_any_escape,
        .allows_control_chars = settings->allows_control_chars,
        .reads_bytes = settings->encoding == ARUS_ENCODING_AUTO,
        .depth_max =
            (uint32_t)(settings->depth_max > DEPTH_LIMIT ? DEPTH_LIMIT : settings->depth_max),
        .number_size_max =
            (uint32_t)(settings->number_size_max > INT32_MAX ? INT32_MAX
                                                             : settings->number_size_max),
        .string_size_max =
            (uint32_t)(settings->string_size_max > INT32_MAX ? INT32_MAX
                                                             : settings->string_size_max),
    };
}

static enum arus_read_mode mode_of(struct arus_text text)
{
    if (arus_text_equal_nocase(text, ARUS_TEXT("DROPMALFORMED"))) {
        return ARUS_DROPMALFORMED;
    }
    if (arus_text_equal_nocase(text, ARUS_TEXT("FAILFAST"))) {
        return ARUS_FAILFAST;
    }
    return ARUS_PERMISSIVE; /* Spark: also for names it does not know */
}

/* Types that JSON can hold: map keys are names. */
static enum arus_status check_type(const struct arus_type *type, struct arus_error *err)
{
    if (type->id == ARUS_TYPE_MAP && type->fields[0].type->id != ARUS_TYPE_STRING) {
        return arus_fail(err, ARUS_BAD_CONFIG, "INVALID_JSON_SCHEMA_MAP_TYPE",
                         "the keys of a map in json are texts: MAP<STRING, ..>");
    }
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(check_type(type->fields[i].type, err));
    }
    return ARUS_OK;
}

/* A name stands for one column. */
static enum arus_status check_names(const struct arus_type *schema, struct arus_text_table *seen,
                                    struct arus_error *err)
{
    for (uint16_t i = 0; i < schema->field_count; i++) {
        uint32_t number;
        bool is_new;

        ARUS_TRY(arus_text_table_add(seen, schema->fields[i].name, &number, &is_new, err));
        if (!is_new) {
            return arus_fail(err, ARUS_BAD_CONFIG, "COLUMN_ALREADY_EXISTS",
                             "the column `%.*s` already exists",
                             ARUS_TEXT_ARGS(schema->fields[i].name));
        }
    }
    return ARUS_OK;
}

enum arus_status json_check_read(void *memory, const struct arus_type *schema,
                                 struct arus_arena *arena, struct arus_error *err)
{
    struct json_read_settings *settings = memory;
    bool fallback = false;

    if (settings->line_separator.data != NULL && settings->line_separator.size == 0) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "lineSep cannot be empty");
    }
    ARUS_TRY(check_read_encoding(settings, err));
    settings->mode = mode_of(settings->mode_text);
    settings->rules = rules_of(settings);
    fallback = arus_text_equal_nocase(settings->fallback_text, ARUS_TEXT("true"));
    settings->date_falls_back =
        settings->fallback_text.data == NULL ? settings->date_format.data == NULL : fallback;
    settings->timestamp_falls_back =
        settings->fallback_text.data == NULL ? settings->timestamp_format.data == NULL : fallback;
    ARUS_TRY(open_zone(settings->time_zone, arena, &settings->zone, err));
    ARUS_TRY(
        compile(settings->date_format, ARUS_PATTERN_PARSE, arena, &settings->date_pattern, err));
    ARUS_TRY(compile(settings->timestamp_format, ARUS_PATTERN_PARSE, arena,
                     &settings->timestamp_pattern, err));
    ARUS_TRY(compile(settings->ntz_format, ARUS_PATTERN_PARSE, arena, &settings->ntz_pattern, err));
    if (schema == NULL) {
        return ARUS_OK;
    }
    if (schema->id == ARUS_TYPE_STRUCT) {
        struct arus_text_table seen = {0};
        const enum arus_status status = check_names(schema, &seen, err);

        arus_text_table_release(&seen);
        ARUS_TRY(status);
    }
    return check_type(schema, err);
}

enum arus_status json_check_write(void *memory, const struct arus_type *schema,
                                  struct arus_arena *arena, struct arus_error *err)
{
    struct json_write_settings *settings = memory;

    (void)schema; /* every type can be written */
    if (settings->line_separator.size == 0) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "lineSep cannot be empty");
    }
    if (arus_compression_of_choice(settings->compression_choice) == ARUS_COMPRESSION_ZSTD) {
        return arus_fail(err, ARUS_BAD_CONFIG,
                         "CODEC_NOT_AVAILABLE.WITH_AVAILABLE_CODECS_SUGGESTION",
                         "text files are not written with zstd: bzip2, deflate, gzip, lz4, none, "
                         "snappy");
    }
    ARUS_TRY(find_encoding(settings->encoding_name, &settings->encoding, err));
    ARUS_TRY(open_zone(settings->time_zone, arena, &settings->zone, err));
    ARUS_TRY(
        compile(settings->date_format, ARUS_PATTERN_FORMAT, arena, &settings->date_pattern, err));
    ARUS_TRY(compile(settings->timestamp_format, ARUS_PATTERN_FORMAT, arena,
                     &settings->timestamp_pattern, err));
    return compile(settings->ntz_format, ARUS_PATTERN_FORMAT, arena, &settings->ntz_pattern, err);
}

struct arus_chunk_options json_chunk_options(const struct json_read_settings *settings)
{
    struct arus_chunk_options options = {
        .mode = settings->is_multi_line ? ARUS_CHUNK_DOCUMENT : ARUS_CHUNK_LINES,
        .lines = {.separator = settings->line_separator},
        .encoding = settings->encoding,
    };

    /* Lines of unknown encoding are cut as bytes; the tokenizer looks at each (as Jackson does). */
    if (!settings->is_multi_line && options.encoding == ARUS_ENCODING_AUTO) {
        options.encoding = ARUS_ENCODING_UTF_8;
    }
    return options;
}
