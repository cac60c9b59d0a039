package dev.postrider.internal.store.jdbc;

import dev.postrider.EventStatus;
import dev.postrider.internal.store.ClaimRequest;
import dev.postrider.internal.store.RowClaim;
import dev.postrider.internal.store.Settlement;
import dev.postrider.internal.store.SingleRows;
import dev.postrider.internal.store.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows one by one, each family of databases in its own words. Stateless; any thread with its own connection. */
public final class JdbcSingleRows implements SingleRows {
    private final Words sql;

    public JdbcSingleRows(Words sql) {
        this.sql = sql;
    }

    /**
     * The statements.
     *
     * @param checkDeferred fires what would wait for the commit
     * @param columns of the outbox that a letter has, each with a statement that reads it
     * @param writeLetter class, error, one flag for each of the columns, id
     */
    public record Words(
            String firstReady,
            String firstDue,
            String firstSuspect,
            String claim,
            String hold,
            String checkDeferred,
            String read,
            String stalled,
            String releasable,
            String blocked,
            String mark,
            List<Column> columns,
            String writeLetter) {}

    public record Column(String name, String read) {}

    @Override
    public List<RowClaim> firstDue(Connection connection, ClaimRequest request) throws SQLException {
        int of = request.split().of();
        int index = request.split().index();
        // One more than may be left out.
        int limit = request.except().size() + 1;
        List<RowClaim> first = new ArrayList<>();
        addFirst(first, request, rows(connection, sql.firstReady(), request.fromId(), of, of, of, index, limit));
        addFirst(first, request, rows(connection, sql.firstDue(), of, of, of, index, limit));
        return first;
    }

    @Override
    public List<RowClaim> firstSuspect(Connection connection, ClaimRequest request, int deaths) throws SQLException {
        int of = request.split().of();
        int limit = request.except().size() + 1;
        List<RowClaim> first = new ArrayList<>();
        addFirst(
                first,
                request,
                rows(
                        connection,
                        sql.firstSuspect(),
                        deaths,
                        of,
                        of,
                        of,
                        request.split().index(),
                        limit));
        return first;
    }

    private static void addFirst(List<RowClaim> first, ClaimRequest request, List<RowClaim> rows) {
        rows.stream()
                .filter(row -> !request.except().contains(row.id()))
                .findFirst()
                .ifPresent(first::add);
    }

    @Override
    public Optional<SQLException> whyUnclaimable(Connection connection, RowClaim row, String owner)
            throws SQLException {
        connection.setAutoCommit(false);
        try {
            update(connection, sql.claim(), owner, row.id());
            try (PreparedStatement read = prepare(connection, sql.read(), row.id());
                    ResultSet content = read.executeQuery()) {
                content.next();
            }
            update(connection, sql.hold(), row.id());
            update(connection, sql.checkDeferred());
            return Optional.empty();
        } catch (SQLException e) {
            connection.rollback();
            if (!SqlErrors.isRowsFault(e, () -> claimNobody(connection, owner))) {
                throw e;
            }
            return Optional.of(e);
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private void claimNobody(Connection connection, String owner) throws SQLException {
        update(connection, sql.claim(), owner, RowClaim.NOBODY.id());
        update(connection, sql.hold(), RowClaim.NOBODY.id());
    }

    @Override
    public List<RowClaim> stalled(Connection connection, int limit) throws SQLException {
        return rows(connection, sql.stalled(), limit);
    }

    @Override
    public List<RowClaim> releasable(Connection connection, int limit) throws SQLException {
        return rows(connection, sql.releasable(), limit);
    }

    @Override
    public List<RowClaim> blocked(Connection connection, String destination, int limit) throws SQLException {
        return rows(connection, sql.blocked(), destination, limit);
    }

    @Override
    public boolean mark(Connection connection, RowClaim row, EventStatus status, boolean holdsKey) throws SQLException {
        return update(connection, sql.mark(), status.name(), holdsKey, row.id(), row.eventId(), row.version()) == 1;
    }

    @Override
    public boolean bury(Connection connection, Settlement.Dead dead, boolean holdsKey) throws SQLException {
        long id = dead.claim().id();
        List<@Nullable Object> parameters = new ArrayList<>();
        List<String> unreadable = new ArrayList<>();
        parameters.add(dead.errorClass());
        parameters.add("");
        for (Column column : sql.columns()) {
            boolean readable = isReadable(connection, column, id);
            parameters.add(readable);
            if (!readable) {
                unreadable.add(column.name());
            }
        }
        parameters.add(id);
        String error = unreadable.isEmpty()
                ? dead.error()
                : dead.error() + " (Not in this letter, because unreadable: " + String.join(", ", unreadable) + ".)";
        parameters.set(1, new Settlement.Dead(dead.claim(), dead.errorClass(), error).error());
        return Transaction.of(connection, () -> {
            if (!mark(connection, dead.claim(), EventStatus.DEAD_LETTER, holdsKey)) {
                return false;
            }
            update(connection, sql.writeLetter(), parameters.toArray());
            return true;
        });
    }

    private static boolean isReadable(Connection connection, Column column, long id) throws SQLException {
        try (PreparedStatement read = prepare(connection, column.read(), id);
                ResultSet value = read.executeQuery()) {
            value.next();
            return true;
        } catch (SQLException e) {
            SqlErrors.requireRowsFault(e);
            return false;
        }
    }

    private static List<RowClaim> rows(Connection connection, String statement, Object... parameters)
            throws SQLException {
        try (PreparedStatement select = prepare(connection, statement, parameters);
                ResultSet row = select.executeQuery()) {
            List<RowClaim> rows = new ArrayList<>();
            while (row.next()) {
                rows.add(new RowClaim(
                        row.getLong("id"),
                        row.getString("event_id"),
                        row.getInt("version"),
                        row.getLong("key_hash"),
                        row.getInt("attempts"),
                        row.getInt("abandoned"),
                        Duration.ZERO));
            }
            return rows;
        }
    }

    private static int update(Connection connection, String statement, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement update = prepare(connection, statement, parameters)) {
            return update.executeUpdate();
        }
    }

    private static PreparedStatement prepare(Connection connection, String statement, @Nullable Object... parameters)
            throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(statement);
        try {
            for (int i = 0; i < parameters.length; i++) {
                prepared.setObject(i + 1, parameters[i]);
            }
            return prepared;
        } catch (SQLException | RuntimeException e) {
            prepared.close();
            throw e;
        }
    }
}
