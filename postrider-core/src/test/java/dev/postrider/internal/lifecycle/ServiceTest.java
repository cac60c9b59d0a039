package dev.postrider.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ServiceTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final long HOUR = Duration.ofHours(1).toNanos();

    private final Semaphore passes = new Semaphore(0);
    private final AtomicInteger ends = new AtomicInteger();

    @Test
    void passFollowsPassUntilItIsStopped() throws InterruptedException {
        Service service = service(() -> 0);
        service.start();

        assertThat(passes.tryAcquire(100, 1, TimeUnit.MINUTES)).isTrue();
        assertThat(service.stop(LONG)).isTrue();
        assertThat(service.isAlive()).isFalse();
        assertThat(ends).hasValue(1);
    }

    @Test
    void errorIsToldOnceInARowAndEndsNothing() throws InterruptedException {
        List<Boolean> told = new ArrayList<>();
        AtomicInteger pass = new AtomicInteger();
        Service service = Service.named("erring")
                .onFailure((error, again) -> {
                    told.add(again);
                    if (told.size() == 2) {
                        throw new OutOfMemoryError("made by a test, while telling");
                    }
                    return 0;
                })
                .doing(() -> {
                    int number = pass.incrementAndGet();
                    passes.release();
                    if (number <= 3 || number == 5) {
                        throw new LinkageError("made by a test");
                    }
                    return number < 7 ? 0 : Service.END;
                });
        service.start();

        assertThat(passes.tryAcquire(7, 1, TimeUnit.MINUTES)).isTrue();
        assertThat(service.awaitEnd(LONG)).isTrue();
        assertThat(told).containsExactly(false, true, true, false);
    }

    @Test
    void wakeUpIsNeverLost() throws InterruptedException {
        Service service = service(() -> HOUR);
        service.start();

        for (int i = 0; i < 10_000; i++) {
            assertThat(passes.tryAcquire(1, TimeUnit.MINUTES))
                    .as("after wake-up %s", i)
                    .isTrue();
            service.wake();
        }
        service.stop(LONG);
    }

    @Test
    void stopBeforeTheStartEndsItAndNothingIsStarted() {
        Service service = service(() -> 0);

        assertThat(service.stop(LONG)).isTrue();
        service.start();
        service.stop(LONG);

        assertThat(service.isStarted()).isFalse();
        assertThat(passes.availablePermits()).isZero();
        assertThat(ends).hasValue(1);
    }

    @Test
    void secondStartIsRefused() {
        Service service = service(() -> HOUR);
        service.start();

        assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
        service.stop(LONG);
    }

    @Test
    void stopFromWithinIsTheLastPass() {
        List<Service> self = new ArrayList<>();
        Service service = service(() -> {
            assertThat(self.get(0).stop(LONG)).isFalse();
            return 0;
        });
        self.add(service);
        service.start();

        assertThat(service.awaitEnd(LONG)).isTrue();
        assertThat(passes.availablePermits()).isEqualTo(1);
        assertThat(ends).hasValue(1);
    }

    @Test
    void passThatWaitsIsInterruptedWhenTheTimeIsUp() {
        Service service = service(() -> {
            new CountDownLatch(1).await();
            return 0;
        });
        service.start();

        assertThat(service.stop(Duration.ofMillis(10))).isTrue();
        assertThat(ends).hasValue(1);
    }

    @Test
    void interruptThatIsNoStopEndsNothing() throws InterruptedException {
        Service service = service(() -> {
            Thread.currentThread().interrupt();
            return HOUR;
        });
        service.start();

        assertThat(passes.tryAcquire(3, 1, TimeUnit.MINUTES)).isTrue();
        assertThat(service.stop(LONG)).isTrue();
    }

    @Test
    void whoeverStartsAndStopsAtTheSameTimeLeavesNoThreadBehind() {
        for (int round = 0; round < 500; round++) {
            AtomicInteger ended = new AtomicInteger();
            Service service =
                    Service.named("hurried").atEnd(ended::incrementAndGet).doing(() -> HOUR);
            List<CompletableFuture<?>> all = new ArrayList<>();
            all.add(CompletableFuture.runAsync(service::start));
            for (int i = 0; i < 3; i++) {
                all.add(CompletableFuture.runAsync(() -> service.stop(LONG)));
            }
            all.forEach(CompletableFuture::join);

            assertThat(service.stop(LONG)).isTrue();
            assertThat(ended).hasValue(1);
        }
    }

    @Test
    void restartsComeLaterAndLaterUpToAMinute() {
        Restarts restarts = new Restarts();
        assertThat(restarts.isOver()).isTrue();

        List<Long> seconds = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            seconds.add(restarts.failed().toSeconds());
            restarts.started();
        }

        assertThat(seconds).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L);
        assertThat(restarts.isOver()).isFalse();
    }

    private Service service(Service.Pass pass) {
        return Service.named("tested").atEnd(ends::incrementAndGet).doing(() -> {
            passes.release();
            return pass.runOnce();
        });
    }
}
