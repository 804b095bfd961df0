/** md5, sha1, sha2, crc32, hash (Murmur3), xxhash64, hex, base64. */
#include "expr/families.h"
#include "expr/hash_digest.h"
#include "expr/hash_spark.h"
#include "expr/rowwise.h"

#include <zlib.h>

/* ---- digests as lower-case hex ---- */

static enum arus_status hex_text(struct arus_rowwise *row, uint32_t i, const uint8_t *bytes,
                                 size_t size, const char *digits, struct arus_error *err)
{
    ARUS_TRY(arus_strings_need(&row->strings, 2 * size, err));
    for (size_t b = 0; b < size; b++) {
        row->strings.at[2 * b] = digits[bytes[b] >> 4];
        row->strings.at[2 * b + 1] = digits[bytes[b] & 15];
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, 2 * size));
    return ARUS_OK;
}

static const char LOWER[] = "0123456789abcdef";
static const char UPPER[] = "0123456789ABCDEF";

static enum arus_status md5(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    uint8_t digest[ARUS_DIGEST_MAX];

    return hex_text(row, i, digest, arus_digest_md5(arus_row_arg_text(row, 0, i), digest), LOWER,
                    err);
}
ARUS_ROWWISE(md5)

static enum arus_status sha1(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    uint8_t digest[ARUS_DIGEST_MAX];

    return hex_text(row, i, digest, arus_digest_sha1(arus_row_arg_text(row, 0, i), digest), LOWER,
                    err);
}
ARUS_ROWWISE(sha1)

static enum arus_status sha2(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    uint8_t digest[ARUS_DIGEST_MAX];
    const size_t size =
        arus_digest_sha2(arus_row_arg_text(row, 0, i), arus_row_arg_int(row, 1, i), digest);

    return size == 0 ? arus_row_null(row, i, err) : hex_text(row, i, digest, size, LOWER, err);
}
ARUS_ROWWISE(sha2)

/* ---- hmac(key, message[, algorithm]) ---- */

/* 0: none of this name */
static size_t digest_by_name(struct arus_text name, struct arus_text text, uint8_t *out)
{
    static const struct {
        const char *name;
        int32_t bits; /* of SHA-2; 1: SHA-1, 5: MD5 */
    } ALGORITHMS[] = {{"SHA-224", 224}, {"SHA224", 224}, {"SHA-256", 256}, {"SHA256", 256},
                      {"SHA-384", 384}, {"SHA384", 384}, {"SHA-512", 512}, {"SHA512", 512},
                      {"SHA-1", 1},     {"SHA1", 1},     {"MD5", 5}};

    for (size_t a = 0; a < sizeof ALGORITHMS / sizeof *ALGORITHMS; a++) {
        if (arus_text_equal_nocase(arus_text_of(ALGORITHMS[a].name), name)) {
            return ALGORITHMS[a].bits == 1   ? arus_digest_sha1(text, out)
                   : ALGORITHMS[a].bits == 5 ? arus_digest_md5(text, out)
                                             : arus_digest_sha2(text, ALGORITHMS[a].bits, out);
        }
    }
    return 0;
}

/* The digest of a padded key and more. */
static enum arus_status padded_digest(struct arus_rowwise *row, struct arus_text name,
                                      struct arus_text key, uint8_t pad, struct arus_text more,
                                      uint8_t *out, struct arus_error *err)
{
    const size_t bits = digest_by_name(name, (struct arus_text){0}, out);
    const size_t block = bits > 32 ? 128 : 64; /* SHA-384 and SHA-512 work on larger blocks */

    arus_buffer_reset(&row->buffer);
    for (size_t b = 0; b < block; b++) {
        const uint8_t byte = b < key.size ? (uint8_t)key.data[b] : 0;

        ARUS_TRY(arus_buffer_append_char(&row->buffer, (char)(byte ^ pad), err));
    }
    ARUS_TRY(arus_buffer_append_text(&row->buffer, more, err));
    (void)digest_by_name(name, arus_buffer_text(&row->buffer), out);
    return ARUS_OK;
}

static enum arus_status hmac(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text name = arus_row_arg_text(row, 2, i);
    struct arus_text key = arus_row_arg_text(row, 0, i);
    uint8_t short_key[ARUS_DIGEST_MAX];
    uint8_t inner[ARUS_DIGEST_MAX];
    uint8_t outer[ARUS_DIGEST_MAX];
    const size_t size = digest_by_name(name, key, short_key);

    if (size == 0) {
        return arus_fail(err, ARUS_BAD_DATA, "INVALID_PARAMETER_VALUE.HMAC_ALGORITHM",
                         "the algorithms are SHA-224, SHA-256, SHA-384, SHA-512, SHA-1, MD5, not "
                         "'%.*s'",
                         ARUS_TEXT_ARGS(name));
    }
    if (key.size > (size > 32 ? 128 : 64)) {
        key = (struct arus_text){(const char *)short_key, size};
    }
    ARUS_TRY(padded_digest(row, name, key, 0x36, arus_row_arg_text(row, 1, i), inner, err));
    ARUS_TRY(padded_digest(row, name, key, 0x5c, (struct arus_text){(const char *)inner, size},
                           outer, err));
    return arus_row_bytes(row, i, outer, size, err);
}
ARUS_ROWWISE(hmac)

