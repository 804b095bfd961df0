#include "base/thread.h"
#include "support/folder.h"

#include <criterion/criterion.h>

#include <stdatomic.h>

struct run {
    atomic_uint count;
    uint32_t fails_from; /* tasks from here on fail */
    uint8_t done[1000];
};

static enum arus_status task(void *self, uint32_t number, uint32_t worker, struct arus_error *err)
{
    struct run *run = (struct run *)self;

    (void)worker;
    atomic_fetch_add(&run->count, 1);
    if (number >= run->fails_from) {
        return arus_fail(err, ARUS_BAD_DATA, NULL, "task %u", number);
    }
    run->done[number]++;
    return ARUS_OK;
}

Test(thread, pool_runs_every_task_once)
{
    struct arus_pool *pool;
    struct arus_error err;

    for (uint32_t threads = 1; threads <= 4; threads++) {
        struct run run = {.fails_from = UINT32_MAX};

        MUST(arus_pool_open(threads, &pool, &err));
        for (int round = 1; round <= 3; round++) {
            MUST(arus_pool_run(pool, task, &run, 1000, &err));
            for (int i = 0; i < 1000; i++) {
                cr_assert(run.done[i] == round);
            }
        }
        MUST(arus_pool_run(pool, task, &run, 0, &err));
        arus_pool_close(pool);
    }
}

Test(thread, pool_reports_the_first_failure_and_stops)
{
    struct run run = {.fails_from = 100};
    struct arus_pool *pool;
    struct arus_error err;

    MUST(arus_pool_open(4, &pool, &err));
    cr_assert(arus_pool_run(pool, task, &run, 1000, &err) == ARUS_BAD_DATA);
    cr_expect_str_eq(err.message, "task 100");
    cr_expect_lt(atomic_load(&run.count), 1000);
    run.fails_from = UINT32_MAX;
    MUST(arus_pool_run(pool, task, &run, 10, &err));
    arus_pool_close(pool);
}

/** Task 0 ends when task 1 has failed: both fail, one of them first by the clock. */
struct two_failures {
    struct arus_pool *pool;
};

static enum arus_status fails_late(void *self, uint32_t number, uint32_t worker,
                                   struct arus_error *err)
{
    const struct two_failures *run = (const struct two_failures *)self;

    (void)worker;
    while (number == 0 && !arus_pool_is_needless(run->pool, 2)) {
        cr_assert_not(arus_pool_is_needless(run->pool, 0));
    }
    return arus_fail(err, ARUS_BAD_DATA, NULL, "task %u", number);
}

Test(thread, pool_reports_the_first_task_that_fails_not_the_first_failure)
{
    struct two_failures run;
    struct arus_error err;

    MUST(arus_pool_open(2, &run.pool, &err));
    cr_assert(arus_pool_run(run.pool, fails_late, &run, 2, &err) == ARUS_BAD_DATA);
    cr_expect_str_eq(err.message, "task 0");
    arus_pool_close(run.pool);
}

static enum arus_status job(void *self, struct arus_error *err)
{
    struct run *run = (struct run *)self;

    atomic_fetch_add(&run->count, 1);
    return run->fails_from == 0 ? arus_fail(err, ARUS_FATAL, NULL, "job") : ARUS_OK;
}

Test(thread, background_passes_a_failure_on_once)
{
    struct run run = {.fails_from = 1};
    struct arus_background *background;
    struct arus_error err;

    MUST(arus_background_open(&background, &err));
    MUST(arus_background_wait(background, &err));
    MUST(arus_background_start(background, job, &run, &err));
    MUST(arus_background_wait(background, &err));
    run.fails_from = 0;
    MUST(arus_background_start(background, job, &run, &err));
    cr_expect(arus_background_start(background, job, &run, &err) == ARUS_FATAL);
    MUST(arus_background_wait(background, &err));
    cr_expect_eq(atomic_load(&run.count), 2);
    arus_background_close(background);
}
