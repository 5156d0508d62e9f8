package io.ferronet.netty.ssl;

import io.ferronet.api.Capabilities;
import io.ferronet.api.Errno;
import io.ferronet.api.FerronetBinding;
import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.Reason;
import io.ferronet.api.spi.BindingProvider;
import io.ferronet.ffm.FfmBindingProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The binding on a system that grants neither io_uring nor a poller: no reactor can be made, and the probe says so. */
public final class RefusingProvider implements BindingProvider {
    @Override
    public String name() {
        return "refusing";
    }

    @Override
    public FerronetBinding load() throws LibraryLoadException {
        FerronetBinding binding = new FfmBindingProvider().load();
        return (FerronetBinding) Proxy.newProxyInstance(RefusingProvider.class.getClassLoader(), new Class<?>[] {FerronetBinding.class}, (proxy, method, arguments) -> {
            if (method.getName().equals("reactorNew")) {
                return Errno.EPERM.status();
            }
            Object result;
            try {
                result = method.invoke(binding, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().equals("probe")) {
                ByteBuffer caps = binding.memory((long) arguments[0], Capabilities.SIZE).order(ByteOrder.nativeOrder());
                caps.putInt(Capabilities.OFFSET_URING_REASON, Reason.DENIED.number()).putInt(Capabilities.OFFSET_URING_STATUS, Errno.EPERM.status());
                caps.putInt(Capabilities.OFFSET_POLL_REASON, Reason.DESCRIPTORS.number()).putInt(Capabilities.OFFSET_POLL_STATUS, Errno.EMFILE.status());
            }
            return result;
        });
    }
}
