package dev.postrider.tests.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.JdbcTransactions;
import dev.postrider.NamedLocks;
import dev.postrider.NoTransactionException;
import dev.postrider.tests.support.Place;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks by name, for the length of a transaction. */
@ParameterizedClass
@EnumSource
class NamedLocksTest {
    private static Place.Opened place;

    private final NamedLocks locks = NamedLocks.create();
    private volatile int balance;

    @SuppressWarnings("unused") // JUnit wants a place for the parameter.
    NamedLocksTest(Place parameter) {}

    @BeforeParameterizedClassInvocation
    static void start(Place parameter) {
        place = parameter.open();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        place.close().run();
    }

    /** Each reads and then writes what it has read: without the lock, most of it would be lost. */
    @Test
    void oneTransactionAtATimeHasTheLock() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(10);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                all.add(threads.submit(() -> {
                    addOne();
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdown();
        }

        assertThat(balance).isEqualTo(50);
    }

    private void addOne() throws Exception {
        try (Connection connection = place.transaction()) {
            locks.hold(connection, "member-7");
            int before = balance;
            // Long enough for others to come in between, if they could.
            assertThat(locks.tryHold(connection, "member-7")).isTrue();
            balance = before + 1;
            connection.commit();
        }
    }

    @Test
    void lockEndsWithItsTransactionHoweverItEnds() throws Exception {
        try (Connection holder = place.transaction();
                Connection other = place.transaction()) {
            locks.hold(holder, "member-1");
            assertThat(locks.tryHold(other, "member-1")).isFalse();
            assertThat(locks.tryHold(other, "member-2")).isTrue();
            assertThat(locks.tryHold(holder, "member-1")).as("its own").isTrue();

            holder.rollback();

            assertThat(locks.tryHold(other, "member-1")).isTrue();
            other.rollback();
        }
    }

    @Test
    void whoWaitsGoesOnWhenTheHolderCommits() throws Exception {
        ExecutorService others = Executors.newSingleThreadExecutor();
        try (Connection holder = place.transaction()) {
            locks.hold(holder, "member-3");
            Future<Boolean> waiting = others.submit(() -> {
                try (Connection connection = place.transaction()) {
                    locks.hold(connection, "member-3");
                    connection.commit();
                    return true;
                }
            });
            assertThatThrownBy(() -> waiting.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            holder.commit();

            assertThat(waiting.get()).isTrue();
        } finally {
            others.shutdown();
        }
    }

    /** Whatever the order in which they are named. */
    @Test
    void severalLocksAreTakenTogether() throws Exception {
        // So many that several share a lock.
        List<String> names =
                IntStream.range(0, 3_000).mapToObj(n -> "member-" + n).toList();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                List<String> shuffled = new ArrayList<>(names);
                Collections.shuffle(shuffled, new Random(i));
                all.add(threads.submit(() -> {
                    try (Connection connection = place.transaction()) {
                        locks.hold(connection, shuffled.subList(0, 40));
                        connection.commit();
                    }
                    return null;
                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void lockIsTakenInTheTransactionOfItsThread() throws Exception {
        JdbcTransactions transactions = JdbcTransactions.of(place.dataSource());
        NamedLocks current = locks.with(transactions);
        try (Connection other = place.transaction()) {
            transactions.run(connection -> {
                current.hold("member-1");
                current.hold(List.of("member-2", "member-3"));
                assertThat(current.tryHold("member-1")).as("its own").isTrue();
                assertThat(locks.tryHold(other, "member-3")).isFalse();
            });
            assertThat(locks.tryHold(other, "member-3")).isTrue();
            other.rollback();
        }
        assertThatThrownBy(() -> locks.hold("member-1"))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("hold(connection, name)");
    }

    @Test
    void lockWithoutTransactionIsRefused() throws Exception {
        try (Connection connection = place.dataSource().getConnection()) {
            assertThatThrownBy(() -> locks.hold(connection, "member-1")).isInstanceOf(NoTransactionException.class);
        }
    }
}
