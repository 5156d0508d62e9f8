package io.ferronet.contract;

/** A case failed, for the reason in the message. */
final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failure(String message) {
        super(message);
    }
}
