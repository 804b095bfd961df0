/** A schema registry's client. */
#include "kafka/registry.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/secret.h"
#include "kafka/curl.h"

#include <jansson.h>

#include <pthread.h>
#include <stdio.h>

#define PATIENCE_MS 10000
#define ANSWER_MAX  ((size_t)16 * 1024 * 1024)

struct known {
    uint32_t id;
    struct arus_text schema;
};

struct arus_registry {
    const struct arus_registry_config *config;
    pthread_mutex_t mutex;
    struct arus_arena arena; /* schemas */
    struct known *items;
    size_t count;
    size_t capacity;
    size_t saved_count; /* the journal has these */
};

/* ---- life ---- */

enum arus_status arus_registry_open(const struct arus_registry_config *config,
                                    struct arus_registry **out, struct arus_error *err)
{
    struct arus_registry *registry;

    *out = NULL;
    if (arus_curl_load(err) != ARUS_OK) {
        return arus_error_at(err, config->place);
    }
    registry = arus_alloc(1, sizeof *registry);
    if (registry == NULL) {
        return arus_fail_memory(err);
    }
    (void)pthread_mutex_init(&registry->mutex, NULL);
    registry->config = config;
    *out = registry;
    return ARUS_OK;
}

void arus_registry_close(struct arus_registry *registry)
{
    if (registry == NULL) {
        return;
    }
    (void)pthread_mutex_destroy(&registry->mutex);
    arus_arena_release(&registry->arena);
    arus_free(registry->items);
    arus_free(registry);
}

static const struct known *find(const struct arus_registry *registry, uint32_t id)
{
    for (size_t i = 0; i < registry->count; i++) {
        if (registry->items[i].id == id) {
            return &registry->items[i];
        }
    }
    return NULL;
}

static enum arus_status remember(struct arus_registry *registry, uint32_t id,
                                 struct arus_text schema, struct arus_error *err)
{
    if (find(registry, id) != NULL) {
        return ARUS_OK;
    }
    if (registry->count == registry->capacity) {
        const size_t capacity = registry->capacity * 2 + 8;
        struct known *items = arus_realloc(registry->items, capacity * sizeof *items);

        if (items == NULL) {
            return arus_fail_memory(err);
        }
        registry->items = items;
        registry->capacity = capacity;
    }
    registry->items[registry->count].id = id;
    ARUS_TRY(
        arus_text_copy(schema, &registry->arena, &registry->items[registry->count].schema, err));
    registry->count++;
    return ARUS_OK;
}

/* ---- requests ---- */

struct exchange {
    struct arus_buffer answer;
    struct arus_buffer secret; /* wiped when done */
    long status;
    char reason[CURL_ERROR_SIZE];
};

static size_t take_bytes(char *data, size_t size, size_t count, void *self)
{
    struct exchange *exchange = self;
    struct arus_error ignored; /* curl knows failure only */

    return exchange->answer.size + size * count <= ANSWER_MAX &&
                   arus_buffer_append(&exchange->answer, data, size * count, &ignored) == ARUS_OK
               ? size * count
               : 0;
}

static enum arus_status set_file(CURL *curl, CURLoption option,
                                 const struct arus_registry_config *config, struct arus_text path,
                                 struct arus_error *err)
{
    struct arus_path absolute;

    if (path.size == 0) {
        return ARUS_OK;
    }
    ARUS_TRY(arus_path_absolute(config->folder, path, &absolute, err));
    return arus_curl.easy_setopt(curl, option, absolute.text) == CURLE_OK
               ? ARUS_OK
               : arus_fail_at(err, config->place, NULL, "the schema registry's %s cannot be set",
                              absolute.text);
}

