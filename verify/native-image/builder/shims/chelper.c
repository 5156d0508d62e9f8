/*
 * Test only: stands in for the image's liblibchelper.a. Written from the @CFunction declarations of the published svm classes and from what the
 * linker misses. The processor is taken for good enough, the language is always English, and there is no attach listener.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "amd64cpufeatures.h"
#include "svm_locale.h"

extern char **environ;
extern char *findJavaTZ_md(const char *java_home);

char **getEnviron(void) { return environ; }

/* The mapping table is for Windows only. */
char *SVM_FindJavaTZmd(const char *mappings, int length) {
    (void)mappings;
    (void)length;
    return findJavaTZ_md("");
}

void codeSynchronization_clearCache(long start, long size) { __builtin___clear_cache((char *)start, (char *)start + size); }

int getThreadId(void) { return (int)syscall(SYS_gettid); }

long getThreadUserTimeSlow(int thread) {
    (void)thread;
    return -1;
}

void *mremapP(void *old, size_t old_size, size_t new_size, int flags, void *new_address) { return mremap(old, old_size, new_size, flags, new_address); }

/* No feature is reported: an image for the baseline needs none. */
void determineCPUFeatures(CPUFeatures *features) { *features = (CPUFeatures) {0}; }

int checkCPUFeatures(const uint8_t *needed) {
    (void)needed;
    return 0;
}

int checkCPUFeaturesOrExit(const uint8_t *needed, const char *message) {
    (void)needed;
    (void)message;
    return 0;
}

static svm_locale_props_t english = {"en", NULL, NULL, NULL, "en", NULL, NULL, NULL};

int svm_initialize_locale(void) { return SVM_LOCALE_INITIALIZATION_SUCCEEDED; }

const svm_locale_props_t *svm_get_locale(void) { return &english; }

/* Variadic functions under names that are called with fixed arguments. */
int openSII(const char *path, int flags, int mode) { return open(path, flags, mode); }

int openatISII(int directory, const char *path, int flags, int mode) { return openat(directory, path, flags, mode); }

int fprintfSD(FILE *stream, const char *format, const char *text, int number) {
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return fprintf(stream, format, text, number);
}

/* Signals: the handler counts, and the dispatcher thread takes what was counted. One isolate at a time owns them. */
enum { SIGNALS = 65 };

static atomic_int claimed;
static atomic_int pending[SIGNALS];
static sem_t arrived;

int cSunMiscSignal_open(void) {
    int unclaimed = 0;
    if (!atomic_compare_exchange_strong(&claimed, &unclaimed, 1)) {
        return 1;
    }
    if (sem_init(&arrived, 0, 0) != 0) {
        atomic_store(&claimed, 0);
        return -1;
    }
    return 0;
}

int cSunMiscSignal_close(void) {
    int status = sem_destroy(&arrived);
    atomic_store(&claimed, 0);
    return status;
}

int cSunMiscSignal_awaitSemaphore(void) {
    while (sem_wait(&arrived) != 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}

int cSunMiscSignal_signalSemaphore(void) { return sem_post(&arrived); }

int cSunMiscSignal_signalRangeCheck(int number) { return number >= 0 && number < SIGNALS; }

int cSunMiscSignal_checkPendingSignal(void) {
    for (int number = 0; number < SIGNALS; number++) {
        int count = atomic_load(&pending[number]);
        while (count > 0) {
            if (atomic_compare_exchange_weak(&pending[number], &count, count - 1)) {
                return number;
            }
        }
    }
    return -1;
}

static void count_signal(int number) {
    int saved = errno;
    if (cSunMiscSignal_signalRangeCheck(number)) {
        atomic_fetch_add(&pending[number], 1);
        sem_post(&arrived);
    }
    errno = saved;
}

void (*cSunMiscSignal_signalHandlerFunctionPointer(void))(int) { return count_signal; }
