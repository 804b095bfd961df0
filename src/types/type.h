/** The type system: Spark SQL's types, how values lie in memory, and their names. */
#ifndef ARUS_TYPES_TYPE_H
#define ARUS_TYPES_TYPE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * The one list of types: X(NAME, c_type, spark_name).
 * c_type is how one value lies in a vector (column/vector.h); nested types have none (uint8_t
 * stands in). DECIMAL: int64_t (unscaled) up to precision 18, __int128 above.
 */
#define ARUS_TYPES(X)                                                                              \
    X(VOID, uint8_t, "void")                                                                       \
    X(BOOLEAN, uint8_t, "boolean")                                                                 \
    X(TINYINT, int8_t, "tinyint")                                                                  \
    X(SMALLINT, int16_t, "smallint")                                                               \
    X(INT, int32_t, "int")                                                                         \
    X(BIGINT, int64_t, "bigint")                                                                   \
    X(FLOAT, float, "float")                                                                       \
    X(DOUBLE, double, "double")                                                                    \
    X(DECIMAL, int64_t, "decimal")                                                                 \
    X(STRING, struct arus_view, "string")                                                          \
    X(BINARY, struct arus_view, "binary")                                                          \
    X(DATE, int32_t, "date")                          /* days since 1970-01-01 */                  \
    X(TIMESTAMP, int64_t, "timestamp")                /* microseconds since 1970-01-01 UTC */      \
    X(TIMESTAMP_NTZ, int64_t, "timestamp_ntz")        /* microseconds of the wall clock */         \
    X(INTERVAL_YM, int32_t, "interval year to month") /* months */                                 \
    X(INTERVAL_DT, int64_t, "interval day to second") /* microseconds */                           \
    X(INTERVAL, struct arus_interval, "interval")                                                  \
    X(ARRAY, struct arus_span, "array")                                                            \
    X(MAP, struct arus_span, "map")                                                                \
    X(STRUCT, uint8_t, "struct")

enum arus_type_id {
#define X(name, c_type, spark_name) ARUS_TYPE_##name,
    ARUS_TYPES(X)
#undef X
        ARUS_TYPE_COUNT
};

/** A string or binary value: 16 bytes. `data` always points at all `size` bytes. */
struct arus_view {
    uint32_t size;
    char prefix[4]; /* the first bytes, padded with 0: settles most comparisons */
    const char *data;
};

/** Where the elements of an array or the entries of a map lie in the child vectors. */
struct arus_span {
    uint32_t begin;
    uint32_t count;
};

__extension__ typedef __int128 arus_int128;

/** A value of INTERVAL, the old calendar interval, and of unit texts, window sizes, delays: three
 * numbers that do not become one another. */
struct arus_interval {
    int32_t months;
    int32_t days;
    int64_t micros;
};

/** Fields of the two interval types, in `precision` (first) and `scale` (last). */
enum arus_interval_field {
    ARUS_INTERVAL_YEAR,
    ARUS_INTERVAL_MONTH,
    ARUS_INTERVAL_DAY,
    ARUS_INTERVAL_HOUR,
    ARUS_INTERVAL_MINUTE,
    ARUS_INTERVAL_SECOND
};

struct arus_field;

/**
 * Immutable; lives in an arena or is one of the constants below. Compare with arus_type_equal.
 * ARRAY: fields[0] = element; MAP: fields[0] = key, [1] = value; STRUCT: its fields.
 */
struct arus_type {
    enum arus_type_id id;
    uint8_t precision; /* DECIMAL: 1..38; intervals: first field */
    uint8_t scale;     /* DECIMAL: 0..precision; intervals: last field */
    uint16_t field_count;
    const struct arus_field *fields;
};

/** A named column, struct field, array element or map side. Also a schema is a STRUCT type. */
struct arus_field {
    struct arus_text name;
    const struct arus_type *type;
    bool is_nullable;
    struct arus_text comment; /* empty: none */
};

extern const struct arus_type ARUS_VOID, ARUS_BOOLEAN, ARUS_TINYINT, ARUS_SMALLINT, ARUS_INT,
    ARUS_BIGINT, ARUS_FLOAT, ARUS_DOUBLE, ARUS_STRING, ARUS_BINARY, ARUS_DATE, ARUS_TIMESTAMP,
    ARUS_TIMESTAMP_NTZ, ARUS_INTERVAL, ARUS_INTERVAL_YM,
    ARUS_INTERVAL_DT; /* intervals: all their fields */

/** Structural equality; struct field names without case; nullability does not count. */
bool arus_type_equal(const struct arus_type *a, const struct arus_type *b);

/** Bytes of one value in a vector: 1, 2, 4, 8, 16; 0 for STRUCT and VOID. */
uint32_t arus_type_value_size(const struct arus_type *type);

