package io.ferronet.packages;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Cases that run one after another and report in plain lines. */
final class Suite {
    /** One case; it throws when it fails. */
    interface Case {
        void run() throws Exception;
    }

    /** What a case throws that cannot run here. */
    static final class Skipped extends Exception {
        private static final long serialVersionUID = 1L;

        Skipped(String why) {
            super(why);
        }
    }

    private final List<String> names = new ArrayList<>();
    private final List<Case> cases = new ArrayList<>();

    void add(String name, Case body) {
        names.add(name);
        cases.add(body);
    }

    /**
     * Runs the cases.
     *
     * @param wanted which, by name
     * @return whether none failed
     */
    boolean run(Pattern wanted) {
        boolean sound = true;
        for (int i = 0; i < cases.size(); i++) {
            String name = names.get(i);
            if (!wanted.matcher(name).find()) {
                continue;
            }
            long start = System.nanoTime();
            try {
                cases.get(i).run();
                System.out.println("ok " + name);
            } catch (Skipped e) {
                System.out.println("skip " + name + " - " + e.getMessage());
            } catch (Exception | AssertionError e) {
                sound = false;
                System.out.println("not ok " + name + " - " + String.valueOf(e).replace("\n", " | "));
            }
            System.out.printf("# %d ms%n", (System.nanoTime() - start) / 1_000_000);
        }
        return sound;
    }

    static void require(boolean condition, Object found) {
        if (!condition) {
            throw new AssertionError(found);
        }
    }

    static void requireEqual(Object expected, Object found) {
        if (!expected.equals(found)) {
            throw new AssertionError(found + " instead of " + expected);
        }
    }

    static void requireParts(String text, String... parts) {
        for (String part : parts) {
            require(text.contains(part), "\"" + part + "\" is not in: " + text);
        }
    }
}
