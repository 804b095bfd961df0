/**
 * Paths into clean JSON, many bytes at once. Takes a text only when json_scan.h would read the same
 * in it; anything that surprises is left to that.
 */
#ifndef ARUS_FORMAT_JSON_FIND_H
#define ARUS_FORMAT_JSON_FIND_H

#include "base/text.h"
#include "format/cpu.h"

enum arus_json_step_kind {
    ARUS_JSON_STEP_NAME,
    ARUS_JSON_STEP_INDEX,
    ARUS_JSON_STEP_ALL,
    ARUS_JSON_STEP_NOTHING /* finds nothing */
};

struct arus_json_step {
    enum arus_json_step_kind kind;
    struct arus_text name;
    uint32_t index;
};

struct arus_json_path {
    const struct arus_json_step *steps; /* [step_count] */
    uint32_t step_count;
    bool takes_last; /* of a name that is there again; else the first one */
};

/** Memory kept from text to text. Zeroed but for `cpu` = empty and releasable. */
struct arus_json_finder {
    enum arus_cpu cpu; /* as arus_cpu_detect gave it */
    char *text;        /* copy of the text at hand, padded */
    uint32_t *marks;   /* where its values and punctuation begin */
    size_t text_size_max;
};

enum arus_json_finding {
    ARUS_JSON_SURPRISE, /* nothing is said about the text */
    ARUS_JSON_NOTHING,  /* the text is fine, the path leads nowhere */
    ARUS_JSON_FOUND,
    ARUS_JSON_FOUND_PLAIN /* the value stands as arus_json_scan_copy would write it */
};

void arus_json_finder_release(struct arus_json_finder *finder);
/** The value that the path leads to, a piece of `json`; strings are PLAIN, without quotes. */
ARUS_MUST_USE enum arus_status arus_json_find(struct arus_json_finder *finder,
                                              struct arus_text json,
                                              const struct arus_json_path *path,
                                              enum arus_json_finding *finding,
                                              struct arus_text *value, struct arus_error *err);
/** How many elements an array has: FOUND or a surprise. */
ARUS_MUST_USE enum arus_status arus_json_find_length(struct arus_json_finder *finder,
                                                     struct arus_text json,
                                                     enum arus_json_finding *finding,
                                                     int32_t *length, struct arus_error *err);

#endif
