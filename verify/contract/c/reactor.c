/* Steps around a reactor's life, its turns and its counters. */
#define _POSIX_C_SOURCE 200809L
#include "world.h"

#include <string.h>
#include <time.h>

static const struct field areas_fields[] = {
    FIELD(ferronet_reactor_areas, submission_capacity, 0),
    FIELD(ferronet_reactor_areas, completion_capacity, 0),
    FIELD(ferronet_reactor_areas, lent_capacity, 0),
    FIELD(ferronet_reactor_areas, submissions, 0),
    FIELD(ferronet_reactor_areas, completions, 0),
    END,
};

static const struct field info_fields[] = {
    FIELD(ferronet_reactor_info, backend, 0),
    FIELD(ferronet_reactor_info, requested_backend, 0),
    FIELD(ferronet_reactor_info, fallback_reason, 0),
    FIELD(ferronet_reactor_info, fallback_status, 1),
    FIELD(ferronet_reactor_info, ring_features, 0),
    FIELD(ferronet_reactor_info, turns, 0),
    FIELD(ferronet_reactor_info, submissions, 0),
    FIELD(ferronet_reactor_info, completions, 0),
    FIELD(ferronet_reactor_info, wakeups, 0),
    FIELD(ferronet_reactor_info, sockets, 0),
    FIELD(ferronet_reactor_info, in_flight, 0),
    FIELD(ferronet_reactor_info, lent, 0),
    FIELD(ferronet_reactor_info, syscalls, 0),
    END,
};

static void read_areas(struct world *w, struct loop *loop)
{
    ferronet_reactor_areas areas;
    int32_t status;

    memset(&areas, 0, sizeof areas);
    areas.size = sizeof areas;
    status = CALL(ferronet_reactor_get_areas, loop->reactor, &areas);
    if (status < 0)
        fail(w, "areas of %s: %s", loop->name, ferronet_status_name(status));
    loop->submissions = (ferronet_submission *)(uintptr_t)areas.submissions;
    loop->completions = (ferronet_completion *)(uintptr_t)areas.completions;
    loop->capacity = areas.submission_capacity;
    loop->completion_capacity = areas.completion_capacity;
}

static void create(struct world *w, const char *name)
{
    ferronet_reactor_config config;
    uint8_t bytes[256];
    ferronet_reactor *out = NULL;
    const char *runtime = text_arg(w, "runtime", "rt");
    int32_t status;

    memset(&config, 0, sizeof config);
    config.size = (uint32_t)arg(w, "size", sizeof config);
    config.backend = (uint32_t)arg(w, "backend", w->backend);
    config.flags = (uint32_t)arg(w, "flags", 0);
    config.submission_capacity = (uint32_t)arg(w, "submissions", 0);
    config.completion_capacity = (uint32_t)arg(w, "completions", 0);
    config.ring_entries = (uint32_t)arg(w, "ring", 0);
    config.lent_capacity = (uint32_t)arg(w, "lent", 0);
    config.reserved = (uint32_t)arg(w, "reserved", 0);
    config.disabled_ring_features = (uint64_t)arg(w, "disabled", 0);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, &config, sizeof config);
    if (has(w, "tail"))
        bytes[config.size - 1] = 1;
    if (w->loop_count == MAX_LOOPS)
        fail(w, "too many reactors");
    status = CALL(ferronet_reactor_new, handle(w, runtime), has(w, "config=null") ? NULL : (const ferronet_reactor_config *)(void *)bytes,
                  has(w, "out=null") ? NULL : &out);
    if (status < 0 && out != NULL)
        fail(w, "a failed reactor_new wrote its output");
    expect(w, status);
    if (status >= 0) {
        struct loop *loop = &w->loops[w->loop_count++];

        memset(loop, 0, sizeof *loop);
        loop->name = name;
        loop->reactor = out;
        w->current = loop;
        read_areas(w, loop);
    }
}

static uint32_t submitted(struct world *w, struct loop *loop)
{
    return (uint32_t)arg(w, "submitted", loop != NULL ? loop->queued : 0);
}

static void turn(struct world *w, const char *name)
{
    struct loop *loop = loop_named(w, name);
    long long timeout = arg(w, "timeout", 0);
    int64_t ns = arg(w, "ns", timeout * 1000000), count;

    if (loop != NULL) {
        count = world_turn(w, loop, submitted(w, loop), ns);
        if (count >= 0)
            loop->queued = 0;
    } else {
        count = CALL(ferronet_reactor_turn, handle(w, name), submitted(w, NULL), ns);
    }
    expect(w, count);
}

static void submit(struct world *w, const char *name)
{
    struct loop *loop = loop_named(w, name);
    int32_t status = CALL(ferronet_reactor_submit, handle(w, name), submitted(w, loop));

    if (status >= 0 && loop != NULL)
        loop->queued = 0;
    expect(w, status);
}

