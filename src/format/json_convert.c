/** Values of fields, arrays, maps and structs; partial results as Spark keeps them. */
#include "base/clock.h"
#include "format/json_convert_internal.h"
#include "format/json_rewrite_internal.h"
#include "types/decimal.h"
#include "types/interval.h"
#include "types/number_text.h"

#define ITEMS_MIN         8
#define JULIAN_LAST_DAY   (-141427) /* 1582-10-15 is the first Gregorian day */
#define MICROS_PER_SECOND ((int64_t)1000000)
#define DECIMAL_COPY_MAX  1024

/* ---- schema ---- */

/* Both ends and the size: names of a schema rarely agree in all three. */
static uint32_t name_hash(struct arus_text name)
{
    uint64_t first = 0;
    uint64_t last = 0;

    if (name.size >= 8) {
        memcpy(&first, name.data, 8);
        memcpy(&last, name.data + name.size - 8, 8);
    } else {
        for (size_t i = 0; i < name.size; i++) {
            first = first << 8 | (unsigned char)name.data[i];
        }
    }
    first = (first ^ name.size) * 0x9E3779B97F4A7C15u ^ last * 0xC2B2AE3D27D4EB4Fu;
    return (uint32_t)(first >> 40) ^ (uint32_t)(first >> 20);
}

static enum arus_status fill_slots(struct json_node *node, struct arus_arena *arena,
                                   struct arus_error *err)
{
    uint32_t size = 4;

    while (size < 2u * node->child_count) {
        size *= 2;
    }
    node->slot_mask = (uint16_t)(size - 1);
    ARUS_TRY(ARUS_NEW(arena, uint16_t, size, &node->slots, err));
    for (uint16_t i = 0; i < node->child_count; i++) {
        uint32_t slot = name_hash(node->type->fields[i].name) & node->slot_mask;

        while (node->slots[slot] != 0) {
            slot = (slot + 1) & node->slot_mask;
        }
        node->slots[slot] = (uint16_t)(i + 1);
    }
    return ARUS_OK;
}

enum arus_status json_node_init(struct json_node *node, const struct arus_type *type,
                                struct arus_arena *arena, struct arus_error *err)
{
    *node = (struct json_node){.type = type, .child_count = type->field_count};
    if (type->field_count != 0) {
        ARUS_TRY(ARUS_NEW(arena, struct json_node, type->field_count, &node->children, err));
    }
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(json_node_init(&node->children[i], type->fields[i].type, arena, err));
    }
    return type->id == ARUS_TYPE_STRUCT ? fill_slots(node, arena, err) : ARUS_OK;
}

int32_t json_node_find(const struct json_node *node, struct arus_text name)
{
    uint32_t slot = name_hash(name) & node->slot_mask;

    for (;; slot = (slot + 1) & node->slot_mask) {
        const uint16_t child = node->slots[slot];

        if (child == 0) {
            return -1;
        }
        if (arus_text_equal(node->type->fields[child - 1].name, name)) {
            return child - 1;
        }
    }
}

void json_converter_init(struct json_converter *converter,
                         const struct json_read_settings *settings, const struct arus_zone *zone)
{
    *converter = (struct json_converter){.settings = settings};
    converter->parser.rules = &settings->rules;
    converter->parser.arena = &converter->texts;
    converter->zones.arena = &converter->zone_arena;
    converter->times = (struct arus_timestamp_context){
        .zone = settings->zone != NULL ? settings->zone : zone,
        .now = arus_clock_wall_us(),
        .zones = &converter->zones,
    };
}

void json_converter_release(struct json_converter *converter)
{
    json_parser_release(&converter->parser);
    arus_arena_release(&converter->zone_arena);
    arus_arena_release(&converter->cells);
    arus_arena_release(&converter->texts);
}

/* ---- problems ---- */

