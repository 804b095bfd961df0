/** Predicates against the statistics of column chunks. In doubt a group is read. */
#include "format/parquet_prune.h"

#include "format/parquet_assemble.h"

#include <math.h>
#include <stdalign.h>
#include <string.h>

/** A bound of a chunk as a value of the query's type. */
struct bound {
    alignas(16) uint8_t physical[sizeof(struct arus_view)];
    alignas(16) uint8_t value[sizeof(struct arus_view)];
    struct arus_vector vector;
};

static bool load_physical(const struct arus_parquet_element *element, struct arus_text bytes,
                          struct bound *out)
{
    const bool is_bytes =
        element->physical == ARUS_PARQUET_BYTE_ARRAY || element->physical == ARUS_PARQUET_FIXED;
    const struct arus_view view = arus_view_of(bytes.data, bytes.size);

    if (is_bytes) {
        memcpy(out->physical, &view, sizeof view);
        return bytes.size <= INT32_MAX;
    }
    if (element->physical == ARUS_PARQUET_INT96 ||
        bytes.size != arus_parquet_physical_size((enum arus_parquet_physical)element->physical)) {
        return false;
    }
    memcpy(out->physical, bytes.data, bytes.size);
    return true;
}

/** Conversions that keep the order of the statistics. */
static bool keeps_order(const struct arus_parquet_conversion *conversion,
                        const struct arus_parquet_element *element)
{
    const bool is_unsigned =
        element->logical == ARUS_PARQUET_LOGICAL_INTEGER && !element->is_signed;

    switch (conversion->id) {
    case ARUS_PARQUET_NOTHING:
    case ARUS_PARQUET_INT32_TO_INT8:
    case ARUS_PARQUET_INT32_TO_INT16:
        return false;
    case ARUS_PARQUET_INT32_TO_DOUBLE:
        return !is_unsigned;
    case ARUS_PARQUET_COPY:
        /* raw bytes of a signed decimal or a half float have another order than a binary */
        return element->physical != ARUS_PARQUET_INT96 &&
               element->logical != ARUS_PARQUET_LOGICAL_FLOAT16 &&
               element->logical != ARUS_PARQUET_LOGICAL_INTERVAL &&
               (element->logical != ARUS_PARQUET_LOGICAL_DECIMAL ||
                element->physical < ARUS_PARQUET_BYTE_ARRAY);
    case ARUS_PARQUET_INT32_TO_INT64:
    case ARUS_PARQUET_UINT32_TO_INT64:
    case ARUS_PARQUET_FLOAT_TO_DOUBLE:
    case ARUS_PARQUET_DAYS_TO_MICROS:
    case ARUS_PARQUET_MILLIS_TO_MICROS:
    case ARUS_PARQUET_INT32_TO_DECIMAL:
    case ARUS_PARQUET_INT64_TO_DECIMAL:
    case ARUS_PARQUET_UINT64_TO_DECIMAL:
    case ARUS_PARQUET_BYTES_TO_DECIMAL:
        return true;
    }
    return false;
}

static bool is_nan(const struct arus_type *type, const uint8_t *value)
{
    float single;
    double twice;

    memcpy(&single, value, sizeof single);
    memcpy(&twice, value, sizeof twice);
    return (type->id == ARUS_TYPE_FLOAT && isnan(single)) ||
           (type->id == ARUS_TYPE_DOUBLE && isnan(twice));
}

static bool load_bound(const struct arus_parquet_element *element,
                       const struct arus_parquet_conversion *conversion,
                       const struct arus_type *type, struct arus_text bytes, struct bound *out)
{
    memset(out, 0, sizeof *out);
    if (bytes.data == NULL || !load_physical(element, bytes, out)) {
        return false;
    }
    if (conversion->id == ARUS_PARQUET_COPY) {
        memcpy(out->value, out->physical, sizeof out->value);
    } else if (!arus_parquet_conversion_apply(conversion, out->physical, out->value, 1)) {
        return false;
    }
    out->vector = (struct arus_vector){
        .type = type, .form = ARUS_VECTOR_CONSTANT, .row_count = 1, .values = out->value};
    return !is_nan(type, out->value);
}

