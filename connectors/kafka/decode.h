/** Keys and values as columns: declared tables with a format. */
#ifndef ARUS_CONNECTORS_KAFKA_DECODE_H
#define ARUS_CONNECTORS_KAFKA_DECODE_H

#include "base/option.h"
#include "column/scan.h"
#include "column/vector.h"

#include <stdbool.h>

/** The formats of messages, as option values; RAW: none. */
enum arus_kafka_format {
    ARUS_KAFKA_RAW,
    ARUS_KAFKA_JSON,
    ARUS_KAFKA_CSV,
    ARUS_KAFKA_TEXT,
    ARUS_KAFKA_AVRO,
    ARUS_KAFKA_FORMAT_COUNT
};
extern const char *const ARUS_KAFKA_FORMATS[ARUS_KAFKA_FORMAT_COUNT + 1];

struct arus_kafka_codec;

/** The key's or the value's columns of a table. Lives in the plan. */
struct arus_kafka_side {
    const struct arus_kafka_codec *codec; /* NULL: no column comes from here */
    bool is_key;
    const char *folder;              /* where relative paths of options start */
    const struct arus_type *columns; /* STRUCT, without the column for corrupt records */
    enum arus_read_mode mode;
    struct arus_text corrupt; /* name of the column for corrupt records, wanted or
                                 not; empty: none */
    void *settings;           /* the codec's */
};

struct arus_registry_config;
/** The registry that a side's format asks; NULL: none. */
const struct arus_registry_config *arus_kafka_side_registry(const struct arus_kafka_side *side);
/** The options of a format's codec; NULL: none. */
const struct arus_option *arus_kafka_codec_options(enum arus_kafka_format format);
/**
 * Binds one side. `settings` holds what the format's options say. The column
 * for corrupt records, if `columns` has it, is taken out of side->columns.
 */
ARUS_MUST_USE enum arus_status
arus_kafka_side_bind(struct arus_kafka_side *side, enum arus_kafka_format format,
                     const struct arus_settings *settings, const struct arus_type *columns,
                     struct arus_place place, struct arus_arena *arena, struct arus_error *err);

/** One per worker and side. */
struct arus_kafka_decoder;

/** `wanted`: fields of side->columns, or the column for corrupt records;
 * outlives the decoder. `marks_bad`: arus_kafka_decode says which rows are bad. */
ARUS_MUST_USE enum arus_status arus_kafka_decoder_open(const struct arus_kafka_side *side,
                                                       const struct arus_type *wanted,
                                                       bool marks_bad, const struct arus_zone *zone,
                                                       struct arus_kafka_decoder **out,
                                                       struct arus_error *err);
struct arus_registry;
/** Where ids of schemas lead; before the first message, and again when it
 * changes. */
void arus_kafka_decoder_use(struct arus_kafka_decoder *decoder, struct arus_registry *registry);
/** Accepts NULL. */
void arus_kafka_decoder_close(struct arus_kafka_decoder *decoder);
/**
 * One row per message; `bytes` is BINARY. `columns` [wanted->field_count] live
 * until the next call, and as long as the bytes. `dropped` (bits by row,
 * cleared by the caller) gets the rows that mode DROPMALFORMED leaves out, `bad` likewise all bad
 * ones, of which none is known without `marks_bad`.
 * Errors: ARUS_BAD_DATA, `*bad_row` set.
 */
ARUS_MUST_USE enum arus_status arus_kafka_decode(struct arus_kafka_decoder *decoder,
                                                 const struct arus_vector *bytes,
                                                 struct arus_vector **columns, uint64_t *dropped,
                                                 uint64_t *bad, uint32_t *bad_row,
                                                 struct arus_error *err);

#endif
