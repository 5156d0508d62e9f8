/* Steps that queue operations and look at their completions, and the composite ones that move a stream of bytes. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

static uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static uint8_t *bytes_for(struct operation *operation, uint32_t length)
{
    operation->length = length;
    operation->bytes = calloc(1, length > 0 ? length : 1);
    if (operation->bytes == NULL)
        abort();
    return operation->bytes;
}

static void fill(struct operation *operation, uint32_t length)
{
    struct sock *socket = operation->socket;
    uint8_t *bytes = bytes_for(operation, length);
    uint32_t i;

    for (i = 0; i < length; i++)
        bytes[i] = pattern(socket->seed_out, socket->sent + i);
    socket->sent += length;
}

static struct operation *queue_receive(struct world *w, const char *name, struct sock *socket, uint32_t length, uint8_t flags)
{
    ferronet_submission *record;
    struct operation *operation = queue(w, name, socket->loop, socket, FERRONET_OP_RECV, &record);

    record->flags = flags;
    operation->lent = (flags & FERRONET_SUBMIT_LENT) != 0;
    if (!operation->lent) {
        record->addr0 = address_of(bytes_for(operation, length));
        record->len0 = length;
    }
    return operation;
}

static struct operation *queue_send(struct world *w, const char *name, struct sock *socket, uint32_t first, uint32_t second, uint8_t flags)
{
    ferronet_submission *record;
    struct operation *operation = queue(w, name, socket->loop, socket, FERRONET_OP_SEND, &record);

    fill(operation, first + second);
    record->flags = flags;
    record->addr0 = address_of(operation->bytes);
    record->len0 = first;
    if (second > 0) {
        record->addr1 = address_of(operation->bytes + first);
        record->len1 = second;
    }
    return operation;
}

/* queue ID gather SOCKET LENGTH...: the regions lie in one block, but with a gap of one byte between them. */
static void queue_gather(struct world *w, struct sock *socket)
{
    ferronet_region regions[MAX_REGIONS];
    ferronet_submission *record;
    struct operation *operation = queue(w, word(w, 1), socket->loop, socket, FERRONET_OP_SEND_GATHER, &record);
    uint32_t count = 0, total = 0, i;
    uint8_t *at;

    for (i = 4; i < (uint32_t)w->step->count && count < MAX_REGIONS; i++)
        regions[count++].len = (uint64_t)number(w, word(w, (int)i));
    for (i = 0; i < count; i++)
        total += (uint32_t)regions[i].len;
    at = bytes_for(operation, total + count);
    for (i = 0; i < count; i++) {
        uint64_t j;

        regions[i].addr = address_of(at);
        for (j = 0; j < regions[i].len; j++)
            *at++ = pattern(socket->seed_out, socket->sent++);
        at++;
    }
    record->addr0 = address_of(regions);
    record->len0 = count;
    /* The array is copied before the call returns, so it may go when the record was handed over. */
    if (CALL(ferronet_reactor_submit, socket->loop->reactor, socket->loop->queued) < 0)
        fail(w, "submit of a gathered send");
    socket->loop->queued = 0;
    memset(regions, 0xff, sizeof regions);
}

static void queue_connect(struct world *w, struct sock *socket)
{
    ferronet_address address;
    ferronet_submission *record;

    read_address(w, 4, &address);
    queue(w, word(w, 1), socket->loop, socket, FERRONET_OP_CONNECT, &record);
    record->addr0 = address_of(&address);
    if (CALL(ferronet_reactor_submit, socket->loop->reactor, socket->loop->queued) < 0)
        fail(w, "submit of a connect");
    socket->loop->queued = 0;
    memset(&address, 0xff, sizeof address);
}

static void lend(struct world *w, struct loop *loop, const char *name, uint32_t identity, uint32_t length)
{
    ferronet_submission *record;
    uint8_t *bytes = calloc(1, length > 0 ? length : 1);

    if (bytes == NULL || loop->lent_count == MAX_LENT)
        fail(w, "too many lent buffers");
    queue(w, name, loop, NULL, FERRONET_OP_LEND, &record);
    record->addr0 = address_of(bytes);
    record->len0 = length;
    record->arg0 = identity;
    if (identity == loop->lent_count) {
        loop->lent[identity].bytes = bytes;
        loop->lent[identity].length = length;
        loop->lent[identity].held = 1;
        loop->lent_count++;
    } else {
        free(bytes); /* an identity that the library refuses */
    }
}

