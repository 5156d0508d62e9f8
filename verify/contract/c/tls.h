/* What the steps around TLS share. */
#ifndef CONTRACT_TLS_H
#define CONTRACT_TLS_H

#include "world.h"

#include <stdio.h>

ferronet_region tls_region(const void *bytes, size_t length);
/* The TLS object of that name; the case fails when there is none. */
struct tls *tls_must(struct world *w, const char *name);
/* An empty progress structure in the record. */
ferronet_tls_progress *tls_progress(struct world *w);
int tls_traffic_step(struct world *w, const char *name);

#endif
