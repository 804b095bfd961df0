#include "plan/state_digest.h"

#include "plan/event_time.h"
#include "plan/lineage.h"
#include "plan/list.h"
#include "plan/say.h"
#include "plan/tree.h"

#include <string.h>

#define HEADER "arus-state 1"

enum fact_class { FACT_OPERATOR, FACT_KEY, FACT_VALUE, FACT_NOTE, FACT_CLASS_COUNT };

static const char *const CLASSES[] = {"operator", "key", "value", "note"};

struct fact {
    uint32_t operator_id;
    enum fact_class class;
    struct arus_text what;
    struct arus_text value;
    struct arus_place place; /* of the query; none for stored ones */
};

struct facts {
    struct arus_arena *arena;
    struct fact *items;
    size_t count;
    size_t capacity;
};

/* ---- facts of a query ---- */

static enum arus_status add(struct facts *facts, const struct fact *fact, struct arus_error *err)
{
    ARUS_TRY(arus_list_grow(facts->arena, (void **)&facts->items, sizeof(*facts->items),
                            facts->count, &facts->capacity, err));
    facts->items[facts->count++] = *fact;
    return ARUS_OK;
}

static enum arus_status add_duration(struct facts *facts, struct fact fact, const char *what,
                                     int64_t micros, struct arus_error *err)
{
    fact.what = arus_text_of(what);
    ARUS_TRY(arus_duration_text(micros, facts->arena, &fact.value, err));
    return add(facts, &fact, err);
}

/* `what`: value TYPE */
static enum arus_status add_typed(struct facts *facts, struct fact fact, struct arus_text value,
                                  const struct arus_type *type, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = arus_type_sql(type, &text, err);

    if (status == ARUS_OK) {
        status = arus_text_format(facts->arena, &fact.value, err, "%.*s %.*s",
                                  ARUS_TEXT_ARGS(value), ARUS_TEXT_ARGS(arus_buffer_text(&text)));
    }
    arus_buffer_release(&text);
    return status == ARUS_OK ? add(facts, &fact, err) : status;
}

static enum arus_status add_window(struct facts *facts, struct fact fact,
                                   const struct arus_plan *child, uint32_t column,
                                   const struct arus_time_window *window, struct arus_error *err)
{
    fact.what = window->is_session ? ARUS_TEXT("session") : ARUS_TEXT("window");
    ARUS_TRY(arus_lineage_column(child, column, facts->arena, &fact.value, err));
    if (window->is_session) {
        ARUS_TRY(add(facts, &fact, err));
        return window->size < 0 ? ARUS_OK
                                : add_duration(facts, fact, "session gap", window->size, err);
    }
    ARUS_TRY(add_duration(facts, fact, "window size", window->size, err));
    ARUS_TRY(add_duration(facts, fact, "window slide", window->slide, err));
    ARUS_TRY(add_duration(facts, fact, "window start", window->start, err));
    return add(facts, &fact, err);
}

static enum arus_status add_group_key(struct facts *facts, struct fact fact,
                                      const struct arus_plan *plan, uint32_t i,
                                      struct arus_error *err)
{
    const struct arus_plan *child = plan->children[0];
    const struct arus_expr *key = plan->aggregate.keys[i];
    const struct arus_time_window *window =
        key->kind == ARUS_EXPR_COLUMN ? arus_lineage_window(child, key->index) : NULL;
    const struct arus_text name = plan->schema->fields[i].name;
    struct arus_text lineage;

    fact.place = key->place;
    if (window != NULL) {
        return add_window(facts, fact, child, key->index, window, err);
    }
    ARUS_TRY(arus_text_format(facts->arena, &fact.what, err, "key %u", i + 1));
    ARUS_TRY(add_typed(facts, fact, name, key->type, err));
    ARUS_TRY(arus_lineage_text(child, key, facts->arena, &lineage, err));
    if (arus_text_equal(lineage, name)) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_text_format(facts->arena, &fact.what, err, "key %u (%.*s)", i + 1,
                              ARUS_TEXT_ARGS(name)));
    fact.value = lineage;
    return add(facts, &fact, err);
}

