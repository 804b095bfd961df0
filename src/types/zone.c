/** Finding zones by name, and offsets by instant or wall clock. */
#include "types/zone.h"

#include "types/number_text.h"
#include "types/zone_internal.h"
#include "types/zone_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ZONE_FOLDER   "/usr/share/zoneinfo/"
#define FILE_SIZE_MAX ((size_t)256 * 1024)
#define NAME_SIZE_MAX ((size_t)100)
#define OFFSET_MAX    (18 * 3600)
#define CYCLE         (INT64_C(146097) * 86400)
#define MICROS        INT64_C(1000000)
#define OFFSET_ID_MAX 16
#define UNKNOWN_MAX   256 /* unknown names that a cache remembers */

static const struct arus_zone_row UTC_ROW = {INT64_MIN, INT64_MIN, 0, false};
static const struct arus_zone_names UTC_NAMES = {"UTC", "UTC", "Coordinated Universal Time",
                                                 "Coordinated Universal Time"};
static const struct arus_zone UTC = {
    .name = {"UTC", 3},
    .rows = &UTC_ROW,
    .row_count = 1,
    .cycle_begin = INT64_MAX,
    .names = &UTC_NAMES,
};
const struct arus_zone *const ARUS_ZONE_UTC = &UTC;

/* ---- offsets ---- */

static int64_t floor_seconds(int64_t micros)
{
    return micros / MICROS - (micros % MICROS < 0);
}

/* An instant of the cycle that the rows cover. */
static int64_t fold(const struct arus_zone *zone, int64_t seconds)
{
    return seconds < zone->cycle_begin ? seconds
                                       : zone->cycle_begin + (seconds - zone->cycle_begin) % CYCLE;
}

static const struct arus_zone_row *step_row(const struct arus_zone *zone, int64_t seconds)
{
    int64_t step = (seconds - zone->steps_begin) >> ARUS_ZONE_STEP_BITS;

    if (seconds < zone->steps_begin) {
        return zone->rows;
    }
    step = step < zone->step_count ? step : zone->step_count - 1;
    return zone->rows + zone->steps[step];
}

static const struct arus_zone_row *row_at(const struct arus_zone *zone, int64_t utc_micros)
{
    const struct arus_zone_row *end = zone->rows + zone->row_count;
    const struct arus_zone_row *row;
    int64_t seconds;

    if (zone->row_count == 1) {
        return zone->rows;
    }
    seconds = fold(zone, floor_seconds(utc_micros));
    row = step_row(zone, seconds);
    while (row + 1 < end && row[1].utc <= seconds) {
        row++;
    }
    return row;
}

int32_t arus_zone_offset(const struct arus_zone *zone, int64_t utc_micros)
{
    return row_at(zone, utc_micros)->offset;
}

bool arus_zone_is_fixed(const struct arus_zone *zone, int64_t *offset_micros)
{
    *offset_micros = zone->rows[0].offset * MICROS;
    return zone->row_count == 1;
}

int64_t arus_zone_to_utc(const struct arus_zone *zone, int64_t local_micros)
{
    const struct arus_zone_row *end = zone->rows + zone->row_count;
    const struct arus_zone_row *row = zone->rows;
    int64_t seconds;
    int64_t micros;

    if (zone->row_count > 1) {
        seconds = fold(zone, floor_seconds(local_micros));
        row = step_row(zone, seconds - INT64_C(172800)); /* two days cover every offset */
        while (row + 1 < end && row[1].local <= seconds) {
            row++;
        }
    }
    if (__builtin_sub_overflow(local_micros, row->offset * MICROS, &micros)) {
        return row->offset > 0 ? INT64_MIN : INT64_MAX;
    }
    return micros;
}

struct arus_text arus_zone_name(const struct arus_zone *zone)
{
    return zone->name;
}

struct arus_text arus_zone_display(const struct arus_zone *zone, int64_t utc_micros,
                                   enum arus_zone_style style)
{
    const struct arus_zone_names *names = zone->names;
    const bool is_daylight = row_at(zone, utc_micros)->is_daylight;

