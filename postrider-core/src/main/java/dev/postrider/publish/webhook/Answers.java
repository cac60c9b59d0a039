package dev.postrider.publish.webhook;

import dev.postrider.OutboxEvent;
import dev.postrider.internal.http.RetryAfter;
import dev.postrider.internal.http.SecretUrl;
import dev.postrider.publish.PublishResult;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

/**
 * What an answer means, or that there is none. Reasons carry the beginning of what the server says, without URLs,
 * secrets and payloads. Any thread.
 */
final class Answers {
    private static final int REQUEST_TIMEOUT = 408;
    private static final int PAYLOAD_TOO_LARGE = 413;
    private static final int TOO_EARLY = 425;
    private static final int TOO_MANY_REQUESTS = 429;

    /** So much of an answer is told. */
    private static final int LONGEST_QUOTE = 200;

    /** So many characters in common with the payload are no accident. */
    private static final int ECHO = 16;

    private final Duration timeout;
    private final List<String> secrets;

    /**
     * @param secrets never told
     */
    Answers(Duration timeout, List<String> secrets) {
        this.timeout = timeout;
        this.secrets = List.copyOf(secrets);
    }

    PublishResult classify(SecretUrl url, OutboxEvent event, int status, HttpHeaders headers, String body) {
        String errorClass = "http-" + status;
        String reason = "The " + url + " answers with status " + status;
        if (status >= 200 && status < 300) {
            return new PublishResult.Accepted();
        }
        if (status < 400) {
            return new PublishResult.Rejected(errorClass, reason + redirection(headers), false);
        }
        String full = reason + quote(url, event, body);
        boolean unavailable =
                status >= 500 || status == REQUEST_TIMEOUT || status == TOO_EARLY || status == TOO_MANY_REQUESTS;
        return unavailable
                ? new PublishResult.Unavailable(
                        errorClass, full, RetryAfter.of(headers).orElse(null))
                : new PublishResult.Rejected(errorClass, full, status == PAYLOAD_TOO_LARGE);
    }

    private static String redirection(HttpHeaders headers) {
        return ", which leads "
                + headers.firstValue("Location").map(Answers::hostOf).orElse("elsewhere")
                + "; redirects are not followed, so set the URL it leads to.";
    }

    private static String hostOf(String location) {
        try {
            String host = URI.create(location).getHost();
            return host == null ? "to another path" : "to " + host;
        } catch (IllegalArgumentException e) {
            return "elsewhere";
        }
    }

    /** While the destination has asked to be left alone nothing is sent to it. */
    PublishResult leftAlone(SecretUrl url, Duration wait) {
        return new PublishResult.Unavailable(
                "retry-after", "The " + url + " has asked not to be called for " + wait.toMillis() + " ms more.", wait);
    }

    /** Neither an answer nor the end of the timeout was noticed. */
    PublishResult late(SecretUrl url) {
        return classify(url, new TimeoutException());
    }

    PublishResult classify(SecretUrl url, Throwable error) {
        Throwable cause = error;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String errorClass = cause.getClass().getSimpleName();
        if (cause instanceof TimeoutException) {
            return new PublishResult.Unavailable(
                    "timeout", "The " + url + " does not answer within " + timeout.toMillis() + " ms.");
        }
        String reason = "The " + url + " cannot be called: " + cleaned(url, cause.toString());
        return cause instanceof IOException
                ? new PublishResult.Unavailable(errorClass, reason)
                : new PublishResult.Rejected(errorClass, reason, false);
    }

    private String quote(SecretUrl url, OutboxEvent event, String body) {
        String said = cleaned(url, body.replaceAll("[\\p{Cntrl}\\s]+", " ").strip());
        if (said.isEmpty()) {
            return ".";
        }
        if (said.length() > LONGEST_QUOTE) {
            said = said.substring(0, LONGEST_QUOTE) + "…";
        }
        return repeats(said, event.payload().text())
                ? "; its answer repeats the payload and is left out."
                : ": " + said;
    }

    private String cleaned(SecretUrl url, String text) {
        String cleaned = url.removeFrom(text);
        for (String secret : secrets) {
            cleaned = cleaned.replace(secret, "(secret)");
        }
        return cleaned;
    }

    /** Whether a good part of what is said stands in the payload too, however it is spaced or quoted. */
    private static boolean repeats(String said, String payload) {
        String answer = bare(said);
        String source = bare(payload);
        if (!source.isEmpty() && source.length() < ECHO) {
            return source.length() > 3 && answer.contains(source);
        }
        Set<String> pieces = new HashSet<>();
        for (int i = 0; i + ECHO <= answer.length(); i++) {
            pieces.add(answer.substring(i, i + ECHO));
        }
        for (int i = 0; !pieces.isEmpty() && i + ECHO <= source.length(); i++) {
            if (pieces.contains(source.substring(i, i + ECHO))) {
                return true;
            }
        }
        return false;
    }

    private static String bare(String text) {
        return text.replaceAll("[\\s\\\\\"']", "");
    }
}
