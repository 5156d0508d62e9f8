/* What a case works on: named handles, sockets and operations, and the memory that they share with the library. A case
 * runs in a process of its own, so a failure ends that process with its reason. */
#ifndef CONTRACT_WORLD_H
#define CONTRACT_WORLD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "ferronet.h"
#include "suite.h"

enum { MAX_LOOPS = 8, MAX_SOCKETS = 300, MAX_OPERATIONS = 600, MAX_RUNTIMES = 4, MAX_LENT = 64, MAX_THREADS = 8, MAX_REGIONS = 16, MAX_STREAMS = 8, MAX_DOCUMENTS = 16, MAX_TLS = 32, MAX_FILES_READ = 32 };

struct lent {
    uint8_t *bytes;
    uint32_t length;
    int held; /* by the library */
};

struct loop {
    const char *name;
    ferronet_reactor *reactor;
    int freed;
    ferronet_submission *submissions;
    ferronet_completion *completions;
    uint32_t capacity, completion_capacity, queued;
    int64_t turn_ns; /* how long the last turn took */
    struct lent lent[MAX_LENT];
    uint32_t lent_count;
};

struct sock {
    const char *name;
    int32_t fd;
    int borrowed;    /* not opened by the case, so not closed at its end */
    uint32_t number; /* in its loop; 0: not added */
    struct loop *loop;
    uint64_t sent, received;         /* positions in the two streams */
    unsigned seed_out, seed_in; /* which pattern each stream carries */
};

struct result {
    ferronet_completion completion;
    uint64_t order;
};

struct operation {
    const char *name;
    uint8_t op;
    int lent;
    struct sock *socket;
    struct loop *loop;
    uint32_t number;
    uint8_t *bytes;
    uint32_t length;
    int finished;         /* its final completion arrived */
    uint64_t finish_order;
    int result_count, result_next;
    struct result *results;
    int32_t last; /* result of the last awaited completion */
};

struct stream {
    const char *name;
    void *pointer;
    int inflate, freed;
};

struct document {
    const char *name;
    uint8_t *bytes;
    size_t length;
};

enum tls_kind { TLS_CREDENTIAL, TLS_CONTEXT, TLS_SESSION, TLS_ANSWERS };

/* A credential, context or session; or what the callbacks of a context answer and count. */
struct tls {
    const char *name;
    enum tls_kind kind;
    void *pointer;
    int freed;
    /* Of a session: bytes for its peer, bytes from it, and what went through. */
    uint8_t *outbox, *inbox;
    size_t outbox_length, inbox_length;
    uint64_t sent, received;
    uint32_t state, events;
    int tasks;
    /* Of a context. */
    struct tls *self;
    /* Of its callbacks. */
    int32_t answer;
    int lines;
    void *chosen;
};

struct world {
    const char *cases; /* the folder */
    const struct suite *suite;
    const struct script *script;
    const struct step *step;
    uint32_t backend;
    int64_t limit_ns;
    struct { const char *name; ferronet_runtime *pointer; int freed, log_lines; } runtimes[MAX_RUNTIMES];
    int runtime_count;
    struct loop loops[MAX_LOOPS];
    int loop_count;
    struct loop *current;
    struct sock sockets[MAX_SOCKETS];
    int socket_count;
    struct operation operations[MAX_OPERATIONS];
    int operation_count;
    uint64_t order;
    struct stream streams[MAX_STREAMS];
    int stream_count;
    struct document documents[MAX_DOCUMENTS];
    int document_count;
    struct tls tls[MAX_TLS];
    int tls_count;
    uint8_t *files[MAX_FILES_READ];
    int file_count;
    /* The last structure that a step read, for `field`. */
    uint8_t record[256];
    const struct field *fields;
    pthread_t threads[MAX_THREADS];
    int thread_count;
};

struct field {
    const char *name;
    uint16_t offset;
    uint8_t width; /* bytes; negative numbers in `is_signed` ones */
    uint8_t is_signed;
};

/* A table of fields: FIELD(structure, member, whether it is signed), ..., END. */
#define FIELD(type, name, is_signed) {#name, (uint16_t)offsetof(type, name), (uint8_t)sizeof(((type *)0)->name), is_signed}
#define END {NULL, 0, 0, 0}

/* Ends the case: it failed, for this reason. */
void fail(const struct world *w, const char *format, ...);

/* Words of the step: the one at `index` (a missing one fails the case), `key=` values, flags, numbers. */
const char *word(const struct world *w, int index);
const char *text_arg(const struct world *w, const char *key, const char *otherwise);
long long number(const struct world *w, const char *word);
long long arg(const struct world *w, const char *key, long long otherwise);
int has(const struct world *w, const char *flag);

/* Compares a result with the step's expectation. */
void expect(const struct world *w, int64_t value);
int compare(const struct world *w, long long left, const char *operator, long long right);

/* Named things. `handle` also knows "null"; an unknown name fails the case. */
void *handle(struct world *w, const char *name);
struct loop *loop_named(struct world *w, const char *name);
struct sock *sock_named(struct world *w, const char *name);
struct sock *sock_new(struct world *w, const char *name, int32_t fd);
struct operation *operation_named(struct world *w, const char *name);

/* Remembers that a public function, or a status by name, was reached. */
void reach(const char *name);
void reach_save(const char *path);
#define CALL(function, ...) (reach(#function), function(__VA_ARGS__))

uint8_t pattern(unsigned seed, uint64_t position);
int64_t now_ns(void);

/* One turn, whose completions are sorted to their operations and checked as far as every completion can be. */
int64_t world_turn(struct world *w, struct loop *loop, uint32_t submitted, int64_t timeout_ns);
/* The next record, zeroed but for these fields, for an operation that was just named. */
struct operation *queue(struct world *w, const char *name, struct loop *loop, struct sock *socket, uint8_t op,
                        ferronet_submission **record);
/* Turns until the operation has a completion that was not looked at yet, and takes it. */
ferronet_completion next_completion(struct world *w, struct operation *operation);

void world_open(struct world *w);
/* Checks that nothing surplus arrives, and frees everything. */
void world_close(struct world *w);

/* Runs one step. */
void run_step(struct world *w, const struct step *step);

/* The steps by topic; each returns 0 when the step is not its own. */
int abi_step(struct world *w, const char *name);
int reactor_step(struct world *w, const char *name);
int socket_step(struct world *w, const char *name);
int operation_step(struct world *w, const char *name);
int stream_step(struct world *w, const char *name);
int codec_step(struct world *w, const char *name);

/* The compression stream of that name, or NULL. */
struct stream *stream_named(struct world *w, const char *name);
void codec_close(struct world *w);

int tls_step(struct world *w, const char *name);
/* The TLS object of that name, or NULL. */
struct tls *tls_named(struct world *w, const char *name);
void tls_close(struct world *w);

/* Appends to memory of malloc; there is none at first. */
void append_bytes(uint8_t **bytes, size_t *length, const uint8_t *more, size_t count);

int32_t attach(struct world *w, const char *name);
void read_address(struct world *w, int index, ferronet_address *out);

#endif
