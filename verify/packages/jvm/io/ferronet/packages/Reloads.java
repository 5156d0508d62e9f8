package io.ferronet.packages;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;

/** Loads a web application again and again, as a container does, and prints what is left of the old ones. Runs in a JVM of its own. */
final class Reloads {
    private static final int WARM = 10;

    private Reloads() {
    }

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        List<URL> urls = new ArrayList<>();
        for (String jar : arguments[1].split(File.pathSeparator)) {
            urls.add(Path.of(jar).toUri().toURL());
        }
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        long[] metaspace = new long[count + 1];
        int threads = 0;
        for (int i = 1; i <= count; i++) {
            loaders.add(load(urls.toArray(new URL[0]), new File(arguments[2]), new File(arguments[3])));
            if (i == WARM || i == count) {
                System.out.println("alive=" + settle(loaders));
                metaspace[i] = lowestMetaspace();
            }
            if (i == WARM) {
                threads = Thread.activeCount();
            }
        }
        System.out.println("metaspace=" + (metaspace[count] - metaspace[WARM]));
        System.out.println("threads=" + (Thread.activeCount() - threads));
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            System.out.println("mappings=" + lines.filter(line -> line.contains("r-xp") && line.contains("libferronet.so")).count());
        }
    }

    /** In a thread of its own, as what the application leaves in thread locals is not Ferronet's. */
    private static WeakReference<ClassLoader> load(URL[] urls, File certificate, File key) throws Exception {
        URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        FutureTask<Object> task = new FutureTask<>(() -> loader.loadClass("com.example.stranger.Main").getMethod("once", File.class, File.class)
            .invoke(null, certificate, key));
        Thread thread = new Thread(task);
        thread.setContextClassLoader(loader);
        thread.start();
        String text = (String) task.get();
        thread.join();
        if (!text.startsWith("ANSWERED")) {
            throw new AssertionError(text);
        }
        loader.close();
        return new WeakReference<>(loader);
    }

    private static long settle(List<WeakReference<ClassLoader>> loaders) throws InterruptedException {
        long alive = loaders.size();
        for (int i = 0; i < 100 && alive > 0; i++) {
            System.gc();
            Thread.sleep(50);
            alive = loaders.stream().filter(loader -> loader.get() != null).count();
        }
        return alive;
    }

    /** The JVM gives the memory of a loader that is gone back with some later collection. */
    private static long lowestMetaspace() throws InterruptedException {
        long lowest = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            System.gc();
            Thread.sleep(100);
            lowest = Math.min(lowest, metaspace());
        }
        return lowest;
    }

    private static long metaspace() {
        return ManagementFactory.getMemoryPoolMXBeans().stream().filter(pool -> pool.getName().equals("Metaspace")).map(MemoryPoolMXBean::getUsage)
            .findFirst().orElseThrow().getUsed();
    }
}
