/**
 * Ferronet for Netty: the native transport's event loop handler, channels and options, TLS, and compression. Calls native code only through
 * {@link io.ferronet.api.FerronetBinding}.
 */
module io.ferronet.netty {
    requires transitive io.ferronet.api;
    requires transitive io.netty.transport;
    requires transitive io.netty.transport.unix.common;
    requires transitive io.netty.buffer;
    requires transitive io.netty.common;
    requires io.netty.resolver;
    requires static jdk.jfr;
    // The TLS package; an application that uses it has this.
    requires static transitive io.netty.handler;
    requires static java.naming;
    // The compression package; an application that uses it has these.
    requires static transitive io.netty.codec;
    requires static transitive io.netty.codec.compression;
    requires static transitive io.netty.codec.http;
    requires static transitive io.netty.codec.http2;

    exports io.ferronet.netty;
    exports io.ferronet.netty.compression;
    exports io.ferronet.netty.ssl;
    exports io.ferronet.netty.transport;

    provides java.security.Provider with io.ferronet.netty.ssl.FerronetSslProvider;
}
