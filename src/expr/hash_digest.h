/** MD5, SHA-1 and SHA-2. */
#ifndef ARUS_EXPR_HASH_DIGEST_H
#define ARUS_EXPR_HASH_DIGEST_H

#include "base/text.h"

#include <stdint.h>

#define ARUS_DIGEST_MAX 64

/* Return the size of the digest. */
size_t arus_digest_md5(struct arus_text text, uint8_t out[ARUS_DIGEST_MAX]);
size_t arus_digest_sha1(struct arus_text text, uint8_t out[ARUS_DIGEST_MAX]);
/** bits: 0 (as 256), 224, 256, 384, 512; others: 0 */
size_t arus_digest_sha2(struct arus_text text, int32_t bits, uint8_t out[ARUS_DIGEST_MAX]);

#endif
