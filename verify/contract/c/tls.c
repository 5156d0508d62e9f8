/* Steps around TLS: credentials, contexts, sessions, and the bytes that go between two of them. */
#include "tls.h"

#include <stdlib.h>
#include <string.h>

static const struct field session_fields[] = {
    FIELD(ferronet_tls_session_info, state, 0),
    FIELD(ferronet_tls_session_info, version, 0),
    FIELD(ferronet_tls_session_info, suite, 0),
    FIELD(ferronet_tls_session_info, group, 0),
    FIELD(ferronet_tls_session_info, resumed, 0),
    FIELD(ferronet_tls_session_info, peer_scheme, 0),
    FIELD(ferronet_tls_session_info, peer_certificates, 0),
    FIELD(ferronet_tls_session_info, local_certificates, 0),
    FIELD(ferronet_tls_session_info, tickets_received, 0),
    FIELD(ferronet_tls_session_info, alert, 0),
    FIELD(ferronet_tls_session_info, bytes_in, 0),
    FIELD(ferronet_tls_session_info, bytes_out, 0),
    END,
};

static const struct field context_fields[] = {
    FIELD(ferronet_tls_context_info, side, 0),
    FIELD(ferronet_tls_context_info, handshakes_started, 0),
    FIELD(ferronet_tls_context_info, handshakes_done, 0),
    FIELD(ferronet_tls_context_info, handshakes_failed, 0),
    FIELD(ferronet_tls_context_info, handshakes_resumed, 0),
    FIELD(ferronet_tls_context_info, cache_entries, 0),
    FIELD(ferronet_tls_context_info, tickets_issued, 0),
    END,
};

struct tls *tls_named(struct world *w, const char *name)
{
    int i;

    for (i = w->tls_count - 1; i >= 0; i--)
        if (strcmp(w->tls[i].name, name) == 0)
            return &w->tls[i];
    return NULL;
}

struct tls *tls_must(struct world *w, const char *name)
{
    struct tls *found = tls_named(w, name);

    if (found == NULL)
        fail(w, "no TLS object %s", name);
    return found;
}

static struct tls *add(struct world *w, const char *name, enum tls_kind kind, void *pointer)
{
    struct tls *t;

    if (w->tls_count == MAX_TLS)
        fail(w, "too many TLS objects");
    t = &w->tls[w->tls_count++];
    memset(t, 0, sizeof *t);
    t->name = name;
    t->kind = kind;
    t->pointer = pointer;
    return t;
}

ferronet_region tls_region(const void *bytes, size_t length)
{
    ferronet_region r;

    r.addr = (uint64_t)(uintptr_t)bytes;
    r.len = length;
    return r;
}

static ferronet_region text_region(struct world *w, const char *key)
{
    const char *text = text_arg(w, key, NULL);

    return tls_region(text, text == NULL ? 0 : strlen(text));
}

/* The content of a file beside the cases. The world owns it. */
static ferronet_region fixture(struct world *w, const char *name, const char *suffix)
{
    char path[1024];
    uint8_t chunk[4096], *bytes = NULL;
    size_t length = 0, got;
    FILE *file;

    if (name == NULL)
        return tls_region(NULL, 0);
    snprintf(path, sizeof path, "%s/../fixtures/%s%s", w->cases, name, suffix);
    file = fopen(path, "rb");
    if (file == NULL)
        fail(w, "%s cannot be read", path);
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0)
        append_bytes(&bytes, &length, chunk, got);
    fclose(file);
    if (w->file_count == MAX_FILES_READ)
        fail(w, "too many files");
    w->files[w->file_count++] = bytes;
    return tls_region(bytes, length);
}

/* "h2,http/1.1" in the form of the wire. */
static ferronet_region protocols(struct world *w)
{
    static uint8_t wire[256];
    const char *names = text_arg(w, "alpn", NULL), *end;
    size_t at = 0;

    while (names != NULL && *names != '\0') {
        end = strchr(names, ',');
        end = end == NULL ? names + strlen(names) : end;
        wire[at++] = (uint8_t)(end - names);
        memcpy(wire + at, names, (size_t)(end - names));
        at += (size_t)(end - names);
        names = *end == ',' ? end + 1 : end;
    }
    return tls_region(wire, at);
}

/* Callbacks: what they answer is their context. */

static int32_t verify(void *context, const ferronet_tls_verification *request)
{
    const struct tls *t = context;

    if (request->size < sizeof *request || request->certificate_count == 0 || request->user != 17)
        return -2;
    return t->answer;
}

