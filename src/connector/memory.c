/** In-memory tables: lists of chunks under one mutex. */
#include "connector/memory.h"

#include "base/alloc.h"

#include <pthread.h>

struct memory_table {
    struct memory_table *next;
    char *name; /* NUL-terminated */
    struct arus_chunk_rows **chunks;
    size_t count;
    size_t capacity;
    uint64_t version;
};

struct arus_memory {
    pthread_mutex_t mutex;
    struct memory_table *tables;
};

/* ---- chunks ---- */

enum arus_status arus_chunk_rows_make(const struct arus_type *schema, struct arus_chunk_rows **out,
                                      struct arus_error *err)
{
    struct arus_chunk_rows *chunk = arus_alloc(1, sizeof *chunk);
    enum arus_status status;

    *out = NULL;
    if (chunk == NULL) {
        return arus_fail_memory(err);
    }
    atomic_init(&chunk->refs, 1);
    status = arus_type_copy(schema, &chunk->rows.arena, &chunk->schema, err);
    if (status != ARUS_OK) {
        arus_chunk_rows_drop(chunk);
        return status;
    }
    *out = chunk;
    return ARUS_OK;
}

/* The types of a plan die with its session; the chunk's own do not. */
static void retype(struct arus_vector *vector, const struct arus_type *type)
{
    vector->type = type;
    for (uint16_t i = 0; i < type->field_count; i++) {
        retype(&vector->children[i], type->fields[i].type);
    }
}

enum arus_status arus_chunk_rows_append(struct arus_chunk_rows *chunk,
                                        const struct arus_batch *batch, struct arus_error *err)
{
    struct arus_batch *copy;

    if (batch->row_count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_row_store_add(&chunk->rows, batch, err));
    copy = &chunk->rows.batches[chunk->rows.batch_count - 1];
    copy->schema = chunk->schema;
    for (uint16_t i = 0; i < chunk->schema->field_count; i++) {
        retype(&copy->columns[i], chunk->schema->fields[i].type);
    }
    return ARUS_OK;
}

void arus_chunk_rows_drop(struct arus_chunk_rows *chunk)
{
    if (chunk != NULL && atomic_fetch_sub(&chunk->refs, 1) == 1) {
        arus_row_store_release(&chunk->rows);
        arus_free(chunk);
    }
}

void arus_chunks_drop(struct arus_chunks *chunks)
{
    for (size_t i = 0; i < chunks->count; i++) {
        arus_chunk_rows_drop(chunks->items[i]);
    }
    *chunks = (struct arus_chunks){0};
}

/* ---- tables ---- */

enum arus_status arus_memory_make(struct arus_memory **out, struct arus_error *err)
{
    *out = arus_alloc(1, sizeof **out);
    if (*out == NULL) {
        return arus_fail_memory(err);
    }
    (void)pthread_mutex_init(&(*out)->mutex, NULL);
    return ARUS_OK;
}

static void empty_table(struct memory_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        arus_chunk_rows_drop(table->chunks[i]);
    }
    table->count = 0;
    table->version++;
}

void arus_memory_free(struct arus_memory *memory)
{
    if (memory == NULL) {
        return;
    }
    while (memory->tables != NULL) {
        struct memory_table *table = memory->tables;

        memory->tables = table->next;
        empty_table(table);
        arus_free(table->chunks);
        arus_free(table->name);
        arus_free(table);
    }
    (void)pthread_mutex_destroy(&memory->mutex);
    arus_free(memory);
}

static struct memory_table *find(const struct arus_memory *memory, struct arus_text name)
{
    struct memory_table *table = memory->tables;

    while (table != NULL && !arus_text_equal_nocase(arus_text_of(table->name), name)) {
        table = table->next;
    }
    return table;
}

static enum arus_status find_or_make(struct arus_memory *memory, struct arus_text name,
                                     struct memory_table **out, struct arus_error *err)
{
    struct memory_table *table = find(memory, name);

    *out = table;
    if (table != NULL) {
        return ARUS_OK;
    }
    table = arus_alloc(1, sizeof *table);
    if (table != NULL) {
        table->name = arus_alloc(name.size + 1, 1);
    }
    if (table == NULL || table->name == NULL) {
        arus_free(table);
        return arus_fail_memory(err);
    }
    memcpy(table->name, name.data, name.size);
    table->next = memory->tables;
    memory->tables = table;
    *out = table;
    return ARUS_OK;
}

static enum arus_status make_room(struct memory_table *table, struct arus_error *err)
{
    const size_t capacity = table->capacity == 0 ? 8 : 2 * table->capacity;
    struct arus_chunk_rows **grown;

    if (table->count < table->capacity) {
        return ARUS_OK;
    }
    grown = arus_realloc(table->chunks, capacity * sizeof(struct arus_chunk_rows *));
    if (grown == NULL) {
        return arus_fail_memory(err);
    }
    table->chunks = grown;
    table->capacity = capacity;
    return ARUS_OK;
}

static bool has(const struct memory_table *table, int64_t id)
{
    for (size_t i = table == NULL ? 0 : table->count; i > 0; i--) {
        if (table->chunks[i - 1]->id == id) {
            return true;
        }
    }
    return false;
}

enum place { BEHIND, INSTEAD, ONCE, ONCE_WHOLE };

