#include "cli/dispatch.h"

int main(int argc, char **argv)
{
    return arus_dispatch(argc, argv);
}
