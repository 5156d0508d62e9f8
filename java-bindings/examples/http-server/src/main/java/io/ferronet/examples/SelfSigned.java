package io.ferronet.examples;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * A P-256 key and a certificate for {@code localhost} and 127.0.0.1 that nobody has signed but itself: for trying a server out.
 *
 * @param key the private key
 * @param certificate the certificate, good for a week
 */
record SelfSigned(PrivateKey key, X509Certificate certificate) {
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT = 0x06;
    private static final int UTF8 = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int DNS_NAME = 0x82;
    private static final int IP_ADDRESS = 0x87;
    private static final int VERSION = 0xa0;
    private static final int EXTENSIONS = 0xa3;
    private static final byte[] ECDSA_WITH_SHA256 = {0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2};
    private static final byte[] COMMON_NAME = {0x55, 4, 3};
    private static final byte[] SUBJECT_ALTERNATIVE_NAMES = {0x55, 0x1d, 0x11};
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);
    private static final Duration LIFETIME = Duration.ofDays(7);

    static SelfSigned make() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair pair = generator.generateKeyPair();
        byte[] algorithm = der(SEQUENCE, der(OBJECT, ECDSA_WITH_SHA256));
        byte[] name = der(SEQUENCE, der(SET, der(SEQUENCE, der(OBJECT, COMMON_NAME), der(UTF8, "localhost".getBytes(StandardCharsets.UTF_8)))));
        Instant now = Instant.now();
        byte[] names = der(SEQUENCE, der(DNS_NAME, "localhost".getBytes(StandardCharsets.US_ASCII)), der(IP_ADDRESS, new byte[] {127, 0, 0, 1}));
        byte[] content = der(SEQUENCE,
            der(VERSION, der(INTEGER, new byte[] {2})),
            der(INTEGER, new BigInteger(63, new SecureRandom()).add(BigInteger.ONE).toByteArray()),
            algorithm,
            name,
            der(SEQUENCE, time(now.minus(Duration.ofHours(1))), time(now.plus(LIFETIME))),
            name,
            pair.getPublic().getEncoded(),
            der(EXTENSIONS, der(SEQUENCE, der(SEQUENCE, der(OBJECT, SUBJECT_ALTERNATIVE_NAMES), der(OCTET_STRING, names)))));
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(pair.getPrivate());
        signature.update(content);
        byte[] certificate = der(SEQUENCE, content, algorithm, der(BIT_STRING, new byte[1], signature.sign()));
        return new SelfSigned(pair.getPrivate(),
            (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(certificate)));
    }

    private static byte[] time(Instant instant) {
        return der(UTC_TIME, TIME.format(instant).getBytes(StandardCharsets.US_ASCII));
    }

    /** A tag, the length of the parts, and the parts. */
    private static byte[] der(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(tag);
        if (length > 0xff) {
            bytes.write(0x82);
            bytes.write(length >> 8);
        } else if (length > 0x7f) {
            bytes.write(0x81);
        }
        bytes.write(length);
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }
}
