package io.ferronet.netty.compression;

import io.ferronet.api.Codec;
import io.ferronet.api.DeflateConfig;
import io.ferronet.api.Status;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.compression.CompressionException;
import io.netty.handler.codec.compression.ZlibEncoder;
import io.netty.handler.codec.compression.ZlibWrapper;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.PromiseNotifier;
import io.netty.util.internal.ObjectUtil;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Compresses buffers in native memory, with Netty's own rules: every write is flushed up to a byte boundary, so that the peer can decompress it at once, and closing
 * the channel ends the stream. Takes the place of {@link io.netty.handler.codec.compression.JdkZlibEncoder}.
 *
 * <p>Levels give about the size that zlib gives at that level. The native stream belongs to the event loop's pool; it is taken at the
 * first write and goes back at the end of the stream or when the handler is removed.
 */
public class FerronetZlibEncoder extends ZlibEncoder {
    /** A level beside 0 to 9: the fastest mode, with much larger output, and output larger than its input on random data. */
    public static final int FASTEST = DeflateConfig.LEVEL_FASTEST;

    private static final int SMALL_OUTPUT = 8 * 1024;
    private static final int LARGE_OUTPUT = 256 * 1024;
    private static final int FOOTER = 64;
    private static final long CLOSE_SECONDS = 10;

    private final DeflateSettings settings;
    private final byte[] dictionary;
    private Deflater stream;
    private volatile boolean finished;
    private volatile ChannelHandlerContext ctx;

    /** Level 6, {@link ZlibWrapper#ZLIB}. */
    public FerronetZlibEncoder() {
        this(DeflateSettings.DEFAULT_LEVEL);
    }

    /**
     * {@link ZlibWrapper#ZLIB}.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none, -1 for 6, or {@link #FASTEST}
     */
    public FerronetZlibEncoder(int compressionLevel) {
        this(ZlibWrapper.ZLIB, compressionLevel);
    }

    /**
     * Level 6.
     *
     * @param wrapper the format; not {@link ZlibWrapper#ZLIB_OR_NONE}
     */
    public FerronetZlibEncoder(ZlibWrapper wrapper) {
        this(wrapper, DeflateSettings.DEFAULT_LEVEL);
    }

    /**
     * The default window and memory level.
     *
     * @param wrapper the format; not {@link ZlibWrapper#ZLIB_OR_NONE}
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none, -1 for 6, or {@link #FASTEST}
     */
    public FerronetZlibEncoder(ZlibWrapper wrapper, int compressionLevel) {
        this(wrapper, compressionLevel, DeflateSettings.DEFAULT_WINDOW_BITS, DeflateSettings.DEFAULT_MEM_LEVEL);
    }

    /**
     * All settings.
     *
     * @param wrapper the format; not {@link ZlibWrapper#ZLIB_OR_NONE}
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none, -1 for 6, or {@link #FASTEST}
     * @param windowBits base-two logarithm of the window, 9 to 15
     * @param memLevel memory for matches and codes, 1 to 9
     */
    public FerronetZlibEncoder(ZlibWrapper wrapper, int compressionLevel, int windowBits, int memLevel) {
        this(new DeflateSettings(wrapper, compressionLevel, windowBits, memLevel), null);
    }

    /**
     * Level 6 and {@link ZlibWrapper#ZLIB} with a preset dictionary.
     *
     * @param dictionary the bytes that both sides know
     */
    public FerronetZlibEncoder(byte[] dictionary) {
        this(DeflateSettings.DEFAULT_LEVEL, dictionary);
    }

    /**
     * {@link ZlibWrapper#ZLIB} with a preset dictionary.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none, -1 for 6, or {@link #FASTEST}
     * @param dictionary the bytes that both sides know
     */
    public FerronetZlibEncoder(int compressionLevel, byte[] dictionary) {
        this(compressionLevel, DeflateSettings.DEFAULT_WINDOW_BITS, DeflateSettings.DEFAULT_MEM_LEVEL, dictionary);
    }

    /**
     * {@link ZlibWrapper#ZLIB} with all settings and a preset dictionary.
     *
     * @param compressionLevel 1 (fast) to 9 (small), 0 for none, -1 for 6, or {@link #FASTEST}
     * @param windowBits base-two logarithm of the window, 9 to 15
     * @param memLevel memory for matches and codes, 1 to 9
     * @param dictionary the bytes that both sides know
     */
    public FerronetZlibEncoder(int compressionLevel, int windowBits, int memLevel, byte[] dictionary) {
        this(new DeflateSettings(ZlibWrapper.ZLIB, compressionLevel, windowBits, memLevel), ObjectUtil.checkNotNull(dictionary, "dictionary").clone());
    }

