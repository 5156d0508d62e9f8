/* Steps around the metadata block, attach, probe, statuses and texts. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct field abi_fields[] = {
    FIELD(ferronet_abi_info, magic, 0),
    FIELD(ferronet_abi_info, struct_size, 0),
    FIELD(ferronet_abi_info, abi_revision, 0),
    FIELD(ferronet_abi_info, abi_floor, 0),
    FIELD(ferronet_abi_info, lib_version, 0),
    FIELD(ferronet_abi_info, flags, 0),
    FIELD(ferronet_abi_info, features_built, 0),
    FIELD(ferronet_abi_info, layout_fingerprint, 0),
    END,
};

static const struct field caps_fields[] = {
    FIELD(ferronet_caps, uring_reason, 0),
    FIELD(ferronet_caps, available, 0),
    FIELD(ferronet_caps, ring_features, 0),
    FIELD(ferronet_caps, uring_status, 1),
    FIELD(ferronet_caps, poll_reason, 0),
    FIELD(ferronet_caps, poll_status, 1),
    FIELD(ferronet_caps, kernel_version, 0),
    END,
};

int32_t attach(struct world *w, const char *name)
{
    uint8_t bytes[256];
    ferronet_attach_params params;
    ferronet_runtime *out = NULL;
    int32_t status;

    memset(&params, 0, sizeof params);
    params.size = w->step != NULL ? (uint32_t)arg(w, "size", sizeof params) : sizeof params;
    params.built_for_revision = w->step != NULL ? (uint32_t)arg(w, "revision", FERRONET_ABI_REVISION) : FERRONET_ABI_REVISION;
    params.required_features = w->step != NULL ? (uint64_t)arg(w, "features", 0) : 0;
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, &params, sizeof params);
    if (w->step != NULL && has(w, "tail") && params.size > 0 && params.size <= sizeof bytes)
        bytes[params.size - 1] = 1;
    if (w->runtime_count == MAX_RUNTIMES)
        fail(w, "too many runtimes");
    status = CALL(ferronet_attach, w->step != NULL && has(w, "params=null") ? NULL : (const ferronet_attach_params *)(void *)bytes,
                  w->step != NULL && has(w, "out=null") ? NULL : &out);
    if (status < 0 && out != NULL)
        fail(w, "a failed attach wrote its output");
    if (status >= 0) {
        w->runtimes[w->runtime_count].name = name;
        w->runtimes[w->runtime_count].freed = 0;
        w->runtimes[w->runtime_count].log_lines = 0;
        w->runtimes[w->runtime_count++].pointer = out;
    } else if (w->step == NULL) {
        fail(w, "attach: %s", ferronet_status_name(status));
    }
    return status;
}

static void detach(struct world *w, const char *name)
{
    int32_t status = CALL(ferronet_detach, handle(w, name));
    int i;

    expect(w, status);
    for (i = 0; i < w->runtime_count; i++)
        if (status >= 0 && strcmp(w->runtimes[i].name, name) == 0)
            w->runtimes[i].freed = 1;
}

static void text(struct world *w)
{
    char full[1024];
    void *on = handle(w, word(w, 1));
    int64_t length = CALL(ferronet_last_error, on, full, sizeof full);
    long long capacity = arg(w, "capacity", -1);
    int i;

    if (length < 0 || length != (int64_t)strlen(full))
        fail(w, "last_error returned %lld for \"%s\"", (long long)length, full);
    if (capacity >= 0) {
        char cut[64];
        int64_t again;

        memset(cut, 'x', sizeof cut);
        again = CALL(ferronet_last_error, on, capacity == 0 ? NULL : cut, (uint64_t)capacity);
        if (again != length)
            fail(w, "last_error returned %lld with a small buffer, %lld with a large one", (long long)again, (long long)length);
        if (capacity > 0 && ((long long)strlen(cut) != capacity - 1 || strncmp(cut, full, (size_t)capacity - 1) != 0))
            fail(w, "the cut text is \"%s\"", cut);
        return;
    }
    for (i = 2; i < w->step->count; i++)
        if (strstr(full, word(w, i)) == NULL)
            fail(w, "the text \"%s\" does not hold %s", full, word(w, i));
    if (w->step->count == 2 && length == 0)
        fail(w, "there is no text");
}

static void on_log(void *context, int32_t level, const char *bytes, uint64_t length)
{
    int *lines = context;

    if (level >= 1 && level <= 4 && bytes != NULL && length > 0)
        ++*lines;
}

static int *log_lines(struct world *w, const char *name)
{
    int i;

    for (i = 0; i < w->runtime_count; i++)
        if (strcmp(w->runtimes[i].name, name) == 0)
            return &w->runtimes[i].log_lines;
    fail(w, "no runtime %s", name);
    return NULL;
}

static void field(struct world *w)
{
    const struct field *f = w->fields;
    uint64_t bits = 0;
    long long value;

    while (f != NULL && f->name != NULL && strcmp(f->name, word(w, 1)) != 0)
        f++;
    if (f == NULL || f->name == NULL)
        fail(w, "no field %s", word(w, 1));
    memcpy(&bits, w->record + f->offset, f->width); /* little-endian */
    value = f->is_signed && f->width == 4 ? (int32_t)(uint32_t)bits : (long long)bits;
    if (!compare(w, value, word(w, 2), number(w, word(w, 3))))
        fail(w, "%s is %lld, expected %s %s", f->name, value, word(w, 2), word(w, 3));
}

