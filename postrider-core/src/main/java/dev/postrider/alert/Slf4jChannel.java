package dev.postrider.alert;

import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Alerts as lines of the log: WARN, ERROR if critical, INFO for a recovery. Long values are left out; a dead letter
 * that could not be saved is already in the relay's own log.
 */
public final class Slf4jChannel implements AlertChannel {
    private static final Logger log = LoggerFactory.getLogger(Slf4jChannel.class);
    private static final int LONGEST_VALUE = 1100;

    private final String relay;

    /** @param relay name at the beginning of each line */
    public Slf4jChannel(String relay) {
        this.relay = relay;
    }

    @Override
    public void send(Alert alert) {
        if (alert.rule().equals(Alert.DEAD_LETTER) && alert.fields().containsKey("id")) {
            // The relay has said it with an error of its own: one line for each dead letter.
            log.debug("[{}] alert: {}: {} {}", relay, alert.title(), alert.text(), fields(alert));
        } else if (alert.recovery()) {
            log.info("[{}] over: {}: {} {}", relay, alert.title(), alert.text(), fields(alert));
        } else if (alert.severity() == Alert.Severity.CRITICAL) {
            log.error("[{}] alert: {}: {} {}", relay, alert.title(), alert.text(), fields(alert));
        } else {
            log.warn("[{}] alert: {}: {} {}", relay, alert.title(), alert.text(), fields(alert));
        }
    }

    private static String fields(Alert alert) {
        return alert.fields().entrySet().stream().map(Slf4jChannel::field).collect(Collectors.joining(", ", "(", ")"));
    }

    private static String field(Map.Entry<String, String> field) {
        int length = field.getValue().length();
        return field.getKey() + ": " + (length <= LONGEST_VALUE ? field.getValue() : length + " characters");
    }
}
