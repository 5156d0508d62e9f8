package io.ferronet.netty.transport;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.Arrays;

/** The registrations of a loop by their slots, of which one that is free again is the next to be taken. Slot 0 belongs to the lent buffers. Loop thread only. */
final class RegistrationTable {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RegistrationTable.class);
    private static final int FIRST = 64;

    private Registration[] registrations = new Registration[FIRST];
    /** Slots that were used and are free again, as a stack. */
    private int[] freeSlots = new int[FIRST];
    private int freeCount;
    private int nextSlot = 1;

    /** The registration, or {@code null}. */
    Registration get(int slot) {
        return slot < registrations.length ? registrations[slot] : null;
    }

    /** A slot for {@link #put}. */
    int take() {
        if (freeCount > 0) {
            return freeSlots[--freeCount];
        }
        if (nextSlot == registrations.length) {
            registrations = Arrays.copyOf(registrations, nextSlot * 2);
        }
        return nextSlot++;
    }

    void put(Registration registration) {
        registrations[registration.slot()] = registration;
    }

    void remove(Registration registration) {
        registrations[registration.slot()] = null;
        if (freeCount == freeSlots.length) {
            freeSlots = Arrays.copyOf(freeSlots, freeCount * 2);
        }
        freeSlots[freeCount++] = registration.slot();
    }

    boolean hasOutstanding() {
        for (Registration registration : registrations) {
            if (registration != null && registration.outstanding() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Cancels what handles that did not close have in flight. */
    void cancelOutstanding() {
        for (Registration registration : registrations) {
            if (registration != null) {
                registration.cancelAll();
            }
        }
    }

    void closeHandles() {
        for (Registration registration : registrations.clone()) {
            if (registration != null && registration.isValid()) {
                try {
                    registration.handle().close();
                } catch (Exception e) {
                    LOGGER.debug("A handle failed to close.", e);
                }
            }
        }
    }

    /** Lets closes and deregistrations end that wait for operations which will not be reported. */
    void giveUp(boolean closed) {
        for (Registration registration : registrations.clone()) {
            if (registration != null) {
                try {
                    registration.giveUp(closed);
                } catch (Exception e) {
                    LOGGER.warn("A channel failed to close.", e);
                }
            }
        }
    }

    /** The reactor is closed and nothing is in flight any more. */
    void terminate() {
        for (Registration registration : registrations.clone()) {
            if (registration != null) {
                registration.terminate();
            }
        }
    }
}
