/** Resolution of a writer's schema with a reader's, as Avro's own library does it (class Resolver),
 * for Spark reads through that. */
#include "format/avro_internal.h"
#include "format/avro_plan_internal.h"

static enum arus_status resolve(struct avro_maker *maker, const struct arus_avro *writer,
                                const struct arus_avro *reader, const struct arus_type *type,
                                const struct arus_avro_plan **out, struct arus_error *err);

static enum arus_status fail_plan(const struct arus_avro_plan *plan, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_CONFIG, "MALFORMED_AVRO_MESSAGE", "%.*s",
                     ARUS_TEXT_ARGS(plan->reason));
}

/* plan->reason says why no value can be read. */
static enum arus_status refuse(const struct avro_maker *maker, struct arus_avro_plan *plan,
                               struct arus_error *err)
{
    plan->step = AVRO_FAIL;
    return maker->doubt > 0 ? ARUS_OK : fail_plan(plan, err);
}

static enum arus_status refuse_kinds(struct avro_maker *maker, struct arus_avro_plan *plan,
                                     const struct arus_avro *reader, struct arus_error *err)
{
    const struct arus_avro *writer = plan->writer;

    ARUS_TRY(
        arus_text_format(maker->arena, &plan->reason, err,
                         "the writer's %s%s%.*s cannot be read as the reader's %s%s%.*s (field %s)",
                         ARUS_AVRO_KINDS[writer->kind], writer->name.size > 0 ? " " : "",
                         ARUS_TEXT_ARGS(writer->full_name), ARUS_AVRO_KINDS[reader->kind],
                         reader->name.size > 0 ? " " : "", ARUS_TEXT_ARGS(reader->full_name),
                         avro_path_text(maker)));
    return refuse(maker, plan, err);
}

/* ---- names ---- */

static bool is_listed(const struct arus_text *texts, uint32_t count, struct arus_text text)
{
    for (uint32_t k = 0; k < count; k++) {
        if (arus_text_equal(texts[k], text)) {
            return true;
        }
    }
    return false;
}

/* By namespace and name, or by an alias of the reader's. */
static bool is_same_type(const struct arus_avro *writer, const struct arus_avro *reader)
{
    return arus_text_equal(writer->full_name, reader->full_name) ||
           is_listed(reader->aliases, reader->alias_count, writer->full_name);
}

/* Namespaces do not count. */
static bool is_same_name(const struct arus_avro *writer, const struct arus_avro *reader)
{
    return arus_text_equal(writer->name, reader->name) || is_same_type(writer, reader);
}

/* The reader's name of a writer's field: an alias counts before a name, a later one before an
 * earlier one. */
static struct arus_text reader_name(const struct arus_avro *writer, const struct arus_avro *reader,
                                    uint32_t field)
{
    struct arus_text name = writer->names[field];

    for (uint32_t k = 0; reader->fields != NULL && k < reader->count; k++) {
        if (is_listed(reader->fields[k].aliases, reader->fields[k].alias_count,
                      writer->names[field])) {
            name = reader->names[k];
        }
    }
    return name;
}

static int32_t find_text(const struct arus_text *texts, uint32_t count, struct arus_text text)
{
    for (uint32_t k = 0; k < count; k++) {
        if (arus_text_equal(texts[k], text)) {
            return (int32_t)k;
        }
    }
    return -1;
}

/* ---- primitives, fixed, enum ---- */

