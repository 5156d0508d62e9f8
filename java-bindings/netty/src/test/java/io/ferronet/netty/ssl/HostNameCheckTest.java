package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.pkitesting.CertificateBuilder;
import java.net.InetAddress;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostNameCheckTest {
    private static X509Certificate certificate(String commonName, String... names) throws Exception {
        CertificateBuilder builder = new CertificateBuilder().subject("CN=" + commonName).setIsCertificateAuthority(true).ecp256();
        for (String name : names) {
            if (name.indexOf(':') >= 0 || Character.isDigit(name.charAt(0))) {
                builder.addSanIpAddress(InetAddress.getByName(name));
            } else {
                builder.addSanDnsName(name);
            }
        }
        return builder.buildSelfSigned().getCertificate();
    }

    @ParameterizedTest
    @CsvSource({
        "a.example.org, a.example.org, true", "A.Example.ORG, a.example.org, true", "a.example.org., a.example.org, true", "b.example.org, a.example.org, false",
        "192.0.2.1, 192.0.2.1, true", "192.0.2.2, 192.0.2.1, false", "192.0.2.1, a.example.org, false",
        "2001:db8::1, 2001:db8:0::1, true", "[2001:db8::1], 2001:db8::1, true", "a.example.org, 192.0.2.1, false",
    })
    void namesAreMatched(String host, String name, boolean matches) throws Exception {
        X509Certificate certificate = certificate("other", name);
        boolean matched = true;
        try {
            HostNameCheck.check(host, certificate);
        } catch (CertificateException e) {
            matched = false;
        }
        assertEquals(matches, matched);
    }

    @ParameterizedTest
    @CsvSource({
        "a.example.org, *.example.org, true", "A.example.org, *.EXAMPLE.org, true", "example.org, *.example.org, false", "a.b.example.org, *.example.org, false",
        "a.org, *.org, false", "a.example.org, a*.example.org, false", "a.example.org, *, false", ".example.org, *.example.org, false",
    })
    void aWildcardIsOneLabel(String host, String pattern, boolean matches) {
        assertEquals(matches, HostNameCheck.matches(HostNameCheck.ascii(host), pattern));
    }

    @Test
    void theCommonNameCountsOnlyWithoutDnsNames() throws Exception {
        HostNameCheck.check("a.example.org", certificate("a.example.org"));
        X509Certificate named = certificate("a.example.org", "b.example.org");
        String text = assertThrows(CertificateException.class, () -> HostNameCheck.check("a.example.org", named)).getMessage();
        assertTrue(text.contains("a.example.org") && text.contains("b.example.org"), text);
    }

    @Test
    void withoutAHostNothingMatches() throws Exception {
        X509Certificate certificate = certificate("a.example.org");
        assertThrows(CertificateException.class, () -> HostNameCheck.check(null, certificate));
    }
}
