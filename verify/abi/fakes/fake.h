/* Libraries that pretend to be Ferronet: each defines what differs from a good block, and includes this file. */
#include "ferronet.h"

#ifndef FAKE_MAGIC
#define FAKE_MAGIC FERRONET_ABI_MAGIC
#endif
#ifndef FAKE_SIZE
#define FAKE_SIZE 128
#endif
#ifndef FAKE_REVISION
#define FAKE_REVISION FERRONET_ABI_REVISION
#endif
#ifndef FAKE_FLOOR
#define FAKE_FLOOR FERRONET_ABI_FLOOR
#endif
#ifndef FAKE_FEATURES
#define FAKE_FEATURES (FERRONET_FEATURE_IO_URING | FERRONET_FEATURE_EPOLL)
#endif
#ifndef FAKE_FINGERPRINT
#define FAKE_FINGERPRINT FERRONET_LAYOUT_FINGERPRINT
#endif

/* A later revision may append to the block. */
static const struct {
    ferronet_abi_info known;
    uint64_t later[4];
} block = {
    {FAKE_MAGIC, FAKE_SIZE, FAKE_REVISION, FAKE_FLOOR, 0, 0, FAKE_FEATURES, FAKE_FINGERPRINT, {'f', 'a', 'k', 'e'}, {0}, {0}},
    {1, 2, 3, 4},
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const ferronet_abi_info *ferronet_abi(void) {
    return &block.known;
}
