/* What the examples share: arguments, error texts, and a loop around one reactor. */
#ifndef FERRONET_EXAMPLES_COMMON_H
#define FERRONET_EXAMPLES_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include "ferronet.h"

struct options {
    uint32_t port;        /* 0: any free port */
    uint32_t backend;     /* FERRONET_BACKEND_* */
    uint64_t connections; /* end after so many; 0: never */
};

/* Reads --port P, --backend auto|io_uring|poll and --connections N. Returns 0, or 2 after printing the usage. */
int options_read(int argc, char **argv, struct options *out);

/* Prints what failed, the name of the status and the library's text about it. `handle` is the runtime or reactor that
 * the failed call was made on, or NULL for a call without a handle. Returns 1, the exit code. */
int failed(const char *what, int64_t status, const void *handle);

/* One reactor with the memory that it shares with us. Only the thread that opened the loop may use it. */
struct loop {
    ferronet_runtime *runtime;
    ferronet_reactor *reactor;
    ferronet_submission *submissions; /* owned by the reactor: valid until it is freed */
    ferronet_completion *completions; /* owned by the reactor: contents valid until the next turn */
    uint32_t capacity;
    uint32_t queued; /* submissions written since the last turn or submit */
};

/* Attaches to the library and starts a reactor. Returns 0, or the exit code after printing why not. */
int loop_open(struct loop *loop, uint32_t backend);

/* The next submission, with every field zero but these three. It starts at the next turn. Never NULL: a full area is
 * handed over first. */
ferronet_submission *loop_next(struct loop *loop, uint8_t op, uint32_t socket, uint64_t user_data);

/* One turn: hands over what is queued, waits for at least one completion, returns how many are valid. */
int64_t loop_turn(struct loop *loop);

/* Opens a listening socket on 127.0.0.1, adds it to the reactor and prints the port. Returns the socket's number in the
 * reactor, which owns the descriptor from then on; 0 after printing an error. */
uint32_t loop_listen(struct loop *loop, uint32_t port);

/* Closes what is left and frees the reactor. */
void loop_close(struct loop *loop);

#endif
