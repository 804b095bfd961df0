/** Threads: a pool that runs one function for many task numbers, and a helper for one job behind
 * the scenes. */
#ifndef ARUS_BASE_THREAD_H
#define ARUS_BASE_THREAD_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct arus_pool;

/** One task. `worker` is 0..thread_count-1: at most one task at a time has that number. */
typedef enum arus_status (*arus_task_fn)(void *self, uint32_t task, uint32_t worker,
                                         struct arus_error *err);

/** Cores this process may use; at least 1. */
uint32_t arus_thread_cores(void);
/** The core this thread runs on now; -1 if unknown. */
int arus_thread_core(void);
/** This thread leaves `core` (and comes back to the others) if the process may use another one. */
void arus_thread_avoid(int core);

/** `thread_count` workers in all; the calling thread of run is worker 0, so 1 starts no thread. */
ARUS_MUST_USE enum arus_status arus_pool_open(uint32_t thread_count, struct arus_pool **out,
                                              struct arus_error *err);
uint32_t arus_pool_size(const struct arus_pool *pool);
/**
 * Runs `fn` for tasks 0..task_count-1 and returns when all have ended. Tasks are taken in rising
 * order. After a failure only the tasks before the failed one go on: so the error of the first task
 * that fails is reported, however the threads took turns. Not reentrant: one run at a time.
 */
ARUS_MUST_USE enum arus_status arus_pool_run(struct arus_pool *pool, arus_task_fn fn, void *self,
                                             uint32_t task_count, struct arus_error *err);
/** Any thread: has a task before this one failed? Then long tasks should end. */
bool arus_pool_is_needless(const struct arus_pool *pool, uint32_t task);
void arus_pool_close(struct arus_pool *pool); /* accepts NULL */

/** One thread, one job at a time. */
struct arus_background;
typedef enum arus_status (*arus_job_fn)(void *self, struct arus_error *err);

/** Starts no thread before the first job. */
ARUS_MUST_USE enum arus_status arus_background_open(struct arus_background **out,
                                                    struct arus_error *err);
/** Is a job running or waiting to be collected? */
bool arus_background_is_busy(struct arus_background *background);
/** Has the job ended (or was there none), so that wait would not wait? */
bool arus_background_is_done(struct arus_background *background);
/** Begins a job; waits for the one before and passes its failure on instead of starting. */
ARUS_MUST_USE enum arus_status arus_background_start(struct arus_background *background,
                                                     arus_job_fn fn, void *self,
                                                     struct arus_error *err);
/** Waits for the job, if any; gives its failure once. */
ARUS_MUST_USE enum arus_status arus_background_wait(struct arus_background *background,
                                                    struct arus_error *err);
void arus_background_close(struct arus_background *background); /* waits; accepts NULL */

#endif
