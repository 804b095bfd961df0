/** Look-behind: Java allows bounded lengths, PCRE2 one length per alternative. So all lengths are
 * spelled out. */
#include "types/regex_internal.h"

#define ALTERNATIVES_MAX 256
#define TEXT_SIZE_MAX    ((size_t)64 * 1024)

/* What a part can be, each of one length. */
struct choices {
    struct arus_text *items;
    uint32_t count;
};

struct expander {
    struct arus_regex_reader *reader;
    struct arus_arena *arena;
    size_t size; /* text made so far */
    bool has_capture;
};

static enum arus_status fail_size(struct expander *expander)
{
    return arus_regex_fail(expander->reader, "this look-behind has too many lengths");
}

static enum arus_status one(struct expander *expander, struct arus_text text, struct choices *out)
{
    out->count = 1;
    ARUS_TRY(ARUS_NEW(expander->arena, struct arus_text, 1, &out->items, expander->reader->err));
    return arus_text_copy(text, expander->arena, out->items, expander->reader->err);
}

static enum arus_status append_text(struct expander *expander, struct arus_text a,
                                    struct arus_text b, struct arus_text *out)
{
    void *memory;

    expander->size += a.size + b.size;
    if (expander->size > TEXT_SIZE_MAX) {
        return fail_size(expander);
    }
    ARUS_TRY(
        arus_arena_alloc(expander->arena, a.size + b.size + 1, &memory, expander->reader->err));
    if (a.size != 0) {
        memcpy(memory, a.data, a.size);
    }
    if (b.size != 0) {
        memcpy((char *)memory + a.size, b.data, b.size);
    }
    *out = (struct arus_text){memory, a.size + b.size};
    return ARUS_OK;
}

/* Every a followed by every b. */
static enum arus_status product(struct expander *expander, struct choices a, struct choices b,
                                struct choices *out)
{
    const uint32_t count = a.count * b.count;

    if (count > ALTERNATIVES_MAX) {
        return fail_size(expander);
    }
    ARUS_TRY(
        ARUS_NEW(expander->arena, struct arus_text, count, &out->items, expander->reader->err));
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(append_text(expander, a.items[i / b.count], b.items[i % b.count], &out->items[i]));
    }
    return ARUS_OK;
}

static enum arus_status either(struct expander *expander, struct choices a, struct choices b,
                               struct choices *out)
{
    const uint32_t count = a.count + b.count;

    if (count > ALTERNATIVES_MAX) {
        return fail_size(expander);
    }
    ARUS_TRY(
        ARUS_NEW(expander->arena, struct arus_text, count, &out->items, expander->reader->err));
    for (uint32_t i = 0; i < count; i++) {
        out->items[i] = i < a.count ? a.items[i] : b.items[i - a.count];
    }
    out->count = count;
    return ARUS_OK;
}

/* ---- reading the body ---- */

static enum arus_status read_choices(struct expander *expander, struct choices *out);

/* Anything that is no plain group, translated as it is. */
static enum arus_status read_text(struct expander *expander, struct choices *out)
{
    struct arus_regex_reader *reader = expander->reader;
    struct arus_buffer *outer = reader->out;
    struct arus_buffer buffer = {0};
    const uint32_t depth = reader->depth;
    enum arus_status status;

    reader->out = &buffer;
    do {
        status = arus_regex_item(reader);
    } while (status == ARUS_OK && reader->depth > depth && !arus_regex_is_end(reader));
    reader->out = outer;
    if (status == ARUS_OK) {
        status = one(expander, arus_buffer_text(&buffer), out);
    }
    arus_buffer_release(&buffer);
    return status;
}

/* Behind the `(`, `(?:` or `(?<name>` that `open` repeats. */
static enum arus_status read_group(struct expander *expander, struct arus_text open,
                                   struct choices *out)
{
    struct arus_regex_reader *reader = expander->reader;
    struct choices inner;
    struct choices begin;
    struct choices end;

    ARUS_TRY(read_choices(expander, &inner));
    if (arus_regex_peek(reader, 0) != ')') {
        return arus_regex_fail(reader, "a group is not closed");
    }
    reader->at++;
    ARUS_TRY(one(expander, open, &begin));
    ARUS_TRY(one(expander, ARUS_TEXT(")"), &end));
    ARUS_TRY(product(expander, begin, inner, &inner));
    return product(expander, inner, end, out);
}

static enum arus_status read_part(struct expander *expander, struct choices *out)
{
    struct arus_regex_reader *reader = expander->reader;

    if (arus_regex_peek(reader, 0) != '(') {
        return read_text(expander, out);
    }
    if (arus_regex_peek(reader, 1) != '?') {
        reader->at++;
        reader->group_count++;
        expander->has_capture = true;
        return read_group(expander, ARUS_TEXT("("), out);
    }
    if (arus_regex_peek(reader, 2) != ':') {
        return read_text(expander, out);
    }
    reader->at += 3;
    return read_group(expander, ARUS_TEXT("(?:"), out);
}

static bool take_number(struct arus_regex_reader *reader, uint32_t *out)
{
    const size_t begin = reader->at;

    *out = 0;
    while (arus_regex_peek(reader, 0) >= '0' && arus_regex_peek(reader, 0) <= '9' &&
           *out <= ALTERNATIVES_MAX) {
        *out = *out * 10 + (uint32_t)(arus_regex_peek(reader, 0) - '0');
        reader->at++;
    }
    return reader->at > begin;
}

