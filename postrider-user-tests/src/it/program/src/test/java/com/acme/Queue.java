package com.acme;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** A message queue with a client such as many have. */
final class Queue {
    private final List<String> bodies = new CopyOnWriteArrayList<>();

    CompletableFuture<String> send(String name, String key, byte[] body) {
        String text = new String(body, StandardCharsets.UTF_8);
        if (text.equals("\"refuse me\"")) {
            return CompletableFuture.failedFuture(new IOException("refused by " + name + ": " + key));
        }
        bodies.add(text);
        return CompletableFuture.completedFuture("receipt");
    }

    List<String> bodies() {
        return List.copyOf(bodies);
    }
}
