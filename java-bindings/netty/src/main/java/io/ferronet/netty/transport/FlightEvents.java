package io.ferronet.netty.transport;

import jdk.jfr.FlightRecorder;

/** Flight recorder events, where the JVM has the flight recorder. */
final class FlightEvents {
    private static final boolean PRESENT = present();

    private FlightEvents() {
    }

    private static boolean present() {
        try {
            return Class.forName("jdk.jfr.Event") != null;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /**
     * Whether a recording was ever started. Before that no event class is touched: the first one sets up the recorder's
     * type repository, about 0.1 s on the thread of the first event loop.
     */
    private static boolean isUsed() {
        return PRESENT && Recorder.isInitialized();
    }

    static LoopTurnEvent beginTurn() {
        return isUsed() ? Present.beginTurn() : null;
    }

    static void endTurn(LoopTurnEvent event, int completions, int handles) {
        if (event != null) {
            Present.endTurn(event, completions, handles);
        }
    }

    static void fallback(Reactor reactor) {
        if (isUsed()) {
            Present.fallback(reactor);
        }
    }

    /** Apart for the same reason as below. */
    private static final class Recorder {
        static boolean isInitialized() {
            return FlightRecorder.isInitialized();
        }
    }

    /** Apart, so that no event class is linked where there is no flight recorder. */
    private static final class Present {
        static LoopTurnEvent beginTurn() {
            LoopTurnEvent event = new LoopTurnEvent();
            if (!event.isEnabled()) {
                return null;
            }
            event.begin();
            return event;
        }

        static void endTurn(LoopTurnEvent event, int completions, int handles) {
            event.end();
            if (event.shouldCommit()) {
                event.completions = completions;
                event.handles = handles;
                event.commit();
            }
        }

        static void fallback(Reactor reactor) {
            FallbackEvent event = new FallbackEvent();
            if (event.shouldCommit()) {
                event.backend = reactor.backend().name();
                event.reason = reactor.fallbackReason().name();
                event.status = reactor.fallbackStatus();
                event.commit();
            }
        }
    }
}
