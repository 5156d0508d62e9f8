package io.ferronet.netty.transport;

import java.io.File;
import java.nio.file.Path;
import java.util.List;

/** {@link ChildJvm} for tests of other packages. */
public final class TestJvm {
    private TestJvm() {
    }

    /**
     * Runs a main class in a JVM of its own.
     *
     * @param main the class
     * @param options options of the JVM
     * @return what it printed
     * @throws Exception if it cannot be run
     */
    public static String run(Class<?> main, String... options) throws Exception {
        ChildJvm jvm = new ChildJvm();
        for (String option : options) {
            jvm.option(option);
        }
        return jvm.run(main);
    }

    /**
     * The same with a directory ahead of the class path of the tests.
     *
     * @param directory the directory
     * @param main the class
     * @param options options of the JVM
     * @return what it printed
     * @throws Exception if it cannot be run
     */
    public static String runBehind(Path directory, Class<?> main, String... options) throws Exception {
        return run(directory + File.pathSeparator + System.getProperty("java.class.path"), main, options);
    }

    /**
     * The same with a directory behind the class path of the tests.
     *
     * @param directory the directory
     * @param main the class
     * @param options options of the JVM
     * @return what it printed
     * @throws Exception if it cannot be run
     */
    public static String runWith(Path directory, Class<?> main, String... options) throws Exception {
        return run(System.getProperty("java.class.path") + File.pathSeparator + directory, main, options);
    }

    private static String run(String classPath, Class<?> main, String... options) throws Exception {
        ChildJvm jvm = new ChildJvm();
        for (String option : options) {
            jvm.option(option);
        }
        return jvm.start(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath, main.getName()));
    }
}
