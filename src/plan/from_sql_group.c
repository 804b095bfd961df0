/* GROUP BY: keys, and grouping sets written as ROLLUP, CUBE, GROUPING SETS, or a product of them.
 */
#include "plan/from_sql.h"

enum { CUBE_MAX = 12, ELEMENT_MAX = 60, SET_MAX = 4096 };

/* The grouping sets of one GROUP BY, or of a part of it. */
struct sets {
    struct arus_uexprs *items;
    uint32_t count;
    struct arus_uexprs keys; /* as they are written */
};

static enum arus_status refuse_so_many(struct arus_place place, struct arus_error *err)
{
    return arus_refuse(err, place, "so many grouping sets are");
}

/* The expressions of one element: (a, b) or a. */
static enum arus_status from_element(const struct arus_ast_expr *element, struct arus_arena *arena,
                                     struct arus_uexprs *out, struct arus_error *err)
{
    return element->kind == ARUS_AST_ROW
               ? arus_from_sql_exprs(element->args, element->arg_count, arena, out, err)
               : arus_from_sql_exprs(&element, 1, arena, out, err);
}

/* The elements whose bit is set, in one list. */
static enum arus_status join_elements(const struct arus_uexprs *elements, uint32_t count,
                                      uint64_t mask, struct arus_arena *arena,
                                      struct arus_uexprs *out, struct arus_error *err)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        total += (mask >> i & 1) != 0 ? elements[i].count : 0;
    }
    ARUS_TRY(ARUS_NEW(arena, const struct arus_uexpr *, total, &out->items, err));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; (mask >> i & 1) != 0 && j < elements[i].count; j++) {
            out->items[out->count++] = elements[i].items[j];
        }
    }
    return ARUS_OK;
}

/* The only set of a part: this list. */
static enum arus_status one_set(struct arus_uexprs list, struct arus_arena *arena,
                                struct sets *sets, struct arus_error *err)
{
    ARUS_TRY(ARUS_NEW(arena, struct arus_uexprs, 1, &sets->items, err));
    sets->items[0] = list;
    sets->count = 1;
    sets->keys = list;
    return ARUS_OK;
}

/* ROLLUP: all elements, all but the last, .. none; CUBE: all subsets. */
static enum arus_status from_subsets(const struct arus_ast_group *from, struct arus_arena *arena,
                                     struct sets *sets, struct arus_error *err)
{
    const uint32_t count = from->count;
    const bool is_cube = from->kind == ARUS_AST_GROUP_CUBE;
    struct arus_uexprs *elements = NULL;

    if (count > (is_cube ? CUBE_MAX : ELEMENT_MAX)) {
        return refuse_so_many(from->place, err);
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_uexprs, count, &elements, err));
    for (uint32_t i = 0; i < count; i++) {
        ARUS_TRY(from_element(from->keys[i], arena, &elements[i], err));
    }
    ARUS_TRY(join_elements(elements, count, UINT64_MAX, arena, &sets->keys, err));
    sets->count = is_cube ? (uint32_t)1 << count : count + 1;
    ARUS_TRY(ARUS_NEW(arena, struct arus_uexprs, sets->count, &sets->items, err));
    for (uint32_t i = 0; i < sets->count; i++) {
        const uint64_t mask = is_cube ? sets->count - 1 - i : ((uint64_t)1 << (count - i)) - 1;

        ARUS_TRY(join_elements(elements, count, mask, arena, &sets->items[i], err));
    }
    return ARUS_OK;
}

static enum arus_status from_union(const struct arus_ast_group *from, struct arus_arena *arena,
                                   struct sets *sets, struct arus_error *err);

/* A set of GROUPING SETS: (a, b) is two keys; or sets of its own. */
static enum arus_status from_member(const struct arus_ast_group *from, struct arus_arena *arena,
                                    struct sets *sets, struct arus_error *err)
{
    struct arus_uexprs list = {0};

    if (from->kind == ARUS_AST_GROUP_LIST) {
        ARUS_TRY(from_element(from->keys[0], arena, &list, err));
        return one_set(list, arena, sets, err);
    }
    return from->kind == ARUS_AST_GROUP_SETS ? from_union(from, arena, sets, err)
                                             : from_subsets(from, arena, sets, err);
}

/* A part of a product: (a, b) is one key, a struct; or sets. */
static enum arus_status from_factor(const struct arus_ast_group *from, struct arus_arena *arena,
                                    struct sets *sets, struct arus_error *err)
{
    struct arus_uexprs list = {0};

    if (from->kind == ARUS_AST_GROUP_LIST) {
        ARUS_TRY(arus_from_sql_exprs(from->keys, from->count, arena, &list, err));
        return one_set(list, arena, sets, err);
    }
    return from_member(from, arena, sets, err);
}

