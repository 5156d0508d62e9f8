/* A block of a machine with the other byte order. */
#define FAKE_MAGIC 0x464e4142
#define FAKE_SIZE 0x80000000u
#include "fake.h"
