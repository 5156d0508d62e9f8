/*
 * Test only: the functions of libjvm that the JDK's static libraries call inside an image. The build adds a stub that aborts for every other one
 * that they refer to.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

/* The name by which an image asks its VM library to set itself up: there is nothing to set up. */
void initialize(void) {}

int JVM_ActiveProcessorCount(void) {
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

int64_t JVM_NanoTime(void *env, void *ignored) {
    struct timespec now;
    (void)env;
    (void)ignored;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

char *JVM_NativePath(char *path) { return path; }

void *JVM_FindLibraryEntry(void *library, const char *name) { return dlsym(library, name); }

void *JVM_RawMonitorCreate(void) {
    pthread_mutex_t *monitor = malloc(sizeof *monitor);
    if (monitor != NULL && pthread_mutex_init(monitor, NULL) != 0) {
        free(monitor);
        return NULL;
    }
    return monitor;
}

void JVM_RawMonitorDestroy(void *monitor) {
    pthread_mutex_destroy(monitor);
    free(monitor);
}

int JVM_RawMonitorEnter(void *monitor) { return pthread_mutex_lock(monitor); }

void JVM_RawMonitorExit(void *monitor) { pthread_mutex_unlock(monitor); }

int jio_vsnprintf(char *buffer, size_t size, const char *format, va_list arguments) {
    int length = vsnprintf(buffer, size, format, arguments);
    return length < 0 || (size_t)length >= size ? -1 : length;
}

int jio_snprintf(char *buffer, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = jio_vsnprintf(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

int jio_fprintf(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

void JVM_Halt(int code) { _exit(code); }

void JVM_BeforeHalt(void) {}

/* The libraries may have been built against a newer glibc, whose headers rename these. */
int __isoc23_fscanf(FILE *stream, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vfscanf(stream, format, arguments);
    va_end(arguments);
    return count;
}

int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int count = vsscanf(text, format, arguments);
    va_end(arguments);
    return count;
}

long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