/* AVRO_SKIP: there is no way. */
static enum avro_step leaf_step(const struct arus_avro *writer, const struct arus_avro *reader,
                                const struct arus_type *type)
{
    const bool is_sized = reader->kind == ARUS_AVRO_BYTES || reader->kind == ARUS_AVRO_STRING;

    switch (writer->kind) {
    case ARUS_AVRO_NULL:
        return reader->kind == ARUS_AVRO_NULL ? AVRO_NULL : AVRO_SKIP;
    case ARUS_AVRO_BOOLEAN:
        return reader->kind == ARUS_AVRO_BOOLEAN ? AVRO_BOOLEAN : AVRO_SKIP;
    case ARUS_AVRO_INT:
    case ARUS_AVRO_LONG:
        if (reader->kind < writer->kind || reader->kind > ARUS_AVRO_DOUBLE) {
            return AVRO_SKIP;
        }
        return reader->kind == ARUS_AVRO_FLOAT && type->id == ARUS_TYPE_DOUBLE ? AVRO_ROUNDED
                                                                               : AVRO_INTEGER;
    case ARUS_AVRO_FLOAT:
        return reader->kind == ARUS_AVRO_FLOAT || reader->kind == ARUS_AVRO_DOUBLE ? AVRO_FLOAT
                                                                                   : AVRO_SKIP;
    case ARUS_AVRO_DOUBLE:
        return reader->kind == ARUS_AVRO_DOUBLE ? AVRO_DOUBLE : AVRO_SKIP;
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_STRING:
        if (!is_sized) {
            return AVRO_SKIP;
        }
        return reader->logical == ARUS_AVRO_DECIMAL ? AVRO_DECIMAL : AVRO_SIZED;
    case ARUS_AVRO_FIXED:
        if (reader->kind != ARUS_AVRO_FIXED || reader->size != writer->size ||
            !is_same_name(writer, reader)) {
            return AVRO_SKIP;
        }
        return reader->logical == ARUS_AVRO_DECIMAL ? AVRO_DECIMAL : AVRO_FIXED;
    case ARUS_AVRO_ENUM:
        return reader->kind == ARUS_AVRO_ENUM && is_same_name(writer, reader) ? AVRO_ENUM
                                                                              : AVRO_SKIP;
    case ARUS_AVRO_ARRAY:
    case ARUS_AVRO_MAP:
    case ARUS_AVRO_RECORD:
    case ARUS_AVRO_UNION:
        break;
    }
    return AVRO_SKIP;
}

/* The reader's symbols by the writer's numbers. */
static enum arus_status find_symbols(struct avro_maker *maker, struct arus_avro_plan *plan,
                                     const struct arus_avro *reader, struct arus_error *err)
{
    const struct arus_avro *writer = plan->writer;
    const bool has_fallback = is_listed(reader->names, reader->count, reader->fallback);
    struct arus_text *symbols;

    ARUS_TRY(ARUS_NEW(maker->arena, struct arus_text, writer->count + 1u, &symbols, err));
    for (uint32_t k = 0; k < writer->count; k++) {
        if (is_listed(reader->names, reader->count, writer->names[k])) {
            symbols[k] = writer->names[k];
        } else if (has_fallback) {
            symbols[k] = reader->fallback;
        }
    }
    plan->symbols = symbols;
    return ARUS_OK;
}

static enum arus_status resolve_leaf(struct avro_maker *maker, struct arus_avro_plan *plan,
                                     const struct arus_avro *reader, struct arus_error *err)
{
    const bool is_millis =
        reader->logical == ARUS_AVRO_TIMESTAMP_MILLIS || reader->logical == ARUS_AVRO_LOCAL_MILLIS;

    plan->step = leaf_step(plan->writer, reader, plan->type);
    plan->factor = is_millis && plan->type->id != ARUS_TYPE_BIGINT ? 1000 : 1;
    if (plan->step == AVRO_SKIP) {
        return refuse_kinds(maker, plan, reader, err);
    }
    return plan->step == AVRO_ENUM ? find_symbols(maker, plan, reader, err) : ARUS_OK;
}

/* ---- records ---- */

static enum arus_status make_default(struct avro_maker *maker, const struct arus_avro *reader,
                                     struct arus_avro_plan *plan, struct avro_missing *missing,
                                     struct arus_error *err)
{
    const uint32_t at = missing->field;
    struct arus_buffer bytes = {.size_max = 1u << 20};
    enum arus_status status = arus_avro_put_default(reader, at, &bytes, err);

    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&bytes), maker->arena, &missing->bytes, err);
    }
    arus_buffer_release(&bytes);
    if (status == ARUS_BAD_CONFIG) {
        ARUS_TRY(arus_text_format(maker->arena, &plan->reason, err,
                                  "the default of field %s is bad: %s", avro_path_text(maker),
                                  err->message));
        return refuse(maker, plan, err);
    }
    ARUS_TRY(status);
    return resolve(maker, reader->children[at], reader->children[at], plan->type->fields[at].type,
                   &missing->plan, err);
}

static enum arus_status make_missing(struct avro_maker *maker, const struct arus_avro *reader,
                                     const bool *is_given, struct arus_avro_plan *plan,
                                     struct arus_error *err)
{
    struct avro_missing *missing;

