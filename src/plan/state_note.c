#include "plan/state_note.h"

#include "plan/event_time.h"
#include "plan/lineage.h"
#include "plan/say.h"

#include <stdio.h>

const struct arus_state_operator *arus_state_find(const struct arus_physical *physical,
                                                  const struct arus_plan *plan)
{
    for (uint32_t i = 0; physical != NULL && i < physical->operator_count; i++) {
        if (physical->operators[i]->plan == plan) {
            return physical->operators[i];
        }
    }
    return NULL;
}

/* ---- what a column of the program is ---- */

static bool is_window(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_STRUCT;
}

/* The name of an event time: `ts`, or `end` of a window. */
static struct arus_text time_name(const struct arus_type *schema, uint32_t column)
{
    return is_window(schema->fields[column].type) ? ARUS_TEXT("end") : schema->fields[column].name;
}

/* The first marked column of a relation; -1: none. */
static int32_t marked(const struct arus_plan *plan, struct arus_arena *arena)
{
    const struct arus_event_mark *marks = NULL;
    struct arus_error ignored;
    int32_t column = -1;

    if (arus_event_marks(plan, arena, &marks, &ignored) != ARUS_OK ||
        arus_event_column(marks, plan->schema->field_count, true, plan->place, &column, &ignored) !=
            ARUS_OK) {
        return -1;
    }
    return column;
}

/* ---- notes ---- */

static enum arus_status write_until(const struct arus_expiry *expiry, struct arus_text time,
                                    struct arus_arena *arena, struct arus_buffer *out,
                                    struct arus_error *err)
{
    const int64_t delay =
        expiry->kind == ARUS_EXPIRY_DELAY ? expiry->delay_micros : -expiry->offset_micros;
    struct arus_text length;

    if (expiry->kind == ARUS_EXPIRY_NONE || expiry->is_limited) {
        return arus_buffer_printf(out, err, "for ever");
    }
    ARUS_TRY(arus_buffer_printf(out, err, "until watermark %s %.*s",
                                expiry->minus_ms > 0 ? ">" : ">=", ARUS_TEXT_ARGS(time)));
    if (delay == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_duration_text(delay < 0 ? -delay : delay, arena, &length, err));
    return arus_buffer_printf(out, err, " %c %.*s", delay < 0 ? '-' : '+', ARUS_TEXT_ARGS(length));
}

static const char *group_noun(const struct arus_plan *plan)
{
    const struct arus_type *key = plan->schema->fields[0].type;

    if (plan->aggregate.has_session) {
        return "a row a session";
    }
    if (plan->aggregate.key_count == 0) {
        return "one row";
    }
    return plan->aggregate.key_count == 1 && plan->aggregate.keys[0]->kind == ARUS_EXPR_COLUMN &&
                   is_window(key) &&
                   arus_lineage_window(plan->children[0], plan->aggregate.keys[0]->index) != NULL
               ? "a row a window"
               : "a row a group";
}

static enum arus_status note_groups(const struct arus_state_operator *item,
                                    struct arus_arena *arena, struct arus_buffer *out,
                                    struct arus_error *err)
{
    const struct arus_expiry *expiry = &item->inputs[0].expiry;
    const struct arus_text time = expiry->kind == ARUS_EXPIRY_NONE
                                      ? (struct arus_text){0}
                                      : time_name(item->plan->schema, expiry->column);

    ARUS_TRY(arus_buffer_printf(out, err, "%s, ", group_noun(item->plan)));
    return write_until(expiry, time, arena, out, err);
}

static enum arus_status note_dedup(const struct arus_state_operator *item, struct arus_arena *arena,
                                   struct arus_buffer *out, struct arus_error *err)
{
    const int32_t column = marked(item->plan, arena);
    const struct arus_text time =
        column < 0 ? (struct arus_text){0} : time_name(item->plan->schema, (uint32_t)column);

    ARUS_TRY(arus_buffer_printf(out, err, "a row a key, "));
    return write_until(&item->inputs[0].expiry, time, arena, out, err);
}

/* The time of a side: the key with the watermark (of either side), else its own event time. */
static struct arus_text side_time(const struct arus_state_operator *item, uint32_t side,
                                  struct arus_arena *arena)
{
    const struct arus_plan *plan = item->plan;
    const struct arus_expiry *expiry = &item->inputs[side].expiry;
    const struct arus_expr *key = NULL;
    int32_t column = -1;

    if (expiry->kind == ARUS_EXPIRY_TIME && expiry->is_key) {
        key = side == 0 ? plan->join.keys[expiry->column].left
                        : plan->join.keys[expiry->column].right;
        return is_window(key->type) || key->kind != ARUS_EXPR_COLUMN ? ARUS_TEXT("end") : key->name;
    }
    column = marked(plan->children[side], arena);
    return column < 0 ? (struct arus_text){0}
                      : time_name(plan->children[side]->schema, (uint32_t)column);
}

static enum arus_status note_join(const struct arus_state_operator *item, struct arus_arena *arena,
                                  struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "rows of both sides; left "));
    ARUS_TRY(write_until(&item->inputs[0].expiry, side_time(item, 0, arena), arena, out, err));
    ARUS_TRY(arus_buffer_printf(out, err, ", right "));
    return write_until(&item->inputs[1].expiry, side_time(item, 1, arena), arena, out, err);
}

