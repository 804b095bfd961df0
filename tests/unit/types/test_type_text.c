#include "types/type.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct arus_arena arena;
static struct arus_error err;
static struct arus_buffer buffer;

static void release(void)
{
    arus_arena_release(&arena);
    arus_buffer_release(&buffer);
}

TestSuite(type_text, .fini = release);

static const struct arus_type *parse(const char *ddl)
{
    const struct arus_type *type = NULL;

    cr_assert(eq(int, arus_type_parse_ddl(arus_text_of(ddl), &arena, &type, &err), ARUS_OK),
              "%s: %s", ddl, err.message);
    return type;
}

static const char *text(void)
{
    cr_assert(eq(int, arus_buffer_append_char(&buffer, '\0', &err), ARUS_OK));
    return buffer.data;
}

Test(type_text, ddl_of_one_type_comes_back_in_capitals)
{
    static const char *const ROWS[][3] = {
        {"int", "INT", "int"},
        {"Integer", "INT", "int"},
        {"long", "BIGINT", "bigint"},
        {"real", "FLOAT", "float"},
        {"dec(5)", "DECIMAL(5,0)", "decimal(5,0)"},
        {"NUMERIC ( 5 , 2 )", "DECIMAL(5,2)", "decimal(5,2)"},
        {"decimal", "DECIMAL(10,0)", "decimal(10,0)"},
        {"timestamp_ltz", "TIMESTAMP", "timestamp"},
        {"timestamp(6)", "TIMESTAMP", "timestamp"},
        {"timestamp with local time zone", "TIMESTAMP", "timestamp"},
        {"timestamp without time zone", "TIMESTAMP_NTZ", "timestamp_ntz"},
        {"interval day to second", "INTERVAL DAY TO SECOND", "interval day to second"},
        {"interval month", "INTERVAL MONTH", "interval month"},
        {"array<array<int>>", "ARRAY<ARRAY<INT>>", "array<array<int>>"},
        {"map<string,int>", "MAP<STRING, INT>", "map<string,int>"},
        {"struct<a: INT, b INT NOT NULL COMMENT 'x''y', `c d`:date>",
         "STRUCT<a: INT, b: INT, `c d`: DATE>", "struct<a:int,b:int,c d:date>"},
        {"struct<>", "STRUCT<>", "struct<>"},
        {"struct<1a:int>", "STRUCT<`1a`: INT>", "struct<1a:int>"},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct arus_type *type = parse(ROWS[i][0]);

        arus_buffer_reset(&buffer);
        cr_assert(eq(int, arus_type_sql(type, &buffer, &err), ARUS_OK));
        cr_expect_str_eq(text(), ROWS[i][1]);
        arus_buffer_reset(&buffer);
        cr_assert(eq(int, arus_type_simple(type, &buffer, &err), ARUS_OK));
        cr_expect_str_eq(text(), ROWS[i][2]);
    }
}

Test(type_text, a_cast_to_text_of_a_length_is_a_cast_to_string)
{
    const struct arus_type *type;

    cr_assert(
        eq(int, arus_type_parse_cast(ARUS_TEXT("varchar(10)"), &arena, &type, &err), ARUS_OK));
    cr_expect(eq(int, type->id, ARUS_TYPE_STRING));
    cr_assert(
        eq(int, arus_type_parse_cast(ARUS_TEXT("char"), &arena, &type, &err), ARUS_BAD_CONFIG));
    cr_expect_str_eq(err.condition, "DATATYPE_MISSING_SIZE");
}

Test(type_text, a_column_list_is_a_struct)
{
    static const char *const ROWS[][2] = {
        {"a INT", "a INT"},
        {"date date, `x``y` STRING NOT NULL COMMENT \"no\"", "date DATE, `x``y` STRING"},
        {"a: int,b:array<struct<c:int>>", "a INT, b ARRAY<STRUCT<c: INT>>"},
        {"a\nDECIMAL(38,18)\t", "a DECIMAL(38,18)"},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        arus_buffer_reset(&buffer);
        cr_assert(eq(int, arus_schema_ddl(parse(ROWS[i][0]), &buffer, &err), ARUS_OK));
        cr_expect_str_eq(text(), ROWS[i][1]);
    }
    cr_expect(
        arus_text_equal(parse("a INT COMMENT 'it\\'s'")->fields[0].comment, ARUS_TEXT("it's")));
    cr_expect(not(parse("a INT NOT NULL")->fields[0].is_nullable));
}

