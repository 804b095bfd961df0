#include "sql/lexer.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* Tokens as "kind:text " in one line. */
static void expect_tokens(const char *sql, const char *expected)
{
    static const char *const NAMES[] = {
        [ARUS_TOKEN_WORD] = "word",
        [ARUS_TOKEN_QUOTED] = "quoted",
        [ARUS_TOKEN_STRING] = "string",
        [ARUS_TOKEN_INTEGER] = "int",
        [ARUS_TOKEN_DECIMAL] = "dec",
        [ARUS_TOKEN_EXPONENT] = "exp",
        [ARUS_TOKEN_TINYINT] = "tiny",
        [ARUS_TOKEN_SMALLINT] = "small",
        [ARUS_TOKEN_BIGINT] = "big",
        [ARUS_TOKEN_FLOAT] = "float",
        [ARUS_TOKEN_DOUBLE] = "double",
        [ARUS_TOKEN_BIGDECIMAL] = "bd",
        [ARUS_TOKEN_HINT] = "hint",
        [ARUS_TOKEN_BAD_NAME] = "badname",
        [ARUS_TOKEN_BAD_CHARACTER] = "bad",
        [ARUS_TOKEN_UNCLOSED_STRING] = "unclosed-string",
        [ARUS_TOKEN_UNCLOSED_NAME] = "unclosed-name",
        [ARUS_TOKEN_UNCLOSED_COMMENT] = "unclosed-comment",
    };
    struct arus_arena arena = {0};
    struct arus_buffer out = {0};
    struct arus_tokens tokens;
    struct arus_error err;

    cr_assert(eq(int, arus_sql_lex(arus_text_of(sql), &arena, &tokens, &err), ARUS_OK));
    for (uint32_t i = 0; i + 1 < tokens.count; i++) {
        const struct arus_token *token = &tokens.items[i];
        const char *name = NAMES[token->kind];

        cr_assert(eq(int,
                     arus_buffer_printf(&out, &err, "%s%s%s%.*s", i == 0 ? "" : " ",
                                        name == NULL ? "" : name, name == NULL ? "" : ":",
                                        (int)token->size, sql + token->begin),
                     ARUS_OK));
    }
    cr_assert(eq(int, arus_buffer_append_char(&out, '\0', &err), ARUS_OK));
    cr_expect_str_eq(out.data, expected, "%s", sql);
    arus_buffer_release(&out);
    arus_arena_release(&arena);
}

Test(lexer, numbers_take_their_suffix)
{
    expect_tokens("1 1L 1s 1Y 1.5 .5 1. 1e5 1.5E-3 5.e1 1D 1.0d 1.5F 1BD 1e3BD 1e+5",
                  "int:1 big:1L small:1s tiny:1Y dec:1.5 dec:.5 dec:1. exp:1e5 exp:1.5E-3 "
                  "exp:5.e1 double:1D double:1.0d float:1.5F bd:1BD bd:1e3BD exp:1e+5");
}

Test(lexer, names_may_begin_with_a_digit)
{
    expect_tokens("1a 0x1F 1_000 1e 1e5x 1B", "word:1a word:0x1F word:1_000 word:1e word:1e5x "
                                              "word:1B");
}

Test(lexer, a_point_before_a_name_is_no_decimal)
{
    expect_tokens("t.5a 1.5a a.b", "word:t . word:5a int:1 . word:5a word:a . word:b");
}

Test(lexer, comments_nest_and_continue)
{
    expect_tokens("a /* x /* y */ z */ b", "word:a word:b");
    expect_tokens("a -- x \\\n still\n b", "word:a word:b");
    expect_tokens("a /* x", "word:a unclosed-comment:/* x");
    expect_tokens("/*+ h */ a", "hint:/*+ h */ word:a");
}

Test(lexer, strings_keep_doubled_and_escaped_quotes)
{
    expect_tokens("'it''s' 'it\\'s' \"a\"\"b\" r'a\\'", "string:'it''s' string:'it\\'s' "
                                                        "string:\"a\"\"b\" string:r'a\\'");
    expect_tokens("'a", "unclosed-string:'a");
    expect_tokens("`a ``b` `c", "quoted:`a ``b` unclosed-name:`c");
}

Test(lexer, letters_outside_of_ascii_are_bad_names)
{
    expect_tokens("caf\xC3\xA9 \xE2\x80\x9C $", "badname:caf\xC3\xA9 bad:\xE2\x80\x9C bad:$");
}

Test(lexer, operators_are_the_longest_match)
{
    expect_tokens("<=> >>> >> >= !> !< != <> || |> :: -> =>",
                  "<=> >>> >> >= !> !< != <> || |> :: -> =>");
}

static void expect_string(const char *token, struct arus_text expected)
{
    struct arus_arena arena = {0};
    struct arus_text text;
    struct arus_error err;

    cr_assert(eq(int, arus_sql_unescape(arus_text_of(token), &arena, &text, &err), ARUS_OK));
    cr_expect(arus_text_equal(text, expected), "%s gives %.*s", token, ARUS_TEXT_ARGS(text));
    arus_arena_release(&arena);
}

Test(lexer, escapes_are_spark_s)
{
    expect_string("'a\\tb\\n\\\\'", ARUS_TEXT("a\tb\n\\"));
    expect_string("'\\0\\b\\Z'", ARUS_TEXT("\0\b\x1A"));
    expect_string("'\\101\\1234\\777'", ARUS_TEXT("AS4777"));
    expect_string("'\\u0041\\U0001F600\\ud83d\\ude00'",
                  ARUS_TEXT("A\xF0\x9F\x98\x80\xF0\x9F\x98\x80"));
    expect_string("'\\u12 \\x'", ARUS_TEXT("u12 x"));
    expect_string("'\\%\\_'", ARUS_TEXT("\\%\\_"));
    expect_string("'it''s \"'", ARUS_TEXT("it's \""));
    expect_string("r'a\\n''", ARUS_TEXT("a\\n'"));
}
