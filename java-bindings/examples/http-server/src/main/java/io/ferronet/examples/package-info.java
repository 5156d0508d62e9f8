/**
 * The example server.
 */
package io.ferronet.examples;