static enum arus_status bind_hmac(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_view view = arus_view_of("SHA-256", 7);
    const struct arus_expr *algorithm;

    if (bind->arg_count == 2) {
        ARUS_TRY(arus_literal_of(&ARUS_STRING, &view, bind->arena, &algorithm, err));
        ARUS_TRY(arus_arg_append(bind, algorithm, err));
    }
    bind->type = &ARUS_BINARY;
    return arus_args_take(bind, "xxs", err);
}

static enum arus_status crc32_row(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);

    (void)err;
    arus_row_bigint(row, i,
                    (int64_t)crc32(0, (const unsigned char *)text.data, (unsigned)text.size));
    return ARUS_OK;
}
ARUS_ROWWISE(crc32_row)

/* ---- Spark's hash functions over rows ---- */

static enum arus_status kernel_hash(const struct arus_kernel_call *call, struct arus_vector *out,
                                    uint32_t *bad_row, struct arus_error *err)
{
    (void)bad_row;
    ARUS_TRY(arus_vector_init(out, call->expr->type, call->row_count, call->step, err));
    for (uint32_t i = 0; i < call->row_count; i++) {
        uint64_t seed = 42;

        for (uint32_t a = 0; a < call->expr->arg_count; a++) {
            seed = call->expr->type->id == ARUS_TYPE_INT
                       ? arus_murmur3_value(&call->args[a], i, (uint32_t)seed)
                       : arus_xxhash64_value(&call->args[a], i, seed);
        }
        if (call->expr->type->id == ARUS_TYPE_INT) {
            ((int32_t *)out->values)[i] = (int32_t)(uint32_t)seed;
        } else {
            ((int64_t *)out->values)[i] = (int64_t)seed;
        }
    }
    return ARUS_OK;
}

static bool has_map(const struct arus_type *type)
{
    if (type->id == ARUS_TYPE_MAP) {
        return true;
    }
    for (uint16_t f = 0; f < type->field_count; f++) {
        if (has_map(type->fields[f].type)) {
            return true;
        }
    }
    return false;
}

static enum arus_status bind_hash(struct arus_bind *bind, struct arus_error *err)
{
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        if (has_map(bind->args[i]->type)) {
            return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.HASH_MAP_TYPE",
                                "a MAP has no hash: its entries have no order");
        }
    }
    bind->is_nullable = false;
    bind->type = bind->function->name[0] == 'h' ? &ARUS_INT : &ARUS_BIGINT;
    return ARUS_OK;
}

/* ---- hex ---- */

static enum arus_status hex(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    char digits[16];
    size_t count = 0;
    uint64_t value;

    if (row->call->args[0].type->id != ARUS_TYPE_BIGINT) {
        const struct arus_text text = arus_row_arg_text(row, 0, i);

        return hex_text(row, i, (const uint8_t *)text.data, text.size, UPPER, err);
    }
    value = (uint64_t)arus_row_arg_bigint(row, 0, i);
    do {
        digits[15 - count++] = UPPER[value & 15];
        value >>= 4;
    } while (value != 0);
    return arus_row_bytes(row, i, digits + 16 - count, count, err);
}
ARUS_ROWWISE(hex)

static enum arus_status bind_hex(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type *type = bind->args[0]->type;

    bind->type = &ARUS_STRING;
    if (arus_type_is_view(type)) {
        return ARUS_OK;
    }
    return arus_arg_take(bind, 0, arus_type_is_numeric(type) ? "l" : "s", err);
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static enum arus_status unhex(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const size_t size = (text.size + 1) / 2;
    size_t at = 0;

    ARUS_TRY(arus_strings_need(&row->strings, size, err));
    for (size_t b = 0; b < size; b++) {
        const int high = b == 0 && text.size % 2 == 1 ? 0 : digit_of(text.data[at++]);
        const int low = digit_of(text.data[at++]);

        if (high < 0 || low < 0) {
            return arus_row_null(row, i, err);
        }
        row->strings.at[b] = (char)(high << 4 | low);
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, size));
    return ARUS_OK;
}
ARUS_ROWWISE(unhex)

/* ---- base64 ---- */

static const char BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static enum arus_status base64(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    const size_t digits = (text.size + 2) / 3 * 4;
    const size_t size = digits + (digits == 0 ? 0 : (digits - 1) / 76 * 2);
    char *out;

    ARUS_TRY(arus_strings_need(&row->strings, size, err));
    out = row->strings.at;
    for (size_t at = 0; at < text.size; at += 3) {
        const size_t left = text.size - at;
        const bool is_new_line = at > 0 && at % 57 == 0; /* 76 digits a line, as MIME has it */
        const uint32_t a = (unsigned char)text.data[at];
        const uint32_t b = left > 1 ? (unsigned char)text.data[at + 1] : 0;
        const uint32_t c = left > 2 ? (unsigned char)text.data[at + 2] : 0;

        if (is_new_line) {
            *out++ = '\r';
            *out++ = '\n';
        }
        *out++ = BASE64[a >> 2];
        *out++ = BASE64[(a & 3) << 4 | b >> 4];
        *out++ = left > 1 ? BASE64[(b & 15) << 2 | c >> 6] : '=';
        *out++ = left > 2 ? BASE64[c & 63] : '=';
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, size));
    return ARUS_OK;
}
ARUS_ROWWISE(base64)

