package dev.postrider.internal.store;

import dev.postrider.EventStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Of claim mode: what is done for rows one by one, when a statement about many fails because of one of them. Each asks as
 * little of the row as it can.
 */
public interface SingleRows {

    /** For stores whose statements do not fail because of rows. */
    SingleRows NONE = new SingleRows() {
        @Override
        public List<RowClaim> firstDue(Connection connection, ClaimRequest request) {
            return List.of();
        }

        @Override
        public List<RowClaim> firstSuspect(Connection connection, ClaimRequest request, int deaths) {
            return List.of();
        }

        @Override
        public Optional<SQLException> whyUnclaimable(Connection connection, RowClaim row, String owner) {
            return Optional.empty();
        }

        @Override
        public List<RowClaim> stalled(Connection connection, int limit) {
            return List.of();
        }

        @Override
        public List<RowClaim> releasable(Connection connection, int limit) {
            return List.of();
        }

        @Override
        public List<RowClaim> blocked(Connection connection, String destination, int limit) {
            return List.of();
        }

        @Override
        public boolean mark(Connection connection, RowClaim row, EventStatus status, boolean holdsKey) {
            return false;
        }

        @Override
        public boolean bury(Connection connection, Settlement.Dead dead, boolean holdsKey) {
            return false;
        }
    };

    /** The first rows that a claim would look at: of those due at once, and of those that waited for their time. */
    List<RowClaim> firstDue(Connection connection, ClaimRequest request) throws SQLException;

    /** The first row that so many relays have died with. */
    List<RowClaim> firstSuspect(Connection connection, ClaimRequest request, int deaths) throws SQLException;

    /**
     * What happens if a row is claimed, or set aside: tried, and undone.
     *
     * @return nothing if it can be
     * @throws SQLException if it is not the row's fault
     */
    Optional<SQLException> whyUnclaimable(Connection connection, RowClaim row, String owner) throws SQLException;

    /** Rows that relays had claimed that are no longer alive. */
    List<RowClaim> stalled(Connection connection, int limit) throws SQLException;

    /** Held rows whose keys nothing holds any more. */
    List<RowClaim> releasable(Connection connection, int limit) throws SQLException;

    /** Rows that wait for a destination, those written first before others. */
    List<RowClaim> blocked(Connection connection, String destination, int limit) throws SQLException;

    /**
     * Changes nothing but the state, if the row is still that of the event, and its version the same.
     *
     * @return whether it was
     */
    boolean mark(Connection connection, RowClaim row, EventStatus status, boolean holdsKey) throws SQLException;

    /**
     * As {@link #mark}, with a letter of those columns that can be read.
     */
    boolean bury(Connection connection, Settlement.Dead dead, boolean holdsKey) throws SQLException;
}
