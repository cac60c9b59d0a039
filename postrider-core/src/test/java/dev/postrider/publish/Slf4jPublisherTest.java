package dev.postrider.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class Slf4jPublisherTest {
    private static final OutboxEvent EVENT = OutboxEvent.builder("acme.order.paid.v1")
            .aggregate("order", "42\nforged line")
            .json("{\"card\": \"4111\"}")
            .build();

    @Test
    void lineSaysWhatHappenedButNotWhatIsInIt() {
        assertThat(logged(Slf4jPublisher.withoutPayloads()))
                .contains("event " + EVENT.id() + " of type acme.order.paid.v1, key 42 forged line, 16 bytes")
                .doesNotContain("4111")
                .hasLineCount(1);
    }

    @Test
    void payloadIsWrittenIfAskedFor() {
        assertThat(logged(Slf4jPublisher.withPayloads())).contains("16 bytes: {\"card\": \"4111\"}");
    }

    @Test
    void stoppedLineTakesNothing() {
        Slf4jPublisher publisher = Slf4jPublisher.withoutPayloads();
        publisher.halt();
        assertThat(publish(publisher)).isEqualTo(new PublishResult.Unresolved());
        publisher.resume();
        assertThat(publish(publisher)).isEqualTo(new PublishResult.Accepted());
        publisher.close();
        publisher.resume();
        assertThat(publish(publisher)).isEqualTo(new PublishResult.Unresolved());
    }

    private static PublishResult publish(Slf4jPublisher publisher) {
        return publisher
                .publish(EVENT, publisher.destination(EVENT))
                .toCompletableFuture()
                .join();
    }

    private static String logged(Slf4jPublisher publisher) {
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
