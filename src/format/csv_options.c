/** Options of the csv format, and what follows from them. */
#include "format/csv_internal.h"
#include "types/utf8.h"

#include <stddef.h>

#define READ(field)  offsetof(struct csv_read_settings, field)
#define WRITE(field) offsetof(struct csv_write_settings, field)
#define ANY          INT64_MIN

const struct arus_option CSV_READ_OPTIONS[] = {
    {"sep", ARUS_OPTION_TEXT, READ(sep), ",",
     "What stands between values; several characters are allowed.", NULL, ANY, "delimiter"},
    {"quote", ARUS_OPTION_TEXT, READ(quote), "\"", "Surrounds values; '' = off.", NULL, ANY, NULL},
    {"escape", ARUS_OPTION_TEXT, READ(escape), "\\",
     "Escapes a quote inside quotes; '\"' = doubled quotes.", NULL, ANY, NULL},
    {"charToEscapeQuoteEscaping", ARUS_OPTION_TEXT, READ(escape_escape), NULL,
     "Escapes the escape character; default: escape, when it is not the quote.", NULL, ANY, NULL},
    {"unescapedQuoteHandling", ARUS_OPTION_TEXT, READ(quote_handling), "STOP_AT_DELIMITER",
     "STOP_AT_DELIMITER, STOP_AT_CLOSING_QUOTE, BACK_TO_DELIMITER, SKIP_VALUE or RAISE_ERROR.",
     NULL, ANY, NULL},
    {"comment", ARUS_OPTION_TEXT, READ(comment), NULL, "Lines that begin with it are skipped.",
     NULL, ANY, NULL},
    {"header", ARUS_OPTION_BOOL, READ(header), "false", "The first line of each file holds names.",
     NULL, ANY, NULL},
    {"enforceSchema", ARUS_OPTION_BOOL, READ(enforces_schema), "true",
     "false: names of the header must be those of the schema.", NULL, ANY, NULL},
    {"inferSchema", ARUS_OPTION_BOOL, READ(infers_schema), "false",
     "Find types by reading the file, where no schema is declared.", NULL, ANY, NULL},
    {"preferDate", ARUS_OPTION_BOOL, READ(prefers_date), "true", "inferSchema may find dates.",
     NULL, ANY, NULL},
    {"ignoreLeadingWhiteSpace", ARUS_OPTION_BOOL, READ(trims_begin), "false",
     "Drop blanks in front of values.", NULL, ANY, NULL},
    {"ignoreTrailingWhiteSpace", ARUS_OPTION_BOOL, READ(trims_end), "false",
     "Drop blanks behind unquoted values.", NULL, ANY, NULL},
    {"nullValue", ARUS_OPTION_TEXT, READ(null_value), "", "Text that means NULL.", NULL, ANY, NULL},
    {"emptyValue", ARUS_OPTION_TEXT, READ(empty_value), "", "What a quoted empty value is read as.",
     NULL, ANY, NULL},
    {"nanValue", ARUS_OPTION_TEXT, READ(nan_value), "NaN", "Text of not-a-number.", NULL, ANY,
     NULL},
    {"positiveInf", ARUS_OPTION_TEXT, READ(positive_inf), "Inf", "Text of infinity.", NULL, ANY,
     NULL},
    {"negativeInf", ARUS_OPTION_TEXT, READ(negative_inf), "-Inf", "Text of minus infinity.", NULL,
     ANY, NULL},
    {"dateFormat", ARUS_OPTION_TEXT, READ(date_format), NULL,
     "Pattern of dates; default: ISO 8601.", NULL, ANY, NULL},
    {"timestampFormat", ARUS_OPTION_TEXT, READ(timestamp_format), NULL,
     "Pattern of timestamps; default: ISO 8601.", NULL, ANY, NULL},
    {"timestampNTZFormat", ARUS_OPTION_TEXT, READ(ntz_format), NULL,
     "Pattern of timestamps without zone; default: ISO 8601.", NULL, ANY, NULL},
    {"timeZone", ARUS_OPTION_TEXT, READ(time_zone), NULL,
     "Zone of timestamps that name none; default: the session's.", NULL, ANY, NULL},
    {"lineSep", ARUS_OPTION_TEXT, READ(line_sep), NULL,
     "What ends a line, one or two characters; default: \\n, \\r\\n and \\r.", NULL, ANY, NULL},
    {"multiLine", ARUS_OPTION_BOOL, READ(multi_line), "false", "Quoted values may hold line ends.",
     NULL, ANY, NULL},
    {"encoding", ARUS_OPTION_TEXT, READ(encoding_name), "UTF-8",
     "UTF-8, ISO-8859-1, US-ASCII, UTF-16, UTF-16BE, UTF-16LE or UTF-32.", NULL, ANY, "charset"},
    {"mode", ARUS_OPTION_TEXT, READ(mode_name), "PERMISSIVE",
     "Bad records: PERMISSIVE keeps, DROPMALFORMED drops, FAILFAST stops.", NULL, ANY, NULL},
    {"columnNameOfCorruptRecord", ARUS_OPTION_TEXT, READ(corrupt_name), "_corrupt_record",
     "Column that takes the text of bad records.", NULL, ANY, NULL},
    {"maxColumns", ARUS_OPTION_INT64, READ(column_max), "20480", "Most values of a record.", NULL,
     1, NULL},
    {"maxCharsPerColumn", ARUS_OPTION_INT64, READ(char_max), "-1",
     "Most characters of a value; -1: any.", NULL, -1, NULL},
    {"columnPruning", ARUS_OPTION_TEXT, READ(pruning), NULL,
     "Records are only checked for the columns that are read; default: unless multiLine.", NULL,
     ANY, NULL},
    {"singleVariantColumn", ARUS_OPTION_TEXT, READ(variant_column), NULL, "Not supported.", NULL,
     ANY, NULL},
    {"samplingRatio", ARUS_OPTION_IGNORED, 0, NULL, "All lines are read for inferSchema.", NULL,
     ANY, NULL},
    {"locale", ARUS_OPTION_IGNORED, 0, NULL, "Names of months and days are English.", NULL, ANY,
     NULL},
    {"enableDateTimeParsingFallback", ARUS_OPTION_IGNORED, 0, NULL, "", NULL, ANY, NULL},
    {"ignoreSurroundingSpaces", ARUS_OPTION_IGNORED, 0, NULL, "", NULL, ANY, NULL},
    {"inputBufferSize", ARUS_OPTION_IGNORED, 0, NULL, "", NULL, ANY, NULL},
    {"compression", ARUS_OPTION_IGNORED, 0, NULL, "The suffix of a file decides when reading.",
     NULL, ANY, "codec"},
    {0},
};

