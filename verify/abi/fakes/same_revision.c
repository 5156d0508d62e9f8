/* What today's library says. */
#include "fake.h"
