/** `kafka.*` options as librdkafka's settings: Java's names are translated,
 * secrets put in. */
#include "base/file.h"
#include "base/secret.h"
#include "kafka/client.h"

#include <stdlib.h>
#include <strings.h>

#define PREFIX ARUS_TEXT("kafka.")

/* Java's name, ours. NULL: has no counterpart, and no effect on results. */
static const struct {
    const char *java;
    const char *ours;
} NAMES[] = {
    {"max.request.size", "message.max.bytes"},
    {"fetch.max.wait.ms", "fetch.wait.max.ms"},
    {"receive.buffer.bytes", "socket.receive.buffer.bytes"},
    {"send.buffer.bytes", "socket.send.buffer.bytes"},
    {"ssl.truststore.location", "ssl.ca.location"},
    {"ssl.truststore.certificates", "ssl.ca.pem"},
    {"ssl.keystore.certificate.chain", "ssl.certificate.pem"},
    {"ssl.keystore.key", "ssl.key.pem"},
    {"buffer.memory", NULL},
    {"max.block.ms", NULL},
    {"max.poll.records", NULL},
    {"default.api.timeout.ms", NULL},
    {"metric.reporters", NULL},
    {"metrics.num.samples", NULL},
    {"metrics.recording.level", NULL},
    {"metrics.sample.window.ms", NULL},
    {"exclude.internal.topics", NULL},
    {"retry.backoff.max.ms", NULL},
    {"ssl.protocol", NULL},
    {"ssl.enabled.protocols", NULL},
    {"ssl.truststore.type", NULL},
    {"ssl.keystore.type", NULL},
    {"sasl.jaas.config", NULL},
};

/* What the engine decides itself, by role. */
static const char *const CONSUMER_REFUSED[] = {
    "auto.offset.reset",   "key.deserializer",         "value.deserializer",   "enable.auto.commit",
    "interceptor.classes", "enable.auto.offset.store", "enable.partition.eof", NULL};
static const char *const PRODUCER_REFUSED[] = {"key.serializer", "value.serializer",
                                               "transactional.id", NULL};

static bool is_in(const char *const *names, struct arus_text name)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (arus_text_equal_nocase(arus_text_of(names[i]), name)) {
            return true;
        }
    }
    return false;
}

/* The setting behind `kafka.`; empty: another option. */
static struct arus_text kafka_name(const struct arus_setting *setting)
{
    const struct arus_text key = setting->key;

    if (key.size <= 6 || !arus_text_equal_nocase((struct arus_text){key.data, 6}, PREFIX)) {
        return (struct arus_text){0};
    }
    return (struct arus_text){key.data + 6, key.size - 6};
}

/* Our name of a setting; false: it has none. */
static bool translate(struct arus_text name, char out[128])
{
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (arus_text_equal_nocase(arus_text_of(NAMES[i].java), name)) {
            if (NAMES[i].ours != NULL) {
                (void)snprintf(out, 128, "%s", NAMES[i].ours);
            }
            return NAMES[i].ours != NULL;
        }
    }
    (void)snprintf(out, 128, "%.*s", ARUS_TEXT_ARGS(name));
    return true;
}

static bool is_setting(const struct arus_settings *options, const char *name, const char *value)
{
    const struct arus_setting *setting = arus_settings_find(options, name);

    return setting != NULL && arus_text_equal_nocase(setting->value, arus_text_of(value));
}

/* ---- one setting ---- */

/* A store in Java's own format cannot be read. */
static enum arus_status refuse_java_store(const struct arus_settings *options,
                                          const struct arus_setting *setting,
                                          struct arus_error *err)
{
    const struct arus_text name = kafka_name(setting);
    const bool is_trust = arus_text_equal_nocase(name, ARUS_TEXT("ssl.truststore.location"));
    const bool is_key = arus_text_equal_nocase(name, ARUS_TEXT("ssl.keystore.location"));
    const char *type = is_trust ? "kafka.ssl.truststore.type" : "kafka.ssl.keystore.type";

    if ((!is_trust && !is_key) || is_setting(options, type, "PEM") ||
        (is_key && is_setting(options, type, "PKCS12"))) {
        return ARUS_OK;
    }
    arus_ignore(
        arus_fail_at(err, setting->value_place, NULL, "arus reads no Java key stores (JKS)"));
    return arus_error_help(err, "PEM files: kafka.ssl.%s.type 'PEM'%s",
                           is_trust ? "truststore" : "keystore",
                           is_trust ? ", or kafka.ssl.ca.location" : ", or PKCS12");
}

