#include "base/option.h"
#include "support/failing.h"
#include "support/folder.h"

#include <criterion/criterion.h>

struct settings {
    struct arus_text path;
    int64_t files;
    int64_t age_ms;
    int64_t bytes;
    bool is_on;
    int mode;
};

static const char *const MODES[] = {"off", "delete", "archive", NULL};
static const struct arus_option TABLE[] = {
    {.name = "path", .kind = ARUS_OPTION_TEXT, .offset = offsetof(struct settings, path)},
    {.name = "maxFilesPerTrigger",
     .kind = ARUS_OPTION_INT64,
     .offset = offsetof(struct settings, files),
     .minimum = 1,
     .alias = "maxFiles"},
    {.name = "maxFileAge",
     .kind = ARUS_OPTION_DURATION,
     .offset = offsetof(struct settings, age_ms),
     .default_text = "7d"},
    {.name = "maxBytes", .kind = ARUS_OPTION_SIZE, .offset = offsetof(struct settings, bytes)},
    {.name = "on",
     .kind = ARUS_OPTION_BOOL,
     .offset = offsetof(struct settings, is_on),
     .default_text = "true"},
    {.name = "cleanSource",
     .kind = ARUS_OPTION_CHOICE,
     .offset = offsetof(struct settings, mode),
     .choices = MODES,
     .default_text = "off"},
    {0},
};
static const struct arus_option *const TABLES[] = {TABLE, NULL};

static enum arus_status parse(const char *key, const char *value, struct settings *out,
                              struct arus_error *err)
{
    static struct arus_arena arena;
    struct arus_setting item = {.key = arus_text_of(key), .value = arus_text_of(value)};
    const struct arus_settings settings = {&item, 1};
    enum arus_status status;

    *out = (struct settings){0};
    status = arus_options_parse(TABLES, &settings, "a json source", &arena, out, err);
    return status;
}

Test(option, takes_defaults_and_names_without_case)
{
    struct settings settings;
    struct arus_error err;

    MUST(parse("MAXFILESPERTRIGGER", " 3 ", &settings, &err));
    cr_expect_eq(settings.files, 3);
    cr_expect_eq(settings.age_ms, 7 * 86400000LL);
    cr_expect(settings.is_on && settings.mode == 0 && settings.path.data == NULL);
    MUST(parse("maxfiles", "4", &settings, &err));
    cr_expect_eq(settings.files, 4);
}

Test(option, reads_durations)
{
    static const struct {
        const char *text;
        int64_t ms;
    } CASES[] = {{"100", 100},      {"100ms", 100},
                 {"10s", 10000},    {"5 minutes", 300000},
                 {"12h", 43200000}, {"1 hour 30 minutes", 5400000},
                 {"2000us", 2},     {"interval 1 day", 86400000}};
    struct settings settings;
    struct arus_error err;

    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        MUST(parse("maxFileAge", CASES[i].text, &settings, &err));
        cr_expect_eq(settings.age_ms, CASES[i].ms);
    }
    cr_expect(parse("maxFileAge", "x", &settings, &err) == ARUS_BAD_CONFIG);
    cr_expect(parse("maxFileAge", "5 parsec", &settings, &err) == ARUS_BAD_CONFIG);
    cr_expect(parse("maxFileAge", "", &settings, &err) == ARUS_BAD_CONFIG);
}

Test(option, names_the_nearest_option)
{
    struct settings settings;
    struct arus_error err;

    cr_assert(parse("maxFilePerTrigger", "1", &settings, &err) == ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.message, "a json source has no option `maxFilePerTrigger`");
    cr_expect_str_eq(err.label, "did you mean `maxFilesPerTrigger`?");
    cr_expect_str_eq(err.help, "arus help json lists all options");
    cr_expect_str_eq(err.condition, "ARUS_UNKNOWN_OPTION");
}

Test(option, refuses_bad_values)
{
    struct settings settings;
    struct arus_error err;

    cr_expect(parse("maxFilesPerTrigger", "0", &settings, &err) == ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.message, "option maxFilesPerTrigger must be at least 1, not `0`");
    cr_expect(parse("maxFilesPerTrigger", "x", &settings, &err) == ARUS_BAD_CONFIG);
    cr_expect(parse("maxFilesPerTrigger", "1.5", &settings, &err) == ARUS_BAD_CONFIG);
    cr_expect(parse("on", "yes", &settings, &err) == ARUS_BAD_CONFIG);
    cr_expect(parse("cleanSource", "bogus", &settings, &err) == ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.message, "option cleanSource takes off, delete or archive, not `bogus`");
    MUST(parse("maxBytes", "64k", &settings, &err));
    cr_expect_eq(settings.bytes, 65536);
}