/* A secret for curl, which keeps its own copy. */
static enum arus_status set_secret(CURL *curl, CURLoption option, struct exchange *exchange,
                                   const struct arus_registry_config *config, struct arus_text text,
                                   struct arus_error *err)
{
    if (text.size == 0) {
        return ARUS_OK;
    }
    arus_buffer_reset(&exchange->secret);
    if (arus_secret_expand(text, config->folder, &exchange->secret, err) != ARUS_OK) {
        return arus_error_at(err, config->place);
    }
    ARUS_TRY(arus_buffer_append_char(&exchange->secret, '\0', err));
    (void)arus_curl.easy_setopt(curl, option, exchange->secret.data);
    if (option == CURLOPT_XOAUTH2_BEARER) {
        (void)arus_curl.easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    }
    return ARUS_OK;
}

static enum arus_status prepare(CURL *curl, struct exchange *exchange,
                                const struct arus_registry_config *config, const char *url,
                                struct arus_error *err)
{
    (void)arus_curl.easy_setopt(curl, CURLOPT_URL, url);
    (void)arus_curl.easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
    (void)arus_curl.easy_setopt(curl, CURLOPT_WRITEDATA, exchange);
    (void)arus_curl.easy_setopt(curl, CURLOPT_ERRORBUFFER, exchange->reason);
    (void)arus_curl.easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)PATIENCE_MS);
    (void)arus_curl.easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    (void)arus_curl.easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    (void)arus_curl.easy_setopt(curl, CURLOPT_MAXREDIRS, 4L);
    (void)arus_curl.easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    ARUS_TRY(set_file(curl, CURLOPT_CAINFO, config, config->ca, err));
    ARUS_TRY(set_file(curl, CURLOPT_SSLCERT, config, config->certificate, err));
    ARUS_TRY(set_file(curl, CURLOPT_SSLKEY, config, config->key, err));
    ARUS_TRY(set_secret(curl, CURLOPT_USERPWD, exchange, config, config->user_info, err));
    return set_secret(curl, CURLOPT_XOAUTH2_BEARER, exchange, config, config->token, err);
}

static void end_exchange(struct exchange *exchange)
{
    if (exchange->secret.data != NULL) {
        explicit_bzero(exchange->secret.data, exchange->secret.capacity);
    }
    arus_buffer_release(&exchange->secret);
    arus_buffer_release(&exchange->answer);
}

/* One request to one address. `exchange->status` 0: no answer, `reason` says
 * why. */
static enum arus_status perform(const struct arus_registry_config *config, const char *url,
                                const char *body, struct exchange *exchange, struct arus_error *err)
{
    struct curl_slist *headers = NULL;
    CURL *curl = arus_curl.easy_init();
    enum arus_status status;

    if (curl == NULL) {
        return arus_fail_memory(err);
    }
    headers = arus_curl.slist_append(headers, "Accept: application/vnd.schemaregistry.v1+json");
    headers =
        arus_curl.slist_append(headers, "Content-Type: application/vnd.schemaregistry.v1+json");
    arus_buffer_reset(&exchange->answer);
    exchange->status = 0;
    exchange->reason[0] = '\0';
    status = prepare(curl, exchange, config, url, err);
    if (status == ARUS_OK) {
        (void)arus_curl.easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
        if (body != NULL) {
            (void)arus_curl.easy_setopt(curl, CURLOPT_POSTFIELDS, body);
        }
        if (arus_curl.easy_perform(curl) == CURLE_OK) {
            (void)arus_curl.easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &exchange->status);
        }
    }
    arus_curl.slist_free_all(headers);
    arus_curl.easy_cleanup(curl);
    return status;
}

static bool is_answer(const struct exchange *exchange)
{
    return exchange->status != 0 && exchange->status < 500 && exchange->status != 429;
}

