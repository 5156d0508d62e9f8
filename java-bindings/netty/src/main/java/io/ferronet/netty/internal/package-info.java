/**
 * The one runtime of this class loader, and what all packages of the module share. Not exported.
 */
package io.ferronet.netty.internal;
