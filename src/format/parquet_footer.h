/** Writes the end of a file. */
#ifndef ARUS_FORMAT_PARQUET_FOOTER_H
#define ARUS_FORMAT_PARQUET_FOOTER_H

#include "format/parquet_shred.h"

/** What the footer tells besides the schema. */
struct arus_parquet_footer {
    const struct arus_parquet_layout *layout;
    const struct arus_parquet_row_group *row_groups; /* [row_group_count] */
    size_t row_group_count;
    int64_t row_count;
    struct arus_text spark_schema; /* JSON */
};

/** Appends the Thrift bytes, their length and the magic. */
ARUS_MUST_USE enum arus_status arus_parquet_footer_write(const struct arus_parquet_footer *footer,
                                                         struct arus_buffer *out,
                                                         struct arus_error *err);

#endif
