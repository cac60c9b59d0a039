package dev.postrider.examples.logistics.orders;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/** A statement of {@code sql/}, which {@code service.js} sends as it is. Its parameters are numbered as they occur. */
record Sql(String text) {

    static Sql read(String name) {
        try (InputStream file = Sql.class.getResourceAsStream(name + ".sql")) {
            if (file == null) {
                throw new IllegalStateException("There is no " + name + ".sql.");
            }
            return new Sql(new String(file.readAllBytes(), StandardCharsets.UTF_8).replaceAll("\\$\\d+", "?"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Leaves it to the database what types the values have, as Node's driver does. */
    PreparedStatement on(Connection connection, Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(text);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i].toString(), Types.OTHER);
        }
        return statement;
    }
}
