/* A program of revision 3. It is compiled with headers/frozen/rev-3/ferronet.h and linked with today's library, and must
 * go on to work for as long as the library's floor is not above 3. A library that was built without TLS serves it too: it then expects
 * to be told so. */
#include <string.h>

#include "ferronet.h"

#define ROOM 20000

/* server.pem, server.key and authority.pem of verify/contract/fixtures. */
static const char chain[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIB9TCCAZugAwIBAgICEAQwCgYIKoZIzj0EAwIwLjEsMCoGA1UEAwwjRmVycm9u\n"
    "ZXQgY29udHJhY3QgaXNzdWluZyBhdXRob3JpdHkwIBcNMjUwMTAxMDAwMDAwWhgP\n"
    "MjEyNTAxMDEwMDAwMDBaMBYxFDASBgNVBAMMC3NlcnZlci50ZXN0MFkwEwYHKoZI\n"
    "zj0CAQYIKoZIzj0DAQcDQgAErHgFfogFzaA4jU7QQyKg6TEovsQU7pnQzFUcfq6U\n"
    "9ChHVndxfC9Svuv/GOVALbzwKFLkfzzyitxKNltuV8bHyaOBvjCBuzAMBgNVHRMB\n"
    "Af8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUEDDAKBggrBgEFBQcDATBGBgNV\n"
    "HREEPzA9ggtzZXJ2ZXIudGVzdIILKi53aWxkLnRlc3SCCWxvY2FsaG9zdIcEfwAA\n"
    "AYcQAAAAAAAAAAAAAAAAAAAAATAdBgNVHQ4EFgQUUuHC/twfXzymAsu/sGuoH91k\n"
    "8uQwHwYDVR0jBBgwFoAUrSFDNEvz99lUHF+Sp8xAlwHXnRYwCgYIKoZIzj0EAwID\n"
    "SAAwRQIhAKRr8SpzogaboEA2K5gNvbB3SnNj8Ieg60lGo4QvD7RmAiAUh0Hdagg+\n"
    "LE7J9uOTBek2R4QhT4KNT/HPY4asXegqpw==\n"
    "-----END CERTIFICATE-----\n"
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBqTCCAU+gAwIBAgICEAIwCgYIKoZIzj0EAwIwJjEkMCIGA1UEAwwbRmVycm9u\n"
    "ZXQgY29udHJhY3QgYXV0aG9yaXR5MCAXDTI1MDEwMTAwMDAwMFoYDzIxMjUwMTAx\n"
    "MDAwMDAwWjAuMSwwKgYDVQQDDCNGZXJyb25ldCBjb250cmFjdCBpc3N1aW5nIGF1\n"
    "dGhvcml0eTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHJCA+DXoka6r0ioI0FC\n"
    "Z6VmacYZr2pGkMCsOaBRwFUynMBg1b8GbzylpSuuE85hhn3RiF50J3pm9rFm1jva\n"
    "wmWjYzBhMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0GA1UdDgQW\n"
    "BBStIUM0S/P32VQcX5KnzECXAdedFjAfBgNVHSMEGDAWgBSuWfrIcbGuv83d75cz\n"
    "6Qtju3CpFjAKBggqhkjOPQQDAgNIADBFAiASDwKDBkwP4fy00SuSmP3Qn+5pOmcC\n"
    "CF8VZCcG2hsbjQIhAOV8meLuzFZ0UBE9IbMSHogDSVU0gPBeTjqy31WRbO8+\n"
    "-----END CERTIFICATE-----\n";
static const char key[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgvMf2bf3aEYophnjg\n"
    "wUKxH6G1jzt45QBygoH4hGJcE16hRANCAASseAV+iAXNoDiNTtBDIqDpMSi+xBTu\n"
    "mdDMVRx+rpT0KEdWd3F8L1K+6/8Y5UAtvPAoUuR/PPKK3Eo2W25XxsfJ\n"
    "-----END PRIVATE KEY-----\n";
static const char roots[] =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBfzCCASagAwIBAgICEAEwCgYIKoZIzj0EAwIwJjEkMCIGA1UEAwwbRmVycm9u\n"
    "ZXQgY29udHJhY3QgYXV0aG9yaXR5MCAXDTI1MDEwMTAwMDAwMFoYDzIxMjUwMTAx\n"
    "MDAwMDAwWjAmMSQwIgYDVQQDDBtGZXJyb25ldCBjb250cmFjdCBhdXRob3JpdHkw\n"
    "WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT79OYQ6njz6jkfDicjG8x9D4KIhuvB\n"
    "nqbwusLds3WVl/MopTzHmKiFl4y+x+A033LQe/57leMuDv/aWGKic/6Io0IwQDAP\n"
    "BgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAdBgNVHQ4EFgQUrln6yHGx\n"
    "rr/N3e+XM+kLY7twqRYwCgYIKoZIzj0EAwIDRwAwRAIgIeMVFVcHpme5lngCsh6m\n"
    "ei+oB/mdsR5J6/w5CIIIySsCIDMpJynybwdMMY0fg09Gn7sEQQmQ15TWh1+Xneqv\n"
    "4gNR\n"
    "-----END CERTIFICATE-----\n";

static int failed(const char *what, int64_t status, const void *handle) {
    char text[256];

    ferronet_last_error(handle, text, sizeof text);
    printf("%s: %s: %s\n", what, ferronet_status_name((int32_t)status), text);
    return 1;
}

static ferronet_region region(const void *address, uint64_t length) {
    ferronet_region result;

    result.addr = (uint64_t)(uintptr_t)address;
    result.len = length;
    return result;
}

struct end {
    ferronet_tls_session *session;
    /* What waits for the peer. */
    uint8_t out[ROOM];
    uint64_t length;
    uint32_t state;
    uint32_t events;
};

/* Sends a text of an end, or what it has to send of its own. */
static int send_text(struct end *end, const char *text) {
    ferronet_region source = region(text, text == NULL ? 0 : strlen(text));
    ferronet_region room = region(end->out + end->length, ROOM - end->length);
    ferronet_tls_progress progress;
    int32_t status;

    progress.size = sizeof progress;
    status = ferronet_tls_session_wrap(end->session, &source, text != NULL, &room, &progress);
    if (status < 0)
        return failed("wrap", status, end->session);
    end->length += progress.produced;
    end->state = progress.state;
    end->events |= progress.events;
    return 0;
}

/* Gives one end what the other has sent, and what it says to `text`. */
static int receive(struct end *end, struct end *peer, char *text, uint64_t capacity) {
    ferronet_region input, output = region(text, capacity);
    ferronet_tls_progress progress;
    uint64_t taken = 0, given = 0;
    int32_t status;

    do {
        input = region(peer->out + taken, peer->length - taken);
        output = region(text + given, capacity - given);
        progress.size = sizeof progress;
        status = ferronet_tls_session_unwrap(end->session, &input, 1, &output, 1, 0, &progress);
        if (status < 0)
            return failed("unwrap", status, end->session);
        taken += progress.consumed;
        given += progress.produced;
        end->state = progress.state;
        end->events |= progress.events;
    } while (progress.consumed > 0 && taken < peer->length);
    /* What was not taken waits for the next call. */
    memmove(peer->out, peer->out + taken, peer->length - taken);
    peer->length -= taken;
    text[given] = 0;
    return 0;
}

static int conversation(ferronet_tls_context *clients, ferronet_tls_context *servers) {
    static struct end client, server;
    ferronet_tls_session_config config;
    ferronet_tls_session_info info;
    ferronet_tls_context_info counts;
    uint8_t certificate[2000], exported[2][32];
    char text[100], protocol[16];
    int64_t length;
    int32_t status;
    int round;

    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.server_name = region("server.test", 11);
    if ((status = ferronet_tls_session_new(clients, &config, &client.session)) < 0)
        return failed("session_new", status, clients);
    if ((status = ferronet_tls_session_new(servers, NULL, &server.session)) < 0)
        return failed("session_new", status, servers);
    for (round = 0; round < 4; round++) {
        if (send_text(&client, NULL) != 0 || receive(&server, &client, text, sizeof text - 1) != 0 ||
            send_text(&server, NULL) != 0 || receive(&client, &server, text, sizeof text - 1) != 0)
            return 1;
    }
    if ((client.events & server.events & FERRONET_TLS_EVENT_HANDSHAKE_DONE) == 0 || client.state != FERRONET_TLS_STATE_OPEN)
        return failed("the handshake is not complete", 0, client.session);
    if (send_text(&client, "to be") != 0 || receive(&server, &client, text, sizeof text - 1) != 0 || strcmp(text, "to be") != 0)
        return failed("the text differs", 0, server.session);
    info.size = sizeof info;
    if ((status = ferronet_tls_session_get_info(client.session, &info)) < 0)
        return failed("session_get_info", status, client.session);
    if (info.version != FERRONET_TLS_VERSION_1_3 || info.peer_certificates != 2 || info.bytes_out != 5)
        return failed("session_get_info", 0, client.session);
    length = ferronet_tls_session_get_bytes(client.session, FERRONET_TLS_BYTES_ALPN, 0, protocol, sizeof protocol);
    if (length != 2 || memcmp(protocol, "h2", 2) != 0)
        return failed("ALPN", length, client.session);
    length = ferronet_tls_session_get_bytes(client.session, FERRONET_TLS_BYTES_PEER_CERTIFICATE, 0, certificate, sizeof certificate);
    if (length < 100 || certificate[0] != 0x30)
        return failed("peer certificate", length, client.session);
    if ((status = ferronet_tls_session_export(client.session, "EXPORTER-test", 13, NULL, 0, exported[0], 32)) < 0 ||
        (status = ferronet_tls_session_export(server.session, "EXPORTER-test", 13, NULL, 0, exported[1], 32)) < 0)
        return failed("export", status, client.session);
    if (memcmp(exported[0], exported[1], 32) != 0)
        return failed("the exported material differs", 0, client.session);
    {
        ferronet_tls_progress progress;

        progress.size = sizeof progress;
        if ((status = ferronet_tls_session_close(client.session, &progress)) < 0)
            return failed("close", status, client.session);
    }
    if (send_text(&client, NULL) != 0 || receive(&server, &client, text, sizeof text - 1) != 0)
        return 1;
    if ((server.events & FERRONET_TLS_EVENT_CLOSE_NOTIFY_RECEIVED) == 0)
        return failed("no close_notify", 0, server.session);
    if ((status = ferronet_tls_session_end_input(server.session)) < 0)
        return failed("end_input", status, server.session);
    if ((status = ferronet_tls_session_end_input(client.session)) != FERRONET_ERR_TLS_TRUNCATED)
        return failed("a truncated connection was not noticed", status, client.session);
    counts.size = sizeof counts;
    if ((status = ferronet_tls_context_get_info(servers, &counts)) < 0 || counts.handshakes_done != 1)
        return failed("context_get_info", status, servers);
    if ((status = ferronet_tls_session_free(client.session)) < 0 || (status = ferronet_tls_session_free(server.session)) < 0)
        return failed("session_free", status, client.session);
    return 0;
}

static int tls(void) {
    static const char names[] = "\2h2\10http/1.1";
    ferronet_tls_credential_config credential_config;
    ferronet_tls_config config;
    ferronet_tls_credential *credential;
    ferronet_tls_context *clients, *servers;
    int32_t status;

    memset(&credential_config, 0, sizeof credential_config);
    credential_config.size = sizeof credential_config;
    credential_config.chain = region(chain, strlen(chain));
    credential_config.key = region(key, strlen(key));
    if ((status = ferronet_tls_credential_new(&credential_config, &credential)) < 0)
        return failed("credential_new", status, NULL);
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.side = FERRONET_TLS_SERVER;
    config.credentials = (uint64_t)(uintptr_t)&credential;
    config.credential_count = 1;
    config.alpn = region(names, sizeof names - 1);
    if ((status = ferronet_tls_context_new(&config, &servers)) < 0)
        return failed("context_new", status, NULL);
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.side = FERRONET_TLS_CLIENT;
    config.trust = FERRONET_TLS_TRUST_ROOTS;
    config.roots = region(roots, strlen(roots));
    config.alpn = region(names, 3);
    if ((status = ferronet_tls_context_new(&config, &clients)) < 0)
        return failed("context_new", status, NULL);
    if ((status = ferronet_tls_credential_free(credential)) < 0)
        return failed("credential_free", status, credential);
    if (conversation(clients, servers) != 0)
        return 1;
    if ((status = ferronet_tls_context_free(clients)) < 0 || (status = ferronet_tls_context_free(servers)) < 0)
        return failed("context_free", status, NULL);
    return 0;
}

int main(void) {
    char message[256], suites[2000];
    int64_t length;

    if (ferronet_abi_check_message(message, sizeof message) != FERRONET_OK) {
        printf("check: %s\n", message);
        return 1;
    }
    length = ferronet_tls_names(FERRONET_TLS_NAMES_SUITES, suites, sizeof suites);
    if ((ferronet_abi()->features_built & FERRONET_FEATURE_TLS) == 0) {
        if (length != FERRONET_ERR_FEATURE)
            return failed("TLS without TLS", length, NULL);
    } else {
        if (length < 0 || length >= (int64_t)sizeof suites)
            return failed("names", length, NULL);
        if (tls() != 0)
            return 1;
    }
    printf("revision 3 works with revision %u\n", (unsigned)ferronet_abi()->abi_revision);
    return 0;
}
