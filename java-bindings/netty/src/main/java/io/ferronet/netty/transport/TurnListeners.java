package io.ferronet.netty.transport;

import java.util.Arrays;

/** Listeners of the current turn; those that come while they are called wait for the next one. No allocation once it has grown. Loop thread only. */
final class TurnListeners {
    private TurnListener[] waiting = new TurnListener[16];
    private TurnListener[] called = new TurnListener[16];
    private int count;
    private int next;
    private int end;

    boolean isEmpty() {
        return count == 0;
    }

    void add(TurnListener listener) {
        if (count == waiting.length) {
            waiting = Arrays.copyOf(waiting, count * 2);
        }
        waiting[count++] = listener;
    }

    /** Drops a listener wherever it waits. */
    void remove(TurnListener listener) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (waiting[i] != listener) {
                waiting[kept++] = waiting[i];
            }
        }
        Arrays.fill(waiting, kept, count, null);
        count = kept;
        for (int i = next; i < end; i++) {
            if (called[i] == listener) {
                called[i] = null;
            }
        }
    }

    void begin() {
        TurnListener[] empty = called;
        called = waiting;
        waiting = empty;
        next = 0;
        end = count;
        count = 0;
    }

    /** The next listener of the turn, or {@code null} after the last. */
    TurnListener next() {
        while (next < end) {
            TurnListener listener = called[next];
            called[next++] = null;
            if (listener != null) {
                return listener;
            }
        }
        return null;
    }
}
