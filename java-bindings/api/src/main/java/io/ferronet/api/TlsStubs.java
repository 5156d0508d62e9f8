package io.ferronet.api;

/**
 * Addresses of native functions that call {@link TlsCallbacks}. Since revision 3.
 *
 * @param verify for {@link TlsConfig#OFFSET_VERIFY}
 * @param choose for {@link TlsConfig#OFFSET_CHOOSE}
 * @param keyLog for {@link TlsConfig#OFFSET_KEY_LOG}
 * @param sign for {@link TlsCredentialConfig#OFFSET_SIGN}
 * @param context for the context beside each of them
 */
public record TlsStubs(long verify, long choose, long keyLog, long sign, long context) {
}
