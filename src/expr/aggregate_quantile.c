/**
 * percentile_approx: Spark's QuantileSummaries (Greenwald and Khanna, "Space-efficient online
 * computation of quantile summaries"), with its buffers, so that rows in one order give its values.
 */
#include "expr/families.h"
#include "expr/percentile.h"

#include <math.h>
#include <stdlib.h>

enum {
    HEAD_MAX = 50000,   /* values that wait to be inserted */
    SAMPLES_MAX = 10000 /* more of them are compressed */
};

/* `g` values end here since the sample before; their ranks are known up to `delta`. */
struct sample {
    double value;
    int64_t g;
    int64_t delta;
};

/* bytes: samples in order, then values that wait. */
struct summary {
    struct arus_bytes_state bytes; /* count: values, waiting ones included */
    uint64_t sample_count;
    uint64_t is_compressed; /* 1: no value came since */
};

struct samples {
    struct sample *items;
    size_t count;
};

static uint32_t summary_size(const struct arus_expr *expr)
{
    (void)expr;
    return sizeof(struct summary);
}

static size_t waiting_of(const struct summary *summary)
{
    return (summary->bytes.bytes.size - summary->sample_count * sizeof(struct sample)) /
           sizeof(double);
}

static struct samples samples_of(const struct summary *summary)
{
    struct samples samples = {.count = summary->sample_count};

    memcpy(&samples.items, &summary->bytes.bytes.data, sizeof samples.items);
    return samples;
}

/* Joins samples whose ranks may be mixed up; the first and the last one stay. */
static void compress(const struct samples *from, double threshold, struct samples *out)
{
    struct sample *end = out->items + from->count;
    struct sample *head = end;

    if (from->count == 0) {
        out->count = 0;
        return;
    }
    *--head = from->items[from->count - 1];
    for (size_t i = from->count - 1; i-- > 1;) {
        const struct sample *sample = &from->items[i];

        if ((double)(sample->g + head->g + head->delta) < threshold) {
            head->g += sample->g;
        } else {
            *--head = *sample;
        }
    }
    if (from->count > 1 && from->items[0].value <= head->value) { /* not in front of NaN */
        *--head = from->items[0];
    }
    out->count = (size_t)(end - head);
    memmove(out->items, head, out->count * sizeof *head);
}

static enum arus_status samples_new(size_t count, struct arus_arena *step, struct samples *out,
                                    struct arus_error *err)
{
    out->count = 0;
    return ARUS_NEW(step, struct sample, count, &out->items, err);
}

/* The samples with the waiting values among them. */
static enum arus_status insert_waiting(const struct summary *summary, double error,
                                       struct arus_arena *step, struct samples *out,
                                       struct arus_error *err)
{
    const struct samples old = samples_of(summary);
    const size_t waiting = waiting_of(summary);
    uint64_t count = summary->bytes.count - waiting;
    double *sorted;
    double *scratch;
    size_t next = 0;

    ARUS_TRY(samples_new(old.count + waiting, step, out, err));
    ARUS_TRY(ARUS_NEW(step, double, waiting, &sorted, err));
    ARUS_TRY(ARUS_NEW(step, double, waiting, &scratch, err));
    if (waiting > 0) {
        memcpy(sorted, old.items + old.count, waiting * sizeof *sorted);
        arus_doubles_sort(sorted, waiting, scratch);
    }
    for (size_t k = 0; k < waiting; k++) {
        bool is_edge;

        while (next < old.count && old.items[next].value <= sorted[k]) {
            out->items[out->count++] = old.items[next++];
        }
        count++;
        is_edge = out->count == 0 || (next == old.count && k == waiting - 1);
        out->items[out->count++] =
            (struct sample){sorted[k], 1, is_edge ? 0 : (int64_t)floor(2 * error * (double)count)};
    }
    while (next < old.count) {
        out->items[out->count++] = old.items[next++];
    }
    return ARUS_OK;
}

/* All values as compressed samples. */
static enum arus_status compressed(const struct summary *summary, double error,
                                   struct arus_arena *step, struct samples *out,
                                   struct arus_error *err)
{
    struct samples all;

