/* Steps around compression: streams, whole buffers, and the documents that go through them. */
#include "world.h"

#include <stdlib.h>
#include <string.h>

static const struct field progress_fields[] = {
    FIELD(ferronet_codec_progress, state, 0),     FIELD(ferronet_codec_progress, consumed, 0),
    FIELD(ferronet_codec_progress, produced, 0),  FIELD(ferronet_codec_progress, total_in, 0),
    FIELD(ferronet_codec_progress, total_out, 0), FIELD(ferronet_codec_progress, checksum, 0),
    FIELD(ferronet_codec_progress, members, 0),   END,
};

static struct document *document(struct world *w, const char *name, int make)
{
    int i;

    for (i = 0; i < w->document_count; i++)
        if (strcmp(w->documents[i].name, name) == 0)
            return &w->documents[i];
    if (!make)
        fail(w, "no document %s", name);
    if (w->document_count == MAX_DOCUMENTS)
        fail(w, "too many documents");
    w->documents[w->document_count].name = name;
    return &w->documents[w->document_count++];
}

static void make_document(struct world *w)
{
    const char *kind = word(w, 2);
    long long length = number(w, word(w, 3)), i;
    struct document *d = document(w, word(w, 1), 1);
    uint32_t x = 1;

    d->length = 0;
    d->bytes = realloc(d->bytes, (size_t)length + 1);
    if (d->bytes == NULL)
        abort();
    for (i = 0; i < length; i++) {
        x = x * 1103515245u + 12345u;
        d->bytes[d->length++] = strcmp(kind, "zeros") == 0 ? 0 : strcmp(kind, "noise") == 0 ? (uint8_t)(x >> 16) : i % 6 == 5 ? ' ' : (uint8_t)('a' + (x >> 16) % 5);
    }
}

struct stream *stream_named(struct world *w, const char *name)
{
    int i;

    for (i = 0; i < w->stream_count; i++)
        if (strcmp(w->streams[i].name, name) == 0)
            return &w->streams[i];
    return NULL;
}

static struct stream *stream(struct world *w)
{
    struct stream *found = stream_named(w, word(w, 1));

    if (found == NULL)
        fail(w, "no stream %s", word(w, 1));
    return found;
}

/* The configuration that the step's words describe, in at most 64 bytes; NULL with config=null. */
static const void *config(struct world *w, int inflate, uint8_t bytes[64])
{
    ferronet_deflate_config out;
    ferronet_inflate_config in;
    uint32_t size;

    memset(bytes, 0, 64);
    if (has(w, "config=null"))
        return NULL;
    if (inflate) {
        memset(&in, 0, sizeof in);
        in.size = size = (uint32_t)arg(w, "size", sizeof in);
        in.format = (uint32_t)arg(w, "format", 0);
        in.flags = (uint32_t)arg(w, "flags", 0);
        in.window_bits = (uint32_t)arg(w, "window", 0);
        in.max_output = (uint64_t)arg(w, "max", 0);
        in.ratio_floor = (uint64_t)arg(w, "floor", 0);
        in.max_ratio = (uint32_t)arg(w, "ratio", 0);
        in.reserved = (uint32_t)arg(w, "reserved", 0);
        memcpy(bytes, &in, sizeof in);
    } else {
        memset(&out, 0, sizeof out);
        out.size = size = (uint32_t)arg(w, "size", sizeof out);
        out.format = (uint32_t)arg(w, "format", 0);
        out.level = (int32_t)arg(w, "level", 0);
        out.window_bits = (uint32_t)arg(w, "window", 0);
        out.memory_level = (uint32_t)arg(w, "memory", 0);
        out.strategy = (uint32_t)arg(w, "strategy", 0);
        out.expected_length = (uint64_t)arg(w, "expected", 0);
        memcpy(bytes, &out, sizeof out);
    }
    if (has(w, "tail") && size > 0 && size <= 64)
        bytes[size - 1] = 1;
    return bytes;
}

