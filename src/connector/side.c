#include "connector/side.h"

static const struct arus_field FIELDS[] = {
#define X(name, text, type) {{text, sizeof(text) - 1}, &ARUS_##type, true, {0}},
    ARUS_SIDE_COLUMNS(X)
#undef X
};

const struct arus_type ARUS_SIDE_SCHEMA = {
    .id = ARUS_TYPE_STRUCT, .fields = FIELDS, .field_count = ARUS_SIDE_COLUMN_COUNT};

const char *arus_side_name(enum arus_side side)
{
    static const char *const NAMES[] = {
#define X(name, text, property) text,
        ARUS_SIDES(X)
#undef X
    };

    return NAMES[side];
}

const char *arus_side_property(enum arus_side side)
{
    static const char *const NAMES[] = {
#define X(name, text, property) property,
        ARUS_SIDES(X)
#undef X
    };

    return NAMES[side];
}

bool arus_side_split(struct arus_text name, struct arus_text *table, enum arus_side *side)
{
    for (int i = 0; i < ARUS_SIDE_COUNT; i++) {
        const struct arus_text suffix = arus_text_of(arus_side_name((enum arus_side)i));
        const size_t size = suffix.size + 1;

        if (name.size > size && name.data[name.size - size] == '$' &&
            arus_text_equal_nocase(
                (struct arus_text){name.data + name.size - suffix.size, suffix.size}, suffix)) {
            *table = (struct arus_text){name.data, name.size - size};
            *side = (enum arus_side)i;
            return true;
        }
    }
    return false;
}