static enum arus_status add_groups(struct facts *facts, struct fact fact,
                                   const struct arus_plan *plan, struct arus_error *err)
{
    fact.class = FACT_KEY;
    for (uint32_t i = 0; i < plan->aggregate.key_count; i++) {
        ARUS_TRY(add_group_key(facts, fact, plan, i, err));
    }
    fact.class = FACT_VALUE;
    for (uint32_t i = 0; i < plan->aggregate.aggregate_count; i++) {
        const struct arus_expr *call = plan->aggregate.aggregates[i];
        struct arus_text text;

        fact.place = call->place;
        ARUS_TRY(arus_text_format(facts->arena, &fact.what, err, "aggregate %u", i + 1));
        ARUS_TRY(arus_lineage_text(plan->children[0], call, facts->arena, &text, err));
        ARUS_TRY(add_typed(facts, fact, text, call->type, err));
    }
    return ARUS_OK;
}

static enum arus_status add_columns(struct facts *facts, struct fact fact, const char *noun,
                                    const struct arus_plan *plan, const uint32_t *columns,
                                    uint32_t count, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t column = columns == NULL ? i : columns[i];
        struct arus_text lineage;

        ARUS_TRY(arus_text_format(facts->arena, &fact.what, err, "%s %u", noun, i + 1));
        ARUS_TRY(arus_lineage_column(plan, column, facts->arena, &lineage, err));
        ARUS_TRY(add_typed(facts, fact, lineage, plan->schema->fields[column].type, err));
    }
    return ARUS_OK;
}

/* The event time that state leaves by, and its delay. */
static enum arus_status add_event_time(struct facts *facts, struct fact fact, const char *what,
                                       const struct arus_plan *plan, struct arus_error *err)
{
    const struct arus_event_mark *marks = NULL;
    int32_t column = -1;

    ARUS_TRY(arus_event_marks(plan, facts->arena, &marks, err));
    ARUS_TRY(arus_event_column(marks, plan->schema->field_count, true, fact.place, &column, err));
    if (column < 0) {
        return ARUS_OK;
    }
    fact.class = FACT_KEY;
    fact.what = arus_text_of(what);
    ARUS_TRY(arus_lineage_column(plan, (uint32_t)column, facts->arena, &fact.value, err));
    ARUS_TRY(add(facts, &fact, err));
    fact.class = FACT_NOTE;
    return add_duration(facts, fact, "delay", marks[column].delay_micros, err);
}

static enum arus_status add_join(struct facts *facts, struct fact fact,
                                 const struct arus_plan *plan, struct arus_error *err)
{
    static const char *const KINDS[] = {
        [ARUS_JOIN_INNER] = "inner", [ARUS_JOIN_LEFT] = "left", [ARUS_JOIN_RIGHT] = "right",
        [ARUS_JOIN_FULL] = "full",   [ARUS_JOIN_SEMI] = "semi",
    };

    fact.class = FACT_VALUE;
    fact.what = ARUS_TEXT("join");
    fact.value = arus_text_of(KINDS[plan->join.kind]);
    ARUS_TRY(add(facts, &fact, err));
    for (uint32_t i = 0; i < plan->join.key_count; i++) {
        const struct arus_join_key *key = &plan->join.keys[i];
        struct arus_text sides[2];
        struct arus_text both;

        fact.class = FACT_KEY;
        ARUS_TRY(arus_lineage_text(plan->children[0], key->left, facts->arena, &sides[0], err));
        ARUS_TRY(arus_lineage_text(plan->children[1], key->right, facts->arena, &sides[1], err));
        ARUS_TRY(arus_text_format(facts->arena, &fact.what, err, "key %u", i + 1));
        ARUS_TRY(arus_text_format(facts->arena, &both, err, "%.*s %s %.*s",
                                  ARUS_TEXT_ARGS(sides[0]), key->is_null_safe ? "<=>" : "=",
                                  ARUS_TEXT_ARGS(sides[1])));
        ARUS_TRY(add_typed(facts, fact, both, key->left->type, err));
    }
    fact.class = FACT_VALUE;
    for (int side = 0; side < 2; side++) {
        const struct arus_plan *child = plan->children[side];

        ARUS_TRY(add_columns(facts, fact, side == 0 ? "left column" : "right column", child, NULL,
                             child->schema->field_count, err));
        ARUS_TRY(add_event_time(facts, fact, side == 0 ? "left event time" : "right event time",
                                child, err));
    }
    return ARUS_OK;
}