/* `?`, `{n}`, `{n,m}` behind a part; the others have no bound. */
static enum arus_status read_bounds(struct arus_regex_reader *reader, uint32_t *least,
                                    uint32_t *most)
{
    const char c = arus_regex_peek(reader, 0);

    *least = 1;
    *most = 1;
    if (c == '*' || c == '+') {
        return arus_regex_fail(reader, "a look-behind needs a maximum length");
    }
    if (c != '?' && c != '{') {
        return ARUS_OK;
    }
    reader->at++;
    if (c == '?') {
        *least = 0;
    } else {
        if (!take_number(reader, least)) {
            return arus_regex_fail(reader, "bad repetition {..}");
        }
        *most = *least;
        if (arus_regex_peek(reader, 0) == ',') {
            reader->at++;
            if (!take_number(reader, most) || *most < *least) {
                return arus_regex_fail(reader, "a look-behind needs a maximum length");
            }
        }
        if (arus_regex_peek(reader, 0) != '}') {
            return arus_regex_fail(reader, "bad repetition {..}");
        }
        reader->at++;
    }
    if (arus_regex_peek(reader, 0) == '?' || arus_regex_peek(reader, 0) == '+') {
        reader->at++; /* lazy or greedy: the same texts */
    }
    return *most > ALTERNATIVES_MAX ? arus_regex_fail(reader, "too many repetitions") : ARUS_OK;
}

/* least..most times one of the choices. */
static enum arus_status repeat(struct expander *expander, struct choices part, uint32_t least,
                               uint32_t most, struct choices *out)
{
    struct choices power;

    ARUS_TRY(one(expander, ARUS_TEXT(""), &power));
    for (uint32_t i = 0; i < least; i++) {
        ARUS_TRY(product(expander, power, part, &power));
    }
    *out = power;
    for (uint32_t i = least; i < most; i++) {
        ARUS_TRY(product(expander, power, part, &power));
        ARUS_TRY(either(expander, *out, power, out));
    }
    return ARUS_OK;
}

static enum arus_status read_sequence(struct expander *expander, struct choices *out)
{
    struct arus_regex_reader *reader = expander->reader;

    ARUS_TRY(one(expander, ARUS_TEXT(""), out));
    while (!arus_regex_is_end(reader) && arus_regex_peek(reader, 0) != '|' &&
           arus_regex_peek(reader, 0) != ')') {
        struct choices part;
        uint32_t least;
        uint32_t most;

        ARUS_TRY(read_part(expander, &part));
        ARUS_TRY(read_bounds(reader, &least, &most));
        ARUS_TRY(repeat(expander, part, least, most, &part));
        ARUS_TRY(product(expander, *out, part, out));
    }
    return ARUS_OK;
}

static enum arus_status read_choices(struct expander *expander, struct choices *out)
{
    struct choices other;

    ARUS_TRY(read_sequence(expander, out));
    while (arus_regex_peek(expander->reader, 0) == '|') {
        expander->reader->at++;
        ARUS_TRY(read_sequence(expander, &other));
        ARUS_TRY(either(expander, *out, other, out));
    }
    return ARUS_OK;
}

/* ---- writing ---- */

static enum arus_status put(struct arus_regex_reader *reader, const char *text)
{
    return arus_buffer_append(reader->out, text, strlen(text), reader->err);
}

/* With groups inside, every alternative is a look-behind of its own: (?| ) numbers its groups
 * alike. */
static enum arus_status put_choices(struct expander *expander, struct choices choices,
                                    const char *open)
{
    struct arus_regex_reader *reader = expander->reader;
    const bool is_split = expander->has_capture && choices.count > 1 && open[3] == '=';

    ARUS_TRY(put(reader, is_split ? "(?|" : ""));
    ARUS_TRY(put(reader, open));
    for (uint32_t i = 0; i < choices.count; i++) {
        ARUS_TRY(put(reader, i == 0 ? "" : is_split ? ")|" : "|"));
        ARUS_TRY(put(reader, i == 0 || !is_split ? "" : open));
        ARUS_TRY(arus_buffer_append_text(reader->out, choices.items[i], reader->err));
    }
    return put(reader, is_split ? "))" : ")");
}

enum arus_status arus_regex_behind(struct arus_regex_reader *reader, const char *open)
{
    struct arus_arena arena = {0};
    struct expander expander = {.reader = reader, .arena = &arena};
    const uint32_t flags = reader->flags;
    struct choices choices;
    enum arus_status status = ARUS_OK;

    if (++reader->depth == ARUS_REGEX_DEPTH_MAX) {
        return arus_regex_fail(reader, "nested too deeply");
    }
    reader->at += strlen(open);
    status = read_choices(&expander, &choices);
    if (status == ARUS_OK && arus_regex_peek(reader, 0) != ')') {
        status = arus_regex_fail(reader, "a group is not closed");
    }
    if (status == ARUS_OK) {
        reader->at++;
        status = put_choices(&expander, choices, open);
    }
    reader->flags = flags;
    reader->depth--;
    arus_arena_release(&arena);
    return status;
}
