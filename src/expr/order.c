/** WITHIN GROUP (ORDER BY ..): checks and text. */
#include "expr/coerce.h"

enum arus_status arus_orders_take(const struct arus_bind *bind, uint32_t min, uint32_t max,
                                  struct arus_error *err)
{
    if (bind->order_count == 0 && min > 0) {
        return arus_fail_at(err, bind->place,
                            "INVALID_WITHIN_GROUP_EXPRESSION.WITHIN_GROUP_MISSING",
                            "`%.*s` needs WITHIN GROUP (ORDER BY x)", ARUS_TEXT_ARGS(bind->name));
    }
    if (bind->order_count < min || bind->order_count > max) {
        return arus_fail_at(err, bind->place, "INVALID_WITHIN_GROUP_EXPRESSION.WRONG_NUM_ORDERINGS",
                            "`%.*s` takes %u key%s in WITHIN GROUP, not %u",
                            ARUS_TEXT_ARGS(bind->name), max, max == 1 ? "" : "s",
                            bind->order_count);
    }
    if (bind->is_distinct && bind->order_count > 0) {
        return arus_fail_at(
            err, bind->place, "INVALID_WITHIN_GROUP_EXPRESSION.DISTINCT_UNSUPPORTED",
            "`%.*s` takes no DISTINCT with WITHIN GROUP", ARUS_TEXT_ARGS(bind->name));
    }
    return ARUS_OK;
}

static enum arus_status put_args(const struct arus_bind *bind, struct arus_buffer *out,
                                 struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "%.*s(%s", ARUS_TEXT_ARGS(bind->name),
                                bind->is_distinct ? "DISTINCT " : ""));
    for (uint32_t i = 0; i < bind->arg_count; i++) {
        ARUS_TRY(arus_buffer_append_text(out, arus_text_of(i > 0 ? ", " : ""), err));
        ARUS_TRY(arus_expr_text(bind->args[i], out, err));
    }
    return arus_buffer_append_char(out, ')', err);
}

static enum arus_status put_orders(const struct arus_bind *bind, bool says_all,
                                   struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_append_text(out, ARUS_TEXT(" WITHIN GROUP (ORDER BY "), err));
    for (uint32_t k = 0; k < bind->order_count; k++) {
        const struct arus_order *order = &bind->orders[k];
        const char *direction = order->is_descending ? " DESC" : says_all ? " ASC" : "";

        ARUS_TRY(arus_buffer_append_text(out, arus_text_of(k > 0 ? ", " : ""), err));
        ARUS_TRY(arus_expr_text(order->expr, out, err));
        ARUS_TRY(arus_buffer_append_text(out, arus_text_of(direction), err));
        if (says_all) {
            ARUS_TRY(arus_buffer_append_text(
                out, arus_text_of(order->nulls_first ? " NULLS FIRST" : " NULLS LAST"), err));
        }
    }
    return arus_buffer_append_char(out, ')', err);
}

enum arus_status arus_orders_text(struct arus_bind *bind, bool says_all, struct arus_error *err)
{
    struct arus_buffer text = {0};
    enum arus_status status = put_args(bind, &text, err);

    if (status == ARUS_OK && bind->order_count > 0) {
        status = put_orders(bind, says_all, &text, err);
    }
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&text), bind->arena, &bind->text, err);
    }
    arus_buffer_release(&text);
    return status;
}

enum arus_status arus_args_text(struct arus_bind *bind, struct arus_error *err)
{
    struct arus_bind plain = *bind;

    plain.order_count = 0;
    ARUS_TRY(arus_orders_text(&plain, false, err));
    bind->text = plain.text;
    return ARUS_OK;
}