static const char *const KINDS[] = {
    [ARUS_STATE_AGGREGATE] = "aggregate",
    [ARUS_STATE_SESSION] = "session aggregate",
    [ARUS_STATE_DEDUP] = "drop_duplicates",
    [ARUS_STATE_DEDUP_WITHIN] = "drop_duplicates_within_watermark",
    [ARUS_STATE_JOIN] = "join of two streams",
    [ARUS_STATE_LIMIT] = "limit",
};

static enum arus_status add_operator(struct facts *facts, const struct arus_state_operator *item,
                                     struct arus_error *err)
{
    const struct arus_plan *plan = item->plan;
    struct fact fact = {item->id, FACT_OPERATOR, ARUS_TEXT("kind"), arus_text_of(KINDS[item->kind]),
                        item->place};

    ARUS_TRY(add(facts, &fact, err));
    switch (item->kind) {
    case ARUS_STATE_AGGREGATE:
    case ARUS_STATE_SESSION:
        return add_groups(facts, fact, plan, err);
    case ARUS_STATE_DEDUP:
    case ARUS_STATE_DEDUP_WITHIN:
        fact.class = FACT_KEY;
        ARUS_TRY(add_columns(facts, fact, "key", plan, plan->dedup.columns,
                             plan->dedup.column_count, err));
        return add_event_time(facts, fact, "event time", plan, err);
    case ARUS_STATE_JOIN:
        return add_join(facts, fact, plan, err);
    case ARUS_STATE_LIMIT:
        break;
    }
    return ARUS_OK;
}

static enum arus_status collect(const struct arus_physical *physical, struct facts *facts,
                                struct arus_error *err)
{
    for (uint32_t i = 0; i < physical->operator_count; i++) {
        ARUS_TRY(add_operator(facts, physical->operators[i], err));
    }
    return ARUS_OK;
}

/* ---- text ---- */

/* Tabs and line ends inside a text become blanks. */
static enum arus_status write_part(struct arus_text text, char end, struct arus_buffer *out,
                                   struct arus_error *err)
{
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];

        ARUS_TRY(arus_buffer_append_char(out, c == '\t' || c == '\n' ? ' ' : c, err));
    }
    return arus_buffer_append_char(out, end, err);
}

static enum arus_status write_facts(const struct facts *facts, struct arus_buffer *out,
                                    struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, HEADER "\n"));
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->items[i];

        ARUS_TRY(arus_buffer_printf(out, err, "%u\t%s\t", fact->operator_id, CLASSES[fact->class]));
        ARUS_TRY(write_part(fact->what, '\t', out, err));
        ARUS_TRY(write_part(fact->value, '\n', out, err));
    }
    return ARUS_OK;
}

enum arus_status arus_state_digest_write(const struct arus_physical *physical,
                                         struct arus_buffer *out, struct arus_error *err)
{
    struct arus_arena arena;
    struct facts facts = {.arena = &arena};
    enum arus_status status;

    arus_arena_init(&arena, 0);
    status = collect(physical, &facts, err);
    if (status == ARUS_OK) {
        status = write_facts(&facts, out, err);
    }
    arus_arena_release(&arena);
    return status;
}

/* The text up to `end`, which is taken away with it; false: there is none. */
static bool take(struct arus_text *text, char end, struct arus_text *out)
{
    const char *at = memchr(text->data, end, text->size);

    if (at == NULL) {
        return false;
    }
    *out = (struct arus_text){text->data, (size_t)(at - text->data)};
    text->size -= out->size + 1;
    text->data = at + 1;
    return true;
}

