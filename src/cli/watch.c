/** Looks at the queries ten times a second on a screen, once a second elsewhere. */
#include "cli/watch.h"

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/notify.h"
#include "cli/signals.h"
#include "connector/location.h"

#include <poll.h>
#include <unistd.h>

#define SCREEN_GAP_MS 100
#define ALIVE_GAP_MS  1000
#define LOG_GAP_MS    30000
#define IDLE_AFTER_MS 2000

/* ---- one query ---- */

/* "files in in/" */
static void fill_waiting(const struct arus_running *running, char *out, size_t size)
{
    struct arus_buffer where = {0};
    struct arus_error ignored;

    if (running->plan->physical->stream_count > 0 &&
        arus_location_show(running->plan->sources[0]->location, running->plan->sources[0]->path,
                           &where, &ignored) == ARUS_OK) {
        (void)snprintf(out, size, "files in %.*s", ARUS_TEXT_ARGS(arus_buffer_text(&where)));
    } else {
        (void)snprintf(out, size, "input");
    }
    arus_buffer_release(&where);
}

static bool has_end(const struct arus_running *running)
{
    return running->run->is_available_now ||
           running->plan->properties.trigger != ARUS_TRIGGER_PROCESSING_TIME;
}

/* `waiting` is memory for view.waiting. */
static struct arus_progress_view view_of(struct arus_running *running, int64_t now_ms,
                                         char *waiting, size_t waiting_size)
{
    const struct arus_query_now now = arus_query_look(running->query);
    const double batch_files =
        now.files_known > now.files_done ? (double)(now.files_known - now.files_done) : 0;
    const double done =
        (double)now.files_done - (double)running->known_before + batch_files * now.batch_done;
    const double left = (double)now.files_left + batch_files * (1 - now.batch_done);
    struct arus_progress_view view = {
        .query = running->name,
        .batch = now.batch_id,
        .rows = (int64_t)now.rows,
        .rows_per_second = arus_rate_per_second(&running->rate, now_ms, now.rows),
        .files_left = (int64_t)(left + 0.999),
        .lag_records = ARUS_UNKNOWN,
        .lag_ms = ARUS_UNKNOWN,
        .watermark = running->watermark_text[0] != '\0' ? running->watermark_text : NULL,
        .late = running->has_watermark ? (int64_t)running->late_rows : ARUS_UNKNOWN,
        .state_bytes = running->has_state ? (int64_t)running->state_bytes : ARUS_UNKNOWN,
        .eta_ms = has_end(running) ? arus_rate_eta_ms(done, left, now_ms - running->begin_ms)
                                   : ARUS_UNKNOWN};

    if (now.idle_since_ms != 0 && now_ms - now.idle_since_ms >= IDLE_AFTER_MS) {
        fill_waiting(running, waiting, waiting_size);
        view.waiting = waiting;
        view.waiting_ms = now_ms - now.idle_since_ms;
    }
    return view;
}

static size_t name_width(const struct arus_run *run)
{
    size_t width = 0;

    for (uint32_t i = 0; i < run->query_count; i++) {
        const size_t name = strlen(run->queries[i].name);

        width = name > width ? name : width;
    }
    return width;
}

static enum arus_status put_line(struct arus_run *run, uint32_t index, int64_t now_ms, int width,
                                 struct arus_buffer *out, struct arus_error *err)
{
    char waiting[200];
    const struct arus_progress_view view =
        view_of(&run->queries[index], now_ms, waiting, sizeof waiting);

    return arus_progress_line(&view, (int)name_width(run), width, out, err);
}

/* ---- a screen ---- */

/* All queries that are not done, over each other. */
static enum arus_status draw(struct arus_run *run, int64_t now_ms, struct arus_buffer *out,
                             struct arus_error *err)
{
    struct arus_text lines[ARUS_RUN_QUERIES_MAX];
    struct arus_buffer texts[ARUS_RUN_QUERIES_MAX] = {0};
    enum arus_status status = ARUS_OK;
    int count = 0;

