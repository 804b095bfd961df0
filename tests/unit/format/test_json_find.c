#include "format/json_find.h"
#include "format/json_scan.h"
#include "support/failing.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const struct arus_json_step NAME_A[] = {{ARUS_JSON_STEP_NAME, {"a", 1}, 0}};
static const struct arus_json_step NAMES_A_B[] = {{ARUS_JSON_STEP_NAME, {"a", 1}, 0},
                                                  {ARUS_JSON_STEP_NAME, {"b", 1}, 0}};
static const struct arus_json_step ELEMENT_1[] = {{ARUS_JSON_STEP_NAME, {"a", 1}, 0},
                                                  {ARUS_JSON_STEP_INDEX, {0}, 1}};
static const struct arus_json_step ALL[] = {{ARUS_JSON_STEP_ALL, {0}, 0}};
static const struct arus_json_path A = {NAME_A, 1, false};
static const struct arus_json_path LAST_A = {NAME_A, 1, true};
static const struct arus_json_path A_B = {NAMES_A_B, 2, false};
static const struct arus_json_path A_1 = {ELEMENT_1, 2, false};

static enum arus_json_finding find(const char *json, const struct arus_json_path *path,
                                   struct arus_text *value)
{
    struct arus_json_finder finder = {.cpu = arus_cpu_detect()};
    enum arus_json_finding finding;
    struct arus_error err;

    cr_assert(eq(int,
                 arus_json_find(&finder, (struct arus_text){json, strlen(json)}, path, &finding,
                                value, &err),
                 ARUS_OK));
    arus_json_finder_release(&finder);
    return finding;
}

static void expect(const char *json, const struct arus_json_path *path,
                   enum arus_json_finding finding, const char *value)
{
    struct arus_text found = {0};

    if (arus_cpu_detect() == ARUS_CPU_PORTABLE) {
        finding = ARUS_JSON_SURPRISE;
        value = NULL;
    }
    cr_expect(eq(int, find(json, path, &found), finding), "%s", json);
    cr_expect(value == NULL || arus_text_equal(found, (struct arus_text){value, strlen(value)}),
              "%s: %.*s", json, (int)found.size, found.data);
}

Test(json_find, finds_the_value_a_path_leads_to)
{
    expect("{\"a\":\"x\"}", &A, ARUS_JSON_FOUND_PLAIN, "x");
    expect("{\"b\":[{\"a\":1}], \"a\" : \"gr\xC3\xBCn\" }", &A, ARUS_JSON_FOUND_PLAIN,
           "gr\xC3\xBCn");
    expect("{\"a\":-12 }", &A, ARUS_JSON_FOUND_PLAIN, "-12");
    expect("{\"a\":{}}", &A, ARUS_JSON_FOUND_PLAIN, "{}");
    expect("{\"a\":[1,{\"b\":false}]}", &A, ARUS_JSON_FOUND_PLAIN, "[1,{\"b\":false}]");
    expect("{\"a\":{\"b\":true}}", &A_B, ARUS_JSON_FOUND_PLAIN, "true");
    expect("{\"a\":[0,null]}", &A_1, ARUS_JSON_FOUND_PLAIN, "null");
    expect("{\"a\":1} what follows", &A, ARUS_JSON_FOUND_PLAIN, "1");
}

Test(json_find, says_when_a_value_must_be_written_anew)
{
    expect("{\"a\":1.50}", &A, ARUS_JSON_FOUND, "1.50");
    expect("{\"a\":1e5}", &A, ARUS_JSON_FOUND, "1e5");
    expect("{\"a\":[1, 2]}", &A, ARUS_JSON_FOUND, "[1, 2]");
    expect("{\"a\":[\"\xC3\xBC\"]}", &A, ARUS_JSON_FOUND, "[\"\xC3\xBC\"]");
    expect("{\"a\":1,\"b\":1.5}", &A, ARUS_JSON_FOUND_PLAIN, "1");
}

Test(json_find, passes_over_nulls_and_takes_the_first_or_last_of_a_name)
{
    expect("{\"a\":null,\"a\":1,\"a\":2,\"a\":null}", &A, ARUS_JSON_FOUND_PLAIN, "1");
    expect("{\"a\":null,\"a\":1,\"a\":2,\"a\":null}", &LAST_A, ARUS_JSON_FOUND_PLAIN, "2");
    expect("{\"a\":1,\"a\":{\"b\":2}}", &A_B, ARUS_JSON_FOUND_PLAIN, "2");
    expect("{\"ab\":1,\"\":2}", &A, ARUS_JSON_NOTHING, NULL);
    expect("{\"a\":[1]}", &A_1, ARUS_JSON_NOTHING, NULL);
    expect("[]", &A, ARUS_JSON_NOTHING, NULL);
}