/* Earlier batches of a sink stay known by their ids; their rows go. */
static void forget_rows(struct memory_table *table, const struct arus_type *schema)
{
    for (size_t i = 0; i < table->count; i++) {
        struct arus_chunk_rows *empty = NULL;
        struct arus_error ignored;

        if (table->chunks[i]->rows.row_count == 0 ||
            arus_chunk_rows_make(schema, &empty, &ignored) != ARUS_OK) {
            continue; /* out of memory: the newest batch is what readers of the whole look at */
        }
        empty->id = table->chunks[i]->id;
        arus_chunk_rows_drop(table->chunks[i]);
        table->chunks[i] = empty;
    }
}

static enum arus_status insert(struct arus_memory *memory, struct arus_text name, enum place place,
                               struct arus_chunk_rows *chunk, struct arus_error *err)
{
    struct memory_table *table;

    ARUS_TRY(find_or_make(memory, name, &table, err));
    if (place == ONCE || place == ONCE_WHOLE) {
        if (has(table, chunk->id)) {
            arus_chunk_rows_drop(chunk);
            return ARUS_OK;
        }
    }
    ARUS_TRY(make_room(table, err));
    if (place == INSTEAD) {
        empty_table(table);
    }
    if (place == ONCE_WHOLE) {
        forget_rows(table, chunk->schema);
    }
    if (place == BEHIND || place == INSTEAD) {
        chunk->id = (int64_t)table->count;
    }
    table->chunks[table->count++] = chunk;
    table->version++;
    return ARUS_OK;
}

static enum arus_status insert_locked(struct arus_memory *memory, struct arus_text name,
                                      enum place place, struct arus_chunk_rows *chunk,
                                      struct arus_error *err)
{
    enum arus_status status;

    (void)pthread_mutex_lock(&memory->mutex);
    status = insert(memory, name, place, chunk, err);
    (void)pthread_mutex_unlock(&memory->mutex);
    if (status != ARUS_OK) {
        arus_chunk_rows_drop(chunk);
    }
    return status;
}

enum arus_status arus_memory_add(struct arus_memory *memory, struct arus_text table,
                                 struct arus_chunk_rows *chunk, struct arus_error *err)
{
    return insert_locked(memory, table, BEHIND, chunk, err);
}

enum arus_status arus_memory_set(struct arus_memory *memory, struct arus_text table,
                                 struct arus_chunk_rows *chunk, struct arus_error *err)
{
    return insert_locked(memory, table, INSTEAD, chunk, err);
}

enum arus_status arus_memory_put(struct arus_memory *memory, struct arus_text table,
                                 int64_t batch_id, bool is_whole, struct arus_chunk_rows *chunk,
                                 struct arus_error *err)
{
    chunk->id = batch_id;
    return insert_locked(memory, table, is_whole ? ONCE_WHOLE : ONCE, chunk, err);
}

bool arus_memory_has(struct arus_memory *memory, struct arus_text table, int64_t batch_id)
{
    bool found;

    (void)pthread_mutex_lock(&memory->mutex);
    found = has(find(memory, table), batch_id);
    (void)pthread_mutex_unlock(&memory->mutex);
    return found;
}

void arus_memory_clear(struct arus_memory *memory, struct arus_text table)
{
    struct memory_table *found;

    (void)pthread_mutex_lock(&memory->mutex);
    found = find(memory, table);
    if (found != NULL) {
        empty_table(found);
    }
    (void)pthread_mutex_unlock(&memory->mutex);
}

size_t arus_memory_count(struct arus_memory *memory, struct arus_text table)
{
    const struct memory_table *found;
    size_t count;

    (void)pthread_mutex_lock(&memory->mutex);
    found = find(memory, table);
    count = found == NULL ? 0 : found->count;
    (void)pthread_mutex_unlock(&memory->mutex);
    return count;
}

uint64_t arus_memory_version(struct arus_memory *memory, struct arus_text table)
{
    const struct memory_table *found;
    uint64_t version;

    (void)pthread_mutex_lock(&memory->mutex);
    found = find(memory, table);
    version = found == NULL ? 0 : found->version;
    (void)pthread_mutex_unlock(&memory->mutex);
    return version;
}

static enum arus_status take(const struct memory_table *table, size_t begin, size_t end,
                             struct arus_arena *arena, struct arus_chunks *out,
                             struct arus_error *err)
{
    const size_t count = table == NULL ? 0 : table->count;

    end = end < count ? end : count;
    begin = begin < end ? begin : end;
    ARUS_TRY(ARUS_NEW(arena, struct arus_chunk_rows *, end - begin + 1, &out->items, err));
    for (size_t i = begin; i < end; i++) {
        atomic_fetch_add(&table->chunks[i]->refs, 1);
        out->items[out->count++] = table->chunks[i];
    }
    return ARUS_OK;
}

enum arus_status arus_memory_take(struct arus_memory *memory, struct arus_text table, size_t begin,
                                  size_t end, struct arus_arena *arena, struct arus_chunks *out,
                                  struct arus_error *err)
{
    enum arus_status status;

    *out = (struct arus_chunks){0};
    (void)pthread_mutex_lock(&memory->mutex);
    status = take(find(memory, table), begin, end, arena, out, err);
    (void)pthread_mutex_unlock(&memory->mutex);
    return status;
}
