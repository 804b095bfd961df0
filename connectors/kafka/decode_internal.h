/** Codecs: what a format can do with single messages. */
#ifndef ARUS_CONNECTORS_KAFKA_DECODE_INTERNAL_H
#define ARUS_CONNECTORS_KAFKA_DECODE_INTERNAL_H

#include "format/format.h"
#include "kafka/decode.h"

struct arus_kafka_codec {
    const struct arus_option *options; /* NULL: none */
    size_t settings_size;
    bool has_corrupt; /* knows a column for corrupt records */
    /** Completes the settings and looks at the columns. NULL: nothing to do. */
    enum arus_status (*check)(struct arus_kafka_side *side, struct arus_place place,
                              struct arus_arena *arena, struct arus_error *err);
    enum arus_status (*open)(struct arus_kafka_decoder *decoder, struct arus_error *err);
    enum arus_status (*decode)(struct arus_kafka_decoder *decoder, const struct arus_vector *bytes,
                               struct arus_vector *out, uint32_t *bad_row, struct arus_error *err);
    void (*close)(struct arus_kafka_decoder *decoder);
};

struct arus_kafka_decoder {
    const struct arus_kafka_side *side;
    const struct arus_type *wanted;
    const struct arus_type *type; /* wanted, and the corrupt records where mode drops them */
    int32_t corrupt;              /* position in `type`; -1: none */
    bool marks_bad;
    const struct arus_zone *zone;
    struct arus_registry *registry; /* NULL: none */
    void *state;                    /* the codec's */
    struct arus_vector rows;
    struct arus_arena plan;
};

extern const struct arus_kafka_codec ARUS_KAFKA_AVRO_CODEC;

#endif
