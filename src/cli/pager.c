/** Lines are held back until it is known whether they fit. */
#include "cli/pager.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PAGER_DEFAULT "less -FRSX"

static bool is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}

const char *arus_pager_command(void)
{
    const char *own = getenv("ARUS_PAGER");
    const char *common = getenv("PAGER");
    const char *command = own != NULL ? own : is_set(common) ? common : PAGER_DEFAULT;

    return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

void arus_pager_init(struct arus_pager *pager, const struct arus_terminal *screen)
{
    *pager = (struct arus_pager){0};
    if (screen->is_terminal && screen->height > 2 && arus_pager_command() != NULL) {
        pager->line_max = screen->height - 2; /* the prompt and the count of rows */
    }
}

static enum arus_status put_out(const void *data, size_t size, struct arus_error *err)
{
    if (size != 0 && fwrite(data, 1, size, stdout) != size) {
        return arus_fail_errno(err, ARUS_FATAL, errno, "standard output");
    }
    return ARUS_OK;
}

static int count_lines(const char *data, size_t size)
{
    int count = 0;

    for (size_t i = 0; i < size; i++) {
        count += data[i] == '\n';
    }
    return count;
}

static void put_pipe(struct arus_pager *pager, const void *data, size_t size)
{
    if (!pager->is_left && size != 0 && fwrite(data, 1, size, pager->pipe) != size) {
        pager->is_left = true;
    }
}

/* A pager that cannot be started: the rows go straight out. */
static enum arus_status start(struct arus_pager *pager, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    (void)fflush(stdout);
    (void)signal(SIGPIPE, SIG_IGN);                /* leaving it early is no failure */
    pager->on_interrupt = signal(SIGINT, SIG_IGN); /* the pager's own */
    pager->pipe = popen(arus_pager_command(), "w");
    pager->line_max = 0;
    if (pager->pipe != NULL) {
        put_pipe(pager, pager->waiting.data, pager->waiting.size);
    } else {
        status = put_out(pager->waiting.data, pager->waiting.size, err);
    }
    arus_buffer_reset(&pager->waiting);
    return status;
}

enum arus_status arus_pager_write(struct arus_pager *pager, const void *data, size_t size,
                                  struct arus_error *err)
{
    if (pager->pipe != NULL) {
        put_pipe(pager, data, size);
        return pager->is_left ? arus_fail(err, ARUS_RETRY, NULL, "the pager was left") : ARUS_OK;
    }
    if (pager->line_max == 0) {
        return put_out(data, size, err);
    }
    pager->line_count += count_lines(data, size);
    ARUS_TRY(arus_buffer_append(&pager->waiting, data, size, err));
    return pager->line_count > pager->line_max ? start(pager, err) : ARUS_OK;
}

static void end_pipe(struct arus_pager *pager)
{
    if (pager->pipe != NULL) {
        (void)pclose(pager->pipe); /* how it ended is the person's business */
        (void)signal(SIGINT, pager->on_interrupt);
        (void)signal(SIGPIPE, SIG_DFL);
        pager->pipe = NULL;
    }
}

enum arus_status arus_pager_finish(struct arus_pager *pager, struct arus_error *err)
{
    enum arus_status status = put_out(pager->waiting.data, pager->waiting.size, err);

    arus_buffer_reset(&pager->waiting);
    end_pipe(pager);
    if (status == ARUS_OK && fflush(stdout) != 0) {
        status = arus_fail_errno(err, ARUS_FATAL, errno, "standard output");
    }
    return status;
}

void arus_pager_release(struct arus_pager *pager)
{
    struct arus_error ignored;

    arus_ignore(arus_pager_finish(pager, &ignored)); /* after a failure that was reported */
    arus_buffer_release(&pager->waiting);
}