    ARUS_TRY(ARUS_NEW(maker->arena, struct avro_missing, reader->count + 1u, &missing, err));
    plan->missing = missing;
    for (uint32_t k = 0; k < reader->count && plan->step != AVRO_FAIL; k++) {
        size_t path_size;

        if (is_given[k]) {
            continue;
        }
        path_size = avro_path_enter(maker, reader->names[k]);
        if (reader->fields == NULL || reader->fields[k].fallback.data == NULL) {
            ARUS_TRY(arus_text_format(maker->arena, &plan->reason, err,
                                      "the writer's schema has no field %s, and the reader's has "
                                      "no default for it",
                                      avro_path_text(maker)));
            ARUS_TRY(refuse(maker, plan, err));
        } else {
            struct avro_missing *next = &missing[plan->missing_count++];

            next->field = (uint16_t)k;
            ARUS_TRY(make_default(maker, reader, plan, next, err));
        }
        avro_path_leave(maker, path_size);
    }
    return ARUS_OK;
}

/* Which field of the reader takes each of the writer's; false: two would go into one. */
static bool match_fields(const struct arus_avro *writer, const struct arus_avro *reader,
                         int32_t *targets, bool *is_given)
{
    const bool has_aliases = is_same_type(writer, reader);

    for (uint32_t i = 0; i < writer->count; i++) {
        targets[i] = find_text(reader->names, reader->count,
                               has_aliases ? reader_name(writer, reader, i) : writer->names[i]);
        if (targets[i] >= 0) {
            if (is_given[targets[i]]) {
                return false;
            }
            is_given[targets[i]] = true;
        }
    }
    return true;
}

static enum arus_status resolve_record(struct avro_maker *maker, struct arus_avro_plan *plan,
                                       const struct arus_avro *reader, struct arus_error *err)
{
    const struct arus_avro *writer = plan->writer;
    const struct arus_avro_plan **children;
    int32_t *targets;
    bool *is_given;

    ARUS_TRY(
        ARUS_NEW(maker->arena, const struct arus_avro_plan *, writer->count + 1u, &children, err));
    ARUS_TRY(ARUS_NEW(maker->arena, int32_t, writer->count + 1u, &targets, err));
    ARUS_TRY(ARUS_NEW(maker->arena, bool, reader->count + 1u, &is_given, err));
    plan->step = AVRO_RECORD;
    plan->count = writer->count;
    plan->children = children;
    plan->targets = targets;
    if (!match_fields(writer, reader, targets, is_given)) {
        ARUS_TRY(arus_text_format(maker->arena, &plan->reason, err,
                                  "two fields of the writer's record %.*s have the name or alias "
                                  "of one of the reader's",
                                  ARUS_TEXT_ARGS(writer->full_name)));
        return refuse(maker, plan, err);
    }
    for (uint32_t i = 0; i < writer->count; i++) {
        const int32_t at = targets[i];
        size_t path_size;

        if (at < 0) {
            ARUS_TRY(avro_plan_skip(maker, writer->children[i], &children[i], err));
            continue;
        }
        path_size = avro_path_enter(maker, reader->names[at]);
        ARUS_TRY(resolve(maker, writer->children[i], reader->children[at],
                         plan->type->fields[at].type, &children[i], err));
        avro_path_leave(maker, path_size);
    }
    return make_missing(maker, reader, is_given, plan, err);
}

/* ---- arrays, maps ---- */

static enum arus_status resolve_items(struct avro_maker *maker, struct arus_avro_plan *plan,
                                      const struct arus_avro *reader, struct arus_error *err)
{
    const bool is_map = reader->kind == ARUS_AVRO_MAP;
    const struct arus_avro_plan **children;

    ARUS_TRY(ARUS_NEW(maker->arena, const struct arus_avro_plan *, 1, &children, err));
    plan->step = is_map ? AVRO_MAP : AVRO_ARRAY;
    plan->count = 1;
    plan->children = children;
    maker->doubt++; /* an empty one can be read */
    ARUS_TRY(resolve(maker, plan->writer->children[0], reader->children[0],
                     plan->type->fields[is_map].type, &children[0], err));
    maker->doubt--;
    return ARUS_OK;
}

/* ---- unions ---- */

static uint16_t member_of(const struct arus_avro *reader, uint32_t branch)
{
    uint16_t member = 0;

    for (uint32_t k = 0; k < branch; k++) {
        member = (uint16_t)(member + (reader->children[k]->kind != ARUS_AVRO_NULL));
    }
    return member;
}