/* The sets of all parts, one after the other. */
static enum arus_status append_sets(const struct sets *parts, uint32_t count,
                                    struct arus_arena *arena, struct sets *out,
                                    struct arus_error *err)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < count; i++) {
        total += parts[i].count;
    }
    ARUS_TRY(ARUS_NEW(arena, struct arus_uexprs, total, &out->items, err));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < parts[i].count; j++) {
            out->items[out->count++] = parts[i].items[j];
        }
    }
    return ARUS_OK;
}

/* GROUPING SETS: keys in front of it come first. */
static enum arus_status from_union(const struct arus_ast_group *from, struct arus_arena *arena,
                                   struct sets *sets, struct arus_error *err)
{
    struct arus_uexprs *keys = NULL;
    struct sets *parts = NULL;

    if (from->part_count > ELEMENT_MAX) {
        return refuse_so_many(from->place, err);
    }
    ARUS_TRY(ARUS_NEW(arena, struct sets, from->part_count, &parts, err));
    ARUS_TRY(ARUS_NEW(arena, struct arus_uexprs, from->part_count + 1, &keys, err));
    ARUS_TRY(arus_from_sql_exprs(from->keys, from->count, arena, &keys[0], err));
    for (uint32_t i = 0; i < from->part_count; i++) {
        ARUS_TRY(from_member(&from->parts[i], arena, &parts[i], err));
        keys[i + 1] = parts[i].keys;
    }
    ARUS_TRY(append_sets(parts, from->part_count, arena, sets, err));
    if (sets->count > SET_MAX) {
        return refuse_so_many(from->place, err);
    }
    return join_elements(keys, from->part_count + 1, UINT64_MAX, arena, &sets->keys, err);
}

/* Each set so far with each set of the part. */
static enum arus_status multiply(struct sets *sets, const struct sets *part,
                                 struct arus_arena *arena, struct arus_error *err)
{
    struct arus_uexprs *items = NULL;
    struct arus_uexprs pair[2];

    ARUS_TRY(ARUS_NEW(arena, struct arus_uexprs, (size_t)sets->count * part->count, &items, err));
    for (uint32_t i = 0; i < sets->count; i++) {
        for (uint32_t j = 0; j < part->count; j++) {
            pair[0] = sets->items[i];
            pair[1] = part->items[j];
            ARUS_TRY(join_elements(pair, 2, 3, arena, &items[i * part->count + j], err));
        }
    }
    sets->items = items;
    sets->count *= part->count;
    pair[0] = sets->keys;
    pair[1] = part->keys;
    sets->keys = (struct arus_uexprs){0};
    return join_elements(pair, 2, 3, arena, &sets->keys, err);
}

static enum arus_status from_product(const struct arus_ast_group *from, struct arus_arena *arena,
                                     struct sets *sets, struct arus_error *err)
{
    ARUS_TRY(from_factor(&from->parts[0], arena, sets, err));
    for (uint32_t i = 1; i < from->part_count; i++) {
        struct sets part = {0};

        ARUS_TRY(from_factor(&from->parts[i], arena, &part, err));
        if ((uint64_t)sets->count * part.count > SET_MAX) {
            return refuse_so_many(from->place, err);
        }
        ARUS_TRY(multiply(sets, &part, arena, err));
    }
    return ARUS_OK;
}

static enum arus_status from_sets(const struct arus_ast_group *from, struct arus_arena *arena,
                                  struct arus_urel *made, struct arus_error *err)
{
    struct sets sets = {0};

    ARUS_TRY(from->kind == ARUS_AST_GROUP_PRODUCT ? from_product(from, arena, &sets, err)
                                                  : from_member(from, arena, &sets, err));
    made->is_grouped = true;
    made->sets = sets.items;
    made->set_count = sets.count;
    made->groups = sets.keys;
    return ARUS_OK;
}

enum arus_status arus_from_sql_group(const struct arus_ast_group *from, struct arus_arena *arena,
                                     struct arus_urel *made, struct arus_error *err)
{
    made->group_place = from->place;
    switch (from->kind) {
    case ARUS_AST_GROUP_NONE:
        return ARUS_OK;
    case ARUS_AST_GROUP_LIST:
        made->is_grouped = true;
        return arus_from_sql_exprs(from->keys, from->count, arena, &made->groups, err);
    case ARUS_AST_GROUP_ALL:
        made->is_grouped = true;
        made->group_all = true;
        return ARUS_OK;
    case ARUS_AST_GROUP_ROLLUP:
    case ARUS_AST_GROUP_CUBE:
    case ARUS_AST_GROUP_SETS:
    case ARUS_AST_GROUP_PRODUCT:
        return from_sets(from, arena, made, err);
    }
    return ARUS_OK;
}