static enum arus_status write_note(const struct arus_state_operator *item, struct arus_arena *arena,
                                   struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "state %u: ", item->id));
    switch (item->kind) {
    case ARUS_STATE_AGGREGATE:
    case ARUS_STATE_SESSION:
        return note_groups(item, arena, out, err);
    case ARUS_STATE_DEDUP:
    case ARUS_STATE_DEDUP_WITHIN:
        return note_dedup(item, arena, out, err);
    case ARUS_STATE_JOIN:
        return note_join(item, arena, out, err);
    case ARUS_STATE_LIMIT:
        return arus_buffer_printf(out, err, "counts the rows of all batches");
    }
    return ARUS_OK;
}

enum arus_status arus_state_note(const struct arus_state_operator *item, struct arus_buffer *out,
                                 struct arus_error *err)
{
    struct arus_arena arena;
    enum arus_status status;

    arus_arena_init(&arena, 0);
    status = write_note(item, &arena, out, err);
    arus_arena_release(&arena);
    return status;
}

/* ---- warnings ---- */

enum { KEYS_SIZE = 160 };

/* `event_id`, or `(event_id, device)`. */
static void key_names(const struct arus_plan *plan, char out[KEYS_SIZE])
{
    const bool is_list = plan->dedup.column_count > 1;
    size_t at = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < plan->dedup.column_count && at < KEYS_SIZE; i++) {
        const struct arus_text name = plan->schema->fields[plan->dedup.columns[i]].name;

        at += (size_t)snprintf(out + at, KEYS_SIZE - at, "%s%.*s%s",
                               i > 0     ? ", "
                               : is_list ? "("
                                         : "",
                               ARUS_TEXT_ARGS(name),
                               is_list && i + 1 == plan->dedup.column_count ? ")" : "");
    }
}

static void warn_dedup(const struct arus_state_operator *item, struct arus_error *out)
{
    const struct arus_plan *plan = item->plan;
    char keys[KEYS_SIZE];

    if (plan->dedup.column_count == plan->schema->field_count && plan->dedup.column_count > 1) {
        arus_say(out, item->place, "ARUS_UNBOUNDED_STATE",
                 "state grows for ever: every row is kept");
    } else {
        key_names(plan, keys);
        arus_say(out, item->place, "ARUS_UNBOUNDED_STATE", "state grows for ever: every %s is kept",
                 keys);
    }
    (void)arus_error_help(
        out, "if repeats come within an hour: WATERMARK and drop_duplicates_within_watermark");
}

static bool stays(const struct arus_expiry *expiry)
{
    return expiry->kind == ARUS_EXPIRY_NONE || expiry->is_limited;
}

static void warn_join(const struct arus_state_operator *item, struct arus_error *out)
{
    const bool left = stays(&item->inputs[0].expiry);
    const bool right = stays(&item->inputs[1].expiry);

    if (item->inputs[0].expiry.is_limited || item->inputs[1].expiry.is_limited) {
        arus_say(out, item->place, "ARUS_UNBOUNDED_STATE",
                 "state grows for ever, rows without a match never come out: a comparison with a "
                 "number in ON holds the watermark of the %s side back, as in Spark",
                 item->inputs[0].expiry.is_limited ? "left" : "right");
        (void)arus_error_help(out, "ON .. without it, and IF(v > 1, r.w, NULL) in SELECT; or WHERE "
                                   "below the join");
        return;
    }
    arus_say(out, item->place, "ARUS_UNBOUNDED_STATE", "state grows for ever: every row of %s",
             left && right ? "both sides is kept"
             : left        ? "the left side is kept"
                           : "the right side is kept");
    (void)arus_error_help(out, "WATERMARK on both sides, and ON .. AND r.ts BETWEEN l.ts AND l.ts "
                               "+ INTERVAL 10 MINUTES");
}

static void warn_groups(const struct arus_state_operator *item, struct arus_error *out)
{
    arus_say(out, item->place, "ARUS_UNBOUNDED_STATE", "state grows for ever: every group is kept");
    if (item->mode == ARUS_COMPLETE) {
        (void)arus_error_help(out, "outputMode 'append' or 'update' with a watermark lets the old "
                                   "ones go; complete gives them all out, again and again");
    } else {
        (void)arus_error_help(out, "WATERMARK .. DELAY OF INTERVAL 10 MINUTES on the time of the "
                                   "groups lets the old ones go");
    }
}

/* Is time among the keys? */
static bool grows_with_time(const struct arus_plan *plan)
{
    for (uint32_t i = 0; i < plan->aggregate.key_count; i++) {
        const struct arus_expr *key = plan->aggregate.keys[i];

        if (key->type->id == ARUS_TYPE_TIMESTAMP ||
            (key->kind == ARUS_EXPR_COLUMN &&
             arus_lineage_window(plan->children[0], key->index) != NULL)) {
            return true;
        }
    }
    return false;
}

bool arus_state_warning(const struct arus_state_operator *item, struct arus_error *out)
{
    const bool first = item->inputs[0].expiry.kind == ARUS_EXPIRY_NONE;

    switch (item->kind) {
    case ARUS_STATE_AGGREGATE:
    case ARUS_STATE_SESSION:
        if (!first || !grows_with_time(item->plan)) {
            return false;
        }
        warn_groups(item, out);
        return true;
    case ARUS_STATE_DEDUP:
    case ARUS_STATE_DEDUP_WITHIN:
        if (first) {
            warn_dedup(item, out);
        }
        return first;
    case ARUS_STATE_JOIN:
        if (!stays(&item->inputs[0].expiry) && !stays(&item->inputs[1].expiry)) {
            return false;
        }
        warn_join(item, out);
        return true;
    case ARUS_STATE_LIMIT:
        break;
    }
    return false;
}
