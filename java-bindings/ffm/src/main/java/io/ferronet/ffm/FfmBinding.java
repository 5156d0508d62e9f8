package io.ferronet.ffm;

import io.ferronet.api.AbiInfo;
import io.ferronet.api.LoadedLibrary;
import io.ferronet.api.LogReceiver;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The functions of the loaded library; those of TLS and compression are in the base classes. */
final class FfmBinding extends TlsBinding {
    private static final long LONGEST_TEXT = 1 << 16;

    private final LoadedLibrary library;

    FfmBinding(LoadedLibrary library) {
        this.library = library;
    }

    static String string(long address) {
        return MemorySegment.ofAddress(address).reinterpret(LONGEST_TEXT).getString(0);
    }

    static String string(long address, int length) {
        return new String(MemorySegment.ofAddress(address).reinterpret(length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
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
        return MemorySegment.ofAddress(address).reinterpret(size).asByteBuffer().order(ByteOrder.nativeOrder());
    }

    @Override
    public long addressOf(ByteBuffer buffer) {
        if (!buffer.isDirect()) {
            throw new IllegalArgumentException("not a direct buffer: " + buffer);
        }
        return MemorySegment.ofBuffer(buffer).address() - buffer.position();
    }

    @Override
    public String statusName(int status) {
        try {
            return string((long) Handles.StatusName.CALL.invokeExact((long) status));
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int logSet(long runtime, int level, LogReceiver receiver) {
        return LogUpcall.replace(runtime, receiver, stub -> {
            try {
                return (int) (long) Handles.LogSet.CALL.invokeExact(runtime, (long) level, stub, 0L);
            } catch (Throwable t) {
                throw unexpected(t);
            }
        });
    }

    @Override
    public int detach(long runtime) {
        return LogUpcall.replace(runtime, null, stub -> {
            try {
                return (int) (long) Handles.Detach.CALL.invokeExact(runtime);
            } catch (Throwable t) {
                throw unexpected(t);
            }
        });
    }

    @Override
    public int attach(long params, long out) {
        try {
            return (int) (long) Handles.Attach.CALL.invokeExact(params, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int probe(long out) {
        try {
            return (int) (long) Handles.Probe.CALL.invokeExact(out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public long lastError(long handle, long buffer, long capacity) {
        try {
            return (long) Handles.LastError.CALL.invokeExact(handle, buffer, capacity);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int reactorNew(long runtime, long config, long out) {
        try {
            return (int) (long) Handles.ReactorNew.CALL.invokeExact(runtime, config, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int reactorStart(long reactor) {
        try {
            return (int) (long) Handles.ReactorStart.CALL.invokeExact(reactor);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int reactorAreas(long reactor, long out) {
        try {
            return (int) (long) Handles.ReactorAreas.CALL.invokeExact(reactor, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int reactorInfo(long reactor, long out) {
        try {
            return (int) (long) Handles.ReactorInfo.CALL.invokeExact(reactor, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public long reactorTurn(long reactor, int submitted, long timeoutNanos) {
        try {
            return (long) Handles.ReactorTurn.CALL.invokeExact(reactor, (long) submitted, timeoutNanos);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int reactorSubmit(long reactor, int submitted) {
        try {
            return (int) (long) Handles.ReactorSubmit.CALL.invokeExact(reactor, (long) submitted);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int reactorWake(long reactor) {
        try {
            return (int) (long) Handles.ReactorWake.CALL.invokeExact(reactor);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public long reactorAdd(long reactor, int descriptor) {
        try {
            return (long) Handles.ReactorAdd.CALL.invokeExact(reactor, (long) descriptor);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int reactorRemove(long reactor, int socket) {
        try {
            return (int) (long) Handles.ReactorRemove.CALL.invokeExact(reactor, (long) socket);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public long reactorClose(long reactor, long boundNanos) {
        try {
            return (long) Handles.ReactorClose.CALL.invokeExact(reactor, boundNanos);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int reactorFree(long reactor) {
        try {
            return (int) (long) Handles.ReactorFree.CALL.invokeExact(reactor);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketOpen(int family, int kind) {
        try {
            return (int) (long) Handles.SocketOpen.CALL.invokeExact((long) family, (long) kind);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketBind(int descriptor, long address) {
        try {
            return (int) (long) Handles.SocketBind.CALL.invokeExact((long) descriptor, address);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketListen(int descriptor, int backlog) {
        try {
            return (int) (long) Handles.SocketListen.CALL.invokeExact((long) descriptor, (long) backlog);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketLocalAddress(int descriptor, long out) {
        try {
            return (int) (long) Handles.SocketLocalAddress.CALL.invokeExact((long) descriptor, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketPeerAddress(int descriptor, long out) {
        try {
            return (int) (long) Handles.SocketPeerAddress.CALL.invokeExact((long) descriptor, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketShutdown(int descriptor, int direction) {
        try {
            return (int) (long) Handles.SocketShutdown.CALL.invokeExact((long) descriptor, (long) direction);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketClose(int descriptor) {
        try {
            return (int) (long) Handles.SocketClose.CALL.invokeExact((long) descriptor);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketSetOption(int descriptor, int option, long value) {
        try {
            return (int) (long) Handles.SocketSetOption.CALL.invokeExact((long) descriptor, (long) option, value);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketGetOption(int descriptor, int option, long out) {
        try {
            return (int) (long) Handles.SocketGetOption.CALL.invokeExact((long) descriptor, (long) option, out);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketSetRawOption(int descriptor, int level, int name, long value, int length) {
        try {
            return (int) (long) Handles.SocketSetRawOption.CALL.invokeExact((long) descriptor, (long) level, (long) name, value, (long) length);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }

    @Override
    public int socketGetRawOption(int descriptor, int level, int name, long value, long length) {
        try {
            return (int) (long) Handles.SocketGetRawOption.CALL.invokeExact((long) descriptor, (long) level, (long) name, value, length);
        } catch (Throwable t) {
            throw unexpected(t);
        }
    }
}
