/** Arithmetic kernels: what an operator is once its types are known. */
#ifndef ARUS_EXPR_ARITH_H
#define ARUS_EXPR_ARITH_H

#include "expr/coerce.h"
#include "types/decimal.h"

enum arus_shape { ARUS_FLAT_FLAT, ARUS_FLAT_CONSTANT, ARUS_CONSTANT_FLAT };

/** What becomes of overflows and zero divisors. */
enum arus_on_bad { ARUS_BAD_FAILS, ARUS_BAD_WRAPS, ARUS_BAD_IS_NULL };

struct arus_arith;
/** Computes all rows; true: some row was bad (rows without a value may be). */
typedef bool (*arus_arith_fn)(const struct arus_arith *arith, const void *left, const void *right,
                              void *out, uint32_t count, enum arus_shape shape);

/** expr->bound of arithmetic calls. */
struct arus_arith {
    arus_arith_fn fn;
    enum arus_on_bad on_bad;
    const char *symbol;         /* for messages */
    const char *overflow;       /* condition */
    const char *zero;           /* condition of a zero right side; NULL: none */
    const char *instead;        /* try_add ...; NULL: none */
    struct arus_decimal_type a; /* decimals */
    struct arus_decimal_type b;
    struct arus_decimal_type r;
    bool is_wide_a;
    bool is_wide_b;
    bool is_wide_r;
    arus_int128 scale_a; /* powers of ten that bring both sides to one scale */
    arus_int128 scale_b;
};

enum arus_arith_op {
    ARUS_ARITH_ADD,
    ARUS_ARITH_SUBTRACT,
    ARUS_ARITH_MULTIPLY,
    ARUS_ARITH_DIVIDE,
    ARUS_ARITH_REMAINDER,
    ARUS_ARITH_PMOD,
    ARUS_ARITH_DIV,
    ARUS_ARITH_AND,
    ARUS_ARITH_OR,
    ARUS_ARITH_XOR,
    ARUS_ARITH_COUNT
};

/** The kernel of an operator over two equal types (not DECIMAL); NULL: there is none. */
arus_arith_fn arus_arith_find(enum arus_arith_op op, enum arus_type_id id);
/** Chooses the kernel over two decimals. */
arus_arith_fn arus_arith_decimal(enum arus_arith_op op, const struct arus_arith *arith);
/** Runs bound->fn and turns bad rows into errors or nulls. */
enum arus_status arus_kernel_arith(const struct arus_kernel_call *call, struct arus_vector *out,
                                   uint32_t *bad_row, struct arus_error *err);

#endif
