package io.ferronet.nativeimage;

import io.ferronet.api.FerronetBindings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.List;
import org.graalvm.nativeimage.ImageSingletons;
import org.graalvm.nativeimage.Platform;
import org.graalvm.nativeimage.Platforms;
import org.graalvm.nativeimage.hosted.Feature;
import org.graalvm.nativeimage.hosted.RuntimeClassInitialization;

/**
 * Links Ferronet into an image: finds the static library of the image's target on the class path, hands it to the linker, and fixes the binding, so that
 * neither the loader nor foreign function calls become part of the image. The builder finds it by the module's {@code native-image.properties}.
 */
@Platforms(Platform.HOSTED_ONLY.class)
public final class FerronetFeature implements Feature {
    private static final String FFM_BINDING = "io.ferronet.ffm.FfmBinding";
    /** Set by {@code -Dferronet.image.classifier=NAME} for the builder: takes this library, and no other. */
    private static final String CLASSIFIER = "ferronet.image.classifier";

    /** For the builder. */
    public FerronetFeature() {
    }

    @Override
    public String getDescription() {
        return "Links Ferronet's static library and fixes its binding";
    }

    @Override
    public void afterRegistration(AfterRegistrationAccess access) {
        try {
            StaticLibrary library = StaticLibrary.extract(access.getApplicationClassLoader(), classifiers(ImageSingletons.lookup(Platform.class)),
                Files.createTempDirectory("ferronet-image"));
            StaticLibrary.use(library);
            // The linker runs after every step of a feature.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(library)));
            // First: what is initialized at build time may be so at once.
            FerronetBindings.link(new ImageLink(library.source()));
            RuntimeClassInitialization.initializeAtBuildTime(FerronetBindings.class, access.findClassByName(FerronetBindings.class.getName() + "$Linked"),
                ImageLink.class, Upcalls.class);
        } catch (IOException e) {
            throw new UncheckedIOException("Ferronet's static library cannot be read or written", e);
        }
    }

    private static void delete(StaticLibrary library) {
        try {
            library.delete();
        } catch (IOException e) {
            System.err.println("Ferronet: " + library.directory() + " cannot be removed: " + e);
        }
    }

    /** The classifiers of static libraries that fit a target; the builder does not say which C library the image is for. */
    private static List<String> classifiers(Platform target) {
        String asked = System.getProperty(CLASSIFIER);
        if (asked != null) {
            return List.of(asked);
        }
        if (target instanceof Platform.LINUX_AMD64) {
            return List.of("linux-x86_64-static", "linux-x86_64-musl-static");
        }
        if (target instanceof Platform.LINUX_AARCH64) {
            return List.of("linux-aarch_64-static", "linux-aarch_64-musl-static");
        }
        if (target instanceof Platform.MACOS_AARCH64) {
            return List.of("osx-aarch_64-static");
        }
        if (target instanceof Platform.WINDOWS_AMD64) {
            return List.of("windows-x86_64-static");
        }
        throw new UnusableLibraryException("there is no static library for " + target.getClass().getSimpleName());
    }

    @Override
    public void afterAnalysis(AfterAnalysisAccess access) {
        Class<?> other = access.findClassByName(FFM_BINDING);
        if (other != null && access.isReachable(other)) {
            throw new IllegalStateException("the image would hold " + FFM_BINDING + " besides the binding that is linked: something calls it other than by FerronetBindings");
        }
    }
}
