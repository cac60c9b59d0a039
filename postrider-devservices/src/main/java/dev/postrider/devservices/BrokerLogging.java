package dev.postrider.devservices;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Logging inside a broker's JVM: warnings and errors, to the broker's log file.
 *
 * <p>The broker has the class path of the application or test that starts it. Whatever logs there, with whatever
 * configuration, is meant for the application: the broker must not write to the application's files, nor tell everything
 * at DEBUG because there is no configuration.
 *
 * <p>Not for users. Public because SLF4J creates it by name, and deliberately not registered as a service.
 */
public final class BrokerLogging implements SLF4JServiceProvider {

    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter mdc = new NOPMDCAdapter();

    @Override
    public ILoggerFactory getLoggerFactory() {
        return WarningLogger::new;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return mdc;
    }

    @Override
    public String getRequestedApiVersion() {
        return "2.0.99";
    }

    @Override
    public void initialize() {}

    private static final class WarningLogger extends LegacyAbstractLogger {

        private static final long serialVersionUID = 1L;

        WarningLogger(String name) {
            this.name = name;
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                String message,
                Object @Nullable [] arguments,
                @Nullable Throwable throwable) {
            String text = MessageFormatter.basicArrayFormat(message, arguments);
            synchronized (System.err) {
                System.err.println(Instant.now() + " " + level + " " + name + " - " + text);
                if (throwable != null) {
                    throwable.printStackTrace(System.err);
                }
            }
        }
    }
}
