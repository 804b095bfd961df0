/* SET, RESET, SHOW, DESCRIBE: constant rows under Spark's column names. */
#include "plan/analyse_internal.h"
#include "plan/from_sql.h"
#include "plan/list.h"
#include "plan/resolve.h"
#include "plan/say.h"
#include "plan/settings.h"
#include "plan/tree.h"

#include <stdlib.h>

enum { COLUMN_MAX = 4 };

/* Rows being collected; a text without data is NULL. */
struct rows {
    struct arus_arena *arena;
    const char *const *names; /* NULL-terminated */
    struct arus_text (*items)[COLUMN_MAX];
    size_t count;
    size_t capacity;
    int boolean; /* column that is BOOLEAN; -1: none */
};

static enum arus_status add_row(struct rows *rows, const struct arus_text *cells, uint32_t count,
                                struct arus_error *err)
{
    ARUS_TRY(arus_list_grow(rows->arena, (void **)&rows->items, sizeof(*rows->items), rows->count,
                            &rows->capacity, err));
    for (uint32_t i = 0; i < COLUMN_MAX; i++) {
        rows->items[rows->count][i] = i < count ? cells[i] : (struct arus_text){0};
    }
    rows->count++;
    return ARUS_OK;
}

static enum arus_status text_column(const struct rows *rows, uint32_t column,
                                    struct arus_vector *out, struct arus_error *err)
{
    struct arus_view *views = NULL;

    ARUS_TRY(arus_vector_init(out, &ARUS_STRING, (uint32_t)rows->count, rows->arena, err));
    ARUS_TRY(arus_vector_need_validity(out, rows->arena, err));
    views = out->values;
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct arus_text text = rows->items[i][column];

        views[i] = arus_view_of(text.data == NULL ? "" : text.data, text.size);
        if (text.data == NULL) {
            arus_bit_clear(out->validity, i);
        }
    }
    return ARUS_OK;
}

static enum arus_status boolean_column(const struct rows *rows, uint32_t column,
                                       struct arus_vector *out, struct arus_error *err)
{
    uint8_t *values = NULL;

    ARUS_TRY(arus_vector_init(out, &ARUS_BOOLEAN, (uint32_t)rows->count, rows->arena, err));
    values = out->values;
    for (uint32_t i = 0; i < rows->count; i++) {
        values[i] = arus_text_equal(rows->items[i][column], ARUS_TEXT("true"));
    }
    return ARUS_OK;
}

/* The rows as the statement's query. */
static enum arus_status show_rows(struct arus_analysis *analysis, const struct rows *rows,
                                  struct arus_error *err)
{
    struct arus_field *fields = NULL;
    struct arus_plan *plan = NULL;
    uint32_t count = 0;

    ARUS_TRY(arus_plan_make(ARUS_PLAN_VALUES, analysis->out->place, NULL, NULL, rows->arena, &plan,
                            err));
    ARUS_TRY(ARUS_NEW(rows->arena, struct arus_field, COLUMN_MAX, &fields, err));
    ARUS_TRY(
        ARUS_NEW(rows->arena, struct arus_vector, COLUMN_MAX, &plan->values.rows.columns, err));
    for (; rows->names[count] != NULL; count++) {
        const bool is_boolean = (int)count == rows->boolean;

        fields[count] = (struct arus_field){
            arus_text_of(rows->names[count]), is_boolean ? &ARUS_BOOLEAN : &ARUS_STRING, true, {0}};
        ARUS_TRY(is_boolean ? boolean_column(rows, count, &plan->values.rows.columns[count], err)
                            : text_column(rows, count, &plan->values.rows.columns[count], err));
    }
    ARUS_TRY(arus_type_struct(fields, (uint16_t)count, rows->arena, &plan->schema, err));
    plan->values.rows.schema = plan->schema;
    plan->values.rows.row_count = (uint32_t)rows->count;
    analysis->out->kind = ARUS_ACTION_QUERY;
    return arus_analyse_batch(analysis->catalog, plan, &analysis->out->query, err);
}

