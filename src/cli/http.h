/** A small HTTP server: pages made on request. libmicrohttpd, loaded when one is opened. */
#ifndef ARUS_CLI_HTTP_H
#define ARUS_CLI_HTTP_H

#include "base/text.h"

struct arus_http;

/** What a page answers. */
struct arus_http_answer {
    unsigned status;  /* 200, 503, ..; 0: there is no such page */
    const char *type; /* of the content, a constant */
    struct arus_buffer body;
};

/** Makes the page `path`; on the server's thread, one at a time. */
typedef void (*arus_http_page_fn)(void *self, const char *path, struct arus_http_answer *answer);

/**
 * Listens at `address`: PORT (this machine only), HOST:PORT, [IPV6]:PORT or :PORT (everywhere);
 * port 0: a free one.
 *
 * Errors: ARUS_BAD_CONFIG: a bad address, one that is in use; ARUS_LIBRARY_MISSING.
 */
ARUS_MUST_USE enum arus_status arus_http_open(const char *address, arus_http_page_fn page,
                                              void *self, struct arus_http **out,
                                              struct arus_error *err);
/** "127.0.0.1:9400": where it listens. */
const char *arus_http_address(const struct arus_http *http);
/** Accepts NULL. */
void arus_http_close(struct arus_http *http);

#endif
