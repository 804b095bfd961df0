/** Looking up what USING names. */
#include "connector/connector.h"

#include <stddef.h>

const struct arus_connector *arus_connector_find(struct arus_text name)
{
    for (const struct arus_connector *row = ARUS_CONNECTORS; row->name != NULL; row++) {
        if (arus_text_equal_nocase(arus_text_of(row->name), name)) {
            return row;
        }
    }
    return NULL;
}
