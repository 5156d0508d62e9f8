package io.ferronet.packages;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Loads the library in one class loader for each argument, which is its class path. Runs in a JVM of its own. */
final class Loaders {
    private Loaders() {
    }

    public static void main(String[] classPaths) throws Exception {
        for (String classPath : classPaths) {
            List<URL> urls = new ArrayList<>();
            for (String entry : classPath.split(":")) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
            Thread.currentThread().setContextClassLoader(loader);
            System.out.println(loader.loadClass("io.ferronet.probe.LoaderProbe").getMethod("load").invoke(null));
        }
        try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
            System.out.println("mappings=" + lines.filter(line -> line.contains("r-xp") && line.contains("libferronet.so")).count());
        }
    }
}
