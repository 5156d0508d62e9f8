/* Drives the example servers from the outside, over plain POSIX sockets.
 *
 *   test_client echo PORT BYTES [COUNT]  COUNT connections at once send BYTES bytes each and compare what comes back
 *   test_client lazy PORT BYTES          the same, but reads nothing before everything is sent or the server stalls
 *   test_client reset PORT               sends some bytes and resets the connection
 *   test_client raw PORT                 sends standard input, shuts down, prints what comes back */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 256, STALL_MILLISECONDS = 200, LIMIT_MILLISECONDS = 20000 };

struct stream {
    int fd;
    size_t sent, received;
    int done;
};

static unsigned char pattern(size_t connection, size_t at)
{
    return (unsigned char)(at * 131 + at / 251 + connection * 17);
}

static int fail(const char *what)
{
    fprintf(stderr, "test_client: %s: %s\n", what, strerror(errno));
    return 1;
}

static int connect_to(int port)
{
    struct sockaddr_in to;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    memset(&to, 0, sizeof to);
    to.sin_family = AF_INET;
    to.sin_port = htons((unsigned short)port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int send_some(struct stream *s, size_t index, size_t total)
{
    unsigned char chunk[16384];
    size_t i, size = total - s->sent < sizeof chunk ? total - s->sent : sizeof chunk;
    ssize_t moved;

    for (i = 0; i < size; i++)
        chunk[i] = pattern(index, s->sent + i);
    moved = send(s->fd, chunk, size, MSG_NOSIGNAL);
    if (moved < 0)
        return errno == EAGAIN ? 0 : fail("send");
    s->sent += (size_t)moved;
    if (s->sent == total && shutdown(s->fd, SHUT_WR) != 0)
        return fail("shutdown");
    return 0;
}

static int receive_some(struct stream *s, size_t index, size_t total)
{
    unsigned char chunk[16384];
    ssize_t i, moved = recv(s->fd, chunk, sizeof chunk, 0);

    if (moved < 0)
        return errno == EAGAIN ? 0 : fail("recv");
    if (moved == 0) {
        s->done = 1;
        errno = 0;
        return s->received == total ? 0 : fail("the stream ended early");
    }
    for (i = 0; i < moved; i++) {
        if (s->received == total || chunk[i] != pattern(index, s->received)) {
            errno = 0;
            return fail("a byte differs");
        }
        s->received++;
    }
    return 0;
}

static int echo(int port, size_t total, size_t count, int lazy)
{
    static struct stream streams[MAX_CONNECTIONS];
    struct pollfd polls[MAX_CONNECTIONS];
    size_t i, left = count;

    for (i = 0; i < count; i++) {
        memset(&streams[i], 0, sizeof streams[i]);
        streams[i].fd = connect_to(port);
        if (streams[i].fd < 0)
            return fail("connect");
        fcntl(streams[i].fd, F_SETFL, O_NONBLOCK);
        if (total == 0)
            shutdown(streams[i].fd, SHUT_WR);
    }
    while (left > 0) {
        int ready;

        for (i = 0; i < count; i++) {
            polls[i].fd = streams[i].done ? -1 : streams[i].fd;
            polls[i].events = (short)((lazy ? 0 : POLLIN) | (streams[i].sent < total ? POLLOUT : 0));
            polls[i].revents = 0;
        }
        ready = poll(polls, (nfds_t)count, lazy ? STALL_MILLISECONDS : LIMIT_MILLISECONDS);
        if (ready == 0 && lazy) {
            lazy = 0; /* the server's and our buffers are full: read at last */
            continue;
        }
        if (ready <= 0)
            return fail("nothing came back");
        for (i = 0; i < count; i++) {
            if (polls[i].revents & POLLOUT && send_some(&streams[i], i, total) != 0)
                return 1;
            if (polls[i].revents & (POLLIN | POLLHUP | POLLERR) && !(lazy && !(polls[i].revents & POLLIN))) {
                if (receive_some(&streams[i], i, total) != 0)
                    return 1;
                if (streams[i].done) {
                    close(streams[i].fd);
                    left--;
                }
            }
        }
        if (lazy && streams[0].sent == total)
            lazy = 0;
    }
    printf("%zu connections echoed %zu bytes each\n", count, total);
    return 0;
}

static int reset(int port)
{
    struct linger now = {1, 0};
    int fd = connect_to(port);

    if (fd < 0 || send(fd, "bytes", 5, MSG_NOSIGNAL) != 5 || setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now) != 0)
        return fail("reset");
    return close(fd);
}

static int raw(int port)
{
    char chunk[4096];
    size_t size;
    ssize_t moved;
    int fd = connect_to(port);

    if (fd < 0)
        return fail("connect");
    while ((size = fread(chunk, 1, sizeof chunk, stdin)) > 0) {
        size_t at = 0;
        while (at < size) {
            moved = send(fd, chunk + at, size - at, MSG_NOSIGNAL);
            if (moved < 0)
                return fail("send");
            at += (size_t)moved;
        }
    }
    shutdown(fd, SHUT_WR);
    while ((moved = recv(fd, chunk, sizeof chunk, 0)) > 0)
        fwrite(chunk, 1, (size_t)moved, stdout);
    if (moved < 0)
        return fail("recv");
    return close(fd);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 2 ? argv[1] : "";
    int port = argc > 2 ? atoi(argv[2]) : 0;
    size_t bytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    size_t count = argc > 4 ? strtoul(argv[4], NULL, 10) : 1;

    if (count == 0 || count > MAX_CONNECTIONS)
        count = 1;
    if (strcmp(mode, "echo") == 0)
        return echo(port, bytes, count, 0);
    if (strcmp(mode, "lazy") == 0)
        return echo(port, bytes, 1, 1);
    if (strcmp(mode, "reset") == 0)
        return reset(port);
    if (strcmp(mode, "raw") == 0)
        return raw(port);
    fprintf(stderr, "usage: test_client echo|lazy|reset|raw PORT [BYTES [COUNT]]\n");
    return 2;
}
