#include "api/audit.h"

#include "base/file.h"
#include "base/hash_stream.h"
#include "base/table.h"
#include "journal/checkpoint.h"
#include "journal/path.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_SIZE ((size_t)256 * 1024)

/* What a batch noted of a file. */
struct noted {
    uint64_t row_count;
    uint64_t hash;
};

struct audit {
    const char *sink;
    void (*found)(void *self, enum arus_audit_finding finding, struct arus_text path);
    void *self;
    struct arus_audit *out;
    struct arus_text_table known; /* paths the journal has notes of; `notes` by their number */
    struct arus_buffer notes;     /* struct noted */
    struct arus_text_table listed;
    struct arus_text_table extra; /* files that `listed` lacks */
    struct arus_arena arena;
    char *piece; /* [PIECE_SIZE] */
};

static void tell(struct audit *audit, enum arus_audit_finding finding, struct arus_text path)
{
    const size_t size = strlen(audit->sink) + 1;

    audit->out->counts[finding]++;
    if (audit->found != NULL && path.size > size) {
        audit->found(audit->self, finding, (struct arus_text){path.data + size, path.size - size});
    }
}

/* ---- what the journal knows ---- */

static enum arus_status path_of_line(struct audit *audit, struct arus_text line, uint64_t *size,
                                     struct arus_text *path, struct arus_error *err)
{
    struct arus_log_line entry;

    arus_arena_reset(&audit->arena);
    ARUS_TRY(arus_log_parse_sink(line, &audit->arena, &entry, err));
    *size = entry.size;
    return arus_path_of_uri(entry.uri, &audit->arena, path, err);
}

/* A line of the log, and `ROWS HASH` beside it. */
static enum arus_status take_note(void *self, struct arus_text line, struct arus_text detail,
                                  struct arus_error *err)
{
    struct audit *audit = self;
    struct noted noted;
    struct arus_text path;
    char text[64];
    char *end;
    uint64_t size;
    uint32_t number;
    bool is_new;

    if (detail.size == 0 || detail.size >= sizeof text) {
        return ARUS_OK; /* made by Spark, or by an older arus */
    }
    memcpy(text, detail.data, detail.size);
    text[detail.size] = '\0';
    noted.row_count = strtoull(text, &end, 10);
    noted.hash = strtoull(end, NULL, 16);
    ARUS_TRY(path_of_line(audit, line, &size, &path, err));
    ARUS_TRY(arus_text_table_add(&audit->known, path, &number, &is_new, err));
    return is_new ? arus_buffer_append(&audit->notes, &noted, sizeof noted, err) : ARUS_OK;
}

/* ---- what the log lists ---- */

static enum arus_status hash_file(struct audit *audit, const char *path, uint64_t *out,
                                  struct arus_error *err)
{
    struct arus_hash_stream stream = {0};
    struct arus_file file = {0};
    uint64_t at = 0;
    size_t got = 0;
    enum arus_status status;

    ARUS_TRY(arus_file_open(&file, path, err));
    do {
        status = arus_file_read_at(&file, at, audit->piece, PIECE_SIZE, &got, err);
        if (status == ARUS_OK) {
            arus_hash_stream_add(&stream, audit->piece, got);
            at += got;
        }
    } while (status == ARUS_OK && got == PIECE_SIZE);
    arus_file_abandon(&file); /* only read */
    *out = arus_hash_stream_end(&stream);
    return status;
}

static enum arus_status check_bytes(struct audit *audit, struct arus_text path,
                                    const struct noted *noted, struct arus_error *err)
{
    uint64_t hash;

    ARUS_TRY(hash_file(audit, path.data, &hash, err));
    audit->out->hash_count++;
    audit->out->row_count += noted->row_count;
    if (hash != noted->hash) {
        tell(audit, ARUS_AUDIT_CHANGED, path);
    }
    return ARUS_OK;
}

static enum arus_status check_line(void *self, struct arus_text line, struct arus_error *err)
{
    struct audit *audit = self;
    struct arus_file_info info;
    struct noted noted = {0};
    struct arus_text path;
    uint64_t size;
    uint32_t number;
    int64_t known;
    bool is_new;

