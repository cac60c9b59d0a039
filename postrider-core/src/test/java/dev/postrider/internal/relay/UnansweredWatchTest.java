package dev.postrider.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.Logged;
import dev.postrider.RelayListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UnansweredWatchTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final List<String> told = new ArrayList<>();
    private final Map<Long, Long> handedOver = new LinkedHashMap<>();
    private final UnansweredWatch watch = new UnansweredWatch("one", Duration.ofSeconds(30), new RelayListener() {
        @Override
        public void unanswered(long events, Duration oldest) {
            told.add(events + " for " + oldest.toSeconds() + " s");
        }
    });

    @Test
    void silenceIsToldOnceAMinuteWithItsRowsAndItsEnd() {
        handedOver.put(7L, 0L);
        handedOver.put(8L, SECOND);
        handedOver.put(9L, 20 * SECOND);

        assertThat(Logged.during(() -> watch.look(handedOver, 29 * SECOND))).isEmpty();
        assertThat(watch.age(29 * SECOND)).isNull();

        assertThat(Logged.during(() -> watch.look(handedOver, 31 * SECOND)))
                .singleElement()
                .asString()
                .contains("WARN", "[one] no answer from the destination for 31 s: 2 events, rows [7, 8]");
        assertThat(watch.age(32 * SECOND)).isEqualTo(Duration.ofSeconds(32));
        assertThat(Logged.during(() -> watch.look(handedOver, 60 * SECOND))).isEmpty();
        assertThat(Logged.during(() -> watch.look(handedOver, 92 * SECOND)))
                .singleElement()
                .asString()
                .contains("92 s: 3 events");

        handedOver.clear();
        assertThat(Logged.during(() -> watch.look(handedOver, 95 * SECOND)))
                .singleElement()
                .asString()
                .contains("INFO");
        assertThat(watch.age(95 * SECOND)).isNull();
        assertThat(told).containsExactly("2 for 31 s", "3 for 60 s", "3 for 92 s", "0 for 0 s");
    }
}
