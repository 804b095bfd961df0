/** How the place of a source is shown. */
#ifndef ARUS_CONNECTOR_LOCATION_H
#define ARUS_CONNECTOR_LOCATION_H

#include "base/text.h"

/**
 * Appends `location` as the user wrote it; a folder ends in `/`. `path`: where it is on this
 * machine; NULL: it is no place in the file system, or not known.
 */
ARUS_MUST_USE enum arus_status arus_location_show(struct arus_text location, const char *path,
                                                  struct arus_buffer *out, struct arus_error *err);

#endif
