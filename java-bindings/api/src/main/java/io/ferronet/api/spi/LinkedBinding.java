package io.ferronet.api.spi;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetBindings;
import io.ferronet.api.LibraryLoadException;

/** The binding that a Native Image is built with. See {@link FerronetBindings#link}. */
@FunctionalInterface
public interface LinkedBinding {
    /**
     * Checks the ABI of the library that is part of the image, and binds it. Called from any thread, also several times.
     *
     * @return the binding; the same object for every call that succeeds
     * @throws LibraryLoadException if the library does not fit; its message says why, and what to do
     */
    FerronetBinding bind() throws LibraryLoadException;
}
