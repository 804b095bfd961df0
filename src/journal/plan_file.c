/** Records of a size, a checksum and bytes. */
#include "journal/plan_file.h"

#include "base/hash.h"
#include "journal/store.h"

#include <string.h>

#define HEAD_SIZE     16 /* size of the bytes, their checksum */
#define FILE_SIZE_MAX ((uint64_t)64 << 10)

static enum arus_status path_of(const char *journal, struct arus_path *out, struct arus_error *err)
{
    return arus_path_join(out, journal, "plan", err);
}

static enum arus_status begin(struct arus_plan_file *plan, const char *journal,
                              struct arus_error *err)
{
    if (plan->file.path != NULL && plan->file.size < FILE_SIZE_MAX) {
        return ARUS_OK;
    }
    arus_file_abandon(&plan->file);
    ARUS_TRY(path_of(journal, &plan->path, err));
    return arus_file_create_over(&plan->file, plan->path.text, err);
}

enum arus_status arus_plan_file_add(struct arus_plan_file *plan, const char *journal,
                                    struct arus_text record, struct arus_error *err)
{
    char head[HEAD_SIZE];
    enum arus_status status;

    arus_store_key_u64(head, record.size);
    arus_store_key_u64(head + 8, arus_hash_bytes(record.data, record.size, 0));
    ARUS_TRY(begin(plan, journal, err));
    status = arus_file_append(&plan->file, head, sizeof head, err);
    if (status == ARUS_OK) {
        status = arus_file_append(&plan->file, record.data, record.size, err);
    }
    if (status == ARUS_OK) {
        status = arus_file_flush(&plan->file, err);
    }
    if (status != ARUS_OK) {
        arus_file_abandon(&plan->file); /* half a record: the next one begins anew */
    }
    return status;
}

void arus_plan_file_close(struct arus_plan_file *plan)
{
    arus_file_abandon(&plan->file); /* all is flushed */
}

/* The record at `at`, if it is whole. */
static bool read_record(const struct arus_buffer *content, size_t at, struct arus_text *out)
{
    uint64_t size;

    if (content->size - at < HEAD_SIZE) {
        return false;
    }
    size = arus_store_key_read(content->data + at);
    if (size > content->size - at - HEAD_SIZE) {
        return false;
    }
    *out = (struct arus_text){content->data + at + HEAD_SIZE, (size_t)size};
    return arus_store_key_read(content->data + at + 8) == arus_hash_bytes(out->data, out->size, 0);
}

enum arus_status arus_plan_file_load(const char *journal, struct arus_buffer *out,
                                     struct arus_error *err)
{
    struct arus_buffer content = {0};
    struct arus_text last = {0};
    struct arus_text record;
    struct arus_path path;
    bool is_missing;
    size_t at = 0;
    enum arus_status status;

    arus_buffer_reset(out);
    ARUS_TRY(path_of(journal, &path, err));
    status = arus_file_read(path.text, &content, &is_missing, err);
    while (status == ARUS_OK && read_record(&content, at, &record)) {
        last = record;
        at += HEAD_SIZE + record.size;
    }
    if (status == ARUS_OK) {
        status = arus_buffer_append_text(out, last, err);
    }
    arus_buffer_release(&content);
    return status;
}

enum arus_status arus_plan_file_remove(const char *journal, struct arus_error *err)
{
    struct arus_path path;

    ARUS_TRY(path_of(journal, &path, err));
    return arus_file_remove(path.text, err);
}
