/* A TCP echo server: one reactor, one thread, any number of connections.
 *
 * Ownership, in three rules:
 * 1. A descriptor that was added to a reactor is closed by FERRONET_OP_CLOSE, not by us.
 * 2. Memory that a submission names belongs to the library until the final completion of that submission. The CLOSE of
 *    a socket completes after everything else on it, so its completion is the one place where a connection is freed.
 * 3. A completion is valid until the next turn; what outlives it is copied. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>

/* `user_data` of a submission comes back in its completions. Here: the address of the connection with the kind of
 * operation in its low bits, which malloc leaves zero. The listener has no connection, its address is 0. */
enum { RECEIVE = 1, SEND = 2, CLOSE = 3, ACCEPT = 4, KIND = 7 };

struct connection {
    uint32_t socket;
    uint8_t bytes[16384];
};

struct server {
    struct loop loop;
    uint32_t listener;
    int accepting; /* an ACCEPT is in flight */
    uint64_t limit, accepted, open, echoed;
};

static uint64_t tag(struct connection *c, unsigned kind)
{
    return (uint64_t)(uintptr_t)c | kind;
}

static void start_accept(struct server *s)
{
    /* Multishot: one submission, a completion for every connection. */
    ferronet_submission *accept = loop_next(&s->loop, FERRONET_OP_ACCEPT, s->listener, ACCEPT);
    accept->flags = FERRONET_SUBMIT_MULTISHOT;
    s->accepting = 1;
}

static void start_receive(struct server *s, struct connection *c)
{
    ferronet_submission *receive = loop_next(&s->loop, FERRONET_OP_RECV, c->socket, tag(c, RECEIVE));
    receive->addr0 = (uint64_t)(uintptr_t)c->bytes;
    receive->len0 = sizeof c->bytes;
}

static void start_close(struct server *s, struct connection *c)
{
    loop_next(&s->loop, FERRONET_OP_CLOSE, c->socket, tag(c, CLOSE));
}

static void stop_accepting(struct server *s)
{
    if (s->listener != 0) {
        loop_next(&s->loop, FERRONET_OP_CLOSE, s->listener, CLOSE);
        s->listener = 0;
    }
}

static void on_accept(struct server *s, const ferronet_completion *done)
{
    struct connection *c;
    int64_t socket;

    if (!(done->flags & FERRONET_COMPLETE_MORE))
        s->accepting = 0;
    if (done->result < 0) {
        if (s->listener != 0)
            fprintf(stderr, "accept: %s\n", ferronet_status_name(done->result));
    } else if (s->listener == 0 || (c = malloc(sizeof *c)) == NULL) {
        ferronet_socket_close(done->result); /* accepted, but not added: ours to close */
    } else if ((socket = ferronet_reactor_add(s->loop.reactor, done->result)) < 0) {
        failed("add connection", socket, s->loop.reactor);
        ferronet_socket_close(done->result);
        free(c);
    } else {
        c->socket = (uint32_t)socket;
        s->open++;
        start_receive(s, c);
        if (++s->accepted == s->limit)
            stop_accepting(s);
    }
    /* A multishot operation may end, for instance when descriptors are used up: then a closed connection restarts it. */
    if (!s->accepting && s->listener != 0 && (done->result >= 0 || s->open == 0))
        start_accept(s);
}

static void on_completion(struct server *s, const ferronet_completion *done)
{
    struct connection *c = (struct connection *)(uintptr_t)(done->user_data & ~(uint64_t)KIND);
    ferronet_submission *send;

    switch (done->user_data & KIND) {
    case ACCEPT:
        on_accept(s, done);
        break;
    case RECEIVE:
        if (done->result <= 0) { /* end of stream, or an error: the peer is done */
            start_close(s, c);
            break;
        }
        send = loop_next(&s->loop, FERRONET_OP_SEND, c->socket, tag(c, SEND));
        send->addr0 = (uint64_t)(uintptr_t)c->bytes;
        send->len0 = (uint32_t)done->result;
        break;
    case SEND: /* one completion for all bytes, however slowly the peer reads */
        if (done->result < 0) {
            start_close(s, c);
            break;
        }
        s->echoed += (uint64_t)done->result;
        start_receive(s, c);
        break;
    case CLOSE: /* nothing else is in flight on this socket */
        if (c != NULL) {
            s->open--;
            free(c);
        }
        if (!s->accepting && s->listener != 0)
            start_accept(s);
        break;
    }
}

int main(int argc, char **argv)
{
    struct options options;
    struct server s = {0};
    int code = options_read(argc, argv, &options);

    if (code == 0)
        code = loop_open(&s.loop, options.backend);
    if (code != 0)
        return code;
    s.limit = options.connections;
    s.listener = loop_listen(&s.loop, options.port);
    if (s.listener == 0) {
        loop_close(&s.loop);
        return 1;
    }
    start_accept(&s);
    while (s.listener != 0 || s.accepting || s.open > 0) {
        int64_t i, count = loop_turn(&s.loop);

        if (count < 0) {
            code = failed("turn", count, s.loop.reactor);
            break;
        }
        for (i = 0; i < count; i++)
            on_completion(&s, &s.loop.completions[i]);
    }
    if (code == 0)
        printf("echoed %llu bytes on %llu connections\n", (unsigned long long)s.echoed, (unsigned long long)s.accepted);
    loop_close(&s.loop);
    return code;
}
