/* The smallest HTTP responder: what the kernel costs, without an HTTP stack and without a JVM.
 *
 *   floor epoll|poll|io_uring DOCUMENT CONTENT_TYPE
 *
 * `epoll` is a plain loop over epoll, read and send; the others are the same loop over a reactor of the staged library. Each
 * request gets the same answer, byte for byte that of the benchmark server; of a request only its end is looked at. It
 * prints the backend and the port, and ends when it is killed. */
#define _GNU_SOURCE
#include "../../../c-examples/common.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ACCEPT = 1, RECEIVE = 2, SEND = 3, CLOSE = 4, LEND = 5 };
enum { BUFFERS = 256, BUFFER_SIZE = 4096, EVENTS = 256 };

static char *answer;
static size_t answer_length;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void read_answer(const char *file, const char *type)
{
    FILE *in = fopen(file, "rb");
    long length;
    int head;

    if (in == NULL || fseek(in, 0, SEEK_END) != 0 || (length = ftell(in)) < 0)
        fail(file);
    rewind(in);
    answer = malloc((size_t)length + 256);
    if (answer == NULL)
        fail("answer");
    head = snprintf(answer, 256, "HTTP/1.1 200 OK\r\ncontent-type: %s\r\ncontent-length: %ld\r\n\r\n", type, length);
    if (head < 0 || head >= 256 || fread(answer + head, 1, (size_t)length, in) != (size_t)length)
        fail(file);
    answer_length = (size_t)head + (size_t)length;
    fclose(in);
}

/* Requests that end in these bytes. The client sends the next one when it has the answer, so that none is cut. */
static unsigned requests_in(const char *bytes, size_t length)
{
    unsigned count = 0;
    size_t i;

    for (i = 3; i < length; i++)
        count += bytes[i] == '\n' && memcmp(bytes + i - 3, "\r\n\r\n", 4) == 0;
    return count;
}

/* The plain loop. What does not fit into the socket's buffer waits for its next event. */

struct connection {
    int descriptor;
    size_t sent; /* of the answer under way; its whole length when there is none */
};

static int push(int epoll, struct connection *c)
{
    struct epoll_event event;

    while (c->sent < answer_length) {
        ssize_t count = send(c->descriptor, answer + c->sent, answer_length - c->sent, MSG_NOSIGNAL);

        if (count >= 0) {
            c->sent += (size_t)count;
        } else if (errno == EAGAIN) {
            event.events = EPOLLOUT;
            event.data.ptr = c;
            return epoll_ctl(epoll, EPOLL_CTL_MOD, c->descriptor, &event) == 0;
        } else {
            return 0;
        }
    }
    return 1;
}

static int serve(int epoll, struct connection *c, uint32_t events)
{
    static char bytes[BUFFER_SIZE];
    struct epoll_event event;
    ssize_t count;

    if (events & EPOLLOUT) {
        event.events = EPOLLIN;
        event.data.ptr = c;
        if (!push(epoll, c))
            return 0;
        return c->sent < answer_length || epoll_ctl(epoll, EPOLL_CTL_MOD, c->descriptor, &event) == 0;
    }
    count = recv(c->descriptor, bytes, sizeof bytes, 0);
    if (count <= 0)
        return count < 0 && errno == EAGAIN;
    if (requests_in(bytes, (size_t)count) == 0)
        return 1;
    c->sent = 0;
    return push(epoll, c);
}

static void plain(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), epoll = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];

    if (listener < 0 || epoll < 0 || bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, 1024) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) != 0)
        fail("listen");
    printf("backend: epoll\nlistening on 127.0.0.1:%u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        int i, count = epoll_wait(epoll, events, EVENTS, -1);

        for (i = 0; i < count; i++) {
            struct connection *c = events[i].data.ptr;
            int descriptor;

            if (c != NULL) {
                if (!serve(epoll, c, events[i].events)) {
                    close(c->descriptor);
                    free(c);
                }
                continue;
            }
            while ((descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
                int on = 1;

                c = malloc(sizeof *c);
                if (c == NULL)
                    fail("connection");
                c->descriptor = descriptor;
                c->sent = answer_length;
                setsockopt(descriptor, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof on);
                event.events = EPOLLIN;
                event.data.ptr = c;
                if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
                    fail("add");
            }
        }
    }
}

