/** Expressions as text, for tests and `explain -vv`. */
#include "sql/print_internal.h"

static void put_list(struct arus_ast_printer *pr, const struct arus_ast_expr *const *items,
                     uint32_t count, const char *separator)
{
    for (uint32_t i = 0; i < count; i++) {
        arus_ast_put(pr, "%s", i == 0 ? "" : separator);
        arus_ast_put_expr(pr, items[i]);
    }
}

static void put_literal(struct arus_ast_printer *pr, const struct arus_ast_literal *literal)
{
    static const char *const TYPES[] = {
        [ARUS_AST_NULL] = "",
        [ARUS_AST_BOOLEAN] = "",
        [ARUS_AST_TINYINT] = "Y",
        [ARUS_AST_SMALLINT] = "S",
        [ARUS_AST_INT] = "",
        [ARUS_AST_BIGINT] = "L",
        [ARUS_AST_DECIMAL] = "BD",
        [ARUS_AST_FLOAT] = "F",
        [ARUS_AST_DOUBLE] = "D",
        [ARUS_AST_STRING] = "",
        [ARUS_AST_BINARY_VALUE] = "X",
        [ARUS_AST_DATE] = "DATE ",
        [ARUS_AST_TIMESTAMP] = "TIMESTAMP ",
        [ARUS_AST_TIMESTAMP_NTZ] = "TIMESTAMP_NTZ ",
        [ARUS_AST_TIMESTAMP_LTZ] = "TIMESTAMP_LTZ ",
        [ARUS_AST_TIME] = "TIME ",
    };
    const char *type = TYPES[literal->kind];

    if (literal->kind == ARUS_AST_BINARY_VALUE) {
        arus_ast_put(pr, "X'");
        for (size_t i = 0; i < literal->text.size; i++) {
            arus_ast_put(pr, "%02X", (unsigned)(unsigned char)literal->text.data[i]);
        }
        arus_ast_put(pr, "'");
    } else if (literal->kind < ARUS_AST_STRING) {
        arus_ast_put(pr, "%.*s%s", ARUS_TEXT_ARGS(literal->text), type);
    } else {
        arus_ast_put(pr, "%s'%.*s'", type, ARUS_TEXT_ARGS(literal->text));
    }
}

static const char *unit_name(enum arus_ast_unit unit)
{
    static const char *const NAMES[] = {"YEAR",   "MONTH",  "WEEK",        "DAY",        "HOUR",
                                        "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"};

    return NAMES[unit];
}

static void put_interval(struct arus_ast_printer *pr, const struct arus_ast_interval *interval)
{
    arus_ast_put(pr, "INTERVAL");
    for (uint32_t i = 0; i < interval->part_count; i++) {
        const struct arus_ast_interval_part *part = &interval->parts[i];

        arus_ast_put(pr, " %s'%.*s'", part->is_negative ? "-" : "", ARUS_TEXT_ARGS(part->value));
        if (interval->form != ARUS_AST_INTERVAL_TEXT) {
            arus_ast_put(pr, " %s", unit_name(part->unit));
        }
    }
    if (interval->form == ARUS_AST_INTERVAL_RANGE) {
        arus_ast_put(pr, " TO %s", unit_name(interval->to));
    }
}

const char *arus_ast_op_name(enum arus_ast_op op)
{
    static const char *const NAMES[] = {
        [ARUS_AST_NOT] = "NOT",
        [ARUS_AST_NEGATE] = "-",
        [ARUS_AST_PLUS_SIGN] = "+",
        [ARUS_AST_BIT_NOT] = "~",
        [ARUS_AST_MULTIPLY] = "*",
        [ARUS_AST_DIVIDE] = "/",
        [ARUS_AST_MODULO] = "%",
        [ARUS_AST_DIV] = "div",
        [ARUS_AST_ADD] = "+",
        [ARUS_AST_SUBTRACT] = "-",
        [ARUS_AST_CONCAT] = "||",
        [ARUS_AST_SHIFT_LEFT] = "<<",
        [ARUS_AST_SHIFT_RIGHT] = ">>",
        [ARUS_AST_SHIFT_RIGHT_UNSIGNED] = ">>>",
        [ARUS_AST_BIT_AND] = "&",
        [ARUS_AST_BIT_XOR] = "^",
        [ARUS_AST_BIT_OR] = "|",
        [ARUS_AST_EQUAL] = "=",
        [ARUS_AST_EQUAL_NULL] = "<=>",
        [ARUS_AST_NOT_EQUAL] = "<>",
        [ARUS_AST_LESS] = "<",
        [ARUS_AST_LESS_EQUAL] = "<=",
        [ARUS_AST_GREATER] = ">",
        [ARUS_AST_GREATER_EQUAL] = ">=",
        [ARUS_AST_DISTINCT_FROM] = "IS DISTINCT FROM",
        [ARUS_AST_NOT_DISTINCT_FROM] = "<=>",
    };

    return NAMES[op];
}

