/** What the statements of a session leave behind: tables, views, streaming tables, settings. */
#ifndef ARUS_PLAN_CATALOG_H
#define ARUS_PLAN_CATALOG_H

#include "connector/connector.h"
#include "connector/side.h"
#include "plan/unresolved.h"

/** Settings with a meaning here, read from the table in settings.c. */
struct arus_session_settings {
    struct arus_text time_zone;
    bool is_ansi;
    bool is_case_sensitive;
    int64_t shuffle_partitions;
    struct arus_text multiple_watermark_policy; /* min, max */
    bool no_data_batches;
    bool check_correctness;
    bool allow_multiple; /* stateful operators; false: late rows are found with W(N), as before 3.5
                          */
    bool check_operations;
    int64_t min_batches_to_retain;
    int64_t file_sink_compact_interval;
    int64_t no_data_progress_ms; /* between progress records of a query that waits */
    int64_t polling_delay_ms;
};

enum arus_relation_kind {
    ARUS_RELATION_TABLE,
    ARUS_RELATION_VIEW,
    ARUS_RELATION_STREAMING,
    ARUS_RELATION_BROKEN /* its CREATE had an error, which was reported */
};

/** A named relation. */
struct arus_relation {
    enum arus_relation_kind kind;
    struct arus_text name;
    struct arus_place place;
    struct arus_table
        *table; /* TABLE: as declared; STREAMING: its sink read as a table, NULL: cannot be */
    const struct arus_urel *query;   /* VIEW, STREAMING */
    const struct arus_text *columns; /* VIEW: new names; NULL: the query's */
    uint32_t column_count;
    struct arus_text comment;
    const char *sql;                           /* BROKEN: the text with the error */
    struct arus_table *sides[ARUS_SIDE_COUNT]; /* STREAMING: its side tables; NULL: none */
    bool side_is_on[ARUS_SIDE_COUNT];
};

struct arus_setting_entry {
    struct arus_text key;
    struct arus_text value;
};

/** A session. Everything lives in `arena`, which outlives it. */
struct arus_catalog {
    struct arus_arena *arena;
    const char *folder; /* absolute; relative paths start here */
    const char *sql;    /* text of the statements: places point into it; zero-terminated */
    struct arus_relation *relations;
    size_t relation_count;
    size_t relation_capacity;
    struct arus_setting_entry *entries; /* as set, in order; the newest of a key counts */
    size_t entry_count;
    size_t entry_capacity;
    struct arus_session_settings settings;
    const struct arus_zone *zone;
    int64_t now_micros;                     /* time of batch queries and of constants */
    size_t nesting;                         /* views being resolved */
    struct arus_memory *memory;             /* rows of the program that embeds arus; NULL: none */
    const struct arus_state_reader *states; /* NULL: state of queries cannot be read */
    const struct arus_printer *printer;     /* of console sinks; NULL: standard output */
};

ARUS_MUST_USE enum arus_status arus_catalog_init(struct arus_catalog *catalog,
                                                 struct arus_arena *arena, const char *folder,
                                                 struct arus_error *err);
/** By name without case, or NULL. */
const struct arus_relation *arus_catalog_find(const struct arus_catalog *catalog,
                                              struct arus_text name);
/** Adds or replaces. Errors: TABLE_OR_VIEW_ALREADY_EXISTS unless `replaces`. */
ARUS_MUST_USE enum arus_status arus_catalog_add(struct arus_catalog *catalog,
                                                const struct arus_relation *relation, bool replaces,
                                                struct arus_error *err);
/** SET. Checks known keys; `warning` (may be NULL) takes a line about an unknown one.
 * Errors: INVALID_CONF_VALUE.*, at `place`. */
ARUS_MUST_USE enum arus_status arus_catalog_set(struct arus_catalog *catalog, struct arus_text key,
                                                struct arus_text value, struct arus_place place,
                                                struct arus_buffer *warning,
                                                struct arus_error *err);
/** RESET key, or all when `key` is empty. */
ARUS_MUST_USE enum arus_status arus_catalog_reset(struct arus_catalog *catalog,
                                                  struct arus_text key, struct arus_error *err);
/** The value of a setting: what was set, or the default of a known key; false: unknown. */
bool arus_catalog_get(const struct arus_catalog *catalog, struct arus_text key,
                      struct arus_text *out);

#endif
