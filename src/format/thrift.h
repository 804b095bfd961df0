/** Thrift's compact protocol, as far as Parquet uses it: a bounds-checked reader, a writer into a
 * buffer. */
#ifndef ARUS_FORMAT_THRIFT_H
#define ARUS_FORMAT_THRIFT_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** The types on the wire. A boolean field has its value in its type. */
enum arus_thrift_type {
    ARUS_THRIFT_STOP = 0,
    ARUS_THRIFT_TRUE = 1,
    ARUS_THRIFT_FALSE = 2,
    ARUS_THRIFT_BYTE = 3,
    ARUS_THRIFT_I16 = 4,
    ARUS_THRIFT_I32 = 5,
    ARUS_THRIFT_I64 = 6,
    ARUS_THRIFT_DOUBLE = 7,
    ARUS_THRIFT_BINARY = 8,
    ARUS_THRIFT_LIST = 9,
    ARUS_THRIFT_SET = 10,
    ARUS_THRIFT_MAP = 11,
    ARUS_THRIFT_STRUCT = 12,
    ARUS_THRIFT_UUID = 13
};

/**
 * Where reading stands. Damage is remembered, not reported: after it every read gives 0 or nothing,
 * and the caller asks `is_bad` once at the end.
 */
struct arus_thrift {
    const uint8_t *at;
    const uint8_t *end;
    bool is_bad;
};

/** One field header. Zeroed before the first field of a struct. */
struct arus_thrift_field {
    int16_t id;
    uint8_t type; /* enum arus_thrift_type */
};

/** Goes to the next field of a struct; false at its end and after damage. */
bool arus_thrift_next(struct arus_thrift *in, struct arus_thrift_field *field);
/** The value of the field just entered; another type than asked for is damage. */
int64_t arus_thrift_int(struct arus_thrift *in, const struct arus_thrift_field *field);
int32_t arus_thrift_int32(struct arus_thrift *in, const struct arus_thrift_field *field);
bool arus_thrift_bool(struct arus_thrift *in, const struct arus_thrift_field *field);
struct arus_text arus_thrift_text(struct arus_thrift *in, const struct arus_thrift_field *field);
/** True when the field is a struct, whose fields follow; else damage. */
bool arus_thrift_struct(struct arus_thrift *in, const struct arus_thrift_field *field);
/** Number of elements (of `type`) that follow; never more than there are bytes left. */
uint32_t arus_thrift_list(struct arus_thrift *in, const struct arus_thrift_field *field,
                          enum arus_thrift_type type);
/** Elements of lists. */
int64_t arus_thrift_element_int(struct arus_thrift *in);
struct arus_text arus_thrift_element_text(struct arus_thrift *in);
/** Passes over the field, whatever it holds; too deep nesting is damage. */
void arus_thrift_skip(struct arus_thrift *in, const struct arus_thrift_field *field);

/** What a row of a table fills. */
enum arus_thrift_kind {
    ARUS_THRIFT_TO_UINT8,  /* uint8_t; the low byte */
    ARUS_THRIFT_TO_INT8,   /* int8_t; the low byte of an i32 */
    ARUS_THRIFT_TO_INT32,  /* int32_t */
    ARUS_THRIFT_TO_INT64,  /* int64_t */
    ARUS_THRIFT_TO_BOOL,   /* bool */
    ARUS_THRIFT_TO_TEXT,   /* struct arus_text, a view of the input */
    ARUS_THRIFT_TO_SEEN,   /* bool: the field is there; its value is passed over */
    ARUS_THRIFT_TO_STRUCT, /* what `rows` say, counted from `offset` */
    ARUS_THRIFT_TO_CUSTOM  /* what `read` does with the member at `offset` */
};

/** A field of a Thrift struct and the member it fills. A table ends with a zeroed row. */
struct arus_thrift_row {
    int16_t id;
    enum arus_thrift_kind kind;
    size_t offset;
    const struct arus_thrift_row *rows;
    void (*read)(struct arus_thrift *in, const struct arus_thrift_field *field, void *member);
};
/** Reads a struct to its end: the fields of the table, the others are passed over. */
void arus_thrift_read(struct arus_thrift *in, const struct arus_thrift_row *rows, void *out);

#define ARUS_THRIFT_DEPTH_MAX 16

/** Appends to `out`. The first failure stays in `status` (and `err`); later calls do nothing. */
struct arus_thrift_writer {
    struct arus_buffer *out;
    struct arus_error *err;
    enum arus_status status;
    uint8_t depth;
    int16_t last_ids[ARUS_THRIFT_DEPTH_MAX];
};

void arus_thrift_put_int16(struct arus_thrift_writer *to, int16_t id, int16_t value);
void arus_thrift_put_int32(struct arus_thrift_writer *to, int16_t id, int32_t value);
void arus_thrift_put_int64(struct arus_thrift_writer *to, int16_t id, int64_t value);
void arus_thrift_put_byte(struct arus_thrift_writer *to, int16_t id, int8_t value);
void arus_thrift_put_bool(struct arus_thrift_writer *to, int16_t id, bool value);
void arus_thrift_put_text(struct arus_thrift_writer *to, int16_t id, struct arus_text value);
/** A struct as a field; end closes it. The outermost struct has only an end. */
void arus_thrift_begin(struct arus_thrift_writer *to, int16_t id);
void arus_thrift_end(struct arus_thrift_writer *to);
/** A list field; exactly `count` elements must follow. */
void arus_thrift_put_list(struct arus_thrift_writer *to, int16_t id, enum arus_thrift_type type,
                          size_t count);
void arus_thrift_add_int(struct arus_thrift_writer *to, int64_t value);
void arus_thrift_add_bool(struct arus_thrift_writer *to, bool value);
void arus_thrift_add_text(struct arus_thrift_writer *to, struct arus_text value);
/** A struct as an element; end closes it. */
void arus_thrift_add_struct(struct arus_thrift_writer *to);

#endif
