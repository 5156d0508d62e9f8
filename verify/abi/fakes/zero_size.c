/* A block without a size. */
#define FAKE_SIZE 0
#include "fake.h"