void json_note_problem(struct json_converter *converter, const char *text,
                       const struct arus_type *type)
{
    if (converter->first.text == NULL) {
        converter->first = (struct json_problem){
            text, type == NULL ? converter->parser.problem_at : converter->parser.token_begin,
            type};
    }
}

static enum json_outcome fail_syntax(struct json_converter *converter)
{
    json_note_problem(converter, converter->parser.problem, NULL);
    return JSON_FAILED;
}

static enum json_outcome fail_field(struct json_converter *converter, const struct json_node *node,
                                    const char *text)
{
    json_note_problem(converter, text, node->type);
    return JSON_FAILED;
}

static enum json_outcome mismatch(struct json_converter *converter, const struct json_node *node)
{
    if (converter->parser.token == JSON_STRING && !json_finish_string(&converter->parser)) {
        return fail_syntax(converter);
    }
    return fail_field(converter, node, "the value is of another kind");
}

static void *take(struct json_converter *converter, size_t size)
{
    struct arus_error err;
    void *memory;

    if (arus_arena_alloc(&converter->cells, size, &memory, &err) != ARUS_OK) {
        converter->parser.is_out_of_memory = true;
        converter->parser.problem = "out of memory";
    }
    return memory;
}

/* ---- texts ---- */

/* Spark 2 stored dates as days since the epoch, in the hybrid calendar. */
static bool parse_day_number(struct arus_text text, int32_t *out)
{
    int64_t shifted;
    int64_t year;
    int64_t day_of_year;
    int64_t month;

    if (!arus_int32_parse(text, out) || *out >= JULIAN_LAST_DAY) {
        return arus_int32_parse(text, out);
    }
    /* Julian calendar: days since 0000-03-01 there. */
    shifted = (int64_t)*out + 719470;
    year = arus_floor_div(4 * shifted + 3, 1461);
    day_of_year = shifted - arus_floor_div(1461 * year, 4);
    month = (5 * day_of_year + 2) / 153;
    *out = arus_date_from_civil((int32_t)(year + (month >= 10)),
                                (uint32_t)(month < 10 ? month + 3 : month - 9),
                                (uint32_t)(day_of_year - (153 * month + 2) / 5 + 1));
    return true;
}

/* Spark 1 wrote zones as `GMT+01:00`; the word is dropped. */
static struct arus_text without_gmt(struct arus_text text, char *out, size_t capacity)
{
    size_t size = 0;

    if (text.size > capacity) {
        return text;
    }
    for (size_t i = 0; i < text.size; i++) {
        if (text.size - i >= 3 && memcmp(text.data + i, "GMT", 3) == 0) {
            i += 2;
        } else {
            out[size++] = text.data[i];
        }
    }
    return (struct arus_text){out, size};
}

static bool parse_date(const struct json_converter *converter, struct arus_text text, int32_t *out)
{
    const struct json_read_settings *settings = converter->settings;
    char memory[128];
    int64_t micros;

    if (settings->date_pattern != NULL) {
        if (arus_datetime_pattern_parse_ntz(settings->date_pattern, text, ARUS_NTZ_DROP_ZONE,
                                            &micros)) {
            *out = arus_timestamp_days(micros);
            return true;
        }
    } else if (arus_date_parse(text, out)) {
        return true;
    }
    return settings->date_falls_back &&
           (arus_date_parse(without_gmt(text, memory, sizeof memory), out) ||
            parse_day_number(text, out));
}

static bool parse_timestamp(const struct json_converter *converter, struct arus_text text,
                            int64_t *out)
{
    const struct json_read_settings *settings = converter->settings;
    char memory[128];

    if (settings->timestamp_pattern != NULL) {
        if (arus_datetime_pattern_parse(settings->timestamp_pattern, text, &converter->times,
                                        out)) {
            return true;
        }
    } else if (arus_timestamp_parse(text, &converter->times, out)) {
        return true;
    }
    return settings->timestamp_falls_back &&
           arus_timestamp_parse(without_gmt(text, memory, sizeof memory), &converter->times, out);
}

