package dev.postrider.tests.contract;

import dev.postrider.contract.PublisherContract;
import dev.postrider.publish.Publisher;
import dev.postrider.publish.Slf4jPublisher;
import dev.postrider.tests.support.CapturedLog;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

class Slf4jPublisherContractTest extends PublisherContract {
    private static final String BEFORE_PAYLOAD = " bytes: ";

    private final CapturedLog log = new CapturedLog();

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Override
    protected Publisher publisher() {
        return Slf4jPublisher.withPayloads();
    }

    @Override
    protected List<String> arrived() {
        return log.lines("event ", " of type ", BEFORE_PAYLOAD).stream()
                .map(line -> line.substring(line.indexOf(BEFORE_PAYLOAD) + BEFORE_PAYLOAD.length()))
                .toList();
    }
}