static int32_t choose(void *context, const ferronet_tls_choice *request, ferronet_tls_credential **out)
{
    const struct tls *t = context;

    if (request->size < sizeof *request || request->scheme_count == 0 || request->user != 17)
        return -2;
    *out = t->chosen;
    return 0;
}

static int64_t sign(void *context, uint64_t user, uint32_t scheme, const uint8_t *message, uint64_t length, uint8_t *out, uint64_t capacity)
{
    (void)context, (void)user, (void)scheme, (void)message, (void)length, (void)out, (void)capacity;
    return -1;
}

static void key_log(void *context, uint64_t user, const char *line, uint64_t length)
{
    struct tls *t = context;

    if (user == 17 && strlen(line) == length && strchr(line, ' ') != NULL)
        t->lines++;
}

/* The structure's size and tail, as the words say. */
static uint32_t sized(struct world *w, uint8_t *bytes, uint32_t size)
{
    uint32_t given = (uint32_t)arg(w, "size", size);

    if (has(w, "tail") && given > 0 && given <= 512)
        bytes[given - 1] = 1;
    memcpy(bytes, &given, sizeof given);
    return given;
}

static void finish(struct world *w, int32_t status, void *out, enum tls_kind kind)
{
    if ((status < 0) != (out == NULL))
        fail(w, "status %d, but the output was %s", status, out == NULL ? "not written" : "written");
    if (status >= 0)
        add(w, word(w, 1), kind, out);
    expect(w, status);
}

static void new_credential(struct world *w)
{
    static uint8_t bytes[512];
    ferronet_tls_credential_config config;
    ferronet_tls_credential *out = NULL;
    const char *name = text_arg(w, "chain", word(w, 1));
    int32_t status;

    memset(&config, 0, sizeof config);
    config.flags = (uint32_t)arg(w, "flags", 0);
    if (!has(w, "no-chain"))
        config.chain = fixture(w, name, ".pem");
    if (has(w, "sign"))
        config.sign = sign;
    else if (!has(w, "no-key"))
        config.key = fixture(w, text_arg(w, "key", name), ".key");
    config.password = text_region(w, "password");
    config.names = text_region(w, "names");
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, &config, sizeof config);
    sized(w, bytes, sizeof config);
    status = CALL(ferronet_tls_credential_new, has(w, "config=null") ? NULL : (const ferronet_tls_credential_config *)(const void *)bytes,
                  has(w, "out=null") ? NULL : &out);
    finish(w, status, out, TLS_CREDENTIAL);
}

static void new_context(struct world *w)
{
    static uint8_t bytes[512];
    ferronet_tls_config config;
    ferronet_tls_context *out = NULL;
    void *credentials[4];
    struct tls *self = add(w, "", TLS_ANSWERS, NULL);
    const char *key[] = {"credential", "second", "third", "fourth"}, *name;
    uint32_t i;
    int32_t status;

    memset(&config, 0, sizeof config);
    config.side = (uint32_t)number(w, word(w, 2));
    for (i = 0; i < 4 && (name = text_arg(w, key[i], NULL)) != NULL; i++)
        credentials[i] = handle(w, name);
    config.credential_count = i;
    config.credentials = (uint64_t)(uintptr_t)credentials;
    config.flags = (uint32_t)arg(w, "flags", 0);
    config.client_auth = (uint32_t)arg(w, "auth", 0);
    config.roots = fixture(w, text_arg(w, "roots", NULL), ".pem");
    config.crls = fixture(w, text_arg(w, "crls", NULL), ".crl");
    config.trust = (uint32_t)arg(w, "trust", config.roots.len > 0 ? FERRONET_TLS_TRUST_ROOTS : FERRONET_TLS_TRUST_UNSET);
    config.crl_policy = (uint32_t)arg(w, "crl-policy", config.crls.len > 0 ? FERRONET_TLS_CRL_ALLOW_UNKNOWN : 0);
    config.min_version = (uint32_t)arg(w, "min", 0);
    config.max_version = (uint32_t)arg(w, "max", 0);
    config.alpn_policy = (uint32_t)arg(w, "policy", 0);
    config.alpn = protocols(w);
    config.suites = text_region(w, "suites");
    config.groups = text_region(w, "groups");
    config.ticket_count = (uint32_t)arg(w, "tickets", 0);
    if (text_arg(w, "verify", NULL) != NULL) {
        config.verify = verify;
        config.verify_context = self;
        self->answer = (int32_t)arg(w, "verify", 0);
    }
    if ((name = text_arg(w, "choose", NULL)) != NULL) {
        config.choose = choose;
        config.choose_context = self;
        self->chosen = handle(w, name);
    }
    if (has(w, "key-log")) {
        config.key_log = key_log;
        config.key_log_context = self;
    }
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, &config, sizeof config);
    sized(w, bytes, sizeof config);
    status = CALL(ferronet_tls_context_new, has(w, "config=null") ? NULL : (const ferronet_tls_config *)(const void *)bytes, has(w, "out=null") ? NULL : &out);
    finish(w, status, out, TLS_CONTEXT);
    if (status >= 0)
        w->tls[w->tls_count - 1].self = self;
}