const struct arus_option CSV_WRITE_OPTIONS[] = {
    {"sep", ARUS_OPTION_TEXT, WRITE(sep), ",", "Stands between values.", NULL, ANY, "delimiter"},
    {"quote", ARUS_OPTION_TEXT, WRITE(quote), "\"", "Surrounds values that need it.", NULL, ANY,
     NULL},
    {"escape", ARUS_OPTION_TEXT, WRITE(escape), "\\", "Stands before a quote inside quotes.", NULL,
     ANY, NULL},
    {"charToEscapeQuoteEscaping", ARUS_OPTION_TEXT, WRITE(escape_escape), NULL,
     "Stands before escape inside quotes; default: escape.", NULL, ANY, NULL},
    {"comment", ARUS_OPTION_TEXT, WRITE(comment), NULL,
     "A first value that begins with it is quoted.", NULL, ANY, NULL},
    {"escapeQuotes", ARUS_OPTION_BOOL, WRITE(escapes_quotes), "true",
     "Values with a quote are put in quotes.", NULL, ANY, NULL},
    {"quoteAll", ARUS_OPTION_BOOL, WRITE(quotes_all), "false", "All values are put in quotes.",
     NULL, ANY, NULL},
    {"header", ARUS_OPTION_BOOL, WRITE(header), "false", "Each file begins with the names.", NULL,
     ANY, NULL},
    {"nullValue", ARUS_OPTION_TEXT, WRITE(null_value), "", "Text of NULL.", NULL, ANY, NULL},
    {"emptyValue", ARUS_OPTION_TEXT, WRITE(empty_value), "\"\"", "Text of an empty string.", NULL,
     ANY, NULL},
    {"ignoreLeadingWhiteSpace", ARUS_OPTION_BOOL, WRITE(trims_begin), "true",
     "Drop blanks in front of values.", NULL, ANY, NULL},
    {"ignoreTrailingWhiteSpace", ARUS_OPTION_BOOL, WRITE(trims_end), "true",
     "Drop blanks behind values.", NULL, ANY, NULL},
    {"dateFormat", ARUS_OPTION_TEXT, WRITE(date_format), NULL,
     "Pattern of dates; default: ISO 8601.", NULL, ANY, NULL},
    {"timestampFormat", ARUS_OPTION_TEXT, WRITE(timestamp_format), NULL,
     "Pattern of timestamps; default: ISO 8601 with milliseconds and offset.", NULL, ANY, NULL},
    {"timestampNTZFormat", ARUS_OPTION_TEXT, WRITE(ntz_format), NULL,
     "Pattern of timestamps without zone.", NULL, ANY, NULL},
    {"timeZone", ARUS_OPTION_TEXT, WRITE(time_zone), NULL,
     "Zone of timestamps; default: the session's.", NULL, ANY, NULL},
    {"lineSep", ARUS_OPTION_TEXT, WRITE(line_sep), "\n", "Ends a line.", NULL, ANY, NULL},
    {"encoding", ARUS_OPTION_TEXT, WRITE(encoding_name), "UTF-8",
     "UTF-8, ISO-8859-1, US-ASCII, UTF-16, UTF-16BE, UTF-16LE or UTF-32.", NULL, ANY, "charset"},
    {"compression", ARUS_OPTION_CHOICE, WRITE(compression_choice), "none",
     "none, bzip2, deflate, gzip, lz4, snappy or zstd.", ARUS_COMPRESSION_CHOICES, ANY, "codec"},
    {"locale", ARUS_OPTION_IGNORED, 0, NULL, "Names of months and days are English.", NULL, ANY,
     NULL},
    {0},
};

