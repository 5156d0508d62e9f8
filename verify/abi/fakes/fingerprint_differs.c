/* The same revision built from altered sources. */
#define FAKE_FINGERPRINT UINT64_C(0x1)
#include "fake.h"