static void new_session(struct world *w)
{
    static uint8_t bytes[512];
    ferronet_tls_session_config config;
    ferronet_tls_session *out = NULL;
    int32_t status;

    memset(&config, 0, sizeof config);
    config.flags = (uint32_t)arg(w, "flags", 0);
    config.user = 17;
    config.server_name = text_region(w, "host");
    config.session_key = text_region(w, "key");
    config.min_version = (uint32_t)arg(w, "min", 0);
    config.max_version = (uint32_t)arg(w, "max", 0);
    config.client_auth = (uint32_t)arg(w, "auth", 0);
    config.alpn_policy = (uint32_t)arg(w, "policy", 0);
    config.alpn = protocols(w);
    config.suites = text_region(w, "suites");
    config.groups = text_region(w, "groups");
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, &config, sizeof config);
    sized(w, bytes, sizeof config);
    status = CALL(ferronet_tls_session_new, handle(w, word(w, 2)), has(w, "config=null") ? NULL : (const ferronet_tls_session_config *)(const void *)bytes,
                  has(w, "out=null") ? NULL : &out);
    finish(w, status, out, TLS_SESSION);
}

/* tls-call SESSION wrap or unwrap: one call with nothing, for bad arguments. */
static void call(struct world *w)
{
    static uint8_t memory[64];
    void *pointer = handle(w, word(w, 1));
    ferronet_region in = tls_region(memory, (size_t)arg(w, "length", 0)), out = tls_region(has(w, "overlap") ? memory + 8 : memory + 32, 32);
    ferronet_tls_progress p;

    memset(&p, 0, sizeof p);
    p.size = (uint32_t)arg(w, "size", sizeof p);
    if (has(w, "nowhere"))
        in = tls_region(NULL, 8);
    expect(w, strcmp(word(w, 2), "wrap") == 0
                  ? CALL(ferronet_tls_session_wrap, pointer, &in, 1, has(w, "output=null") ? NULL : &out, has(w, "out=null") ? NULL : &p)
                  : CALL(ferronet_tls_session_unwrap, pointer, &in, 1, &out, 1, (uint32_t)arg(w, "flags", 0), has(w, "out=null") ? NULL : &p));
}

/* tls-bytes SESSION WHAT [TEXT]: the result is the length. */
static void get_bytes(struct world *w)
{
    uint8_t bytes[2048];
    int64_t length = CALL(ferronet_tls_session_get_bytes, handle(w, word(w, 1)), (uint32_t)number(w, word(w, 2)), (uint32_t)arg(w, "index", 0),
                          has(w, "buffer=null") ? NULL : bytes, (uint64_t)arg(w, "capacity", sizeof bytes));
    const char *text = text_arg(w, "is", NULL);

    if (text != NULL && (length != (int64_t)strlen(text) || memcmp(bytes, text, strlen(text)) != 0))
        fail(w, "the bytes are \"%.*s\"", length < 0 ? 0 : (int)length, (const char *)bytes);
    expect(w, length);
}

static void export(struct world *w)
{
    uint8_t material[2][32];
    int32_t status = CALL(ferronet_tls_session_export, handle(w, word(w, 1)), "EXPORTER-contract", 17, NULL, 0, material[0], 32);

    if (status >= 0)
        status = CALL(ferronet_tls_session_export, handle(w, word(w, 2)), "EXPORTER-contract", 17, NULL, 0, material[1], 32);
    if (status >= 0 && memcmp(material[0], material[1], 32) != 0)
        fail(w, "both ends export other material");
    expect(w, status);
}

