/* Sends its standard input to an echo server over TLS, and prints what comes back.
 *
 *   tls_echo_client --chain client.pem --key client.key --ca authority.pem --port P [--host NAME]
 *
 * It shows its certificate when it is asked, and checks that the server's is for NAME ("localhost" unless told). */
#define _POSIX_C_SOURCE 200809L
#define FERRONET_FEATURES_REQUIRED FERRONET_FEATURE_TLS
#include "tls_link.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int connect_to(uint32_t port)
{
    struct sockaddr_in address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("connect");
        return -1;
    }
    return fd;
}

/* Each line of the input, and its echo. */
static int talk(struct tls_link *link)
{
    char line[4096], echo[4096];
    int64_t got;
    int32_t status;

    while (fgets(line, sizeof line, stdin) != NULL) {
        size_t length = strlen(line), back = 0;

        if ((status = tls_link_write(link, line, length)) < 0) {
            tls_link_failed(stderr, link, "write", status);
            return 1;
        }
        while (back < length) {
            if ((got = tls_link_read(link, echo, sizeof echo)) <= 0) {
                tls_link_failed(stderr, link, "read", got);
                return 1;
            }
            fwrite(echo, 1, (size_t)got, stdout);
            back += (size_t)got;
        }
    }
    if ((status = tls_link_close(link)) < 0) {
        tls_link_failed(stderr, link, "close", status);
        return 1;
    }
    while ((got = tls_link_read(link, echo, sizeof echo)) > 0)
        fwrite(echo, 1, (size_t)got, stdout);
    if (got < 0) {
        tls_link_failed(stderr, link, "end", got);
        return 1;
    }
    printf("closed in order\n");
    return 0;
}

int main(int argc, char **argv)
{
    static struct tls_link link;
    struct tls_options options;
    ferronet_tls_session_config config;
    ferronet_tls_context *context = NULL;
    char message[512];
    int32_t status;
    int code = 1;

    if (tls_options_read(argc, argv, &options) != 0)
        return 2;
    if (ferronet_abi_check_message(message, sizeof message) < 0) {
        fprintf(stderr, "tls_echo_client: %s\n", message);
        return 1;
    }
    if (tls_context_open(FERRONET_TLS_CLIENT, &options, &context) != 0)
        return 1;
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.server_name.addr = (uint64_t)(uintptr_t)options.host;
    config.server_name.len = strlen(options.host);
    link.fd = connect_to(options.port);
    if (link.fd >= 0 && (status = ferronet_tls_session_new(context, &config, &link.session)) < 0)
        fprintf(stderr, "session: %s\n", ferronet_status_name(status));
    if (link.session != NULL) {
        if ((status = tls_link_handshake(&link)) < 0) {
            tls_link_failed(stderr, &link, "handshake", status);
        } else {
            tls_link_describe(&link);
            code = talk(&link);
        }
        ferronet_tls_session_free(link.session);
    }
    if (link.fd >= 0)
        close(link.fd);
    ferronet_tls_context_free(context);
    return code;
}
