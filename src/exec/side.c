#include "exec/side.h"

#include "base/alloc.h"
#include "exec/fate.h"
#include "format/json.h"
#include "types/utf8.h"

#define HELD_MAX ((size_t)4 << 20) /* bytes of texts a worker holds before it hands rows on */

/* One row that is set aside. */
struct aside {
    const struct arus_record *record; /* NULL: it came from no source */
    const char *reason;
    const char *fate;
    const int64_t *event_time; /* microseconds; NULL: unknown */
    const int64_t *watermark;
    struct arus_text row; /* JSON; data NULL: none */
};

/* ---- rows of a worker ---- */

static struct arus_side_rows *rows_of(const struct arus_exec *exec, uint32_t worker,
                                      enum arus_side side)
{
    return &exec->sides[worker * ARUS_SIDE_COUNT + side];
}

static enum arus_status open_rows(struct arus_side_rows *rows, struct arus_error *err)
{
    for (uint16_t i = 0; i < ARUS_SIDE_COLUMN_COUNT; i++) {
        ARUS_TRY(arus_builder_init(&rows->columns[i], ARUS_SIDE_SCHEMA.fields[i].type, err));
    }
    rows->is_open = true;
    return ARUS_OK;
}

static void reset_rows(struct arus_side_rows *rows)
{
    for (uint16_t i = 0; rows->is_open && i < ARUS_SIDE_COLUMN_COUNT; i++) {
        arus_builder_reset(&rows->columns[i]);
    }
    arus_arena_reset(&rows->heap);
}

static enum arus_status hand_on(struct arus_exec *exec, uint32_t worker, enum arus_side side,
                                struct arus_error *err)
{
    struct arus_side_rows *rows = rows_of(exec, worker, side);
    const struct arus_side_writer *writer = exec->run->side;
    struct arus_vector columns[ARUS_SIDE_COLUMN_COUNT];
    const struct arus_batch batch = {&ARUS_SIDE_SCHEMA, rows->columns[0].row_count, columns};

    if (!rows->is_open || batch.row_count == 0) {
        return ARUS_OK;
    }
    for (uint16_t i = 0; i < ARUS_SIDE_COLUMN_COUNT; i++) {
        ARUS_TRY(arus_builder_finish(&rows->columns[i], &rows->heap, &columns[i], err));
    }
    ARUS_TRY(writer->write(writer->self, side, worker, &batch, err));
    reset_rows(rows);
    return ARUS_OK;
}

/* ---- values ---- */

static enum arus_status put(struct arus_side_rows *rows, enum arus_side_column column,
                            const void *value, struct arus_error *err)
{
    struct arus_builder *builder = &rows->columns[column];

    return value == NULL ? arus_builder_null(builder, err)
                         : arus_builder_value(builder, value, err);
}

static enum arus_status put_bytes(struct arus_side_rows *rows, enum arus_side_column column,
                                  struct arus_text bytes, struct arus_error *err)
{
    struct arus_text copy;
    struct arus_view view;

    if (bytes.data == NULL) {
        return arus_builder_null(&rows->columns[column], err);
    }
    ARUS_TRY(arus_text_copy(bytes, &rows->heap, &copy, err));
    view = arus_view_of(copy.data, copy.size);
    return arus_builder_value(&rows->columns[column], &view, err);
}

/* A text of a file may be anything; a STRING is UTF-8. */
static enum arus_status put_text(struct arus_side_rows *rows, enum arus_side_column column,
                                 struct arus_text text, struct arus_error *err)
{
    char *repaired;
    void *memory;
    size_t size = 0;

    if (text.data == NULL || arus_utf8_is_valid(text)) {
        return put_bytes(rows, column, text, err);
    }
    ARUS_TRY(arus_arena_alloc(&rows->heap, text.size * 3 + 1, &memory, err));
    repaired = memory;
    for (size_t at = 0; at < text.size;) {
        size += arus_utf8_write(arus_utf8_next(text, &at), repaired + size);
    }
    return put_bytes(rows, column, (struct arus_text){repaired, size}, err);
}

/* Messages keep their bytes; so do records that are no text. */
static enum arus_status put_record(struct arus_side_rows *rows, const struct arus_record *record,
                                   struct arus_error *err)
{
    static const struct arus_text NOTHING = {0};
    const bool is_message = record->topic.data != NULL;
    const bool is_text = record->text.data == NULL || arus_utf8_is_valid(record->text);

