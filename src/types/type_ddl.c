/** Reading DDL: recursive descent over the characters. */
#include "types/type.h"

#define DEPTH_MAX  100
#define FIELDS_MAX UINT16_MAX

struct parser {
    struct arus_text text;
    size_t at;
    uint32_t depth;
    bool drops_lengths; /* VARCHAR(n) and CHAR(n) mean STRING */
    bool is_cast;       /* INTERVAL without fields is a type too, but no column has it */
    struct arus_arena *arena;
    struct arus_error *err;
};

/* ---- characters and words ---- */

static void skip_blanks(struct parser *parser)
{
    while (parser->at < parser->text.size && (unsigned char)parser->text.data[parser->at] <= ' ') {
        parser->at++;
    }
}

static enum arus_status fail(struct parser *parser, const char *what)
{
    const bool is_end = parser->at >= parser->text.size;
    const struct arus_place place = {(uint32_t)parser->at, 1};

    return arus_fail_at(parser->err, place, "PARSE_SYNTAX_ERROR", "%s%s", what,
                        is_end ? ", but the text ends" : "");
}

static bool take(struct parser *parser, char c)
{
    skip_blanks(parser);
    if (parser->at < parser->text.size && parser->text.data[parser->at] == c) {
        parser->at++;
        return true;
    }
    return false;
}

