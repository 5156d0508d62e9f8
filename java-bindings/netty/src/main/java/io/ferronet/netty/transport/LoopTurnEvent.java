package io.ferronet.netty.transport;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** One pass of an event loop, its wait included. Off by default. */
@Name("io.ferronet.LoopTurn")
@Label("Event Loop Turn")
@Category({"Ferronet", "Transport"})
@Description("One pass of an event loop: the wait and the dispatch of its completions")
@Enabled(false)
@StackTrace(false)
@Threshold("10 ms")
final class LoopTurnEvent extends Event {
    @Label("Completions")
    int completions;

    @Label("Handles")
    @Description("Handles that had I/O")
    int handles;
}
