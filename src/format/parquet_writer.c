/** Writes a file: slices of columns into sinks, row groups when enough is held back, the footer at
 * the end. */
#include "base/alloc.h"
#include "format/parquet_footer.h"
#include "format/parquet_internal.h"

#define SLICE_ROWS     ((uint32_t)2048)  /* of one column at a time: stays in the cache */
#define CHECK_ROWS     ((uint32_t)8192)  /* rows between two looks at what is held back */
#define GROUP_ROWS_MAX INT64_C(1048576)  /* rows of a row group */
#define HELD_SIZE_MAX  INT64_C(33554432) /* bytes held back */
#define STATS_SIZE_MAX ((size_t)4096)    /* longer bounds are left out, as in parquet-mr */
#define MAGIC          "PAR1"

/** Offsets of the writer's indexes count from the first one. */
struct writer {
    struct arus_parquet_write_settings settings;
    struct arus_output output;
    struct arus_arena arena; /* schema, layout, statistics */
    struct arus_parquet_layout layout;
    struct arus_text spark_schema;
    struct arus_parquet_sink *sinks; /* [layout.leaf_count] */
    struct arus_block_state codecs;
    struct arus_buffer groups;  /* struct arus_parquet_row_group */
    struct arus_buffer indexes; /* column and offset indexes of all row groups */
    struct arus_buffer scratch;
    struct arus_buffer bound;
    int64_t group_rows;
    int64_t row_count;
    int64_t offset; /* bytes written */
};

/* ---- opening ---- */

/** The type as it is written: everything may be null. */
static enum arus_status make_nullable(const struct arus_type *type, struct arus_arena *arena,
                                      const struct arus_type **out, struct arus_error *err)
{
    struct arus_field *fields;
    struct arus_type *copy;

    ARUS_TRY(ARUS_NEW(arena, struct arus_type, 1, &copy, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_field, type->field_count, &fields, err));
    *copy = *type;
    copy->fields = type->field_count == 0 ? NULL : fields;
    for (uint16_t i = 0; i < type->field_count; i++) {
        ARUS_TRY(arus_text_copy(type->fields[i].name, arena, &fields[i].name, err));
        ARUS_TRY(make_nullable(type->fields[i].type, arena, &fields[i].type, err));
        fields[i].is_nullable = true;
    }
    *out = copy;
    return ARUS_OK;
}

static enum arus_status write_schema(struct writer *writer, const struct arus_type *schema,
                                     struct arus_error *err)
{
    arus_buffer_reset(&writer->scratch);
    ARUS_TRY(arus_type_json(schema, &writer->scratch, err));
    return arus_text_copy(arus_buffer_text(&writer->scratch), &writer->arena, &writer->spark_schema,
                          err);
}

static void init_sinks(struct writer *writer, struct arus_parquet_branch *branch,
                       enum arus_block_codec codec)
{
    struct arus_parquet_sink *sink;

    for (uint16_t i = 0; i < branch->type->field_count; i++) {
        init_sinks(writer, &branch->children[i], codec);
    }
    if (arus_type_is_nested(branch->type)) {
        return;
    }
    sink = &writer->sinks[branch->sink];
    sink->settings = &writer->settings;
    sink->element = branch->element;
    sink->codec = codec;
    sink->order = arus_parquet_order_of(branch->type, &sink->width);
    sink->max_definition = branch->definition;
    sink->max_repetition = branch->repetition;
    arus_parquet_sink_init(sink);
}

static enum arus_status open_writer(struct writer *writer, const struct arus_type *schema,
                                    struct arus_error *err)
{
    static const enum arus_block_codec CODECS[] = {
#define X(name, text, codec, suffix) ARUS_BLOCK_##codec,
        ARUS_PARQUET_CODECS(X)
#undef X
    };
    const struct arus_type *nullable;

    ARUS_TRY(make_nullable(schema, &writer->arena, &nullable, err));
    ARUS_TRY(write_schema(writer, nullable, err));
    ARUS_TRY(arus_parquet_layout_build(nullable, &writer->arena, &writer->layout, err));
    writer->sinks = arus_alloc(writer->layout.leaf_count + 1, sizeof *writer->sinks);
    if (writer->sinks == NULL) {
        return arus_fail_memory(err);
    }
    init_sinks(writer, writer->layout.root, CODECS[writer->settings.codec]);
    return ARUS_OK;
}