    if (summary->is_compressed != 0) {
        *out = samples_of(summary);
        return ARUS_OK;
    }
    ARUS_TRY(insert_waiting(summary, error, step, &all, err));
    ARUS_TRY(samples_new(all.count, step, out, err));
    compress(&all, 2 * error * (double)summary->bytes.count, out);
    return ARUS_OK;
}

static enum arus_status replace(struct summary *summary, const struct samples *samples,
                                struct arus_agg_heap *heap, struct arus_error *err)
{
    summary->bytes.bytes.size = 0;
    summary->sample_count = samples->count;
    return arus_bytes_append(&summary->bytes, samples->items,
                             samples->count * sizeof *samples->items, heap, err);
}

static enum arus_status flush(struct summary *summary, double error,
                              const struct arus_agg_call *call, struct arus_error *err)
{
    struct samples samples;

    ARUS_TRY(insert_waiting(summary, error, call->step, &samples, err));
    if (samples.count >= SAMPLES_MAX) {
        ARUS_TRY(compressed(summary, error, call->step, &samples, err));
    }
    return replace(summary, &samples, call->heap, err);
}

static enum arus_status approx_update(const struct arus_agg_call *call, struct arus_error *err)
{
    const struct arus_percentile *percentile = call->expr->bound;
    const struct arus_vector *arg = &call->args[0];

    for (uint32_t i = 0; i < call->row_count; i++) {
        struct summary *summary = (void *)arus_agg_state(call, i);
        double value;

        if (!arus_agg_has(arg, i)) {
            continue;
        }
        value = arus_double_at(arg, i);
        ARUS_TRY(arus_bytes_append(&summary->bytes, &value, sizeof value, call->heap, err));
        summary->bytes.count++;
        summary->is_compressed = 0;
        if (waiting_of(summary) >= HEAD_MAX) {
            ARUS_TRY(flush(summary, percentile->error, call, err));
        }
    }
    return ARUS_OK;
}

/* Two sorted lists; a sample gains the doubt about where it lies among those of the other side. */
static void interleave(const struct samples *a, const struct samples *b, int64_t doubt_a,
                       int64_t doubt_b, struct samples *out)
{
    size_t i = 0;
    size_t j = 0;

    while (i < a->count && j < b->count) {
        const bool is_a = a->items[i].value < b->items[j].value;
        struct sample *next = &out->items[out->count++];

        *next = is_a ? a->items[i] : b->items[j];
        if (is_a) {
            next->delta += j > 0 ? doubt_a : 0;
            i++;
        } else {
            next->delta += i > 0 ? doubt_b : 0;
            j++;
        }
    }
    while (i < a->count) {
        out->items[out->count++] = a->items[i++];
    }
    while (j < b->count) {
        out->items[out->count++] = b->items[j++];
    }
}

static enum arus_status merge_one(struct summary *summary, const struct summary *more,
                                  const struct arus_agg_call *call, struct arus_error *err)
{
    const double error = ((const struct arus_percentile *)call->expr->bound)->error;
    const uint64_t was_compressed = summary->is_compressed;
    struct samples a;
    struct samples b;
    struct samples both;
    struct samples out;

    if (more->bytes.count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(compressed(more, error, call->step, &b, err));
    summary->is_compressed = 1;
    if (summary->bytes.count == 0) {
        summary->bytes.count = more->bytes.count;
        return replace(summary, &b, call->heap, err);
    }
    summary->is_compressed = was_compressed;
    ARUS_TRY(compressed(summary, error, call->step, &a, err));
    summary->is_compressed = 1;
    ARUS_TRY(samples_new(a.count + b.count, call->step, &both, err));
    interleave(&a, &b, (int64_t)floor(2 * error * (double)more->bytes.count),
               (int64_t)floor(2 * error * (double)summary->bytes.count), &both);
    summary->bytes.count += more->bytes.count;
    ARUS_TRY(samples_new(both.count, call->step, &out, err));
    compress(&both, 2 * error * (double)summary->bytes.count, &out);
    return replace(summary, &out, call->heap, err);
}

static enum arus_status approx_merge(const struct arus_agg_call *call, const unsigned char *from,
                                     size_t from_stride, uint32_t count, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(merge_one((void *)arus_agg_state(call, i), (const void *)(from + i * from_stride),
                           call, err));
    }
    return ARUS_OK;
}

