/** Places of a text as people count them. */
#ifndef ARUS_API_POSITION_H
#define ARUS_API_POSITION_H

#include "base/text.h"

#include <stdint.h>

/** Counted in characters from 1. */
struct arus_text_position {
    uint64_t line;
    uint64_t column;
};
/** Of the byte `offset`; beyond the text: of its end. */
struct arus_text_position arus_text_position(struct arus_text text, uint32_t offset);

#endif