static void put_star(struct arus_ast_printer *pr, const struct arus_ast_star *star)
{
    arus_ast_put_names(pr, star->qualifier, ".");
    arus_ast_put(pr, "%s*", star->qualifier.count == 0 ? "" : ".");
    for (uint32_t i = 0; i < star->except_count; i++) {
        arus_ast_put(pr, "%s", i == 0 ? " EXCEPT (" : ", ");
        arus_ast_put_names(pr, star->excepts[i], ".");
    }
    arus_ast_put(pr, "%s", star->except_count == 0 ? "" : ")");
}

static void put_is(struct arus_ast_printer *pr, const struct arus_ast_expr *expr)
{
    static const char *const TESTS[] = {"NULL", "TRUE", "FALSE", "UNKNOWN"};

    arus_ast_put_expr(pr, expr->args[0]);
    arus_ast_put(pr, " IS %s%s", expr->is_not ? "NOT " : "", TESTS[expr->test]);
}

static void put_between(struct arus_ast_printer *pr, const struct arus_ast_expr *expr)
{
    arus_ast_put_expr(pr, expr->args[0]);
    arus_ast_put(pr, " %sBETWEEN ", expr->is_not ? "NOT " : "");
    put_list(pr, expr->args + 1, 2, " AND ");
}

static void put_in(struct arus_ast_printer *pr, const struct arus_ast_expr *expr)
{
    arus_ast_put_expr(pr, expr->args[0]);
    arus_ast_put(pr, " %sIN (", expr->is_not ? "NOT " : "");
    if (expr->kind == ARUS_AST_IN_QUERY) {
        arus_ast_put_query(pr, expr->query);
    } else {
        put_list(pr, expr->args + 1, expr->arg_count - 1, ", ");
    }
    arus_ast_put(pr, ")");
}

static void put_like(struct arus_ast_printer *pr, const struct arus_ast_expr *expr)
{
    static const char *const OPS[] = {"LIKE", "ILIKE", "RLIKE"};
    static const char *const QUANTIFIERS[] = {"", "ANY (", "ALL ("};
    const struct arus_ast_like *like = &expr->like;

    arus_ast_put_expr(pr, expr->args[0]);
    arus_ast_put(pr, " %s%s %s", expr->is_not ? "NOT " : "", OPS[like->op],
                 QUANTIFIERS[like->quantifier]);
    put_list(pr, expr->args + 1, expr->arg_count - 1, ", ");
    arus_ast_put(pr, "%s", like->quantifier == ARUS_AST_ONE ? "" : ")");
    if (like->escape.data != NULL) {
        arus_ast_put(pr, " ESCAPE '%.*s'", ARUS_TEXT_ARGS(like->escape));
    }
}

static void put_case(struct arus_ast_printer *pr, const struct arus_ast_case *c)
{
    arus_ast_put(pr, "CASE");
    if (c->operand != NULL) {
        arus_ast_put(pr, " ");
        arus_ast_put_expr(pr, c->operand);
    }
    for (uint32_t i = 0; i < c->branch_count; i++) {
        arus_ast_put(pr, " WHEN ");
        arus_ast_put_expr(pr, c->whens[i]);
        arus_ast_put(pr, " THEN ");
        arus_ast_put_expr(pr, c->thens[i]);
    }
    if (c->otherwise != NULL) {
        arus_ast_put(pr, " ELSE ");
        arus_ast_put_expr(pr, c->otherwise);
    }
    arus_ast_put(pr, " END");
}