static void close_reactor(struct world *w, const char *name)
{
    struct loop *loop = loop_named(w, name);
    int64_t left = CALL(ferronet_reactor_close, handle(w, name), arg(w, "bound", 1000) * 1000000);
    int i;

    expect(w, left);
    for (i = 0; loop != NULL && left >= 0 && i < w->socket_count; i++) {
        if (w->sockets[i].loop == loop && w->sockets[i].number != 0) {
            w->sockets[i].fd = -1;
            w->sockets[i].number = 0;
        }
    }
}

static void free_reactor(struct world *w, const char *name)
{
    struct loop *loop = loop_named(w, name);
    int32_t status = CALL(ferronet_reactor_free, handle(w, name));

    expect(w, status);
    if (loop != NULL && status >= 0)
        loop->freed = 1;
}

static void info(struct world *w, const char *name)
{
    memset(w->record, 0, sizeof w->record);
    ((ferronet_reactor_info *)(void *)w->record)->size = (uint32_t)arg(w, "size", sizeof(ferronet_reactor_info));
    w->fields = info_fields;
    expect(w, CALL(ferronet_reactor_get_info, handle(w, name), has(w, "out=null") ? NULL : (ferronet_reactor_info *)(void *)w->record));
}

static void areas(struct world *w, const char *name)
{
    memset(w->record, 0, sizeof w->record);
    ((ferronet_reactor_areas *)(void *)w->record)->size = (uint32_t)arg(w, "size", sizeof(ferronet_reactor_areas));
    w->fields = areas_fields;
    expect(w, CALL(ferronet_reactor_get_areas, handle(w, name), has(w, "out=null") ? NULL : (ferronet_reactor_areas *)(void *)w->record));
}

static void add(struct world *w, const char *name)
{
    struct sock *socket = sock_named(w, word(w, 2));
    int64_t number = CALL(ferronet_reactor_add, handle(w, name), socket->fd);

    expect(w, number);
    if (number >= 0) {
        if (number == 0 || number > INT32_MAX)
            fail(w, "add returned %lld", (long long)number);
        socket->number = (uint32_t)number;
        socket->loop = loop_named(w, name);
    }
}

static void remove_socket(struct world *w, const char *name)
{
    struct sock *socket = sock_named(w, word(w, 2));
    int32_t status = CALL(ferronet_reactor_remove, handle(w, name), socket->number);

    expect(w, status);
    if (status >= 0)
        socket->number = 0;
}

/* Turns for a while; nothing may complete. */
static void idle(struct world *w, struct loop *loop, int64_t milliseconds)
{
    int64_t end = now_ns() + milliseconds * 1000000;

    do {
        int64_t left = end - now_ns(), count = world_turn(w, loop, loop->queued, left > 0 ? left : 0);

        loop->queued = 0;
        if (count != 0)
            fail(w, "expected no completion, got %lld", (long long)count);
    } while (now_ns() < end);
}

int reactor_step(struct world *w, const char *name)
{
    struct loop *loop;

    if (strcmp(name, "reactor") == 0) {
        create(w, word(w, 1));
    } else if (strcmp(name, "loop") == 0) {
        create(w, word(w, 1));
        expect(w, CALL(ferronet_reactor_start, handle(w, word(w, 1))));
    } else if (strcmp(name, "start") == 0) {
        expect(w, CALL(ferronet_reactor_start, handle(w, word(w, 1))));
    } else if (strcmp(name, "use") == 0) {
        w->current = loop_named(w, word(w, 1));
    } else if (strcmp(name, "areas") == 0) {
        areas(w, word(w, 1));
    } else if (strcmp(name, "info") == 0) {
        info(w, word(w, 1));
    } else if (strcmp(name, "turn") == 0) {
        turn(w, word(w, 1));
    } else if (strcmp(name, "submit") == 0) {
        submit(w, word(w, 1));
    } else if (strcmp(name, "wake") == 0) {
        expect(w, CALL(ferronet_reactor_wake, handle(w, word(w, 1))));
    } else if (strcmp(name, "add") == 0) {
        add(w, word(w, 1));
    } else if (strcmp(name, "remove") == 0) {
        remove_socket(w, word(w, 1));
    } else if (strcmp(name, "close") == 0) {
        close_reactor(w, word(w, 1));
    } else if (strcmp(name, "free") == 0) {
        free_reactor(w, word(w, 1));
    } else if (strcmp(name, "idle") == 0) {
        idle(w, w->current, number(w, word(w, 1)));
    } else if (strcmp(name, "elapsed") == 0) {
        loop = loop_named(w, word(w, 1));
        if (loop == NULL || !compare(w, loop->turn_ns / 1000000, word(w, 2), number(w, word(w, 3))))
            fail(w, "the turn took %lld ms, expected %s %s", loop != NULL ? (long long)(loop->turn_ns / 1000000) : -1, word(w, 2),
                 word(w, 3));
    } else {
        return 0;
    }
    return 1;
}
