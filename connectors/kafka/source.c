/** The Kafka source: binding a table, reading ranges of offsets into batches.
 */
#include "kafka/source.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "kafka/message.h"
#include "kafka/registry.h"

#include <stdlib.h>

#define BATCH_SIZE_MAX ((size_t)4 * 1024 * 1024) /* bytes of messages */

static const struct arus_field HEADER_FIELDS[] = {
    {.name = {"key", 3}, .type = &ARUS_STRING, .is_nullable = true},
    {.name = {"value", 5}, .type = &ARUS_BINARY, .is_nullable = true},
};
static const struct arus_type HEADER = {
    .id = ARUS_TYPE_STRUCT, .field_count = 2, .fields = HEADER_FIELDS};
static const struct arus_field HEADERS_ELEMENT[] = {
    {.name = {"element", 7}, .type = &HEADER, .is_nullable = true}};
static const struct arus_type HEADERS = {
    .id = ARUS_TYPE_ARRAY, .field_count = 1, .fields = HEADERS_ELEMENT};

const struct arus_field ARUS_KAFKA_FIELDS[ARUS_KAFKA_COLUMN_COUNT] = {
    [ARUS_KAFKA_KEY] = {.name = {"key", 3}, .type = &ARUS_BINARY, .is_nullable = true},
    [ARUS_KAFKA_VALUE] = {.name = {"value", 5}, .type = &ARUS_BINARY, .is_nullable = true},
    [ARUS_KAFKA_TOPIC] = {.name = {"topic", 5}, .type = &ARUS_STRING, .is_nullable = true},
    [ARUS_KAFKA_PARTITION] = {.name = {"partition", 9}, .type = &ARUS_INT, .is_nullable = true},
    [ARUS_KAFKA_OFFSET] = {.name = {"offset", 6}, .type = &ARUS_BIGINT, .is_nullable = true},
    [ARUS_KAFKA_TIMESTAMP] = {.name = {"timestamp", 9},
                              .type = &ARUS_TIMESTAMP,
                              .is_nullable = true},
    [ARUS_KAFKA_TIMESTAMP_TYPE] = {.name = {"timestampType", 13},
                                   .type = &ARUS_INT,
                                   .is_nullable = true},
    [ARUS_KAFKA_HEADERS] = {.name = {"headers", 7}, .type = &HEADERS, .is_nullable = true},
};

/* What a table with columns of its own has besides them. */
static const struct arus_type METADATA = {
    .id = ARUS_TYPE_STRUCT, .field_count = ARUS_KAFKA_COLUMN_COUNT, .fields = ARUS_KAFKA_FIELDS};

/* ---- binding ---- */

/* Spark's name of the source: KafkaV2[Subscribe[a, b]]. */
static enum arus_status describe(struct arus_kafka_source *source, struct arus_arena *arena,
                                 struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = ARUS_OK;

    switch (source->strategy) {
    case ARUS_KAFKA_SUBSCRIBE:
        status = arus_buffer_printf(&text, err, "KafkaV2[Subscribe[");
        for (size_t i = 0; i < source->topic_count && status == ARUS_OK; i++) {
            status =
                arus_buffer_printf(&text, err, "%s%s", i == 0 ? "" : ", ", source->topics[i].data);
        }
        break;
    case ARUS_KAFKA_ASSIGN:
        status = arus_buffer_printf(&text, err, "KafkaV2[Assign[");
        for (size_t i = 0; i < source->assigned.count && status == ARUS_OK; i++) {
            status = arus_buffer_printf(&text, err, "%s%s-%d", i == 0 ? "" : ", ",
                                        source->assigned.items[i].topic.data,
                                        source->assigned.items[i].partition);
        }
        break;
    case ARUS_KAFKA_PATTERN:
        status = arus_buffer_printf(&text, err, "KafkaV2[SubscribePattern[%.*s",
                                    ARUS_TEXT_ARGS(source->settings.pattern));
        break;
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append(&text, "]]", 2, err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), arena, &source->base.description, err);
    }
    arus_buffer_release(&text);
    return status;
}

static bool has_format(const struct arus_kafka_source_settings *settings)
{
    return settings->format != ARUS_KAFKA_RAW || settings->value_format != ARUS_KAFKA_RAW ||
           settings->key_format != ARUS_KAFKA_RAW;
}