static enum arus_status set(rd_kafka_conf_t *conf, const char *name, const char *value,
                            const struct arus_setting *setting, struct arus_error *err)
{
    char text[256] = "";
    const rd_kafka_conf_res_t result = arus_rdkafka.conf_set(conf, name, value, text, sizeof text);

    if (result == RD_KAFKA_CONF_OK) {
        return ARUS_OK;
    }
    if (result == RD_KAFKA_CONF_UNKNOWN) {
        arus_ignore(
            arus_fail_at(err, setting->key_place, NULL, "librdkafka has no setting `%s`", name));
        return arus_error_help(err, "its settings: github.com/confluentinc/librdkafka, "
                                    "CONFIGURATION.md");
    }
    if (arus_secret_is(setting->value)) { /* librdkafka's text would show it */
        return arus_fail_at(err, setting->value_place, NULL, "%s: bad value", name);
    }
    return arus_fail_at(err, setting->value_place, NULL, "%s", text);
}

/* A certificate's file, as librdkafka finds it. PEM key stores hold key and
 * certificate. */
static enum arus_status set_file(rd_kafka_conf_t *conf, const struct arus_kafka_target *target,
                                 const char *name, const char *value,
                                 const struct arus_setting *setting, struct arus_error *err)
{
    struct arus_path path;

    ARUS_TRY(refuse_java_store(target->options, setting, err));
    ARUS_TRY(arus_path_absolute(target->folder, arus_text_of(value), &path, err));
    if (strcasecmp(name, "ssl.keystore.location") == 0 &&
        is_setting(target->options, "kafka.ssl.keystore.type", "PEM")) {
        ARUS_TRY(set(conf, "ssl.certificate.location", path.text, setting, err));
        return set(conf, "ssl.key.location", path.text, setting, err);
    }
    return set(conf, name, path.text, setting, err);
}

/* username="x" of a JAAS line. */
static bool jaas_value(const char *line, const char *name, char *out, size_t size)
{
    const char *at = strstr(line, name);
    size_t used = 0;

    if (at == NULL) {
        return false;
    }
    at += strlen(name);
    while (*at == ' ' || *at == '=') {
        at++;
    }
    if (*at != '"' && *at != '\'') {
        return false;
    }
    for (const char quote = *at++; *at != '\0' && *at != quote && used + 1 < size; at++) {
        at += *at == '\\' && at[1] != '\0';
        out[used++] = *at;
    }
    out[used] = '\0';
    return true;
}

static enum arus_status set_jaas(rd_kafka_conf_t *conf, const char *line,
                                 const struct arus_setting *setting, struct arus_error *err)
{
    char name[256];
    char word[1024];
    enum arus_status status;

    if (!jaas_value(line, "username", name, sizeof name) ||
        !jaas_value(line, "password", word, sizeof word)) {
        return arus_fail_at(err, setting->value_place, NULL,
                            "kafka.sasl.jaas.config needs username=\"..\" and password=\"..\"");
    }
    ARUS_TRY(set(conf, "sasl.username", name, setting, err));
    status = set(conf, "sasl.password", word, setting, err);
    explicit_bzero(word, sizeof word);
    return status;
}

static bool ends_with_location(const char *name)
{
    const size_t size = strlen(name);

    return size > 9 && strcasecmp(name + size - 9, ".location") == 0;
}

static enum arus_status set_user(rd_kafka_conf_t *conf, const struct arus_kafka_target *target,
                                 const struct arus_setting *setting, struct arus_buffer *value,
                                 struct arus_error *err)
{
    const struct arus_text name = kafka_name(setting);
    char ours[128];

    arus_buffer_reset(value);
    if (arus_secret_expand(setting->value, target->folder, value, err) != ARUS_OK) {
        return arus_error_at(err, setting->value_place);
    }
    ARUS_TRY(arus_buffer_append_char(value, '\0', err));
    if (arus_text_equal_nocase(name, ARUS_TEXT("sasl.jaas.config"))) {
        return set_jaas(conf, value->data, setting, err);
    }
    if (!translate(name, ours)) {
        return ARUS_OK;
    }
    if (ends_with_location(ours)) {
        return set_file(conf, target, ours, value->data, setting, err);
    }
    if (strcasecmp(ours, "ssl.endpoint.identification.algorithm") == 0 && value->size == 1) {
        return set(conf, ours, "none", setting, err); /* Java: the empty text */
    }
    return set(conf, ours, value->data, setting, err);
}

