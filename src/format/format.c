/** The one list of formats. */
#include "format/format.h"

#include "format/csv.h"
#include "format/json.h"
#include "format/parquet.h"
#include "format/text.h"

#include <stddef.h>

const struct arus_format *const ARUS_FORMATS[] = {
    &ARUS_FORMAT_CSV, &ARUS_FORMAT_JSON, &ARUS_FORMAT_PARQUET, &ARUS_FORMAT_TEXT, NULL,
};

const struct arus_format *arus_format_find(struct arus_text name)
{
    for (const struct arus_format *const *row = ARUS_FORMATS; *row != NULL; row++) {
        if (arus_text_equal_nocase(arus_text_of((*row)->name), name)) {
            return *row;
        }
    }
    return NULL;
}
