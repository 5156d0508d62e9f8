package io.ferronet.netty.ssl;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;

/**
 * The sessions of a context that can be resumed, with control over how. Any thread.
 *
 * <p>A server that issues tickets keeps nothing: its sessions are with its clients, and none are listed here. A change of size or timeout holds for sessions that begin afterwards.
 */
public final class FerronetSslSessionContext implements SSLSessionContext {
    private record Entry(FerronetSslSession session, String key, long end) {
    }

    private final NativeTlsContext context;
    /** In the order of their ends, because all have the same lifetime. */
    private final Map<ByteBuffer, Entry> sessions = new LinkedHashMap<>();
    private final Map<String, FerronetSslSession> byKey = new LinkedHashMap<>();
    private int size;
    private int timeoutSeconds;
    private boolean enabled;

    FerronetSslSessionContext(NativeTlsContext context, TlsSettings settings) {
        this.context = context;
        size = settings.cacheSize;
        timeoutSeconds = settings.timeoutSeconds;
        enabled = settings.cached;
    }

    /** Lists a session. */
    void add(FerronetSslSession session, String key) {
        byte[] id = session.getId();
        if (id.length == 0) {
            return;
        }
        synchronized (this) {
            if (!enabled) {
                return;
            }
            expire();
            if (size > 0) {
                while (sessions.size() >= size) {
                    drop(sessions.keySet().iterator().next());
                }
            }
            // A session that was resumed goes to the end, where those are that last longest.
            sessions.remove(ByteBuffer.wrap(id));
            sessions.put(ByteBuffer.wrap(id), new Entry(session, key, now() + timeoutSeconds * 1000L));
            if (key != null) {
                FerronetSslSession earlier = byKey.put(key, session);
                if (earlier != null && earlier.state() != session.state()) {
                    // Only the last one of a peer is resumed.
                    sessions.remove(ByteBuffer.wrap(earlier.getId()));
                }
            }
        }
    }

    /** The state of the session that a client's new connection resumes, or {@code null}. */
    synchronized SessionState resumable(String key) {
        expire();
        FerronetSslSession session = byKey.get(key);
        return session == null ? null : session.state();
    }

    void remove(SessionState state) {
        byte[] id = state.id();
        String key;
        synchronized (this) {
            Entry entry = sessions.get(ByteBuffer.wrap(id));
            key = entry == null ? null : entry.key;
            drop(ByteBuffer.wrap(id));
        }
        context.removeSession(id, key);
    }

    private void drop(ByteBuffer id) {
        Entry entry = sessions.remove(id);
        if (entry != null && entry.key != null) {
            byKey.remove(entry.key, entry.session);
        }
    }

    private void expire() {
        long now = now();
        Iterator<Entry> entries = sessions.values().iterator();
        while (entries.hasNext()) {
            Entry entry = entries.next();
            if (entry.end > now) {
                return;
            }
            entries.remove();
            if (entry.key != null) {
                byKey.remove(entry.key, entry.session);
            }
        }
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    @Override
    public synchronized SSLSession getSession(byte[] sessionId) {
        expire();
        Entry entry = sessions.get(ByteBuffer.wrap(Objects.requireNonNull(sessionId, "sessionId")));
        return entry == null ? null : entry.session;
    }

    @Override
    public synchronized Enumeration<byte[]> getIds() {
        expire();
        List<byte[]> ids = new ArrayList<>(sessions.size());
        for (Entry entry : sessions.values()) {
            ids.add(entry.session.getId());
        }
        return Collections.enumeration(ids);
    }

    @Override
    public void setSessionTimeout(int seconds) {
        if (seconds < 0) {
            throw new IllegalArgumentException("session timeout " + seconds + " (expected: 0 seconds or more, 0 for the default)");
        }
        synchronized (this) {
            timeoutSeconds = seconds == 0 ? TlsSettings.DEFAULT_TIMEOUT_SECONDS : seconds;
        }
        context.reconfigure();
    }

    @Override
    public synchronized int getSessionTimeout() {
        return timeoutSeconds;
    }

    @Override
    public void setSessionCacheSize(int sessionCount) {
        if (sessionCount < 0) {
            throw new IllegalArgumentException("session cache size " + sessionCount + " (expected: 0 or more, 0 for the default)");
        }
        synchronized (this) {
            size = sessionCount == 0 ? TlsSettings.DEFAULT_CACHE_SIZE : sessionCount;
            while (sessions.size() > size) {
                drop(sessions.keySet().iterator().next());
            }
        }
        context.reconfigure();
    }

    @Override
    public synchronized int getSessionCacheSize() {
        return size;
    }

    /**
     * Whether sessions are kept to be resumed: by a client all, by a server those without tickets. What was kept is forgotten; connections that have begun keep what they have.
     *
     * @param newEnabled by default, and by {@link FerronetSslContextOption#SESSION_CACHE}, they are
     */
    public void setSessionCacheEnabled(boolean newEnabled) {
        synchronized (this) {
            enabled = newEnabled;
            if (!newEnabled) {
                sessions.clear();
                byKey.clear();
            }
        }
        context.reconfigure();
    }

    /**
     * Whether sessions are kept to be resumed.
     *
     * @return what was set last
     */
    public synchronized boolean isSessionCacheEnabled() {
        return enabled;
    }

    /**
     * Sets the keys that stateless tickets are encrypted with, so that several servers can resume each other's sessions. Until then the keys are random and are replaced by themselves.
     *
     * @param keys 48 bytes each: 16 of name, 32 of key; the first encrypts, all decrypt
     */
    public void setTicketKeys(byte[]... keys) {
        context.setTicketKeys(keys);
    }

    /** Forgets all sessions that could be resumed. Tickets that clients already have stay good until their keys are replaced. */
    public void clear() {
        synchronized (this) {
            sessions.clear();
            byKey.clear();
        }
        context.clearSessions();
    }

    /**
     * What was counted since the context was made.
     *
     * @return a snapshot
     */
    public FerronetSslStatistics statistics() {
        return context.statistics();
    }
}