static bool is_word_char(char c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word at the cursor, not taken; empty: none. */
static struct arus_text peek_word(struct parser *parser)
{
    size_t end;

    skip_blanks(parser);
    end = parser->at;
    while (end < parser->text.size && is_word_char(parser->text.data[end])) {
        end++;
    }
    return (struct arus_text){parser->text.data + parser->at, end - parser->at};
}

static bool take_word(struct parser *parser, const char *word)
{
    const struct arus_text next = peek_word(parser);

    if (!arus_text_equal_nocase(next, arus_text_of(word))) {
        return false;
    }
    parser->at += next.size;
    return true;
}

static enum arus_status take_number(struct parser *parser, uint32_t *out)
{
    const struct arus_text word = peek_word(parser);
    uint32_t value = 0;

    for (size_t i = 0; i < word.size; i++) {
        if (word.data[i] < '0' || word.data[i] > '9' || value > 100000000) {
            return fail(parser, "a number must stand here");
        }
        value = value * 10 + (uint32_t)(word.data[i] - '0');
    }
    if (word.size == 0) {
        return fail(parser, "a number must stand here");
    }
    parser->at += word.size;
    *out = value;
    return ARUS_OK;
}

/* Bytes up to the closing quote; a doubled quote is text. */
static size_t quoted_size(const struct parser *parser, char quote, bool has_escapes)
{
    const char *data = parser->text.data;
    size_t at = parser->at;

    while (at < parser->text.size) {
        const bool has_next = at + 1 < parser->text.size;
        const bool is_pair = has_next && ((data[at] == quote && data[at + 1] == quote) ||
                                          (data[at] == '\\' && has_escapes));

        if (data[at] == quote && !is_pair) {
            break;
        }
        at += is_pair ? 2 : 1;
    }
    return at - parser->at;
}

static char unescape(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* Text up to `quote`, which doubled stands for itself; backslashes escape when `has_escapes`. */
static enum arus_status take_quoted(struct parser *parser, char quote, bool has_escapes,
                                    struct arus_text *out)
{
    const size_t quoted = quoted_size(parser, quote, has_escapes);
    const char *from = parser->text.data + parser->at;
    size_t size = 0;
    void *memory;
    char *to;

    if (parser->at + quoted == parser->text.size) {
        return fail(parser, "the quote is not closed");
    }
    ARUS_TRY(arus_arena_alloc(parser->arena, quoted + 1, &memory, parser->err));
    to = memory;
    for (size_t i = 0; i < quoted; i++) {
        const bool is_escape = from[i] == '\\' && has_escapes;

        i += is_escape || from[i] == quote;
        to[size++] = is_escape ? unescape(from[i]) : from[i];
    }
    parser->at += quoted + 1;
    *out = (struct arus_text){to, size};
    return ARUS_OK;
}

static enum arus_status take_name(struct parser *parser, struct arus_text *out)
{
    const struct arus_text word = peek_word(parser);

    if (take(parser, '`')) {
        return take_quoted(parser, '`', false, out);
    }
    if (word.size == 0) {
        return fail(parser, "a column name must stand here");
    }
    parser->at += word.size;
    return arus_text_copy(word, parser->arena, out, parser->err);
}

static enum arus_status expect(struct parser *parser, char c)
{
    char what[] = "`?` must stand here";

    what[1] = c;
    return take(parser, c) ? ARUS_OK : fail(parser, what);
}

/* ---- types ---- */

static enum arus_status parse_type(struct parser *parser, const struct arus_type **out);
static enum arus_status parse_fields(struct parser *parser, char end, const struct arus_type **out);

struct plain {
    const char *name;
    const struct arus_type *type;
};

static const struct plain PLAINS[] = {
    {"VOID", &ARUS_VOID},
    {"BOOLEAN", &ARUS_BOOLEAN},
    {"TINYINT", &ARUS_TINYINT},
    {"BYTE", &ARUS_TINYINT},
    {"SMALLINT", &ARUS_SMALLINT},
    {"SHORT", &ARUS_SMALLINT},
    {"INT", &ARUS_INT},
    {"INTEGER", &ARUS_INT},
    {"BIGINT", &ARUS_BIGINT},
    {"LONG", &ARUS_BIGINT},
    {"FLOAT", &ARUS_FLOAT},
    {"REAL", &ARUS_FLOAT},
    {"DOUBLE", &ARUS_DOUBLE},
    {"STRING", &ARUS_STRING},
    {"BINARY", &ARUS_BINARY},
    {"DATE", &ARUS_DATE},
    {"TIMESTAMP", &ARUS_TIMESTAMP},
    {"TIMESTAMP_LTZ", &ARUS_TIMESTAMP},
    {"TIMESTAMP_NTZ", &ARUS_TIMESTAMP_NTZ},
};

static const struct arus_type *find_plain(struct arus_text word)
{
    for (size_t i = 0; i < sizeof PLAINS / sizeof *PLAINS; i++) {
        if (arus_text_equal_nocase(word, arus_text_of(PLAINS[i].name))) {
            return PLAINS[i].type;
        }
    }
    return NULL;
}

static bool is_one_of(struct arus_text word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (arus_text_equal_nocase(word, arus_text_of(names[i]))) {
            return true;
        }
    }
    return false;
}

/* `p)` or `p, s)` */
static enum arus_status take_digits(struct parser *parser, uint32_t *precision, uint32_t *scale)
{
    ARUS_TRY(take_number(parser, precision));
    if (take(parser, ',')) {
        ARUS_TRY(take_number(parser, scale));
    }
    return expect(parser, ')');
}

static enum arus_status parse_decimal(struct parser *parser, const struct arus_type **out)
{
    uint32_t precision = 10;
    uint32_t scale = 0;

    if (take(parser, '(')) {
        ARUS_TRY(take_digits(parser, &precision, &scale));
    }
    precision = precision > UINT8_MAX ? UINT8_MAX : precision;
    scale = scale > UINT8_MAX ? UINT8_MAX : scale;
    return arus_type_decimal((uint8_t)precision, (uint8_t)scale, parser->arena, out, parser->err);
}

/* Behind TIMESTAMP: (6), WITHOUT TIME ZONE, WITH LOCAL TIME ZONE. */
static enum arus_status parse_timestamp(struct parser *parser, struct arus_text word,
                                        struct arus_place place, const struct arus_type **out)
{
    const bool is_bare = arus_text_equal_nocase(word, ARUS_TEXT("TIMESTAMP"));
    uint32_t precision;

    if (take(parser, '(')) {
        ARUS_TRY(take_number(parser, &precision));
        ARUS_TRY(expect(parser, ')'));
        if (precision != 6) {
            return arus_fail_at(parser->err, place, "INVALID_TIMESTAMP_PRECISION",
                                "a timestamp has 6 digits of a second, not %u", precision);
        }
    }
    if (!is_bare) {
        return ARUS_OK;
    }
    if (take_word(parser, "WITHOUT")) {
        *out = &ARUS_TIMESTAMP_NTZ;
    } else if (!take_word(parser, "WITH")) {
        return ARUS_OK;
    } else if (!take_word(parser, "LOCAL")) {
        return fail(parser, "LOCAL TIME ZONE must follow TIMESTAMP WITH");
    }
    return take_word(parser, "TIME") && take_word(parser, "ZONE")
               ? ARUS_OK
               : fail(parser, "TIME ZONE must stand here");
}

static bool take_interval_field(struct parser *parser, enum arus_interval_field *out)
{
    static const char *const FIELDS[] = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"};

    for (size_t i = 0; i < sizeof FIELDS / sizeof *FIELDS; i++) {
        if (take_word(parser, FIELDS[i])) {
            *out = (enum arus_interval_field)i;
            return true;
        }
    }
    return false;
}

static enum arus_status parse_interval(struct parser *parser, struct arus_place place,
                                       const struct arus_type **out)
{
    enum arus_interval_field first;
    enum arus_interval_field last;
    enum arus_status status;

    if (!take_interval_field(parser, &first)) {
        if (parser->is_cast && parser->depth == 1) {
            *out = &ARUS_INTERVAL;
            return ARUS_OK;
        }
        (void)!arus_fail_at(parser->err, place, "UNSUPPORTED_DATATYPE",
                            "INTERVAL needs its fields");
        return arus_error_help(parser->err, "INTERVAL DAY TO SECOND or INTERVAL YEAR TO MONTH");
    }
    last = first;
    if (take_word(parser, "TO") && !take_interval_field(parser, &last)) {
        return fail(parser, "an interval field must stand here");
    }
    status = arus_type_interval(first, last, parser->arena, out, parser->err);
    return status == ARUS_OK ? status : arus_error_at(parser->err, place);
}

/* VARCHAR(n), CHAR(n). */
static enum arus_status parse_text(struct parser *parser, struct arus_place place,
                                   const struct arus_type **out)
{
    uint32_t size;

    if (!take(parser, '(')) {
        (void)!arus_fail_at(parser->err, place, "DATATYPE_MISSING_SIZE", "the length is missing");
        return arus_error_help(parser->err, "STRING, or a length as in VARCHAR(10)");
    }
    ARUS_TRY(take_number(parser, &size));
    ARUS_TRY(expect(parser, ')'));
    if (!parser->drops_lengths) {
        (void)!arus_fail_at(parser->err, place, "UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING",
                            "a column cannot be VARCHAR or CHAR: no reader checks its length");
        return arus_error_help(parser->err, "STRING takes texts of any length");
    }
    *out = &ARUS_STRING;
    return ARUS_OK;
}

static enum arus_status parse_array(struct parser *parser, const struct arus_type **out)
{
    const struct arus_type *element;

    ARUS_TRY(parse_type(parser, &element));
    ARUS_TRY(expect(parser, '>'));
    return arus_type_array(element, true, parser->arena, out, parser->err);
}

static enum arus_status parse_map(struct parser *parser, const struct arus_type **out)
{
    const struct arus_type *key;
    const struct arus_type *value;

    ARUS_TRY(parse_type(parser, &key));
    ARUS_TRY(expect(parser, ','));
    ARUS_TRY(parse_type(parser, &value));
    ARUS_TRY(expect(parser, '>'));
    return arus_type_map(key, value, true, parser->arena, out, parser->err);
}

static enum arus_status parse_nested(struct parser *parser, struct arus_text word,
                                     struct arus_place place, const struct arus_type **out)
{
    const bool is_array = arus_text_equal_nocase(word, ARUS_TEXT("ARRAY"));
    const bool is_map = arus_text_equal_nocase(word, ARUS_TEXT("MAP"));

    if (!take(parser, '<')) {
        return arus_fail_at(parser->err, place,
                            is_array ? "INCOMPLETE_TYPE_DEFINITION.ARRAY"
                            : is_map ? "INCOMPLETE_TYPE_DEFINITION.MAP"
                                     : "INCOMPLETE_TYPE_DEFINITION.STRUCT",
                            "%.*s needs its types in < >", ARUS_TEXT_ARGS(word));
    }
    if (is_array) {
        return parse_array(parser, out);
    }
    return is_map ? parse_map(parser, out) : parse_fields(parser, '>', out);
}

/* Does a word follow that cannot stand behind a column's type? */
static bool precedes_a_word(struct parser *parser)
{
    static const char *const ATTRIBUTES[] = {"NOT", "COMMENT", "DEFAULT", "GENERATED"};
    const struct arus_text word = peek_word(parser);

    return word.size > 0 && !is_one_of(word, ATTRIBUTES, 4);
}

static enum arus_status parse_named_type(struct parser *parser, struct arus_text word,
                                         const struct arus_type **out)
{
    static const char *const DECIMALS[] = {"DECIMAL", "DEC", "NUMERIC"};
    static const char *const TEXTS[] = {"VARCHAR", "CHAR", "CHARACTER"};
    static const char *const NESTED[] = {"ARRAY", "MAP", "STRUCT"};
    const struct arus_place place = {(uint32_t)parser->at, (uint32_t)word.size};
    const struct arus_type *plain = find_plain(word);

    parser->at += word.size;
    if (plain != NULL) {
        *out = plain;
        return plain->id == ARUS_TYPE_TIMESTAMP || plain->id == ARUS_TYPE_TIMESTAMP_NTZ
                   ? parse_timestamp(parser, word, place, out)
                   : ARUS_OK;
    }
    if (is_one_of(word, DECIMALS, 3)) {
        return parse_decimal(parser, out);
    }
    if (is_one_of(word, TEXTS, 3)) {
        return parse_text(parser, place, out);
    }
    if (is_one_of(word, NESTED, 3)) {
        return parse_nested(parser, word, place, out);
    }
    if (arus_text_equal_nocase(word, ARUS_TEXT("INTERVAL"))) {
        return parse_interval(parser, place, out);
    }
    if (arus_text_equal_nocase(word, ARUS_TEXT("TIME"))) { /* Spark has it behind a switch */
        return arus_fail_at(parser->err, place, "UNSUPPORTED_TIME_TYPE",
                            "the type TIME is not in arus");
    }
    if (precedes_a_word(parser)) { /* the text is wrong, whatever types there are */
        return fail(parser, "a comma must stand between columns");
    }
    return arus_fail_at(parser->err, place, "UNSUPPORTED_DATATYPE", "there is no type %.*s",
                        ARUS_TEXT_ARGS(word));
}

static enum arus_status parse_type(struct parser *parser, const struct arus_type **out)
{
    const struct arus_text word = peek_word(parser);
    enum arus_status status;

    if (word.size == 0) {
        return fail(parser, "a type must stand here");
    }
    if (++parser->depth > DEPTH_MAX) {
        return fail(parser, "the type is nested too deeply");
    }
    status = parse_named_type(parser, word, out);
    parser->depth--;
    return status;
}

/* ---- fields ---- */

static enum arus_status take_comment(struct parser *parser, struct arus_text *out)
{
    if (take(parser, '"')) {
        return take_quoted(parser, '"', true, out);
    }
    ARUS_TRY(expect(parser, '\''));
    return take_quoted(parser, '\'', true, out);
}

/* NOT NULL or COMMENT; *is_taken false: neither. */
static enum arus_status take_attribute(struct parser *parser, struct arus_field *out,
                                       bool *is_taken)
{
    *is_taken = true;
    if (take_word(parser, "NOT")) {
        out->is_nullable = false;
        return take_word(parser, "NULL") ? ARUS_OK : fail(parser, "NULL must follow NOT");
    }
    if (take_word(parser, "COMMENT")) {
        return take_comment(parser, &out->comment);
    }
    *is_taken = false;
    return ARUS_OK;
}

static enum arus_status parse_field(struct parser *parser, struct arus_field *out)
{
    bool has_more;

    *out = (struct arus_field){.is_nullable = true};
    ARUS_TRY(take_name(parser, &out->name));
    (void)take(parser, ':');
    ARUS_TRY(parse_type(parser, &out->type));
    do {
        ARUS_TRY(take_attribute(parser, out, &has_more));
    } while (has_more);
    return ARUS_OK;
}

/* Room for one more field; when it doubles, the old ones stay in the arena. */
static enum arus_status grow(struct parser *parser, struct arus_field **fields, size_t count)
{
    struct arus_field *grown;

    if (count != 0 && (count < 8 || (count & (count - 1)) != 0)) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(parser->arena, struct arus_field, count == 0 ? 8 : count * 2, &grown,
                      parser->err));
    if (count != 0) {
        memcpy(grown, *fields, count * sizeof **fields);
    }
    *fields = grown;
    return ARUS_OK;
}