static bool parse_ntz(const struct json_converter *converter, struct arus_text text, int64_t *out)
{
    const struct arus_datetime_pattern *pattern = converter->settings->ntz_pattern;

    return pattern != NULL
               ? arus_datetime_pattern_parse_ntz(pattern, text, ARUS_NTZ_REFUSE_ZONE, out)
               : arus_timestamp_ntz_parse(text, ARUS_NTZ_REFUSE_ZONE, out);
}

static bool parse_decimal(struct arus_text text, const struct arus_type *type,
                          struct json_cell *out)
{
    const struct arus_decimal_type target = {type->precision, type->scale};
    arus_int128 value;

    if (arus_decimal_parse(text, target, &value) != ARUS_DECIMAL_OK) {
        return false;
    }
    if (arus_type_is_wide(type)) {
        out->as.wide = value;
    } else {
        out->as.i64 = (int64_t)value;
    }
    return true;
}

/* Texts may group their digits by commas. */
static bool parse_decimal_text(struct arus_text text, const struct arus_type *type,
                               struct json_cell *out)
{
    char plain[DECIMAL_COPY_MAX];
    size_t size = 0;

    if (memchr(text.data, ',', text.size) == NULL || text.size > sizeof plain) {
        return parse_decimal(text, type, out);
    }
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != ',') {
            plain[size++] = text.data[i];
        }
    }
    return parse_decimal((struct arus_text){plain, size}, type, out);
}

/* NaN and the infinities as Spark spells them in strings. */
static bool parse_special(const struct json_converter *converter, struct arus_text text,
                          double *out)
{
    static const struct {
        const char *text;
        double value;
    } SPECIALS[] = {{"NaN", __builtin_nan("")},      {"Infinity", __builtin_inf()},
                    {"+Infinity", __builtin_inf()},  {"+INF", __builtin_inf()},
                    {"-Infinity", -__builtin_inf()}, {"-INF", -__builtin_inf()}};

    for (size_t i = 0; i < sizeof SPECIALS / sizeof *SPECIALS; i++) {
        if (arus_text_equal(text, arus_text_of(SPECIALS[i].text))) {
            *out = SPECIALS[i].value;
            return converter->settings->rules.allows_non_numeric;
        }
    }
    return false;
}

static bool parse_interval(struct arus_text text, const struct arus_type *type,
                           struct json_cell *out)
{
    struct arus_error err;
    int64_t value;

    if (arus_interval_parse(text, type, &value, &err) != ARUS_OK) {
        return false;
    }
    if (type->id == ARUS_TYPE_INTERVAL_YM) {
        out->as.i32 = (int32_t)value;
    } else {
        out->as.i64 = value;
    }
    return true;
}

bool json_convert_text(struct json_converter *converter, const struct arus_type *type,
                       struct arus_text text, struct json_cell *out)
{
    double number;

    out->is_valid = true;
    if (text.size == 0) {
        return false;
    }
    if (type->id == ARUS_TYPE_DATE) {
        return parse_date(converter, text, &out->as.i32);
    }
    if (type->id == ARUS_TYPE_TIMESTAMP) {
        return parse_timestamp(converter, text, &out->as.i64);
    }
    if (type->id == ARUS_TYPE_TIMESTAMP_NTZ) {
        return parse_ntz(converter, text, &out->as.i64);
    }
    if (type->id == ARUS_TYPE_DECIMAL) {
        return parse_decimal_text(text, type, out);
    }
    if (type->id == ARUS_TYPE_INTERVAL_YM || type->id == ARUS_TYPE_INTERVAL_DT) {
        return parse_interval(text, type, out);
    }
    if (!arus_type_is_fractional(type) || !parse_special(converter, text, &number)) {
        return false;
    }
    if (type->id == ARUS_TYPE_FLOAT) {
        out->as.f32 = (float)number;
    } else {
        out->as.f64 = number;
    }
    return true;
}

