package uploadlab.groups;

/**
 * What a member sends in a phase.
 *
 * @param count how many messages
 * @param from number of the first in the records; VERIFIED where they are the contract's of every size, which are not recorded
 * @param loadBytes size of a load's messages
 */
record Content(int count, int from, int loadBytes) {
    private static final int VERIFIED = -1;

    /** Sizes at which a header, a length field, a fragment or a buffer ends, and neighbours. */
    private static final int[] SIZES = {
        0, 1, 2, 3, 4, 5, 11, 12, 13, 16, 17, 100, 127, 128, 255, 256, 1000, 1023, 1024, 4096, 8191, 10_000, 59_999, 60_000,
        60_001, 65_535, 65_536, 100_000, 262_144
    };

    static Content ofEverySize() {
        return new Content(SIZES.length, VERIFIED, 0);
    }

    /** Whether a message is recorded, where every so many-th is. */
    boolean recorded(int seq, int every) {
        return from >= 0 && (from + seq) % every == 0;
    }

    boolean compareWhole() {
        return from == VERIFIED;
    }

    int bytes(int seq) {
        return from == VERIFIED ? SIZES[seq] : loadBytes;
    }
}
