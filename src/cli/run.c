/** Sums, lines and signals of a run. */
#include "cli/run.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/human.h"
#include "cli/signals.h"
#include "connector/location.h"

#include <errno.h>
#include <stdlib.h>

/* ---- log ---- */

static void write_log(void *self, enum arus_log_level level, const char *text)
{
    static const int PRIORITIES[] = {3, 4, 5, 6, 7};
    struct arus_run *run = self;
    struct arus_buffer out = {0};
    struct arus_error ignored;

    (void)pthread_mutex_lock(&run->mutex);
    if (arus_live_erase(&run->live, &out, &ignored) != ARUS_OK) {
        arus_buffer_reset(&out);
    }
    if (run->has_log) {
        if (arus_log_line(run->log_form, arus_clock_wall_ms(), PRIORITIES[level],
                          arus_text_of(text), &out, &ignored) != ARUS_OK) {
            arus_buffer_reset(&out);
        }
        (void)fwrite(out.data == NULL ? "" : out.data, 1, out.size, stderr);
    } else {
        (void)fprintf(stderr, "%.*sarus: %s: %s\n", ARUS_TEXT_ARGS(arus_buffer_text(&out)),
                      arus_log_level_name(level), text);
    }
    (void)pthread_mutex_unlock(&run->mutex);
    arus_buffer_release(&out);
}

/* --log LEVEL[,json] */
static enum arus_status parse_log(struct arus_run *run, const char *value, struct arus_error *err)
{
    const size_t size = strcspn(value, ",");

    run->has_log = true;
    if (strcmp(value + size, ",json") == 0) {
        run->log_form = ARUS_LOG_FORM_JSON;
    } else if (value[size] != '\0') {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "--log takes LEVEL or LEVEL,json, not `%s`",
                         value);
    }
    for (int level = ARUS_LOG_ERROR; level <= ARUS_LOG_DEBUG; level++) {
        if (arus_text_equal_nocase((struct arus_text){value, size},
                                   arus_text_of(arus_log_level_name((enum arus_log_level)level)))) {
            run->logger.level_max = (enum arus_log_level)level;
            return ARUS_OK;
        }
    }
    return arus_fail(err, ARUS_BAD_CONFIG, NULL,
                     "--log takes error, warning, notice, info or debug, not `%s`", value);
}

/* ---- console sinks ---- */

static enum arus_status print_console(void *self, struct arus_text text, struct arus_error *err)
{
    struct arus_run *run = self;
    bool is_fine;

    (void)pthread_mutex_lock(&run->mutex);
    arus_run_erase(run);
    is_fine = fwrite(text.data, 1, text.size, stdout) == text.size && fflush(stdout) == 0;
    (void)pthread_mutex_unlock(&run->mutex);
    return is_fine ? ARUS_OK : arus_fail_errno(err, ARUS_FATAL, errno, "standard output");
}

/* ---- begin and end ---- */

struct arus_run *arus_run_new(void)
{
    struct arus_run *run = arus_alloc(1, sizeof *run);

    if (run != NULL) {
        (void)pthread_mutex_init(&run->mutex, NULL);
        run->stop = arus_signals_stop();
    }
    return run;
}

enum arus_status arus_run_begin(struct arus_run *run, const struct arus_args *args,
                                struct arus_error *err)
{
    const struct arus_flag_use *progress = arus_args_find(args, ARUS_FLAG_PROGRESS);
    const struct arus_flag_use *log = arus_args_find(args, ARUS_FLAG_LOG);

    run->verbosity = args->verbosity;
    run->opened.printer = (struct arus_printer){print_console, run};
    run->logger =
        (struct arus_logger){write_log, run, args->is_quiet ? ARUS_LOG_ERROR : ARUS_LOG_WARN};
    run->live.started_ms = arus_clock_wall_ms();
    run->log_form = getenv("JOURNAL_STREAM") != NULL ? ARUS_LOG_FORM_SYSTEMD : ARUS_LOG_FORM_PLAIN;
    run->is_available_now = arus_args_has(args, ARUS_FLAG_AVAILABLE_NOW);
    if (log != NULL) {
        ARUS_TRY(parse_log(run, log->value, err));
    }
    if (progress != NULL) {
        run->progress = strcmp(progress->value, "-") == 0 ? stdout : fopen(progress->value, "ae");
        if (run->progress == NULL) {
            return arus_fail_errno(err, ARUS_BAD_CONFIG, errno, "%s", progress->value);
        }
    }
    return arus_signals_take(err);
}

