/* A program of revision 2. It is compiled with headers/frozen/rev-2/ferronet.h and linked with today's library, and must
 * go on to work for as long as the library's floor is not above 2. */
#define FERRONET_FEATURES_REQUIRED FERRONET_FEATURE_ZLIB
#include <string.h>

#include "ferronet.h"

static int failed(const char *what, int64_t status, const void *handle) {
    char text[256];

    ferronet_last_error(handle, text, sizeof text);
    printf("%s: %s: %s\n", what, ferronet_status_name((int32_t)status), text);
    return 1;
}

static int round_trip(uint32_t format) {
    static const char document[] = "to be or not to be, that is to be asked";
    static uint8_t packed[256], unpacked[256];
    ferronet_deflate_config out_config;
    ferronet_inflate_config in_config;
    ferronet_codec_progress progress;
    ferronet_region from, to;
    ferronet_deflate *deflate;
    ferronet_inflate *inflate;
    int32_t status;
    int round;

    memset(&out_config, 0, sizeof out_config);
    out_config.size = sizeof out_config;
    out_config.format = format;
    out_config.level = 1;
    if ((status = ferronet_deflate_new(&out_config, &deflate)) < 0)
        return failed("deflate_new", status, NULL);
    memset(&in_config, 0, sizeof in_config);
    in_config.size = sizeof in_config;
    in_config.max_output = sizeof document;
    if ((status = ferronet_inflate_new(&in_config, &inflate)) < 0)
        return failed("inflate_new", status, NULL);
    for (round = 0; round < 2; round++) {
        from.addr = (uint64_t)(uintptr_t)document;
        from.len = sizeof document;
        to.addr = (uint64_t)(uintptr_t)packed;
        to.len = sizeof packed;
        progress.size = sizeof progress;
        if ((status = ferronet_deflate_process(deflate, &from, &to, FERRONET_FLUSH_FINISH, &progress)) < 0)
            return failed("deflate_process", status, deflate);
        if (progress.state != FERRONET_CODEC_END || progress.consumed != sizeof document)
            return failed("deflate_process did not end", 0, deflate);
        from.addr = to.addr;
        from.len = progress.produced;
        to.addr = (uint64_t)(uintptr_t)unpacked;
        to.len = sizeof unpacked;
        if ((status = ferronet_inflate_process(inflate, &from, &to, FERRONET_FLUSH_FINISH, &progress)) < 0)
            return failed("inflate_process", status, inflate);
        if (progress.state != FERRONET_CODEC_END || progress.produced != sizeof document ||
            memcmp(unpacked, document, sizeof document) != 0)
            return failed("the document differs", 0, inflate);
        if ((status = ferronet_deflate_reset(deflate, NULL)) < 0)
            return failed("deflate_reset", status, deflate);
        if ((status = ferronet_inflate_reset(inflate, NULL)) < 0)
            return failed("inflate_reset", status, inflate);
    }
    packed[0] = 0xff;
    from.len = 10;
    status = ferronet_inflate_process(inflate, &from, &to, FERRONET_FLUSH_FINISH, &progress);
    if (status != FERRONET_ERR_DATA)
        return failed("damaged data was not refused", status, inflate);
    if ((status = ferronet_deflate_free(deflate)) < 0)
        return failed("deflate_free", status, deflate);
    if ((status = ferronet_inflate_free(inflate)) < 0)
        return failed("inflate_free", status, inflate);
    return 0;
}

int main(void) {
    static const char document[] = "whole";
    uint8_t packed[128], unpacked[16];
    char message[256];
    int64_t length;

    if (ferronet_abi_check_message(message, sizeof message) != FERRONET_OK) {
        printf("check: %s\n", message);
        return 1;
    }
    if (round_trip(FERRONET_CODEC_GZIP) != 0 || round_trip(FERRONET_CODEC_ZLIB) != 0 || round_trip(FERRONET_CODEC_RAW) != 0)
        return 1;
    if (ferronet_deflate_bound(sizeof document) > (int64_t)sizeof packed)
        return failed("bound", 0, NULL);
    if ((length = ferronet_deflate_buffer(NULL, document, sizeof document, packed, sizeof packed)) < 0)
        return failed("deflate_buffer", length, NULL);
    if ((length = ferronet_inflate_buffer(NULL, packed, (uint64_t)length, unpacked, sizeof unpacked)) < 0)
        return failed("inflate_buffer", length, NULL);
    if (length != (int64_t)sizeof document || memcmp(unpacked, document, sizeof document) != 0)
        return failed("the buffer differs", 0, NULL);
    printf("revision 2 works with revision %u\n", (unsigned)ferronet_abi()->abi_revision);
    return 0;
}
