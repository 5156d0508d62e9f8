/* A program of revision 1. It is compiled with headers/frozen/rev-1/ferronet.h and linked with today's library, and must
 * go on to work for as long as the library's floor is 1. */
#include <string.h>

#include "ferronet.h"

static int failed(const char *what, int64_t status, const void *handle) {
    char text[256];

    ferronet_last_error(handle, text, sizeof text);
    printf("%s: %s: %s\n", what, ferronet_status_name((int32_t)status), text);
    return 1;
}

int main(void) {
    ferronet_attach_params params;
    ferronet_runtime *runtime;
    ferronet_reactor_config config;
    ferronet_reactor *reactor;
    ferronet_reactor_areas areas;
    ferronet_reactor_info info;
    ferronet_submission *submission;
    const ferronet_completion *completion;
    ferronet_caps caps;
    char message[256];
    int32_t status;
    int64_t count;

    status = ferronet_abi_check_message(message, sizeof message);
    if (status != FERRONET_OK) {
        printf("check: %s\n", message);
        return 1;
    }
    memset(&params, 0, sizeof params);
    params.size = sizeof params;
    params.built_for_revision = 1;
    if ((status = ferronet_attach(&params, &runtime)) < 0)
        return failed("attach", status, NULL);
    memset(&caps, 0, sizeof caps);
    caps.size = sizeof caps;
    if ((status = ferronet_probe(&caps)) < 0)
        return failed("probe", status, NULL);
    memset(&config, 0, sizeof config);
    config.size = sizeof config;
    config.submission_capacity = 64;
    if ((status = ferronet_reactor_new(runtime, &config, &reactor)) < 0)
        return failed("new", status, runtime);
    if ((status = ferronet_detach(runtime)) < 0)
        return failed("detach", status, runtime);
    if ((status = ferronet_reactor_start(reactor)) < 0)
        return failed("start", status, reactor);
    memset(&areas, 0, sizeof areas);
    areas.size = sizeof areas;
    if ((status = ferronet_reactor_get_areas(reactor, &areas)) < 0)
        return failed("areas", status, reactor);
    submission = (ferronet_submission *)(uintptr_t)areas.submissions;
    completion = (const ferronet_completion *)(uintptr_t)areas.completions;

    /* A record that is wrong in itself is answered by its completion. */
    memset(submission, 0, sizeof *submission);
    submission->op = 255;
    submission->user_data = 42;
    if ((count = ferronet_reactor_turn(reactor, 1, 1000000000)) != 1)
        return failed("turn", count, reactor);
    if (completion->user_data != 42 || completion->result != FERRONET_ERR_UNSUPPORTED_OP) {
        printf("completion: %s\n", ferronet_status_name(completion->result));
        return 1;
    }
    if ((status = ferronet_reactor_wake(reactor)) < 0)
        return failed("wake", status, reactor);
    if ((count = ferronet_reactor_turn(reactor, 0, -1)) != 0)
        return failed("turn after wake", count, reactor);
    if (ferronet_reactor_turn(reactor, 65, 0) != FERRONET_ERR_INVALID_ARGUMENT) {
        printf("too many submissions were taken\n");
        return 1;
    }
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if ((status = ferronet_reactor_get_info(reactor, &info)) < 0)
        return failed("info", status, reactor);
    if (info.submissions != 1 || info.completions != 1) {
        printf("info: %d submissions, %d completions\n", (int)info.submissions, (int)info.completions);
        return 1;
    }
    if ((count = ferronet_reactor_close(reactor, 0)) != 0)
        return failed("close", count, reactor);
    if ((status = ferronet_reactor_free(reactor)) < 0)
        return failed("free", status, reactor);
    printf("revision 1 works with revision %u\n", (unsigned)ferronet_abi()->abi_revision);
    return 0;
}
