/** The schema of a file by its records: Spark's rules. */
#include "format/chunk.h"
#include "format/cpu.h"
#include "format/json.h"
#include "format/json_convert_internal.h"
#include "format/json_reader_internal.h"
#include "types/number_measure.h"
#include "types/number_text.h"

#include <stdlib.h>

#define DECIMAL_MAX 38
#define LONG_DIGITS 20 /* the decimal that a BIGINT counts as */
#define FIELDS_MIN  8

enum guess_kind {
    GUESS_NULL,
    GUESS_BOOLEAN,
    GUESS_BIGINT,
    GUESS_DECIMAL,
    GUESS_DOUBLE,
    GUESS_TIMESTAMP,
    GUESS_STRING,
    GUESS_ARRAY, /* fields[0] is the element */
    GUESS_STRUCT
};

struct guess_field;

struct guess {
    enum guess_kind kind;
    int32_t precision;
    int32_t scale;
    struct guess_field *fields; /* [capacity]; STRUCT: in the order of names */
    uint32_t field_count;
    uint32_t capacity;
};

struct guess_field {
    struct arus_text name;
    struct guess guess;
    bool is_repeated; /* an object held the name twice */
};

struct inference {
    struct json_converter converter;
    const struct json_read_settings *settings;
    struct arus_arena record; /* guesses of one record */
    struct arus_arena whole;  /* of all */
    struct guess root;
};

/* ---- trees ---- */

static enum arus_status need_field(struct guess *guess, struct arus_arena *arena,
                                   struct arus_error *err)
{
    const uint32_t capacity = guess->capacity == 0 ? FIELDS_MIN : guess->capacity * 2;
    struct guess_field *grown;

    if (guess->field_count < guess->capacity) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct guess_field, capacity, &grown, err));
    if (guess->field_count != 0) {
        memcpy(grown, guess->fields, guess->field_count * sizeof *grown);
    }
    guess->fields = grown;
    guess->capacity = capacity;
    return ARUS_OK;
}

/* The field of a name, made as null if it is new. */
static enum arus_status find_field(struct guess *guess, struct arus_text name,
                                   struct arus_arena *arena, struct guess_field **out,
                                   struct arus_error *err)
{
    uint32_t low = 0;
    uint32_t high = guess->field_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = arus_text_compare(guess->fields[middle].name, name);

        if (order == 0) {
            *out = &guess->fields[middle];
            return ARUS_OK;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    ARUS_TRY(need_field(guess, arena, err));
    memmove(&guess->fields[low + 1], &guess->fields[low],
            (guess->field_count - low) * sizeof *guess->fields);
    guess->fields[low] = (struct guess_field){0};
    guess->field_count++;
    ARUS_TRY(arus_text_copy(name, arena, &guess->fields[low].name, err));
    *out = &guess->fields[low];
    return ARUS_OK;
}

static enum arus_status merge(struct guess *into, const struct guess *from,
                              struct arus_arena *arena, struct arus_error *err);

static enum arus_status merge_fields(struct guess *into, const struct guess *from,
                                     struct arus_arena *arena, struct arus_error *err)
{
    for (uint32_t i = 0; i < from->field_count; i++) {
        struct guess_field *field;

        ARUS_TRY(find_field(into, from->fields[i].name, arena, &field, err));
        ARUS_TRY(merge(&field->guess, &from->fields[i].guess, arena, err));
        field->is_repeated |= from->fields[i].is_repeated;
    }
    return ARUS_OK;
}

static bool is_number(const struct guess *guess)
{
    return guess->kind == GUESS_BIGINT || guess->kind == GUESS_DECIMAL ||
           guess->kind == GUESS_DOUBLE;
}

/* Numbers of two kinds: DOUBLE takes all; a decimal must hold both. */
static void merge_numbers(struct guess *into, const struct guess *from)
{
    const int32_t digits_a = into->kind == GUESS_BIGINT ? LONG_DIGITS : into->precision;
    const int32_t digits_b = from->kind == GUESS_BIGINT ? LONG_DIGITS : from->precision;
    const int32_t range_a = digits_a - into->scale;
    const int32_t range_b = digits_b - from->scale;
    const int32_t range = range_a > range_b ? range_a : range_b;
    const int32_t scale = into->scale > from->scale ? into->scale : from->scale;

    if (into->kind == GUESS_DOUBLE || from->kind == GUESS_DOUBLE || range + scale > DECIMAL_MAX) {
        *into = (struct guess){.kind = GUESS_DOUBLE};
    } else {
        *into = (struct guess){.kind = GUESS_DECIMAL, .precision = range + scale, .scale = scale};
    }
}

static enum arus_status merge(struct guess *into, const struct guess *from,
                              struct arus_arena *arena, struct arus_error *err)
{
    const bool is_nested = from->kind == GUESS_ARRAY || from->kind == GUESS_STRUCT;

