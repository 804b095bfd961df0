/** Offset JSON. */
#include "kafka/positions.h"

#include <jansson.h>

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const struct arus_kafka_position *a = left;
    const struct arus_kafka_position *b = right;
    const int topics = arus_text_compare(a->topic, b->topic);

    return topics != 0 ? topics : (a->partition > b->partition) - (a->partition < b->partition);
}

void arus_kafka_positions_sort(struct arus_kafka_positions *positions)
{
    if (positions->count > 1) {
        qsort(positions->items, positions->count, sizeof *positions->items, compare);
    }
}

const struct arus_kafka_position *
arus_kafka_positions_find(const struct arus_kafka_positions *positions, struct arus_text topic,
                          int32_t partition)
{
    const struct arus_kafka_position key = {.topic = topic, .partition = partition};

    return positions->count == 0 ? NULL
                                 : bsearch(&key, positions->items, positions->count,
                                           sizeof *positions->items, compare);
}

bool arus_kafka_positions_match(const struct arus_kafka_positions *a,
                                const struct arus_kafka_positions *b)
{
    if (a->count != b->count) {
        return false;
    }
    for (size_t i = 0; i < a->count; i++) {
        if (compare(&a->items[i], &b->items[i]) != 0) {
            return false;
        }
    }
    return true;
}

enum arus_status arus_kafka_positions_copy(const struct arus_kafka_positions *from,
                                           struct arus_arena *arena,
                                           struct arus_kafka_positions *out, struct arus_error *err)
{
    out->count = 0;
    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_position, from->count + 1, &out->items, err));
    for (size_t i = 0; i < from->count; i++) {
        out->items[i] = from->items[i];
        ARUS_TRY(arus_text_copy(from->items[i].topic, arena, &out->items[i].topic, err));
    }
    out->count = from->count;
    return ARUS_OK;
}

/* ---- reading ---- */

static bool parse_partition(const char *text, int32_t *out)
{
    char *end;
    const long value = strtol(text, &end, 10);

    *out = (int32_t)value;
    return end != text && *end == '\0' && value >= 0 && value <= INT32_MAX;
}

/* One entry: `"0": 23` of an object, or an element of an array (`key` NULL). */
static enum arus_status take_entry(const char *key, const json_t *value, struct arus_text topic,
                                   struct arus_kafka_position *out, struct arus_error *err)
{
    const json_int_t number = json_integer_value(value);

    *out = (struct arus_kafka_position){.topic = topic};
    if (!json_is_integer(value)) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "`%s` must hold whole numbers", topic.data);
    }
    if (key == NULL) {
        out->partition = (int32_t)number;
        if (number < 0 || number > INT32_MAX) {
            return arus_fail(err, ARUS_BAD_CONFIG, NULL, "%lld is no partition of `%s`",
                             (long long)number, topic.data);
        }
        return ARUS_OK;
    }
    if (!parse_partition(key, &out->partition)) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "\"%s\" is no partition of `%s`", key,
                         topic.data);
    }
    out->offset = number;
    return ARUS_OK;
}

static size_t entry_count(json_t *root)
{
    const char *topic;
    json_t *inner;
    size_t count = 0;

    json_object_foreach(root, topic, inner)
    {
        count += json_is_array(inner) ? json_array_size(inner) : json_object_size(inner);
    }
    return count;
}

static enum arus_status take_topic(const char *name, json_t *inner, bool is_list,
                                   struct arus_arena *arena, struct arus_kafka_positions *out,
                                   struct arus_error *err)
{
    struct arus_text topic;
    const char *key;
    json_t *value;
    size_t index;

    ARUS_TRY(arus_text_copy(arus_text_of(name), arena, &topic, err));
    if (is_list ? !json_is_array(inner) : !json_is_object(inner)) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "`%s` must hold %s", name,
                         is_list ? "a list of partitions" : "an object of partitions");
    }
    if (is_list) {
        json_array_foreach(inner, index, value)
        {
            ARUS_TRY(take_entry(NULL, value, topic, &out->items[out->count], err));
            out->count++;
        }
        return ARUS_OK;
    }
    json_object_foreach(inner, key, value)
    {
        ARUS_TRY(take_entry(key, value, topic, &out->items[out->count], err));
        out->count++;
    }
    return ARUS_OK;
}

static enum arus_status take_root(json_t *root, bool is_list, struct arus_arena *arena,
                                  struct arus_kafka_positions *out, struct arus_error *err)
{
    const char *topic;
    json_t *inner;

    if (!json_is_object(root)) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "expected JSON such as %s",
                         is_list ? "{\"topic\":[0,1]}" : "{\"topic\":{\"0\":23,\"1\":-1}}");
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_position, entry_count(root) + 1, &out->items, err));
    json_object_foreach(root, topic, inner)
    {
        ARUS_TRY(take_topic(topic, inner, is_list, arena, out, err));
    }
    arus_kafka_positions_sort(out);
    return ARUS_OK;
}

