/** Reading option values by their rows. */
#include "base/option.h"

#include <errno.h>
#include <stdlib.h>

#define NUMBER_SIZE_MAX 40

static bool option_is(const struct arus_option *row, struct arus_text name)
{
    return arus_text_equal_nocase(arus_text_of(row->name), name) ||
           (row->alias != NULL && arus_text_equal_nocase(arus_text_of(row->alias), name));
}

const struct arus_setting *arus_settings_find(const struct arus_settings *settings,
                                              const char *name)
{
    const struct arus_text wanted = arus_text_of(name);

    for (size_t i = settings->count; i > 0; i--) {
        if (arus_text_equal_nocase(settings->items[i - 1].key, wanted)) {
            return &settings->items[i - 1];
        }
    }
    return NULL;
}

const struct arus_option *arus_options_find(const struct arus_option *const *tables,
                                            struct arus_text key)
{
    for (size_t i = 0; tables[i] != NULL; i++) {
        for (const struct arus_option *row = tables[i]; row->name != NULL; row++) {
            if (option_is(row, key)) {
                return row;
            }
        }
    }
    return NULL;
}

static const struct arus_option *nearest(const struct arus_option *const *tables,
                                         struct arus_text key)
{
    const struct arus_option *best = NULL;
    size_t best_distance = SIZE_MAX;

    for (size_t i = 0; tables[i] != NULL; i++) {
        for (const struct arus_option *row = tables[i]; row->name != NULL; row++) {
            const size_t distance = arus_text_distance(arus_text_of(row->name), key);

            if (distance < best_distance) {
                best = row;
                best_distance = distance;
            }
        }
    }
    return best_distance <= key.size / 3 ? best : NULL;
}

/** "a json source" -> "json". */
static struct arus_text noun_name(const char *noun)
{
    const char *begin = strchr(noun, ' ');
    const char *end;

    begin = begin == NULL ? noun : begin + 1;
    end = strchr(begin, ' ');
    return (struct arus_text){begin, end == NULL ? strlen(begin) : (size_t)(end - begin)};
}

static enum arus_status fail_unknown(const struct arus_option *const *tables,
                                     const struct arus_setting *setting, const char *noun,
                                     struct arus_error *err)
{
    const struct arus_option *row = nearest(tables, setting->key);
    const enum arus_status status =
        arus_fail_at(err, setting->key_place, "ARUS_UNKNOWN_OPTION", "%s has no option `%.*s`",
                     noun, ARUS_TEXT_ARGS(setting->key));

    if (row != NULL) {
        (void)arus_error_label(err, "did you mean `%s`?", row->name);
    }
    (void)arus_error_help(err, "arus help %.*s lists all options", ARUS_TEXT_ARGS(noun_name(noun)));
    return status;
}

