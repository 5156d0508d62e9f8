#define _POSIX_C_SOURCE 200809L
#include "world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *reached[256];
static int reached_count;
static const char *reached_path;
static pthread_mutex_t reached_lock = PTHREAD_MUTEX_INITIALIZER;

void reach(const char *name)
{
    int i;

    pthread_mutex_lock(&reached_lock);
    for (i = 0; i < reached_count && strcmp(reached[i], name) != 0; i++)
        ;
    if (i == reached_count && i < (int)(sizeof reached / sizeof *reached))
        reached[reached_count++] = strdup(name);
    pthread_mutex_unlock(&reached_lock);
}

void reach_save(const char *path)
{
    reached_path = path;
}

static void write_reached(void)
{
    FILE *file;
    int i;

    if (reached_path == NULL || (file = fopen(reached_path, "a")) == NULL)
        return;
    for (i = 0; i < reached_count; i++)
        fprintf(file, "%s\n", reached[i]);
    fclose(file);
}

void fail(const struct world *w, const char *format, ...)
{
    va_list args;

    printf("%s:%d: ", w->script->file, w->step != NULL ? w->step->line : 0);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    _exit(1);
}

const char *word(const struct world *w, int index)
{
    if (index >= w->step->count)
        fail(w, "%s: word %d is missing", w->step->words[0], index);
    return w->step->words[index];
}

const char *text_arg(const struct world *w, const char *key, const char *otherwise)
{
    size_t length = strlen(key);
    int i;

    for (i = 1; i < w->step->count; i++)
        if (strncmp(w->step->words[i], key, length) == 0 && w->step->words[i][length] == '=')
            return w->step->words[i] + length + 1;
    return otherwise;
}

long long number(const struct world *w, const char *word)
{
    long long value = 0;

    if (strcmp(word, "BACKEND") == 0)
        return w->backend;
    if (!suite_number(w->suite, word, &value))
        fail(w, "%s is neither a number nor a constant", word);
    return value;
}

long long arg(const struct world *w, const char *key, long long otherwise)
{
    const char *text = text_arg(w, key, NULL);

    return text == NULL ? otherwise : number(w, text);
}

int has(const struct world *w, const char *flag)
{
    int i;

    for (i = 1; i < w->step->count; i++)
        if (strcmp(w->step->words[i], flag) == 0)
            return 1;
    return 0;
}

int compare(const struct world *w, long long left, const char *operator, long long right)
{
    if (strcmp(operator, "==") == 0)
        return left == right;
    if (strcmp(operator, "!=") == 0)
        return left != right;
    if (strcmp(operator, "<") == 0)
        return left < right;
    if (strcmp(operator, "<=") == 0)
        return left <= right;
    if (strcmp(operator, ">") == 0)
        return left > right;
    if (strcmp(operator, ">=") == 0)
        return left >= right;
    if (strcmp(operator, "has") == 0)
        return (left & right) == right;
    fail(w, "unknown comparison %s", operator);
    return 0;
}

static int matches(const struct world *w, const char *wanted, int64_t value)
{
    long long limit;

    if (strcmp(wanted, "ok") == 0)
        return value >= 0;
    if (wanted[0] == '<' || wanted[0] == '>') {
        char operator[3] = {wanted[0], wanted[1] == '=' ? '=' : '\0', '\0'};
        return compare(w, value, operator, number(w, wanted + strlen(operator)));
    }
    if (suite_number(w->suite, wanted, &limit))
        return value == limit;
    if (value < 0 && value >= INT32_MIN && strcmp(CALL(ferronet_status_name, (int32_t)value), wanted) == 0) {
        reach(wanted);
        return 1;
    }
    return 0;
}

void expect(const struct world *w, int64_t value)
{
    char wanted[256], *one, *rest = NULL;

    snprintf(wanted, sizeof wanted, "%s", w->step->expect);
    for (one = strtok_r(wanted, "|", &rest); one != NULL; one = strtok_r(NULL, "|", &rest))
        if (matches(w, one, value))
            return;
    fail(w, "%s: expected %s, got %lld %s", w->step->words[0], w->step->expect, (long long)value,
         value < 0 && value >= INT32_MIN ? ferronet_status_name((int32_t)value) : "");
}

