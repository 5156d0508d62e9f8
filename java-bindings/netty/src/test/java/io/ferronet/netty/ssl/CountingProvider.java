package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.spi.BindingProvider;
import io.ferronet.ffm.FfmBindingProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The binding, with its calls counted: what was made and what was freed. */
public final class CountingProvider implements BindingProvider {
    private static final ConcurrentMap<String, Integer> CALLS = new ConcurrentHashMap<>();

    static int calls(String method) {
        return CALLS.getOrDefault(method, 0);
    }

    @Override
    public String name() {
        return "counting";
    }

    @Override
    public FerronetBinding load() throws LibraryLoadException {
        FerronetBinding binding = new FfmBindingProvider().load();
        return (FerronetBinding) Proxy.newProxyInstance(CountingProvider.class.getClassLoader(), new Class<?>[] {FerronetBinding.class}, (proxy, method, arguments) -> {
            CALLS.merge(method.getName(), 1, Integer::sum);
            try {
                return method.invoke(binding, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }
}
