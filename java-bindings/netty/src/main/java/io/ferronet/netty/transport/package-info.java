/**
 * The transport: {@link io.ferronet.netty.transport.FerronetIoHandler} for the event loops, and the TCP channels with their
 * configurations and options.
 */
package io.ferronet.netty.transport;
