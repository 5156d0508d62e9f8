package io.ferronet.contract;

import io.ferronet.api.Region;
import io.ferronet.api.Tls;
import io.ferronet.api.TlsCallbacks;
import io.ferronet.api.TlsChoice;
import io.ferronet.api.TlsConfig;
import io.ferronet.api.TlsContextInfo;
import io.ferronet.api.TlsCredentialConfig;
import io.ferronet.api.TlsProgress;
import io.ferronet.api.TlsSessionConfig;
import io.ferronet.api.TlsSessionInfo;
import io.ferronet.api.TlsStubs;
import io.ferronet.api.TlsVerification;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Steps around TLS: credentials, contexts, sessions, and what they are asked. */
final class TlsSteps {
    private static final int CONFIG = 512;

    enum Kind {
        CREDENTIAL, CONTEXT, SESSION
    }

    /** A credential, context or session. */
    static final class Item {
        final String name;
        final Kind kind;
        final long pointer;
        boolean freed;
        /** Of a session: bytes for its peer, bytes from it, and what went through. */
        byte[] outbox = {};
        byte[] inbox = {};
        long sent;
        long received;
        int state;
        int tasks;
        /** Of a context. */
        Answers answers;

        Item(String name, Kind kind, long pointer) {
            this.name = name;
            this.kind = kind;
            this.pointer = pointer;
        }
    }

    /** What the callbacks of a context answer and count. */
    static final class Answers implements TlsCallbacks {
        private final World w;
        final int verdict;
        final long chosen;
        long user;
        int lines;

        Answers(World w, int verdict, long chosen) {
            this.w = w;
            this.verdict = verdict;
            this.chosen = chosen;
        }

        @Override
        public int verify(long user, long request) {
            ByteBuffer verification = w.binding.memory(request, TlsVerification.SIZE);
            return user != this.user || verification.getInt(TlsVerification.OFFSET_SIZE) < TlsVerification.SIZE
                || verification.getInt(TlsVerification.OFFSET_CERTIFICATE_COUNT) == 0 ? -2 : verdict;
        }

        @Override
        public long choose(long user, long request) {
            ByteBuffer choice = w.binding.memory(request, TlsChoice.SIZE);
            return user != this.user || choice.getInt(TlsChoice.OFFSET_SCHEME_COUNT) == 0 ? -2 : chosen;
        }

        @Override
        public void keyLog(long user, String line) {
            if (user == this.user && line.indexOf(' ') > 0) {
                lines++;
            }
        }
    }

    private TlsSteps() {
    }

    static boolean run(World w, String name) {
        switch (name) {
            case "tls-credential" -> credential(w);
            case "tls-context" -> context(w);
            case "tls-session" -> session(w);
            case "tls-close" -> w.expect(w.binding.tlsSessionClose(w.handle(w.word(1)), w.has("out=null") ? 0 : TlsTraffic.progress(w)));
            case "tls-end" -> w.expect(w.binding.tlsSessionEndInput(w.handle(w.word(1))));
            case "tls-info" -> {
                w.clearRecord();
                w.record.putInt(0, TlsSessionInfo.SIZE);
                w.read(Fields.TLS_SESSION);
                w.expect(w.binding.tlsSessionInfo(w.handle(w.word(1)), w.address(w.record)));
            }
            case "tls-counts" -> {
                w.clearRecord();
                w.record.putInt(0, TlsContextInfo.SIZE);
                w.read(Fields.TLS_CONTEXT);
                w.expect(w.binding.tlsContextInfo(w.handle(w.word(1)), w.address(w.record)));
            }
            case "tls-forget" -> {
                ByteBuffer key = bytes(w.text("key", ""));
                w.expect(w.text("key", null) == null ? w.binding.tlsContextClearSessions(w.handle(w.word(1)))
                    : w.binding.tlsContextRemoveSession(w.handle(w.word(1)), w.address(key), key.limit()));
            }
            case "tls-ticket-keys" -> {
                ByteBuffer keys = World.allocate(96);
                for (int i = 0; i < keys.capacity(); i++) {
                    keys.put(i, (byte) w.number(2));
                }
                w.expect(w.binding.tlsContextSetTicketKeys(w.handle(w.word(1)), w.address(keys), w.arg("length", 48)));
            }
            case "tls-ocsp" -> w.expect(w.binding.tlsContextSetOcspResponse(w.handle(w.word(1)), (int) w.arg("index", 0),
                w.address(bytes("0stapled")), 8));
            case "tls-bytes" -> getBytes(w);
            case "tls-export" -> export(w);
            case "tls-names" -> names(w);
            case "tls-call" -> call(w);
            case "tls-free" -> {
                Item item = item(w, w.word(1));
                int status = free(w, item);
                item.freed |= status >= 0;
                w.expect(status);
            }
            default -> {
                return TlsTraffic.run(w, name);
            }
        }
        return true;
    }

