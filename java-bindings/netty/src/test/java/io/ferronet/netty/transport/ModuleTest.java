package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.FerronetBinding;
import io.ferronet.netty.Ferronet;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import io.netty.resolver.AddressResolver;
import io.netty.util.Version;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ferronet and Netty on the module path, in a JVM of its own. */
@Timeout(120)
class ModuleTest {
    private static Path location(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void namedModules(@TempDir Path directory) throws Exception {
        String modules = Stream.of(location(FerronetBinding.class), location(Class.forName("io.ferronet.ffm.FfmBindingProvider")),
                location(Ferronet.class), location(Channel.class), location(ByteBuf.class), location(Version.class), location(AddressResolver.class),
                location(UnixChannel.class)).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        // The probe is patched into the module, because its package is one of the module.
        Path probe = directory.resolve("io/ferronet/netty/transport");
        Files.createDirectories(probe);
        try (Stream<Path> classes = Files.list(location(ModuleProbe.class).resolve("io/ferronet/netty/transport"))) {
            for (Path file : classes.filter(path -> path.getFileName().toString().startsWith("ModuleProbe")).toList()) {
                Files.copy(file, probe.resolve(file.getFileName()));
            }
        }
        String output = new ChildJvm().option("-Dferronet.library.path=" + System.getProperty("ferronet.library.path"))
            .start(List.of("--enable-native-access=io.ferronet.ffm", "--module-path", modules, "--add-modules", "io.ferronet.ffm",
                "--patch-module", "io.ferronet.netty=" + directory, "-m", "io.ferronet.netty/" + ModuleProbe.class.getName()));
        for (String part : new String[] {"module io.ferronet.netty, module io.netty.transport", "IO_URING 42", "POLL 42"}) {
            assertTrue(output.contains(part), () -> "\"" + part + "\" is missing in:\n" + output);
        }
    }
}
