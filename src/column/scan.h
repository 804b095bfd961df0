/** What a query wants from a reader: fields, predicates, and where bad records go. */
#ifndef ARUS_COLUMN_SCAN_H
#define ARUS_COLUMN_SCAN_H

#include "column/vector.h"
#include "types/zone.h"

enum arus_read_mode { ARUS_PERMISSIVE, ARUS_DROPMALFORMED, ARUS_FAILFAST };

enum arus_compare {
    ARUS_EQ,
    ARUS_NE,
    ARUS_LT,
    ARUS_LE,
    ARUS_GT,
    ARUS_GE,
    ARUS_IS_NULL,
    ARUS_NOT_NULL
};

/** `column OP literal`, true only when it holds. A reader MAY drop rows (or whole row groups) for
 * which it is not true; the query filters again. Never relied on. */
struct arus_predicate {
    uint16_t field; /* in `schema` of the request */
    enum arus_compare compare;
    struct arus_vector literal; /* CONSTANT, of the field's type; IS_NULL, NOT_NULL: unused */
};

/**
 * Compiled once per query, read-only and shared by all readers.
 *
 * `schema` is what the table declares (without partition columns, metadata and the corrupt-record
 * column); `output` is what the reader must give: a STRUCT of the needed fields, in order, nested
 * ones pruned (a struct may have fewer fields than in `schema`, names in the same order).
 */
struct arus_scan {
    const struct arus_type *schema;
    const struct arus_type *output;
    const uint16_t
        *output_fields; /* [output->field_count] position in `schema`; ARUS_SCAN_CORRUPT for the
                           corrupt-record column (STRING: the raw record, null for good rows) */
    const struct arus_predicate *predicates;
    size_t predicate_count;
    const struct arus_zone *zone; /* of the session, unless the format has a timeZone option */
    bool is_ansi;
};

#define ARUS_SCAN_CORRUPT ((uint16_t)0xFFFF)

/** Where a row came from. Texts are borrowed until the reader is asked for the next batch. */
struct arus_record {
    struct arus_text file;  /* path; data NULL: no file */
    int64_t line;           /* on which it begins, from 1; 0: unknown */
    struct arus_text topic; /* data NULL: no message; then the two below and `key` mean nothing */
    int32_t partition;
    int64_t offset;
    struct arus_text key;  /* data NULL: none */
    struct arus_text text; /* the record as it was read, without line end: a message's value; data
                              NULL: there is no text */
};

/** Takes the records that a reader finds bad, as it finds them, on the worker's thread. */
struct arus_bad_records {
    /** `is_dropped`: no row stands for it (DROPMALFORMED); else its rows have nulls (PERMISSIVE).
     */
    enum arus_status (*take)(void *self, const struct arus_record *record, bool is_dropped,
                             struct arus_error *err);
    void *self;
};

/** Counters of one reader, summed by the query. */
struct arus_scan_stats {
    uint64_t row_count;      /* rows given */
    uint64_t rejected_count; /* records dropped by DROPMALFORMED */
    uint64_t byte_count;     /* input bytes read */
};

#endif
