package dev.postrider.examples.commerce.statistics;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What the application logs while this is open. */
final class Log extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();

    Log() {
        start();
        root.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event);
    }

    List<String> at(Level level) {
        return lines.stream()
                .filter(line -> line.getLevel().equals(level))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** Of Postrider and the application. Kafka's clients tell of their connections whenever the machine is slow. */
    List<String> ofOursFrom(Level level) {
        return lines.stream()
                .filter(line -> line.getLoggerName().startsWith("dev.postrider."))
                .filter(line -> line.getLevel().isGreaterOrEqual(level))
                .map(line -> line.getLoggerName() + ": " + line.getFormattedMessage())
                .toList();
    }

    boolean has(Level level, String... words) {
        return at(level).stream().anyMatch(line -> List.of(words).stream().allMatch(line::contains));
    }

    @Override
    public void close() {
        root.detachAppender(this);
        stop();
    }
}