    for (uint32_t i = 0; i < run->query_count && status == ARUS_OK; i++) {
        if (!run->queries[i].is_done) {
            status = put_line(run, i, now_ms, run->opened.errors.width - 1, &texts[count], err);
            lines[count] = arus_buffer_text(&texts[count]);
            count++;
        }
    }
    if (status == ARUS_OK) {
        status = arus_live_draw(&run->live, lines, count, now_ms, out, err);
    }
    for (int i = 0; i < count; i++) {
        arus_buffer_release(&texts[i]);
    }
    return status;
}

/* ---- lines that stay ---- */

/* `word` behind the fields, or NULL. */
static enum arus_status put_log(struct arus_run *run, uint32_t index, int64_t now_ms,
                                const char *word, struct arus_buffer *out, struct arus_error *err)
{
    struct arus_buffer text = {0};
    char waiting[200];
    const struct arus_progress_view view =
        view_of(&run->queries[index], now_ms, waiting, sizeof waiting);
    enum arus_status status = arus_progress_fields(&view, &text, err);

    if (status == ARUS_OK && word != NULL) {
        status = arus_buffer_printf(&text, err, " %s", word);
    }
    if (status == ARUS_OK) {
        status = arus_log_line(run->log_form, now_ms, 6, arus_buffer_text(&text), out, err);
    }
    arus_buffer_release(&text);
    return status;
}

static void say(struct arus_run *run, const struct arus_buffer *out)
{
    (void)run;
    if (out->size != 0) {
        (void)fwrite(out->data, 1, out->size, stderr);
    }
}

static void say_logs(struct arus_run *run, int64_t now_ms, const char *word)
{
    struct arus_buffer out = {0};
    struct arus_error ignored;
    enum arus_status status = arus_live_erase(&run->live, &out, &ignored);

    for (uint32_t i = 0; i < run->query_count && status == ARUS_OK; i++) {
        status = put_log(run, i, now_ms, word, &out, &ignored);
    }
    say(run, &out);
    arus_buffer_release(&out);
    run->logged_ms = now_ms;
    run->logged_batches = run->batch_count;
}

/* SIGUSR1 */
static void show(struct arus_run *run, int64_t now_ms)
{
    struct arus_buffer out = {0};
    struct arus_error ignored;
    enum arus_status status = ARUS_OK;

    if (!run->opened.errors.is_terminal) {
        say_logs(run, now_ms, NULL);
        return;
    }
    status = arus_live_erase(&run->live, &out, &ignored);
    for (uint32_t i = 0; i < run->query_count && status == ARUS_OK; i++) {
        status = put_line(run, i, now_ms, 0, &out, &ignored);
        if (status == ARUS_OK) {
            status = arus_buffer_append_char(&out, '\n', &ignored);
        }
    }
    say(run, &out);
    arus_buffer_release(&out);
}

static bool is_working(const struct arus_running *running)
{
    return !running->is_done && arus_query_look(running->query).idle_since_ms == 0;
}

/* "stopping after batch 7, again to stop now": not where all queries only wait. */
static void say_stopping(struct arus_run *run)
{
    const struct arus_running *one = NULL;
    uint32_t count = 0;

    arus_notify("STOPPING=1\n");
    for (uint32_t i = 0; i < run->query_count; i++) {
        if (is_working(&run->queries[i])) {
            one = &run->queries[i];
            count++;
        }
    }
    if (count == 0 || run->opened.is_quiet) {
        return;
    }
    arus_run_erase(run);
    (void)fputs(run->opened.errors.is_terminal ? "\r\033[J" : "", stderr); /* the screen's ^C */
    if (count == 1) {
        (void)fprintf(stderr, "arus: stopping after batch %lld, again to stop now\n",
                      (long long)arus_query_look(one->query).batch_id);
    } else {
        (void)fprintf(stderr, "arus: stopping after these batches, again to stop now\n");
    }
}

