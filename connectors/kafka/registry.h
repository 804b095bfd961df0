/** Schemas by id from a schema registry with Confluent's REST interface,
 * remembered for ever: an id never changes its meaning. */
#ifndef ARUS_CONNECTORS_KAFKA_REGISTRY_H
#define ARUS_CONNECTORS_KAFKA_REGISTRY_H

#include "base/option.h"
#include "journal/log.h"

#include <stdint.h>

/** How to reach it: options of a table or sink. Texts live in the plan. */
struct arus_registry_config {
    struct arus_text url;       /* several: comma separated, tried in turn; empty: no registry */
    struct arus_text user_info; /* user:password, may name secrets */
    struct arus_text token;     /* bearer */
    struct arus_text ca;        /* PEM file */
    struct arus_text certificate;
    struct arus_text key;
    struct arus_place place; /* of the url */
    const char *folder;      /* where relative paths start */
};

/** Any thread. */
struct arus_registry;

ARUS_MUST_USE enum arus_status arus_registry_open(const struct arus_registry_config *config,
                                                  struct arus_registry **out,
                                                  struct arus_error *err);
/** Accepts NULL. */
void arus_registry_close(struct arus_registry *registry);
/**
 * The schema's text; lives as long as the registry. Errors: ARUS_RETRY
 * ARUS_SCHEMA_REGISTRY_UNREACHABLE; ARUS_BAD_DATA: it has no such id, or no
 * Avro schema under it.
 */
ARUS_MUST_USE enum arus_status arus_registry_schema(struct arus_registry *registry, uint32_t id,
                                                    struct arus_text *out, struct arus_error *err);
/** The id of a schema under a subject, registered if it is new. Errors as
 * above; ARUS_BAD_CONFIG: the registry refuses it (incompatible, no right). */
ARUS_MUST_USE enum arus_status arus_registry_register(struct arus_registry *registry,
                                                      const char *subject, struct arus_text schema,
                                                      uint32_t *id, struct arus_error *err);
/** Takes up schemas that the journal holds under `name`. */
ARUS_MUST_USE enum arus_status arus_registry_load(struct arus_registry *registry,
                                                  struct arus_log_set *logs, const char *name,
                                                  struct arus_error *err);
/** Gives new ones to the journal; durable with the batch. */
ARUS_MUST_USE enum arus_status arus_registry_save(struct arus_registry *registry,
                                                  struct arus_log_set *logs, const char *name,
                                                  struct arus_error *err);

#endif
