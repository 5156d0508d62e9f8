package io.ferronet.netty.ssl;

import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionBindingEvent;
import javax.net.ssl.SSLSessionBindingListener;

/** What all connections of one session have in common: a resumed session sees the values of the one that it resumes. Any thread. */
final class SessionState {
    private static final byte[] NO_ID = {};

    final long creationTime = System.currentTimeMillis();
    /** {@code null} while there is none. */
    private Map<String, Object> values;
    private byte[] id = NO_ID;
    private boolean valid = true;
    private long lastAccessedTime = creationTime;

    synchronized byte[] id() {
        return id.clone();
    }

    synchronized void setId(byte[] value) {
        id = value.clone();
    }

    synchronized boolean isValid() {
        return valid;
    }

    /** Returns whether it was valid. */
    synchronized boolean invalidate() {
        boolean was = valid;
        valid = false;
        return was;
    }

    synchronized long lastAccessedTime() {
        return lastAccessedTime;
    }

    synchronized void access() {
        lastAccessedTime = System.currentTimeMillis();
    }

    void put(SSLSession session, String name, Object value) {
        Object old;
        synchronized (this) {
            if (values == null) {
                values = new LinkedHashMap<>();
            }
            old = values.put(name, value);
        }
        unbound(session, name, old);
        if (value instanceof SSLSessionBindingListener listener) {
            listener.valueBound(new SSLSessionBindingEvent(session, name));
        }
    }

    synchronized Object get(String name) {
        return values == null ? null : values.get(name);
    }

    void remove(SSLSession session, String name) {
        Object old;
        synchronized (this) {
            old = values == null ? null : values.remove(name);
        }
        unbound(session, name, old);
    }

    synchronized String[] names() {
        return values == null ? new String[0] : values.keySet().toArray(String[]::new);
    }

    /** Takes over the values that were set while it was not known yet which session is resumed. */
    void takeValuesOf(SessionState other) {
        Map<String, Object> taken;
        synchronized (other) {
            taken = other.values;
            other.values = null;
        }
        synchronized (this) {
            if (values == null) {
                values = taken;
            } else if (taken != null) {
                values.putAll(taken);
            }
        }
    }

    private static void unbound(SSLSession session, String name, Object value) {
        if (value instanceof SSLSessionBindingListener listener) {
            listener.valueUnbound(new SSLSessionBindingEvent(session, name));
        }
    }
}
