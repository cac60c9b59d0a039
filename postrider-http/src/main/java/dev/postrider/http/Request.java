package dev.postrider.http;

/**
 * What an {@link Endpoint} is asked.
 *
 * @param method in capital letters, such as {@code GET}
 * @param path begins with a slash; without the query
 */
public record Request(String method, String path) {}
