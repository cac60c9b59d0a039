package dev.postrider.internal.store;

import java.sql.SQLException;

/** A line of the dead letter file that cannot be written into the database; its message has nothing of the line in it. */
public final class RefusedLineException extends SQLException {
    private static final long serialVersionUID = 1L;

    public RefusedLineException(String what) {
        super(what, "22000");
    }
}
