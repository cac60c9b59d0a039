package dev.postrider.spring.test;

import dev.postrider.PostriderException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Tells where a test begins, so that it does not see what others have committed to the same outbox before it. */
final class EventsOfTheTest implements TestExecutionListener, Ordered {
    private static final Logger log = LoggerFactory.getLogger(EventsOfTheTest.class);

    /** Before the one that begins the test's transaction, which has 4000. */
    private static final int ORDER = 3900;

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(WrittenEvents.class).ifAvailable(EventsOfTheTest::begin);
        }
    }

    /** It may be a test of an application without its database. */
    private static void begin(WrittenEvents written) {
        try {
            written.beginTest();
        } catch (PostriderException e) {
            log.warn("Events of this test cannot be distinguished from earlier ones: {}", e.getMessage());
        }
    }
}
