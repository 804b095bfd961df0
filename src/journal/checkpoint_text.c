/** The texts of offsets/N and commits/N, as Spark 4.3 writes them and reads them. */
#include "journal/checkpoint.h"
#include "journal/checkpoint_internal.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OFFSETS_VERSION_MAX 2
#define COMMIT_VERSION_MAX  2

static const char *const CONF_KEYS[ARUS_CONF_COUNT] = {
#define X(name, key, value) key,
    ARUS_CHECKPOINT_CONF(X)
#undef X
};
static const char *const CONF_DEFAULTS[ARUS_CONF_COUNT] = {
#define X(name, key, value) value,
    ARUS_CHECKPOINT_CONF(X)
#undef X
};

/* ---- writing ---- */

enum arus_status arus_json_append_string(struct arus_buffer *out, struct arus_text text,
                                         struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append_char(out, '"', err));
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char c = (unsigned char)text.data[i];

        if (c == '"' || c == '\\') {
            ARUS_TRY(arus_buffer_append_char(out, '\\', err));
            ARUS_TRY(arus_buffer_append_char(out, (char)c, err));
        } else if (c < ' ') {
            ARUS_TRY(arus_buffer_printf(out, err, "\\u%04X", c));
        } else {
            ARUS_TRY(arus_buffer_append_char(out, (char)c, err));
        }
    }
    return arus_buffer_append_char(out, '"', err);
}

static enum arus_status append_conf(struct arus_buffer *out, const struct arus_text *conf,
                                    struct arus_error *err)
{
    for (int i = 0; i < ARUS_CONF_COUNT; i++) {
        const struct arus_text value =
            conf == NULL || conf[i].size == 0 ? arus_text_of(CONF_DEFAULTS[i]) : conf[i];

        ARUS_TRY(arus_buffer_printf(out, err, "%s\"%s\":", i == 0 ? "" : ",", CONF_KEYS[i]));
        ARUS_TRY(arus_json_append_string(out, value, err));
    }
    return ARUS_OK;
}

enum arus_status arus_offsets_format(struct arus_buffer *out, const struct arus_batch_plan *plan,
                                     const struct arus_text *conf, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err,
                                "v1\n{\"batchWatermarkMs\":%" PRId64
                                ",\"batchTimestampMs\":%" PRId64 ",\"conf\":{",
                                plan->watermark_ms, plan->timestamp_ms));
    ARUS_TRY(append_conf(out, conf, err));
    ARUS_TRY(arus_buffer_append(out, "}}", 2, err));
    for (size_t i = 0; i < plan->offset_count; i++) {
        ARUS_TRY(arus_buffer_append_char(out, '\n', err));
        ARUS_TRY(arus_buffer_append_text(
            out, plan->offsets[i].size == 0 ? ARUS_TEXT("-") : plan->offsets[i], err));
    }
    return ARUS_OK;
}

enum arus_status arus_commit_format(struct arus_buffer *out, int64_t next_watermark_ms,
                                    struct arus_error *err)
{
    return arus_buffer_printf(out, err, "v1\n{\"nextBatchWatermarkMs\":%" PRId64 "}",
                              next_watermark_ms);
}

/* ---- lines and versions ---- */

bool arus_log_take_line(struct arus_text *rest, struct arus_text *line)
{
    const char *end;

    if (rest->size == 0) {
        return false;
    }
    end = (const char *)memchr(rest->data, '\n', rest->size);
    line->data = rest->data;
    line->size = end == NULL ? rest->size : (size_t)(end - rest->data);
    rest->data += end == NULL ? rest->size : line->size + 1;
    rest->size -= end == NULL ? rest->size : line->size + 1;
    if (line->size > 0 && line->data[line->size - 1] == '\r') {
        line->size--;
    }
    return true;
}

enum arus_status arus_log_fail(struct arus_error *err, const char *path, uint64_t line,
                               const char *condition, const char *message)
{
    const enum arus_status status = arus_fail(err, ARUS_MISMATCH, condition, "%s", message);

    (void)snprintf(err->file.path, sizeof err->file.path, "%s", path);
    err->file.line = line;
    err->file.column = line == 0 ? 0 : 1;
    return status;
}