    if (from->kind == GUESS_NULL) {
        return ARUS_OK;
    }
    if (into->kind == GUESS_NULL) {
        *into =
            (struct guess){.kind = from->kind, .precision = from->precision, .scale = from->scale};
        return is_nested ? merge_fields(into, from, arena, err) : ARUS_OK;
    }
    if (into->kind == from->kind && is_nested) {
        return merge_fields(into, from, arena, err);
    }
    if (into->kind == from->kind && into->kind != GUESS_DECIMAL) {
        return ARUS_OK;
    }
    if (is_number(into) && is_number(from)) {
        merge_numbers(into, from);
    } else {
        *into = (struct guess){.kind = GUESS_STRING};
    }
    return ARUS_OK;
}

/* ---- values ---- */

/* The decimal that holds a number; false: DOUBLE must. */
static bool decimal_of_number(struct arus_text text, struct guess *out)
{
    struct arus_number_measure measure;

    if (!arus_number_measure(text, &measure)) {
        return false;
    }
    if (measure.scale < 0) {
        measure.digits -= measure.scale;
        measure.scale = 0;
    }
    measure.digits = measure.digits > measure.scale ? measure.digits : measure.scale;
    if (measure.digits > DECIMAL_MAX) {
        return false;
    }
    out->precision = (int32_t)measure.digits;
    out->scale = (int32_t)measure.scale;
    return true;
}

/* A text is a decimal only where precision and scale make a type as they are. */
static bool decimal_of_text(struct arus_text text, struct guess *out)
{
    struct arus_number_measure measure;

    if (!arus_number_measure(text, &measure) || measure.digits > DECIMAL_MAX || measure.scale < 0 ||
        measure.scale > measure.digits) {
        return false;
    }
    out->precision = (int32_t)measure.digits;
    out->scale = (int32_t)measure.scale;
    return true;
}

static void guess_number(const struct inference *inference, struct guess *out)
{
    const struct json_parser *parser = &inference->converter.parser;
    const struct arus_text text = json_number_text(parser);
    int64_t ignored;

    if (inference->settings->primitives_as_string) {
        out->kind = GUESS_STRING;
    } else if (parser->token == JSON_INTEGER && arus_int64_parse(text, &ignored)) {
        out->kind = GUESS_BIGINT;
    } else if ((parser->token == JSON_INTEGER || inference->settings->prefers_decimal) &&
               decimal_of_number(text, out)) {
        out->kind = GUESS_DECIMAL;
    } else {
        out->kind = GUESS_DOUBLE;
    }
}

static bool guess_string(struct inference *inference, struct guess *out)
{
    struct json_converter *converter = &inference->converter;
    struct json_cell cell;

    if (!json_finish_string(&converter->parser)) {
        return false;
    }
    if (converter->parser.text.size == 0) {
        out->kind = GUESS_NULL;
    } else if (inference->settings->prefers_decimal &&
               decimal_of_text(converter->parser.text, out)) {
        out->kind = GUESS_DECIMAL;
    } else if (inference->settings->infers_timestamps &&
               json_convert_text(converter, &ARUS_TIMESTAMP, converter->parser.text, &cell)) {
        out->kind = GUESS_TIMESTAMP;
    } else {
        out->kind = GUESS_STRING;
    }
    return true;
}

/* Reads one value after the other without recursion would need a stack of its own: depth is limited
 * by maxNestingDepth. */
static bool guess_value(struct inference *inference, struct guess *out, enum arus_status *status);

/* An object without fields makes no column, so it does not count as a second one either. */
static bool is_empty(const struct guess *guess)
{
    return guess->kind == GUESS_STRUCT && guess->field_count == 0;
}

static bool guess_children(struct inference *inference, struct guess *out, enum arus_status *status)
{
    struct json_parser *parser = &inference->converter.parser;
    const enum json_token end = out->kind == GUESS_ARRAY ? JSON_ARRAY_END : JSON_OBJECT_END;
    struct arus_error err;

    for (;;) {
        const enum json_token token = json_next(parser);
        const uint32_t count = out->field_count;
        struct guess value = {0};
        struct guess_field *field;
        struct arus_text name = {0};

        if (token == JSON_ERROR) {
            return false;
        }
        if (token == end || token == JSON_NONE) {
            return true;
        }
        if (out->kind == GUESS_STRUCT) {
            name = *json_name(parser);
            if (json_next(parser) == JSON_ERROR) {
                return false;
            }
        }
        if (!guess_value(inference, &value, status)) {
            return false;
        }
        *status = find_field(out, name, &inference->record, &field, &err);
        if (*status == ARUS_OK) {
            *status = merge(&field->guess, &value, &inference->record, &err);
            field->is_repeated |=
                out->kind == GUESS_STRUCT && out->field_count == count && !is_empty(&value);
        }
        if (*status != ARUS_OK) {
            return false;
        }
    }
}

static bool guess_value(struct inference *inference, struct guess *out, enum arus_status *status)
{
    switch (inference->converter.parser.token) {
    case JSON_OBJECT:
        out->kind = GUESS_STRUCT;
        return guess_children(inference, out, status);
    case JSON_ARRAY:
        out->kind = GUESS_ARRAY;
        return guess_children(inference, out, status);
    case JSON_STRING:
        return guess_string(inference, out);
    case JSON_INTEGER:
    case JSON_FLOAT:
        guess_number(inference, out);
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        out->kind = inference->settings->primitives_as_string ? GUESS_STRING : GUESS_BOOLEAN;
        return true;
    case JSON_NONE:
    case JSON_ERROR:
    case JSON_NAME:
    case JSON_OBJECT_END:
    case JSON_ARRAY_END:
    case JSON_NULL:
        out->kind = GUESS_NULL;
        return true;
    }
    return true;
}

/* ---- records ---- */

static enum arus_status add_corrupt(struct inference *inference, struct arus_text record,
                                    struct arus_error *err)
{
    struct guess_field *field;

