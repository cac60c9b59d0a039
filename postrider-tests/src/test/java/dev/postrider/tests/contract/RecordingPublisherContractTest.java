package dev.postrider.tests.contract;

import dev.postrider.OutboxEvent;
import dev.postrider.contract.PublisherContract;
import dev.postrider.publish.PublishResult;
import dev.postrider.publish.Publisher;
import dev.postrider.testing.RecordingPublisher;
import java.util.List;
import java.util.Optional;

class RecordingPublisherContractTest extends PublisherContract {
    private final RecordingPublisher publisher =
            RecordingPublisher.answering(event -> event.payload().text().equals("\"refused\"")
                    ? new PublishResult.Rejected("made by a test", false)
                    : new PublishResult.Accepted());

    @Override
    protected Publisher publisher() {
        return publisher;
    }

    @Override
    protected List<String> arrived() {
        return publisher.acceptedBodies();
    }

    @Override
    protected Optional<OutboxEvent> refused(String key) {
        return Optional.of(event(key, "\"refused\""));
    }
}
