package io.ferronet.netty.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * What native code and direct buffers hold of the C heap. The process's resident memory cannot tell that: the C library keeps what was freed, for each
 * of the arenas that many threads have used.
 */
final class NativeHeap {
    private static final int FIELDS = 10;
    /** Of {@code struct mallinfo2}: bytes in mappings of their own, and bytes in the arenas, that are allocated. */
    private static final int MAPPED = 4;
    private static final int USED = 7;
    private static final Optional<MethodHandle> MALLINFO = Linker.nativeLinker().defaultLookup().find("mallinfo2").map(function ->
        Linker.nativeLinker().downcallHandle(function, FunctionDescriptor.of(MemoryLayout.structLayout(
            MemoryLayout.sequenceLayout(FIELDS, ValueLayout.JAVA_LONG)))));

    private NativeHeap() {
    }

    /** Whether the C library can tell (glibc since 2.33). */
    static boolean isKnown() {
        return MALLINFO.isPresent();
    }

    /** Bytes that are allocated and not freed. */
    static long allocated() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = (MemorySegment) MALLINFO.orElseThrow().invokeExact((SegmentAllocator) arena);
            return info.getAtIndex(ValueLayout.JAVA_LONG, MAPPED) + info.getAtIndex(ValueLayout.JAVA_LONG, USED);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
