/** `arus topics`: what a Kafka cluster holds. */
#include "cli/commands.h"
#include "cli/result.h"
#include "connector/connector.h"

#include <stdlib.h>
#include <unistd.h>

enum arus_status arus_find_brokers(const struct arus_args *args, const char **out,
                                   struct arus_error *err)
{
    const struct arus_flag_use *flag = arus_args_find(args, ARUS_FLAG_BROKERS);

    *out = flag != NULL ? flag->value : getenv("ARUS_KAFKA_BROKERS");
    if (*out == NULL || **out == '\0') {
        arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, NULL, "which Kafka cluster?"));
        return arus_error_help(err, "-b HOST:PORT, or ARUS_KAFKA_BROKERS=HOST:PORT");
    }
    return ARUS_OK;
}

enum arus_status arus_show_batch(struct arus_opened *opened, const struct arus_args *args,
                                 const struct arus_batch *batch, struct arus_error *err)
{
    struct arus_result *result;
    enum arus_status status =
        arus_result_open(arus_result_form(args), batch->schema, arus_session_zone(opened->session),
                         &opened->output, UINT64_MAX, &result, err);

    if (status == ARUS_OK && batch->row_count > 0) {
        status = arus_result_write(result, batch, err);
    }
    if (status == ARUS_OK) {
        status = arus_result_finish(result, err);
    }
    if (arus_result_is_left(result)) {
        status = ARUS_OK;
    }
    arus_result_close(result);
    return status;
}

static enum arus_status browse(const struct arus_args *args, struct arus_arena *arena,
                               struct arus_batch *out, struct arus_error *err)
{
    const struct arus_connector *connector = arus_connector_find(ARUS_TEXT("kafka"));
    struct arus_setting items[2] = {{.key = ARUS_TEXT("kafka.bootstrap.servers")},
                                    {.key = ARUS_TEXT("subscribePattern")}};
    const struct arus_settings settings = {items, args->operand_count > 0 ? 2 : 1};
    const char *brokers;
    char folder[4096];

    ARUS_TRY(arus_find_brokers(args, &brokers, err));
    if (connector == NULL || connector->browse == NULL || getcwd(folder, sizeof folder) == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "Kafka is not in this build");
    }
    items[0].value = arus_text_of(brokers);
    if (args->operand_count > 0) {
        items[1].value = arus_text_of(args->operands[0]);
    }
    return connector->browse(&settings, folder, arena, out, err);
}

int arus_command_topics(const struct arus_args *args)
{
    struct arus_arena arena = {0};
    struct arus_opened opened;
    struct arus_batch batch;
    struct arus_error err;
    enum arus_status status;

    arus_opened_begin(&opened, args);
    status = browse(args, &arena, &batch, &err);
    if (status == ARUS_OK) {
        status = arus_opened_session(&opened, args, NULL);
    }
    if (status == ARUS_OK) {
        status = arus_show_batch(&opened, args, &batch, &err);
    }
    if (status != ARUS_OK) {
        err.place = (struct arus_place){0};
        arus_opened_fail(&opened, NULL, &err);
    }
    arus_opened_release(&opened);
    arus_arena_release(&arena);
    return arus_exit_of(status);
}