static void new_stream(struct world *w, int inflate)
{
    uint8_t bytes[64];
    const void *from = config(w, inflate, bytes);
    void *out = NULL;
    int32_t status = inflate ? CALL(ferronet_inflate_new, from, has(w, "out=null") ? NULL : (ferronet_inflate **)(void *)&out)
                             : CALL(ferronet_deflate_new, from, has(w, "out=null") ? NULL : (ferronet_deflate **)(void *)&out);

    if ((status < 0) != (out == NULL))
        fail(w, "status %d, but the output was %s", status, out == NULL ? "not written" : "written");
    if (status >= 0) {
        if (w->stream_count == MAX_STREAMS)
            fail(w, "too many streams");
        w->streams[w->stream_count].name = word(w, 1);
        w->streams[w->stream_count].pointer = out;
        w->streams[w->stream_count].inflate = inflate;
        w->streams[w->stream_count++].freed = 0;
    }
    expect(w, status);
}

/* process STREAM SOURCE TARGET: all of the source in pieces, all that comes out of it. The last state or the first failure is the result. */
static void process(struct world *w)
{
    struct stream *s = stream(w);
    struct document *source = document(w, word(w, 2), 0), *target = document(w, word(w, 3), 1);
    size_t piece = (size_t)arg(w, "piece", 1 << 20), room = (size_t)arg(w, "room", 1 << 16), at = 0;
    uint32_t last = (uint32_t)arg(w, "flush", FERRONET_FLUSH_FINISH);
    ferronet_codec_progress *progress = (ferronet_codec_progress *)(void *)w->record;
    uint8_t *bytes = malloc(room + 1);
    int64_t result;

    if (bytes == NULL)
        abort();
    w->fields = progress_fields;
    for (;;) {
        ferronet_region from, to;
        size_t length = source->length - at < piece ? source->length - at : piece;
        uint32_t flush = at + length == source->length ? last : FERRONET_FLUSH_NONE;

        from.addr = (uint64_t)(uintptr_t)source->bytes + at;
        from.len = length;
        to.addr = (uint64_t)(uintptr_t)bytes;
        to.len = room;
        memset(w->record, 0, sizeof w->record);
        progress->size = sizeof *progress;
        result = s->inflate ? CALL(ferronet_inflate_process, s->pointer, &from, &to, flush, progress)
                            : CALL(ferronet_deflate_process, s->pointer, &from, &to, flush, progress);
        if (result < 0)
            break;
        append_bytes(&target->bytes, &target->length, bytes, (size_t)progress->produced);
        at += (size_t)progress->consumed;
        result = progress->state;
        if (progress->consumed == 0 && progress->produced == 0 && (at < source->length || progress->state == FERRONET_CODEC_NEEDS_OUTPUT) &&
            progress->state != FERRONET_CODEC_END)
            fail(w, "the stream gets nowhere at byte %lld", (long long)at);
        if (progress->state == FERRONET_CODEC_END || (at == source->length && progress->state == FERRONET_CODEC_NEEDS_INPUT))
            break;
    }
    free(bytes);
    expect(w, result);
}

/* call STREAM: one call with nothing, for bad arguments. */
static void call(struct world *w)
{
    void *handle_of = handle(w, word(w, 1));
    struct stream *s = stream_named(w, word(w, 1));
    static uint8_t memory[16];
    ferronet_region from = {0, 0}, to = {0, 0};
    ferronet_codec_progress progress;
    uint32_t flush = (uint32_t)arg(w, "flush", 0);

    memset(&progress, 0, sizeof progress);
    progress.size = (uint32_t)arg(w, "size", sizeof progress);
    if (has(w, "overlap")) {
        from.addr = to.addr = (uint64_t)(uintptr_t)memory;
        from.len = to.len = sizeof memory;
    }
    from.len = (uint64_t)arg(w, "length", (long long)from.len);
    expect(w, (s != NULL && s->inflate) || has(w, "inflate")
                  ? CALL(ferronet_inflate_process, handle_of, &from, &to, flush, has(w, "out=null") ? NULL : &progress)
                  : CALL(ferronet_deflate_process, handle_of, &from, &to, flush, has(w, "out=null") ? NULL : &progress));
}

