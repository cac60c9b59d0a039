package dev.postrider.internal.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetryAfterTest {
    private static final String NOON = "Tue, 03 Mar 2026 12:00:00 GMT";

    @Test
    void secondsAreTakenWholeOrInFractions() {
        assertThat(RetryAfter.of(headers("Retry-After", "7"))).contains(Duration.ofSeconds(7));
        assertThat(RetryAfter.of(headers("Retry-After", "0.25"))).contains(Duration.ofMillis(250));
        assertThat(RetryAfter.of(headers("Retry-After", "-1"))).contains(Duration.ZERO);
    }

    @Test
    void dateIsComparedWithTheServersClock() {
        assertThat(RetryAfter.of(headers("Retry-After", "Tue, 03 Mar 2026 12:00:30 GMT", "Date", NOON)))
                .contains(Duration.ofSeconds(30));
        assertThat(RetryAfter.of(headers("Retry-After", NOON, "Date", "Tue, 03 Mar 2026 13:00:00 GMT")))
                .contains(Duration.ZERO);
        // Without the server's clock this machine's has to do: that day is long gone.
        assertThat(RetryAfter.of(headers("Retry-After", "Tue, 03 Mar 2020 12:00:00 GMT")))
                .contains(Duration.ZERO);
    }

    @Test
    void nobodyWaitsLongerThanTheCap() {
        assertThat(RetryAfter.of(headers("Retry-After", "1e30"))).contains(RetryAfter.LONGEST);
        assertThat(RetryAfter.of(headers("Retry-After", "Wed, 04 Mar 2026 12:00:00 GMT", "Date", NOON)))
                .contains(RetryAfter.LONGEST);
    }

    @Test
    void whatCannotBeUnderstoodAsksForNothing() {
        assertThat(RetryAfter.of(headers())).isEmpty();
        assertThat(RetryAfter.of(headers("Retry-After", "soon"))).isEmpty();
        assertThat(RetryAfter.of(headers("Retry-After", "NaN"))).isEmpty();
    }

    private static HttpHeaders headers(String... namesAndValues) {
        Map<String, List<String>> headers = new java.util.HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            headers.put(namesAndValues[i], List.of(namesAndValues[i + 1]));
        }
        return HttpHeaders.of(headers, (name, value) -> true);
    }
}
