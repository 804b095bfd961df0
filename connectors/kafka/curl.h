/** libcurl, loaded at the first use of a schema registry: `arus_curl.easy_init()` is
 * curl_easy_init(). */
#ifndef ARUS_CONNECTORS_KAFKA_CURL_H
#define ARUS_CONNECTORS_KAFKA_CURL_H

#include "base/error.h"

#include <curl/curl.h>

/** Every function that arus calls, without its curl_. */
#define ARUS_CURL_FUNCTIONS(X)                                                                     \
    X(easy_cleanup)                                                                                \
    X(easy_getinfo)                                                                                \
    X(easy_init)                                                                                   \
    X(easy_perform)                                                                                \
    X(easy_setopt)                                                                                 \
    X(global_init)                                                                                 \
    X(slist_append)                                                                                \
    X(slist_free_all)

struct arus_curl {
#define X(name) __typeof__(curl_##name) *name;
    ARUS_CURL_FUNCTIONS(X)
#undef X
};

/** Filled by load; nothing of it may be called before. */
extern struct arus_curl arus_curl;

/** Loads and starts it, once; any thread. Errors: ARUS_LIBRARY_MISSING. */
ARUS_MUST_USE enum arus_status arus_curl_load(struct arus_error *err);

#endif
