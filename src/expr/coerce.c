#include "expr/coerce.h"

#include "column/value.h"
#include "types/decimal.h"

/* ---- common types ---- */

static struct arus_decimal_type decimal_of(const struct arus_type *type)
{
    if (type->id == ARUS_TYPE_DECIMAL) {
        return (struct arus_decimal_type){type->precision, type->scale};
    }
    return arus_decimal_integer_type(type->id);
}

static const struct arus_type *common_decimal(const struct arus_type *a, const struct arus_type *b,
                                              struct arus_arena *arena)
{
    const struct arus_decimal_type wide = arus_decimal_widen_type(decimal_of(a), decimal_of(b));
    const struct arus_type *out;
    struct arus_error err;

    return arus_type_decimal(wide.precision, wide.scale, arena, &out, &err) == ARUS_OK ? out : NULL;
}

/* A FLOAT holds no INT: ANSI takes both for DOUBLEs, without it the FLOAT wins. */
static const struct arus_type *common_number(const struct arus_type *a, const struct arus_type *b,
                                             bool is_ansi, struct arus_arena *arena)
{
    if (arus_type_is_fractional(a) || arus_type_is_fractional(b)) {
        const struct arus_type *other = a->id == ARUS_TYPE_FLOAT ? b : a;
        const bool has_float = a->id == ARUS_TYPE_FLOAT || b->id == ARUS_TYPE_FLOAT;

        return has_float &&
                       (other->id == ARUS_TYPE_FLOAT || (!is_ansi && arus_type_is_integer(other)))
                   ? &ARUS_FLOAT
                   : &ARUS_DOUBLE;
    }
    if (a->id == ARUS_TYPE_DECIMAL || b->id == ARUS_TYPE_DECIMAL) {
        return common_decimal(a, b, arena);
    }
    return a->id > b->id ? a : b;
}

static bool is_interval(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_INTERVAL_YM || type->id == ARUS_TYPE_INTERVAL_DT;
}

static bool is_datetime(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_DATE || type->id == ARUS_TYPE_TIMESTAMP ||
           type->id == ARUS_TYPE_TIMESTAMP_NTZ;
}

/* ANSI: the string becomes the other side; otherwise the other side becomes a string. */
static const struct arus_type *common_string(const struct arus_type *other, bool is_ansi)
{
    if (!is_ansi) {
        return other->id == ARUS_TYPE_BINARY || other->id == ARUS_TYPE_BOOLEAN ||
                       arus_type_is_nested(other)
                   ? NULL
                   : &ARUS_STRING;
    }
    if (arus_type_is_integer(other)) {
        return &ARUS_BIGINT;
    }
    if (arus_type_is_numeric(other)) {
        return &ARUS_DOUBLE;
    }
    return arus_type_is_nested(other) || is_interval(other) ? NULL : other;
}

static const struct arus_type *common_interval(const struct arus_type *a, const struct arus_type *b,
                                               struct arus_arena *arena)
{
    const struct arus_type *out;
    struct arus_error err;
    const uint8_t first = a->precision < b->precision ? a->precision : b->precision;
    const uint8_t last = a->scale > b->scale ? a->scale : b->scale;

    if (a->id != b->id) {
        return NULL;
    }
    return arus_type_interval((enum arus_interval_field)first, (enum arus_interval_field)last,
                              arena, &out, &err) == ARUS_OK
               ? out
               : NULL;
}

static const struct arus_type *common_nested(const struct arus_type *a, const struct arus_type *b,
                                             bool is_ansi, struct arus_arena *arena)
{
    struct arus_field *fields;
    struct arus_type *out;
    struct arus_error err;

    if (a->id != b->id || a->field_count != b->field_count ||
        ARUS_NEW(arena, struct arus_type, 1, &out, &err) != ARUS_OK ||
        ARUS_NEW(arena, struct arus_field, a->field_count, &fields, &err) != ARUS_OK) {
        return NULL;
    }
    for (uint16_t i = 0; i < a->field_count; i++) {
        fields[i] = a->fields[i];
        fields[i].is_nullable |= b->fields[i].is_nullable;
        fields[i].type = arus_type_common(a->fields[i].type, b->fields[i].type, is_ansi, arena);
        if (fields[i].type == NULL ||
            (a->id == ARUS_TYPE_STRUCT &&
             !arus_text_equal_nocase(a->fields[i].name, b->fields[i].name))) {
            return NULL;
        }
    }
    *out = *a;
    out->fields = fields;
    return out;
}

