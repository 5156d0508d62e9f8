package io.ferronet.netty.ssl;

import io.netty.handler.ssl.SslContextOption;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The options of a builder as settings. */
final class BuilderOptions {
    private static final int TICKET_KEY = 48;
    private static final int MOST_CERTIFICATE_BYTES = 65_535;

    private BuilderOptions() {
    }

    static void apply(Map<SslContextOption<?>, Object> options, TlsSettings settings) {
        String[] groups = get(options, FerronetSslContextOption.GROUPS, null);
        if (groups != null) {
            settings.groups = List.of(groups);
        }
        settings.tickets = get(options, FerronetSslContextOption.TICKETS, true);
        settings.cached = get(options, FerronetSslContextOption.SESSION_CACHE, true);
        settings.ticketCount = range("TICKET_COUNT", get(options, FerronetSslContextOption.TICKET_COUNT, 0), 0, 16);
        byte[][] keys = get(options, FerronetSslContextOption.TICKET_KEYS, null);
        if (keys != null) {
            if (!settings.tickets) {
                throw new IllegalArgumentException("TICKET_KEYS and TICKETS false exclude each other: keys are for servers that issue tickets");
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (byte[] key : keys) {
                range("the length of a ticket key", key.length, TICKET_KEY, TICKET_KEY);
                all.writeBytes(key);
            }
            settings.ticketKeys = all.toByteArray();
        }
        settings.compressCertificates = get(options, FerronetSslContextOption.COMPRESS_CERTIFICATES, false);
        Integer bytes = get(options, FerronetSslContextOption.MAX_CERTIFICATE_LIST_BYTES, null);
        settings.maxCertificateBytes = bytes == null ? 0 : range("MAX_CERTIFICATE_LIST_BYTES", bytes, 1, MOST_CERTIFICATE_BYTES);
        File file = get(options, FerronetSslContextOption.KEY_LOG_FILE, null);
        settings.keyLogFile = file == null ? null : file.getPath();
        Consumer<String> keyLog = get(options, FerronetSslContextOption.KEY_LOG, null);
        settings.keyLog = keyLog == null && file == null ? KeyLog.ofProperty() : keyLog;
        settings.trust = get(options, FerronetSslContextOption.PLATFORM_ROOTS, false) ? TlsSettings.Trust.PLATFORM : TlsSettings.Trust.MANAGER;
        settings.everyFlightIsTask = get(options, FerronetSslContextOption.USE_TASKS, false);
        settings.clientOrder = get(options, FerronetSslContextOption.CLIENT_CIPHER_ORDER, false);
    }

    @SuppressWarnings("unchecked")
    private static <T> T get(Map<SslContextOption<?>, Object> options, FerronetSslContextOption<T> option, T otherwise) {
        Object value = options.get(option);
        return value == null ? otherwise : (T) value;
    }

    private static int range(String what, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: " + least + (least == most ? "" : " to " + most) + ")");
        }
        return value;
    }
}
