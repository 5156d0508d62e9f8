/* A later revision whose block is longer. */
#define FAKE_SIZE 160
#define FAKE_REVISION (FERRONET_ABI_REVISION + 1)
#define FAKE_FINGERPRINT UINT64_C(0x1)
#include "fake.h"
