package io.ferronet.nativeimage;

/** Why no image can be built: the message is all that a user needs, so there is no stack trace. */
final class UnusableLibraryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableLibraryException(String message) {
        super("Ferronet cannot be linked into the image: " + message, null, false, false);
    }
}
