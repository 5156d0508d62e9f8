/* Steps around descriptors: open, bind, listen, names, options. */
#define _POSIX_C_SOURCE 200809L
#include "world.h"

#include <arpa/inet.h>
#include <string.h>

static const struct field address_fields[] = {
    FIELD(ferronet_address, family, 0), FIELD(ferronet_address, port, 0), FIELD(ferronet_address, scope_id, 0),
    FIELD(ferronet_address, length, 0), END,
};

static const struct field value_fields[] = {{"value", 0, 8, 0}, {"length", 8, 4, 0}, END};

static uint32_t port_of(struct world *w, const char *name)
{
    ferronet_address address;
    int32_t status;

    memset(&address, 0, sizeof address);
    status = CALL(ferronet_socket_local_address, sock_named(w, name)->fd, &address);
    if (status < 0)
        fail(w, "address of %s: %s", name, ferronet_status_name(status));
    return address.port;
}

/* HOST PORT at words `index` and the next (port-of=SOCKET: its local port), or to=SOCKET: its local address. */
void read_address(struct world *w, int index, ferronet_address *out)
{
    const char *to = text_arg(w, "to", NULL);

    memset(out, 0, sizeof *out);
    if (to != NULL) {
        int32_t status = CALL(ferronet_socket_local_address, sock_named(w, to)->fd, out);
        if (status < 0)
            fail(w, "address of %s: %s", to, ferronet_status_name(status));
    } else {
        const char *host = word(w, index);

        if (inet_pton(AF_INET, host, out->data) == 1) {
            out->family = FERRONET_FAMILY_IPV4;
            out->length = 4;
        } else if (inet_pton(AF_INET6, host, out->data) == 1) {
            out->family = FERRONET_FAMILY_IPV6;
            out->length = 16;
        } else {
            fail(w, "%s is no address", host);
        }
        out->port = (uint32_t)number(w, word(w, index + 1));
        if (text_arg(w, "port-of", NULL) != NULL)
            out->port = port_of(w, text_arg(w, "port-of", NULL));
    }
    out->family = (uint32_t)arg(w, "family", out->family);
    out->length = (uint32_t)arg(w, "length", out->length);
    out->scope_id = (uint32_t)arg(w, "scope", out->scope_id);
}

static void open_socket(struct world *w)
{
    int32_t fd = CALL(ferronet_socket_open, (uint32_t)number(w, word(w, 2)), (uint32_t)arg(w, "kind", FERRONET_SOCKET_STREAM));

    if (fd >= 0)
        sock_new(w, word(w, 1), fd);
    expect(w, fd);
}

static void name_of(struct world *w, int peer)
{
    int32_t fd = sock_named(w, word(w, 1))->fd;
    ferronet_address *out = (ferronet_address *)(void *)w->record;

    memset(w->record, 0, sizeof w->record);
    w->fields = address_fields;
    if (has(w, "out=null"))
        out = NULL;
    expect(w, peer ? CALL(ferronet_socket_peer_address, fd, out) : CALL(ferronet_socket_local_address, fd, out));
}

static void host(struct world *w)
{
    uint8_t wanted[16];
    const ferronet_address *got = (const ferronet_address *)(const void *)w->record;
    int family = strchr(word(w, 1), ':') != NULL ? AF_INET6 : AF_INET;

    if (inet_pton(family, word(w, 1), wanted) != 1)
        fail(w, "%s is no address", word(w, 1));
    if (got->length != (family == AF_INET6 ? 16 : 4) || memcmp(got->data, wanted, got->length) != 0)
        fail(w, "the host is not %s", word(w, 1));
}

static void agree(struct world *w)
{
    ferronet_address local, peer;
    int i;

    for (i = 0; i < 2; i++) {
        memset(&local, 0, sizeof local);
        memset(&peer, 0, sizeof peer);
        if (CALL(ferronet_socket_local_address, sock_named(w, word(w, 1 + i))->fd, &local) < 0 ||
            CALL(ferronet_socket_peer_address, sock_named(w, word(w, 2 - i))->fd, &peer) < 0)
            fail(w, "an address cannot be read");
        if (local.port == 0 || memcmp(&local, &peer, sizeof local) != 0)
            fail(w, "the local address of %s is not the peer address of %s", word(w, 1 + i), word(w, 2 - i));
    }
}

