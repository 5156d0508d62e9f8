/* A block that is cut short. */
#define FAKE_SIZE 64
#include "fake.h"
