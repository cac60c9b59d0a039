package dev.postrider.examples.transfer;

import java.io.Serial;
import org.springframework.http.HttpStatus;

/** The bank does not do it; nothing has changed. */
public final class RefusedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final HttpStatus status;

    private RefusedException(HttpStatus status, String message) {
        super(message);
        this.status = status;
    }

    static RefusedException noSuchAccount(long number) {
        return new RefusedException(HttpStatus.NOT_FOUND, "There is no account " + number + ".");
    }

    static RefusedException sameAccount(long number) {
        return new RefusedException(
                HttpStatus.UNPROCESSABLE_CONTENT, "Account " + number + " cannot transfer to itself.");
    }

    static RefusedException notEnough(long number) {
        return new RefusedException(HttpStatus.CONFLICT, "There is not enough money on account " + number + ".");
    }

    HttpStatus status() {
        return status;
    }
}