static void get_option(struct world *w)
{
    int64_t value = 0;

    expect(w, CALL(ferronet_socket_get_option, sock_named(w, word(w, 1))->fd, (int32_t)number(w, word(w, 2)),
                   has(w, "out=null") ? NULL : &value));
    memset(w->record, 0, sizeof w->record);
    memcpy(w->record, &value, sizeof value);
    w->fields = value_fields;
}

static void raw_option(struct world *w, int set)
{
    int32_t fd = sock_named(w, word(w, 1))->fd, level = (int32_t)number(w, word(w, 2)), option = (int32_t)number(w, word(w, 3));
    int32_t value = set ? (int32_t)number(w, word(w, 4)) : 0;
    uint32_t length = (uint32_t)arg(w, "length", 4);
    void *at = has(w, "value=null") ? NULL : &value;

    if (set) {
        expect(w, CALL(ferronet_socket_set_raw_option, fd, level, option, at, length));
        return;
    }
    expect(w, CALL(ferronet_socket_get_raw_option, fd, level, option, at, &length));
    memset(w->record, 0, sizeof w->record);
    memcpy(w->record, &value, sizeof value);
    memcpy(w->record + 8, &length, sizeof length);
    w->fields = value_fields;
}

int socket_step(struct world *w, const char *name)
{
    ferronet_address address;

    if (strcmp(name, "open") == 0) {
        open_socket(w);
    } else if (strcmp(name, "descriptor") == 0) {
        sock_new(w, word(w, 1), (int32_t)number(w, word(w, 2)))->borrowed = 1;
    } else if (strcmp(name, "remember") == 0) {
        const struct sock *source = sock_named(w, word(w, 2));
        struct sock *copy = sock_new(w, word(w, 1), source->fd);

        copy->borrowed = 1;
        copy->number = source->number;
        copy->loop = source->loop;
    } else if (strcmp(name, "bind") == 0) {
        if (strcmp(word(w, 2), "null") != 0)
            read_address(w, 2, &address);
        expect(w, CALL(ferronet_socket_bind, sock_named(w, word(w, 1))->fd, strcmp(word(w, 2), "null") == 0 ? NULL : &address));
    } else if (strcmp(name, "listen") == 0) {
        expect(w, CALL(ferronet_socket_listen, sock_named(w, word(w, 1))->fd, (int32_t)number(w, word(w, 2))));
    } else if (strcmp(name, "local") == 0) {
        name_of(w, 0);
    } else if (strcmp(name, "peer") == 0) {
        name_of(w, 1);
    } else if (strcmp(name, "host") == 0) {
        host(w);
    } else if (strcmp(name, "agree") == 0) {
        agree(w);
    } else if (strcmp(name, "shutdown") == 0) {
        expect(w, CALL(ferronet_socket_shutdown, sock_named(w, word(w, 1))->fd, (uint32_t)number(w, word(w, 2))));
    } else if (strcmp(name, "close-socket") == 0) {
        struct sock *socket = sock_named(w, word(w, 1));
        int32_t status = CALL(ferronet_socket_close, socket->fd);

        if (status >= 0)
            socket->fd = -1;
        expect(w, status);
    } else if (strcmp(name, "set") == 0) {
        expect(w, CALL(ferronet_socket_set_option, sock_named(w, word(w, 1))->fd, (int32_t)number(w, word(w, 2)),
                       (int64_t)number(w, word(w, 3))));
    } else if (strcmp(name, "get") == 0) {
        get_option(w);
    } else if (strcmp(name, "set-raw") == 0) {
        raw_option(w, 1);
    } else if (strcmp(name, "get-raw") == 0) {
        raw_option(w, 0);
    } else {
        return 0;
    }
    return 1;
}