static enum arus_status parse(struct arus_text json, bool is_list, struct arus_arena *arena,
                              struct arus_kafka_positions *out, struct arus_error *err)
{
    json_t *root = json_loadb(json.data == NULL ? "" : json.data, json.size, 0, NULL);
    enum arus_status status;

    *out = (struct arus_kafka_positions){0};
    status = take_root(root, is_list, arena, out, err);
    json_decref(root);
    return status;
}

enum arus_status arus_kafka_positions_parse(struct arus_text json, struct arus_arena *arena,
                                            struct arus_kafka_positions *out,
                                            struct arus_error *err)
{
    return parse(json, false, arena, out, err);
}

enum arus_status arus_kafka_assignment_parse(struct arus_text json, struct arus_arena *arena,
                                             struct arus_kafka_positions *out,
                                             struct arus_error *err)
{
    return parse(json, true, arena, out, err);
}

/* ---- writing ---- */

/* Spark fills two levels of scala.collection.mutable.HashMap in sorted order
 * and writes them as they iterate: by bucket, inside a bucket by hash. The
 * order of a map is a function of its keys.
 */
struct hashed {
    uint32_t bucket;
    int32_t hash;
    size_t begin; /* first position of the entry in the sorted list */
    size_t count;
};

static int compare_hashed(const void *left, const void *right)
{
    const struct hashed *a = left;
    const struct hashed *b = right;

    if (a->bucket != b->bucket) {
        return a->bucket < b->bucket ? -1 : 1;
    }
    if (a->hash != b->hash) {
        return a->hash < b->hash ? -1 : 1;
    }
    return (a->begin > b->begin) - (a->begin < b->begin);
}

/* Java's String.hashCode of a topic's name, which is ASCII. */
static int32_t java_hash(struct arus_text text)
{
    uint32_t hash = 0;

    for (size_t i = 0; i < text.size; i++) {
        hash = hash * 31 + (unsigned char)text.data[i];
    }
    return (int32_t)hash;
}

/* `put_max`: the largest size that the map had, counting the one being put. */
static void order(struct hashed *items, size_t count, size_t put_max)
{
    uint32_t length = 16;

    while (put_max >= length / 4 * 3) {
        length *= 2;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t hash = (uint32_t)items[i].hash;

        items[i].hash = (int32_t)(hash ^ (hash >> 16));
        items[i].bucket = (uint32_t)items[i].hash & (length - 1);
    }
    qsort(items, count, sizeof *items, compare_hashed);
}

static enum arus_status format_topic(const struct arus_kafka_position *items, size_t count,
                                     struct hashed *scratch, struct arus_buffer *out,
                                     struct arus_error *err)
{
    for (size_t i = 0; i < count; i++) {
        scratch[i] = (struct hashed){.hash = items[i].partition, .begin = i};
    }
    order(scratch, count, count);
    ARUS_TRY(arus_buffer_printf(out, err, "\"%.*s\":{", ARUS_TEXT_ARGS(items[0].topic)));
    for (size_t i = 0; i < count; i++) {
        const struct arus_kafka_position *item = &items[scratch[i].begin];

        ARUS_TRY(arus_buffer_printf(out, err, "%s\"%d\":%lld", i == 0 ? "" : ",", item->partition,
                                    (long long)item->offset));
    }
    return arus_buffer_append_char(out, '}', err);
}

static enum arus_status format_all(const struct arus_kafka_positions *positions,
                                   struct hashed *topics, struct hashed *scratch,
                                   struct arus_buffer *out, struct arus_error *err)
{
    size_t count = 0;

    for (size_t i = 0; i < positions->count; i++) {
        if (i == 0 || !arus_text_equal(positions->items[i - 1].topic, positions->items[i].topic)) {
            topics[count++] =
                (struct hashed){.hash = java_hash(positions->items[i].topic), .begin = i};
        }
        topics[count - 1].count++;
    }
    if (count > 0) { /* a topic is put once more for each further partition */
        order(topics, count, topics[count - 1].count > 1 ? count + 1 : count);
    }
    ARUS_TRY(arus_buffer_append_char(out, '{', err));
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            ARUS_TRY(arus_buffer_append_char(out, ',', err));
        }
        ARUS_TRY(
            format_topic(&positions->items[topics[i].begin], topics[i].count, scratch, out, err));
    }
    return arus_buffer_append_char(out, '}', err);
}

enum arus_status arus_kafka_positions_format(const struct arus_kafka_positions *positions,
                                             struct arus_arena *arena, struct arus_text *out,
                                             struct arus_error *err)
{
    struct arus_buffer text = {0};
    struct hashed *topics;
    struct hashed *scratch;
    enum arus_status status;

    ARUS_TRY(ARUS_NEW(arena, struct hashed, positions->count + 1, &topics, err));
    ARUS_TRY(ARUS_NEW(arena, struct hashed, positions->count + 1, &scratch, err));
    status = format_all(positions, topics, scratch, &text, err);
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), arena, out, err);
    }
    arus_buffer_release(&text);
    return status;
}