/* Fields up to `end`, which is taken; '\0': the end of the text. */
static enum arus_status parse_fields(struct parser *parser, char end, const struct arus_type **out)
{
    struct arus_field *fields = NULL;
    size_t count = 0;

    if (end == '>' && take(parser, end)) {
        return arus_type_struct(NULL, 0, parser->arena, out, parser->err);
    }
    do {
        ARUS_TRY(grow(parser, &fields, count));
        ARUS_TRY(parse_field(parser, &fields[count++]));
    } while (take(parser, ',') && count < FIELDS_MAX);
    skip_blanks(parser);
    if (end == '\0' ? parser->at != parser->text.size : !take(parser, end)) {
        return fail(parser, end == '\0' ? "a comma must stand between columns"
                                        : "`,` or `>` must stand here");
    }
    return arus_type_struct(fields, (uint16_t)count, parser->arena, out, parser->err);
}

static enum arus_status parse_ddl(struct parser parser, const struct arus_type **out)
{
    const struct arus_text ddl = parser.text;
    struct arus_error *err = parser.err;
    struct arus_error first = {0};
    enum arus_status status;
    size_t reached;

    parser.err = &first;
    status = parse_type(&parser, out);
    if (status == ARUS_OK) {
        skip_blanks(&parser);
        if (parser.at == ddl.size) {
            return ARUS_OK;
        }
    } else if (status == ARUS_NO_MEMORY) {
        *err = first;
        return status;
    }
    reached = parser.at;
    parser.at = 0;
    parser.depth = 0;
    parser.err = err;
    if (parse_fields(&parser, '\0', out) == ARUS_OK) {
        return ARUS_OK;
    }
    if (status != ARUS_OK && (reached > parser.at || peek_word(&parser).size == 0) &&
        parser.at <= reached) {
        *err = first;
    }
    return err->status;
}

enum arus_status arus_type_parse_ddl(struct arus_text ddl, struct arus_arena *arena,
                                     const struct arus_type **out, struct arus_error *err)
{
    return parse_ddl((struct parser){.text = ddl, .arena = arena, .err = err}, out);
}

enum arus_status arus_type_parse_cast(struct arus_text ddl, struct arus_arena *arena,
                                      const struct arus_type **out, struct arus_error *err)
{
    return parse_ddl(
        (struct parser){
            .text = ddl, .drops_lengths = true, .is_cast = true, .arena = arena, .err = err},
        out);
}
