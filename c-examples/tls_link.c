#define _POSIX_C_SOURCE 200809L
#include "tls_link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define USAGE "usage: %s --chain FILE --key FILE --ca FILE [--port P] [--connections N] [--host NAME]\n"

int tls_options_read(int argc, char **argv, struct tls_options *out)
{
    int i;

    memset(out, 0, sizeof *out);
    out->host = "localhost";
    for (i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];

        if (strcmp(name, "--port") == 0)
            out->port = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(name, "--connections") == 0)
            out->connections = strtoull(value, NULL, 10);
        else if (strcmp(name, "--chain") == 0)
            out->chain = value;
        else if (strcmp(name, "--key") == 0)
            out->key = value;
        else if (strcmp(name, "--ca") == 0)
            out->authority = value;
        else if (strcmp(name, "--host") == 0)
            out->host = value;
        else
            break;
    }
    if (i != argc || out->chain == NULL || out->key == NULL || out->authority == NULL || out->port > 65535) {
        fprintf(stderr, USAGE, argv[0]);
        return 2;
    }
    return 0;
}

/* The whole file. The caller frees what it points to. */
static ferronet_region file_content(const char *path)
{
    ferronet_region content = {0, 0};
    uint8_t *bytes = malloc(TLS_LINK_ROOM);
    FILE *file = fopen(path, "rb");

    if (bytes == NULL || file == NULL) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    content.addr = (uint64_t)(uintptr_t)bytes;
    content.len = fread(bytes, 1, TLS_LINK_ROOM, file);
    fclose(file);
    return content;
}

static void forget(ferronet_region content)
{
    free((void *)(uintptr_t)content.addr);
}

static int failed_to(const char *what, int32_t status)
{
    char text[512];

    ferronet_last_error(NULL, text, sizeof text);
    fprintf(stderr, "%s: %s: %s\n", what, ferronet_status_name(status), text);
    return 1;
}

int tls_context_open(uint32_t side, const struct tls_options *options, ferronet_tls_context **out)
{
    ferronet_tls_credential_config identity;
    ferronet_tls_config config;
    ferronet_tls_credential *credential = NULL;
    int32_t status;

    memset(&identity, 0, sizeof identity); /* zero is the default of every field */
    identity.size = sizeof identity;
    identity.chain = file_content(options->chain);
    identity.key = file_content(options->key);
    status = ferronet_tls_credential_new(&identity, &credential);
    memset((void *)(uintptr_t)identity.key.addr, 0, (size_t)identity.key.len);
    forget(identity.chain);
    forget(identity.key);
    if (status < 0)
        return failed_to(options->key, status);

    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.side = side;
    config.client_auth = side == FERRONET_TLS_SERVER ? FERRONET_TLS_CLIENT_AUTH_REQUIRED : FERRONET_TLS_CLIENT_AUTH_NONE;
    config.trust = FERRONET_TLS_TRUST_ROOTS;
    config.roots = file_content(options->authority);
    config.credentials = (uint64_t)(uintptr_t)&credential;
    config.credential_count = 1;
    status = ferronet_tls_context_new(&config, out);
    forget(config.roots);
    ferronet_tls_credential_free(credential); /* the context keeps what it needs */
    return status < 0 ? failed_to("TLS context", status) : 0;
}