/* ---- single options ---- */

static enum arus_status read_char(struct csv_dialect *dialect, const char *name,
                                  struct arus_text text, unsigned char *out, struct arus_error *err)
{
    if (arus_utf8_units(text) > 1) {
        return arus_fail(err, ARUS_BAD_CONFIG, "OPTION_VALUE_EXCEEDS_ONE_CHARACTER",
                         "option %s takes at most one character, not `%.*s`", name,
                         ARUS_TEXT_ARGS(text));
    }
    if (text.size <= 1) {
        *out = text.size == 0 ? 0 : (unsigned char)text.data[0];
        return ARUS_OK;
    }
    for (size_t i = 0; i < dialect->special_count; i++) {
        if (arus_text_equal(dialect->specials[i], text)) {
            *out = CSV_SPECIAL_BYTE(i);
            return ARUS_OK;
        }
    }
    *out = CSV_SPECIAL_BYTE(dialect->special_count);
    dialect->specials[dialect->special_count++] = text;
    return ARUS_OK;
}

static enum arus_status fail_sep(const char *condition, struct arus_text sep,
                                 struct arus_error *err)
{
    const enum arus_status status = arus_fail(err, ARUS_BAD_CONFIG, condition,
                                              "option sep cannot be `%.*s`", ARUS_TEXT_ARGS(sep));

    (void)arus_error_help(err, "sep ',' or sep '\\\\t' or several characters: sep '||'");
    return status;
}

/* What stands behind a backslash in sep; -1: nothing known. */
static int sep_escape(char c)
{
    static const char NAMES[] = "trbf\"'\\";
    static const char VALUES[] = "\t\r\b\f\"'\\";
    const char *found = c == '\0' ? NULL : strchr(NAMES, c);

    return found == NULL ? -1 : VALUES[found - NAMES];
}

static enum arus_status read_sep(struct arus_text sep, struct arus_arena *arena,
                                 struct arus_text *out, struct arus_error *err)
{
    char *text;
    size_t size = 0;

    if (sep.size == 0) {
        return fail_sep("FAILED_READ_FILE.NO_HINT", sep, err);
    }
    ARUS_TRY(ARUS_NEW(arena, char, sep.size + 1, &text, err));
    for (size_t i = 0; i < sep.size; i++) {
        int escaped;

        if (sep.data[i] != '\\') {
            text[size++] = sep.data[i];
            continue;
        }
        if (i + 1 == sep.size) {
            return fail_sep("INVALID_DELIMITER_VALUE.SINGLE_BACKSLASH", sep, err);
        }
        escaped = sep_escape(sep.data[++i]);
        if (escaped < 0) {
            return fail_sep("INVALID_DELIMITER_VALUE.UNSUPPORTED_SPECIAL_CHARACTER", sep, err);
        }
        text[size++] = (char)escaped;
    }
    *out = (struct arus_text){text, size};
    return ARUS_OK;
}

