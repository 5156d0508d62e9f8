/**
 * The binding that is linked into Native Images. It has no API: an application adds the module and the static library of its platform, and builds.
 */
package io.ferronet.nativeimage;
