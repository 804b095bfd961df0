/** Operators over decimals: 64-bit loops where the result type has room, exact routines elsewhere.
 */
#include "expr/arith.h"

struct sides {
    uint32_t step_a;
    uint32_t step_b;
};

static struct sides sides_of(enum arus_shape shape)
{
    return (struct sides){shape == ARUS_CONSTANT_FLAT ? 0 : 1, shape == ARUS_FLAT_CONSTANT ? 0 : 1};
}

static bool add_narrow(const struct arus_arith *arith, const void *left, const void *right,
                       void *out, uint32_t count, enum arus_shape shape)
{
    const struct sides sides = sides_of(shape);
    const int64_t scale_a = (int64_t)arith->scale_a;
    const int64_t scale_b = (int64_t)arith->scale_b;
    const int64_t *a = left;
    const int64_t *b = right;
    int64_t *r = out;

    for (uint32_t i = 0; i < count; i++) {
        r[i] = (int64_t)((uint64_t)a[i * sides.step_a] * (uint64_t)scale_a +
                         (uint64_t)b[i * sides.step_b] * (uint64_t)scale_b);
    }
    return false;
}

static bool subtract_narrow(const struct arus_arith *arith, const void *left, const void *right,
                            void *out, uint32_t count, enum arus_shape shape)
{
    const struct sides sides = sides_of(shape);
    const int64_t scale_a = (int64_t)arith->scale_a;
    const int64_t scale_b = (int64_t)arith->scale_b;
    const int64_t *a = left;
    const int64_t *b = right;
    int64_t *r = out;

    for (uint32_t i = 0; i < count; i++) {
        r[i] = (int64_t)((uint64_t)a[i * sides.step_a] * (uint64_t)scale_a -
                         (uint64_t)b[i * sides.step_b] * (uint64_t)scale_b);
    }
    return false;
}

static bool multiply_narrow(const struct arus_arith *arith, const void *left, const void *right,
                            void *out, uint32_t count, enum arus_shape shape)
{
    const struct sides sides = sides_of(shape);
    const int64_t *a = left;
    const int64_t *b = right;
    int64_t *r = out;

    (void)arith;
    for (uint32_t i = 0; i < count; i++) {
        r[i] = (int64_t)((uint64_t)a[i * sides.step_a] * (uint64_t)b[i * sides.step_b]);
    }
    return false;
}

static bool multiply_to_wide(const struct arus_arith *arith, const void *left, const void *right,
                             void *out, uint32_t count, enum arus_shape shape)
{
    const struct sides sides = sides_of(shape);
    const int64_t *a = left;
    const int64_t *b = right;
    arus_int128 *r = out;

    (void)arith;
    for (uint32_t i = 0; i < count; i++) {
        r[i] = (arus_int128)a[i * sides.step_a] * b[i * sides.step_b];
    }
    return false;
}

/* ---- any types ---- */

typedef bool (*exact_fn)(struct arus_decimal a, struct arus_decimal b,
                         struct arus_decimal_type result, arus_int128 *out);

static arus_int128 load(const void *values, bool is_wide, size_t i)
{
    return is_wide ? ((const arus_int128 *)values)[i] : (arus_int128)((const int64_t *)values)[i];
}

static void store(void *values, bool is_wide, size_t i, arus_int128 value)
{
    if (is_wide) {
        ((arus_int128 *)values)[i] = value;
    } else {
        ((int64_t *)values)[i] = (int64_t)value;
    }
}

static bool exact(const struct arus_arith *arith, const void *left, const void *right, void *out,
                  uint32_t count, enum arus_shape shape, exact_fn fn, bool is_division)
{
    const struct sides sides = sides_of(shape);
    bool bad = false;

    for (uint32_t i = 0; i < count; i++) {
        const struct arus_decimal a = {load(left, arith->is_wide_a, i * sides.step_a),
                                       arith->a.scale};
        const struct arus_decimal b = {load(right, arith->is_wide_b, i * sides.step_b),
                                       arith->b.scale};
        arus_int128 r = 0;

        if ((is_division && b.value == 0) || !fn(a, b, arith->r, &r)) {
            bad = true;
            r = 0;
        }
        store(out, arith->is_wide_r, i, r);
    }
    return bad;
}

