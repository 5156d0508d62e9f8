/* A build without any feature. */
#define FAKE_FEATURES 0
#include "fake.h"
