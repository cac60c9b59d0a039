package dev.postrider.internal.spring.relay;

import java.util.function.Predicate;
import javax.sql.DataSource;

/** Which databases an application can do without an outbox in: those in memory of tests, which can have none. */
@FunctionalInterface
public interface NoOutboxHere extends Predicate<DataSource> {}
