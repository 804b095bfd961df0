/** What all commands on SQL do first. */
#include "cli/opened.h"

#include <stdlib.h>
#include <unistd.h>

void arus_opened_begin(struct arus_opened *opened, const struct arus_args *args)
{
    const struct arus_terminal_environment environment = arus_terminal_environment();

    *opened =
        (struct arus_opened){.errors = arus_terminal_of(STDERR_FILENO, args->color, &environment),
                             .output = arus_terminal_of(STDOUT_FILENO, args->color, &environment),
                             .is_quiet = args->is_quiet};
    opened->style.has_color = opened->errors.has_color;
    opened->style.width = opened->errors.width;
}

static size_t collect_sets(struct arus_opened *opened, const struct arus_args *args)
{
    size_t count = 0;

    for (int i = 0; i < args->use_count && count < ARUS_SETS_MAX; i++) {
        const struct arus_flag_use *use = &args->uses[i];

        if (use->flag->id == ARUS_FLAG_SET) {
            const size_t size = strcspn(use->value, "=");

            opened->sets[count++] = (struct arus_setting){
                .key = {use->value, size}, .value = arus_text_of(use->value + size + 1)};
        }
    }
    return count;
}

static uint32_t thread_count(const struct arus_args *args)
{
    const char *environment = getenv("ARUS_THREADS");
    const uint64_t otherwise = environment == NULL ? 0 : strtoull(environment, NULL, 10);
    const uint64_t wanted = arus_args_number(args, ARUS_FLAG_THREADS, otherwise);

    return wanted > 1024 ? 1024 : (uint32_t)wanted;
}

enum arus_status arus_opened_session(struct arus_opened *opened, const struct arus_args *args,
                                     const struct arus_logger *logger)
{
    const struct arus_session_config config = {
        .folder = opened->input.folder.text,
        .overrides = opened->sets,
        .override_count = collect_sets(opened, args),
        .thread_count = thread_count(args),
        .logger = logger,
        .stop = &opened->stop,
        .printer = opened->printer.print == NULL ? NULL : &opened->printer};
    struct arus_error err;
    const enum arus_status status = arus_session_open(&config, &opened->session, &err);

    if (status != ARUS_OK) {
        arus_opened_fail(opened, NULL, &err);
    }
    return status;
}

enum arus_status arus_opened_read(struct arus_opened *opened)
{
    struct arus_error err;
    enum arus_status status;

    opened->findings = (struct arus_findings){0};
    status = arus_session_read(opened->session, arus_buffer_text(&opened->input.text),
                               &opened->findings, &err);
    opened->style.source_name = arus_sql_input_name(&opened->input);
    opened->style.source = arus_buffer_text(&opened->input.text);
    if (!opened->is_quiet) {
        arus_diagnostic_print_all(&opened->style, ARUS_SEVERITY_WARNING, opened->findings.warnings,
                                  opened->findings.warning_count);
    }
    if (opened->findings.error_count != 0) {
        arus_diagnostic_print_all(&opened->style, ARUS_SEVERITY_ERROR, opened->findings.errors,
                                  opened->findings.error_count);
    } else if (status != ARUS_OK) {
        arus_opened_fail(opened, NULL, &err);
    }
    return status;
}

void arus_opened_fail(struct arus_opened *opened, const char *subject, const struct arus_error *err)
{
    opened->style.subject = subject;
    arus_diagnostic_print(&opened->style, ARUS_SEVERITY_ERROR, err);
    opened->style.subject = NULL;
}

void arus_opened_release(struct arus_opened *opened)
{
    arus_session_close(opened->session);
    arus_sql_input_release(&opened->input);
    opened->session = NULL;
}
