/** LIKE and ILIKE: patterns become segments between the `%`; no regular expression. */
#include "base/alloc.h"
#include "expr/families.h"
#include "expr/rowwise.h"
#include "expr/string_bytes.h"
#include "types/utf8.h"

/* Literal bytes with `_` between them: parts[0] _ parts[1] _ ..; the text of most has one part. */
struct segment {
    struct arus_text *parts;
    uint32_t part_count;
};

struct like {
    struct segment *segments; /* [segment_count], at least one */
    uint32_t segment_count;   /* one: no `%` at all */
};

/* ---- compiling ---- */

static enum arus_status fail_escape(bool is_end, struct arus_text pattern, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_DATA,
                     is_end ? "INVALID_FORMAT.ESC_AT_THE_END" : "INVALID_FORMAT.ESC_IN_THE_MIDDLE",
                     "in LIKE '%.*s' the escape character must stand before %%, _ or itself",
                     ARUS_TEXT_ARGS(pattern));
}

struct like_parser {
    struct arus_arena *arena;
    char *bytes; /* unescaped literal bytes, all parts */
    size_t size;
    size_t part_begin;
};

static void end_part(struct like_parser *parser, struct segment *segment)
{
    segment->parts[segment->part_count++] =
        (struct arus_text){parser->bytes + parser->part_begin, parser->size - parser->part_begin};
    parser->part_begin = parser->size;
}

/* Room for as many parts as there may be `_` in the pattern. */
static enum arus_status begin_segment(const struct like_parser *parser, struct like *like,
                                      size_t most, struct arus_error *err)
{
    return ARUS_NEW(parser->arena, struct arus_text, most,
                    &like->segments[like->segment_count++].parts, err);
}

static enum arus_status like_compile(struct arus_text pattern, struct arus_text escape,
                                     struct arus_arena *arena, struct like *like,
                                     struct arus_error *err)
{
    struct like_parser parser = {.arena = arena};

    like->segment_count = 0;
    ARUS_TRY(ARUS_NEW(arena, struct segment, pattern.size + 1, &like->segments, err));
    ARUS_TRY(ARUS_NEW(arena, char, pattern.size + 1, &parser.bytes, err));
    ARUS_TRY(begin_segment(&parser, like, pattern.size + 1, err));
    for (size_t at = 0; at < pattern.size;) {
        const size_t left = pattern.size - at;
        const char *c = pattern.data + at;

        if (escape.size > 0 && left >= escape.size && memcmp(c, escape.data, escape.size) == 0) {
            at += escape.size;
            if (at >= pattern.size) {
                return fail_escape(true, pattern, err);
            }
            if (pattern.data[at] != '%' && pattern.data[at] != '_' &&
                !arus_text_starts_with((struct arus_text){pattern.data + at, pattern.size - at},
                                       escape)) {
                return fail_escape(false, pattern, err);
            }
            parser.bytes[parser.size++] = pattern.data[at++];
        } else if (*c == '%') {
            end_part(&parser, &like->segments[like->segment_count - 1]);
            ARUS_TRY(begin_segment(&parser, like, left, err));
            at++;
        } else if (*c == '_') {
            end_part(&parser, &like->segments[like->segment_count - 1]);
            at++;
        } else {
            parser.bytes[parser.size++] = *c;
            at++;
        }
    }
    end_part(&parser, &like->segments[like->segment_count - 1]);
    return ARUS_OK;
}

/* ---- matching ---- */

/* Where a segment that begins at `at` ends; ARUS_NOT_FOUND: it is not there. */
static size_t match_at(const struct segment *segment, struct arus_text text, size_t at)
{
    for (uint32_t p = 0; p < segment->part_count; p++) {
        const struct arus_text part = segment->parts[p];

        if (p > 0) {
            if (at >= text.size) {
                return ARUS_NOT_FOUND;
            }
            at += arus_utf8_size((unsigned char)text.data[at]);
            at = at > text.size ? text.size : at;
        }
        if (text.size - at < part.size ||
            (part.size > 0 && memcmp(text.data + at, part.data, part.size) != 0)) {
            return ARUS_NOT_FOUND;
        }
        at += part.size;
    }
    return at;
}

/* The end of the first occurrence at or behind `from`. */
static size_t match_from(const struct segment *segment, struct arus_text text, size_t from)
{
    const struct arus_text first = segment->parts[0];

    if (segment->part_count == 1) {
        const size_t found = arus_text_find(text, first, from);

        return found == ARUS_NOT_FOUND ? found : found + first.size;
    }
    for (size_t at = from; at <= text.size;) {
        size_t end;

        if (first.size > 0) {
            at = arus_text_find(text, first, at);
            if (at == ARUS_NOT_FOUND) {
                return at;
            }
        }
        end = match_at(segment, text, at);
        if (end != ARUS_NOT_FOUND) {
            return end;
        }
        at += at < text.size ? arus_utf8_size((unsigned char)text.data[at]) : 1;
    }
    return ARUS_NOT_FOUND;
}

/* Does the segment end the text, beginning at or behind `from`? */
static bool match_end(const struct segment *segment, struct arus_text text, size_t from)
{
    size_t characters = segment->part_count - 1;
    size_t begin = text.size;

    if (segment->part_count == 1) {
        return text.size - from >= segment->parts[0].size &&
               arus_text_ends_with(text, segment->parts[0]);
    }
    for (uint32_t p = 0; p < segment->part_count; p++) {
        characters += arus_utf8_length(segment->parts[p]);
    }
    for (; characters > 0; characters--) { /* back from the end, one character at a time */
        if (begin <= from) {
            return false;
        }
        begin--;
        while (begin > from && ((unsigned char)text.data[begin] & 0xC0) == 0x80) {
            begin--;
        }
    }
    return match_at(segment, text, begin) == text.size;
}

