package dev.postrider.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LogPublisherTest {
    private static final OutboxEvent EVENT = OutboxEvent.builder("acme.order.paid.v1")
            .aggregate("order", "42\nforged line")
            .json("{\"card\": \"4111\"}")
            .build();

    @Test
    void lineSaysWhatHappenedButNotWhatIsInIt() {
        assertThat(logged(LogPublisher.withoutPayloads()))
                .contains("event " + EVENT.id() + " of type acme.order.paid.v1, key 42 forged line, 16 bytes")
                .doesNotContain("4111")
                .hasLineCount(1);
    }

    @Test
    void payloadIsWrittenIfAskedFor() {
        assertThat(logged(LogPublisher.withPayloads())).contains("16 bytes: {\"card\": \"4111\"}");
    }

    @Test
    void stoppedLineTakesNothing() {
        LogPublisher publisher = LogPublisher.withoutPayloads();
        publisher.halt();
        assertThat(publish(publisher)).isEqualTo(new PublishResult.Unresolved());
        publisher.resume();
        assertThat(publish(publisher)).isEqualTo(new PublishResult.Accepted());
        publisher.close();
        publisher.resume();
        assertThat(publish(publisher)).isEqualTo(new PublishResult.Unresolved());
    }

    private static PublishResult publish(LogPublisher publisher) {
        return publisher
                .publish(EVENT, publisher.destination(EVENT))
                .toCompletableFuture()
                .join();
    }

    private static String logged(LogPublisher publisher) {
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            assertThat(publish(publisher)).isEqualTo(new PublishResult.Accepted());
        } finally {
            System.setErr(before);
        }
        return written.toString(StandardCharsets.UTF_8);
    }
}
