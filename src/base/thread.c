/** POSIX threads. A pool run is a shared counter: workers take the next task until none is left. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): sched_getaffinity
#include "base/thread.h"

#include "base/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

struct worker {
    struct arus_pool *pool;
    pthread_t thread;
    uint32_t number;
};

struct arus_pool {
    pthread_mutex_t mutex;
    pthread_cond_t start;   /* a run began, or the pool closes */
    pthread_cond_t end;     /* a worker has no task left */
    struct worker *workers; /* [size]; the first is the caller */
    uint32_t size;
    uint32_t started_count; /* threads that exist */
    uint64_t run;           /* number of the current run */
    uint32_t busy_count;
    bool is_closing;
    /* the run */
    arus_task_fn fn;
    void *self;
    uint32_t task_count;
    atomic_uint next;
    atomic_uint failed_task; /* the smallest so far, written under mutex; UINT32_MAX: none */
    struct arus_error error; /* of that task */
};

uint32_t arus_thread_cores(void)
{
    cpu_set_t set;
    int count;

    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        return 1;
    }
    count = CPU_COUNT(&set);
    return count < 1 ? 1 : (uint32_t)count;
}

int arus_thread_core(void)
{
    return sched_getcpu();
}

void arus_thread_avoid(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    if (core >= 0 && core < CPU_SETSIZE && sched_getaffinity(getpid(), sizeof set, &set) == 0) {
        CPU_CLR(core, &set);
        (void)sched_setaffinity(0, sizeof set, &set); /* fails where no core would be left */
    }
}

static void note_failure(struct arus_pool *pool, uint32_t task, const struct arus_error *err)
{
    (void)pthread_mutex_lock(&pool->mutex);
    if (task < atomic_load(&pool->failed_task)) {
        atomic_store(&pool->failed_task, task);
        pool->error = *err;
    }
    (void)pthread_mutex_unlock(&pool->mutex);
}

static void take_tasks(struct arus_pool *pool, uint32_t worker)
{
    for (;;) {
        const uint32_t task = atomic_fetch_add(&pool->next, 1);
        struct arus_error err;

        if (task >= pool->task_count || arus_pool_is_needless(pool, task)) {
            return;
        }
        if (pool->fn(pool->self, task, worker, &err) != ARUS_OK) {
            note_failure(pool, task, &err);
        }
    }
}

static void *worker_main(void *argument)
{
    struct worker *worker = (struct worker *)argument;
    struct arus_pool *pool = worker->pool;
    uint64_t seen = 0;

    (void)pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->run == seen && !pool->is_closing) {
            (void)pthread_cond_wait(&pool->start, &pool->mutex);
        }
        if (pool->is_closing) {
            break;
        }
        seen = pool->run;
        (void)pthread_mutex_unlock(&pool->mutex);
        take_tasks(pool, worker->number);
        (void)pthread_mutex_lock(&pool->mutex);
        if (--pool->busy_count == 0) {
            (void)pthread_cond_signal(&pool->end);
        }
    }
    (void)pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/** Signals are for the first thread. */
static int start_thread(pthread_t *thread, void *(*main)(void *), void *argument)
{
    sigset_t all;
    sigset_t before;
    int result;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    result = pthread_create(thread, NULL, main, argument);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

enum arus_status arus_pool_open(uint32_t thread_count, struct arus_pool **out,
                                struct arus_error *err)
{
    struct arus_pool *pool = (struct arus_pool *)arus_alloc(1, sizeof *pool);

    *out = NULL;
    if (pool == NULL) {
        return arus_fail_memory(err);
    }
    pool->size = thread_count == 0 ? 1 : thread_count;
    atomic_store(&pool->failed_task, UINT32_MAX);
    pool->workers = (struct worker *)arus_alloc(pool->size, sizeof *pool->workers);
    if (pool->workers == NULL) {
        arus_free(pool);
        return arus_fail_memory(err);
    }
    (void)pthread_mutex_init(&pool->mutex, NULL);
    (void)pthread_cond_init(&pool->start, NULL);
    (void)pthread_cond_init(&pool->end, NULL);
    for (uint32_t i = 1; i < pool->size; i++) {
        int result;

        pool->workers[i] = (struct worker){.pool = pool, .number = i};
        result = start_thread(&pool->workers[i].thread, worker_main, &pool->workers[i]);
        if (result != 0) {
            arus_pool_close(pool);
            return arus_fail_errno(err, ARUS_FATAL, result, "cannot start a thread");
        }
        pool->started_count++;
    }
    *out = pool;
    return ARUS_OK;
}

uint32_t arus_pool_size(const struct arus_pool *pool)
{
    return pool->size;
}

enum arus_status arus_pool_run(struct arus_pool *pool, arus_task_fn fn, void *self,
                               uint32_t task_count, struct arus_error *err)
{
    (void)pthread_mutex_lock(&pool->mutex);
    pool->fn = fn;
    pool->self = self;
    pool->task_count = task_count;
    atomic_store(&pool->failed_task, UINT32_MAX);
    atomic_store(&pool->next, 0);
    if (task_count > 1 && pool->started_count > 0) {
        pool->busy_count = pool->started_count;
        pool->run++;
        (void)pthread_cond_broadcast(&pool->start);
    }
    (void)pthread_mutex_unlock(&pool->mutex);
    take_tasks(pool, 0);
    (void)pthread_mutex_lock(&pool->mutex);
    while (pool->busy_count > 0) {
        (void)pthread_cond_wait(&pool->end, &pool->mutex);
    }
    (void)pthread_mutex_unlock(&pool->mutex);
    if (atomic_load(&pool->failed_task) != UINT32_MAX) {
        *err = pool->error;
        return err->status;
    }
    return ARUS_OK;
}

bool arus_pool_is_needless(const struct arus_pool *pool, uint32_t task)
{
    return task > atomic_load_explicit(&pool->failed_task, memory_order_relaxed);
}

void arus_pool_close(struct arus_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&pool->mutex);
    pool->is_closing = true;
    (void)pthread_cond_broadcast(&pool->start);
    (void)pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 1; i <= pool->started_count; i++) {
        (void)pthread_join(pool->workers[i].thread, NULL);
    }
    (void)pthread_cond_destroy(&pool->end);
    (void)pthread_cond_destroy(&pool->start);
    (void)pthread_mutex_destroy(&pool->mutex);
    arus_free(pool->workers);
    arus_free(pool);
}

