/** TBLPROPERTIES of a streaming table that belong to the engine; the others go to the sink. */
#ifndef ARUS_PLAN_PROPERTIES_H
#define ARUS_PLAN_PROPERTIES_H

#include "base/option.h"
#include "connector/connector.h"
#include "plan/catalog.h"

enum arus_trigger {
    ARUS_TRIGGER_PROCESSING_TIME, /* every trigger_ms; 0: at once */
    ARUS_TRIGGER_AVAILABLE_NOW,
    ARUS_TRIGGER_ONCE
};

struct arus_stream_properties {
    struct arus_text checkpoint; /* as written; empty: none (a temporary one) */
    struct arus_place checkpoint_place;
    const char *checkpoint_path; /* absolute, zero-terminated; NULL: none */
    struct arus_text query_name; /* default: name of the table */
    enum arus_output_mode mode;
    struct arus_place mode_place;
    enum arus_trigger trigger;
    int64_t trigger_ms;
    int64_t min_batches_to_retain; /* TBLPROPERTIES, else SET, else 100 */
    int64_t memory_limit;          /* bytes; 0: default */
    int64_t state_memory_limit;
    bool late_table;
    bool rejects_table;
    int64_t side_table_retention_ms;
};

/** The engine's properties: for help and docs. Zero-terminated. */
extern const struct arus_option ARUS_STREAM_PROPERTIES[];

/**
 * Splits the properties of a streaming table: the engine's are parsed into `out`, the others (path,
 * format options) are left in `rest`. Errors: bad values at their places.
 */
ARUS_MUST_USE enum arus_status arus_properties_parse(const struct arus_settings *properties,
                                                     const char *folder, struct arus_arena *arena,
                                                     struct arus_stream_properties *out,
                                                     struct arus_settings *rest,
                                                     struct arus_error *err);

/**
 * SET arus.lateTable = true: a property for all queries that do not say it themselves. Those that
 * belong to one query (checkpointLocation, outputMode, queryName) cannot be given so.
 */
#define ARUS_PROPERTY_SETTING "arus."
/** Is it such a key? */
bool arus_properties_is_setting(struct arus_text key);
/** Errors: ARUS_UNKNOWN_OPTION with the nearest name, bad values, at `place`. */
ARUS_MUST_USE enum arus_status arus_properties_check_setting(struct arus_text key,
                                                             struct arus_text value,
                                                             struct arus_place place,
                                                             struct arus_error *err);
/** The properties, and behind them what the session sets and they do not say. */
ARUS_MUST_USE enum arus_status arus_properties_complete(const struct arus_settings *properties,
                                                        const struct arus_catalog *catalog,
                                                        struct arus_settings *out,
                                                        struct arus_error *err);

#endif
