package dev.postrider.http;

import dev.postrider.settings.Formats;
import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import dev.postrider.settings.OptionValues;
import java.time.Duration;
import java.util.Optional;

/**
 * How a process answers HTTP.
 *
 * @param threads requests that are answered at the same time
 * @param timeout longest time for a request and its answer
 */
public record HttpSettings(HttpAddress listen, int threads, Duration timeout) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("HTTP");

    public static final Option<HttpAddress> LISTEN = GROUP.add(Option.withoutDefault(
                    "http.listen",
                    HttpAddress.FORMAT,
                    "Answer /metrics, /livez and /readyz here. If not set, nothing listens.")
            .withFlag("--http"));
    public static final Option<Integer> THREADS = GROUP.add(
            Option.of("http.threads", Formats.wholeNumber(1, 200), 16, "Requests that are answered at the same time."));
    public static final Option<Duration> TIMEOUT = GROUP.add(Option.of(
            "http.timeout",
            Formats.durationBetween(Duration.ofMillis(100), Duration.ofMinutes(1)),
            Duration.ofSeconds(5),
            "Longest time for a request and its answer. A slower client is cut off."));

    public static final OptionGroup OPTIONS = GROUP.build();

    public HttpSettings {
        LISTEN.check(listen);
        THREADS.check(threads);
        TIMEOUT.check(timeout);
    }

    /** Empty if it is not set where to listen. */
    public static Optional<HttpSettings> of(OptionValues values) {
        return values.find(LISTEN).map(listen -> new HttpSettings(listen, values.get(THREADS), values.get(TIMEOUT)));
    }
}
