package io.ferronet.netty.ssl;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.netty.transport.TestJvm;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an idle connection keeps of the heap, beside Netty's TLS over tcnative. What it keeps of native memory is measured in the library's tests. */
@Timeout(300)
class IdleMemoryTest {
    /** More than is measured (1,330 for a server, 1,240 for a client), so that an object more is noticed and a field is not. */
    private static final int MOST = 1500;
    private static final Pattern BYTES = Pattern.compile("(?m)^bytes (\\d+)$");

    /** What a connection without TLS takes, which is the same on both sides. */
    private static int channel;

    @BeforeAll
    static void withoutTls() throws Exception {
        channel = measure("none", "-", "server");
    }

    private static int measure(String what, String version, String side) throws Exception {
        String output = TestJvm.run(IdleMemoryProbe.class, "-Dferronet.library.path=" + System.getProperty("ferronet.library.path"), "-Xmx512m", "-XX:+UseSerialGC",
            "-Dio.netty.leakDetection.level=disabled", "-Dprobe=" + what + ' ' + version + ' ' + side);
        Matcher matcher = BYTES.matcher(output);
        assertTrue(matcher.find(), output);
        System.out.println("heap of an idle " + side + ", " + what + ", " + version + ": " + matcher.group(1) + " bytes\n" + output);
        return Integer.parseInt(matcher.group(1));
    }

    @ParameterizedTest
    @CsvSource({"TLSv1.3, server", "TLSv1.3, client", "TLSv1.2, server"})
    void noMoreThanTcnative(String version, String side) throws Exception {
        int ours = measure("ferronet", version, side);
        int theirs = measure("tcnative", version, side);
        assertTrue(ours < theirs, "ours keeps " + (ours - channel) + " bytes beside the channel, tcnative " + (theirs - channel));
        assertTrue(ours - channel <= MOST, "a connection keeps " + (ours - channel) + " bytes beside its channel (at most " + MOST + ")");
    }
}
