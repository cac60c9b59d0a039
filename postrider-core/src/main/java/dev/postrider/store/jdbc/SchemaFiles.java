package dev.postrider.store.jdbc;

import dev.postrider.OutboxTable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * The migrations of some tables, on the class path.
 *
 * @param location where they are
 * @param files their names, in order
 * @param placeholders what stands for what in them
 */
record SchemaFiles(String location, List<String> files, Map<String, String> placeholders) {

    /**
     * With Flyway, under a history table of their own, so that the application's migrations are never touched.
     *
     * @param table of whose name the history's is made
     * @return how many were applied
     */
    int migrate(DataSource dataSource, OutboxTable table) throws FlywayException {
        FluentConfiguration flyway = Flyway.configure(SchemaFiles.class.getClassLoader())
                .dataSource(dataSource)
                .locations("classpath:" + location)
                .table(table.name() + "_schema_history")
                .placeholders(placeholders)
                // Other tables in the schema are the application's and none of our business.
                .baselineOnMigrate(true)
                .baselineVersion("0");
        if (table.schema() != null) {
            flyway.defaultSchema(table.schema());
        }
        return flyway.load().migrate().migrationsExecuted;
    }

    /** All of them, for those who run SQL by hand. */
    String script() {
        StringBuilder script = new StringBuilder();
        for (String file : files) {
            String text = read(location + "/" + file);
            for (Map.Entry<String, String> placeholder : placeholders.entrySet()) {
                text = text.replace("${" + placeholder.getKey() + "}", placeholder.getValue());
            }
            script.append(text);
        }
        return script.toString();
    }

    private static String read(String file) {
        try (InputStream in = SchemaFiles.class.getResourceAsStream("/" + file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(file + " cannot be read", e);
        }
    }

    /** What went wrong, without what went wrong because of it. */
    static String firstLine(Exception e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }
}
