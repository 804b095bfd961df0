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
    const struct arus_expr *arg = bind->args[0];
    size_t i = 0;

    while (strcmp(TARGETS[i].name, bind->function->name) != 0) {
        i++;
    }
    bind->replacement = arg;
    return arus_type_equal(arg->type, TARGETS[i].type)
               ? ARUS_OK
               : arus_cast_implicit(arg, TARGETS[i].type, bind->is_ansi, bind->arena,
                                    &bind->replacement, err);
}

#define CAST(name_, example_, result_)                                                             \
    {                                                                                              \
        .name = name_, .flags = ARUS_CHEAP, .arg_min = 1, .arg_max = 1, .bind = bind_cast,         \
        .signature = name_ "(x)", .help = "CAST(x AS " name_ ")", .text = "", .example = example_, \
        .result = result_                                                                          \
    }

const struct arus_function ARUS_CASTS[] = {
    CAST("boolean", "boolean('yes')", "true"),
    CAST("tinyint", "tinyint('1')", "1"),
    CAST("smallint", "smallint('1')", "1"),
    CAST("int", "int('1')", "1"),
    CAST("bigint", "bigint('1')", "1"),
    CAST("float", "float('1')", "1.0"),
    CAST("double", "double('1')", "1.0"),
    CAST("decimal", "decimal('1')", "1"),
    CAST("string", "string(1.5)", "1.5"),
    CAST("binary", "hex(binary('a'))", "61"),
    CAST("date", "date('2020-02-29')", "2020-02-29"),
    CAST("timestamp", "timestamp('2020-02-29 10:00:00')", "2020-02-29 10:00:00"),
    {0},
};
