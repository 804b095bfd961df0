/** DESCRIBE TABLE knows the columns of everything that has a name. */
#include "cli/names.h"

#include "base/alloc.h"
#include "column/vector.h"

#define TABLES_MAX  256
#define COLUMNS_MAX 2000

struct columns {
    struct arus_text table;
    struct arus_text *items;
    size_t count;
    bool is_over; /* the rows behind an empty name are no columns */
};

struct arus_prompt_names {
    struct arus_session *session;
    struct arus_complete_source source;
    struct arus_arena arena;
    struct columns tables[TABLES_MAX];
    size_t table_count;
};

static bool give_table(void *self, size_t index, struct arus_text *out)
{
    const struct arus_prompt_names *names = self;
    const struct arus_catalog *catalog = arus_session_catalog(names->session);

    if (index >= catalog->relation_count) {
        return false;
    }
    *out = catalog->relations[index].name;
    return true;
}

struct describing {
    struct arus_prompt_names *names;
    struct columns *columns;
};

/* Rows of DESCRIBE TABLE: the name comes first; partitions and details follow an empty one or `#`.
 */
static enum arus_status take_rows(void *self, const struct arus_batch *batch,
                                  struct arus_error *err)
{
    struct describing *describing = self;
    struct columns *columns = describing->columns;
    const struct arus_vector *names = &batch->columns[0];

    for (uint32_t i = 0; i < batch->row_count; i++) {
        const struct arus_view *views = arus_vector_data(names)->values;
        const struct arus_text name = arus_view_text(views[arus_vector_at(names, i)]);

        columns->is_over = columns->is_over || name.size == 0 || name.data[0] == '#';
        if (columns->is_over || columns->count == COLUMNS_MAX) {
            return ARUS_OK;
        }
        ARUS_TRY(
            arus_text_copy(name, &describing->names->arena, &columns->items[columns->count], err));
        columns->count++;
    }
    return ARUS_OK;
}

static enum arus_status describe(struct arus_prompt_names *names, struct columns *columns,
                                 struct arus_error *err)
{
    struct describing describing = {names, columns};
    struct arus_findings findings = {0};
    struct arus_buffer text = {0};
    const struct arus_action *actions;
    size_t count = 0;
    enum arus_status status =
        ARUS_NEW(&names->arena, struct arus_text, COLUMNS_MAX, &columns->items, err);

    if (status == ARUS_OK) {
        status =
            arus_buffer_printf(&text, err, "DESCRIBE TABLE `%.*s`", ARUS_TEXT_ARGS(columns->table));
    }
    if (status == ARUS_OK) {
        status = arus_session_read(names->session, arus_buffer_text(&text), &findings, err);
    }
    if (status == ARUS_OK) {
        actions = arus_session_actions(names->session, &count);
        if (count == 1 && actions[0].kind == ARUS_ACTION_QUERY) {
            status = arus_session_run_batch(names->session, actions[0].query, take_rows,
                                            &describing, err);
        }
    }
    arus_buffer_release(&text);
    return status;
}

static struct columns *find_columns(struct arus_prompt_names *names, struct arus_text table)
{
    struct columns *columns;
    struct arus_error ignored;

    for (size_t i = 0; i < names->table_count; i++) {
        if (arus_text_equal_nocase(names->tables[i].table, table)) {
            return &names->tables[i];
        }
    }
    if (names->table_count == TABLES_MAX) {
        return NULL;
    }
    columns = &names->tables[names->table_count];
    *columns = (struct columns){0};
    if (arus_text_copy(table, &names->arena, &columns->table, &ignored) != ARUS_OK) {
        return NULL;
    }
    names->table_count++;
    if (describe(names, columns, &ignored) != ARUS_OK) {
        columns->count = 0; /* a table that cannot be read has no names to offer */
    }
    return columns;
}

static bool give_column(void *self, struct arus_text table, size_t index, struct arus_text *out)
{
    const struct columns *columns = find_columns(self, table);

    if (columns == NULL || index >= columns->count) {
        return false;
    }
    *out = columns->items[index];
    return true;
}

enum arus_status arus_names_open(struct arus_session *session, struct arus_prompt_names **out,
                                 struct arus_error *err)
{
    struct arus_prompt_names *names = arus_alloc(1, sizeof *names);

    *out = names;
    if (names == NULL) {
        return arus_fail_memory(err);
    }
    names->session = session;
    names->source = (struct arus_complete_source){.folder = arus_session_catalog(session)->folder,
                                                  .table = give_table,
                                                  .column = give_column,
                                                  .self = names};
    return ARUS_OK;
}

const struct arus_complete_source *arus_names_source(const struct arus_prompt_names *names)
{
    return &names->source;
}

void arus_names_close(struct arus_prompt_names *names)
{
    if (names != NULL) {
        arus_arena_release(&names->arena);
        arus_free(names);
    }
}
