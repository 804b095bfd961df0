/** Digests of texts of every length, with and without the processor's own instructions. */
#include "expr/hash_digest.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>

#define SIZES 300

/* The digest of the digests of 0 to 299 bytes; checked with another implementation. */
static void digest_of_digests(int32_t bits, char *hex)
{
    static char text[SIZES];
    static uint8_t all[SIZES * ARUS_DIGEST_MAX];
    uint8_t digest[ARUS_DIGEST_MAX];
    uint64_t x = 1;
    size_t size = 0;

    for (size_t n = 0; n < SIZES; n++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        text[n] = (char)(x >> 56);
    }
    for (size_t n = 0; n < SIZES; n++) {
        const struct arus_text part = {text, n};

        size += bits == 1 ? arus_digest_sha1(part, all + size)
                          : arus_digest_sha2(part, bits, all + size);
    }
    size = bits == 1 ? arus_digest_sha1((struct arus_text){(char *)all, size}, digest)
                     : arus_digest_sha2((struct arus_text){(char *)all, size}, bits, digest);
    for (size_t i = 0; i < size; i++) {
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    }
}

static void expect_digests(void)
{
    char hex[2 * ARUS_DIGEST_MAX + 1];

    digest_of_digests(1, hex);
    cr_expect_str_eq(hex, "a113d7e0dbfe4e1e496bd32fdbb1d3f2a3badfd9");
    digest_of_digests(224, hex);
    cr_expect_str_eq(hex, "0bad3bf95c6d2265ef8aed792f1a04d6e2acd583b693eed727ce02d0");
    digest_of_digests(256, hex);
    cr_expect_str_eq(hex, "6a3e49892b2197a9874cd7ded2642f7fc893061e6b3a00ce9fe033a27e9f93f0");
}

Test(hash_digest, texts_of_every_length)
{
    expect_digests();
}

Test(hash_digest, the_portable_way_gives_the_same)
{
    cr_assert_eq(setenv("ARUS_CPU", "portable", 1), 0); /* asked once a process: this test's own */
    expect_digests();
}
