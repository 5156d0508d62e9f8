/* A stranger's program: all that it knows of Ferronet is the installed header. It takes bytes through a reactor, compresses
 * and decompresses them, and asks what TLS can do. Prints one line, or what went wrong. */
#include <ferronet.h>

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int failed(const char *what, int64_t status, const void *handle)
{
    char text[256] = "";

    ferronet_last_error(handle, text, sizeof text);
    fprintf(stderr, "%s: %s: %s\n", what, ferronet_status_name((int32_t)status), text);
    return 1;
}

/* Receives once what the other end of a socket pair sends. Returns the count of bytes, or -1. */
static int64_t receive(ferronet_reactor *reactor, const char *sent, void *into, uint32_t room)
{
    ferronet_reactor_areas areas;
    ferronet_submission *submission;
    const ferronet_completion *completion;
    int64_t status;
    int pair[2];

    memset(&areas, 0, sizeof areas);
    areas.size = sizeof areas;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return -1;
    if ((status = ferronet_reactor_get_areas(reactor, &areas)) < 0 || (status = ferronet_reactor_start(reactor)) < 0 ||
        (status = ferronet_reactor_add(reactor, pair[0])) < 0) {
        failed("reactor", status, reactor);
        return -1;
    }
    submission = (ferronet_submission *)(uintptr_t)areas.submissions;
    completion = (const ferronet_completion *)(uintptr_t)areas.completions;
    memset(submission, 0, sizeof *submission);
    submission->op = FERRONET_OP_RECV;
    submission->socket = (uint32_t)status;
    submission->user_data = 7;
    submission->addr0 = (uint64_t)(uintptr_t)into;
    submission->len0 = room;
    if (write(pair[1], sent, strlen(sent)) != (ssize_t)strlen(sent))
        return -1;
    status = ferronet_reactor_turn(reactor, 1, 5000000000);
    close(pair[1]);
    if (status == 1 && completion->user_data == 7)
        return completion->result;
    failed("turn", status, reactor);
    return -1;
}

int main(void)
{
    ferronet_attach_params params;
    ferronet_reactor_config config;
    ferronet_runtime *runtime = NULL;
    ferronet_reactor *reactor = NULL;
    char message[512], received[64], versions[64], restored[64];
    uint8_t packed[128];
    int64_t count, size;
    int32_t status;

    if (ferronet_abi_check_message(message, sizeof message) < 0) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    memset(&params, 0, sizeof params);
    params.size = sizeof params;
    params.built_for_revision = FERRONET_ABI_REVISION;
    if ((status = ferronet_attach(&params, &runtime)) < 0)
        return failed("attach", status, NULL);
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    if ((status = ferronet_reactor_new(runtime, &config, &reactor)) < 0)
        return failed("new reactor", status, runtime);
    if ((count = receive(reactor, "hello", received, sizeof received)) < 0)
        return 1;
    if ((size = ferronet_deflate_buffer(NULL, received, (uint64_t)count, packed, sizeof packed)) < 0)
        return failed("deflate", size, NULL);
    if ((size = ferronet_inflate_buffer(NULL, packed, (uint64_t)size, restored, sizeof restored)) < 0)
        return failed("inflate", size, NULL);
    if ((status = (int32_t)ferronet_tls_names(FERRONET_TLS_NAMES_VERSIONS, versions, sizeof versions)) < 0)
        return failed("TLS", status, NULL);
    if ((status = ferronet_reactor_free(reactor)) < 0 || (status = ferronet_detach(runtime)) < 0)
        return failed("end", status, NULL);
    printf("revision %u: %.*s %s\n", (unsigned)ferronet_abi()->abi_revision, (int)size, restored, versions);
    return 0;
}
