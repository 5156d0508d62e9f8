/**
 * The binding interface with its record layouts, statuses, options and errors, and the ABI check.
 *
 * <p>Since revision 1 of the C surface. {@link io.ferronet.api.FerronetBindings} finds the binding of the running JVM.
 */
package io.ferronet.api;
