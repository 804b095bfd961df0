/** Kernels that work value by value: most text functions. One function per row, one macro per
 * kernel. */
#ifndef ARUS_EXPR_ROWWISE_H
#define ARUS_EXPR_ROWWISE_H

#include "expr/coerce.h"
#include "expr/strings.h"

struct arus_rowwise {
    const struct arus_kernel_call *call;
    struct arus_vector *out;
    struct arus_strings strings;
    struct arus_buffer buffer; /* scratch of the row function; released behind the last row */
};

/** Computes row i: writes out->values[i], or calls arus_row_null. ARUS_BAD_DATA: row i is the bad
 * row. */
typedef enum arus_status (*arus_row_fn)(struct arus_rowwise *row, uint32_t i,
                                        struct arus_error *err);

/** Makes `row` and the zeroed rows of row->out. */
ARUS_MUST_USE enum arus_status arus_rowwise_open(struct arus_rowwise *row,
                                                 const struct arus_kernel_call *call,
                                                 struct arus_vector *out, struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_row_null(struct arus_rowwise *row, uint32_t i,
                                             struct arus_error *err);

/** Runs `fn` over all rows that have values: in line, so that a row costs no call. */
ARUS_MUST_USE ARUS_INLINE enum arus_status arus_rowwise_run(const struct arus_kernel_call *call,
                                                            arus_row_fn fn, struct arus_vector *out,
                                                            uint32_t *bad_row,
                                                            struct arus_error *err)
{
    struct arus_rowwise row;
    enum arus_status status = arus_rowwise_open(&row, call, out, err);
    const uint32_t row_count = call->row_count;
    const uint64_t *valid = call->valid;

    for (uint32_t i = 0; i < row_count && status == ARUS_OK; i++) {
        if (arus_bit_get(valid, i)) {
            status = fn(&row, i, err);
            if (status != ARUS_OK) {
                *bad_row = i;
            }
        }
    }
    arus_buffer_release(&row.buffer);
    return status;
}

/** Defines kernel_NAME over the row function NAME. */
#define ARUS_ROWWISE(name)                                                                         \
    static enum arus_status kernel_##name(const struct arus_kernel_call *call,                     \
                                          struct arus_vector *out, uint32_t *bad_row,              \
                                          struct arus_error *err)                                  \
    {                                                                                              \
        return arus_rowwise_run(call, name, out, bad_row, err);                                    \
    }

/* Arguments of row i. */
static inline struct arus_text arus_row_arg_text(const struct arus_rowwise *row, uint32_t arg,
                                                 uint32_t i)
{
    return arus_text_at(&row->call->args[arg], i);
}
static inline struct arus_view arus_row_arg_view(const struct arus_rowwise *row, uint32_t arg,
                                                 uint32_t i)
{
    return arus_view_at(&row->call->args[arg], i);
}
static inline int32_t arus_row_arg_int(const struct arus_rowwise *row, uint32_t arg, uint32_t i)
{
    return arus_int_at(&row->call->args[arg], i);
}
static inline int64_t arus_row_arg_bigint(const struct arus_rowwise *row, uint32_t arg, uint32_t i)
{
    return arus_bigint_at(&row->call->args[arg], i);
}

/* Results of row i. */
static inline void arus_row_view(struct arus_rowwise *row, uint32_t i, struct arus_view view)
{
    ((struct arus_view *)row->out->values)[i] = view;
}
static inline void arus_row_int(struct arus_rowwise *row, uint32_t i, int32_t value)
{
    ((int32_t *)row->out->values)[i] = value;
}
static inline void arus_row_bigint(struct arus_rowwise *row, uint32_t i, int64_t value)
{
    ((int64_t *)row->out->values)[i] = value;
}
static inline void arus_row_boolean(struct arus_rowwise *row, uint32_t i, bool value)
{
    ((uint8_t *)row->out->values)[i] = value;
}
/** A copy of bytes as the result. */
ARUS_MUST_USE static inline enum arus_status arus_row_bytes(struct arus_rowwise *row, uint32_t i,
                                                            const void *data, size_t size,
                                                            struct arus_error *err)
{
    struct arus_view view;

    ARUS_TRY(arus_strings_add(&row->strings, data, size, &view, err));
    arus_row_view(row, i, view);
    return ARUS_OK;
}

/** A strict registry row over kernel_NAME. */
#define ARUS_FUNCTION(name_, aliases_, flags_, min_, max_, takes_, gives_, kernel_, signature_,    \
                      help_, example_, result_)                                                    \
    {                                                                                              \
        .name = name_, .aliases = aliases_, .flags = ARUS_STRICT | (flags_), .arg_min = min_,      \
        .arg_max = max_, .takes = takes_, .gives = gives_, .kernel = kernel_,                      \
        .signature = signature_, .help = help_, .example = example_, .result = result_             \
    }

#endif
