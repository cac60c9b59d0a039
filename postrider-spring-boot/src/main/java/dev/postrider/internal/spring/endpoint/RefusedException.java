package dev.postrider.internal.spring.endpoint;

/** What was asked for is not done, for a reason that the caller is told in a sentence. Nothing has changed. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int BAD_REQUEST = 400;
    private static final int FORBIDDEN = 403;
    private static final int CONFLICT = 409;

    private final int status;

    private RefusedException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    static RefusedException badRequest(String message) {
        return new RefusedException(BAD_REQUEST, message);
    }

    static RefusedException forbidden(String message) {
        return new RefusedException(FORBIDDEN, message);
    }

    static RefusedException conflict(String message) {
        return new RefusedException(CONFLICT, message);
    }

    int status() {
        return status;
    }
}