static enum arus_status bind_schema(struct arus_kafka_source *source, struct arus_arena *arena,
                                    struct arus_error *err)
{
    const uint16_t count =
        source->settings.has_headers ? ARUS_KAFKA_COLUMN_COUNT : ARUS_KAFKA_HEADERS;

    if (source->base.table->declared != NULL) {
        source->base.metadata = &METADATA;
        return arus_kafka_bind_declared(source, arena, err);
    }
    if (has_format(&source->settings)) {
        return arus_fail_at(err, source->base.table->place, NULL,
                            "`%.*s` has a format, but no columns to read with it",
                            ARUS_TEXT_ARGS(source->base.table->name));
    }
    return arus_type_struct(ARUS_KAFKA_FIELDS, count, arena, &source->base.schema, err);
}

static enum arus_status kafka_bind(const struct arus_table *table, bool is_stream,
                                   struct arus_arena *arena, struct arus_source **out,
                                   struct arus_error *err)
{
    struct arus_kafka_source *source;

    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_source, 1, &source, err));
    source->base.ops = &ARUS_KAFKA_SOURCE;
    ARUS_TRY(arus_kafka_source_options(table, is_stream, arena, source, err));
    ARUS_TRY(bind_schema(source, arena, err));
    ARUS_TRY(describe(source, arena, err));
    source->base.location = source->subject->value;
    *out = &source->base;
    return ARUS_OK;
}

/* ---- compiling a request ---- */

/* The fields of one side that are wanted, in the order of the output. */
struct wanted {
    struct arus_field *fields;
    uint16_t count;
};

static struct arus_kafka_place place_of(const struct arus_kafka_source *source,
                                        const struct arus_field *field, uint16_t in_schema,
                                        struct wanted sides[2])
{
    struct wanted *side;

    if (!source->is_declared) {
        return (struct arus_kafka_place){ARUS_KAFKA_FROM_MESSAGE, in_schema};
    }
    if (in_schema >= source->base.schema->field_count) {
        return (struct arus_kafka_place){ARUS_KAFKA_FROM_METADATA, 0};
    }
    side = &sides[source->is_key_column[in_schema]];
    side->fields[side->count] = *field;
    return (struct arus_kafka_place){source->is_key_column[in_schema] ? ARUS_KAFKA_FROM_KEY
                                                                      : ARUS_KAFKA_FROM_VALUE,
                                     side->count++};
}

static enum arus_status kafka_scan_open(const struct arus_source *base,
                                        const struct arus_scan *request, struct arus_arena *arena,
                                        struct arus_source_scan **out, struct arus_error *err)
{
    const uint16_t width = request->output->field_count;
    struct wanted sides[2] = {{0}, {0}};
    struct arus_kafka_place *places;
    struct arus_source_scan *scan;

    ARUS_TRY(ARUS_NEW(arena, struct arus_source_scan, 1, &scan, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_place, width + 1u, &places, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, width + 1u, &sides[0].fields, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, width + 1u, &sides[1].fields, err));
    scan->source = (const struct arus_kafka_source *)base;
    scan->request = request;
    scan->places = places;
    for (uint16_t i = 0; i < width; i++) {
        places[i] =
            place_of(scan->source, &request->output->fields[i], request->output_fields[i], sides);
    }
    if (sides[0].count > 0) {
        ARUS_TRY(
            arus_type_struct(sides[0].fields, sides[0].count, arena, &scan->wanted_value, err));
    }
    if (sides[1].count > 0) {
        ARUS_TRY(arus_type_struct(sides[1].fields, sides[1].count, arena, &scan->wanted_key, err));
    }
    *out = scan;
    return ARUS_OK;
}

/* ---- splits of a batch query ---- */

enum arus_status arus_kafka_make_splits(const struct arus_kafka_range *ranges, size_t count,
                                        struct arus_arena *arena, struct arus_splits *out,
                                        struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, struct arus_split *, count + 1, &out->items, err));
    out->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct arus_kafka_split *split;

        ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_split, 1, &split, err));
        split->base.size = (uint64_t)(ranges[i].to - ranges[i].from);
        split->base.index = (uint32_t)i;
        split->range = ranges[i];
        split->anchor.offset = -1;
        out->items[out->count++] = &split->base;
    }
    return ARUS_OK;
}

