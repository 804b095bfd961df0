/** The words and what they may not be. */
#include "sql/word.h"

static const struct {
    struct arus_text text;
    unsigned flags;
} WORDS[ARUS_WORD_COUNT] = {[ARUS_WORD_NONE] = {{"", 0}, 0},
#define X(name, flags_) [ARUS_WORD_##name] = {{#name, sizeof #name - 1}, (flags_)},
                            ARUS_WORDS(X)
#undef X
};

static int compare_nocase(struct arus_text a, struct arus_text capitals)
{
    const size_t size = a.size < capitals.size ? a.size : capitals.size;

    for (size_t i = 0; i < size; i++) {
        const char c = a.data[i];
        const int left = c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;

        if (left != capitals.data[i]) {
            return left - capitals.data[i];
        }
    }
    return (a.size > capitals.size) - (a.size < capitals.size);
}

enum arus_word arus_word_find(struct arus_text text)
{
    unsigned low = 1;
    unsigned high = ARUS_WORD_COUNT;

    while (low < high) {
        const unsigned middle = (low + high) / 2;
        const int order = compare_nocase(text, WORDS[middle].text);

        if (order == 0) {
            return (enum arus_word)middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return ARUS_WORD_NONE;
}

struct arus_text arus_word_text(enum arus_word word)
{
    return WORDS[word].text;
}

unsigned arus_word_flags(enum arus_word word)
{
    return WORDS[word].flags;
}
