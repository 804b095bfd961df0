/** Plans of reading Avro values: what avro_plan.c and avro_resolve.c make and avro_read.c follows.
 */
#ifndef ARUS_FORMAT_AVRO_PLAN_INTERNAL_H
#define ARUS_FORMAT_AVRO_PLAN_INTERNAL_H

#include "format/avro_read.h"

enum avro_step {
    AVRO_NULL,
    AVRO_SKIP, /* the reader does not want it */
    AVRO_BOOLEAN,
    AVRO_INTEGER, /* int, long: to any number, date or timestamp; times `factor` */
    AVRO_ROUNDED, /* int, long: to float, then to double */
    AVRO_FLOAT,
    AVRO_DOUBLE,
    AVRO_SIZED, /* string, bytes */
    AVRO_FIXED,
    AVRO_DECIMAL, /* of sized bytes or fixed */
    AVRO_ENUM,
    AVRO_ARRAY,
    AVRO_MAP,
    AVRO_RECORD,
    AVRO_UNION,
    AVRO_MEMBER, /* one field of the reader's union, the others null */
    AVRO_FAIL    /* no value of the writer's type can be read */
};

/* A field that the writer lacks. */
struct avro_missing {
    uint16_t field;
    const struct arus_avro_plan *plan; /* of its default; NULL: it is null */
    struct arus_text bytes;            /* the default, as Avro writes it */
};

struct arus_avro_plan {
    enum avro_step step;
    const struct arus_avro *writer;
    const struct arus_type *type; /* NULL: skipped */
    int64_t factor;
    uint32_t count; /* children: as the writer has them; MEMBER: one */
    const struct arus_avro_plan *const
        *children;                      /* RECORD, UNION [count]; ARRAY, MAP, MEMBER: one */
    const int32_t *targets;             /* RECORD: [count] field of the type; -1: skipped */
    const struct avro_missing *missing; /* RECORD: fields that the writer lacks */
    uint32_t missing_count;
    const struct arus_text *symbols; /* ENUM: by the writer's numbers; data NULL: unknown */
    uint16_t member;                 /* MEMBER: field of the type */
    struct arus_text reason;         /* FAIL */
};

#define AVRO_PLAN_MAX (1u << 20)

/* Where we are in the schemas, for texts and limits. */
struct avro_maker {
    struct arus_arena *arena;
    char path[200];
    uint32_t depth;
    uint32_t plan_count; /* a schema of names can stand for endless ones */
    uint32_t
        doubt; /* > 0: there may be no value here, so that what cannot be read is no error yet */
};

/** A new plan that skips. Errors: ARUS_BAD_CONFIG: too deep, too many. */
ARUS_MUST_USE enum arus_status avro_plan_new(struct avro_maker *maker,
                                             const struct arus_avro *writer,
                                             const struct arus_type *type,
                                             struct arus_avro_plan **out, struct arus_error *err);
/** A plan that passes over a value. */
ARUS_MUST_USE enum arus_status avro_plan_skip(struct avro_maker *maker,
                                              const struct arus_avro *writer,
                                              const struct arus_avro_plan **out,
                                              struct arus_error *err);
/** Enters a field: "a.b". Gives the size to leave with. */
size_t avro_path_enter(struct avro_maker *maker, struct arus_text name);
void avro_path_leave(struct avro_maker *maker, size_t size);
/** The path for texts. */
const char *avro_path_text(const struct avro_maker *maker);

#endif
