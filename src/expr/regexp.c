/** RLIKE, regexp_*, split: Java regular expressions. */
#include "expr/collection.h"
#include "expr/families.h"
#include "expr/memo.h"
#include "types/utf8.h"

static enum arus_status regex_at(const struct arus_rowwise *row, uint32_t arg, uint32_t i,
                                 struct arus_regex **out, struct arus_error *err)
{
    return arus_memo_regex(row->call->memo, arus_row_arg_text(row, arg, i), out, err);
}

static enum arus_status rlike(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    struct arus_regex *regex;
    bool is_found;

    ARUS_TRY(regex_at(row, 1, i, &regex, err));
    ARUS_TRY(arus_regex_find(regex, arus_row_arg_text(row, 0, i), 0, &is_found, err));
    arus_row_boolean(row, i, is_found);
    return ARUS_OK;
}
ARUS_ROWWISE(rlike)

/* ---- extracting ---- */

static enum arus_status check_group(const struct arus_regex *regex, int32_t group,
                                    struct arus_error *err)
{
    if (group >= 0 && (uint32_t)group <= arus_regex_group_count(regex)) {
        return ARUS_OK;
    }
    return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
                     "the pattern has %u groups, there is no group %d",
                     arus_regex_group_count(regex), group);
}

static int32_t group_at(const struct arus_rowwise *row, uint32_t i)
{
    return row->call->expr->arg_count > 2 ? arus_row_arg_int(row, 2, i) : 1;
}

static enum arus_status extract(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    const int32_t group = group_at(row, i);
    struct arus_regex *regex;
    size_t begin;
    size_t end;
    bool is_found;

    ARUS_TRY(regex_at(row, 1, i, &regex, err));
    ARUS_TRY(arus_regex_find(regex, arus_view_text(view), 0, &is_found, err));
    if (is_found) { /* without a match Spark does not look at the group */
        ARUS_TRY(check_group(regex, group, err));
    }
    arus_row_view(row, i,
                  is_found && arus_regex_group(regex, (uint32_t)group, &begin, &end)
                      ? arus_view_part(view, begin, end - begin)
                      : arus_view_empty());
    return ARUS_OK;
}
ARUS_ROWWISE(extract)

static enum arus_status substr(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_view view = arus_row_arg_view(row, 0, i);
    struct arus_regex *regex;
    size_t begin = 0;
    size_t end = 0;
    bool is_found;

    ARUS_TRY(regex_at(row, 1, i, &regex, err));
    ARUS_TRY(arus_regex_find(regex, arus_view_text(view), 0, &is_found, err));
    if (!is_found || !arus_regex_group(regex, 0, &begin, &end) || begin == end) {
        return arus_row_null(row, i, err);
    }
    arus_row_view(row, i, arus_view_part(view, begin, end - begin));
    return ARUS_OK;
}
ARUS_ROWWISE(substr)

static enum arus_status instr(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    struct arus_regex *regex;
    size_t begin = 0;
    size_t end;
    bool is_found;

    ARUS_TRY(regex_at(row, 1, i, &regex, err));
    ARUS_TRY(arus_regex_find(regex, text, 0, &is_found, err));
    arus_row_int(row, i,
                 is_found && arus_regex_group(regex, 0, &begin, &end)
                     ? (int32_t)arus_utf8_length((struct arus_text){text.data, begin}) + 1
                     : 0);
    return ARUS_OK;
}
ARUS_ROWWISE(instr)

static enum arus_status count(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    struct arus_regex *regex;
    int32_t found = 0;
    bool is_found;

    ARUS_TRY(regex_at(row, 1, i, &regex, err));
    ARUS_TRY(arus_regex_find(regex, text, 0, &is_found, err));
    while (is_found) {
        const size_t next = arus_regex_next(regex, text);

        found++;
        is_found = false;
        if (next <= text.size) {
            ARUS_TRY(arus_regex_find(regex, text, next, &is_found, err));
        }
    }
    arus_row_int(row, i, found);
    return ARUS_OK;
}
ARUS_ROWWISE(count)

/* ---- replacing: Java's `$1`, `${name}`, `\x` ---- */

static enum arus_status fail_replacement(struct arus_text by, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX",
                     "the replacement '%.*s' names no group of the pattern", ARUS_TEXT_ARGS(by));
}

