package io.ferronet.api;

/** Receives the library's diagnostics. */
@FunctionalInterface
public interface LogReceiver {
    /**
     * Takes one message, on the thread that logs. An exception is dropped.
     *
     * @param level 1 error, 2 warning, 3 information, 4 debugging
     * @param text the message
     */
    void log(int level, String text);
}
