/** DecimalFormat patterns: from text to counts and affixes. */
#include "types/number_pattern.h"

#include "types/utf8.h"

#define PER_MILLE 0x2030U
#define CURRENCY  0xA4U

enum part { PREFIX, NUMBER, SUFFIX };

/* One of the two subpatterns while it is read. */
struct reader {
    struct arus_text text;
    size_t at;
    bool is_negative; /* the second one: only its affixes count */
    enum part part;
    struct arus_buffer affix[2];
    bool is_quoted;
    bool is_done; /* met the semicolon */
    int32_t left; /* '#' before the zeros */
    int32_t zeros;
    int32_t right; /* '#' behind them */
    int32_t point; /* digits before it; -1: none */
    int32_t group; /* digits since the last comma; -1: none */
    int32_t shift;
    int32_t exponent; /* -1: none */
};

static enum arus_status fail_pattern(struct arus_text text, const char *why, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.PATTERN",
                     "the number pattern '%.*s' is wrong: %s", ARUS_TEXT_ARGS(text), why);
}

static bool is_number_char(uint32_t c)
{
    return c == '#' || c == '0' || c == ',' || c == '.';
}

static enum arus_status append_code_point(struct reader *reader, uint32_t c, struct arus_error *err)
{
    char bytes[4];
    const size_t size = arus_utf8_write(c, bytes);

    return arus_buffer_append_text(&reader->affix[reader->part == SUFFIX],
                                   (struct arus_text){bytes, size}, err);
}

static bool is_next(const struct reader *reader, char c)
{
    return reader->at < reader->text.size && reader->text.data[reader->at] == c;
}

static enum arus_status read_quote(struct reader *reader, struct arus_error *err)
{
    if (is_next(reader, '\'')) {
        reader->at++;
        return append_code_point(reader, '\'', err);
    }
    reader->is_quoted = !reader->is_quoted;
    return ARUS_OK;
}

static enum arus_status read_currency(struct reader *reader, struct arus_error *err)
{
    size_t next = reader->at;
    const bool is_doubled =
        next < reader->text.size && arus_utf8_next(reader->text, &next) == CURRENCY;

    reader->at = is_doubled ? next : reader->at;
    return arus_buffer_append_text(&reader->affix[reader->part == SUFFIX],
                                   arus_text_of(is_doubled ? "USD" : "$"), err);
}

static enum arus_status read_affix(struct reader *reader, struct arus_error *err)
{
    const size_t before = reader->at;
    const uint32_t c = arus_utf8_next(reader->text, &reader->at);

    if (c == '\'') {
        return read_quote(reader, err);
    }
    if (reader->is_quoted) {
        return append_code_point(reader, c, err);
    }
    if (is_number_char(c)) {
        reader->at = before;
        reader->part = NUMBER;
        return ARUS_OK;
    }
    if (c == CURRENCY) {
        return read_currency(reader, err);
    }
    if (c == ';') {
        if (reader->part == PREFIX || reader->is_negative) {
            return fail_pattern(reader->text, "a ';' in the wrong place", err);
        }
        reader->is_done = true;
        return ARUS_OK;
    }
    if (c == '%' || c == PER_MILLE) {
        if (reader->shift != 0) {
            return fail_pattern(reader->text, "more than one percent or per mille sign", err);
        }
        reader->shift = c == '%' ? 2 : 3;
    }
    return append_code_point(reader, c, err);
}

static enum arus_status read_exponent(struct reader *reader, struct arus_error *err)
{
    reader->at++;
    if (!reader->is_negative) {
        if (reader->exponent >= 0) {
            return fail_pattern(reader->text, "more than one exponent", err);
        }
        for (reader->exponent = 0; is_next(reader, '0'); reader->at++) {
            reader->exponent++;
        }
        if (reader->left + reader->zeros < 1 || reader->exponent < 1) {
            return fail_pattern(reader->text, "a malformed exponent", err);
        }
        reader->part = SUFFIX;
    }
    return ARUS_OK;
}

static enum arus_status read_digit(struct reader *reader, char c, struct arus_error *err)
{
    if (c == '0' && reader->right > 0) {
        return fail_pattern(reader->text, "a '0' behind a '#' that follows zeros", err);
    }
    if (c == '0') {
        reader->zeros++;
    } else if (reader->zeros > 0) {
        reader->right++;
    } else {
        reader->left++;
    }
    if (reader->group >= 0 && reader->point < 0) {
        reader->group++;
    }
    return ARUS_OK;
}

static enum arus_status read_number(struct reader *reader, struct arus_error *err)
{
    const char c = reader->text.data[reader->at];

