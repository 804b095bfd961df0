/** What the files behind arus.h share. */
#ifndef ARUS_API_ENGINE_INTERNAL_H
#define ARUS_API_ENGINE_INTERNAL_H

#include "api/arus.h"
#include "api/session.h"
#include "base/file.h"
#include "connector/memory.h"

#include <pthread.h>

/** A streaming table that was loaded. */
struct engine_stream {
    const struct arus_stream_query *plan;
    const char *name;
    const char *file;     /* as the caller wrote it; "": a text */
    const char *pipeline; /* absolute path of the file; NULL: a text */
};

/** Problems of the text read last. */
struct engine_problems {
    struct arus_problem *items; /* [count], of arus_alloc */
    size_t count;
};

struct arus_engine {
    struct arus_session *session;
    struct arus_memory *own_memory;
    struct arus_memory *memory; /* the one in use */
    struct arus_arena arena;
    uint32_t thread_count;
    struct arus_path folder; /* absolute */
    struct engine_stream *streams;
    size_t stream_count;
    struct engine_problems errors;
    struct engine_problems warnings;
    struct arus_stop stop;
    int stop_write_fd;
    pthread_mutex_t mutex; /* on_progress is called under it */
    struct arus_buffer progress;
};

/** Where an error's place points to. Zeroed: nowhere. */
struct engine_origin {
    const char *text; /* NUL-terminated SQL; NULL: none */
    const char *file; /* its name; NULL or "": none */
    const char *query;
};

/** Fills `out` (may be NULL) and gives the outcome of the error. */
enum arus_outcome arus_problem_fill(const struct arus_error *err, struct engine_origin origin,
                                    struct arus_problem *out);
/** Reads a text into the session; its streams, errors and warnings into the engine. */
enum arus_outcome arus_engine_read(struct arus_engine *engine, struct arus_text text,
                                   const char *file, const char *pipeline,
                                   struct arus_problem *problem);

#endif
