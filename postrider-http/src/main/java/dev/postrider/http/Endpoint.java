package dev.postrider.http;

/** Answers requests, whatever server they come through. Called by several threads. */
@FunctionalInterface
public interface Endpoint {
    Response answer(Request request);
}
