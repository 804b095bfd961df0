/** Commas, units, escapes. */
#include "cli/human.h"

#include "base/file.h"
#include "types/utf8.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *arus_human_count(uint64_t count, char out[ARUS_HUMAN_SIZE])
{
    char digits[ARUS_HUMAN_SIZE];
    const int size = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    int at = 0;

    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0) {
            out[at++] = ',';
        }
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

/* Three digits, but none behind the point for whole numbers below `base`. */
static const char *put_scaled(double number, double base, const char *const *units,
                              size_t unit_count, char out[ARUS_HUMAN_SIZE])
{
    size_t unit = 0;
    int digits;

    while (unit + 1 < unit_count && number >= base - 0.5) {
        number /= base;
        unit++;
    }
    digits = number >= 99.95 ? 0 : number >= 9.995 ? 1 : 2;
    (void)snprintf(out, ARUS_HUMAN_SIZE, "%.*f", unit == 0 ? 0 : digits, number);
    if (strchr(out, '.') != NULL) { /* 41.0 is 41 */
        size_t size = strlen(out);

        while (out[size - 1] == '0') {
            out[--size] = '\0';
        }
        if (out[size - 1] == '.') {
            out[size - 1] = '\0';
        }
    }
    (void)snprintf(out + strlen(out), ARUS_HUMAN_SIZE - strlen(out), "%s", units[unit]);
    return out;
}

const char *arus_human_short(double number, char out[ARUS_HUMAN_SIZE])
{
    static const char *const UNITS[] = {"", " k", " M", " G", " T"};

    return put_scaled(number < 0 ? 0 : number, 1000, UNITS, 5, out);
}

const char *arus_human_bytes(uint64_t bytes, char out[ARUS_HUMAN_SIZE])
{
    static const char *const UNITS[] = {" B", " KiB", " MiB", " GiB", " TiB"};

    return put_scaled((double)bytes, 1024, UNITS, 5, out);
}

const char *arus_human_duration(int64_t ms, char out[ARUS_HUMAN_SIZE])
{
    static const struct {
        int64_t below_ms;
        int64_t unit_ms;
        const char *unit;
    } STEPS[] = {
        {120000, 1000, "s"},
        {7200000, 60000, "min"},
        {172800000, 3600000, "h"},
        {INT64_MAX, 86400000, "d"},
    };

    ms = ms < 0 ? 0 : ms;
    if (ms < 100) {
        (void)snprintf(out, ARUS_HUMAN_SIZE, "%lld ms", (long long)ms);
        return out;
    }
    if (ms < 950) {
        (void)snprintf(out, ARUS_HUMAN_SIZE, "%.1f s", (double)ms / 1000);
        return out;
    }
    if (ms < 9950 && (ms + 50) / 100 % 10 != 0) {
        (void)snprintf(out, ARUS_HUMAN_SIZE, "%.1f s", (double)ms / 1000);
        return out;
    }
    for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
        if (ms < STEPS[i].below_ms) {
            (void)snprintf(out, ARUS_HUMAN_SIZE, "%lld %s",
                           (long long)((ms + STEPS[i].unit_ms / 2) / STEPS[i].unit_ms),
                           STEPS[i].unit);
            break;
        }
    }
    return out;
}

struct arus_text arus_human_path(struct arus_text path)
{
    struct arus_path here;
    size_t size;

    if (getcwd(here.text, sizeof here.text) == NULL) {
        return path;
    }
    size = strlen(here.text);
    if (path.size > size + 1 && path.data[size] == '/' &&
        arus_text_starts_with(path, arus_text_of(here.text))) {
        return (struct arus_text){path.data + size + 1, path.size - size - 1};
    }
    return path;
}

const char *arus_human_noun(uint64_t count, const char *noun, char out[ARUS_HUMAN_SIZE * 2])
{
    char number[ARUS_HUMAN_SIZE];

    (void)snprintf(out, (size_t)ARUS_HUMAN_SIZE * 2, "%s %s%s", arus_human_count(count, number),
                   noun, count == 1 ? "" : "s");
    return out;
}

static enum arus_status escape_byte(unsigned char c, struct arus_buffer *out,
                                    struct arus_error *err)
{
    if (c == '\n') {
        return arus_buffer_append(out, "\\n", 2, err);
    }
    if (c == '\r') {
        return arus_buffer_append(out, "\\r", 2, err);
    }
    if (c == '\t') {
        return arus_buffer_append(out, "\\t", 2, err);
    }
    return arus_buffer_printf(out, err, "\\x%02X", c);
}

enum arus_status arus_human_escape(struct arus_text text, struct arus_buffer *out,
                                   struct arus_error *err)
{
    size_t at = 0;

    while (at < text.size) {
        const unsigned char c = (unsigned char)text.data[at];
        const size_t begin = at;

        if (c < 0x80) {
            at++;
            ARUS_TRY(c < 0x20 || c == 0x7F ? escape_byte(c, out, err)
                                           : arus_buffer_append_char(out, (char)c, err));
            continue;
        }
        if (arus_utf8_next(text, &at) == 0xFFFD && (at - begin != 3 || c != 0xEF)) {
            at = begin + 1;
            ARUS_TRY(escape_byte(c, out, err));
        } else if (c == 0xC2 && (unsigned char)text.data[begin + 1] < 0xA0) { /* U+0080..U+009F */
            ARUS_TRY(escape_byte(c, out, err));
            ARUS_TRY(escape_byte((unsigned char)text.data[begin + 1], out, err));
        } else {
            ARUS_TRY(arus_buffer_append(out, text.data + begin, at - begin, err));
        }
    }
    return ARUS_OK;
}

const char *arus_human_time(int64_t ms, char out[ARUS_HUMAN_SIZE])
{
    const time_t seconds = (time_t)(ms / 1000);
    const int part = (int)(ms % 1000);
    struct tm parts;
    size_t size;

    if (ms <= 0 || gmtime_r(&seconds, &parts) == NULL) {
        (void)snprintf(out, ARUS_HUMAN_SIZE, "none");
        return out;
    }
    size = strftime(out, ARUS_HUMAN_SIZE, "%Y-%m-%d %H:%M:%S", &parts);
    if (part != 0) {
        (void)snprintf(out + size, ARUS_HUMAN_SIZE - size, ".%03d", part);
        for (size = strlen(out); out[size - 1] == '0'; size--) {
            out[size - 1] = '\0';
        }
    }
    return out;
}
