package io.ferronet.nativeimage;

import java.util.List;
import org.graalvm.nativeimage.Platform;
import org.graalvm.nativeimage.Platforms;
import org.graalvm.nativeimage.c.CContext;

/** Tells the builder where the static library and its header are. {@link FerronetFeature} has put them there by the time that it asks. */
@Platforms(Platform.HOSTED_ONLY.class)
final class LibraryDirectives implements CContext.Directives {
    /** For the builder. */
    LibraryDirectives() {
    }

    @Override
    public List<String> getHeaderFiles() {
        return List.of("<" + StaticLibrary.HEADER + ">");
    }

    @Override
    public List<String> getOptions() {
        return List.of("-I" + StaticLibrary.current().directory());
    }

    @Override
    public List<String> getLibraryPaths() {
        return List.of(StaticLibrary.current().directory().toString());
    }

    @Override
    public List<String> getLibraries() {
        return StaticLibrary.current().libraries();
    }
}