static void put_cast(struct arus_ast_printer *pr, const struct arus_ast_expr *expr)
{
    arus_ast_put(pr, "%s(", expr->cast.form == ARUS_AST_TRY_CAST ? "TRY_CAST" : "CAST");
    arus_ast_put_expr(pr, expr->args[0]);
    arus_ast_put(pr, " AS %.*s)", ARUS_TEXT_ARGS(expr->cast.type.text));
}

static void put_argument(struct arus_ast_printer *pr, const struct arus_ast_arg *arg)
{
    if (arg->form == ARUS_AST_ARG_NAMED) {
        arus_ast_put(pr, "%.*s => ", ARUS_TEXT_ARGS(arg->name.text));
    }
    arus_ast_put_expr(pr, arg->expr);
    if (arg->form == ARUS_AST_ARG_ALIAS) {
        arus_ast_put(pr, " AS %.*s", ARUS_TEXT_ARGS(arg->name.text));
    }
}

static void put_over(struct arus_ast_printer *pr, const struct arus_ast_over *over)
{
    arus_ast_put(pr, " OVER (%.*s", ARUS_TEXT_ARGS(over->window.text));
    if (over->partition_count != 0) {
        arus_ast_put(pr, "PARTITION BY ");
        put_list(pr, over->partition_by, over->partition_count, ", ");
    }
    arus_ast_put_order(pr, &over->order);
    arus_ast_put(pr, "%s%.*s)", over->frame.size == 0 ? "" : " ", ARUS_TEXT_ARGS(over->frame));
}

static void put_call(struct arus_ast_printer *pr, const struct arus_ast_call *call)
{
    static const char *const NULLS[] = {"", " IGNORE NULLS", " RESPECT NULLS"};

    arus_ast_put_names(pr, call->name, ".");
    if (call->form == ARUS_AST_CALL_NILADIC) {
        return;
    }
    arus_ast_put(pr, "(%s", call->is_distinct ? "DISTINCT " : "");
    for (uint32_t i = 0; i < call->arg_count; i++) {
        arus_ast_put(pr, "%s", i == 0 ? "" : ", ");
        put_argument(pr, &call->args[i]);
    }
    arus_ast_put(pr, ")%s", NULLS[call->nulls]);
    if (call->within_group.count != 0) {
        arus_ast_put(pr, " WITHIN GROUP (");
        arus_ast_put_order(pr, &call->within_group);
        arus_ast_put(pr, ")");
    }
    if (call->filter != NULL) {
        arus_ast_put(pr, " FILTER (WHERE ");
        arus_ast_put_expr(pr, call->filter);
        arus_ast_put(pr, ")");
    }
    if (call->over != NULL) {
        put_over(pr, call->over);
    }
}

static void put_query(struct arus_ast_printer *pr, const char *word,
                      const struct arus_ast_query *query)
{
    arus_ast_put(pr, "%s(", word);
    arus_ast_put_query(pr, query);
    arus_ast_put(pr, ")");
}

