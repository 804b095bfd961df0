/** UUIDs. */
#include "base/uuid.h"

#include <errno.h>
#include <sys/random.h>

static bool is_dash_place(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

void arus_uuid_format(const unsigned char bytes[16], char out[37])
{
    static const char DIGITS[] = "0123456789abcdef";
    size_t at = 0;

    for (size_t i = 0; i < 16; i++) {
        if (is_dash_place(at)) {
            out[at++] = '-';
        }
        out[at++] = DIGITS[bytes[i] >> 4];
        out[at++] = DIGITS[bytes[i] & 15];
    }
    out[at] = 0;
}

enum arus_status arus_uuid_make(char out[37], struct arus_error *err)
{
    unsigned char bytes[16];

    out[0] = 0;
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return arus_fail_errno(err, ARUS_FATAL, errno, "random bytes");
    }
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    arus_uuid_format(bytes, out);
    return ARUS_OK;
}

bool arus_uuid_is(struct arus_text text)
{
    if (text.size != 36) {
        return false;
    }
    for (size_t i = 0; i < 36; i++) {
        const char c = text.data[i];
        const bool is_hex =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');

        if (is_dash_place(i) ? c != '-' : !is_hex) {
            return false;
        }
    }
    return true;
}
