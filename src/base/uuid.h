/** Random UUIDs (version 4) as text: ids of queries, runs and checkpoints. */
#ifndef ARUS_BASE_UUID_H
#define ARUS_BASE_UUID_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

/** 36 lower-case characters and a NUL. Errors: ARUS_FATAL: the system gives no random bytes. */
ARUS_MUST_USE enum arus_status arus_uuid_make(char out[37], struct arus_error *err);
/** Is this a UUID text, in any case? */
bool arus_uuid_is(struct arus_text text);
/** A UUID-shaped text out of 16 bytes (a hash): names that must come out the same again. */
void arus_uuid_format(const unsigned char bytes[16], char out[37]);

#endif