static bool read_fact(struct arus_text line, struct fact *out)
{
    struct arus_text number;
    struct arus_text class;

    *out = (struct fact){0};
    if (!take(&line, '\t', &number) || number.size == 0 || number.size > 6 ||
        !take(&line, '\t', &class) || !take(&line, '\t', &out->what)) {
        return false;
    }
    for (size_t i = 0; i < number.size; i++) {
        if (number.data[i] < '0' || number.data[i] > '9') {
            return false;
        }
        out->operator_id = out->operator_id * 10 + (uint32_t)(number.data[i] - '0');
    }
    for (int i = 0; i < FACT_CLASS_COUNT; i++) {
        if (arus_text_equal(class, arus_text_of(CLASSES[i]))) {
            out->class = (enum fact_class)i;
            out->value = line;
            return true;
        }
    }
    return false;
}

static enum arus_status read_facts(struct arus_text stored, const char *checkpoint,
                                   struct facts *facts, struct arus_error *err)
{
    struct arus_text line;
    struct fact fact;

    if (!take(&stored, '\n', &line) || !arus_text_equal(line, ARUS_TEXT(HEADER))) {
        arus_say(err, (struct arus_place){0}, NULL,
                 "what the state in %s means is not known to this arus", checkpoint);
        err->status = ARUS_MISMATCH;
        return arus_error_help(err, "use the arus that wrote it");
    }
    while (take(&stored, '\n', &line)) {
        if (!read_fact(line, &fact)) {
            return arus_fail(err, ARUS_MISMATCH, NULL, "the description of the state in %s is torn",
                             checkpoint);
        }
        ARUS_TRY(add(facts, &fact, err));
    }
    return ARUS_OK;
}

/* ---- comparing ---- */

static const struct fact *find(const struct facts *facts, const struct fact *like)
{
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->items[i];

        if (fact->operator_id == like->operator_id && fact->class == like->class &&
            arus_text_equal(fact->what, like->what)) {
            return fact;
        }
    }
    return NULL;
}

static uint32_t operator_count(const struct facts *facts)
{
    uint32_t count = 0;

    for (size_t i = 0; i < facts->count; i++) {
        count += facts->items[i].class == FACT_OPERATOR;
    }
    return count;
}

static enum arus_status operators_text(const struct facts *facts, struct arus_text *out,
                                       struct arus_error *err)
{
    *out = ARUS_TEXT("none");
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *fact = &facts->items[i];

        if (fact->class != FACT_OPERATOR) {
            continue;
        }
        ARUS_TRY(i == 0 ? arus_text_copy(fact->value, facts->arena, out, err)
                        : arus_text_format(facts->arena, out, err, "%.*s, %.*s",
                                           ARUS_TEXT_ARGS(*out), ARUS_TEXT_ARGS(fact->value)));
    }
    return ARUS_OK;
}

static const char HELP[] =
    "put the old query back, or rebuild from all input: a new checkpointLocation and a new path";

static enum arus_status operators_differ(const struct facts *was, const struct facts *is,
                                         const char *checkpoint, struct arus_error *err)
{
    const struct arus_place place = is->count > 0 ? is->items[0].place : (struct arus_place){0};
    struct arus_text old;
    struct arus_text new;

    ARUS_TRY(operators_text(was, &old, err));
    ARUS_TRY(operators_text(is, &new, err));
    if (was->count == 0) {
        arus_say(err, place, "STREAMING_STATEFUL_OPERATOR_MISSING_STATE_DIRECTORY",
                 "the query in %s had no state, this one needs it", checkpoint);
    } else {
        arus_say(err, place, "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA",
                 "the state in %s is that of another query (%.*s)", checkpoint,
                 ARUS_TEXT_ARGS(old));
    }
    err->status = ARUS_MISMATCH;
    (void)arus_error_label(err, "was %.*s, is %.*s", ARUS_TEXT_ARGS(old), ARUS_TEXT_ARGS(new));
    return arus_error_help(err, HELP);
}

