package io.ferronet.netty.transport;

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
}
