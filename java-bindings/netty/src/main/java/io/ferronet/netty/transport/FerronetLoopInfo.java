package io.ferronet.netty.transport;

import io.ferronet.api.Backend;
import io.ferronet.api.Reason;

/**
 * What an event loop uses and has done.
 *
 * @param backend the backend in use
 * @param requestedBackend the backend that was asked for
 * @param fallbackReason why {@link Backend#AUTO} did not take io_uring; {@link Reason#NONE} if it did, or was not asked
 * @param fallbackStatus the status behind the reason, or 0
 * @param ringFeatures {@link io.ferronet.api.RingFeature} bits in use
 * @param registrations handles that are registered now
 * @param turns loop iterations
 * @param completions completions that were dispatched
 * @param wakeups wake-ups that crossed into native code
 */
public record FerronetLoopInfo(Backend backend, Backend requestedBackend, Reason fallbackReason, int fallbackStatus, long ringFeatures,
        int registrations, long turns, long completions, long wakeups) {
}
