/** Spark's order of packed values, without unpacking them. */
#include "column/pack.h"

#define SIGN(a, b) (((a) > (b)) - ((a) < (b)))

/* A packed value that is neither null nor nested, as a vector of one row. */
struct leaf {
    struct arus_vector vector;
    struct arus_view view;
    arus_int128 number;
};

static uint32_t count_at(const char *at)
{
    uint32_t count;

    memcpy(&count, at, sizeof count);
    return count;
}

static void leaf_read(struct leaf *leaf, const struct arus_type *type, const char *at)
{
    leaf->vector = (struct arus_vector){.type = type, .row_count = 1, .values = &leaf->number};
    if (arus_type_is_view(type)) {
        leaf->view = arus_view_of(at + 4, count_at(at));
        leaf->vector.values = &leaf->view;
    } else {
        memcpy(&leaf->number, at, arus_type_value_size(type));
    }
}

/* Both stand behind their flags. */
static int compare_nested(const struct arus_type *type, const char *a, const char *b)
{
    const bool is_struct = type->id == ARUS_TYPE_STRUCT;
    const uint32_t count_a = is_struct ? 1 : count_at(a);
    const uint32_t count_b = is_struct ? 1 : count_at(b);

    a += is_struct ? 0 : 4;
    b += is_struct ? 0 : 4;
    for (uint32_t j = 0; j < count_a && j < count_b; j++) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            const int order = arus_pack_compare(type->fields[f].type, a, b);

            if (order != 0) {
                return order;
            }
            a = arus_pack_skip(type->fields[f].type, a);
            b = arus_pack_skip(type->fields[f].type, b);
        }
    }
    return SIGN(count_a, count_b);
}

int arus_pack_compare(const struct arus_type *type, const char *a, const char *b)
{
    struct leaf x;
    struct leaf y;

    if (*a == 0 || *b == 0) {
        return *a - *b;
    }
    if (arus_type_is_nested(type)) {
        return compare_nested(type, a + 1, b + 1);
    }
    leaf_read(&x, type, a + 1);
    leaf_read(&y, type, b + 1);
    return arus_vector_compare(&x.vector, 0, &y.vector, 0);
}

static int compare_nested_row(const char *at, const struct arus_vector *vector, uint32_t row)
{
    const struct arus_type *type = vector->type;
    const bool is_struct = type->id == ARUS_TYPE_STRUCT;
    const struct arus_span span =
        is_struct ? (struct arus_span){row, 1} : ((const struct arus_span *)vector->values)[row];
    const uint32_t count = is_struct ? 1 : count_at(at);

    at += is_struct ? 0 : 4;
    for (uint32_t j = 0; j < count && j < span.count; j++) {
        for (uint16_t f = 0; f < type->field_count; f++) {
            const int order = arus_pack_compare_row(at, &vector->children[f], span.begin + j);

            if (order != 0) {
                return order;
            }
            at = arus_pack_skip(type->fields[f].type, at);
        }
    }
    return SIGN(count, span.count);
}

int arus_pack_compare_row(const char *packed, const struct arus_vector *vector, uint32_t i)
{
    const bool has_row = arus_vector_is_valid(vector, i);
    struct leaf leaf;

    if (*packed == 0 || !has_row) {
        return *packed - has_row;
    }
    if (arus_type_is_nested(vector->type)) {
        return compare_nested_row(packed + 1, vector, vector->form == ARUS_VECTOR_CONSTANT ? 0 : i);
    }
    leaf_read(&leaf, vector->type, packed + 1);
    return arus_vector_compare(&leaf.vector, 0, vector, i);
}
