/** Plain lines: one STRING column `value`. */
#ifndef ARUS_FORMAT_TEXT_H
#define ARUS_FORMAT_TEXT_H

#include "format/format.h"

extern const struct arus_format ARUS_FORMAT_TEXT;

#endif
