package io.ferronet.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.ServerSocketChannel;
import sun.nio.ch.SelChImpl;

/** Sets by the C library what NIO offers no option for, so that every transport is set in the same way. */
final class SocketOption {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_CONGESTION = 13;

    private SocketOption() {
    }

    static int descriptorOf(ServerSocketChannel channel) {
        return ((SelChImpl) channel).getFDVal();
    }

    static void setCongestionControl(int descriptor, String algorithm) {
        Linker linker = Linker.nativeLinker();
        MethodHandle setsockopt = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("setsockopt"),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_INT));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocateFrom(algorithm);
            int result = (int) setsockopt.invokeExact(
                    descriptor, IPPROTO_TCP, TCP_CONGESTION, value, algorithm.length());
            if (result != 0) {
                throw new IllegalArgumentException("TCP_CONGESTION " + algorithm + " was refused for descriptor " + descriptor);
            }
        } catch (Throwable e) {
            throw e instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(e);
        }
    }
}
