/** English names of time zones: Java's texts for the pattern letter z. */
#ifndef ARUS_TYPES_ZONE_NAMES_H
#define ARUS_TYPES_ZONE_NAMES_H

#include <stdint.h>

#define ARUS_ZONE_NAME_ROW_COUNT 590

struct arus_zone_names {
    const char *standard;      /* EST */
    const char *daylight;      /* EDT */
    const char *standard_long; /* Eastern Standard Time */
    const char *daylight_long; /* Eastern Daylight Time */
};

struct arus_zone_names_row {
    const char *id;
    uint8_t names; /* index into ARUS_ZONE_NAMES */
};

extern const struct arus_zone_names ARUS_ZONE_NAMES[];
/* Rising by id. */
extern const struct arus_zone_names_row ARUS_ZONE_NAME_ROWS[ARUS_ZONE_NAME_ROW_COUNT];

/* Ended by a NULL name. */
struct arus_zone_display_row {
    const char *name;
    const char *id;
};
extern const struct arus_zone_display_row ARUS_ZONE_SHORT_ROWS[];
extern const struct arus_zone_display_row ARUS_ZONE_LONG_ROWS[];

#endif
