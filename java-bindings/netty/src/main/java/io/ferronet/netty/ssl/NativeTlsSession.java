package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Status;
import io.ferronet.api.Tls;
import io.ferronet.api.TlsSessionInfo;
import io.ferronet.netty.internal.NativeCleaner;
import io.netty.util.concurrent.FastThreadLocal;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A native TLS session. One call at a time; {@link #task} may run on another thread than the others. It is freed when nothing refers to it any more, if nobody did before,
 * and its keys are wiped then.
 *
 * <p>The calls return 0 or a status; what they did is in the {@link TlsCall}. A session that has failed keeps its status, and its next {@link #wrap} gives the alert.
 */
final class NativeTlsSession {
    /** What can be told of a session once its handshake is done. */
    record Info(int version, int suite, int group, boolean resumed, int peerCertificates, int localCertificates) {
    }

    private static final int TEXT = 4096;
    /** What a session is asked for is put here, and taken out before anything else is asked. */
    private static final FastThreadLocal<ByteBuffer> ANSWER = new FastThreadLocal<>() {
        @Override
        protected ByteBuffer initialValue() {
            return ByteBuffer.allocateDirect(TEXT).order(ByteOrder.nativeOrder());
        }
    };

    private final FerronetBinding binding;
    private final long handle;
    private final Release release;
    private final Cleaner.Cleanable cleanable;

    /** Frees what is native; knows nothing of the object that it belongs to. */
    private static final class Release implements Runnable {
        private final FerronetBinding binding;
        private final long handle;
        private long user;

        Release(FerronetBinding binding, long handle, long user) {
            this.binding = binding;
            this.handle = handle;
            this.user = user;
        }

        synchronized void forgetCallbacks() {
            if (user != 0) {
                binding.tlsUnregister(user);
                user = 0;
            }
        }

        @Override
        public void run() {
            binding.tlsSessionFree(handle);
            forgetCallbacks();
        }
    }

    NativeTlsSession(FerronetBinding binding, long handle, long user) {
        this.binding = binding;
        this.handle = handle;
        release = new Release(binding, handle, user);
        cleanable = NativeCleaner.register(this, release);
    }

    /** Gives the callbacks back before the end, because a handshake that is done asks nothing any more. */
    void forgetCallbacks() {
        release.forgetCallbacks();
    }

    /** Frees it now. No call may be running, and none may follow. */
    void free() {
        cleanable.clean();
    }

    /** Encrypts the call's sources into its target, behind what waits to be sent. */
    int wrap(TlsCall call) {
        return binding.tlsSessionWrap(handle, call.sources(), call.sourceCount(), call.targets(), call.begin());
    }

    /** Decrypts records of the call's sources into its targets. */
    int unwrap(TlsCall call, int flags) {
        return binding.tlsSessionUnwrap(handle, call.sources(), call.sourceCount(), call.targets(), call.targetCount(), flags, call.begin());
    }

    /** Goes on with a handshake that waits for a task; runs the callbacks. */
    int task(TlsCall call) {
        return binding.tlsSessionTask(handle, call.begin());
    }

    /** Makes the next wrap give a close_notify. */
    int close(TlsCall call) {
        return binding.tlsSessionClose(handle, call.begin());
    }

    /** Says that the transport has ended. */
    int endInput() {
        return binding.tlsSessionEndInput(handle);
    }

    /** The text of the last failed call. */
    String lastError() {
        return binding.lastError(handle);
    }

    Info info() {
        ByteBuffer memory = ANSWER.get();
        memory.putInt(TlsSessionInfo.OFFSET_SIZE, TlsSessionInfo.SIZE);
        int status = binding.tlsSessionInfo(handle, binding.addressOf(memory));
        if (Status.isError(status)) {
            throw new IllegalStateException("a session tells nothing of itself: " + Status.name(status) + ": " + lastError());
        }
        return new Info(memory.getInt(TlsSessionInfo.OFFSET_VERSION), memory.getInt(TlsSessionInfo.OFFSET_SUITE), memory.getInt(TlsSessionInfo.OFFSET_GROUP),
            memory.getInt(TlsSessionInfo.OFFSET_RESUMED) != 0, memory.getInt(TlsSessionInfo.OFFSET_PEER_CERTIFICATES),
            memory.getInt(TlsSessionInfo.OFFSET_LOCAL_CERTIFICATES));
    }

    /** A value of {@code Tls.BYTES_*}; empty if there is none. */
    byte[] bytes(int what, int index) {
        ByteBuffer memory = ANSWER.get();
        long length = binding.tlsSessionBytes(handle, what, index, binding.addressOf(memory), memory.capacity());
        if (length > memory.capacity()) {
            memory = ByteBuffer.allocateDirect((int) length);
            length = binding.tlsSessionBytes(handle, what, index, binding.addressOf(memory), memory.capacity());
        }
        if (length <= 0) {
            return new byte[0];
        }
        byte[] value = new byte[(int) length];
        memory.get(0, value);
        return value;
    }

    /** The protocol that ALPN chose; empty for none. */
    String alpn() {
        return new String(bytes(Tls.BYTES_ALPN, 0), StandardCharsets.UTF_8);
    }

    List<byte[]> certificates(int what, int count) {
        List<byte[]> chain = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            chain.add(bytes(what, i));
        }
        return chain;
    }
}
