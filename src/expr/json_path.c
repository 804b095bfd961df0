/** get_json_object, fields for json_tuple, json_array_length, json_object_keys: paths into JSON
 * texts. */
#include "column/builder.h"
#include "expr/collection.h"
#include "expr/families.h"
#include "format/json_find.h"
#include "format/json_scan.h"

/* ---- paths: $ .name ['name'] [n] [*] .* ---- */

#define PATH_STEPS_MAX 64

struct path {
    struct arus_json_step steps[PATH_STEPS_MAX];
    uint32_t count;
};

static bool parse_bracket(struct arus_text text, size_t *at, struct arus_json_step *step)
{
    const char *close;

    if (*at < text.size && text.data[*at] == '\'') {
        const size_t begin = *at + 1;

        close = memchr(text.data + begin, '\'', text.size - begin);
        if (close == NULL || close + 1 >= text.data + text.size || close[1] != ']') {
            return false;
        }
        *step = (struct arus_json_step){
            ARUS_JSON_STEP_NAME, {text.data + begin, (size_t)(close - text.data) - begin}, 0};
        *at = (size_t)(close - text.data) + 2;
        return step->name.size > 0;
    }
    if (*at + 1 < text.size && text.data[*at] == '*' && text.data[*at + 1] == ']') {
        *step = (struct arus_json_step){.kind = ARUS_JSON_STEP_ALL};
        *at += 2;
        return true;
    }
    *step = (struct arus_json_step){.kind = ARUS_JSON_STEP_INDEX};
    if (*at >= text.size || text.data[*at] < '0' || text.data[*at] > '9') {
        return false;
    }
    for (; *at < text.size && text.data[*at] >= '0' && text.data[*at] <= '9'; (*at)++) {
        if (step->index > 100000000) {
            return false;
        }
        step->index = step->index * 10 + (uint32_t)(text.data[*at] - '0');
    }
    return *at < text.size && text.data[(*at)++] == ']';
}

static bool parse_path(struct arus_text text, struct path *path)
{
    size_t at = 1;

    path->count = 0;
    if (text.size == 0 || text.data[0] != '$') {
        return false;
    }
    while (at < text.size) {
        struct arus_json_step *step = &path->steps[path->count];

        if (path->count++ == PATH_STEPS_MAX) {
            return false;
        }
        if (text.data[at] == '[') {
            at++;
            if (!parse_bracket(text, &at, step)) {
                return false;
            }
            continue;
        }
        if (text.data[at] != '.') {
            return false;
        }
        at++;
        *step = (struct arus_json_step){ARUS_JSON_STEP_NAME, {text.data + at, 0}, 0};
        while (at < text.size && text.data[at] != '.' && text.data[at] != '[') {
            at++;
        }
        step->name.size = (size_t)(text.data + at - step->name.data);
        if (step->name.size == 0) {
            return false;
        }
        if (arus_text_equal(step->name, ARUS_TEXT("*"))) {
            step->kind = ARUS_JSON_STEP_NOTHING;
        }
    }
    return true;
}

/* ---- walking ---- */

/* How the found values are written: Spark's RAW, QUOTED and FLATTEN styles. */
enum style { STYLE_RAW, STYLE_QUOTED };

struct walk {
    const struct path *path;
    struct arus_buffer *out;
    struct arus_buffer *name;
    uint32_t found;         /* values written to `out` */
    struct arus_text plain; /* data set: the one value found stands so in the document */
    bool takes_last;        /* of a name that is there again; else the first one */
    bool is_fine;
};

static enum arus_status walk_value(struct walk *walk, struct arus_json_scan *scan, uint32_t step,
                                   enum style style, struct arus_error *err);

/* A second value comes: the first one goes into the buffer. */
static enum arus_status settle_plain(struct walk *walk, struct arus_error *err)
{
    const struct arus_text plain = walk->plain;

    walk->plain = (struct arus_text){0};
    return plain.data == NULL ? ARUS_OK : arus_buffer_append_text(walk->out, plain, err);
}

