/** A value written anew by its tokens: what Spark gives a STRING column when it has no source text.
 */
#ifndef ARUS_FORMAT_JSON_REWRITE_INTERNAL_H
#define ARUS_FORMAT_JSON_REWRITE_INTERNAL_H

#include "format/json_token_internal.h"

/** Writes the value at the current token without blanks, into the parser's arena. False: error. */
bool json_rewrite(struct json_parser *parser, struct arus_text *out);
/** Appends a text as a JSON string with quotes; `is_ascii`: all else as \u escapes. */
ARUS_MUST_USE enum arus_status json_write_string(struct arus_text text, bool is_ascii,
                                                 struct arus_buffer *out, struct arus_error *err);

/** Appends compact JSON as Jackson's default pretty printer lays it out. */
ARUS_MUST_USE enum arus_status json_write_pretty(struct arus_text compact, struct arus_buffer *out,
                                                 struct arus_error *err);

#endif
