package io.ferronet.netty.internal;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.Cleaner;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * Frees native memory when its owner cannot be reached any more, like {@link Cleaner}, but without keeping a class loader alive. A {@code Cleaner}'s
 * thread holds every action that is still due, with the action's class and its loader: what a web application keeps in a static field and never
 * releases would keep the application itself for ever. Here the actions are held by this class alone, and the thread knows it only weakly. Any thread.
 */
public final class NativeCleaner {
    /** References of one collection are enqueued together; those that follow the one that woke the thread do so within this time. */
    private static final long TOGETHER_MILLIS = 10;

    private static final ReferenceQueue<Object> UNREACHABLE = new ReferenceQueue<>();
    /** Head of the ring of entries that are due, which guards it too. */
    private static final Entry DUE = new Entry();
    private static final Cleaner COLLECTIONS = Cleaner.create();
    /** Held by this class alone. */
    private static final MethodHandle CLEAN = clean();
    private static final Runnable AFTER_COLLECTION = weak(CLEAN);

    static {
        awaitCollection();
    }

    private NativeCleaner() {
    }

    /**
     * Registers an action.
     *
     * @param owner when nothing refers to it any more, the action is run; the action must not refer to it
     * @param action what frees the memory; run once, by {@link Cleaner.Cleanable#clean()} or by a thread of its own after a collection
     * @return what runs the action before
     */
    public static Cleaner.Cleanable register(Object owner, Runnable action) {
        Entry entry = new Entry(owner, action);
        Reference.reachabilityFence(owner);
        return entry;
    }

    private static final class Entry extends PhantomReference<Object> implements Cleaner.Cleanable {
        private final Runnable action;
        private Entry previous = this;
        private Entry next = this;

        Entry() {
            super(null, null);
            action = null;
        }

        Entry(Object owner, Runnable action) {
            super(owner, UNREACHABLE);
            this.action = action;
            synchronized (DUE) {
                previous = DUE;
                next = DUE.next;
                next.previous = this;
                DUE.next = this;
            }
        }

        private boolean remove() {
            synchronized (DUE) {
                if (next == this) {
                    return false;
                }
                previous.next = next;
                next.previous = previous;
                previous = this;
                next = this;
                return true;
            }
        }

        @Override
        public void clean() {
            if (remove()) {
                clear();
                action.run();
            }
        }
    }

    /** An object that the next collection finds unreachable, so that the thread looks at ours afterwards. */
    private static void awaitCollection() {
        COLLECTIONS.register(new Object(), AFTER_COLLECTION);
    }

    private static void cleanUnreachable() {
        try {
            Reference<?> found = UNREACHABLE.remove(TOGETHER_MILLIS);
            while (found != null) {
                try {
                    ((Entry) found).clean();
                } catch (RuntimeException | Error e) {
                    // The others are due all the same, and nobody waits for this one's failure.
                }
                found = UNREACHABLE.remove(TOGETHER_MILLIS);
            }
        } catch (InterruptedException e) {
            // Nobody else knows the thread; what is left is found after the next collection.
        } finally {
            awaitCollection();
        }
    }

    private static MethodHandle clean() {
        try {
            return MethodHandles.lookup().findStatic(NativeCleaner.class, "cleanUnreachable", MethodType.methodType(void.class));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the cleaner's method is missing", e);
        }
    }

    /** Calls a method for as long as somebody else holds it; made of classes of the JDK alone. Afterwards it fails, which a cleaner ignores. */
    private static Runnable weak(MethodHandle target) {
        if (System.getProperty("org.graalvm.nativeimage.imagecode") != null) {
            // An executable has one loader, for as long as it runs, and no proxies of methods.
            return NativeCleaner::cleanUnreachable;
        }
        try {
            MethodHandle find = MethodHandles.publicLookup().findVirtual(WeakReference.class, "get", MethodType.methodType(Object.class))
                .bindTo(new WeakReference<>(target)).asType(MethodType.methodType(MethodHandle.class));
            MethodHandle call = MethodHandles.foldArguments(MethodHandles.exactInvoker(target.type()), find);
            return MethodHandleProxies.asInterfaceInstance(Runnable.class, call);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("java.lang.ref.WeakReference has no get()", e);
        }
    }
}
