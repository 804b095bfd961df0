/* Stages as text, for EXPLAIN EXTENDED and tests. */
#include "plan/physical.h"

static const char *const JOINS[] = {
    [ARUS_JOIN_INNER] = "inner",         [ARUS_JOIN_LEFT] = "left", [ARUS_JOIN_RIGHT] = "right",
    [ARUS_JOIN_FULL] = "full",           [ARUS_JOIN_SEMI] = "semi", [ARUS_JOIN_ANTI] = "anti",
    [ARUS_JOIN_ANTI_NULL] = "anti null", [ARUS_JOIN_MARK] = "mark",
};

static enum arus_status print_source(const struct arus_stage *stage, struct arus_buffer *out,
                                     struct arus_error *err)
{
    switch (stage->from) {
    case ARUS_FROM_SCAN:
        return arus_buffer_printf(
            out, err, "%s %.*s (%u fields, %zu predicates)",
            stage->scan.is_stream ? "stream" : "scan", ARUS_TEXT_ARGS(stage->scan.source->location),
            stage->scan.request->output->field_count, stage->scan.request->predicate_count);
    case ARUS_FROM_VALUES:
        return arus_buffer_printf(out, err, "values (%u rows)", stage->values->row_count);
    case ARUS_FROM_RANGE:
        return arus_buffer_printf(out, err, "range");
    case ARUS_FROM_GATHER:
        return arus_buffer_printf(out, err, "gather %u", stage->gather.index);
    case ARUS_FROM_BUILD_REST:
        return arus_buffer_printf(out, err, "rest of gather %u", stage->gather.index);
    }
    return ARUS_OK;
}

static enum arus_status print_step(const struct arus_step *step, struct arus_buffer *out,
                                   struct arus_error *err)
{
    switch (step->kind) {
    case ARUS_STEP_FILTER:
        return arus_buffer_printf(out, err, " -> filter");
    case ARUS_STEP_PROJECT:
        return arus_buffer_printf(out, err, " -> project %u", step->schema->field_count);
    case ARUS_STEP_GENERATE:
        return arus_buffer_printf(out, err, " -> generate%s",
                                  step->generate.is_outer ? " outer" : "");
    case ARUS_STEP_PROBE:
        return arus_buffer_printf(out, err, " -> probe %s gather %u%s%s", JOINS[step->probe.kind],
                                  step->probe.build, step->probe.build_is_left ? ", left" : "",
                                  step->probe.condition != NULL ? ", condition" : "");
    case ARUS_STEP_WATERMARK:
        return arus_buffer_printf(out, err, " -> watermark %u", step->watermark.index);
    case ARUS_STEP_LIMIT:
        return arus_buffer_printf(out, err, " -> limit %lld", (long long)step->limit);
    }
    return ARUS_OK;
}

static enum arus_status print_gather(const struct arus_gather *gather, struct arus_buffer *out,
                                     struct arus_error *err)
{
    switch (gather->kind) {
    case ARUS_GATHER_AGGREGATE:
        return arus_buffer_printf(out, err, "aggregate (%u keys, %u aggregates)", gather->key_count,
                                  gather->aggregate.item_count);
    case ARUS_GATHER_SORT:
        return gather->sort.limit < 0
                   ? arus_buffer_printf(out, err, "sort (%u keys)", gather->key_count)
                   : arus_buffer_printf(out, err, "sort (%u keys, first %lld)", gather->key_count,
                                        (long long)gather->sort.limit);
    case ARUS_GATHER_LIMIT:
        return arus_buffer_printf(out, err, "limit %lld skip %lld", (long long)gather->limit.limit,
                                  (long long)gather->limit.skip);
    case ARUS_GATHER_BUILD:
        return arus_buffer_printf(out, err, "build (%u keys%s)", gather->key_count,
                                  gather->build.is_static ? ", static" : "");
    case ARUS_GATHER_DEDUP:
        return arus_buffer_printf(out, err, "dedup (%u keys)", gather->key_count);
    case ARUS_GATHER_JOIN:
        return arus_buffer_printf(out, err, "join %s (%u keys)", JOINS[gather->join.kind],
                                  gather->key_count);
    case ARUS_GATHER_RESULT:
        return arus_buffer_printf(out, err, "result");
    }
    return ARUS_OK;
}

enum arus_status arus_physical_print(const struct arus_physical *physical, struct arus_buffer *out,
                                     struct arus_error *err)
{
    for (uint32_t i = 0; i < physical->stage_count; i++) {
        const struct arus_stage *stage = &physical->stages[i];

        ARUS_TRY(arus_buffer_printf(out, err, "  %u: ", i));
        ARUS_TRY(print_source(stage, out, err));
        for (uint32_t j = 0; j < stage->step_count; j++) {
            ARUS_TRY(print_step(stage->steps[j], out, err));
        }
        ARUS_TRY(arus_buffer_printf(out, err, " -> gather %u: ", stage->target));
        ARUS_TRY(print_gather(&physical->gathers[stage->target], out, err));
        if (physical->gathers[stage->target].kind == ARUS_GATHER_JOIN) {
            ARUS_TRY(arus_buffer_printf(out, err, stage->side == 0 ? ", left" : ", right"));
        }
        if (physical->gathers[stage->target].state != NULL) {
            ARUS_TRY(arus_buffer_printf(out, err, ", state %u",
                                        physical->gathers[stage->target].state->id));
        }
        ARUS_TRY(arus_buffer_printf(out, err, "\n"));
    }
    return ARUS_OK;
}