/* A value of one branch becomes one of the reader's union. */
static enum arus_status resolve_branch(struct avro_maker *maker, const struct arus_avro *writer,
                                       const struct arus_avro *reader, uint32_t branch,
                                       const struct arus_type *type,
                                       const struct arus_avro_plan **out, struct arus_error *err)
{
    const struct arus_avro *inner = reader->children[branch];
    const struct arus_avro_plan **children;
    struct arus_avro_plan *plan;

    if (!reader->has_members || inner->kind == ARUS_AVRO_NULL) {
        return resolve(maker, writer, inner, type, out, err);
    }
    ARUS_TRY(avro_plan_new(maker, writer, type, &plan, err));
    ARUS_TRY(ARUS_NEW(maker->arena, const struct arus_avro_plan *, 1, &children, err));
    plan->step = AVRO_MEMBER;
    plan->member = member_of(reader, branch);
    plan->count = 1;
    plan->children = children;
    *out = plan;
    return resolve(maker, writer, inner, type->fields[plan->member].type, &children[0], err);
}

/* The part of a record that fails for sure: it or a field of it; NULL: none. What lies deeper does
 * not count. */
static const struct arus_avro_plan *find_failure(const struct arus_avro_plan *plan)
{
    if (plan->step == AVRO_MEMBER) {
        plan = plan->children[0];
    }
    if (plan->step == AVRO_FAIL) {
        return plan;
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan->children[i]->step == AVRO_FAIL) {
            return plan->children[i];
        }
    }
    return NULL;
}

/* Records meet by name, else by shape. *out NULL: none does. */
static enum arus_status match_record(struct avro_maker *maker, const struct arus_avro *writer,
                                     const struct arus_avro *reader, const struct arus_type *type,
                                     const struct arus_avro_plan **out, struct arus_error *err)
{
    *out = NULL;
    for (uint32_t k = 0; k < reader->count; k++) {
        const struct arus_avro_plan *plan;

        if (reader->children[k]->kind != ARUS_AVRO_RECORD) {
            continue;
        }
        maker->doubt++;
        ARUS_TRY(resolve_branch(maker, writer, reader, k, type, &plan, err));
        maker->doubt--;
        if (is_same_type(writer, reader->children[k])) {
            *out = plan;
            return ARUS_OK;
        }
        if (*out == NULL && find_failure(plan) == NULL) {
            *out = plan;
        }
    }
    return ARUS_OK;
}

/* The branch of the writer's kind, else the first that it may become; -1: none. */
static int32_t match_branch(const struct arus_avro *writer, const struct arus_avro *reader)
{
    for (uint32_t k = 0; k < reader->count; k++) {
        const struct arus_avro *branch = reader->children[k];
        const bool is_named = branch->kind == ARUS_AVRO_ENUM || branch->kind == ARUS_AVRO_FIXED;

        if (branch->kind == writer->kind && (!is_named || is_same_type(writer, branch))) {
            return (int32_t)k;
        }
    }
    for (uint32_t k = 0; k < reader->count; k++) {
        const struct arus_avro *branch = reader->children[k];

        if (branch->kind != writer->kind && leaf_step(writer, branch, branch->type) != AVRO_SKIP) {
            return (int32_t)k;
        }
    }
    return -1;
}

static enum arus_status
resolve_reader_union(struct avro_maker *maker, const struct arus_avro *writer,
                     const struct arus_avro *reader, const struct arus_type *type,
                     const struct arus_avro_plan **out, struct arus_error *err)
{
    struct arus_avro_plan *plan;

    if (writer->kind == ARUS_AVRO_RECORD) {
        ARUS_TRY(match_record(maker, writer, reader, type, out, err));
        if (*out != NULL) {
            const struct arus_avro_plan *failure = find_failure(*out);

            return failure == NULL || maker->doubt > 0 ? ARUS_OK : fail_plan(failure, err);
        }
    } else {
        const int32_t branch = match_branch(writer, reader);

        if (branch >= 0) {
            return resolve_branch(maker, writer, reader, (uint32_t)branch, type, out, err);
        }
    }
    ARUS_TRY(avro_plan_new(maker, writer, type, &plan, err));
    *out = plan;
    return refuse_kinds(maker, plan, reader, err);
}

