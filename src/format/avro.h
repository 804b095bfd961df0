/** Avro: schemas, and single values in its binary encoding. */
#ifndef ARUS_FORMAT_AVRO_H
#define ARUS_FORMAT_AVRO_H

#include "column/builder.h"
#include "column/vector.h"

enum arus_avro_kind {
    ARUS_AVRO_NULL,
    ARUS_AVRO_BOOLEAN,
    ARUS_AVRO_INT,
    ARUS_AVRO_LONG,
    ARUS_AVRO_FLOAT,
    ARUS_AVRO_DOUBLE,
    ARUS_AVRO_BYTES,
    ARUS_AVRO_STRING,
    ARUS_AVRO_FIXED,
    ARUS_AVRO_ENUM,
    ARUS_AVRO_ARRAY,
    ARUS_AVRO_MAP,
    ARUS_AVRO_RECORD,
    ARUS_AVRO_UNION
};

enum arus_avro_logical {
    ARUS_AVRO_PLAIN,
    ARUS_AVRO_DATE,
    ARUS_AVRO_TIMESTAMP_MILLIS,
    ARUS_AVRO_TIMESTAMP_MICROS,
    ARUS_AVRO_LOCAL_MILLIS,
    ARUS_AVRO_LOCAL_MICROS,
    ARUS_AVRO_DECIMAL
};

/** A schema; lives in an arena. */
struct arus_avro {
    enum arus_avro_kind kind;
    enum arus_avro_logical logical;
    struct arus_text name; /* RECORD, FIXED, ENUM */
    uint32_t size;         /* FIXED */
    uint8_t precision;     /* DECIMAL */
    uint8_t scale;
    uint32_t count;                          /* children, or symbols */
    const struct arus_text *names;           /* RECORD: fields; ENUM: symbols */
    const struct arus_avro *const *children; /* ARRAY, MAP: one; RECORD, UNION */
    const struct arus_type *type;            /* the SQL type it is read as */
    bool is_nullable;                        /* UNION with null */
};

/** Reads a schema from its JSON. Errors: ARUS_BAD_CONFIG: bad JSON, unknown or recursive types. */
ARUS_MUST_USE enum arus_status arus_avro_parse(struct arus_text json, struct arus_arena *arena,
                                               const struct arus_avro **out,
                                               struct arus_error *err);
/** The schema that Spark gives a type when none is written; nullable parts are unions [T, null]. */
ARUS_MUST_USE enum arus_status arus_avro_of(const struct arus_type *type, bool is_nullable,
                                            struct arus_arena *arena, const struct arus_avro **out,
                                            struct arus_error *err);
/** Can values of the type be written with the schema? Errors: ARUS_BAD_CONFIG. */
ARUS_MUST_USE enum arus_status arus_avro_check(const struct arus_avro *schema,
                                               const struct arus_type *type,
                                               struct arus_error *err);
/**
 * Appends one value to a builder of schema->type; bytes behind it are ignored. Texts are views of
 * `bytes`. Errors: ARUS_BAD_DATA: malformed; the builder may hold half a value then (truncate it).
 */
ARUS_MUST_USE enum arus_status arus_avro_decode(const struct arus_avro *schema,
                                                struct arus_text bytes, struct arus_arena *step,
                                                struct arus_builder *builder,
                                                struct arus_error *err);
/** Appends row i of a FLAT or CONSTANT vector. Errors: ARUS_BAD_DATA: a null or symbol that has no
 * place. */
ARUS_MUST_USE enum arus_status arus_avro_encode(const struct arus_avro *schema,
                                                const struct arus_vector *vector, uint32_t i,
                                                struct arus_buffer *out, struct arus_error *err);

#endif
