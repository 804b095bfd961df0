/**
 * The fast path: lines whose objects have the same names in the same order as a line seen before.
 * It takes a line only when the exact path would make the same row of it; anything that surprises
 * is left to the exact path.
 */
#ifndef ARUS_FORMAT_JSON_FAST_INTERNAL_H
#define ARUS_FORMAT_JSON_FAST_INTERNAL_H

#include "format/json_convert_internal.h"

/** Bytes of a pattern that are compared at once. */
#define JSON_PATTERN_SIZE 32

/** How the value of a field is read. */
enum json_op {
    JSON_OP_END,         /* the closing brace */
    JSON_OP_SKIP_STRING, /* the pattern ends with the opening quote */
    JSON_OP_SKIP_ANY,
    JSON_OP_STRING, /* likewise */
    JSON_OP_TINYINT,
    JSON_OP_SMALLINT,
    JSON_OP_INT,
    JSON_OP_BIGINT,
    JSON_OP_FLOAT,
    JSON_OP_DOUBLE,
    JSON_OP_DECIMAL, /* a number, at most 18 digits wide */
    JSON_OP_BOOLEAN,
    JSON_OP_TIMESTAMP, /* ISO text; likewise */
    JSON_OP_DATE,      /* likewise */
    JSON_OP_TEXT,      /* any other type made from a string; likewise */
    JSON_OP_VALUE      /* whatever else: by the tokenizer */
};

/** Where the values of a field go. */
struct json_target {
    struct arus_builder *builder;
    const struct json_node *node;
    bool is_nested;
    void *values;       /* of the builder */
    uint64_t *validity; /* all ones for rows to come, unless nested */
};

struct json_step {
    uint8_t pattern[JSON_PATTERN_SIZE]; /* what stands before the value, from the one before on */
    uint32_t mask;                      /* of the bytes of `pattern` that count */
    uint32_t size;                      /* of the whole pattern, which may be longer */
    uint32_t plain_size;                /* without the opening quote of the value */
    enum json_op op;
    const char *text;           /* the whole pattern; ours */
    struct json_target *target; /* NULL: skipped */
    bool is_instant;            /* TIMESTAMP, not TIMESTAMP_NTZ */
    uint64_t cached_text[2];    /* the first 16 bytes of the last time, or 10 of the last date */
    int64_t cached;             /* its microseconds, or days; DECIMAL: 10^precision */
};

/** One order of names. */
struct json_program {
    struct json_step *steps; /* [step_count], the last one is END; owned */
    uint32_t step_count;
    struct json_target **absent; /* [absent_count] columns that the line does not have */
    uint32_t absent_count;
    char *texts; /* owned, like `absent` */
};

struct json_fast {
    struct json_converter *converter;
    struct json_target *targets; /* [target_count]; borrowed */
    uint32_t target_count;
    const struct json_node *root;
    uint64_t *seen;               /* [(target_count + 63) / 64] fields of the row at hand */
    struct json_program *program; /* in use */
    const char *end;              /* of the text; a control character stands there or before */
    bool is_record;               /* the text is one record: it ends at `end`, not at a line end */
    bool is_utc;                  /* zone of texts without one */
    bool has_default_times;       /* no patterns given */
    enum arus_status status;      /* of a failed allocation */
};

/**
 * Decodes rows from `at` on until a line that surprises, `row_max` or the end; returns where it
 * stopped. 32 bytes behind `end` must be readable.
 */
typedef const char *(*json_rows_fn)(struct json_fast *fast, const char *at, uint32_t *row,
                                    uint32_t row_max);
const char *json_rows_portable(struct json_fast *fast, const char *at, uint32_t *row,
                               uint32_t row_max);
const char *json_rows_avx2(struct json_fast *fast, const char *at, uint32_t *row, uint32_t row_max);

/**
 * The same for one line whose names come in any order; false: it surprises. `row` is as in
 * json_rows_fn.
 */
typedef bool (*json_any_row_fn)(struct json_fast *fast, const char **at, uint32_t row);
bool json_any_row_portable(struct json_fast *fast, const char **at, uint32_t row);
bool json_any_row_avx2(struct json_fast *fast, const char **at, uint32_t row);

/** How a value that begins with `first` is read; `type` NULL: skipped. */
enum json_op json_choose_op(const struct json_fast *fast, const struct arus_type *type, char first);
/** Makes the program of a line that the exact path took without complaint. False: it cannot be. */
bool json_program_learn(struct json_program *program, const struct json_fast *fast,
                        const struct json_node *root, struct arus_text line);
void json_program_release(struct json_program *program);

/* ---- the less frequent cases, shared by both machine codes; NULL: surprise ---- */

/** After a step whose pattern does not match: a null, names left out, or a surprise. Moves `*step`.
 */
const char *json_resync(struct json_fast *fast, struct json_step **step, const char *at,
                        uint32_t row);
/** A string from `begin` whose plain part ends at `at`; returns its closing quote. */
const char *json_string_rest(struct json_fast *fast, const char *begin, const char *at,
                             struct arus_view *out);
const char *json_skip_string_rest(const char *at);
/** A number's end; checks the grammar. */
const char *json_number_end(const char *at);
const char *json_long_integer(const char *at, int64_t *out);
const char *json_any_double(const char *at, double *out);
const char *json_any_float(const char *at, float *out);
const char *json_any_decimal(const struct json_step *step, const char *at, uint32_t row);
const char *json_text_value(struct json_fast *fast, const struct json_step *step, const char *at,
                            uint32_t row);
const char *json_token_value(struct json_fast *fast, const struct json_step *step, const char *at,
                             uint32_t row);
const char *json_skip_value(struct json_fast *fast, const char *at);
/** A name after its opening quote: its text, unescaped; returns what follows the closing quote. */
const char *json_name_rest(struct json_fast *fast, const char *begin, const char *at,
                           struct arus_text *out);
/** Date and minute of `yyyy-MM-ddTHH:mm`, or the days of `yyyy-MM-dd`. */
bool json_parse_minute(const char *at, int64_t *micros);
bool json_parse_day(const char *at, int64_t *days);
void json_set_null(struct json_fast *fast, struct json_target *target, uint32_t row);
/** After a surprise: takes back what a row has left behind. */
void json_undo_row(struct json_fast *fast, uint32_t row);

#endif
