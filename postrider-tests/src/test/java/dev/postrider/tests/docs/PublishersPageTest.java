package dev.postrider.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.postrider.OutboxEvent;
import dev.postrider.Relay;
import dev.postrider.contract.PublisherContract;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.InMemoryOutbox;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** The code that the page about publishers shows: it is compiled here, and its test is run. */
class PublishersPageTest {

    @Test
    void relayIsBuiltWithIt() {
        DataSource dataSource = new InMemoryOutbox().dataSource();
        Queue queue = new Queue();
        // snippet: relay
        Relay relay = Relay.builder(dataSource, new QueuePublisher(queue)).build();
        // end
        relay.close();
        assertThat(queue.bodies()).isEmpty();
    }

    @Test
    void pageShowsThisCode() throws IOException {
        Snippets.assertThatPageShowsAll("docs/publishers.md", PublishersPageTest.class);
    }
}

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

// snippet: publisher
final class QueuePublisher implements Publisher {
    private final Queue queue;

    QueuePublisher(Queue queue) {
        this.queue = queue;
    }

    @Override
    public String destination(OutboxEvent event) {
        return "orders"; // throw UnroutableEventException if there is none: the event is a dead letter then
    }

    @Override
    public CompletionStage<PublishResult> publish(OutboxEvent event, String destination) {
        return queue.send(destination, event.messageKey(), event.payload().bytes())
                .orTimeout(30, TimeUnit.SECONDS)
                .handle((receipt, error) ->
                        error == null ? new PublishResult.Accepted() : new PublishResult.Unavailable(error.toString()));
    }
}
// end

// snippet: test
class QueuePublisherTest extends PublisherContract {
    private final Queue queue = new Queue(); // JUnit makes a new one for each test

    @Override
    protected Publisher publisher() {
        return new QueuePublisher(queue);
    }

    @Override
    protected List<String> arrived() { // payloads at the destination, the first one first
        return queue.bodies();
    }

    @Override
    protected Optional<OutboxEvent> refused(String key) { // leave it out if the queue takes everything
        return Optional.of(event(key, "\"refuse me\""));
    }
}
// end
