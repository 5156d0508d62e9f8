/**
 * Whether Ferronet can be used here, with which backend, and what its event loops have done.
 */
package io.ferronet.netty;