enum arus_status arus_log_take_version(struct arus_text *rest, const char *path, int version_max,
                                       int *version, struct arus_error *err)
{
    struct arus_text line;
    uint64_t number = 0;
    bool is_number;

    if (!arus_log_take_line(rest, &line)) {
        return arus_log_fail(err, path, 1, "ARUS_INCOMPLETE_LOG_FILE",
                             "incomplete log file: empty");
    }
    is_number = line.size >= 2 && line.size <= 10 && line.data[0] == 'v';
    for (size_t i = 1; i < line.size && is_number; i++) {
        is_number = line.data[i] >= '0' && line.data[i] <= '9';
        number = number * 10 + (uint64_t)(line.data[i] - '0');
    }
    if (!is_number || number == 0) {
        return arus_log_fail(err, path, 1, "MALFORMED_LOG_FILE",
                             "not a checkpoint log, `v1` expected");
    }
    if (number > (uint64_t)version_max) {
        char message[96];
        enum arus_status status;

        (void)snprintf(message, sizeof message, "format %llu is newer than this arus reads (%d)",
                       (unsigned long long)number, 1);
        status = arus_log_fail(err, path, 1, "INVALID_LOG_VERSION.MAX_SUPPORTED_VERSION", message);
        (void)arus_error_help(err, "use the program that wrote it, or a newer one");
        return status;
    }
    *version = (int)number;
    return ARUS_OK;
}

/* ---- reading ---- */

static enum arus_status load_object(struct arus_text line, const char *path, uint64_t number,
                                    json_t **out, struct arus_error *err)
{
    json_error_t why;

    *out = json_loadb(line.data == NULL ? "" : line.data, line.size, 0, &why);
    if (*out == NULL || !json_is_object(*out)) {
        json_decref(*out);
        *out = NULL;
        return arus_log_fail(err, path, number, "MALFORMED_LOG_FILE",
                             line.size == 0 ? "empty where a JSON object is expected"
                                            : "not a JSON object, or cut off");
    }
    return ARUS_OK;
}

static int64_t member_int(const json_t *object, const char *key)
{
    const json_t *member = json_object_get(object, key);

    return json_is_integer(member) ? (int64_t)json_integer_value(member) : 0;
}

static enum arus_status read_conf(const json_t *conf, struct arus_arena *arena,
                                  struct arus_text *out, struct arus_error *err)
{
    for (int i = 0; i < ARUS_CONF_COUNT; i++) {
        const json_t *value = json_object_get(conf, CONF_KEYS[i]);

        out[i] = (struct arus_text){0};
        if (json_is_string(value)) {
            ARUS_TRY(arus_text_copy(arus_text_of(json_string_value(value)), arena, &out[i], err));
        } else if (json_is_integer(value)) {
            ARUS_TRY(arus_text_format(arena, &out[i], err, "%lld",
                                      (long long)json_integer_value(value)));
        }
    }
    return ARUS_OK;
}

static enum arus_status read_metadata(struct arus_text line, const char *path,
                                      struct arus_arena *arena, struct arus_batch_plan *out,
                                      struct arus_text *conf, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;
    json_t *object;

    ARUS_TRY(load_object(line, path, 2, &object, err));
    out->watermark_ms = member_int(object, "batchWatermarkMs");
    out->timestamp_ms = member_int(object, "batchTimestampMs");
    if (conf != NULL) {
        status = read_conf(json_object_get(object, "conf"), arena, conf, err);
    }
    json_decref(object);
    return status;
}

/** v2: `<source id>:<offset>`, ids in order. */
static enum arus_status take_source_id(struct arus_text *line, size_t expected, const char *path,
                                       uint64_t number, struct arus_error *err)
{
    char prefix[32];
    const int size = snprintf(prefix, sizeof prefix, "%zu:", expected);

    if (!arus_text_starts_with(*line, (struct arus_text){prefix, (size_t)size})) {
        return arus_log_fail(err, path, number, "MALFORMED_LOG_FILE",
                             "format v2 needs the source's number and a colon before its offset");
    }
    line->data += size;
    line->size -= (size_t)size;
    return ARUS_OK;
}

static size_t count_lines(struct arus_text rest)
{
    struct arus_text line;
    size_t count = 0;

    while (arus_log_take_line(&rest, &line)) {
        count++;
    }
    return count;
}

/** Spark's reader would end a line at such a character. */
static bool has_control(struct arus_text line)
{
    for (size_t i = 0; i < line.size; i++) {
        if ((unsigned char)line.data[i] < ' ' && line.data[i] != '\t') {
            return true;
        }
    }
    return false;
}

static json_t *load_any(struct arus_text text)
{
    json_error_t why;

    return json_loadb(text.data, text.size, JSON_DECODE_ANY, &why);
}

/* Every source writes JSON; a power cut may leave the beginning of it. */
static bool is_json(struct arus_text text)
{
    json_t *value = load_any(text);

    json_decref(value);
    return value != NULL;
}

static enum arus_status read_offsets(struct arus_text rest, int version, const char *path,
                                     struct arus_arena *arena, struct arus_batch_plan *out,
                                     struct arus_error *err)
{
    const size_t count = count_lines(rest);
    struct arus_text *offsets = NULL;
    struct arus_text line;

