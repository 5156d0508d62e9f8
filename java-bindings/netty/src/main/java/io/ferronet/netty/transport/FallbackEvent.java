package io.ferronet.netty.transport;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An event loop did not get io_uring. */
@Name("io.ferronet.Fallback")
@Label("Backend Fallback")
@Category({"Ferronet", "Transport"})
@Description("An event loop that left the choice to the library did not get io_uring")
@StackTrace(false)
final class FallbackEvent extends Event {
    @Label("Backend")
    String backend;

    @Label("Reason")
    String reason;

    @Label("Status")
    @Description("The status behind the reason, or 0")
    int status;
}