static int compare_rows(const void *a, const void *b)
{
    const struct arus_text *left = a;
    const struct arus_text *right = b;

    for (int i = 0; i < COLUMN_MAX; i++) {
        const int order = arus_text_compare(left[i], right[i]);

        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static void sort_rows(struct rows *rows)
{
    if (rows->count > 1) {
        qsort(rows->items, rows->count, sizeof(*rows->items), compare_rows);
    }
}

/* ---- SET ---- */

static const char *const SET_NAMES[] = {"key", "value", NULL};
static const char *const SET_VERBOSE_NAMES[] = {"key", "value", "meaning", "Since version", NULL};

static enum arus_status show_settings(struct arus_analysis *analysis, bool is_verbose,
                                      struct arus_error *err)
{
    const struct arus_catalog *catalog = analysis->catalog;
    struct rows rows = {.arena = analysis->arena,
                        .names = is_verbose ? SET_VERBOSE_NAMES : SET_NAMES,
                        .boolean = -1};

    for (size_t i = 0; !is_verbose && i < catalog->entry_count; i++) {
        const struct arus_text cells[2] = {catalog->entries[i].key, catalog->entries[i].value};

        ARUS_TRY(add_row(&rows, cells, 2, err));
    }
    for (const struct arus_setting_row *row = ARUS_SETTINGS; is_verbose && row->key != NULL;
         row++) {
        struct arus_text cells[4] = {
            arus_text_of(row->key), {0}, arus_text_of(row->help), ARUS_TEXT("")};

        (void)arus_catalog_get(catalog, cells[0], &cells[1]);
        ARUS_TRY(add_row(&rows, cells, 4, err));
    }
    sort_rows(&rows);
    return show_rows(analysis, &rows, err);
}

static enum arus_status show_setting(struct arus_analysis *analysis, struct arus_text key,
                                     struct arus_text value, struct arus_error *err)
{
    struct rows rows = {.arena = analysis->arena, .names = SET_NAMES, .boolean = -1};
    const struct arus_text cells[2] = {key, value};

    ARUS_TRY(add_row(&rows, cells, 2, err));
    return show_rows(analysis, &rows, err);
}

static enum arus_status set_value(struct arus_analysis *analysis, struct arus_text key,
                                  struct arus_text value, struct arus_place key_place,
                                  struct arus_place value_place, struct arus_error *err)
{
    struct arus_buffer warning = {0};
    enum arus_status status =
        arus_catalog_set(analysis->catalog, key, value, value_place, &warning, err);

    if (status == ARUS_OK && warning.size > 0) {
        struct arus_error text = {.place = key_place, .condition = "ARUS_UNKNOWN_SETTING"};

        arus_say(&text, key_place, "ARUS_UNKNOWN_SETTING", "%.*s",
                 ARUS_TEXT_ARGS(arus_buffer_text(&warning)));
        status = arus_analyse_warn(analysis, &text, err);
    }
    arus_buffer_release(&warning);
    return status;
}

static enum arus_status set_time_zone(struct arus_analysis *analysis,
                                      const struct arus_ast_time_zone *from, struct arus_error *err)
{
    const struct arus_text key = ARUS_TEXT("spark.sql.session.timeZone");
    const struct arus_zone *local = NULL;
    struct arus_vector value;
    struct arus_text text;
    int64_t seconds = 0;

    if (from->is_local) {
        ARUS_TRY(arus_zone_local(analysis->arena, &local, err));
        return set_value(analysis, key, arus_zone_name(local), analysis->out->place,
                         analysis->out->place, err);
    }
    if (from->interval == NULL) {
        return set_value(analysis, key, from->zone.text, from->zone.place, from->zone.place, err);
    }
    ARUS_TRY(arus_from_sql_interval(&from->interval->interval, from->interval->place,
                                    analysis->arena, &value, err));
    if (value.type->id == ARUS_TYPE_INTERVAL_DT) {
        seconds = ((const int64_t *)value.values)[0] / 1000000;
    }
    if (value.type->id != ARUS_TYPE_INTERVAL_DT || seconds > 18 * 3600 || seconds < -18 * 3600) {
        return arus_fail_at(err, from->interval->place,
                            "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE",
                            "a time zone lies between -18:00 and +18:00");
    }
    ARUS_TRY(arus_text_format(analysis->arena, &text, err, "%c%02lld:%02lld",
                              seconds < 0 ? '-' : '+', llabs(seconds) / 3600,
                              llabs(seconds) / 60 % 60));
    return set_value(analysis, key, text, from->interval->place, from->interval->place, err);
}

enum arus_status arus_analyse_setting(struct arus_analysis *analysis,
                                      const struct arus_ast_statement *statement,
                                      struct arus_error *err)
{
    const struct arus_ast_setting *setting = &statement->setting;
    struct arus_text value = ARUS_TEXT("<undefined>");

    if (statement->kind == ARUS_AST_SET_TIME_ZONE) {
        return set_time_zone(analysis, &statement->time_zone, err);
    }
    if (statement->kind == ARUS_AST_RESET) {
        return arus_catalog_reset(analysis->catalog, setting->key.text, err);
    }
    if (setting->key.text.data == NULL) {
        return show_settings(analysis, setting->is_verbose, err);
    }
    if (setting->value.text.data == NULL) {
        (void)arus_catalog_get(analysis->catalog, setting->key.text, &value);
        return show_setting(analysis, setting->key.text, value, err);
    }
    return set_value(analysis, setting->key.text, setting->value.text, setting->key.place,
                     setting->value.place, err);
}

/* ---- DESCRIBE ---- */

static const char *const DESCRIBE_NAMES[] = {"col_name", "data_type", "comment", NULL};

static enum arus_status add_fields(struct rows *rows, const struct arus_type *schema,
                                   struct arus_error *err)
{
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct arus_field *field = &schema->fields[i];
        struct arus_text cells[3] = {field->name, {0}, field->comment};
        struct arus_buffer type = {0};
        enum arus_status status = arus_type_simple(field->type, &type, err);

        if (status == ARUS_OK) {
            status = arus_text_copy(arus_buffer_text(&type), rows->arena, &cells[1], err);
        }
        arus_buffer_release(&type);
        ARUS_TRY(status);
        ARUS_TRY(add_row(rows, cells, 3, err));
    }
    return ARUS_OK;
}

static enum arus_status add_line(struct rows *rows, const char *name, struct arus_text value,
                                 struct arus_error *err)
{
    const struct arus_text cells[3] = {arus_text_of(name), value, ARUS_TEXT("")};

    return add_row(rows, cells, 3, err);
}

static enum arus_status add_details(struct rows *rows, const struct arus_relation *relation,
                                    struct arus_error *err)
{
    static const char *const KINDS[] = {"TABLE", "VIEW", "STREAMING_TABLE", "BROKEN"};

    ARUS_TRY(add_line(rows, "", ARUS_TEXT(""), err));
    ARUS_TRY(add_line(rows, "# Detailed Table Information", ARUS_TEXT(""), err));
    ARUS_TRY(add_line(rows, "Name", relation->name, err));
    ARUS_TRY(add_line(rows, "Type", arus_text_of(KINDS[relation->kind]), err));
    if (relation->comment.size > 0) {
        ARUS_TRY(add_line(rows, "Comment", relation->comment, err));
    }
    if (relation->table == NULL) {
        return ARUS_OK;
    }
    ARUS_TRY(add_line(rows, "Provider", arus_text_of(relation->table->connector->name), err));
    for (size_t i = 0; i < relation->table->options.count; i++) {
        const struct arus_setting *option = &relation->table->options.items[i];
        struct arus_text key;

        ARUS_TRY(arus_text_copy(option->key, rows->arena, &key, err));
        ARUS_TRY(add_line(rows, key.data, option->value, err));
    }
    return ARUS_OK;
}

/* The schema of a relation: declared, or found by binding it. */
static enum arus_status relation_schema(struct arus_analysis *analysis,
                                        const struct arus_ast_names *name,
                                        const struct arus_type **out, struct arus_error *err)
{
    const struct arus_ast_name *last = &name->items[name->count - 1];
    struct arus_urel table = {.kind = ARUS_UREL_TABLE, .place = last->place};
    struct arus_plan *plan = NULL;
    uint32_t stream_count = 0;

    table.name = (struct arus_uname){&last->text, 1, last->place};
    ARUS_TRY(arus_resolve_query(analysis->catalog, &table, &plan, &stream_count, err));
    *out = plan->schema;
    return ARUS_OK;
}

static enum arus_status describe_table(struct arus_analysis *analysis,
                                       const struct arus_ast_describe *describe, struct rows *rows,
                                       struct arus_error *err)
{
    const struct arus_relation *relation =
        arus_catalog_find(analysis->catalog, describe->name.items[describe->name.count - 1].text);
    const struct arus_type *schema = NULL;

    if (relation != NULL && relation->table != NULL && relation->table->declared != NULL) {
        schema = relation->table->declared;
    } else {
        ARUS_TRY(relation_schema(analysis, &describe->name, &schema, err));
    }
    ARUS_TRY(add_fields(rows, schema, err));
    return describe->is_extended && relation != NULL ? add_details(rows, relation, err) : ARUS_OK;
}

static enum arus_status describe_function(struct arus_analysis *analysis,
                                          const struct arus_ast_describe *describe,
                                          struct arus_error *err)
{
    static const char *const NAMES[] = {"function_desc", NULL};
    const struct arus_ast_name *name = &describe->name.items[describe->name.count - 1];
    const struct arus_function *function = arus_function_find(name->text);
    struct rows rows = {.arena = analysis->arena, .names = NAMES, .boolean = -1};
    struct arus_text cell;

    if (function == NULL || function->help == NULL) {
        return arus_fail_at(err, name->place, "UNRESOLVED_ROUTINE", "there is no function `%.*s`",
                            ARUS_TEXT_ARGS(name->text));
    }
    ARUS_TRY(arus_text_format(analysis->arena, &cell, err, "Function: %.*s",
                              ARUS_TEXT_ARGS(name->text)));
    ARUS_TRY(add_row(&rows, &cell, 1, err));
    ARUS_TRY(arus_text_format(analysis->arena, &cell, err, "Usage: %s - %s", function->signature,
                              function->help));
    ARUS_TRY(add_row(&rows, &cell, 1, err));
    if (describe->is_extended) {
        ARUS_TRY(arus_text_format(analysis->arena, &cell, err, "Example: SELECT %s; -- %s",
                                  function->example, function->result));
        ARUS_TRY(add_row(&rows, &cell, 1, err));
    }
    return show_rows(analysis, &rows, err);
}

enum arus_status arus_analyse_describe(struct arus_analysis *analysis,
                                       const struct arus_ast_describe *describe,
                                       struct arus_error *err)
{
    struct rows rows = {.arena = analysis->arena, .names = DESCRIBE_NAMES, .boolean = -1};
    const struct arus_urel *from = NULL;
    struct arus_plan *plan = NULL;
    uint32_t stream_count = 0;

    switch (describe->what) {
    case ARUS_AST_DESCRIBE_TABLE:
        ARUS_TRY(describe_table(analysis, describe, &rows, err));
        break;
    case ARUS_AST_DESCRIBE_QUERY:
        ARUS_TRY(arus_from_sql_query(describe->query, analysis->arena, &from, err));
        ARUS_TRY(arus_resolve_query(analysis->catalog, from, &plan, &stream_count, err));
        ARUS_TRY(add_fields(&rows, plan->schema, err));
        break;
    case ARUS_AST_DESCRIBE_FUNCTION:
        return describe_function(analysis, describe, err);
    }
    return show_rows(analysis, &rows, err);
}

/* ---- SHOW ---- */

/* `a*|b`: `*` is any text, `|` separates patterns; letters compare without case */
static bool matches_one(struct arus_text text, struct arus_text pattern)
{
    if (pattern.size == 0) {
        return text.size == 0;
    }
    if (pattern.data[0] == '*') {
        const struct arus_text rest = {pattern.data + 1, pattern.size - 1};

        for (size_t skip = 0; skip <= text.size; skip++) {
            if (matches_one((struct arus_text){text.data + skip, text.size - skip}, rest)) {
                return true;
            }
        }
        return false;
    }
    return text.size > 0 &&
           arus_text_equal_nocase((struct arus_text){text.data, 1},
                                  (struct arus_text){pattern.data, 1}) &&
           matches_one((struct arus_text){text.data + 1, text.size - 1},
                       (struct arus_text){pattern.data + 1, pattern.size - 1});
}

static bool matches(struct arus_text text, const struct arus_ast_string *pattern)
{
    struct arus_text rest = pattern->text;

    if (rest.data == NULL) {
        return true;
    }
    for (;;) {
        const char *bar = rest.size == 0 ? NULL : memchr(rest.data, '|', rest.size);
        const struct arus_text one = {rest.data,
                                      bar == NULL ? rest.size : (size_t)(bar - rest.data)};

        if (matches_one(text, one)) {
            return true;
        }
        if (bar == NULL) {
            return false;
        }
        rest = (struct arus_text){bar + 1, rest.size - one.size - 1};
    }
}

static enum arus_status show_relations(struct arus_analysis *analysis,
                                       const struct arus_ast_show *show, struct arus_error *err)
{
    static const char *const TABLE_NAMES[] = {"namespace", "tableName", "isTemporary", NULL};
    static const char *const VIEW_NAMES[] = {"namespace", "viewName", "isTemporary", NULL};
    const bool views_only = show->what == ARUS_AST_SHOW_VIEWS;
    struct rows rows = {
        .arena = analysis->arena, .names = views_only ? VIEW_NAMES : TABLE_NAMES, .boolean = 2};

    for (size_t i = 0; i < analysis->catalog->relation_count; i++) {
        const struct arus_relation *relation = &analysis->catalog->relations[i];
        const bool is_view = relation->kind == ARUS_RELATION_VIEW;
        const struct arus_text cells[3] = {is_view ? ARUS_TEXT("") : ARUS_TEXT("default"),
                                           relation->name,
                                           is_view ? ARUS_TEXT("true") : ARUS_TEXT("false")};

        if (relation->kind != ARUS_RELATION_BROKEN && (is_view || !views_only) &&
            matches(relation->name, &show->pattern)) {
            ARUS_TRY(add_row(&rows, cells, 3, err));
        }
    }
    sort_rows(&rows);
    return show_rows(analysis, &rows, err);
}

/* Its name and its other names. */
static enum arus_status add_function(struct rows *rows, const struct arus_function *function,
                                     const struct arus_ast_show *show, struct arus_error *err)
{
    const char *names = function->name;
    size_t size = strlen(names);

    for (const char *more = function->aliases; names != NULL;) {
        const struct arus_text name = {names, size};

        if (matches(name, &show->pattern)) {
            ARUS_TRY(add_row(rows, &name, 1, err));
        }
        names = more == NULL || *more == '\0' ? NULL : more;
        size = names == NULL ? 0 : strcspn(names, " ");
        more = names == NULL ? NULL : names + size + (names[size] == ' ');
    }
    return ARUS_OK;
}

static enum arus_status show_functions(struct arus_analysis *analysis,
                                       const struct arus_ast_show *show, struct arus_error *err)
{
    static const char *const NAMES[] = {"function", NULL};
    struct rows rows = {.arena = analysis->arena, .names = NAMES, .boolean = -1};

    for (size_t family = 0; ARUS_FUNCTION_FAMILIES[family] != NULL; family++) {
        for (const struct arus_function *row = ARUS_FUNCTION_FAMILIES[family]; row->name != NULL;
             row++) {
            if (row->help != NULL) {
                ARUS_TRY(add_function(&rows, row, show, err));
            }
        }
    }
    sort_rows(&rows);
    return show_rows(analysis, &rows, err);
}

static enum arus_status show_columns(struct arus_analysis *analysis,
                                     const struct arus_ast_show *show, struct arus_error *err)
{
    static const char *const NAMES[] = {"col_name", NULL};
    struct rows rows = {.arena = analysis->arena, .names = NAMES, .boolean = -1};
    const struct arus_type *schema = NULL;

    ARUS_TRY(relation_schema(analysis, &show->name, &schema, err));
    for (uint32_t i = 0; i < schema->field_count; i++) {
        ARUS_TRY(add_row(&rows, &schema->fields[i].name, 1, err));
    }
    return show_rows(analysis, &rows, err);
}

static enum arus_status find_shown(struct arus_analysis *analysis, const struct arus_ast_show *show,
                                   const struct arus_relation **out, struct arus_error *err)
{
    const struct arus_ast_name *name = &show->name.items[show->name.count - 1];

    *out = arus_catalog_find(analysis->catalog, name->text);
    return *out != NULL
               ? ARUS_OK
               : arus_fail_at(err, name->place, "TABLE_OR_VIEW_NOT_FOUND",
                              "there is no table or view `%.*s`", ARUS_TEXT_ARGS(name->text));
}

static enum arus_status show_properties(struct arus_analysis *analysis,
                                        const struct arus_ast_show *show, struct arus_error *err)
{
    struct rows rows = {.arena = analysis->arena, .names = SET_NAMES, .boolean = -1};
    const struct arus_relation *relation = NULL;

    ARUS_TRY(find_shown(analysis, show, &relation, err));
    for (size_t i = 0; relation->table != NULL && i < relation->table->options.count; i++) {
        const struct arus_setting *option = &relation->table->options.items[i];
        const struct arus_text cells[2] = {option->key, option->value};

        if (show->pattern.text.data == NULL ||
            arus_text_equal_nocase(show->pattern.text, option->key)) {
            ARUS_TRY(add_row(&rows, cells, 2, err));
        }
    }
    return show_rows(analysis, &rows, err);
}

static enum arus_status create_text(const struct arus_relation *relation, struct arus_buffer *out,
                                    struct arus_error *err)
{
    const struct arus_table *table = relation->table;

    ARUS_TRY(arus_buffer_printf(out, err, "CREATE TABLE %.*s", ARUS_TEXT_ARGS(relation->name)));
    if (table->declared != NULL) {
        ARUS_TRY(arus_buffer_printf(out, err, " ("));
        ARUS_TRY(arus_schema_ddl(table->declared, out, err));
        ARUS_TRY(arus_buffer_append_char(out, ')', err));
    }
    ARUS_TRY(arus_buffer_printf(out, err, "\nUSING %s", table->connector->name));
    for (size_t i = 0; i < table->options.count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "%s'%.*s' = '%.*s'",
                                    i == 0 ? "\nOPTIONS (\n  " : ",\n  ",
                                    ARUS_TEXT_ARGS(table->options.items[i].key),
                                    ARUS_TEXT_ARGS(table->options.items[i].value)));
    }
    return table->options.count == 0 ? ARUS_OK : arus_buffer_append_char(out, ')', err);
}

