/*
 * Test only: stands in for the builder's libreporterchelper.so. Written from the Java declarations in ProgressReporterCHelper.
 */
#include <jni.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Peak resident memory of the builder in bytes, or -1. */
JNIEXPORT jlong JNICALL Java_com_oracle_svm_hosted_ProgressReporterCHelper_getPeakRSS0(JNIEnv *env, jclass type) {
    struct rusage usage;
    (void)env;
    (void)type;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (jlong)usage.ru_maxrss * 1024 : -1;
}

/* Columns of the terminal, or -1 when the output is none. */
JNIEXPORT jint JNICALL Java_com_oracle_svm_hosted_ProgressReporterCHelper_getTerminalWindowColumns0(JNIEnv *env, jclass type) {
    struct winsize size;
    (void)env;
    (void)type;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? (jint)size.ws_col : -1;
}