    ARUS_TRY(ARUS_NEW(arena, struct arus_text, count, &offsets, err));
    for (size_t i = 0; i < count && arus_log_take_line(&rest, &line); i++) {
        if (version == 2) {
            ARUS_TRY(take_source_id(&line, i, path, i + 3, err));
        }
        if (!arus_text_equal(line, ARUS_TEXT("-"))) {
            ARUS_TRY(arus_text_copy(line, arena, &offsets[i], err));
            if (line.size == 0) {
                return arus_log_fail(err, path, i + 3, "MALFORMED_LOG_FILE",
                                     "an empty line where an offset is expected");
            }
            if (has_control(line)) {
                return arus_log_fail(err, path, i + 3, "MALFORMED_LOG_FILE",
                                     "a control character inside an offset");
            }
            if (!is_json(line)) {
                return arus_log_fail(err, path, i + 3, "MALFORMED_LOG_FILE",
                                     "an offset that is not JSON");
            }
        }
    }
    out->offsets = offsets;
    out->offset_count = count;
    return ARUS_OK;
}

enum arus_status arus_offsets_parse(struct arus_text content, const char *path,
                                    struct arus_arena *arena, struct arus_batch_plan *out,
                                    struct arus_text *conf, struct arus_error *err)
{
    struct arus_text rest = content;
    struct arus_text line;
    int version;

    ARUS_TRY(arus_log_take_version(&rest, path, OFFSETS_VERSION_MAX, &version, err));
    if (!arus_log_take_line(&rest, &line)) {
        return arus_log_fail(err, path, 2, "ARUS_INCOMPLETE_LOG_FILE",
                             "incomplete log file: the second line is missing");
    }
    ARUS_TRY(read_metadata(line, path, arena, out, conf, err));
    return read_offsets(rest, version, path, arena, out, err);
}

enum arus_status arus_commit_parse(struct arus_text content, const char *path,
                                   int64_t *next_watermark_ms, struct arus_error *err)
{
    struct arus_text rest = content;
    struct arus_text line;
    json_t *object;
    int version;

    *next_watermark_ms = 0;
    ARUS_TRY(arus_log_take_version(&rest, path, COMMIT_VERSION_MAX, &version, err));
    if (!arus_log_take_line(&rest, &line)) {
        return ARUS_OK;
    }
    ARUS_TRY(load_object(line, path, 2, &object, err));
    *next_watermark_ms = member_int(object, "nextBatchWatermarkMs");
    json_decref(object);
    return ARUS_OK;
}

/* ---- comparing ---- */

/** `{"logOffset":3}` and `3` mean the same to the file source. */
static const json_t *offset_value(const json_t *json)
{
    const json_t *member = json_object_get(json, "logOffset");

    return member == NULL ? json : member;
}

bool arus_offset_is_equal(struct arus_text a, struct arus_text b)
{
    json_t *left;
    json_t *right;
    bool is_equal;

    if (arus_text_equal(a, b)) {
        return true;
    }
    if (a.size == 0 || b.size == 0) {
        return false;
    }
    left = load_any(a);
    right = load_any(b);
    is_equal = left != NULL && right != NULL && json_equal(offset_value(left), offset_value(right));
    json_decref(left);
    json_decref(right);
    return is_equal;
}

int64_t arus_offset_log_id(struct arus_text offset)
{
    json_t *json = load_any(offset);
    const json_t *value = offset_value(json);
    const int64_t id = json_is_integer(value) ? (int64_t)json_integer_value(value) : -1;

    json_decref(json);
    return id;
}

bool arus_batch_plan_is_equal(const struct arus_batch_plan *a, const struct arus_batch_plan *b)
{
    if (a->watermark_ms != b->watermark_ms || a->timestamp_ms != b->timestamp_ms ||
        a->offset_count != b->offset_count) {
        return false;
    }
    for (size_t i = 0; i < a->offset_count; i++) {
        if (!arus_offset_is_equal(a->offsets[i], b->offsets[i])) {
            return false;
        }
    }
    return true;
}

/* ---- metadata ---- */

static bool is_uuid(const char *text)
{
    static const char SHAPE[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

    if (strlen(text) != sizeof SHAPE - 1) {
        return false;
    }
    for (size_t i = 0; i < sizeof SHAPE - 1; i++) {
        if (SHAPE[i] == '-' ? text[i] != '-' : strchr("0123456789abcdefABCDEF", text[i]) == NULL) {
            return false;
        }
    }
    return true;
}

enum arus_status arus_metadata_parse(struct arus_text content, const char *path, char id[37],
                                     struct arus_error *err)
{
    struct arus_text line = {0};
    struct arus_text rest = content;
    const char *text;
    json_t *object;

    (void)arus_log_take_line(&rest, &line); /* an empty file fails as JSON */
    ARUS_TRY(load_object(line, path, 1, &object, err));
    text = json_string_value(json_object_get(object, "id"));
    if (text == NULL || !is_uuid(text)) {
        json_decref(object);
        return arus_log_fail(err, path, 1, "MALFORMED_LOG_FILE", "the query's id is no UUID");
    }
    memcpy(id, text, 37);
    json_decref(object);
    return ARUS_OK;
}
