package io.ferronet.probe;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetBindings;
import io.ferronet.api.LibraryLoadException;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
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
        String[] entries = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] urls = new URL[entries.length];
        for (int i = 0; i < entries.length; i++) {
            urls[i] = url(entries[i]);
        }
        for (int i = 0; i < count; i++) {
            // No parent but the platform's: each loader has classes of its own.
            URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
            Thread.currentThread().setContextClassLoader(loader);
            System.out.println(loader.loadClass(LoaderProbe.class.getName()).getMethod("load").invoke(null));
        }
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