    static Item item(World w, String name) {
        Item item = w.tls.get(name);
        if (item == null) {
            throw w.failure("no TLS object %s", name);
        }
        return item;
    }

    private static ByteBuffer bytes(byte[] content) {
        return World.allocate(content.length).put(0, content).limit(content.length);
    }

    private static ByteBuffer bytes(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A configuration under construction, with the memory that it names. */
    private static final class Config {
        private final World w;
        private final List<ByteBuffer> memory = new ArrayList<>();
        final ByteBuffer buffer = World.allocate(CONFIG);

        Config(World w) {
            this.w = w;
        }

        Config region(int offset, ByteBuffer content) {
            if (content != null && content.limit() > 0) {
                memory.add(content);
                buffer.putLong(offset + Region.OFFSET_ADDR, w.address(content)).putLong(offset + Region.OFFSET_LEN, content.limit());
            }
            return this;
        }

        Config text(int offset, String key) {
            String text = w.text(key, null);
            return text == null ? this : region(offset, bytes(text));
        }

        Config file(int offset, String name, String suffix) {
            if (name == null) {
                return this;
            }
            try {
                return region(offset, bytes(Files.readAllBytes(w.suite.folder.resolve("../fixtures/" + name + suffix))));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Config number(int offset, String key) {
            buffer.putInt(offset, (int) w.arg(key, buffer.getInt(offset)));
            return this;
        }

        Config alpn(int offset) {
            String names = w.text("alpn", null);
            if (names == null) {
                return this;
            }
            ByteArrayOutputStream wire = new ByteArrayOutputStream();
            for (String name : names.split(",")) {
                wire.write(name.length());
                wire.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
            }
            return region(offset, bytes(wire.toByteArray()));
        }

        /** The address, with size and tail as the step's words say; 0 with config=null. */
        long address(int size) {
            int given = (int) w.arg("size", size);
            buffer.putInt(0, given);
            if (w.has("tail") && given > 0 && given <= CONFIG) {
                buffer.put(given - 1, (byte) 1);
            }
            return w.has("config=null") ? 0 : w.address(buffer);
        }

        void keep() {
            memory.forEach(java.lang.ref.Reference::reachabilityFence);
        }
    }

    private static Item finish(World w, int status, ByteBuffer out, Kind kind) {
        if (status < 0 != (out.getLong(0) == 0)) {
            throw w.failure("status %d, but the output is %d", status, out.getLong(0));
        }
        Item item = status < 0 ? null : new Item(w.word(1), kind, out.getLong(0));
        if (item != null) {
            w.tls.put(item.name, item);
            w.allTls.add(item);
        }
        w.expect(status);
        return item;
    }

    private static long target(World w, ByteBuffer out) {
        return w.has("out=null") ? 0 : w.address(out);
    }

    private static void credential(World w) {
        Config config = new Config(w);
        String name = w.text("chain", w.word(1));
        config.number(TlsCredentialConfig.OFFSET_FLAGS, "flags");
        if (!w.has("no-chain")) {
            config.file(TlsCredentialConfig.OFFSET_CHAIN, name, ".pem");
        }
        if (w.has("sign")) {
            TlsStubs stubs = w.binding.tlsStubs();
            config.buffer.putLong(TlsCredentialConfig.OFFSET_SIGN, stubs.sign()).putLong(TlsCredentialConfig.OFFSET_SIGN_CONTEXT, stubs.context());
        } else if (!w.has("no-key")) {
            config.file(TlsCredentialConfig.OFFSET_KEY, w.text("key", name), ".key");
        }
        config.text(TlsCredentialConfig.OFFSET_PASSWORD, "password").text(TlsCredentialConfig.OFFSET_NAMES, "names");
        ByteBuffer out = World.allocate(8);
        int status = w.binding.tlsCredentialNew(config.address(TlsCredentialConfig.SIZE), target(w, out));
        config.keep();
        finish(w, status, out, Kind.CREDENTIAL);
    }

    private static void context(World w) {
        Config config = new Config(w);
        ByteBuffer credentials = World.allocate(32);
        int count = 0;
        for (String key : List.of("credential", "second", "third", "fourth")) {
            if (w.text(key, null) != null) {
                credentials.putLong(8 * count++, w.handle(w.text(key, null)));
            }
        }
        config.buffer.putInt(TlsConfig.OFFSET_SIDE, (int) w.number(2)).putInt(TlsConfig.OFFSET_CREDENTIAL_COUNT, count);
        config.buffer.putLong(TlsConfig.OFFSET_CREDENTIALS, w.address(credentials));
        config.buffer.putInt(TlsConfig.OFFSET_TRUST, w.text("roots", null) == null ? Tls.TRUST_UNSET : Tls.TRUST_ROOTS);
        config.buffer.putInt(TlsConfig.OFFSET_CRL_POLICY, w.text("crls", null) == null ? 0 : Tls.CRL_ALLOW_UNKNOWN);
        config.file(TlsConfig.OFFSET_ROOTS, w.text("roots", null), ".pem").file(TlsConfig.OFFSET_CRLS, w.text("crls", null), ".crl");
        config.number(TlsConfig.OFFSET_FLAGS, "flags").number(TlsConfig.OFFSET_CLIENT_AUTH, "auth").number(TlsConfig.OFFSET_TRUST, "trust");
        config.number(TlsConfig.OFFSET_CRL_POLICY, "crl-policy").number(TlsConfig.OFFSET_MIN_VERSION, "min");
        config.number(TlsConfig.OFFSET_MAX_VERSION, "max").number(TlsConfig.OFFSET_ALPN_POLICY, "policy").alpn(TlsConfig.OFFSET_ALPN);
        config.text(TlsConfig.OFFSET_SUITES, "suites").text(TlsConfig.OFFSET_GROUPS, "groups").number(TlsConfig.OFFSET_TICKET_COUNT, "tickets");
        String choose = w.text("choose", null);
        Answers answers = new Answers(w, (int) w.arg("verify", 0), choose == null ? 0 : w.handle(choose));
        TlsStubs stubs = w.binding.tlsStubs();
        if (w.text("verify", null) != null) {
            config.buffer.putLong(TlsConfig.OFFSET_VERIFY, stubs.verify()).putLong(TlsConfig.OFFSET_VERIFY_CONTEXT, stubs.context());
        }
        if (choose != null) {
            config.buffer.putLong(TlsConfig.OFFSET_CHOOSE, stubs.choose()).putLong(TlsConfig.OFFSET_CHOOSE_CONTEXT, stubs.context());
        }
        if (w.has("key-log")) {
            config.buffer.putLong(TlsConfig.OFFSET_KEY_LOG, stubs.keyLog()).putLong(TlsConfig.OFFSET_KEY_LOG_CONTEXT, stubs.context());
        }
        ByteBuffer out = World.allocate(8);
        int status = w.binding.tlsContextNew(config.address(TlsConfig.SIZE), target(w, out));
        config.keep();
        Item item = finish(w, status, out, Kind.CONTEXT);
        if (item != null) {
            answers.user = w.binding.tlsRegister(answers);
            item.answers = answers;
        }
    }

    private static void session(World w) {
        Config config = new Config(w);
        Item context = w.tls.get(w.word(2));
        config.buffer.putLong(TlsSessionConfig.OFFSET_USER, context == null || context.answers == null ? 0 : context.answers.user);
        config.number(TlsSessionConfig.OFFSET_FLAGS, "flags").text(TlsSessionConfig.OFFSET_SERVER_NAME, "host");
        config.text(TlsSessionConfig.OFFSET_SESSION_KEY, "key").number(TlsSessionConfig.OFFSET_MIN_VERSION, "min");
        config.number(TlsSessionConfig.OFFSET_MAX_VERSION, "max").number(TlsSessionConfig.OFFSET_CLIENT_AUTH, "auth");
        config.number(TlsSessionConfig.OFFSET_ALPN_POLICY, "policy").alpn(TlsSessionConfig.OFFSET_ALPN);
        config.text(TlsSessionConfig.OFFSET_SUITES, "suites").text(TlsSessionConfig.OFFSET_GROUPS, "groups");
        ByteBuffer out = World.allocate(8);
        int status = w.binding.tlsSessionNew(w.handle(w.word(2)), config.address(TlsSessionConfig.SIZE), target(w, out));
        config.keep();
        finish(w, status, out, Kind.SESSION);
    }

    /** tls-call SESSION wrap or unwrap: one call with nothing, for bad arguments. */
    private static void call(World w) {
        ByteBuffer memory = World.allocate(64);
        long session = w.handle(w.word(1));
        ByteBuffer in = TlsTraffic.region(w.has("nowhere") ? 0 : w.address(memory), w.has("nowhere") ? 8 : w.arg("length", 0));
        ByteBuffer out = TlsTraffic.region(w.address(memory) + (w.has("overlap") ? 8 : 32), 32);
        ByteBuffer progress = World.allocate(TlsProgress.SIZE).putInt(0, (int) w.arg("size", TlsProgress.SIZE));
        long target = target(w, progress);
        w.expect(w.word(2).equals("wrap")
            ? w.binding.tlsSessionWrap(session, w.address(in), 1, w.has("output=null") ? 0 : w.address(out), target)
            : w.binding.tlsSessionUnwrap(session, w.address(in), 1, w.address(out), 1, (int) w.arg("flags", 0), target));
    }

    private static void getBytes(World w) {
        ByteBuffer buffer = World.allocate(2048);
        long length = w.binding.tlsSessionBytes(w.handle(w.word(1)), (int) w.number(2), (int) w.arg("index", 0),
            w.has("buffer=null") ? 0 : w.address(buffer), w.arg("capacity", buffer.capacity()));
        String wanted = w.text("is", null);
        if (wanted != null) {
            byte[] got = new byte[(int) Math.max(length, 0)];
            buffer.get(0, got);
            if (!wanted.equals(new String(got, StandardCharsets.UTF_8))) {
                throw w.failure("the bytes are \"%s\"", new String(got, StandardCharsets.UTF_8));
            }
        }
        w.expect(length);
    }

    private static void export(World w) {
        ByteBuffer label = bytes("EXPORTER-contract");
        ByteBuffer[] material = {World.allocate(32), World.allocate(32)};
        int status = 0;
        for (int i = 0; i < 2 && status >= 0; i++) {
            status = w.binding.tlsSessionExport(w.handle(w.word(1 + i)), w.address(label), label.limit(), 0, 0, w.address(material[i]), 32);
        }
        if (status >= 0 && !material[0].equals(material[1])) {
            throw w.failure("both ends export other material");
        }
        w.expect(status);
    }

    private static void names(World w) {
        ByteBuffer buffer = World.allocate(4096);
        long length = w.binding.tlsNames((int) w.number(1), w.address(buffer), buffer.capacity());
        if (length >= 0) {
            byte[] got = new byte[(int) length];
            buffer.get(0, got);
            String list = new String(got, StandardCharsets.UTF_8);
            for (int i = 2; i < w.words(); i++) {
                if (!list.contains(w.word(i))) {
                    throw w.failure("%s is not in \"%s\"", w.word(i), list);
                }
            }
        }
        w.expect(length);
    }

    private static int free(World w, Item item) {
        return switch (item.kind) {
            case CREDENTIAL -> w.binding.tlsCredentialFree(item.pointer);
            case CONTEXT -> w.binding.tlsContextFree(item.pointer);
            case SESSION -> w.binding.tlsSessionFree(item.pointer);
        };
    }

    static void close(World w) {
        for (Item item : w.allTls) {
            if (!item.freed) {
                w.must("freeing " + item.name + " at the end", free(w, item));
            }
        }
        for (Item item : w.allTls) {
            if (item.answers != null) {
                w.binding.tlsUnregister(item.answers.user);
            }
        }
    }
}
