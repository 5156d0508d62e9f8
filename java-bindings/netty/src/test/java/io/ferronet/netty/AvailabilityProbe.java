package io.ferronet.netty;

import io.ferronet.netty.transport.FerronetIoHandler;
import io.ferronet.netty.transport.FerronetSocketChannel;

/** What {@link AvailabilityTest} runs in a JVM of its own: every way to find out that Ferronet cannot be used. */
final class AvailabilityProbe {
    private AvailabilityProbe() {
    }

    public static void main(String[] arguments) {
        System.out.println("available " + Ferronet.isAvailable());
        Throwable cause = Ferronet.unavailabilityCause();
        if (cause == null) {
            System.out.println("backend " + Ferronet.backend() + ", library " + Ferronet.library().source());
            return;
        }
        System.out.println("cause " + cause.getClass().getSimpleName() + ": " + cause.getMessage());
        print("ensure", Ferronet::ensureAvailability);
        print("factory", FerronetIoHandler::newFactory);
        print("channel", FerronetSocketChannel::new);
        print("backend", Ferronet::backend);
    }

    private static void print(String what, Runnable action) {
        try {
            action.run();
            System.out.println(what + " succeeded");
        } catch (Throwable e) {
            System.out.println(what + " " + e.getClass().getSimpleName() + ": " + e.getMessage());
        }
    }
}