/** NaN is greater than all, and no statistics tell of it: an upper bound of a fraction proves
 * nothing. */
static bool bounds_may_fit(const struct arus_predicate *predicate, const struct bound *min,
                           const struct bound *max)
{
    const struct arus_vector *literal = &predicate->literal;
    const bool has_nan = arus_type_is_fractional(literal->type);
    const bool is_nan_wanted = has_nan && is_nan(literal->type, literal->values);

    switch (predicate->compare) {
    case ARUS_EQ:
        return is_nan_wanted || (arus_vector_compare(literal, 0, &min->vector, 0) >= 0 &&
                                 arus_vector_compare(literal, 0, &max->vector, 0) <= 0);
    case ARUS_LT:
        return arus_vector_compare(&min->vector, 0, literal, 0) < 0;
    case ARUS_LE:
        return arus_vector_compare(&min->vector, 0, literal, 0) <= 0;
    case ARUS_GT:
        return has_nan || arus_vector_compare(&max->vector, 0, literal, 0) > 0;
    case ARUS_GE:
        return has_nan || arus_vector_compare(&max->vector, 0, literal, 0) >= 0;
    case ARUS_NE:
    case ARUS_IS_NULL:
    case ARUS_NOT_NULL:
        return true;
    }
    return true;
}

static bool stats_are_usable(const struct arus_parquet_stats *stats,
                             const struct arus_parquet_element *element)
{
    const bool is_unsigned =
        element->logical == ARUS_PARQUET_LOGICAL_INTEGER && !element->is_signed;

    return !stats->is_old || (element->physical < ARUS_PARQUET_BYTE_ARRAY && !is_unsigned);
}

static bool may_fit(const struct arus_parquet_row_group *group,
                    const struct arus_parquet_node *root, const struct arus_type *schema,
                    const struct arus_predicate *predicate)
{
    const struct arus_field *field = &schema->fields[predicate->field];
    const bool is_compare =
        predicate->compare != ARUS_IS_NULL && predicate->compare != ARUS_NOT_NULL;
    const struct arus_parquet_node *node;
    const struct arus_parquet_stats *stats;
    struct arus_parquet_conversion conversion;
    struct arus_error ignored;
    struct bound min;
    struct bound max;

    if (arus_parquet_child_find(root, field->name, &node, &ignored) != ARUS_OK) {
        return true;
    }
    if (node == NULL) { /* all null */
        return predicate->compare == ARUS_IS_NULL;
    }
    if (!arus_parquet_node_is_leaf(node) || node->repetition != 0) {
        return true;
    }
    stats = &group->chunks[node->leaf].stats;
    if (stats->null_count == 0 && predicate->compare == ARUS_IS_NULL) {
        return false;
    }
    if (stats->null_count == group->row_count && predicate->compare != ARUS_IS_NULL) {
        return false;
    }
    if (!is_compare || !arus_vector_is_valid(&predicate->literal, 0)) {
        return true;
    }
    return !arus_parquet_conversion_find(node->element, field->type, &conversion) ||
           !arus_type_equal(field->type, predicate->literal.type) ||
           !keeps_order(&conversion, node->element) || !stats_are_usable(stats, node->element) ||
           !load_bound(node->element, &conversion, field->type, stats->min, &min) ||
           !load_bound(node->element, &conversion, field->type, stats->max, &max) ||
           bounds_may_fit(predicate, &min, &max);
}

bool arus_parquet_group_may_fit(const struct arus_parquet_row_group *group,
                                const struct arus_parquet_node *root, const struct arus_scan *scan)
{
    for (size_t i = 0; i < scan->predicate_count; i++) {
        if (!may_fit(group, root, scan->schema, &scan->predicates[i])) {
            return false;
        }
    }
    return true;
}
