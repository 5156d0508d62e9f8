/**
 * Ferronet for Netty: the native transport's event loop handler, channels and options. Calls native code only through
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

    exports io.ferronet.netty;
    exports io.ferronet.netty.transport;
}
