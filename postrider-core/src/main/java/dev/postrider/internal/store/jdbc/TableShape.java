package dev.postrider.internal.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Compares the tables of a database with those that the scripts make. */
public final class TableShape {
    private final Connection connection;
    private final Catalogue catalogue;

    public TableShape(Connection connection, Catalogue catalogue) {
        this.connection = connection;
        this.catalogue = catalogue;
    }

    /**
     * @param table as {@link ExpectedSchema} names it
     */
    public boolean exists(String table) throws SQLException {
        return !columns(table).isEmpty();
    }

    public boolean hasColumn(String table, String column) throws SQLException {
        return columns(table).containsKey(column);
    }

    /**
     * What is not as the scripts make it, each as part of a sentence. Further columns are nobody's business as long as rows
     * can be written without them.
     */
    public List<String> changes(ExpectedSchema.Table expected) throws SQLException {
        Map<String, Catalogue.Column> found = columns(expected.sql());
        List<String> changes = new ArrayList<>();
        for (ExpectedSchema.Column column : expected.columns()) {
            Catalogue.Column actual = found.remove(column.name());
            if (actual == null) {
                changes.add("column " + column.name() + " is missing");
            } else if (!actual.type().equals(catalogue.typeOf(column.type()))) {
                changes.add("column " + column.name() + " is " + actual.type() + " instead of " + column.type());
            }
        }
        found.forEach((name, column) -> {
            if (column.mustBeGiven()) {
                changes.add("column " + name + " is not one of Postrider's and must not be null, so that nothing can be"
                        + " written without it");
            }
        });
        return changes;
    }

    private Map<String, Catalogue.Column> columns(String table) throws SQLException {
        return catalogue.columns(connection, table);
    }
}
