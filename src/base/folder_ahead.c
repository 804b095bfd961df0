/** One producer, one consumer, a bounded queue of blocks of names. */
#include "base/folder_ahead.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#define BLOCK_SIZE  ((size_t)64 << 10)
#define BLOCKS_MOST 256 /* waiting: 16 MiB */

/* Entries: type, name, NUL. */
struct block {
    struct block *next;
    size_t size;
    char bytes[BLOCK_SIZE];
};

struct arus_folder_ahead {
    DIR *handle;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below but `reading` */
    pthread_cond_t changed;
    struct block *first;
    struct block **last;
    size_t waiting;
    bool is_done;
    bool is_unwanted; /* the consumer is gone */
    int error;
    struct block *reading; /* the consumer's */
    size_t at;             /* in it */
};

/* Gives a block to the consumer; false: nobody wants it any more. */
static bool push(struct arus_folder_ahead *ahead, struct block *block)
{
    bool is_wanted;

    (void)pthread_mutex_lock(&ahead->lock);
    while (ahead->waiting >= BLOCKS_MOST && !ahead->is_unwanted) {
        (void)pthread_cond_wait(&ahead->changed, &ahead->lock);
    }
    *ahead->last = block;
    ahead->last = &block->next;
    ahead->waiting++;
    is_wanted = !ahead->is_unwanted;
    (void)pthread_cond_broadcast(&ahead->changed);
    (void)pthread_mutex_unlock(&ahead->lock);
    return is_wanted;
}

static bool append(struct block *block, const struct dirent *entry)
{
    const size_t size = strlen(entry->d_name) + 1;

    if (block->size + 1 + size > BLOCK_SIZE) {
        return false;
    }
    block->bytes[block->size] = (char)entry->d_type;
    memcpy(block->bytes + block->size + 1, entry->d_name, size);
    block->size += 1 + size;
    return true;
}

/* Returns the errno that ended it, 0 at the end of the folder. */
static int read_all(struct arus_folder_ahead *ahead)
{
    const struct dirent *entry = NULL;
    bool is_wanted = true;

    do {
        struct block *block = (struct block *)arus_alloc(1, sizeof *block);

        if (block == NULL) {
            return ENOMEM;
        }
        if (entry != NULL) {
            (void)append(block, entry); /* the one that did not fit */
        }
        do {
            errno = 0;
            entry = readdir(ahead->handle);
        } while (entry != NULL && append(block, entry));
        is_wanted = push(ahead, block);
    } while (entry != NULL && is_wanted);
    return entry == NULL ? errno : 0;
}

static void *read_folder(void *self)
{
    struct arus_folder_ahead *ahead = (struct arus_folder_ahead *)self;
    const int error = read_all(ahead);

    (void)pthread_mutex_lock(&ahead->lock);
    ahead->error = error;
    ahead->is_done = true;
    (void)pthread_cond_broadcast(&ahead->changed);
    (void)pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

static void free_ahead(struct arus_folder_ahead *ahead)
{
    while (ahead->first != NULL) {
        struct block *block = ahead->first;

        ahead->first = block->next;
        arus_free(block);
    }
    arus_free(ahead->reading);
    (void)pthread_cond_destroy(&ahead->changed);
    (void)pthread_mutex_destroy(&ahead->lock);
    arus_free(ahead);
}

struct arus_folder_ahead *arus_folder_ahead_begin(void *handle)
{
    struct arus_folder_ahead *ahead = (struct arus_folder_ahead *)arus_alloc(1, sizeof *ahead);

    if (ahead == NULL) {
        return NULL;
    }
    ahead->handle = (DIR *)handle;
    ahead->last = &ahead->first;
    (void)pthread_mutex_init(&ahead->lock, NULL);
    (void)pthread_cond_init(&ahead->changed, NULL);
    if (pthread_create(&ahead->thread, NULL, read_folder, ahead) != 0) {
        free_ahead(ahead);
        return NULL;
    }
    return ahead;
}

/* The next block, once it is there; false: no more. */
static bool pull(struct arus_folder_ahead *ahead)
{
    arus_free(ahead->reading);
    ahead->at = 0;
    (void)pthread_mutex_lock(&ahead->lock);
    while (ahead->first == NULL && !ahead->is_done) {
        (void)pthread_cond_wait(&ahead->changed, &ahead->lock);
    }
    ahead->reading = ahead->first;
    if (ahead->reading != NULL) {
        ahead->first = ahead->reading->next;
        ahead->last = ahead->first == NULL ? &ahead->first : ahead->last;
        ahead->waiting--;
        (void)pthread_cond_broadcast(&ahead->changed);
    }
    (void)pthread_mutex_unlock(&ahead->lock);
    return ahead->reading != NULL;
}

int arus_folder_ahead_next(struct arus_folder_ahead *ahead, const char **name, unsigned char *type)
{
    *name = NULL;
    while (ahead->reading == NULL || ahead->at == ahead->reading->size) {
        if (!pull(ahead)) {
            return ahead->error;
        }
    }
    *type = (unsigned char)ahead->reading->bytes[ahead->at];
    *name = ahead->reading->bytes + ahead->at + 1;
    ahead->at += 1 + strlen(*name) + 1;
    return 0;
}

void arus_folder_ahead_end(struct arus_folder_ahead *ahead)
{
    (void)pthread_mutex_lock(&ahead->lock);
    ahead->is_unwanted = true;
    (void)pthread_cond_broadcast(&ahead->changed);
    (void)pthread_mutex_unlock(&ahead->lock);
    (void)pthread_join(ahead->thread, NULL);
    free_ahead(ahead);
}
