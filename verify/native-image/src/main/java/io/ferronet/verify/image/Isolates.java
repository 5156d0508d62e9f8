package io.ferronet.verify.image;

import io.ferronet.contract.Main;
import java.util.concurrent.FutureTask;
import org.graalvm.nativeimage.Isolate;
import org.graalvm.nativeimage.IsolateThread;
import org.graalvm.nativeimage.Isolates.CreateIsolateParameters;
import org.graalvm.nativeimage.c.function.CEntryPoint;
import org.graalvm.nativeimage.c.function.CEntryPointLiteral;
import org.graalvm.nativeimage.c.function.CFunctionPointer;
import org.graalvm.nativeimage.c.function.InvokeCFunctionPointer;
import org.graalvm.nativeimage.c.type.CCharPointer;
import org.graalvm.nativeimage.c.type.CTypeConversion;
import org.graalvm.word.WordFactory;

/**
 * Runs cases of the contract, those with callbacks among them, in this isolate and at the same time twice in a second one: on the thread that made it,
 * and on a thread of this isolate that is foreign there and attached; and then {@link ForeignThread}. Made while the image is built.
 */
final class Isolates {
    private static final CEntryPointLiteral<Run> RUN = CEntryPointLiteral.create(Isolates.class, "run", IsolateThread.class, CCharPointer.class);
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int BROKEN = 2;

    private Isolates() {
    }

    /** The other isolate's entry. */
    interface Run extends CFunctionPointer {
        @InvokeCFunctionPointer
        int invoke(IsolateThread thread, CCharPointer arguments);
    }

    /** In the other isolate. */
    @CEntryPoint(include = CEntryPoint.NotIncludedAutomatically.class, publishAs = CEntryPoint.Publish.NotPublished)
    static int run(IsolateThread thread, CCharPointer arguments) {
        try {
            return Main.passes(CTypeConversion.utf8ToJavaString(arguments).split(" ")) ? PASSED : FAILED;
        } catch (Throwable failure) {
            failure.printStackTrace();
            return BROKEN;
        }
    }

    /**
     * Runs the cases.
     *
     * @param arguments those of the contract's runner
     * @return whether all passed, everywhere
     */
    static boolean check(String... arguments) throws Exception {
        String joined = String.join(" ", arguments);
        IsolateThread thread = org.graalvm.nativeimage.Isolates.createIsolate(CreateIsolateParameters.getDefault());
        long isolate = org.graalvm.nativeimage.Isolates.getIsolate(thread).rawValue();
        FutureTask<Integer> foreign = new FutureTask<>(() -> runAttached(isolate, joined));
        new Thread(foreign, "foreign").start();
        FutureTask<Boolean> here = new FutureTask<>(() -> Main.passes(arguments));
        new Thread(here, "here").start();
        int there = invoke(thread, joined);
        boolean passed = here.get() & there == PASSED & foreign.get() == PASSED;
        passed &= ForeignThread.check(thread);
        // It would wait for a thread that was left attached.
        org.graalvm.nativeimage.Isolates.tearDownIsolate(thread);
        // This isolate goes on as before.
        return passed & Main.passes(arguments);
    }

    private static int runAttached(long isolate, String arguments) {
        Isolate other = WordFactory.pointer(isolate);
        IsolateThread thread = org.graalvm.nativeimage.Isolates.attachCurrentThread(other);
        try {
            return invoke(thread, arguments);
        } finally {
            org.graalvm.nativeimage.Isolates.detachThread(thread);
        }
    }

    private static int invoke(IsolateThread thread, String arguments) {
        try (CTypeConversion.CCharPointerHolder text = CTypeConversion.toCString(arguments)) {
            return RUN.getFunctionPointer().invoke(thread, text.get());
        }
    }
}
