package dev.postrider.cli.doctor.check;

import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.OutboxTable;
import java.sql.Connection;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the doctor says and looks at in another way on each family of databases. */
public interface DoctorDatabase {

    /** Limits of the whole session, where a transaction has none of its own; else nothing. */
    @Nullable
    String limitSession();

    /** Before each question: nothing is written, and nothing waited for for long. */
    String begin();

    /** The database's time, as seconds since 1970. */
    String clock();

    /** By {@code event_type} the {@code largest} payload of the last thousand events of {@code {outbox}}. */
    String largestPayloads();

    /** How many {@code events} in {@code {outbox}} or {@code {parked}} are due in more than a hundred years. */
    String neverSent(OutboxMode mode);

    /**
     * What is looked at on the server, by name.
     *
     * @param connections makes fresh ones, to see how they behave
     */
    Map<String, Check> server(DatabaseSession session, Supplier<Connection> connections, Limits limits);

    /**
     * What there is to look at in an outbox on these databases only, by name.
     *
     * @param layout null if it could not be read; then what depends on it is left out
     */
    Map<String, Check> outbox(DatabaseSession session, OutboxTable table, @Nullable OutboxLayout layout, Limits limits);
}
