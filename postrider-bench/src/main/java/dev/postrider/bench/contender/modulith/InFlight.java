package dev.postrider.bench.contender.modulith;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.core.task.TaskDecorator;

/** Counts what was handed to the executor and has not come back; Modulith's tasks last until Kafka has answered. */
final class InFlight implements TaskDecorator {
    private final AtomicInteger tasks = new AtomicInteger();

    @Override
    public Runnable decorate(Runnable task) {
        tasks.incrementAndGet();
        return () -> {
            try {
                task.run();
            } finally {
                tasks.decrementAndGet();
            }
        };
    }

    void awaitNone() throws InterruptedException {
        while (tasks.get() > 0) {
            Thread.sleep(5);
        }
    }
}
