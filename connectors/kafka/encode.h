/** Columns of a result as the bytes of keys and values. */
#ifndef ARUS_CONNECTORS_KAFKA_ENCODE_H
#define ARUS_CONNECTORS_KAFKA_ENCODE_H

#include "base/option.h"
#include "column/vector.h"
#include "kafka/decode.h"
#include "kafka/registry.h"
#include "kafka/stage.h"

/** Options of the sink for both sides; formats are enum arus_kafka_format. */
struct arus_kafka_encode_settings {
    int format;
    int value_format;
    int key_format;
    struct arus_text key_columns;
    int strategy; /* of subjects: 0 topic, 1 record, 2 both */
    struct arus_registry_config registry;
};

/** The key or the value of a sink's records, made from columns. Lives in the
 * plan. */
struct arus_kafka_encoding {
    enum arus_kafka_format format; /* RAW: a column of that name, as Spark */
    bool is_key;
    const struct arus_type *type; /* STRUCT of the columns */
    const uint16_t *columns;      /* [type->field_count] position in the result */
    const void *encoder;          /* the format's */
    struct arus_text schema;      /* AVRO: as JSON */
    char subject[300];            /* AVRO with a registry; empty: bare */
    struct arus_registry_config registry;
};

/** A plan for one side that takes the columns of `schema` marked in `is_taken`.
 */
ARUS_MUST_USE enum arus_status
arus_kafka_encoding_bind(struct arus_kafka_encoding *encoding, enum arus_kafka_format format,
                         const struct arus_type *schema, const bool *is_taken,
                         const struct arus_settings *options, const struct arus_zone *zone,
                         struct arus_place place, struct arus_arena *arena, struct arus_error *err);
/** The Avro schema that arus_avro_of gives a STRUCT, as JSON for a registry. */
ARUS_MUST_USE enum arus_status arus_kafka_avro_text(const struct arus_type *type,
                                                    struct arus_arena *arena, struct arus_text *out,
                                                    struct arus_error *err);

/** The columns of one batch, to be encoded row by row. */
struct arus_kafka_encoder {
    const struct arus_kafka_encoding *encoding;
    struct arus_vector row; /* STRUCT */
    uint32_t schema_id;
    struct arus_buffer *out;
};
ARUS_MUST_USE enum arus_status arus_kafka_encoder_begin(struct arus_kafka_encoder *encoder,
                                                        const struct arus_kafka_encoding *encoding,
                                                        const struct arus_batch *batch,
                                                        struct arus_arena *arena,
                                                        struct arus_error *err);
/** Row i; the bytes live in encoder->out, or in the batch, until the next call.
 */
ARUS_MUST_USE enum arus_status arus_kafka_encode_row(struct arus_kafka_encoder *encoder, uint32_t i,
                                                     struct arus_kafka_bytes *bytes,
                                                     struct arus_error *err);

#endif
