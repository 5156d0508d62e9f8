/* Says which Ferronet library this program runs with, and whether the two fit.
 *
 *   abi_check                   the library that the program is linked with
 *   abi_check FILE [FEATURES]   another one, loaded at run time: only judged, not used. FEATURES are FERRONET_FEATURE_* bits
 *                               that it must have
 *
 * A shared library may be older or newer than the header that a program was compiled with. `ferronet_abi` is callable
 * before anything else is trusted: it takes nothing, allocates nothing and cannot fail. Lines that begin with # depend
 * on the version or the machine. */
#define _POSIX_C_SOURCE 200809L
#include "common.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const ferronet_abi_info *(*abi_function)(void);

static int judge(const char *file, uint64_t features)
{
    char message[512];
    abi_function abi = NULL;
    int32_t status;
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol;

    if (library == NULL) {
        fprintf(stderr, "abi_check: %s\n", dlerror());
        return 1;
    }
    symbol = dlsym(library, "ferronet_abi");
    if (symbol == NULL) {
        fprintf(stderr, "abi_check: %s is not a Ferronet library: it has no symbol ferronet_abi\n", file);
        return 1;
    }
    memcpy(&abi, &symbol, sizeof abi); /* ISO C has no conversion from an object pointer to a function pointer */
    status = ferronet_abi_verify(abi(), file, FERRONET_ABI_REVISION, FERRONET_ABI_REQUIRED, features,
                                 FERRONET_LAYOUT_FINGERPRINT, message, sizeof message);
    if (status < 0) {
        fprintf(stderr, "abi_check: %s\n", message);
        return 1;
    }
    printf("library fits header: yes\n");
    return 0;
}

static const char *yes_no(int condition)
{
    return condition ? "yes" : "no";
}

int main(int argc, char **argv)
{
    const ferronet_abi_info *abi = ferronet_abi();
    char message[512];
    ferronet_attach_params params;
    ferronet_runtime *runtime = NULL;
    ferronet_caps caps;
    int32_t status;

    if (argc == 2 || argc == 3)
        return judge(argv[1], argc == 3 ? strtoull(argv[2], NULL, 0) : 0);
    if (argc > 3) {
        fprintf(stderr, "usage: %s [FILE [FEATURES]]\n", argv[0]);
        return 2;
    }
    if (ferronet_abi_check_message(message, sizeof message) < 0) {
        fprintf(stderr, "abi_check: %s\n", message);
        return 1;
    }
    printf("# library version: %.*s\n", (int)sizeof abi->version, (const char *)abi->version);
    printf("# library revision: %u, floor %u\n", (unsigned)abi->abi_revision, (unsigned)abi->abi_floor);
    printf("# header revision: %u\n", (unsigned)FERRONET_ABI_REVISION);
    printf("# target: %.*s\n", (int)sizeof abi->target, (const char *)abi->target);
    printf("# build: %.*s\n", (int)sizeof abi->build_id, (const char *)abi->build_id);
    printf("library fits header: yes\n");
    printf("test hooks: %s\n", yes_no((abi->flags & FERRONET_ABI_TEST_HOOKS) != 0));
    printf("record sizes: submission %u, completion %u, region %u, address %u\n", (unsigned)sizeof(ferronet_submission),
           (unsigned)sizeof(ferronet_completion), (unsigned)sizeof(ferronet_region), (unsigned)sizeof(ferronet_address));

    /* The same question in the other direction: the library judges its caller. */
    memset(&params, 0, sizeof params);
    params.size = sizeof params;
    params.built_for_revision = FERRONET_ABI_REVISION;
    status = ferronet_attach(&params, &runtime);
    if (status < 0)
        return failed("attach", status, NULL);
    printf("library accepts this program: yes\n");
    ferronet_detach(runtime);

    params.required_features = (uint64_t)1 << 63;
    status = ferronet_attach(&params, &runtime);
    printf("an unknown required feature: %s\n", ferronet_status_name(status));

    /* What was built in is one thing, what the running system allows is another. */
    memset(&caps, 0, sizeof caps);
    caps.size = sizeof caps;
    status = ferronet_probe(&caps);
    if (status < 0)
        return failed("probe", status, NULL);
    printf("built: io_uring %s, epoll %s, kqueue %s\n", yes_no((abi->features_built & FERRONET_FEATURE_IO_URING) != 0),
           yes_no((abi->features_built & FERRONET_FEATURE_EPOLL) != 0), yes_no((abi->features_built & FERRONET_FEATURE_KQUEUE) != 0));
    printf("# runs here: io_uring %s (reason %u), poll %s (reason %u)\n", yes_no(caps.uring_reason == FERRONET_REASON_NONE),
           (unsigned)caps.uring_reason, yes_no(caps.poll_reason == FERRONET_REASON_NONE), (unsigned)caps.poll_reason);
    return 0;
}
