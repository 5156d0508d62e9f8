package io.ferronet.api;

/** Receives the library's diagnostics. Since revision 1. */
@FunctionalInterface
public interface LogReceiver {
    /** No message. */
    int OFF = 0;
    /** Something failed that the library cannot report otherwise. */
    int ERROR = 1;
    /** Something works, but not as it should. */
    int WARNING = 2;
    /** What was chosen, and why. */
    int INFO = 3;
    /** Details for the library's developers. */
    int DEBUG = 4;

    /**
     * Takes one message, on the thread that logs. An exception is dropped.
     *
     * @param level {@link #ERROR} to {@link #DEBUG}
     * @param text the message
     */
    void log(int level, String text);
}
