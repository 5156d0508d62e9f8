package io.ferronet.interop;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** A process of our own. Whatever it prints is read at once, so that it never waits for us. */
final class Child implements AutoCloseable {
    private final Process process;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final StringBuffer errors = new StringBuffer();
    private final Thread outputReader;
    private final Thread errorReader;
    private int taken;
    private boolean ended;

    /** @param receiver gets the output instead of {@link #take}, if it is not {@code null} */
    Child(List<String> command, Consumer<byte[]> receiver) throws IOException {
        process = new ProcessBuilder(command).start();
        outputReader = reader(process.getInputStream(), receiver == null ? this::add : receiver);
        errorReader = reader(process.getErrorStream(), bytes -> errors.append(new String(bytes, StandardCharsets.UTF_8)));
    }

    private Thread reader(InputStream stream, Consumer<byte[]> receiver) {
        return Thread.ofVirtual().start(() -> {
            byte[] buffer = new byte[1 << 16];
            try (stream) {
                for (int length = stream.read(buffer); length >= 0; length = stream.read(buffer)) {
                    receiver.accept(java.util.Arrays.copyOf(buffer, length));
                }
            } catch (IOException e) {
                errors.append(e);
            }
            if (stream == process.getInputStream()) {
                end();
            }
        });
    }

    private synchronized void add(byte[] bytes) {
        output.writeBytes(bytes);
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    private synchronized boolean hasEnded() {
        return ended;
    }

    /** Writes to its input. */
    void send(byte[] bytes) throws IOException {
        OutputStream input = process.getOutputStream();
        input.write(bytes);
        input.flush();
    }

    void endInput() throws IOException {
        process.getOutputStream().close();
    }

    /** The next bytes of its output. */
    synchronized byte[] take(int length) throws InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Main.SECONDS);
        while (output.size() - taken < length) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (ended) {
                throw new IllegalStateException("openssl ended after " + (output.size() - taken) + " of " + length + " bytes");
            }
            if (left <= 0) {
                throw new TimeoutException("openssl gave " + (output.size() - taken) + " of " + length + " bytes in " + Main.SECONDS + " s");
            }
            wait(left);
        }
        byte[] bytes = java.util.Arrays.copyOfRange(output.toByteArray(), taken, taken + length);
        taken += length;
        return bytes;
    }

    /** Waits until its output or its errors hold some text. */
    synchronized void await(String text) throws InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Main.SECONDS);
        while (!output.toString(StandardCharsets.ISO_8859_1).contains(text) && errors.indexOf(text) < 0) {
            if (ended || System.nanoTime() > deadline) {
                throw new TimeoutException("openssl has not said " + text.strip() + ", but " + output.toString(StandardCharsets.ISO_8859_1).strip() + ' ' + errors);
            }
            wait(20);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** What it printed about errors, in one line; all of it once the process or its output has ended. */
    String errors() throws InterruptedException {
        if (hasEnded() || !process.isAlive()) {
            errorReader.join(TimeUnit.SECONDS.toMillis(Main.SECONDS));
        }
        return errors.toString().strip().replaceAll("\\s*\\n\\s*", " | ");
    }

    /** Waits for its end. */
    int exitCode() throws InterruptedException, TimeoutException {
        if (!process.waitFor(Main.SECONDS, TimeUnit.SECONDS)) {
            throw new TimeoutException("openssl has not ended in " + Main.SECONDS + " s");
        }
        outputReader.join(TimeUnit.SECONDS.toMillis(Main.SECONDS));
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(2, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(2, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
