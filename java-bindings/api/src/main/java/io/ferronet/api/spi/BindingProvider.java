package io.ferronet.api.spi;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.LibraryLoadException;

/**
 * A way to call the native library. Found by {@link java.util.ServiceLoader}; see {@link io.ferronet.api.FerronetBindings}.
 */
public interface BindingProvider {
    /**
     * Names the provider in messages.
     *
     * @return a short name such as {@code ffm}
     */
    String name();

    /**
     * Loads the native library, checks its ABI, and binds it. Called from any thread, also several times.
     *
     * @return the binding; the same object for every call that succeeds
     * @throws LibraryLoadException if the library cannot be loaded or does not fit; its message says what was tried and what to set
     */
    FerronetBinding load() throws LibraryLoadException;
}