/* ---- values ---- */

static bool convert_integer(const struct json_parser *parser, enum arus_type_id id,
                            struct json_cell *out)
{
    int64_t value;

    if (!arus_int64_parse(json_number_text(parser), &value)) {
        return false;
    }
    if (id == ARUS_TYPE_TINYINT) {
        out->as.i8 = (int8_t)value; /* Jackson takes -128..255 as a byte */
        return value >= INT8_MIN && value <= UINT8_MAX;
    }
    if (id == ARUS_TYPE_SMALLINT) {
        out->as.i16 = (int16_t)value;
        return value >= INT16_MIN && value <= INT16_MAX;
    }
    if (id == ARUS_TYPE_INT) {
        out->as.i32 = (int32_t)value;
        return value >= INT32_MIN && value <= INT32_MAX;
    }
    out->as.i64 = value;
    return true;
}

static bool convert_timestamp_seconds(const struct json_parser *parser, struct json_cell *out)
{
    int64_t seconds;

    return arus_int64_parse(json_number_text(parser), &seconds) &&
           !__builtin_mul_overflow(seconds, MICROS_PER_SECOND, &out->as.i64);
}

/* The integer token -0 is 0, not -0.0: Jackson reads it as an int first. */
static struct arus_text without_minus_zero(enum json_token token, struct arus_text text)
{
    size_t zeros = 1;

    if (token != JSON_INTEGER || text.data[0] != '-') {
        return text;
    }
    while (zeros < text.size && text.data[zeros] == '0') {
        zeros++;
    }
    return zeros == text.size ? ARUS_TEXT("0") : text;
}

static bool convert_fraction(const struct json_parser *parser, const struct arus_type *type,
                             struct json_cell *out)
{
    const struct arus_text text = without_minus_zero(parser->token, json_number_text(parser));
    const char last = text.data[text.size - 1];

    if (last == 'N' || last == 'F' || last == 'y') { /* NaN, INF, Infinity */
        const double infinity = text.data[0] == '-' ? -__builtin_inf() : __builtin_inf();
        const double value = last == 'N' ? __builtin_nan("") : infinity;

        if (type->id == ARUS_TYPE_FLOAT) {
            out->as.f32 = (float)value;
        } else {
            out->as.f64 = value;
        }
        return true;
    }
    return type->id == ARUS_TYPE_FLOAT ? arus_float_parse(text, &out->as.f32)
                                       : arus_double_parse(text, &out->as.f64);
}

/* A number or a literal in a column that is no text and not nested. */
static bool convert_scalar(const struct json_parser *parser, const struct arus_type *type,
                           struct json_cell *out)
{
    const bool is_integer = parser->token == JSON_INTEGER;
    const bool is_number = is_integer || parser->token == JSON_FLOAT;

    if (type->id == ARUS_TYPE_BOOLEAN) {
        out->as.u8 = parser->token == JSON_TRUE;
        return parser->token == JSON_TRUE || parser->token == JSON_FALSE;
    }
    if (arus_type_is_integer(type)) {
        return is_integer && convert_integer(parser, type->id, out);
    }
    if (arus_type_is_fractional(type)) {
        return is_number && convert_fraction(parser, type, out);
    }
    if (type->id == ARUS_TYPE_DECIMAL) {
        return is_number && parse_decimal(json_number_text(parser), type, out);
    }
    return type->id == ARUS_TYPE_TIMESTAMP && is_integer && convert_timestamp_seconds(parser, out);
}

static enum json_outcome convert_flat(struct json_converter *converter,
                                      const struct json_node *node, struct json_cell *out)
{
    struct json_cell cell = {.is_valid = true};
    bool is_good;

    if (converter->parser.token != JSON_STRING) {
        is_good = convert_scalar(&converter->parser, node->type, &cell);
    } else {
        if (!json_finish_string(&converter->parser)) {
            return fail_syntax(converter);
        }
        is_good = json_convert_text(converter, node->type, converter->parser.text, &cell);
    }
    if (!is_good) {
        return fail_field(converter, node, "the value does not fit the column");
    }
    *out = cell;
    return JSON_DONE;
}

