#include "format/cpu.h"

#include "base/attr.h"

#include <stdlib.h>
#include <string.h>

#if ARUS_HAS_AVX2_CODE
static enum arus_cpu cpu_best(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                   __builtin_cpu_supports("pclmul")
               ? ARUS_CPU_AVX2
               : ARUS_CPU_PORTABLE;
}
#else
static enum arus_cpu cpu_best(void)
{
    return ARUS_CPU_PORTABLE;
}
#endif

enum arus_cpu arus_cpu_detect(void)
{
    const char *wish = getenv("ARUS_CPU");

    return wish != NULL && strcmp(wish, "portable") == 0 ? ARUS_CPU_PORTABLE : cpu_best();
}
