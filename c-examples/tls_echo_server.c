/* An echo server over TLS with mutual authentication: a client needs a certificate of the authority.
 *
 *   tls_echo_server --chain server.pem --key server.key --ca authority.pem [--port P] [--connections N]
 *
 * One connection after the other over blocking sockets: the TLS session never touches a socket, so any way to move bytes will do. */
#define _POSIX_C_SOURCE 200809L
#define FERRONET_FEATURES_REQUIRED FERRONET_FEATURE_TLS
#include "tls_link.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void serve(ferronet_tls_context *context, int fd)
{
    static struct tls_link link;
    uint8_t data[16 * 1024];
    int echoed = 0;
    int64_t got;
    int32_t status;

    memset(&link, 0, sizeof link);
    link.fd = fd;
    if ((status = ferronet_tls_session_new(context, NULL, &link.session)) < 0) {
        printf("session: %s\n", ferronet_status_name(status));
        return;
    }
    if ((status = tls_link_handshake(&link)) < 0) {
        tls_link_failed(stdout, &link, "refused", status);
    } else {
        tls_link_describe(&link);
        while ((got = tls_link_read(&link, data, sizeof data)) > 0) {
            if ((got = tls_link_write(&link, data, (size_t)got)) < 0)
                break;
            echoed = 1;
        }
        if (got < 0)
            tls_link_failed(stdout, &link, "ended", got);
        else if ((status = tls_link_close(&link)) < 0)
            tls_link_failed(stdout, &link, "close", status);
        else
            printf("%s\n", echoed ? "echoed, and closed in order" : "closed in order");
    }
    fflush(stdout);
    ferronet_tls_session_free(link.session);
}

static int listen_on(uint32_t port)
{
    struct sockaddr_in address;
    socklen_t length = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, 16) != 0 || getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
        perror("listen");
        return -1;
    }
    printf("listening on 127.0.0.1:%u\n", (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    return fd;
}

int main(int argc, char **argv)
{
    struct tls_options options;
    ferronet_tls_context *context = NULL;
    char message[512];
    uint64_t served;
    int listener, fd;

    if (tls_options_read(argc, argv, &options) != 0)
        return 2;
    if (ferronet_abi_check_message(message, sizeof message) < 0) {
        fprintf(stderr, "tls_echo_server: %s\n", message);
        return 1;
    }
    if (tls_context_open(FERRONET_TLS_SERVER, &options, &context) != 0)
        return 1;
    if ((listener = listen_on(options.port)) < 0)
        return 1;
    for (served = 0; options.connections == 0 || served < options.connections; served++) {
        if ((fd = accept(listener, NULL, NULL)) < 0) {
            perror("accept");
            break;
        }
        serve(context, fd);
        close(fd);
    }
    close(listener);
    return ferronet_tls_context_free(context) < 0;
}
