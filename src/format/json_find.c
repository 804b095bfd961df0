/**
 * Two passes: the first marks where values and punctuation begin, 64 bytes at a time, the second
 * walks from mark to mark and checks the grammar.
 */
#include "format/json_find.h"

#include "base/alloc.h"
#include "format/block_internal.h"
#include "format/json_digits_internal.h"
#include "format/json_fast_internal.h"

#define TEXT_SIZE_MIN ((size_t)4096)
#define TEXT_SIZE_MAX ((size_t)1 << 20) /* marks need four times as much */
#define PADDING       ((size_t)64)
#define DEPTH_MAX     64

void arus_json_finder_release(struct arus_json_finder *finder)
{
    arus_free(finder->text);
    arus_free(finder->marks);
    *finder = (struct arus_json_finder){.cpu = finder->cpu};
}

#if ARUS_HAS_AVX2_CODE

static enum arus_status make_room(struct arus_json_finder *finder, size_t size,
                                  struct arus_error *err)
{
    const enum arus_cpu cpu = finder->cpu;
    size_t room = finder->text_size_max == 0 ? TEXT_SIZE_MIN : finder->text_size_max;

    while (room < size) {
        room *= 2;
    }
    if (room == finder->text_size_max) {
        return ARUS_OK;
    }
    arus_json_finder_release(finder);
    *finder = (struct arus_json_finder){
        .cpu = cpu,
        .text = arus_alloc_buffer(room + 2 * PADDING),
        .marks = arus_alloc_buffer((room + 2 * PADDING) * sizeof *finder->marks),
        .text_size_max = room,
    };
    if (finder->text == NULL || finder->marks == NULL) {
        arus_json_finder_release(finder);
        return arus_fail_memory(err);
    }
    return ARUS_OK;
}

/* ---- marks ---- */

struct block {
    uint64_t quotes;
    uint64_t marks; /* punctuation */
    uint64_t blanks;
    uint64_t slashes;
    uint64_t others; /* control characters, all beyond ASCII */
};

/* By the low four bits of a byte: the one byte of this kind that has them. */
#define PUNCTUATION 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0
#define BLANKS      ' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0

ARUS_TARGET_AVX2 static inline uint64_t bits_of(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

ARUS_TARGET_AVX2 static inline struct block block_read(const char *data)
{
    const __m256i punctuation = _mm256_setr_epi8(PUNCTUATION, PUNCTUATION);
    const __m256i blanks = _mm256_setr_epi8(BLANKS, BLANKS);
    const __m256i quote = _mm256_set1_epi8('"');
    const __m256i slash = _mm256_set1_epi8('\\');
    const __m256i space = _mm256_set1_epi8(' '); /* beyond ASCII is less: signed */
    const __m256i fold = space;                  /* [ ] to { } */
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)data);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(data + 32));

    return (struct block){
        .quotes = bits_of(_mm256_cmpeq_epi8(low, quote), _mm256_cmpeq_epi8(high, quote)),
        .others = bits_of(_mm256_cmpgt_epi8(space, low), _mm256_cmpgt_epi8(space, high)),
        .slashes = bits_of(_mm256_cmpeq_epi8(low, slash), _mm256_cmpeq_epi8(high, slash)),
        .blanks = bits_of(_mm256_cmpeq_epi8(low, _mm256_shuffle_epi8(blanks, low)),
                          _mm256_cmpeq_epi8(high, _mm256_shuffle_epi8(blanks, high))),
        .marks = bits_of(
            _mm256_cmpeq_epi8(_mm256_or_si256(low, fold), _mm256_shuffle_epi8(punctuation, low)),
            _mm256_cmpeq_epi8(_mm256_or_si256(high, fold), _mm256_shuffle_epi8(punctuation, high))),
    };
}

/* Bit i: an odd number of bits up to i is set. */
ARUS_TARGET_AVX2 static inline uint64_t odd_from(uint64_t bits)
{
    const __m128i all = _mm_set1_epi8(-1);

    return (uint64_t)_mm_cvtsi128_si64(
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), all, 0));
}

/*
 * Marks punctuation outside of strings, opening quotes, and the first byte of whatever else stands
 * outside of strings; behind them marks of the end of the text. `padded`: copy of the text, for its
 * last bytes (reading what was just written waits). *is_compact: no blanks outside of strings,
 * nothing but printable ASCII in them. False: a backslash.
 */
