/* The request head of HTTP/1.1 (RFC 9112), as far as a server without request bodies needs it. */
#ifndef FERRONET_EXAMPLES_HTTP_REQUEST_H
#define FERRONET_EXAMPLES_HTTP_REQUEST_H

#include <stddef.h>

struct request {
    size_t length;        /* bytes of the head, with its empty line */
    const char *target;   /* points into the text */
    size_t target_length;
    int head;             /* HEAD: the response has no body */
    int keep_alive;
};

/* Parses the first request of `text`. Returns 200 when one is complete and valid, 0 when more bytes are needed, or the
 * status code to answer before closing. */
int request_parse(const char *text, size_t length, struct request *out);

#endif
