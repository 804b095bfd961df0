/** Listening, and requests handed to pages. */
#include "cli/http.h"

#include "base/alloc.h"
#include "base/library.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX 32
#define TIMEOUT_S       10

/* Every function that arus calls, without its MHD_. */
#define FUNCTIONS(X)                                                                               \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(create_response_from_buffer)                                                                 \
    X(add_response_header)                                                                         \
    X(queue_response)                                                                              \
    X(destroy_response)

static struct {
#define X(name) __typeof__(MHD_##name) *name;
    FUNCTIONS(X)
#undef X
} mhd;

static const struct arus_library_symbol SYMBOLS[] = {
#define X(name) {"MHD_" #name, offsetof(__typeof__(mhd), name)},
    FUNCTIONS(X)
#undef X
        {NULL, 0},
};

static struct arus_library library = {.file = "libmicrohttpd.so.12",
                                      .package = "libmicrohttpd12",
                                      .purpose = "--metrics",
                                      .symbols = SYMBOLS,
                                      .table = &mhd};

struct arus_http {
    struct MHD_Daemon *daemon;
    arus_http_page_fn page;
    void *self;
    char address[NI_MAXHOST + NI_MAXSERV + 4];
};

/* ---- the address ---- */

struct place {
    char host[NI_MAXHOST]; /* empty: everywhere */
    char port[NI_MAXSERV];
};

static enum arus_status fail_address(const char *address, struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, NULL, "--metrics %s: not an address", address));
    return arus_error_help(err, "--metrics 9400, --metrics 0.0.0.0:9400, --metrics [::1]:9400");
}

static enum arus_status parse(const char *address, struct place *out, struct arus_error *err)
{
    const char *colon = strrchr(address, ':');
    const char *host = colon == NULL ? "127.0.0.1" : address;
    const char *port = colon == NULL ? address : colon + 1;
    size_t host_size = colon == NULL ? strlen(host) : (size_t)(colon - address);

    if (host_size >= 2 && host[0] == '[' && host[host_size - 1] == ']') {
        host++;
        host_size -= 2;
    } else if (memchr(host, ':', host_size) != NULL) {
        return fail_address(address, err);
    }
    if (port[0] == '\0' || strspn(port, "0123456789") != strlen(port) ||
        strlen(port) >= sizeof out->port || host_size >= sizeof out->host) {
        return fail_address(address, err);
    }
    (void)snprintf(out->host, sizeof out->host, "%.*s", (int)host_size, host);
    (void)snprintf(out->port, sizeof out->port, "%s", port);
    return ARUS_OK;
}

/* -1: errno says why. */
static int listen_at(const struct addrinfo *info)
{
    const int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;

    if (fd < 0) {
        return -1;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, CONNECTIONS_MAX) == 0) {
        return fd;
    }
    (void)close(fd);
    return -1;
}

static enum arus_status open_socket(const char *address, int *out, struct arus_error *err)
{
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    struct place place;
    int code;

    ARUS_TRY(parse(address, &place, err));
    code = getaddrinfo(place.host[0] == '\0' ? NULL : place.host, place.port, &hints, &found);
    if (code != 0) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "--metrics %s: %s", address,
                         gai_strerror(code));
    }
    *out = -1;
    for (const struct addrinfo *info = found; info != NULL && *out < 0; info = info->ai_next) {
        *out = listen_at(info);
    }
    code = errno;
    freeaddrinfo(found);
    return *out >= 0 ? ARUS_OK
                     : arus_fail_errno(err, ARUS_BAD_CONFIG, code, "--metrics %s", address);
}

static void name_socket(int fd, char *out, size_t size)
{
    struct sockaddr_storage name = {0};
    socklen_t length = sizeof name;
    char host[NI_MAXHOST] = "";
    char port[NI_MAXSERV] = "";

    (void)getsockname(fd, (struct sockaddr *)&name, &length);
    (void)getnameinfo((struct sockaddr *)&name, length, host, sizeof host, port, sizeof port,
                      NI_NUMERICHOST | NI_NUMERICSERV);
    (void)snprintf(out, size, strchr(host, ':') != NULL ? "[%s]:%s" : "%s:%s", host, port);
}

/* ---- requests ---- */

static enum MHD_Result answer_with(struct MHD_Connection *connection, unsigned status,
                                   const char *type, struct arus_text body)
{
    struct MHD_Response *response = mhd.create_response_from_buffer(
        body.size, (void *)(uintptr_t)(body.size == 0 ? "" : body.data), MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result;

    if (response == NULL) {
        return MHD_NO;
    }
    (void)mhd.add_response_header(response, "Content-Type", type);
    (void)mhd.add_response_header(response, "Cache-Control", "no-store");
    result = mhd.queue_response(connection, status, response);
    mhd.destroy_response(response);
    return result;
}

static enum MHD_Result handle(void *self, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state)
{
    const struct arus_http *http = self;
    struct arus_http_answer answer = {.type = "text/plain; charset=utf-8"};
    enum MHD_Result result;

    (void)version, (void)data, (void)state;
    *size = 0; /* a body is of no interest */
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        return answer_with(connection, MHD_HTTP_METHOD_NOT_ALLOWED, answer.type,
                           ARUS_TEXT("GET only\n"));
    }
    http->page(http->self, url, &answer);
    result = answer.status == 0 ? answer_with(connection, MHD_HTTP_NOT_FOUND, answer.type,
                                              ARUS_TEXT("no such page; / lists them\n"))
                                : answer_with(connection, answer.status, answer.type,
                                              arus_buffer_text(&answer.body));
    arus_buffer_release(&answer.body);
    return result;
}

/* Signals are for the program's own threads. */
static struct MHD_Daemon *start(struct arus_http *http, int fd)
{
    struct MHD_Daemon *daemon;
    sigset_t all;
    sigset_t before;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    daemon = mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL, handle,
                              http, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
                              (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
                              (unsigned)TIMEOUT_S, MHD_OPTION_END);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return daemon;
}

enum arus_status arus_http_open(const char *address, arus_http_page_fn page, void *self,
                                struct arus_http **out, struct arus_error *err)
{
    struct arus_http *http;
    int fd = -1;

    *out = NULL;
    ARUS_TRY(arus_library_load(&library, err));
    ARUS_TRY(open_socket(address, &fd, err));
    http = arus_alloc(1, sizeof *http);
    if (http == NULL) {
        (void)close(fd);
        return arus_fail_memory(err);
    }
    http->page = page;
    http->self = self;
    name_socket(fd, http->address, sizeof http->address);
    http->daemon = start(http, fd);
    if (http->daemon == NULL) {
        (void)close(fd);
        arus_free(http);
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "--metrics %s: the server does not start",
                         address);
    }
    *out = http;
    return ARUS_OK;
}

const char *arus_http_address(const struct arus_http *http)
{
    return http->address;
}

void arus_http_close(struct arus_http *http)
{
    if (http != NULL) {
        mhd.stop_daemon(http->daemon); /* closes the socket too */
        arus_free(http);
    }
}
