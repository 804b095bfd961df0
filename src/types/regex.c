/** Compiled expressions: PCRE2 with its machine code, our allocator and a bound on backtracking. */
#include "types/regex.h"

#include "base/alloc.h"
#include "types/regex_internal.h"
#include "types/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define STACK_SIZE_MIN ((size_t)32 * 1024)
#define STACK_SIZE_MAX ((size_t)4 * 1024 * 1024)
#define MATCH_LIMIT    50000000

struct arus_regex {
    pcre2_general_context *memory;
    pcre2_compile_context *compile;
    pcre2_match_context *match;
    pcre2_jit_stack *stack;
    pcre2_code *code;
    pcre2_code *lenient; /* for subjects that are not UTF-8: no machine code, which errs there */
    pcre2_match_data *data;
    const char *checked; /* the last subject found to be UTF-8 */
    size_t checked_size;
};

static void *take_memory(PCRE2_SIZE size, void *unused)
{
    (void)unused;
    return arus_alloc(1, size);
}

static void give_memory(void *memory, void *unused)
{
    (void)unused;
    arus_free(memory);
}

void arus_regex_close(struct arus_regex *regex)
{
    if (regex == NULL) {
        return;
    }
    pcre2_match_data_free(regex->data);
    pcre2_code_free(regex->lenient);
    pcre2_code_free(regex->code);
    pcre2_jit_stack_free(regex->stack);
    pcre2_match_context_free(regex->match);
    pcre2_compile_context_free(regex->compile);
    pcre2_general_context_free(regex->memory);
    arus_free(regex);
}

static enum arus_status make_contexts(struct arus_regex *regex, struct arus_error *err)
{
    regex->memory = pcre2_general_context_create(take_memory, give_memory, NULL);
    if (regex->memory == NULL) {
        return arus_fail_memory(err);
    }
    regex->compile = pcre2_compile_context_create(regex->memory);
    regex->match = pcre2_match_context_create(regex->memory);
    regex->stack = pcre2_jit_stack_create(STACK_SIZE_MIN, STACK_SIZE_MAX, regex->memory);
    if (regex->compile == NULL || regex->match == NULL || regex->stack == NULL) {
        return arus_fail_memory(err);
    }
    (void)pcre2_set_newline(regex->compile, PCRE2_NEWLINE_ANY);
    (void)pcre2_set_match_limit(regex->match, MATCH_LIMIT);
    pcre2_jit_stack_assign(regex->match, NULL, regex->stack);
    return ARUS_OK;
}

static enum arus_status fail_pattern(struct arus_text pattern, int error, struct arus_error *err)
{
    PCRE2_UCHAR message[160];

    if (error == PCRE2_ERROR_NOMEMORY || error == PCRE2_ERROR_HEAP_FAILED) {
        return arus_fail_memory(err);
    }
    (void)pcre2_get_error_message(error, message, sizeof message);
    return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.PATTERN",
                     "bad regular expression '%.*s': %s", ARUS_TEXT_ARGS(pattern),
                     (const char *)message);
}

static enum arus_status compile(struct arus_regex *regex, struct arus_text pattern,
                                const struct arus_buffer *translated, uint32_t options,
                                struct arus_error *err)
{
    const PCRE2_SPTR text = (PCRE2_SPTR)(translated->size == 0 ? "" : translated->data);
    PCRE2_SIZE offset;
    int error;

    regex->code = pcre2_compile(text, translated->size, options, &error, &offset, regex->compile);
    if (regex->code != NULL) {
        regex->lenient = pcre2_compile(text, translated->size, options | PCRE2_MATCH_INVALID_UTF,
                                       &error, &offset, regex->compile);
    }
    if (regex->lenient == NULL) {
        return fail_pattern(pattern, error, err);
    }
    (void)pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE); /* without it: slower */
    regex->data = pcre2_match_data_create_from_pattern(regex->code, regex->memory);
    return regex->data == NULL ? arus_fail_memory(err) : ARUS_OK;
}

enum arus_status arus_regex_open(struct arus_text pattern, struct arus_regex **out,
                                 struct arus_error *err)
{
    struct arus_buffer translated = {0};
    struct arus_regex *regex = arus_alloc(1, sizeof *regex);
    uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
    bool is_unicode = false;
    enum arus_status status;

    *out = NULL;
    if (regex == NULL) {
        return arus_fail_memory(err);
    }
    status = arus_regex_translate(pattern, &translated, &is_unicode, err);
    options |= is_unicode ? PCRE2_UCP : 0;
    if (status == ARUS_OK) {
        status = make_contexts(regex, err);
    }
    if (status == ARUS_OK) {
        status = compile(regex, pattern, &translated, options, err);
    }
    arus_buffer_release(&translated);
    if (status != ARUS_OK) {
        arus_regex_close(regex);
        return status;
    }
    *out = regex;
    return ARUS_OK;
}

uint32_t arus_regex_group_count(const struct arus_regex *regex)
{
    uint32_t count = 0;

    (void)pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT, &count);
    return count;
}

int32_t arus_regex_group_find(const struct arus_regex *regex, struct arus_text name)
{
    char text[64];
    int number;

    if (name.size >= sizeof text) {
        return -1;
    }
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    number = pcre2_substring_number_from_name(regex->code, (PCRE2_SPTR)text);
    return number < 0 ? -1 : number;
}

/* Looked at once per subject: later finds in it begin behind its start. */
static bool is_utf8(struct arus_regex *regex, struct arus_text subject, size_t from)
{
    if (from > 0 && subject.data == regex->checked && subject.size == regex->checked_size) {
        return true;
    }
    if (!arus_utf8_is_valid(subject)) {
        return false;
    }
    regex->checked = subject.data;
    regex->checked_size = subject.size;
    return true;
}

enum arus_status arus_regex_find(struct arus_regex *regex, struct arus_text subject, size_t from,
                                 bool *is_found, struct arus_error *err)
{
    const bool is_valid = is_utf8(regex, subject, from);
    const PCRE2_SPTR text = (PCRE2_SPTR)(subject.size == 0 ? "" : subject.data);
    const int count = pcre2_match(is_valid ? regex->code : regex->lenient, text, subject.size, from,
                                  is_valid ? PCRE2_NO_UTF_CHECK : 0, regex->data, regex->match);
    PCRE2_UCHAR message[160];

    *is_found = count > 0;
    if (count > 0 || count == PCRE2_ERROR_NOMATCH) {
        return ARUS_OK;
    }
    (void)pcre2_get_error_message(count, message, sizeof message);
    return arus_fail(err, ARUS_BAD_DATA, NULL, "a regular expression gave up: %s",
                     (const char *)message);
}

bool arus_regex_group(const struct arus_regex *regex, uint32_t group, size_t *begin, size_t *end)
{
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(regex->data);

    if (group >= pcre2_get_ovector_count(regex->data) ||
        offsets[2 * (size_t)group] == PCRE2_UNSET) {
        return false;
    }
    *begin = offsets[2 * (size_t)group];
    *end = offsets[2 * (size_t)group + 1];
    return true;
}

size_t arus_regex_next(const struct arus_regex *regex, struct arus_text subject)
{
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(regex->data);
    size_t at = offsets[1];

    if (offsets[0] != offsets[1]) {
        return at;
    }
    if (at >= subject.size) {
        return subject.size + 1;
    }
    (void)arus_utf8_next(subject, &at);
    return at;
}
