/** From a command line to an exit code. */
#ifndef ARUS_CLI_DISPATCH_H
#define ARUS_CLI_DISPATCH_H

/** Runs the command of argv; returns 0..4, see experience of the commands in arus(1). */
int arus_dispatch(int argc, char **argv);

#endif