/* Start and end of all partitions now, for a batch query. */
static enum arus_status ask_ranges(const struct arus_kafka_source *source,
                                   const struct arus_kafka_client *client, struct arus_arena *arena,
                                   struct arus_kafka_positions *start,
                                   struct arus_kafka_positions *end, struct arus_error *err)
{
    ARUS_TRY(arus_kafka_discover(source, client, false, arena, start, err));
    ARUS_TRY(arus_kafka_positions_copy(start, arena, end, err));
    ARUS_TRY(arus_kafka_resolve_bound(source, client, &source->start, arena, start, err));
    return arus_kafka_resolve_bound(source, client, &source->end, arena, end, err);
}

static enum arus_status list_ranges(const struct arus_kafka_source *source,
                                    const struct arus_kafka_client *client,
                                    struct arus_arena *arena, struct arus_splits *out,
                                    struct arus_error *err)
{
    struct arus_kafka_positions start;
    struct arus_kafka_positions end;
    struct arus_kafka_range *ranges;
    struct arus_kafka_range *pieces;
    size_t count = 0;

    ARUS_TRY(ask_ranges(source, client, arena, &start, &end, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_kafka_range, start.count + 1, &ranges, err));
    for (size_t i = 0; i < start.count; i++) {
        ranges[i] = (struct arus_kafka_range){.topic = start.items[i].topic,
                                              .partition = start.items[i].partition,
                                              .from = start.items[i].offset,
                                              .to = end.items[i].offset};
    }
    ARUS_TRY(arus_kafka_ranges_split(ranges, start.count, &source->settings.split, arena, &pieces,
                                     &count, err));
    return arus_kafka_make_splits(pieces, count, arena, out, err);
}

static enum arus_status kafka_list(struct arus_source_scan *scan, uint32_t worker_count,
                                   struct arus_arena *arena, struct arus_splits *out,
                                   struct arus_error *err)
{
    struct arus_kafka_client client;
    enum arus_status status;

    (void)worker_count;
    ARUS_TRY(arus_kafka_source_connect(scan->source, &client, err));
    status = list_ranges(scan->source, &client, arena, out, err);
    arus_kafka_client_close(&client);
    return status;
}

/* The ends of all partitions: a static side is read again when one has grown.
 */
static enum arus_status kafka_fingerprint(struct arus_source_scan *scan, uint64_t *out,
                                          struct arus_error *err)
{
    struct arus_arena arena = {0};
    struct arus_kafka_positions start;
    struct arus_kafka_positions end;
    struct arus_kafka_client client;
    enum arus_status status;

    *out = 0;
    ARUS_TRY(arus_kafka_source_connect(scan->source, &client, err));
    status = ask_ranges(scan->source, &client, &arena, &start, &end, err);
    for (size_t i = 0; status == ARUS_OK && i < end.count; i++) {
        const uint64_t from = arus_hash_u64((uint64_t)start.items[i].offset);

        *out = arus_hash_mix(*out, from ^ arus_hash_u64((uint64_t)end.items[i].offset + 1));
    }
    arus_kafka_client_close(&client);
    arus_arena_release(&arena);
    return status;
}

/* ---- reading ---- */

struct arus_scan_worker {
    const struct arus_source_scan *scan;
    struct arus_kafka_fetcher *own; /* of a batch query; NULL: none yet */
    const struct arus_kafka_split *split;
    struct arus_kafka_lane *lane;
    struct arus_arena arena; /* of the batch given out */
    struct arus_vector *columns;
    struct arus_kafka_decoder *key; /* NULL: nothing is wanted from it */
    struct arus_kafka_decoder *value;
    struct arus_registry *registries[2]; /* own, of value and key; as `own` */
    bool is_ready;                       /* the decoders are open */
    const struct arus_bad_records *bad;  /* whoever watches; or NULL */
    uint64_t dropped[ARUS_BATCH_ROWS / 64];
    uint64_t bad_rows[ARUS_BATCH_ROWS / 64];
    rd_kafka_message_t *messages[ARUS_BATCH_ROWS];
    struct arus_record *records; /* of the batch given out, in `arena`, while somebody watches */
    const uint32_t *kept;        /* those that rows stand for; NULL: all */
    size_t message_max;          /* of the next batch, by the size of the last one's
                                    messages */
    struct arus_scan_stats stats;
};