Test(json_find, leaves_what_surprises)
{
    static const char *const TEXTS[] = {"",
                                        "{",
                                        "{\"a\":1",
                                        "{\"a\":01}",
                                        "{\"a\":1.}",
                                        "{\"a\":1,}",
                                        "{'a':1}",
                                        "{\"a\":'x'}",
                                        "{\"a\":\"\\n\"}",
                                        "{\"a\":nulls}",
                                        "{\"a\":[1 2]}",
                                        "{\"a\":+1}",
                                        "{\"a\" 1}",
                                        "{\"a\":1]",
                                        "[1,]",
                                        "{\"a\":\"x}",
                                        "{\"a\":1\f}",
                                        "{\"a\":[1\"b\"]}"};
    const struct arus_json_path all = {ALL, 1, false};
    struct arus_text value;

    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        cr_expect(eq(int, find(TEXTS[i], &A, &value), ARUS_JSON_SURPRISE), "%s", TEXTS[i]);
    }
    cr_expect(eq(int, find("[1]", &all, &value), ARUS_JSON_SURPRISE));
}

/* One byte of a text of more than a block is another one: taken only if the other scanner takes it,
 * which also sees the same value there. */
Test(json_find, takes_no_text_that_the_tolerant_scanner_refuses)
{
    static const char TEXT[] =
        "{\"id\":-120,\"name\":\"gr\xC3\xBCn\",\"pos\":{\"tag\": \"x\",\"x\":1.5e3},"
        "\"list\":[1,20,[],{}],\"a\":[true,false,null,\"7\"],\"z\":{\"a\":0.25}}";
    static const char OTHERS[] = "\"\\'{}[]:,0159.-+eE tfn\n\f\x01\xC3z";

    for (size_t at = 0; at < sizeof TEXT - 1; at++) {
        for (size_t i = 0; i < sizeof OTHERS; i++) {
            char text[sizeof TEXT];
            struct arus_json_scan scan = {text, text + sizeof TEXT - 1};
            struct arus_json_finder finder = {.cpu = arus_cpu_detect()};
            enum arus_json_finding finding;
            struct arus_text value;
            struct arus_error err;

            memcpy(text, TEXT, sizeof text);
            text[at] = OTHERS[i];
            cr_assert(eq(int,
                         arus_json_find(&finder, (struct arus_text){text, sizeof TEXT - 1}, &A_1,
                                        &finding, &value, &err),
                         ARUS_OK));
            cr_expect(finding == ARUS_JSON_SURPRISE || arus_json_scan_skip(&scan), "%s", text);
            if (finding == ARUS_JSON_FOUND || finding == ARUS_JSON_FOUND_PLAIN) {
                scan = (struct arus_json_scan){value.data, text + sizeof TEXT - 1};
                cr_expect(arus_json_scan_skip(&scan) && scan.at == value.data + value.size, "%s",
                          text);
            }
            arus_json_finder_release(&finder);
        }
    }
}

Test(json_find, counts_the_elements_of_an_array)
{
    static const struct {
        const char *json;
        int32_t length; /* negative: a surprise */
    } CASES[] = {{"[]", 0},    {"[ ]", 0}, {"[1]", 1}, {" [1,[2,3],\"4,5\"] x", 3},
                 {"[1,]", -1}, {"{}", -1}};
    struct arus_json_finder finder = {.cpu = arus_cpu_detect()};
    struct arus_error err;

    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const struct arus_text json = {CASES[i].json, strlen(CASES[i].json)};
        enum arus_json_finding finding;
        int32_t length;

        cr_assert(eq(int, arus_json_find_length(&finder, json, &finding, &length, &err), ARUS_OK));
        if (finder.cpu != ARUS_CPU_PORTABLE && CASES[i].length >= 0) {
            cr_expect(eq(int, finding, ARUS_JSON_FOUND));
            cr_expect(eq(int, length, CASES[i].length));
        } else {
            cr_expect(eq(int, finding, ARUS_JSON_SURPRISE));
        }
    }
    arus_json_finder_release(&finder);
}

static enum arus_status find_twice(struct arus_error *err)
{
    static char long_text[10000];
    struct arus_json_finder finder = {.cpu = arus_cpu_detect()};
    enum arus_json_finding finding;
    struct arus_text value;
    enum arus_status status;

    memset(long_text, ' ', sizeof long_text);
    status = arus_json_find(&finder, ARUS_TEXT("{\"a\":1}"), &A, &finding, &value, err);
    if (status == ARUS_OK) {
        status = arus_json_find(&finder, (struct arus_text){long_text, sizeof long_text}, &A,
                                &finding, &value, err);
    }
    arus_json_finder_release(&finder);
    return status;
}

Test(json_find, survives_each_failing_allocation)
{
    assert_each_failure(find_twice);
}
