/* Compresses each line of standard input as a body of its own, as a server does that answers several connections at once:
 *
 *   gzip_pool < LINES > MEMBERS    gzip members that follow each other; gzip -d gives the lines back
 *
 * Bodies overlap: each comes in two halves, and CONNECTIONS of them are open at the same time. A stream costs about 10 us and
 * 270 KiB to make, and next to nothing to reset, so that idle ones wait in a pool for the next body. One thread owns
 * the pool, which therefore needs no lock: with several threads, give each its own. */
#define FERRONET_FEATURES_REQUIRED FERRONET_FEATURE_ZLIB
#include "common.h"

#include <stdio.h>
#include <string.h>

enum { CONNECTIONS = 3, IDLE = 8, LINE = 4096, PACKED = 2 * LINE };

struct pool {
    ferronet_deflate *idle[IDLE]; /* reset, ready for a body */
    size_t count;
    unsigned made;
};

/* A stream at the beginning of a body. The caller gives it back, or frees it. */
static int32_t pool_take(struct pool *pool, ferronet_deflate **stream)
{
    if (pool->count > 0) {
        *stream = pool->idle[--pool->count];
        return FERRONET_OK;
    }
    pool->made++;
    return ferronet_deflate_new(NULL, stream); /* gzip, level 6 */
}

/* Also takes a stream in the middle of a body that was given up: the reset drops it. */
static void pool_give(struct pool *pool, ferronet_deflate *stream)
{
    if (pool->count < IDLE && ferronet_deflate_reset(stream, NULL) >= 0) /* NULL: the same settings */
        pool->idle[pool->count++] = stream;
    else
        ferronet_deflate_free(stream);
}

static void pool_close(struct pool *pool)
{
    while (pool->count > 0)
        ferronet_deflate_free(pool->idle[--pool->count]);
}

struct body {
    char line[LINE];
    size_t length;
    uint8_t packed[PACKED];
    size_t written;
    ferronet_deflate *stream; /* NULL: none is open */
};

/* One piece of a body. PACKED is far more than any line becomes, so that there is always room. */
static int piece(struct body *body, size_t from, size_t to, uint32_t flush)
{
    ferronet_codec_progress progress;
    ferronet_region input, output;
    int32_t status;

    progress.size = sizeof progress;
    input.addr = (uint64_t)(uintptr_t)(body->line + from);
    input.len = to - from;
    output.addr = (uint64_t)(uintptr_t)(body->packed + body->written);
    output.len = sizeof body->packed - body->written;
    status = ferronet_deflate_process(body->stream, &input, &output, flush, &progress);
    if (status < 0)
        return failed("gzip_pool", status, body->stream);
    body->written += (size_t)progress.produced;
    return 0;
}

static int begin(struct pool *pool, struct body *body)
{
    int32_t status = pool_take(pool, &body->stream);

    if (status < 0) {
        body->stream = NULL;
        return failed("gzip_pool", status, NULL);
    }
    body->length = strlen(body->line);
    body->written = 0;
    return piece(body, 0, body->length / 2, FERRONET_FLUSH_SYNC); /* the peer can read it at once */
}

static int end(struct pool *pool, struct body *body)
{
    int code = piece(body, body->length / 2, body->length, FERRONET_FLUSH_FINISH);

    if (code == 0 && fwrite(body->packed, 1, body->written, stdout) != body->written) {
        fprintf(stderr, "gzip_pool: the output cannot be written\n");
        code = 1;
    }
    pool_give(pool, body->stream);
    body->stream = NULL;
    return code;
}

int main(void)
{
    static struct body bodies[CONNECTIONS];
    struct pool pool = {{NULL}, 0, 0};
    char message[512];
    unsigned total = 0;
    size_t open, i;
    int code = 0;

    if (ferronet_abi_check_message(message, sizeof message) < 0) {
        fprintf(stderr, "gzip_pool: %s\n", message);
        return 1;
    }
    do {
        for (open = 0; code == 0 && open < CONNECTIONS && fgets(bodies[open].line, LINE, stdin) != NULL; open++)
            code = begin(&pool, &bodies[open]);
        for (i = 0; code == 0 && i < open; i++)
            code = end(&pool, &bodies[i]);
        total += (unsigned)open;
    } while (code == 0 && open == CONNECTIONS);
    for (i = 0; i < CONNECTIONS; i++)
        if (bodies[i].stream != NULL)
            pool_give(&pool, bodies[i].stream);
    pool_close(&pool);
    if (code == 0 && (ferror(stdin) || fflush(stdout) != 0)) {
        fprintf(stderr, "gzip_pool: input or output failed\n");
        code = 1;
    }
    if (code == 0)
        fprintf(stderr, "%u bodies, %u streams made\n", total, pool.made);
    return code;
}
