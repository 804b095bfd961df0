#include "cli/dispatch.h"

#include <unistd.h>

/* The one C++ library that is linked (snappy) throws when memory is out, which would end in
 * SIGABRT. A handler of `operator new` that ends the program first: what is not prepared runs
 * again. */
void (*set_new_handler(void (*handler)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");

static void end_without_memory(void)
{
    static const char TEXT[] = "arus: error: out of memory\n";

    if (write(STDERR_FILENO, TEXT, sizeof TEXT - 1) < 0) {
        _exit(1); /* nobody listens */
    }
    _exit(1);
}

int main(int argc, char **argv)
{
    (void)set_new_handler(end_without_memory);
    return arus_dispatch(argc, argv);
}
