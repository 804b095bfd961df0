/** Lines and columns. */
#include "api/position.h"

struct arus_text_position arus_text_position(struct arus_text text, uint32_t offset)
{
    struct arus_text_position position = {1, 1};
    const size_t end = offset > text.size ? text.size : offset;

    for (size_t i = 0; i < end; i++) {
        const unsigned char c = (unsigned char)text.data[i];

        if (c == '\n') {
            position.line++;
            position.column = 1;
        } else {
            position.column += (c & 0xC0) != 0x80;
        }
    }
    return position;
}