    if (names == NULL) {
        return zone->name;
    }
    if (style == ARUS_ZONE_SHORT) {
        return arus_text_of(is_daylight ? names->daylight : names->standard);
    }
    return arus_text_of(is_daylight ? names->daylight_long : names->standard_long);
}

/* ---- names ---- */

static bool take_digits(const char **at, const char *end, int count, int32_t *out)
{
    int32_t value = 0;

    if (end - *at < count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        const int32_t digit = (*at)[i] - '0';

        if (digit < 0 || digit > 9) {
            return false;
        }
        value = value * 10 + digit;
    }
    *at += count;
    *out = value;
    return true;
}

static bool in_range(int32_t hours, int32_t minutes, int32_t seconds, int32_t *out)
{
    *out = hours * 3600 + minutes * 60 + seconds;
    return minutes < 60 && seconds < 60 && *out <= OFFSET_MAX;
}

/* `h`, `hh`, `hhmm`, `hhmmss`, `h:mm`, `hh:mm`, `hh:m`, `hh:mm:ss` behind the sign. */
static bool parse_clock(struct arus_text text, int32_t *out)
{
    const char *at = text.data;
    const char *end = text.data + text.size;
    int32_t hours;
    int32_t minutes = 0;
    int32_t seconds = 0;

    if ((text.size == 4 || text.size == 6) && memchr(text.data, ':', text.size) == NULL) {
        return take_digits(&at, end, 2, &hours) && take_digits(&at, end, 2, &minutes) &&
               (at == end || take_digits(&at, end, 2, &seconds)) &&
               in_range(hours, minutes, seconds, out);
    }
    if (!take_digits(&at, end, text.size == 1 || (text.size > 1 && at[1] == ':') ? 1 : 2, &hours)) {
        return false;
    }
    if (at < end && (*at++ != ':' || !take_digits(&at, end, end - at == 1 ? 1 : 2, &minutes))) {
        return false;
    }
    if (at < end && (*at++ != ':' || !take_digits(&at, end, 2, &seconds) || at != end)) {
        return false;
    }
    return in_range(hours, minutes, seconds, out);
}

static const char *const PREFIXES[] = {"UTC", "GMT", "UT"};

/* The size of `UTC`, `GMT` or `UT` in front. */
static size_t prefix_size(struct arus_text name)
{
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        const struct arus_text prefix = arus_text_of(PREFIXES[i]);

        if (arus_text_starts_with(name, prefix)) {
            return prefix.size;
        }
    }
    return 0;
}

bool arus_zone_parse_offset(struct arus_text name, int32_t *seconds)
{
    const size_t prefix = prefix_size(name);
    const struct arus_text rest = {name.data + prefix, name.size - prefix};

    *seconds = 0;
    if (arus_text_equal(name, ARUS_TEXT("Z")) || (rest.size == 0 && prefix != 0)) {
        return true;
    }
    if (rest.size < 2 || (*rest.data != '+' && *rest.data != '-') ||
        !parse_clock((struct arus_text){rest.data + 1, rest.size - 1}, seconds)) {
        return false;
    }
    *seconds = *rest.data == '-' ? -*seconds : *seconds;
    return true;
}

