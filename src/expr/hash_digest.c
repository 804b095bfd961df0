#include "expr/hash_digest.h"

#include "expr/hash_sha_ni.h"

/* Constants of the standards (RFC 1321, FIPS 180-4). */
static const uint32_t MD5_K[64] = {
    0xD76AA478, 0xE8C7B756, 0x242070DB, 0xC1BDCEEE, 0xF57C0FAF, 0x4787C62A, 0xA8304613, 0xFD469501,
    0x698098D8, 0x8B44F7AF, 0xFFFF5BB1, 0x895CD7BE, 0x6B901122, 0xFD987193, 0xA679438E, 0x49B40821,
    0xF61E2562, 0xC040B340, 0x265E5A51, 0xE9B6C7AA, 0xD62F105D, 0x02441453, 0xD8A1E681, 0xE7D3FBC8,
    0x21E1CDE6, 0xC33707D6, 0xF4D50D87, 0x455A14ED, 0xA9E3E905, 0xFCEFA3F8, 0x676F02D9, 0x8D2A4C8A,
    0xFFFA3942, 0x8771F681, 0x6D9D6122, 0xFDE5380C, 0xA4BEEA44, 0x4BDECFA9, 0xF6BB4B60, 0xBEBFBC70,
    0x289B7EC6, 0xEAA127FA, 0xD4EF3085, 0x04881D05, 0xD9D4D039, 0xE6DB99E5, 0x1FA27CF8, 0xC4AC5665,
    0xF4292244, 0x432AFF97, 0xAB9423A7, 0xFC93A039, 0x655B59C3, 0x8F0CCC92, 0xFFEFF47D, 0x85845DD1,
    0x6FA87E4F, 0xFE2CE6E0, 0xA3014314, 0x4E0811A1, 0xF7537E82, 0xBD3AF235, 0x2AD7D2BB, 0xEB86D391,
};
static const uint8_t MD5_SHIFTS[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
static const uint32_t SHA256_K[64] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};
static const uint64_t SHA512_K[80] = {
    0x428A2F98D728AE22, 0x7137449123EF65CD, 0xB5C0FBCFEC4D3B2F, 0xE9B5DBA58189DBBC,
    0x3956C25BF348B538, 0x59F111F1B605D019, 0x923F82A4AF194F9B, 0xAB1C5ED5DA6D8118,
    0xD807AA98A3030242, 0x12835B0145706FBE, 0x243185BE4EE4B28C, 0x550C7DC3D5FFB4E2,
    0x72BE5D74F27B896F, 0x80DEB1FE3B1696B1, 0x9BDC06A725C71235, 0xC19BF174CF692694,
    0xE49B69C19EF14AD2, 0xEFBE4786384F25E3, 0x0FC19DC68B8CD5B5, 0x240CA1CC77AC9C65,
    0x2DE92C6F592B0275, 0x4A7484AA6EA6E483, 0x5CB0A9DCBD41FBD4, 0x76F988DA831153B5,
    0x983E5152EE66DFAB, 0xA831C66D2DB43210, 0xB00327C898FB213F, 0xBF597FC7BEEF0EE4,
    0xC6E00BF33DA88FC2, 0xD5A79147930AA725, 0x06CA6351E003826F, 0x142929670A0E6E70,
    0x27B70A8546D22FFC, 0x2E1B21385C26C926, 0x4D2C6DFC5AC42AED, 0x53380D139D95B3DF,
    0x650A73548BAF63DE, 0x766A0ABB3C77B2A8, 0x81C2C92E47EDAEE6, 0x92722C851482353B,
    0xA2BFE8A14CF10364, 0xA81A664BBC423001, 0xC24B8B70D0F89791, 0xC76C51A30654BE30,
    0xD192E819D6EF5218, 0xD69906245565A910, 0xF40E35855771202A, 0x106AA07032BBD1B8,
    0x19A4C116B8D2D0C8, 0x1E376C085141AB53, 0x2748774CDF8EEB99, 0x34B0BCB5E19B48A8,
    0x391C0CB3C5C95A63, 0x4ED8AA4AE3418ACB, 0x5B9CCA4F7763E373, 0x682E6FF3D6B2B8A3,
    0x748F82EE5DEFB2FC, 0x78A5636F43172F60, 0x84C87814A1F0AB72, 0x8CC702081A6439EC,
    0x90BEFFFA23631E28, 0xA4506CEBDE82BDE9, 0xBEF9A3F7B2C67915, 0xC67178F2E372532B,
    0xCA273ECEEA26619C, 0xD186B8C721C0C207, 0xEADA7DD6CDE0EB1E, 0xF57D4F7FEE6ED178,
    0x06F067AA72176FBA, 0x0A637DC5A2C898A6, 0x113F9804BEF90DAE, 0x1B710B35131C471B,
    0x28DB77F523047D84, 0x32CAAB7B40C72493, 0x3C9EBE0A15C9BEBC, 0x431D67C49C100D4C,
    0x4CC5D4BECB3E42B6, 0x597F299CFC657E2A, 0x5FCB6FAB3AD6FAEC, 0x6C44198C4A475817,
};

