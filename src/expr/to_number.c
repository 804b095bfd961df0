/** to_number, try_to_number, to_char: SQL number formats. */
#include "expr/families.h"
#include "expr/rowwise.h"
#include "types/number_format.h"

/* What a call is bound to. */
struct number_call {
    struct arus_text text; /* the format as written */
    struct arus_number_format format;
    bool is_try;
};

/* The constant format; *out NULL: it is a null. */
static enum arus_status take_format(struct arus_bind *bind, struct number_call **out,
                                    struct arus_error *err)
{
    struct arus_vector value;
    bool is_found;

    *out = NULL;
    ARUS_TRY(arus_arg_take(bind, 1, "s", err));
    ARUS_TRY(arus_arg_constant(bind, 1, &value, &is_found, err));
    if (!is_found) {
        return arus_fail_at(err, bind->args[1]->place, "DATATYPE_MISMATCH.NON_FOLDABLE_INPUT",
                            "the format of `%.*s` must be a constant", ARUS_TEXT_ARGS(bind->name));
    }
    if (!arus_vector_is_valid(&value, 0)) {
        return ARUS_OK;
    }
    ARUS_TRY(ARUS_NEW(bind->arena, struct number_call, 1, out, err));
    ARUS_TRY(arus_text_copy(arus_text_at(&value, 0), bind->arena, &(*out)->text, err));
    if (arus_number_format_compile((*out)->text, bind->arena, &(*out)->format, err) != ARUS_OK) {
        err->place = bind->args[1]->place;
        return err->status;
    }
    bind->bound = *out;
    bind->arg_count = 1;
    return ARUS_OK;
}

/* ---- to_number, try_to_number ---- */

static enum arus_status to_number(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct number_call *call = row->call->expr->bound;
    const struct arus_text text = arus_row_arg_text(row, 0, i);
    arus_int128 value = 0;

    if (arus_number_format_parse(&call->format, text, &value)) {
        arus_decimal_set(row->call->expr->type, row->out->values, i, value);
        return ARUS_OK;
    }
    if (call->is_try) {
        return arus_row_null(row, i, err);
    }
    return arus_fail(err, ARUS_BAD_DATA, "INVALID_FORMAT.MISMATCH_INPUT",
                     "'%.*s' does not match the number format '%.*s'; try_to_number gives NULL",
                     ARUS_TEXT_ARGS(text), ARUS_TEXT_ARGS(call->text));
}
ARUS_ROWWISE(to_number)

static enum arus_status bind_to_number(struct arus_bind *bind, struct arus_error *err)
{
    const bool is_try = arus_text_equal_nocase(bind->name, arus_text_of("try_to_number"));
    struct number_call *call;
    uint32_t precision = 10;
    uint32_t scale = 0;

    ARUS_TRY(arus_args_text(bind, err));
    ARUS_TRY(arus_arg_take(bind, 0, "s", err));
    ARUS_TRY(take_format(bind, &call, err));
    if (call != NULL) {
        call->is_try = is_try;
        scale = call->format.fraction_max;
        precision = call->format.whole_max + scale;
    }
    if (precision > ARUS_DECIMAL_PRECISION_MAX) {
        return arus_fail_at(err, bind->place, "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
                            "a number has at most %d digits, this format %u",
                            ARUS_DECIMAL_PRECISION_MAX, precision);
    }
    ARUS_TRY(arus_type_decimal((uint8_t)precision, (uint8_t)scale, bind->arena, &bind->type, err));
    if (call == NULL) {
        return arus_literal_null(bind->type, bind->arena, &bind->replacement, err);
    }
    bind->can_fail = !is_try;
    bind->is_nullable |= is_try;
    return ARUS_OK;
}

/* ---- to_char ---- */

static enum arus_status to_char(struct arus_rowwise *row, uint32_t i, struct arus_error *err)
{
    const struct number_call *call = row->call->expr->bound;
    const struct arus_vector *numbers = &row->call->args[0];
    const struct arus_decimal value = {
        arus_decimal_get(numbers->type, numbers->values, i * (uint32_t)ARUS_STEP(numbers)),
        numbers->type->scale};

    arus_buffer_reset(&row->buffer);
    ARUS_TRY(arus_number_format_write(&call->format, value, &row->buffer, err));
    return arus_row_bytes(row, i, row->buffer.data, row->buffer.size, err);
}
ARUS_ROWWISE(to_char)

/* to_char of a BINARY shows the call that it is, to_varchar itself. */
static enum arus_status varchar_text(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_expr *copy;

    if (!arus_text_equal_nocase(bind->name, ARUS_TEXT("to_varchar"))) {
        return ARUS_OK;
    }
    bind->name = ARUS_TEXT("to_varchar");
    ARUS_TRY(arus_args_text(bind, err));
    ARUS_TRY(ARUS_NEW(bind->arena, struct arus_expr, 1, &copy, err));
    *copy = *bind->replacement;
    copy->text = bind->text;
    bind->replacement = copy;
    return ARUS_OK;
}

