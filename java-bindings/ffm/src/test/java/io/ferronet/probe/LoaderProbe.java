package io.ferronet.probe;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetBindings;
import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.LogReceiver;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Loads the library in a fresh JVM, and prints what came of it. */
public final class LoaderProbe {
    private LoaderProbe() {
    }

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "load" -> System.out.println(load());
            case "threads" -> threads(Integer.parseInt(arguments[1]));
            case "loaders" -> loaders(Integer.parseInt(arguments[1]));
            case "reloads" -> reloads(Integer.parseInt(arguments[1]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.println("mappings=" + mappings());
    }

    /** Called by reflection from other class loaders, too. */
    public static String load() {
        try {
            FerronetBinding binding = FerronetBindings.load();
            return "LOADED " + binding.library().source() + "\nversion=" + binding.abi().version() + " shared=" + binding.library().shared()
                + " name=" + binding.statusName(-10_007);
        } catch (LibraryLoadException e) {
            return "FAILED " + e.kind() + "\n" + e.getMessage();
        }
    }

    private static void threads(int count) throws InterruptedException {
        Set<FerronetBinding> bindings = ConcurrentHashMap.newKeySet();
        CountDownLatch start = new CountDownLatch(1);
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            threads[i] = new Thread(() -> {
                try {
                    start.await();
                    FerronetBinding binding = FerronetBindings.load();
                    if (binding.statusName(0).equals("FERRONET_OK")) {
                        bindings.add(binding);
                    }
                } catch (LibraryLoadException | InterruptedException e) {
                    System.out.println(e);
                }
            });
            threads[i].start();
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("bindings=" + bindings.size());
    }

    private static void loaders(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            System.out.println(inOwnLoader(loader(), "load"));
        }
    }

    private static void reloads(int count) throws Exception {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            URLClassLoader loader = loader();
            if (!inOwnLoader(loader, "exercise").equals("exercised")) {
                throw new AssertionError("exercise");
            }
            loader.close();
            loaders.add(new WeakReference<>(loader));
        }
        Thread.currentThread().setContextClassLoader(null);
        long alive = count;
        for (int i = 0; i < 50 && alive > 0; i++) {
            System.gc();
            Thread.sleep(20);
            alive = loaders.stream().filter(loader -> loader.get() != null).count();
        }
        System.out.println("alive=" + alive);
    }

    /** Uses what could keep a class loader alive: handles, a reactor, a log receiver, the callbacks of TLS. */
    public static String exercise() throws LibraryLoadException {
        FerronetBinding binding = FerronetBindings.load();
        ByteBuffer memory = ByteBuffer.allocateDirect(64).order(ByteOrder.nativeOrder());
        long address = binding.addressOf(memory);
        memory.putInt(0, 16).putInt(4, 1);
        require(binding.attach(address, address + 32));
        long runtime = memory.getLong(32);
        require(binding.logSet(runtime, LogReceiver.DEBUG, (level, text) -> { }));
        require(binding.reactorNew(runtime, 0, address + 32));
        long reactor = memory.getLong(32);
        require(binding.reactorStart(reactor));
        require(binding.reactorTurn(reactor, 0, 0));
        require(binding.reactorFree(reactor));
        require(binding.detach(runtime));
        require(Math.min(binding.tlsStubs().verify(), binding.tlsStubs().sign()) - 1);
        return "exercised";
    }

    private static void require(long status) {
        if (status < 0) {
            throw new AssertionError("status " + status);
        }
    }

    /** No parent but the platform's: each loader has classes of its own. */
    private static URLClassLoader loader() throws MalformedURLException {
        String[] entries = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] urls = new URL[entries.length];
        for (int i = 0; i < entries.length; i++) {
            urls[i] = url(entries[i]);
        }
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static Object inOwnLoader(ClassLoader loader, String method) throws ReflectiveOperationException {
        Thread.currentThread().setContextClassLoader(loader);
        return loader.loadClass(LoaderProbe.class.getName()).getMethod(method).invoke(null);
    }

    private static URL url(String path) throws MalformedURLException {
        return Path.of(path).toUri().toURL();
    }

    /** Executable mappings of the library in this process. */
    private static long mappings() throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("r-xp") && line.contains("libferronet.so")).count();
        }
    }
}