static uint32_t rotate_left(uint32_t x, uint32_t n)
{
    return x << n | x >> (32 - n);
}
static uint32_t rotate_right(uint32_t x, uint32_t n)
{
    return x >> n | x << (32 - n);
}
static uint64_t rotate_right_64(uint64_t x, uint32_t n)
{
    return x >> n | x << (64 - n);
}
static uint32_t load_big(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return __builtin_bswap32(word);
}
static uint64_t load_big_64(const uint8_t *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return __builtin_bswap64(word);
}
static uint32_t load_little(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}
static void store_big_64(uint64_t value, uint8_t *out)
{
    for (uint32_t i = 0; i < 8; i++) {
        out[i] = (uint8_t)(value >> (56 - 8 * i));
    }
}

typedef void (*block_fn)(void *state, const uint8_t *block);

/* Whole blocks, then the padded rest: 0x80, zeros, the bit count. */
static void digest(struct arus_text text, size_t block_size, bool is_little, block_fn block,
                   void *state)
{
    const uint8_t *data = (const uint8_t *)text.data;
    const size_t whole = text.size / block_size * block_size;
    const size_t rest = text.size - whole;
    const size_t length_size = block_size / 8;
    const size_t tail = rest + 1 + length_size <= block_size ? block_size : 2 * block_size;
    uint8_t last[256] = {0};
    uint8_t bits[8];

    for (size_t at = 0; at < whole; at += block_size) {
        block(state, data + at);
    }
    if (rest > 0) {
        memcpy(last, data + whole, rest);
    }
    last[rest] = 0x80;
    store_big_64((uint64_t)text.size * 8, bits);
    for (size_t i = 0; i < 8; i++) {
        last[tail - 8 + i] = is_little ? bits[7 - i] : bits[i];
    }
    for (size_t at = 0; at < tail; at += block_size) {
        block(state, last + at);
    }
}

/* The rounds below take their words by place, so that a turn of the places costs nothing: a round
 * writes one or two words, and the next round names them one further. */

static inline void md5_round(uint32_t *a, uint32_t b, uint32_t f, uint32_t word, uint32_t i)
{
    *a = b + rotate_left(*a + f + MD5_K[i] + word, MD5_SHIFTS[i / 16][i % 4]);
}

static inline uint32_t md5_mix(uint32_t b, uint32_t c, uint32_t d, uint32_t i)
{
    return i < 16   ? d ^ (b & (c ^ d))
           : i < 32 ? c ^ (d & (b ^ c))
           : i < 48 ? b ^ c ^ d
                    : c ^ (b | ~d);
}

static inline uint32_t md5_word(const uint8_t *block, uint32_t i)
{
    static const uint8_t FACTORS[] = {1, 5, 3, 7};
    static const uint8_t FIRST[] = {0, 1, 5, 0};

    return load_little(block + 4 * (size_t)((FACTORS[i / 16] * i + FIRST[i / 16]) % 16));
}

