/** JSON: the file format (lines or whole documents), and decoding and encoding of single values. */
#ifndef ARUS_FORMAT_JSON_H
#define ARUS_FORMAT_JSON_H

#include "format/format.h"

extern const struct arus_format ARUS_FORMAT_JSON;

/**
 * Decodes records into the columns of scan->output. Not thread-safe; one per worker. `settings` are
 * those of ARUS_FORMAT_JSON.read_options, parsed and checked; both outlive the decoder.
 */
struct arus_json_decoder;

ARUS_MUST_USE enum arus_status arus_json_decoder_open(const struct arus_scan *scan,
                                                      const void *settings,
                                                      struct arus_json_decoder **out,
                                                      struct arus_error *err);
/** Accepts NULL. */
void arus_json_decoder_close(struct arus_json_decoder *decoder);

/**
 * Decodes the lines of `text` (whole lines; 64 bytes behind them must be readable) from `*at` on,
 * at most about `row_max` rows (a line that holds an array may add more), and moves `*at` behind
 * the last line taken. Strings of the batch point into `text` where they can; it lives until the
 * next call on the decoder, and as long as `text`. The batch may have no rows although lines were
 * taken.
 *
 * Errors: ARUS_BAD_DATA in mode FAILFAST (arus_json_bad_at tells where), ARUS_NO_MEMORY.
 */
ARUS_MUST_USE enum arus_status arus_json_decode(struct arus_json_decoder *decoder,
                                                struct arus_text text, size_t *at, uint32_t row_max,
                                                struct arus_batch *out, struct arus_error *err);
/**
 * Decodes single documents, each one record whatever line ends it holds, from `*at` on; otherwise
 * as arus_json_decode. Nothing behind a document needs to be readable. The batch does not point
 * into them.
 */
ARUS_MUST_USE enum arus_status arus_json_decode_records(struct arus_json_decoder *decoder,
                                                        const struct arus_view *records,
                                                        uint32_t count, uint32_t *at,
                                                        uint32_t row_max, struct arus_batch *out,
                                                        struct arus_error *err);
/** After a FAILFAST error: the first byte of the bad record, NULL: none. */
const char *arus_json_bad_at(const struct arus_json_decoder *decoder);
/** Rows given and records dropped since open. */
void arus_json_decoder_stats(const struct arus_json_decoder *decoder, struct arus_scan_stats *out);

/**
 * from_json: parses texts to values of any type; one value per text. An array where a STRUCT is
 * wanted is malformed; a value where an ARRAY of STRUCT is wanted becomes its one element; a blank
 * text gives NULL.
 */
struct arus_json_values;

/** A STRUCT may hold the corrupt-record column as a STRING field. `type`, `settings`, `zone`
 * outlive it. */
ARUS_MUST_USE enum arus_status arus_json_values_open(const struct arus_type *type,
                                                     const void *settings,
                                                     const struct arus_zone *zone,
                                                     struct arus_json_values **out,
                                                     struct arus_error *err);
/** Accepts NULL. */
void arus_json_values_close(struct arus_json_values *values);
/**
 * `texts` is a STRING vector of any form. `out` is FLAT and lives until the next call.
 * Errors: ARUS_BAD_DATA in mode FAILFAST, `*bad_row` set.
 */
ARUS_MUST_USE enum arus_status arus_json_values_decode(struct arus_json_values *values,
                                                       const struct arus_vector *texts,
                                                       struct arus_vector *out, uint32_t *bad_row,
                                                       struct arus_error *err);

/**
 * schema_of_json: the type of one text by the rules of inference (any type; no field left:
 * STRUCT<>). Errors: ARUS_BAD_DATA: it is no JSON.
 */
ARUS_MUST_USE enum arus_status arus_json_infer_text(struct arus_text json, const void *settings,
                                                    const struct arus_zone *zone,
                                                    struct arus_arena *arena,
                                                    const struct arus_type **out,
                                                    struct arus_error *err);

/** to_json and the writer: how values of one type are written. Immutable; lives in the arena. */
struct arus_json_encoder;

/**
 * `settings` are those of ARUS_FORMAT_JSON.write_options, parsed and checked; they, `type` and
 * `zone` outlive the encoder.
 */
ARUS_MUST_USE enum arus_status
arus_json_encoder_make(const struct arus_type *type, const void *settings,
                       const struct arus_zone *zone, struct arus_arena *arena,
                       const struct arus_json_encoder **out, struct arus_error *err);
/** Appends row i of a vector of the encoder's type (of any form) as one JSON value; a null is
 * `null`. */
ARUS_MUST_USE enum arus_status arus_json_encode(const struct arus_json_encoder *encoder,
                                                const struct arus_vector *vector, uint32_t i,
                                                struct arus_buffer *out, struct arus_error *err);

#endif
