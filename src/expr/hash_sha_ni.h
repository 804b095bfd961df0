/** Blocks of SHA-1 and SHA-256 by the processor's own instructions. */
#ifndef ARUS_EXPR_HASH_SHA_NI_H
#define ARUS_EXPR_HASH_SHA_NI_H

#include <stdbool.h>
#include <stdint.h>

/** Has this machine the instructions? ARUS_CPU=portable says no. False: call nothing below. Any
 * thread. */
bool arus_sha_ni_is_here(void);
/** state: uint32_t[5], a to e. */
void arus_sha1_block_ni(void *state, const uint8_t *block);
/** state: uint32_t[8], a to h; k: the constants of the rounds. */
void arus_sha256_block_ni(void *state, const uint32_t k[64], const uint8_t *block);

#endif
