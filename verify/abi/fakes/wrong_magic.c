/* Another library with a function of that name. */
#define FAKE_MAGIC 0x12345678
#include "fake.h"
