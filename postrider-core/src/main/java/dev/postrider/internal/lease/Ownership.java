package dev.postrider.internal.lease;

import java.sql.SQLException;

/** Under which name, and whether at all, somebody may publish and record. */
public interface Ownership {

    /** The name at the moment. */
    String owner();

    /** Whether it is certain to hold at this moment. */
    boolean holds();

    /** Gives the name up: whatever stands under it is nobody's. What comes next is under another. */
    void replace() throws SQLException;

    /** Whether an operator has paused the outbox: what is in flight is settled, and nothing else is sent. */
    default boolean isPaused() {
        return false;
    }

    /**
     * Whether a problem is worth telling: not if the one before was the same and what works under this name has been begun anew
     * because of it.
     */
    default boolean isNews(String problem) {
        return true;
    }
}
