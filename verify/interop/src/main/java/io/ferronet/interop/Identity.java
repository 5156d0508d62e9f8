package io.ferronet.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * A key and its certificates, in memory and in files.
 *
 * @param host the name that the certificate is for
 * @param key the private key
 * @param chain the certificates without the authority's own, the end entity's first
 * @param certificateFile the end entity's certificate, PEM
 * @param chainFile the certificates between it and the authority, PEM; {@code null} if there are none
 * @param keyFile the key, PEM
 */
record Identity(String host, PrivateKey key, List<X509Certificate> chain, Path certificateFile, Path chainFile, Path keyFile) {
    static Identity store(Path directory, String file, String host, PrivateKey key, List<X509Certificate> chain) throws IOException, CertificateEncodingException {
        Path certificateFile = directory.resolve(file + ".pem");
        Path keyFile = directory.resolve(file + ".key");
        Files.writeString(certificateFile, pem("CERTIFICATE", chain.get(0).getEncoded()));
        Files.writeString(keyFile, pem("PRIVATE KEY", key.getEncoded()));
        Path chainFile = null;
        if (chain.size() > 1) {
            chainFile = directory.resolve(file + ".chain.pem");
            StringBuilder text = new StringBuilder();
            for (X509Certificate certificate : chain.subList(1, chain.size())) {
                text.append(pem("CERTIFICATE", certificate.getEncoded()));
            }
            Files.writeString(chainFile, text);
        }
        return new Identity(host, key, List.copyOf(chain), certificateFile, chainFile, keyFile);
    }

    static String pem(String type, byte[] content) {
        String text = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content);
        return "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n";
    }

    List<byte[]> encodedChain() throws CertificateEncodingException {
        List<byte[]> encoded = new ArrayList<>();
        for (X509Certificate certificate : chain) {
            encoded.add(certificate.getEncoded());
        }
        return encoded;
    }
}