static void drop_found(struct walk *walk)
{
    walk->found = 0;
    walk->plain = (struct arus_text){0};
    arus_buffer_reset(walk->out);
}

static enum arus_status write_value(struct walk *walk, struct arus_json_scan *scan,
                                    enum style style, struct arus_error *err)
{
    const enum arus_json_kind kind = arus_json_scan_peek(scan);

    if (walk->found > 0) {
        ARUS_TRY(settle_plain(walk, err));
        ARUS_TRY(arus_buffer_append_char(walk->out, ',', err));
    }
    walk->found++;
    if (style == STYLE_RAW && kind == ARUS_JSON_STRING) {
        if (walk->found == 1 && arus_json_scan_plain_string(scan, &walk->plain)) {
            return ARUS_OK;
        }
        return arus_json_scan_string(scan, walk->out, &walk->is_fine, err);
    }
    if (walk->found == 1 && arus_json_scan_plain_value(scan, &walk->plain)) {
        return ARUS_OK;
    }
    return arus_json_scan_copy(scan, walk->out, &walk->is_fine, err);
}

/* The first field of the name whose value the rest of the path finds something in, or the last that
 * is not null. */
static enum arus_status walk_object(struct walk *walk, struct arus_json_scan *scan, uint32_t step,
                                    enum style style, struct arus_error *err)
{
    const struct arus_json_step *wanted = &walk->path->steps[step];
    const uint32_t found = walk->found;

    arus_json_scan_enter(scan);
    for (bool is_first = true;
         arus_json_scan_more(scan, ARUS_JSON_OBJECT, is_first, &walk->is_fine); is_first = false) {
        struct arus_text name;

        ARUS_TRY(arus_json_scan_name(scan, walk->name, &name, &walk->is_fine, err));
        if (!walk->is_fine || !arus_json_scan_colon(scan)) {
            walk->is_fine = false;
            return ARUS_OK;
        }
        if ((walk->found == found || walk->takes_last) && wanted->kind == ARUS_JSON_STEP_NAME &&
            arus_text_equal(name, wanted->name)) {
            const struct arus_json_scan before = *scan;

            if (arus_json_scan_peek(scan) == ARUS_JSON_WORD && *scan->at == 'n') {
                *scan = before;
                walk->is_fine = arus_json_scan_skip(scan); /* null: nothing found */
            } else {
                if (walk->takes_last) {
                    drop_found(walk);
                }
                ARUS_TRY(walk_value(walk, scan, step + 1, style, err));
            }
        } else {
            walk->is_fine = arus_json_scan_skip(scan);
        }
        if (!walk->is_fine) {
            return ARUS_OK;
        }
    }
    return ARUS_OK;
}

/* One element, or the next steps on all: those found become an array, one alone stands by itself.
 */
static enum arus_status walk_array(struct walk *walk, struct arus_json_scan *scan, uint32_t step,
                                   enum style style, struct arus_error *err)
{
    const struct arus_json_step *wanted = &walk->path->steps[step];
    uint32_t index = 0;

    arus_json_scan_enter(scan);
    for (bool is_first = true; arus_json_scan_more(scan, ARUS_JSON_ARRAY, is_first, &walk->is_fine);
         is_first = false) {
        if (wanted->kind == ARUS_JSON_STEP_ALL ||
            (wanted->kind == ARUS_JSON_STEP_INDEX && index == wanted->index)) {
            ARUS_TRY(walk_value(walk, scan, step + 1, style, err));
        } else {
            walk->is_fine = arus_json_scan_skip(scan);
        }
        if (!walk->is_fine) {
            return ARUS_OK;
        }
        index++;
    }
    return ARUS_OK;
}

static enum arus_status walk_all(struct walk *walk, struct arus_json_scan *scan, uint32_t step,
                                 enum style style, struct arus_error *err)
{
    struct arus_buffer inner_text = {0};
    struct walk inner = *walk;
    enum arus_status status;

