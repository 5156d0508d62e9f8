package io.ferronet.netty.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ferronet.api.Backend;
import io.netty.channel.EventLoop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Events of the flight recorder. */
@Timeout(60)
class FlightEventsTest {
    @OnBothBackends
    void turnsAreRecordedWhenAskedFor(Backend backend, @TempDir Path directory) throws Exception {
        Path file = directory.resolve("turns.jfr");
        try (Recording recording = new Recording(); Loops loops = Loops.on(backend)) {
            recording.enable("io.ferronet.LoopTurn").withThreshold(Duration.ZERO);
            recording.start();
            EventLoop loop = loops.group().next();
            for (int i = 0; i < 10; i++) {
                loop.submit(() -> { }).sync();
                EchoTest.pause(2);
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertTrue(events.size() >= 5, events::toString);
        assertTrue(events.stream().allMatch(event -> "io.ferronet.LoopTurn".equals(event.getEventType().getName()) && event.getInt("handles") == 0));
        Files.delete(file);
    }

    @OnBothBackends
    void turnsAreNotRecordedByDefault(Backend backend, @TempDir Path directory) throws Exception {
        Path file = directory.resolve("none.jfr");
        try (Recording recording = new Recording(); Loops loops = Loops.on(backend)) {
            recording.start();
            loops.group().next().submit(() -> { }).sync();
            recording.stop();
            recording.dump(file);
        }
        assertEquals(0, RecordingFile.readAllEvents(file).stream().filter(event -> event.getEventType().getName().startsWith("io.ferronet")).count());
    }
}
