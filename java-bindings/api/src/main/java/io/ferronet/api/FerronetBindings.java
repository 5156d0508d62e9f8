package io.ferronet.api;

import io.ferronet.api.LibraryLoadException.Kind;
import io.ferronet.api.spi.BindingProvider;
import io.ferronet.api.spi.LinkedBinding;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;

/** Finds the binding of the running JVM, or has the one that a Native Image was built with. */
public final class FerronetBindings {
    private static LinkedBinding linked;

    private FerronetBindings() {
    }

    /** Initialized when an image is built, so that what follows is a constant there, and the search for providers is left out. */
    private static final class Linked {
        static final LinkedBinding BINDING = linked;

        private Linked() {
        }
    }

    /**
     * Fixes the binding of a Native Image while it is built: {@link #load} takes no other one there.
     *
     * @param binding the binding
     * @throws IllegalStateException if no image is being built
     */
    public static void link(LinkedBinding binding) {
        if (!"buildtime".equals(System.getProperty("org.graalvm.nativeimage.imagecode"))) {
            throw new IllegalStateException("a binding is linked only while a Native Image is built");
        }
        linked = Objects.requireNonNull(binding, "binding");
    }

    /**
     * Loads the native library through the first provider that can. Any thread; a failure is not remembered, so that a caller may try again.
     *
     * @return the binding
     * @throws LibraryLoadException if no provider is present or none can load; its message says what was tried and what to set
     */
    public static FerronetBinding load() throws LibraryLoadException {
        if (Linked.BINDING != null) {
            return Linked.BINDING.bind();
        }
        List<String> attempts = new ArrayList<>();
        LibraryLoadException failure = null;
        for (ClassLoader loader : loaders()) {
            Iterator<BindingProvider> providers = ServiceLoader.load(BindingProvider.class, loader).iterator();
            while (true) {
                BindingProvider provider;
                try {
                    if (!providers.hasNext()) {
                        break;
                    }
                    provider = providers.next();
                } catch (ServiceConfigurationError | LinkageError e) {
                    String error = unusable(e);
                    if (attempts.contains(error)) {
                        // An unreadable provider list fails in the same way at every step.
                        break;
                    }
                    attempts.add(error);
                    continue;
                }
                try {
                    return provider.load();
                } catch (LibraryLoadException e) {
                    failure = e;
                    attempts.add(provider.name() + ": " + e.getMessage());
                }
            }
            if (failure != null) {
                break;
            }
        }
        if (failure != null && attempts.size() == 1) {
            throw failure;
        }
        Kind kind = failure != null ? failure.kind() : Kind.NO_BINDING;
        String tried = attempts.isEmpty() ? "none is present" : String.join("; ", attempts);
        throw new LibraryLoadException(kind, "no Ferronet binding can be used (" + tried
            + "). Add io.ferronet:ferronet-ffm to the class path or module path, and run JDK 22 or newer", attempts, failure);
    }

    private static Set<ClassLoader> loaders() {
        Set<ClassLoader> loaders = new LinkedHashSet<>();
        loaders.add(FerronetBindings.class.getClassLoader());
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        if (context != null) {
            loaders.add(context);
        }
        return loaders;
    }

    private static String unusable(Throwable error) {
        Throwable cause = error;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof UnsupportedClassVersionError) {
            return "the binding needs a newer JVM than " + Runtime.version() + " (" + cause.getMessage() + ")";
        }
        return cause.toString();
    }
}
