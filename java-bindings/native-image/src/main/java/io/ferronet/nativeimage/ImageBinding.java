package io.ferronet.nativeimage;

import io.ferronet.api.AbiInfo;
import io.ferronet.api.LoadedLibrary;
import io.ferronet.api.LogReceiver;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.graalvm.nativeimage.c.type.CCharPointer;
import org.graalvm.nativeimage.c.type.CTypeConversion;
import org.graalvm.word.WordFactory;

/** The functions of the library inside the image; those of TLS and compression are in the base classes. */
final class ImageBinding extends TlsBinding {
    private final LoadedLibrary library;

    ImageBinding(LoadedLibrary library) {
        this.library = library;
    }

    /** Native memory as a buffer in native byte order. */
    static ByteBuffer view(long address, int size) {
        return CTypeConversion.asByteBuffer(WordFactory.pointer(address), size).order(ByteOrder.nativeOrder());
    }

    @Override
    public AbiInfo abi() {
        return library.abi();
    }

    @Override
    public LoadedLibrary library() {
        return library;
    }

    @Override
    public ByteBuffer memory(long address, long size) {
        if (address == 0 || size < 0 || size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("no memory: address " + address + ", size " + size + " (0 to " + Integer.MAX_VALUE + ")");
        }
        return view(address, (int) size);
    }

    /** The segment of a direct buffer is only its address and size: this works in images that leave foreign memory out, too. */
    @Override
    public long addressOf(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("not a direct buffer: " + buffer);
        }
        return MemorySegment.ofBuffer(buffer).address() - buffer.position();
    }

    @Override
    public String statusName(int status) {
        CCharPointer name = WordFactory.pointer(Functions.statusName(status));
        return CTypeConversion.utf8ToJavaString(name);
    }

    @Override
    public int logSet(long runtime, int level, LogReceiver receiver) {
        return LogRegistry.replace(runtime, receiver, context -> Functions.logSet(runtime, level, context == 0 ? 0 : Callbacks.get().log, context));
    }

    @Override
    public int detach(long runtime) {
        return LogRegistry.replace(runtime, null, context -> Functions.detach(runtime));
    }

    @Override
    public int attach(long params, long out) {
        return Functions.attach(params, out);
    }

    @Override
    public int probe(long out) {
        return Functions.probe(out);
    }

    @Override
    public long lastError(long handle, long buffer, long capacity) {
        return Functions.lastError(handle, buffer, capacity);
    }

    @Override
    public int reactorNew(long runtime, long config, long out) {
        return Functions.reactorNew(runtime, config, out);
    }

    @Override
    public int reactorStart(long reactor) {
        return Functions.reactorStart(reactor);
    }

    @Override
    public int reactorAreas(long reactor, long out) {
        return Functions.reactorGetAreas(reactor, out);
    }

    @Override
    public int reactorInfo(long reactor, long out) {
        return Functions.reactorGetInfo(reactor, out);
    }

    @Override
    public long reactorTurn(long reactor, int submitted, long timeoutNanos) {
        return Functions.reactorTurn(reactor, submitted, timeoutNanos);
    }

    @Override
    public int reactorSubmit(long reactor, int submitted) {
        return Functions.reactorSubmit(reactor, submitted);
    }

    @Override
    public int reactorWake(long reactor) {
        return Functions.reactorWake(reactor);
    }

    @Override
    public long reactorAdd(long reactor, int descriptor) {
        return Functions.reactorAdd(reactor, descriptor);
    }

    @Override
    public int reactorRemove(long reactor, int socket) {
        return Functions.reactorRemove(reactor, socket);
    }

    @Override
    public long reactorClose(long reactor, long boundNanos) {
        return Functions.reactorClose(reactor, boundNanos);
    }

    @Override
    public int reactorFree(long reactor) {
        return Functions.reactorFree(reactor);
    }

    @Override
    public int socketOpen(int family, int kind) {
        return Functions.socketOpen(family, kind);
    }

    @Override
    public int socketBind(int descriptor, long address) {
        return Functions.socketBind(descriptor, address);
    }

    @Override
    public int socketListen(int descriptor, int backlog) {
        return Functions.socketListen(descriptor, backlog);
    }

    @Override
    public int socketLocalAddress(int descriptor, long out) {
        return Functions.socketLocalAddress(descriptor, out);
    }

    @Override
    public int socketPeerAddress(int descriptor, long out) {
        return Functions.socketPeerAddress(descriptor, out);
    }

    @Override
    public int socketShutdown(int descriptor, int direction) {
        return Functions.socketShutdown(descriptor, direction);
    }

    @Override
    public int socketClose(int descriptor) {
        return Functions.socketClose(descriptor);
    }

    @Override
    public int socketSetOption(int descriptor, int option, long value) {
        return Functions.socketSetOption(descriptor, option, value);
    }

    @Override
    public int socketGetOption(int descriptor, int option, long out) {
        return Functions.socketGetOption(descriptor, option, out);
    }

    @Override
    public int socketSetRawOption(int descriptor, int level, int name, long value, int length) {
        return Functions.socketSetRawOption(descriptor, level, name, value, length);
    }

    @Override
    public int socketGetRawOption(int descriptor, int level, int name, long value, long length) {
        return Functions.socketGetRawOption(descriptor, level, name, value, length);
    }
}