const struct arus_type *arus_type_common(const struct arus_type *a, const struct arus_type *b,
                                         bool is_ansi, struct arus_arena *arena)
{
    if (a->id == ARUS_TYPE_VOID || arus_type_equal(a, b)) {
        return b->id == ARUS_TYPE_VOID ? a : arus_type_equal(a, b) ? a : b;
    }
    if (b->id == ARUS_TYPE_VOID) {
        return a;
    }
    if (arus_type_is_numeric(a) && arus_type_is_numeric(b)) {
        return common_number(a, b, is_ansi, arena);
    }
    if (a->id == ARUS_TYPE_STRING) {
        return common_string(b, is_ansi);
    }
    if (b->id == ARUS_TYPE_STRING) {
        return common_string(a, is_ansi);
    }
    if (is_datetime(a) && is_datetime(b)) {
        return a->id == ARUS_TYPE_TIMESTAMP || b->id == ARUS_TYPE_TIMESTAMP ? &ARUS_TIMESTAMP
                                                                            : &ARUS_TIMESTAMP_NTZ;
    }
    if (is_interval(a) && is_interval(b)) {
        return common_interval(a, b, arena);
    }
    if (arus_type_is_nested(a) && arus_type_is_nested(b)) {
        return common_nested(a, b, is_ansi, arena);
    }
    return NULL;
}

bool arus_type_is_orderable(const struct arus_type *type)
{
    if (type->id == ARUS_TYPE_MAP || type->id == ARUS_TYPE_INTERVAL) {
        return false;
    }
    for (uint16_t i = 0; i < type->field_count; i++) {
        if (!arus_type_is_orderable(type->fields[i].type)) {
            return false;
        }
    }
    return true;
}

static bool converts_nested(const struct arus_type *from, const struct arus_type *to)
{
    if (from->id != to->id || from->field_count != to->field_count) {
        return false;
    }
    for (uint16_t i = 0; i < from->field_count; i++) {
        if (!arus_type_converts(from->fields[i].type, to->fields[i].type)) {
            return false;
        }
    }
    return true;
}

bool arus_type_converts(const struct arus_type *from, const struct arus_type *to)
{
    if (from->id == ARUS_TYPE_VOID || arus_type_equal(from, to)) {
        return true;
    }
    if (arus_type_is_nested(from) || arus_type_is_nested(to)) {
        return converts_nested(from, to);
    }
    if (from->id == ARUS_TYPE_STRING || to->id == ARUS_TYPE_STRING) {
        return true;
    }
    return (arus_type_is_numeric(from) && arus_type_is_numeric(to)) ||
           (is_datetime(from) && is_datetime(to)) || (is_interval(from) && from->id == to->id);
}

/* ---- names for messages ---- */

struct arus_type_name arus_type_name(const struct arus_type *type)
{
    struct arus_type_name name = {{0}};
    struct arus_buffer buffer = {0};
    struct arus_error err;

    if (arus_type_sql(type, &buffer, &err) == ARUS_OK) {
        const size_t size = buffer.size < sizeof name.text ? buffer.size : sizeof name.text - 1;

        if (size > 0) {
            memcpy(name.text, buffer.data, size);
        }
    }
    arus_buffer_release(&buffer);
    return name;
}

/* now() - 10 */
static bool takes_number_from_time(const struct arus_bind *bind)
{
    return bind->arg_count == 2 && arus_text_equal(bind->name, ARUS_TEXT("-")) &&
           (bind->args[0]->type->id == ARUS_TYPE_TIMESTAMP ||
            bind->args[0]->type->id == ARUS_TYPE_TIMESTAMP_NTZ) &&
           arus_type_is_numeric(bind->args[1]->type);
}

static enum arus_status fail_without_unit(const struct arus_bind *bind, struct arus_error *err)
{
    const struct arus_type_name time = arus_type_name(bind->args[0]->type);
    const struct arus_type_name number = arus_type_name(bind->args[1]->type);

    arus_ignore(arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                             "cannot take %s from %s", number.text, time.text));
    (void)arus_error_label(err, "%s - %s", time.text, number.text);
    return arus_error_help(err, "say the unit: .. - INTERVAL 10 MINUTES");
}

enum arus_status arus_fail_input(const struct arus_bind *bind, uint32_t i, const char *wanted,
                                 struct arus_error *err)
{
    const struct arus_expr *arg = bind->args[i];

    if (takes_number_from_time(bind)) {
        return fail_without_unit(bind, err);
    }
    return arus_fail_at(err, arg->place.size > 0 ? arg->place : bind->place,
                        "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                        "`%.*s` takes %s as argument %u, not %s", ARUS_TEXT_ARGS(bind->name),
                        wanted, i + 1, arus_type_name(arg->type).text);
}

