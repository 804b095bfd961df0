/* Template: line ends in blocks of 64 bytes. In: FUNCTION, TARGET, MASK(data, byte) -> uint64_t. */

TARGET static size_t FUNCTION(struct arus_text text, size_t *at, struct arus_line *lines,
                              size_t max)
{
    size_t begin = *at;
    size_t count = 0;
    size_t next = begin; /* bytes before it are dealt with */

    for (size_t block = begin; block < text.size; block += 64) {
        const uint64_t cr = MASK(text.data + block, '\r');
        uint64_t ends = cr | MASK(text.data + block, '\n');

        while (ends != 0) {
            const size_t end = block + (size_t)__builtin_ctzll(ends);

            ends &= ends - 1;
            if (end < next) { /* the \n of a \r\n */
                continue;
            }
            if (end >= text.size || count == max) {
                break;
            }
            lines[count++] = (struct arus_line){(uint32_t)begin, (uint32_t)end};
            next = end + 1;
            if (cr != 0 && text.data[end] == '\r' && next < text.size && text.data[next] == '\n') {
                next++;
            }
            begin = next;
        }
        if (count == max) {
            break;
        }
    }
    if (count < max && begin < text.size) {
        lines[count++] = (struct arus_line){(uint32_t)begin, (uint32_t)text.size};
        begin = text.size;
    }
    *at = begin;
    return count;
}
#undef FUNCTION
#undef TARGET
#undef MASK
