/** Base32, jaro_winkler_similarity. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/utf8.h"

/* ---- Base32 (RFC 4648): five bytes, eight signs ---- */

static const char SIGNS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static enum arus_status to_base32(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_view bytes = arus_row_arg_view(row, 0, i);
    const size_t size = ((size_t)bytes.size + 4) / 5 * 8;
    uint64_t bits = 0;
    int held = 0; /* bits */
    size_t at = 0;

    ARUS_TRY(arus_strings_need(&row->strings, size, err));
    for (uint32_t b = 0; b < bytes.size; b++) {
        bits = bits << 8 | (unsigned char)bytes.data[b];
        for (held += 8; held >= 5; held -= 5) {
            row->strings.at[at++] = SIGNS[bits >> (held - 5) & 31];
        }
    }
    if (held > 0) {
        row->strings.at[at++] = SIGNS[bits << (5 - held) & 31];
    }
    while (at < size) {
        row->strings.at[at++] = '=';
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, size));
    return ARUS_OK;
}
ARUS_ROWWISE(to_base32)

/* Small letters count, other signs are skipped, `=` ends; the last bits give a byte even if they
 * are too few, as Spark's library does it. */
static enum arus_status from_base32(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    uint64_t bits = 0;
    uint32_t count = 0; /* signs of the group of eight */
    size_t at = 0;

    ARUS_TRY(arus_strings_need(&row->strings, text.size, err));
    for (size_t k = 0; k < text.size && text.data[k] != '='; k++) {
        const char c = text.data[k];
        const int sign = c >= 'A' && c <= 'Z'   ? c - 'A'
                         : c >= 'a' && c <= 'z' ? c - 'a'
                         : c >= '2' && c <= '7' ? c - '2' + 26
                                                : -1;

        if (sign < 0) {
            continue;
        }
        bits = bits << 5 | (uint64_t)sign;
        if (++count == 8) {
            for (int b = 4; b >= 0; b--) {
                row->strings.at[at++] = (char)(bits >> (8 * b));
            }
            count = 0;
        }
    }
    if (count == 1) {
        row->strings.at[at++] = (char)(bits >> 2 & 7);
    } else {
        for (int left = (int)count * 5; left >= 8; left -= 8) {
            row->strings.at[at++] = (char)(bits >> (left - 8));
        }
    }
    arus_row_view(row, i, arus_strings_take(&row->strings, at));
    return ARUS_OK;
}
ARUS_ROWWISE(from_base32)

/* ---- similarity ---- */

static enum arus_status code_points(struct arus_rowwise *row, uint32_t arg, uint32_t i,
                                    uint32_t **out, uint32_t *count, struct arus_error *err)
{
    const struct arus_text text = arus_row_arg_text(row, arg, i);
    size_t at = 0;

    *count = 0;
    ARUS_TRY(ARUS_NEW(row->call->step, uint32_t, text.size + 1, out, err));
    while (at < text.size) {
        (*out)[(*count)++] = arus_utf8_next(text, &at);
    }
    return ARUS_OK;
}

/* Signs of both that match within the window, and how many of them stand in another order. */
static uint32_t matches(const uint32_t *a, uint32_t a_count, const uint32_t *b, uint32_t b_count,
                        bool *used_a, bool *used_b, uint32_t *moved)
{
    const uint32_t longer = a_count > b_count ? a_count : b_count;
    const uint32_t window = longer / 2 > 1 ? longer / 2 - 1 : 0;
    uint32_t count = 0;
    uint32_t k = 0;

    for (uint32_t i = 0; i < a_count; i++) {
        const uint32_t first = i > window ? i - window : 0;

        for (uint32_t j = first; j < b_count && j <= i + window; j++) {
            if (!used_b[j] && a[i] == b[j]) {
                used_a[i] = true;
                used_b[j] = true;
                count++;
                break;
            }
        }
    }
    *moved = 0;
    for (uint32_t i = 0; i < a_count; i++) {
        if (used_a[i]) {
            while (!used_b[k]) {
                k++;
            }
            *moved += a[i] != b[k++];
        }
    }
    return count;
}

static enum arus_status jaro_winkler(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    double *r = (double *)row->out->values + i;
    uint32_t *a;
    uint32_t *b;
    bool *used_a;
    bool *used_b;
    uint32_t a_count;
    uint32_t b_count;
    uint32_t count;
    uint32_t moved;
    uint32_t same = 0;

    ARUS_TRY(code_points(row, 0, i, &a, &a_count, err));
    ARUS_TRY(code_points(row, 1, i, &b, &b_count, err));
    ARUS_TRY(ARUS_NEW(row->call->step, bool, a_count + 1, &used_a, err));
    ARUS_TRY(ARUS_NEW(row->call->step, bool, b_count + 1, &used_b, err));
    *r = a_count == b_count ? 1 : 0; /* what two empty texts have */
    if (a_count == 0 || b_count == 0) {
        return ARUS_OK;
    }
    count = matches(a, a_count, b, b_count, used_a, used_b, &moved);
    *r = 0;
    if (count > 0) {
        const double m = count;

        *r = (m / a_count + m / b_count + (m - moved / 2) / m) / 3;
        while (same < 4 && same < a_count && same < b_count && a[same] == b[same]) {
            same++;
        }
        *r += same * 0.1 * (1 - *r);
    }
    return ARUS_OK;
}
ARUS_ROWWISE(jaro_winkler)

const struct arus_function ARUS_BASE32S[] = {
    ARUS_FUNCTION("to_base32", NULL, 0, 1, 1, "x", "s", kernel_to_base32, "to_base32(b) -> STRING",
                  "bytes as Base32", "to_base32('ab')", "MFRA===="),
    ARUS_FUNCTION("from_base32", NULL, 0, 1, 1, "s", "x", kernel_from_base32,
                  "from_base32(s) -> BINARY", "bytes from Base32",
                  "string(from_base32('MFRA===='))", "ab"),
    ARUS_FUNCTION("jaro_winkler_similarity", NULL, 0, 2, 2, "s", "d", kernel_jaro_winkler,
                  "jaro_winkler_similarity(a, b) -> DOUBLE", "0 to 1; a common begin counts more",
                  "jaro_winkler_similarity('a', 'a')", "1.0"),
    {0},
};
