/** The list of stream compressions: names and suffixes. */
#include "format/compress.h"

#include <string.h>

struct compression {
    const char *name;
    const char *suffix;
};

static const struct compression COMPRESSIONS[] = {
#define X(name, spark_name, suffix) {spark_name, suffix},
    ARUS_COMPRESSIONS(X)
#undef X
};

#define COMPRESSION_COUNT (sizeof COMPRESSIONS / sizeof COMPRESSIONS[0])

const char *const ARUS_COMPRESSION_CHOICES[] = {
#define X(name, spark_name, suffix) spark_name,
    ARUS_COMPRESSIONS(X)
#undef X
        "uncompressed",
    NULL};

enum arus_compression arus_compression_of_choice(int choice)
{
    return choice < 0 || (size_t)choice >= COMPRESSION_COUNT ? ARUS_COMPRESSION_NONE
                                                             : (enum arus_compression)choice;
}

enum arus_compression arus_compression_of_path(const char *path)
{
    const struct arus_text text = arus_text_of(path);

    for (size_t i = 1; i < COMPRESSION_COUNT; i++) {
        if (arus_text_ends_with(text, arus_text_of(COMPRESSIONS[i].suffix))) {
            return (enum arus_compression)i;
        }
    }
    return ARUS_COMPRESSION_NONE;
}

const char *arus_compression_suffix(enum arus_compression compression)
{
    return COMPRESSIONS[compression].suffix;
}
