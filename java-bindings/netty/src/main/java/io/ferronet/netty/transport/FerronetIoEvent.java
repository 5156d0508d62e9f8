package io.ferronet.netty.transport;

import io.ferronet.api.Completion;
import io.netty.channel.IoEvent;

/** A completion. Valid only while {@link FerronetIoHandle#handle} runs: the handler reuses the object. */
public final class FerronetIoEvent implements IoEvent {
    private long id;
    private int result;
    private int flags;
    private int buffer;
    private long extra;

    FerronetIoEvent() {
    }

    void set(long id, int result, int flags, int buffer, long extra) {
        this.id = id;
        this.result = result;
        this.flags = flags;
        this.buffer = buffer;
        this.extra = extra;
    }

    /**
     * The operation.
     *
     * @return what {@link io.netty.channel.IoRegistration#submit} returned
     */
    public long id() {
        return id;
    }

    /**
     * The kind of operation.
     *
     * @return one of {@link io.ferronet.api.Submission}'s {@code OP} values
     */
    public byte op() {
        return (byte) id;
    }

    /**
     * The result.
     *
     * @return bytes, descriptor, poll events or 0; a negative {@link io.ferronet.api.Status} on failure
     */
    public int result() {
        return result;
    }

    /**
     * What the completion says beside its result.
     *
     * @return {@link Completion}'s {@code FLAG} bits
     */
    public int flags() {
        return flags;
    }

    /**
     * Whether further completions of the operation follow.
     *
     * @return whether {@link Completion#FLAG_MORE} is set
     */
    public boolean isMore() {
        return (flags & Completion.FLAG_MORE) != 0;
    }

    /**
     * The lent buffer of a receive.
     *
     * @return its identity, if {@link Completion#FLAG_BUFFER} is set
     */
    public int buffer() {
        return buffer;
    }

    /**
     * Offset of the bytes in a lent buffer, or the bytes that a failed send had moved.
     *
     * @return bytes
     */
    public long extra() {
        return extra;
    }
}
