/* A build without the poll backend. */
#define FAKE_FEATURES FERRONET_FEATURE_IO_URING
#include "fake.h"