/* The first sample whose rank is near enough. */
static double find(const struct samples *samples, double rank, double error)
{
    int64_t low = 0;

    for (size_t i = 0; i + 1 < samples->count; i++) {
        low += samples->items[i].g;
        if ((double)(low + samples->items[i].delta) - error <= rank &&
            rank <= (double)low + error) {
            return samples->items[i].value;
        }
    }
    return samples->items[samples->count - 1].value;
}

static enum arus_status approx_points(const struct arus_percentile *percentile, const void *state,
                                      struct arus_arena *step, double *results,
                                      struct arus_error *err)
{
    const struct summary *summary = state;
    struct samples samples;
    int64_t widest = 0;

    ARUS_TRY(compressed(summary, percentile->error, step, &samples, err));
    for (size_t i = 0; i < samples.count; i++) {
        const int64_t width = samples.items[i].g + samples.items[i].delta;

        widest = width > widest ? width : widest;
    }
    for (uint32_t k = 0; k < percentile->count; k++) {
        const double point = percentile->points[k];

        if (point <= percentile->error || samples.count == 1) {
            results[k] = samples.items[0].value;
        } else if (point >= 1 - percentile->error) {
            results[k] = samples.items[samples.count - 1].value;
        } else {
            results[k] =
                find(&samples, ceil(point * (double)summary->bytes.count), (double)widest / 2);
        }
    }
    return ARUS_OK;
}

static enum arus_status approx_finish(const struct arus_expr *expr, const unsigned char *states,
                                      size_t stride, uint32_t count, struct arus_arena *step,
                                      struct arus_vector *out, struct arus_error *err)
{
    return arus_percentile_finish(expr, states, stride, count, approx_points, step, out, err);
}

static const struct arus_aggregate APPROX = {.state_size = summary_size,
                                             .update = approx_update,
                                             .merge = approx_merge,
                                             .finish = approx_finish,
                                             .views = arus_bytes_views};

static enum arus_status bind_approx(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;
    struct arus_percentile *percentile;

    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_percentile, 1, &percentile, err));
    if (id < ARUS_TYPE_DATE || id > ARUS_TYPE_INTERVAL_DT) {
        ARUS_TRY(arus_arg_take(bind, 0, "N", err));
    }
    percentile->type = bind->args[0]->type;
    ARUS_TRY(arus_percentile_points(bind, 1, percentile, err));
    ARUS_TRY(arus_arg_default(bind, 2, 10000, err));
    ARUS_TRY(arus_args_text(bind, err));
    percentile->error = 1.0 / 10000;
    if (bind->arg_count == 3) {
        struct arus_vector accuracy;
        bool is_found;

        ARUS_TRY(arus_arg_take(bind, 2, "l", err));
        ARUS_TRY(arus_arg_constant(bind, 2, &accuracy, &is_found, err));
        if (!is_found || !arus_vector_is_valid(&accuracy, 0) ||
            *(const int64_t *)accuracy.values <= 0 ||
            *(const int64_t *)accuracy.values > INT32_MAX) {
            return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                                "the accuracy must be a constant above 0");
        }
        percentile->error = 1.0 / (double)*(const int64_t *)accuracy.values;
    }
    ARUS_TRY(arus_percentile_value(bind, err));
    bind->arg_count = 1;
    return arus_percentile_type(bind, percentile, err);
}

const struct arus_function ARUS_APPROX_PERCENTILES[] = {
    {.name = "percentile_approx",
     .aliases = "approx_percentile",
     .kind = ARUS_AGGREGATE,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_approx,
     .aggregate = &APPROX,
     .signature = "percentile_approx(x, p[, accuracy])",
     .help = "the value below which the share p of all lies, up to 1/accuracy of the rows",
     .example = "percentile_approx(x, 0.5) FROM VALUES (1), (2), (10) AS t(x)",
     .result = "2"},
    {0},
};