/* Lends again what came back. */
static void relend(struct world *w, struct loop *loop)
{
    ferronet_submission *record;
    uint32_t i;

    for (i = 0; i < loop->lent_count; i++) {
        if (loop->lent[i].held)
            continue;
        queue(w, "lend", loop, NULL, FERRONET_OP_LEND, &record);
        record->addr0 = address_of(loop->lent[i].bytes);
        record->len0 = loop->lent[i].length;
        record->arg0 = i;
        loop->lent[i].held = 1;
    }
}

/* queue ID raw SOCKET|- with any field set: what the library must refuse. */
static void queue_raw(struct world *w)
{
    const char *on = word(w, 3);
    struct sock *socket = strcmp(on, "-") == 0 ? NULL : sock_named(w, on);
    struct loop *loop = socket != NULL ? socket->loop : w->current;
    ferronet_submission *record;
    struct operation *operation = queue(w, word(w, 1), loop, socket, (uint8_t)arg(w, "op", 0), &record);

    operation->op = 0; /* nothing is known about its completion */
    record->flags = (uint8_t)arg(w, "flags", 0);
    record->reserved0 = (uint16_t)arg(w, "reserved0", 0);
    record->socket = (uint32_t)arg(w, "socket", record->socket);
    operation->number = record->socket;
    record->len0 = (uint32_t)arg(w, "len0", 0);
    record->len1 = (uint32_t)arg(w, "len1", 0);
    record->arg0 = (uint64_t)arg(w, "arg0", 0);
    record->reserved1[0] = (uint64_t)arg(w, "reserved1", 0);
    if (has(w, "memory"))
        record->addr0 = address_of(bytes_for(operation, 4096));
}

static void queue_step(struct world *w)
{
    const char *id = word(w, 1), *kind = word(w, 2);
    ferronet_submission *record;
    struct sock *socket;

    if (strcmp(kind, "raw") == 0) {
        queue_raw(w);
        return;
    }
    if (strcmp(kind, "lend") == 0) {
        lend(w, w->current, id, (uint32_t)number(w, word(w, 3)), (uint32_t)number(w, word(w, 4)));
        return;
    }
    socket = sock_named(w, word(w, 3));
    if (socket->loop == NULL)
        fail(w, "%s was not added to a reactor", socket->name);
    if (strcmp(kind, "accept") == 0) {
        queue(w, id, socket->loop, socket, FERRONET_OP_ACCEPT, &record);
        record->flags = has(w, "multishot") ? FERRONET_SUBMIT_MULTISHOT : 0;
    } else if (strcmp(kind, "connect") == 0) {
        queue_connect(w, socket);
    } else if (strcmp(kind, "recv") == 0) {
        if (has(w, "lent"))
            queue_receive(w, id, socket, 0, has(w, "multishot") ? FERRONET_SUBMIT_LENT | FERRONET_SUBMIT_MULTISHOT : FERRONET_SUBMIT_LENT);
        else
            queue_receive(w, id, socket, (uint32_t)number(w, word(w, 4)), 0);
    } else if (strcmp(kind, "send") == 0) {
        queue_send(w, id, socket, (uint32_t)number(w, word(w, 4)), (uint32_t)arg(w, "second", 0),
                   has(w, "more") ? FERRONET_SUBMIT_MORE : 0);
    } else if (strcmp(kind, "gather") == 0) {
        queue_gather(w, socket);
    } else if (strcmp(kind, "poll") == 0) {
        queue(w, id, socket->loop, socket, FERRONET_OP_POLL, &record);
        record->len0 = (uint32_t)number(w, word(w, 4));
    } else if (strcmp(kind, "shutdown") == 0) {
        queue(w, id, socket->loop, socket, FERRONET_OP_SHUTDOWN, &record);
        record->len0 = (uint32_t)number(w, word(w, 4));
    } else if (strcmp(kind, "close") == 0) {
        queue(w, id, socket->loop, socket, FERRONET_OP_CLOSE, &record);
    } else if (strcmp(kind, "cancel") == 0) {
        queue(w, id, socket->loop, socket, FERRONET_OP_CANCEL, &record);
        if (has(w, "all"))
            record->flags = FERRONET_SUBMIT_ALL;
        else
            record->arg0 = (uint64_t)(operation_named(w, text_arg(w, "target", "")) - w->operations) + 1;
    } else {
        fail(w, "unknown operation %s", kind);
    }
}