/* Java's ZoneId.SHORT_IDS. */
static struct arus_text long_id(struct arus_text name)
{
    static const char *const IDS[][2] = {
        {"ACT", "Australia/Darwin"},
        {"AET", "Australia/Sydney"},
        {"AGT", "America/Argentina/Buenos_Aires"},
        {"ART", "Africa/Cairo"},
        {"AST", "America/Anchorage"},
        {"BET", "America/Sao_Paulo"},
        {"BST", "Asia/Dhaka"},
        {"CAT", "Africa/Harare"},
        {"CNT", "America/St_Johns"},
        {"CST", "America/Chicago"},
        {"CTT", "Asia/Shanghai"},
        {"EAT", "Africa/Addis_Ababa"},
        {"ECT", "Europe/Paris"},
        {"EST", "-05:00"},
        {"HST", "-10:00"},
        {"IET", "America/Indiana/Indianapolis"},
        {"IST", "Asia/Kolkata"},
        {"JST", "Asia/Tokyo"},
        {"MIT", "Pacific/Apia"},
        {"MST", "-07:00"},
        {"NET", "Asia/Yerevan"},
        {"NST", "Pacific/Auckland"},
        {"PLT", "Asia/Karachi"},
        {"PNT", "America/Phoenix"},
        {"PRT", "America/Puerto_Rico"},
        {"PST", "America/Los_Angeles"},
        {"SST", "Pacific/Guadalcanal"},
        {"VST", "Asia/Ho_Chi_Minh"},
    };

    for (size_t i = 0; name.size == 3 && i < sizeof IDS / sizeof *IDS; i++) {
        if (memcmp(IDS[i][0], name.data, 3) == 0) {
            return arus_text_of(IDS[i][1]);
        }
    }
    return name;
}

static const struct arus_zone_names *find_names(struct arus_text id)
{
    size_t low = 0;
    size_t high = ARUS_ZONE_NAME_ROW_COUNT;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct arus_zone_names_row *row = &ARUS_ZONE_NAME_ROWS[middle];
        const int order = arus_text_compare(id, arus_text_of(row->id));

        if (order == 0) {
            return &ARUS_ZONE_NAMES[row->names];
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return NULL;
}

static bool is_front(struct arus_text text, struct arus_text name)
{
    return text.size >= name.size &&
           arus_text_equal_nocase((struct arus_text){text.data, name.size}, name);
}

struct arus_text arus_zone_match(struct arus_text text, enum arus_zone_style style, size_t *size)
{
    const struct arus_zone_display_row *row =
        style == ARUS_ZONE_SHORT ? ARUS_ZONE_SHORT_ROWS : ARUS_ZONE_LONG_ROWS;
    struct arus_text found = {0};

    *size = 0;
    for (size_t i = 0; i < ARUS_ZONE_NAME_ROW_COUNT; i++) {
        const struct arus_text id = arus_text_of(ARUS_ZONE_NAME_ROWS[i].id);

        if (id.size > *size && is_front(text, id)) {
            found = id;
            *size = id.size;
        }
    }
    for (; row->name != NULL; row++) {
        const struct arus_text name = arus_text_of(row->name);

        if (name.size > *size && is_front(text, name)) {
            found = arus_text_of(row->id);
            *size = name.size;
        }
    }
    return found;
}

/* ---- opening ---- */

static size_t write_two(int32_t value, char *out)
{
    out[0] = (char)('0' + value / 10);
    out[1] = (char)('0' + value % 10);
    return 2;
}

/* Java's id of a fixed offset: prefix and `+hh:mm[:ss]`, `Z` for none. */
static size_t write_offset_id(struct arus_text prefix, int32_t offset, char *out)
{
    const int32_t rest = offset < 0 ? -offset : offset;
    size_t size = prefix.size;

    if (prefix.size != 0) {
        memcpy(out, prefix.data, prefix.size);
    }
    if (offset == 0) {
        if (prefix.size == 0) {
            out[size++] = 'Z';
        }
        return size;
    }
    out[size++] = offset < 0 ? '-' : '+';
    size += write_two(rest / 3600, out + size);
    out[size++] = ':';
    size += write_two(rest / 60 % 60, out + size);
    if (rest % 60 != 0) {
        out[size++] = ':';
        size += write_two(rest % 60, out + size);
    }
    return size;
}

static enum arus_status open_fixed(struct arus_text name, int32_t offset, struct arus_arena *arena,
                                   const struct arus_zone **out, struct arus_error *err)
{
    const struct arus_text prefix = {name.data, prefix_size(name)};
    struct arus_zone_row *row;
    struct arus_zone *zone;
    char id[OFFSET_ID_MAX];

    if (arus_text_equal(name, UTC.name)) {
        *out = &UTC;
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_zone, 1, &zone, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_zone_row, 1, &row, err));
    *row = (struct arus_zone_row){INT64_MIN, INT64_MIN, offset, false};
    *zone = (struct arus_zone){.rows = row, .row_count = 1, .cycle_begin = INT64_MAX};
    ARUS_TRY(arus_text_copy((struct arus_text){id, write_offset_id(prefix, offset, id)}, arena,
                            &zone->name, err));
    zone->names = find_names(zone->name);
    *out = zone;
    return ARUS_OK;
}