/* Asks the addresses in turn until one answers or the patience ends. */
static enum arus_status ask(const struct arus_registry_config *config, const char *path,
                            const char *body, struct exchange *exchange, struct arus_error *err)
{
    const int64_t begin_us = arus_clock_monotonic_us();
    struct arus_text rest = config->url;
    char url[2048];

    for (;;) {
        const char *comma = memchr(rest.data, ',', rest.size);
        size_t size = comma == NULL ? rest.size : (size_t)(comma - rest.data);
        const size_t taken = size + (comma != NULL);

        while (size > 0 && rest.data[size - 1] == '/') {
            size--;
        }
        (void)snprintf(url, sizeof url, "%.*s%s", (int)size, rest.data, path);
        ARUS_TRY(perform(config, url, body, exchange, err));
        if (is_answer(exchange)) {
            return ARUS_OK;
        }
        rest.data += taken;
        rest.size -= taken;
        if (rest.size > 0) {
            continue;
        }
        if (arus_clock_monotonic_us() - begin_us > (int64_t)PATIENCE_MS * 1000) {
            break;
        }
        rest = config->url;
        arus_clock_sleep_us(200000);
    }
    if (exchange->status != 0) {
        (void)snprintf(exchange->reason, sizeof exchange->reason, "HTTP %ld", exchange->status);
    }
    return ARUS_OK;
}

static enum arus_status fail_unreachable(const struct arus_registry_config *config,
                                         const char *what, const char *path,
                                         const struct exchange *exchange, struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_RETRY, "ARUS_SCHEMA_REGISTRY_UNREACHABLE",
                          "%s and %.*s does not answer (%d s): %s", what,
                          ARUS_TEXT_ARGS(config->url), PATIENCE_MS / 1000, exchange->reason));
    (void)arus_error_at(err, config->place);
    return arus_error_help(err, "curl %.*s%s   when it answers run again, the batch starts over",
                           ARUS_TEXT_ARGS(config->url), path);
}

/* ---- schemas ---- */

static enum arus_status take_schema(struct arus_registry *registry, uint32_t id,
                                    const struct exchange *exchange, struct arus_error *err)
{
    json_t *root = json_loadb(exchange->answer.data == NULL ? "" : exchange->answer.data,
                              exchange->answer.size, 0, NULL);
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const char *kind = json_string_value(json_object_get(root, "schemaType"));
    enum arus_status status;

    if (exchange->status == 404) {
        status = arus_fail(err, ARUS_BAD_DATA, NULL, "the schema registry has no schema %u", id);
    } else if (exchange->status == 401 || exchange->status == 403) {
        status =
            arus_fail_at(err, registry->config->place, NULL,
                         "the schema registry does not let us in (HTTP %ld)", exchange->status);
    } else if (exchange->status != 200 || schema == NULL) {
        status = arus_fail(err, ARUS_BAD_DATA, NULL, "schema %u: the registry answered HTTP %ld",
                           id, exchange->status);
    } else if (kind != NULL && strcmp(kind, "AVRO") != 0) {
        status = arus_fail(err, ARUS_BAD_DATA, NULL, "schema %u is of type %s, not AVRO", id, kind);
    } else if (json_array_size(json_object_get(root, "references")) > 0) {
        status = arus_fail(err, ARUS_BAD_DATA, NULL,
                           "schema %u refers to other schemas, which arus does not follow", id);
    } else {
        status = remember(registry, id, arus_text_of(schema), err);
    }
    json_decref(root);
    return status;
}

static enum arus_status fetch(struct arus_registry *registry, uint32_t id, struct arus_error *err)
{
    struct exchange exchange = {0};
    enum arus_status status;
    char path[64];
    char what[64];

    (void)snprintf(path, sizeof path, "/schemas/ids/%u", id);
    (void)snprintf(what, sizeof what, "schema %u is not cached", id);
    status = ask(registry->config, path, NULL, &exchange, err);
    if (status == ARUS_OK && !is_answer(&exchange)) {
        status = fail_unreachable(registry->config, what, path, &exchange, err);
    } else if (status == ARUS_OK) {
        status = take_schema(registry, id, &exchange, err);
    }
    end_exchange(&exchange);
    return status;
}