ARUS_TARGET_AVX2 static bool find_marks(struct arus_text text, const char *padded, uint32_t *marks,
                                        bool *is_compact)
{
    uint64_t in_string = 0; /* all ones: the block before ended inside of a string */
    uint64_t in_word = 0;   /* 1: it ended inside of a number, say */
    uint64_t slashes = 0;
    uint64_t loose = 0;

    for (size_t at = 0; at < text.size; at += 64) {
        const bool is_rest = text.size - at < 64;
        const struct block block = block_read((is_rest ? padded : text.data) + at);
        const uint64_t inside = odd_from(block.quotes) ^ in_string; /* with the opening quote */
        const uint64_t words = ~(block.marks | block.blanks | block.quotes | inside);
        const uint64_t found =
            (block.marks & ~inside) | (block.quotes & inside) | (words & ~(words << 1 | in_word));

        in_string = (uint64_t)((int64_t)inside >> 63);
        in_word = words >> 63;
        slashes |= block.slashes;
        loose |= (block.others | (block.blanks & ~inside)) << (is_rest ? 64 - text.size % 64 : 0);
        flatten_avx2(found, (uint32_t)at, marks);
        marks += __builtin_popcountll(found);
    }
    marks[0] = (uint32_t)text.size;
    marks[1] = (uint32_t)text.size;
    *is_compact = loose == 0;
    return slashes == 0;
}

/* ---- walking ---- */

