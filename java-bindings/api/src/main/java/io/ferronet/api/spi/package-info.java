/**
 * What Ferronet's modules provide to each other through {@link java.util.ServiceLoader}: bindings and native libraries.
 */
package io.ferronet.api.spi;