enum arus_status arus_parquet_writer_open(const struct arus_type *schema, const void *settings,
                                          const struct arus_zone *zone, struct arus_output output,
                                          struct arus_writer **out, struct arus_error *err)
{
    struct writer *writer = arus_alloc(1, sizeof *writer);

    (void)zone;
    *out = NULL;
    if (writer == NULL) {
        return arus_fail_memory(err);
    }
    memcpy(&writer->settings, settings, sizeof writer->settings);
    writer->output = output;
    if (open_writer(writer, schema, err) != ARUS_OK) {
        arus_parquet_writer_close((struct arus_writer *)writer);
        return err->status;
    }
    *out = (struct arus_writer *)writer;
    return ARUS_OK;
}

/* ---- row groups ---- */

static enum arus_status put(struct writer *writer, struct arus_text bytes, struct arus_error *err)
{
    if (writer->offset == 0) {
        ARUS_TRY(writer->output.write(writer->output.self, MAGIC, sizeof MAGIC - 1, err));
        writer->offset = sizeof MAGIC - 1;
    }
    if (bytes.size == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(writer->output.write(writer->output.self, bytes.data, bytes.size, err));
    writer->offset += (int64_t)bytes.size;
    return ARUS_OK;
}

static enum arus_status set_stats(struct writer *writer, struct arus_parquet_sink *sink,
                                  struct arus_error *err)
{
    struct arus_parquet_stats *stats = &sink->chunk.stats;

    *stats = (struct arus_parquet_stats){.null_count = sink->null_count};
    arus_buffer_reset(&writer->scratch);
    arus_buffer_reset(&writer->bound);
    if (!arus_parquet_bounds_hold(&sink->bounds)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_parquet_bounds_write(&sink->bounds, &writer->scratch, &writer->bound, err));
    if (writer->scratch.size + writer->bound.size > STATS_SIZE_MAX) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_text_copy(arus_buffer_text(&writer->scratch), &writer->arena, &stats->min, err));
    return arus_text_copy(arus_buffer_text(&writer->bound), &writer->arena, &stats->max, err);
}

/** Writes a sink's chunk and keeps its indexes for later. */
static enum arus_status write_chunk(struct writer *writer, struct arus_parquet_sink *sink,
                                    struct arus_error *err)
{
    const size_t index = writer->indexes.size;

    ARUS_TRY(put(writer, (struct arus_text){0}, err)); /* the magic is there: offsets hold */
    arus_buffer_reset(&writer->scratch);
    ARUS_TRY(arus_parquet_sink_dictionary(sink, &writer->codecs, &writer->scratch, err));
    sink->chunk.dictionary_offset = writer->scratch.size == 0 ? 0 : writer->offset;
    ARUS_TRY(put(writer, arus_buffer_text(&writer->scratch), err));
    sink->chunk.data_offset = writer->offset;
    ARUS_TRY(arus_parquet_sink_indexes(sink, writer->offset, &writer->indexes, err));
    sink->chunk.column_index_offset = (int64_t)index;
    sink->chunk.offset_index_offset = (int64_t)index + sink->chunk.column_index_size;
    ARUS_TRY(put(writer, arus_buffer_text(&sink->pages), err));
    return set_stats(writer, sink, err);
}

static enum arus_status end_group(struct writer *writer, struct arus_error *err)
{
    struct arus_parquet_row_group group = {.row_count = writer->group_rows};
    const uint32_t count = writer->layout.leaf_count;

    if (writer->group_rows == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(&writer->arena, struct arus_parquet_chunk, count, &group.chunks, err));
    ARUS_TRY(put(writer, (struct arus_text){0}, err));
    group.file_offset = writer->offset;
    for (uint32_t i = 0; i < count; i++) {
        struct arus_parquet_sink *sink = &writer->sinks[i];

        ARUS_TRY(arus_parquet_sink_end_page(sink, &writer->codecs, err));
        ARUS_TRY(write_chunk(writer, sink, err));
        group.chunks[i] = sink->chunk;
        group.plain_size += sink->chunk.plain_size;
        group.compressed_size += sink->chunk.compressed_size;
        arus_parquet_sink_reset(sink);
    }
    writer->row_count += writer->group_rows;
    writer->group_rows = 0;
    return arus_buffer_append(&writer->groups, &group, sizeof group, err);
}

