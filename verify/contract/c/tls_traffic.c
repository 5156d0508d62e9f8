/* Steps around TLS: the bytes that go between two sessions. */
#include "tls.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 20000, SEED = 7 };

static const struct field progress_fields[] = {
    FIELD(ferronet_tls_progress, result, 0),   FIELD(ferronet_tls_progress, state, 0),    FIELD(ferronet_tls_progress, events, 0),
    FIELD(ferronet_tls_progress, consumed, 0), FIELD(ferronet_tls_progress, produced, 0), FIELD(ferronet_tls_progress, needed, 0),
    FIELD(ferronet_tls_progress, alert, 0),    FIELD(ferronet_tls_progress, records, 0),  END,
};

ferronet_tls_progress *tls_progress(struct world *w)
{
    ferronet_tls_progress *p = (ferronet_tls_progress *)(void *)w->record;

    memset(w->record, 0, sizeof w->record);
    p->size = sizeof *p;
    w->fields = progress_fields;
    return p;
}

/* Puts so many bytes of the pattern, and what the session has to send, behind its outbox. */
static int32_t wrap(struct world *w, struct tls *t, size_t length, size_t regions)
{
    static uint8_t data[1 << 20];
    ferronet_region sources[64], room;
    size_t at = 0, i, count;
    uint8_t out[ROOM];

    for (i = 0; i < length; i++)
        data[i] = pattern(SEED, t->sent + i);
    do {
        ferronet_tls_progress *p = tls_progress(w);
        int32_t status;

        count = length > at ? regions : 0;
        for (i = 0; i < count; i++) {
            size_t from = at + (length - at) * i / count, to = at + (length - at) * (i + 1) / count;
            sources[i] = tls_region(data + from, to - from);
        }
        room = tls_region(out, sizeof out);
        status = CALL(ferronet_tls_session_wrap, t->pointer, sources, (uint32_t)count, &room, p);
        append_bytes(&t->outbox, &t->outbox_length, out, (size_t)p->produced);
        if (status < 0)
            return status;
        at += (size_t)p->consumed;
        t->sent += p->consumed;
        t->state = p->state;
        if (p->produced == 0 && p->consumed == 0)
            return p->result == FERRONET_TLS_CLOSED || at == length ? 0 : FERRONET_ERR_BUSY;
    } while (at < length || t->state == FERRONET_TLS_STATE_NEED_WRAP);
    return 0;
}

static int32_t task(struct world *w, struct tls *t)
{
    int32_t status = 0;

    while (status >= 0 && t->state == FERRONET_TLS_STATE_NEED_TASK) {
        ferronet_tls_progress *p = tls_progress(w);

        status = CALL(ferronet_tls_session_task, t->pointer, p);
        t->state = p->state;
        t->tasks++;
    }
    return status;
}

/* Gives bytes to a session, in pieces, and keeps what it does not consume. */
static int32_t give(struct world *w, struct tls *t, const uint8_t *bytes, size_t length, size_t piece, size_t room, int in_place)
{
    size_t given = 0;
    uint8_t *out = malloc(room + 1);
    int32_t status = 0;

    if (out == NULL)
        abort();
    while (status >= 0) {
        size_t more = length - given < piece ? length - given : piece;
        int quiet = 0;

        append_bytes(&t->inbox, &t->inbox_length, bytes + given, more);
        given += more;
        while (status >= 0 && !quiet) {
            ferronet_region in = tls_region(t->inbox, t->inbox_length), to = tls_region(out, room);
            ferronet_tls_progress *p = tls_progress(w);
            const uint8_t *data = in_place ? t->inbox : out;
            size_t i;

            status = CALL(ferronet_tls_session_unwrap, t->pointer, &in, 1, in_place ? NULL : &to, in_place ? 0 : 1, in_place ? FERRONET_TLS_IN_PLACE : 0, p);
            for (i = 0; i < p->produced; i++, t->received++)
                if (data[i] != pattern(SEED, t->received))
                    fail(w, "byte %lld differs", (long long)t->received);
            memmove(t->inbox, t->inbox + p->consumed, t->inbox_length - (size_t)p->consumed);
            t->inbox_length -= (size_t)p->consumed;
            t->state = p->state;
            t->events |= p->events;
            quiet = p->consumed == 0 && p->state != FERRONET_TLS_STATE_NEED_TASK;
            if (status >= 0)
                status = task(w, t);
        }
        if (given == length)
            break;
    }
    free(out);
    return status;
}

