/** The precision and scale that Java's BigDecimal gives a text: what Spark's inference goes by. */
#ifndef ARUS_TYPES_NUMBER_MEASURE_H
#define ARUS_TYPES_NUMBER_MEASURE_H

#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/** Digits without leading zeros, at least 1; `1.50` has 3 and the scale 2, `1e2` 1 and -2. */
struct arus_number_measure {
    int64_t digits;
    int64_t scale;
};

/** False: no number. Commas are passed over, as in Spark's English numbers. */
bool arus_number_measure(struct arus_text text, struct arus_number_measure *out);

#endif
