/** `arus rewind`: a query goes back to an earlier batch. */
#include "api/status.h"
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/place.h"

#include <stdio.h>
#include <string.h>

static void say(const struct arus_checkpoint_place *place,
                const struct arus_checkpoint_status *status, int64_t to, bool is_dry,
                const struct arus_rewind_report *report)
{
    const struct arus_text name =
        status->summary.query.size != 0 ? status->summary.query : arus_text_of(place->name);
    const bool is_one = report->batch_count == 1;
    char rows[ARUS_HUMAN_SIZE * 2];
    char files[ARUS_HUMAN_SIZE * 2];

    (void)fprintf(stderr, "%.*s  %s batch %lld: %lld batch%s, ", ARUS_TEXT_ARGS(name),
                  is_dry ? "would go back to" : "now at", (long long)to,
                  (long long)report->batch_count, is_one ? "" : "es");
    if (report->has_rows) {
        (void)fprintf(stderr, "%s, ", arus_human_noun(report->row_count, "sink row", rows));
    }
    (void)fprintf(stderr, "%s taken back\n", arus_human_noun(report->file_count, "file", files));
}

static enum arus_status go_back(struct arus_opened *opened, const struct arus_args *args,
                                const struct arus_checkpoint_place *place, struct arus_error *err)
{
    const int64_t to = (int64_t)arus_args_number(args, ARUS_FLAG_TO_BATCH, 0);
    const bool is_dry = arus_args_has(args, ARUS_FLAG_DRY_RUN);
    struct arus_checkpoint_status status;
    struct arus_rewind_report report;
    struct arus_arena arena = {0};
    enum arus_status result = arus_status_read(place->folder.text, &arena, &status, err);

    if (result == ARUS_OK && !status.exists) {
        result = arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_SUCH_BATCH", "no batch yet");
    }
    if (result == ARUS_OK) {
        result = arus_query_rewind(place->folder.text, place->shown.text, to,
                                   is_dry ? ARUS_REWIND_LOOK : ARUS_REWIND_DO, NULL, &report, err);
    }
    if (result == ARUS_OK && !opened->is_quiet) {
        say(place, &status, to, is_dry, &report);
    }
    arus_arena_release(&arena);
    return result;
}

static enum arus_status run(struct arus_opened *opened, const struct arus_args *args,
                            struct arus_places *places)
{
    const char *subject = args->operands[0];
    struct arus_error err = {0};
    enum arus_status status = arus_places_find(opened, args, places, &err);

    if (status == ARUS_OK && arus_args_find(args, ARUS_FLAG_TO_BATCH) == NULL) {
        arus_ignore(arus_fail(&err, ARUS_BAD_CONFIG, NULL, "which batch?"));
        status = arus_error_help(&err, "arus rewind %s --to-batch N: N is the last one kept",
                                 args->operands[0]);
    }
    if (status == ARUS_OK && places->count > 1) {
        arus_ignore(arus_fail(&err, ARUS_BAD_CONFIG, NULL, "it has %zu queries", places->count));
        status = arus_error_help(&err, "say which one goes back: arus rewind %s:%s --to-batch N",
                                 args->operands[0], places->items[0].name);
    }
    if (status == ARUS_OK) {
        subject = places->items[0].shown.text;
        status = go_back(opened, args, &places->items[0], &err);
    }
    if (status != ARUS_OK && err.message[0] != '\0') {
        arus_opened_fail(opened, subject, &err);
    }
    return status == ARUS_MISMATCH && err.condition != NULL &&
                   strcmp(err.condition, "ARUS_NOT_A_CHECKPOINT") == 0
               ? ARUS_BAD_CONFIG
               : status;
}

int arus_command_rewind(const struct arus_args *args)
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
