/* Runs the contract cases against the Ferronet library that this program is linked with.
 * usage: contract --cases DIR [--backend auto|io_uring|poll] [--only NAME,NAME...] [--fault NAME] [--limit MS] [--reached FILE]
 * Prints "ok BACKEND/CASE", "not ok BACKEND/CASE - why" or "skip BACKEND/CASE - what is missing". */
#define _POSIX_C_SOURCE 200809L
#include "world.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct options {
    const char *cases, *backend_name, *only, *fault, *reached;
    uint32_t backend;
    int64_t limit_ms;
};

struct elsewhere {
    struct world *world;
    struct step step;
};

struct later {
    ferronet_reactor *reactor;
    long long delay_ms;
};

static void sleep_ms(long long ms)
{
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

static void *run_elsewhere(void *context)
{
    struct elsewhere *e = context;

    run_step(e->world, &e->step);
    return NULL;
}

/* elsewhere STEP...: on another thread, which is waited for. */
static void elsewhere(struct world *w)
{
    struct elsewhere e = {w, *w->step};
    pthread_t thread;

    e.step.words++;
    e.step.count--;
    if (pthread_create(&thread, NULL, run_elsewhere, &e) != 0)
        fail(w, "no thread");
    pthread_join(thread, NULL);
}

/* Runs beside the case's own thread, so it touches nothing of the world. */
static void *run_later(void *context)
{
    struct later *l = context;

    sleep_ms(l->delay_ms);
    CALL(ferronet_reactor_wake, l->reactor);
    free(l);
    return NULL;
}

/* later MS wake REACTOR: on another thread, in a while. */
static void later(struct world *w)
{
    struct later *l = malloc(sizeof *l);

    if (l == NULL)
        abort();
    if (strcmp(word(w, 2), "wake") != 0)
        fail(w, "later can only wake");
    l->reactor = handle(w, word(w, 3));
    l->delay_ms = number(w, word(w, 1));
    if (w->thread_count == MAX_THREADS || pthread_create(&w->threads[w->thread_count], NULL, run_later, l) != 0)
        fail(w, "no thread");
    w->thread_count++;
}

static int thread_step(struct world *w, const char *name)
{
    if (strcmp(name, "elsewhere") == 0)
        elsewhere(w);
    else if (strcmp(name, "later") == 0)
        later(w);
    else
        return 0;
    return 1;
}

void run_step(struct world *w, const struct step *step)
{
    const char *name = step->words[0];

    w->step = step;
    if (!abi_step(w, name) && !reactor_step(w, name) && !socket_step(w, name) && !operation_step(w, name) && !stream_step(w, name) && !codec_step(w, name) &&
        !tls_step(w, name) && !thread_step(w, name))
        fail(w, "unknown step %s", name);
}

static void run_script(const struct suite *suite, const struct script *script, const struct options *options)
{
    static struct world w;
    int i;

    memset(&w, 0, sizeof w);
    w.cases = options->cases;
    w.suite = suite;
    w.script = script;
    w.backend = options->backend;
    w.limit_ns = options->limit_ms * 1000000;
    reach_save(options->reached);
    world_open(&w);
    for (i = 0; i < script->step_count; i++)
        run_step(&w, &script->steps[i]);
    world_close(&w);
}

static int has_ipv6(void)
{
    struct sockaddr_in6 address;
    int fd = socket(AF_INET6, SOCK_STREAM, 0), works;

    memset(&address, 0, sizeof address);
    address.sin6_family = AF_INET6;
    address.sin6_addr = in6addr_loopback;
    works = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    if (fd >= 0)
        close(fd);
    return works;
}

static int has_privileged_ports(void)
{
    int first = 1024;
    FILE *file = fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "r");

    if (file != NULL) {
        if (fscanf(file, "%d", &first) != 1)
            first = 1024;
        fclose(file);
    }
    return first > 1;
}

/* Whether the privilege for ports below 1024 (CAP_NET_BIND_SERVICE, bit 10) is in force. */
static int has_bind_privilege(void)
{
    char line[128];
    unsigned long long capabilities = 0;
    int known = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file != NULL && !known && fgets(line, sizeof line, file) != NULL)
        known = sscanf(line, "CapEff: %llx", &capabilities) == 1;
    if (file != NULL)
        fclose(file);
    return known ? (int)(capabilities >> 10 & 1) : geteuid() == 0;
}

