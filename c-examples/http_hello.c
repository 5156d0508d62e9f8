/* An HTTP/1.1 server that says hello: keep-alive, pipelining, bounded memory, one reactor.
 *
 * A connection receives or sends, never both. So a client that does not read its responses is not read from either, and
 * costs no more than the two areas below. Before a close the sending side is shut down and what the client still sends is
 * read and dropped: closing with unread bytes would reset the connection, and the client could lose the response. */
#include "common.h"
#include "http_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECEIVE = 1, SEND = 2, CLOSE = 3, ACCEPT = 4, SHUTDOWN = 5, KIND = 7 };
enum { HEAD_LIMIT = 8192, RESPONSE_LIMIT = 256, DISCARD_LIMIT = 65536 };

struct connection {
    uint32_t socket;
    int closing;     /* no more requests: shut down once what is in `out` was sent */
    size_t discarded;
    size_t in_used;
    size_t out_used;
    char in[HEAD_LIMIT];
    char out[8192];
};

struct server {
    struct loop loop;
    uint32_t listener;
    int accepting;
    uint64_t limit, accepted, open, requests;
};

static uint64_t tag(struct connection *c, unsigned kind)
{
    return (uint64_t)(uintptr_t)c | kind;
}

static void start_accept(struct server *s)
{
    ferronet_submission *accept = loop_next(&s->loop, FERRONET_OP_ACCEPT, s->listener, ACCEPT);
    accept->flags = FERRONET_SUBMIT_MULTISHOT;
    s->accepting = 1;
}

static void start_receive(struct server *s, struct connection *c)
{
    ferronet_submission *receive = loop_next(&s->loop, FERRONET_OP_RECV, c->socket, tag(c, RECEIVE));
    receive->addr0 = (uint64_t)(uintptr_t)(c->in + c->in_used);
    receive->len0 = (uint32_t)(sizeof c->in - c->in_used);
}

static void start_send(struct server *s, struct connection *c)
{
    ferronet_submission *send = loop_next(&s->loop, FERRONET_OP_SEND, c->socket, tag(c, SEND));
    send->addr0 = (uint64_t)(uintptr_t)c->out;
    send->len0 = (uint32_t)c->out_used;
}

static void start_close(struct server *s, struct connection *c)
{
    loop_next(&s->loop, FERRONET_OP_CLOSE, c->socket, tag(c, CLOSE));
}

static void start_shutdown(struct server *s, struct connection *c)
{
    ferronet_submission *shutdown = loop_next(&s->loop, FERRONET_OP_SHUTDOWN, c->socket, tag(c, SHUTDOWN));
    shutdown->len0 = FERRONET_SHUTDOWN_WRITE;
    c->in_used = 0;
    start_receive(s, c);
}

static void discard(struct server *s, struct connection *c, size_t bytes)
{
    c->discarded += bytes;
    if (c->discarded > DISCARD_LIMIT)
        start_close(s, c);
    else
        start_receive(s, c);
}

static const char *reason(int code)
{
    switch (code) {
    case 200: return "OK";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 413: return "Content Too Large";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    case 505: return "HTTP Version Not Supported";
    default: return "Bad Request";
    }
}

static void respond(struct connection *c, int code, int head, int keep_alive)
{
    char body[64];
    int length = code == 200 ? snprintf(body, sizeof body, "Hello, World!") : snprintf(body, sizeof body, "%s\n", reason(code));
    char *to = c->out + c->out_used;

    c->out_used += (size_t)sprintf(to, "HTTP/1.1 %d %s\r\n%sContent-Type: text/plain\r\nContent-Length: %d\r\n%s\r\n%s", code,
                                   reason(code), code == 405 ? "Allow: GET, HEAD\r\n" : "", length,
                                   keep_alive ? "" : "Connection: close\r\n", head ? "" : body);
}

/* Answers every complete request that was received, as far as the responses fit, then goes on with what comes next. */
static void serve(struct server *s, struct connection *c)
{
    size_t done = 0;

    while (!c->closing && sizeof c->out - c->out_used >= RESPONSE_LIMIT) {
        struct request request;
        int code = request_parse(c->in + done, c->in_used - done, &request);

        if (code == 0 && done == 0 && c->in_used == sizeof c->in)
            code = 431;
        if (code == 0)
            break;
        if (code == 200 && !(request.target_length == 1 && request.target[0] == '/'))
            code = 404;
        /* After anything but a valid request, where the next one begins is unknown. */
        c->closing = (code != 200 && code != 404 && code != 405) || !request.keep_alive;
        respond(c, code, request.head, !c->closing);
        done += request.length;
        s->requests++;
    }
    memmove(c->in, c->in + done, c->in_used - done);
    c->in_used -= done;
    if (c->out_used > 0)
        start_send(s, c);
    else
        start_receive(s, c);
}

static void stop_accepting(struct server *s)
{
    loop_next(&s->loop, FERRONET_OP_CLOSE, s->listener, CLOSE);
    s->listener = 0;
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
    } else if (s->listener == 0 || (c = calloc(1, sizeof *c)) == NULL) {
        ferronet_socket_close(done->result);
    } else if ((socket = ferronet_reactor_add(s->loop.reactor, done->result)) < 0) {
        failed("add connection", socket, s->loop.reactor);
        ferronet_socket_close(done->result);
        free(c);
    } else {
        ferronet_socket_set_option(done->result, FERRONET_OPTION_TCP_NODELAY, 1);
        c->socket = (uint32_t)socket;
        s->open++;
        start_receive(s, c);
        if (++s->accepted == s->limit)
            stop_accepting(s);
    }
    if (!s->accepting && s->listener != 0 && (done->result >= 0 || s->open == 0))
        start_accept(s);
}

static void on_completion(struct server *s, const ferronet_completion *done)
{
    struct connection *c = (struct connection *)(uintptr_t)(done->user_data & ~(uint64_t)KIND);

    switch (done->user_data & KIND) {
    case ACCEPT:
        on_accept(s, done);
        break;
    case RECEIVE:
        if (done->result <= 0)
            start_close(s, c);
        else if (c->closing)
            discard(s, c, (size_t)done->result);
        else {
            c->in_used += (size_t)done->result;
            serve(s, c);
        }
        break;
    case SEND:
        c->out_used = 0;
        if (done->result < 0)
            start_close(s, c);
        else if (c->closing)
            start_shutdown(s, c);
        else
            serve(s, c);
        break;
    case CLOSE: /* the last completion of the socket: now its memory is ours again */
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
        printf("answered %llu requests on %llu connections\n", (unsigned long long)s.requests, (unsigned long long)s.accepted);
    loop_close(&s.loop);
    return code;
}