    ARUS_TRY(put_text(rows, ARUS_SIDE_COLUMN_FILE, record->file, err));
    ARUS_TRY(put(rows, ARUS_SIDE_COLUMN_LINE, record->line == 0 ? NULL : &record->line, err));
    ARUS_TRY(put_text(rows, ARUS_SIDE_COLUMN_TOPIC, record->topic, err));
    ARUS_TRY(put(rows, ARUS_SIDE_COLUMN_PARTITION, is_message ? &record->partition : NULL, err));
    ARUS_TRY(put(rows, ARUS_SIDE_COLUMN_OFFSET, is_message ? &record->offset : NULL, err));
    ARUS_TRY(
        put_text(rows, ARUS_SIDE_COLUMN_RAW, is_message && !is_text ? NOTHING : record->text, err));
    ARUS_TRY(put_bytes(rows, ARUS_SIDE_COLUMN_KEY, is_message ? record->key : NOTHING, err));
    return put_bytes(rows, ARUS_SIDE_COLUMN_VALUE, is_message || !is_text ? record->text : NOTHING,
                     err);
}

static enum arus_status add(struct arus_exec *exec, uint32_t worker, enum arus_side side,
                            const struct aside *aside, struct arus_error *err)
{
    static const struct arus_record NOWHERE = {0};
    struct arus_side_rows *rows = rows_of(exec, worker, side);

    if (!rows->is_open) {
        ARUS_TRY(open_rows(rows, err));
    }
    ARUS_TRY(put(rows, ARUS_SIDE_COLUMN_BATCH, &exec->run->side->batch_id, err));
    ARUS_TRY(put(rows, ARUS_SIDE_COLUMN_EVENT_TIME, aside->event_time, err));
    ARUS_TRY(put(rows, ARUS_SIDE_COLUMN_WATERMARK, aside->watermark, err));
    ARUS_TRY(put_record(rows, aside->record == NULL ? &NOWHERE : aside->record, err));
    ARUS_TRY(put_bytes(rows, ARUS_SIDE_COLUMN_REASON, arus_text_of(aside->reason), err));
    ARUS_TRY(put_bytes(rows, ARUS_SIDE_COLUMN_FATE, arus_text_of(aside->fate), err));
    ARUS_TRY(put_text(rows, ARUS_SIDE_COLUMN_ROW, aside->row, err));
    return rows->columns[0].row_count < ARUS_BATCH_ROWS && rows->heap.used_size < HELD_MAX
               ? ARUS_OK
               : hand_on(exec, worker, side, err);
}

/* ---- bad records ---- */

static enum arus_status take_bad(void *self, const struct arus_record *record, bool is_dropped,
                                 struct arus_error *err)
{
    struct arus_lane *lane = self;
    const struct aside aside = {
        .record = record, .reason = "malformed", .fate = is_dropped ? "rejected" : "kept"};

    return add(lane->exec, lane->worker, ARUS_SIDE_REJECTS, &aside, err);
}

void arus_side_watch(struct arus_lane *lane)
{
    const struct arus_source_ops *ops =
        lane->exec->stages[lane->stage_index].plan->scan.source->ops;
    const bool wants_rejects = arus_side_is_on(lane->exec, ARUS_SIDE_REJECTS);

    if (!lane->is_source || ops->worker_watch == NULL ||
        (!wants_rejects && !arus_side_is_on(lane->exec, ARUS_SIDE_LATE))) {
        return;
    }
    lane->bad = (struct arus_bad_records){.take = wants_rejects ? take_bad : NULL, .self = lane};
    ops->worker_watch(lane->scan, &lane->bad);
}

/* ---- late rows ---- */

enum arus_status arus_side_note_times(struct arus_lane *lane, const int64_t *times,
                                      uint32_t row_count, struct arus_error *err)
{
    if (!arus_side_is_on(lane->exec, ARUS_SIDE_LATE)) {
        return ARUS_OK;
    }
    if (lane->source_times == NULL) {
        lane->source_times = arus_alloc_buffer(ARUS_BATCH_ROWS * sizeof *lane->source_times);
        if (lane->source_times == NULL) {
            return arus_fail_memory(err);
        }
    }
    for (uint32_t i = 0; i < row_count; i++) {
        lane->source_times[arus_lane_origin(lane, i)] = times[i];
    }
    lane->has_times = true;
    return ARUS_OK;
}

/* The rows as the columns of one STRUCT vector. */
static enum arus_status slice_source(struct arus_lane *lane, const uint32_t *rows, uint32_t count,
                                     struct arus_vector *out, struct arus_error *err)
{
    const struct arus_type *schema = lane->source->schema;
    struct arus_batch chosen;

    *out = (struct arus_vector){.type = schema, .row_count = count};
    ARUS_TRY(arus_batch_slice(lane->source, rows, count, &lane->step, &chosen, err));
    ARUS_TRY(ARUS_NEW(&lane->step, struct arus_vector, (size_t)schema->field_count + 1,
                      &out->children, err));
    for (uint16_t f = 0; f < schema->field_count; f++) {
        ARUS_TRY(arus_vector_flatten(&chosen.columns[f], &lane->step, &out->children[f], err));
    }
    return ARUS_OK;
}

static enum arus_status add_late(struct arus_lane *lane, uint32_t row, struct aside *aside,
                                 struct arus_error *err)
{
    const struct arus_stage *stage = lane->exec->stages[lane->stage_index].plan;
    struct arus_record record;