    FerronetZlibEncoder(DeflateSettings settings, byte[] dictionary) {
        this.settings = settings;
        this.dictionary = dictionary;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) throws Exception {
        ctx = context;
        super.handlerAdded(context);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) throws Exception {
        release();
        super.handlerRemoved(context);
    }

    @Override
    public boolean isClosed() {
        return finished;
    }

    @Override
    public ChannelFuture close() {
        return close(context().newPromise());
    }

    @Override
    public ChannelFuture close(ChannelPromise promise) {
        ChannelHandlerContext context = context();
        EventExecutor executor = context.executor();
        if (executor.inEventLoop()) {
            return finish(context, promise);
        }
        ChannelPromise inner = context.newPromise();
        executor.execute(() -> PromiseNotifier.cascade(finish(context(), inner), promise));
        return promise;
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext context = ctx;
        if (context == null) {
            throw new IllegalStateException("not added to a pipeline");
        }
        return context;
    }

    @Override
    protected ByteBuf allocateBuffer(ChannelHandlerContext context, ByteBuf message, boolean preferDirect) {
        int length = message.readableBytes();
        if (finished) {
            return context.alloc().directBuffer(Math.max(1, length));
        }
        return context.alloc().directBuffer(estimate(length));
    }

    /** The capacity to begin with. Larger bodies seldom need as much as half; the buffer grows when they do. */
    static int estimate(int length) {
        return Math.min(LARGE_OUTPUT, room(length));
    }

    /** The same for a body that is to be compressed in one call. */
    static int room(int length) {
        return length <= SMALL_OUTPUT ? length + (length >> 2) + FOOTER : Math.max(SMALL_OUTPUT, length >> 1);
    }

    @Override
    protected void encode(ChannelHandlerContext context, ByteBuf uncompressed, ByteBuf out) {
        if (finished) {
            out.writeBytes(uncompressed);
            return;
        }
        if (!uncompressed.isReadable()) {
            return;
        }
        deflate(stream(), uncompressed, out, Codec.FLUSH_SYNC);
    }

    /** Compresses all readable bytes, with a flush behind them. */
    static void deflate(Deflater deflater, ByteBuf uncompressed, ByteBuf out, int flush) {
        MemoryPieces.forEach(deflater.binding, uncompressed, (address, length, last) -> {
            deflate(deflater, address, length, out, last ? flush : Codec.FLUSH_NONE);
            return true;
        });
        uncompressed.skipBytes(uncompressed.readableBytes());
    }

    private static void deflate(Deflater deflater, long address, int length, ByteBuf out, int flush) {
        long from = address;
        int left = length;
        while (true) {
            int status = deflater.process(from, left, out, flush);
            if (Status.isError(status)) {
                throw new CompressionException(deflater.failure("deflate", status));
            }
            from += deflater.consumed();
            left -= deflater.consumed();
            if (!deflater.needsOutput()) {
                return;
            }
            out.ensureWritable(Math.min(LARGE_OUTPUT, Math.max(SMALL_OUTPUT, left >> 1)));
        }
    }

    private Deflater stream() {
        if (stream == null) {
            Deflater taken = StreamPool.deflater(settings, 0);
            if (dictionary != null) {
                taken.setDictionary(dictionary);
            }
            stream = taken;
        }
        return stream;
    }

    private void release() {
        Deflater taken = stream;
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

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
        ChannelFuture end = finish(context, context.newPromise());
        if (end.isDone()) {
            context.close(promise);
            return;
        }
        // The channel is closed even if its last bytes cannot be written.
        ScheduledFuture<?> limit = context.executor().schedule(() -> {
            context.close(promise);
        }, CLOSE_SECONDS, TimeUnit.SECONDS);
        end.addListener(ignored -> {
            limit.cancel(true);
            if (!promise.isDone()) {
                context.close(promise);
            }
        });
    }

    private ChannelFuture finish(ChannelHandlerContext context, ChannelPromise promise) {
        if (finished) {
            promise.setSuccess();
            return promise;
        }
        finished = true;
        ByteBuf footer = context.alloc().directBuffer(FOOTER);
        try {
            deflate(stream(), 0, 0, footer, Codec.FLUSH_FINISH);
        } catch (Throwable t) {
            footer.release();
            release();
            promise.setFailure(t);
            return promise;
        }
        release();
        return context.writeAndFlush(footer, promise);
    }
}
