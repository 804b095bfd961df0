/** CSV as Spark reads and writes it. */
#ifndef ARUS_FORMAT_CSV_H
#define ARUS_FORMAT_CSV_H

#include "format/format.h"

extern const struct arus_format ARUS_FORMAT_CSV;

#endif