static void kafka_worker_close(struct arus_scan_worker *worker)
{
    if (worker == NULL) {
        return;
    }
    arus_kafka_fetcher_close(worker->own);
    arus_kafka_decoder_close(worker->key);
    arus_kafka_decoder_close(worker->value);
    arus_registry_close(worker->registries[0]);
    arus_registry_close(worker->registries[1]);
    arus_arena_release(&worker->arena);
    arus_free(worker->columns);
    arus_free(worker);
}

static enum arus_status open_decoders(struct arus_scan_worker *worker, struct arus_error *err)
{
    const struct arus_source_scan *scan = worker->scan;
    const bool marks_bad = worker->bad != NULL && worker->bad->take != NULL;

    if (worker->is_ready) {
        return ARUS_OK;
    }
    if (scan->wanted_key != NULL) {
        ARUS_TRY(arus_kafka_decoder_open(&scan->source->key, scan->wanted_key, marks_bad,
                                         scan->request->zone, &worker->key, err));
    }
    if (scan->wanted_value != NULL) {
        ARUS_TRY(arus_kafka_decoder_open(&scan->source->value, scan->wanted_value, marks_bad,
                                         scan->request->zone, &worker->value, err));
    }
    worker->is_ready = true;
    return ARUS_OK;
}

static enum arus_status kafka_worker_open(struct arus_source_scan *scan,
                                          struct arus_scan_worker **out, struct arus_error *err)
{
    struct arus_scan_worker *worker = arus_alloc(1, sizeof *worker);

    *out = NULL;
    if (worker == NULL) {
        return arus_fail_memory(err);
    }
    worker->scan = scan;
    worker->message_max = 1024;
    worker->columns =
        arus_alloc((size_t)scan->request->output->field_count + 1, sizeof *worker->columns);
    if (worker->columns == NULL) {
        kafka_worker_close(worker);
        return arus_fail_memory(err);
    }
    *out = worker;
    return ARUS_OK;
}

/* The registry of one side: the stream's, or one of our own. */
static enum arus_status use_registry(struct arus_scan_worker *worker, bool is_key,
                                     const struct arus_kafka_split *split, struct arus_error *err)
{
    const struct arus_kafka_source *source = worker->scan->source;
    const struct arus_registry_config *config =
        arus_kafka_side_registry(is_key ? &source->key : &source->value);
    struct arus_kafka_decoder *decoder = is_key ? worker->key : worker->value;

    if (decoder == NULL || config == NULL) {
        return ARUS_OK;
    }
    if (split->registries[is_key] == NULL && worker->registries[is_key] == NULL) {
        ARUS_TRY(arus_registry_open(config, &worker->registries[is_key], err));
    }
    arus_kafka_decoder_use(decoder, split->registries[is_key] != NULL ? split->registries[is_key]
                                                                      : worker->registries[is_key]);
    return ARUS_OK;
}

static enum arus_status kafka_worker_start(struct arus_scan_worker *worker,
                                           const struct arus_split *base, struct arus_error *err)
{
    const struct arus_kafka_split *split = (const struct arus_kafka_split *)base;
    struct arus_kafka_fetcher *fetcher = split->fetcher;

    ARUS_TRY(open_decoders(worker, err));
    if (fetcher == NULL && worker->own == NULL) {
        struct arus_kafka_client client;

        ARUS_TRY(arus_kafka_source_connect(worker->scan->source, &client, err));
        ARUS_TRY(arus_kafka_fetcher_open(worker->scan->source, &client, NULL, &worker->own, err));
    }
    worker->split = split;
    ARUS_TRY(use_registry(worker, false, split, err));
    ARUS_TRY(use_registry(worker, true, split, err));
    return arus_kafka_fetcher_begin(fetcher == NULL ? worker->own : fetcher, &split->range,
                                    &split->anchor, &worker->lane, err);
}

/* A key or value that is no good: the message it stands in. */
static enum arus_status place_bad(const struct arus_scan_worker *worker, bool is_key, uint32_t row,
                                  struct arus_error *err)
{
    const rd_kafka_message_t *message = worker->messages[row];
    const size_t size = is_key ? message->key_len : message->len;

