/* A later revision that no longer serves this one. */
#define FAKE_REVISION (FERRONET_ABI_REVISION + 2)
#define FAKE_FLOOR (FERRONET_ABI_REVISION + 1)
#include "fake.h"
