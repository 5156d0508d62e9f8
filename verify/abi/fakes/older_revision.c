/* A revision before the first. */
#define FAKE_REVISION 0
#define FAKE_FLOOR 0
#include "fake.h"
