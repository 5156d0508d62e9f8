/**
 * The one runtime of this class loader. Not exported.
 */
package io.ferronet.netty.internal;