enum arus_status arus_registry_schema(struct arus_registry *registry, uint32_t id,
                                      struct arus_text *out, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    (void)pthread_mutex_lock(&registry->mutex);
    if (find(registry, id) == NULL) {
        status = fetch(registry, id, err);
    }
    if (status == ARUS_OK) {
        *out = find(registry, id)->schema;
    }
    (void)pthread_mutex_unlock(&registry->mutex);
    return status;
}

static enum arus_status take_id(const struct arus_registry *registry, const char *subject,
                                const struct exchange *exchange, uint32_t *id,
                                struct arus_error *err)
{
    json_t *root = json_loadb(exchange->answer.data == NULL ? "" : exchange->answer.data,
                              exchange->answer.size, 0, NULL);
    const json_t *number = json_object_get(root, "id");
    const char *message = json_string_value(json_object_get(root, "message"));
    enum arus_status status = ARUS_OK;

    if (exchange->status == 200 && json_is_integer(number)) {
        *id = (uint32_t)json_integer_value(number);
    } else {
        status = arus_fail_at(err, registry->config->place, NULL,
                              "the schema registry refuses the schema of %s (HTTP %ld): %s",
                              subject, exchange->status, message == NULL ? "no reason" : message);
    }
    json_decref(root);
    return status;
}

enum arus_status arus_registry_register(struct arus_registry *registry, const char *subject,
                                        struct arus_text schema, uint32_t *id,
                                        struct arus_error *err)
{
    json_t *root = json_pack("{s:s%}", "schema", schema.data, schema.size);
    char *body = root == NULL ? NULL : json_dumps(root, JSON_COMPACT);
    struct exchange exchange = {0};
    enum arus_status status;
    char path[400];

    json_decref(root);
    if (body == NULL) {
        return arus_fail_memory(err);
    }
    (void)snprintf(path, sizeof path, "/subjects/%s/versions", subject);
    status = ask(registry->config, path, body, &exchange, err);
    free(body);
    if (status == ARUS_OK && !is_answer(&exchange)) {
        status = fail_unreachable(registry->config, "the schema has no id", path, &exchange, err);
    } else if (status == ARUS_OK) {
        status = take_id(registry, subject, &exchange, id, err);
    }
    end_exchange(&exchange);
    return status;
}

/* ---- the journal: {"41":"<schema>"} ---- */

enum arus_status arus_registry_load(struct arus_registry *registry, struct arus_log_set *logs,
                                    const char *name, struct arus_error *err)
{
    struct arus_arena scratch = {0};
    struct arus_text note;
    bool is_found = false;
    json_t *root = NULL;
    const char *key;
    json_t *value;
    enum arus_status status = arus_log_note(logs, name, &scratch, &note, &is_found, err);

    if (status == ARUS_OK && is_found) {
        root = json_loadb(note.data, note.size, 0, NULL);
    }
    json_object_foreach(root, key, value)
    {
        if (status == ARUS_OK && json_is_string(value)) {
            status = remember(registry, (uint32_t)strtoul(key, NULL, 10),
                              arus_text_of(json_string_value(value)), err);
        }
    }
    registry->saved_count = registry->count;
    json_decref(root);
    arus_arena_release(&scratch);
    return status;
}

enum arus_status arus_registry_save(struct arus_registry *registry, struct arus_log_set *logs,
                                    const char *name, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;
    json_t *root;
    char *text;
    char key[16];

    if (registry->count == registry->saved_count) {
        return ARUS_OK;
    }
    root = json_object();
    for (size_t i = 0; i < registry->count; i++) {
        (void)snprintf(key, sizeof key, "%u", registry->items[i].id);
        (void)json_object_set_new(
            root, key,
            json_stringn(registry->items[i].schema.data, registry->items[i].schema.size));
    }
    text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    if (text == NULL) {
        return arus_fail_memory(err);
    }
    status = arus_log_set_note(logs, name, arus_text_of(text), err);
    free(text);
    if (status == ARUS_OK) {
        registry->saved_count = registry->count;
    }
    return status;
}