static int32_t send_all(int fd, const uint8_t *bytes, size_t length)
{
    while (length > 0) {
        ssize_t sent = send(fd, bytes, length, MSG_NOSIGNAL);

        if (sent < 0)
            return -errno;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 0;
}

/* Encrypts and sends all of the data, and whatever the session has to say itself. */
static int32_t flush(struct tls_link *link, const void *data, size_t length)
{
    uint8_t records[TLS_LINK_ROOM];
    ferronet_tls_progress progress;
    ferronet_region source, room;
    int32_t status;

    source.addr = (uint64_t)(uintptr_t)data;
    source.len = length;
    room.addr = (uint64_t)(uintptr_t)records;
    room.len = sizeof records;
    do {
        progress.size = sizeof progress;
        status = ferronet_tls_session_wrap(link->session, &source, source.len > 0, &room, &progress);
        if (status < 0)
            return status;
        link->state = progress.state;
        source.addr += progress.consumed;
        source.len -= progress.consumed;
        if ((status = send_all(link->fd, records, (size_t)progress.produced)) < 0)
            return status;
    } while (progress.result == FERRONET_TLS_NEEDS_OUTPUT || progress.state == FERRONET_TLS_STATE_NEED_WRAP);
    return 0;
}

/* More bytes from the peer. Returns 0, or a status: FERRONET_ERR_TLS_TRUNCATED when it left without a word. */
static int32_t fill(struct tls_link *link)
{
    ssize_t got = recv(link->fd, link->in + link->in_length, sizeof link->in - link->in_length, 0);

    if (got < 0)
        return -errno;
    if (got == 0)
        return ferronet_tls_session_end_input(link->session);
    link->in_length += (size_t)got;
    return 0;
}

/* Decrypts what is there. */
static int32_t take(struct tls_link *link, void *data, size_t capacity, ferronet_tls_progress *progress)
{
    ferronet_region input, output;
    int32_t status;

    input.addr = (uint64_t)(uintptr_t)link->in;
    input.len = link->in_length;
    output.addr = (uint64_t)(uintptr_t)data;
    output.len = capacity;
    progress->size = sizeof *progress;
    status = ferronet_tls_session_unwrap(link->session, &input, 1, &output, 1, FERRONET_TLS_IN_PLACE, progress);
    memmove(link->in, link->in + progress->consumed, link->in_length - (size_t)progress->consumed);
    link->in_length -= (size_t)progress->consumed;
    link->state = progress->state;
    if (status < 0)
        flush(link, NULL, 0); /* the alert that says why */
    return status;
}

int32_t tls_link_handshake(struct tls_link *link)
{
    ferronet_tls_progress progress;
    int32_t status = flush(link, NULL, 0);

    while (status >= 0 && link->state != FERRONET_TLS_STATE_OPEN) {
        if (link->state == FERRONET_TLS_STATE_NEED_WRAP) {
            status = flush(link, NULL, 0);
            continue;
        }
        status = take(link, NULL, 0, &progress);
        if (status >= 0 && progress.consumed == 0 && link->state != FERRONET_TLS_STATE_NEED_WRAP && link->state != FERRONET_TLS_STATE_OPEN)
            status = fill(link);
    }
    return status < 0 ? status : flush(link, NULL, 0);
}

int64_t tls_link_read(struct tls_link *link, void *data, size_t capacity)
{
    ferronet_tls_progress progress;
    int32_t status;

    for (;;) {
        if ((status = take(link, data, capacity, &progress)) < 0)
            return status;
        if (progress.state == FERRONET_TLS_STATE_NEED_WRAP && (status = flush(link, NULL, 0)) < 0)
            return status;
        if (progress.produced > 0)
            return (int64_t)progress.produced;
        if (progress.result == FERRONET_TLS_CLOSED)
            return 0;
        if (progress.consumed == 0 && (status = fill(link)) < 0)
            return status;
    }
}

int32_t tls_link_write(struct tls_link *link, const void *data, size_t length)
{
    return flush(link, data, length);
}

int32_t tls_link_close(struct tls_link *link)
{
    ferronet_tls_progress progress;
    int32_t status;

    progress.size = sizeof progress;
    status = ferronet_tls_session_close(link->session, &progress);
    return status < 0 ? status : flush(link, NULL, 0);
}

void tls_link_describe(const struct tls_link *link)
{
    ferronet_tls_session_info info;

    info.size = sizeof info;
    if (ferronet_tls_session_get_info(link->session, &info) < 0)
        return;
    printf("TLS 1.%u, %u certificate%s of the peer\n", (unsigned)(info.version - FERRONET_TLS_VERSION_1_2 + 2), (unsigned)info.peer_certificates,
           info.peer_certificates == 1 ? "" : "s");
    fflush(stdout);
}

void tls_link_failed(FILE *stream, const struct tls_link *link, const char *what, int64_t status)
{
    char text[512] = "";

    ferronet_last_error(link->session, text, sizeof text);
    fprintf(stream, "%s: %s: %s\n", what, ferronet_status_name((int32_t)status), text);
    fflush(stream);
}