void arus_run_close(struct arus_run *run)
{
    if (run->progress != NULL && run->progress != stdout) {
        (void)fclose(run->progress);
    }
    for (uint32_t i = 0; i < run->query_count; i++) {
        arus_metrics_release(&run->queries[i].metrics);
    }
    arus_opened_release(&run->opened);
    (void)pthread_mutex_destroy(&run->mutex);
    arus_free(run);
    arus_signals_release();
}

/* ---- lines ---- */

static void put_error(const struct arus_buffer *out)
{
    if (out->size != 0) {
        (void)fwrite(out->data, 1, out->size, stderr);
    }
}

void arus_run_erase(struct arus_run *run)
{
    struct arus_buffer out = {0};
    struct arus_error ignored;

    if (arus_live_erase(&run->live, &out, &ignored) == ARUS_OK) {
        put_error(&out);
    }
    arus_buffer_release(&out);
}

void arus_run_print_error(struct arus_run *run, const char *subject, const struct arus_error *err)
{
    (void)pthread_mutex_lock(&run->mutex);
    arus_run_erase(run);
    arus_opened_fail(&run->opened, subject, err);
    (void)pthread_mutex_unlock(&run->mutex);
}

void arus_running_begin(struct arus_running *running)
{
    (void)snprintf(running->name, sizeof running->name, "%.*s",
                   ARUS_TEXT_ARGS(running->plan->name));
    running->batch_first = -1;
    running->begin_ms = arus_clock_wall_ms();
}

void arus_running_end(struct arus_running *running)
{
    (void)pthread_mutex_lock(&running->run->mutex);
    running->files_known = arus_query_look(running->query).files_done;
    running->is_done = true;
    (void)pthread_mutex_unlock(&running->run->mutex);
}

static int64_t known_if(bool is_known, uint64_t count)
{
    return is_known ? (int64_t)count : ARUS_UNKNOWN;
}

static struct arus_summary summary_of(const struct arus_running *running)
{
    return (struct arus_summary){
        .query = running->name,
        .batch_first = running->batch_first,
        .batch_last = running->batch_last,
        .rows_in = (int64_t)running->rows_in,
        .rows_out = (int64_t)running->rows_out,
        .late = known_if(running->has_watermark, running->late_rows),
        .rejected = (int64_t)running->rejected_rows,
        .files = running->files_known >= running->known_before
                     ? (int64_t)(running->files_known - running->known_before)
                     : ARUS_UNKNOWN,
        .duplicates = known_if(running->has_duplicates, running->duplicate_rows),
        .keys = known_if(running->has_duplicates, running->key_count),
        .state = known_if(running->has_state, running->state_rows),
        .has_watermark = running->has_watermark,
        .duration_ms = (int64_t)((running->duration_us + 999) / 1000)};
}

/* -v: a line a batch. */
static enum arus_status say_batch(const struct arus_running *running,
                                  const struct arus_progress *progress, struct arus_buffer *out,
                                  struct arus_error *err)
{
    struct arus_summary summary = summary_of(running);
    char time[ARUS_HUMAN_SIZE];

    if (running->watermark_ms > 0) {
        summary.watermark = arus_human_time(running->watermark_ms, time);
    }
    summary.late = known_if(running->has_watermark, progress->fates.late);
    summary.rows_in = (int64_t)progress->input_rows;
    summary.rows_out = (int64_t)progress->output_rows;
    ARUS_TRY(arus_live_erase(&running->run->live, out, err));
    return arus_summary_batch(&summary, out, err);
}

/* What operators keep behind the batch. */
static void take_state(struct arus_running *running, const struct arus_progress *progress)
{
    running->late_rows += progress->fates.late;
    running->rejected_rows += progress->fates.rejected;
    running->duplicate_rows += progress->fates.duplicate;
    running->has_watermark = progress->event.has_watermark;
    running->watermark_ms = progress->event.watermark_ms;
    if (running->watermark_ms > 0) {
        char time[ARUS_HUMAN_SIZE];

        (void)snprintf(running->watermark_text, sizeof running->watermark_text, "%s",
                       arus_human_time(running->watermark_ms, time) + sizeof "2026-03-02");
    }
    running->has_state = running->has_state || progress->operator_count != 0;
    if (progress->operator_count == 0) {
        return; /* none, or a batch of an earlier run that was only given out */
    }
    running->key_count = running->state_rows = running->state_bytes = 0;
    for (uint32_t i = 0; i < progress->operator_count; i++) {
        const struct arus_operator_stats *item = &progress->operators[i];
        const bool is_dedup =
            item->kind == ARUS_STATE_DEDUP || item->kind == ARUS_STATE_DEDUP_WITHIN;

        running->dropped_groups += item->dropped_rows;
        running->state_rows += item->total_rows;
        running->state_bytes += item->memory_size;
        running->has_duplicates = running->has_duplicates || is_dedup;
        running->key_count += is_dedup ? item->total_rows : 0;
    }
}

