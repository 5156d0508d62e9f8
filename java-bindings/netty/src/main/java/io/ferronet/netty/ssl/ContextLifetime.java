package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.netty.internal.NativeCleaner;
import io.netty.util.IllegalReferenceCountException;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;

/**
 * How long what is native in a context lives: until the context was released, and the handshakes of the engines that it made before are over. Any thread; the fields are guarded by
 * this object. It knows no manager, which could refer to an engine: the cleaner that waits for the engine refers to this.
 */
final class ContextLifetime {
    /** What a key manager's choices were made into; {@code null} without one. */
    private final Map<?, NativeCredential> chosen;
    private final ContextCounters counters = new ContextCounters();
    /** Of the keys that the library holds; {@code null} until they are needed. */
    private List<NativeCredential> credentials;
    private Handle current;
    private int holds;
    private boolean released;

    /** A handle of the library, freed with the object. */
    static final class Handle {
        final long value;
        private final Cleaner.Cleanable cleanable;
        /** Calls that use the handle and hold no lock. */
        private int users;
        private boolean over;

        Handle(FerronetBinding binding, long value) {
            this.value = value;
            cleanable = NativeCleaner.register(this, () -> binding.tlsContextFree(value));
        }

        synchronized void use() {
            users++;
        }

        synchronized void used() {
            users--;
            freeWhenUnused();
        }

        /** Whether a call uses it, which may yet count. */
        synchronized boolean isUsed() {
            return users > 0;
        }

        synchronized void free() {
            over = true;
            freeWhenUnused();
        }

        private void freeWhenUnused() {
            if (over && users == 0) {
                cleanable.clean();
            }
        }
    }

    ContextLifetime(Map<?, NativeCredential> chosen) {
        this.chosen = chosen;
    }

    /** The handle, or {@code null} while there is none. Under the lock. */
    Handle current() {
        return current;
    }

    /** Gives it the handle, of which there is none. Under the lock. */
    void setCurrent(Handle handle) {
        current = handle;
    }

    /** The handle has to be replaced, if there is one. Under the lock. */
    void replaceCurrent() {
        if (current != null) {
            counters.replaced(current);
            current = null;
        }
    }

    /** What all handles have counted. Under the lock. */
    FerronetSslStatistics statistics() {
        return counters.total(current);
    }

    /** The credentials, or {@code null} while there are none. Under the lock. */
    List<NativeCredential> credentials() {
        return credentials;
    }

    /** Gives it the credentials. Under the lock. */
    void setCredentials(List<NativeCredential> made) {
        credentials = made;
    }

    /** Begins a hold, which {@link #giveBack} ends. */
    synchronized void hold() {
        if (released) {
            throw new IllegalReferenceCountException("the TLS context was released; build another one, or release it later");
        }
        holds++;
    }

    synchronized void giveBack() {
        holds--;
        freeWhenOver();
    }

    /** No hold can begin any more. */
    synchronized void release() {
        released = true;
        freeWhenOver();
    }

    /** Throws if it is over. Under the lock. */
    void checkNotOver() throws SSLException {
        if (isOver()) {
            throw new SSLException("the TLS context was released; build another one");
        }
    }

    private boolean isOver() {
        return released && holds == 0;
    }

    private void freeWhenOver() {
        if (!isOver()) {
            return;
        }
        if (current != null) {
            current.free();
            current = null;
        }
        counters.free();
        if (credentials != null) {
            credentials.forEach(NativeCredential::free);
            credentials = null;
        }
        if (chosen != null) {
            // These are freed when no connection uses them any more.
            chosen.clear();
        }
    }
}