Test(type_text, bad_ddl_names_condition_and_place)
{
    static const struct {
        const char *ddl;
        const char *condition;
        uint32_t begin;
    } ROWS[] = {
        {"", "PARSE_SYNTAX_ERROR", 0},
        {"a", "UNSUPPORTED_DATATYPE", 0},
        {"a foo", "UNSUPPORTED_DATATYPE", 2},
        {"a INT b INT", "PARSE_SYNTAX_ERROR", 6},
        {"a INT,", "PARSE_SYNTAX_ERROR", 6},
        {"array", "INCOMPLETE_TYPE_DEFINITION.ARRAY", 0},
        {"a array<int", "PARSE_SYNTAX_ERROR", 11},
        {"decimal(39,2)", "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", 0},
        {"varchar", "DATATYPE_MISSING_SIZE", 0},
        {"varchar(3)", "UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING", 0},
        {"a INT, b ARRAY<CHAR(3)>", "UNSUPPORTED_CHAR_OR_VARCHAR_AS_STRING", 15},
        {"a INT NOT", "PARSE_SYNTAX_ERROR", 9},
        {"interval", "UNSUPPORTED_DATATYPE", 0},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct arus_type *type;
        const enum arus_status status =
            arus_type_parse_ddl(arus_text_of(ROWS[i].ddl), &arena, &type, &err);

        cr_assert(eq(int, status, ARUS_BAD_CONFIG), "%s", ROWS[i].ddl);
        cr_expect_str_eq(err.condition, ROWS[i].condition, "%s: %s", ROWS[i].ddl, err.message);
        cr_expect(eq(u32, err.place.begin, ROWS[i].begin), "%s", ROWS[i].ddl);
    }
}

Test(type_text, schema_json_goes_there_and_back)
{
    static const char *const ROWS[][2] = {
        {"a INT",
         "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"nullable\":true,"
         "\"metadata\":{}}]}"},
        {"a BIGINT NOT NULL COMMENT 'say \"hi\"'",
         "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":false,"
         "\"metadata\":{\"comment\":\"say \\\"hi\\\"\"}}]}"},
        {"array<decimal(5,2)>",
         "{\"type\":\"array\",\"elementType\":\"decimal(5,2)\",\"containsNull\":true}"},
        {"map<tinyint,interval day to second>",
         "{\"type\":\"map\",\"keyType\":\"byte\",\"valueType\":\"interval day to second\","
         "\"valueContainsNull\":true}"},
        {"timestamp_ntz", "\"timestamp_ntz\""},
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct arus_type *type = parse(ROWS[i][0]);
        const struct arus_type *back;

        arus_buffer_reset(&buffer);
        cr_assert(eq(int, arus_type_json(type, &buffer, &err), ARUS_OK));
        cr_expect_str_eq(text(), ROWS[i][1]);
        cr_assert(
            eq(int, arus_type_parse_json(arus_text_of(ROWS[i][1]), &arena, &back, &err), ARUS_OK),
            "%s", err.message);
        cr_expect(arus_type_equal(type, back));
    }
}

Test(type_text, schema_json_may_hold_blanks_escapes_and_more_members)
{
    const char json[] =
        " { \"fields\" : [ {\"metadata\":{\"x\":[1,{\"y\":\"]\"}],\"comment\":\"c\"},"
        "\"nullable\":true, \"type\":\"string\",\"name\":\"\\u00e9\\n\"} ],"
        " \"type\":\"struct\" } ";
    const struct arus_type *type;

    cr_assert(eq(int, arus_type_parse_json(arus_text_of(json), &arena, &type, &err), ARUS_OK), "%s",
              err.message);
    cr_expect(arus_text_equal(type->fields[0].name, ARUS_TEXT("\xC3\xA9\n")));
    cr_expect(arus_text_equal(type->fields[0].comment, ARUS_TEXT("c")));
}

Test(type_text, bad_schema_json_is_refused)
{
    static const char *const ROWS[] = {
        "",
        "{",
        "\"foo\"",
        "\"decimal(39,1)\"",
        "{\"type\":\"struct\"}",
        "{\"type\":\"array\"}",
        "\"integer\" x",
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\"}]}",
        "{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"integer\"}",
    };

    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const struct arus_type *type;

        cr_expect(
            ne(int, arus_type_parse_json(arus_text_of(ROWS[i]), &arena, &type, &err), ARUS_OK),
            "%s", ROWS[i]);
    }
}
