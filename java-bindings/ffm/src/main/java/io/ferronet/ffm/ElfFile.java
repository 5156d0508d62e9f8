package io.ferronet.ffm;

import io.ferronet.api.LibraryLoadException;
import io.ferronet.api.LibraryLoadException.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** What can be learnt from a shared library without mapping it (elf(5)). */
final class ElfFile {
    private static final int HEADER = 64;
    private static final int SEGMENT = 56;
    private static final int MAGIC = 0x7f454c46;
    private static final int TYPE_SHARED = 3;
    private static final int SEGMENT_LOAD = 1;
    private static final int SEGMENT_DYNAMIC = 2;
    private static final int SEGMENT_INTERPRETER = 3;
    private static final long TAG_NEEDED = 1;
    private static final long TAG_STRINGS = 5;
    private static final int LONGEST_TABLE = 1 << 20;
    private static final String MUSL = "libc.so";

    /** Random access to the bytes. */
    private interface Source {
        void read(long offset, ByteBuffer target) throws IOException;
    }

    private record Segment(int type, long offset, long address, long fileSize) {
    }

    private final Source source;
    private final long size;
    private ByteBuffer header;
    private final List<Segment> segments = new ArrayList<>();

    private ElfFile(Source source, long size) {
        this.source = source;
        this.size = size;
    }

    /**
     * Refuses what the dynamic linker could not map, or what would not work in this process, before it is tried.
     *
     * @param content the file's bytes
     * @param file its name, for messages
     * @throws LibraryLoadException if it does not fit
     */
    static void check(byte[] content, String file) throws LibraryLoadException {
        ElfFile elf = new ElfFile((offset, target) -> {
            if (offset < 0 || offset + target.remaining() > content.length) {
                throw new EOFException("it ends at " + content.length);
            }
            target.put(content, (int) offset, target.remaining());
        }, content.length);
        elf.check(file, interpreter());
    }

    /**
     * The same for a file on disk.
     *
     * @param path the file
     * @throws LibraryLoadException if it does not fit
     * @throws IOException if it cannot be read
     */
    static void check(Path path) throws LibraryLoadException, IOException {
        check(path, interpreter());
    }

