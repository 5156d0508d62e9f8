package io.ferronet.netty.ssl;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** TLS's signature schemes, with Java's names for the algorithm and for the type of its keys. */
enum SignatureScheme {
    ECDSA_SECP256R1_SHA256(0x0403, "SHA256withECDSA", "EC", 0),
    ECDSA_SECP384R1_SHA384(0x0503, "SHA384withECDSA", "EC", 0),
    ECDSA_SECP521R1_SHA512(0x0603, "SHA512withECDSA", "EC", 0),
    ED25519(0x0807, "Ed25519", "EdDSA", 0),
    RSA_PSS_RSAE_SHA256(0x0804, "RSASSA-PSS", "RSA", 256),
    RSA_PSS_RSAE_SHA384(0x0805, "RSASSA-PSS", "RSA", 384),
    RSA_PSS_RSAE_SHA512(0x0806, "RSASSA-PSS", "RSA", 512),
    RSA_PKCS1_SHA256(0x0401, "SHA256withRSA", "RSA", 0),
    RSA_PKCS1_SHA384(0x0501, "SHA384withRSA", "RSA", 0),
    RSA_PKCS1_SHA512(0x0601, "SHA512withRSA", "RSA", 0);

    private static final SignatureScheme[] ALL = values();
    private static final String[] ALGORITHMS = algorithms(List.of(ALL));

    private final int number;
    private final String algorithm;
    private final String keyType;
    /** Bits of the hash of a PSS signature, else 0. */
    private final int pssHash;

    SignatureScheme(int number, String algorithm, String keyType, int pssHash) {
        this.number = number;
        this.algorithm = algorithm;
        this.keyType = keyType;
        this.pssHash = pssHash;
    }

    int number() {
        return number;
    }

    String keyType() {
        return keyType;
    }

    static SignatureScheme of(int number) {
        for (SignatureScheme scheme : ALL) {
            if (scheme.number == number) {
                return scheme;
            }
        }
        return null;
    }

    static List<SignatureScheme> of(int[] numbers) {
        List<SignatureScheme> schemes = new ArrayList<>(numbers.length);
        for (int number : numbers) {
            SignatureScheme scheme = of(number);
            if (scheme != null) {
                schemes.add(scheme);
            }
        }
        return schemes;
    }

    /** The schemes that the private key of this public one can sign with; the curve of an EC key decides its hash (RFC 8446, 4.2.3). */
    static int[] numbersFor(PublicKey key) {
        String type = key.getAlgorithm();
        List<SignatureScheme> schemes = new ArrayList<>();
        for (SignatureScheme scheme : ALL) {
            if (scheme.keyType.equals(type) || scheme == ED25519 && (type.equals("EdDSA") || type.equals("Ed25519"))) {
                schemes.add(scheme);
            }
        }
        if (key instanceof ECKey ec) {
            int bits = ec.getParams().getCurve().getField().getFieldSize();
            schemes.removeIf(scheme -> scheme != (bits == 256 ? ECDSA_SECP256R1_SHA256 : bits == 384 ? ECDSA_SECP384R1_SHA384 : ECDSA_SECP521R1_SHA512));
        }
        return schemes.stream().mapToInt(SignatureScheme::number).toArray();
    }

    /** The types of keys that fit, in the order of the schemes. */
    static Set<String> keyTypes(List<SignatureScheme> schemes) {
        Set<String> types = new LinkedHashSet<>();
        for (SignatureScheme scheme : schemes) {
            types.add(scheme.keyType);
        }
        return types;
    }

    /** Java's names of the algorithms of these schemes. */
    static String[] algorithms(List<SignatureScheme> schemes) {
        Set<String> names = new LinkedHashSet<>();
        for (SignatureScheme scheme : schemes) {
            names.add(scheme.algorithm);
            if (scheme == ED25519) {
                names.add("EdDSA");
            }
        }
        return names.toArray(String[]::new);
    }

    static String[] supportedAlgorithms() {
        return ALGORITHMS.clone();
    }

    /** Begins a signature by whichever security provider takes the key. */
    Signature begin(PrivateKey key) throws NoSuchAlgorithmException, InvalidKeyException, InvalidAlgorithmParameterException {
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        if (pssHash != 0) {
            String hash = "SHA-" + pssHash;
            signature.setParameter(new PSSParameterSpec(hash, "MGF1", new MGF1ParameterSpec(hash), pssHash / 8, PSSParameterSpec.TRAILER_FIELD_BC));
        }
        return signature;
    }
}
