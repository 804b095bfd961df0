/** Staged records. */
#include "kafka/stage.h"

#include "base/alloc.h"

#define BLOCK_SIZE ((size_t)1024 * 1024)
#define ALIGNMENT  ((size_t)8)
#define SPARE_MAX  ((size_t)64) /* blocks */

struct arus_kafka_block {
    struct arus_kafka_block *next;
    size_t size; /* used */
    size_t capacity;
    char data[];
};

/* In front of key, value and headers. A missing one has size -1. */
struct stored {
    const char *topic;
    int32_t partition;
    int32_t key_size;
    int32_t value_size;
    uint32_t header_count;
    uint32_t size; /* of all, padded */
};
/* In front of a header's name (with NUL) and value. */
struct stored_header {
    int32_t name_size;
    int32_t value_size;
};

static size_t padded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t size_of(struct arus_kafka_bytes bytes)
{
    return bytes.data == NULL ? 0 : bytes.size;
}

static size_t record_size(const struct arus_kafka_record *record)
{
    size_t size = size_of(record->key) + size_of(record->value);

    for (uint32_t i = 0; i < record->header_count; i++) {
        size += sizeof(struct stored_header) + record->headers[i].name.size + 1 +
                size_of(record->headers[i].value);
    }
    return size;
}

/* A spare block, whose pages are there already, or a new one. */
static struct arus_kafka_block *take_block(struct arus_kafka_stage *stage, size_t capacity)
{
    struct arus_kafka_block *block = stage->spare;

    if (capacity != BLOCK_SIZE || block == NULL) {
        return arus_alloc_buffer(sizeof *block + capacity);
    }
    stage->spare = block->next;
    stage->spare_count--;
    return block;
}

/* Writes the oldest block behind the spilled ones and takes it for the next records. */
static enum arus_status spill_block(struct arus_kafka_stage *stage, struct arus_error *err)
{
    struct arus_kafka_block *block = stage->first;

    if (stage->spill.path == NULL) {
        struct arus_text path;

        ARUS_TRY(arus_text_format(&stage->topics, &path, err, "%s/.kafka-%u", stage->spill_folder,
                                  stage->slot));
        ARUS_TRY(arus_file_create_over(&stage->spill, path.data, err));
        ARUS_TRY(arus_file_remove(path.data, err)); /* gone with the process */
    }
    ARUS_TRY(arus_file_append(&stage->spill, block->data, block->size, err));
    ARUS_TRY(arus_file_flush(&stage->spill, err));
    ARUS_TRY(arus_buffer_append(&stage->spilled, &block->size, sizeof block->size, err));
    stage->first = block->next;
    stage->last = stage->first == NULL ? NULL : stage->last;
    stage->block_count--;
    if (block->capacity == BLOCK_SIZE) {
        block->next = stage->spare;
        stage->spare = block;
        stage->spare_count++;
    } else {
        arus_free(block);
    }
    return ARUS_OK;
}

static enum arus_status make_room(struct arus_kafka_stage *stage, size_t size,
                                  struct arus_error *err)
{
    const size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    struct arus_kafka_block *block = stage->last;

    if (block != NULL && block->capacity - block->size >= size) {
        return ARUS_OK;
    }
    if (stage->block_max > 0 && stage->block_count >= stage->block_max &&
        stage->spill_folder != NULL) {
        ARUS_TRY(spill_block(stage, err));
    }
    block = take_block(stage, capacity);
    if (block == NULL) {
        return arus_fail_memory(err);
    }
    block->next = NULL;
    block->size = 0;
    block->capacity = capacity;
    if (stage->last == NULL) {
        stage->first = block;
    } else {
        stage->last->next = block;
    }
    stage->last = block;
    stage->block_count++;
    return ARUS_OK;
}

static char *put_bytes(char *at, const char *data, size_t size)
{
    if (size > 0) {
        memcpy(at, data, size);
    }
    return at + size;
}