static enum arus_status schema_differs(const struct fact *was, const struct fact *is,
                                       const char *checkpoint, struct arus_error *err)
{
    const struct fact *any = is == NULL ? was : is;

    arus_say(err, any->place,
             any->class == FACT_KEY ? "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE"
                                    : "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE",
             "the state in %s has another schema", checkpoint);
    err->status = ARUS_MISMATCH;
    if (is == NULL) {
        (void)arus_error_label(err, "%.*s was %.*s, is gone", ARUS_TEXT_ARGS(was->what),
                               ARUS_TEXT_ARGS(was->value));
    } else if (was == NULL) {
        (void)arus_error_label(err, "%.*s is new: %.*s", ARUS_TEXT_ARGS(is->what),
                               ARUS_TEXT_ARGS(is->value));
    } else {
        (void)arus_error_label(err, "%.*s was %.*s, is %.*s", ARUS_TEXT_ARGS(is->what),
                               ARUS_TEXT_ARGS(was->value), ARUS_TEXT_ARGS(is->value));
    }
    return arus_error_help(err, HELP);
}

/* The first difference of a class: changed or new ones, then missing ones. */
static enum arus_status compare_class(const struct facts *was, const struct facts *is,
                                      enum fact_class class, const char *checkpoint,
                                      struct arus_error *err)
{
    for (size_t i = 0; i < is->count; i++) {
        const struct fact *now = &is->items[i];
        const struct fact *old = now->class == class ? find(was, now) : now;

        if (old == NULL || !arus_text_equal(old->value, now->value)) {
            return schema_differs(old, now, checkpoint, err);
        }
    }
    for (size_t i = 0; i < was->count; i++) {
        struct fact old = was->items[i];

        if (old.class == class && find(is, &old) == NULL) {
            for (size_t j = 0; j < is->count; j++) {
                if (is->items[j].operator_id == old.operator_id) {
                    old.place = is->items[j].place;
                    break;
                }
            }
            return schema_differs(&old, NULL, checkpoint, err);
        }
    }
    return ARUS_OK;
}

static enum arus_status compare(const struct facts *was, const struct facts *is,
                                const char *checkpoint, struct arus_error *err)
{
    bool is_same = operator_count(was) == operator_count(is);

    for (size_t i = 0; is_same && i < is->count; i++) {
        if (is->items[i].class == FACT_OPERATOR) {
            const struct fact *old = find(was, &is->items[i]);

            is_same = old != NULL && arus_text_equal(old->value, is->items[i].value);
        }
    }
    if (!is_same) {
        return operators_differ(was, is, checkpoint, err);
    }
    ARUS_TRY(compare_class(was, is, FACT_KEY, checkpoint, err));
    return compare_class(was, is, FACT_VALUE, checkpoint, err);
}

/* What is compared is what would be written. */
static enum arus_status check(const struct arus_physical *physical, struct arus_text stored,
                              const char *checkpoint, struct facts *was, struct facts *is,
                              struct arus_buffer *text, struct arus_error *err)
{
    struct facts places = {.arena = is->arena};

    ARUS_TRY(read_facts(stored, checkpoint, was, err));
    ARUS_TRY(collect(physical, &places, err));
    ARUS_TRY(write_facts(&places, text, err));
    ARUS_TRY(read_facts(arus_buffer_text(text), checkpoint, is, err));
    for (size_t i = 0; i < is->count; i++) {
        is->items[i].place = places.items[i].place;
    }
    return compare(was, is, checkpoint, err);
}

enum arus_status arus_state_digest_check(const struct arus_physical *physical,
                                         struct arus_text stored, const char *checkpoint,
                                         struct arus_error *err)
{
    struct arus_arena arena;
    struct facts was = {.arena = &arena};
    struct facts is = {.arena = &arena};
    struct arus_buffer text = {0};
    enum arus_status status;

    arus_arena_init(&arena, 0);
    status = check(physical, stored, checkpoint, &was, &is, &text, err);
    arus_buffer_release(&text);
    arus_arena_release(&arena);
    return status;
}
