package io.ferronet.netty.transport;

import io.ferronet.api.FerronetBinding;
import io.ferronet.netty.Ferronet;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import io.netty.resolver.AddressResolver;
import io.netty.util.Version;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs a probe with Ferronet and Netty as named modules. The probe is patched into the module, because its package is one of the module. */
final class ModulePath {
    private final Path directory;
    private final Class<?> probe;

    /**
     * Copies the classes of the probe.
     *
     * @param directory an empty directory
     * @param probe its main class
     */
    ModulePath(Path directory, Class<?> probe) throws Exception {
        this.directory = directory;
        this.probe = probe;
        String folder = probe.getPackageName().replace('.', '/');
        Path target = Files.createDirectories(directory.resolve(folder));
        try (Stream<Path> classes = Files.list(location(probe).resolve(folder))) {
            for (Path file : classes.filter(path -> path.getFileName().toString().startsWith(probe.getSimpleName())).toList()) {
                Files.copy(file, target.resolve(file.getFileName()));
            }
        }
    }

    /** Runs the probe; what it printed. Only the modules that are named, separated by commas, have native access. */
    String run(ChildJvm jvm, String nativeAccess) throws Exception {
        List<Class<?>> types = List.of(FerronetBinding.class, Class.forName("io.ferronet.ffm.FfmBindingProvider"), Ferronet.class, Channel.class,
            ByteBuf.class, Version.class, AddressResolver.class, UnixChannel.class);
        List<Path> modules = new ArrayList<>();
        for (Class<?> type : types) {
            modules.add(location(type));
        }
        return jvm.withLibrary()
            .start(List.of("--enable-native-access=" + nativeAccess, "--module-path",
                modules.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)), "--add-modules", "io.ferronet.ffm",
                "--patch-module", "io.ferronet.netty=" + directory, "-m", "io.ferronet.netty/" + probe.getName()));
    }

    private static Path location(Class<?> type) throws IOException {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (java.net.URISyntaxException e) {
            throw new IOException(e);
        }
    }
}
