/** `arus audit`: is the sink still what its batches wrote? */
#include "api/audit.h"
#include "api/status.h"
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/place.h"
#include "cli/rows.h"

#include <stdio.h>

static const char *const WORDS[] = {"missing", "changed", "extra"};

/* Findings of one sink, by kind: as lines, or as lists of JSON. */
struct findings {
    struct arus_buffer texts[ARUS_AUDIT_FINDING_COUNT];
    bool is_json;
    bool is_full; /* no memory */
};

static void take(void *self, enum arus_audit_finding finding, struct arus_text path)
{
    struct findings *findings = self;
    struct arus_buffer *out = &findings->texts[finding];
    struct arus_error ignored;
    enum arus_status status;

    if (findings->is_json) {
        status = out->size == 0 ? ARUS_OK : arus_buffer_append_char(out, ',', &ignored);
        status = status == ARUS_OK ? arus_json_string(path, out, &ignored) : status;
    } else {
        status = arus_buffer_printf(out, &ignored, "%-8s ", WORDS[finding]);
        status = status == ARUS_OK ? arus_human_escape(path, out, &ignored) : status;
        status = status == ARUS_OK ? arus_buffer_append_char(out, '\n', &ignored) : status;
    }
    findings->is_full = findings->is_full || status != ARUS_OK;
}

static enum arus_status put_json(const struct arus_checkpoint_status *status,
                                 const struct arus_audit *audit, const struct findings *findings,
                                 struct arus_buffer *out, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_printf(out, err, "{\"query\":"));
    ARUS_TRY(arus_json_string(status->summary.query, out, err));
    ARUS_TRY(arus_buffer_printf(
        out, err, ",\"lastBatch\":%lld,\"files\":%llu,\"hashed\":%llu,\"rows\":%llu",
        (long long)status->newest_published, (unsigned long long)audit->file_count,
        (unsigned long long)audit->hash_count, (unsigned long long)audit->row_count));
    for (int i = 0; i < ARUS_AUDIT_FINDING_COUNT; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, ",\"%s\":[%.*s]", WORDS[i],
                                    ARUS_TEXT_ARGS(arus_buffer_text(&findings->texts[i]))));
    }
    return arus_buffer_printf(out, err, "}\n");
}

/* "events  batches 0-3, 2,000 rows in 4 files: sizes, counts, hashes agree" */
static enum arus_status put_text(const struct arus_checkpoint_status *status,
                                 const struct arus_audit *audit, struct arus_buffer *out,
                                 struct arus_error *err)
{
    const bool is_whole = audit->hash_count == audit->file_count;
    char rows[ARUS_HUMAN_SIZE * 2];
    char files[ARUS_HUMAN_SIZE * 2];
    char hashed[ARUS_HUMAN_SIZE];

    ARUS_TRY(arus_buffer_printf(
        out, err, "%.*s  batch%s %s%lld, ", ARUS_TEXT_ARGS(status->summary.query),
        status->newest_published == 0 ? "" : "es", status->newest_published == 0 ? "" : "0-",
        (long long)status->newest_published));
    if (is_whole) {
        return arus_buffer_printf(out, err, "%s in %s: sizes, counts, hashes agree\n",
                                  arus_human_noun(audit->row_count, "row", rows),
                                  arus_human_noun(audit->file_count, "file", files));
    }
    return arus_buffer_printf(out, err,
                              "%s: sizes agree; counts and hashes of %s, the others are "
                              "not noted\n",
                              arus_human_noun(audit->file_count, "file", files),
                              arus_human_count(audit->hash_count, hashed));
}

static uint64_t difference(const struct arus_audit *audit)
{
    return audit->counts[0] + audit->counts[1] + audit->counts[2];
}

/* "4 of 4 files are missing (2,000 rows)" */
static enum arus_status fail_differs(const struct arus_audit *audit, struct arus_error *err)
{
    static const char *const SAY[] = {"missing", "changed", "listed by no batch"};
    struct arus_buffer text = {0};
    enum arus_status status = ARUS_OK;
    char number[ARUS_HUMAN_SIZE];
    char files[ARUS_HUMAN_SIZE * 2];