static void tell_manager(struct arus_run *run, int64_t now_ms)
{
    struct arus_buffer text = {0};
    struct arus_error ignored;

    if (arus_buffer_append_text(&text, ARUS_TEXT("WATCHDOG=1\nSTATUS="), &ignored) == ARUS_OK &&
        put_line(run, 0, now_ms, 0, &text, &ignored) == ARUS_OK &&
        arus_buffer_append(&text, "\n", 2, &ignored) == ARUS_OK) {
        arus_notify(text.data);
    }
    arus_buffer_release(&text);
}

/* ---- the thread ---- */

static void tick(struct arus_run *run)
{
    const int64_t now_ms = arus_clock_wall_ms();

    for (uint32_t i = 0; i < run->query_count; i++) {
        arus_rate_note(&run->queries[i].rate, now_ms, arus_query_look(run->queries[i].query).rows);
    }
    if (now_ms - run->told_ms >= ALIVE_GAP_MS) {
        tell_manager(run, now_ms);
        run->told_ms = now_ms;
    }
    if (run->shows_live && arus_live_is_due(&run->live, now_ms)) {
        struct arus_buffer out = {0};
        struct arus_error ignored;

        if (draw(run, now_ms, &out, &ignored) == ARUS_OK) {
            say(run, &out);
        }
        arus_buffer_release(&out);
    }
    if (run->shows_log && now_ms - run->logged_ms >= LOG_GAP_MS &&
        run->batch_count != run->logged_batches) {
        say_logs(run, now_ms, NULL);
    }
}

static bool take_wakes(struct arus_run *run)
{
    char bytes[64];
    const ssize_t size = read(arus_signals_wake_fd(), bytes, sizeof bytes);

    for (ssize_t i = 0; i < size; i++) {
        switch ((enum arus_wake)bytes[i]) {
        case ARUS_WAKE_STOP:
            say_stopping(run);
            break;
        case ARUS_WAKE_SHOW:
            show(run, arus_clock_wall_ms());
            break;
        case ARUS_WAKE_QUIT:
            return false;
        }
    }
    return true;
}

static void *watch(void *self)
{
    struct arus_run *run = self;
    bool goes_on = true;

    while (goes_on) {
        struct pollfd fd = {.fd = arus_signals_wake_fd(), .events = POLLIN};

        (void)poll(&fd, 1, run->shows_live ? SCREEN_GAP_MS : ALIVE_GAP_MS);
        (void)pthread_mutex_lock(&run->mutex);
        goes_on = take_wakes(run);
        if (goes_on) {
            tick(run);
        }
        (void)pthread_mutex_unlock(&run->mutex);
    }
    return NULL;
}

static bool runs_for_ever(const struct arus_run *run)
{
    for (uint32_t i = 0; i < run->query_count; i++) {
        if (!has_end(&run->queries[i])) {
            return true;
        }
    }
    return false;
}

void arus_watch_begin(struct arus_run *run)
{
    const bool is_screen = run->opened.errors.is_terminal;

    run->logged_ms = arus_clock_wall_ms();
    run->shows_live = is_screen && !run->opened.is_quiet;
    run->shows_log =
        run->has_log ? run->logger.level_max >= ARUS_LOG_INFO : !is_screen && !run->opened.is_quiet;
    run->shows_ends = run->shows_log && (run->has_log || runs_for_ever(run));
    if (run->shows_ends) {
        say_logs(run, run->logged_ms, "started");
    }
    arus_notify("READY=1\n");
    run->is_watched = pthread_create(&run->watcher, NULL, watch, run) == 0;
}

void arus_watch_end(struct arus_run *run)
{
    if (run->is_watched) {
        arus_signals_quit();
        (void)pthread_join(run->watcher, NULL);
        run->is_watched = false;
    }
    arus_run_erase(run);
    if (run->shows_ends) {
        say_logs(run, arus_clock_wall_ms(), "ended");
    }
}
