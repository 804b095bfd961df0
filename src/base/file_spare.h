/**
 * Files made ahead: making one is the dearest step of writing a small text (ext4 looks for a free
 * inode, and passes over all that were freed in the last minutes), so a thread of its own keeps
 * some empty ones ready under hidden names, and a writer fills and renames one. Short runs make
 * none.
 */
#ifndef ARUS_BASE_FILE_SPARE_H
#define ARUS_BASE_FILE_SPARE_H

#include "base/file.h"
#include "base/thread.h"

#include <stdatomic.h>

/** Zeroed = none will be made. One thread uses it. Fields belong to file_spare.c. */
struct arus_spares {
    struct arus_path folder;
    struct arus_background *background;
    atomic_uint made; /* by the thread */
    unsigned wanted;  /* the thread goes up to here */
    unsigned taken;
    uint32_t ask_count;
    int core;            /* of the writer, when it asked */
    atomic_bool is_over; /* the thread could not make one: nobody tries again */
};

/** Names will be `.spare-N.arus.tmp` in the folder, which exists when the first file is taken;
 * those that a killed process left go. */
ARUS_MUST_USE enum arus_status arus_spares_init(struct arus_spares *spares, const char *folder,
                                                struct arus_error *err);
/** Waits for the thread and removes what was not used. Accepts a zeroed one. */
void arus_spares_close(struct arus_spares *spares);

/** An open file for appending: one that was made ahead, or a new one at `path`. `*out`: its path.
 */
ARUS_MUST_USE enum arus_status arus_spares_open(struct arus_spares *spares, const char *path,
                                                struct arus_path *out, struct arus_file *file,
                                                struct arus_error *err);
/** As arus_file_create_new, by a file made ahead. */
ARUS_MUST_USE enum arus_status arus_spares_create_new(struct arus_spares *spares, const char *path,
                                                      struct arus_text content, bool *exists,
                                                      struct arus_error *err);

#endif