    if (inference->settings->mode == ARUS_DROPMALFORMED) {
        return ARUS_OK;
    }
    if (inference->settings->mode == ARUS_FAILFAST) {
        return arus_fail(err, ARUS_BAD_DATA, "_LEGACY_ERROR_TEMP_2165",
                         "a record is malformed: %.*s",
                         (int)(record.size < 200 ? record.size : 200), record.data);
    }
    ARUS_TRY(find_field(&inference->root, inference->settings->corrupt_name, &inference->whole,
                        &field, err));
    return merge(&field->guess, &(struct guess){.kind = GUESS_STRING}, &inference->whole, err);
}

/* What a record adds to the root: an array stands for its elements, a null for nothing. */
static enum arus_status add_record(struct inference *inference, struct arus_text record,
                                   struct arus_error *err)
{
    struct json_parser *parser = &inference->converter.parser;
    enum arus_status status = ARUS_OK;
    struct guess guess = {0};
    const struct guess *root = &guess;

    arus_arena_reset(&inference->record);
    arus_arena_reset(&inference->converter.texts);
    json_start(parser, record);
    if (json_next(parser) == JSON_ERROR || !guess_value(inference, &guess, &status)) {
        if (status != ARUS_OK || parser->is_out_of_memory) {
            return arus_fail_memory(err);
        }
        return add_corrupt(inference, record, err);
    }
    while (root->kind == GUESS_ARRAY && root->field_count == 1) {
        root = &root->fields[0].guess;
    }
    if (root->kind == GUESS_NULL || root->kind == GUESS_ARRAY) {
        return ARUS_OK;
    }
    if (root->kind != GUESS_STRUCT) {
        return add_corrupt(inference, record, err);
    }
    return merge_fields(&inference->root, root, &inference->whole, err);
}

static enum arus_status add_stretch(struct inference *inference, struct arus_text text,
                                    struct arus_error *err)
{
    const struct arus_line_rule rule = {.separator = inference->settings->line_separator};
    struct arus_line line;
    size_t at = 0;

