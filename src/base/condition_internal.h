/** The pages, apart from the search. */
#ifndef ARUS_BASE_CONDITION_INTERNAL_H
#define ARUS_BASE_CONDITION_INTERNAL_H

#include "base/condition.h"

extern const struct arus_condition_page ARUS_CONDITION_PAGES[];
extern const size_t ARUS_CONDITION_PAGE_COUNT;

#endif
