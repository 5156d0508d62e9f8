package io.ferronet.contract;

/** A descriptor under a name, and how far its two streams have come. */
final class Sock {
    final String name;
    int descriptor;
    /** Not opened by the case, so not closed at its end. */
    boolean borrowed;
    /** In its loop; 0: not added. */
    int number;
    Loop loop;
    long sent;
    long received;
    int seedOut = 1;
    int seedIn = 2;

    Sock(String name, int descriptor) {
        this.name = name;
        this.descriptor = descriptor;
    }

    static byte pattern(int seed, long position) {
        return (byte) (position * 131 + position / 251 + seed * 89L);
    }
}