static enum arus_status append_group(struct arus_rowwise *row, struct arus_regex *regex,
                                     struct arus_text text, uint32_t group, struct arus_error *err)
{
    size_t begin;
    size_t end;

    return arus_regex_group(regex, group, &begin, &end)
               ? arus_buffer_append(&row->buffer, text.data + begin, end - begin, err)
               : ARUS_OK;
}

/* `$12`: as many digits as still name a group. *at is behind the `$`. */
static enum arus_status append_numbered(struct arus_rowwise *row, struct arus_regex *regex,
                                        struct arus_text text, struct arus_text by, size_t *at,
                                        struct arus_error *err)
{
    uint32_t group = (uint32_t)(by.data[(*at)++] - '0');

    if (group > arus_regex_group_count(regex)) {
        return fail_replacement(by, err);
    }
    while (*at < by.size && by.data[*at] >= '0' && by.data[*at] <= '9') {
        const uint32_t longer = group * 10 + (uint32_t)(by.data[*at] - '0');

        if (longer > arus_regex_group_count(regex)) {
            break;
        }
        group = longer;
        (*at)++;
    }
    return append_group(row, regex, text, group, err);
}

static enum arus_status append_named(struct arus_rowwise *row, struct arus_regex *regex,
                                     struct arus_text text, struct arus_text by, size_t *at,
                                     struct arus_error *err)
{
    const char *end = memchr(by.data + *at, '}', by.size - *at);
    int32_t group;

    if (end == NULL) {
        return fail_replacement(by, err);
    }
    group = arus_regex_group_find(regex,
                                  (struct arus_text){by.data + *at, (size_t)(end - by.data) - *at});
    if (group < 0) {
        return fail_replacement(by, err);
    }
    *at = (size_t)(end - by.data) + 1;
    return append_group(row, regex, text, (uint32_t)group, err);
}

static enum arus_status append_replacement(struct arus_rowwise *row, struct arus_regex *regex,
                                           struct arus_text text, struct arus_text by,
                                           struct arus_error *err)
{
    for (size_t at = 0; at < by.size;) {
        const char c = by.data[at++];

        if (c == '\\') {
            if (at >= by.size) {
                return fail_replacement(by, err);
            }
            ARUS_TRY(arus_buffer_append_char(&row->buffer, by.data[at++], err));
        } else if (c != '$') {
            ARUS_TRY(arus_buffer_append_char(&row->buffer, c, err));
        } else if (at < by.size && by.data[at] == '{') {
            at++;
            ARUS_TRY(append_named(row, regex, text, by, &at, err));
        } else if (at < by.size && by.data[at] >= '0' && by.data[at] <= '9') {
            ARUS_TRY(append_numbered(row, regex, text, by, &at, err));
        } else {
            return fail_replacement(by, err);
        }
    }
    return ARUS_OK;
}

