/** Options of the json format, parsed and completed. */
#ifndef ARUS_FORMAT_JSON_SETTINGS_INTERNAL_H
#define ARUS_FORMAT_JSON_SETTINGS_INTERNAL_H

#include "base/option.h"
#include "column/scan.h"
#include "format/chunk.h"
#include "format/json_token_internal.h"
#include "types/datetime_pattern.h"

struct json_read_settings {
    /* as given */
    struct arus_text mode_text;
    bool is_multi_line;
    struct arus_text line_separator;
    struct arus_text encoding_name;
    bool primitives_as_string;
    bool prefers_decimal;
    bool infers_timestamps;
    bool drops_null_fields;
    bool allows_comments;
    bool allows_unquoted_names;
    bool allows_single_quotes;
    bool allows_leading_zeros;
    bool allows_non_numeric;
    bool allows_any_escape;
    bool allows_control_chars;
    int64_t depth_max;
    int64_t number_size_max;
    int64_t string_size_max;
    struct arus_text corrupt_name;
    struct arus_text date_format;
    struct arus_text timestamp_format;
    struct arus_text ntz_format;
    struct arus_text time_zone;
    struct arus_text fallback_text;
    struct arus_text sampling_text;
    /* made by check_read */
    enum arus_read_mode mode;
    struct json_rules rules;
    enum arus_encoding encoding;                           /* AUTO when none was given */
    const struct arus_datetime_pattern *date_pattern;      /* NULL: the default way */
    const struct arus_datetime_pattern *timestamp_pattern; /* likewise */
    const struct arus_datetime_pattern *ntz_pattern;       /* likewise */
    const struct arus_zone *zone;                          /* NULL: the session's */
    bool date_falls_back;      /* after the pattern, the default way and days as a number */
    bool timestamp_falls_back; /* after the pattern, the default way */
};

struct json_write_settings {
    int compression_choice;
    struct arus_text date_format;
    struct arus_text timestamp_format;
    struct arus_text ntz_format;
    struct arus_text time_zone;
    struct arus_text encoding_name;
    struct arus_text line_separator;
    bool ignores_nulls;
    bool is_pretty;
    bool sorts_keys;
    bool writes_ascii; /* writeNonAsciiCharacterAsCodePoint */
    /* made by check_write */
    enum arus_encoding encoding;
    const struct arus_datetime_pattern *date_pattern; /* NULL: yyyy-MM-dd */
    const struct arus_datetime_pattern
        *timestamp_pattern;                          /* NULL: three fraction digits and zone */
    const struct arus_datetime_pattern *ntz_pattern; /* NULL: three fraction digits */
    const struct arus_zone *zone;                    /* NULL: the session's */
};

extern const struct arus_option JSON_READ_OPTIONS[];
extern const struct arus_option JSON_WRITE_OPTIONS[];

enum arus_status json_check_read(void *settings, const struct arus_type *schema,
                                 struct arus_arena *arena, struct arus_error *err);
enum arus_status json_check_write(void *settings, const struct arus_type *schema,
                                  struct arus_arena *arena, struct arus_error *err);
/** Errors: COLUMN_ALREADY_EXISTS: two fields differ at most in case. */

/** How files are cut into stretches. */
struct arus_chunk_options json_chunk_options(const struct json_read_settings *settings);

#endif
