/** Row groups that a query need not read. */
#ifndef ARUS_FORMAT_PARQUET_PRUNE_H
#define ARUS_FORMAT_PARQUET_PRUNE_H

#include "column/scan.h"
#include "format/parquet_schema.h"

/** False: by the footer's statistics no row of the group fits all predicates. */
bool arus_parquet_group_may_fit(const struct arus_parquet_row_group *group,
                                const struct arus_parquet_node *root, const struct arus_scan *scan);

#endif