    ARUS_TRY(path_of_line(audit, line, &size, &path, err));
    ARUS_TRY(arus_text_table_add(&audit->listed, path, &number, &is_new, err));
    if (!is_new) {
        return ARUS_OK;
    }
    audit->out->file_count++;
    known = arus_text_table_find(&audit->known, path);
    if (known >= 0) {
        memcpy(&noted, audit->notes.data + (size_t)known * sizeof noted, sizeof noted);
    }
    ARUS_TRY(arus_file_stat(path.data, &info, err));
    if (info.kind != ARUS_FILE_REGULAR) {
        audit->out->lost_rows += noted.row_count;
        tell(audit, ARUS_AUDIT_MISSING, path);
    } else if (info.size != size) {
        tell(audit, ARUS_AUDIT_CHANGED, path);
    } else if (known >= 0) {
        return check_bytes(audit, path, &noted, err);
    }
    return ARUS_OK;
}

/* ---- what lies about ---- */

static enum arus_status find_extra(struct audit *audit, const char *folder_path,
                                   struct arus_error *err)
{
    struct arus_folder folder;
    enum arus_status status;
    bool is_missing;

    ARUS_TRY(arus_folder_open(&folder, folder_path, &is_missing, err));
    for (;;) {
        enum arus_file_kind kind;
        struct arus_path child;
        const char *name;
        uint32_t number;
        bool is_new;

        status = arus_folder_next(&folder, &name, &kind, err);
        if (status != ARUS_OK || name == NULL) {
            break;
        }
        if (name[0] == '.' || name[0] == '_') {
            continue; /* as readers do */
        }
        status = arus_path_join(&child, folder_path, name, err);
        if (status == ARUS_OK && kind == ARUS_FILE_FOLDER) {
            status = find_extra(audit, child.text, err);
        } else if (status == ARUS_OK &&
                   arus_text_table_find(&audit->listed, arus_text_of(child.text)) < 0) {
            status =
                arus_text_table_add(&audit->extra, arus_text_of(child.text), &number, &is_new, err);
        }
        if (status != ARUS_OK) {
            break;
        }
    }
    arus_folder_close(&folder);
    return status;
}

static enum arus_status read_journal(struct audit *audit, const char *checkpoint,
                                     struct arus_error *err)
{
    struct arus_store *store = NULL;
    enum arus_status status = ARUS_OK;

    ARUS_TRY(arus_checkpoint_look_store(checkpoint, &store, err));
    if (store != NULL) {
        status = arus_checkpoint_look_sink(store, audit->sink, take_note, audit, err);
        arus_store_close(store);
    }
    return status;
}

/* Files that no batch brought. A batch that is decided puts its files in place before the log
 * lists them, and may have done so meanwhile: the journal knew them before they were there. */
static enum arus_status tell_extra(struct audit *audit, const char *checkpoint,
                                   struct arus_error *err)
{
    if (audit->extra.count == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(read_journal(audit, checkpoint, err));
    for (uint32_t i = 0; i < audit->extra.count; i++) {
        const struct arus_text path = arus_text_table_key(&audit->extra, i);

        if (arus_text_table_find(&audit->known, path) < 0) {
            tell(audit, ARUS_AUDIT_EXTRA, path);
        }
    }
    return ARUS_OK;
}

static enum arus_status run(struct audit *audit, const char *checkpoint, struct arus_error *err)
{
    int64_t newest;
    bool is_missing;

    ARUS_TRY(read_journal(audit, checkpoint, err));
    ARUS_TRY(arus_log_read_sink(audit->sink, -1, check_line, audit, &newest, &is_missing, err));
    ARUS_TRY(find_extra(audit, audit->sink, err));
    return tell_extra(audit, checkpoint, err);
}

enum arus_status arus_audit_sink(const char *checkpoint, const char *sink,
                                 void (*found)(void *self, enum arus_audit_finding finding,
                                               struct arus_text path),
                                 void *self, struct arus_audit *out, struct arus_error *err)
{
    struct audit audit = {.sink = sink, .found = found, .self = self, .out = out};
    struct arus_buffer piece = {0};
    enum arus_status status = arus_buffer_reserve(&piece, PIECE_SIZE, err);

    *out = (struct arus_audit){0};
    if (status == ARUS_OK) {
        audit.piece = piece.data;
        status = run(&audit, checkpoint, err);
    }
    arus_buffer_release(&piece);
    arus_buffer_release(&audit.notes);
    arus_text_table_release(&audit.known);
    arus_text_table_release(&audit.listed);
    arus_text_table_release(&audit.extra);
    arus_arena_release(&audit.arena);
    return status;
}
