/** Spark's Dataset.show: the first rows of a batch in a frame. */
#ifndef ARUS_CONNECTORS_CONSOLE_SHOW_H
#define ARUS_CONNECTORS_CONSOLE_SHOW_H

#include "column/vector.h"
#include "types/zone.h"

/** Zeroed and initialised = empty. Fields belong to show.c. */
struct arus_show {
    const struct arus_type *schema;
    const struct arus_zone *zone;
    uint64_t row_max;        /* rows shown */
    bool is_cut;             /* cells of more than 20 UTF-16 units are cut; right-aligned */
    struct arus_arena arena; /* of the cells */
    struct arus_text *cells; /* [row_count * field_count], escaped and cut */
    size_t cell_capacity;
    uint64_t row_count;      /* rows kept: at most row_max */
    bool has_more;           /* there are rows beyond row_max */
    struct arus_buffer text; /* scratch */
};

/** Forgets all rows, keeps the memory. */
void arus_show_reset(struct arus_show *show);
ARUS_MUST_USE enum arus_status arus_show_add(struct arus_show *show, const struct arus_batch *batch,
                                             struct arus_error *err);
/** Appends the frame and what stands below it, with the last newline. */
ARUS_MUST_USE enum arus_status arus_show_print(struct arus_show *show, struct arus_buffer *out,
                                               struct arus_error *err);
void arus_show_release(struct arus_show *show);

#endif
