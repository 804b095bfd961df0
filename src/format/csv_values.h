/** CSV records as single texts: messages, from_csv. */
#ifndef ARUS_FORMAT_CSV_VALUES_H
#define ARUS_FORMAT_CSV_VALUES_H

#include "format/format.h"

/** Before ARUS_FORMAT_CSV.check_read, for from_csv: line ends are characters as others unless the
 * option lineSep is set. */
void arus_csv_settings_for_values(void *settings);

/** Writes one record per row. Not thread-safe; one per worker. */
struct arus_csv_line;

/**
 * For to_csv: `schema` is the STRUCT, `settings` are those of ARUS_FORMAT_CSV.write_options,
 * checked. All outlive it.
 */
ARUS_MUST_USE enum arus_status arus_csv_line_open(const struct arus_type *schema,
                                                  const void *settings,
                                                  const struct arus_zone *zone,
                                                  struct arus_csv_line **out,
                                                  struct arus_error *err);
/** Accepts NULL. */
void arus_csv_line_close(struct arus_csv_line *line);
/** Row i of a STRUCT vector as a line without its end; `*out` lives until the next call. */
ARUS_MUST_USE enum arus_status arus_csv_line_write(struct arus_csv_line *line,
                                                   const struct arus_vector *rows, uint32_t i,
                                                   struct arus_text *out, struct arus_error *err);

/** Parses one record per text. Not thread-safe; one per worker. */
struct arus_csv_values;

/**
 * `schema` is the record, `type` the fields of it that are wanted, in any order; a STRING field
 * with the settings' name for corrupt records gets the text of bad ones. `settings` are those of
 * ARUS_FORMAT_CSV.read_options, checked, mode PERMISSIVE or FAILFAST. All outlive it.
 */
ARUS_MUST_USE enum arus_status
arus_csv_values_open(const struct arus_type *schema, const struct arus_type *type,
                     const void *settings, const struct arus_zone *zone,
                     struct arus_csv_values **out, struct arus_error *err);
/** Accepts NULL. */
void arus_csv_values_close(struct arus_csv_values *values);
/**
 * At most ARUS_BATCH_ROWS texts (a STRING or BINARY vector of any form); null gives a null. `out`
 * is a FLAT STRUCT, lives until the next call, and points into the texts. Errors: ARUS_BAD_DATA in
 * mode FAILFAST, `*bad_row` set.
 */
ARUS_MUST_USE enum arus_status arus_csv_values_decode(struct arus_csv_values *values,
                                                      const struct arus_vector *texts,
                                                      struct arus_vector *out, uint32_t *bad_row,
                                                      struct arus_error *err);
/**
 * schema_of_csv: the STRUCT of one record by the rules of inference, columns `_c0`, `_c1`, ..
 * Errors: UNABLE_TO_INFER_SCHEMA.
 */
ARUS_MUST_USE enum arus_status
arus_csv_infer_text(struct arus_text text, const void *settings, const struct arus_zone *zone,
                    struct arus_arena *arena, const struct arus_type **out, struct arus_error *err);

#endif
