/** Opening engines and loading texts. */
#include "api/engine_internal.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

const char *arus_version(void)
{
    return ARUS_VERSION;
}

/* ---- open and close ---- */

static enum arus_status open_stop(struct arus_engine *engine, struct arus_error *err)
{
    int fds[2];

    if (pipe(fds) != 0) {
        return arus_fail_errno(err, ARUS_FATAL, errno, "a pipe for stops");
    }
    engine->stop.fd = fds[0];
    engine->stop_write_fd = fds[1];
    for (int i = 0; i < 2; i++) {
        if (fcntl(fds[i], F_SETFD, FD_CLOEXEC) != 0 || fcntl(fds[i], F_SETFL, O_NONBLOCK) != 0) {
            return arus_fail_errno(err, ARUS_FATAL, errno, "a pipe for stops");
        }
    }
    return ARUS_OK;
}

static enum arus_status find_folder(struct arus_engine *engine, const char *folder,
                                    struct arus_error *err)
{
    struct arus_path here;

    if (getcwd(here.text, sizeof here.text) == NULL) {
        return arus_fail_errno(err, ARUS_BAD_CONFIG, errno, "the current folder");
    }
    return arus_path_absolute(here.text, arus_text_of(folder == NULL ? "" : folder),
                              &engine->folder, err);
}

static enum arus_status open_engine(struct arus_engine *engine, const char *folder,
                                    struct arus_error *err)
{
    struct arus_session_config config = {.thread_count = engine->thread_count};

    ARUS_TRY(find_folder(engine, folder, err));
    ARUS_TRY(open_stop(engine, err));
    ARUS_TRY(arus_memory_make(&engine->own_memory, err));
    engine->memory = engine->own_memory;
    config.folder = engine->folder.text;
    config.memory = engine->memory;
    return arus_session_open(&config, &engine->session, err);
}

enum arus_outcome arus_engine_open(const char *folder, uint32_t thread_count,
                                   struct arus_engine **out, struct arus_problem *problem)
{
    struct arus_engine *engine = arus_alloc(1, sizeof *engine);
    struct arus_error err;
    enum arus_status status;

    *out = NULL;
    if (engine == NULL) {
        arus_ignore(arus_fail_memory(&err));
        return arus_problem_fill(&err, (struct engine_origin){0}, problem);
    }
    engine->thread_count = thread_count;
    engine->stop.fd = -1;
    engine->stop_write_fd = -1;
    (void)pthread_mutex_init(&engine->mutex, NULL);
    status = open_engine(engine, folder, &err);
    if (status != ARUS_OK) {
        arus_engine_close(engine);
        return arus_problem_fill(&err, (struct engine_origin){0}, problem);
    }
    *out = engine;
    return ARUS_OUTCOME_DONE;
}

void arus_engine_close(struct arus_engine *engine)
{
    if (engine == NULL) {
        return;
    }
    if (engine->stop_write_fd >= 0) {
        (void)close(engine->stop_write_fd);
        (void)close(engine->stop.fd);
    }
    arus_session_close(engine->session);
    arus_memory_free(engine->own_memory);
    arus_buffer_release(&engine->progress);
    arus_free(engine->streams);
    arus_free(engine->errors.items);
    arus_free(engine->warnings.items);
    arus_arena_release(&engine->arena);
    (void)pthread_mutex_destroy(&engine->mutex);
    arus_free(engine);
}

/* ---- loading ---- */

static enum arus_status keep_problems(struct engine_problems *problems,
                                      const struct arus_error *errors, size_t count,
                                      struct engine_origin origin, struct arus_error *err)
{
    arus_free(problems->items);
    problems->count = 0;
    problems->items = arus_alloc(count + 1, sizeof *problems->items);
    if (problems->items == NULL) {
        return arus_fail_memory(err);
    }
    problems->count = count;
    for (size_t i = 0; i < count; i++) {
        (void)arus_problem_fill(&errors[i], origin, &problems->items[i]);
    }
    return ARUS_OK;
}