/* ---- all ---- */

static enum arus_status set_all(rd_kafka_conf_t *conf, const struct arus_kafka_setting *list,
                                const struct arus_setting *place, struct arus_error *err)
{
    for (size_t i = 0; list[i].name != NULL; i++) {
        ARUS_TRY(set(conf, list[i].name, list[i].value, place, err));
    }
    return ARUS_OK;
}

/* librdkafka wants fetch.max.bytes to hold the largest message; Java lets a
 * fetch grow. */
static enum arus_status widen_fetch(rd_kafka_conf_t *conf, const struct arus_setting *place,
                                    struct arus_error *err)
{
    char fetch[32] = "";
    char message[32] = "";
    size_t size = sizeof fetch;

    if (arus_rdkafka.conf_get(conf, "fetch.max.bytes", fetch, &size) != RD_KAFKA_CONF_OK) {
        return ARUS_OK;
    }
    size = sizeof message;
    if (arus_rdkafka.conf_get(conf, "message.max.bytes", message, &size) == RD_KAFKA_CONF_OK &&
        strtoll(fetch, NULL, 10) < strtoll(message, NULL, 10)) {
        return set(conf, "fetch.max.bytes", message, place, err);
    }
    return ARUS_OK;
}

static enum arus_status fill(rd_kafka_conf_t *conf, const struct arus_kafka_target *target,
                             const struct arus_kafka_setting *defaults,
                             const struct arus_kafka_setting *fixed, struct arus_error *err)
{
    struct arus_buffer value = {0};
    enum arus_status status = set_all(conf, defaults, target->servers, err);

    for (size_t i = 0; i < target->options->count && status == ARUS_OK; i++) {
        if (kafka_name(&target->options->items[i]).size > 0) {
            status = set_user(conf, target, &target->options->items[i], &value, err);
        }
    }
    if (status == ARUS_OK) {
        status = set_all(conf, fixed, target->servers, err);
    }
    if (value.data != NULL) {
        explicit_bzero(value.data, value.capacity);
    }
    arus_buffer_release(&value);
    return status == ARUS_OK ? widen_fetch(conf, target->servers, err) : status;
}

enum arus_status arus_kafka_conf_make(const struct arus_kafka_target *target,
                                      enum arus_kafka_role role,
                                      const struct arus_kafka_setting *defaults,
                                      const struct arus_kafka_setting *fixed, rd_kafka_conf_t **out,
                                      struct arus_error *err)
{
    enum arus_status status;

    (void)role;
    *out = NULL;
    if (arus_rdkafka_load(err) != ARUS_OK) {
        return arus_error_at(err, target->servers->key_place);
    }
    *out = arus_rdkafka.conf_new();
    status = fill(*out, target, defaults, fixed, err);
    if (status != ARUS_OK) {
        arus_rdkafka.conf_destroy(*out);
        *out = NULL;
    }
    return status;
}

enum arus_status arus_kafka_target_bind(const struct arus_settings *options,
                                        struct arus_place place, const char *folder,
                                        enum arus_kafka_role role, struct arus_kafka_target *out,
                                        struct arus_error *err)
{
    static const struct arus_kafka_setting NONE[] = {{NULL, NULL}};
    rd_kafka_conf_t *conf;

    *out = (struct arus_kafka_target){.options = options,
                                      .servers =
                                          arus_settings_find(options, "kafka.bootstrap.servers"),
                                      .folder = folder};
    if (out->servers == NULL || out->servers->value.size == 0) {
        arus_ignore(arus_fail_at(err, place, NULL, "Kafka needs kafka.bootstrap.servers"));
        return arus_error_help(err, "kafka.bootstrap.servers 'localhost:9092'");
    }
    for (size_t i = 0; i < options->count; i++) {
        const struct arus_text name = kafka_name(&options->items[i]);

        if (is_in(role == ARUS_KAFKA_CONSUMER ? CONSUMER_REFUSED : PRODUCER_REFUSED, name)) {
            return arus_fail_at(err, options->items[i].key_place, NULL,
                                "kafka.%.*s is not for the user to set", ARUS_TEXT_ARGS(name));
        }
    }
    ARUS_TRY(arus_kafka_conf_make(out, role, NONE, NONE, &conf, err));
    arus_rdkafka.conf_destroy(conf);
    return ARUS_OK;
}