static enum arus_status show_create(struct arus_analysis *analysis,
                                    const struct arus_ast_show *show, struct arus_error *err)
{
    static const char *const NAMES[] = {"createtab_stmt", NULL};
    struct rows rows = {.arena = analysis->arena, .names = NAMES, .boolean = -1};
    const struct arus_relation *relation = NULL;
    struct arus_buffer buffer = {0};
    struct arus_text text;
    enum arus_status status;

    ARUS_TRY(find_shown(analysis, show, &relation, err));
    if (relation->kind != ARUS_RELATION_TABLE) {
        return arus_refuse(err, show->name.items[0].place, "SHOW CREATE TABLE of a view is");
    }
    status = create_text(relation, &buffer, err);
    if (status == ARUS_OK) {
        status = arus_text_copy(arus_buffer_text(&buffer), analysis->arena, &text, err);
    }
    arus_buffer_release(&buffer);
    ARUS_TRY(status);
    ARUS_TRY(add_row(&rows, &text, 1, err));
    return show_rows(analysis, &rows, err);
}

enum arus_status arus_analyse_show(struct arus_analysis *analysis, const struct arus_ast_show *show,
                                   struct arus_error *err)
{
    switch (show->what) {
    case ARUS_AST_SHOW_TABLES:
    case ARUS_AST_SHOW_VIEWS:
        return show_relations(analysis, show, err);
    case ARUS_AST_SHOW_FUNCTIONS:
        return show_functions(analysis, show, err);
    case ARUS_AST_SHOW_COLUMNS:
        return show_columns(analysis, show, err);
    case ARUS_AST_SHOW_CREATE_TABLE:
        return show_create(analysis, show, err);
    case ARUS_AST_SHOW_TBLPROPERTIES:
        return show_properties(analysis, show, err);
    }
    return ARUS_OK;
}
