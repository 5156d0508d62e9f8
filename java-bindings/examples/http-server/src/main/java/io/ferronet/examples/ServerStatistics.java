package io.ferronet.examples;

import io.ferronet.netty.Ferronet;
import io.ferronet.netty.transport.FerronetLoopInfo;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** What the server has done. Any thread. */
final class ServerStatistics {
    private final LongAdder accepted = new LongAdder();
    private final LongAdder closed = new LongAdder();
    private final LongAdder requests = new LongAdder();

    void accepted() {
        accepted.increment();
    }

    void closed() {
        closed.increment();
    }

    void requested() {
        requests.increment();
    }

    /** The statistics as a JSON object. */
    String json() {
        List<FerronetLoopInfo> loops = Ferronet.loops();
        FerronetLoopInfo first = loops.get(0);
        long turns = loops.stream().mapToLong(FerronetLoopInfo::turns).sum();
        long completions = loops.stream().mapToLong(FerronetLoopInfo::completions).sum();
        long wakeups = loops.stream().mapToLong(FerronetLoopInfo::wakeups).sum();
        long ended = closed.sum();
        return "{\"backend\":\"" + name(first.backend()) + "\",\"requestedBackend\":\"" + name(first.requestedBackend())
            + "\",\"fallbackReason\":\"" + name(first.fallbackReason()) + "\",\"fallbackStatus\":" + first.fallbackStatus()
            + ",\"loops\":" + loops.size() + ",\"connections\":" + (accepted.sum() - ended) + ",\"accepted\":" + accepted.sum()
            + ",\"requests\":" + requests.sum() + ",\"turns\":" + turns + ",\"completions\":" + completions + ",\"wakeups\":" + wakeups + "}";
    }

    static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
