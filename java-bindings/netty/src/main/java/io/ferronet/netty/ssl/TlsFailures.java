package io.ferronet.netty.ssl;

import io.ferronet.api.Status;
import io.netty.handler.ssl.NotSslRecordException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLKeyException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLProtocolException;

/** Statuses of the library as the exceptions that users of Java's TLS expect. */
final class TlsFailures {
    private TlsFailures() {
    }

    /**
     * The exception of a failed session.
     *
     * @param status the status
     * @param text the library's text
     * @param handshaking whether the handshake was not complete yet
     * @param cause what a callback threw, or {@code null}
     */
    static SSLException exception(int status, String text, boolean handshaking, Throwable cause) {
        String message = text.isEmpty() ? Status.name(status) + ": " + Status.description(status) : text;
        if (cause != null && cause.getMessage() != null) {
            message = message + ": " + cause.getMessage();
        }
        SSLException exception = switch (status) {
            case Status.TLS_NOT_TLS -> new NotSslRecordException("not an SSL/TLS record: " + message);
            case Status.TLS_CERTIFICATE, Status.TLS_NO_COMMON, Status.TLS_UNSUPPORTED, Status.TLS_CALLBACK -> new SSLHandshakeException(message);
            case Status.TLS_NO_CERTIFICATE -> handshaking ? new SSLHandshakeException(message) : new SSLPeerUnverifiedException(message);
            case Status.TLS_KEY -> new SSLKeyException(message);
            case Status.TLS_PROTOCOL -> handshaking ? new SSLProtocolException(message) : new SSLException(message);
            default -> handshaking ? new SSLHandshakeException(message) : new SSLException(message);
        };
        if (cause != null) {
            exception.initCause(cause);
        }
        return exception;
    }

    /**
     * The exception of a configuration that the library refuses.
     *
     * @param what what was to be made
     * @param status the status
     * @param text the library's text
     */
    static SSLException configuration(String what, int status, String text) {
        String message = what + ": " + (text.isEmpty() ? Status.description(status) : text) + " (" + Status.name(status) + ")";
        return status == Status.TLS_KEY ? new SSLKeyException(message) : new SSLException(message);
    }

    /** The exception of input that ends before the peer's close_notify. */
    static SSLException truncated() {
        return new Truncated();
    }

    /** Peers that leave without a word are too many for a stack trace each, which would tell no more than the message. */
    private static final class Truncated extends SSLException {
        private static final long serialVersionUID = 1L;

        Truncated() {
            super("closing inbound before receiving peer's close_notify: possible truncation attack");
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }
}