static enum arus_status read_encoding(struct arus_text name, enum arus_encoding *out,
                                      struct arus_error *err)
{
    enum arus_status status;

    if (arus_encoding_find(name, out) && *out != ARUS_ENCODING_UTF_32BE &&
        *out != ARUS_ENCODING_UTF_32LE) {
        return ARUS_OK;
    }
    status = arus_fail(err, ARUS_BAD_CONFIG, "INVALID_PARAMETER_VALUE.CHARSET",
                       "unknown encoding `%.*s`", ARUS_TEXT_ARGS(name));
    (void)arus_error_help(err, "encoding is one of ISO-8859-1, US-ASCII, UTF-8, UTF-16, UTF-16BE, "
                               "UTF-16LE, UTF-32");
    return status;
}

static enum arus_status read_handling(struct arus_text text, enum csv_quote_handling *out,
                                      struct arus_error *err)
{
    static const char *const NAMES[] = {"STOP_AT_DELIMITER", "STOP_AT_CLOSING_QUOTE",
                                        "BACK_TO_DELIMITER", "SKIP_VALUE", "RAISE_ERROR"};

    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (arus_text_equal_nocase(text, arus_text_of(NAMES[i]))) {
            *out = (enum csv_quote_handling)i;
            return ARUS_OK;
        }
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_BAD_OPTION",
                     "option unescapedQuoteHandling takes STOP_AT_DELIMITER, "
                     "STOP_AT_CLOSING_QUOTE, BACK_TO_DELIMITER, SKIP_VALUE or RAISE_ERROR, "
                     "not `%.*s`",
                     ARUS_TEXT_ARGS(text));
}

/* A line that ends at two characters may hold either of them: nothing inside it is a line end. */
#define NO_BYTE 0xFF

static enum arus_status read_line_sep(const struct arus_text *line_sep, bool multi_line,
                                      struct csv_dialect *dialect, struct arus_error *err)
{
    dialect->new_line = '\n';
    dialect->separator1 = '\n';
    dialect->separator2 = 0;
    dialect->normalizes_in_quotes = true;
    dialect->detects_separator = line_sep->data == NULL && multi_line;
    if (line_sep->data == NULL) {
        return ARUS_OK;
    }
    if (line_sep->size == 0 || line_sep->size > 2) {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_BAD_OPTION",
                         "option lineSep takes one or two characters, not `%.*s`",
                         ARUS_TEXT_ARGS(*line_sep));
    }
    dialect->separator1 = (unsigned char)line_sep->data[0];
    dialect->separator2 = line_sep->size == 2 ? (unsigned char)line_sep->data[1] : 0;
    dialect->new_line = line_sep->size == 1 ? dialect->separator1 : multi_line ? '\n' : NO_BYTE;
    dialect->normalizes_in_quotes = !multi_line;
    return ARUS_OK;
}

static enum arus_status read_dialect(struct csv_read_settings *settings, struct arus_arena *arena,
                                     struct arus_error *err)
{
    struct csv_dialect *dialect = &settings->dialect;
    struct arus_text sep;

    ARUS_TRY(read_sep(settings->sep, arena, &sep, err));
    if (arus_utf8_units(sep) > 1) {
        dialect->multi = sep;
    } else {
        ARUS_TRY(read_char(dialect, "sep", sep, &dialect->delimiter, err));
    }
    ARUS_TRY(read_char(dialect, "quote", settings->quote, &dialect->quote, err));
    ARUS_TRY(read_char(dialect, "escape", settings->escape, &dialect->escape, err));
    ARUS_TRY(read_char(dialect, "comment", settings->comment, &dialect->comment, err));
    dialect->has_comment = dialect->comment != 0;
    dialect->escape_escape = dialect->quote == dialect->escape ? 0 : dialect->escape;
    if (settings->escape_escape.data != NULL) {
        ARUS_TRY(read_char(dialect, "charToEscapeQuoteEscaping", settings->escape_escape,
                           &dialect->escape_escape, err));
    }
    ARUS_TRY(read_handling(settings->quote_handling, &dialect->handling, err));
    ARUS_TRY(read_line_sep(&settings->line_sep, settings->multi_line, dialect, err));
    dialect->trims_begin = settings->trims_begin;
    dialect->trims_end = settings->trims_end;
    dialect->null_value = settings->null_value;
    dialect->empty_value = settings->empty_value;
    dialect->column_max =
        settings->column_max > UINT16_MAX ? UINT16_MAX : (uint32_t)settings->column_max;
    dialect->char_max = settings->char_max < 0 ? UINT64_MAX : (uint64_t)settings->char_max;
    return ARUS_OK;
}

