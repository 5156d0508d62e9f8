/* A library whose function gives nothing. */
#include "ferronet.h"

const ferronet_abi_info *ferronet_abi(void) {
    return NULL;
}
