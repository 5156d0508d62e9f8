package io.ferronet.netty.ssl;

import java.security.Provider;

/**
 * The security provider {@value #NAME}, with the {@code SSLContext} algorithms {@code TLS}, {@code TLSv1.2} and {@code TLSv1.3} ({@code TLSv1.3} allows both versions, as the JDK's does). For
 * {@code SslContextBuilder.sslContextProvider}, for {@code SSLContext.getInstance("TLS", new FerronetSslProvider())} and what takes such a context, for example the JDK's HTTP client.
 *
 * <p>Its contexts make engines, not sockets. They are the JDK's in everything that an application sees: without trust managers the JDK's default trust is used, and the host name is
 * checked where the application asks for it by {@code SSLParameters}.
 */
public final class FerronetSslProvider extends Provider {
    /** The name of the provider. */
    public static final String NAME = "Ferronet";

    private static final long serialVersionUID = 1L;

    /** Makes the provider. Nothing native is loaded before its first context begins a connection. */
    public FerronetSslProvider() {
        super(NAME, "1.0", "TLS 1.2 and 1.3 of Ferronet: engines over a native library");
        put("SSLContext.TLS", FerronetSslContextSpi.Tls.class.getName());
        put("SSLContext.TLSv1.2", FerronetSslContextSpi.Tls12.class.getName());
        put("SSLContext.TLSv1.3", FerronetSslContextSpi.Tls.class.getName());
    }
}