static void find_simple(struct csv_read_settings *settings)
{
    struct csv_dialect *dialect = &settings->dialect;
    const bool is_usual_line_end =
        settings->line_sep.data == NULL ||
        (!settings->multi_line && arus_text_equal(settings->line_sep, ARUS_TEXT("\n")));

    dialect->is_simple = dialect->multi.size == 0 && dialect->special_count == 0 &&
                         !dialect->trims_begin && !dialect->trims_end &&
                         dialect->char_max == UINT64_MAX && is_usual_line_end &&
                         dialect->delimiter != dialect->quote && dialect->escape != 0 &&
                         (dialect->escape_escape == 0 || dialect->escape_escape == dialect->escape);
}

/* ---- patterns ---- */

/* A pattern that cannot be fits no cell: Spark finds out while reading, and so the record is bad.
 */
static enum arus_status read_pattern(struct arus_text text, struct arus_arena *arena,
                                     const struct arus_datetime_pattern **out, bool *is_bad,
                                     struct arus_error *err)
{
    struct arus_error other = {0};

    if (text.data == NULL) {
        return ARUS_OK;
    }
    if (arus_datetime_pattern_compile(text, ARUS_PATTERN_PARSE, arena, out, &other) == ARUS_OK) {
        return ARUS_OK;
    }
    *is_bad = other.condition == NULL || strncmp(other.condition, "INCONSISTENT", 12) != 0;
    *out = NULL;
    if (*is_bad) {
        return ARUS_OK;
    }
    *err = other;
    return other.status;
}

static enum arus_status read_zone(struct arus_text name, struct arus_arena *arena,
                                  const struct arus_zone **out, struct arus_error *err)
{
    return name.data == NULL ? ARUS_OK : arus_zone_open(name, arena, out, err);
}

static enum arus_read_mode read_mode(struct arus_text name)
{
    if (arus_text_equal_nocase(name, ARUS_TEXT("DROPMALFORMED"))) {
        return ARUS_DROPMALFORMED;
    }
    return arus_text_equal_nocase(name, ARUS_TEXT("FAILFAST")) ? ARUS_FAILFAST : ARUS_PERMISSIVE;
}

static enum arus_status read_pruning(struct csv_read_settings *self, struct arus_error *err)
{
    const struct arus_text text = self->pruning;

    if (text.data == NULL) {
        self->prunes_columns = !self->multi_line;
        return ARUS_OK;
    }
    self->prunes_columns = arus_text_equal_nocase(text, ARUS_TEXT("true"));
    if (self->prunes_columns || arus_text_equal_nocase(text, ARUS_TEXT("false"))) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_BAD_OPTION",
                     "option columnPruning takes true or false, not `%.*s`", ARUS_TEXT_ARGS(text));
}

/* ---- types ---- */

static enum arus_status fail_type(const struct arus_field *field, struct arus_error *err)
{
    struct arus_buffer name = {0};
    struct arus_error other;
    enum arus_status status;

    if (arus_type_sql(field->type, &name, &other) != ARUS_OK) {
        arus_buffer_reset(&name);
    }
    status = arus_fail(err, ARUS_BAD_CONFIG, "UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE",
                       "the csv format cannot hold column `%.*s` of type %.*s",
                       ARUS_TEXT_ARGS(field->name), ARUS_TEXT_ARGS(arus_buffer_text(&name)));
    (void)arus_error_help(err, "json and parquet hold nested columns");
    arus_buffer_release(&name);
    return status;
}

