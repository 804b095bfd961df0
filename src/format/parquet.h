/** Apache Parquet, as Spark writes and reads it. */
#ifndef ARUS_FORMAT_PARQUET_H
#define ARUS_FORMAT_PARQUET_H

#include "format/format.h"

extern const struct arus_format ARUS_FORMAT_PARQUET;

#endif
