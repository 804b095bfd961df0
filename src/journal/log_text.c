/** The lines of source and sink logs. A hand-written reader: a log may have millions of them. */
#include "journal/checkpoint_internal.h"
#include "journal/path.h"

#include <inttypes.h>
#include <string.h>

#define DEPTH_MAX 32

/* ---- writing ---- */

enum arus_status arus_log_append_source(struct arus_buffer *out, struct arus_text path,
                                        int64_t mtime_ms, int64_t log_id, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append(out, "{\"path\":\"", 9, err));
    ARUS_TRY(arus_path_append_uri(out, path, err));
    return arus_buffer_printf(out, err, "\",\"timestamp\":%" PRId64 ",\"batchId\":%" PRId64 "}\n",
                              mtime_ms, log_id);
}

enum arus_status arus_log_append_sink(struct arus_buffer *out, struct arus_text path, uint64_t size,
                                      int64_t mtime_ms, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append(out, "{\"path\":\"", 9, err));
    ARUS_TRY(arus_path_append_uri(out, path, err));
    return arus_buffer_printf(
        out, err,
        "\",\"size\":%" PRIu64 ",\"isDir\":false,\"modificationTime\":%" PRId64
        ",\"blockReplication\":1,\"blockSize\":33554432,\"action\":\"add\"}\n",
        size, mtime_ms);
}

/* ---- reading ---- */

struct scanner {
    const char *at;
    const char *end;
};

/** A value as it stands: strings without quotes, escapes not undone. */
struct raw_value {
    struct arus_text text;
    char kind; /* first character: `"`, digit, `t`, `{` … */
    bool has_escapes;
};

static void skip_blanks(struct scanner *s)
{
    while (s->at < s->end &&
           (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n')) {
        s->at++;
    }
}

static bool take(struct scanner *s, char c)
{
    skip_blanks(s);
    if (s->at < s->end && *s->at == c) {
        s->at++;
        return true;
    }
    return false;
}

static bool take_string(struct scanner *s, struct raw_value *out)
{
    const char *begin;

    if (!take(s, '"')) {
        return false;
    }
    begin = s->at;
    *out = (struct raw_value){.kind = '"'};
    while (s->at < s->end && *s->at != '"') {
        if (*s->at == '\\') {
            out->has_escapes = true;
            s->at++;
        }
        s->at++;
    }
    if (s->at >= s->end) {
        return false;
    }
    out->text = (struct arus_text){begin, (size_t)(s->at - begin)};
    s->at++;
    return true;
}

/** Nested values of unknown keys: only brackets are counted. */
static bool skip_nested(struct scanner *s)
{
    struct raw_value ignored;
    int depth = 0;

    do {
        skip_blanks(s);
        if (s->at >= s->end) {
            return false;
        }
        if (*s->at == '"') {
            if (!take_string(s, &ignored)) {
                return false;
            }
            continue;
        }
        depth += *s->at == '{' || *s->at == '[';
        depth -= *s->at == '}' || *s->at == ']';
        s->at++;
    } while (depth > 0 && depth < DEPTH_MAX);
    return depth == 0;
}

static bool take_value(struct scanner *s, struct raw_value *out)
{
    const char *begin;

    skip_blanks(s);
    if (s->at >= s->end) {
        return false;
    }
    if (*s->at == '"') {
        return take_string(s, out);
    }
    begin = s->at;
    *out = (struct raw_value){.kind = *begin};
    if (*begin == '{' || *begin == '[') {
        return skip_nested(s);
    }
    while (s->at < s->end && strchr(",}] \t\r\n", *s->at) == NULL) {
        s->at++;
    }
    out->text = (struct arus_text){begin, (size_t)(s->at - begin)};
    return out->text.size > 0;
}

static bool value_int(const struct raw_value *value, int64_t *out)
{
    const struct arus_text text = value->text;
    const bool is_negative = text.size > 0 && text.data[0] == '-';
    uint64_t number = 0;

    if (value->kind == '"' || text.size == (size_t)is_negative || text.size > 19) {
        return false;
    }
    for (size_t i = is_negative; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return false;
        }
        number = number * 10 + (uint64_t)(text.data[i] - '0');
    }
    *out = is_negative ? -(int64_t)number : (int64_t)number;
    return true;
}

static size_t put_point(char *out, uint32_t point)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xC0 | (point >> 6));
        out[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    out[0] = (char)(0xE0 | (point >> 12));
    out[1] = (char)(0x80 | ((point >> 6) & 0x3F));
    out[2] = (char)(0x80 | (point & 0x3F));
    return 3;
}

static bool hex4(const char *at, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        const char c = at[i];
        const uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0')
                               : (c | 0x20) >= 'a' && (c | 0x20) <= 'f'
                                   ? (uint32_t)((c | 0x20) - 'a' + 10)
                                   : 16;

        if (digit > 15) {
            return false;
        }
        *out = *out * 16 + digit;
    }
    return true;
}

/** Surrogate pairs cannot occur: who writes such a path writes it raw. They come out as two code
 * points. */
static enum arus_status undo_escapes(struct arus_text text, struct arus_arena *arena,
                                     struct arus_text *out, struct arus_error *err)
{
    static const char NAMES[] = "\"\\/bfnrt";
    static const char VALUES[] = "\"\\/\b\f\n\r\t";
    void *memory;
    char *data;
    size_t size = 0;

