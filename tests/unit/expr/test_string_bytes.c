#include "expr/string_bytes.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static size_t find_slowly(struct arus_text text, struct arus_text needle, size_t from)
{
    for (size_t at = from; at + needle.size <= text.size; at++) {
        if (memcmp(text.data + at, needle.data, needle.size) == 0) {
            return at;
        }
    }
    return ARUS_NOT_FOUND;
}

/* Two letters only, so that much is nearly found; texts end where their memory ends. */
Test(string_bytes, a_needle_is_found_at_its_first_place)
{
    char letters[80];

    for (size_t i = 0; i < sizeof letters; i++) {
        letters[i] = (char)('a' + (i * i / 3 + i / 7) % 2);
    }
    for (size_t size = 0; size <= sizeof letters; size++) {
        const struct arus_text text = {letters + sizeof letters - size, size};

        for (size_t length = 1; length <= 40; length++) {
            for (size_t from = 0; from < 4; from++) {
                const struct arus_text needle = {letters + (size * 7 + length) % 40, length};
                const struct arus_text absent = {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                                 length};

                cr_assert(
                    eq(sz, arus_text_find(text, needle, from), find_slowly(text, needle, from)));
                cr_assert(
                    eq(sz, arus_text_find(text, absent, from), find_slowly(text, absent, from)));
            }
        }
    }
}