struct loop *loop_named(struct world *w, const char *name)
{
    int i;

    for (i = 0; i < w->loop_count; i++)
        if (strcmp(w->loops[i].name, name) == 0)
            return &w->loops[i];
    return NULL;
}

void *handle(struct world *w, const char *name)
{
    struct loop *loop = loop_named(w, name);
    int i;

    if (strcmp(name, "null") == 0)
        return NULL;
    if (loop != NULL)
        return loop->reactor;
    if (stream_named(w, name) != NULL)
        return stream_named(w, name)->pointer;
    if (tls_named(w, name) != NULL)
        return tls_named(w, name)->pointer;
    for (i = 0; i < w->runtime_count; i++)
        if (strcmp(w->runtimes[i].name, name) == 0)
            return w->runtimes[i].pointer;
    fail(w, "no handle %s", name);
    return NULL;
}

struct sock *sock_named(struct world *w, const char *name)
{
    int i;

    for (i = w->socket_count - 1; i >= 0; i--)
        if (strcmp(w->sockets[i].name, name) == 0)
            return &w->sockets[i];
    fail(w, "no socket %s", name);
    return NULL;
}

struct sock *sock_new(struct world *w, const char *name, int32_t fd)
{
    struct sock *sock;

    if (w->socket_count == MAX_SOCKETS)
        fail(w, "too many sockets");
    sock = &w->sockets[w->socket_count++];
    memset(sock, 0, sizeof *sock);
    sock->name = name;
    sock->fd = fd;
    sock->seed_out = 1;
    sock->seed_in = 2;
    return sock;
}

struct operation *operation_named(struct world *w, const char *name)
{
    int i;

    for (i = w->operation_count - 1; i >= 0; i--)
        if (strcmp(w->operations[i].name, name) == 0)
            return &w->operations[i];
    fail(w, "no operation %s", name);
    return NULL;
}

uint8_t pattern(unsigned seed, uint64_t position)
{
    return (uint8_t)(position * 131 + position / 251 + (uint64_t)seed * 89);
}

int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void world_open(struct world *w)
{
    attach(w, "rt");
}

void world_close(struct world *w)
{
    int i, j;

    w->step = NULL;
    for (i = 0; i < w->thread_count; i++)
        pthread_join(w->threads[i], NULL);
    for (i = 0; i < w->loop_count; i++) {
        struct loop *loop = &w->loops[i];
        int64_t left;
        int32_t status;

        if (loop->freed)
            continue;
        /* A surplus completion fails the case in here. */
        for (j = 0; j < 3; j++)
            world_turn(w, loop, 0, 1000000);
        left = CALL(ferronet_reactor_close, loop->reactor, 1000000000);
        if (left != 0 && left != FERRONET_ERR_CLOSED)
            fail(w, "closing %s at the end: %lld", loop->name, (long long)left);
        status = CALL(ferronet_reactor_free, loop->reactor);
        if (status < 0)
            fail(w, "freeing %s at the end: %s", loop->name, ferronet_status_name(status));
        for (j = 0; j < (int)loop->lent_count; j++)
            free(loop->lent[j].bytes);
    }
    for (i = 0; i < w->runtime_count; i++)
        if (!w->runtimes[i].freed && CALL(ferronet_detach, w->runtimes[i].pointer) < 0)
            fail(w, "detaching %s at the end", w->runtimes[i].name);
    for (i = 0; i < w->socket_count; i++)
        if (w->sockets[i].fd >= 0 && w->sockets[i].number == 0 && !w->sockets[i].borrowed)
            ferronet_socket_close(w->sockets[i].fd);
    for (i = 0; i < w->operation_count; i++) {
        free(w->operations[i].bytes);
        free(w->operations[i].results);
    }
    codec_close(w);
    tls_close(w);
    write_reached();
}

void append_bytes(uint8_t **bytes, size_t *length, const uint8_t *more, size_t count)
{
    *bytes = realloc(*bytes, *length + count + 1);
    if (*bytes == NULL)
        abort();
    if (count > 0)
        memcpy(*bytes + *length, more, count);
    *length += count;
}
