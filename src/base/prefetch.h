/** Fetches a line of memory into the caches before it is read; any address will do. */
#ifndef ARUS_BASE_PREFETCH_H
#define ARUS_BASE_PREFETCH_H

/** gcc takes a function that does nothing else for one without effects and leaves out the calls of
 * it: the empty statement is an effect. */
static inline void arus_prefetch(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("");
}

#endif