static void write_record(char *at, const struct arus_kafka_record *record,
                         const struct stored *stored)
{
    memcpy(at, stored, sizeof *stored);
    at = put_bytes(at + sizeof *stored, record->key.data, size_of(record->key));
    at = put_bytes(at, record->value.data, size_of(record->value));
    for (uint32_t i = 0; i < record->header_count; i++) {
        const struct arus_kafka_header *header = &record->headers[i];
        const struct stored_header head = {
            (int32_t)header->name.size,
            header->value.data == NULL ? -1 : (int32_t)header->value.size};

        at = put_bytes(at, (const char *)&head, sizeof head);
        at = put_bytes(at, header->name.data, header->name.size);
        *at++ = '\0';
        at = put_bytes(at, header->value.data, size_of(header->value));
    }
}

/* Rows may go from topic to topic: each name is kept once. */
static enum arus_status find_topic(struct arus_kafka_stage *stage, const char *topic,
                                   struct arus_error *err)
{
    struct arus_kafka_topic *item = stage->topic_list;
    struct arus_text name;

    while (item != NULL && strcmp(item->name, topic) != 0) {
        item = item->next;
    }
    if (item == NULL) {
        ARUS_TRY(ARUS_NEW(&stage->topics, struct arus_kafka_topic, 1, &item, err));
        ARUS_TRY(arus_text_copy(arus_text_of(topic), &stage->topics, &name, err));
        item->name = name.data;
        item->next = stage->topic_list;
        stage->topic_list = item;
    }
    stage->topic = item->name;
    return ARUS_OK;
}

enum arus_status arus_kafka_stage_put(struct arus_kafka_stage *stage,
                                      const struct arus_kafka_record *record,
                                      struct arus_error *err)
{
    const size_t bytes = record_size(record);
    struct stored stored = {.partition = record->partition,
                            .key_size = record->key.data == NULL ? -1 : (int32_t)record->key.size,
                            .value_size =
                                record->value.data == NULL ? -1 : (int32_t)record->value.size,
                            .header_count = record->header_count,
                            .size = (uint32_t)padded(sizeof stored + bytes)};

    if (bytes > INT32_MAX / 2) {
        return arus_fail(err, ARUS_BAD_DATA, NULL, "a record of %zu bytes is too large for Kafka",
                         bytes);
    }
    if (stage->topic == NULL || strcmp(stage->topic, record->topic) != 0) {
        ARUS_TRY(find_topic(stage, record->topic, err));
    }
    stored.topic = stage->topic;
    ARUS_TRY(make_room(stage, stored.size, err));
    write_record(stage->last->data + stage->last->size, record, &stored);
    stage->last->size += stored.size;
    stage->record_count++;
    stage->byte_count += bytes;
    stage->header_count += record->header_count;
    return ARUS_OK;
}

static void free_blocks(struct arus_kafka_block *block)
{
    while (block != NULL) {
        struct arus_kafka_block *next = block->next;

        arus_free(block);
        block = next;
    }
}

void arus_kafka_stage_reset(struct arus_kafka_stage *stage)
{
    while (stage->first != NULL) {
        struct arus_kafka_block *block = stage->first;

        stage->first = block->next;
        if (block->capacity == BLOCK_SIZE && stage->spare_count < SPARE_MAX) {
            block->next = stage->spare;
            stage->spare = block;
            stage->spare_count++;
        } else {
            arus_free(block);
        }
    }
    arus_file_abandon(&stage->spill); /* its path lies in the arena */
    arus_arena_reset(&stage->topics);
    arus_buffer_reset(&stage->spilled);
    stage->block_count = 0;
    stage->last = NULL;
    stage->topic = NULL;
    stage->topic_list = NULL;
    stage->record_count = 0;
    stage->byte_count = 0;
    stage->header_count = 0;
}

void arus_kafka_stage_release(struct arus_kafka_stage *stage)
{
    free_blocks(stage->first);
    free_blocks(stage->spare);
    arus_file_abandon(&stage->spill);
    arus_buffer_release(&stage->spilled);
    arus_arena_release(&stage->topics);
    *stage = (struct arus_kafka_stage){0};
}

void arus_kafka_stage_record(const void *at, struct arus_kafka_record *out)
{
    const char *data = (const char *)at + sizeof(struct stored);
    struct stored stored;

    memcpy(&stored, at, sizeof stored);
    *out = (struct arus_kafka_record){
        .topic = stored.topic, .partition = stored.partition, .header_count = stored.header_count};
    if (stored.key_size >= 0) {
        out->key = (struct arus_kafka_bytes){data, (size_t)stored.key_size};
        data += stored.key_size;
    }
    if (stored.value_size >= 0) {
        out->value = (struct arus_kafka_bytes){data, (size_t)stored.value_size};
    }
}