static inline bool arus_type_is_integer(const struct arus_type *type)
{
    return type->id >= ARUS_TYPE_TINYINT && type->id <= ARUS_TYPE_BIGINT;
}
static inline bool arus_type_is_fractional(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_FLOAT || type->id == ARUS_TYPE_DOUBLE;
}
static inline bool arus_type_is_numeric(const struct arus_type *type)
{
    return type->id >= ARUS_TYPE_TINYINT && type->id <= ARUS_TYPE_DECIMAL;
}
static inline bool arus_type_is_nested(const struct arus_type *type)
{
    return type->id >= ARUS_TYPE_ARRAY;
}
/** STRING or BINARY: values are views. */
static inline bool arus_type_is_view(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_STRING || type->id == ARUS_TYPE_BINARY;
}
/** DECIMAL kept in 16 bytes. */
static inline bool arus_type_is_wide(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_DECIMAL && type->precision > 18;
}

/* Makers; the result and what it points to live in the arena (names and children are not copied).
 */
ARUS_MUST_USE enum arus_status arus_type_decimal(uint8_t precision, uint8_t scale,
                                                 struct arus_arena *arena,
                                                 const struct arus_type **out,
                                                 struct arus_error *err);
ARUS_MUST_USE enum arus_status
arus_type_interval(enum arus_interval_field first, enum arus_interval_field last,
                   struct arus_arena *arena, const struct arus_type **out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_type_array(const struct arus_type *element,
                                               bool is_element_nullable, struct arus_arena *arena,
                                               const struct arus_type **out,
                                               struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_type_map(const struct arus_type *key,
                                             const struct arus_type *value, bool is_value_nullable,
                                             struct arus_arena *arena, const struct arus_type **out,
                                             struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_type_struct(const struct arus_field *fields,
                                                uint16_t field_count, struct arus_arena *arena,
                                                const struct arus_type **out,
                                                struct arus_error *err);
/** The type with every field, element and value nullable (Spark: asNullable). Names are shared. */
ARUS_MUST_USE enum arus_status arus_type_as_nullable(const struct arus_type *type,
                                                     struct arus_arena *arena,
                                                     const struct arus_type **out,
                                                     struct arus_error *err);
/** A deep copy into the arena, names included. */
ARUS_MUST_USE enum arus_status arus_type_copy(const struct arus_type *type,
                                              struct arus_arena *arena,
                                              const struct arus_type **out, struct arus_error *err);

/** Position of a field by name, -1 when absent. With and without case. */
int32_t arus_type_find(const struct arus_type *type, struct arus_text name);
int32_t arus_type_find_nocase(const struct arus_type *type, struct arus_text name);

/* Texts (types/type_text.c). */

/* Spark's DDL of one type in capitals: `DECIMAL(10,2)`, `ARRAY<INT>`, `STRUCT<a: INT, b: STRING>`
 * (as DataType.sql), NOT NULL left out. */
ARUS_MUST_USE enum arus_status arus_type_sql(const struct arus_type *type, struct arus_buffer *out,
                                             struct arus_error *err);
/* Spark's simpleString: `decimal(10,2)`, `array<int>`, `struct<a:int>`; typeof() gives this. */
ARUS_MUST_USE enum arus_status arus_type_simple(const struct arus_type *type,
                                                struct arus_buffer *out, struct arus_error *err);
/** A schema (STRUCT) as Spark's toDDL: `a INT, b STRUCT<x: INT>`; names that are no plain
 * identifier in backticks; NOT NULL and comments left out. */
ARUS_MUST_USE enum arus_status arus_schema_ddl(const struct arus_type *schema,
                                               struct arus_buffer *out, struct arus_error *err);
/** Spark's schema JSON (DataType.json), compact: the Parquet footer key. */
ARUS_MUST_USE enum arus_status arus_type_json(const struct arus_type *type, struct arus_buffer *out,
                                              struct arus_error *err);
/** Reads Spark's schema JSON; unknown types fail. Everything lives in the arena. */
ARUS_MUST_USE enum arus_status arus_type_parse_json(struct arus_text json, struct arus_arena *arena,
                                                    const struct arus_type **out,
                                                    struct arus_error *err);
/**
 * Reads a DDL text: a single type (`INT`, `ARRAY<INT>`) or a column list (`a INT, b: STRING NOT
 * NULL COMMENT 'x'`), which becomes a STRUCT. Case-insensitive, all aliases of facts/sql-dialect 6.
 * Errors: PARSE_SYNTAX_ERROR, UNSUPPORTED_DATATYPE, UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING, ...;
 * err->place counts from the start of `ddl`.
 */
ARUS_MUST_USE enum arus_status arus_type_parse_ddl(struct arus_text ddl, struct arus_arena *arena,
                                                   const struct arus_type **out,
                                                   struct arus_error *err);
/** As arus_type_parse_ddl, but VARCHAR(n) and CHAR(n) mean STRING: the type of a cast. */
ARUS_MUST_USE enum arus_status arus_type_parse_cast(struct arus_text ddl, struct arus_arena *arena,
                                                    const struct arus_type **out,
                                                    struct arus_error *err);

#endif
