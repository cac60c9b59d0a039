package dev.postrider.examples.orders;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What the application logs as an error while this is open. */
final class Errors extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final List<String> messages = new CopyOnWriteArrayList<>();

    Errors() {
        start();
        root.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
            messages.add(event.getFormattedMessage());
        }
    }

    List<String> messages() {
        return messages;
    }

    @Override
    public void close() {
        root.detachAppender(this);
        stop();
    }
}