    inner.out = &inner_text;
    inner.found = 0;
    inner.plain = (struct arus_text){0};
    status = walk_array(&inner, scan, step, STYLE_QUOTED, err);
    if (status == ARUS_OK) {
        status = settle_plain(&inner, err);
    }
    walk->is_fine = inner.is_fine;
    if (status != ARUS_OK || !inner.is_fine || inner.found == 0) {
        arus_buffer_release(&inner_text);
        return status;
    }
    if (walk->found > 0) {
        status = settle_plain(walk, err);
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(walk->out, ',', err);
        }
    }
    walk->found++;
    if (status == ARUS_OK && inner.found == 1 && style == STYLE_RAW) {
        status = arus_buffer_append_text(walk->out, arus_buffer_text(&inner_text), err);
    } else if (status == ARUS_OK) {
        status = arus_buffer_append_char(walk->out, '[', err);
        if (status == ARUS_OK) {
            status = arus_buffer_append_text(walk->out, arus_buffer_text(&inner_text), err);
        }
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(walk->out, ']', err);
        }
    }
    arus_buffer_release(&inner_text);
    return status;
}

static enum arus_status walk_value(struct walk *walk, struct arus_json_scan *scan, uint32_t step,
                                   enum style style, struct arus_error *err)
{
    const enum arus_json_kind kind = arus_json_scan_peek(scan);

    if (step == walk->path->count) {
        return write_value(walk, scan, style, err);
    }
    if (kind == ARUS_JSON_OBJECT && walk->path->steps[step].kind == ARUS_JSON_STEP_NAME) {
        return walk_object(walk, scan, step, style, err);
    }
    if (kind == ARUS_JSON_ARRAY && walk->path->steps[step].kind == ARUS_JSON_STEP_ALL) {
        return walk_all(walk, scan, step, style, err);
    }
    if (kind == ARUS_JSON_ARRAY && walk->path->steps[step].kind == ARUS_JSON_STEP_INDEX) {
        return walk_array(walk, scan, step, style, err);
    }
    walk->is_fine = arus_json_scan_skip(scan);
    return ARUS_OK;
}

/* What a call keeps from row to row: the path, which is nearly always one for all. */
struct object_call {
    struct path path;
    bool is_path;  /* false: the path cannot be read, nothing is found */
    bool is_field; /* json_field: the second argument is a name, not a path */
    struct arus_json_finder finder;
    struct arus_buffer out;
    struct arus_buffer name;
};

static enum arus_status walk_text(struct object_call *state, struct arus_text json,
                                  struct walk *walk, struct arus_error *err)
{
    const struct arus_json_path path = {state->path.steps, state->path.count, state->is_field};
    struct arus_json_scan scan = {json.data, json.data + json.size};
    enum arus_json_finding finding;
    struct arus_text value;

    ARUS_TRY(arus_json_find(&state->finder, json, &path, &finding, &value, err));
    switch (finding) {
    case ARUS_JSON_FOUND_PLAIN:
        walk->found = 1;
        walk->plain = value;
        return ARUS_OK;
    case ARUS_JSON_FOUND:
        scan.at = value.data;
        return write_value(walk, &scan, STYLE_RAW, err);
    case ARUS_JSON_NOTHING:
        return ARUS_OK;
    case ARUS_JSON_SURPRISE:
        break;
    }
    return walk_value(walk, &scan, 0, STYLE_RAW, err);
}

static enum arus_status find_in(struct arus_rowwise *row, struct object_call *state, uint32_t i,
                                struct arus_error *err)
{
    const struct arus_text json = arus_row_arg_text(row, 0, i);
    struct walk walk = {.path = &state->path,
                        .out = &state->out,
                        .name = &state->name,
                        .is_fine = true,
                        .takes_last = state->is_field};

    if (!state->is_path) {
        return arus_row_null(row, i, err);
    }
    arus_buffer_reset(&state->out);
    ARUS_TRY(walk_text(state, json, &walk, err));
    if (!walk.is_fine || walk.found == 0) {
        return arus_row_null(row, i, err);
    }
    if (walk.plain.data != NULL) { /* shared with the document */
        arus_row_view(row, i, arus_view_of(walk.plain.data, walk.plain.size));
        return ARUS_OK;
    }
    return arus_row_bytes(row, i, state->out.data, state->out.size, err);
}