static enum arus_status replace(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const struct arus_text by = arus_row_arg_text(row, 2, i);
    const int32_t position = row->call->expr->arg_count > 3 ? arus_row_arg_int(row, 3, i) : 1;
    struct arus_regex *regex;
    size_t copied = 0;
    size_t from;
    bool is_found = false;

    ARUS_TRY(regex_at(row, 1, i, &regex, err));
    from = arus_utf8_offset(text, (size_t)(position < 1 ? 0 : position - 1));
    if (from < text.size || position == 1) {
        ARUS_TRY(arus_regex_find(regex, text, from, &is_found, err));
    }
    arus_buffer_reset(&row->buffer);
    while (is_found) {
        size_t begin = 0;
        size_t end = 0;

        (void)arus_regex_group(regex, 0, &begin, &end);
        from = arus_regex_next(regex, text);
        ARUS_TRY(arus_buffer_append(&row->buffer, text.data + copied, begin - copied, err));
        ARUS_TRY(append_replacement(row, regex, text, by, err));
        copied = end;
        is_found = false;
        if (from <= text.size) {
            ARUS_TRY(arus_regex_find(regex, text, from, &is_found, err));
        }
    }
    ARUS_TRY(arus_buffer_append(&row->buffer, text.data + copied, text.size - copied, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(replace)

static enum arus_status bind_replace(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(arus_args_take(bind, "sssi", err));
    bind->type = &ARUS_STRING;
    if (bind->arg_count == 3) {
        const int32_t first = 1;
        const struct arus_expr *position;

        ARUS_TRY(arus_literal_of(&ARUS_INT, &first, bind->arena, &position, err));
        return arus_arg_append(bind, position, err);
    }
    {
        struct arus_vector value;
        bool is_found;

        ARUS_TRY(arus_arg_constant(bind, 3, &value, &is_found, err));
        if (is_found && arus_vector_is_valid(&value, 0) && *(const int32_t *)value.values < 1) {
            return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE",
                                "the position must be at least 1");
        }
    }
    return ARUS_OK;
}

/* ---- lists of texts: split, regexp_extract_all ---- */

struct pieces {
    struct arus_arena *step;
    struct arus_view *items;
    uint32_t count;
    uint32_t capacity;
};

static enum arus_status pieces_add(struct pieces *pieces, struct arus_view view,
                                   struct arus_error *err)
{
    if (pieces->count == pieces->capacity) {
        const uint32_t capacity = pieces->capacity == 0 ? 1024 : 2 * pieces->capacity;
        void *memory;

        ARUS_TRY(arus_arena_buffer(pieces->step, capacity * sizeof view, &memory, err));
        if (pieces->count > 0) {
            memcpy(memory, pieces->items, pieces->count * sizeof view);
        }
        pieces->items = memory;
        pieces->capacity = capacity;
    }
    pieces->items[pieces->count++] = view;
    return ARUS_OK;
}

typedef enum arus_status (*pieces_fn)(const struct arus_kernel_call *call, uint32_t i,
                                      struct pieces *pieces, struct arus_error *err);

static enum arus_status run_pieces(const struct arus_kernel_call *call, pieces_fn fn,
                                   struct arus_vector *out, uint32_t *bad_row,
                                   struct arus_error *err)
{
    struct pieces pieces = {.step = call->step};
    struct arus_vector *child;
    struct arus_span *spans;

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    spans = out->values;
    child = out->children;
    for (uint32_t i = 0; i < call->row_count; i++) {
        const uint32_t begin = pieces.count;

        *bad_row = i;
        if (arus_bit_get(call->valid, i)) {
            ARUS_TRY(fn(call, i, &pieces, err));
        }
        spans[i] = (struct arus_span){begin, pieces.count - begin};
    }
    ARUS_TRY(arus_vector_init(child, &ARUS_STRING, pieces.count, call->step, err));
    if (pieces.count > 0) {
        memcpy(child->values, pieces.items, pieces.count * sizeof *pieces.items);
    }
    return ARUS_OK;
}

/* An empty pattern: one character a piece, the last one takes the rest. */
static enum arus_status split_characters(struct arus_view view, int32_t limit,
                                         struct pieces *pieces, struct arus_error *err)
{
    const size_t length = arus_utf8_length(arus_view_text(view));
    const size_t most = limit <= 0 || (size_t)limit > length ? length : (size_t)limit;
    size_t at = 0;

    for (size_t n = 1; n < most; n++) {
        size_t size = arus_utf8_size((unsigned char)view.data[at]);

        size = size > view.size - at ? view.size - at : size;
        ARUS_TRY(pieces_add(pieces, arus_view_part(view, at, size), err));
        at += size;
    }
    return pieces_add(pieces, arus_view_part(view, at, view.size - at), err);
}

/* Is the pattern one ASCII character that means itself, perhaps behind a backslash? */
static bool is_one_character(struct arus_text pattern, char *out)
{
    const bool is_escaped = pattern.size == 2 && pattern.data[0] == '\\';
    const unsigned char c = pattern.size == 0 ? 0 : (unsigned char)pattern.data[pattern.size - 1];
    const bool is_plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');

    *out = (char)c;
    if (c == 0 || c >= 0x80) {
        return false;
    }
    return is_escaped ? !is_plain : pattern.size == 1 && strchr(".$|()[]{}^?*+\\", c) == NULL;
}

static enum arus_status split_at(struct arus_view view, char separator, int32_t limit,
                                 struct pieces *pieces, struct arus_error *err)
{
    size_t at = 0;

    for (int64_t n = 1; at < view.size && (limit <= 0 || n < limit); n++) {
        const char *hit = memchr(view.data + at, separator, view.size - at);
        const size_t size = hit == NULL ? 0 : (size_t)(hit - view.data) - at;

        if (hit == NULL) {
            break;
        }
        ARUS_TRY(pieces_add(pieces, arus_view_part(view, at, size), err));
        at += size + 1;
    }
    return pieces_add(pieces, arus_view_part(view, at, view.size - at), err);
}

static enum arus_status split_row(const struct arus_kernel_call *call, uint32_t i,
                                  struct pieces *pieces, struct arus_error *err)
{
    const struct arus_view view = arus_view_at(&call->args[0], i);
    const struct arus_text text = arus_view_text(view);
    const struct arus_text pattern = arus_text_at(&call->args[1], i);
    const int32_t limit = arus_int_at(&call->args[2], i);
    const uint32_t first = pieces->count;
    struct arus_regex *regex;
    size_t begin;
    size_t end;
    size_t at = 0;
    bool is_found;
    char separator;

    if (text.size > 0 && pattern.size == 0) {
        return split_characters(view, limit, pieces, err);
    }
    if (is_one_character(pattern, &separator)) {
        return split_at(view, separator, limit, pieces, err);
    }
    ARUS_TRY(arus_memo_regex(call->memo, pattern, &regex, err));
    ARUS_TRY(arus_regex_find(regex, text, 0, &is_found, err));
    while (is_found && (limit <= 0 || pieces->count - first < (uint32_t)limit - 1)) {
        (void)arus_regex_group(regex, 0, &begin, &end);
        if (!(at == 0 && begin == 0 && end == 0)) { /* no empty piece before the first character */
            ARUS_TRY(pieces_add(pieces, arus_view_part(view, at, begin - at), err));
            at = end;
        }
        end = arus_regex_next(regex, text);
        is_found = false;
        if (end <= text.size) {
            ARUS_TRY(arus_regex_find(regex, text, end, &is_found, err));
        }
    }
    return pieces_add(pieces, arus_view_part(view, at, view.size - at), err);
}

static enum arus_status kernel_split(const struct arus_kernel_call *call, struct arus_vector *out,
                                     uint32_t *bad_row, struct arus_error *err)
{
    return run_pieces(call, split_row, out, bad_row, err);
}

static enum arus_status bind_split(struct arus_bind *bind, struct arus_error *err)
{
    const int32_t all = -1;

    if (bind->arg_count == 2) {
        const struct arus_expr *limit;

        ARUS_TRY(arus_literal_of(&ARUS_INT, &all, bind->arena, &limit, err));
        ARUS_TRY(arus_arg_append(bind, limit, err));
    }
    ARUS_TRY(arus_args_take(bind, "ssi", err));
    return arus_type_array(&ARUS_STRING, false, bind->arena, &bind->type, err);
}

static enum arus_status extract_all_row(const struct arus_kernel_call *call, uint32_t i,
                                        struct pieces *pieces, struct arus_error *err)
{
    const struct arus_view view = arus_view_at(&call->args[0], i);
    const struct arus_text text = arus_view_text(view);
    const int32_t group = call->expr->arg_count > 2 ? arus_int_at(&call->args[2], i) : 1;
    struct arus_regex *regex;
    bool is_found;

    ARUS_TRY(arus_memo_regex(call->memo, arus_text_at(&call->args[1], i), &regex, err));
    ARUS_TRY(arus_regex_find(regex, text, 0, &is_found, err));
    if (is_found) {
        ARUS_TRY(check_group(regex, group, err));
    }
    while (is_found) {
        size_t begin;
        size_t end;

        ARUS_TRY(pieces_add(pieces,
                            arus_regex_group(regex, (uint32_t)group, &begin, &end)
                                ? arus_view_part(view, begin, end - begin)
                                : arus_view_empty(),
                            err));
        end = arus_regex_next(regex, text);
        is_found = false;
        if (end <= text.size) {
            ARUS_TRY(arus_regex_find(regex, text, end, &is_found, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status kernel_extract_all(const struct arus_kernel_call *call,
                                           struct arus_vector *out, uint32_t *bad_row,
                                           struct arus_error *err)
{
    return run_pieces(call, extract_all_row, out, bad_row, err);
}

/* ---- str_to_map(s[, pairs[, keys]]): both separators are patterns ---- */

/* Pieces of a text between matches; at most `limit` when above 0. */
static enum arus_status split_text(struct arus_view view, struct arus_regex *regex, int32_t limit,
                                   struct pieces *pieces, struct arus_error *err)
{
    const struct arus_text text = arus_view_text(view);
    const uint32_t first = pieces->count;
    size_t begin = 0;
    size_t end = 0;
    size_t at = 0;
    bool is_found;

    ARUS_TRY(arus_regex_find(regex, text, 0, &is_found, err));
    while (is_found && (limit <= 0 || pieces->count - first < (uint32_t)limit - 1)) {
        (void)arus_regex_group(regex, 0, &begin, &end);
        if (!(at == 0 && begin == 0 && end == 0)) {
            ARUS_TRY(pieces_add(pieces, arus_view_part(view, at, begin - at), err));
            at = end;
        }
        end = arus_regex_next(regex, text);
        is_found = false;
        if (end <= text.size) {
            ARUS_TRY(arus_regex_find(regex, text, end, &is_found, err));
        }
    }
    return pieces_add(pieces, arus_view_part(view, at, view.size - at), err);
}

/* Adds the entries of one row; a pair without a value has a null. */
static enum arus_status map_row(const struct arus_kernel_call *call, uint32_t i,
                                struct pieces *keys, struct pieces *values, struct arus_error *err)
{
    struct pieces pairs = {.step = call->step};
    struct arus_regex *regex;

    ARUS_TRY(arus_memo_regex(call->memo, arus_text_at(&call->args[1], i), &regex, err));
    ARUS_TRY(split_text(arus_view_at(&call->args[0], i), regex, -1, &pairs, err));
    ARUS_TRY(arus_memo_regex(call->memo, arus_text_at(&call->args[2], i), &regex, err));
    for (uint32_t k = 0; k < pairs.count; k++) {
        struct pieces sides = {.step = call->step};
        const struct arus_view none = {0};

        ARUS_TRY(split_text(pairs.items[k], regex, 2, &sides, err));
        ARUS_TRY(pieces_add(keys, sides.items[0], err));
        ARUS_TRY(pieces_add(values, sides.count > 1 ? sides.items[1] : none, err));
    }
    return ARUS_OK;
}

static enum arus_status kernel_str_to_map(const struct arus_kernel_call *call,
                                          struct arus_vector *out, uint32_t *bad_row,
                                          struct arus_error *err)
{
    struct pieces keys = {.step = call->step};
    struct pieces values = {.step = call->step};
    struct arus_span *spans;

    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    spans = out->values;
    for (uint32_t i = 0; i < call->row_count; i++) {
        const uint32_t begin = keys.count;

        *bad_row = i;
        if (arus_bit_get(call->valid, i)) {
            ARUS_TRY(map_row(call, i, &keys, &values, err));
        }
        spans[i] = (struct arus_span){begin, keys.count - begin};
    }
    for (uint32_t side = 0; side < 2; side++) {
        struct arus_vector *child = &out->children[side];

        ARUS_TRY(arus_vector_init(child, &ARUS_STRING, keys.count, call->step, err));
        if (keys.count > 0) {
            memcpy(child->values, side == 0 ? keys.items : values.items,
                   keys.count * sizeof *keys.items);
        }
    }
    for (uint32_t k = 0; k < values.count; k++) {
        if (values.items[k].data == NULL) {
            ARUS_TRY(arus_vector_need_validity(&out->children[1], call->step, err));
            arus_bit_clear(out->children[1].validity, k);
        }
    }
    return arus_map_check(out, call->valid, bad_row, err);
}

static enum arus_status bind_str_to_map(struct arus_bind *bind, struct arus_error *err)
{
    static const char *const PRESETS[] = {NULL, ",", ":"};

    while (bind->arg_count < 3) {
        const struct arus_view preset = arus_view_of(PRESETS[bind->arg_count], 1);
        const struct arus_expr *arg;

        ARUS_TRY(arus_literal_of(&ARUS_STRING, &preset, bind->arena, &arg, err));
        ARUS_TRY(arus_arg_append(bind, arg, err));
    }
    ARUS_TRY(arus_args_take(bind, "s", err));
    return arus_type_map(&ARUS_STRING, &ARUS_STRING, true, bind->arena, &bind->type, err);
}

static enum arus_status default_group(struct arus_bind *bind, struct arus_error *err)
{
    const int32_t first = 1;
    const struct arus_expr *group;

    if (bind->arg_count == 2) {
        ARUS_TRY(arus_literal_of(&ARUS_INT, &first, bind->arena, &group, err));
        ARUS_TRY(arus_arg_append(bind, group, err));
    }
    return arus_args_take(bind, "ssi", err);
}

static enum arus_status bind_extract_all(struct arus_bind *bind, struct arus_error *err)
{
    ARUS_TRY(default_group(bind, err));
    return arus_type_array(&ARUS_STRING, true, bind->arena, &bind->type, err);
}

static enum arus_status bind_extract(struct arus_bind *bind, struct arus_error *err)
{
    bind->type = &ARUS_STRING;
    return default_group(bind, err);
}

/* regexp_substr, regexp_instr take a group too, which Spark ignores */
const struct arus_function ARUS_REGEXPS[] = {
    {.name = "rlike",
     .aliases = "regexp",
     .alias_text = "REGEXP($1, $2)",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 2,
     .kernel = kernel_rlike,
     .takes = "s",
     .gives = "o",
     .text = "RLIKE($1, $2)",
     .signature = "s RLIKE regex -> BOOLEAN",
     .help = "does a part of s match?",
     .example = "rlike('Spark', 'p.r')",
     .result = "true"},
    {.name = "regexp_like",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 2,
     .kernel = kernel_rlike,
     .takes = "s",
     .gives = "o",
     .text = "REGEXP_LIKE($1, $2)",
     .signature = "regexp_like(s, regex) -> BOOLEAN",
     .help = "does a part of s match?",
     .example = "regexp_like('Spark', 'p.r')",
     .result = "true"},
    {.name = "regexp_extract",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_extract,
     .kernel = kernel_extract,
     .signature = "regexp_extract(s, regex[, group]) -> STRING",
     .help = "group (1 by default) of the first match, '' without one",
     .example = "regexp_extract('100-200', '(\\\\d+)-(\\\\d+)', 2)",
     .result = "200"},
    {.name = "regexp_extract_all",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_extract_all,
     .kernel = kernel_extract_all,
     .signature = "regexp_extract_all(s, regex[, group]) -> ARRAY",
     .help = "group of every match",
     .example = "regexp_extract_all('a1b2', '([0-9])')",
     .result = "[1, 2]"},
    {.name = "regexp_replace",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 3,
     .arg_max = 4,
     .bind = bind_replace,
     .kernel = kernel_replace,
     .signature = "regexp_replace(s, regex, by[, position]) -> STRING",
     .help = "every match becomes `by`, which may hold $1",
     .example = "regexp_replace('a1b2', '[0-9]', '#')",
     .result = "a#b#"},
    ARUS_FUNCTION("regexp_count", NULL, ARUS_CAN_FAIL, 2, 2, "s", "i", kernel_count,
                  "regexp_count(s, regex) -> INT", "how many matches",
                  "regexp_count('a1b2', '[0-9]')", "2"),
    ARUS_FUNCTION("regexp_substr", NULL, ARUS_CAN_FAIL, 2, 2, "s", "s", kernel_substr,
                  "regexp_substr(s, regex) -> STRING", "the first match, NULL without one",
                  "regexp_substr('a1b2', '[0-9]')", "1"),
    {.name = "regexp_instr",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 3,
     .kernel = kernel_instr,
     .takes = "ssi",
     .gives = "i",
     .text = "regexp_instr($1, $2, $3=0;)",
     .signature = "regexp_instr(s, regex) -> INT",
     .help = "position of the first match, 0 without one",
     .example = "regexp_instr('ab1', '[0-9]')",
     .result = "3"},
    {.name = "split",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_split,
     .kernel = kernel_split,
     .signature = "split(s, regex[, limit]) -> ARRAY<STRING>",
     .help = "pieces between matches",
     .example = "split('a,b,,', ',')",
     .result = "[a, b, , ]"},
    {.name = "str_to_map",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 1,
     .arg_max = 3,
     .bind = bind_str_to_map,
     .kernel = kernel_str_to_map,
     .signature = "str_to_map(s[, pairs[, keys]]) -> MAP",
     .help = "a MAP of pairs, by ',' and ':'",
     .example = "str_to_map('a:1,b:2')",
     .result = "{a -> 1, b -> 2}"},
    {0},
};