    if (lane->is_source && stage->scan.source->ops->worker_record != NULL) {
        ARUS_TRY(stage->scan.source->ops->worker_record(lane->scan, row, &record, err));
        aside->record = &record;
    }
    return add(lane->exec, lane->worker, ARUS_SIDE_LATE, aside, err);
}

static enum arus_status add_all_late(struct arus_lane *lane, const uint32_t *rows, uint32_t count,
                                     const int64_t *times, const char *fate,
                                     struct arus_buffer *text, struct arus_error *err)
{
    const struct arus_stage_state *stage = &lane->exec->stages[lane->stage_index];
    const struct arus_state_operator *op = lane->exec->gathers[stage->plan->target].plan->state;
    const int64_t watermark = lane->exec->evict_inputs[op->id] * 1000;
    struct arus_vector values;

    ARUS_TRY(slice_source(lane, rows, count, &values, err));
    for (uint32_t i = 0; i < count; i++) {
        const int64_t *time = lane->has_times ? &lane->source_times[rows[i]]
                              : times != NULL ? &times[i]
                                              : NULL;
        struct aside aside = {
            .reason = "late", .fate = fate, .event_time = time, .watermark = &watermark};

        arus_buffer_reset(text);
        ARUS_TRY(arus_json_encode(stage->encoder, &values, i, text, err));
        aside.row = arus_buffer_text(text);
        ARUS_TRY(add_late(lane, rows[i], &aside, err));
    }
    return ARUS_OK;
}

enum arus_status arus_side_late(struct arus_lane *lane, const uint32_t *rows, uint32_t count,
                                const int64_t *times, bool is_kept, struct arus_error *err)
{
    const char *fate = !lane->is_source ? "derived" : is_kept ? "kept" : "late";
    struct arus_buffer text = {0};
    enum arus_status status;

    if (count == 0) {
        return ARUS_OK;
    }
    status = add_all_late(lane, rows, count, times, fate, &text, err);
    arus_buffer_release(&text);
    return status;
}

/* ---- a run ---- */

static enum arus_status make_encoder(struct arus_exec *exec, struct arus_stage_state *stage,
                                     struct arus_error *err)
{
    const struct arus_option *const tables[] = {ARUS_FORMAT_JSON.write_options, NULL};
    const struct arus_settings none = {0};
    void *settings;

    ARUS_TRY(arus_arena_alloc(&exec->arena, ARUS_FORMAT_JSON.write_settings_size, &settings, err));
    ARUS_TRY(arus_options_parse(tables, &none, "json", &exec->arena, settings, err));
    if (ARUS_FORMAT_JSON.check_write != NULL) {
        ARUS_TRY(ARUS_FORMAT_JSON.check_write(settings, stage->plan->input, &exec->arena, err));
    }
    return arus_json_encoder_make(stage->plan->input, settings, exec->env.zone, &exec->arena,
                                  &stage->encoder, err);
}

/* Only a stateful gather has rows that are late. */
static bool may_be_late(const struct arus_exec *exec, const struct arus_stage_state *stage)
{
    return exec->gathers[stage->plan->target].stateful != NULL;
}

enum arus_status arus_side_begin(struct arus_exec *exec, struct arus_error *err)
{
    if (exec->run->side == NULL) {
        return ARUS_OK;
    }
    if (exec->sides == NULL) {
        ARUS_TRY(ARUS_NEW(&exec->arena, struct arus_side_rows,
                          (size_t)exec->thread_count * ARUS_SIDE_COUNT, &exec->sides, err));
    }
    for (uint32_t i = 0; i < exec->thread_count * ARUS_SIDE_COUNT; i++) {
        reset_rows(&exec->sides[i]);
    }
    for (uint32_t i = 0; arus_side_is_on(exec, ARUS_SIDE_LATE) && i < exec->physical->stage_count;
         i++) {
        if (exec->stages[i].encoder == NULL && may_be_late(exec, &exec->stages[i])) {
            ARUS_TRY(make_encoder(exec, &exec->stages[i], err));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_side_end(struct arus_exec *exec, struct arus_error *err)
{
    for (uint32_t w = 0; exec->run->side != NULL && w < exec->thread_count; w++) {
        for (int side = 0; side < ARUS_SIDE_COUNT; side++) {
            ARUS_TRY(hand_on(exec, w, (enum arus_side)side, err));
        }
    }
    return ARUS_OK;
}

void arus_side_close(struct arus_exec *exec)
{
    for (uint32_t i = 0; exec->sides != NULL && i < exec->thread_count * ARUS_SIDE_COUNT; i++) {
        for (uint16_t c = 0; c < ARUS_SIDE_COLUMN_COUNT; c++) {
            if (exec->sides[i].columns[c].type != NULL) {
                arus_builder_release(&exec->sides[i].columns[c]);
            }
        }
        arus_arena_release(&exec->sides[i].heap);
    }
}
