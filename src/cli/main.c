#include "cli/commands.h"
#include "cli/dispatch.h"

#include <signal.h>
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

/* Only the journal is mapped. LMDB follows what a damaged page says, behind the end of the file
 * too; what is prepared is safe, so an end at once is one as by a kill. */
static void end_without_page(int number)
{
    static const char TEXT[] = "arus: error: a page of the journal cannot be read: it is damaged, "
                               "or the disk is [ARUS_JOURNAL_DAMAGED]\n"
                               "help: put a backup of the checkpoint back\n";

    (void)number;
    if (write(STDERR_FILENO, TEXT, sizeof TEXT - 1) < 0) {
        _exit(ARUS_EXIT_MISMATCH); /* nobody listens */
    }
    _exit(ARUS_EXIT_MISMATCH);
}

int main(int argc, char **argv)
{
    (void)set_new_handler(end_without_memory);
    (void)signal(SIGBUS, end_without_page);
    return arus_dispatch(argc, argv);
}
