/** Casts written as functions: int(x), date(x), ... */
#include "expr/coerce.h"
#include "expr/families.h"

static const struct arus_type DEFAULT_DECIMAL = {.id = ARUS_TYPE_DECIMAL, .precision = 10};

static const struct {
    const char *name;
    const struct arus_type *type;
} TARGETS[] = {
    {"boolean", &ARUS_BOOLEAN}, {"tinyint", &ARUS_TINYINT},    {"smallint", &ARUS_SMALLINT},
    {"int", &ARUS_INT},         {"bigint", &ARUS_BIGINT},      {"float", &ARUS_FLOAT},
    {"double", &ARUS_DOUBLE},   {"decimal", &DEFAULT_DECIMAL}, {"string", &ARUS_STRING},
    {"binary", &ARUS_BINARY},   {"date", &ARUS_DATE},          {"timestamp", &ARUS_TIMESTAMP},
};

static enum arus_status bind_cast(struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_expr *cast;
    size_t i = 0;

    while (strcmp(TARGETS[i].name, bind->function->name) != 0) {
        i++;
    }
    ARUS_TRY(arus_cast_make(bind->args[0], TARGETS[i].type,
                            bind->is_ansi ? ARUS_CAST_ANSI : ARUS_CAST_LEGACY, bind->place,
                            bind->arena, &cast, err));
    bind->replacement = cast;
    return ARUS_OK;
}

#define CAST(name_)                                                                                \
    {                                                                                              \
        .name = name_, .flags = ARUS_CHEAP, .arg_min = 1, .arg_max = 1, .bind = bind_cast,         \
        .signature = name_ "(x)", .help = "CAST(x AS " name_ ")", .text = ""                       \
    }

const struct arus_function ARUS_CASTS[] = {
    CAST("boolean"),
    CAST("tinyint"),
    CAST("smallint"),
    CAST("int"),
    CAST("bigint"),
    CAST("float"),
    CAST("double"),
    CAST("decimal"),
    CAST("string"),
    CAST("binary"),
    CAST("date"),
    CAST("timestamp"),
    {0},
};
