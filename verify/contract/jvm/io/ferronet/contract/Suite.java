package io.ferronet.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The case files: names, needs and steps, as verify/contract/README.md describes them. */
final class Suite {
    final List<Script> scripts = new ArrayList<>();
    final Path folder;
    private final Map<String, Long> constants = new HashMap<>();

    private Suite(Path folder) {
        this.folder = folder;
    }

    static Suite load(Path folder) throws IOException {
        Suite suite = new Suite(folder);
        List<Path> files;
        try (Stream<Path> entries = Files.list(folder)) {
            files = entries.filter(file -> file.toString().endsWith(".txt")).sorted().toList();
        }
        for (Path file : files) {
            suite.read(file);
        }
        if (suite.scripts.isEmpty()) {
            throw new IOException(folder + ": no case found");
        }
        return suite;
    }

    private void read(Path file) throws IOException {
        Script script = null;
        int number = 0;
        for (String text : Files.readAllLines(file)) {
            number++;
            List<String> words = split(text);
            if (words.isEmpty()) {
                continue;
            }
            String first = words.get(0);
            if (first.equals("const") && words.size() == 3) {
                constants.put(words.get(1), Long.decode(words.get(2)));
            } else if (first.equals("case") && words.size() == 2) {
                script = new Script(file.getFileName().toString(), words.get(1), new ArrayList<>(), new ArrayList<>());
                scripts.add(script);
            } else if (script != null && first.equals("needs") && words.size() == 2) {
                script.needs().add(words.get(1));
            } else if (script != null) {
                script.steps().add(step(number, words));
            } else {
                throw new IOException(file + ":" + number + ": this line belongs to no case");
            }
        }
    }

    private static List<String> split(String line) {
        List<String> words = new ArrayList<>();
        for (String word : line.trim().split("[ \t]+")) {
            if (word.isEmpty() || word.startsWith("#")) {
                break;
            }
            words.add(word);
        }
        return words;
    }

    private static Step step(int line, List<String> words) {
        int count = words.size();
        if (count >= 3 && words.get(count - 2).equals("->")) {
            return new Step(line, words.subList(0, count - 2), words.get(count - 1));
        }
        return new Step(line, words, "ok");
    }

    /** The value of a constant or a number (decimal, 0x, negative), or null. */
    Long number(String word) {
        Long constant = constants.get(word);
        if (constant != null) {
            return constant;
        }
        try {
            return word.startsWith("0x") ? Long.parseUnsignedLong(word.substring(2), 16) : Long.parseLong(word);
        } catch (NumberFormatException e) {
            return null;
        }
    }
}
