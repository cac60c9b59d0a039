package dev.postrider.spring.test;

import dev.postrider.internal.spring.relay.NoOutboxHere;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;

/**
 * A database in memory, such as slices put in the place of the application's if one is on the class path, can have no outbox. A
 * test that has nothing to do with events does not fail for that.
 */
final class EmbeddedDatabases implements NoOutboxHere {
    private static final Logger log = LoggerFactory.getLogger(EmbeddedDatabases.class);

    @Override
    public boolean test(DataSource dataSource) {
        boolean embedded = EmbeddedDatabaseConnection.isEmbedded(dataSource);
        if (embedded) {
            log.warn(
                    "This test has a database in memory, which can have no outbox: whatever writes events fails. For a test of"
                            + " events use postrider-devservices, which brings a real database, or"
                            + " @AutoConfigureTestDatabase(replace = Replace.NONE) with the application's own.");
        }
        return embedded;
    }
}