static bool group_is_full(const struct writer *writer)
{
    const int64_t most =
        writer->settings.block_size < HELD_SIZE_MAX ? writer->settings.block_size : HELD_SIZE_MAX;
    uint64_t size = 0;

    for (uint32_t i = 0; i < writer->layout.leaf_count; i++) {
        size += arus_parquet_sink_size(&writer->sinks[i]);
    }
    return size >= (uint64_t)most || writer->group_rows >= GROUP_ROWS_MAX;
}

/* ---- rows ---- */

static enum arus_status write_rows(struct writer *writer, const struct arus_batch *batch,
                                   uint32_t begin, uint32_t end, struct arus_error *err)
{
    for (uint16_t i = 0; i < batch->schema->field_count; i++) {
        for (uint32_t row = begin; row < end; row += SLICE_ROWS) {
            const uint32_t left = end - row;

            ARUS_TRY(arus_parquet_shred(writer->layout.root, i, &batch->columns[i], row,
                                        left < SLICE_ROWS ? left : SLICE_ROWS, writer->sinks,
                                        &writer->codecs, err));
        }
    }
    writer->group_rows += end - begin;
    return group_is_full(writer) ? end_group(writer, err) : ARUS_OK;
}

enum arus_status arus_parquet_writer_write(struct arus_writer *self, const struct arus_batch *batch,
                                           struct arus_error *err)
{
    struct writer *writer = (struct writer *)self;

    ARUS_ASSERT(batch->schema->field_count == writer->layout.root->type->field_count);
    for (uint32_t row = 0; row < batch->row_count; row += CHECK_ROWS) {
        const uint32_t left = batch->row_count - row;

        ARUS_TRY(
            write_rows(writer, batch, row, row + (left < CHECK_ROWS ? left : CHECK_ROWS), err));
    }
    return ARUS_OK;
}

/** Indexes follow the row groups: now their places in the file are known. */
static void place_indexes(struct writer *writer)
{
    struct arus_parquet_row_group *groups = (void *)writer->groups.data;
    const size_t count = writer->groups.size / sizeof *groups;

    for (size_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < writer->layout.leaf_count; j++) {
            groups[i].chunks[j].column_index_offset += writer->offset;
            groups[i].chunks[j].offset_index_offset += writer->offset;
        }
    }
}

enum arus_status arus_parquet_writer_finish(struct arus_writer *self, struct arus_write_stats *out,
                                            struct arus_error *err)
{
    struct writer *writer = (struct writer *)self;
    struct arus_parquet_footer footer = {.layout = &writer->layout,
                                         .spark_schema = writer->spark_schema};

    ARUS_TRY(end_group(writer, err));
    ARUS_TRY(put(writer, (struct arus_text){0}, err));
    place_indexes(writer);
    ARUS_TRY(put(writer, arus_buffer_text(&writer->indexes), err));
    footer.row_groups = (const void *)writer->groups.data;
    footer.row_group_count = writer->groups.size / sizeof(struct arus_parquet_row_group);
    footer.row_count = writer->row_count;
    arus_buffer_reset(&writer->scratch);
    ARUS_TRY(arus_parquet_footer_write(&footer, &writer->scratch, err));
    ARUS_TRY(put(writer, arus_buffer_text(&writer->scratch), err));
    *out = (struct arus_write_stats){(uint64_t)writer->row_count, (uint64_t)writer->offset};
    return ARUS_OK;
}

uint64_t arus_parquet_writer_held_size(const struct arus_writer *self)
{
    const struct writer *writer = (const struct writer *)self;
    uint64_t size = writer->arena.used_size + writer->groups.capacity + writer->indexes.capacity +
                    writer->scratch.capacity + arus_parquet_branch_held_size(writer->layout.root);

    for (uint32_t i = 0; i < writer->layout.leaf_count; i++) {
        size += arus_parquet_sink_held_size(&writer->sinks[i]);
    }
    return size;
}

void arus_parquet_writer_close(struct arus_writer *self)
{
    struct writer *writer = (struct writer *)self;

    if (writer == NULL) {
        return;
    }
    for (uint32_t i = 0; writer->sinks != NULL && i < writer->layout.leaf_count; i++) {
        arus_parquet_sink_release(&writer->sinks[i]);
    }
    if (writer->layout.root != NULL) {
        arus_parquet_branch_release(writer->layout.root);
    }
    arus_free(writer->sinks);
    arus_block_state_release(&writer->codecs);
    arus_buffer_release(&writer->groups);
    arus_buffer_release(&writer->indexes);
    arus_buffer_release(&writer->scratch);
    arus_buffer_release(&writer->bound);
    arus_arena_release(&writer->arena);
    arus_free(writer);
}
