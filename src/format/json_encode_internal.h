/** One more way to encode: a row of a batch. */
#ifndef ARUS_FORMAT_JSON_ENCODE_INTERNAL_H
#define ARUS_FORMAT_JSON_ENCODE_INTERNAL_H

#include "format/json.h"

/** Appends row i of the columns of a STRUCT's fields. */
ARUS_MUST_USE enum arus_status json_encode_row(const struct arus_json_encoder *encoder,
                                               const struct arus_vector *columns, uint32_t i,
                                               struct arus_buffer *out, struct arus_error *err);

#endif
