package io.ferronet.ffm;

import io.ferronet.api.AbiRequirement;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.spi.BindingProvider;

/** Provides the binding over the Foreign Function and Memory API. */
public final class FfmBindingProvider implements BindingProvider {
    private static FerronetBinding loaded;

    /** For {@link java.util.ServiceLoader}. */
    public FfmBindingProvider() {
    }

    @Override
    public String name() {
        return "ffm";
    }

    @Override
    public FerronetBinding load() throws LibraryLoadException {
        synchronized (FfmBindingProvider.class) {
            if (loaded == null) {
                LibraryLoader.Result result = new LibraryLoader().load(AbiRequirement.CURRENT);
                Handles.resolve(result.addresses());
                loaded = new FfmBinding(result.library());
            }
            return loaded;
        }
    }
}