    ARUS_TRY(arus_arena_alloc(arena, text.size + 4, &memory, err));
    data = (char *)memory;
    for (size_t i = 0; i < text.size; i++) {
        const char *name;
        uint32_t point;

        if (text.data[i] != '\\' || i + 1 >= text.size) {
            data[size++] = text.data[i];
            continue;
        }
        i++;
        name = strchr(NAMES, text.data[i]);
        if (name != NULL && *name != '\0') {
            data[size++] = VALUES[name - NAMES];
        } else if (text.data[i] == 'u' && i + 4 < text.size && hex4(text.data + i + 1, &point)) {
            size += put_point(data + size, point);
            i += 4;
        } else {
            return arus_fail(err, ARUS_MISMATCH, "MALFORMED_LOG_FILE", "not JSON: a bad escape");
        }
    }
    *out = (struct arus_text){data, size};
    return ARUS_OK;
}

/** A key we want, in the order of the format. `need` marks those that must be there. */
enum line_key {
    KEY_PATH,
    KEY_TIMESTAMP,
    KEY_BATCH,
    KEY_SIZE,
    KEY_DIR,
    KEY_MTIME,
    KEY_REPLICATION,
    KEY_BLOCK,
    KEY_ACTION,
    KEY_COUNT
};

static const char *const KEYS[KEY_COUNT] = {
    "path",      "timestamp", "batchId", "size", "isDir", "modificationTime", "blockReplication",
    "blockSize", "action"};

#define SOURCE_KEYS ((1u << KEY_PATH) | (1u << KEY_TIMESTAMP) | (1u << KEY_BATCH))
#define SINK_KEYS   (((1u << KEY_COUNT) - 1) & ~((1u << KEY_TIMESTAMP) | (1u << KEY_BATCH)))

static enum arus_status fail_json(struct arus_error *err)
{
    return arus_fail(err, ARUS_MISMATCH, "MALFORMED_LOG_FILE", "not a JSON object, or cut off");
}

static enum arus_status fail_missing(unsigned missing, struct arus_error *err)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        if ((missing & (1u << i)) != 0) {
            return arus_fail(err, ARUS_MISMATCH, "MALFORMED_LOG_FILE", "`%s` is missing", KEYS[i]);
        }
    }
    return fail_json(err);
}

static int key_find(struct arus_text name)
{
    for (int i = 0; i < KEY_COUNT; i++) {
        if (arus_text_equal(name, arus_text_of(KEYS[i]))) {
            return i;
        }
    }
    return -1;
}

static bool scan_object(struct scanner *s, struct raw_value values[KEY_COUNT], unsigned *found)
{
    struct raw_value key;
    struct raw_value value;

    *found = 0;
    if (!take(s, '{')) {
        return false;
    }
    if (take(s, '}')) {
        return true;
    }
    do {
        int index;

        if (!take_string(s, &key) || !take(s, ':') || !take_value(s, &value)) {
            return false;
        }
        index = key_find(key.text);
        if (index >= 0) {
            values[index] = value;
            *found |= 1u << index;
        }
    } while (take(s, ','));
    if (!take(s, '}')) {
        return false;
    }
    skip_blanks(s);
    return s->at == s->end;
}

static enum arus_status read_path(const struct raw_value *value, struct arus_arena *arena,
                                  struct arus_log_line *out, struct arus_error *err)
{
    if (value->kind != '"') {
        return fail_json(err);
    }
    if (value->has_escapes) {
        return undo_escapes(value->text, arena, &out->uri, err);
    }
    out->uri = value->text;
    return ARUS_OK;
}

enum arus_status arus_log_parse_source(struct arus_text line, struct arus_arena *arena,
                                       struct arus_log_line *out, struct arus_error *err)
{
    struct scanner s = {line.data, line.data + line.size};
    struct raw_value values[KEY_COUNT];
    unsigned found;

    *out = (struct arus_log_line){0};
    if (!scan_object(&s, values, &found)) {
        return fail_json(err);
    }
    if ((found & SOURCE_KEYS) != SOURCE_KEYS) {
        return fail_missing(SOURCE_KEYS & ~found, err);
    }
    if (!value_int(&values[KEY_TIMESTAMP], &out->mtime_ms) ||
        !value_int(&values[KEY_BATCH], &out->log_id)) {
        return fail_json(err);
    }
    return read_path(&values[KEY_PATH], arena, out, err);
}

enum arus_status arus_log_parse_sink(struct arus_text line, struct arus_arena *arena,
                                     struct arus_log_line *out, struct arus_error *err)
{
    struct scanner s = {line.data, line.data + line.size};
    struct raw_value values[KEY_COUNT];
    unsigned found;
    int64_t size;

    *out = (struct arus_log_line){0};
    if (!scan_object(&s, values, &found)) {
        return fail_json(err);
    }
    if ((found & SINK_KEYS) != SINK_KEYS) {
        return fail_missing(SINK_KEYS & ~found, err);
    }
    if (!value_int(&values[KEY_SIZE], &size) || !value_int(&values[KEY_MTIME], &out->mtime_ms) ||
        size < 0) {
        return fail_json(err);
    }
    out->size = (uint64_t)size;
    out->is_folder = values[KEY_DIR].kind == 't';
    return read_path(&values[KEY_PATH], arena, out, err);
}
