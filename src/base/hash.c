/** Long inputs: three independent lanes of 16 bytes, so that the multiplications overlap. */
#include "base/hash.h"

uint64_t arus_hash_long(const void *data, size_t size, uint64_t seed)
{
    const uint8_t *bytes = (const uint8_t *)data;
    size_t left = size;
    uint64_t lane0 = seed ^ ARUS_HASH_K0;
    uint64_t lane1 = lane0;
    uint64_t lane2 = lane0;

    while (left > 48) {
        lane0 = arus_hash_fold(arus_hash_load64(bytes) ^ ARUS_HASH_K0,
                               arus_hash_load64(bytes + 8) ^ lane0);
        lane1 = arus_hash_fold(arus_hash_load64(bytes + 16) ^ ARUS_HASH_K1,
                               arus_hash_load64(bytes + 24) ^ lane1);
        lane2 = arus_hash_fold(arus_hash_load64(bytes + 32) ^ ARUS_HASH_K2,
                               arus_hash_load64(bytes + 40) ^ lane2);
        bytes += 48;
        left -= 48;
    }
    lane0 ^= lane1 ^ lane2;
    while (left > 16) {
        lane0 = arus_hash_fold(arus_hash_load64(bytes) ^ ARUS_HASH_K1,
                               arus_hash_load64(bytes + 8) ^ lane0);
        bytes += 16;
        left -= 16;
    }
    return arus_hash_fold(ARUS_HASH_K1 ^ size,
                          arus_hash_fold(arus_hash_load64(bytes + left - 16) ^ ARUS_HASH_K0,
                                         arus_hash_load64(bytes + left - 8) ^ lane0));
}
