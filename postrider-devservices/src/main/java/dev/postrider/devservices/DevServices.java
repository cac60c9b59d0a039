package dev.postrider.devservices;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * A PostgreSQL and a Kafka that start and end together.
 *
 * <pre>{@code
 * try (DevServices services = DevServices.start()) {
 *     services.postgres().jdbcUrl();
 *     services.kafka().bootstrapServers();
 * }
 * }</pre>
 *
 * <p>Test suites use {@link #shared()}, so that there is one pair per test run, and a test that needs only one of the
 * two uses {@link DevPostgres#shared()} or {@link DevKafka#shared()}.
 */
public record DevServices(DevPostgres postgres, DevKafka kafka) implements AutoCloseable {

    /** Starts both with their defaults, at the same time. */
    public static DevServices start() {
        return start(DevPostgres.builder(), DevKafka.builder());
    }

    /** Starts both at the same time. If one of them fails, the other is closed again. */
    public static DevServices start(DevPostgres.Builder postgres, DevKafka.Builder kafka) {
        CompletableFuture<DevPostgres> starting = inBackground(postgres::start);
        DevKafka startedKafka;
        try {
            startedKafka = kafka.start();
        } catch (RuntimeException | Error e) {
            starting.thenAccept(DevPostgres::close)
                    .exceptionally(alsoFailed -> null)
                    .join();
            throw e;
        }
        try {
            return new DevServices(joined(starting), startedKafka);
        } catch (RuntimeException | Error e) {
            startedKafka.close();
            throw e;
        }
    }

    /** The one pair of this JVM, started by the first call. It ends with the JVM; closing it does nothing. */
    public static DevServices shared() {
        CompletableFuture<DevPostgres> starting = inBackground(DevPostgres::shared);
        DevKafka kafka = DevKafka.shared();
        return new DevServices(joined(starting), kafka);
    }

    private static CompletableFuture<DevPostgres> inBackground(Supplier<DevPostgres> start) {
        // A thread of its own: the common pool may be small, and busy.
        return CompletableFuture.supplyAsync(start, task -> new Thread(task, "postrider-devpostgres-start").start());
    }

    private static DevPostgres joined(CompletableFuture<DevPostgres> starting) {
        try {
            return starting.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof DevServicesException cause) {
                throw cause;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        try {
            kafka.close();
        } finally {
            postgres.close();
        }
    }
}