static void names(struct world *w)
{
    char text[4096];
    int64_t length = CALL(ferronet_tls_names, (uint32_t)number(w, word(w, 1)), text, sizeof text);
    int i;

    if (length >= 0 && length < (int64_t)sizeof text) {
        text[length] = '\0';
        for (i = 2; i < w->step->count; i++)
            if (strstr(text, word(w, i)) == NULL)
                fail(w, "%s is not in \"%s\"", word(w, i), text);
    }
    expect(w, length);
}

static int32_t end(struct tls *t)
{
    switch (t->kind) {
    case TLS_CREDENTIAL:
        return CALL(ferronet_tls_credential_free, t->pointer);
    case TLS_CONTEXT:
        return CALL(ferronet_tls_context_free, t->pointer);
    case TLS_SESSION:
        return CALL(ferronet_tls_session_free, t->pointer);
    default:
        return 0;
    }
}

int tls_step(struct world *w, const char *name)
{
    if (strncmp(name, "tls-", 4) != 0)
        return 0;
    if (strcmp(name, "tls-credential") == 0) {
        new_credential(w);
    } else if (strcmp(name, "tls-context") == 0) {
        new_context(w);
    } else if (strcmp(name, "tls-session") == 0) {
        new_session(w);
    } else if (strcmp(name, "tls-close") == 0) {
        expect(w, CALL(ferronet_tls_session_close, handle(w, word(w, 1)), has(w, "out=null") ? NULL : tls_progress(w)));
    } else if (strcmp(name, "tls-end") == 0) {
        expect(w, CALL(ferronet_tls_session_end_input, handle(w, word(w, 1))));
    } else if (strcmp(name, "tls-info") == 0) {
        ferronet_tls_session_info *info = (ferronet_tls_session_info *)(void *)w->record;

        memset(w->record, 0, sizeof w->record);
        info->size = sizeof *info;
        w->fields = session_fields;
        expect(w, CALL(ferronet_tls_session_get_info, handle(w, word(w, 1)), info));
    } else if (strcmp(name, "tls-counts") == 0) {
        ferronet_tls_context_info *info = (ferronet_tls_context_info *)(void *)w->record;

        memset(w->record, 0, sizeof w->record);
        info->size = sizeof *info;
        w->fields = context_fields;
        expect(w, CALL(ferronet_tls_context_get_info, handle(w, word(w, 1)), info));
    } else if (strcmp(name, "tls-forget") == 0) {
        const char *key = text_arg(w, "key", NULL);

        expect(w, key == NULL ? CALL(ferronet_tls_context_clear_sessions, handle(w, word(w, 1)))
                              : CALL(ferronet_tls_context_remove_session, handle(w, word(w, 1)), key, strlen(key)));
    } else if (strcmp(name, "tls-ticket-keys") == 0) {
        uint8_t keys[96];

        memset(keys, (int)number(w, word(w, 2)), sizeof keys);
        expect(w, CALL(ferronet_tls_context_set_ticket_keys, handle(w, word(w, 1)), keys, (uint64_t)arg(w, "length", 48)));
    } else if (strcmp(name, "tls-ocsp") == 0) {
        static const char response[] = "0stapled";

        expect(w, CALL(ferronet_tls_context_set_ocsp_response, handle(w, word(w, 1)), (uint32_t)arg(w, "index", 0), response, 8));
    } else if (strcmp(name, "tls-bytes") == 0) {
        get_bytes(w);
    } else if (strcmp(name, "tls-export") == 0) {
        export(w);
    } else if (strcmp(name, "tls-names") == 0) {
        names(w);
    } else if (strcmp(name, "tls-call") == 0) {
        call(w);
    } else if (strcmp(name, "tls-free") == 0) {
        struct tls *t = tls_must(w, word(w, 1));
        int32_t status = end(t);

        if (status >= 0)
            t->freed = 1;
        expect(w, status);
    } else {
        return tls_traffic_step(w, name);
    }
    return 1;
}

void tls_close(struct world *w)
{
    int i;

    for (i = 0; i < w->tls_count; i++) {
        struct tls *t = &w->tls[i];
        int32_t status = t->freed ? 0 : end(t);

        if (status < 0)
            fail(w, "freeing %s at the end: %s", t->name, ferronet_status_name(status));
        free(t->outbox);
        free(t->inbox);
    }
    for (i = 0; i < w->file_count; i++)
        free(w->files[i]);
}
