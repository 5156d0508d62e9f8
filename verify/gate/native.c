/* Fixed scenarios on the staged library, for counting what a request costs.
 *
 *   native SCENARIO REQUESTS [planted]
 *
 * Each scenario prepares itself, then does the same thing REQUESTS times. Two runs of different lengths, subtracted, give
 * the cost of a request alone. At the end it prints "allocations N", the number of allocations during the requests.
 * `planted` makes each request cost more than it should: the gate must notice. */
#define _GNU_SOURCE
#include "../../c-examples/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SMALL = 13, LARGE = 128 * 1024, PAGE = 4 * 1024, BUFFERS = 16, BUFFER_SIZE = 4096 };
enum { RECEIVE = 1, SEND = 2, LEND = 3 };

static uint64_t allocations;

/* The linker sends every call of the program and of the static library here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    allocations++;
    return __real_realloc(old, size);
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    allocations++;
    return __real_posix_memalign(out, alignment, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __real_aligned_alloc(alignment, size);
}

static void check(int64_t status, const char *what)
{
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", what, ferronet_status_name((int32_t)status));
        exit(1);
    }
}

static void must(int condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "unexpected: %s\n", what);
        exit(1);
    }
}

/* More work than a tolerance allows, with an allocation. */
static void plant(void)
{
    volatile uint8_t *block = malloc(64);
    int i;

    for (i = 0; i < 1000; i++)
        block[i % 64] = (uint8_t)i;
    free((void *)block);
}

static uint8_t answer[LARGE], received[LARGE], lent[BUFFERS][BUFFER_SIZE];

struct echo {
    struct loop loop;
    int client;
    uint32_t socket;
};

static void lend(struct echo *e, uint32_t buffer)
{
    ferronet_submission *record = loop_next(&e->loop, FERRONET_OP_LEND, 0, LEND);

    record->addr0 = (uint64_t)(uintptr_t)lent[buffer];
    record->len0 = BUFFER_SIZE;
    record->arg0 = buffer;
}

static void receive(struct echo *e)
{
    ferronet_submission *record = loop_next(&e->loop, FERRONET_OP_RECV, e->socket, RECEIVE);

    record->flags = FERRONET_SUBMIT_LENT | FERRONET_SUBMIT_MULTISHOT;
}

static void echo_open(struct echo *e, uint32_t backend)
{
    int64_t socket;
    uint32_t buffer;
    int pair[2];
    int space = 1 << 20;

    must(loop_open(&e->loop, backend) == 0, "no reactor");
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0, "no pair of sockets");
    /* A whole answer fits, so that it leaves at once and nobody has to wait. */
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &space, sizeof space);
    e->client = pair[1];
    socket = ferronet_reactor_add(e->loop.reactor, pair[0]);
    check(socket, "add");
    e->socket = (uint32_t)socket;
    for (buffer = 0; buffer < BUFFERS; buffer++)
        lend(e, buffer);
    receive(e);
}

/* Sends a request of 13 bytes, lets the reactor receive it into a lent buffer and send the answer, and reads that. */
static void echo_request(struct echo *e, uint32_t length)
{
    ferronet_submission *send;
    size_t arrived = 0;
    int sent = 0;

    must(write(e->client, answer, SMALL) == SMALL, "a short write");
    while (!sent) {
        int64_t i, count = loop_turn(&e->loop);

        check(count, "turn");
        for (i = 0; i < count; i++) {
            const ferronet_completion *done = &e->loop.completions[i];

            if (done->user_data == RECEIVE) {
                must(done->result == SMALL && (done->flags & FERRONET_COMPLETE_BUFFER), "not the request");
                lend(e, done->buffer);
                send = loop_next(&e->loop, FERRONET_OP_SEND, e->socket, SEND);
                send->addr0 = (uint64_t)(uintptr_t)answer;
                send->len0 = length;
                if (!(done->flags & FERRONET_COMPLETE_MORE))
                    receive(e);
            } else if (done->user_data == SEND) {
                must(done->result == (int64_t)length, "a short send");
                sent = 1;
            } else {
                check(done->result, "lend");
            }
        }
    }
    while (arrived < length) {
        ssize_t count = read(e->client, received + arrived, length - arrived);

        must(count > 0, "no answer");
        arrived += (size_t)count;
    }
}