static enum arus_status add_stream(struct arus_engine *engine, const struct arus_stream_query *plan,
                                   const char *file, const char *pipeline, struct arus_error *err)
{
    struct engine_stream *grown =
        arus_realloc(engine->streams, (engine->stream_count + 1) * sizeof *grown);
    struct engine_stream *stream;
    struct arus_text name;

    if (grown == NULL) {
        return arus_fail_memory(err);
    }
    engine->streams = grown;
    stream = &grown[engine->stream_count];
    *stream = (struct engine_stream){.plan = plan};
    ARUS_TRY(arus_text_copy(plan->name, &engine->arena, &name, err));
    stream->name = name.data;
    ARUS_TRY(arus_text_copy(arus_text_of(file), &engine->arena, &name, err));
    stream->file = name.data;
    if (pipeline != NULL) {
        ARUS_TRY(arus_text_copy(arus_text_of(pipeline), &engine->arena, &name, err));
        stream->pipeline = name.data;
    }
    engine->stream_count++;
    return ARUS_OK;
}

static enum arus_status keep_findings(struct arus_engine *engine,
                                      const struct arus_findings *findings, const char *file,
                                      const char *pipeline, struct arus_error *err)
{
    const struct engine_origin origin = {arus_session_text(engine->session), file, NULL};
    size_t count;
    const struct arus_action *actions = arus_session_actions(engine->session, &count);

    ARUS_TRY(keep_problems(&engine->errors, findings->errors, findings->error_count, origin, err));
    ARUS_TRY(
        keep_problems(&engine->warnings, findings->warnings, findings->warning_count, origin, err));
    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == ARUS_ACTION_STREAM) {
            ARUS_TRY(add_stream(engine, actions[i].stream, file, pipeline, err));
        }
    }
    return ARUS_OK;
}

enum arus_outcome arus_engine_read(struct arus_engine *engine, struct arus_text text,
                                   const char *file, const char *pipeline,
                                   struct arus_problem *problem)
{
    struct engine_origin origin = {.file = file};
    struct arus_findings findings = {0};
    struct arus_error err;
    struct arus_error failure;
    enum arus_status status = arus_session_read(engine->session, text, &findings, &err);

    if (keep_findings(engine, &findings, file, pipeline, &failure) != ARUS_OK &&
        status == ARUS_OK) {
        status = failure.status;
        err = failure;
    }
    if (status == ARUS_OK) {
        return ARUS_OUTCOME_DONE;
    }
    origin.text = arus_session_text(engine->session);
    return arus_problem_fill(&err, origin, problem);
}

enum arus_outcome arus_engine_load_text(struct arus_engine *engine, const char *text,
                                        struct arus_problem *problem)
{
    return arus_engine_read(engine, arus_text_of(text), "", NULL, problem);
}

enum arus_outcome arus_engine_load_file(struct arus_engine *engine, const char *path,
                                        struct arus_problem *problem)
{
    struct arus_buffer text = {0};
    struct arus_path absolute;
    struct arus_error err;
    bool is_missing = false;
    enum arus_outcome outcome;
    enum arus_status status =
        arus_path_absolute(engine->folder.text, arus_text_of(path), &absolute, &err);

    if (status == ARUS_OK) {
        status = arus_file_read(absolute.text, &text, &is_missing, &err);
    }
    if (status == ARUS_OK && is_missing) {
        status = arus_fail(&err, ARUS_BAD_CONFIG, "PATH_NOT_FOUND", "no such file");
    }
    outcome = status == ARUS_OK
                  ? arus_engine_read(engine, arus_buffer_text(&text), path, absolute.text, problem)
                  : arus_problem_fill(&err, (struct engine_origin){.file = path}, problem);
    arus_buffer_release(&text);
    return outcome;
}

const struct arus_problem *arus_engine_problems(const struct arus_engine *engine, size_t *count)
{
    *count = engine->errors.count;
    return engine->errors.items;
}

const struct arus_problem *arus_engine_warnings(const struct arus_engine *engine, size_t *count)
{
    *count = engine->warnings.count;
    return engine->warnings.items;
}

size_t arus_engine_stream_count(const struct arus_engine *engine)
{
    return engine->stream_count;
}

const char *arus_engine_stream_name(const struct arus_engine *engine, size_t index)
{
    return index < engine->stream_count ? engine->streams[index].name : NULL;
}
