/** For tests of the journal: a small map that has to grow. */
#ifndef ARUS_JOURNAL_STORE_INTERNAL_H
#define ARUS_JOURNAL_STORE_INTERNAL_H

#include "journal/store.h"

/** As arus_store_open, beginning with a map of `map_size` bytes. */
ARUS_MUST_USE enum arus_status arus_store_open_sized(const char *folder, enum arus_store_mode mode,
                                                     uint64_t map_size, struct arus_store **out,
                                                     struct arus_error *err);

#endif
