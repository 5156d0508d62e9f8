/**
 * Links Ferronet's static library into a Native Image and binds it there. On a JVM this module does nothing.
 */
module io.ferronet.nativeimage {
    requires io.ferronet.api;
    // The builder brings these along; they are not needed on a JVM.
    requires static org.graalvm.nativeimage;
    requires static org.graalvm.word;

    // The builder makes the feature by reflection.
    exports io.ferronet.nativeimage;
}
