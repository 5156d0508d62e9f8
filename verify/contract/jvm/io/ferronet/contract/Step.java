package io.ferronet.contract;

import java.util.List;

/**
 * One line of a case.
 *
 * @param line number in its file
 * @param words without the expectation
 * @param expect what follows {@code ->}, or {@code ok}
 */
record Step(int line, List<String> words, String expect) {
    String name() {
        return words.get(0);
    }

    /** The same step without its first words: what runs on another thread. */
    Step after(int count) {
        return new Step(line, words.subList(count, words.size()), expect);
    }
}
