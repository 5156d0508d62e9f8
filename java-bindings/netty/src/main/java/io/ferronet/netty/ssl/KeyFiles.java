package io.ferronet.netty.ssl;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Private keys as they are in files: PEM of PKCS#8, PKCS#1 or SEC1, which the library reads, or encrypted PKCS#8, which Java decrypts. */
final class KeyFiles {
    private static final Pattern ENCRYPTED = Pattern.compile("-----BEGIN ENCRYPTED PRIVATE KEY-----([^-]*)-----END ENCRYPTED PRIVATE KEY-----");

    private static final String CERTIFICATE = "-----BEGIN CERTIFICATE-----";
    private static final Pattern PRIVATE_KEY = Pattern.compile("-----BEGIN ([A-Z]+ )?PRIVATE KEY-----");

    private KeyFiles() {
    }

    /**
     * Refuses a key in place of the certificates and certificates in place of the key.
     *
     * @param chain what should hold the certificates
     * @param key what should hold the private key
     * @throws IllegalArgumentException if they have changed places
     */
    static void expectInOrder(byte[] chain, byte[] key) {
        String chainText = new String(chain, StandardCharsets.US_ASCII);
        String keyText = new String(key, StandardCharsets.US_ASCII);
        if (!chainText.contains(CERTIFICATE) && PRIVATE_KEY.matcher(chainText).find() && keyText.contains(CERTIFICATE) && !PRIVATE_KEY.matcher(keyText).find()) {
            throw new IllegalArgumentException("they are swapped: what is given as certificate chain holds a private key, and the other way round (expected: the chain, then the key)");
        }
    }

    /**
     * The key of a file.
     *
     * @param file its bytes
     * @param password the password, or {@code null}
     * @return what the library reads
     * @throws IllegalArgumentException if the key is encrypted and the password missing or wrong, or the other way round
     */
    static byte[] read(byte[] file, String password) {
        String text = new String(file, StandardCharsets.US_ASCII);
        Matcher encrypted = ENCRYPTED.matcher(text);
        if (!encrypted.find()) {
            if (text.contains("Proc-Type: 4,ENCRYPTED")) {
                throw new IllegalArgumentException("the private key is encrypted in the old way of OpenSSL, which is not supported: convert it with openssl pkcs8 -topk8");
            }
            return file;
        }
        if (password == null) {
            throw new IllegalArgumentException("the private key is encrypted, but no password was given");
        }
        try {
            return decrypt(Base64.getMimeDecoder().decode(encrypted.group(1)), password.toCharArray());
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("the private key cannot be decrypted with the given password: " + e.getMessage(), e);
        }
    }

    private static byte[] decrypt(byte[] encoded, char[] password) throws IOException, GeneralSecurityException {
        EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(encoded);
        AlgorithmParameters parameters = info.getAlgParameters();
        // For PBES2 the algorithm's name is that of the parameters' text, as there is no other way to it.
        String algorithm = parameters != null && (info.getAlgName().equals("PBES2") || info.getAlgName().startsWith("1.2.840.113549.1.5.13"))
            ? parameters.toString() : info.getAlgName();
        SecretKey key = SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password));
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(Cipher.DECRYPT_MODE, key, parameters);
        return info.getKeySpec(cipher).getEncoded();
    }
}