static bool pmod(struct arus_decimal a, struct arus_decimal b, struct arus_decimal_type result,
                 arus_int128 *out)
{
    struct arus_decimal rest;
    const uint8_t scale = a.scale > b.scale ? a.scale : b.scale;
    const struct arus_decimal_type wide = {ARUS_DECIMAL_PRECISION_MAX, scale};
    arus_int128 value;

    if (!arus_decimal_remainder(a, b, wide, &value)) {
        return false;
    }
    if (value < 0) {
        rest = (struct arus_decimal){value, scale};
        if (!arus_decimal_add(rest, b, wide, &value)) {
            return false;
        }
        rest.value = value;
        if (!arus_decimal_remainder(rest, b, wide, &value)) {
            return false;
        }
    }
    return arus_decimal_rescale(value, scale, result.scale, ARUS_HALF_UP, out) &&
           arus_decimal_fits(*out, result.precision);
}

#define EXACT(name, fn, is_division)                                                               \
    static bool name(const struct arus_arith *arith, const void *left, const void *right,          \
                     void *out, uint32_t count, enum arus_shape shape)                             \
    {                                                                                              \
        return exact(arith, left, right, out, count, shape, fn, is_division);                      \
    }
EXACT(add_exact, arus_decimal_add, false)
EXACT(subtract_exact, arus_decimal_subtract, false)
EXACT(multiply_exact, arus_decimal_multiply, false)
EXACT(divide_exact, arus_decimal_divide, true)
EXACT(remainder_exact, arus_decimal_remainder, true)
EXACT(pmod_exact, pmod, true)
#undef EXACT

/* DIV gives BIGINT. */
static bool div_exact(const struct arus_arith *arith, const void *left, const void *right,
                      void *out, uint32_t count, enum arus_shape shape)
{
    const struct sides sides = sides_of(shape);
    int64_t *r = out;
    bool bad = false;

    for (uint32_t i = 0; i < count; i++) {
        const struct arus_decimal a = {load(left, arith->is_wide_a, i * sides.step_a),
                                       arith->a.scale};
        const struct arus_decimal b = {load(right, arith->is_wide_b, i * sides.step_b),
                                       arith->b.scale};
        arus_int128 value = 0;

        bad |= b.value == 0 || !arus_decimal_integral_divide(a, b, &value);
        r[i] = (int64_t)value; /* Spark wraps */
    }
    return bad;
}

/* May int64 hold both sides at the scale of the result, and the result? */
static bool is_narrow(const struct arus_arith *arith)
{
    return !arith->is_wide_a && !arith->is_wide_b && !arith->is_wide_r;
}

arus_arith_fn arus_arith_decimal(enum arus_arith_op op, const struct arus_arith *arith)
{
    switch (op) {
    case ARUS_ARITH_ADD:
        return is_narrow(arith) ? add_narrow : add_exact;
    case ARUS_ARITH_SUBTRACT:
        return is_narrow(arith) ? subtract_narrow : subtract_exact;
    case ARUS_ARITH_MULTIPLY:
        if (is_narrow(arith)) {
            return multiply_narrow;
        }
        return !arith->is_wide_a && !arith->is_wide_b &&
                       arith->r.precision == arith->a.precision + arith->b.precision + 1
                   ? multiply_to_wide
                   : multiply_exact;
    case ARUS_ARITH_DIVIDE:
        return divide_exact;
    case ARUS_ARITH_REMAINDER:
        return remainder_exact;
    case ARUS_ARITH_PMOD:
        return pmod_exact;
    case ARUS_ARITH_DIV:
        return div_exact;
    case ARUS_ARITH_AND:
    case ARUS_ARITH_OR:
    case ARUS_ARITH_XOR:
    case ARUS_ARITH_COUNT:
        break;
    }
    return NULL;
}