int abi_step(struct world *w, const char *name)
{
    if (strcmp(name, "abi") == 0) {
        memcpy(w->record, (reach("ferronet_abi"), ferronet_abi()), sizeof(ferronet_abi_info));
        w->fields = abi_fields;
    } else if (strcmp(name, "version") == 0) {
        const ferronet_abi_info *info = ferronet_abi();
        char expected[64];

        snprintf(expected, sizeof expected, "%u.%u.%u", (unsigned)(info->lib_version >> 24), (unsigned)(info->lib_version >> 16 & 255),
                 (unsigned)(info->lib_version >> 8 & 255));
        if (strcmp(expected, (const char *)info->version) != 0)
            fail(w, "the version is %s as a number and %s as text", expected, (const char *)info->version);
        if (info->target[0] == 0 || info->build_id[0] == 0)
            fail(w, "target or build id is empty");
    } else if (strcmp(name, "attach") == 0) {
        expect(w, attach(w, word(w, 1)));
    } else if (strcmp(name, "detach") == 0) {
        detach(w, word(w, 1));
    } else if (strcmp(name, "probe") == 0) {
        memset(w->record, 0, sizeof w->record);
        ((ferronet_caps *)(void *)w->record)->size = (uint32_t)arg(w, "size", sizeof(ferronet_caps));
        w->fields = caps_fields;
        expect(w, CALL(ferronet_probe, has(w, "out=null") ? NULL : (ferronet_caps *)(void *)w->record));
    } else if (strcmp(name, "status-name") == 0) {
        const char *got = CALL(ferronet_status_name, (int32_t)number(w, word(w, 1)));

        if (got == NULL || strcmp(got, word(w, 2)) != 0)
            fail(w, "status %s is called %s", word(w, 1), got);
    } else if (strcmp(name, "text") == 0) {
        text(w);
    } else if (strcmp(name, "log") == 0) {
        int off = has(w, "callback=null") || strcmp(word(w, 1), "null") == 0;

        expect(w, CALL(ferronet_log_set, handle(w, word(w, 1)), (int32_t)number(w, word(w, 2)), off ? NULL : on_log,
                       off ? NULL : log_lines(w, word(w, 1))));
    } else if (strcmp(name, "logged") == 0) {
        if (!compare(w, *log_lines(w, word(w, 1)), word(w, 2), number(w, word(w, 3))))
            fail(w, "%d log lines, expected %s %s", *log_lines(w, word(w, 1)), word(w, 2), word(w, 3));
    } else if (strcmp(name, "field") == 0) {
        field(w);
    } else {
        return 0;
    }
    return 1;
}