    if (inference->settings->is_multi_line) {
        return add_record(inference, text, err);
    }
    while (arus_lines_find(arus_cpu_detect(), &rule, text, &at, &line, 1) != 0) {
        ARUS_TRY(add_record(
            inference, (struct arus_text){text.data + line.begin, line.end - line.begin}, err));
    }
    return ARUS_OK;
}

static enum arus_status add_file(struct inference *inference, struct arus_chunk *chunk,
                                 const struct arus_input *input, struct arus_error *err)
{
    struct arus_stretch stretch;

    ARUS_TRY(arus_chunk_start(chunk, input, err));
    for (;;) {
        ARUS_TRY(arus_chunk_next(chunk, &stretch, err));
        if (stretch.size == 0) {
            return ARUS_OK;
        }
        ARUS_TRY(add_stretch(inference, (struct arus_text){stretch.data, stretch.size}, err));
    }
}

/* ---- the result ---- */

struct making {
    struct arus_arena *arena;
    bool drops_nulls;
    bool takes_repeated; /* a name twice in one object is no error */
};

static enum arus_status make_type(const struct guess *guess, const struct making *making,
                                  const struct arus_type **out, struct arus_error *err);

/* Empty structs, and with dropFieldIfAllNull fields without a value, vanish: `*out` NULL. */
static enum arus_status make_struct(const struct guess *guess, const struct making *making,
                                    const struct arus_type **out, struct arus_error *err)
{
    struct arus_field *fields;
    uint16_t count = 0;

    *out = NULL;
    if (guess->field_count > UINT16_MAX) {
        return arus_fail(err, ARUS_BAD_DATA, NULL, "the records have more than 65535 fields");
    }
    ARUS_TRY(ARUS_NEW(making->arena, struct arus_field, guess->field_count + 1u, &fields, err));
    for (uint32_t i = 0; i < guess->field_count; i++) {
        const struct guess_field *field = &guess->fields[i];
        const struct arus_type *type;

        if (field->name.size == 0) {
            continue;
        }
        ARUS_TRY(make_type(&field->guess, making, &type, err));
        if (type == NULL) {
            continue;
        }
        if (field->is_repeated && !making->takes_repeated) {
            return arus_fail(err, ARUS_BAD_CONFIG, "COLUMN_ALREADY_EXISTS",
                             "a record holds the name `%.*s` twice", ARUS_TEXT_ARGS(field->name));
        }
        ARUS_TRY(arus_text_copy(field->name, making->arena, &fields[count].name, err));
        fields[count].type = type;
        fields[count++].is_nullable = true;
    }
    return count == 0 ? ARUS_OK : arus_type_struct(fields, count, making->arena, out, err);
}

static enum arus_status make_array(const struct guess *guess, const struct making *making,
                                   const struct arus_type **out, struct arus_error *err)
{
    static const struct guess NOTHING = {.kind = GUESS_NULL};
    const struct guess *element = guess->field_count == 0 ? &NOTHING : &guess->fields[0].guess;

    ARUS_TRY(make_type(element, making, out, err));
    return *out == NULL ? ARUS_OK : arus_type_array(*out, true, making->arena, out, err);
}

static enum arus_status make_type(const struct guess *guess, const struct making *making,
                                  const struct arus_type **out, struct arus_error *err)
{
    static const struct arus_type *const PLAIN[] = {
        [GUESS_NULL] = &ARUS_STRING,   [GUESS_BOOLEAN] = &ARUS_BOOLEAN,
        [GUESS_BIGINT] = &ARUS_BIGINT, [GUESS_DOUBLE] = &ARUS_DOUBLE,
        [GUESS_STRING] = &ARUS_STRING, [GUESS_TIMESTAMP] = &ARUS_TIMESTAMP,
        [GUESS_DECIMAL] = NULL,        [GUESS_ARRAY] = NULL,
        [GUESS_STRUCT] = NULL,
    };

    if (guess->kind == GUESS_STRUCT) {
        return make_struct(guess, making, out, err);
    }
    if (guess->kind == GUESS_ARRAY) {
        return make_array(guess, making, out, err);
    }
    if (guess->kind == GUESS_DECIMAL) {
        return arus_type_decimal((uint8_t)guess->precision, (uint8_t)guess->scale, making->arena,
                                 out, err);
    }
    *out = guess->kind == GUESS_NULL && making->drops_nulls ? NULL : PLAIN[guess->kind];
    return ARUS_OK;
}

static enum arus_status infer(struct inference *inference, const struct arus_inputs *inputs,
                              struct arus_arena *arena, const struct arus_type **out,
                              struct arus_error *err)
{
    const struct arus_chunk_options options = json_chunk_options(inference->settings);
    const struct making making = {arena, inference->settings->drops_null_fields, false};
    struct arus_chunk *chunk;
    enum arus_status status = ARUS_OK;

