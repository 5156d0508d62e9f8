/* Loads a library and says whether it serves this program: abi_load FILE [REQUIRED_FEATURES].
 * Prints the status's name, a space and the message; the exit status is 0 when there is a verdict. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "ferronet.h"

static const char *name(int32_t status) {
    switch (status) {
    case FERRONET_OK:
        return "FERRONET_OK";
    case FERRONET_ERR_ABI:
        return "FERRONET_ERR_ABI";
    case FERRONET_ERR_FEATURE:
        return "FERRONET_ERR_FEATURE";
    default:
        return "UNKNOWN";
    }
}

int main(int argc, char **argv) {
    const ferronet_abi_info *(*abi)(void);
    char message[512];
    void *library, *symbol;
    uint64_t features;
    int32_t status;

    if (argc < 2) {
        fprintf(stderr, "usage: abi_load FILE [REQUIRED_FEATURES]\n");
        return 2;
    }
    features = argc > 2 ? strtoull(argv[2], NULL, 0) : 0;
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    symbol = dlsym(library, "ferronet_abi");
    if (symbol == NULL) {
        status = FERRONET_ERR_ABI;
        snprintf(message, sizeof message, "%s is not a Ferronet library: it has no symbol ferronet_abi", argv[1]);
    } else {
        memcpy(&abi, &symbol, sizeof abi);
        status = ferronet_abi_verify(abi(), argv[1], FERRONET_ABI_REVISION, FERRONET_ABI_REQUIRED, features,
                                     FERRONET_LAYOUT_FINGERPRINT, message, sizeof message);
    }
    printf("%s %s\n", name(status), message);
    dlclose(library);
    return 0;
}
