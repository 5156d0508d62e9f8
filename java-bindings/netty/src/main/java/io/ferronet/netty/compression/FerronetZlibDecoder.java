package io.ferronet.netty.compression;

import io.ferronet.api.Codec;
import io.ferronet.api.Status;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.compression.DecompressionException;
import io.netty.handler.codec.compression.ZlibDecoder;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.util.internal.ObjectUtil;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Decompresses buffers in native memory. Takes the place of {@link io.netty.handler.codec.compression.JdkZlibDecoder}, and differs from it in two
 * points: {@link FerronetDecompressionLimits} bound the output unless {@link FerronetDecompressionLimits#UNBOUNDED} is given, and
 * {@link ZlibWrapper#ZLIB_OR_NONE} recognises gzip as well.
 */
public class FerronetZlibDecoder extends ZlibDecoder {
    private static final int MIN_OUTPUT = 512;
    private static final int MAX_OUTPUT = 64 * 1024;
    private static final int LONGEST_MATCH = 264;
    /** A gzip stream of nothing. */
    private static final int LEAST_GZIP = 20;

    private final InflateSettings settings;
    private final byte[] dictionary;
    /** Bounds each message by itself; {@code null} where the stream is bounded as a whole. */
    private MessageBound bound;
    private Inflater stream;
    private DecompressionException failure;
    private boolean started;
    private boolean endRequired;
    private boolean needsRead;
    private volatile boolean finished;

    /** {@link ZlibWrapper#ZLIB}, with buffers of any size within {@link FerronetDecompressionLimits#DEFAULT}. */
    public FerronetZlibDecoder() {
        this(0);
    }

    /**
     * {@link ZlibWrapper#ZLIB}.
     *
     * @param maxAllocation largest buffer of output in bytes, and the most that one read may give; 0 for none
     */
    public FerronetZlibDecoder(int maxAllocation) {
        this(ZlibWrapper.ZLIB, maxAllocation);
    }

    /**
     * One stream; what follows it is dropped. Buffers of any size within {@link FerronetDecompressionLimits#DEFAULT}.
     *
     * @param wrapper the format
     */
    public FerronetZlibDecoder(ZlibWrapper wrapper) {
        this(wrapper, 0);
    }

    /**
     * Buffers of any size within {@link FerronetDecompressionLimits#DEFAULT}.
     *
     * @param wrapper the format
     * @param decompressConcatenated whether gzip members that follow each other are one stream
     */
    public FerronetZlibDecoder(ZlibWrapper wrapper, boolean decompressConcatenated) {
        this(wrapper, decompressConcatenated, 0);
    }

    /**
     * {@link ZlibWrapper#GZIP}, with buffers of any size within {@link FerronetDecompressionLimits#DEFAULT}.
     *
     * @param decompressConcatenated whether gzip members that follow each other are one stream
     */
    public FerronetZlibDecoder(boolean decompressConcatenated) {
        this(decompressConcatenated, 0);
    }

    /**
     * {@link ZlibWrapper#ZLIB} with a preset dictionary, and buffers of any size within {@link FerronetDecompressionLimits#DEFAULT}.
     *
     * @param dictionary the bytes that both sides know
     */
    public FerronetZlibDecoder(byte[] dictionary) {
        this(dictionary, 0);
    }

    /**
     * One stream; what follows it is dropped.
     *
     * @param wrapper the format
     * @param maxAllocation largest buffer of output in bytes, and the most that one read may give; 0 for none
     */
    public FerronetZlibDecoder(ZlibWrapper wrapper, int maxAllocation) {
        this(wrapper, false, maxAllocation);
    }

    /**
     * {@link ZlibWrapper#GZIP}.
     *
     * @param decompressConcatenated whether gzip members that follow each other are one stream
     * @param maxAllocation largest buffer of output in bytes, and the most that one read may give; 0 for none
     */
    public FerronetZlibDecoder(boolean decompressConcatenated, int maxAllocation) {
        this(ZlibWrapper.GZIP, decompressConcatenated, maxAllocation);
    }

    /**
     * All formats.
     *
     * @param wrapper the format
     * @param decompressConcatenated whether gzip members that follow each other are one stream
     * @param maxAllocation largest buffer of output in bytes, and the most that one read may give; 0 for none
     */
    public FerronetZlibDecoder(ZlibWrapper wrapper, boolean decompressConcatenated, int maxAllocation) {
        this(wrapper, decompressConcatenated, maxAllocation, FerronetDecompressionLimits.DEFAULT);
    }

    /**
     * All formats with other limits.
     *
     * @param wrapper the format
     * @param decompressConcatenated whether gzip members that follow each other are one stream
     * @param maxAllocation largest buffer of output in bytes, and the most that one read may give; 0 for none
     * @param limits how much a stream may become
     */
    public FerronetZlibDecoder(ZlibWrapper wrapper, boolean decompressConcatenated, int maxAllocation, FerronetDecompressionLimits limits) {
        super(maxAllocation);
        settings = new InflateSettings(wrapper, decompressConcatenated, limits);
        dictionary = null;
    }

    /**
     * {@link ZlibWrapper#ZLIB} with a preset dictionary.
     *
     * @param dictionary the bytes that both sides know
     * @param maxAllocation largest buffer of output in bytes, and the most that one read may give; 0 for none
     */
    public FerronetZlibDecoder(byte[] dictionary, int maxAllocation) {
        super(maxAllocation);
        settings = new InflateSettings(ZlibWrapper.ZLIB, false, FerronetDecompressionLimits.DEFAULT);
        this.dictionary = ObjectUtil.checkNotNull(dictionary, "dictionary").clone();
    }

    /**
     * A raw stream of any number of messages, each of which is bounded by itself.
     *
     * @param maxAllocation largest buffer of output in bytes, and the most that one read may give; 0 for none
     * @param limits how much a message may become
     */
    static FerronetZlibDecoder ofMessages(int maxAllocation, FerronetDecompressionLimits limits) {
        FerronetZlibDecoder decoder = new FerronetZlibDecoder(ZlibWrapper.NONE, false, maxAllocation, FerronetDecompressionLimits.UNBOUNDED);
        decoder.bound = new MessageBound(limits);
        return decoder;
    }

    /** The next byte begins another message of {@link #ofMessages}. */
    final void nextMessage() {
        bound.reset();
    }

    /**
     * {@inheritDoc}
     *
     * <p>When the input has ended, {@code false} says that it was cut off.
     */
    @Override
    public boolean isClosed() {
        return finished;
    }

    /** Whether input that ends before the stream does is an error, as it is in a message with an end of its own. */
    final FerronetZlibDecoder requireEnd(boolean required) {
        endRequired = required;
        return this;
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        needsRead = true;
        if (failure != null) {
            in.skipBytes(in.readableBytes());
            throw failure;
        }
        if (finished) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (in.isReadable()) {
            started = true;
            Output output = new Output(ctx, expected(in));
            Inflater inflater = stream();
            try {
                MemoryPieces.forEach(inflater.binding, in, (address, length, last) -> inflate(inflater, address, length, output));
            } finally {
                in.skipBytes(output.consumed);
                output.forward();
                if (finished || failure != null) {
                    release();
                }
            }
        }
    }

    /**
     * The room to begin with. A whole gzip stream tells its length in its last four bytes: then one buffer is enough. Behind the output there is room
     * for a longest match, without which its end is decompressed byte by byte.
     */
    private int expected(ByteBuf in) {
        int length = in.readableBytes();
        if (settings.wrapper() == ZlibWrapper.GZIP && length >= LEAST_GZIP) {
            int told = in.getIntLE(in.writerIndex() - Integer.BYTES);
            if (told > 0 && told <= MAX_OUTPUT - LONGEST_MATCH) {
                return told + LONGEST_MATCH;
            }
        }
        return preferred(length);
    }

    private static int preferred(int length) {
        return (int) Math.min(MAX_OUTPUT, Math.max(MIN_OUTPUT, (long) length << 2));
    }

    /** Whether the stream goes on. */
    private boolean inflate(Inflater inflater, long address, int length, Output output) {
        long from = address;
        int left = length;
        while (true) {
            ByteBuf room = output.room(left);
            int status = inflater.process(from, left, room, Codec.FLUSH_NONE);
            if (Status.isError(status)) {
                output.consumed += left;
                throw failed(inflater, status);
            }
            int consumed = inflater.consumed();
            from += consumed;
            left -= consumed;
            output.consumed += consumed;
            if (bound != null && bound.isExceededBy(consumed, inflater.produced())) {
                output.consumed += left;
                failure = bound.failure();
                throw failure;
            }
            if (inflater.hasEnded()) {
                finished = left > 0 || !mayFollow();
                return !finished;
            }
            if (!inflater.needsOutput() && left == 0) {
                return true;
            }
            if (room.isWritable()) {
                // The end of a gzip member.
                output.forward();
            }
        }
    }

    /** Whether another member may follow the end of this one. */
    private boolean mayFollow() {
        return settings.concatenated() && (settings.wrapper() == ZlibWrapper.GZIP || settings.wrapper() == ZlibWrapper.ZLIB_OR_NONE);
    }

    private DecompressionException failed(Inflater inflater, int status) {
        String remedy = status == Status.LIMIT ? "; FerronetDecompressionLimits has the bounds" : "";
        failure = new DecompressionException(inflater.failure("inflate", status) + remedy);
        return failure;
    }

    /** The output of one read: a buffer of at most {@code maxAllocation} bytes, or any number of buffers that are passed on when they are full. */
    private final class Output {
        private final ChannelHandlerContext ctx;
        private ByteBuf buffer;
        private int size;
        private int consumed;

        Output(ChannelHandlerContext ctx, int size) {
            this.ctx = ctx;
            this.size = size;
            buffer = prepareDecompressBuffer(ctx, null, size);
        }

        ByteBuf room(int left) {
            if (buffer != null && buffer.isWritable()) {
                return buffer;
            }
            // What did not fit is likely to be more than the input left makes one think.
            size = Math.max(preferred(left), Math.min(MAX_OUTPUT, size << 1));
            if (maxAllocation == 0 || buffer == null) {
                forward();
                buffer = prepareDecompressBuffer(ctx, null, size);
            } else {
                buffer = prepareDecompressBuffer(ctx, buffer, size);
            }
            return buffer;
        }

        void forward() {
            ByteBuf full = buffer;
            buffer = null;
            if (full == null) {
                return;
            }
            if (full.isReadable()) {
                needsRead = false;
                ctx.fireChannelRead(full);
            } else {
                full.release();
            }
        }
    }

    @Override
    protected ByteBuf prepareDecompressBuffer(ChannelHandlerContext ctx, ByteBuf buffer, int preferredSize) {
        if (buffer != null) {
            return super.prepareDecompressBuffer(ctx, buffer, preferredSize);
        }
        if (maxAllocation == 0) {
            return ctx.alloc().directBuffer(preferredSize);
        }
        return ctx.alloc().directBuffer(Math.min(preferredSize, maxAllocation), maxAllocation);
    }

    @Override
    protected void decompressionBufferExhausted(ByteBuf buffer) {
        finished = true;
    }

    @Override
    protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
        super.decodeLast(ctx, in, out);
        DecompressionException incomplete = incomplete();
        if (incomplete != null) {
            throw incomplete;
        }
    }

    /** What is wrong with a stream to which nothing will be added; {@code null} if nothing is. */
    final DecompressionException incomplete() {
        if (!endRequired) {
            return null;
        }
        if (failure != null || !started || finished) {
            return failure;
        }
        finished = true;
        Inflater inflater = stream();
        ByteBuffer room = StreamPool.takeScratch();
        try {
            int status = inflater.process(0, 0, inflater.binding.addressOf(room), 1, Codec.FLUSH_FINISH);
            return Status.isError(status) ? failed(inflater, status) : null;
        } finally {
            StreamPool.giveScratch(room);
            release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        discardSomeReadBytes();
        // Input that gave no output: with auto-read off nobody else would ask for more.
        if (needsRead && !ctx.channel().config().isAutoRead()) {
            ctx.read();
        }
        ctx.fireChannelReadComplete();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
        super.handlerRemoved0(ctx);
        finished = true;
        release();
    }

    private Inflater stream() {
        if (stream == null) {
            Inflater taken = StreamPool.inflater(settings);
            if (dictionary != null) {
                taken.setDictionary(dictionary);
            }
            stream = taken;
        }
        return stream;
    }

    private void release() {
        Inflater taken = stream;
        if (taken == null) {
            return;
        }
        stream = null;
        if (dictionary == null) {
            StreamPool.release(taken);
        } else {
            taken.free();
        }
    }
}
