package io.ferronet.netty.transport;

import io.ferronet.api.Completion;
import io.ferronet.api.FerronetException;
import io.ferronet.api.ReactorConfig;
import io.ferronet.api.Reason;
import io.ferronet.api.Status;
import io.ferronet.netty.internal.NativeRuntime;
import io.netty.channel.ChannelException;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.StringUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The {@link IoHandler} of Ferronet: one reactor for one event loop, with one native call for each pass of the loop.
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(FerronetIoHandler.newFactory());
 * }</pre>
 *
 * <p>A loop may move to another thread while nothing is registered (suspension, automatic scaling).
 *
 * <p>A loop may run on a virtual thread, too. It then gets a reactor that any thread may drive, one at a time, for which
 * {@link io.ferronet.api.Backend#AUTO} takes {@code POLL}; and while nothing is ready, the virtual thread is parked and a platform thread waits in its
 * place. So there may be any number of such loops, whatever {@code -Djdk.virtualThreadScheduler.parallelism} is. Each wait costs a change of threads:
 * platform threads serve few busy connections with less delay. Only the end of a loop may keep its carrier, for 200 ms at most.
 */
public final class FerronetIoHandler implements IoHandler {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(FerronetIoHandler.class);
    private static final long SHUTDOWN_BOUND_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long FAILED_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ThreadAwareExecutor executor;
    private final FerronetIoHandlerConfig config;
    private final WakeGate gate = new WakeGate();
    private final FerronetIoEvent event = new FerronetIoEvent();
    private final TurnListeners turnListeners = new TurnListeners();
    private final LoopCounters counters = new LoopCounters();
    private final SendCollector sendCollector = new SendCollector();
    private final LingeringCloses lingering = new LingeringCloses();
    private final RegistrationTable registrations = new RegistrationTable();
    private Reactor reactor;
    private LentBuffers lent;
    /** Waits for a loop on a virtual thread; null on a platform thread, which waits itself. */
    private ParkedWait parkedWait;
    private int turn;
    private boolean bufferTaken;
    private boolean started;
    /** The thread that started the reactor before the loop initialised it. */
    private Thread startedEarly;
    private boolean failureHandled;
    private boolean shuttingDown;
    /** When the shutdown stops waiting for completions. */
    private long drainEnd;
    private boolean destroyed;

    private FerronetIoHandler(ThreadAwareExecutor executor, FerronetIoHandlerConfig config) {
        this.executor = Objects.requireNonNull(executor, "executor");
        this.config = config;
        try {
            open(0);
        } catch (FerronetException e) {
            throw new ChannelException(e.getMessage(), e);
        }
        LoopRegistry.add(this);
    }

    /**
     * Makes handlers with all defaults.
     *
     * @return a factory
     * @throws IllegalStateException if Ferronet is not available
     */
    public static IoHandlerFactory newFactory() {
        return newFactory(FerronetIoHandlerConfig.builder().build());
    }

    /**
     * Makes handlers.
     *
     * @param config their configuration
     * @return a factory; its {@code newHandler} throws {@link ChannelException} when the backend that was asked for is refused
     * @throws IllegalStateException if Ferronet is not available
     */
    public static IoHandlerFactory newFactory(FerronetIoHandlerConfig config) {
        Objects.requireNonNull(config, "config");
        NativeRuntime.forTransport();
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new FerronetIoHandler(executor, config);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return true;
            }
        };
    }

    /**
     * The live loops of this class loader.
     *
     * @return a snapshot; any thread
     */
    public static List<FerronetLoopInfo> loops() {
        return LoopRegistry.snapshot();
    }

    /**
     * Operations whose memory was given up on purpose at the end of a shutdown.
     *
     * @return operations since the process began; any thread
     */
    public static long abandonedOperations() {
        return LoopRegistry.abandonedOperations();
    }

    private void open(int flags) throws FerronetException {
        reactor = new Reactor(NativeRuntime.forTransport(), config, flags);
        lent = new LentBuffers(reactor, config);
        if (reactor.fallbackReason() != Reason.NONE) {
            reportFallback();
        }
    }

    private void reportFallback() {
        String reason = reactor.fallbackReason().description() + " (" + Status.name(reactor.fallbackStatus()) + ')';
        if (LoopRegistry.firstFallback()) {
            LOGGER.info("An event loop uses {} instead of io_uring: {}", reactor.backend(), reason);
        } else {
            LOGGER.debug("Another event loop uses {} instead of io_uring: {}", reactor.backend(), reason);
        }
        FlightEvents.fallback(reactor);
    }

    /**
     * Finds out what {@link io.ferronet.api.Backend#AUTO} takes now, by making a reactor and freeing it.
     *
     * @return its backend and fallback reason; the counters are 0
     * @throws IllegalStateException if Ferronet is not available
     * @throws ChannelException if no reactor can be made
     */
    public static FerronetLoopInfo probe() {
        try {
            Reactor reactor = new Reactor(NativeRuntime.forTransport(), FerronetIoHandlerConfig.builder().build(), 0);
            reactor.free();
            return new LoopCounters().info(reactor);
        } catch (FerronetException e) {
            throw new ChannelException(e.getMessage(), e);
        }
    }

    /**
     * What this loop uses and has done.
     *
     * @return a snapshot; any thread
     */
    public FerronetLoopInfo info() {
        return counters.info(reactor);
    }

    Reactor reactor() {
        return reactor;
    }

    LentBuffers lent() {
        return lent;
    }

    /** The number of the turn whose completions are being dispatched, from 1. */
    int turn() {
        return turn;
    }

    SendCollector sendCollector() {
        return sendCollector;
    }

    LingeringCloses lingering() {
        return lingering;
    }

    ThreadAwareExecutor executor() {
        return executor;
    }

    boolean isLoopThread() {
        return executor.isExecutorThread(Thread.currentThread());
    }

    boolean isDestroyed() {
        return destroyed;
    }

    boolean isFailed() {
        return destroyed || reactor.failure() != 0;
    }

    /** Calls the listener when all completions of the turn were dispatched, or in the next turn, which then does not wait. */
    void atTurnEnd(TurnListener listener) {
        turnListeners.add(listener);
    }

    void forget(TurnListener listener) {
        turnListeners.remove(listener);
    }

    /** Tells that the handle has taken over the lent buffer of the event that it handles. */
    void bufferTaken() {
        bufferTaken = true;
    }

    @Override
    public void initialize() {
        if (startedEarly != Thread.currentThread()) {
            start();
        }
        startedEarly = null;
    }

    private void start() {
        started = true;
        boolean isVirtual = VirtualThreads.isVirtual(Thread.currentThread());
        try {
            if (isVirtual && !counters.isAnyThread()) {
                reactor.free();
                open(ReactorConfig.FLAG_ANY_THREAD);
                counters.anyThread();
            }
            reactor.start();
            parkedWait = isVirtual ? new ParkedWait(reactor) : null;
            lent.restart();
        } catch (FerronetException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    @Override
    public int run(IoHandlerContext context) {
        if (destroyed) {
            return 0;
        }
        boolean measured = context.shouldReportActiveIoTime();
        LoopTurnEvent flight = FlightEvents.beginTurn();
        long timeout = timeout(context);
        int count = parkedWait == null ? reactor.turn(timeout) : turnOnVirtualThread(timeout);
        if (timeout != 0) {
            gate.awake();
        }
        long start = measured ? System.nanoTime() : 0;
        int handled = 0;
        if (reactor.failure() != 0) {
            reactorFailed();
        } else {
            handled = dispatch(count);
        }
        if (measured) {
            context.reportActiveIoTime(System.nanoTime() - start);
        }
        counters.turned(count);
        FlightEvents.endTurn(flight, count, handled);
        return handled;
    }

    /** What is queued starts before the wait is left to another thread. */
    private int turnOnVirtualThread(long timeout) {
        int count = reactor.turn(0);
        // That turn may have taken a wake-up, which has left the gate open.
        boolean waits = timeout != 0 && count == 0 && reactor.failure() == 0 && gate.isAsleep();
        return waits ? parkedWait.turn(timeout) : count;
    }

    /** How long the turn may wait; after a value other than 0 the gate is in its sleeping state. */
    private long timeout(IoHandlerContext context) {
        if (!turnListeners.isEmpty() || !context.canBlock()) {
            return 0;
        }
        gate.sleep();
        long timeout = 0;
        if (context.canBlock()) {
            timeout = context.deadlineNanos() == -1 ? -1 : Math.max(0, context.delayNanos(System.nanoTime()));
        }
        if (timeout == 0) {
            gate.awake();
        }
        return timeout;
    }

    /** Hands the completions to their handles, and returns how many handles had any. */
    private int dispatch(int count) {
        ByteBuffer completions = reactor.completions();
        turn++;
        int handled = 0;
        for (int i = 0, offset = 0; i < count; i++, offset += Completion.SIZE) {
            long userData = completions.getLong(offset + Completion.OFFSET_USER_DATA);
            int result = completions.getInt(offset + Completion.OFFSET_RESULT);
            int slot = (int) (userData >>> Integer.SIZE);
            if (slot == 0) {
                lent.refused((int) userData, result);
                continue;
            }
            int flags = completions.getInt(offset + Completion.OFFSET_FLAGS);
            int buffer = completions.getInt(offset + Completion.OFFSET_BUFFER);
            event.set(userData, result, flags, buffer, completions.getLong(offset + Completion.OFFSET_EXTRA));
            Registration registration = registrations.get(slot);
            bufferTaken = false;
            if (registration == null) {
                LOGGER.warn("A completion without a registration: operation {}, result {}", userData, result);
            } else {
                if (registration.firstIn(turn)) {
                    handled++;
                }
                handle(registration, (flags & Completion.FLAG_MORE) != 0);
            }
            if ((flags & Completion.FLAG_BUFFER) != 0 && !bufferTaken) {
                lent.discard(buffer, (flags & Completion.FLAG_BUFFER_MORE) != 0);
            }
        }
        endTurn();
        return handled;
    }

    private void handle(Registration registration, boolean more) {
        try {
            registration.handle().handle(registration, event);
        } catch (Exception e) {
            LOGGER.warn("A handle failed on a completion.", e);
        }
        try {
            registration.completed(more);
        } catch (Exception e) {
            LOGGER.warn("A handle failed on being unregistered.", e);
        }
    }

    private void endTurn() {
        if (turnListeners.isEmpty()) {
            return;
        }
        turnListeners.begin();
        TurnListener listener;
        while ((listener = turnListeners.next()) != null) {
            try {
                listener.turnEnd();
            } catch (Exception e) {
                LOGGER.warn("A channel failed at the end of a turn.", e);
            }
        }
    }

    /** Nothing works on this loop any more: closes what is registered, and from then on only lets the loop's tasks run. */
    private void reactorFailed() {
        if (!failureHandled) {
            failureHandled = true;
            LOGGER.error("The reactor of an event loop failed, its channels are closed: {}", reactor.failureText());
            registrations.closeHandles();
            registrations.giveUp(false);
        }
        endTurn();
        LockSupport.parkNanos(FAILED_PAUSE_NANOS);
    }

    @Override
    public void prepareToDestroy() {
        if (destroyed) {
            return;
        }
        if (!shuttingDown) {
            shuttingDown = true;
            drainEnd = System.nanoTime() + SHUTDOWN_BOUND_NANOS;
        }
        registrations.closeHandles();
        drain();
        lingering.await(drainEnd);
    }

    /** Dispatches the completions of what is being closed, while the loop still runs tasks; within the bound of the shutdown. */
    private void drain() {
        long left = drainEnd - System.nanoTime();
        while (registrations.hasOutstanding() && reactor.failure() == 0 && left > 0) {
            dispatch(parkedWait == null ? reactor.turn(left) : parkedWait.turn(left));
            left = drainEnd - System.nanoTime();
        }
    }

    @Override
    public void destroy() {
        if (destroyed) {
            return;
        }
        gate.close();
        shuttingDown = true;
        drainEnd = System.nanoTime() + SHUTDOWN_BOUND_NANOS;
        registrations.closeHandles(); // A loop that is shut down without a quiet period may end without having prepared for it.
        registrations.cancelOutstanding();
        drain();
        destroyed = true;
        long inFlight = reactor.close(Math.max(drainEnd - System.nanoTime(), 0));
        if (inFlight == 0 && reactor.failure() == 0) {
            registrations.terminate();
            lent.release();
        } else {
            LoopRegistry.abandon(this, Math.max(inFlight, 1));
            LOGGER.warn("{} operations are still in flight after the shutdown of an event loop; their memory is never freed.", inFlight);
            registrations.giveUp(reactor.failure() == 0);
        }
        reactor.free();
        LoopRegistry.remove(this);
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        if (!(handle instanceof FerronetIoHandle ferronetHandle)) {
            throw new IllegalArgumentException("IoHandle of type " + StringUtil.simpleClassName(handle) + " is not supported (expected: "
                + FerronetIoHandle.class.getSimpleName() + ')');
        }
        if (shuttingDown || isFailed()) {
            throw new IllegalStateException("the event loop is shutting down: no handle can be registered");
        }
        if (!started) {
            start(); // A loop that its user drives may be given handles before it runs for the first time.
            startedEarly = Thread.currentThread();
        }
        int socket = reactor.add(ferronetHandle.descriptor());
        Registration registration = new Registration(this, ferronetHandle, registrations.take(), socket);
        registrations.put(registration);
        counters.registered(1);
        handle.registered();
        return registration;
    }

    void forget(Registration registration) {
        registrations.remove(registration);
        counters.registered(-1);
    }

    @Override
    public void wakeup() {
        if (!isLoopThread() && gate.beginWake()) {
            try {
                reactor.wake();
                counters.woken();
            } finally {
                gate.endWake();
            }
        }
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return FerronetIoHandle.class.isAssignableFrom(handleType);
    }
}