/* ---- arguments ---- */

enum arus_status arus_arg_cast(struct arus_bind *bind, uint32_t i, const struct arus_type *type,
                               struct arus_error *err)
{
    return arus_cast_implicit(bind->args[i], type, bind->is_ansi, bind->arena, &bind->args[i], err);
}

static const struct arus_field STRING_ELEMENT = {
    .name = {"element", 7}, .type = &ARUS_STRING, .is_nullable = true};
static const struct arus_type STRING_ARRAY = {
    .id = ARUS_TYPE_ARRAY, .field_count = 1, .fields = &STRING_ELEMENT};

/* The type that a letter names exactly, or NULL. */
static const struct arus_type *letter_type(char letter)
{
    switch (letter) {
    case 'o':
        return &ARUS_BOOLEAN;
    case 'i':
        return &ARUS_INT;
    case 'l':
        return &ARUS_BIGINT;
    case 'd':
        return &ARUS_DOUBLE;
    case 's':
        return &ARUS_STRING;
    case 'x':
        return &ARUS_BINARY;
    case 'D':
        return &ARUS_DATE;
    case 't':
        return &ARUS_TIMESTAMP;
    case 'n':
        return &ARUS_TIMESTAMP_NTZ;
    case 'a':
        return &STRING_ARRAY;
    case 'v':
        return &ARUS_VOID;
    default:
        return NULL;
    }
}

/* A class of types: what is accepted as it is, what NULL becomes, what STRING becomes. */
struct type_class {
    char letter;
    const char *name;
    bool (*accepts)(const struct arus_type *type);
    const struct arus_type *of_null;
    const struct arus_type *of_string; /* NULL: refused */
};

static bool is_view(const struct arus_type *type)
{
    return arus_type_is_view(type);
}
static bool is_timestamp(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_TIMESTAMP || type->id == ARUS_TYPE_TIMESTAMP_NTZ;
}
static bool is_array(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_ARRAY;
}
static bool is_map(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_MAP;
}
static bool is_struct(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_STRUCT;
}
static bool is_number(const struct arus_type *type)
{
    return arus_type_is_numeric(type);
}
static bool is_integer(const struct arus_type *type)
{
    return arus_type_is_integer(type);
}

static const struct arus_field VOID_ELEMENT = {
    .name = {"element", 7}, .type = &ARUS_VOID, .is_nullable = true};
static const struct arus_type VOID_ARRAY = {
    .id = ARUS_TYPE_ARRAY, .field_count = 1, .fields = &VOID_ELEMENT};
static const struct arus_field VOID_ENTRY[] = {
    {.name = {"key", 3}, .type = &ARUS_VOID},
    {.name = {"value", 5}, .type = &ARUS_VOID, .is_nullable = true},
};
static const struct arus_type VOID_MAP = {
    .id = ARUS_TYPE_MAP, .field_count = 2, .fields = VOID_ENTRY};

static const struct type_class CLASSES[] = {
    {'N', "a number", is_number, &ARUS_DOUBLE, &ARUS_DOUBLE},
    {'I', "an integer", is_integer, &ARUS_INT, &ARUS_BIGINT},
    {'S', "STRING or BINARY", is_view, &ARUS_STRING, &ARUS_STRING},
    {'T', "TIMESTAMP", is_timestamp, &ARUS_TIMESTAMP, &ARUS_TIMESTAMP},
    {'A', "an ARRAY", is_array, &VOID_ARRAY, NULL},
    {'M', "a MAP", is_map, &VOID_MAP, NULL},
    {'R', "a STRUCT", is_struct, &ARUS_VOID, NULL},
};

static enum arus_status take_class(struct arus_bind *bind, uint32_t i,
                                   const struct type_class *class, bool is_strict,
                                   struct arus_error *err)
{
    const struct arus_type *type = bind->args[i]->type;

    if (class->accepts(type)) {
        return ARUS_OK;
    }
    if (type->id == ARUS_TYPE_VOID) {
        return arus_arg_cast(bind, i, class->of_null, err);
    }
    if (is_strict) {
        return arus_fail_input(bind, i, class->name, err);
    }
    if (type->id == ARUS_TYPE_STRING && class->of_string != NULL) {
        return arus_arg_cast(bind, i, class->of_string, err);
    }
    if (class->letter == 'S' && arus_type_converts(type, &ARUS_STRING)) {
        return arus_arg_cast(bind, i, &ARUS_STRING, err);
    }
    if (class->letter == 'T' && type->id == ARUS_TYPE_DATE) {
        return arus_arg_cast(bind, i, &ARUS_TIMESTAMP, err);
    }
    return arus_fail_input(bind, i, class->name, err);
}

