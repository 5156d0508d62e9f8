package io.ferronet.netty.ssl;

import io.netty.util.NetUtil;
import java.net.IDN;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/**
 * Whether a certificate is for a host, by the rules of HTTPS (RFC 2818, RFC 6125): the names among the subject alternatives, and the common name only if there are
 * none. For trust managers that know nothing of the connection; those that do check it themselves.
 */
final class HostNameCheck {
    private static final int DNS_NAME = 2;
    private static final int IP_ADDRESS = 7;

    private HostNameCheck() {
    }

    /**
     * Checks the certificate.
     *
     * @throws CertificateException if it is for other hosts; the text names them
     */
    static void check(String host, X509Certificate certificate) throws CertificateException {
        if (host == null || host.isEmpty()) {
            throw new CertificateException("the certificate cannot be checked against a host, because none is known: give one to the engine or handler, or set no "
                + "endpoint identification algorithm");
        }
        byte[] address = NetUtil.createByteArrayFromIpAddressString(withoutBrackets(host));
        List<String> names = alternatives(certificate, address == null ? DNS_NAME : IP_ADDRESS);
        if (address != null) {
            for (String name : names) {
                if (Arrays.equals(address, NetUtil.createByteArrayFromIpAddressString(name))) {
                    return;
                }
            }
            throw new CertificateException("No subject alternative names matching IP address " + host + " found in " + names);
        }
        String wanted = ascii(host);
        if (names.isEmpty()) {
            String commonName = commonName(certificate);
            if (commonName != null && matches(wanted, commonName)) {
                return;
            }
            throw new CertificateException("No name matching " + host + " found: the certificate has no DNS name, and its common name is " + commonName);
        }
        for (String name : names) {
            if (matches(wanted, name)) {
                return;
            }
        }
        throw new CertificateException("No subject alternative DNS name matching " + host + " found in " + names);
    }

    private static String withoutBrackets(String host) {
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    private static List<String> alternatives(X509Certificate certificate, int kind) throws CertificateException {
        Collection<List<?>> all = certificate.getSubjectAlternativeNames();
        List<String> names = new ArrayList<>();
        if (all != null) {
            for (List<?> name : all) {
                if (Integer.valueOf(kind).equals(name.get(0)) && name.get(1) instanceof String text) {
                    names.add(text);
                }
            }
        }
        return names;
    }

    private static String commonName(X509Certificate certificate) {
        try {
            for (Rdn part : new LdapName(certificate.getSubjectX500Principal().getName()).getRdns()) {
                if ("CN".equalsIgnoreCase(part.getType())) {
                    return String.valueOf(part.getValue());
                }
            }
        } catch (InvalidNameException e) {
            return null;
        }
        return null;
    }

    static String ascii(String host) {
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        try {
            return IDN.toASCII(name, IDN.ALLOW_UNASSIGNED).toLowerCase(Locale.ROOT);
        } catch (IllegalArgumentException e) {
            return name.toLowerCase(Locale.ROOT);
        }
    }

    /** A wildcard stands for one whole leftmost label, and never for a label below a top-level domain. */
    static boolean matches(String host, String pattern) {
        String name = ascii(pattern);
        if (!name.startsWith("*.")) {
            return !name.isEmpty() && name.equals(host);
        }
        int dot = host.indexOf('.');
        String parent = name.substring(1);
        return dot > 0 && parent.indexOf('.', 1) > 0 && parent.indexOf('*') < 0 && host.substring(dot).equals(parent);
    }
}
