package io.ferronet.netty.transport;

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

    static LoopTurnEvent beginTurn() {
        return PRESENT ? Present.beginTurn() : null;
    }

    static void endTurn(LoopTurnEvent event, int completions, int handles) {
        if (event != null) {
            Present.endTurn(event, completions, handles);
        }
    }

    static void fallback(Reactor reactor) {
        if (PRESENT) {
            Present.fallback(reactor);
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
