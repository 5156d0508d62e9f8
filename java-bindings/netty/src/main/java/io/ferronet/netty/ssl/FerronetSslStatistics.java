package io.ferronet.netty.ssl;

/**
 * What a context has counted since it was made, also over changes of its session cache.
 *
 * @param handshakesStarted handshakes that began
 * @param handshakesDone handshakes that became complete
 * @param handshakesFailed handshakes that failed
 * @param handshakesResumed handshakes that resumed a session
 * @param cacheEntries sessions in the cache now
 * @param cacheHits sessions that were found in the cache
 * @param cacheMisses sessions that were asked for and not found
 * @param cacheTimeouts sessions that were found and too old
 * @param cacheFull sessions that were dropped because the cache was full
 * @param ticketsIssued tickets issued
 * @param ticketsResumed tickets that resumed a session
 * @param ticketsRenewed tickets that were encrypted with a key other than the first, and so renewed
 * @param ticketsFailed tickets that could not be decrypted or were too old
 */
public record FerronetSslStatistics(
        long handshakesStarted,
        long handshakesDone,
        long handshakesFailed,
        long handshakesResumed,
        long cacheEntries,
        long cacheHits,
        long cacheMisses,
        long cacheTimeouts,
        long cacheFull,
        long ticketsIssued,
        long ticketsResumed,
        long ticketsRenewed,
        long ticketsFailed) {
    static final FerronetSslStatistics NONE = new FerronetSslStatistics(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    FerronetSslStatistics plus(FerronetSslStatistics more) {
        return new FerronetSslStatistics(handshakesStarted + more.handshakesStarted, handshakesDone + more.handshakesDone, handshakesFailed + more.handshakesFailed,
            handshakesResumed + more.handshakesResumed, cacheEntries + more.cacheEntries, cacheHits + more.cacheHits, cacheMisses + more.cacheMisses,
            cacheTimeouts + more.cacheTimeouts, cacheFull + more.cacheFull, ticketsIssued + more.ticketsIssued, ticketsResumed + more.ticketsResumed,
            ticketsRenewed + more.ticketsRenewed, ticketsFailed + more.ticketsFailed);
    }
}