    for (int i = 0; i < ARUS_AUDIT_FINDING_COUNT && status == ARUS_OK; i++) {
        if (audit->counts[i] == 0) {
            continue;
        }
        status = arus_buffer_printf(&text, err, "%s", text.size == 0 ? "" : ", ");
        if (status == ARUS_OK && i != ARUS_AUDIT_EXTRA) {
            status = arus_buffer_printf(&text, err, "%s of ",
                                        arus_human_count(audit->counts[i], number));
        }
        if (status == ARUS_OK) {
            const uint64_t count = i == ARUS_AUDIT_EXTRA ? audit->counts[i] : audit->file_count;

            status =
                arus_buffer_printf(&text, err, "%s %s %s", arus_human_noun(count, "file", files),
                                   audit->counts[i] == 1 ? "is" : "are", SAY[i]);
        }
        if (status == ARUS_OK && i == ARUS_AUDIT_MISSING && audit->lost_rows != 0) {
            status = arus_buffer_printf(&text, err, " (%s)",
                                        arus_human_noun(audit->lost_rows, "row", files));
        }
    }
    if (status == ARUS_OK) {
        status = arus_fail(err, ARUS_MISMATCH, "ARUS_AUDIT_DIFFERS", "%.*s",
                           ARUS_TEXT_ARGS(arus_buffer_text(&text)));
    }
    arus_buffer_release(&text);
    return status;
}

static enum arus_status print(const struct arus_checkpoint_status *status,
                              const struct arus_audit *audit, const struct findings *findings,
                              struct arus_error *err)
{
    struct arus_buffer out = {0};
    enum arus_status result = ARUS_OK;

    if (findings->is_full) {
        result = arus_fail_memory(err);
    } else if (findings->is_json) {
        result = put_json(status, audit, findings, &out, err);
    } else if (difference(audit) == 0) {
        result = put_text(status, audit, &out, err);
    } else {
        for (int i = 0; i < ARUS_AUDIT_FINDING_COUNT && result == ARUS_OK; i++) {
            result = arus_buffer_append_text(&out, arus_buffer_text(&findings->texts[i]), err);
        }
    }
    if (result == ARUS_OK) {
        (void)fwrite(out.data == NULL ? "" : out.data, 1, out.size, stdout);
        (void)fflush(stdout);
    }
    arus_buffer_release(&out);
    return result;
}

/* `*subject`: what an error is about. */
static enum arus_status audit_one(const struct arus_args *args,
                                  const struct arus_checkpoint_place *place,
                                  struct arus_path *subject, struct arus_error *err)
{
    struct findings findings = {.is_json = arus_args_has(args, ARUS_FLAG_JSON)};
    struct arus_checkpoint_status status;
    struct arus_audit audit;
    struct arus_arena arena = {0};
    enum arus_status result = arus_status_read(place->folder.text, &arena, &status, err);

    if (result == ARUS_OK && (!status.exists || status.newest_published < 0)) {
        (void)printf("%-7s no batch yet\n", place->name);
    } else if (result == ARUS_OK && status.summary.sink_path.size == 0) {
        (void)printf("%.*s  its sink keeps no files\n", ARUS_TEXT_ARGS(status.summary.query));
    } else if (result == ARUS_OK) {
        result =
            arus_path_format(subject, err, "%.*s", ARUS_TEXT_ARGS(status.summary.sink_location));
        if (result == ARUS_OK) {
            result = arus_audit_sink(place->folder.text, status.summary.sink_path.data, take,
                                     &findings, &audit, err);
        }
        if (result == ARUS_OK) {
            result = print(&status, &audit, &findings, err);
        }
        if (result == ARUS_OK && difference(&audit) != 0) {
            result = fail_differs(&audit, err);
        }
    }
    for (int i = 0; i < ARUS_AUDIT_FINDING_COUNT; i++) {
        arus_buffer_release(&findings.texts[i]);
    }
    arus_arena_release(&arena);
    return result;
}

/* All queries are looked at, also behind one that differs. */
static enum arus_status run(struct arus_opened *opened, const struct arus_args *args,
                            struct arus_places *places)
{
    struct arus_error err = {0};
    enum arus_status worst = arus_places_find(opened, args, places, &err);

    if (worst != ARUS_OK) {
        if (err.message[0] != '\0') {
            arus_opened_fail(opened, args->operands[0], &err);
        }
        return worst;
    }
    for (size_t i = 0; i < places->count; i++) {
        struct arus_path subject = places->items[i].shown;
        const enum arus_status status = audit_one(args, &places->items[i], &subject, &err);

        if (status != ARUS_OK) {
            arus_opened_fail(opened, subject.text, &err);
            worst = status;
        }
    }
    return worst;
}

int arus_command_audit(const struct arus_args *args)
{
    struct arus_opened opened;
    struct arus_places places = {0};
    int code;

    arus_opened_begin(&opened, args);
    code = arus_exit_of(run(&opened, args, &places));
    arus_places_release(&places);
    arus_opened_release(&opened);
    return code;
}
