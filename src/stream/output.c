/** Result rows into the sink's workers. */
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

enum arus_status arus_output_close_workers(struct arus_query_output *output, bool abandon,
                                           struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    for (uint32_t slot = 0; slot < output->worker_count; slot++) {
        struct arus_sink_worker *worker = output->workers[slot];
        struct arus_error later;
        enum arus_status closed;

        output->workers[slot] = NULL;
        if (worker == NULL) {
            continue;
        }
        closed = output->plan->ops->worker_close(worker, abandon || status != ARUS_OK, &later);
        if (status == ARUS_OK && closed != ARUS_OK) {
            status = closed;
            *err = later;
        }
    }
    return status;
}
