/** Arithmetic of dates, timestamps and intervals. */
#ifndef ARUS_EXPR_TIME_ARITH_H
#define ARUS_EXPR_TIME_ARITH_H

#include "expr/coerce.h"

enum arus_sign { ARUS_PLUS, ARUS_MINUS };

/** `+` and `-` with a date, timestamp or interval; bind->replacement or bind->type stay NULL when
 * it is no such operation. */
enum arus_status arus_bind_time_add(struct arus_bind *bind, enum arus_sign sign,
                                    struct arus_error *err);
/** interval * number, number * interval, interval / number; likewise. */
enum arus_status arus_bind_interval_scale(struct arus_bind *bind, bool is_division,
                                          struct arus_error *err);

#endif
