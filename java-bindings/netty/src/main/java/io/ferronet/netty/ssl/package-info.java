/**
 * TLS 1.2 and 1.3 for Netty, on any transport, and as a provider of the Java Cryptography Architecture.
 *
 * <p>{@link io.ferronet.netty.ssl.FerronetSslContextBuilder} takes the place of Netty's {@code SslContextBuilder}; {@link io.ferronet.netty.ssl.FerronetSslProvider} is for
 * what insists on an {@link javax.net.ssl.SSLContext}. Needs {@code netty-handler}.
 */
package io.ferronet.netty.ssl;
