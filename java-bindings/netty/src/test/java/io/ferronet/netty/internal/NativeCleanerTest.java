package io.ferronet.netty.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class NativeCleanerTest {
    private static final int ROUNDS = 100;

    /** What an application keeps for ever, in a class of its own loader. */
    static final class Application {
        static final Object OWNER = new Object();
        static Cleaner.Cleanable cleanable;

        private Application() {
        }

        public static void start() {
            // The action belongs to this class, and with it to its loader.
            cleanable = NativeCleaner.register(OWNER, () -> cleanable = null);
        }
    }

    private static boolean becomesTrue(BooleanSupplier condition) throws InterruptedException {
        for (int i = 0; i < ROUNDS && !condition.getAsBoolean(); i++) {
            System.gc();
            Thread.sleep(20);
        }
        return condition.getAsBoolean();
    }

    @Test
    void anActionIsRunOnceByWhoeverComesFirst() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Object owner = new Object();
        Cleaner.Cleanable cleanable = NativeCleaner.register(owner, runs::incrementAndGet);
        System.gc();
        assertEquals(0, runs.get());
        cleanable.clean();
        cleanable.clean();
        assertEquals(1, runs.get());
        assertEquals(owner, owner);
        NativeCleaner.register(new Object(), runs::incrementAndGet);
        assertTrue(becomesTrue(() -> runs.get() == 2), "runs " + runs);
    }

    @Test
    void everyUnreachableOwnerIsFoundWhateverAnActionThrows() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        for (int collection = 1; collection <= 2; collection++) {
            for (int i = 0; i < 1000; i++) {
                NativeCleaner.register(new Object(), () -> {
                    runs.incrementAndGet();
                    throw new IllegalStateException("ignored");
                });
            }
            int expected = 1000 * collection;
            assertTrue(becomesTrue(() -> runs.get() == expected), "runs " + runs);
        }
    }

    @Test
    void whatIsNeverReleasedKeepsNoClassLoaderAlive() throws Exception {
        WeakReference<ClassLoader> loader = load();
        assertTrue(becomesTrue(() -> loader.get() == null), "the loader is alive");
    }

    private static WeakReference<ClassLoader> load() throws Exception {
        URL[] urls = {location(NativeCleaner.class), location(Application.class)};
        try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            Class<?> application = loader.loadClass(Application.class.getName());
            assertEquals(loader, application.getClassLoader());
            var start = application.getDeclaredMethod("start");
            start.setAccessible(true);
            start.invoke(null);
            return new WeakReference<>(loader);
        }
    }

    private static URL location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }
}
