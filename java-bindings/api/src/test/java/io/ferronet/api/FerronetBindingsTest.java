package io.ferronet.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.LibraryLoadException.Kind;
import io.ferronet.api.spi.BindingProvider;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FerronetBindingsTest {
    @TempDir
    Path directory;

    /** A provider that always fails. */
    public static final class Failing implements BindingProvider {
        static final LibraryLoadException FAILURE = new LibraryLoadException(Kind.NOT_FOUND, "no library; add it");

        @Override
        public String name() {
            return "failing";
        }

        @Override
        public FerronetBinding load() throws LibraryLoadException {
            throw FAILURE;
        }
    }

    private LibraryLoadException failureWith(String providers) throws Exception {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(services.resolve(BindingProvider.class.getName()), providers);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
            return withContextLoader(loader, () -> assertThrows(LibraryLoadException.class, FerronetBindings::load));
        }
    }

    private static <T> T withContextLoader(ClassLoader loader, Callable<T> action) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        try {
            return action.call();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    @Test
    void withoutABindingTheMessageNamesTheDependency() {
        LibraryLoadException failure = assertThrows(LibraryLoadException.class, FerronetBindings::load);
        assertEquals(Kind.NO_BINDING, failure.kind());
        assertEquals("no Ferronet binding can be used (none is present). Add io.ferronet:ferronet-ffm to the class path or module path, "
            + "and run JDK 22 or newer", failure.getMessage());
    }

    @Test
    void theFailureOfTheOnlyProviderIsPassedOn() throws Exception {
        assertSame(Failing.FAILURE, failureWith(Failing.class.getName()));
    }

    @Test
    void anUnusableProviderIsNamedAndTheNextOneTried() throws Exception {
        LibraryLoadException failure = failureWith("no.such.Provider\n" + Failing.class.getName() + "\n");
        assertEquals(Kind.NOT_FOUND, failure.kind());
        assertSame(Failing.FAILURE, failure.getCause());
        assertEquals(2, failure.attempts().size());
        assertTrue(failure.getMessage().contains("no.such.Provider"), failure.getMessage());
        assertTrue(failure.getMessage().contains("failing: no library; add it"), failure.getMessage());
    }

    @Test
    void aBrokenProviderListEnds() throws Exception {
        LibraryLoadException failure = failureWith("this is no class name\n");
        assertEquals(Kind.NO_BINDING, failure.kind());
        assertEquals(1, failure.attempts().size());
        assertTrue(failure.getMessage().contains("Illegal configuration-file syntax"), failure.getMessage());
    }

    @Test
    void aBindingIsLinkedOnlyWhileAnImageIsBuilt() {
        assertThrows(IllegalStateException.class, () -> FerronetBindings.link(() -> null));
    }
}
