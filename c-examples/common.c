#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USAGE "usage: %s [--port P] [--backend auto|io_uring|poll] [--connections N]\n"

static int usage(const char *program, const char *about)
{
    fprintf(stderr, "%s: %s\n" USAGE, program, about, program);
    return 2;
}

static int number(const char *text, uint64_t limit, uint64_t *out)
{
    char *end = NULL;
    unsigned long long value;

    if (text[0] < '0' || text[0] > '9')
        return 0;
    value = strtoull(text, &end, 10);
    if (*end != '\0' || value > limit)
        return 0;
    *out = value;
    return 1;
}

int options_read(int argc, char **argv, struct options *out)
{
    int i;

    memset(out, 0, sizeof *out);
    for (i = 1; i < argc; i += 2) {
        const char *name = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        uint64_t parsed = 0;

        if (strcmp(name, "--help") == 0) {
            printf(USAGE, argv[0]);
            exit(0);
        } else if (strcmp(name, "--port") == 0) {
            if (!number(value, 65535, &parsed))
                return usage(argv[0], "--port takes a number from 0 to 65535");
            out->port = (uint32_t)parsed;
        } else if (strcmp(name, "--connections") == 0) {
            if (!number(value, UINT64_MAX, &parsed))
                return usage(argv[0], "--connections takes a number");
            out->connections = parsed;
        } else if (strcmp(name, "--backend") == 0) {
            if (strcmp(value, "auto") == 0)
                out->backend = FERRONET_BACKEND_AUTO;
            else if (strcmp(value, "io_uring") == 0)
                out->backend = FERRONET_BACKEND_IO_URING;
            else if (strcmp(value, "poll") == 0)
                out->backend = FERRONET_BACKEND_POLL;
            else
                return usage(argv[0], "--backend takes auto, io_uring or poll");
        } else {
            fprintf(stderr, "%s: unknown argument %s\n" USAGE, argv[0], name, argv[0]);
            return 2;
        }
    }
    return 0;
}

int failed(const char *what, int64_t status, const void *handle)
{
    char text[512];

    ferronet_last_error(handle, text, sizeof text);
    fprintf(stderr, "%s: %s: %s\n", what, ferronet_status_name((int32_t)status), text);
    return 1;
}

int loop_open(struct loop *loop, uint32_t backend)
{
    ferronet_attach_params params;
    ferronet_reactor_config config;
    ferronet_reactor_areas areas;
    ferronet_reactor_info info;
    int32_t status;

    memset(loop, 0, sizeof *loop);

    /* Every structure that may grow begins with its size. Zero means the default of a field, so clear it first. */
    memset(&params, 0, sizeof params);
    params.size = sizeof params;
    params.built_for_revision = FERRONET_ABI_REVISION;
    status = ferronet_attach(&params, &loop->runtime);
    if (status < 0)
        return failed("attach", status, NULL);

    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.backend = backend;
    status = ferronet_reactor_new(loop->runtime, &config, &loop->reactor);
    if (status < 0) {
        failed("new reactor", status, loop->runtime);
        loop_close(loop);
        return 1;
    }

    /* From here on the reactor belongs to this thread. */
    status = ferronet_reactor_start(loop->reactor);
    if (status >= 0) {
        memset(&areas, 0, sizeof areas);
        areas.size = sizeof areas;
        status = ferronet_reactor_get_areas(loop->reactor, &areas);
    }
    if (status >= 0) {
        memset(&info, 0, sizeof info);
        info.size = sizeof info;
        status = ferronet_reactor_get_info(loop->reactor, &info);
    }
    if (status < 0) {
        failed("start reactor", status, loop->reactor);
        loop_close(loop);
        return 1;
    }
    loop->submissions = (ferronet_submission *)(uintptr_t)areas.submissions;
    loop->completions = (ferronet_completion *)(uintptr_t)areas.completions;
    loop->capacity = areas.submission_capacity;
    printf("backend: %s\n", info.backend == FERRONET_BACKEND_IO_URING ? "io_uring" : "poll");
    return 0;
}

ferronet_submission *loop_next(struct loop *loop, uint8_t op, uint32_t socket, uint64_t user_data)
{
    ferronet_submission *record;

    if (loop->queued == loop->capacity) {
        /* submit starts what is queued and leaves the completions of the last turn alone. */
        int32_t status = ferronet_reactor_submit(loop->reactor, loop->queued);
        if (status < 0)
            exit(failed("submit", status, loop->reactor));
        loop->queued = 0;
    }
    record = &loop->submissions[loop->queued++];
    memset(record, 0, sizeof *record);
    record->op = op;
    record->socket = socket;
    record->user_data = user_data;
    return record;
}

int64_t loop_turn(struct loop *loop)
{
    uint32_t queued = loop->queued;

    loop->queued = 0;
    return ferronet_reactor_turn(loop->reactor, queued, -1);
}

uint32_t loop_listen(struct loop *loop, uint32_t port)
{
    static const uint8_t loopback[4] = {127, 0, 0, 1};
    ferronet_address address;
    int64_t socket;
    int32_t status;
    int32_t fd = ferronet_socket_open(FERRONET_FAMILY_IPV4, FERRONET_SOCKET_STREAM);

    if (fd < 0) {
        failed("open socket", fd, NULL);
        return 0;
    }
    memset(&address, 0, sizeof address);
    address.family = FERRONET_FAMILY_IPV4;
    address.port = port;
    address.length = sizeof loopback;
    memcpy(address.data, loopback, sizeof loopback);

    status = ferronet_socket_set_option(fd, FERRONET_OPTION_REUSEADDR, 1);
    if (status >= 0)
        status = ferronet_socket_bind(fd, &address);
    if (status >= 0)
        status = ferronet_socket_listen(fd, 128);
    if (status >= 0)
        status = ferronet_socket_local_address(fd, &address);
    if (status < 0) {
        failed("listen", status, NULL);
        ferronet_socket_close(fd); /* not added to a reactor: still ours to close */
        return 0;
    }
    socket = ferronet_reactor_add(loop->reactor, fd);
    if (socket < 0) {
        failed("add listener", socket, loop->reactor);
        ferronet_socket_close(fd);
        return 0;
    }
    printf("listening on 127.0.0.1:%u\n", (unsigned)address.port);
    fflush(stdout);
    return (uint32_t)socket;
}

void loop_close(struct loop *loop)
{
    if (loop->reactor != NULL) {
        /* Cancels what is in flight. Memory of an operation that is still in flight afterwards must never be freed. */
        int64_t left = ferronet_reactor_close(loop->reactor, 1000000000);
        if (left != 0)
            fprintf(stderr, "close: %lld operations still in flight\n", (long long)left);
        ferronet_reactor_free(loop->reactor);
    }
    if (loop->runtime != NULL)
        ferronet_detach(loop->runtime);
    memset(loop, 0, sizeof *loop);
}
