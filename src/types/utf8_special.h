/** Case mappings that change the number of characters. */
#ifndef ARUS_TYPES_UTF8_SPECIAL_H
#define ARUS_TYPES_UTF8_SPECIAL_H

#include <stdint.h>

struct arus_special_case {
    uint32_t from;
    uint32_t to[3]; /* 0: none */
};

/* Rising by `from`, ended by a zero. */
extern const struct arus_special_case ARUS_SPECIAL_UPPER[];
extern const struct arus_special_case ARUS_SPECIAL_TITLE[];

#endif
