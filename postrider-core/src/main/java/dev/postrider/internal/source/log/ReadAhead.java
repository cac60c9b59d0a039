package dev.postrider.internal.source.log;

import dev.postrider.internal.store.log.LogStore.Page;
import dev.postrider.internal.store.log.LogStore.PageRequest;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the next pages while the relay's thread sends the last ones, on the relay's own connection, which is idle meanwhile:
 * before it is used for anything else, {@link #finish}. Reading changes nothing, so what is not wanted any more is
 * dropped. Called by the relay's thread; its own thread does nothing but what it is given.
 */
final class ReadAhead implements AutoCloseable {
    private final ExecutorService reader;
    private final Runnable beforeWaiting;
    private @Nullable CompletableFuture<Map<PageRequest, Page>> reading;
    private Map<PageRequest, Page> pages = Map.of();

    /**
     * @param beforeWaiting called before the relay's thread waits for a page
     */
    ReadAhead(String relay, Runnable beforeWaiting) {
        this.beforeWaiting = beforeWaiting;
        this.reader = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "postrider-" + relay + "-read");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Pages by their shards. */
    interface Reading {
        Map<Integer, Page> read() throws SQLException;
    }

    void begin(List<PageRequest> requests, Reading work) {
        CompletableFuture<Map<PageRequest, Page>> begun = new CompletableFuture<>();
        reading = begun;
        reader.execute(() -> {
            try {
                Map<Integer, Page> read = work.read();
                Map<PageRequest, Page> byRequest = new HashMap<>();
                for (PageRequest request : requests) {
                    byRequest.put(request, read.getOrDefault(request.shard(), Page.EMPTY));
                }
                begun.complete(byRequest);
            } catch (SQLException | RuntimeException | Error e) {
                begun.completeExceptionally(e);
            }
        });
    }

    /** Waits until the connection is free. */
    void finish() throws SQLException {
        CompletableFuture<Map<PageRequest, Page>> begun = reading;
        if (begun == null) {
            return;
        }
        reading = null;
        if (!begun.isDone()) {
            beforeWaiting.run();
        }
        try {
            pages = begun.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** What was read for exactly this request, or null. */
    @Nullable
    Page take(PageRequest request) {
        return pages.get(request);
    }

    void forget() {
        pages = Map.of();
    }

    @Override
    public void close() {
        reader.shutdown();
    }
}
