/** CKPT of the command line: a checkpoint folder, or FILE.sql[:QUERY]. */
#ifndef ARUS_CLI_PLACE_H
#define ARUS_CLI_PLACE_H

#include "base/file.h"
#include "cli/opened.h"

/** One checkpoint. */
struct arus_checkpoint_place {
    struct arus_path folder;               /* absolute */
    struct arus_path shown;                /* as written: in the pipeline, or on the command line */
    struct arus_path pipeline;             /* absolute; empty: a folder was named */
    char name[256];                        /* of the query, or the folder as written */
    const struct arus_stream_query *query; /* in opened->session; NULL: a folder was named */
};

/** Zeroed = empty and releasable. */
struct arus_places {
    struct arus_checkpoint_place *items; /* [count] */
    size_t count;
};

/**
 * The checkpoints of all queries of a file, of the one that FILE.sql:QUERY names, or the folder.
 * Errors: ARUS_BAD_CONFIG PATH_NOT_FOUND; ARUS_NOT_A_CHECKPOINT. An empty message: it is printed.
 */
ARUS_MUST_USE enum arus_status arus_places_find(struct arus_opened *opened,
                                                const struct arus_args *args,
                                                struct arus_places *out, struct arus_error *err);
void arus_places_release(struct arus_places *places);

/** The first of them: for commands that work on one. */
ARUS_MUST_USE enum arus_status arus_checkpoint_find(struct arus_opened *opened,
                                                    const struct arus_args *args,
                                                    struct arus_checkpoint_place *out,
                                                    struct arus_error *err);

#endif
