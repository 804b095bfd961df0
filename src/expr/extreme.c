#include "expr/extreme.h"

#include "expr/strings.h"

#define LESS_NUMBER(x, y) ((x) < (y))
#define LESS_FLOAT(x, y)  (((x) < (y)) | (((x) == (x)) & ((y) != (y))))

#define NAME(x) x##_8
#define TYPE    int8_t
#define LESS    LESS_NUMBER
#include "expr/extreme.inc.h"
#define NAME(x) x##_16
#define TYPE    int16_t
#define LESS    LESS_NUMBER
#include "expr/extreme.inc.h"
#define NAME(x) x##_32
#define TYPE    int32_t
#define LESS    LESS_NUMBER
#include "expr/extreme.inc.h"
#define NAME(x) x##_64
#define TYPE    int64_t
#define LESS    LESS_NUMBER
#include "expr/extreme.inc.h"
#define NAME(x) x##_float
#define TYPE    float
#define LESS    LESS_FLOAT
#include "expr/extreme.inc.h"
#define NAME(x) x##_double
#define TYPE    double
#define LESS    LESS_FLOAT
#include "expr/extreme.inc.h"

struct extreme_ops {
    void (*merge)(const void *from, size_t step, bool wants_greatest, uint32_t count, void *out);
    void (*of_spans)(const void *items, const struct arus_span *spans, const uint64_t *valid,
                     bool wants_greatest, uint32_t count, void *out);
};

static const struct extreme_ops OPS[ARUS_TYPE_COUNT] = {
    [ARUS_TYPE_TINYINT] = {merge_8, of_spans_8},
    [ARUS_TYPE_SMALLINT] = {merge_16, of_spans_16},
    [ARUS_TYPE_INT] = {merge_32, of_spans_32},
    [ARUS_TYPE_BIGINT] = {merge_64, of_spans_64},
    [ARUS_TYPE_FLOAT] = {merge_float, of_spans_float},
    [ARUS_TYPE_DOUBLE] = {merge_double, of_spans_double},
    [ARUS_TYPE_DECIMAL] = {merge_64, of_spans_64},
    [ARUS_TYPE_DATE] = {merge_32, of_spans_32},
    [ARUS_TYPE_TIMESTAMP] = {merge_64, of_spans_64},
    [ARUS_TYPE_TIMESTAMP_NTZ] = {merge_64, of_spans_64},
    [ARUS_TYPE_INTERVAL_YM] = {merge_32, of_spans_32},
    [ARUS_TYPE_INTERVAL_DT] = {merge_64, of_spans_64},
};

bool arus_extreme_knows(const struct arus_type *type)
{
    return OPS[type->id].merge != NULL && !arus_type_is_wide(type);
}

void arus_extreme_merge(const struct arus_vector *vector, bool wants_greatest, uint32_t row_count,
                        void *out)
{
    OPS[vector->type->id].merge(vector->values, ARUS_STEP(vector), wants_greatest, row_count, out);
}

void arus_extreme_of_spans(const struct arus_vector *items, const struct arus_span *spans,
                           const uint64_t *valid, bool wants_greatest, uint32_t row_count,
                           void *out)
{
    OPS[items->type->id].of_spans(items->values, spans, valid, wants_greatest, row_count, out);
}