static enum arus_status fail_value(const struct arus_option *row,
                                   const struct arus_setting *setting, const char *wanted,
                                   struct arus_error *err)
{
    return arus_fail_at(err, setting->value_place, "ARUS_BAD_OPTION",
                        "option %s takes %s, not `%.*s`", row->name, wanted,
                        ARUS_TEXT_ARGS(setting->value));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static struct arus_text trim(struct arus_text text)
{
    while (text.size > 0 && is_blank(text.data[0])) {
        text.data++;
        text.size--;
    }
    while (text.size > 0 && is_blank(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

/** Takes digits (with a sign) off the front. */
static bool take_int(struct arus_text *text, int64_t *out)
{
    char digits[NUMBER_SIZE_MAX];
    size_t size = 0;
    char *end;

    if (size < text->size && (text->data[0] == '-' || text->data[0] == '+')) {
        size++;
    }
    while (size < text->size && text->data[size] >= '0' && text->data[size] <= '9') {
        size++;
    }
    if (size == 0 || size >= sizeof digits) {
        return false;
    }
    memcpy(digits, text->data, size);
    digits[size] = '\0';
    errno = 0;
    *out = strtoll(digits, &end, 10);
    if (errno != 0 || end != digits + size || end[-1] < '0') {
        return false;
    }
    text->data += size;
    text->size -= size;
    return true;
}

static struct arus_text take_word(struct arus_text *text)
{
    struct arus_text word = {text->data, 0};

    while (word.size < text->size &&
           ((text->data[word.size] | 0x20) >= 'a' && (text->data[word.size] | 0x20) <= 'z')) {
        word.size++;
    }
    text->data += word.size;
    text->size -= word.size;
    return word;
}

struct unit {
    const char *name;
    int64_t factor;
};

static const struct unit *unit_find(const struct unit *units, struct arus_text name)
{
    for (const struct unit *unit = units; unit->name != NULL; unit++) {
        if (arus_text_equal_nocase(arus_text_of(unit->name), name)) {
            return unit;
        }
    }
    return NULL;
}

static bool parse_size(struct arus_text text, int64_t *out)
{
    static const struct unit UNITS[] = {{"", 1},
                                        {"b", 1},
                                        {"k", 1 << 10},
                                        {"kb", 1 << 10},
                                        {"m", 1 << 20},
                                        {"mb", 1 << 20},
                                        {"g", 1 << 30},
                                        {"gb", 1 << 30},
                                        {"kib", 1 << 10},
                                        {"mib", 1 << 20},
                                        {"gib", 1 << 30},
                                        {"t", INT64_C(1) << 40},
                                        {"tb", INT64_C(1) << 40},
                                        {"tib", INT64_C(1) << 40},
                                        {NULL, 0}};
    struct arus_text rest = trim(text);
    const struct unit *unit;
    int64_t number;

    if (!take_int(&rest, &number)) {
        return false;
    }
    rest = trim(rest);
    unit = unit_find(UNITS, rest);
    return unit != NULL && !__builtin_mul_overflow(number, unit->factor, out);
}

/** Units in microseconds, so that `us` counts. */
static const struct unit DURATION_UNITS[] = {{"us", 1},
                                             {"microsecond", 1},
                                             {"microseconds", 1},
                                             {"ms", 1000},
                                             {"msec", 1000},
                                             {"millisecond", 1000},
                                             {"milliseconds", 1000},
                                             {"s", 1000000},
                                             {"sec", 1000000},
                                             {"second", 1000000},
                                             {"seconds", 1000000},
                                             {"m", 60000000},
                                             {"min", 60000000},
                                             {"minute", 60000000},
                                             {"minutes", 60000000},
                                             {"h", INT64_C(3600000000)},
                                             {"hour", INT64_C(3600000000)},
                                             {"hours", INT64_C(3600000000)},
                                             {"d", INT64_C(86400000000)},
                                             {"day", INT64_C(86400000000)},
                                             {"days", INT64_C(86400000000)},
                                             {"w", INT64_C(604800000000)},
                                             {"week", INT64_C(604800000000)},
                                             {"weeks", INT64_C(604800000000)},
                                             {NULL, 0}};

static bool parse_duration(struct arus_text text, int64_t *out)
{
    struct arus_text rest = trim(text);
    int64_t total_us = 0;
    size_t part_count = 0;

    if (rest.size > 9 &&
        arus_text_equal_nocase((struct arus_text){rest.data, 9}, ARUS_TEXT("interval "))) {
        rest = trim((struct arus_text){rest.data + 9, rest.size - 9});
    }
    while (rest.size > 0) {
        const struct unit *unit;
        struct arus_text word;
        int64_t number;
        int64_t part;

        if (!take_int(&rest, &number)) {
            return false;
        }
        rest = trim(rest);
        word = take_word(&rest);
        rest = trim(rest);
        if (word.size == 0) {
            *out = number;
            return part_count == 0 && rest.size == 0; /* a plain number: milliseconds */
        }
        unit = unit_find(DURATION_UNITS, word);
        if (unit == NULL || __builtin_mul_overflow(number, unit->factor, &part) ||
            __builtin_add_overflow(total_us, part, &total_us)) {
            return false;
        }
        part_count++;
    }
    *out = total_us / 1000;
    return part_count > 0;
}

static bool parse_choice(const struct arus_option *row, struct arus_text text, int *out)
{
    for (int i = 0; row->choices[i] != NULL; i++) {
        if (arus_text_equal_nocase(arus_text_of(row->choices[i]), text)) {
            *out = i;
            return true;
        }
    }
    return false;
}

static enum arus_status fail_choice(const struct arus_option *row,
                                    const struct arus_setting *setting, struct arus_error *err)
{
    char wanted[256] = "";
    size_t used = 0;

    for (size_t i = 0; row->choices[i] != NULL; i++) {
        const char *glue = i == 0 ? "" : row->choices[i + 1] == NULL ? " or " : ", ";
        const size_t glue_size = strlen(glue);
        const size_t size = strlen(row->choices[i]);

        if (used + glue_size + size + 1 > sizeof wanted) {
            break;
        }
        memcpy(wanted + used, glue, glue_size);
        memcpy(wanted + used + glue_size, row->choices[i], size + 1);
        used += glue_size + size;
    }
    return fail_value(row, setting, wanted, err);
}

static enum arus_status store_number(const struct arus_option *row,
                                     const struct arus_setting *setting, bool is_number,
                                     int64_t number, void *field, struct arus_error *err)
{
    if (!is_number) {
        return fail_value(row, setting,
                          row->kind == ARUS_OPTION_SIZE       ? "a size such as 64k or 10m"
                          : row->kind == ARUS_OPTION_DURATION ? "a duration such as 10s or 7d"
                                                              : "a whole number",
                          err);
    }
    if (row->minimum != INT64_MIN && number < row->minimum) {
        return arus_fail_at(err, setting->value_place, "ARUS_BAD_OPTION",
                            "option %s must be at least %lld, not `%.*s`", row->name,
                            (long long)row->minimum, ARUS_TEXT_ARGS(setting->value));
    }
    memcpy(field, &number, sizeof number);
    return ARUS_OK;
}

static bool is_one_character(struct arus_text text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.size; i++) {
        count += ((uint8_t)text.data[i] & 0xC0) != 0x80;
    }
    return count <= 1;
}

static enum arus_status store_text(const struct arus_setting *setting, struct arus_arena *arena,
                                   void *field, struct arus_error *err)
{
    struct arus_text copy;

    ARUS_TRY(arus_text_copy(setting->value, arena, &copy, err));
    memcpy(field, &copy, sizeof copy);
    return ARUS_OK;
}

static enum arus_status store_bool(const struct arus_option *row,
                                   const struct arus_setting *setting, void *field,
                                   struct arus_error *err)
{
    const struct arus_text text = trim(setting->value);
    const bool value = arus_text_equal_nocase(text, ARUS_TEXT("true"));

    if (!value && !arus_text_equal_nocase(text, ARUS_TEXT("false"))) {
        return fail_value(row, setting, "true or false", err);
    }
    memcpy(field, &value, sizeof value);
    return ARUS_OK;
}

static enum arus_status store(const struct arus_option *row, const struct arus_setting *setting,
                              struct arus_arena *arena, void *field, struct arus_error *err)
{
    struct arus_text rest = trim(setting->value);
    int64_t number = 0;
    bool is_number;
    int choice;

    switch (row->kind) {
    case ARUS_OPTION_TEXT:
        return store_text(setting, arena, field, err);
    case ARUS_OPTION_CHAR:
        if (!is_one_character(setting->value)) {
            return fail_value(row, setting, "at most one character", err);
        }
        return store_text(setting, arena, field, err);
    case ARUS_OPTION_INT64:
        is_number = take_int(&rest, &number) && rest.size == 0;
        return store_number(row, setting, is_number, number, field, err);
    case ARUS_OPTION_SIZE:
        is_number = parse_size(setting->value, &number);
        return store_number(row, setting, is_number, number, field, err);
    case ARUS_OPTION_DURATION:
        is_number = parse_duration(setting->value, &number);
        return store_number(row, setting, is_number, number, field, err);
    case ARUS_OPTION_BOOL:
        return store_bool(row, setting, field, err);
    case ARUS_OPTION_CHOICE:
        if (!parse_choice(row, rest, &choice)) {
            return fail_choice(row, setting, err);
        }
        memcpy(field, &choice, sizeof choice);
        return ARUS_OK;
    case ARUS_OPTION_IGNORED:
        return ARUS_OK;
    }
    return ARUS_OK;
}

static enum arus_status store_defaults(const struct arus_option *table, struct arus_arena *arena,
                                       char *out, struct arus_error *err)
{
    for (const struct arus_option *row = table; row->name != NULL; row++) {
        const struct arus_setting setting = {
            .key = arus_text_of(row->name),
            .value = arus_text_of(row->default_text == NULL ? "" : row->default_text)};

        if (row->default_text != NULL && row->kind != ARUS_OPTION_IGNORED) {
            ARUS_TRY(store(row, &setting, arena, out + row->offset, err));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_options_parse(const struct arus_option *const *tables,
                                    const struct arus_settings *settings, const char *noun,
                                    struct arus_arena *arena, void *out, struct arus_error *err)
{
    for (size_t i = 0; tables[i] != NULL; i++) {
        ARUS_TRY(store_defaults(tables[i], arena, (char *)out, err));
    }
    for (size_t i = 0; i < settings->count; i++) {
        const struct arus_option *row = arus_options_find(tables, settings->items[i].key);

        if (row == NULL) {
            return fail_unknown(tables, &settings->items[i], noun, err);
        }
        ARUS_TRY(store(row, &settings->items[i], arena, (char *)out + row->offset, err));
    }
    return ARUS_OK;
}
