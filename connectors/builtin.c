/** All connectors: the one file that knows every name. */
#include "connector/connector.h"

const struct arus_connector ARUS_CONNECTORS[] = {
    {0},
};
