package io.ferronet.interop;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.Algorithm;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The certificates of all cells, made when they are first asked for. One authority has issued them all. */
final class Identities {
    static final String HOST = "a.interop.test";
    static final String OTHER_HOST = "b.interop.test";
    private static final String CLIENT = "client.interop.test";
    private static final int INTERMEDIATES = 3;
    /** An extension that nobody knows, in the arc for examples (RFC 5612). */
    private static final String PADDING = "1.3.6.1.4.1.32473.1";

    private final Path directory;
    private final X509Bundle root;
    private final Path rootFile;
    private final Map<String, Identity> made = new HashMap<>();

    Identities(Path directory) throws Exception {
        this.directory = directory;
        root = new CertificateBuilder().subject("CN=Interoperability test root").setIsCertificateAuthority(true).algorithm(Algorithm.ecp256).buildSelfSigned();
        rootFile = directory.resolve("root.pem");
        Files.writeString(rootFile, Identity.pem("CERTIFICATE", root.getCertificate().getEncoded()));
    }

    X509Certificate root() {
        return root.getCertificate();
    }

    Path rootFile() {
        return rootFile;
    }

    /** A server's key for a name, issued by the authority itself. */
    Identity direct(Key key, String host) throws Exception {
        return identity("direct", key, host, -1);
    }

    /** A server's key behind certificates of so many KiB, or with 0 behind a small one. */
    Identity server(Key key, int kib) throws Exception {
        return identity("server", key, HOST, kib);
    }

    Identity client(Key key, int kib) throws Exception {
        return identity("client", key, CLIENT, kib);
    }

    private Identity identity(String role, Key key, String host, int kib) throws Exception {
        String file = role + '-' + key.name().toLowerCase(java.util.Locale.ROOT) + '-' + host + '-' + kib;
        Identity known = made.get(file);
        if (known == null) {
            known = make(file, key, host, kib);
            made.put(file, known);
        }
        return known;
    }

    private Identity make(String file, Key key, String host, int kib) throws Exception {
        List<X509Certificate> path = new ArrayList<>();
        X509Bundle issuer = root;
        int intermediates = kib < 0 ? 0 : kib == 0 ? 1 : INTERMEDIATES;
        for (int i = 0; i < intermediates; i++) {
            CertificateBuilder builder = new CertificateBuilder().subject("CN=Interoperability test authority " + i + " of " + file)
                .setIsCertificateAuthority(true).setKeyUsage(true, KeyUsage.keyCertSign).algorithm(Algorithm.ecp256);
            if (kib > 0) {
                byte[] padding = new byte[kib * 1024 / intermediates];
                new Random(i).nextBytes(padding);
                builder.addExtensionOctetString(PADDING, false, padding);
            }
            issuer = builder.buildIssuedBy(issuer);
            path.add(0, issuer.getCertificate());
        }
        // The JDK's key manager looks at the name of an ECDSA certificate only if its key may agree on keys, too.
        X509Bundle own = new CertificateBuilder().subject("CN=" + host).addSanDnsName(host).setKeyUsage(true, KeyUsage.digitalSignature, KeyUsage.keyAgreement)
            .addExtendedKeyUsageServerAuth().addExtendedKeyUsageClientAuth().algorithm(key.algorithm).buildIssuedBy(issuer);
        path.add(0, own.getCertificate());
        return Identity.store(directory, file, host, own.getKeyPair().getPrivate(), path);
    }
}
