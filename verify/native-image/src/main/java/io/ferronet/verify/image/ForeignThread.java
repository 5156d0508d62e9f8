package io.ferronet.verify.image;

import io.ferronet.api.AttachParams;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetBindings;
import io.ferronet.api.LogReceiver;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.graalvm.nativeimage.IsolateThread;
import org.graalvm.nativeimage.c.function.CEntryPoint;
import org.graalvm.nativeimage.c.function.CEntryPointLiteral;
import org.graalvm.nativeimage.c.function.CFunctionPointer;
import org.graalvm.nativeimage.c.function.InvokeCFunctionPointer;

/** A runtime of the second isolate, whose log receiver is called on a thread that this isolate does not know. Made while the image is built. */
final class ForeignThread {
    private static final CEntryPointLiteral<Call> CALL = CEntryPointLiteral.create(ForeignThread.class, "call", IsolateThread.class, int.class);
    private static final int ATTACH = 0;
    private static final int LINES = 1;
    private static final int DETACH = 2;
    private static final int BROKEN = -1;
    private static final AtomicInteger RECEIVED = new AtomicInteger();

    private static long runtime;

    private ForeignThread() {
    }

    /** The other isolate's entry. */
    interface Call extends CFunctionPointer {
        @InvokeCFunctionPointer
        long invoke(IsolateThread thread, int what);
    }

    /** In the other isolate. */
    @CEntryPoint(include = CEntryPoint.NotIncludedAutomatically.class, publishAs = CEntryPoint.Publish.NotPublished)
    static long call(IsolateThread thread, int what) {
        try {
            return switch (what) {
                case ATTACH -> attach(FerronetBindings.load());
                case LINES -> RECEIVED.get();
                case DETACH -> FerronetBindings.load().detach(runtime);
                default -> BROKEN;
            };
        } catch (Throwable failure) {
            failure.printStackTrace();
            return BROKEN;
        }
    }

    private static long attach(FerronetBinding binding) {
        ByteBuffer memory = memory(AttachParams.SIZE + Long.BYTES);
        long address = binding.addressOf(memory);
        memory.putInt(AttachParams.OFFSET_SIZE, AttachParams.SIZE).putInt(AttachParams.OFFSET_BUILT_FOR_REVISION, 1);
        must("attach", binding.attach(address, address + AttachParams.SIZE));
        runtime = memory.getLong(AttachParams.SIZE);
        must("log", binding.logSet(runtime, LogReceiver.DEBUG, (level, text) -> RECEIVED.incrementAndGet()));
        return runtime;
    }

    private static ByteBuffer memory(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    }

    private static void must(String what, long status) {
        if (status < 0) {
            throw new IllegalStateException(what + ": " + status);
        }
    }

    /**
     * Has the library log to the other isolate, on a thread of this one.
     *
     * @param thread this thread in the other isolate
     * @return whether the messages came there
     */
    static boolean check(IsolateThread thread) throws Exception {
        long theirs = CALL.getFunctionPointer().invoke(thread, ATTACH);
        must("the other isolate", theirs);
        FutureTask<Void> work = new FutureTask<>(() -> {
            FerronetBinding binding = FerronetBindings.load();
            ByteBuffer out = memory(Long.BYTES);
            must("reactor", binding.reactorNew(theirs, 0, binding.addressOf(out)));
            must("free", binding.reactorFree(out.getLong(0)));
            return null;
        });
        new Thread(work, "unknown").start();
        work.get();
        boolean received = CALL.getFunctionPointer().invoke(thread, LINES) > 0 && RECEIVED.get() == 0;
        if (!received) {
            System.out.println("not ok the other isolate received no message from a thread that it does not know");
        }
        return received & CALL.getFunctionPointer().invoke(thread, DETACH) >= 0;
    }
}
