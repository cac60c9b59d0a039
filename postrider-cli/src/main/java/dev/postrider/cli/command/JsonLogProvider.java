package dev.postrider.cli.command;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.simple.SimpleServiceProvider;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Loggers that write JSON; which levels they log is what {@code simplelogger.properties} says. SLF4J makes it by its name
 * if a property says so, and does not find it otherwise.
 */
public final class JsonLogProvider implements SLF4JServiceProvider {
    private final SimpleServiceProvider simple = new SimpleServiceProvider();
    private final Map<String, JsonLogger> loggers = new ConcurrentHashMap<>();

    @Override
    public void initialize() {
        simple.initialize();
    }

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> loggers.computeIfAbsent(
                name,
                unknown -> new JsonLogger(unknown, simple.getLoggerFactory().getLogger(unknown), System.err));
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return simple.getMarkerFactory();
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return simple.getMDCAdapter();
    }

    @Override
    public String getRequestedApiVersion() {
        return simple.getRequestedApiVersion();
    }
}