static void await(struct world *w)
{
    struct operation *operation = operation_named(w, word(w, 1));
    ferronet_completion done = next_completion(w, operation);
    long long extra = arg(w, "extra", -1);

    expect(w, done.result);
    if (has(w, "more") && !(done.flags & FERRONET_COMPLETE_MORE))
        fail(w, "%s ended", operation->name);
    if (!has(w, "more") && !has(w, "any") && (done.flags & FERRONET_COMPLETE_MORE))
        fail(w, "%s goes on", operation->name);
    if (extra >= 0 && done.extra != (uint64_t)extra)
        fail(w, "%s: extra is %llu", operation->name, (unsigned long long)done.extra);
}

/* Takes completions that go on until so many bytes came. */
static void drain(struct world *w, struct operation *operation, long long total)
{
    long long got = 0;

    while (got < total) {
        ferronet_completion done = next_completion(w, operation);

        if (done.result <= 0 || !(done.flags & FERRONET_COMPLETE_MORE))
            fail(w, "%s: %d after %lld of %lld bytes", operation->name, done.result, got, total);
        got += done.result;
    }
    if (got != total)
        fail(w, "%s: %lld bytes instead of %lld", operation->name, got, total);
}

int operation_step(struct world *w, const char *name)
{
    struct operation *operation;
    long long i, count;

    if (strcmp(name, "queue") == 0) {
        queue_step(w);
    } else if (strcmp(name, "await") == 0) {
        await(w);
    } else if (strcmp(name, "take") == 0) {
        operation = operation_named(w, word(w, 2));
        if (operation->last < 0)
            fail(w, "%s has no descriptor", operation->name);
        sock_new(w, word(w, 1), operation->last);
        sock_named(w, word(w, 1))->seed_out = 2;
        sock_named(w, word(w, 1))->seed_in = 1;
    } else if (strcmp(name, "drain") == 0) {
        operation = operation_named(w, word(w, 1));
        drain(w, operation, number(w, word(w, 2)));
    } else if (strcmp(name, "result") == 0) {
        operation = operation_named(w, word(w, 1));
        if (!compare(w, operation->last, word(w, 2), number(w, word(w, 3))))
            fail(w, "the result of %s is %d, expected %s %s", operation->name, operation->last, word(w, 2), word(w, 3));
    } else if (strcmp(name, "before") == 0) {
        const struct operation *first = operation_named(w, word(w, 1)), *second = operation_named(w, word(w, 2));
        if (!first->finished || !second->finished || first->finish_order > second->finish_order)
            fail(w, "%s did not complete before %s", first->name, second->name);
    } else if (strcmp(name, "lend") == 0) {
        count = number(w, word(w, 1));
        for (i = 0; i < count; i++)
            lend(w, w->current, "lend", w->current->lent_count, (uint32_t)number(w, word(w, 2)));
    } else if (strcmp(name, "relend") == 0) {
        relend(w, w->current);
    } else {
        return 0;
    }
    return 1;
}

static int64_t must(struct world *w, const char *what, int64_t status)
{
    if (status < 0)
        fail(w, "%s: %s", what, ferronet_status_name((int32_t)status));
    return status;
}

static void add(struct world *w, struct sock *socket, struct loop *loop)
{
    socket->number = (uint32_t)must(w, "add", CALL(ferronet_reactor_add, loop->reactor, socket->fd));
    socket->loop = loop;
}