static bool like_match(const struct like *like, struct arus_text text)
{
    const uint32_t last = like->segment_count - 1;
    size_t at = match_at(&like->segments[0], text, 0);

    if (last == 0) {
        return at == text.size;
    }
    for (uint32_t s = 1; s < last && at != ARUS_NOT_FOUND; s++) {
        at = match_from(&like->segments[s], text, at);
    }
    return at != ARUS_NOT_FOUND && match_end(&like->segments[last], text, at);
}

/* ---- kernels ---- */

struct like_memo {
    struct arus_arena arena;
    struct arus_text pattern;
    struct arus_text escape;
    struct like like;
    bool is_compiled;
};

static void like_memo_close(void *data)
{
    struct like_memo *memo = data;

    arus_arena_release(&memo->arena);
    arus_free(memo);
}

static enum arus_status like_of(const struct arus_kernel_call *call, struct arus_text pattern,
                                struct arus_text escape, const struct like **out,
                                struct arus_error *err)
{
    struct like_memo *memo = call->memo->data;

    if (memo == NULL) {
        memo = arus_alloc(1, sizeof *memo);
        if (memo == NULL) {
            return arus_fail_memory(err);
        }
        call->memo->data = memo;
        call->memo->close = like_memo_close;
    }
    if (!memo->is_compiled || !arus_text_equal(memo->pattern, pattern) ||
        !arus_text_equal(memo->escape, escape)) {
        memo->is_compiled = false;
        arus_arena_reset(&memo->arena);
        ARUS_TRY(arus_text_copy(pattern, &memo->arena, &memo->pattern, err));
        ARUS_TRY(arus_text_copy(escape, &memo->arena, &memo->escape, err));
        ARUS_TRY(like_compile(memo->pattern, memo->escape, &memo->arena, &memo->like, err));
        memo->is_compiled = true;
    }
    *out = &memo->like;
    return ARUS_OK;
}

static struct arus_text escape_at(const struct arus_rowwise *row, uint32_t i)
{
    return row->call->expr->arg_count == 3 ? arus_row_arg_text(row, 2, i) : ARUS_TEXT("\\");
}

static enum arus_status like_row(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct like *like;

    ARUS_TRY(like_of(row->call, arus_row_arg_text(row, 1, i), escape_at(row, i), &like, err));
    arus_row_boolean(row, i, like_match(like, arus_row_arg_text(row, 0, i)));
    return ARUS_OK;
}
ARUS_ROWWISE(like_row)

/* `a LIKE b ESCAPE '/'`; ILIKE does not show its escape. */
static enum arus_status own_text(struct arus_bind *bind, bool is_ilike, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status =
        arus_buffer_append_text(&text, is_ilike ? ARUS_TEXT("ilike(") : (struct arus_text){0}, err);
    struct arus_text escape;

    for (uint32_t i = 0; status == ARUS_OK && i < 2; i++) {
        if (i == 1) {
            status = arus_buffer_append_text(&text,
                                             is_ilike ? ARUS_TEXT(", ") : ARUS_TEXT(" LIKE "), err);
        }
        if (status == ARUS_OK) {
            status = arus_expr_text(bind->args[i], &text, err);
        }
    }
    if (status == ARUS_OK) {
        status = arus_arg_text(bind, 2, &escape, err);
    }
    if (status == ARUS_OK && is_ilike) {
        status = arus_buffer_append_char(&text, ')', err);
    } else if (status == ARUS_OK && !arus_text_equal(escape, ARUS_TEXT("\\"))) {
        status = arus_buffer_printf(&text, err, " ESCAPE '%.*s'", ARUS_TEXT_ARGS(escape));
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), bind->arena, &bind->text, err);
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status bind_like(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_ilike = bind->function->name[0] == 'i';

    ARUS_TRY(arus_args_take(bind, "s", err));
    if (bind->arg_count == 3) {
        struct arus_text escape;

        ARUS_TRY(arus_arg_text(bind, 2, &escape, err));
        if (escape.data == NULL || arus_utf8_length(escape) != 1) {
            return arus_fail_at(err, bind->place, "INVALID_ESC",
                                "the escape of LIKE must be one character");
        }
    }
    bind->type = &ARUS_BOOLEAN;
    if (bind->arg_count == 3) {
        ARUS_TRY(own_text(bind, is_ilike, err));
    }
    if (is_ilike) { /* both sides in small letters */
        const struct arus_expr *args[3] = {NULL, NULL, NULL};

        for (uint32_t i = 0; i < 2; i++) {
            ARUS_TRY(arus_call_of(bind, "lower", &bind->args[i], 1, &args[i], err));
        }
        args[2] = bind->arg_count == 3 ? bind->args[2] : NULL;
        return arus_call_of(bind, "like", args, bind->arg_count, &bind->replacement, err);
    }
    return ARUS_OK;
}

const struct arus_function ARUS_LIKES[] = {
    {.name = "like",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_like,
     .kernel = kernel_like_row,
     .text = "$1 LIKE $2", /* with another escape than \\: own_text */
     .signature = "s LIKE pattern [ESCAPE c] -> BOOLEAN",
     .help = "% any text, _ one character",
     .example = "like('Spark', 'S_ark%')",
     .result = "true"},
    {.name = "ilike",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_like,
     .text = "ilike($1, $2)",
     .signature = "s ILIKE pattern [ESCAPE c] -> BOOLEAN",
     .help = "LIKE without case",
     .example = "ilike('Spark', 's_ARK')",
     .result = "true"},
    {0},
};
