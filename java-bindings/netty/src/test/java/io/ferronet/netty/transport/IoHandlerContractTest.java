package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.ferronet.api.Submission;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;

/** The rules that Netty has for an {@link IoHandler}, checked on the handler itself. */
@Timeout(60)
class IoHandlerContractTest {
    /** A loop that only does what it is told: the thread that may call the handler, and the tasks that it was given. */
    private static final class Loop implements ThreadAwareExecutor {
        private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        private volatile Thread thread = Thread.currentThread();

        @Override
        public boolean isExecutorThread(Thread asked) {
            return asked == thread;
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        void runTasks() {
            Runnable task;
            while ((task = tasks.poll()) != null) {
                task.run();
            }
        }

        /** Does something on a thread of its own, which is the loop's meanwhile and afterwards. */
        <T> T onAnotherThread(Callable<T> action) throws Exception {
            FutureTask<T> task = new FutureTask<>(action);
            Thread other = new Thread(task);
            thread = other;
            other.start();
            try {
                return task.get(20, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof Exception cause ? cause : e;
            }
        }
    }

    /** One pass: how long it may wait, and what it reported. */
    private static class Pass implements IoHandlerContext {
        private final long delayNanos;
        private final boolean wantsTime;
        private final List<Long> reported = new ArrayList<>();

        Pass(long delayNanos, boolean wantsTime) {
            this.delayNanos = delayNanos;
            this.wantsTime = wantsTime;
        }

        static Pass withoutWaiting() {
            return new Pass(0, false);
        }

        @Override
        public boolean canBlock() {
            return delayNanos != 0;
        }

        @Override
        public long delayNanos(long now) {
            return Math.max(delayNanos, 0);
        }

        @Override
        public long deadlineNanos() {
            return delayNanos < 0 ? -1 : System.nanoTime() + delayNanos;
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            return wantsTime;
        }

        @Override
        public void reportActiveIoTime(long nanos) {
            reported.add(nanos);
        }
    }

    private static IoHandlerFactory factory(Backend backend) {
        return FerronetIoHandler.newFactory(FerronetIoHandlerConfig.builder().backend(backend).build());
    }

    private static IoHandler start(Loop loop, Backend backend) {
        IoHandler handler = factory(backend).newHandler(loop);
        handler.initialize();
        return handler;
    }

    private static void end(IoHandler handler) {
        handler.prepareToDestroy();
        handler.destroy();
    }

    @OnBothBackends
    void runReturnsTheNumberOfHandlesWithoutWakeUps(Backend backend) throws Exception {
        Loop loop = new Loop();
        IoHandler handler = start(loop, backend);
        try (NotingHandle first = new NotingHandle(); NotingHandle second = new NotingHandle()) {
            IoRegistration[] registrations = {first.registerOn(handler), second.registerOn(handler)};
            assertEquals(0, handler.run(Pass.withoutWaiting()), "nothing happened");
            FutureTask<Void> late = new FutureTask<>(() -> {
                TimeUnit.MILLISECONDS.sleep(50);
                handler.wakeup();
                return null;
            });
            new Thread(late).start();
            assertEquals(0, handler.run(new Pass(TimeUnit.SECONDS.toNanos(2), false)), "a wake-up is no handle");
            late.get();
            assertEquals(0, handler.run(new Pass(TimeUnit.MILLISECONDS.toNanos(20), false)), "nor is a timer");
            for (IoRegistration registration : registrations) {
                registration.submit(FerronetIoOps.poll(Submission.POLL_IN));
            }
            handler.run(Pass.withoutWaiting());
            try (Socket one = first.connect(); Socket other = second.connect(); Socket third = second.connect()) {
                assertTrue(one.isConnected() && other.isConnected() && third.isConnected());
                int handled = 0;
                for (int i = 0; i < 100 && handled < 2; i++) {
                    handled += handler.run(new Pass(TimeUnit.MILLISECONDS.toNanos(20), false));
                }
                assertEquals(2, handled);
                assertEquals(List.of("registered", "polled"), first.calls());
                assertEquals(List.of("registered", "polled"), second.calls());
            }
        } finally {
            end(handler);
        }
    }

    @OnBothBackends
    void activeTimeIsReportedOncePerPassWhenAskedFor(Backend backend) throws Exception {
        Loop loop = new Loop();
        IoHandler handler = start(loop, backend);
        try (NotingHandle handle = new NotingHandle()) {
            Pass idle = new Pass(0, true);
            handler.run(idle);
            assertEquals(1, idle.reported.size());
            Pass waiting = new Pass(TimeUnit.MILLISECONDS.toNanos(300), true);
            handler.run(waiting);
            assertEquals(1, waiting.reported.size());
            assertTrue(waiting.reported.get(0) < TimeUnit.MILLISECONDS.toNanos(250), () -> "the wait counts as work: " + waiting.reported);
            handle.registerOn(handler).submit(FerronetIoOps.poll(Submission.POLL_IN));
            try (Socket socket = handle.connect()) {
                Pass busy = new Pass(TimeUnit.SECONDS.toNanos(5), true);
                assertEquals(1, handler.run(busy));
                assertTrue(busy.reported.size() == 1 && busy.reported.get(0) > 0, () -> socket + ": " + busy.reported);
            }
            Pass unasked = new Pass(0, false);
            handler.run(unasked);
            assertEquals(List.of(), unasked.reported);
        } finally {
            end(handler);
        }
    }

    @OnBothBackends
    void runKeepsItsDeadline(Backend backend) {
        IoHandler handler = start(new Loop(), backend);
        try {
            long start = System.nanoTime();
            handler.run(Pass.withoutWaiting());
            long once = System.nanoTime() - start;
            assertTrue(once < 500_000_000, once + " ns without waiting");
            start = System.nanoTime();
            handler.run(new Pass(TimeUnit.MILLISECONDS.toNanos(60), false));
            long waited = System.nanoTime() - start;
            assertTrue(waited >= 59_000_000 && waited < 1_000_000_000, waited + " ns");
        } finally {
            end(handler);
        }
    }

    /** A task that comes between the loop's look at its queue and its sleep: the loop looks again, or the wake-up reaches it. */
    @OnBothBackends
    void aTaskBeforeTheSleepIsSeen(Backend backend) {
        IoHandler handler = start(new Loop(), backend);
        try {
            long start = System.nanoTime();
            handler.run(new IoHandlerContext() {
                private int asked;

                @Override
                public boolean canBlock() {
                    return asked++ == 0;
                }

                @Override
                public long delayNanos(long now) {
                    return Long.MAX_VALUE;
                }

                @Override
                public long deadlineNanos() {
                    return -1;
                }
            });
            assertTrue(System.nanoTime() - start < 500_000_000, "the loop slept");
        } finally {
            end(handler);
        }
    }

    /** initialize() may come on another thread than the one that made the handler, and again on a third one; wake-ups in between are not lost. */
    @OnBothBackends
    void initializeOnAnotherThread(Backend backend) throws Exception {
        Loop loop = new Loop();
        IoHandlerFactory factory = factory(backend);
        assertTrue(factory.isChangingThreadSupported());
        IoHandler handler = factory.newHandler(loop);
        for (int round = 0; round < 4; round++) {
            handler.wakeup();
            int handled = loop.onAnotherThread(() -> {
                handler.initialize();
                try (NotingHandle handle = new NotingHandle()) {
                    IoRegistration registration = handle.registerOn(handler);
                    registration.submit(FerronetIoOps.poll(Submission.POLL_IN));
                    int count;
                    try (Socket socket = handle.connect()) {
                        assertTrue(socket.isConnected());
                        count = handler.run(new Pass(TimeUnit.SECONDS.toNanos(5), false));
                    }
                    registration.cancel();
                    for (int i = 0; i < 100 && !handle.calls().contains("unregistered"); i++) {
                        handler.run(new Pass(TimeUnit.MILLISECONDS.toNanos(10), false));
                    }
                    assertEquals("unregistered", handle.calls().get(handle.calls().size() - 1), handle.calls()::toString);
                    return count;
                }
            });
            assertEquals(1, handled, "round " + round);
            assertEquals(backend, ((FerronetIoHandler) handler).info().backend(), "the backend stays");
        }
        loop.onAnotherThread(() -> {
            handler.initialize();
            end(handler);
            return null;
        });
    }

    /** A waker that comes while the loop is between two threads reaches it on the next one. */
    @OnBothBackends
    void wakeUpBetweenTwoThreads(Backend backend) throws Exception {
        Loop loop = new Loop();
        IoHandler handler = factory(backend).newHandler(loop);
        for (int round = 0; round < 20; round++) {
            CountDownLatch asleep = new CountDownLatch(1);
            AtomicBoolean queued = new AtomicBoolean();
            Thread waker = new Thread(() -> {
                try {
                    asleep.await();
                    TimeUnit.MILLISECONDS.sleep(2);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                queued.set(true);
                handler.wakeup();
            });
            waker.start();
            long took = loop.onAnotherThread(() -> {
                handler.initialize();
                long start = System.nanoTime();
                asleep.countDown();
                handler.run(new Pass(TimeUnit.SECONDS.toNanos(10), false) {
                    @Override
                    public boolean canBlock() {
                        return !queued.get();
                    }
                });
                return System.nanoTime() - start;
            });
            waker.join();
            assertTrue(took < 2_000_000_000L, took + " ns");
        }
        loop.onAnotherThread(() -> {
            end(handler);
            return null;
        });
    }

    /** submit, cancel and isValid from any thread; unregistered once, on the loop, after the last completion. */
    @OnBothBackends
    void submitAndCancelFromAnotherThread(Backend backend) throws Exception {
        Loop loop = new Loop();
        IoHandler handler = start(loop, backend);
        Thread mine = Thread.currentThread();
        try (NotingHandle handle = new NotingHandle()) {
            IoRegistration registration = handle.registerOn(handler);
            Thread other = new Thread(() -> registration.submit(FerronetIoOps.poll(Submission.POLL_IN)));
            other.start();
            other.join();
            assertEquals(List.of("registered"), handle.calls());
            loop.runTasks();
            boolean[] results = new boolean[3];
            Thread canceller = new Thread(() -> {
                results[0] = registration.cancel();
                results[1] = registration.cancel();
                results[2] = registration.isValid();
            });
            canceller.start();
            canceller.join();
            assertTrue(results[0] && !results[1] && !results[2]);
            assertFalse(handle.calls().contains("unregistered"), "not on the other thread");
            assertSame(mine, loop.thread);
            loop.runTasks();
            for (int i = 0; i < 100 && !handle.calls().contains("unregistered"); i++) {
                handler.run(new Pass(TimeUnit.MILLISECONDS.toNanos(10), false));
            }
            assertEquals("unregistered", handle.calls().get(handle.calls().size() - 1), handle.calls()::toString);
            assertEquals(1, Collections.frequency(handle.calls(), "unregistered"));
            assertEquals(0, registration.submit(FerronetIoOps.poll(Submission.POLL_IN)), "a cancelled registration takes nothing");
        } finally {
            end(handler);
        }
    }

    /** A new handle has the descriptor number of an old one: it gets its own events, and the old one none. */
    @OnBothBackends
    void aDescriptorNumberComesBack(Backend backend) throws Exception {
        IoHandler handler = start(new Loop(), backend);
        try (NotingHandle old = new NotingHandle()) {
            IoRegistration first = old.registerOn(handler);
            first.submit(FerronetIoOps.poll(Submission.POLL_IN));
            handler.run(Pass.withoutWaiting());
            first.cancel();
            for (int i = 0; i < 100 && !old.calls().contains("unregistered"); i++) {
                handler.run(new Pass(TimeUnit.MILLISECONDS.toNanos(10), false));
            }
            int number = old.descriptor();
            old.close();
            try (NotingHandle fresh = new NotingHandle()) {
                assertEquals(number, fresh.descriptor(), "the system gives the lowest free number");
                IoRegistration second = fresh.registerOn(handler);
                second.submit(FerronetIoOps.poll(Submission.POLL_IN));
                int before = old.calls().size();
                try (Socket socket = fresh.connect()) {
                    assertEquals(1, handler.run(new Pass(TimeUnit.SECONDS.toNanos(5), false)), socket::toString);
                }
                assertEquals(List.of("registered", "polled"), fresh.calls());
                assertEquals(before, old.calls().size());
                assertNotEquals(first, second);
            }
        } finally {
            end(handler);
        }
    }

    @OnBothBackends
    void endMayBePreparedManyTimesAndIsBounded(Backend backend) throws Exception {
        Loop loop = new Loop();
        IoHandler handler = start(loop, backend);
        List<NotingHandle> handles = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            NotingHandle handle = new NotingHandle();
            handles.add(handle);
            handle.registerOn(handler).submit(FerronetIoOps.poll(Submission.POLL_IN));
        }
        handler.run(Pass.withoutWaiting());
        long start = System.nanoTime();
        for (int i = 0; i < 3; i++) {
            handler.prepareToDestroy();
            handler.run(Pass.withoutWaiting());
        }
        assertThrowsShuttingDown(handler);
        handler.destroy();
        long took = System.nanoTime() - start;
        assertTrue(took < 1_500_000_000L, took + " ns");
        assertDoesNotThrow(handler::destroy);
        assertDoesNotThrow(handler::prepareToDestroy);
        assertDoesNotThrow(handler::wakeup);
        Thread late = new Thread(handler::wakeup);
        late.start();
        late.join();
        assertEquals(0, handler.run(Pass.withoutWaiting()));
        for (NotingHandle handle : handles) {
            assertEquals(1, Collections.frequency(handle.calls(), "unregistered"), handle.calls()::toString);
        }
        assertTrue(FerronetIoHandler.loops().stream().noneMatch(info -> info.registrations() > 0));
    }

    private static void assertThrowsShuttingDown(IoHandler handler) throws Exception {
        try (NotingHandle late = new NotingHandle()) {
            IllegalStateException refused = org.junit.jupiter.api.Assertions.assertThrows(IllegalStateException.class, () -> handler.register(late));
            assertTrue(refused.getMessage().contains("shutting down"), refused::getMessage);
            assertEquals(List.of(), late.calls());
        }
    }

    @OnBothBackends
    void onlyOwnHandlesAreCompatible(Backend backend) throws Exception {
        IoHandler handler = start(new Loop(), backend);
        try {
            boolean[] results = new boolean[2];
            Thread other = new Thread(() -> {
                results[0] = handler.isCompatible(NotingHandle.class);
                results[1] = handler.isCompatible(NioIoHandle.class);
            });
            other.start();
            other.join();
            assertTrue(results[0]);
            assertFalse(results[1]);
        } finally {
            end(handler);
        }
    }
}