/* ---- one job at a time ---- */

struct arus_background {
    pthread_mutex_t mutex;
    pthread_cond_t start;
    pthread_cond_t end;
    pthread_t thread;
    arus_job_fn fn; /* NULL: nothing to do */
    void *self;
    enum arus_status status; /* of the job that ended */
    struct arus_error error;
    bool has_thread;
    bool is_closing;
};

static void *background_main(void *argument)
{
    struct arus_background *background = (struct arus_background *)argument;

    (void)pthread_mutex_lock(&background->mutex);
    for (;;) {
        enum arus_status status;
        struct arus_error err = {0};

        while (background->fn == NULL && !background->is_closing) {
            (void)pthread_cond_wait(&background->start, &background->mutex);
        }
        if (background->fn == NULL) {
            break;
        }
        (void)pthread_mutex_unlock(&background->mutex);
        status = background->fn(background->self, &err);
        (void)pthread_mutex_lock(&background->mutex);
        background->status = status;
        background->error = err;
        background->fn = NULL;
        (void)pthread_cond_broadcast(&background->end);
    }
    (void)pthread_mutex_unlock(&background->mutex);
    return NULL;
}

enum arus_status arus_background_open(struct arus_background **out, struct arus_error *err)
{
    struct arus_background *background =
        (struct arus_background *)arus_alloc(1, sizeof *background);

    *out = background;
    if (background == NULL) {
        return arus_fail_memory(err);
    }
    (void)pthread_mutex_init(&background->mutex, NULL);
    (void)pthread_cond_init(&background->start, NULL);
    (void)pthread_cond_init(&background->end, NULL);
    return ARUS_OK;
}

bool arus_background_is_busy(struct arus_background *background)
{
    bool is_busy;

    (void)pthread_mutex_lock(&background->mutex);
    is_busy = background->fn != NULL || background->status != ARUS_OK;
    (void)pthread_mutex_unlock(&background->mutex);
    return is_busy;
}

bool arus_background_is_done(struct arus_background *background)
{
    bool is_done;

    (void)pthread_mutex_lock(&background->mutex);
    is_done = background->fn == NULL;
    (void)pthread_mutex_unlock(&background->mutex);
    return is_done;
}

enum arus_status arus_background_wait(struct arus_background *background, struct arus_error *err)
{
    enum arus_status status;

    (void)pthread_mutex_lock(&background->mutex);
    while (background->fn != NULL) {
        (void)pthread_cond_wait(&background->end, &background->mutex);
    }
    status = background->status;
    if (status != ARUS_OK) {
        *err = background->error;
        background->status = ARUS_OK;
    }
    (void)pthread_mutex_unlock(&background->mutex);
    return status;
}

enum arus_status arus_background_start(struct arus_background *background, arus_job_fn fn,
                                       void *self, struct arus_error *err)
{
    ARUS_TRY(arus_background_wait(background, err));
    if (!background->has_thread) {
        const int result = start_thread(&background->thread, background_main, background);

        if (result != 0) {
            return arus_fail_errno(err, ARUS_FATAL, result, "cannot start a thread");
        }
        background->has_thread = true;
    }
    (void)pthread_mutex_lock(&background->mutex);
    background->fn = fn;
    background->self = self;
    (void)pthread_cond_signal(&background->start);
    (void)pthread_mutex_unlock(&background->mutex);
    return ARUS_OK;
}

void arus_background_close(struct arus_background *background)
{
    if (background == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&background->mutex);
    background->is_closing = true;
    (void)pthread_cond_signal(&background->start);
    (void)pthread_mutex_unlock(&background->mutex);
    if (background->has_thread) {
        (void)pthread_join(background->thread, NULL);
    }
    (void)pthread_cond_destroy(&background->end);
    (void)pthread_cond_destroy(&background->start);
    (void)pthread_mutex_destroy(&background->mutex);
    arus_free(background);
}
