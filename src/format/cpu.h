/** Which machine code the decoders may use. */
#ifndef ARUS_FORMAT_CPU_H
#define ARUS_FORMAT_CPU_H

enum arus_cpu {
    ARUS_CPU_PORTABLE, /* no more than C promises */
    ARUS_CPU_AVX2      /* AVX2, BMI2, carry-less multiplication */
};

/** What this machine can do; the environment variable ARUS_CPU=portable says less. Ask once per
 * reader. */
enum arus_cpu arus_cpu_detect(void);

#endif