/* NUL as well in json_scan.h, but nothing good can follow it. */
static inline bool ends_word(char c)
{
    return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Sets *has_fraction for a point or an exponent. */
ARUS_TARGET_AVX2 ARUS_INLINE bool is_number(const char *at, bool *has_fraction)
{
    const char *first = at + (*at == '-');
    uint32_t count = digit_count(load_8(first));
    const char *end = first + count;

    if (ARUS_UNLIKELY(count == 0 || (*first == '0' && count > 1))) {
        return false;
    }
    if (*end == '.') {
        *has_fraction = true;
        count = digit_count(load_8(end + 1));
        end += 1 + count;
    }
    if (ARUS_LIKELY(count != 0 && count < 8 && ends_word(*end))) {
        return true;
    }
    end = json_number_end(at);
    *has_fraction = true; /* perhaps: a long number */
    return end != NULL && ends_word(*end);
}

/* A number, true, false or null. */
ARUS_TARGET_AVX2 ARUS_INLINE bool is_word(const char *at, bool *has_fraction)
{
    const uint64_t bytes = load_8(at);

    if (ARUS_LIKELY(*at <= '9')) {
        return is_number(at, has_fraction);
    }
    if ((bytes & 0xFFFFFFFFFFu) == 0x65736C6166u) { /* false */
        return ends_word(at[5]);
    }
    return ((bytes & 0xFFFFFFFFu) == 0x65757274u || (bytes & 0xFFFFFFFFu) == 0x6C6C756Eu) &&
           ends_word(at[4]); /* true, null */
}

/* Behind a value in an object or array; NULL: a surprise. */
ARUS_INLINE const uint32_t *pass_comma(const char *text, const uint32_t *mark)
{
    return text[*mark] == ',' ? mark + 1 : NULL;
}

/* Behind a name and its colon, or in an array behind nothing; NULL: a surprise. */
ARUS_INLINE const uint32_t *pass_name(const char *text, const uint32_t *mark, bool is_object)
{
    if (!is_object) {
        return mark;
    }
    return text[mark[0]] == '"' && text[mark[1]] == ':' ? mark + 2 : NULL;
}

/* The mark behind the object or array at `mark`; NULL: a surprise. */
ARUS_TARGET_AVX2 static const uint32_t *pass_scope(const char *text, const uint32_t *mark,
                                                   bool *has_fraction)
{
    uint64_t objects = 0; /* bit 0: the innermost open scope is an object, and so on outwards */
    uint32_t depth = 0;

    do {
        const char first = text[*mark];
        bool is_open = (first | 0x20) == '{';

        if (is_open) {
            if (depth++ == DEPTH_MAX) {
                return NULL;
            }
            objects = objects << 1 | (first == '{');
            is_open = text[mark[1]] != first + 2; /* the closing one */
        } else if (first != '"' && !is_word(text + *mark, has_fraction)) {
            return NULL;
        }
        mark++;
        if (!is_open) {
            while (text[*mark] == ((objects & 1) != 0 ? '}' : ']')) {
                mark++;
                objects >>= 1;
                if (--depth == 0) {
                    return mark;
                }
            }
            mark = pass_comma(text, mark);
        }
        mark = mark == NULL ? NULL : pass_name(text, mark, (objects & 1) != 0);
    } while (mark != NULL);
    return NULL;
}

/* The mark behind the value at `mark`; NULL: a surprise. */
ARUS_TARGET_AVX2 ARUS_INLINE const uint32_t *pass_value(const char *text, const uint32_t *mark,
                                                        bool *has_fraction)
{
    const char *at = text + *mark;

    if ((*at | 0x20) == '{') {
        return pass_scope(text, mark, has_fraction);
    }
    return *at == '"' || is_word(at, has_fraction) ? mark + 1 : NULL;
}

struct walk {
    const struct arus_json_path *path;
    const char *text;
    const uint32_t *begin; /* mark of the value found, or NULL */
    const uint32_t *end;   /* the mark behind it */
    bool has_fraction;     /* a number in it */
};

ARUS_TARGET_AVX2 static const uint32_t *find_value(struct walk *walk, const uint32_t *mark,
                                                   uint32_t step);

/* Behind a value: the next one, or (*is_last) what follows `close`. */
ARUS_INLINE const uint32_t *next_value(const char *text, const uint32_t *mark, char close,
                                       bool *is_last)
{
    if (mark == NULL) {
        return NULL;
    }
    *is_last = text[*mark] == close;
    return *is_last ? mark + 1 : pass_comma(text, mark);
}

/* Null is as good as no value. */
ARUS_INLINE bool is_member(const char *text, const uint32_t *mark, struct arus_text wanted)
{
    const char *name = text + mark[0] + 1;

    return mark[1] - mark[0] > wanted.size + 1 && name[wanted.size] == '"' &&
           memcmp(name, wanted.data, wanted.size) == 0 && text[mark[2]] != 'n';
}

ARUS_TARGET_AVX2 static const uint32_t *find_in_object(struct walk *walk, const uint32_t *mark,
                                                       uint32_t step)
{
    const struct arus_text wanted = walk->path->steps[step].name;
    const bool takes_last = walk->path->takes_last;
    const char *text = walk->text;
    bool is_last = text[*++mark] == '}';

    mark += is_last;
    while (!is_last && mark != NULL) {
        const uint32_t *value = pass_name(text, mark, true);
        bool has_fraction;

        if (value == NULL) {
            return NULL;
        }
        mark = (walk->begin == NULL || takes_last) && is_member(text, mark, wanted)
                   ? find_value(walk, value, step + 1)
                   : pass_value(text, value, &has_fraction);
        mark = next_value(text, mark, '}', &is_last);
    }
    return mark;
}

ARUS_TARGET_AVX2 static const uint32_t *find_in_array(struct walk *walk, const uint32_t *mark,
                                                      uint32_t step)
{
    const uint32_t wanted = walk->path->steps[step].index;
    const char *text = walk->text;
    bool is_last = text[*++mark] == ']';

    mark += is_last;
    for (uint32_t i = 0; !is_last && mark != NULL; i++) {
        bool has_fraction;

        mark =
            i == wanted ? find_value(walk, mark, step + 1) : pass_value(text, mark, &has_fraction);
        mark = next_value(text, mark, ']', &is_last);
    }
    return mark;
}

/* The mark behind the value at `mark`, in which the path goes on; NULL: a surprise. */
ARUS_TARGET_AVX2 static const uint32_t *find_value(struct walk *walk, const uint32_t *mark,
                                                   uint32_t step)
{
    const char first = walk->text[*mark];
    bool has_fraction;

    if (step == walk->path->step_count) {
        walk->begin = mark;
        walk->has_fraction = false;
        walk->end = pass_value(walk->text, mark, &walk->has_fraction);
        return walk->end;
    }
    if (first == '{' && walk->path->steps[step].kind == ARUS_JSON_STEP_NAME) {
        return find_in_object(walk, mark, step);
    }
    if (first == '[' && walk->path->steps[step].kind == ARUS_JSON_STEP_INDEX) {
        return find_in_array(walk, mark, step);
    }
    return pass_value(walk->text, mark, &has_fraction);
}

/* How many elements an array has; negative: a surprise. */
ARUS_TARGET_AVX2 static int32_t count_elements(const char *text, const uint32_t *mark)
{
    bool is_last = text[mark[1]] == ']';
    int32_t count = 0;
    bool has_fraction;

    if (text[*mark++] != '[') {
        return -1;
    }
    while (!is_last && mark != NULL) {
        mark = next_value(text, pass_value(text, mark, &has_fraction), ']', &is_last);
        count++;
    }
    return mark == NULL ? -1 : count;
}

/* *is_fine false: the text is a surprise. */
static enum arus_status mark_text(struct arus_json_finder *finder, struct arus_text json,
                                  bool *is_compact, bool *is_fine, struct arus_error *err)
{
    *is_fine = finder->cpu == ARUS_CPU_AVX2 && json.size != 0 && json.size <= TEXT_SIZE_MAX;
    if (!*is_fine) {
        return ARUS_OK;
    }
    ARUS_TRY(make_room(finder, json.size, err));
    memcpy(finder->text, json.data, json.size);
    memset(finder->text + json.size, 0, PADDING);
    *is_fine = find_marks(json, finder->text, finder->marks, is_compact);
    return ARUS_OK;
}

/* The path walks deeper with each step. */
static bool can_walk(const struct arus_json_path *path)
{
    for (uint32_t i = 0; i < path->step_count; i++) {
        if (path->steps[i].kind == ARUS_JSON_STEP_ALL) {
            return false;
        }
    }
    return path->step_count != 0;
}

/* The value found, strings without their quotes. */
static enum arus_json_finding value_found(const struct walk *walk, struct arus_text json,
                                          bool is_compact, struct arus_text *value)
{
    const char *begin = json.data + *walk->begin;
    const char *end = json.data + *walk->end;
    const bool is_scope = (*begin | 0x20) == '{';

    while ((unsigned char)end[-1] <= ' ') { /* blanks */
        end--;
    }
    if (*begin == '"') {
        *value = (struct arus_text){begin + 1, (size_t)(end - begin) - 2};
        return ARUS_JSON_FOUND_PLAIN;
    }
    *value = (struct arus_text){begin, (size_t)(end - begin)};
    return !walk->has_fraction && (is_compact || !is_scope) ? ARUS_JSON_FOUND_PLAIN
                                                            : ARUS_JSON_FOUND;
}

enum arus_status arus_json_find(struct arus_json_finder *finder, struct arus_text json,
                                const struct arus_json_path *path, enum arus_json_finding *finding,
                                struct arus_text *value, struct arus_error *err)
{
    struct walk walk = {.path = path};
    bool is_compact;
    bool is_fine;

    *finding = ARUS_JSON_SURPRISE;
    if (!can_walk(path)) {
        return ARUS_OK;
    }
    ARUS_TRY(mark_text(finder, json, &is_compact, &is_fine, err));
    walk.text = finder->text;
    if (is_fine && find_value(&walk, finder->marks, 0) != NULL) {
        *finding =
            walk.begin == NULL ? ARUS_JSON_NOTHING : value_found(&walk, json, is_compact, value);
    }
    return ARUS_OK;
}

enum arus_status arus_json_find_length(struct arus_json_finder *finder, struct arus_text json,
                                       enum arus_json_finding *finding, int32_t *length,
                                       struct arus_error *err)
{
    bool is_compact;
    bool is_fine;

    *finding = ARUS_JSON_SURPRISE;
    ARUS_TRY(mark_text(finder, json, &is_compact, &is_fine, err));
    *length = is_fine ? count_elements(finder->text, finder->marks) : -1;
    if (*length >= 0) {
        *finding = ARUS_JSON_FOUND;
    }
    return ARUS_OK;
}

#else

enum arus_status arus_json_find(struct arus_json_finder *finder, struct arus_text json,
                                const struct arus_json_path *path, enum arus_json_finding *finding,
                                struct arus_text *value, struct arus_error *err)
{
    (void)finder;
    (void)json;
    (void)path;
    (void)value;
    (void)err;
    *finding = ARUS_JSON_SURPRISE;
    return ARUS_OK;
}

enum arus_status arus_json_find_length(struct arus_json_finder *finder, struct arus_text json,
                                       enum arus_json_finding *finding, int32_t *length,
                                       struct arus_error *err)
{
    (void)finder;
    (void)json;
    (void)length;
    (void)err;
    *finding = ARUS_JSON_SURPRISE;
    return ARUS_OK;
}

#endif