enum arus_status arus_arg_take(struct arus_bind *bind, uint32_t i, const char *letter,
                               struct arus_error *err)
{
    const bool is_strict = letter[0] == '=';
    const char wanted = is_strict ? letter[1] : letter[0];
    const struct arus_type *type = bind->args[i]->type;
    const struct arus_type *exact = letter_type(wanted);

    if (wanted == '.') {
        return ARUS_OK;
    }
    if (wanted == 'L') { /* any integer, as BIGINT */
        ARUS_TRY(arus_arg_take(bind, i, is_strict ? "=I" : "I", err));
        return arus_arg_cast(bind, i, &ARUS_BIGINT, err);
    }
    for (size_t c = 0; exact == NULL && c < sizeof CLASSES / sizeof *CLASSES; c++) {
        if (CLASSES[c].letter == wanted) {
            return take_class(bind, i, &CLASSES[c], is_strict, err);
        }
    }
    ARUS_ASSERT(exact != NULL);
    if (!arus_type_equal(type, exact) && type->id != ARUS_TYPE_VOID &&
        (is_strict || !arus_type_converts(type, exact) ||
         (!bind->is_ansi && type->id == ARUS_TYPE_STRING && exact->id == ARUS_TYPE_BOOLEAN))) {
        return arus_fail_input(bind, i, arus_type_name(exact).text, err);
    }
    return arus_arg_cast(bind, i, exact, err);
}

enum arus_status arus_args_take(struct arus_bind *bind, const char *takes, struct arus_error *err)
{
    const char *at = takes;

    for (uint32_t i = 0; i < bind->arg_count; i++) {
        const size_t size = *at == '=' ? 2 : 1;

        ARUS_TRY(arus_arg_take(bind, i, at, err));
        if (at[size] != '\0') {
            at += size;
        }
    }
    return ARUS_OK;
}

enum arus_status arus_bind_default(struct arus_bind *bind, struct arus_error *err)
{
    const char gives = bind->function->gives[0];

    ARUS_TRY(arus_args_take(bind, bind->function->takes, err));
    if (gives >= '1' && gives <= '9') {
        bind->type = bind->args[gives - '1']->type;
    } else if (gives == 'e') {
        bind->type = bind->args[0]->type->fields[0].type;
    } else {
        bind->type = letter_type(gives);
    }
    ARUS_ASSERT(bind->type != NULL);
    return ARUS_OK;
}

enum arus_status arus_args_common(struct arus_bind *bind, uint32_t first, uint32_t step,
                                  const struct arus_type **out, struct arus_error *err)
{
    const struct arus_type *common = &ARUS_VOID;

    /* strings last: Spark puts them there, so that the numbers decide among themselves */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = first; i < bind->arg_count; i += step) {
            const struct arus_type *type = bind->args[i]->type;
            const struct arus_type *wider;

            if ((type->id == ARUS_TYPE_STRING) != (pass == 1)) {
                continue;
            }
            wider = arus_type_common(common, type, bind->is_ansi, bind->arena);
            if (wider == NULL) {
                return arus_fail_at(err, bind->place, "DATATYPE_MISMATCH.DATA_DIFF_TYPES",
                                    "`%.*s` needs values of one type, not %s and %s",
                                    ARUS_TEXT_ARGS(bind->name), arus_type_name(common).text,
                                    arus_type_name(type).text);
            }
            common = wider;
        }
    }
    for (uint32_t i = first; i < bind->arg_count; i += step) {
        ARUS_TRY(arus_arg_cast(bind, i, common, err));
    }
    *out = common;
    return ARUS_OK;
}

static uint8_t digits_of(const struct arus_expr *literal)
{
    int64_t value;
    uint8_t digits = 1;

    if (literal->type->id == ARUS_TYPE_SMALLINT) {
        value = *(const int16_t *)literal->value.values;
    } else if (literal->type->id == ARUS_TYPE_INT) {
        value = *(const int32_t *)literal->value.values;
    } else {
        value = *(const int64_t *)literal->value.values;
    }
    for (; value <= -10 || value >= 10; value /= 10) {
        digits++;
    }
    return digits;
}

enum arus_status arus_arg_to_decimal(struct arus_bind *bind, uint32_t i, struct arus_error *err)
{
    const struct arus_expr *arg = bind->args[i];
    struct arus_decimal_type wanted;
    const struct arus_type *type;