static bool is_region_name(struct arus_text name)
{
    if (name.size < 2 || name.size > NAME_SIZE_MAX || (name.data[0] | 0x20) < 'a' ||
        (name.data[0] | 0x20) > 'z') {
        return false;
    }
    for (size_t i = 0; i < name.size; i++) {
        const char c = name.data[i];
        const bool is_word = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');

        if (!is_word && strchr("~/_+-", c) == NULL) {
            return false;
        }
    }
    return !arus_text_starts_with(name, ARUS_TEXT("posix")) &&
           !arus_text_starts_with(name, ARUS_TEXT("right/")) &&
           !arus_text_equal(name, ARUS_TEXT("localtime")) &&
           !arus_text_equal(name, ARUS_TEXT("Factory"));
}

/* *out is empty when there is no such file. */
static enum arus_status read_file(const char *path, struct arus_arena *arena, struct arus_text *out,
                                  struct arus_error *err)
{
    FILE *file = fopen(path, "rb");
    enum arus_status status;
    void *bytes = NULL;

    *out = (struct arus_text){0};
    if (file == NULL) {
        return ARUS_OK;
    }
    status = arus_arena_buffer(arena, FILE_SIZE_MAX, &bytes, err);
    if (status == ARUS_OK) {
        *out = (struct arus_text){bytes, fread(bytes, 1, FILE_SIZE_MAX, file)};
    }
    (void)fclose(file);
    return status;
}

/* *out is NULL when the path holds no zone. The bytes go to an arena of their own. */
static enum arus_status open_file(const char *path, struct arus_text name, struct arus_arena *arena,
                                  const struct arus_zone **out, struct arus_error *err)
{
    struct arus_arena scratch = {0};
    struct arus_text bytes;
    struct arus_zone *zone;
    bool is_zone = false;
    enum arus_status status = read_file(path, &scratch, &bytes, err);

    *out = NULL;
    if (status == ARUS_OK && bytes.size != 0) {
        status = ARUS_NEW(arena, struct arus_zone, 1, &zone, err);
        if (status == ARUS_OK) {
            status = arus_zone_read(bytes, arena, zone, &is_zone, err);
        }
    }
    arus_arena_release(&scratch);
    if (status != ARUS_OK || !is_zone) {
        return status;
    }
    ARUS_TRY(arus_text_copy(name, arena, &zone->name, err));
    zone->names = find_names(name);
    *out = zone;
    return ARUS_OK;
}

static enum arus_status open_region(struct arus_text name, struct arus_arena *arena,
                                    const struct arus_zone **out, struct arus_error *err)
{
    char path[sizeof ZONE_FOLDER + NAME_SIZE_MAX];

    *out = NULL;
    if (!is_region_name(name)) {
        return ARUS_OK;
    }
    memcpy(path, ZONE_FOLDER, sizeof ZONE_FOLDER - 1);
    memcpy(path + sizeof ZONE_FOLDER - 1, name.data, name.size);
    path[sizeof ZONE_FOLDER - 1 + name.size] = '\0';
    return open_file(path, name, arena, out, err);
}

static enum arus_status fail_unknown(struct arus_text name, struct arus_error *err)
{
    const enum arus_status status = arus_fail(err, ARUS_BAD_CONFIG, "INVALID_TIMEZONE",
                                              "there is no time zone `%.*s`", ARUS_TEXT_ARGS(name));

    (void)arus_error_help(err, "Area/City as in Europe/Paris, an offset as in +02:00, or UTC");
    return status;
}

