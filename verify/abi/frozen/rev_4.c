/* A program of revision 4. It is compiled with headers/frozen/rev-4/ferronet.h and linked with today's library, and must
 * go on to work for as long as the library's floor is not above 4. A library that was built without TLS serves it too: it then expects
 * to be told so. */
#include <string.h>

#include "ferronet.h"

#define ROOM 4000
#define SESSION_TICKET 35

static int failed(const char *what, int64_t status, const void *handle) {
    char text[256];

    ferronet_last_error(handle, text, sizeof text);
    printf("%s: %s: %s\n", what, ferronet_status_name((int32_t)status), text);
    return 1;
}

static uint32_t number(const uint8_t *at) {
    return (uint32_t)at[0] << 8 | at[1];
}

/* Whether the ClientHello in a record has an extension (RFC 5246, 7.4.1.2). */
static int has_extension(const uint8_t *record, uint32_t kind) {
    const uint8_t *at = record + 5 + 4 + 2 + 32;
    const uint8_t *end;

    at += 1 + at[0];
    at += 2 + number(at);
    at += 1 + at[0];
    end = at + 2 + number(at);
    for (at += 2; at < end; at += 4 + number(at + 2)) {
        if (number(at) == kind)
            return 1;
    }
    return 0;
}

/* Whether a client with these context flags asks for a ticket; negative when it could not be made. */
static int asks_for_a_ticket(uint32_t flags) {
    ferronet_tls_config config;
    ferronet_tls_session_config session_config;
    ferronet_tls_progress progress;
    ferronet_tls_context *context;
    ferronet_tls_session *session;
    ferronet_region output;
    uint8_t hello[ROOM];
    int32_t status;

    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.side = FERRONET_TLS_CLIENT;
    config.flags = flags;
    config.trust = FERRONET_TLS_TRUST_INSECURE_NONE;
    config.max_version = FERRONET_TLS_VERSION_1_2;
    if ((status = ferronet_tls_context_new(&config, &context)) < 0)
        return -failed("context_new", status, NULL);
    memset(&session_config, 0, sizeof session_config);
    session_config.size = sizeof session_config;
    session_config.server_name.addr = (uint64_t)(uintptr_t)"server.test";
    session_config.server_name.len = 11;
    if ((status = ferronet_tls_session_new(context, &session_config, &session)) < 0)
        return -failed("session_new", status, context);
    output.addr = (uint64_t)(uintptr_t)hello;
    output.len = sizeof hello;
    progress.size = sizeof progress;
    if ((status = ferronet_tls_session_wrap(session, NULL, 0, &output, &progress)) < 0 || progress.produced < 50)
        return -failed("wrap", status, session);
    if ((status = ferronet_tls_session_free(session)) < 0 || (status = ferronet_tls_context_free(context)) < 0)
        return -failed("free", status, NULL);
    return has_extension(hello, SESSION_TICKET);
}

static int tls(void) {
    ferronet_tls_config config;
    ferronet_tls_context *context;
    int32_t status;

    if (asks_for_a_ticket(0) != 1)
        return failed("a client asks for no ticket", 0, NULL);
    if (asks_for_a_ticket(FERRONET_TLS_NO_RESUMPTION) != 0)
        return failed("a client without resumption asks for a ticket", 0, NULL);
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.side = FERRONET_TLS_CLIENT;
    config.flags = FERRONET_TLS_NO_RESUMPTION | FERRONET_TLS_EARLY_DATA;
    config.trust = FERRONET_TLS_TRUST_INSECURE_NONE;
    if ((status = ferronet_tls_context_new(&config, &context)) != FERRONET_ERR_INVALID_ARGUMENT)
        return failed("early data without resumption", status, NULL);
    return 0;
}

int main(void) {
    char message[256];
    ferronet_tls_context *context;
    int32_t status;

    if (ferronet_abi_check_message(message, sizeof message) != FERRONET_OK) {
        printf("check: %s\n", message);
        return 1;
    }
    if ((ferronet_abi()->features_built & FERRONET_FEATURE_TLS) == 0) {
        if ((status = ferronet_tls_context_new(NULL, &context)) != FERRONET_ERR_FEATURE)
            return failed("TLS without TLS", status, NULL);
    } else if (tls() != 0) {
        return 1;
    }
    printf("revision 4 works with revision %u\n", (unsigned)ferronet_abi()->abi_revision);
    return 0;
}