/* The loop over a reactor. */

static char lent[BUFFERS][BUFFER_SIZE];

static void lend(struct loop *loop, uint32_t buffer)
{
    ferronet_submission *record = loop_next(loop, FERRONET_OP_LEND, 0, LEND);

    record->addr0 = (uint64_t)(uintptr_t)lent[buffer];
    record->len0 = BUFFER_SIZE;
    record->arg0 = buffer;
}

static void receive(struct loop *loop, uint32_t socket)
{
    loop_next(loop, FERRONET_OP_RECV, socket, RECEIVE)->flags = FERRONET_SUBMIT_LENT | FERRONET_SUBMIT_MULTISHOT;
}

static void on_received(struct loop *loop, const ferronet_completion *done)
{
    unsigned requests;

    if (done->flags & FERRONET_COMPLETE_BUFFER) {
        requests = requests_in(lent[done->buffer], (size_t)done->result);
        lend(loop, done->buffer);
        for (; requests > 0; requests--) {
            ferronet_submission *send = loop_next(loop, FERRONET_OP_SEND, done->socket, SEND);

            send->addr0 = (uint64_t)(uintptr_t)answer;
            send->len0 = (uint32_t)answer_length;
        }
        if (!(done->flags & FERRONET_COMPLETE_MORE))
            receive(loop, done->socket);
    } else if (done->result == FERRONET_ERR_NO_BUFFERS) {
        receive(loop, done->socket);
    } else {
        loop_next(loop, FERRONET_OP_CLOSE, done->socket, CLOSE);
    }
}

static int reactor(uint32_t backend)
{
    struct loop loop;
    uint32_t listener, buffer;

    if (loop_open(&loop, backend) != 0 || (listener = loop_listen(&loop, 0)) == 0)
        return 1;
    for (buffer = 0; buffer < BUFFERS; buffer++)
        lend(&loop, buffer);
    loop_next(&loop, FERRONET_OP_ACCEPT, listener, ACCEPT)->flags = FERRONET_SUBMIT_MULTISHOT;
    for (;;) {
        int64_t i, count = loop_turn(&loop);

        if (count < 0)
            return failed("turn", count, loop.reactor);
        for (i = 0; i < count; i++) {
            const ferronet_completion *done = &loop.completions[i];
            int64_t socket;

            if (done->user_data == RECEIVE) {
                on_received(&loop, done);
            } else if (done->user_data == ACCEPT && done->result >= 0) {
                ferronet_socket_set_option(done->result, FERRONET_OPTION_TCP_NODELAY, 1);
                socket = ferronet_reactor_add(loop.reactor, done->result);
                if (socket < 0)
                    return failed("add", socket, loop.reactor);
                receive(&loop, (uint32_t)socket);
            }
        }
    }
}

int main(int argc, char **argv)
{
    const char *kind = argc == 4 ? argv[1] : "";

    prctl(PR_SET_NAME, "bench-loop"); /* the harness finds the loop's thread by this name */
    if (argc == 4)
        read_answer(argv[2], argv[3]);
    if (strcmp(kind, "epoll") == 0)
        plain();
    if (strcmp(kind, "poll") == 0)
        return reactor(FERRONET_BACKEND_POLL);
    if (strcmp(kind, "io_uring") == 0)
        return reactor(FERRONET_BACKEND_IO_URING);
    fprintf(stderr, "usage: %s epoll|poll|io_uring DOCUMENT CONTENT_TYPE\n", argv[0]);
    return 2;
}
