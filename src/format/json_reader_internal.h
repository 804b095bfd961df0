/** The format's functions, wired up in json.c. */
#ifndef ARUS_FORMAT_JSON_READER_INTERNAL_H
#define ARUS_FORMAT_JSON_READER_INTERNAL_H

#include "format/format.h"

bool json_is_splittable(const void *settings, const char *path);
enum arus_status json_infer(const void *settings, const struct arus_inputs *inputs,
                            const struct arus_zone *zone, struct arus_arena *arena,
                            const struct arus_type **out, struct arus_error *err);
enum arus_status json_reader_open(const struct arus_scan *scan, const void *settings,
                                  struct arus_reader **out, struct arus_error *err);
enum arus_status json_reader_start(struct arus_reader *reader, const struct arus_input *input,
                                   struct arus_error *err);
enum arus_status json_reader_next(struct arus_reader *reader, struct arus_batch *out,
                                  struct arus_error *err);
void json_reader_watch(struct arus_reader *reader, const struct arus_bad_records *bad);
enum arus_status json_reader_record(struct arus_reader *reader, uint32_t row,
                                    struct arus_record *out, struct arus_error *err);
void json_reader_stats(const struct arus_reader *reader, struct arus_scan_stats *out);
void json_reader_close(struct arus_reader *reader);

const char *json_extension(const void *settings);
enum arus_status json_writer_open(const struct arus_type *schema, const void *settings,
                                  const struct arus_zone *zone, struct arus_output output,
                                  struct arus_writer **out, struct arus_error *err);
enum arus_status json_writer_write(struct arus_writer *writer, const struct arus_batch *batch,
                                   struct arus_error *err);
enum arus_status json_writer_finish(struct arus_writer *writer, struct arus_write_stats *out,
                                    struct arus_error *err);
uint64_t json_writer_held_size(const struct arus_writer *writer);
void json_writer_close(struct arus_writer *writer);

#endif