    if (c == 'E') {
        return read_exponent(reader, err);
    }
    if (!is_number_char((unsigned char)c)) {
        reader->part = SUFFIX;
        return ARUS_OK;
    }
    reader->at++;
    if (reader->is_negative) {
        return ARUS_OK;
    }
    if (c == ',') {
        reader->group = 0;
        return ARUS_OK;
    }
    if (c == '.') {
        if (reader->point >= 0) {
            return fail_pattern(reader->text, "more than one point", err);
        }
        reader->point = reader->left + reader->zeros + reader->right;
        return ARUS_OK;
    }
    return read_digit(reader, c, err);
}

/* `###.##` has a required digit nowhere: the last one before the point counts as one, or the first
 * one behind it. */
static void settle_zeros(struct reader *reader)
{
    if (reader->zeros == 0 && reader->left > 0 && reader->point >= 0) {
        const int32_t before = reader->point == 0 ? 1 : reader->point;

        reader->right = reader->left - before;
        reader->left = before - 1;
        reader->zeros = 1;
    }
}

static enum arus_status read_subpattern(struct reader *reader, struct arus_error *err)
{
    while (reader->at < reader->text.size && !reader->is_done) {
        ARUS_TRY(reader->part == NUMBER ? read_number(reader, err) : read_affix(reader, err));
    }
    settle_zeros(reader);
    if (reader->is_quoted) {
        return fail_pattern(reader->text, "a quote is not closed", err);
    }
    if (reader->group == 0 ||
        (reader->point >= 0 &&
         (reader->point < reader->left || reader->point > reader->left + reader->zeros))) {
        return fail_pattern(reader->text, "a comma or a point in the wrong place", err);
    }
    return ARUS_OK;
}

static void set_counts(const struct reader *reader, struct arus_number_pattern *out)
{
    const int32_t total = reader->left + reader->zeros + reader->right;
    const int32_t point = reader->point >= 0 ? reader->point : total;

    out->integer_min = point - reader->left;
    out->integer_max = reader->left + out->integer_min;
    out->fraction_max = total - point;
    out->fraction_min = reader->point >= 0 ? reader->left + reader->zeros - point : 0;
    out->grouping = reader->group > 0 ? reader->group : 0;
    out->shift = reader->shift;
    out->exponent_min = reader->exponent > 0 ? reader->exponent : 0;
    out->shows_point = reader->point == 0 || reader->point == total;
}

static enum arus_status set_affixes(const struct reader readers[2], struct arus_arena *arena,
                                    struct arus_number_pattern *out, struct arus_error *err)
{
    const struct arus_text prefix = arus_buffer_text(&readers[0].affix[0]);
    const struct arus_text suffix = arus_buffer_text(&readers[0].affix[1]);
    struct arus_text negative_prefix = arus_buffer_text(&readers[1].affix[0]);
    struct arus_text negative_suffix = arus_buffer_text(&readers[1].affix[1]);
    struct arus_buffer minus = {0};
    enum arus_status status = ARUS_OK;

    if (!readers[0].is_done ||
        (arus_text_equal(prefix, negative_prefix) && arus_text_equal(suffix, negative_suffix))) {
        status = arus_buffer_append_char(&minus, '-', err);
        if (status == ARUS_OK) {
            status = arus_buffer_append_text(&minus, prefix, err);
        }
        negative_prefix = arus_buffer_text(&minus);
        negative_suffix = suffix;
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(prefix, arena, &out->prefix[0], err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(suffix, arena, &out->suffix[0], err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(negative_prefix, arena, &out->prefix[1], err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(negative_suffix, arena, &out->suffix[1], err);
    }
    arus_buffer_release(&minus);
    return status;
}

enum arus_status arus_number_pattern_compile(struct arus_text text, struct arus_arena *arena,
                                             struct arus_number_pattern *out,
                                             struct arus_error *err)
{
    struct reader readers[2] = {{.text = text, .point = -1, .group = -1, .exponent = -1}};
    enum arus_status status = read_subpattern(&readers[0], err);

    *out = (struct arus_number_pattern){0};
    readers[1] = (struct reader){.text = text,
                                 .at = readers[0].at,
                                 .is_negative = true,
                                 .point = -1,
                                 .group = -1,
                                 .exponent = -1};
    if (status == ARUS_OK && readers[0].is_done) {
        status = read_subpattern(&readers[1], err);
    }
    if (status == ARUS_OK) {
        set_counts(&readers[0], out);
        status = set_affixes(readers, arena, out, err);
    }
    for (int i = 0; i < 2; i++) {
        arus_buffer_release(&readers[i].affix[0]);
        arus_buffer_release(&readers[i].affix[1]);
    }
    return status;
}

struct arus_number_pattern arus_number_pattern_of_places(int32_t places)
{
    return (struct arus_number_pattern){
        .prefix = {arus_text_of(""), arus_text_of("-")},
        .suffix = {arus_text_of(""), arus_text_of("")},
        .integer_min = 1,
        .fraction_min = places,
        .fraction_max = places,
        .grouping = 3,
    };
}
