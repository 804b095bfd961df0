/** Talks to tests/kafka/hand.py through two pipes. */
#include "hand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_MAX_SIZE ((size_t)1 << 20)

static void become_hand(int in, int out)
{
    (void)dup2(in, 0);
    (void)dup2(out, 1);
    (void)execlp("python3", "python3", ARUS_TESTS_FOLDER "/kafka/hand.py", (char *)NULL);
    _exit(127);
}

/* Not through a FILE: what a case's process reads ahead, the next one would miss. */
static bool read_line(int fd, char *line, size_t size)
{
    size_t used = 0;

    while (used + 1 < size) {
        const ssize_t got = read(fd, line + used, 1);

        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0 || line[used] == '\n') {
            break;
        }
        used++;
    }
    line[used] = '\0';
    return used > 0;
}

static bool start(struct hand *hand)
{
    int in[2];
    int out[2];

    if (pipe(in) != 0 || pipe(out) != 0) {
        return false;
    }
    (void)fflush(stdout);
    switch (fork()) {
    case -1:
        return false;
    case 0:
        (void)close(in[1]);
        (void)close(out[0]);
        become_hand(in[0], out[1]);
        break;
    default:
        break;
    }
    (void)close(in[0]);
    (void)close(out[1]);
    hand->to = in[1];
    hand->from = out[0];
    return true;
}

bool hand_open(struct hand *hand)
{
    json_t *answer;

    if (hand->was_tried) {
        return hand->to != 0;
    }
    hand->was_tried = true;
    (void)snprintf(hand->reason, sizeof hand->reason, "no broker");
    if (!start(hand) || !read_line(hand->from, hand->reason, sizeof hand->reason)) {
        hand_close(hand);
        return false;
    }
    answer = json_loads(hand->reason, 0, NULL);
    if (answer == NULL) {
        hand_close(hand);
        return false;
    }
    (void)snprintf(hand->servers, sizeof hand->servers, "%s",
                   json_string_value(json_object_get(answer, "servers")));
    json_decref(answer);
    return true;
}

void hand_close(struct hand *hand)
{
    if (hand->to != 0) {
        (void)close(hand->to);
        (void)close(hand->from);
        hand->to = 0;
        while (wait(NULL) < 0 && errno == EINTR) { /* it stops its broker */
        }
    }
}

static bool send_line(int fd, const json_t *request)
{
    char *text = json_dumps(request, JSON_COMPACT);
    size_t size = strlen(text);
    const char *at = text;

    text[size++] = '\n';
    while (size > 0) {
        const ssize_t sent = write(fd, at, size);

        if (sent < 0 && errno != EINTR) {
            break;
        }
        at += sent > 0 ? sent : 0;
        size -= (size_t)(sent > 0 ? sent : 0);
    }
    free(text);
    return size == 0;
}

/* A case that was killed may have left its answer in the pipe: only the one with our number counts.
 */
static json_t *await(const struct hand *hand, json_int_t id)
{
    char *line = malloc(LINE_MAX_SIZE);
    json_t *answer = NULL;

    while (read_line(hand->from, line, LINE_MAX_SIZE)) {
        answer = json_loads(line, 0, NULL);
        if (json_integer_value(json_object_get(answer, "id")) == id) {
            break;
        }
        json_decref(answer);
        answer = NULL;
    }
    free(line);
    return answer;
}

bool hand_do(const struct hand *hand, const char *key, const json_t *step, const char *topic,
             char *message, size_t message_size)
{
    static json_int_t count;
    const json_int_t id = (json_int_t)getpid() * 1000 + ++count;
    json_t *request = json_pack("{sIsssOss}", "id", id, "key", key, "step", step, "topic", topic);
    json_t *answer = send_line(hand->to, request) ? await(hand, id) : NULL;
    const json_t *error = json_object_get(answer, "error");
    const bool is_done = answer != NULL && error == NULL;

    if (!is_done) {
        (void)snprintf(message, message_size, "%s: %s", key,
                       answer == NULL ? "the broker's keeper is gone" : json_string_value(error));
    }
    json_decref(request);
    json_decref(answer);
    return is_done;
}
