/** From tokens to values of a schema: what Spark's JSON parser makes of a record, bad ones
 * included. */
#ifndef ARUS_FORMAT_JSON_CONVERT_INTERNAL_H
#define ARUS_FORMAT_JSON_CONVERT_INTERNAL_H

#include "column/builder.h"
#include "format/json_settings_internal.h"
#include "format/json_token_internal.h"
#include "types/zone.h"

/** A type of the schema with its fields by name. */
struct json_node {
    const struct arus_type *type;
    uint16_t child_count;
    struct json_node *children; /* [child_count] */
    uint16_t slot_mask;
    uint16_t *slots; /* STRUCT: [slot_mask + 1] hash of names -> child + 1, 0: empty */
};

/** One value. Nested: `list` holds the fields, the elements, or keys and values in turn. */
struct json_cell {
    union {
        uint8_t u8;
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        float f32;
        double f64;
        arus_int128 wide;
        struct arus_view view;
        struct {
            struct json_cell *items;
            uint32_t count;
        } list;
    } as;
    bool is_valid;
};

/** PARTIAL: a value, but some part of it was bad. */
enum json_outcome { JSON_DONE, JSON_PARTIAL, JSON_FAILED };

struct json_problem {
    const char *text; /* NULL: none */
    const char *at;
    const struct arus_type *type; /* of the field that the value does not fit; NULL: bad syntax */
};

struct json_converter {
    const struct json_read_settings *settings;
    struct json_parser parser;
    struct arus_timestamp_context times;
    struct arus_zone_cache zones;
    struct arus_arena zone_arena;
    struct arus_arena cells;   /* of one record */
    struct arus_arena texts;   /* decoded strings; the owner resets it per batch */
    struct json_problem first; /* of the record */
};

/** Compiles a type; everything lives in the arena. */
ARUS_MUST_USE enum arus_status json_node_init(struct json_node *node, const struct arus_type *type,
                                              struct arus_arena *arena, struct arus_error *err);
/** Position of a field, -1: none. */
int32_t json_node_find(const struct json_node *node, struct arus_text name);

/** Zeroed memory becomes a converter. It must not move afterwards. */
void json_converter_init(struct json_converter *converter,
                         const struct json_read_settings *settings, const struct arus_zone *zone);
void json_converter_release(struct json_converter *converter);

/** The value at the current token. FAILED: `out` is untouched; the tokenizer stands where Jackson
 * would. */
enum json_outcome json_convert(struct json_converter *converter, const struct json_node *node,
                               struct json_cell *out);
/** The fields of an object that has just begun, into [child_count] cells (zeroed before). */
enum json_outcome json_convert_fields(struct json_converter *converter,
                                      const struct json_node *node, struct json_cell *fields);
/** The elements of an array that has just begun. `refuses_null`: a null element is an error. */
enum json_outcome json_convert_elements(struct json_converter *converter,
                                        const struct json_node *element, bool refuses_null,
                                        struct json_cell *out);
/** The value of a string's text in a type that is neither STRING, BINARY nor nested. False: it has
 * none. */
bool json_convert_text(struct json_converter *converter, const struct arus_type *type,
                       struct arus_text text, struct json_cell *out);
/** Notes what is wrong with the record, if nothing is yet. */
void json_note_problem(struct json_converter *converter, const char *text,
                       const struct arus_type *type);

/** Stores a value of a type that is not nested at a row of a builder's memory, null included. */
void json_store(struct arus_builder *builder, uint32_t row, const struct json_cell *cell);
/** Appends a value of any type. */
ARUS_MUST_USE enum arus_status json_append(struct arus_builder *builder,
                                           const struct json_cell *cell, struct arus_error *err);

#endif
