/** Text results of kernels: bytes on the step arena that views point to. */
#ifndef ARUS_EXPR_STRINGS_H
#define ARUS_EXPR_STRINGS_H

#include "column/vector.h"

/** Zeroed but for `arena`: empty. */
struct arus_strings {
    struct arus_arena *arena;
    char *at;
    size_t left;
};

ARUS_MUST_USE enum arus_status arus_strings_grow(struct arus_strings *strings, size_t size,
                                                 struct arus_error *err);

/** Room for `size` bytes at strings->at. */
ARUS_MUST_USE static inline enum arus_status arus_strings_need(struct arus_strings *strings,
                                                               size_t size, struct arus_error *err)
{
    return strings->left >= size && strings->at != NULL ? ARUS_OK
                                                        : arus_strings_grow(strings, size, err);
}
/** The `size` bytes just written at strings->at become a value. */
static inline struct arus_view arus_strings_take(struct arus_strings *strings, size_t size)
{
    const struct arus_view view = arus_view_of(strings->at, size);

    strings->at += size;
    strings->left -= size;
    return view;
}
/** Copies bytes. */
ARUS_MUST_USE static inline enum arus_status arus_strings_add(struct arus_strings *strings,
                                                              const void *data, size_t size,
                                                              struct arus_view *out,
                                                              struct arus_error *err)
{
    ARUS_TRY(arus_strings_need(strings, size, err));
    if (size > 0) {
        memcpy(strings->at, data, size);
    }
    *out = arus_strings_take(strings, size);
    return ARUS_OK;
}
static inline struct arus_view arus_view_empty(void)
{
    return (struct arus_view){.data = ""};
}
/** Part of another value: no copy. */
static inline struct arus_view arus_view_part(struct arus_view view, size_t begin, size_t size)
{
    return size == 0 ? arus_view_empty() : arus_view_of(view.data + begin, size);
}

/** Values of an argument that may be CONSTANT: element i at values[i * step]. */
#define ARUS_STEP(vector) ((vector)->form == ARUS_VECTOR_CONSTANT ? (size_t)0 : (size_t)1)
static inline struct arus_view arus_view_at(const struct arus_vector *vector, uint32_t i)
{
    return ((const struct arus_view *)vector->values)[i * ARUS_STEP(vector)];
}
static inline struct arus_text arus_text_at(const struct arus_vector *vector, uint32_t i)
{
    return arus_view_text(arus_view_at(vector, i));
}
static inline int32_t arus_int_at(const struct arus_vector *vector, uint32_t i)
{
    return ((const int32_t *)vector->values)[i * ARUS_STEP(vector)];
}
static inline int64_t arus_bigint_at(const struct arus_vector *vector, uint32_t i)
{
    return ((const int64_t *)vector->values)[i * ARUS_STEP(vector)];
}
static inline double arus_double_at(const struct arus_vector *vector, uint32_t i)
{
    return ((const double *)vector->values)[i * ARUS_STEP(vector)];
}
static inline bool arus_boolean_at(const struct arus_vector *vector, uint32_t i)
{
    return ((const uint8_t *)vector->values)[i * ARUS_STEP(vector)] != 0;
}

#endif
