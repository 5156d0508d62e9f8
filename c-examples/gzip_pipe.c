/* Compresses standard input to standard output in gzip's format, or back.
 *
 *   gzip_pipe [-1 ... -9]    compress; 6 unless told
 *   gzip_pipe -d             decompress; members that follow each other are one stream
 *
 * One stream, two buffers, any length of data. What goes wrong is said with the byte of the input. */
#define FERRONET_FEATURES_REQUIRED FERRONET_FEATURE_ZLIB
#include "common.h"

#include <stdio.h>
#include <string.h>

enum { CHUNK = 64 * 1024 };

static uint8_t input[CHUNK], output[CHUNK];

/* The same loop serves both directions: this is the call in between. */
struct codec {
    ferronet_deflate *deflate;
    ferronet_inflate *inflate;
};

static int32_t process(const struct codec *codec, const ferronet_region *from, const ferronet_region *to, uint32_t flush,
                       ferronet_codec_progress *progress)
{
    progress->size = sizeof *progress;
    return codec->deflate != NULL ? ferronet_deflate_process(codec->deflate, from, to, flush, progress)
                                  : ferronet_inflate_process(codec->inflate, from, to, flush, progress);
}

static int pump(const struct codec *codec)
{
    ferronet_codec_progress progress;
    ferronet_region from, to;
    uint32_t flush = FERRONET_FLUSH_NONE;
    int32_t status;

    progress.state = FERRONET_CODEC_NEEDS_INPUT;
    while (flush != FERRONET_FLUSH_FINISH) {
        from.addr = (uint64_t)(uintptr_t)input;
        from.len = fread(input, 1, sizeof input, stdin);
        if (from.len < sizeof input)
            flush = FERRONET_FLUSH_FINISH;
        do {
            to.addr = (uint64_t)(uintptr_t)output;
            to.len = sizeof output;
            status = process(codec, &from, &to, flush, &progress);
            if (status < 0)
                return failed("gzip_pipe", status, codec->deflate != NULL ? (const void *)codec->deflate : codec->inflate);
            from.addr += progress.consumed;
            from.len -= progress.consumed;
            if (fwrite(output, 1, (size_t)progress.produced, stdout) != progress.produced) {
                fprintf(stderr, "gzip_pipe: the output cannot be written\n");
                return 1;
            }
        } while (progress.state == FERRONET_CODEC_NEEDS_OUTPUT);
    }
    if (ferror(stdin) || fflush(stdout) != 0) {
        fprintf(stderr, "gzip_pipe: input or output failed\n");
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    char message[512];
    struct codec codec = {NULL, NULL};
    int32_t status;
    int code;

    if (argc > 2 || (argc == 2 && strcmp(argv[1], "-d") != 0 && (argv[1][0] != '-' || argv[1][1] < '1' || argv[1][1] > '9' || argv[1][2] != '\0'))) {
        fprintf(stderr, "usage: %s [-d | -1 ... -9]\n", argv[0]);
        return 2;
    }
    if (ferronet_abi_check_message(message, sizeof message) < 0) {
        fprintf(stderr, "gzip_pipe: %s\n", message);
        return 1;
    }
    if (argc == 2 && argv[1][1] == 'd') {
        ferronet_inflate_config config;

        memset(&config, 0, sizeof config); /* zero is the default of every field */
        config.size = sizeof config;
        config.format = FERRONET_CODEC_GZIP;
        /* The input is the user's own: like gzip itself, this program trusts it. A server would leave the bounds on. */
        config.flags = FERRONET_INFLATE_CONCATENATED | FERRONET_INFLATE_UNBOUNDED;
        status = ferronet_inflate_new(&config, &codec.inflate);
    } else {
        ferronet_deflate_config config;

        memset(&config, 0, sizeof config);
        config.size = sizeof config;
        config.format = FERRONET_CODEC_GZIP;
        config.level = argc == 2 ? argv[1][1] - '0' : FERRONET_LEVEL_DEFAULT;
        status = ferronet_deflate_new(&config, &codec.deflate);
    }
    if (status < 0)
        return failed("gzip_pipe", status, NULL);
    code = pump(&codec);
    if (codec.deflate != NULL)
        ferronet_deflate_free(codec.deflate);
    else
        ferronet_inflate_free(codec.inflate);
    return code;
}
