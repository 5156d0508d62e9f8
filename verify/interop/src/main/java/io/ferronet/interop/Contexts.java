package io.ferronet.interop;

import io.ferronet.netty.ssl.FerronetSslContextBuilder;
import io.ferronet.netty.ssl.FerronetSslContextOption;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.OpenSslSessionTicketKey;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLParameters;

/** Contexts of the peers that run in this process, configured alike as far as they can be. */
final class Contexts {
    /** Room for the longest chain. */
    private static final int CERTIFICATE_BYTES = 65_535;
    private static final char[] PASSWORD = "interop".toCharArray();

    private Contexts() {
    }

    /** A server with one key, or with several of which it chooses one by the name that the client asks for. */
    static SslContext server(Cell cell, X509Certificate root, List<Identity> identities) throws Exception {
        Identity first = identities.get(0);
        ClientAuth clientAuth = cell.feature().clientHasKey() ? ClientAuth.REQUIRE : ClientAuth.NONE;
        if (cell.server() == Peer.FERRONET) {
            FerronetSslContextBuilder builder = identities.size() > 1 ? FerronetSslContextBuilder.forServer(keyManagers(identities))
                : FerronetSslContextBuilder.forServer(first.key(), first.chain());
            return configured(builder, cell, root, cell.serverProtocols()).clientAuth(clientAuth).build();
        }
        SslContextBuilder builder = identities.size() > 1 ? SslContextBuilder.forServer(keyManagers(identities)) : SslContextBuilder.forServer(first.key(), first.chain());
        SslContext context = configured(builder, cell.server(), cell, root, cell.serverProtocols()).clientAuth(clientAuth).build();
        if (context.sessionContext() instanceof OpenSslServerSessionContext sessions) {
            // Without keys it gives no tickets, and with TLS 1.3 it resumes by tickets only.
            byte[] key = new byte[48];
            new SecureRandom().nextBytes(key);
            sessions.setTicketKeys(new OpenSslSessionTicketKey(Arrays.copyOfRange(key, 0, 16), Arrays.copyOfRange(key, 16, 32), Arrays.copyOfRange(key, 32, 48)));
        }
        return context;
    }

    static SslContext client(Cell cell, X509Certificate root, Identity identity) throws Exception {
        if (cell.client() == Peer.FERRONET) {
            FerronetSslContextBuilder builder = configured(FerronetSslContextBuilder.forClient(), cell, root, cell.clientProtocols());
            return (identity == null ? builder : builder.keyManager(identity.key(), identity.chain())).build();
        }
        SslContextBuilder builder = configured(SslContextBuilder.forClient(), cell.client(), cell, root, cell.clientProtocols());
        return (identity == null ? builder : builder.keyManager(identity.key(), identity.chain())).build();
    }

    /** A client that leaves all but the version and the protocol to its defaults. */
    static SslContext client(Peer peer, Version version, X509Certificate root, String protocol) throws Exception {
        if (peer == Peer.FERRONET) {
            return FerronetSslContextBuilder.forClient().trustManager(root).protocols(version.java).applicationProtocolConfig(alpn(List.of(protocol))).build();
        }
        return SslContextBuilder.forClient().sslProvider(provider(peer)).trustManager(root).protocols(version.java).applicationProtocolConfig(alpn(List.of(protocol))).build();
    }

    private static SslProvider provider(Peer peer) {
        return peer == Peer.JDK ? SslProvider.JDK : SslProvider.OPENSSL_REFCNT;
    }

    private static FerronetSslContextBuilder configured(FerronetSslContextBuilder builder, Cell cell, X509Certificate root, List<String> protocols) {
        return builder.trustManager(root).protocols(cell.version().java).ciphers(List.of(cell.suite().java(cell.version(), cell.key()))).applicationProtocolConfig(alpn(protocols))
            .option(FerronetSslContextOption.GROUPS, cell.groups().stream().map(group -> group.java).toArray(String[]::new))
            .option(FerronetSslContextOption.MAX_CERTIFICATE_LIST_BYTES, CERTIFICATE_BYTES);
    }

    private static SslContextBuilder configured(SslContextBuilder builder, Peer peer, Cell cell, X509Certificate root, List<String> protocols) {
        builder.sslProvider(provider(peer)).trustManager(root).protocols(cell.version().java).applicationProtocolConfig(alpn(protocols));
        if (peer == Peer.JDK || cell.version() == Version.TLS12) {
            builder.ciphers(List.of(cell.suite().java(cell.version(), cell.key())));
        }
        if (peer == Peer.JDK) {
            return builder;
        }
        return builder
            .option(OpenSslContextOption.GROUPS, cell.groups().stream().map(group -> group.openssl).toArray(String[]::new))
            .option(OpenSslContextOption.MAX_CERTIFICATE_LIST_BYTES, CERTIFICATE_BYTES);
    }

    private static ApplicationProtocolConfig alpn(List<String> protocols) {
        return new ApplicationProtocolConfig(Protocol.ALPN, SelectorFailureBehavior.NO_ADVERTISE, SelectedListenerFailureBehavior.ACCEPT, protocols);
    }

    /** The JDK's key manager that knows server names. */
    private static KeyManagerFactory keyManagers(List<Identity> identities) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (Identity identity : identities) {
            store.setKeyEntry(identity.host(), identity.key(), PASSWORD, identity.chain().toArray(X509Certificate[]::new));
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(store, PASSWORD);
        return factory;
    }

    /** The JDK takes its groups with each engine. */
    static SslHandler withGroups(SslHandler handler, Peer peer, Cell cell) {
        if (peer == Peer.JDK) {
            SSLParameters parameters = handler.engine().getSSLParameters();
            parameters.setNamedGroups(cell.groups().stream().map(group -> group.java).toArray(String[]::new));
            handler.engine().setSSLParameters(parameters);
        }
        return handler;
    }
}
