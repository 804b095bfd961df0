/** The table of SET keys with a meaning here: defaults, checks, and the settings struct they fill.
 */
#ifndef ARUS_PLAN_SETTINGS_H
#define ARUS_PLAN_SETTINGS_H

#include "plan/catalog.h"

/** One known key. */
struct arus_setting_row {
    const char *key;
    const char *default_text; /* NULL: the machine's time zone */
    const char *help;
};

/** Zero-terminated. */
extern const struct arus_setting_row ARUS_SETTINGS[];

/** Is the value good for the key? Unknown keys pass with a warning. Errors: INVALID_CONF_VALUE.*,
 * TYPE_MISMATCH. */
ARUS_MUST_USE enum arus_status arus_settings_check(const struct arus_catalog *catalog,
                                                   struct arus_text key, struct arus_text value,
                                                   struct arus_place place,
                                                   struct arus_buffer *warning,
                                                   struct arus_error *err);
/** The default of a known key; false: unknown. */
bool arus_settings_default(const struct arus_catalog *catalog, struct arus_text key,
                           struct arus_text *out);
/** Reads catalog->settings and the zone anew from what is set. */
ARUS_MUST_USE enum arus_status arus_settings_refresh(struct arus_catalog *catalog,
                                                     struct arus_error *err);

#endif