static size_t spilled_count(const struct arus_kafka_stage *stage)
{
    return stage->spilled.size / sizeof(size_t);
}

/* The next spilled block into the cursor's own memory. */
static enum arus_status read_spilled(struct arus_kafka_cursor *cursor, struct arus_error *err)
{
    const struct arus_kafka_stage *stage = cursor->stage;
    const size_t size = ((const size_t *)(const void *)stage->spilled.data)[cursor->spilled_index];
    size_t got = 0;

    if (cursor->scratch == NULL || cursor->scratch->capacity < size) {
        const size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;

        arus_free(cursor->scratch);
        cursor->scratch = arus_alloc_buffer(sizeof *cursor->scratch + capacity);
        if (cursor->scratch == NULL) {
            return arus_fail_memory(err);
        }
        cursor->scratch->capacity = capacity;
    }
    ARUS_TRY(arus_file_read_at(&stage->spill, cursor->spilled_at, cursor->scratch->data, size, &got,
                               err));
    if (got != size) {
        return arus_fail(err, ARUS_FATAL, NULL, "the records that were set aside are cut off");
    }
    cursor->scratch->size = size;
    cursor->scratch->next = NULL;
    cursor->spilled_at += size;
    cursor->spilled_index++;
    cursor->block = cursor->scratch;
    cursor->at = 0;
    return ARUS_OK;
}

bool arus_kafka_stage_is_spilled(const struct arus_kafka_cursor *cursor)
{
    return cursor->block != NULL && cursor->block == cursor->scratch;
}

bool arus_kafka_stage_is_turning(const struct arus_kafka_cursor *cursor)
{
    return arus_kafka_stage_is_spilled(cursor) && cursor->at >= cursor->block->size;
}

/* To the block that holds the next record; NULL: there is none. */
static enum arus_status turn(struct arus_kafka_cursor *cursor, struct arus_error *err)
{
    if (cursor->spilled_index < spilled_count(cursor->stage)) {
        return read_spilled(cursor, err);
    }
    cursor->block = cursor->block == NULL || cursor->block == cursor->scratch ? cursor->stage->first
                                                                              : cursor->block->next;
    cursor->at = 0;
    return ARUS_OK;
}

enum arus_status arus_kafka_stage_next(struct arus_kafka_cursor *cursor,
                                       struct arus_kafka_record *out, const void **at,
                                       struct arus_error *err)
{
    struct stored stored;

    *at = NULL;
    while (cursor->block == NULL || cursor->at >= cursor->block->size) {
        ARUS_TRY(turn(cursor, err));
        if (cursor->block == NULL) {
            return ARUS_OK;
        }
    }
    *at = cursor->block->data + cursor->at;
    memcpy(&stored, *at, sizeof stored);
    cursor->at += stored.size;
    arus_kafka_stage_record(*at, out);
    return ARUS_OK;
}

void arus_kafka_cursor_end(struct arus_kafka_cursor *cursor)
{
    arus_free(cursor->scratch);
    cursor->scratch = NULL;
}

void arus_kafka_stage_header(const void *at, uint32_t index, struct arus_kafka_header *out)
{
    const char *data = (const char *)at + sizeof(struct stored);
    struct stored stored;
    struct stored_header head;

    memcpy(&stored, at, sizeof stored);
    data += (stored.key_size > 0 ? stored.key_size : 0) +
            (stored.value_size > 0 ? stored.value_size : 0);
    for (uint32_t i = 0;; i++) {
        memcpy(&head, data, sizeof head);
        data += sizeof head;
        if (i == index) {
            break;
        }
        data += head.name_size + 1 + (head.value_size > 0 ? head.value_size : 0);
    }
    out->name = (struct arus_text){data, (size_t)head.name_size};
    out->value = (struct arus_kafka_bytes){head.value_size < 0 ? NULL : data + head.name_size + 1,
                                           head.value_size < 0 ? 0 : (size_t)head.value_size};
}
