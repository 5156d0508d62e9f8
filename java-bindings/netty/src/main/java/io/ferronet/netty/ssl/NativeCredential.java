package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Status;
import io.ferronet.api.TlsCredentialConfig;
import io.ferronet.api.TlsStubs;
import io.ferronet.netty.internal.NativeCleaner;
import io.ferronet.netty.internal.NativeRuntime;
import java.io.ByteArrayOutputStream;
import java.lang.ref.Cleaner;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLKeyException;

/** A certificate chain and its key in the library. A key that cannot leave where it is signs by {@link java.security.Signature}. Freed when nothing refers to it any more. */
final class NativeCredential {
    private final long handle;
    private final X509Certificate[] chain;
    private final PrivateKey externalKey;
    private final Cleaner.Cleanable cleanable;

    private NativeCredential(FerronetBinding binding, long handle, X509Certificate[] chain, PrivateKey externalKey) {
        this.handle = handle;
        this.chain = chain;
        this.externalKey = externalKey;
        cleanable = NativeCleaner.register(this, () -> binding.tlsCredentialFree(handle));
    }

    static NativeCredential of(X509Certificate[] chain, PrivateKey key) throws SSLException {
        byte[] encoded = "PKCS#8".equals(key.getFormat()) ? key.getEncoded() : null;
        return encoded == null ? make(new TlsSettings.KeyEntry(chain, null, key, new byte[0]))
            : make(new TlsSettings.KeyEntry(chain, encoded, null, new byte[0]));
    }

    /** Makes a credential. The entry's key is wiped, whether it can be used or not. */
    static NativeCredential make(TlsSettings.KeyEntry entry) throws SSLException {
        FerronetBinding binding = NativeRuntime.get().binding();
        X509Certificate[] chain = entry.chain();
        try (NativeConfig config = new NativeConfig(binding, TlsCredentialConfig.SIZE)) {
            config.put(TlsCredentialConfig.OFFSET_CHAIN, encoded(chain));
            config.put(TlsCredentialConfig.OFFSET_OCSP_RESPONSE, entry.ocspResponse());
            if (entry.external() == null) {
                config.put(TlsCredentialConfig.OFFSET_KEY, entry.key());
            } else {
                TlsStubs stubs = binding.tlsStubs();
                config.putLong(TlsCredentialConfig.OFFSET_SIGN, stubs.sign()).putLong(TlsCredentialConfig.OFFSET_SIGN_CONTEXT, stubs.context());
                config.putShorts(TlsCredentialConfig.OFFSET_SCHEMES, schemes(chain[0]));
            }
            int status = binding.tlsCredentialNew(config.address(), config.handleAddress());
            if (Status.isError(status)) {
                throw TlsFailures.configuration("the key for " + chain[0].getSubjectX500Principal(), status, binding.lastError(0));
            }
            return new NativeCredential(binding, config.handle(), chain, entry.external());
        } finally {
            if (entry.key() != null) {
                Arrays.fill(entry.key(), (byte) 0);
            }
        }
    }

    /** Frees it now. No context may be made of it any more; those that were keep what they need. */
    void free() {
        cleanable.clean();
    }

    private static byte[] encoded(X509Certificate[] chain) throws SSLException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            for (X509Certificate certificate : chain) {
                bytes.writeBytes(certificate.getEncoded());
            }
        } catch (CertificateEncodingException e) {
            throw new SSLException("a certificate of the chain has no encoding: " + e.getMessage(), e);
        }
        return bytes.toByteArray();
    }

    private static int[] schemes(X509Certificate certificate) throws SSLException {
        String type = certificate.getPublicKey().getAlgorithm();
        int[] numbers = SignatureScheme.numbersFor(certificate.getPublicKey());
        if (numbers.length == 0) {
            throw new SSLKeyException("a key of type " + type + " is not supported; there are: RSA, EC (P-256, P-384, P-521), Ed25519");
        }
        return numbers;
    }

    long handle() {
        return handle;
    }

    X509Certificate[] chain() {
        return chain;
    }

    /** The key that signs by {@link java.security.Signature}, or {@code null} if the library has it. */
    PrivateKey externalKey() {
        return externalKey;
    }

    @Override
    public String toString() {
        return "NativeCredential(" + Arrays.toString(chain) + ')';
    }
}