    static void check(Path path, String interpreter) throws LibraryLoadException, IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            of(channel).check(path.toString(), interpreter);
        }
    }

    /**
     * The program interpreter of the running process.
     *
     * @return its path, or {@code null} if it is unknown
     */
    static String interpreter() {
        return interpreter(Path.of("/proc/self/exe"));
    }

    /**
     * The program interpreter of a program, which tells its C library. A program that is an interpreter itself (a process can be started through it) is its own.
     *
     * @param program its file, or a link to it
     * @return its path, or {@code null} if there is none or the file cannot be read
     */
    static String interpreter(Path program) {
        try (FileChannel channel = FileChannel.open(program, StandardOpenOption.READ)) {
            ElfFile elf = of(channel);
            elf.readHeader();
            elf.readSegments();
            for (Segment segment : elf.segments) {
                if (segment.type == SEGMENT_INTERPRETER && segment.fileSize < LONGEST_TABLE) {
                    return string(elf.read(segment.offset, (int) segment.fileSize), 0);
                }
            }
            Path real = program.toRealPath();
            String name = real.getFileName().toString();
            return name.startsWith("ld-") || name.equals(MUSL) ? real.toString() : null;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private static ElfFile of(FileChannel channel) throws IOException {
        return new ElfFile((offset, target) -> {
            long at = offset;
            while (target.hasRemaining()) {
                int read = channel.read(target, at);
                if (read < 0) {
                    throw new EOFException("it ends at " + at);
                }
                at += read;
            }
        }, channel.size());
    }

    private void check(String file, String interpreter) throws LibraryLoadException {
        if (size < HEADER) {
            throw new LibraryLoadException(Kind.TRUNCATED, file + " has " + size + " bytes, too few for a library: replace the file");
        }
        try {
            checkHeader(file);
            readSegments();
            checkExtent(file);
            checkLibc(file, interpreter);
        } catch (IOException e) {
            throw new LibraryLoadException(Kind.TRUNCATED, file + " is truncated: " + e.getMessage() + ": replace the file", List.of(), e);
        }
    }

    private void checkHeader(String file) throws LibraryLoadException, IOException {
        ByteBuffer start = read(0, HEADER);
        int magic = start.order(ByteOrder.BIG_ENDIAN).getInt(0);
        if (magic != MAGIC) {
            throw new LibraryLoadException(Kind.NOT_A_LIBRARY, file + " is not an ELF file: it begins with "
                + HexFormat.of().formatHex(start.array(), 0, 4) + " instead of 7f454c46");
        }
        readHeader();
        int machine = header.getShort(18) & 0xffff;
        int expected = Platform.machine();
        boolean little = start.get(5) == 1;
        if (start.get(4) != 2 || little != (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) || expected >= 0 && machine != expected) {
            throw new LibraryLoadException(Kind.WRONG_ARCHITECTURE, file + " is for " + Platform.machineName(machine) + " (ELF machine " + machine
                + ", " + (start.get(4) == 2 ? "64" : "32") + " bits), but this JVM runs on " + Platform.processor() + " (" + expected
                + ", 64 bits): use the native library with classifier " + Platform.classifier());
        }
        int type = header.getShort(16) & 0xffff;
        if (type != TYPE_SHARED) {
            throw new LibraryLoadException(Kind.NOT_A_LIBRARY, file + " is not a shared library: ELF type " + type + " instead of " + TYPE_SHARED);
        }
    }

    private void readHeader() throws IOException {
        header = read(0, HEADER);
        header.order(header.get(5) == 2 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    }

    private void readSegments() throws IOException {
        long offset = header.getLong(32);
        int entry = header.getShort(54) & 0xffff;
        int count = header.getShort(56) & 0xffff;
        if (entry < SEGMENT) {
            throw new EOFException("its program headers have " + entry + " bytes each");
        }
        ByteBuffer table = read(offset, entry * count);
        for (int i = 0; i < count; i++) {
            int at = i * entry;
            segments.add(new Segment(table.getInt(at), table.getLong(at + 8), table.getLong(at + 16), table.getLong(at + 32)));
        }
    }

    private void checkExtent(String file) throws LibraryLoadException {
        long sections = header.getLong(40);
        long end = sections == 0 ? 0 : sections + (long) (header.getShort(58) & 0xffff) * (header.getShort(60) & 0xffff);
        for (Segment segment : segments) {
            end = Math.max(end, segment.offset + segment.fileSize);
        }
        if (size < end) {
            throw new LibraryLoadException(Kind.TRUNCATED, file + " is truncated: it has " + size + " bytes of " + end + ": replace the file");
        }
    }

    private void checkLibc(String file, String interpreter) throws LibraryLoadException, IOException {
        if (interpreter == null) {
            return;
        }
        // musl's interpreter is its C library, so a process that was started through it may have either name.
        boolean muslProcess = interpreter.contains("ld-musl-") || interpreter.endsWith("/" + MUSL);
        for (String needed : needed()) {
            boolean musl = needed.equals(MUSL) || needed.startsWith("libc.musl-");
            boolean glibc = needed.equals("libc.so.6");
            if (musl && !muslProcess || glibc && muslProcess) {
                throw new LibraryLoadException(Kind.WRONG_LIBC, file + " is built for " + (musl ? "musl" : "glibc") + " (it needs " + needed
                    + "), but this process runs on " + (muslProcess ? "musl" : "glibc") + " (" + interpreter
                    + "): use a native library for that C library");
            }
        }
    }

    private List<String> needed() throws IOException {
        List<Long> names = new ArrayList<>();
        long strings = -1;
        for (Segment segment : segments) {
            if (segment.type != SEGMENT_DYNAMIC || segment.fileSize > LONGEST_TABLE) {
                continue;
            }
            ByteBuffer table = read(segment.offset, (int) segment.fileSize);
            for (int at = 0; at + 16 <= table.capacity(); at += 16) {
                long tag = table.getLong(at);
                if (tag == TAG_NEEDED) {
                    names.add(table.getLong(at + 8));
                } else if (tag == TAG_STRINGS) {
                    strings = fileOffset(table.getLong(at + 8));
                }
            }
        }
        List<String> needed = new ArrayList<>();
        for (long name : names) {
            if (strings >= 0) {
                long at = strings + name;
                needed.add(string(read(at, (int) Math.min(256, size - at)), 0));
            }
        }
        return needed;
    }

    private long fileOffset(long address) {
        for (Segment segment : segments) {
            if (segment.type == SEGMENT_LOAD && address >= segment.address && address < segment.address + segment.fileSize) {
                return segment.offset + address - segment.address;
            }
        }
        return -1;
    }

    private ByteBuffer read(long offset, int length) throws IOException {
        if (offset < 0 || length < 0 || offset + length > size) {
            throw new EOFException("it has " + size + " bytes, but " + length + " at " + offset + " are needed");
        }
        ByteBuffer target = ByteBuffer.allocate(length);
        source.read(offset, target);
        return target.flip().order(header == null ? ByteOrder.LITTLE_ENDIAN : header.order());
    }

    private static String string(ByteBuffer bytes, int from) {
        int end = from;
        while (end < bytes.limit() && bytes.get(end) != 0) {
            end++;
        }
        return new String(bytes.array(), from, end - from, StandardCharsets.UTF_8);
    }
}