static void take_path(struct object_call *state, struct arus_text text)
{
    if (state->is_field) {
        state->path.steps[0] = (struct arus_json_step){ARUS_JSON_STEP_NAME, text, 0};
        state->path.count = 1;
        state->is_path = true;
    } else {
        state->is_path = parse_path(text, &state->path);
    }
}

static enum arus_status find_in_rows(const struct arus_kernel_call *call, bool is_field,
                                     struct arus_vector *out, uint32_t *bad_row,
                                     struct arus_error *err)
{
    const bool is_one_path = call->args[1].form == ARUS_VECTOR_CONSTANT;
    struct object_call state;
    struct arus_rowwise row;
    enum arus_status status = arus_rowwise_open(&row, call, out, err);

    state.is_field = is_field;
    state.finder = (struct arus_json_finder){.cpu = arus_cpu_detect()};
    state.out = (struct arus_buffer){0};
    state.name = (struct arus_buffer){0};
    if (is_one_path) {
        take_path(&state, arus_text_at(&call->args[1], 0));
    }
    for (uint32_t i = 0; status == ARUS_OK && i < call->row_count; i++) {
        if (!arus_bit_get(call->valid, i)) {
            continue;
        }
        if (!is_one_path) {
            take_path(&state, arus_text_at(&call->args[1], i));
        }
        status = find_in(&row, &state, i, err);
        if (status != ARUS_OK) {
            *bad_row = i;
        }
    }
    arus_json_finder_release(&state.finder);
    arus_buffer_release(&state.out);
    arus_buffer_release(&state.name);
    return status;
}

static enum arus_status kernel_get_json_object(const struct arus_kernel_call *call,
                                               struct arus_vector *out, uint32_t *bad_row,
                                               struct arus_error *err)
{
    return find_in_rows(call, false, out, bad_row, err);
}

static enum arus_status kernel_field(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    return find_in_rows(call, true, out, bad_row, err);
}

/* ---- lengths and keys ---- */

/* False: no array, or bad JSON. */
static bool count_items(struct arus_text json, int32_t *count)
{
    struct arus_json_scan scan = {json.data, json.data + json.size};
    bool is_fine;

    *count = 0;
    if (arus_json_scan_peek(&scan) != ARUS_JSON_ARRAY) {
        return false;
    }
    arus_json_scan_enter(&scan);
    for (bool is_first = true; arus_json_scan_more(&scan, ARUS_JSON_ARRAY, is_first, &is_fine);
         is_first = false) {
        if (!arus_json_scan_skip(&scan)) {
            return false;
        }
        (*count)++;
    }
    return is_fine;
}

static enum arus_status array_length(struct arus_rowwise *row, struct arus_json_finder *finder,
                                     uint32_t i, struct arus_error *err)
{
    const struct arus_text json = arus_row_arg_text(row, 0, i);
    enum arus_json_finding finding;
    int32_t count;

    ARUS_TRY(arus_json_find_length(finder, json, &finding, &count, err));
    if (finding != ARUS_JSON_FOUND && !count_items(json, &count)) {
        return arus_row_null(row, i, err);
    }
    arus_row_int(row, i, count);
    return ARUS_OK;
}

static enum arus_status kernel_array_length(const struct arus_kernel_call *call,
                                            struct arus_vector *out, uint32_t *bad_row,
                                            struct arus_error *err)
{
    struct arus_json_finder finder = {.cpu = arus_cpu_detect()};
    struct arus_rowwise row;
    enum arus_status status = arus_rowwise_open(&row, call, out, err);

    for (uint32_t i = 0; status == ARUS_OK && i < call->row_count; i++) {
        if (arus_bit_get(call->valid, i)) {
            status = array_length(&row, &finder, i, err);
            *bad_row = i;
        }
    }
    arus_json_finder_release(&finder);
    return status;
}

