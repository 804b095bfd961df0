/** Powers of ten that a double holds exactly. */
#ifndef ARUS_TYPES_EXACT_POWER_H
#define ARUS_TYPES_EXACT_POWER_H

#define ARUS_EXACT_POWER_MAX 22

/** 10^0 to 10^22. */
extern const double ARUS_EXACT_POWERS[ARUS_EXACT_POWER_MAX + 1];

#endif