/* Text in which some things repeat and others do not. */
static void document(uint8_t *text, size_t length)
{
    static const char *const words[] = {"{\"id\":", ",\"name\":\"item ", "\",\"price\":", "},"};
    uint32_t state = 1;
    size_t at = 0, i, word = 0;

    while (at < length) {
        const char *fixed = words[word++ % 4];

        for (i = 0; fixed[i] != '\0' && at < length; i++)
            text[at++] = (uint8_t)fixed[i];
        state = state * 1664525u + 1013904223u;
        for (i = 0; i < 5 && at < length; i++)
            text[at++] = (uint8_t)('0' + (state >> (8 + 4 * i)) % 10);
    }
}

static uint8_t plain[LARGE], packed[LARGE + 1024], unpacked[LARGE];

struct codec {
    ferronet_deflate *deflate;
    ferronet_inflate *inflate;
    ferronet_deflate_config deflate_config;
    ferronet_inflate_config inflate_config;
    uint64_t packed;
};

static uint64_t deflate_request(struct codec *c, uint64_t length)
{
    ferronet_region from = {(uint64_t)(uintptr_t)plain, length};
    ferronet_region to = {(uint64_t)(uintptr_t)packed, sizeof packed};
    ferronet_codec_progress progress;

    progress.size = sizeof progress;
    check(ferronet_deflate_process(c->deflate, &from, &to, FERRONET_FLUSH_FINISH, &progress), "deflate");
    must(progress.state == FERRONET_CODEC_END, "deflate has not ended");
    check(ferronet_deflate_reset(c->deflate, &c->deflate_config), "reset");
    return progress.produced;
}

static void inflate_request(struct codec *c, uint64_t length)
{
    ferronet_region from = {(uint64_t)(uintptr_t)packed, c->packed};
    ferronet_region to = {(uint64_t)(uintptr_t)unpacked, sizeof unpacked};
    ferronet_codec_progress progress;

    progress.size = sizeof progress;
    check(ferronet_inflate_process(c->inflate, &from, &to, FERRONET_FLUSH_FINISH, &progress), "inflate");
    must(progress.state == FERRONET_CODEC_END && progress.produced == length, "inflate has not ended");
    check(ferronet_inflate_reset(c->inflate, &c->inflate_config), "reset");
}

static void codec_open(struct codec *c, uint64_t length)
{
    memset(c, 0, sizeof *c);
    document(plain, length);
    c->deflate_config.size = sizeof c->deflate_config;
    c->deflate_config.format = FERRONET_CODEC_GZIP;
    c->deflate_config.level = 1;
    c->inflate_config.size = sizeof c->inflate_config;
    c->inflate_config.format = FERRONET_CODEC_GZIP;
    check(ferronet_deflate_new(&c->deflate_config, &c->deflate), "deflate");
    check(ferronet_inflate_new(&c->inflate_config, &c->inflate), "inflate");
    c->packed = deflate_request(c, length);
}

enum { CLIENT, SERVER, ENDS };

/* Two ends of a connection in memory. */
struct tls {
    ferronet_tls_session *ends[ENDS];
};

static uint8_t wire[LARGE + 1024];

static ferronet_region text_region(const char *text)
{
    ferronet_region region = {(uint64_t)(uintptr_t)text, strlen(text)};

    return region;
}

static ferronet_region fixture(const char *name, char *text, size_t size)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
    file = fopen(path, "rb");
    must(file != NULL, path);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
    return text_region(text);
}

/* Encrypts at one end and decrypts at the other, as the Netty handler does: one call each, in place. */
static void tls_pass(struct tls *t, int from, const uint8_t *data, uint64_t length)
{
    ferronet_region source = {(uint64_t)(uintptr_t)data, length}, to = {(uint64_t)(uintptr_t)wire, sizeof wire};
    ferronet_tls_progress progress;
    uint64_t sent, taken = 0, produced = 0;

    progress.size = sizeof progress;
    check(ferronet_tls_session_wrap(t->ends[from], &source, length > 0, &to, &progress), "wrap");
    must(progress.consumed == length, "wrap has not taken all");
    sent = progress.produced;
    while (taken < sent) {
        ferronet_region records = {(uint64_t)(uintptr_t)wire + taken, sent - taken};

        check(ferronet_tls_session_unwrap(t->ends[!from], &records, 1, NULL, 0, FERRONET_TLS_IN_PLACE, &progress), "unwrap");
        must(progress.consumed > 0, "unwrap has taken nothing");
        taken += progress.consumed;
        produced += progress.produced;
    }
    must(produced == length, "not the data");
}