static enum arus_status bind_binary(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_text format;

    ARUS_TRY(arus_arg_text(bind, 1, &format, err));
    if (format.data == NULL) {
        return arus_fail_at(err, bind->args[1]->place, "NON_FOLDABLE_ARGUMENT",
                            "`%.*s` of a BINARY takes a constant format: 'base64', 'hex', 'utf-8'",
                            ARUS_TEXT_ARGS(bind->name));
    }
    if (arus_text_equal_nocase(format, arus_text_of("utf-8"))) {
        ARUS_TRY(arus_bind_as(bind, "decode", err));
        return varchar_text(bind, err);
    }
    if (!arus_text_equal_nocase(format, arus_text_of("base64")) &&
        !arus_text_equal_nocase(format, arus_text_of("hex"))) {
        return arus_fail_at(err, bind->args[1]->place, "INVALID_PARAMETER_VALUE.BINARY_FORMAT",
                            "the formats of a BINARY are 'base64', 'hex', 'utf-8', not '%.*s'",
                            ARUS_TEXT_ARGS(format));
    }
    ARUS_TRY(arus_call_of(bind, format.size == 3 ? "hex" : "base64", bind->args, 1,
                          &bind->replacement, err));
    bind->arg_count = 1;
    return varchar_text(bind, err);
}

/* The decimal that Spark takes a number for. */
static enum arus_status take_decimal(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;
    struct arus_decimal_type wanted = {ARUS_DECIMAL_PRECISION_MAX, 18};
    const struct arus_type *type;

    if (id == ARUS_TYPE_DECIMAL) {
        return ARUS_OK;
    }
    if (arus_type_is_integer(bind->args[0]->type)) {
        wanted = arus_decimal_integer_type(id);
    } else if (id == ARUS_TYPE_FLOAT) {
        wanted = (struct arus_decimal_type){14, 7};
    } else if (id == ARUS_TYPE_DOUBLE) {
        wanted = (struct arus_decimal_type){30, 15};
    } else if (id != ARUS_TYPE_STRING && id != ARUS_TYPE_VOID) {
        return arus_fail_input(bind, 0, "DECIMAL", err);
    }
    ARUS_TRY(arus_type_decimal(wanted.precision, wanted.scale, bind->arena, &type, err));
    return arus_arg_cast(bind, 0, type, err);
}

static enum arus_status bind_to_char(struct arus_bind *bind, struct arus_error *err)
{
    const enum arus_type_id id = bind->args[0]->type->id;
    struct number_call *call;

    if (id == ARUS_TYPE_DATE || id == ARUS_TYPE_TIMESTAMP || id == ARUS_TYPE_TIMESTAMP_NTZ) {
        return arus_bind_as(bind, "date_format", err);
    }
    if (id == ARUS_TYPE_BINARY) {
        return bind_binary(bind, err);
    }
    bind->name = arus_text_of("to_char"); /* Spark shows to_varchar so */
    ARUS_TRY(arus_args_text(bind, err));
    ARUS_TRY(take_decimal(bind, err));
    ARUS_TRY(take_format(bind, &call, err));
    bind->type = &ARUS_STRING;
    if (call == NULL) {
        struct arus_expr *null;

        ARUS_TRY(arus_literal_null(&ARUS_STRING, bind->arena, &bind->replacement, err));
        ARUS_TRY(ARUS_NEW(bind->arena, struct arus_expr, 1, &null, err));
        *null = *bind->replacement;
        null->text = bind->text;
        bind->replacement = null;
    }
    return ARUS_OK;
}

const struct arus_function ARUS_NUMBER_FORMATS[] = {
    {.name = "to_number",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_to_number,
     .kernel = kernel_to_number,
     .signature = "to_number(s, 'format') -> DECIMAL",
     .help = "by a format of 0 9 . D , G $ S MI PR",
     .example = "to_number('$12,454.80', '$99,999.99')",
     .result = "12454.80"},
    {.name = "try_to_number",
     .flags = ARUS_STRICT,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_to_number,
     .kernel = kernel_to_number,
     .signature = "try_to_number(s, 'format') -> DECIMAL",
     .help = "as to_number; NULL if the text does not match",
     .example = "try_to_number('1x', '99')",
     .result = "NULL"},
    {.name = "to_char",
     .aliases = "to_varchar",
     .flags = ARUS_STRICT | ARUS_CAN_FAIL,
     .arg_min = 2,
     .arg_max = 2,
     .bind = bind_to_char,
     .kernel = kernel_to_char,
     .text = "",
     .signature = "to_char(x, 'format') -> STRING",
     .help = "a number by to_number's format, a time by date_format's, BINARY as 'base64', 'hex' "
             "or 'utf-8'",
     .example = "to_char(-12454.8, '99,999.9S')",
     .result = "12,454.8-"},
    {0},
};
