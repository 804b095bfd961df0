/** Anchors in the journal: a line per partition, `topic partition offset
 * timestamp hash`. */
#include "kafka/anchor.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

struct arus_kafka_anchored {
    struct arus_text topic;
    int32_t partition;
    struct arus_kafka_anchor anchor;
};

static struct arus_kafka_anchored *find(const struct arus_kafka_anchors *anchors,
                                        struct arus_text topic, int32_t partition)
{
    for (size_t i = 0; i < anchors->count; i++) {
        struct arus_kafka_anchored *item = &anchors->items[i];

        if (item->partition == partition && arus_text_equal(item->topic, topic)) {
            return item;
        }
    }
    return NULL;
}

static enum arus_status add(struct arus_kafka_anchors *anchors, struct arus_text topic,
                            int32_t partition, struct arus_kafka_anchored **out,
                            struct arus_error *err)
{
    if (anchors->count == anchors->capacity) {
        const size_t capacity = anchors->capacity * 2 + 8;
        struct arus_kafka_anchored *items =
            arus_realloc(anchors->items, capacity * sizeof *anchors->items);

        if (items == NULL) {
            return arus_fail_memory(err);
        }
        anchors->items = items;
        anchors->capacity = capacity;
    }
    *out = &anchors->items[anchors->count];
    **out = (struct arus_kafka_anchored){.partition = partition, .anchor = {.offset = -1}};
    ARUS_TRY(arus_text_copy(topic, &anchors->arena, &(*out)->topic, err));
    anchors->count++;
    return ARUS_OK;
}

struct arus_kafka_anchor arus_kafka_anchors_find(const struct arus_kafka_anchors *anchors,
                                                 struct arus_text topic, int32_t partition)
{
    const struct arus_kafka_anchored *item = find(anchors, topic, partition);

    return item == NULL ? (struct arus_kafka_anchor){.offset = -1} : item->anchor;
}

enum arus_status arus_kafka_anchors_put(struct arus_kafka_anchors *anchors, struct arus_text topic,
                                        int32_t partition, struct arus_kafka_anchor anchor,
                                        int64_t end, bool *has_changed, struct arus_error *err)
{
    struct arus_kafka_anchored *item = find(anchors, topic, partition);

    if (item == NULL) {
        ARUS_TRY(add(anchors, topic, partition, &item, err));
    }
    /* behind the end: of a topic that has become shorter */
    if (anchor.offset < end &&
        (anchor.offset > item->anchor.offset || item->anchor.offset >= end)) {
        item->anchor = anchor;
        *has_changed = true;
    }
    return ARUS_OK;
}

void arus_kafka_anchors_release(struct arus_kafka_anchors *anchors)
{
    arus_arena_release(&anchors->arena);
    arus_free(anchors->items);
    *anchors = (struct arus_kafka_anchors){0};
}

/* ---- the note ---- */

static void note_name(uint32_t index, char out[32])
{
    (void)snprintf(out, 32, "kafka.%u", index);
}

static enum arus_status take_line(struct arus_kafka_anchors *anchors, const char *line,
                                  struct arus_error *err)
{
    struct arus_kafka_anchored *item;
    struct arus_kafka_anchor anchor;
    char topic[256];
    int32_t partition;

    if (sscanf(line, "%255s %" SCNd32 " %" SCNd64 " %" SCNd64 " %" SCNu64, topic, &partition,
               &anchor.offset, &anchor.timestamp_ms, &anchor.hash) != 5) {
        return ARUS_OK; /* of another version: not needed for right results */
    }
    ARUS_TRY(add(anchors, arus_text_of(topic), partition, &item, err));
    item->anchor = anchor;
    return ARUS_OK;
}

enum arus_status arus_kafka_anchors_load(struct arus_kafka_anchors *anchors,
                                         struct arus_log_set *logs, uint32_t index,
                                         struct arus_error *err)
{
    struct arus_text note;
    char name[32];
    bool is_found = false;

    note_name(index, name);
    ARUS_TRY(arus_log_note(logs, name, &anchors->arena, &note, &is_found, err));
    for (const char *line = is_found ? note.data : NULL; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');

        ARUS_TRY(take_line(anchors, line, err));
        line = end == NULL ? NULL : end + 1;
    }
    return ARUS_OK;
}

enum arus_status arus_kafka_anchors_save(const struct arus_kafka_anchors *anchors,
                                         struct arus_log_set *logs, uint32_t index,
                                         struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = ARUS_OK;
    char name[32];

    note_name(index, name);
    for (size_t i = 0; i < anchors->count && status == ARUS_OK; i++) {
        const struct arus_kafka_anchored *item = &anchors->items[i];

        status = arus_buffer_printf(
            &text, err, "%s %" PRId32 " %" PRId64 " %" PRId64 " %" PRIu64 "\n", item->topic.data,
            item->partition, item->anchor.offset, item->anchor.timestamp_ms, item->anchor.hash);
    }
    if (status == ARUS_OK) {
        status = arus_log_set_note(logs, name, arus_buffer_text(&text), err);
    }
    arus_buffer_release(&text);
    return status;
}
