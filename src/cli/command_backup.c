/** `arus backup`: a copy of a checkpoint, also while its query runs. */
#include "api/status.h"
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/place.h"

#include <stdio.h>
#include <unistd.h>

static enum arus_status copy(struct arus_opened *opened, const struct arus_args *args,
                             const struct arus_checkpoint_place *place, const char **subject,
                             struct arus_error *err)
{
    struct arus_checkpoint_status status;
    struct arus_backup_report report;
    struct arus_arena arena = {0};
    struct arus_path target;
    struct arus_path here;
    char size[ARUS_HUMAN_SIZE];
    enum arus_status result = arus_status_read(place->folder.text, &arena, &status, err);

    if (result == ARUS_OK && !status.exists) {
        result = arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NO_SUCH_BATCH", "no batch yet");
    }
    if (result == ARUS_OK && getcwd(here.text, sizeof here.text) == NULL) {
        result = arus_fail(err, ARUS_BAD_CONFIG, NULL, "the current folder cannot be read");
    }
    if (result == ARUS_OK) {
        *subject = args->operands[1];
        result = arus_path_absolute(here.text, arus_text_of(args->operands[1]), &target, err);
    }
    if (result == ARUS_OK) {
        result = arus_checkpoint_backup(place->folder.text, place->shown.text, target.text, &report,
                                        err);
    }
    if (result == ARUS_OK && !opened->is_quiet) {
        const struct arus_text name =
            status.summary.query.size != 0 ? status.summary.query : arus_text_of(place->name);

        (void)fprintf(stderr, "%.*s  batch %lld, %s -> %s   (without the sink)\n",
                      ARUS_TEXT_ARGS(name), (long long)report.batch_id,
                      arus_human_bytes(report.size, size), args->operands[1]);
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

    if (status == ARUS_OK && places->count > 1) {
        arus_ignore(arus_fail(&err, ARUS_BAD_CONFIG, NULL, "it has %zu queries", places->count));
        status = arus_error_help(&err, "say which one: arus backup %s:%s %s", args->operands[0],
                                 places->items[0].name, args->operands[1]);
    }
    if (status == ARUS_OK) {
        subject = places->items[0].shown.text;
        status = copy(opened, args, &places->items[0], &subject, &err);
    }
    if (status != ARUS_OK && err.message[0] != '\0') {
        arus_opened_fail(opened, subject, &err);
    }
    return status == ARUS_MISMATCH ? ARUS_BAD_CONFIG : status;
}

int arus_command_backup(const struct arus_args *args)
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
