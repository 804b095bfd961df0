/** Watermarks: what a batch's event times were, and what each operator makes of the global
 * watermark. Rules: Spark's EventTimeWatermarkExec, WatermarkPropagator. */
#include "exec/side.h"
#include "exec/stateful.h"

static int64_t floor_ms(int64_t micros)
{
    return micros / 1000 - (micros % 1000 < 0);
}

enum arus_status arus_watermark_note(struct arus_lane *lane, const struct arus_step *step,
                                     const struct arus_batch *batch, struct arus_error *err)
{
    struct arus_exec *exec = lane->exec;
    struct arus_event_stats *stats =
        &exec->event_stats[lane->worker * exec->physical->watermark_count + step->watermark.index];
    struct arus_event_stats now = *stats;
    int64_t *times;

    ARUS_TRY(arus_event_times(&batch->columns[step->watermark.column], &lane->step, &times, err));
    ARUS_TRY(arus_side_note_times(lane, times, batch->row_count, err));
    for (uint32_t i = 0; i < batch->row_count; i++) {
        const int64_t ms = times[i] == ARUS_STATE_NEVER ? 0 : floor_ms(times[i]); /* null is 0 */

        now.min_ms = now.count == 0 || ms < now.min_ms ? ms : now.min_ms;
        now.max_ms = now.count == 0 || ms > now.max_ms ? ms : now.max_ms;
        now.sum_ms += ms;
        now.count++;
    }
    *stats = now;
    return ARUS_OK;
}

struct arus_event_stats arus_exec_event_stats(const struct arus_exec *exec, uint32_t index)
{
    struct arus_event_stats all = {0};

    for (uint32_t w = 0; w < exec->thread_count; w++) {
        const struct arus_event_stats *own =
            &exec->event_stats[w * exec->physical->watermark_count + index];

        if (own->count == 0) {
            continue;
        }
        all.min_ms = all.count == 0 || own->min_ms < all.min_ms ? own->min_ms : all.min_ms;
        all.max_ms = all.count == 0 || own->max_ms > all.max_ms ? own->max_ms : all.max_ms;
        all.sum_ms += own->sum_ms;
        all.count += own->count;
    }
    return all;
}

int64_t arus_watermark_state(const struct arus_expiry *expiry, int64_t input_ms)
{
    const int64_t state_ms = (input_ms * 1000 + expiry->offset_micros) / 1000 - expiry->minus_ms;

    return expiry->is_fixed || (expiry->is_limited && expiry->limit_ms < state_ms)
               ? expiry->limit_ms
               : state_ms;
}

static int64_t output_of(const struct arus_state_operator *op, int64_t input_ms)
{
    int64_t output = input_ms;

    for (int side = 0; op->kind == ARUS_STATE_JOIN && side < 2; side++) {
        if (op->inputs[side].expiry.kind == ARUS_EXPIRY_TIME) {
            const int64_t state = arus_watermark_state(&op->inputs[side].expiry, input_ms);

            output = state < output ? state : output;
        }
    }
    return output;
}

/* Operators are numbered from the sink: those below have larger ids. */
void arus_watermark_inputs(const struct arus_physical *physical, int64_t global_ms, int64_t *inputs)
{
    for (uint32_t id = physical->operator_count; id-- > 0;) {
        const struct arus_state_operator *op = physical->operators[id];
        bool has_any = op->sees_watermark;

        inputs[id] = op->sees_watermark ? global_ms : 0;
        for (uint32_t i = 0; i < op->below_count; i++) {
            const uint32_t below = op->below[i];
            const int64_t output = output_of(physical->operators[below], inputs[below]);

            inputs[id] = has_any && inputs[id] < output ? inputs[id] : output;
            has_any = true;
        }
        if (global_ms == 0) {
            inputs[id] = 0;
        }
    }
}

/* Does it have work to do once its watermark has moved on? */
static bool waits_for_watermark(const struct arus_state_operator *op)
{
    switch (op->kind) {
    case ARUS_STATE_AGGREGATE:
    case ARUS_STATE_SESSION:
        return op->mode != ARUS_COMPLETE;
    case ARUS_STATE_DEDUP:
    case ARUS_STATE_DEDUP_WITHIN:
        return true;
    case ARUS_STATE_JOIN:
        return op->inputs[0].expiry.kind != ARUS_EXPIRY_NONE ||
               op->inputs[1].expiry.kind != ARUS_EXPIRY_NONE;
    case ARUS_STATE_LIMIT:
        return false;
    }
    return false;
}

bool arus_exec_wants_batch(struct arus_exec *exec, int64_t ran_ms, int64_t next_ms)
{
    const struct arus_physical *physical = exec->physical;
    bool is_due = false;

    arus_watermark_inputs(physical, ran_ms, exec->ran_inputs);
    arus_watermark_inputs(physical, next_ms, exec->next_inputs);
    for (uint32_t id = 0; id < physical->operator_count; id++) {
        is_due = is_due || (waits_for_watermark(physical->operators[id]) &&
                            exec->next_inputs[id] > exec->ran_inputs[id]);
    }
    return is_due;
}
