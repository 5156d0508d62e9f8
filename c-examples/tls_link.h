/* A TLS connection over a blocking socket: what the TLS examples share. */
#ifndef FERRONET_EXAMPLES_TLS_LINK_H
#define FERRONET_EXAMPLES_TLS_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ferronet.h"

enum { TLS_LINK_ROOM = 32 * 1024 };

struct tls_link {
    int fd;
    ferronet_tls_session *session;
    uint8_t in[TLS_LINK_ROOM]; /* records from the peer, as far as they are not decrypted */
    size_t in_length;
    uint32_t state;            /* FERRONET_TLS_STATE_*, as the last call said */
};

struct tls_options {
    uint32_t port;
    uint64_t connections;
    const char *chain, *key, *authority; /* PEM files */
    const char *host;                    /* whom a client wants to reach */
};

/* Reads the arguments of both programs. Returns 0, or 2 after printing the usage. */
int tls_options_read(int argc, char **argv, struct tls_options *out);

/* A context of one side, with our certificate, which trusts the authority; a server requires a certificate. Returns 0, or 1 after printing
 * why not. */
int tls_context_open(uint32_t side, const struct tls_options *options, ferronet_tls_context **out);

/* Runs the handshake. Returns 0, or the status with which it failed, after the peer was told. */
int32_t tls_link_handshake(struct tls_link *link);

/* Up to `capacity` bytes of data. Returns their number, 0 when the peer has closed in order, or a status. */
int64_t tls_link_read(struct tls_link *link, void *data, size_t capacity);

/* Sends all of the data. Returns 0 or a status. */
int32_t tls_link_write(struct tls_link *link, const void *data, size_t length);

/* Says that no more data follows. Returns 0 or a status. */
int32_t tls_link_close(struct tls_link *link);

/* Prints version, name and whether there is a certificate of the peer's. */
void tls_link_describe(const struct tls_link *link);

/* Prints the status and the session's text, to `stream`. */
void tls_link_failed(FILE *stream, const struct tls_link *link, const char *what, int64_t status);

#endif
