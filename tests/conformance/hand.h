/** A Kafka cluster for the cases that need one: tests/kafka/hand.py, which starts a broker and does
 * what steps say. */
#ifndef ARUS_TESTS_CONFORMANCE_HAND_H
#define ARUS_TESTS_CONFORMANCE_HAND_H

#include <jansson.h>

#include <stdbool.h>

struct hand {
    bool was_tried;
    int to;   /* requests, a line each; 0: no broker */
    int from; /* answers */
    char servers[256];
    char reason[512]; /* why there is no broker */
};

/** Starts the broker at the first call. False: there is none, `reason` says why. */
bool hand_open(struct hand *hand);
/** Ends it; accepts one that was never opened. */
void hand_close(struct hand *hand);
/** Does the part `key` of a step; false: `message` says what went wrong. Also in a child process,
 * one at a time. */
bool hand_do(const struct hand *hand, const char *key, const json_t *step, const char *topic,
             char *message, size_t message_size);

#endif