    if (err->status != ARUS_BAD_DATA) {
        return err->status;
    }
    return arus_error_row(err, "%s[%d]@%lld %s %.*s", worker->split->range.topic.data,
                          worker->split->range.partition, (long long)message->offset,
                          is_key ? "key" : "value", (int)(size < 200 ? size : 200),
                          is_key ? (const char *)message->key : (const char *)message->payload);
}

/* The columns of one side; NULL: none are wanted. */
static enum arus_status decode_side(struct arus_scan_worker *worker,
                                    const struct arus_kafka_messages *messages, bool is_key,
                                    struct arus_vector **out, struct arus_error *err)
{
    struct arus_kafka_decoder *decoder = is_key ? worker->key : worker->value;
    struct arus_vector bytes;
    uint32_t bad_row = 0;

    *out = NULL;
    if (decoder == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_kafka_message_column(messages, is_key ? ARUS_KAFKA_KEY : ARUS_KAFKA_VALUE,
                                       &ARUS_BINARY, &worker->arena, &bytes, err));
    if (arus_kafka_decode(decoder, &bytes, out, worker->dropped, worker->bad_rows, &bad_row, err) !=
        ARUS_OK) {
        return place_bad(worker, is_key, bad_row, err);
    }
    return ARUS_OK;
}

static enum arus_status fill_columns(struct arus_scan_worker *worker,
                                     const struct arus_kafka_messages *messages,
                                     struct arus_error *err)
{
    const struct arus_scan *request = worker->scan->request;
    struct arus_vector *keys;
    struct arus_vector *values;

    ARUS_TRY(decode_side(worker, messages, true, &keys, err));
    ARUS_TRY(decode_side(worker, messages, false, &values, err));
    for (uint16_t i = 0; i < request->output->field_count; i++) {
        const struct arus_kafka_place place = worker->scan->places[i];
        const struct arus_type *type = request->output->fields[i].type;

        switch (place.origin) {
        case ARUS_KAFKA_FROM_KEY:
            worker->columns[i] = keys[place.index];
            break;
        case ARUS_KAFKA_FROM_VALUE:
            worker->columns[i] = values[place.index];
            break;
        case ARUS_KAFKA_FROM_METADATA:
            ARUS_TRY(arus_kafka_message_metadata(messages, type, &worker->arena,
                                                 &worker->columns[i], err));
            break;
        case ARUS_KAFKA_FROM_MESSAGE:
            ARUS_TRY(arus_kafka_message_column(messages, (enum arus_kafka_column)place.index, type,
                                               &worker->arena, &worker->columns[i], err));
            break;
        }
    }
    return ARUS_OK;
}

/* Leaves out what mode DROPMALFORMED drops. */
static enum arus_status drop_rows(struct arus_scan_worker *worker, uint32_t count,
                                  struct arus_batch *out, struct arus_error *err)
{
    struct arus_batch all = {.schema = out->schema, .row_count = count, .columns = worker->columns};
    uint32_t *kept;
    uint32_t kept_count = 0;

    *out = all;
    worker->kept = NULL;
    ARUS_TRY(ARUS_NEW(&worker->arena, uint32_t, count, &kept, err));
    for (uint32_t i = 0; i < count; i++) {
        if (!arus_bit_get(worker->dropped, i)) {
            kept[kept_count++] = i;
        }
    }
    worker->stats.rejected_count += count - kept_count;
    worker->stats.row_count += kept_count;
    if (kept_count == count) {
        return ARUS_OK;
    }
    worker->kept = kept;
    return arus_batch_slice(&all, kept, kept_count, &worker->arena, out, err);
}

/* How many messages make about BATCH_SIZE_MAX bytes, going by the last ones. */
static void adapt(struct arus_scan_worker *worker, size_t count)
{
    size_t size = 0;
    size_t max;

    for (size_t i = 0; i < count; i++) {
        size += worker->messages[i]->len + worker->messages[i]->key_len;
    }
    worker->stats.byte_count += size;
    max = BATCH_SIZE_MAX / (size / count + 1);
    worker->message_max = max < 1 ? 1 : max > ARUS_BATCH_ROWS ? ARUS_BATCH_ROWS : max;
}

static enum arus_status copy_bytes(struct arus_scan_worker *worker, const void *data, size_t size,
                                   struct arus_text *out, struct arus_error *err)
{
    *out = (struct arus_text){0};
    return data == NULL ? ARUS_OK
                        : arus_text_copy((struct arus_text){data, size}, &worker->arena, out, err);
}

