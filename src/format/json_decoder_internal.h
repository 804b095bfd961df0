/** The decoder's state, shared by its files and by from_json. */
#ifndef ARUS_FORMAT_JSON_DECODER_INTERNAL_H
#define ARUS_FORMAT_JSON_DECODER_INTERNAL_H

#include "format/cpu.h"
#include "format/json.h"
#include "format/json_fast_internal.h"
#include "format/json_trace.h"

#define JSON_PROGRAM_COUNT_MAX 4

/** Records of a top-level array that no batch has taken yet. */
struct json_pending {
    const struct json_cell *rows; /* each holds its fields as a list; in the converter's cells */
    uint32_t count;
    uint32_t next;
    struct arus_text corrupt; /* raw record for all of them; data NULL: they are good */
    struct arus_text record;  /* likewise, good or not */
    ptrdiff_t shift;          /* of it: struct json_trace */
};

struct arus_json_decoder {
    const struct arus_scan *scan;
    const struct json_read_settings *settings;
    struct json_converter converter;
    struct arus_arena plan;       /* nodes and targets */
    struct arus_arena batch;      /* child vectors, the unterminated last line */
    struct json_node root;        /* the fields of a record */
    struct json_target *targets;  /* [root.child_count] */
    int32_t corrupt_column;       /* in scan->output; -1: none */
    struct arus_builder *columns; /* [scan->output->field_count]; owned */
    struct arus_vector *vectors;  /* likewise; in `plan` */
    struct json_cell *fields;     /* [root.child_count] of one record */
    uint32_t row_count;           /* of the batch at hand */
    uint32_t row_capacity;
    struct json_pending pending;
    struct json_fast fast;
    enum arus_cpu cpu;
    json_rows_fn rows;       /* by `cpu` */
    json_any_row_fn any_row; /* likewise */
    bool refuses_arrays;     /* from_json: a top-level array is malformed */
    bool is_fast;            /* no option forbids the fast path */
    struct json_program programs[JSON_PROGRAM_COUNT_MAX];
    uint32_t program_count;
    uint32_t program_next;   /* the next to be replaced */
    uint32_t surprise_count; /* clean records that no program took, since the last lesson */
    uint32_t surprise_limit; /* when to learn again */
    uint32_t stray_count;    /* lines in a row whose order no program knew */
    struct arus_scan_stats stats;
    struct json_trace trace;
    struct arus_text record; /* that is being decoded by the exact path */
    const char *bad_at;
};

static inline bool json_has_pending(const struct arus_json_decoder *decoder)
{
    return decoder->pending.next < decoder->pending.count;
}
/** Room for batches of so many rows; only between batches. */
ARUS_MUST_USE enum arus_status json_decoder_need_rows(struct arus_json_decoder *decoder,
                                                      uint32_t row_count, struct arus_error *err);
void json_begin_batch(struct arus_json_decoder *decoder);
ARUS_MUST_USE enum arus_status json_finish_batch(struct arus_json_decoder *decoder,
                                                 struct arus_batch *out, struct arus_error *err);
/** A document of its own, known to its end: fast path, then the exact one. */
ARUS_MUST_USE enum arus_status json_decode_document(struct arus_json_decoder *decoder,
                                                    struct arus_text record,
                                                    struct arus_error *err);
/** One row; `fields` NULL: all null; `corrupt` without data: a good record. */
ARUS_MUST_USE enum arus_status json_add_row(struct arus_json_decoder *decoder,
                                            const struct json_cell *fields,
                                            struct arus_text corrupt, struct arus_error *err);
/** A batch of a text that is one record; `is_new` false: only of what is waiting. */
ARUS_MUST_USE enum arus_status json_decode_whole(struct arus_json_decoder *decoder,
                                                 struct arus_text text, bool is_new,
                                                 struct arus_batch *out, struct arus_error *err);
/** One record by the exact path. */
ARUS_MUST_USE enum arus_status json_decode_record(struct arus_json_decoder *decoder,
                                                  struct arus_text record, struct arus_error *err);
/** A clean object that no program took: perhaps the order of its names is the new one. */
void json_note_surprise(struct arus_json_decoder *decoder, struct arus_text record);
/** Gives waiting records to the batch until it is full. */
ARUS_MUST_USE enum arus_status json_take_pending(struct arus_json_decoder *decoder,
                                                 uint32_t row_max, struct arus_error *err);
/** Fills `err` with the first problem of the record; ARUS_BAD_DATA. */
enum arus_status json_fail_record(const struct json_converter *converter, struct arus_text record,
                                  struct arus_error *err);

#endif