/* Appends the keys of an object to the builder; *is_fine false: it is none. */
static enum arus_status add_keys(struct arus_text json, struct arus_strings *strings,
                                 struct arus_builder *builder, uint32_t *count, bool *is_fine,
                                 struct arus_error *err)
{
    struct arus_json_scan scan = {json.data, json.data + json.size};
    struct arus_buffer name = {0};
    enum arus_status status = ARUS_OK;

    *is_fine = arus_json_scan_peek(&scan) == ARUS_JSON_OBJECT;
    *count = 0;
    if (!*is_fine) {
        return ARUS_OK;
    }
    arus_json_scan_enter(&scan);
    for (bool is_first = true;
         status == ARUS_OK && arus_json_scan_more(&scan, ARUS_JSON_OBJECT, is_first, is_fine);
         is_first = false) {
        struct arus_view view = {0};

        arus_buffer_reset(&name);
        status = arus_json_scan_string(&scan, &name, is_fine, err);
        if (status == ARUS_OK && *is_fine) {
            *is_fine = arus_json_scan_colon(&scan) && arus_json_scan_skip(&scan);
        }
        if (status != ARUS_OK || !*is_fine) {
            break;
        }
        status = arus_strings_add(strings, name.data, name.size, &view, err);
        if (status == ARUS_OK) {
            status = arus_builder_value(&builder->children[0], &view, err);
        }
        (*count)++;
    }
    arus_buffer_release(&name);
    return status;
}

static enum arus_status kernel_object_keys(const struct arus_kernel_call *call,
                                           struct arus_vector *out, uint32_t *bad_row,
                                           struct arus_error *err)
{
    struct arus_strings strings = {.arena = call->step};
    struct arus_builder builder = {0};
    struct arus_vector vector;
    enum arus_status status = arus_builder_init(&builder, call->expr->type, err);

    (void)bad_row;
    for (uint32_t i = 0; i < call->row_count && status == ARUS_OK; i++) {
        const uint32_t before = builder.children[0].row_count;
        uint32_t count = 0;
        bool is_fine = false;

        if (arus_bit_get(call->valid, i)) {
            status = add_keys(arus_text_at(&call->args[0], i), &strings, &builder, &count, &is_fine,
                              err);
        }
        if (status != ARUS_OK) {
            break;
        }
        if (!is_fine) {
            arus_builder_truncate(&builder.children[0], before);
        }
        status =
            is_fine ? arus_builder_span(&builder, count, err) : arus_builder_null(&builder, err);
    }
    if (status == ARUS_OK) {
        status = arus_builder_finish(&builder, call->step, &vector, err);
    }
    if (status == ARUS_OK) {
        status = arus_vector_copy(&vector, call->step, out, err);
    }
    arus_builder_release(&builder);
    return status;
}

static enum arus_status bind_object_keys(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_arg_take(bind, 0, "=s", err));
    bind->is_nullable = true;
    return arus_type_array(&ARUS_STRING, false, bind->arena, &bind->type, err);
}

const struct arus_function ARUS_JSON_PATHS[] = {
    ARUS_FUNCTION("get_json_object", NULL, 0, 2, 2, "=s", "s", kernel_get_json_object,
                  "get_json_object(s, path) -> STRING",
                  "a value by a path such as $.a[0].b; NULL for bad JSON",
                  "get_json_object('{\"a\":[1,2]}', '$.a[1]')", "2"),
    {.name = "json_field", /* json_field(s, name): a column of json_tuple */
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .takes = "=s",
     .gives = "s",
     .kernel = kernel_field},
    ARUS_FUNCTION("json_array_length", NULL, 0, 1, 1, "=s", "i", kernel_array_length,
                  "json_array_length(s) -> INT", "elements of a JSON array, NULL for others",
                  "json_array_length('[1,2]')", "2"),
    {.name = "json_object_keys",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_object_keys,
     .kernel = kernel_object_keys,
     .signature = "json_object_keys(s) -> ARRAY<STRING>",
     .help = "keys of a JSON object, NULL for others",
     .example = "json_object_keys('{\"a\":1}')",
     .result = "[a]"},
    {0},
};