    ARUS_TRY(arus_chunk_open(&options, &chunk, err));
    for (size_t i = 0; i < inputs->count && status == ARUS_OK; i++) {
        status = add_file(inference, chunk, &inputs->items[i], err);
    }
    arus_chunk_close(chunk);
    if (status != ARUS_OK) {
        return status;
    }
    ARUS_TRY(make_struct(&inference->root, &making, out, err));
    if (*out == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, "UNABLE_TO_INFER_SCHEMA",
                         "%s%s no fields to make a schema of", inputs->items[0].path,
                         inputs->count == 1 ? " has" : " .. have");
    }
    return ARUS_OK;
}

enum arus_status json_infer(const void *settings, const struct arus_inputs *inputs,
                            const struct arus_zone *zone, struct arus_arena *arena,
                            const struct arus_type **out, struct arus_error *err)
{
    struct inference inference = {.settings = settings, .root = {.kind = GUESS_STRUCT}};
    enum arus_status status;

    json_converter_init(&inference.converter, settings, zone);
    status = infer(&inference, inputs, arena, out, err);
    json_converter_release(&inference.converter);
    arus_arena_release(&inference.record);
    arus_arena_release(&inference.whole);
    return status;
}

/* What is left when all fields have vanished. */
static enum arus_status make_empty(const struct guess *guess, struct arus_arena *arena,
                                   const struct arus_type **out, struct arus_error *err)
{
    const bool is_array = guess->kind == GUESS_ARRAY && guess->field_count == 1 &&
                          guess->fields[0].guess.kind == GUESS_STRUCT;

    *out = &ARUS_STRING;
    if (guess->kind != GUESS_STRUCT && !is_array) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_type_struct(NULL, 0, arena, out, err));
    return is_array ? arus_type_array(*out, true, arena, out, err) : ARUS_OK;
}

static enum arus_status infer_text(struct inference *inference, struct arus_text json,
                                   struct arus_arena *arena, const struct arus_type **out,
                                   struct arus_error *err)
{
    const struct making making = {arena, inference->settings->drops_null_fields, true};
    struct json_parser *parser = &inference->converter.parser;
    enum arus_status status = ARUS_OK;
    struct guess guess = {0};

    json_start(parser, json);
    if (json_next(parser) == JSON_ERROR || !guess_value(inference, &guess, &status)) {
        if (status != ARUS_OK || parser->is_out_of_memory) {
            return arus_fail_memory(err);
        }
        return arus_fail(err, ARUS_BAD_DATA, "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION",
                         "bad JSON: %s", parser->problem);
    }
    ARUS_TRY(make_type(&guess, &making, out, err));
    return *out == NULL ? make_empty(&guess, arena, out, err) : ARUS_OK;
}

enum arus_status arus_json_infer_text(struct arus_text json, const void *settings,
                                      const struct arus_zone *zone, struct arus_arena *arena,
                                      const struct arus_type **out, struct arus_error *err)
{
    struct inference inference = {.settings = settings};
    enum arus_status status;

    json_converter_init(&inference.converter, settings, zone);
    status = infer_text(&inference, json, arena, out, err);
    json_converter_release(&inference.converter);
    arus_arena_release(&inference.record);
    return status;
}