/* Whether the script is part of this run; `missing` names what the machine lacks. */
static int wanted(const struct script *script, const struct options *options, const char **missing)
{
    int i;

    *missing = NULL;
    for (i = 0; i < script->need_count; i++) {
        const char *need = script->needs[i];

        if (strncmp(need, "fault=", 6) == 0) {
            if (options->fault == NULL || strcmp(need + 6, options->fault) != 0)
                return 0;
        } else if (strcmp(need, "io_uring") == 0 || strcmp(need, "poll") == 0) {
            if (strcmp(need, options->backend_name) != 0)
                return 0;
        } else if (strcmp(need, "ipv6") == 0) {
            if (!has_ipv6())
                *missing = "IPv6 on the loopback interface";
        } else if (strcmp(need, "privileged-ports") == 0) {
            if (!has_privileged_ports())
                *missing = "ports that need a privilege";
        } else if (strcmp(need, "no-bind-privilege") == 0) {
            if (has_bind_privilege())
                *missing = "a process without CAP_NET_BIND_SERVICE: setpriv (util-linux) can start one";
        } else {
            *missing = "an unknown need";
        }
    }
    if (options->only != NULL) {
        const char *at = options->only;
        size_t length = strlen(script->name);

        while (at != NULL && !(strncmp(at, script->name, length) == 0 && (at[length] == ',' || at[length] == '\0'))) {
            at = strchr(at, ',');
            if (at != NULL)
                at++;
        }
        return at != NULL;
    }
    return 1;
}

/* Runs a case in a process of its own. Returns whether it passed, and why not. */
static int run_case(const struct suite *suite, const struct script *script, const struct options *options, char *why, size_t capacity)
{
    int pipes[2], status = 0;
    size_t used = 0;
    int64_t deadline = now_ns() + (4 * options->limit_ms + 5000) * 1000000;
    struct pollfd wait_for;
    pid_t child;

    why[0] = '\0';
    fflush(stdout);
    if (pipe(pipes) != 0 || (child = fork()) < 0) {
        snprintf(why, capacity, "no process for the case");
        return 0;
    }
    if (child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        run_script(suite, script, options);
        exit(0);
    }
    close(pipes[1]);
    wait_for.fd = pipes[0];
    wait_for.events = POLLIN;
    for (;;) {
        int64_t left = (deadline - now_ns()) / 1000000;
        ssize_t moved;

        if (left <= 0 || poll(&wait_for, 1, (int)left) <= 0) {
            kill(child, SIGKILL);
            snprintf(why, capacity, "it did not end in time");
            break;
        }
        moved = read(pipes[0], why + used, capacity - 1 - used);
        if (moved <= 0)
            break;
        used += (size_t)moved;
        why[used] = '\0';
    }
    close(pipes[0]);
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) && why[0] == '\0')
        snprintf(why, capacity, "ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0 && why[0] == '\0')
        snprintf(why, capacity, "ended with code %d", WEXITSTATUS(status));
    why[strcspn(why, "\n")] = '\0';
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int read_options(int argc, char **argv, struct options *o)
{
    int i;

    memset(o, 0, sizeof *o);
    o->backend_name = "auto";
    o->limit_ms = 5000;
    for (i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];

        if (strcmp(name, "--cases") == 0)
            o->cases = value;
        else if (strcmp(name, "--backend") == 0)
            o->backend_name = value;
        else if (strcmp(name, "--only") == 0)
            o->only = value;
        else if (strcmp(name, "--fault") == 0)
            o->fault = value;
        else if (strcmp(name, "--limit") == 0)
            o->limit_ms = atoi(value);
        else if (strcmp(name, "--reached") == 0)
            o->reached = value;
        else
            return 0;
    }
    o->backend = strcmp(o->backend_name, "io_uring") == 0 ? FERRONET_BACKEND_IO_URING
               : strcmp(o->backend_name, "poll") == 0     ? FERRONET_BACKEND_POLL
                                                          : FERRONET_BACKEND_AUTO;
    return i == argc && o->cases != NULL && o->limit_ms > 0 &&
           (o->backend != FERRONET_BACKEND_AUTO || strcmp(o->backend_name, "auto") == 0);
}

int main(int argc, char **argv)
{
    struct options options;
    static struct suite suite; /* kept to the end */
    char text[1024];
    int i, failures = 0;

    if (!read_options(argc, argv, &options)) {
        fprintf(stderr,
                "usage: %s --cases DIR [--backend auto|io_uring|poll] [--only NAME,...] [--fault NAME] [--limit MS] "
                "[--reached FILE]\n",
                argv[0]);
        return 2;
    }
    if (suite_load(&suite, options.cases, text, sizeof text) != 0) {
        fprintf(stderr, "contract: %s\n", text);
        return 2;
    }
    for (i = 0; i < suite.script_count; i++) {
        const struct script *script = &suite.scripts[i];
        const char *missing = NULL;

        if (!wanted(script, &options, &missing))
            continue;
        if (missing != NULL) {
            printf("skip %s/%s - %s\n", options.backend_name, script->name, missing);
        } else if (run_case(&suite, script, &options, text, sizeof text)) {
            printf("ok %s/%s\n", options.backend_name, script->name);
        } else {
            printf("not ok %s/%s - %s\n", options.backend_name, script->name, text);
            failures++;
        }
    }
    return failures > 0;
}
