package io.ferronet.contract;

import io.ferronet.api.FerronetBinding;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Runs one case on a thread of its own. */
final class Runner {
    /** Worlds of failed cases. Their operations may still be in flight, so their memory is kept for good. */
    private static final List<World> LEAKED = Collections.synchronizedList(new ArrayList<>());

    private Runner() {
    }

    /** Runs the case, and returns null or why it failed. */
    static String run(FerronetBinding binding, Suite suite, Script script, long backend, long limitMillis) throws InterruptedException {
        World world = new World(binding, suite, script, backend, limitMillis * 1_000_000);
        String[] outcome = {"it did not end in time"};
        LEAKED.add(world);
        Thread thread = new Thread(() -> outcome[0] = attempt(world), script.name());
        thread.setDaemon(true);
        thread.start();
        thread.join(4 * limitMillis + 5000);
        if (thread.isAlive()) {
            return "it did not end in time";
        }
        if (outcome[0] == null) {
            LEAKED.remove(world);
        }
        return outcome[0];
    }

    private static String attempt(World world) {
        try {
            AbiSteps.attach(world, "rt");
            for (Step step : world.script.steps()) {
                step(world, step);
            }
            world.close();
            return null;
        } catch (Failure failure) {
            return failure.getMessage();
        } catch (RuntimeException | Error | InterruptedException e) {
            return "line " + (world.step == null ? 0 : world.step.line()) + ": " + e;
        }
    }

    private static void step(World world, Step step) throws InterruptedException {
        world.step = step;
        String name = step.name();
        if (name.equals("elsewhere")) {
            elsewhere(world, step.after(1));
        } else if (name.equals("later")) {
            later(world, step);
        } else if (!AbiSteps.run(world, name) && !ReactorSteps.run(world, name) && !SocketSteps.run(world, name)
            && !OperationSteps.run(world, name) && !StreamSteps.run(world, name) && !CodecSteps.run(world, name)
            && !TlsSteps.run(world, name)) {
            throw world.failure("unknown step %s", name);
        }
    }

    /** elsewhere STEP...: on another thread, which is waited for. */
    private static void elsewhere(World world, Step step) throws InterruptedException {
        Throwable[] thrown = new Throwable[1];
        Thread thread = new Thread(() -> {
            try {
                step(world, step);
            } catch (Failure | InterruptedException e) {
                thrown[0] = e;
            }
        }, "elsewhere");
        thread.setDaemon(true);
        thread.start();
        thread.join();
        if (thrown[0] instanceof Failure failure) {
            throw failure;
        }
    }

    /** later MS wake REACTOR: on another thread, in a while. */
    private static void later(World world, Step step) {
        long delay = world.number(1);
        if (!world.word(2).equals("wake")) {
            throw world.failure("later can only wake");
        }
        long reactor = world.handle(world.word(3));
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(delay);
                world.binding.reactorWake(reactor);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, "later");
        thread.setDaemon(true);
        thread.start();
        world.threads.add(thread);
    }
}