static void md5_block(void *state, const uint8_t *block)
{
    uint32_t *h = state;
    uint32_t a = h[0];
    uint32_t b = h[1];
    uint32_t c = h[2];
    uint32_t d = h[3];

#pragma GCC unroll 16
    for (uint32_t i = 0; i < 64; i += 4) {
        md5_round(&a, b, md5_mix(b, c, d, i), md5_word(block, i), i);
        md5_round(&d, a, md5_mix(a, b, c, i + 1), md5_word(block, i + 1), i + 1);
        md5_round(&c, d, md5_mix(d, a, b, i + 2), md5_word(block, i + 2), i + 2);
        md5_round(&b, c, md5_mix(c, d, a, i + 3), md5_word(block, i + 3), i + 3);
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
}

enum sha1_part { SHA1_CHOOSE, SHA1_PARITY, SHA1_MAJORITY, SHA1_LAST };

static inline uint32_t sha1_mix(uint32_t b, uint32_t c, uint32_t d, enum sha1_part part)
{
    switch (part) {
    case SHA1_CHOOSE:
        return (d ^ (b & (c ^ d))) + 0x5A827999;
    case SHA1_PARITY:
        return (b ^ c ^ d) + 0x6ED9EBA1;
    case SHA1_MAJORITY:
        return ((b & c) | (d & (b | c))) + 0x8F1BBCDC;
    case SHA1_LAST:
        break;
    }
    return (b ^ c ^ d) + 0xCA62C1D6;
}

struct sha1_state {
    uint32_t a, b, c, d, e;
};

static inline void sha1_round(uint32_t a, uint32_t *b, uint32_t c, uint32_t d, uint32_t *e,
                              enum sha1_part part, uint32_t word)
{
    *e += rotate_left(a, 5) + sha1_mix(*b, c, d, part) + word;
    *b = rotate_left(*b, 30);
}

/* Twenty rounds of one kind. */
static inline struct sha1_state sha1_rounds(struct sha1_state v, enum sha1_part part,
                                            const uint32_t *w)
{
    for (uint32_t i = 0; i < 20; i += 5) {
        sha1_round(v.a, &v.b, v.c, v.d, &v.e, part, w[i]);
        sha1_round(v.e, &v.a, v.b, v.c, &v.d, part, w[i + 1]);
        sha1_round(v.d, &v.e, v.a, v.b, &v.c, part, w[i + 2]);
        sha1_round(v.c, &v.d, v.e, v.a, &v.b, part, w[i + 3]);
        sha1_round(v.b, &v.c, v.d, v.e, &v.a, part, w[i + 4]);
    }
    return v;
}

static void sha1_block(void *state, const uint8_t *block)
{
    uint32_t *h = state;
    struct sha1_state v = {h[0], h[1], h[2], h[3], h[4]};
    uint32_t w[80];

    for (uint32_t i = 0; i < 16; i++) {
        w[i] = load_big(block + 4 * (size_t)i);
    }
    for (uint32_t i = 16; i < 80; i++) {
        w[i] = rotate_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    }
    v = sha1_rounds(v, SHA1_CHOOSE, w);
    v = sha1_rounds(v, SHA1_PARITY, w + 20);
    v = sha1_rounds(v, SHA1_MAJORITY, w + 40);
    v = sha1_rounds(v, SHA1_LAST, w + 60);
    h[0] += v.a;
    h[1] += v.b;
    h[2] += v.c;
    h[3] += v.d;
    h[4] += v.e;
}

static inline void sha256_round(uint32_t v[8], uint32_t turn, uint32_t word)
{
    const uint32_t a = v[(0 - turn) % 8];
    const uint32_t b = v[(1 - turn) % 8];
    const uint32_t c = v[(2 - turn) % 8];
    const uint32_t e = v[(4 - turn) % 8];
    const uint32_t f = v[(5 - turn) % 8];
    const uint32_t g = v[(6 - turn) % 8];
    const uint32_t s1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
    const uint32_t s0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
    const uint32_t t1 = v[(7 - turn) % 8] + s1 + (g ^ (e & (f ^ g))) + word;

    v[(3 - turn) % 8] += t1;
    v[(7 - turn) % 8] = t1 + s0 + ((a & b) | (c & (a | b)));
}

static void sha256_block(void *state, const uint8_t *block)
{
    uint32_t *h = state;
    uint32_t w[64];
    uint32_t v[8];

    for (uint32_t i = 0; i < 16; i++) {
        w[i] = load_big(block + 4 * (size_t)i);
    }
    for (uint32_t i = 16; i < 64; i++) {
        w[i] = w[i - 16] + w[i - 7] +
               (rotate_right(w[i - 15], 7) ^ rotate_right(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (rotate_right(w[i - 2], 17) ^ rotate_right(w[i - 2], 19) ^ w[i - 2] >> 10);
    }
    memcpy(v, h, sizeof v);
    for (uint32_t i = 0; i < 64; i += 8) {
#pragma GCC unroll 8
        for (uint32_t turn = 0; turn < 8; turn++) {
            sha256_round(v, turn, SHA256_K[i + turn] + w[i + turn]);
        }
    }
    for (uint32_t i = 0; i < 8; i++) {
        h[i] += v[i];
    }
}

static void sha256_block_fast(void *state, const uint8_t *block)
{
    arus_sha256_block_ni(state, SHA256_K, block);
}

static inline void sha512_round(uint64_t v[8], uint32_t turn, uint64_t word)
{
    const uint64_t a = v[(0 - turn) % 8];
    const uint64_t b = v[(1 - turn) % 8];
    const uint64_t c = v[(2 - turn) % 8];
    const uint64_t e = v[(4 - turn) % 8];
    const uint64_t f = v[(5 - turn) % 8];
    const uint64_t g = v[(6 - turn) % 8];
    const uint64_t s1 = rotate_right_64(e, 14) ^ rotate_right_64(e, 18) ^ rotate_right_64(e, 41);
    const uint64_t s0 = rotate_right_64(a, 28) ^ rotate_right_64(a, 34) ^ rotate_right_64(a, 39);
    const uint64_t t1 = v[(7 - turn) % 8] + s1 + (g ^ (e & (f ^ g))) + word;

    v[(3 - turn) % 8] += t1;
    v[(7 - turn) % 8] = t1 + s0 + ((a & b) | (c & (a | b)));
}

static void sha512_block(void *state, const uint8_t *block)
{
    uint64_t *h = state;
    uint64_t w[80];
    uint64_t v[8];

    for (uint32_t i = 0; i < 16; i++) {
        w[i] = load_big_64(block + 8 * (size_t)i);
    }
    for (uint32_t i = 16; i < 80; i++) {
        w[i] = w[i - 16] + w[i - 7] +
               (rotate_right_64(w[i - 15], 1) ^ rotate_right_64(w[i - 15], 8) ^ w[i - 15] >> 7) +
               (rotate_right_64(w[i - 2], 19) ^ rotate_right_64(w[i - 2], 61) ^ w[i - 2] >> 6);
    }
    memcpy(v, h, sizeof v);
    for (uint32_t i = 0; i < 80; i += 8) {
#pragma GCC unroll 8
        for (uint32_t turn = 0; turn < 8; turn++) {
            sha512_round(v, turn, SHA512_K[i + turn] + w[i + turn]);
        }
    }
    for (uint32_t i = 0; i < 8; i++) {
        h[i] += v[i];
    }
}

static size_t store_words(const uint32_t *words, uint32_t count, bool is_little, uint8_t *out)
{
    for (uint32_t i = 0; i < 4 * count; i++) {
        const uint32_t shift = is_little ? 8 * (i % 4) : 24 - 8 * (i % 4);

        out[i] = (uint8_t)(words[i / 4] >> shift);
    }
    return 4 * (size_t)count;
}

size_t arus_digest_md5(struct arus_text text, uint8_t out[ARUS_DIGEST_MAX])
{
    uint32_t state[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};

    digest(text, 64, true, md5_block, state);
    return store_words(state, 4, true, out);
}

size_t arus_digest_sha1(struct arus_text text, uint8_t out[ARUS_DIGEST_MAX])
{
    uint32_t state[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};

    digest(text, 64, false, arus_sha_ni_is_here() ? arus_sha1_block_ni : sha1_block, state);
    return store_words(state, 5, false, out);
}

static size_t sha256(struct arus_text text, bool is_short, uint8_t *out)
{
    static const uint32_t SHORT[8] = {
        0xC1059ED8, 0x367CD507, 0x3070DD17, 0xF70E5939,
        0xFFC00B31, 0x68581511, 0x64F98FA7, 0xBEFA4FA4,
    };
    static const uint32_t LONG[8] = {
        0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
        0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
    };
    uint32_t state[8];

    memcpy(state, is_short ? SHORT : LONG, sizeof state);
    digest(text, 64, false, arus_sha_ni_is_here() ? sha256_block_fast : sha256_block, state);
    return store_words(state, is_short ? 7 : 8, false, out);
}

static size_t sha512(struct arus_text text, bool is_short, uint8_t *out)
{
    static const uint64_t SHORT[8] = {
        0xCBBB9D5DC1059ED8, 0x629A292A367CD507, 0x9159015A3070DD17, 0x152FECD8F70E5939,
        0x67332667FFC00B31, 0x8EB44A8768581511, 0xDB0C2E0D64F98FA7, 0x47B5481DBEFA4FA4,
    };
    static const uint64_t LONG[8] = {
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    };
    uint64_t state[8];
    uint8_t all[64];
    const size_t size = is_short ? 48 : 64;

    memcpy(state, is_short ? SHORT : LONG, sizeof state);
    digest(text, 128, false, sha512_block, state);
    for (uint32_t i = 0; i < 8; i++) {
        store_big_64(state[i], all + 8 * (size_t)i);
    }
    memcpy(out, all, size);
    return size;
}

size_t arus_digest_sha2(struct arus_text text, int32_t bits, uint8_t out[ARUS_DIGEST_MAX])
{
    if (bits == 0 || bits == 256 || bits == 224) {
        return sha256(text, bits == 224, out);
    }
    return bits == 384 || bits == 512 ? sha512(text, bits == 384, out) : 0;
}