static enum arus_status check_types(const struct arus_type *schema, struct arus_error *err)
{
    for (uint16_t i = 0; schema != NULL && i < schema->field_count; i++) {
        const struct arus_type *type = schema->fields[i].type;

        if (arus_type_is_nested(type) || type->id == ARUS_TYPE_VOID) {
            return fail_type(&schema->fields[i], err);
        }
    }
    return ARUS_OK;
}

static enum arus_status check_corrupt(const struct arus_type *schema, struct arus_text name,
                                      struct arus_error *err)
{
    const int32_t at = schema == NULL ? -1 : arus_type_find(schema, name);

    if (at < 0 || schema->fields[at].type->id == ARUS_TYPE_STRING) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_BAD_CONFIG, "INVALID_CORRUPT_RECORD_TYPE",
                     "column `%.*s` takes the text of bad records and must be a STRING",
                     ARUS_TEXT_ARGS(name));
}

/* ---- checks ---- */

enum arus_status csv_check_read(void *settings, const struct arus_type *schema,
                                struct arus_arena *arena, struct arus_error *err)
{
    struct csv_read_settings *self = settings;

    if (self->variant_column.data != NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, "INVALID_SINGLE_VARIANT_COLUMN",
                         "option singleVariantColumn is not supported");
    }
    ARUS_TRY(check_corrupt(schema, self->corrupt_name, err));
    ARUS_TRY(check_types(schema, err));
    ARUS_TRY(read_dialect(self, arena, err));
    find_simple(self);
    ARUS_TRY(read_encoding(self->encoding_name, &self->encoding, err));
    ARUS_TRY(read_pruning(self, err));
    ARUS_TRY(read_zone(self->time_zone, arena, &self->zone, err));
    ARUS_TRY(read_pattern(self->date_format, arena, &self->date_pattern,
                          &self->has_bad_date_pattern, err));
    ARUS_TRY(read_pattern(self->timestamp_format, arena, &self->timestamp_pattern,
                          &self->has_bad_timestamp_pattern, err));
    ARUS_TRY(
        read_pattern(self->ntz_format, arena, &self->ntz_pattern, &self->has_bad_ntz_pattern, err));
    self->mode = read_mode(self->mode_name);
    return ARUS_OK;
}

static enum arus_status write_pattern(struct arus_text text, struct arus_arena *arena,
                                      const struct arus_datetime_pattern **out,
                                      struct arus_error *err)
{
    return text.data == NULL
               ? ARUS_OK
               : arus_datetime_pattern_compile(text, ARUS_PATTERN_FORMAT, arena, out, err);
}

enum arus_status csv_check_write(void *settings, const struct arus_type *schema,
                                 struct arus_arena *arena, struct arus_error *err)
{
    struct csv_write_settings *self = settings;
    struct csv_dialect scratch = {0};
    unsigned char byte;

    ARUS_TRY(check_types(schema, err));
    ARUS_TRY(read_sep(self->sep, arena, &self->sep, err));
    ARUS_TRY(read_char(&scratch, "quote", self->quote, &byte, err));
    ARUS_TRY(read_char(&scratch, "escape", self->escape, &byte, err));
    ARUS_TRY(read_char(&scratch, "charToEscapeQuoteEscaping", self->escape_escape, &byte, err));
    ARUS_TRY(read_char(&scratch, "comment", self->comment, &byte, err));
    ARUS_TRY(read_encoding(self->encoding_name, &self->encoding, err));
    ARUS_TRY(read_zone(self->time_zone, arena, &self->zone, err));
    ARUS_TRY(write_pattern(self->date_format, arena, &self->date_pattern, err));
    ARUS_TRY(write_pattern(self->timestamp_format, arena, &self->timestamp_pattern, err));
    ARUS_TRY(write_pattern(self->ntz_format, arena, &self->ntz_pattern, err));
    self->compression = arus_compression_of_choice(self->compression_choice);
    return ARUS_OK;
}

struct arus_chunk_options csv_chunk_options(const struct csv_read_settings *settings)
{
    return (struct arus_chunk_options){
        .mode = settings->multi_line ? ARUS_CHUNK_BYTES : ARUS_CHUNK_LINES,
        .lines = {.separator = settings->line_sep},
        .encoding = settings->encoding,
        .repairs_utf8 = true,
    };
}