/* buffer-deflate SOURCE TARGET, buffer-inflate SOURCE TARGET: as one call without a handle. */
static void buffer(struct world *w, int inflate)
{
    struct document *source = document(w, word(w, 1), 0), *target = document(w, word(w, 2), 1);
    int64_t bound = CALL(ferronet_deflate_bound, source->length), result;
    uint64_t capacity = (uint64_t)arg(w, "capacity", inflate ? 1 << 20 : bound);
    uint8_t bytes[64], *out = malloc((size_t)capacity + 1);
    const void *from = config(w, inflate, bytes);

    if (out == NULL)
        abort();
    result = inflate ? CALL(ferronet_inflate_buffer, from, source->bytes, source->length, out, capacity)
                     : CALL(ferronet_deflate_buffer, from, source->bytes, source->length, out, capacity);
    if (result >= 0)
        append_bytes(&target->bytes, &target->length, out, (size_t)result);
    free(out);
    expect(w, result);
}

static int stream_call(struct world *w, const char *name)
{
    struct stream *s;
    uint8_t bytes[64];

    if (strcmp(name, "reset-stream") == 0) {
        s = stream(w);
        expect(w, s->inflate ? CALL(ferronet_inflate_reset, s->pointer, config(w, 1, bytes)) : CALL(ferronet_deflate_reset, s->pointer, config(w, 0, bytes)));
    } else if (strcmp(name, "free-stream") == 0) {
        int32_t status;

        s = stream(w);
        status = s->inflate ? CALL(ferronet_inflate_free, s->pointer) : CALL(ferronet_deflate_free, s->pointer);
        if (status >= 0)
            s->freed = 1;
        expect(w, status);
    } else if (strcmp(name, "dictionary") == 0) {
        struct document *d = document(w, word(w, 2), 0);

        s = stream(w);
        expect(w, s->inflate ? CALL(ferronet_inflate_set_dictionary, s->pointer, d->bytes, d->length)
                             : CALL(ferronet_deflate_set_dictionary, s->pointer, d->bytes, d->length));
    } else {
        return 0;
    }
    return 1;
}

static int document_step(struct world *w, const char *name)
{
    struct document *d, *other;

    if (strcmp(name, "document") == 0) {
        make_document(w);
    } else if (strcmp(name, "flip") == 0) {
        long long at = number(w, word(w, 2));

        d = document(w, word(w, 1), 0);
        d->bytes[at < 0 ? (long long)d->length + at : at] ^= 0x40;
    } else if (strcmp(name, "cut") == 0) {
        document(w, word(w, 1), 0)->length -= (size_t)number(w, word(w, 2));
    } else if (strcmp(name, "join") == 0) {
        other = document(w, word(w, 2), 0);
        d = document(w, word(w, 1), 1);
        append_bytes(&d->bytes, &d->length, other->bytes, other->length);
    } else if (strcmp(name, "same") == 0) {
        d = document(w, word(w, 1), 0);
        other = document(w, word(w, 2), 0);
        if (d->length != other->length || (d->length > 0 && memcmp(d->bytes, other->bytes, d->length) != 0))
            fail(w, "%s has %lld bytes, %s has %lld, and they differ", d->name, (long long)d->length, other->name, (long long)other->length);
    } else if (strcmp(name, "length") == 0) {
        d = document(w, word(w, 1), 0);
        if (!compare(w, (long long)d->length, word(w, 2), number(w, word(w, 3))))
            fail(w, "%s has %lld bytes", d->name, (long long)d->length);
    } else {
        return 0;
    }
    return 1;
}

int codec_step(struct world *w, const char *name)
{
    if (strcmp(name, "deflate") == 0)
        new_stream(w, 0);
    else if (strcmp(name, "inflate") == 0)
        new_stream(w, 1);
    else if (strcmp(name, "process") == 0)
        process(w);
    else if (strcmp(name, "call") == 0)
        call(w);
    else if (strcmp(name, "buffer-deflate") == 0)
        buffer(w, 0);
    else if (strcmp(name, "buffer-inflate") == 0)
        buffer(w, 1);
    else
        return stream_call(w, name) || document_step(w, name);
    return 1;
}

void codec_close(struct world *w)
{
    int i;

    for (i = 0; i < w->stream_count; i++) {
        struct stream *s = &w->streams[i];
        int32_t status = s->freed ? 0 : s->inflate ? CALL(ferronet_inflate_free, s->pointer) : CALL(ferronet_deflate_free, s->pointer);

        if (status < 0)
            fail(w, "freeing %s at the end: %s", s->name, ferronet_status_name(status));
    }
    for (i = 0; i < w->document_count; i++)
        free(w->documents[i].bytes);
}