/* tls-handshake A B: until both are open, or one of them fails. */
static void handshake(struct world *w)
{
    struct tls *ends[2];
    size_t piece = (size_t)arg(w, "piece", ROOM);
    int32_t status = 0;
    int round, i;

    ends[0] = tls_must(w, word(w, 1));
    ends[1] = tls_must(w, word(w, 2));
    for (round = 0; round < 24 && status >= 0; round++) {
        struct tls *from = ends[round % 2], *to = ends[1 - round % 2];

        status = task(w, from);
        if (status >= 0)
            status = wrap(w, from, 0, 0);
        if (status >= 0 && from->outbox_length > 0)
            status = give(w, to, from->outbox, from->outbox_length, piece, ROOM, 0);
        if (status >= 0)
            from->outbox_length = 0;
    }
    for (i = 0; i < 2 && status >= 0; i++)
        if (ends[i]->state != FERRONET_TLS_STATE_OPEN)
            fail(w, "%s is in state %u after the handshake", ends[i]->name, (unsigned)ends[i]->state);
    /* What a failed end still has to say. */
    for (i = 0; i < 2 && status < 0; i++)
        ends[i]->outbox_length = 0;
    expect(w, status);
}

int tls_traffic_step(struct world *w, const char *name)
{
    struct tls *t, *peer;

    if (strcmp(name, "tls-wrap") == 0) {
        t = tls_must(w, word(w, 1));
        expect(w, wrap(w, t, (size_t)arg(w, "length", 0), (size_t)arg(w, "regions", 1)));
    } else if (strcmp(name, "tls-give") == 0) {
        int32_t status;

        t = tls_must(w, word(w, 1));
        peer = tls_must(w, word(w, 2));
        status = give(w, peer, t->outbox, t->outbox_length, (size_t)arg(w, "piece", 1 << 20), (size_t)arg(w, "room", 1 << 20), has(w, "in-place"));
        t->outbox_length = 0;
        expect(w, status);
    } else if (strcmp(name, "tls-raw") == 0) {
        t = tls_must(w, word(w, 1));
        append_bytes(&t->outbox, &t->outbox_length, (const uint8_t *)word(w, 2), strlen(word(w, 2)));
    } else if (strcmp(name, "tls-flip") == 0) {
        long long at = number(w, word(w, 2));

        t = tls_must(w, word(w, 1));
        t->outbox[at < 0 ? (long long)t->outbox_length + at : at] ^= 0x40;
    } else if (strcmp(name, "tls-cut") == 0) {
        tls_must(w, word(w, 1))->outbox_length -= (size_t)number(w, word(w, 2));
    } else if (strcmp(name, "tls-received") == 0) {
        t = tls_must(w, word(w, 1));
        if (!compare(w, (long long)t->received, word(w, 2), number(w, word(w, 3))))
            fail(w, "%s received %lld bytes", t->name, (long long)t->received);
    } else if (strcmp(name, "tls-tasks") == 0) {
        t = tls_must(w, word(w, 1));
        if (!compare(w, t->tasks, word(w, 2), number(w, word(w, 3))))
            fail(w, "%s had %d tasks", t->name, t->tasks);
    } else if (strcmp(name, "tls-logged") == 0) {
        t = tls_must(w, word(w, 1));
        if (!compare(w, t->self->lines, word(w, 2), number(w, word(w, 3))))
            fail(w, "%s logged %d lines", t->name, t->self->lines);
    } else if (strcmp(name, "tls-handshake") == 0) {
        handshake(w);
    } else {
        return 0;
    }
    return 1;
}
