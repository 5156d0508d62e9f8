package io.ferronet.netty.transport;

/** Something that has work left when all completions of a turn were dispatched. */
interface TurnListener {
    /** Does the work. Called once for each {@link FerronetIoHandler#atTurnEnd}. */
    void turnEnd();
}
