import java.io.IOException;
import java.io.StringReader;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Does for an assembled builder what the {@code native-image} command does for GraalVM's: turns the command's options, and those that the jars of
 * the class path bring along, into options of the builder, and runs it. Only what Ferronet's own tests use is understood; anything else is refused.
 *
 * <p>Usage: {@code java Driver.java BUILDER_DIRECTORY [options] -cp CLASSPATH -o FILE MAIN_CLASS}
 */
public final class Driver {
    private static final String MAIN = "org.graalvm.nativeimage.builder/com.oracle.svm.hosted.NativeImageGeneratorRunner";
    /** Modules of the JDK whose inside the builder reaches. */
    private static final List<String> REACHED = List.of("java.base", "java.management", "java.logging", "java.instrument", "java.rmi", "java.security.jgss",
        "java.xml.crypto", "jdk.management", "jdk.jfr", "jdk.internal.vm.ci", "jdk.net", "jdk.sctp", "jdk.crypto.ec", "jdk.localedata", "jdk.httpserver");
    /** Of which also what is private. */
    private static final List<String> OPENED = List.of("java.base", "java.management", "jdk.management", "jdk.jfr", "jdk.internal.vm.ci");
    /** The files of metadata by name, and the builder's option for each. */
    private static final Map<String, String> METADATA = new LinkedHashMap<>(Map.of(
        "reflect-config.json", "ReflectionConfigurationResources",
        "jni-config.json", "JNIConfigurationResources",
        "resource-config.json", "ResourceConfigurationResources",
        "proxy-config.json", "DynamicProxyConfigurationResources",
        "serialization-config.json", "SerializationConfigurationResources",
        "reachability-metadata.json", "ReachabilityMetadataResources"));

    /** The builder runs for a few minutes: the better compiler costs it a third more processor time than it gains. */
    private static final String QUICK = "-XX:TieredStopAtLevel=1";

    private final Path builder;
    private final List<String> image = new ArrayList<>();
    private final List<String> jvm = new ArrayList<>();
    private String classPath;
    private Path output;
    private String mainClass;

    private Driver(Path builder) {
        this.builder = builder;
    }

    /**
     * Builds an image.
     *
     * @param arguments see the class
     * @throws Exception if the builder cannot be started
     */
    public static void main(String[] arguments) throws Exception {
        Driver driver = new Driver(Path.of(arguments[0]).toAbsolutePath());
        driver.read(List.of(arguments).subList(1, arguments.length));
        System.exit(driver.build());
    }

    private void read(List<String> arguments) throws IOException {
        for (int i = 0; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            switch (argument) {
                case "-cp", "--class-path" -> classPath = arguments.get(++i);
                case "-o" -> output = Path.of(arguments.get(++i)).toAbsolutePath();
                default -> {
                    if (argument.startsWith("-")) {
                        option(argument);
                    } else if (mainClass == null) {
                        mainClass = argument;
                    } else {
                        throw new IllegalArgumentException("more than one main class: " + argument);
                    }
                }
            }
        }
        if (classPath == null || output == null || mainClass == null) {
            throw new IllegalArgumentException("needed: -cp CLASSPATH -o FILE MAIN_CLASS");
        }
        for (String entry : classPath.split(":")) {
            metadata(Path.of(entry));
        }
    }

    private void option(String option) {
        String value = option.substring(option.indexOf('=') + 1);
        if (option.startsWith("-H:") || option.startsWith("-R:")) {
            image.add(option);
        } else if (option.startsWith("-D")) {
            jvm.add(option);
        } else if (option.startsWith("-J")) {
            jvm.add(option.substring(2));
        } else if (option.startsWith("-O")) {
            image.add("-H:Optimize=" + option.substring(2));
        } else if (option.startsWith("--initialize-at-run-time=")) {
            initialization(value, "run_time");
        } else if (option.startsWith("--initialize-at-build-time=")) {
            initialization(value, "build_time");
        } else if (option.startsWith("--features=")) {
            image.add("-H:Features=" + value);
        } else if (option.startsWith("--enable-monitoring=")) {
            image.add("-H:EnableMonitoringFeatures=" + value);
        } else if (option.equals("--static-nolibc")) {
            image.add("-H:+StaticExecutableWithDynamicLibC");
        } else if (!option.equals("--no-fallback") && !option.startsWith("--add-exports=") && !option.startsWith("--add-opens=")) {
            // There is no fallback image here, and everything is exported.
            throw new IllegalArgumentException("this driver does not know " + option);
        }
    }

    private void initialization(String classes, String when) {
        for (String name : classes.split(",")) {
            image.add("-H:ClassInitialization=" + name.strip() + ":" + when);
        }
    }

    /** Takes in what a jar or a folder says about images in META-INF/native-image. */
    private void metadata(Path entry) throws IOException {
        if (Files.isDirectory(entry)) {
            metadata(entry, entry.resolve("META-INF/native-image"));
        } else if (Files.isRegularFile(entry)) {
            try (FileSystem jar = FileSystems.newFileSystem(entry)) {
                Path root = jar.getPath("/");
                metadata(root, root.resolve("META-INF/native-image"));
            }
        } else {
            throw new IllegalArgumentException("the class path has " + entry + ", which is neither a jar nor a folder");
        }
    }