/* Messages are given back to librdkafka at once: it must not be closed before. */
static enum arus_status keep_records(struct arus_scan_worker *worker, uint32_t count,
                                     struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(&worker->arena, struct arus_record, count, &worker->records, err));
    for (uint32_t i = 0; i < count; i++) {
        const rd_kafka_message_t *message = worker->messages[i];
        struct arus_record *record = &worker->records[i];

        *record = (struct arus_record){.topic = worker->split->range.topic,
                                       .partition = worker->split->range.partition,
                                       .offset = message->offset};
        ARUS_TRY(copy_bytes(worker, message->key, message->key_len, &record->key, err));
        ARUS_TRY(copy_bytes(worker, message->payload, message->len, &record->text, err));
    }
    return ARUS_OK;
}

/* A message is told of once, whether its key or its value is bad. */
static enum arus_status tell_bad(struct arus_scan_worker *worker, uint32_t count,
                                 struct arus_error *err)
{
    if (worker->bad == NULL || worker->bad->take == NULL) {
        return ARUS_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (arus_bit_get(worker->bad_rows, i)) {
            ARUS_TRY(worker->bad->take(worker->bad->self, &worker->records[i],
                                       arus_bit_get(worker->dropped, i), err));
        }
    }
    return ARUS_OK;
}

static void kafka_worker_watch(struct arus_scan_worker *worker, const struct arus_bad_records *bad)
{
    worker->bad = bad;
}

static enum arus_status kafka_worker_record(struct arus_scan_worker *worker, uint32_t row,
                                            struct arus_record *out, struct arus_error *err)
{
    (void)err;
    *out = worker->records[worker->kept == NULL ? row : worker->kept[row]];
    return ARUS_OK;
}

static enum arus_status kafka_worker_next(struct arus_scan_worker *worker, struct arus_batch *out,
                                          struct arus_error *err)
{
    *out = (struct arus_batch){.schema = worker->scan->request->output};
    while (out->row_count == 0) {
        enum arus_status status;
        size_t count = 0;

        ARUS_TRY(
            arus_kafka_lane_next(worker->lane, worker->messages, worker->message_max, &count, err));
        if (count == 0) {
            return ARUS_OK;
        }
        arus_arena_reset(&worker->arena);
        memset(worker->dropped, 0, sizeof worker->dropped);
        memset(worker->bad_rows, 0, sizeof worker->bad_rows);
        adapt(worker, count);
        status =
            fill_columns(worker,
                         &(struct arus_kafka_messages){.items = worker->messages,
                                                       .count = (uint32_t)count,
                                                       .topic = worker->split->range.topic,
                                                       .partition = worker->split->range.partition},
                         err);
        if (status == ARUS_OK && worker->bad != NULL) {
            status = keep_records(worker, (uint32_t)count, err);
        }
        for (size_t i = 0; i < count; i++) {
            arus_rdkafka.message_destroy(worker->messages[i]);
        }
        ARUS_TRY(status);
        ARUS_TRY(tell_bad(worker, (uint32_t)count, err));
        ARUS_TRY(drop_rows(worker, (uint32_t)count, out, err));
    }
    return ARUS_OK;
}

static void kafka_worker_stats(const struct arus_scan_worker *worker, struct arus_scan_stats *out)
{
    *out = worker->stats;
}

const struct arus_source_ops ARUS_KAFKA_SOURCE = {
    .bind = kafka_bind,
    .scan_open = kafka_scan_open,
    .worker_open = kafka_worker_open,
    .worker_start = kafka_worker_start,
    .worker_next = kafka_worker_next,
    .worker_watch = kafka_worker_watch,
    .worker_record = kafka_worker_record,
    .worker_stats = kafka_worker_stats,
    .worker_close = kafka_worker_close,
    .list = kafka_list,
    .fingerprint = kafka_fingerprint,
    .stream_open = arus_kafka_stream_open,
    .stream_plan = arus_kafka_stream_plan,
    .stream_splits = arus_kafka_stream_splits,
    .stream_read = arus_kafka_stream_read,
    .stream_wake_fd = arus_kafka_stream_wake_fd,
    .stream_close = arus_kafka_stream_close,
};