static void tls_open(struct tls *t)
{
    static char chain[16384], key[16384], roots[16384];
    ferronet_tls_credential_config own;
    ferronet_tls_credential *credential;
    ferronet_tls_config config[ENDS];
    ferronet_tls_session_config session;
    int end, turn;

    memset(&own, 0, sizeof own);
    memset(config, 0, sizeof config);
    memset(&session, 0, sizeof session);
    own.size = sizeof own;
    own.chain = fixture("ecdsa256.pem", chain, sizeof chain);
    own.key = fixture("ecdsa256.key.pem", key, sizeof key);
    check(ferronet_tls_credential_new(&own, &credential), "credential");
    config[SERVER].side = FERRONET_TLS_SERVER;
    config[SERVER].credentials = (uint64_t)(uintptr_t)&credential;
    config[SERVER].credential_count = 1;
    config[CLIENT].side = FERRONET_TLS_CLIENT;
    config[CLIENT].trust = FERRONET_TLS_TRUST_ROOTS;
    config[CLIENT].roots = fixture("root.pem", roots, sizeof roots);
    session.size = sizeof session;
    for (end = 0; end < ENDS; end++) {
        ferronet_tls_context *context;

        config[end].size = sizeof config[end];
        config[end].suites = text_region("TLS_AES_128_GCM_SHA256");
        check(ferronet_tls_context_new(&config[end], &context), "context");
        session.server_name = end == CLIENT ? text_region("localhost") : text_region("");
        check(ferronet_tls_session_new(context, &session, &t->ends[end]), "session");
    }
    for (turn = 0; turn < 6; turn++)
        tls_pass(t, turn % 2 == 0 ? CLIENT : SERVER, answer, 0);
}

/* A scenario: what is done with which size. New ones are added here and recorded with FERRONET_GATE=record. */
static const struct scenario {
    const char *name;
    enum { ECHO, DEFLATE, INFLATE, TLS } kind;
    uint32_t backend;
    uint32_t length;
} scenarios[] = {
    {"echo-13-poll", ECHO, FERRONET_BACKEND_POLL, SMALL},
    {"echo-13-uring", ECHO, FERRONET_BACKEND_IO_URING, SMALL},
    {"reply-128k-poll", ECHO, FERRONET_BACKEND_POLL, LARGE},
    {"reply-128k-uring", ECHO, FERRONET_BACKEND_IO_URING, LARGE},
    {"deflate-1-4k", DEFLATE, 0, PAGE},
    {"deflate-1-128k", DEFLATE, 0, LARGE},
    {"inflate-4k", INFLATE, 0, PAGE},
    {"inflate-128k", INFLATE, 0, LARGE},
    {"tls-13", TLS, 0, SMALL},
    {"tls-128k", TLS, 0, LARGE},
};

int main(int argc, char **argv)
{
    const struct scenario *s = NULL;
    struct echo echo;
    struct codec codec;
    struct tls tls;
    size_t i;
    long request, requests = argc > 2 ? atol(argv[2]) : 0;
    int planted = argc > 3 && strcmp(argv[3], "planted") == 0;
    uint64_t before;

    for (i = 0; argc > 1 && i < sizeof scenarios / sizeof *scenarios; i++)
        if (strcmp(argv[1], scenarios[i].name) == 0)
            s = &scenarios[i];
    if (s == NULL || requests < 1) {
        fprintf(stderr, "usage: %s SCENARIO REQUESTS [planted]\n", argv[0]);
        return 2;
    }
    if (s->kind == ECHO)
        echo_open(&echo, s->backend);
    else if (s->kind == TLS)
        tls_open(&tls);
    else
        codec_open(&codec, s->length);
    before = allocations;
    for (request = 0; request < requests; request++) {
        if (s->kind == ECHO) {
            echo_request(&echo, s->length);
        } else if (s->kind == TLS) {
            tls_pass(&tls, CLIENT, answer, SMALL);
            tls_pass(&tls, SERVER, answer, s->length);
        } else if (s->kind == DEFLATE) {
            deflate_request(&codec, s->length);
        } else {
            inflate_request(&codec, s->length);
        }
        if (planted)
            plant();
    }
    printf("allocations %llu\n", (unsigned long long)(allocations - before));
    return 0;
}