    if (!arus_type_is_integer(arg->type)) {
        return ARUS_OK;
    }
    wanted = arus_decimal_integer_type(arg->type->id);
    if (arg->kind == ARUS_EXPR_LITERAL && arg->type->id != ARUS_TYPE_TINYINT &&
        arus_vector_is_valid(&arg->value, 0)) {
        wanted = (struct arus_decimal_type){digits_of(arg), 0};
    }
    ARUS_TRY(arus_type_decimal(wanted.precision, wanted.scale, bind->arena, &type, err));
    return arus_arg_cast(bind, i, type, err);
}

/* ---- constants ---- */

enum arus_status arus_arg_constant(const struct arus_bind *bind, uint32_t i,
                                   struct arus_vector *out, bool *is_found, struct arus_error *err)
{
    const struct arus_eval_env env = {.zone = bind->zone, .is_ansi = bind->is_ansi};
    struct arus_error ignored;
    enum arus_status status;

    *is_found = false;
    if (!arus_expr_is_constant(bind->args[i])) {
        return ARUS_OK;
    }
    status = arus_expr_eval_constant(bind->args[i], &env, bind->arena, out, &ignored);
    if (status != ARUS_OK && status != ARUS_BAD_DATA) {
        *err = ignored;
        return status;
    }
    *is_found = status == ARUS_OK;
    return ARUS_OK;
}

enum arus_status arus_arg_text(const struct arus_bind *bind, uint32_t i, struct arus_text *out,
                               struct arus_error *err)
{
    struct arus_vector value;
    bool is_found;

    *out = (struct arus_text){0};
    ARUS_TRY(arus_arg_constant(bind, i, &value, &is_found, err));
    if (is_found && arus_type_is_view(value.type) && arus_vector_is_valid(&value, 0)) {
        *out = arus_view_text(*(const struct arus_view *)value.values);
        if (out->data == NULL) {
            out->data = "";
        }
    }
    return ARUS_OK;
}

enum arus_status arus_literal_of(const struct arus_type *type, const void *value,
                                 struct arus_arena *arena, const struct arus_expr **out,
                                 struct arus_error *err)
{
    struct arus_vector vector;

    ARUS_TRY(arus_value_make(type, value, 1, arena, &vector, err));
    return arus_literal_make(&vector, (struct arus_place){0}, arena, out, err);
}

enum arus_status arus_literal_null(const struct arus_type *type, struct arus_arena *arena,
                                   const struct arus_expr **out, struct arus_error *err)
{
    struct arus_vector vector;

    ARUS_TRY(arus_vector_init_null(&vector, type, 1, arena, err));
    return arus_literal_make(&vector, (struct arus_place){0}, arena, out, err);
}

enum arus_status arus_arg_append(struct arus_bind *bind, const struct arus_expr *arg,
                                 struct arus_error *err)
{
    const struct arus_expr **args;

    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, bind->arg_count + 1, &args, err));
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        args[i] = bind->args[i];
    }
    args[bind->arg_count] = arg;
    bind->args = args;
    bind->arg_count++;
    return ARUS_OK;
}

enum arus_status arus_arg_default(struct arus_bind *bind, uint32_t i, int32_t value,
                                  struct arus_error *err)
{
    const struct arus_expr *literal;

    if (bind->arg_count > i) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_literal_of(&ARUS_INT, &value, bind->arena, &literal, err));
    return arus_arg_append(bind, literal, err);
}

enum arus_status arus_call_of(const struct arus_bind *bind, const char *name,
                              const struct arus_expr *const *args, uint32_t arg_count,
                              const struct arus_expr **out, struct arus_error *err)
{
    struct arus_bind inner = {
        .name = arus_text_of(name),
        .place = bind->place,
        .arg_count = arg_count,
        .is_ansi = bind->is_ansi,
        .zone = bind->zone,
        .arena = bind->arena,
    };

    ARUS_TRY(ARUS_NEW(bind->arena, const struct arus_expr *, arg_count, &inner.args, err));
    for (uint32_t i = 0; i < arg_count; i++) {
        inner.args[i] = args[i];
    }
    return arus_call_make(&inner, out, err);
}

enum arus_status arus_try_call_of(const struct arus_bind *bind, const char *name,
                                  const struct arus_expr *const *args, uint32_t arg_count,
                                  const struct arus_expr **out, struct arus_error *err)
{
    struct arus_bind strict = *bind;
    const struct arus_expr *call;

    strict.is_ansi = true;
    ARUS_TRY(arus_call_of(&strict, name, args, arg_count, &call, err));
    return arus_call_of(bind, "try_eval", &call, 1, out, err);
}

enum arus_status arus_bind_as(struct arus_bind *bind, const char *name, struct arus_error *err)
{
    return arus_call_of(bind, name, bind->args, bind->arg_count, &bind->replacement, err);
}
