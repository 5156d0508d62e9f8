/* Submissions out, completions in. What holds for every completion is checked here: it belongs to a known operation that
 * had no final completion yet, names the operation's socket, and received bytes continue their stream. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

struct operation *queue(struct world *w, const char *name, struct loop *loop, struct sock *socket, uint8_t op,
                        ferronet_submission **record)
{
    struct operation *operation;

    if (w->operation_count == MAX_OPERATIONS)
        fail(w, "too many operations");
    if (loop->capacity == 0)
        fail(w, "the areas of %s are not known: it was not started", loop->name);
    if (loop->queued == loop->capacity) {
        int32_t status = CALL(ferronet_reactor_submit, loop->reactor, loop->queued);
        if (status < 0)
            fail(w, "submit of a full area: %s", ferronet_status_name(status));
        loop->queued = 0;
    }
    operation = &w->operations[w->operation_count++];
    operation->name = name;
    operation->op = op;
    operation->loop = loop;
    operation->socket = socket;
    operation->number = socket != NULL ? socket->number : 0;
    *record = &loop->submissions[loop->queued++];
    memset(*record, 0, sizeof **record);
    (*record)->op = op;
    (*record)->socket = operation->number;
    (*record)->user_data = (uint64_t)w->operation_count;
    return operation;
}

static void check_bytes(struct world *w, struct operation *operation, const uint8_t *bytes, int32_t length)
{
    struct sock *socket = operation->socket;
    int32_t i;

    for (i = 0; i < length; i++)
        if (bytes[i] != pattern(socket->seed_in, socket->received + (uint64_t)i))
            fail(w, "%s: byte %llu of the stream is wrong", operation->name, (unsigned long long)socket->received + (unsigned long long)i);
    socket->received += (uint64_t)length;
}

static void check_received(struct world *w, struct operation *operation, const ferronet_completion *done)
{
    struct lent *lent;

    if (operation->lent == 0) {
        if (done->flags & FERRONET_COMPLETE_BUFFER)
            fail(w, "%s: a lent buffer for a receive into own memory", operation->name);
        if ((uint32_t)done->result > operation->length)
            fail(w, "%s: more bytes than fit", operation->name);
        check_bytes(w, operation, operation->bytes, done->result);
        return;
    }
    if (!(done->flags & FERRONET_COMPLETE_BUFFER) || done->buffer >= operation->loop->lent_count)
        fail(w, "%s: bytes without a lent buffer", operation->name);
    lent = &operation->loop->lent[done->buffer];
    if (!lent->held)
        fail(w, "%s: buffer %u was not lent", operation->name, (unsigned)done->buffer);
    if (done->extra + (uint64_t)done->result > lent->length)
        fail(w, "%s: the bytes lie outside of the lent buffer", operation->name);
    check_bytes(w, operation, lent->bytes + done->extra, done->result);
    if (!(done->flags & FERRONET_COMPLETE_BUFFER_MORE))
        lent->held = 0;
}

static void dispatch(struct world *w, struct loop *loop, const ferronet_completion *done)
{
    struct operation *operation;
    struct result *grown;

    if (done->user_data == 0 || done->user_data > (uint64_t)w->operation_count)
        fail(w, "a completion with unknown user_data %llu", (unsigned long long)done->user_data);
    operation = &w->operations[done->user_data - 1];
    if (operation->loop != loop)
        fail(w, "%s completed on another reactor", operation->name);
    if (operation->finished)
        fail(w, "%s completed after its final completion", operation->name);
    if (done->socket != operation->number)
        fail(w, "%s completed with socket %u instead of %u", operation->name, (unsigned)done->socket, (unsigned)operation->number);
    if (operation->op == FERRONET_OP_RECV && done->result > 0)
        check_received(w, operation, done);
    grown = realloc(operation->results, (size_t)(operation->result_count + 1) * sizeof *grown);
    if (grown == NULL)
        abort();
    operation->results = grown;
    grown[operation->result_count].completion = *done;
    grown[operation->result_count++].order = ++w->order;
    if (!(done->flags & FERRONET_COMPLETE_MORE)) {
        operation->finished = 1;
        operation->finish_order = w->order;
        if (operation->op == FERRONET_OP_CLOSE && done->result >= 0 && operation->socket != NULL) {
            operation->socket->fd = -1;
            operation->socket->number = 0;
        }
    }
}

int64_t world_turn(struct world *w, struct loop *loop, uint32_t submitted, int64_t timeout_ns)
{
    int64_t i, count, start = now_ns();

    count = CALL(ferronet_reactor_turn, loop->reactor, submitted, timeout_ns);
    loop->turn_ns = now_ns() - start;
    if (count > (int64_t)loop->completion_capacity)
        fail(w, "turn returned %lld completions, more than the area holds", (long long)count);
    for (i = 0; i < count; i++)
        dispatch(w, loop, &loop->completions[i]);
    return count;
}

ferronet_completion next_completion(struct world *w, struct operation *operation)
{
    int64_t deadline = now_ns() + w->limit_ns;
    struct loop *loop = operation->loop;

    while (operation->result_next == operation->result_count) {
        int64_t left = deadline - now_ns(), count;

        if (left <= 0)
            fail(w, "%s did not complete in time", operation->name);
        count = world_turn(w, loop, loop->queued, left);
        if (count < 0)
            fail(w, "turn: %s", ferronet_status_name((int32_t)count));
        loop->queued = 0;
    }
    operation->last = operation->results[operation->result_next].completion.result;
    return operation->results[operation->result_next++].completion;
}
