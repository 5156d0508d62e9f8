package io.ferronet.nativeimage;

import io.ferronet.api.TlsCallbacks;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The TLS callbacks of an isolate, by the session's number. */
final class TlsRegistry {
    private static final Map<Long, TlsCallbacks> CALLBACKS = new ConcurrentHashMap<>();
    private static final AtomicLong NEXT = new AtomicLong(1);

    private TlsRegistry() {
    }

    static long register(TlsCallbacks callbacks) {
        long user = NEXT.getAndIncrement();
        CALLBACKS.put(user, Objects.requireNonNull(callbacks, "callbacks"));
        return user;
    }

    static void unregister(long user) {
        CALLBACKS.remove(user);
    }

    static TlsCallbacks of(long user) {
        return CALLBACKS.get(user);
    }
}