/* Are both of one shape, so that branches of unions meet by their place? */
static bool is_alike(struct avro_maker *maker, const struct arus_avro *writer,
                     const struct arus_avro *reader)
{
    const bool is_named = writer->kind == ARUS_AVRO_RECORD || writer->kind == ARUS_AVRO_ENUM ||
                          writer->kind == ARUS_AVRO_FIXED;

    if (writer == reader) {
        return true;
    }
    if (++maker->plan_count > AVRO_PLAN_MAX || writer->kind != reader->kind ||
        writer->count != reader->count || writer->size != reader->size ||
        (is_named && !is_same_name(writer, reader))) {
        return false;
    }
    for (uint32_t k = 0; k < writer->count; k++) {
        if ((is_named && !arus_text_equal(writer->names[k], reader->names[k])) ||
            (writer->kind != ARUS_AVRO_ENUM &&
             !is_alike(maker, writer->children[k], reader->children[k]))) {
            return false;
        }
    }
    return true;
}

static enum arus_status resolve_writer_union(struct avro_maker *maker, struct arus_avro_plan *plan,
                                             const struct arus_avro *reader, struct arus_error *err)
{
    const struct arus_avro *writer = plan->writer;
    const bool meets_by_place = is_alike(maker, writer, reader);
    const struct arus_avro_plan **children;

    ARUS_TRY(
        ARUS_NEW(maker->arena, const struct arus_avro_plan *, writer->count + 1u, &children, err));
    plan->step = AVRO_UNION;
    plan->count = writer->count;
    plan->children = children;
    maker->doubt++; /* the branch may never come */
    for (uint32_t k = 0; k < writer->count; k++) {
        ARUS_TRY(meets_by_place
                     ? resolve_branch(maker, writer->children[k], reader, k, plan->type,
                                      &children[k], err)
                     : resolve(maker, writer->children[k], reader, plan->type, &children[k], err));
    }
    maker->doubt--;
    return ARUS_OK;
}

/* ---- all kinds ---- */

static enum arus_status resolve_kinds(struct avro_maker *maker, struct arus_avro_plan *plan,
                                      const struct arus_avro *reader, struct arus_error *err)
{
    switch (plan->writer->kind) {
    case ARUS_AVRO_UNION:
        return resolve_writer_union(maker, plan, reader, err);
    case ARUS_AVRO_RECORD:
        return reader->kind == ARUS_AVRO_RECORD ? resolve_record(maker, plan, reader, err)
                                                : refuse_kinds(maker, plan, reader, err);
    case ARUS_AVRO_ARRAY:
    case ARUS_AVRO_MAP:
        return reader->kind == plan->writer->kind ? resolve_items(maker, plan, reader, err)
                                                  : refuse_kinds(maker, plan, reader, err);
    case ARUS_AVRO_NULL:
    case ARUS_AVRO_BOOLEAN:
    case ARUS_AVRO_INT:
    case ARUS_AVRO_LONG:
    case ARUS_AVRO_FLOAT:
    case ARUS_AVRO_DOUBLE:
    case ARUS_AVRO_BYTES:
    case ARUS_AVRO_STRING:
    case ARUS_AVRO_FIXED:
    case ARUS_AVRO_ENUM:
        break;
    }
    return resolve_leaf(maker, plan, reader, err);
}

static enum arus_status resolve(struct avro_maker *maker, const struct arus_avro *writer,
                                const struct arus_avro *reader, const struct arus_type *type,
                                const struct arus_avro_plan **out, struct arus_error *err)
{
    struct arus_avro_plan *plan;
    enum arus_status status;

    if (reader->kind == ARUS_AVRO_UNION && writer->kind != ARUS_AVRO_UNION) {
        maker->depth++;
        status = resolve_reader_union(maker, writer, reader, type, out, err);
        maker->depth--;
        return status;
    }
    ARUS_TRY(avro_plan_new(maker, writer, type, &plan, err));
    *out = plan;
    maker->depth++;
    status = resolve_kinds(maker, plan, reader, err);
    maker->depth--;
    return status;
}

enum arus_status arus_avro_plan_resolve(const struct arus_avro *writer,
                                        const struct arus_avro *reader, struct arus_arena *arena,
                                        const struct arus_avro_plan **out, struct arus_error *err)
{
    struct avro_maker maker = {.arena = arena};

    return resolve(&maker, writer, reader, reader->type, out, err);
}