/* pair B C [ipv6] [with=REACTOR]: B connected to C, C accepted, both added (C to another reactor when asked for). */
static void pair(struct world *w)
{
    struct loop *loop = w->current, *other = loop_named(w, text_arg(w, "with", loop->name));
    uint32_t family = has(w, "ipv6") ? FERRONET_FAMILY_IPV6 : FERRONET_FAMILY_IPV4;
    struct sock *listener, *client, *accepted;
    struct operation *accept, *connect, *closing;
    ferronet_submission *record;
    ferronet_address address;

    listener = sock_new(w, "(listener)", (int32_t)must(w, "open", CALL(ferronet_socket_open, family, FERRONET_SOCKET_STREAM)));
    client = sock_new(w, word(w, 1), (int32_t)must(w, "open", CALL(ferronet_socket_open, family, FERRONET_SOCKET_STREAM)));
    memset(&address, 0, sizeof address);
    address.family = family;
    address.length = family == FERRONET_FAMILY_IPV6 ? 16 : 4;
    address.data[0] = family == FERRONET_FAMILY_IPV6 ? 0 : 127;
    address.data[address.length - 1] = 1;
    must(w, "bind", CALL(ferronet_socket_bind, listener->fd, &address));
    must(w, "listen", CALL(ferronet_socket_listen, listener->fd, 16));
    must(w, "local address", CALL(ferronet_socket_local_address, listener->fd, &address));
    add(w, listener, loop);
    add(w, client, loop);
    accept = queue(w, "(accept)", loop, listener, FERRONET_OP_ACCEPT, &record);
    connect = queue(w, "(connect)", loop, client, FERRONET_OP_CONNECT, &record);
    record->addr0 = address_of(&address);
    must(w, "connect", next_completion(w, connect).result);
    accepted = sock_new(w, word(w, 2), (int32_t)must(w, "accept", next_completion(w, accept).result));
    accepted->seed_out = 2;
    accepted->seed_in = 1;
    add(w, accepted, other);
    closing = queue(w, "(close)", loop, listener, FERRONET_OP_CLOSE, &record);
    must(w, "close", next_completion(w, closing).result);
}

static void receive(struct world *w, struct sock *socket, uint64_t total)
{
    uint64_t end = socket->received + total;

    while (socket->received < end) {
        uint64_t left = end - socket->received;
        struct operation *operation = queue_receive(w, "(recv)", socket, left < 65536 ? (uint32_t)left : 65536, 0);
        int32_t result = next_completion(w, operation).result;

        if (result <= 0)
            fail(w, "recv: %d after %llu bytes", result, (unsigned long long)socket->received);
        w->operation_count--;
        if (&w->operations[w->operation_count] != operation)
            w->operation_count++;
        else {
            free(operation->bytes);
            free(operation->results);
            memset(operation, 0, sizeof *operation);
        }
    }
}

int stream_step(struct world *w, const char *name)
{
    struct sock *socket;
    ferronet_submission *record;
    int32_t result;

    if (strcmp(name, "pair") == 0) {
        pair(w);
    } else if (strcmp(name, "send") == 0) {
        uint32_t length = (uint32_t)number(w, word(w, 2));

        result = next_completion(w, queue_send(w, "(send)", sock_named(w, word(w, 1)), length, 0, 0)).result;
        if (result != (int32_t)length)
            fail(w, "send: %d of %u bytes", result, (unsigned)length);
    } else if (strcmp(name, "recv") == 0) {
        receive(w, sock_named(w, word(w, 1)), (uint64_t)number(w, word(w, 2)));
    } else if (strcmp(name, "eof") == 0) {
        result = next_completion(w, queue_receive(w, "(eof)", sock_named(w, word(w, 1)), 4096, 0)).result;
        if (result != 0)
            fail(w, "expected the end of the stream, got %d", result);
    } else if (strcmp(name, "drop") == 0) {
        socket = sock_named(w, word(w, 1));
        must(w, "close", next_completion(w, queue(w, "(close)", socket->loop, socket, FERRONET_OP_CLOSE, &record)).result);
    } else {
        return 0;
    }
    return 1;
}