static void set_view(struct json_cell *out, struct arus_text text)
{
    out->is_valid = true;
    out->as.view = arus_view_of(text.size == 0 ? "" : text.data, text.size);
}

/* Any other value than a string: its source text, or the value written anew. */
static enum json_outcome convert_source(struct json_converter *converter, struct json_cell *out)
{
    struct json_parser *parser = &converter->parser;
    const char *begin = parser->token_begin;
    struct arus_text text;

    if (!parser->rules->reads_bytes) {
        if (!json_rewrite(parser, &text)) {
            return fail_syntax(converter);
        }
        set_view(out, text);
        return JSON_DONE;
    }
    if (!json_skip(parser)) {
        return fail_syntax(converter);
    }
    set_view(out, (struct arus_text){begin, (size_t)(parser->number_end - begin)});
    return JSON_DONE;
}

static enum json_outcome convert_string(struct json_converter *converter,
                                        const struct json_node *node, struct json_cell *out)
{
    struct json_parser *parser = &converter->parser;
    struct arus_text bytes;

    if (node->type->id == ARUS_TYPE_STRING) {
        if (parser->token != JSON_STRING) {
            return convert_source(converter, out);
        }
        if (!json_finish_string(parser)) {
            return fail_syntax(converter);
        }
        set_view(out, parser->text);
        return JSON_DONE;
    }
    if (parser->token != JSON_STRING) {
        return mismatch(converter, node);
    }
    if (!json_finish_base64(parser, &bytes)) {
        return fail_syntax(converter);
    }
    set_view(out, bytes);
    return JSON_DONE;
}

enum json_outcome json_convert_fields(struct json_converter *converter,
                                      const struct json_node *node, struct json_cell *fields)
{
    struct json_parser *parser = &converter->parser;
    enum json_outcome whole = JSON_DONE;

    for (;;) {
        const enum json_token token = json_next(parser);
        const struct arus_text *name;
        enum json_outcome outcome;
        int32_t child;

        if (token == JSON_ERROR) {
            return fail_syntax(converter);
        }
        if (token == JSON_NONE || token == JSON_OBJECT_END) {
            return whole;
        }
        name = json_name(parser);
        child = name == NULL ? -1 : json_node_find(node, *name);
        outcome = child < 0 ? JSON_FAILED
                            : json_convert(converter, &node->children[child], &fields[child]);
        if (outcome == JSON_FAILED && !json_skip(parser)) {
            return fail_syntax(converter);
        }
        if (outcome != JSON_DONE && child >= 0) {
            whole = JSON_PARTIAL;
        }
    }
}

static enum json_outcome convert_struct(struct json_converter *converter,
                                        const struct json_node *node, struct json_cell *out)
{
    struct json_cell *fields = take(converter, node->child_count * sizeof *fields);
    enum json_outcome outcome;

    if (fields == NULL) {
        return fail_syntax(converter);
    }
    outcome = json_convert_fields(converter, node, fields);
    if (outcome != JSON_FAILED) {
        out->is_valid = true;
        out->as.list.items = fields;
        out->as.list.count = node->child_count;
    }
    return outcome;
}