/* Kinds whose text needs parentheses inside another expression. */
static void put_operation(struct arus_ast_printer *pr, const struct arus_ast_expr *expr)
{
    arus_ast_put(pr, "(");
    switch (expr->kind) {
    case ARUS_AST_UNARY:
        arus_ast_put(pr, "%s%s", arus_ast_op_name(expr->op),
                     expr->op == ARUS_AST_BIT_NOT ? "" : " ");
        arus_ast_put_expr(pr, expr->args[0]);
        break;
    case ARUS_AST_BINARY:
        arus_ast_put_expr(pr, expr->args[0]);
        arus_ast_put(pr, " %s ", arus_ast_op_name(expr->op));
        arus_ast_put_expr(pr, expr->args[1]);
        break;
    case ARUS_AST_AND:
        put_list(pr, expr->args, expr->arg_count, " AND ");
        break;
    case ARUS_AST_OR:
        put_list(pr, expr->args, expr->arg_count, " OR ");
        break;
    case ARUS_AST_ROW:
        put_list(pr, expr->args, expr->arg_count, ", ");
        break;
    case ARUS_AST_IS:
        put_is(pr, expr);
        break;
    case ARUS_AST_BETWEEN:
        put_between(pr, expr);
        break;
    case ARUS_AST_IN:
    case ARUS_AST_IN_QUERY:
        put_in(pr, expr);
        break;
    case ARUS_AST_LIKE:
        put_like(pr, expr);
        break;
    case ARUS_AST_LAMBDA:
        arus_ast_put_names(pr, expr->names, ", ");
        arus_ast_put(pr, " -> ");
        arus_ast_put_expr(pr, expr->args[0]);
        break;
    case ARUS_AST_LITERAL:
    case ARUS_AST_INTERVAL:
    case ARUS_AST_COLUMN:
    case ARUS_AST_STAR:
    case ARUS_AST_EXISTS:
    case ARUS_AST_SCALAR_QUERY:
    case ARUS_AST_CASE:
    case ARUS_AST_CAST:
    case ARUS_AST_CALL:
    case ARUS_AST_INDEX:
    case ARUS_AST_FIELD:
    case ARUS_AST_TABLE_ARG:
        break;
    }
    arus_ast_put(pr, ")");
}

static void put_postfix(struct arus_ast_printer *pr, const struct arus_ast_expr *expr)
{
    arus_ast_put_expr(pr, expr->args[0]);
    if (expr->kind == ARUS_AST_FIELD) {
        arus_ast_put(pr, ".");
        arus_ast_put_names(pr, expr->names, ".");
        return;
    }
    arus_ast_put(pr, "[");
    arus_ast_put_expr(pr, expr->args[1]);
    arus_ast_put(pr, "]");
}

void arus_ast_put_expr(struct arus_ast_printer *pr, const struct arus_ast_expr *expr)
{
    switch (expr->kind) {
    case ARUS_AST_LITERAL:
        put_literal(pr, &expr->literal);
        return;
    case ARUS_AST_INTERVAL:
        put_interval(pr, &expr->interval);
        return;
    case ARUS_AST_COLUMN:
        arus_ast_put_names(pr, expr->names, ".");
        return;
    case ARUS_AST_STAR:
        put_star(pr, &expr->star);
        return;
    case ARUS_AST_CASE:
        put_case(pr, &expr->case_);
        return;
    case ARUS_AST_CAST:
        put_cast(pr, expr);
        return;
    case ARUS_AST_CALL:
        put_call(pr, &expr->call);
        return;
    case ARUS_AST_INDEX:
    case ARUS_AST_FIELD:
        put_postfix(pr, expr);
        return;
    case ARUS_AST_EXISTS:
        put_query(pr, "EXISTS ", expr->query);
        return;
    case ARUS_AST_SCALAR_QUERY:
        put_query(pr, "", expr->query);
        return;
    case ARUS_AST_TABLE_ARG:
        put_query(pr, "TABLE", expr->query);
        return;
    case ARUS_AST_UNARY:
    case ARUS_AST_BINARY:
    case ARUS_AST_AND:
    case ARUS_AST_OR:
    case ARUS_AST_IS:
    case ARUS_AST_BETWEEN:
    case ARUS_AST_IN:
    case ARUS_AST_IN_QUERY:
    case ARUS_AST_LIKE:
    case ARUS_AST_LAMBDA:
    case ARUS_AST_ROW:
        put_operation(pr, expr);
        return;
    }
}

void arus_ast_put_order(struct arus_ast_printer *pr, const struct arus_ast_order *order)
{
    static const char *const NULLS[] = {"", " NULLS FIRST", " NULLS LAST"};

    for (uint32_t i = 0; i < order->count; i++) {
        const struct arus_ast_order_item *item = &order->items[i];

        arus_ast_put(pr, "%s", i == 0 ? "ORDER BY " : ", ");
        if (item->expr == NULL) {
            arus_ast_put(pr, "ALL");
        } else {
            arus_ast_put_expr(pr, item->expr);
        }
        arus_ast_put(pr, "%s%s", item->is_descending ? " DESC" : "", NULLS[item->nulls]);
    }
}
