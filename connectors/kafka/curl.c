/** The table of libcurl's functions. */
#include "kafka/curl.h"

#include "base/library.h"

#include <pthread.h>

struct arus_curl arus_curl;

static void start(void)
{
    (void)arus_curl.global_init(CURL_GLOBAL_DEFAULT);
}

enum arus_status arus_curl_load(struct arus_error *err)
{
    static const struct arus_library_symbol SYMBOLS[] = {
#define X(name) {"curl_" #name, offsetof(struct arus_curl, name)},
        ARUS_CURL_FUNCTIONS(X)
#undef X
            {NULL, 0},
    };
    static struct arus_library library = {.file = "libcurl.so.4",
                                          .package = "libcurl4",
                                          .purpose = "a schema registry",
                                          .symbols = SYMBOLS,
                                          .table = &arus_curl};
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    ARUS_TRY(arus_library_load(&library, err));
    (void)pthread_once(&once, start);
    return ARUS_OK;
}