static void add_up(struct arus_running *running, const struct arus_progress *progress)
{
    running->batch_next = progress->batch_id + !progress->is_idle;
    if (progress->is_idle) {
        return;
    }
    if (running->batch_first < 0) {
        running->batch_first = progress->batch_id;
    }
    running->batch_last = progress->batch_id;
    running->run->batch_count++;
    running->rows_in += progress->input_rows;
    running->rows_out += progress->output_rows;
    running->duration_us += arus_progress_duration_us(progress);
    take_state(running, progress);
}

static enum arus_status write_progress(struct arus_run *run, const struct arus_progress *progress,
                                       struct arus_error *err)
{
    struct arus_buffer line = {0};
    enum arus_status status = arus_progress_json(progress, &line, err);

    if (status == ARUS_OK) {
        status = arus_buffer_append_char(&line, '\n', err);
    }
    if (status == ARUS_OK && (fwrite(line.data, 1, line.size, run->progress) != line.size ||
                              fflush(run->progress) != 0)) {
        status = arus_fail_errno(err, ARUS_FATAL, errno, "the progress file");
    }
    arus_buffer_release(&line);
    return status;
}

static enum arus_status show_progress(struct arus_running *running,
                                      const struct arus_progress *progress, struct arus_buffer *out,
                                      struct arus_error *err)
{
    struct arus_run *run = running->run;

    if (run->http != NULL) {
        ARUS_TRY(arus_metrics_take(&running->metrics, progress, err));
    }
    if (run->progress != NULL) {
        ARUS_TRY(write_progress(run, progress, err));
    }
    if (run->verbosity > 0 && !progress->is_idle) {
        ARUS_TRY(say_batch(running, progress, out, err));
    }
    return ARUS_OK;
}

void arus_running_progress(void *self, const struct arus_progress *progress)
{
    struct arus_running *running = self;
    struct arus_buffer out = {0};
    struct arus_error err;

    (void)pthread_mutex_lock(&running->run->mutex);
    add_up(running, progress);
    if (show_progress(running, progress, &out, &err) == ARUS_OK) {
        put_error(&out);
    } else {
        (void)fprintf(stderr, "arus: warning: progress: %s\n", err.message);
    }
    (void)pthread_mutex_unlock(&running->run->mutex);
    arus_buffer_release(&out);
}

/* "events  nothing new  (1 file known, last batch 0)", "events  nothing yet  (in/ has no files)" */
static void say_nothing(const struct arus_running *running)
{
    struct arus_buffer where = {0};
    struct arus_error ignored;

    if (running->run->stop != NULL && running->run->stop->level == ARUS_STOP_NOW) {
        (void)fprintf(stderr, "%s  stopped at once: batch %lld begins anew with the next run\n",
                      running->name, (long long)arus_query_batch_id(running->query));
    } else if (running->batch_next > 0) {
        (void)fprintf(stderr, "%s  nothing new  (%llu file%s known, last batch %lld)\n",
                      running->name, (unsigned long long)running->files_known,
                      running->files_known == 1 ? "" : "s", (long long)(running->batch_next - 1));
    } else if (running->plan->physical->stream_count > 0 &&
               arus_location_show(running->plan->sources[0]->location,
                                  running->plan->sources[0]->path, &where, &ignored) == ARUS_OK) {
        (void)fprintf(stderr, "%s  nothing yet  (%.*s has no files)\n", running->name,
                      ARUS_TEXT_ARGS(arus_buffer_text(&where)));
    }
    arus_buffer_release(&where);
}

void arus_running_say_end(struct arus_running *running)
{
    const struct arus_summary summary = summary_of(running);
    struct arus_buffer out = {0};
    struct arus_error ignored;

    if (running->run->opened.is_quiet || running->status != ARUS_OK) {
        return;
    }
    if (running->batch_first < 0) {
        say_nothing(running);
        return;
    }
    if (arus_summary_line(&summary, &out, &ignored) == ARUS_OK) {
        put_error(&out);
    }
    arus_buffer_release(&out);
}
