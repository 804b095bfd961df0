/** Time zones: TZif files with the footer rule, fixed offsets, Java's short names. */
#ifndef ARUS_TYPES_ZONE_H
#define ARUS_TYPES_ZONE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** Opaque, immutable; lives in the arena given to open. */
struct arus_zone;

/** UTC, always there. */
extern const struct arus_zone *const ARUS_ZONE_UTC;

/**
 * Finds a zone by any name Spark takes: `UTC`, `Europe/Paris`, `+05:30`, `GMT+2`, `PST`, ...
 * Errors: ARUS_BAD_CONFIG, INVALID_TIMEZONE: unknown name.
 */
ARUS_MUST_USE enum arus_status arus_zone_open(struct arus_text name, struct arus_arena *arena,
                                              const struct arus_zone **out, struct arus_error *err);
/** The machine's zone: TZ, /etc/localtime, else UTC. Never fails for a missing file. */
ARUS_MUST_USE enum arus_status
arus_zone_local(struct arus_arena *arena, const struct arus_zone **out, struct arus_error *err);
struct arus_text arus_zone_name(const struct arus_zone *zone);
/** Seconds east of UTC at an instant (microseconds since the epoch). */
int32_t arus_zone_offset(const struct arus_zone *zone, int64_t utc_micros);
/** Has the zone one offset at all times? Then *offset_micros is it. */
bool arus_zone_is_fixed(const struct arus_zone *zone, int64_t *offset_micros);
/** Wall clock -> instant: in a gap moved forward by the gap, in an overlap the earlier offset. */
int64_t arus_zone_to_utc(const struct arus_zone *zone, int64_t local_micros);
/** Within a day of the limits of int64: not beyond them. */
static inline int64_t arus_zone_to_local(const struct arus_zone *zone, int64_t utc_micros)
{
    const int64_t offset = (int64_t)arus_zone_offset(zone, utc_micros) * 1000000;
    int64_t local;

    if (__builtin_add_overflow(utc_micros, offset, &local)) {
        return offset > 0 ? INT64_MAX : INT64_MIN;
    }
    return local;
}

/** English name at an instant, as Java's `z` and `zzzz`: `EST`, `Eastern Standard Time`; the id
 * when it has none. */
enum arus_zone_style { ARUS_ZONE_SHORT, ARUS_ZONE_LONG };
struct arus_text arus_zone_display(const struct arus_zone *zone, int64_t utc_micros,
                                   enum arus_zone_style style);
/** The longest zone id or English name of that style at the front of `text`, in any case: the id of
 * the zone, empty when there is none; *size: bytes of the name. */
struct arus_text arus_zone_match(struct arus_text text, enum arus_zone_style style, size_t *size);

/**
 * Zones met in data, kept by name. Zeroed = empty. Not thread-safe; its arena must outlive it.
 * Some unknown names are remembered too.
 */
struct arus_zone_cache {
    struct arus_arena *arena;
    struct arus_zone_entry *entries; /* newest first */
    uint32_t unknown_count;
};
/** NULL: no such zone (or no memory). */
const struct arus_zone *arus_zone_cache_find(struct arus_zone_cache *cache, struct arus_text name);

/** Offsets that need no file: `Z`, `UTC`, `GMT+2`, `+8`, `+0800`, `-08:00[:ss]`. False: none of
 * them. */
bool arus_zone_parse_offset(struct arus_text name, int32_t *seconds);

#endif
