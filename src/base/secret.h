/** Secrets in option values: `${env:NAME}` and `${file:PATH}`, read only where they are used. */
#ifndef ARUS_BASE_SECRET_H
#define ARUS_BASE_SECRET_H

#include "base/error.h"
#include "base/text.h"

/** Does the text name a secret? */
bool arus_secret_is(struct arus_text text);
/**
 * Appends `text` with every `${env:NAME}` and `${file:PATH}` replaced by what it names; the line
 * end of a file is left out. Other text, `$` and `${x}` too, stays as it is. Relative paths start
 * at `folder`. The result must go to no log, plan or checkpoint.
 *
 * Errors: ARUS_BAD_CONFIG: the variable is not set, the file cannot be read.
 */
ARUS_MUST_USE enum arus_status arus_secret_expand(struct arus_text text, const char *folder,
                                                  struct arus_buffer *out, struct arus_error *err);

#endif