static int base64_digit(char c)
{
    const char *found = c == '\0' ? NULL : strchr(BASE64, c);

    return found == NULL ? -1 : (int)(found - BASE64);
}

/* Foreign characters are skipped, padding is optional, one digit alone is impossible. */
static enum arus_status unbase64(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    uint32_t bits = 0;
    uint32_t digit_count = 0;
    size_t size = 0;

    ARUS_TRY(arus_strings_need(&row->strings, text.size, err));
    for (size_t at = 0; at < text.size && text.data[at] != '='; at++) {
        const int digit = base64_digit(text.data[at]);

        if (digit < 0) {
            continue;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (++digit_count % 4 != 1) {
            row->strings.at[size++] = (char)(digit_count % 4 == 2   ? bits >> 4
                                             : digit_count % 4 == 3 ? bits >> 2
                                                                    : bits);
        }
    }
    if (digit_count % 4 == 1) {
        return arus_fail(err, ARUS_BAD_DATA, "CONVERSION_INVALID_INPUT", "'%.*s' is no Base64",
                         ARUS_TEXT_ARGS(text));
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, size));
    return ARUS_OK;
}
ARUS_ROWWISE(unbase64)

const struct arus_function ARUS_HASHES[] = {
    ARUS_FUNCTION("md5", NULL, 0, 1, 1, "x", "s", kernel_md5, "md5(bytes) -> STRING", "MD5 in hex",
                  "md5('Spark')", "8cde774d6f7333752ed72cacddb05126"),
    ARUS_FUNCTION("sha1", "sha", 0, 1, 1, "x", "s", kernel_sha1, "sha1(bytes) -> STRING",
                  "SHA-1 in hex", "sha1('Spark')", "85f5955f4b27a9a4c2aab6ffe5d7189fc298b92c"),
    ARUS_FUNCTION("sha2", NULL, 0, 2, 2, "xi", "s", kernel_sha2,
                  "sha2(bytes, 0|224|256|384|512) -> STRING", "SHA-2 in hex", "sha2('Spark', 256)",
                  "529bc3b07127ecb7e53a4dcf1991d9152c24537d919178022b2c42657f79a26b"),
    {.name = "hmac",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 3,
     .bind = bind_hmac,
     .kernel = kernel_hmac,
     .signature = "hmac(key, message[, algorithm]) -> BINARY",
     .help = "a keyed digest; SHA-256 unless another is named",
     .example = "hex(hmac('key', 'data', 'MD5'))",
     .result = "9D5C73EF85594D34EC4438B7C97E51D8"},
    ARUS_FUNCTION("crc32", NULL, 0, 1, 1, "x", "l", kernel_crc32_row, "crc32(bytes) -> BIGINT",
                  "CRC-32", "crc32('Spark')", "1557323817"),
    {.name = "hash",
     .arg_min = 1,
     .arg_max = 255,
     .bind = bind_hash,
     .kernel = kernel_hash,
     .signature = "hash(a, ..) -> INT",
     .help = "Murmur3, seed 42",
     .example = "hash('Spark', array(123), 2)",
     .result = "-1321691492"},
    {.name = "xxhash64",
     .arg_min = 1,
     .arg_max = 255,
     .bind = bind_hash,
     .kernel = kernel_hash,
     .signature = "xxhash64(a, ..) -> BIGINT",
     .help = "XXH64, seed 42",
     .example = "xxhash64('Spark', array(123), 2)",
     .result = "5602566077635097486"},
    {.name = "hex",
     .flags = ARUS_STRICT,
     .arg_min = 1,
     .arg_max = 1,
     .bind = bind_hex,
     .kernel = kernel_hex,
     .signature = "hex(x) -> STRING",
     .help = "hex digits of an integer or of bytes",
     .example = "hex(17)",
     .result = "11"},
    ARUS_FUNCTION("unhex", NULL, 0, 1, 1, "s", "x", kernel_unhex, "unhex(s) -> BINARY",
                  "bytes of hex digits; NULL for others", "hex(unhex('A1B'))", "0A1B"),
    ARUS_FUNCTION("base64", NULL, 0, 1, 1, "x", "s", kernel_base64, "base64(bytes) -> STRING",
                  "Base64, lines of 76", "base64('Spark SQL')", "U3BhcmsgU1FM"),
    ARUS_FUNCTION("unbase64", NULL, ARUS_CAN_FAIL, 1, 1, "s", "x", kernel_unbase64,
                  "unbase64(s) -> BINARY", "bytes of Base64", "hex(unbase64('U3BhcmsgU1FM'))",
                  "537061726B2053514C"),
    {0},
};
