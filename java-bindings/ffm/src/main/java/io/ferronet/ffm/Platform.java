package io.ferronet.ffm;

import java.util.Locale;
import java.util.Map;

/** The running platform, in the words of os-maven-plugin and of ELF. */
final class Platform {
    /** Processor names of {@code os.arch} and what os-maven-plugin calls them. */
    private static final Map<String, String> PROCESSORS = Map.of("amd64", "x86_64", "x86_64", "x86_64", "x64", "x86_64",
        "aarch64", "aarch_64", "arm64", "aarch_64", "ppc64le", "ppcle_64", "s390x", "s390_64", "riscv64", "riscv64");
    /** {@code e_machine} of the processors. */
    private static final Map<String, Integer> MACHINES = Map.of("x86_64", 62, "aarch_64", 183, "ppcle_64", 21, "s390_64", 22, "riscv64", 243);

    private Platform() {
    }

    static boolean linux() {
        return system().equals("linux");
    }

    static String classifier() {
        return system() + "-" + processor();
    }

    static String processor() {
        String name = System.getProperty("os.arch", "unknown").toLowerCase(Locale.ROOT);
        return PROCESSORS.getOrDefault(name, name);
    }

    /** {@code e_machine} of this processor, or -1 if it is not known. */
    static int machine() {
        return MACHINES.getOrDefault(processor(), -1);
    }

    static String machineName(int machine) {
        return MACHINES.entrySet().stream().filter(entry -> entry.getValue() == machine).map(Map.Entry::getKey).findFirst()
            .orElse("another processor");
    }

    private static String system() {
        String name = System.getProperty("os.name", "unknown").toLowerCase(Locale.ROOT);
        if (name.startsWith("linux")) {
            return "linux";
        }
        if (name.startsWith("mac")) {
            return "osx";
        }
        return name.startsWith("windows") ? "windows" : name.replaceAll("[^a-z0-9]+", "");
    }
}