enum arus_status arus_zone_open(struct arus_text name, struct arus_arena *arena,
                                const struct arus_zone **out, struct arus_error *err)
{
    const struct arus_text id = long_id(name);
    int32_t offset;

    *out = NULL;
    if (id.size != 0 && arus_zone_parse_offset(id, &offset)) {
        return open_fixed(id, offset, arena, out, err);
    }
    ARUS_TRY(open_region(id, arena, out, err));
    return *out == NULL ? fail_unknown(name, err) : ARUS_OK;
}

/* ---- the machine's zone ---- */

/* The name in a path below a zoneinfo folder; empty: there is none. */
static struct arus_text name_of_path(struct arus_text path)
{
    static const char FOLDER[] = "zoneinfo/";

    for (size_t i = 0; i + sizeof FOLDER - 1 <= path.size; i++) {
        if (memcmp(path.data + i, FOLDER, sizeof FOLDER - 1) == 0) {
            i += sizeof FOLDER - 1;
            return (struct arus_text){path.data + i, path.size - i};
        }
    }
    return (struct arus_text){0};
}

static enum arus_status open_optional(struct arus_text name, struct arus_arena *arena,
                                      const struct arus_zone **out, struct arus_error *err)
{
    const enum arus_status status = arus_zone_open(name, arena, out, err);

    return status == ARUS_BAD_CONFIG ? ARUS_OK : status;
}

/* By the link's target, or by the file itself. */
static enum arus_status open_etc(struct arus_arena *arena, const struct arus_zone **out,
                                 struct arus_error *err)
{
    char path[4096];
    const ssize_t size = readlink("/etc/localtime", path, sizeof path);

    if (size > 0) {
        const struct arus_text target = {path, (size_t)size};

        ARUS_TRY(open_optional(name_of_path(target), arena, out, err));
    }
    return *out == NULL ? open_file("/etc/localtime", ARUS_TEXT("localtime"), arena, out, err)
                        : ARUS_OK;
}

static enum arus_status open_variable(const char *variable, struct arus_arena *arena,
                                      const struct arus_zone **out, struct arus_error *err)
{
    const struct arus_text text = arus_text_of(variable + (*variable == ':'));
    const struct arus_text name = name_of_path(text);

    return open_optional(name.size == 0 ? text : name, arena, out, err);
}

enum arus_status arus_zone_local(struct arus_arena *arena, const struct arus_zone **out,
                                 struct arus_error *err)
{
    const char *variable = getenv("TZ");

    *out = NULL;
    ARUS_TRY(variable != NULL && *variable != '\0' ? open_variable(variable, arena, out, err)
                                                   : open_etc(arena, out, err));
    if (*out == NULL) {
        *out = &UTC;
    }
    return ARUS_OK;
}

/* ---- zones met in data ---- */

struct arus_zone_entry {
    struct arus_text name;
    const struct arus_zone *zone; /* NULL: there is none */
    struct arus_zone_entry *next;
};

const struct arus_zone *arus_zone_cache_find(struct arus_zone_cache *cache, struct arus_text name)
{
    struct arus_zone_entry *entry = cache->entries;
    const struct arus_zone *zone = NULL;
    struct arus_error err;

    while (entry != NULL && !arus_text_equal(entry->name, name)) {
        entry = entry->next;
    }
    if (entry != NULL) {
        return entry->zone;
    }
    if (arus_zone_open(name, cache->arena, &zone, &err) != ARUS_OK) {
        zone = NULL;
        if (cache->unknown_count == UNKNOWN_MAX) {
            return NULL;
        }
        cache->unknown_count++;
    }
    if (ARUS_NEW(cache->arena, struct arus_zone_entry, 1, &entry, &err) != ARUS_OK ||
        arus_text_copy(name, cache->arena, &entry->name, &err) != ARUS_OK) {
        return zone;
    }
    entry->zone = zone;
    entry->next = cache->entries;
    cache->entries = entry;
    return zone;
}