/* Room for one more item of a growing list. */
static bool need_item(struct json_converter *converter, struct json_cell **items, uint32_t count)
{
    struct json_cell *grown;

    if (count < ITEMS_MIN ? count != 0 : (count & (count - 1)) != 0) {
        return true;
    }
    grown = take(converter, (count == 0 ? ITEMS_MIN : 2 * (size_t)count) * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    if (count != 0) {
        memcpy(grown, *items, count * sizeof *grown);
    }
    *items = grown;
    return true;
}

enum json_outcome json_convert_elements(struct json_converter *converter,
                                        const struct json_node *element, bool refuses_null,
                                        struct json_cell *out)
{
    enum json_outcome whole = JSON_DONE;
    struct json_cell *items = NULL;
    uint32_t count = 0;

    for (;;) {
        const enum json_token token = json_next(&converter->parser);
        enum json_outcome outcome;

        if (token == JSON_ERROR) {
            return fail_syntax(converter);
        }
        if (token == JSON_NONE || token == JSON_ARRAY_END) {
            break;
        }
        if (!need_item(converter, &items, count)) {
            return fail_syntax(converter);
        }
        items[count] = (struct json_cell){0};
        outcome = json_convert(converter, element, &items[count]);
        if (outcome == JSON_FAILED) {
            return JSON_FAILED;
        }
        if (refuses_null && !items[count].is_valid) {
            return fail_field(converter, element, "a null is no record");
        }
        whole = outcome == JSON_PARTIAL ? JSON_PARTIAL : whole;
        count++;
    }
    out->is_valid = true;
    out->as.list.items = items;
    out->as.list.count = count;
    return whole;
}

static void set_key(const struct json_parser *parser, struct json_cell *key)
{
    const struct arus_text *name = json_name(parser);

    if (name != NULL) {
        set_view(key, *name);
    }
}

/* A bad value makes the whole map bad, but only at its end. */
static enum json_outcome convert_map(struct json_converter *converter, const struct json_node *node,
                                     struct json_cell *out)
{
    enum json_outcome whole = JSON_DONE;
    struct json_cell *items = NULL;
    uint32_t count = 0;

    for (;;) {
        const enum json_token token = json_next(&converter->parser);
        enum json_outcome outcome;

        if (token == JSON_ERROR) {
            return fail_syntax(converter);
        }
        if (token == JSON_NONE || token == JSON_OBJECT_END) {
            break;
        }
        if (!need_item(converter, &items, count)) {
            return fail_syntax(converter);
        }
        items[count] = (struct json_cell){0};
        items[count + 1] = (struct json_cell){0};
        set_key(&converter->parser, &items[count]);
        outcome = json_convert(converter, &node->children[1], &items[count + 1]);
        if (outcome == JSON_FAILED && !json_skip(&converter->parser)) {
            return fail_syntax(converter);
        }
        whole = outcome > whole ? outcome : whole;
        count += 2;
    }
    if (whole != JSON_FAILED) {
        out->is_valid = true;
        out->as.list.items = items;
        out->as.list.count = count / 2;
    }
    return whole;
}

static enum json_outcome convert_nested(struct json_converter *converter,
                                        const struct json_node *node, struct json_cell *out)
{
    const enum arus_type_id id = node->type->id;
    const enum json_token token = converter->parser.token;

    if (id == ARUS_TYPE_STRUCT && token == JSON_OBJECT) {
        return convert_struct(converter, node, out);
    }
    if (id == ARUS_TYPE_ARRAY && token == JSON_ARRAY) {
        return json_convert_elements(converter, &node->children[0], false, out);
    }
    if (id == ARUS_TYPE_MAP && token == JSON_OBJECT) {
        return convert_map(converter, node, out);
    }
    return mismatch(converter, node);
}

enum json_outcome json_convert(struct json_converter *converter, const struct json_node *node,
                               struct json_cell *out)
{
    enum json_token token = converter->parser.token;

    if (token == JSON_NAME) {
        token = json_next(&converter->parser);
    }
    if (token == JSON_ERROR) {
        return fail_syntax(converter);
    }
    if (token == JSON_NONE || token == JSON_NULL) {
        *out = (struct json_cell){0};
        return JSON_DONE;
    }
    if (arus_type_is_nested(node->type)) {
        return convert_nested(converter, node, out);
    }
    return arus_type_is_view(node->type) ? convert_string(converter, node, out)
                                         : convert_flat(converter, node, out);
}
