package io.ferronet.netty.ssl;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.Region;
import io.ferronet.api.TlsCallbacks;
import io.ferronet.api.TlsChoice;
import io.ferronet.api.TlsVerification;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.util.ArrayList;
import java.util.List;
import javax.security.auth.x500.X500Principal;

/** Answers the library's questions about one session. Holds what owns the session weakly, because the library's registry holds this. */
final class SessionCallbacks implements TlsCallbacks {
    private static final int INTERNAL_ERROR = -1;

    private final FerronetBinding binding;
    private final NativeTlsContext context;
    private final WeakReference<TlsHooks> hooks;
    /** Chosen for this session; kept until it has signed. */
    private volatile NativeCredential credential;

    SessionCallbacks(FerronetBinding binding, NativeTlsContext context, TlsHooks hooks) {
        this.binding = binding;
        this.context = context;
        this.hooks = new WeakReference<>(hooks);
    }

    @Override
    public int verify(long user, long request) {
        TlsHooks connection = hooks.get();
        if (connection == null) {
            return INTERNAL_ERROR;
        }
        TlsSettings settings = context.settings();
        try {
            ByteBuffer memory = binding.memory(request, TlsVerification.SIZE);
            List<byte[]> chain = regions(memory.getLong(TlsVerification.OFFSET_CERTIFICATES), memory.getInt(TlsVerification.OFFSET_CERTIFICATE_COUNT));
            byte[] response = region(memory, TlsVerification.OFFSET_OCSP_RESPONSE);
            if (response.length > 0) {
                connection.handshakeSession().setStatusResponses(List.of(response));
            }
            PeerVerifier.verify(settings.trustManager, connection, settings.client, CipherSuite.find(connection.handshakeSession().getCipherSuite()), chain);
            return 0;
        } catch (CertificateException e) {
            connection.failed(e);
            return PeerVerifier.alert(e);
        } catch (Throwable t) {
            connection.failed(t);
            return INTERNAL_ERROR;
        }
    }

    @Override
    public long choose(long user, long request) {
        TlsHooks connection = hooks.get();
        if (connection == null) {
            return INTERNAL_ERROR;
        }
        try {
            ByteBuffer memory = binding.memory(request, TlsChoice.SIZE);
            List<SignatureScheme> schemes = SignatureScheme.of(shorts(memory.getLong(TlsChoice.OFFSET_SCHEMES), memory.getInt(TlsChoice.OFFSET_SCHEME_COUNT)));
            connection.handshakeSession().setPeerAlgorithms(SignatureScheme.algorithms(schemes));
            CredentialChooser chooser = context.chooser();
            if (context.settings().client) {
                credential = chooser.forClient(connection, schemes, issuers(memory));
            } else {
                int[] suites = shorts(memory.getLong(TlsChoice.OFFSET_SUITES), memory.getInt(TlsChoice.OFFSET_SUITE_COUNT));
                List<CipherSuite> common = common(suites, connection.suites());
                credential = chooser.forServer(connection, schemes, common, common.stream().anyMatch(CipherSuite::isTls13));
            }
            NativeCredential chosen = credential;
            if (chosen == null) {
                return 0;
            }
            if (!context.settings().client) {
                // A client may be asked before the server is trusted; what it has shown is known in the end.
                connection.handshakeSession().setLocalCertificates(chosen.chain());
            }
            return chosen.handle();
        } catch (Throwable t) {
            connection.failed(t);
            return INTERNAL_ERROR;
        }
    }

    @Override
    public long sign(long user, int scheme, long message, long length, long out, long capacity) {
        TlsHooks connection = hooks.get();
        NativeCredential chosen = credential;
        if (connection == null || chosen == null || chosen.externalKey() == null) {
            return INTERNAL_ERROR;
        }
        try {
            SignatureScheme known = SignatureScheme.of(scheme);
            if (known == null) {
                throw new GeneralSecurityException("signature scheme 0x" + Integer.toHexString(scheme) + " is not known");
            }
            Signature signature = known.begin(chosen.externalKey());
            signature.update(binding.memory(message, length));
            byte[] signed = signature.sign();
            if (signed.length > capacity) {
                throw new GeneralSecurityException("a signature of " + signed.length + " bytes is too long (at most " + capacity + ")");
            }
            binding.memory(out, capacity).put(signed);
            return signed.length;
        } catch (Throwable t) {
            connection.failed(t);
            return INTERNAL_ERROR;
        }
    }

    @Override
    public void keyLog(long user, String line) {
        context.settings().keyLog.accept(line);
    }

    private static List<CipherSuite> common(int[] offered, List<CipherSuite> own) {
        List<CipherSuite> common = new ArrayList<>();
        for (int number : offered) {
            CipherSuite suite = CipherSuite.of(number);
            if (suite != null && own.contains(suite)) {
                common.add(suite);
            }
        }
        return common;
    }

    private Principal[] issuers(ByteBuffer memory) {
        List<byte[]> names = regions(memory.getLong(TlsChoice.OFFSET_ISSUERS), memory.getInt(TlsChoice.OFFSET_ISSUER_COUNT));
        return names.stream().map(X500Principal::new).toArray(Principal[]::new);
    }

    private int[] shorts(long address, int count) {
        int[] numbers = new int[count];
        if (count > 0) {
            ByteBuffer memory = binding.memory(address, (long) count * Short.BYTES).order(ByteOrder.nativeOrder());
            for (int i = 0; i < count; i++) {
                numbers[i] = memory.getShort(i * Short.BYTES) & 0xffff;
            }
        }
        return numbers;
    }

    private List<byte[]> regions(long address, int count) {
        List<byte[]> values = new ArrayList<>(count);
        if (count > 0) {
            ByteBuffer memory = binding.memory(address, (long) count * Region.SIZE);
            for (int i = 0; i < count; i++) {
                values.add(region(memory, i * Region.SIZE));
            }
        }
        return values;
    }

    private byte[] region(ByteBuffer memory, int offset) {
        long length = memory.getLong(offset + Region.OFFSET_LEN);
        byte[] value = new byte[(int) length];
        if (length > 0) {
            binding.memory(memory.getLong(offset + Region.OFFSET_ADDR), length).get(value);
        }
        return value;
    }
}
