/** Avro: schemas, and values written in its binary encoding (read: avro_read.h). */
#ifndef ARUS_FORMAT_AVRO_H
#define ARUS_FORMAT_AVRO_H

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

/** What a schema says of a record's field besides its type: of use when it is the reader's. */
struct arus_avro_field {
    struct arus_text fallback; /* JSON of the default; data NULL: none */
    const struct arus_text *aliases;
    uint32_t alias_count;
};

/** A schema; lives in an arena. */
struct arus_avro {
    enum arus_avro_kind kind;
    enum arus_avro_logical logical;
    struct arus_text name;           /* RECORD, FIXED, ENUM: without its namespace */
    struct arus_text full_name;      /* with it */
    const struct arus_text *aliases; /* full names */
    uint32_t alias_count;
    uint32_t size;     /* FIXED */
    uint8_t precision; /* DECIMAL */
    uint8_t scale;
    uint32_t count;                          /* children, or symbols */
    const struct arus_text *names;           /* RECORD: fields; ENUM: symbols */
    const struct arus_avro_field *fields;    /* RECORD; NULL: nothing to say of any */
    const struct arus_avro *const *children; /* ARRAY, MAP: one; RECORD, UNION */
    struct arus_text fallback;    /* ENUM: the symbol for unknown ones; data NULL: none */
    const struct arus_type *type; /* the SQL type it is read as */
    bool is_nullable;             /* UNION with null */
    bool has_members; /* UNION of several types: its type has a field for each that is not null */
};

/** How the fields of a union of several types are named. */
struct arus_avro_naming {
    bool is_by_type; /* prefix and the type's name; else member0, member1, .. */
    struct arus_text prefix;
};

/** Reads a schema from its JSON. Errors: ARUS_BAD_CONFIG: bad JSON, unknown or recursive types. */
ARUS_MUST_USE enum arus_status arus_avro_parse(struct arus_text json, struct arus_arena *arena,
                                               const struct arus_avro **out,
                                               struct arus_error *err);
/** With names for the members of unions. Errors: also two members of one name. */
ARUS_MUST_USE enum arus_status arus_avro_parse_named(struct arus_text json,
                                                     const struct arus_avro_naming *naming,
                                                     struct arus_arena *arena,
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
/** Appends row i of a FLAT or CONSTANT vector. Errors: ARUS_BAD_DATA: a null or symbol that has no
 * place. */
ARUS_MUST_USE enum arus_status arus_avro_encode(const struct arus_avro *schema,
                                                const struct arus_vector *vector, uint32_t i,
                                                struct arus_buffer *out, struct arus_error *err);

#endif
