/** Result rows into the sink's workers. */
#include "base/thread.h"
#include "stream/query_internal.h"

static enum arus_status write_rows(void *self, uint32_t slot, const struct arus_batch *batch,
                                   struct arus_error *err)
{
    struct arus_query_output *output = self;
    const struct arus_sink_ops *ops = output->plan->ops;

    if (ops->write != NULL) {
        return ops->write(output->sink, batch, err);
    }
    if (output->workers[slot] == NULL) {
        ARUS_TRY(ops->worker_open(output->sink, slot, &output->workers[slot], err));
    }
    return ops->worker_write(output->workers[slot], batch, err);
}

struct arus_consumer arus_output_consumer(struct arus_query_output *output)
{
    return (struct arus_consumer){
        .write = write_rows, .self = output, .is_ordered = output->plan->is_ordered};
}

static enum arus_status close_worker(struct arus_query_output *output, uint32_t slot, bool abandon,
                                     struct arus_error *err)
{
    struct arus_sink_worker *worker = output->workers[slot];

    output->workers[slot] = NULL;
    return worker == NULL ? ARUS_OK : output->plan->ops->worker_close(worker, abandon, err);
}

static enum arus_status close_slot(void *self, uint32_t slot, uint32_t worker,
                                   struct arus_error *err)
{
    (void)worker;
    return close_worker(self, slot, false, err);
}

/* The threads of the exec run ahead. */
static enum arus_status close_aside(struct arus_query_output *output, struct arus_error *err)
{
    if (output->closers == NULL) {
        ARUS_TRY(arus_pool_open(output->worker_count, &output->closers, err));
    }
    return arus_pool_run(output->closers, close_slot, output, output->worker_count, err);
}

enum arus_status arus_output_close_workers(struct arus_query_output *output, struct arus_exec *exec,
                                           struct arus_error *err)
{
    uint32_t open_count = 0;
    uint32_t last = 0;
    enum arus_status status = ARUS_OK;

    for (uint32_t slot = 0; slot < output->worker_count; slot++) {
        if (output->workers[slot] != NULL) {
            open_count++;
            last = slot;
        }
    }
    if (open_count == 1) { /* no thread has to wake up */
        status = close_worker(output, last, false, err);
    } else if (open_count > 1 && exec != NULL) {
        status = arus_exec_parallel(exec, close_slot, output, output->worker_count, err);
    } else if (open_count > 1) {
        status = close_aside(output, err);
    }
    if (status != ARUS_OK) {
        arus_output_abandon_workers(output);
    }
    return status;
}

void arus_output_abandon_workers(struct arus_query_output *output)
{
    struct arus_error ignored; /* the failure that counts has been reported */

    for (uint32_t slot = 0; slot < output->worker_count; slot++) {
        arus_ignore(close_worker(output, slot, true, &ignored));
    }
}
