package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.ferronet.api.Reason;
import io.ferronet.api.ReactorConfig;
import io.ferronet.netty.internal.NativeRuntime;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Loops whose threads are virtual, many more than there are carriers. */
@Timeout(120)
class VirtualThreadsTest {
    @ParameterizedTest
    @EnumSource(Backend.class)
    void loopsShareOneCarrier(Backend backend) throws Exception {
        String output = new ChildJvm().withLibrary().option("-Djdk.virtualThreadScheduler.parallelism=1")
            .option("-Djdk.virtualThreadScheduler.maxPoolSize=1").run(VirtualThreadsProbe.class, backend.name());
        String used = backend == Backend.AUTO ? Backend.POLL + " " + Reason.SWITCHED_OFF : backend + " " + Reason.NONE;
        for (String line : new String[] {used, "another virtual thread runs", "idle loops rest", "every wake-up arrives", "a timer ends a wait",
            "interrupted loops rest", "echoed", "end"}) {
            assertTrue(output.lines().anyMatch(line::equals), () -> '"' + line + "\" is missing in:\n" + output);
        }
    }

    /** Where no platform thread can be had, the loop goes on with short waits. */
    @OnBothBackends
    void aWaitWithoutAPlatformThreadIsShort(Backend backend) throws Exception {
        Reactor reactor = new Reactor(NativeRuntime.get(), FerronetIoHandlerConfig.builder().backend(backend).build(), ReactorConfig.FLAG_ANY_THREAD);
        try {
            reactor.start();
            for (RuntimeException none : new RuntimeException[] {null, new RejectedExecutionException("no thread")}) {
                ParkedWait wait = new ParkedWait(reactor, task -> {
                    if (none == null) {
                        throw new OutOfMemoryError("no thread");
                    }
                    throw none;
                });
                for (long timeout : new long[] {-1, TimeUnit.HOURS.toNanos(1), 1000}) {
                    long start = System.nanoTime();
                    assertEquals(0, wait.turn(timeout));
                    long took = System.nanoTime() - start;
                    assertTrue(took >= 1000 && took < TimeUnit.SECONDS.toNanos(10), took + " ns");
                }
            }
        } finally {
            reactor.free();
        }
    }
}