    private void metadata(Path root, Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<Path> files;
        try (Stream<Path> tree = Files.walk(folder)) {
            files = tree.filter(Files::isRegularFile).sorted().toList();
        }
        for (Path file : files) {
            String name = file.getFileName().toString();
            String resource = root.relativize(file).toString();
            if (METADATA.containsKey(name)) {
                image.add("-H:" + METADATA.get(name) + "=" + resource);
            } else if (name.equals("native-image.properties")) {
                Properties properties = new Properties();
                properties.load(new StringReader(Files.readString(file)));
                String parent = root.relativize(file.getParent()).toString();
                for (String argument : properties.getProperty("Args", "").strip().split("\\s+")) {
                    if (!argument.isEmpty()) {
                        option(argument.replace("${.}", parent));
                    }
                }
            }
        }
    }

    private int build() throws IOException, InterruptedException {
        Path modules = builder.resolve("modules");
        List<Path> jars;
        try (Stream<Path> files = Files.list(modules)) {
            jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        }
        Path compiler = jars.stream().filter(jar -> jar.getFileName().toString().startsWith("compiler-")).findFirst().orElseThrow();
        List<Path> others = jars.stream().filter(jar -> !jar.equals(compiler)).toList();
        String version = compiler.getFileName().toString().replaceAll("compiler-|\\.jar", "");

        List<String> command = new ArrayList<>(List.of("-XX:+UnlockExperimentalVMOptions", "-XX:+EnableJVMCI", "-XX:-UseJVMCICompiler",
            "-XX:-UseJVMCINativeLibrary", "-XX:+UseParallelGC", "-Xss10m", "-Xmx6g", "-Xshare:off", QUICK,
            "--upgrade-module-path", compiler.toString(), "--module-path", String.join(":", others.stream().map(Path::toString).toList()),
            "--add-modules=ALL-DEFAULT,jdk.graal.compiler,jdk.internal.vm.ci", "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED,org.graalvm.nativeimage.builder,jdk.graal.compiler",
            "-Djava.system.class.loader=com.oracle.svm.hosted.NativeImageSystemClassLoader", "-Dorg.graalvm.nativeimage.imagecode=buildtime",
            "-Dcom.oracle.graalvm.isaot=true", "-Dsubstratevm.HostLibC=glibc", "-Dorg.graalvm.version=" + version, "-Djava.awt.headless=true",
            "-Djdk.reflect.useOldSerializableConstructor=true", "-Djdk.internal.lambda.disableEagerInitialization=true",
            "-Djdk.internal.lambda.eagerlyInitialize=false", "-Djava.lang.invoke.InnerClassLambdaMetafactory.initializeLambdas=false"));
        command.addAll(jvm);
        command.addAll(exports(jars));
        command.add("--module");
        command.add(MAIN);
        command.addAll(List.of("-imagecp", classPath, "-H:+UnlockExperimentalVMOptions", "-H:Class=" + mainClass,
            "-H:Name=" + output.getFileName(), "-H:Path=" + output.getParent(), "-H:CLibraryPath=" + builder.resolve("clibraries"),
            "-H:ImageBuildID=" + UUID.randomUUID(), "-H:-UseContainerSupport", "-H:MicroArchitecture=compatibility"));
        command.addAll(image);

        Path arguments = Files.createTempFile("native-image", ".args");
        try {
            Files.write(arguments, command.stream().map(argument -> '"' + argument.replace("\\", "\\\\").replace("\"", "\\\"") + '"').toList());
            return new ProcessBuilder(builder.resolve("jdk/bin/java").toString(), "@" + arguments).inheritIO().start().waitFor();
        } finally {
            Files.delete(arguments);
        }
    }

    /** Exports every package of the modules that the builder reaches, to its modules and to the class path. */
    private static List<String> exports(List<Path> jars) {
        ModuleFinder finder = ModuleFinder.of(jars.toArray(Path[]::new));
        TreeSet<String> readers = new TreeSet<>(List.of("ALL-UNNAMED"));
        List<ModuleReference> reached = new ArrayList<>();
        for (ModuleReference module : finder.findAll()) {
            readers.add(module.descriptor().name());
            reached.add(module);
        }
        String all = String.join(",", readers);
        REACHED.forEach(name -> ModuleFinder.ofSystem().find(name).ifPresent(reached::add));
        List<String> options = new ArrayList<>();
        for (ModuleReference module : reached) {
            ModuleDescriptor descriptor = module.descriptor();
            if (descriptor.isAutomatic()) {
                continue;
            }
            for (String name : descriptor.packages()) {
                options.add("--add-exports=" + descriptor.name() + "/" + name + "=" + all);
                if (OPENED.contains(descriptor.name())) {
                    options.add("--add-opens=" + descriptor.name() + "/" + name + "=" + all);
                }
            }
        }
        return options;
    }
}
