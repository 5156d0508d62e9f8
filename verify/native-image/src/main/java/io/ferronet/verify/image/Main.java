package io.ferronet.verify.image;

import io.ferronet.api.FerronetBinding;
import io.ferronet.api.FerronetBindings;
import io.ferronet.examples.HttpServer;
import java.util.Arrays;

/** One program for all tests of images: {@code contract}, {@code server}, {@code isolates} or {@code library}, each followed by its own arguments. */
public final class Main {
    private Main() {
    }

    /**
     * Runs one of them.
     *
     * @param arguments see the class
     * @throws Exception whatever it throws
     */
    public static void main(String[] arguments) throws Exception {
        String[] own = arguments.length == 0 ? arguments : Arrays.copyOfRange(arguments, 1, arguments.length);
        switch (arguments.length == 0 ? "" : arguments[0]) {
            case "contract" -> io.ferronet.contract.Main.main(own);
            case "server" -> HttpServer.main(own);
            case "isolates" -> System.exit(Isolates.check(own) ? 0 : 1);
            case "library" -> library();
            default -> {
                System.err.println("usage: contract|server|isolates|library ...");
                System.exit(2);
            }
        }
    }

    private static void library() throws Exception {
        FerronetBinding binding = FerronetBindings.load();
        System.out.println(binding.getClass().getName() + ": " + binding.library().source() + ", " + binding.abi().version() + ", " + binding.abi().target());
    }
}
